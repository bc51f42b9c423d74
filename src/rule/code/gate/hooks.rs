//! Hooks that run gatekeep, and what Claude Code may not edit.

use std::collections::BTreeSet;

use serde_json::Value;

use super::effect::Effect;

/// Where Claude Code reads a project's settings.
const CLAUDE: &str = ".claude/settings.json";

/// Whether a file can hold a hook.
pub(super) fn is_one(path: &str) -> bool {
    let in_folder = |folder: &str| path.starts_with(folder);
    path == CLAUDE
        || matches!(path, ".pre-commit-config.yaml" | "lefthook.yml" | "lefthook.yaml" | ".lefthook.yml" | "prek.toml")
        || in_folder(".husky/")
        || in_folder(".githooks/")
        || in_folder(".cursor/hooks")
        || in_folder(".codex/")
}

/// What a change of hook settings does to the gate; none where it leaves what concerns the gate alone.
pub(super) fn effect(path: &str, old: Option<&[u8]>, new: Option<&[u8]>) -> Option<Effect> {
    let text = |bytes: Option<&[u8]>| String::from_utf8_lossy(bytes.unwrap_or_default()).into_owned();
    let (old, new) = (text(old), text(new));
    let (before, after) = (lines(&old), lines(&new));
    let of_hook = match (before.is_empty(), after.is_empty()) {
        (true, true) => None,
        (false, true) => Some(Effect::loosens("gatekeep is no longer run by it")),
        (true, false) => Some(Effect::tightens("gatekeep is run by it")),
        (false, false) if before == after => None,
        (false, false) => Some(Effect::unclear("what it runs of gatekeep is something else now")),
    };
    let fences = if path == CLAUDE { fences(&old, &new) } else { None };
    match (of_hook, fences) {
        (Some(hook), Some(fence)) if fence.verdict > hook.verdict => Some(fence),
        (Some(hook), _) => Some(hook),
        (None, fence) => fence,
    }
}

/// The lines that speak of gatekeep.
fn lines(text: &str) -> BTreeSet<&str> {
    text.lines().map(str::trim).filter(|line| line.contains("gatekeep") && !line.starts_with('#')).collect()
}

/// What becomes of the files that Claude Code may not edit.
fn fences(old: &str, new: &str) -> Option<Effect> {
    let Some(new) = denied(new) else {
        return Some(Effect::loosens("it is no JSON any more, so that no fence in it stands"));
    };
    let old = denied(old).unwrap_or_default();
    if let Some(gone) = old.difference(&new).next() {
        return Some(Effect::loosens(format!("`{gone}` is no longer denied")));
    }
    new.difference(&old).next().map(|more| Effect::tightens(format!("`{more}` is denied")))
}

/// The rules under `permissions.deny`; none where it is no JSON.
fn denied(text: &str) -> Option<BTreeSet<String>> {
    if text.trim().is_empty() {
        return Some(BTreeSet::new());
    }
    let value: Value = serde_json::from_str(text).ok()?;
    let rules = value.pointer("/permissions/deny").and_then(Value::as_array);
    Some(rules.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect())
}
