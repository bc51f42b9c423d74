//! What comes too late, and what is changed after it was merged.

use std::{collections::BTreeMap, sync::Arc};

use super::scene::Scene;
use crate::{
    claim::Claim,
    diag::RepoPath,
    engine::{locate, read::Pass},
    rule::judge::{Frozen, Late, Thaw},
};

/// Within which names come after each other.
type Row = (u16, Arc<str>, Arc<str>, String);

fn row(claim: &Claim) -> Row {
    (claim.rule, Arc::clone(&claim.partition), Arc::clone(&claim.space), claim.variant.clone())
}

/// The names that paths take, all versions of all of them.
pub(super) fn path_claims(pass: &Pass<'_>) -> Vec<Claim> {
    let ordered = |at: &u32| {
        let item = &pass.items[*at as usize];
        let policy = &pass.rule(item).spec.policy;
        pass.claim(item).is_path() && (policy.late.is_some() || policy.frozen.is_some())
    };
    (0..pass.items.len() as u32).filter(ordered).filter_map(|at| locate::of_path(pass, at)).collect()
}

/// New names that sort before the newest one on the trunk.
pub(super) fn late(scene: &Scene<'_>, pass: &Pass<'_>, claims: &[Claim]) -> Vec<Late> {
    let rule = |claim: &Claim| &pass.plan.rules[usize::from(claim.rule)].rule;
    let order = |claim: &Claim| rule(claim).claims[usize::from(claim.claim)].order;
    let mut newest: BTreeMap<Row, &Claim> = BTreeMap::new();
    let on_base = |claim: &&Claim| scene.presence(claim).base;
    for claim in claims.iter().filter(on_base) {
        let best = newest.entry(row(claim)).or_insert(claim);
        if order(claim).compare(&claim.key, &best.key).is_gt() {
            *best = claim;
        }
    }
    let taken: std::collections::BTreeSet<(Row, &str)> =
        claims.iter().filter(on_base).map(|claim| (row(claim), claim.key.as_str())).collect();
    let mut found: BTreeMap<(Row, &str), Late> = BTreeMap::new();
    for claim in claims.iter().filter(|claim| rule(claim).spec.policy.late.is_some() && !scene.presence(claim).base) {
        let Some(newest) = newest.get(&row(claim)) else { continue };
        let is_late =
            order(claim).compare(&claim.key, &newest.key).is_lt() && !taken.contains(&(row(claim), &claim.key));
        if !is_late {
            continue;
        }
        let lines = scene.presence(claim).new_of.iter().filter(|line| {
            scene.head.is_none_or(|head| head == **line)
                && !scene.had(**line, &claim.site.path)
                && scene.landed_as(**line, claim).is_none()
        });
        for line in lines {
            let late = found.entry((row(claim), &claim.key)).or_insert_with(|| Late {
                rule: claim.rule,
                partition: Arc::clone(&claim.partition),
                key: claim.key.clone(),
                newest: newest.key.clone(),
                claims: Vec::new(),
            });
            late.claims.push(scene.held(claim, Some(*line)));
        }
    }
    let mut found: Vec<Late> = found.into_values().collect();
    for late in &mut found {
        late.claims.sort_by(|a, b| (&a.site.path, &a.site.holder).cmp(&(&b.site.path, &b.site.holder)));
    }
    found
}

/// Merged units that a line edits, moves or removes.
pub(super) fn frozen(scene: &Scene<'_>, pass: &Pass<'_>, claims: &[Claim]) -> Vec<Frozen> {
    let mut by_path: BTreeMap<(u16, &RepoPath), Vec<&Claim>> = BTreeMap::new();
    for claim in claims {
        by_path.entry((claim.rule, &claim.site.path)).or_default().push(claim);
    }
    let mut merged: BTreeMap<(Row, &str), std::collections::BTreeSet<&str>> = BTreeMap::new();
    for claim in claims.iter().filter(|claim| scene.presence(claim).base) {
        merged.entry((row(claim), &claim.key)).or_default().insert(&claim.unit);
    }
    let mut found = Vec::new();
    for claim in claims {
        let policy = &pass.plan.rules[usize::from(claim.rule)].rule.spec.policy;
        if policy.frozen.is_none() || policy.editable.contains(&claim.variant) {
            continue;
        }
        let versions = &by_path[&(claim.rule, &claim.site.path)];
        let stands = versions.iter().any(|version| scene.presence(version).base);
        let mends = merged.get(&(row(claim), claim.key.as_str())).is_some_and(|units| units.len() > 1);
        if !stands || mends {
            continue;
        }
        for line in &scene.presence(claim).old_of {
            if scene.head.is_some_and(|head| head != *line) {
                continue;
            }
            let now = versions.iter().find(|version| scene.presence(version).new_of.binary_search(line).is_ok());
            let thaw = match now {
                Some(now) if scene.presence(now).base => continue, // the same as on the trunk by now
                Some(_) => Thaw::Edited,
                None => match moved(scene, claims, claim, *line) {
                    Some(path) => Thaw::Moved(path),
                    None => Thaw::Removed,
                },
            };
            found.push(Frozen { claim: scene.held(claim, Some(*line)), thaw });
        }
    }
    found
}

/// Where a line has the very content of a file that it took away.
fn moved(scene: &Scene<'_>, claims: &[Claim], from: &Claim, line: u32) -> Option<RepoPath> {
    let is_new = |claim: &&Claim| {
        claim.rule == from.rule
            && scene.place(claim) == scene.place(from)
            && scene.presence(claim).new_of.binary_search(&line).is_ok()
    };
    claims.iter().find(is_new).map(|claim| claim.site.path.clone())
}

impl Scene<'_> {
    /// Whether a line found something at a path in its merge base.
    pub(super) fn had(&self, line: u32, path: &RepoPath) -> bool {
        let changes = &self.line(line).changes;
        changes.binary_search_by(|changed| changed.path.cmp(path)).is_ok_and(|at| changes[at].old.is_some())
    }
}
