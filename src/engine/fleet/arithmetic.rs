//! Claim arithmetic: what would collide in the merged tree and does not collide already.
//!
//! The merged tree holds what the trunk holds, minus what lines remove, plus what they add (`design.md`, section 4).

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use super::{
    age::{Age, Decided},
    scene::Scene,
};
use crate::{
    claim::{Claim, Collision, Kind, Ruling},
    diag::{RepoPath, Severity},
    source::Place,
};

/// Up to so many lines take part in one name, each is held against each other one.
const PAIRED: usize = 64;

/// The collisions that these claims make, one for each name.
pub(super) fn collisions(scene: &Scene<'_>, claims: Vec<Claim>) -> Vec<Collision> {
    let mut groups: BTreeMap<(u16, Arc<str>, Arc<str>, String), Vec<Claim>> = BTreeMap::new();
    for claim in claims {
        let key = (claim.rule, Arc::clone(&claim.partition), Arc::clone(&claim.space), claim.key.to_lowercase());
        groups.entry(key).or_default().push(claim);
    }
    let mut found = Vec::new();
    for (_, mut group) in groups {
        group.sort_by(|a, b| order(a).cmp(&order(b)));
        group.dedup_by(|b, a| order(a) == order(b) && a.variant == b.variant); // two claims of a rule can find one name at one place
        number_places(&mut group);
        for same in group.chunk_by(|a, b| a.key == b.key) {
            found.extend(of_name(scene, same, Kind::Same));
        }
        if group.iter().any(|claim| claim.key != group[0].key) {
            found.extend(of_name(scene, &group, Kind::Case));
        }
    }
    found
}

fn order(claim: &Claim) -> (&str, &RepoPath, u32, Option<crate::diag::Position>) {
    (&claim.key, &claim.site.path, claim.entry, claim.site.position)
}

/// A claimant that is no more than a place has no place that stays: its number among those of the file stands for it.
fn number_places(group: &mut [Claim]) {
    let mut counts: BTreeMap<(u32, String, String), usize> = BTreeMap::new();
    for claim in group.iter_mut().filter(|claim| claim.placed) {
        let count = counts.entry((claim.entry, claim.key.clone(), claim.variant.clone())).or_default();
        claim.unit = format!("{}#{count}", claim.site.path.exact());
        *count += 1;
    }
}

/// What one line does to a name.
#[derive(Default)]
struct Side<'c> {
    added: Vec<&'c Claim>,
    removed: BTreeSet<(&'c RepoPath, &'c str)>,
}

/// Claims of one name and variant, by where they stand.
struct Name<'s, 'c> {
    scene: &'s Scene<'s>,
    kind: Kind,
    base: Vec<&'c Claim>,
    sides: BTreeMap<u32, Side<'c>>,
}

/// Who collides.
#[derive(Default)]
struct Guilt {
    /// Lines that collide with the trunk, or with themselves.
    alone: BTreeSet<u32>,
    /// Lines that collide with each other only.
    together: BTreeSet<(u32, u32)>,
}

impl Guilt {
    fn lines(&self) -> BTreeSet<u32> {
        self.alone.iter().copied().chain(self.together.iter().flat_map(|(a, b)| [*a, *b])).collect()
    }

    /// Only what the head has a part in.
    fn of_head(mut self, head: Option<u32>) -> Self {
        if let Some(head) = head {
            self.together.retain(|(a, b)| *a == head || *b == head);
            self.alone.retain(|line| *line == head);
        }
        self
    }
}

fn of_name(scene: &Scene<'_>, claims: &[Claim], kind: Kind) -> Option<Collision> {
    let mut variants: BTreeMap<&str, Vec<&Claim>> = BTreeMap::new();
    for claim in claims {
        // claims that differ in case collide whatever their variants
        let variant = if kind == Kind::Case { "" } else { claim.variant.as_str() };
        variants.entry(variant).or_default().push(claim);
    }
    let mut parts = Vec::new();
    let mut landed = Vec::new();
    let mut old = Vec::new();
    for claims in variants.into_values() {
        let mut name = Name::new(scene, kind, claims);
        let already = name.take_landed();
        let guilt = name.guilt().of_head(scene.head);
        if !guilt.lines().is_empty() {
            parts.push((name, guilt));
        } else if !already.is_empty() {
            landed.push((name, already));
        } else if scene.notes_old && scene.head.is_some_and(|head| name.units(&[head]).len() > 1) {
            old.extend(name.base);
        }
    }
    if !parts.is_empty() {
        return Some(collision(scene, kind, &parts));
    }
    if let Some((name, already)) = landed.first() {
        return landed_again(name, already);
    }
    note_old(scene, kind, old)
}

