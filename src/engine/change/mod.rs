//! Gives the code rules what they judge a change by: its files, what the trunk made of them since, and the history that they ask for.

mod ground;
mod history;
mod standing;

use std::panic::{AssertUnwindSafe, catch_unwind};

pub use history::ChangeHistory;
pub(super) use standing::standing;

use self::ground::Read;
use super::{
    Fleet, Gaps, Plan,
    fleet::{Versions, trunk_holder},
};
use crate::{
    config::{Levels, change::Fact},
    diag::{Diagnostic, RepoPath},
    report::{Incomplete, Skipped},
    rule::{
        change::{Change, File, Said, Signals, find_moves},
        code::{self, ASKED_FOR, ChangeRule, CodeRule, approval::Approvals, is_wanted},
    },
    source::{Line, Place, Version},
    threads,
};

/// A change of fewer files is judged by one rule after the other.
const FEW: usize = 8;

/// What code rules that judge changes need beside the fleet.
pub struct ByCode<'a> {
    /// What tells who made the change.
    pub signals: Signals,
    /// What people said on the pull request; none where there is none, or nobody told.
    pub approvals: Option<&'a Approvals>,
    /// What history tells.
    pub history: &'a dyn ChangeHistory,
    /// Why nothing could be used of what the change makes of the policy, where it touches it.
    pub unusable: Option<String>,
    /// Now, in seconds since 1970.
    pub now: i64,
}

/// Whether a document may state how many migrations a change adds.
pub(super) fn asks_for_migrations(plan: &Plan<'_>) -> bool {
    let tables = plan.config.iter().flat_map(|file| &file.config.document);
    tables.into_iter().any(|table| table.get_ref().facts.contains_key(&Fact::MigrationsAdded))
}

/// What was found of the change, levels applied, and what was left out by choice. `migrations` are those that it adds, where all rules ran.
pub(super) fn judge(
    plan: &Plan<'_>,
    fleet: &Fleet<'_>,
    migrations: Option<&[Vec<RepoPath>]>,
    gaps: &Gaps,
) -> (Vec<Diagnostic>, Vec<Skipped>) {
    let (Some(by_code), Some(head)) = (&fleet.by_code, fleet.head) else { return Default::default() };
    let line = &fleet.lines[head];
    let files = match files(fleet, by_code, line) {
        Ok(files) => files,
        Err(why) => {
            gaps.add(line.holder.name.clone(), why);
            return Default::default();
        }
    };
    let ground = Read::new(fleet, by_code, line, &files);
    let change = Change {
        head: line.holder.clone(),
        base: trunk_holder(&fleet.target, fleet.commit),
        files: &files,
        config: plan.config.as_ref(),
        migrations,
        unusable: by_code.unusable.as_deref(),
        signals: by_code.signals.clone(),
        approvals: by_code.approvals,
        ground: &ground,
    };
    let mut said = Said::default();
    let runs = |rule: &CodeRule| plan.code.contains(&rule.id) && is_wanted(rule, &plan.levels);
    let rules: Vec<&ChangeRule> = code::change_rules().iter().filter(|judge| runs(judge.rule)).collect();
    let few = if files.len() < FEW { usize::MAX } else { 2 };
    let each = threads::map(&rules, few, |judge| guarded(judge.rule.id, || (judge.judge)(&change)));
    each.into_iter().for_each(|of_rule| said.extend(of_rule));
    settle(said, &plan.levels, gaps)
}

/// Runs a rule; a panic in it is a gap, never a green report.
fn guarded(rule: &str, judge: impl FnOnce() -> Said) -> Said {
    catch_unwind(AssertUnwindSafe(judge)).unwrap_or_else(|_| Said {
        incomplete: vec![Incomplete {
            what: format!("the rule `{rule}`"),
            why: "gatekeep itself failed in it; please report it".into(),
        }],
        ..Said::default()
    })
}

/// Applies levels, and takes down what could not be looked at.
fn settle(said: Said, levels: &Levels, gaps: &Gaps) -> (Vec<Diagnostic>, Vec<Skipped>) {
    said.incomplete.into_iter().for_each(|gap| gaps.add(gap.what, gap.why));
    let with_level = |mut found: Diagnostic| {
        found.severity = match ASKED_FOR.contains(&found.code.as_str()) {
            true => levels.asked_for(&found.code)?,
            false => levels.apply(&found.code, found.severity)?,
        };
        Some(found)
    };
    (said.findings.into_iter().filter_map(with_level).collect(), said.skipped)
}

/// The files of a line as a change, with what the trunk's tip holds at each. What the trunk holds already is nobody's doing: it landed by
/// another way. A change of the mode alone is none.
fn files(fleet: &Fleet<'_>, by_code: &ByCode<'_>, line: &Line) -> Result<Vec<File>, String> {
    let moved_on = fleet.commit != line.fork;
    let tree = Versions { trunk: fleet.trunk, worktrees: &fleet.worktrees };
    let mut files = Vec::with_capacity(line.changes.len());
    for changed in &line.changes {
        let trunk = match fleet.commit.filter(|_| moved_on) {
            Some(commit) => by_code.history.at(commit, &changed.path)?,
            None => changed.old,
        };
        let (before, after) = (changed.old, changed.new);
        let has_landed = || match (trunk, after) {
            (Some(Version { place: Place::Blob(id), .. }), Some(after)) if moved_on && after.place.is_on_disk() => {
                ground::stored(&tree, &changed.path, &after, id.kind()).is_ok_and(|after| Some(after) == trunk)
            }
            _ => trunk == after,
        };
        if before != after && !has_landed() {
            files.push(File { path: changed.path.clone(), before, trunk, after, from: None, to: None });
        }
    }
    find_moves(&mut files);
    Ok(files)
}
