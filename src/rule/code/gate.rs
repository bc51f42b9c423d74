//! `gate/changed`: what a change does to the gate that judges it.
//!
//! Policy is read from the base, so nothing here loosens this run. But once merged it counts for every run that follows: somebody has to see it.

mod allowance;
mod baseline;
mod config;
mod effect;
mod hooks;
mod workflow;

use super::{Code, CodeRule};
use crate::{
    config::NAMES,
    diag::{Confidence, Diagnostic, Position, RepoPath, Severity},
    rule::change::{Change, File, Said},
    suppress::BASELINE_PATH,
};
use effect::{Effect, Verdict};

const CHANGED: &str = "gate/changed";

/// Folder of a repository's own rule files.
const RULES: &str = ".gatekeep/rules/";
/// Where GitHub and GitLab look for owners.
const OWNERS: [&str; 4] = ["CODEOWNERS", "docs/CODEOWNERS", ".github/CODEOWNERS", ".gitlab/CODEOWNERS"];

/// What the rule says of itself.
pub const RULE: CodeRule = CodeRule {
    id: "gate",
    summary: "The gate is not loosened in passing",
    why: "An agent that can't satisfy a check can still edit the check: an allowance, a severity, a workflow step, a hook. The \
          change is judged by the base's policy all the same, and the next one is not.",
    docs: None,
    codes: &[Code {
        code: CHANGED,
        severity: Severity::Error,
        summary: "A change to the gate is seen",
        details: "The change touches what judges it: the configuration, rule files, the baseline, CODEOWNERS, a workflow or a hook \
                  that runs gatekeep, Claude's `deny` rules, or an allowance in a comment. It is an error where that loosens the \
                  gate, a warning where it can't be told, and a note where it tightens. None of it counts for this run: policy \
                  comes from the base.",
        help: "Put it back, or give it a change of its own that a person reviews.",
    }],
};

/// Judges a change.
pub fn judge(change: &Change<'_>) -> Said {
    let mut said = Said::default();
    for file in change.files.iter().filter(|file| !(file.is_link() && file.before.is_none())) {
        let found = effect(change, file).and_then(|effect| {
            said.findings.extend(effect.map(|effect| finding(change, file, effect)));
            allowance::added(change, file)
        });
        match found {
            Ok(allowances) => said.findings.extend(allowances),
            Err(error) => {
                let why = format!("can't be read, so nobody knows what it does to the gate: {error}");
                said.gap(file.path.lossy(), why);
            }
        }
    }
    said
}

/// What a file of the change does to the gate; none where it is no part of it.
fn effect(change: &Change<'_>, file: &File) -> std::io::Result<Option<Effect>> {
    let path = file.path.lossy();
    let texts = || -> std::io::Result<_> { Ok((change.trunk(file)?, change.merged(file)?)) };
    let bytes = |text: &Option<std::sync::Arc<[u8]>>| text.as_deref().map(<[u8]>::to_vec);
    if file.is_link() {
        let is_part =
            NAMES.contains(&&*path) || path == BASELINE_PATH || path.starts_with(RULES) || OWNERS.contains(&&*path);
        return Ok(is_part.then(|| Effect::loosens("a link takes its place, and no link is followed")));
    }
    let (old, new) = match &*path {
        path if is_part(path) => texts()?,
        _ => return Ok(None),
    };
    let (old, new) = (bytes(&old), bytes(&new));
    let (old, new) = (old.as_deref(), new.as_deref());
    Ok(match &*path {
        path if NAMES.contains(&path) => config::effect(path, old, new),
        path if path == BASELINE_PATH => baseline::effect(old, new),
        path if path.starts_with(RULES) => Some(rule_file(path, old, new)),
        path if OWNERS.contains(&path) => Some(owners(new)),
        path if workflow::is_one(path) => workflow::effect(old, new),
        path => hooks::effect(path, old, new),
    })
}

/// Whether a file can be a part of the gate.
fn is_part(path: &str) -> bool {
    NAMES.contains(&path)
        || path == BASELINE_PATH
        || path.starts_with(RULES) && path.ends_with(".toml")
        || OWNERS.contains(&path)
        || workflow::is_one(path)
        || hooks::is_one(path)
}

fn rule_file(path: &str, old: Option<&[u8]>, new: Option<&[u8]>) -> Effect {
    let Some(new) = new else { return Effect::loosens("the rule is gone") };
    match (crate::rule::parse_own(path, new), old) {
        (Err(fatal), _) => Effect::loosens(format!("once merged it can't be used: {fatal}")),
        (Ok(_), None) => Effect::tightens("a new rule"),
        (Ok(_), Some(_)) => Effect::unclear("the rule is another one now"),
    }
}

fn owners(new: Option<&[u8]>) -> Effect {
    match new {
        Some(_) => {
            Effect::unclear("who owns what is another matter once this is merged; this run goes by the base's owners")
        }
        None => Effect::loosens("nobody owns anything any more"),
    }
}

fn finding(change: &Change<'_>, file: &File, effect: Effect) -> Diagnostic {
    let path = file.path.lossy();
    let does = match effect.verdict {
        Verdict::Loosens => "loosens the gate",
        Verdict::Unclear => "changes the gate",
        Verdict::Tightens => "tightens the gate",
    };
    let message = format!(
        "`{path}` {does}: {}. This run goes by what `{}` holds; once merged, it counts",
        effect.why, change.base.name
    );
    make(change, &file.path, effect.verdict, None, message)
}

/// A finding about one file.
fn make(change: &Change<'_>, path: &RepoPath, verdict: Verdict, at: Option<Position>, message: String) -> Diagnostic {
    let mut site = change.site(path);
    site.position = at;
    let mut found = Diagnostic::new(CHANGED, verdict.severity(), message, vec![site]);
    found.confidence = if verdict == Verdict::Unclear { Confidence::Medium } else { Confidence::High };
    found.help = Some(RULE.codes[0].help.to_owned());
    found
}

#[cfg(test)]
mod tests;