impl<'s, 'c> Name<'s, 'c> {
    fn new(scene: &'s Scene<'s>, kind: Kind, claims: Vec<&'c Claim>) -> Self {
        let base = claims.iter().copied().filter(|claim| scene.presence(claim).base).collect();
        let mut sides: BTreeMap<u32, Side<'c>> = BTreeMap::new();
        for line in scene.touching(claims.iter().copied()) {
            let of = |of: &dyn Fn(&Claim) -> bool| -> Vec<&'c Claim> {
                claims.iter().copied().filter(|claim| of(claim)).collect()
            };
            let new = of(&|claim| scene.presence(claim).new_of.binary_search(&line).is_ok());
            let old = of(&|claim| scene.presence(claim).old_of.binary_search(&line).is_ok());
            let has = |list: &[&Claim], one: &Claim| list.iter().any(|other| place(other) == place(one));
            let added: Vec<&Claim> = new.iter().copied().filter(|claim| !has(&old, claim)).collect();
            let removed = old.iter().filter(|claim| !has(&new, claim)).map(|claim| place(claim)).collect();
            sides.insert(line, Side { added, removed });
        }
        Self { scene, kind, base, sides }
    }

    /// What tells one claimant from another.
    fn unit(&self, claim: &'c Claim) -> &'c str {
        if self.kind == Kind::Case { &claim.key } else { &claim.unit }
    }

    /// Takes out what a line adds though its content is on the trunk already, under another name: it landed and was renumbered. Gives the
    /// lines and claims that would collide otherwise.
    fn take_landed(&mut self) -> Vec<(u32, &'c Claim)> {
        let mut landed = Vec::new();
        for (line, side) in &mut self.sides {
            side.added.retain(|claim| {
                let here = self.scene.landed_as(*line, claim).is_some();
                if here {
                    landed.push((*line, *claim));
                }
                !here
            });
        }
        landed.retain(|(_, claim)| self.base.iter().any(|base| place(base) != place(claim)));
        landed
    }

    /// The claimants that the merge of the trunk and these lines would hold.
    fn units(&self, lines: &[u32]) -> BTreeSet<&'c str> {
        let sides = || lines.iter().filter_map(|line| self.sides.get(line));
        let left = self.base.iter().filter(|claim| !sides().any(|side| side.removed.contains(&place(claim))));
        let mut units: BTreeSet<&str> = left.map(|claim| self.unit(claim)).collect();
        units.extend(sides().flat_map(|side| &side.added).map(|claim| self.unit(claim)));
        units
    }

    /// The same for two lines that share commits: what the one took from the other and dropped again is gone.
    fn units_of_pair(&self, a: u32, b: u32) -> BTreeSet<&'c str> {
        let Some(shared) = self.scene.shared(a, b) else { return self.units(&[a, b]) };
        let drops = |other: u32, claim: &Claim| {
            let kept = self.sides[&other].added.iter().chain(&self.base).any(|own| place(own) == place(claim));
            !kept && self.scene.history.has(shared, &claim.site.path)
        };
        let removed = |claim: &Claim| [a, b].iter().any(|line| self.sides[line].removed.contains(&place(claim)));
        let mut units: BTreeSet<&str> =
            self.base.iter().filter(|claim| !removed(claim)).map(|claim| self.unit(claim)).collect();
        for (line, other) in [(a, b), (b, a)] {
            units.extend(
                self.sides[&line].added.iter().filter(|claim| !drops(other, claim)).map(|claim| self.unit(claim)),
            );
        }
        units
    }

    fn guilt(&self) -> Guilt {
        let before = self.units(&[]).len();
        let adding: Vec<u32> =
            self.sides.iter().filter(|(_, side)| !side.added.is_empty()).map(|(line, _)| *line).collect();
        let counts: BTreeMap<u32, usize> = adding.iter().map(|line| (*line, self.units(&[*line]).len())).collect();
        let mut guilt = Guilt::default();
        guilt.alone.extend(counts.iter().filter(|(_, count)| **count > before.max(1)).map(|(line, _)| *line));
        if adding.len() > PAIRED {
            self.guilt_of_many(&adding, &mut guilt);
            return guilt;
        }
        for (at, a) in adding.iter().enumerate() {
            for b in &adding[at + 1..] {
                if self.units_of_pair(*a, *b).len() > counts[a].max(counts[b]).max(before).max(1) {
                    guilt.together.insert((*a, *b));
                }
            }
        }
        guilt
    }

    /// Among very many lines each is held against the first, and the first against one that has another claimant.
    fn guilt_of_many(&self, adding: &[u32], guilt: &mut Guilt) {
        let of = |line: u32| self.sides[&line].added.iter().map(|claim| self.unit(claim)).collect::<BTreeSet<_>>();
        let anchors =
            [Some(adding[0]), adding.iter().copied().find(|line| of(*line) != of(adding[0])), self.scene.head];
        for anchor in anchors.into_iter().flatten().filter(|line| adding.contains(line)) {
            for line in adding.iter().filter(|line| of(**line) != of(anchor)) {
                if self.units_of_pair(anchor, *line).len() > self.units(&[*line]).len().max(1) {
                    guilt.together.insert((anchor.min(*line), anchor.max(*line)));
                }
            }
        }
    }
}

