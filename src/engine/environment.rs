//! What whole worktrees take of the machine that they run on: ports, databases, names of projects.
//!
//! Rules with `between = "worktrees"` are judged here and nowhere else. All that a worktree has counts, tracked or not, whether it changed
//! it or not: every worktree that runs takes its ports, and two copies of one tracked compose file clash as two edits of it would. Nothing
//! is held against the base, and names of one worktree never collide with each other.
//!
//! A run over a fleet calls [`judge`] once, with all worktrees that may run at the same time, the head's own among them, and judges the
//! collisions as it judges others: the rule of each is an index into the rules that were given, the holder is in its sites.

mod names;
mod view;

use std::{
    collections::BTreeSet,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use rayon::prelude::*;

use super::Plan;
use crate::{
    claim::{Collision, Kind, collide},
    diag::{Holder, HolderKind},
    report::{Incomplete, Report, Skipped},
    rule::{ActiveRule, Rule, judge as judgement},
    source::{Listing, Tree},
};
use view::View;

/// What was found out about some worktrees.
#[derive(Debug, Default)]
pub(crate) struct Environment {
    /// Names that two or more of them take. The holder of each site is that of its worktree.
    pub(crate) collisions: Vec<Collision>,
    /// What could not be looked at.
    pub(crate) incomplete: Vec<Incomplete>,
    /// What was left out by choice.
    pub(crate) skipped: Vec<Skipped>,
    /// How many files were looked at.
    pub(crate) files: usize,
}

/// Holds whole worktrees against each other, by those of the rules that are between worktrees. The others are passed over.
///
/// Each tree has to list ignored files where a rule asks for them, as [`WorkingTree`](crate::source::WorkingTree) does. A worktree that
/// can't be listed is incomplete. The order of the worktrees makes no difference.
pub(crate) fn judge(rules: &[ActiveRule], worktrees: &[(Holder, &dyn Tree)]) -> Environment {
    let none = !rules.iter().any(|active| active.rule.is_between_worktrees());
    if none || worktrees.len() < 2 {
        return Environment::default();
    }
    let mut order: Vec<&(Holder, &dyn Tree)> = worktrees.iter().collect();
    order.sort_by(|a, b| a.0.cmp(&b.0));
    let found: Vec<view::Found> = order
        .par_iter()
        .enumerate()
        .map(|(at, (holder, tree))| {
            let look = || View::look(rules, holder, *tree, &at.to_string());
            catch_unwind(AssertUnwindSafe(look)).unwrap_or_else(|_| {
                let why = "gatekeep itself failed on this worktree; please report it".to_owned();
                view::Found::incomplete(Incomplete { what: place(holder, None), why })
            })
        })
        .collect();
    let mut all = Environment::default();
    let mut claims = Vec::new();
    for one in found {
        claims.extend(one.claims);
        all.incomplete.extend(one.incomplete);
        all.skipped.extend(one.skipped);
        all.files += one.files;
    }
    all.collisions = collide(claims);
    all.collisions.retain(|collision| {
        let units: BTreeSet<&str> = collision.claims.iter().map(|claim| claim.unit.as_str()).collect();
        let case = || rules[usize::from(collision.rule)].rule.spec.policy.case.is_some();
        units.len() > 1 && (collision.kind == Kind::Same || case())
    });
    all
}

/// A worktree, or a file in it, as a person would name it.
fn place(holder: &Holder, path: Option<&str>) -> String {
    let worktree = match holder.kind {
        HolderKind::Head => None,
        _ => Some(format!("worktree {}", holder.name)),
    };
    match (path, worktree) {
        (Some(path), Some(worktree)) => format!("{path} ({worktree})"),
        (Some(path), None) => path.to_owned(),
        (None, worktree) => worktree.unwrap_or_else(|| ".".to_owned()),
    }
}

/// Judges some worktrees by the rules between worktrees alone, without any configuration.
pub fn report(rules: &[Arc<Rule>], worktrees: &[(Holder, &dyn Tree)]) -> Report {
    let findings = worktrees.first().map(|(_, tree)| {
        let plan = Plan::plain(*tree, rules);
        let found = judge(&plan.rules, worktrees);
        let judged = judgement::Judged { collisions: found.collisions, ..judgement::Judged::default() };
        let ground = judgement::Ground {
            rules: &plan.rules,
            listing: &Listing::default(),
            items: &[],
            levels: &plan.levels,
            holder: tree.holder(),
            is_reserved: &|_, _, _, _| false,
        };
        let findings = judgement::judge(&ground, &judged);
        (findings, found.incomplete, found.skipped, found.files)
    });
    let (findings, incomplete, skipped, files) = findings.unwrap_or_default();
    let mut report = Report {
        target: None,
        base: None,
        head: None,
        policy: crate::report::PolicyFrom::BuiltIn,
        policy_commit: None,
        incomplete,
        skipped,
        findings,
        files,
        holders: worktrees.len(),
    };
    report.sort();
    report
}

#[cfg(test)]
mod tests;
