//! What became of a collision: it is still there, or since which commit it is not.

use std::collections::{BTreeMap, BTreeSet};

use super::{Found, StepGaps, threads::each, wanted::Wanted};
use crate::{
    config::KnownCodes,
    diag::{Diagnostic, Holder, RepoPath, parent},
    engine::{Gaps, Plan, judge_tree},
    error::Fatal,
    report::{Incomplete, audit::Fate},
    rule::{ActiveRule, Item, Source, spec::ChainSpec},
    source::{Git, Step, Tree},
};

/// Most later commits that are looked at to find out since when a collision is gone.
const MOST_LOOKS: usize = 200;

/// What is one collision, whoever takes part in it: code, partition and key, whatever its case.
type Name = (String, String, String);

/// The fates of what was found, in order.
pub(super) fn find(
    plan: &Plan<'_>,
    git: &Git,
    steps: &[Step],
    wanted: &Wanted,
    found: &[Found],
    gaps: &StepGaps,
) -> Result<Vec<Fate>, Fatal> {
    if found.is_empty() {
        return Ok(Vec::new());
    }
    let ground = Ground::new(plan, found);
    let names: Vec<Name> = found.iter().map(|one| ground.name(&one.finding)).collect();
    let today = ground.standing(plan.tree)?;
    today.gaps.iter().for_each(|gap| gaps.add(steps.len(), gap.clone()));
    let mut fates: Vec<Fate> = found
        .iter()
        .zip(&names)
        .map(|(one, name)| match today.has(name, &one.finding) {
            Some(true) => Fate::StillThere,
            Some(false) => Fate::Gone(None),
            None => Fate::Unknown,
        })
        .collect();
    let gone = |at: &usize| matches!(fates[*at], Fate::Gone(_));
    let mut open: Vec<Open> = touching(git, steps, wanted, found, &(0..found.len()).filter(gone).collect::<Vec<_>>());
    let mut seen: BTreeMap<usize, Option<Standing>> = BTreeMap::new();
    // in rounds: each asks for the next later commit that touched its files, and all of these are looked at together
    loop {
        open.retain(|one| !one.later.is_empty());
        let next: BTreeSet<usize> = open.iter().filter_map(|one| one.later.last().copied()).collect();
        if next.is_empty() {
            return Ok(fates);
        }
        let next: Vec<usize> = next.into_iter().filter(|step| !seen.contains_key(step)).collect();
        let looked = each(
            next.len(),
            || (),
            |(), at| {
                // one that can't be read settles nothing, and was said where it was judged
                let tree = git.tree(steps[next[at]].commit, Holder::head(None)).ok()?;
                ground.standing(&tree).ok()
            },
        );
        seen.extend(next.into_iter().zip(looked));
        for one in &mut open {
            let Some(step) = one.later.pop() else { continue };
            let seen = seen.get(&step).and_then(Option::as_ref);
            if seen.and_then(|seen| seen.has(&names[one.found], &found[one.found].finding)) == Some(false) {
                fates[one.found] = Fate::Gone(Some(super::commit(git, &steps[step]).into()));
                one.later.clear();
            }
        }
    }
}

/// A collision that is gone, and it is not yet known since when.
struct Open {
    found: usize,
    /// Later commits that touched its files, by their indices: the next one is the last.
    later: Vec<usize>,
}

