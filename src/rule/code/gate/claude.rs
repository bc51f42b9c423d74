//! Settings of Claude Code: the hooks in them, and the files that it may not edit.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::{
    commands::Commands,
    differences::{Differences, shown},
    effect::{Effect, Verdict},
};
use crate::rule::owners::claude::{Fences, PLACE};

/// Whether Claude Code reads settings there that a repository can share.
pub(super) fn is_one(path: &str) -> bool {
    path == PLACE || path == ".claude/settings.local.json"
}

/// What a change of settings does to the gate; none where it leaves what concerns the gate alone.
pub(super) fn effect(old: Option<&[u8]>, new: Option<&[u8]>) -> Option<Effect> {
    let was = Settings::read(old).unwrap_or_default();
    let Some(is) = Settings::read(new) else {
        let why = "it is no JSON any more, so that no fence and no hook in it stands";
        return was.concerns().then(|| Effect::loosens(why));
    };
    let mut said = Differences::default();
    for gone in was.denied.difference(&is.denied) {
        said.say(Verdict::Loosens, format!("`{}` is no longer denied", shown(gone)));
    }
    for gone in was.asked.difference(&is.asked).filter(|rule| !is.denied.contains(*rule)) {
        said.say(Verdict::Loosens, format!("nobody is asked about `{}` any more", shown(gone)));
    }
    let idle = idle(new.unwrap_or_default());
    let fences = [(&was.denied, &is.denied, "is denied"), (&was.asked, &is.asked, "is asked about")];
    for (was, is, verb) in fences {
        for more in is.difference(was) {
            let rule = shown(more);
            match idle.iter().find(|(rule, _)| rule == more) {
                Some((_, why)) => said.say(Verdict::Unclear, format!("`{rule}` {verb}, and does nothing: {why}")),
                None => said.say(Verdict::Tightens, format!("`{rule}` {verb}")),
            }
        }
    }
    match (was.is_disabled, is.is_disabled) {
        (false, true) => said.say(Verdict::Loosens, "`disableAllHooks` turns every hook off"),
        (true, false) => said.say(Verdict::Tightens, "`disableAllHooks` turns no hook off any more"),
        _ => {}
    }
    if let Some(Effect { verdict, why }) = was.hooks.became(&is.hooks) {
        said.say(verdict, why);
    }
    said.effect()
}

/// What concerns the gate.
#[derive(Default)]
struct Settings {
    denied: BTreeSet<String>,
    asked: BTreeSet<String>,
    is_disabled: bool,
    hooks: Commands,
}

impl Settings {
    /// None where it is no JSON object.
    fn read(text: Option<&[u8]>) -> Option<Self> {
        let Some(text) = text.filter(|text| !text.trim_ascii().is_empty()) else { return Some(Self::default()) };
        let top: Map<String, Value> = serde_json::from_slice(text).ok()?;
        let list = |name| {
            let rules = top.get("permissions").and_then(|permissions| permissions.get(name)).and_then(Value::as_array);
            rules.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
        };
        let mut hooks = Commands::default();
        if let Some(value) = top.get("hooks") {
            hooks.whole = value.to_string();
            commands(value, &mut hooks);
        }
        let is_disabled = top.get("disableAllHooks") == Some(&Value::Bool(true));
        Some(Self { denied: list("deny"), asked: list("ask"), is_disabled, hooks })
    }

    fn concerns(&self) -> bool {
        !self.denied.is_empty() || !self.asked.is_empty() || self.hooks.runs
    }
}

/// Takes in what runs in a value of `hooks`.
fn commands(value: &Value, hooks: &mut Commands) {
    match value {
        Value::String(text) => drop(hooks.command(text)),
        Value::Array(items) => items.iter().for_each(|item| commands(item, hooks)),
        Value::Object(members) => members.values().for_each(|value| commands(value, hooks)),
        _ => {}
    }
}

/// Rules about files that do nothing, and why.
fn idle(text: &[u8]) -> Vec<(String, &'static str)> {
    let fences = Fences::parse(text).unwrap_or_default();
    fences.ineffective().iter().map(|idle| (idle.rule.clone(), idle.why)).collect()
}
