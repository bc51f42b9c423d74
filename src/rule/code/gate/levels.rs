//! How grave rules and codes are: what a level does depends on what holds without it.

use std::collections::{BTreeMap, BTreeSet};

use toml::Spanned;

use super::{differences::Differences, effect::Verdict};
use crate::{
    config::Level,
    rule::{
        builtin_rules,
        code::{ASKED_FOR, CodeRule},
        code_rules,
    },
    suppress,
};

type Rules = BTreeMap<Spanned<String>, Level>;

/// What becomes of the levels.
pub(super) fn compare(old: &Rules, new: &Rules, said: &mut Differences) {
    let words: BTreeSet<&str> = old.keys().chain(new.keys()).map(|word| word.get_ref().as_str()).collect();
    for word in words {
        let (was, is) = (level(old, word), level(new, word));
        let usual = || usual(word);
        let verdict = match (was, is) {
            (Some(was), Some(is)) => changed(was, is),
            (None, Some(is)) => match usual() {
                Some(usual) => changed(usual, is).or((is == Level::Error).then_some(Verdict::Tightens)), // its notes too
                None => Some(alone(is)),
            },
            (Some(was), None) => match usual() {
                // a level holds for all that a rule says, and what is left is at most so grave
                Some(usual) => changed(was, usual).or((was == Level::Error).then_some(Verdict::Unclear)),
                None if was == Level::Error => Some(Verdict::Unclear),
                None => Some(alone(was).opposite()),
            },
            (None, None) => None,
        };
        let written = |level: Option<Level>| level.map_or("as it comes", self::written);
        if let Some(verdict) = verdict {
            said.replaced(verdict, &format!("rules.{word}"), written(was), written(is));
        }
    }
}

/// The level that is said of a word: of a code, or else of its rule. What comes only to those who ask for it by name is not asked for by its rule.
fn level(rules: &Rules, word: &str) -> Option<Level> {
    let said = |word: &str| rules.get(word).copied();
    let of_rule =
        || said(word.split_once('/')?.0).filter(|level| *level == Level::Off || usual(word) != Some(Level::Off));
    said(word).or_else(of_rule)
}

fn changed(was: Level, is: Level) -> Option<Verdict> {
    match is.cmp(&was) {
        std::cmp::Ordering::Less => Some(Verdict::Loosens),
        std::cmp::Ordering::Equal => None,
        std::cmp::Ordering::Greater => Some(Verdict::Tightens),
    }
}

/// What a level does to a rule of the repository's own, of which is not known here how grave it is.
fn alone(level: Level) -> Verdict {
    match level {
        Level::Off | Level::Note => Verdict::Loosens,
        Level::Warning => Verdict::Unclear,
        Level::Error => Verdict::Tightens,
    }
}

/// How grave the gravest findings of a rule or code are where nobody says otherwise: `off` of those that only come when asked for. None of what
/// does not come with gatekeep.
fn usual(word: &str) -> Option<Level> {
    let (id, kind) = word.split_once('/').map_or((word, None), |(id, kind)| (id, Some(kind)));
    if id == "allow" || [suppress::UNUSED, suppress::EXPIRED].contains(&word) {
        return Some(Level::Warning);
    }
    if let Some(rule) = code_rules().iter().find(|rule| rule.id == id) {
        return of_code(rule, kind.map(|_| word));
    }
    let rule = builtin_rules().iter().find(|rule| rule.id() == id)?;
    match kind {
        None => rule.severity.map(Level::from),
        Some(kind) => rule.gravest(kind),
    }
}

fn of_code(rule: &CodeRule, code: Option<&str>) -> Option<Level> {
    let codes = rule.codes.iter().filter(|one| code.is_none_or(|code| code == one.code));
    let level = |asked: bool, severity| if asked { Level::Off } else { Level::from(severity) };
    codes.map(|one| level(ASKED_FOR.contains(&one.code), one.severity)).max()
}

fn written(level: Level) -> &'static str {
    match level {
        Level::Off => "off",
        Level::Note => "note",
        Level::Warning => "warning",
        Level::Error => "error",
    }
}
