//! Code rules: what no list of names can say. Adding one is a file here, an entry in [`code_rules`], and its page.

pub mod approval;
pub mod boundary;
pub mod budget;
pub mod companion;
pub mod contention;
pub mod document;
pub mod gate;
pub mod r#loop;
pub mod placeholder;
pub mod protected;
pub mod revert;
pub mod tests;

use document::Facts;

use super::change::{Change, Said, Standing};
use crate::{
    config::{KnownCodes, Levels, change::Fact},
    diag::Severity,
};

/// What there is to know of a rule that is code.
#[derive(Debug)]
pub struct CodeRule {
    /// The part of its codes before the slash.
    pub id: &'static str,
    /// What it is about, in a few words.
    pub summary: &'static str,
    /// The failure that it spares.
    pub why: &'static str,
    /// Where to read more.
    pub docs: Option<&'static str>,
    /// What it can find.
    pub codes: &'static [Code],
}

/// One kind of finding of a code rule.
#[derive(Debug)]
pub struct Code {
    /// The whole code: `contention/same-file`.
    pub code: &'static str,
    /// How grave it is unless somebody says otherwise.
    pub severity: Severity,
    /// What holds, in a few words.
    pub summary: &'static str,
    /// What it finds, what it leaves out, and what then happens.
    pub details: &'static str,
    /// What to do about it.
    pub help: &'static str,
}

/// All code rules, in the order of their ids.
pub fn code_rules() -> &'static [&'static CodeRule] {
    &[
        &approval::RULE,
        &boundary::RULE,
        &budget::RULE,
        &companion::RULE,
        &contention::RULE,
        &document::RULE,
        &gate::RULE,
        &r#loop::RULE,
        &placeholder::RULE,
        &protected::RULE,
        &revert::RULE,
        &tests::RULE,
    ]
}

/// Codes that are only reported to those who ask for them by a level.
pub const ASKED_FOR: [&str; 1] = [placeholder::ADDED];

/// Whether a rule has anything to report at these levels.
pub fn is_wanted(rule: &CodeRule, levels: &Levels) -> bool {
    rule.codes.iter().any(|code| !ASKED_FOR.contains(&code.code) || levels.asked_for(code.code).is_some())
}

/// A code rule that judges changes.
pub struct ChangeRule {
    /// What there is to know of it.
    pub rule: &'static CodeRule,
    /// Judges a change.
    pub judge: fn(&Change<'_>) -> Said,
}

/// A code rule that judges a tree by itself.
pub struct TreeRule {
    /// What there is to know of it.
    pub rule: &'static CodeRule,
    /// Judges a tree.
    pub judge: fn(&Standing<'_>) -> Said,
}

/// The code rules that judge changes.
pub fn change_rules() -> &'static [ChangeRule] {
    &[
        // takes longest, so it begins first: the others fill what it leaves of the other threads
        ChangeRule { rule: &tests::RULE, judge: tests::judge },
        ChangeRule { rule: &approval::RULE, judge: |change| approval::judge(change, change.approvals) },
        ChangeRule { rule: &boundary::RULE, judge: boundary::judge },
        ChangeRule { rule: &budget::RULE, judge: budget_of },
        ChangeRule { rule: &companion::RULE, judge: companion::judge },
        ChangeRule { rule: &document::RULE, judge: documents_of },
        ChangeRule { rule: &gate::RULE, judge: gate::judge },
        ChangeRule { rule: &r#loop::RULE, judge: r#loop::judge },
        ChangeRule { rule: &placeholder::RULE, judge: placeholder::judge },
        ChangeRule { rule: &protected::RULE, judge: protected::judge },
        ChangeRule { rule: &revert::RULE, judge: revert::judge },
    ]
}

fn budget_of(change: &Change<'_>) -> Said {
    let mut said = Said::default();
    let who = boundary::who(change, &mut said);
    said.extend(budget::judge(change, &|lane| who.is_of(lane)));
    said
}

fn documents_of(change: &Change<'_>) -> Said {
    let of_tests = [Fact::TestsAdded, Fact::TestsDeleted, Fact::TestsSkipped];
    let asks_tests = document::wanted(change).iter().any(|fact| of_tests.contains(fact));
    document::judge(change, &Facts { tests: if asks_tests { tests::counts(change) } else { None } })
}

/// The code rules that judge a tree by itself.
pub fn tree_rules() -> &'static [TreeRule] {
    &[
        TreeRule { rule: &boundary::RULE, judge: boundary::judge_tree },
        TreeRule { rule: &budget::RULE, judge: budget::judge_tree },
        TreeRule { rule: &document::RULE, judge: document::judge_tree },
    ]
}

/// Adds the ids and codes of all code rules.
pub(super) fn know(known: &mut KnownCodes) {
    for rule in code_rules() {
        known.rules.insert(rule.id.to_owned());
        known.codes.extend(rule.codes.iter().map(|code| code.code.to_owned()));
    }
}

#[cfg(test)]
mod listed {
    #![expect(clippy::disallowed_methods, reason = "a test may look at the sources")]

    use super::*;

    #[test]
    fn every_file_here_is_a_rule_of_the_list() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/rule/code");
        let names = std::fs::read_dir(folder).expect("it is there").map(|entry| entry.expect("listed").file_name());
        let names = names.map(|name| name.into_string().expect("UTF-8"));
        let mut files: Vec<String> = names.filter_map(|name| Some(name.strip_suffix(".rs")?.to_owned())).collect();
        files.retain(|name| name != "mod");
        files.sort();
        let ids: Vec<&str> = code_rules().iter().map(|rule| rule.id).collect();
        assert_eq!(files, ids);
    }

    #[test]
    fn codes_begin_with_their_rule_and_say_something() {
        for rule in code_rules() {
            assert!(!rule.codes.is_empty() && rule.why.ends_with('.'), "{}", rule.id);
            for code in rule.codes {
                assert_eq!(code.code.split_once('/').map(|(id, _)| id), Some(rule.id));
                assert!(code.details.ends_with('.') && code.help.ends_with('.'), "{}", code.code);
                assert!(!code.summary.ends_with('.') && !rule.summary.ends_with('.'), "{}", code.code);
            }
        }
    }
}
