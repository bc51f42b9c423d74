//! What examples a built-in rule has to have: they are its tests, so a rule without one of them is not tested.

use std::collections::BTreeSet;

use gatekeep::rule::{
    Rule,
    spec::{ExampleSpec, RuleFile},
};

/// What an example can show.
type Shows = fn(&ExampleSpec) -> bool;

/// What a rule has to show, each in one of its examples.
const WANTED: [(&str, Shows); 3] =
    [("a collision", is_collision), ("a legal twin", is_legal_twin), ("two branches that collide", is_of_two_branches)];

fn is_collision(example: &ExampleSpec) -> bool {
    let kinds = example.finds.iter().flat_map(|found| found.split(' '));
    kinds.into_iter().any(|word| ["duplicate", "forked"].contains(&word))
}

/// Two files that look as if they collided, and nothing that is found.
fn is_legal_twin(example: &ExampleSpec) -> bool {
    let files: BTreeSet<&String> = example.sides().iter().flat_map(|side| side.files.keys()).collect();
    let worktrees = example.worktree.len();
    example.finds.is_empty() && example.incomplete.is_empty() && (files.len() > 1 || worktrees > 1)
}

/// Two lines of work: branches or, of a rule between worktrees, those.
fn is_of_two_branches(example: &ExampleSpec) -> bool {
    is_collision(example) && (example.branch.len() > 1 || example.worktree.len() > 1)
}

/// What no example of a rule shows.
fn missing(rule: &RuleFile) -> Vec<&'static str> {
    let lacks = |(_, shows): &&(&str, Shows)| !rule.example.iter().any(shows);
    WANTED.iter().filter(lacks).map(|(what, _)| *what).collect()
}

#[test]
fn every_rule_shows_a_collision_a_legal_twin_and_two_branches() {
    for rule in super::all() {
        assert_eq!(missing(&rule.spec), [""; 0], "{} has no example of it", rule.id());
    }
}

#[test]
fn a_rule_without_one_of_these_is_refused() {
    for rule in super::all() {
        for (what, shows) in WANTED {
            let mut doctored = rule.spec.clone();
            doctored.example.retain(|example| !shows(example));
            assert!(missing(&doctored).contains(&what), "{} without {what} passes", rule.id());
        }
    }
}

#[test]
fn an_example_that_shows_nothing_is_not_taken_for_one_that_does() {
    let examples = |rest: &str| {
        let text = format!(
            "schema = 1\nid = 'x'\nsummary = 's'\nseverity = 'error'\n[[claim]]\npath = 'm/(?<key>[0-9]+)'\n[policy]\nunique = true\n{rest}"
        );
        let file: RuleFile = toml::from_str(&text).expect("a rule file");
        Rule::compile(file).expect("a rule").spec.clone()
    };
    let all = ["a collision", "a legal twin", "two branches that collide"];
    assert_eq!(missing(&examples("")), all);
    // one file is no twin of another, and a finding of another kind no collision
    let poor = "[[example]]\nname = 'a'\nhead = ['m/1']\nfinds = []\n\
                [[example]]\nname = 'b'\nhead = ['m/1', 'm/2']\nfinds = ['error malformed 1']\n\
                [[example]]\nname = 'c'\nbase = ['m/1']\nbranch = { a = ['m/2'], b = ['m/3'] }\nfinds = ['frozen 1']\n";
    assert_eq!(missing(&examples(poor)), all);
    let one_branch =
        "[[example]]\nname = 'a'\nbase = ['m/1']\nbranch = { a = ['m/2', 'm/02'] }\nfinds = ['error duplicate 2']\n";
    assert_eq!(missing(&examples(one_branch)), all[1..]);
}
