//! Which open pull requests are lines of work beside a change: those that end where it ends.

use std::collections::{BTreeMap, BTreeSet};

use super::OpenPull;
use crate::{report::Skipped, source::Pull};

/// Which pull requests count.
#[derive(Clone, Debug)]
pub struct Which<'a> {
    /// The short name of the branch that they are merged into in the end.
    pub target: &'a str,
    /// Drafts count too.
    pub drafts: bool,
    /// Those that nobody touched since then (seconds since 1970) don't count; with the age as it was written.
    pub since: Option<(i64, &'a str)>,
}

/// The pull requests that are merged into a branch in the end, and what was left out by choice. One that is made for another's branch goes
/// where that one goes.
pub fn lines_of_work(pulls: &[OpenPull], which: &Which<'_>) -> (Vec<Pull>, Vec<Skipped>) {
    let by_branch: BTreeMap<&str, &OpenPull> =
        pulls.iter().rev().filter(|pull| !pull.is_fork).map(|pull| (pull.branch.as_str(), pull)).collect();
    let ends_there = |pull: &OpenPull| {
        let mut seen = BTreeSet::new();
        let mut target = pull.target.as_str();
        while target != which.target && seen.insert(target) {
            let Some(next) = by_branch.get(target) else { return false };
            target = &next.target;
        }
        target == which.target
    };
    let (mut elsewhere, mut drafts, mut old) = (0, 0, 0);
    let mut lines = Vec::new();
    for pull in pulls {
        if !ends_there(pull) {
            elsewhere += 1;
        } else if pull.is_draft && !which.drafts {
            drafts += 1;
        } else if which.since.is_some_and(|(oldest, _)| pull.updated < oldest) {
            old += 1;
        } else {
            let branch = pull.branch.clone();
            lines.push(Pull { number: pull.number, branch, is_fork: pull.is_fork, tip: pull.head });
        }
    }
    let age = which.since.map_or("", |(_, age)| age);
    let left_out = [
        (elsewhere, "pull requests into other branches".to_owned()),
        (drafts, "pull requests that are drafts".to_owned()),
        (old, format!("pull requests that nobody touched for {age}")),
    ];
    let skipped = left_out.into_iter().filter(|(count, _)| *count > 0);
    (lines, skipped.map(|(count, what)| Skipped { what, count: Some(count) }).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pull(number: u64, branch: &str, target: &str) -> OpenPull {
        OpenPull {
            number,
            head: gix::ObjectId::null(gix::hash::Kind::Sha1),
            branch: branch.into(),
            is_fork: false,
            target: target.into(),
            is_draft: false,
            updated: 100,
            author: "ann".into(),
            verdict: None,
        }
    }

    fn numbers(pulls: &[OpenPull], which: &Which<'_>) -> (Vec<u64>, Vec<String>) {
        let (lines, skipped) = lines_of_work(pulls, which);
        let skipped = skipped.into_iter().map(|one| format!("{} {}", one.count.unwrap_or_default(), one.what));
        (lines.iter().map(|line| line.number).collect(), skipped.collect())
    }

    const MAIN: Which<'static> = Which { target: "main", drafts: true, since: None };

    #[test]
    fn one_on_anothers_branch_goes_where_that_one_goes() {
        let all = [
            pull(1, "a", "main"),
            pull(2, "b", "a"),
            pull(3, "c", "b"),
            pull(4, "d", "release"),
            pull(5, "x", "y"),
            pull(6, "y", "x"),
        ];
        assert_eq!(numbers(&all, &MAIN), (vec![1, 2, 3], vec!["3 pull requests into other branches".into()]));
        let fork = OpenPull { is_fork: true, ..pull(1, "a", "main") };
        assert_eq!(numbers(&[fork, pull(2, "b", "a")], &MAIN).0, [1], "a fork's branch `a` is none of ours");
    }

    #[test]
    fn drafts_and_old_ones_are_left_out_as_configured_and_counted() {
        let draft = OpenPull { is_draft: true, ..pull(1, "a", "main") };
        let old = OpenPull { updated: 1, ..pull(2, "b", "main") };
        let which = Which { drafts: false, since: Some((50, "90d")), ..MAIN };
        let (lines, skipped) = numbers(&[draft.clone(), old.clone(), pull(3, "c", "main")], &which);
        assert_eq!(lines, [3]);
        assert_eq!(skipped, ["1 pull requests that are drafts", "1 pull requests that nobody touched for 90d"]);
        assert_eq!(numbers(&[draft, old], &MAIN).0, [1, 2]);
    }
}
