//! Claim arithmetic: what would collide in the merged tree and does not collide already.
//!
//! The merged tree holds what the trunk holds, minus what lines remove, plus what they add (`design.md`, section 4).

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use gix::ObjectId;

use super::{age::Age, scene::Scene, verdict};
use crate::{
    claim::{Claim, Collision, Kind},
    diag::RepoPath,
};

/// Up to so many lines take part in one name, each is held against each other one.
const PAIRED: usize = 64;

/// Rule, partition, space, and the key in lower case.
type Key = (u16, Arc<str>, Arc<str>, String);

/// The collisions that these claims make, one for each name.
pub(super) fn collisions(scene: &Scene<'_>, claims: Vec<Claim>) -> Vec<Collision> {
    let mut groups: BTreeMap<Key, Vec<Claim>> = BTreeMap::new();
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
        let beside = if claim.apart { format!("@{}", claim.entry) } else { String::new() };
        claim.unit = format!("{}#{count}{beside}", claim.site.path.exact());
        *count += 1;
    }
}

/// What one line does to a name.
#[derive(Default)]
pub(super) struct Side<'c> {
    pub(super) added: Vec<&'c Claim>,
    removed: BTreeSet<(&'c RepoPath, &'c str, &'c str)>,
}

/// Claims of one name and variant, by where they stand.
pub(super) struct Name<'s, 'c> {
    pub(super) scene: &'s Scene<'s>,
    pub(super) kind: Kind,
    claims: Vec<&'c Claim>,
    pub(super) base: Vec<&'c Claim>,
    pub(super) sides: BTreeMap<u32, Side<'c>>,
}

/// Who collides.
#[derive(Default)]
pub(super) struct Guilt {
    /// Lines that collide with the trunk, or with themselves.
    pub(super) alone: BTreeSet<u32>,
    /// Lines that collide with each other only.
    pub(super) together: BTreeSet<(u32, u32)>,
}

impl Guilt {
    pub(super) fn lines(&self) -> BTreeSet<u32> {
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
        return Some(verdict::collision(scene, kind, &parts));
    }
    if let Some((name, already)) = landed.first() {
        return verdict::landed_again(name, already);
    }
    verdict::note_old(scene, kind, &old)
}

