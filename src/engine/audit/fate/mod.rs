//! What became of a collision: it is still there, or since which commit it is not.

mod ground;
mod search;

use std::collections::{BTreeMap, BTreeSet};

use super::{Found, StepGaps, threads::each, wanted::Wanted};
use crate::{
    diag::{Diagnostic, Holder, RepoPath, parent},
    engine::Plan,
    error::Fatal,
    report::audit::Fate,
    source::{Git, Step},
};
use ground::{Ground, Name, Standing};
use search::Search;

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
    let gone: Vec<usize> = (0..found.len()).filter(|at| matches!(fates[*at], Fate::Gone(_))).collect();
    let mut open = searches(git, steps, wanted, (found, &names), &gone);
    let mut seen: BTreeMap<usize, Option<Standing>> = BTreeMap::new();
    // in rounds: each asks for one commit, and all of these are looked at together
    loop {
        let asked: Vec<Option<usize>> = open.iter_mut().map(|(_, search)| search.next()).collect();
        let new: BTreeSet<usize> = asked.iter().flatten().copied().filter(|at| !seen.contains_key(at)).collect();
        let new: Vec<usize> = new.into_iter().collect();
        let looked = each(
            new.len(),
            || (),
            |(), at| {
                // one that can't be read settles nothing, and was said where it was judged
                let tree = git.tree(steps[wanted.steps[new[at]]].commit, Holder::head(None)).ok()?;
                ground.standing(&tree).ok()
            },
        );
        seen.extend(new.into_iter().zip(looked));
        for ((at, search), asked) in open.iter_mut().zip(&asked) {
            let Some(asked) = *asked else { continue };
            let standing = seen.get(&asked).and_then(Option::as_ref);
            search.tell(asked, standing.and_then(|standing| standing.has(&names[*at], &found[*at].finding)));
        }
        if asked.iter().all(Option::is_none) {
            break;
        }
    }
    let mut moved: BTreeMap<(usize, Name), usize> = BTreeMap::new();
    for (at, one) in found.iter().enumerate() {
        moved.extend(one.origin.as_ref().map(|origin| ((one.step, ground.name(origin)), at)));
    }
    // the newest come first, so what became of a moved collision is known before what became of the one that it was
    for (at, search) in open {
        let step = search.found().map(|place| wanted.steps[place]);
        let elsewhere = step.and_then(|step| moved.get(&(step, names[at].clone())));
        fates[at] = match (elsewhere, step) {
            (Some(elsewhere), _) => fates[*elsewhere].clone(),
            (None, step) => Fate::Gone(step.map(|step| super::commit(git, &steps[step]).into())),
        };
    }
    Ok(fates)
}

/// The searches for what became of these findings, which are gone.
fn searches(
    git: &Git,
    steps: &[Step],
    wanted: &Wanted,
    (found, names): (&[Found], &[Name]),
    gone: &[usize],
) -> Vec<(usize, Search)> {
    let place = |one: &Found| wanted.steps.binary_search(&one.step).unwrap_or_default(); // it was judged, so it is there
    let mut brought: BTreeMap<&Name, Vec<usize>> = BTreeMap::new();
    for (one, name) in found.iter().zip(names) {
        brought.entry(name).or_default().push(place(one) + 1);
    }
    let touched = touched(git, steps, wanted, found, gone);
    let search = |at: &usize| {
        let there = place(&found[*at]);
        let touching = (0..there.min(touched.len())).filter(|later| touched[*later].contains(at)).collect();
        (*at, Search::new(there, touching, brought[&names[*at]].clone()))
    };
    gone.iter().map(search).collect()
}

/// For each commit after the oldest of these findings those of which it touched a file; of a chain, any file beside one.
fn touched(git: &Git, steps: &[Step], wanted: &Wanted, found: &[Found], of: &[usize]) -> Vec<BTreeSet<usize>> {
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
    let later = wanted.steps.partition_point(|step| *step < oldest);
    each(
        later,
        || git.comparison(wanted.folders()),
        |comparison, at| {
            let changes = comparison.changes(&steps[wanted.steps[at]]).unwrap_or_default(); // said where it was judged
            let meant = changes.iter().flat_map(|changed| {
                let path: &RepoPath = &changed.path;
                let beside = folders.get(parent(path.as_bytes()));
                files.get(path.as_bytes()).into_iter().chain(beside).flatten().copied()
            });
            meant.collect()
        },
    )
}

fn is_fork(found: &Diagnostic) -> bool {
    found.code.ends_with("/forked")
}
