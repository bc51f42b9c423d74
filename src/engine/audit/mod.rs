//! A look back: which commits of the trunk brought in a collision or left a lane, judged as if each were a change that is about to be merged.
//!
//! Only commits that change a file that some rule wants are judged, each against its first parent, by today's policy. Cost follows the
//! changes; each thread judges one commit at a time.

mod fate;
mod lanes;
mod moved;
mod step;
mod threads;
mod wanted;

use std::{
    collections::BTreeMap,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use gix::ObjectId;

use super::Plan;
use crate::{
    config::KnownCodes,
    diag::{Diagnostic, Severity},
    error::Fatal,
    report::{
        Incomplete, Skipped,
        audit::{Audit, Brought, Commit},
    },
    source::{End, Git, Step, Tree},
};

/// Longest subject of a commit that is kept, in characters.
const SUBJECT: usize = 300;

/// What to look back at.
pub struct Asked<'a> {
    /// The repository.
    pub git: &'a Git,
    /// The trunk's name, as given.
    pub target: String,
    /// Its last commit.
    pub tip: ObjectId,
    /// Commits made before then (committer's clock, seconds since 1970) are left out.
    pub oldest: Option<i64>,
    /// How far it got, for somebody who waits.
    pub count: &'a Count,
}

/// How far an audit got.
#[derive(Debug, Default)]
pub struct Count {
    done: AtomicUsize,
    total: AtomicUsize,
}

impl Count {
    /// So many commits of so many are judged; both 0 before it is known how many there are to judge.
    pub fn now(&self) -> (usize, usize) {
        (self.done.load(Ordering::Relaxed), self.total.load(Ordering::Relaxed))
    }
}

/// Judges the trunk's commits back to where it was asked. The plan's tree is the trunk's tip, from which its policy comes.
///
/// # Errors
/// The trunk's tip can't be read.
pub fn audit(plan: &Plan<'_>, asked: &Asked<'_>) -> Result<Audit, Fatal> {
    let history = asked.git.steps(asked.tip, asked.oldest)?;
    let steps = &history.steps;
    let gaps = StepGaps::default();
    let mut skipped = Vec::new();
    match &history.end {
        End::Reached => {}
        End::Shallow(commit, time) if asked.oldest.is_some_and(|oldest| *time < oldest) => {
            skipped.push(Skipped {
                what: format!("what was before {commit}, where this shallow clone ends"),
                count: None,
            });
        }
        End::Shallow(commit, _) => gaps.add(steps.len(), shallow(*commit)),
        End::Broken(commit, why) => {
            let what = format!("the history before {}, at commit {commit}", asked.target);
            gaps.add(steps.len(), Incomplete { what, why: why.clone() });
        }
    }
    let wanted = wanted::find(plan, asked.git, steps, &gaps);
    let (found, covered) = step::judge(plan, asked, steps, &wanted, &gaps);
    let fates = fate::find(plan, asked.git, steps, &wanted, &found, &gaps)?;
    if covered > 0 {
        skipped.push(Skipped { what: "collisions that an allowance covers".into(), count: Some(covered) });
    }
    let mut commits: BTreeMap<usize, std::sync::Arc<Commit>> = BTreeMap::new();
    let brought = found.into_iter().zip(fates).filter(|(one, _)| one.origin.is_none());
    let brought = brought.map(|(Found { step, finding, .. }, fate)| {
        let commit = commits.entry(step).or_insert_with(|| commit(asked.git, &steps[step]).into());
        Brought { commit: std::sync::Arc::clone(commit), found: finding, fate }
    });
    let collisions = brought.collect();
    let outside = lanes::find(plan, asked, steps, &gaps);
    Ok(Audit {
        target: asked.target.clone(),
        tip: asked.tip.to_string(),
        oldest: asked.oldest,
        policy: plan.policy,
        policy_commit: plan.policy_commit.clone(),
        commits: steps.len(),
        judged: wanted.steps.len(),
        incomplete: gaps.into_inner(steps),
        skipped,
        collisions,
        outside,
    })
}

/// One collision, and the index of the step that brought it in.
struct Found {
    step: usize,
    finding: Diagnostic,
    /// The same collision before the step, where that only moved it: nobody's new one, but what became of the old one.
    origin: Option<Diagnostic>,
}

/// The plan for another tree by itself, without what silences.
fn alone<'a>(plan: &Plan<'a>, tree: &'a dyn Tree) -> Plan<'a> {
    Plan {
        tree,
        fleet: None,
        rules: plan.rules.clone(),
        code: Vec::new(),
        known: KnownCodes::default(),
        levels: plan.levels.clone(),
        config: None,
        baseline: None,
        policy: plan.policy,
        policy_commit: None,
        partial: false,
        today: plan.today,
        now: plan.now,
        past: None,
        reserved: Vec::new(),
    }
}

fn commit(git: &Git, step: &Step) -> Commit {
    Commit {
        id: step.commit.to_string(),
        parent: step.parent.map(|id| id.to_string()),
        time: step.time,
        subject: git.subject(step.commit, SUBJECT),
    }
}

/// Whether a finding says that one name is taken twice, and is worth a warning.
fn is_collision(found: &Diagnostic) -> bool {
    let kind = found.code.split_once('/').map_or("", |(_, kind)| kind);
    matches!(kind, "duplicate" | "forked") && found.severity >= Severity::Warning
}

fn shallow(commit: ObjectId) -> Incomplete {
    Incomplete {
        what: format!("the history at and before commit {commit}"),
        why: "this is a shallow clone, and it ends there. `git fetch --unshallow` brings the rest, `git fetch --shallow-since=DATE` a part of it; \
              on GitHub Actions, `fetch-depth: 0` does"
            .into(),
    }
}

/// What could not be looked at, each thing once, with the newest commit that it was met in.
#[derive(Default)]
struct StepGaps(Mutex<BTreeMap<Incomplete, usize>>);

impl StepGaps {
    fn add(&self, step: usize, gap: Incomplete) {
        let mut gaps = self.0.lock().expect("no thread panics while it holds the map");
        gaps.entry(gap).and_modify(|newest| *newest = step.min(*newest)).or_insert(step);
    }

    /// Gaps that belong to no commit have an index past the last one.
    fn into_inner(self, steps: &[Step]) -> Vec<Incomplete> {
        let gaps = self.0.into_inner().expect("no thread panics while it holds the map");
        let named = |(gap, step): (Incomplete, usize)| match steps.get(step) {
            Some(step) => Incomplete { what: format!("{} at {:.9}", gap.what, step.commit.to_string()), why: gap.why },
            None => gap,
        };
        let mut gaps: Vec<Incomplete> = gaps.into_iter().map(named).collect();
        gaps.sort();
        gaps
    }
}