impl<'s, 'c> Name<'s, 'c> {
    fn new(scene: &'s Scene<'s>, kind: Kind, claims: Vec<&'c Claim>) -> Self {
        let base: Vec<&Claim> = claims.iter().copied().filter(|claim| scene.presence(claim).base).collect();
        let mut sides: BTreeMap<u32, Side<'c>> = BTreeMap::new();
        for line in scene.touching(claims.iter().copied()) {
            let of = |of: &dyn Fn(&Claim) -> bool| -> Vec<&'c Claim> {
                claims.iter().copied().filter(|claim| of(claim)).collect()
            };
            let new = of(&|claim| scene.presence(claim).new_of.binary_search(&line).is_ok());
            let old = of(&|claim| scene.presence(claim).old_of.binary_search(&line).is_ok());
            let has = |list: &[&Claim], one: &Claim| list.iter().any(|other| place(other) == place(one));
            // what the trunk has at the very place by now is the trunk's
            let added: Vec<&Claim> =
                new.iter().copied().filter(|claim| !has(&old, claim) && !has(&base, claim)).collect();
            let removed = old.iter().filter(|claim| !has(&new, claim)).map(|claim| place(claim)).collect();
            sides.insert(line, Side { added, removed });
        }
        Self { scene, kind, claims, base, sides }
    }

    /// What tells one claimant from another.
    fn unit(&self, claim: &'c Claim) -> &'c str {
        unit(self.kind, claim)
    }

    /// These lines and, where one line is judged, the oldest that has a claimant of theirs: with it the claimant keeps the name or yields it.
    pub(super) fn with_companions(&self, mut lines: BTreeSet<u32>) -> BTreeSet<u32> {
        if self.scene.head.is_none() {
            return lines;
        }
        let mut oldest: BTreeMap<&str, (Age<'_>, u32)> = BTreeMap::new();
        for (line, side) in &self.sides {
            for claim in &side.added {
                let age = (self.scene.age(*line, claim), *line);
                oldest.entry(self.unit(claim)).and_modify(|known| *known = (*known).min(age)).or_insert(age);
            }
        }
        let theirs: Vec<&str> = lines
            .iter()
            .filter_map(|line| self.sides.get(line))
            .flat_map(|side| &side.added)
            .map(|claim| self.unit(claim))
            .collect();
        lines.extend(theirs.into_iter().map(|unit| oldest[unit].1));
        lines
    }

    /// Whether a line takes a claim of the trunk away.
    pub(super) fn removes(&self, line: u32, claim: &Claim) -> bool {
        self.sides.get(&line).is_some_and(|side| side.removed.contains(&place(claim)))
    }

    /// Whether a line had a claim of the trunk in its merge base. Where the trunk has changed its text since, that is not known, and the claim
    /// is taken for a new one.
    pub(super) fn knew(&self, line: u32, claim: &Claim) -> bool {
        let Some(fork) = self.scene.line(line).fork else { return true };
        let has = |other: &&&Claim| self.scene.presence(other).old_of.binary_search(&line).is_ok();
        self.was_in(fork, claim) || self.claims.iter().filter(has).any(|other| place(other) == place(claim))
    }

    /// Takes out what a line adds though its content is on the trunk already, under another name: it landed and was renumbered. Gives the
    /// lines and claims that would collide otherwise.
    fn take_landed(&mut self) -> Vec<(u32, &'c Claim)> {
        let mut landed = Vec::new();
        for (line, side) in &mut self.sides {
            side.added.retain(|claim| {
                let here = self.scene.landed_since(*line, claim).is_some();
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

    /// The same for two lines that may share commits: what the one took from the other and dropped again is gone.
    fn units_of_pair(&self, a: u32, b: u32) -> BTreeSet<&'c str> {
        if self.scene.is_behind(a, b) || self.scene.is_behind(b, a) {
            return self.units(&[if self.scene.is_behind(a, b) { b } else { a }]);
        }
        let Some(shared) = self.scene.shared(a, b) else { return self.units(&[a, b]) };
        let drops = |other: u32, claim: &Claim| {
            !self.sides[&other].added.iter().any(|own| place(own) == place(claim)) && self.was_in(shared, claim)
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

    /// Whether a commit has a claim. Of a text that no line has any more that is not known, and it is taken to lack the name.
    fn was_in(&self, commit: ObjectId, claim: &Claim) -> bool {
        let Some(version) = self.scene.at(commit, &claim.site.path) else { return false };
        claim.site.position.is_none()
            || self.claims.iter().any(|other| place(other) == place(claim) && self.scene.place(other) == version.place)
    }

    fn guilt(&self) -> Guilt {
        let before = self.units(&[]).len();
        let adding: Vec<u32> =
            self.sides.iter().filter(|(_, side)| !side.added.is_empty()).map(|(line, _)| *line).collect();
        let counts: BTreeMap<u32, usize> = adding.iter().map(|line| (*line, self.units(&[*line]).len())).collect();
        let mut guilt = Guilt::default();
        guilt.alone.extend(counts.iter().filter(|(_, count)| **count > before.max(1)).map(|(line, _)| *line));
        for (a, b) in self.pairs(&adding) {
            if self.units_of_pair(a, b).len() > counts[&a].max(counts[&b]).max(before).max(1) {
                guilt.together.insert((a.min(b), a.max(b)));
            }
        }
        guilt
    }

    /// Which lines are held against each other: the head against all, else each against each. Among very many each is held against the first,
    /// and against one that has another claimant than the first.
    fn pairs(&self, adding: &[u32]) -> Vec<(u32, u32)> {
        let with =
            |anchor: u32| adding.iter().copied().filter(move |line| *line != anchor).map(move |line| (anchor, line));
        if let Some(head) = self.scene.head {
            return if adding.contains(&head) { with(head).collect() } else { Vec::new() };
        }
        if adding.len() <= PAIRED {
            return adding.iter().enumerate().flat_map(|(at, a)| adding[at + 1..].iter().map(|b| (*a, *b))).collect();
        }
        let of = |line: u32| self.sides[&line].added.iter().map(|claim| self.unit(claim)).collect::<BTreeSet<_>>();
        let first = of(adding[0]);
        let other = adding.iter().copied().find(|line| of(*line) != first);
        with(adding[0]).chain(other.into_iter().flat_map(with)).collect()
    }
}

/// What tells one claimant of a name from another.
pub(super) fn unit(kind: Kind, claim: &Claim) -> &str {
    if kind == Kind::Case { &claim.key } else { &claim.unit }
}

/// What a claim is, whatever the version of its file.
fn place(claim: &Claim) -> (&RepoPath, &str, &str) {
    (&claim.site.path, &claim.unit, &claim.key)
}