/// What a claim is, whatever the version of its file.
fn place(claim: &Claim) -> (&RepoPath, &str) {
    (&claim.site.path, &claim.unit)
}

/// The finding: who keeps the name first.
fn collision(scene: &Scene<'_>, kind: Kind, parts: &[(Name<'_, '_>, Guilt)]) -> Collision {
    let mut taking: Vec<(Age<'_>, Option<u32>, &Claim)> = Vec::new();
    for (name, guilt) in parts {
        let lines = guilt.lines();
        let removed = |claim: &Claim| {
            lines.iter().all(|line| name.sides.get(line).is_some_and(|side| side.removed.contains(&place(claim))))
        };
        taking.extend(name.base.iter().filter(|claim| !removed(claim)).map(|claim| (Age::Base, None, *claim)));
        for line in lines {
            let added = name.sides.get(&line).into_iter().flat_map(|side| &side.added);
            taking.extend(added.map(|claim| (scene.age(line, claim), Some(line), *claim)));
        }
    }
    taking.sort_by(|a, b| (a.0, &a.2.site.path, a.2.site.position).cmp(&(b.0, &b.2.site.path, b.2.site.position)));
    let (first_age, first_line, first) = taking[0];
    let stem = crate::claim::stem(&first.site.path.lossy());
    let keeps = |(age, line, claim): &(Age<'_>, Option<u32>, &Claim)| {
        *age == Age::Base
            || first_line.is_some()
                && (claim.unit == first.unit && kind == Kind::Same
                    || *line == first_line && crate::claim::stem(&claim.site.path.lossy()) == stem)
    };
    let (kept, yielding): (Vec<_>, Vec<_>) = taking.into_iter().partition(keeps);
    let head_keeps = scene.head.is_some_and(|head| !yielding.iter().any(|(_, line, _)| *line == Some(head)));
    let decided = yielding.first().map_or(Decided::Name, |(age, ..)| first_age.decided_against(*age));
    let keeper = scene.held(first, first_line).site.holder;
    Collision {
        rule: first.rule,
        partition: Arc::clone(&first.partition),
        space: Arc::clone(&first.space),
        key: first.key.clone(),
        kind,
        keepers: kept.len(),
        claims: kept.iter().chain(&yielding).map(|(_, line, claim)| scene.held(claim, *line)).collect(),
        cap: head_keeps.then_some(Severity::Note),
        ruling: Some(Ruling::Keeps {
            keeper,
            because: decided.to_string(),
            itself: yielding.iter().all(|(_, line, _)| *line == first_line),
        }),
    }
}

/// What a line adds again under its old name.
fn landed_again(name: &Name<'_, '_>, already: &[(u32, &Claim)]) -> Option<Collision> {
    let scene = name.scene;
    let already: Vec<_> = already.iter().filter(|(line, _)| scene.head.is_none_or(|head| head == *line)).collect();
    let (line, first) = already.first()?;
    let landed = scene.landed_as(*line, first)?;
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
fn note_old(scene: &Scene<'_>, kind: Kind, old: Vec<&Claim>) -> Option<Collision> {
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
    /// The path on the trunk, in the same namespace, that holds the very content of a claim's file and that the line leaves there.
    pub(super) fn landed_as(&self, line: u32, claim: &Claim) -> Option<RepoPath> {
        let Place::Blob(id) = self.place(claim) else { return None };
        if id == gix::ObjectId::empty_blob(id.kind()) || self.presence(claim).base || claim.site.position.is_some() {
            return None;
        }
        let here = |(partition, path): &&(Arc<str>, RepoPath)| {
            claim.partition.starts_with(&**partition) && *path != claim.site.path && !self.changes(line, path)
        };
        self.landed.get(&(claim.rule, id))?.iter().find(here).map(|(_, path)| path.clone())
    }
}