/// For each of these findings the later commits that touched one of its files; for a chain, any file beside them.
fn touching(git: &Git, steps: &[Step], wanted: &Wanted, found: &[Found], of: &[usize]) -> Vec<Open> {
    let mut files: BTreeMap<&[u8], Vec<usize>> = BTreeMap::new();
    let mut folders: BTreeMap<&[u8], Vec<usize>> = BTreeMap::new();
    for at in of {
        for site in &found[*at].finding.sites {
            match is_fork(&found[*at].finding) {
                true => folders.entry(site.path.parent()).or_default().push(*at),
                false => files.entry(site.path.as_bytes()).or_default().push(*at),
            }
        }
    }
    let oldest = of.iter().map(|at| found[*at].step).max().unwrap_or(0);
    let later: Vec<usize> = wanted.steps.iter().copied().filter(|step| *step < oldest).collect();
    let touched: Vec<BTreeSet<usize>> = each(
        later.len(),
        || git.comparison(wanted.folders()),
        |comparison, at| {
            let changes = comparison.changes(&steps[later[at]]).unwrap_or_default(); // said where it was judged
            let meant = changes.iter().flat_map(|changed| {
                let path: &RepoPath = &changed.path;
                let beside = folders.get(parent(path.as_bytes()));
                files.get(path.as_bytes()).into_iter().chain(beside).flatten().copied()
            });
            meant.collect()
        },
    );
    let open = of.iter().map(|at| {
        let own = later.iter().zip(&touched).filter(|(step, touched)| **step < found[*at].step && touched.contains(at));
        let mut later: Vec<usize> = own.map(|(step, _)| *step).collect();
        later.drain(..later.len().saturating_sub(MOST_LOOKS)); // the newest of very many
        Open { found: *at, later }
    });
    open.collect()
}

fn is_fork(found: &Diagnostic) -> bool {
    found.code.ends_with("/forked")
}

/// What is needed to look at a tree for these collisions alone.
struct Ground<'a> {
    plan: &'a Plan<'a>,
    /// Rules of which something was found, and where.
    places: BTreeSet<(&'a str, &'a str)>,
}

impl<'a> Ground<'a> {
    fn new(plan: &'a Plan<'a>, found: &'a [Found]) -> Self {
        let place = |one: &'a Found| (one.finding.rule(), one.finding.partition.as_deref().unwrap_or_default());
        Self { plan, places: found.iter().map(place).collect() }
    }

    /// The heads of a chain move on while it is forked, so a fork that is named by them is known by its place alone.
    fn name(&self, found: &Diagnostic) -> Name {
        let is_by_heads = |active: &ActiveRule| active.rule.id() == found.rule() && is_alembic(active);
        let key = match is_fork(found) && self.plan.rules.iter().any(is_by_heads) {
            true => String::new(),
            false => found.key.as_deref().unwrap_or_default().to_lowercase(),
        };
        (found.code.clone(), found.partition.clone().unwrap_or_default(), key)
    }

    /// Which collisions stand in a tree.
    fn standing(&self, tree: &dyn Tree) -> Result<Standing, Fatal> {
        let plan = Plan {
            tree,
            fleet: None,
            rules: self.plan.rules.clone(),
            known: KnownCodes::default(),
            levels: self.plan.levels.clone(),
            config: None,
            baseline: None,
            policy: self.plan.policy,
            policy_commit: None,
            partial: false,
            today: self.plan.today,
        };
        let keep = |item: &Item| {
            let active = &plan.rules[usize::from(item.rule)];
            let id = active.rule.id();
            // a group of the name splits a partition further, and a chain can lie in several
            self.places.iter().any(|(rule, place)| {
                *rule == id && (is_alembic(active) || place.starts_with(&*item.partition) || &*item.partition == ".")
            })
        };
        let gaps = Gaps::default();
        let found = judge_tree(&plan, &gaps, &keep, |_, _| {})?;
        let mut gaps = gaps.into_inner();
        gaps.retain(|gap| !gap.what.starts_with("[namespace.")); // roots that were not there then
        Ok(Standing { names: found.findings.iter().map(|found| self.name(found)).collect(), gaps })
    }
}

fn is_alembic(active: &ActiveRule) -> bool {
    active.rule.claims.iter().any(|claim| matches!(claim.source, Source::Chain(ChainSpec::Alembic)))
}

/// Which collisions stand in one tree.
struct Standing {
    names: BTreeSet<Name>,
    gaps: Vec<Incomplete>,
}

impl Standing {
    /// Whether a collision stands; none where files of it can't be read.
    fn has(&self, name: &Name, found: &Diagnostic) -> Option<bool> {
        let is_unsure =
            |gap: &Incomplete| is_fork(found) || found.sites.iter().any(|site| site.path.lossy() == gap.what);
        match self.names.contains(name) {
            true => Some(true),
            false if self.gaps.iter().any(is_unsure) => None,
            false => Some(false),
        }
    }
}
