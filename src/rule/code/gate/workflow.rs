//! Workflows and pipelines that run gatekeep.

use super::effect::Effect;

/// What makes a step count for nothing.
const TOOTHLESS: [&str; 7] = [
    "|| true",
    "continue-on-error: true",
    "--fail-on never",
    "--allow-incomplete",
    "if: false",
    "allow_failure: true",
    "--no-config",
];

/// Whether a file is a workflow or a pipeline.
pub(super) fn is_one(path: &str) -> bool {
    let is_yaml = path.ends_with(".yml") || path.ends_with(".yaml");
    is_yaml && (path.starts_with(".github/workflows/") || path.starts_with(".github/actions/"))
        || matches!(path, ".gitlab-ci.yml" | "azure-pipelines.yml" | "bitbucket-pipelines.yml" | ".circleci/config.yml")
}

/// What a change of a workflow does to the gate; none where gatekeep does not run in it.
pub(super) fn effect(old: Option<&[u8]>, new: Option<&[u8]>) -> Option<Effect> {
    let text = |bytes: Option<&[u8]>| String::from_utf8_lossy(bytes.unwrap_or_default()).into_owned();
    let (old, new) = (text(old), text(new));
    match (runs(&old), runs(&new)) {
        (false, false) => None,
        (true, false) => Some(Effect::loosens("gatekeep no longer runs in it")),
        (false, true) => Some(Effect::tightens("gatekeep runs in it")),
        (true, true) => Some(match TOOTHLESS.iter().find(|word| count(&new, word) > count(&old, word)) {
            Some(word) => Effect::loosens(format!("it gains `{word}`")),
            None => Effect::unclear("gatekeep runs in it, and it is another workflow now"),
        }),
    }
}

/// Whether gatekeep runs in it: a comment does not count.
fn runs(text: &str) -> bool {
    text.lines().any(|line| {
        line.split(" #").next().is_some_and(|code| !code.trim_start().starts_with('#') && code.contains("gatekeep"))
    })
}

fn count(text: &str, word: &str) -> usize {
    text.lines().filter(|line| !line.trim_start().starts_with('#') && line.contains(word)).count()
}
