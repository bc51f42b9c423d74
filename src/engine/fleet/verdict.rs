//! What is said of a collision between lines: who keeps the name, and why.

use std::{collections::BTreeSet, sync::Arc};

use super::{
    age::{Age, Decided},
    arithmetic::{Guilt, Name, unit},
    order::is_below,
    scene::Scene,
};
use crate::{
    claim::{Claim, Collision, Kind, Ruling, stem},
    diag::{RepoPath, Severity},
    source::Place,
};

/// One claim that takes part: how old it is, and whose it is; the trunk's have no line.
type Taking<'a, 'c> = (Age<'a>, Option<u32>, &'c Claim);

/// The collision of a name, those that keep it first.
pub(super) fn collision(scene: &Scene<'_>, kind: Kind, parts: &[(Name<'_, '_>, Guilt)]) -> Collision {
    let taking = taking(scene, parts);
    let (first_age, first_line, first) = taking[0];
    let first_stem = stem(&first.site.path.lossy());
    let half = |claim: &Claim| stem(&claim.site.path.lossy()) == first_stem; // the down file beside the up file
    let leads = |(_, line, claim): &&Taking<'_, '_>| {
        unit(kind, claim) == unit(kind, first) || *line == first_line && half(claim)
    };
    let keeping: BTreeSet<&str> = match first_line {
        None => parts.iter().flat_map(|(name, _)| &name.base).map(|claim| unit(kind, claim)).collect(),
        Some(_) => taking.iter().filter(leads).map(|(.., claim)| unit(kind, claim)).collect(),
    };
    let (kept, yielding): (Vec<_>, Vec<_>) =
        taking.iter().copied().partition(|(.., claim)| keeping.contains(unit(kind, claim)));
    let head_keeps = scene.head.is_some_and(|head| {
        let is_guilty = parts.iter().any(|(_, guilt)| guilt.alone.contains(&head));
        !is_guilty && !yielding.iter().any(|(_, line, _)| *line == Some(head))
    });
    let decided = yielding.first().map_or(Decided::Name, |(age, ..)| first_age.decided_against(*age));
    Collision {
        rule: first.rule,
        partition: Arc::clone(&first.partition),
        space: Arc::clone(&first.space),
        // of keys that differ in case the first, whoever keeps it
        key: taking.iter().map(|(.., claim)| &claim.key).min().unwrap_or(&first.key).clone(),
        kind,
        keepers: kept.len(),
        claims: kept.iter().chain(&yielding).map(|(_, line, claim)| scene.held(claim, *line)).collect(),
        cap: head_keeps.then_some(Severity::Note),
        ruling: Some(Ruling::Keeps {
            keeper: scene.held(first, first_line).site.holder,
            because: decided.to_string(),
            itself: yielding.iter().all(|(_, line, _)| *line == first_line),
            apart: parts.iter().any(|(name, guilt)| is_apart(name, guilt)),
        }),
    }
}

/// All that takes part, the oldest first.
fn taking<'a, 'c>(scene: &Scene<'a>, parts: &[(Name<'_, 'c>, Guilt)]) -> Vec<Taking<'a, 'c>> {
    let mut taking: Vec<Taking<'a, 'c>> = Vec::new();
    for (name, guilt) in parts {
        let lines = name.with_companions(guilt.lines());
        let stays = |claim: &&&Claim| !lines.iter().all(|line| name.removes(*line, claim));
        taking.extend(name.base.iter().filter(stays).map(|claim| (Age::Base, None, *claim)));
        for line in &lines {
            let added = name.sides.get(line).into_iter().flat_map(|side| &side.added);
            taking.extend(added.map(|claim| (scene.age(*line, claim), Some(*line), *claim)));
        }
    }
    taking.sort_by(|a, b| (a.0, &a.2.site.path, a.2.site.position).cmp(&(b.0, &b.2.site.path, b.2.site.position)));
    taking
}

/// Whether some of those that collide did not know of each other.
fn is_apart(name: &Name<'_, '_>, guilt: &Guilt) -> bool {
    let new_to = |line: &u32| name.base.iter().any(|claim| !name.removes(*line, claim) && !name.knew(*line, claim));
    !guilt.together.is_empty() || guilt.alone.iter().any(new_to)
}

/// What a line adds again under its old name.
pub(super) fn landed_again(name: &Name<'_, '_>, already: &[(u32, &Claim)]) -> Option<Collision> {
    let scene = name.scene;
    let already: Vec<_> = already.iter().filter(|(line, _)| scene.head.is_none_or(|head| head == *line)).collect();
    let (line, first) = already.first()?;
    let landed = scene.landed_since(*line, first)?;
    let mut claims: Vec<Claim> = name.base.iter().map(|claim| scene.held(claim, None)).collect();
    let keepers = claims.len();
    claims.extend(already.iter().map(|(line, claim)| scene.held(claim, Some(*line))));
    Some(Collision {
        rule: first.rule,
        partition: Arc::clone(&first.partition),
        space: Arc::clone(&first.space),
        key: first.key.clone(),
        kind: name.kind,
        claims,
        keepers,
        cap: Some(Severity::Note),
        ruling: Some(Ruling::Landed { path: landed }),
    })
}

/// A collision that the trunk has, and the head does not mend.
pub(super) fn note_old(scene: &Scene<'_>, kind: Kind, old: &[&Claim]) -> Option<Collision> {
    let first = *old.first()?;
    let claims: Vec<Claim> = old.iter().map(|claim| scene.held(claim, None)).collect();
    Some(Collision {
        rule: first.rule,
        partition: Arc::clone(&first.partition),
        space: Arc::clone(&first.space),
        key: first.key.clone(),
        kind,
        keepers: claims.len(),
        claims,
        cap: Some(Severity::Note),
        ruling: Some(Ruling::Old),
    })
}

impl Scene<'_> {
    /// The path on the trunk, in the same namespace, that holds the very content of a claim's file.
    pub(super) fn landed_as(&self, claim: &Claim) -> Option<RepoPath> {
        self.same_content(claim, |_| true)
    }

    /// The same, if the path came to the trunk after a line left it: what stood there before is a file that the line moved or copied.
    pub(super) fn landed_since(&self, line: u32, claim: &Claim) -> Option<RepoPath> {
        let is_old = |path: &RepoPath| {
            self.had(line, path) || self.line(line).fork.is_some_and(|fork| self.at(fork, path).is_some())
        };
        self.same_content(claim, |path| !is_old(path))
    }

    fn same_content(&self, claim: &Claim, counts: impl Fn(&RepoPath) -> bool) -> Option<RepoPath> {
        let Place::Blob(id) = self.place(claim) else { return None };
        if id == gix::ObjectId::empty_blob(id.kind()) || self.presence(claim).base || claim.site.position.is_some() {
            return None;
        }
        let here = |(partition, path): &&(Arc<str>, RepoPath)| {
            is_below(&claim.partition, partition) && *path != claim.site.path && counts(path)
        };
        self.landed.get(&(claim.rule, id))?.iter().find(here).map(|(_, path)| path.clone())
    }
}
