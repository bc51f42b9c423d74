//! Workflows and pipelines that run gatekeep.

use super::{commands::Commands, effect::Effect};
use crate::claim::extract::yaml;

/// Whether a file is a workflow or a pipeline.
pub(super) fn is_one(path: &str) -> bool {
    let is_yaml = path.ends_with(".yml") || path.ends_with(".yaml");
    is_yaml && (path.starts_with(".github/workflows/") || path.starts_with(".github/actions/"))
        || matches!(path, ".gitlab-ci.yml" | "azure-pipelines.yml" | "bitbucket-pipelines.yml" | ".circleci/config.yml")
}

/// What a change of a workflow, or of another file of commands in YAML, does to the gate; none where gatekeep does not run in it.
pub(super) fn effect(old: Option<&[u8]>, new: Option<&[u8]>) -> Option<Effect> {
    let read = |text: Option<&[u8]>| yaml::parse(text.unwrap_or_default()).map(|all| Commands::of_steps(&all));
    let old = read(old).unwrap_or_default(); // what no host can read runs nothing
    match read(new) {
        Ok(new) => old.became(&new),
        Err(error) if old.runs => Some(Effect::loosens(format!("gatekeep no longer runs in it: {error}"))),
        Err(_) => None,
    }
}
