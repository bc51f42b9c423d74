//! One commit, judged as if it were about to be merged into its first parent.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::atomic::Ordering,
};

use super::{Asked, Found, StepGaps, is_collision, moved, threads::each, wanted::Wanted};
use crate::{
    diag::{Diagnostic, Holder, HolderKind},
    engine::{Fleet, Gaps, Plan, carry, fleet},
    error::Fatal,
    report::Incomplete,
    source::{Comparison, Line, Step},
    suppress,
};

/// Judges these commits, newest first; what they brought in, and how many collisions an allowance covers.
pub(super) fn judge(
    plan: &Plan<'_>,
    asked: &Asked<'_>,
    steps: &[Step],
    wanted: &Wanted,
    gaps: &StepGaps,
) -> (Vec<Found>, usize) {
    asked.count.total.store(wanted.steps.len(), Ordering::Relaxed);
    let judged = each(
        wanted.steps.len(),
        || asked.git.comparison(wanted.folders()),
        |comparison, at| {
            let at = wanted.steps[at];
            // a panic makes the commit a gap, never the audit clean
            let done = catch_unwind(AssertUnwindSafe(|| one(plan, asked, comparison, &steps[at])));
            asked.count.done.fetch_add(1, Ordering::Relaxed);
            let gap = |why: String| {
                gaps.add(at, Incomplete { what: "the commit".into(), why });
                Vec::new()
            };
            let findings = match done {
                Ok(Ok((findings, own))) => {
                    own.into_iter().for_each(|own| gaps.add(at, own));
                    findings
                }
                Ok(Err(fatal)) => gap(fatal.to_string()),
                Err(_) => gap("gatekeep itself failed on it; please report it".into()),
            };
            (at, findings)
        },
    );
    let mut found = Vec::new();
    let mut covered = 0;
    for (step, mut findings) in judged {
        findings.sort_by(|(a, _), (b, _)| Diagnostic::order(a, b));
        for (finding, origin) in findings {
            match finding.suppressed {
                Some(_) => covered += 1,
                None => found.push(Found { step, finding, origin }),
            }
        }
    }
    (found, covered)
}

/// A collision, and the one that it was before the commit moved it.
type Moved = (Diagnostic, Option<Diagnostic>);

/// The collisions that a commit brings in or moves, and what of it could not be looked at.
fn one(
    plan: &Plan<'_>,
    asked: &Asked<'_>,
    comparison: &mut Comparison<'_, '_>,
    step: &Step,
) -> Result<(Vec<Moved>, Vec<Incomplete>), Fatal> {
    let id = step.commit.to_string();
    let holder =
        Holder { kind: HolderKind::Base, name: asked.target.clone(), commit: step.parent.map(|id| id.to_string()) };
    let before = match step.parent {
        Some(parent) => asked.git.tree(parent, holder)?,
        None => asked.git.empty_tree(holder),
    };
    let line = Line {
        holder: Holder { kind: HolderKind::Head, name: id[..id.len().min(9)].to_owned(), commit: Some(id) },
        branch: None,
        number: None,
        tip: Some(step.commit),
        fork: step.parent,
        own: vec![step.commit],
        started: Some(step.time),
        changes: comparison.changes(step).map_err(Fatal::Git)?,
    };
    let fleet = Fleet {
        trunk: &before,
        target: asked.target.clone(),
        commit: step.parent,
        lines: vec![line],
        crossed: std::collections::BTreeSet::new(),
        head: Some(0),
        is_change: true,
        worktrees: Vec::new(),
        history: asked.git,
        environment: Vec::new(),
        by_code: None,
        contention: false,
        conflicts: false,
        notes_old: false,
        calls: false,
        incomplete: Vec::new(),
        skipped: Vec::new(),
    };
    let gaps = Gaps::default();
    let judged = fleet::judge(plan, &fleet, &gaps)?;
    let mut findings: Vec<Diagnostic> = judged.findings.into_iter().filter(is_collision).collect();
    if !findings.is_empty() {
        let mut carried = Vec::new();
        carry(&before, &judged.trunk, &findings, &mut carried);
        silence(plan, carried, &mut findings);
    }
    findings.iter_mut().flat_map(|found| &mut found.sites).for_each(|site| site.snippet = None);
    let origins = moved::origins(plan, &before, &fleet.lines[0].changes, &findings)?;
    Ok((findings.into_iter().zip(origins).collect(), gaps.into_inner()))
}

/// Applies the allowances that would have covered a change. The baseline lists what was found one day, not what was to be caught.
fn silence(plan: &Plan<'_>, carried: Vec<suppress::Carried>, findings: &mut Vec<Diagnostic>) {
    let run = suppress::Run {
        policy: plan.tree.holder(),
        head: plan.tree.holder(),
        known: &plan.known,
        judged: &|_| false,
        introduced: &|site| site.holder.kind == HolderKind::Head,
        today: plan.today,
    };
    suppress::apply(&run, plan.config.as_ref(), &carried, None, &plan.levels, findings);
    findings.retain(is_collision); // without those about allowances
}
