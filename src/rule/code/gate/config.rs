//! The configuration: which of its words let more through, and which less.

use std::{cmp::Ordering, collections::BTreeMap};

use toml::Value;

use super::effect::{Effect, Verdict};
use crate::config::ConfigFile;

/// Most words that a message names.
const NAMED: usize = 4;

/// What a configuration does to the gate; none where it says the same.
pub(super) fn effect(path: &str, old: Option<&[u8]>, new: Option<&[u8]>) -> Option<Effect> {
    let Some(new) = new else {
        return Some(Effect::loosens("the configuration is gone, and only the built-in rules are left"));
    };
    let new = match ConfigFile::parse(path, new) {
        Ok(new) => new,
        Err(fatal) => return Some(Effect::loosens(format!("once merged it can't be used: {fatal}"))),
    };
    let Some(old) = old else {
        let why = "it is the first configuration, and valid; the built-in rules judge this change".to_owned();
        return Some(Effect { verdict: Verdict::Tightens, why });
    };
    match ConfigFile::parse(path, old) {
        Err(_) => {
            Some(Effect::unclear("it mends a configuration that can't be used; the built-in rules judge this change"))
        }
        Ok(old) => between(&old.text, &new.text),
    }
}

/// What is different between two configurations.
fn between(old: &str, new: &str) -> Option<Effect> {
    let (old, new) = (words(old), words(new));
    let mut said: BTreeMap<Verdict, Vec<String>> = BTreeMap::new();
    let mut say = |verdict, text: String| said.entry(verdict).or_default().push(text);
    let gone = old.iter().filter(|(word, count)| new.get(*word).copied().unwrap_or(0) < **count).map(|(word, _)| word);
    let come = new.iter().filter(|(word, count)| old.get(*word).copied().unwrap_or(0) < **count).map(|(word, _)| word);
    let (mut gone, mut come): (Vec<&Word>, Vec<&Word>) = (gone.collect(), come.collect());
    // one value in the place of another
    gone.retain(|was| {
        let is_same = |is: &&Word| is.at == was.at && !is.of_list;
        let Some(at) = come.iter().position(is_same).filter(|_| !was.of_list) else { return true };
        let is = come.remove(at);
        say(replaced(was, is), format!("`{}` is `{}` now, and was `{}`", was.at, is.value, was.value));
        false
    });
    for word in gone {
        say(opposite(added(word)), format!("`{}` without `{}`", word.at, word.value));
    }
    for word in come {
        say(added(word), format!("`{}` with `{}`", word.at, word.value));
    }
    let (verdict, words) = said.pop_last()?;
    let more = match words.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    Some(Effect { verdict, why: words.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ") + &more })
}

/// One value of a configuration, and where it stands: `agents.ps3.owns`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Word {
    at: String,
    value: String,
    /// Whether it is one of a list, in which the order says nothing.
    of_list: bool,
}

/// All values of a configuration, and how often each is there.
fn words(text: &str) -> BTreeMap<Word, usize> {
    let mut all = BTreeMap::new();
    if let Ok(table) = toml::from_str::<toml::Table>(text) {
        table.iter().for_each(|(key, value)| collect(key, value, &mut all));
    }
    all
}

fn collect(at: &str, value: &Value, all: &mut BTreeMap<Word, usize>) {
    let mut add = |value: String, of_list| {
        *all.entry(Word { at: at.to_owned(), value, of_list }).or_insert(0) += 1;
    };
    match value {
        Value::Array(items) => items.iter().for_each(|item| add(shown(item), true)),
        Value::Table(table) => table.iter().for_each(|(key, value)| collect(&format!("{at}.{key}"), value, all)),
        other => add(shown(other), false),
    }
}

/// A value on one line.
fn shown(value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Table(table) => {
            let pairs: Vec<String> = table.iter().map(|(key, value)| format!("{key} = {}", shown(value))).collect();
            pairs.join(", ")
        }
        Value::Array(items) => items.iter().map(shown).collect::<Vec<_>>().join(" "),
        other => other.to_string(),
    };
    text.replace(['\n', '\r'], " ")
}

/// What a value does that was not there before.
fn added(word: &Word) -> Verdict {
    let parts: Vec<&str> = word.at.split('.').collect();
    match (parts[0], *parts.last().unwrap_or(&"")) {
        ("allow", _) | ("fleet", "exclude") | ("namespace", "exclude") => Verdict::Loosens,
        ("agents", "owns" | "may-touch") => Verdict::Loosens,
        ("agents", "never") | ("protected" | "approval" | "companion" | "document" | "budget", _) => Verdict::Tightens,
        ("rules", _) if word.value == "off" => Verdict::Loosens,
        ("rules", _) if word.value == "error" => Verdict::Tightens,
        ("fail-on", _) if word.value == "never" => Verdict::Loosens,
        ("fail-on", _) if word.value == "error" => Verdict::Tightens,
        ("fail-on", _) => Verdict::Tightens,
        ("lanes", _) if word.value != "allow" => Verdict::Tightens,
        _ => Verdict::Unclear,
    }
}

/// What a value does that takes the place of another.
fn replaced(was: &Word, is: &Word) -> Verdict {
    let grave = |word: &Word| ["off", "allow", "note", "warning", "error"].iter().position(|one| *one == word.value);
    let order = match was.at.split('.').next() {
        Some("rules" | "lanes") => grave(was).cmp(&grave(is)),
        // the least severity that fails: `never` is the loosest
        Some("fail-on") => {
            let strict = |word: &Word| ["never", "error", "warning", "note"].iter().position(|one| *one == word.value);
            strict(was).cmp(&strict(is))
        }
        _ => return Verdict::Unclear,
    };
    match order {
        Ordering::Less => Verdict::Tightens,
        Ordering::Equal => Verdict::Unclear,
        Ordering::Greater => Verdict::Loosens,
    }
}

/// What it does when that is taken away.
fn opposite(verdict: Verdict) -> Verdict {
    match verdict {
        Verdict::Loosens => Verdict::Tightens,
        Verdict::Tightens => Verdict::Loosens,
        Verdict::Unclear => Verdict::Unclear,
    }
}
