//! What is changed after it was merged.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use foldhash::{HashMap, HashMapExt as _};
use gix::ObjectId;

use super::scene::Scene;
use crate::{
    claim::Claim,
    diag::{RepoPath, Severity},
    engine::{PARSED_LIMIT, read::Pass},
    rule::{
        Rule,
        judge::{Frozen, Thaw},
    },
    source::Place,
};

/// More units than so many that one line changes in one way are one finding.
const MANY: usize = 5;
/// Most sites of one finding.
const SITES: usize = 20;

/// What one line does to one claim.
struct Change<'c> {
    claim: &'c Claim,
    line: u32,
    thaw: Thaw,
    severity: Severity,
}

/// The ways in which a unit is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Way {
    Edited,
    Moved,
    Removed,
}

impl Change<'_> {
    fn way(&self) -> Way {
        match self.thaw {
            Thaw::Edited => Way::Edited,
            Thaw::Moved(_) => Way::Moved,
            Thaw::Removed => Way::Removed,
        }
    }
}

/// A namespace in a partition, what is done to units of it, and how grave that is.
type Group<'c> = (u16, &'c str, &'c str, Way, Severity);

fn group<'c>(change: &Change<'c>) -> Group<'c> {
    (change.claim.rule, &change.claim.partition, &change.claim.space, change.way(), change.severity)
}

/// Merged units that a line edits, moves or removes: one finding for each unit and way, and one for many that a line changes in one way.
pub(super) fn frozen(scene: &Scene<'_>, pass: &Pass<'_>, claims: &[Claim]) -> Vec<Frozen> {
    if claims.iter().all(|claim| scene.presence(claim).old_of.is_empty()) {
        return Vec::new(); // all is new
    }
    let changes = Merged::new(scene, pass, claims).changes();
    let mut keys: BTreeMap<(Group<'_>, u32), BTreeSet<&str>> = BTreeMap::new();
    for change in &changes {
        keys.entry((group(change), change.line)).or_default().insert(&change.claim.key);
    }
    let mut found: BTreeMap<(Group<'_>, BTreeSet<&str>), Vec<&Change<'_>>> = BTreeMap::new();
    for change in &changes {
        let of_line = &keys[&(group(change), change.line)];
        let together = if of_line.len() > MANY { of_line.clone() } else { [change.claim.key.as_str()].into() };
        found.entry((group(change), together)).or_default().push(change);
    }
    found.into_iter().map(|((_, keys), changes)| finding(scene, pass, keys.len(), changes)).collect()
}

fn finding(scene: &Scene<'_>, pass: &Pass<'_>, units: usize, mut changes: Vec<&Change<'_>>) -> Frozen {
    let order = |claim: &Claim| pass.plan.rules[usize::from(claim.rule)].rule.claims[usize::from(claim.claim)].order;
    let holder = |change: &Change<'_>| &scene.line(change.line).holder;
    changes.sort_by(|a, b| {
        let keys = order(a.claim).compare(&a.claim.key, &b.claim.key);
        keys.then_with(|| (&a.claim.site.path, holder(a)).cmp(&(&b.claim.site.path, holder(b))))
    });
    let claims = changes.iter().take(SITES).map(|change| scene.held(change.claim, Some(change.line))).collect();
    Frozen { units, claims, thaw: changes[0].thaw.clone(), severity: changes[0].severity }
}

/// One name of a namespace and variant.
type Name<'c> = (u16, &'c str, &'c str, &'c str, &'c str);

fn name(claim: &Claim) -> Name<'_> {
    (claim.rule, &claim.partition, &claim.space, &claim.variant, &claim.key)
}

/// What is merged, and what lines make of it.
struct Merged<'a, 'c> {
    scene: &'a Scene<'a>,
    pass: &'a Pass<'a>,
    claims: &'c [Claim],
    by_path: HashMap<(u16, &'c RepoPath), Vec<&'c Claim>>,
    by_name: HashMap<Name<'c>, Vec<&'c Claim>>,
    /// By line and partition, whether the line leaves nothing there.
    emptied: BTreeMap<(u32, u16, Arc<str>), bool>,
}

impl<'a, 'c> Merged<'a, 'c> {
    fn new(scene: &'a Scene<'a>, pass: &'a Pass<'a>, claims: &'c [Claim]) -> Self {
        let mut by_path: HashMap<_, Vec<_>> = HashMap::new();
        let mut by_name: HashMap<_, Vec<_>> = HashMap::new();
        for claim in claims {
            by_path.entry((claim.rule, &claim.site.path)).or_default().push(claim);
            by_name.entry(name(claim)).or_default().push(claim);
        }
        Self { scene, pass, claims, by_path, by_name, emptied: BTreeMap::new() }
    }

    fn rule(&self, claim: &Claim) -> &'a Rule {
        &self.pass.plan.rules[usize::from(claim.rule)].rule
    }

    fn on_base(&self, claims: &[&Claim]) -> bool {
        claims.iter().any(|claim| self.scene.presence(claim).base)
    }

    /// Whether a line brings a claim in.
    fn brings(&self, line: u32, claim: &Claim) -> bool {
        self.scene.presence(claim).new_of.binary_search(&line).is_ok()
    }

    fn changes(mut self) -> Vec<Change<'c>> {
        let mut changes = Vec::new();
        for claim in self.claims.iter().filter(|claim| !self.scene.presence(claim).old_of.is_empty()) {
            if !self.is_frozen(claim) {
                continue;
            }
            for line in &self.scene.presence(claim).old_of {
                if self.scene.head.is_none_or(|head| head == *line)
                    && let Some(thaw) = self.thaw(claim, *line)
                    && let Some(severity) = self.severity(claim, &thaw)
                {
                    changes.push(Change { claim, line: *line, thaw, severity });
                }
            }
        }
        changes
    }

    /// How grave a change is; none where it does not matter.
    fn severity(&self, claim: &Claim, thaw: &Thaw) -> Option<Severity> {
        let spec = &self.rule(claim).spec;
        let of_edit = spec.claim[usize::from(claim.claim)].edited.filter(|_| *thaw == Thaw::Edited);
        of_edit.or(spec.policy.frozen)?.severity()
    }

    /// Whether a claim must stay as it is: it is merged, and its name is not taken twice, which only a change can mend.
    fn is_frozen(&self, claim: &Claim) -> bool {
        let policy = &self.rule(claim).spec.policy;
        let versions = &self.by_path[&(claim.rule, &claim.site.path)];
        let units = self.by_name[&name(claim)].iter().filter(|other| self.scene.presence(other).base);
        policy.frozen.is_some()
            && !policy.editable.contains(&claim.variant)
            && !versions.iter().any(|other| other.entry == claim.entry && other.claim < claim.claim)
            && self.on_base(versions)
            && units.map(|other| &other.unit).collect::<BTreeSet<_>>().len() < 2
    }

    /// What became of a merged claim on a line; none where nothing did, as far as the tool can tell.
    fn thaw(&mut self, claim: &'c Claim, line: u32) -> Option<Thaw> {
        let here = self.by_path[&(claim.rule, &claim.site.path)].iter().find(|version| self.brings(line, version));
        if let Some(now) = here {
            return (!self.scene.presence(now).base).then_some(Thaw::Edited); // else the same as on the trunk by now
        }
        let old = self.content(claim);
        let same_name: Vec<&Claim> =
            self.by_name[&name(claim)].iter().copied().filter(|other| self.brings(line, other)).collect();
        if let Some(to) = same_name.iter().find(|to| old.is_some() && self.content(to) == old) {
            return self.renamed(claim, to);
        }
        if !same_name.is_empty() {
            return Some(Thaw::Edited);
        }
        let Some(to) = self.elsewhere(claim, old, line) else {
            return Some(if self.is_rewritten(claim, line) { Thaw::Edited } else { Thaw::Removed });
        };
        if (&to.key, &to.variant, &to.space) == (&claim.key, &claim.variant, &claim.space) && self.empties(line, claim)
        {
            return self.renamed(claim, to); // the whole folder was moved
        }
        Some(Thaw::Moved(to.site.path.clone()))
    }

    /// Whether a line moves a claim's whole folder to one that the trunk does not have, and edits the file on the way.
    fn is_rewritten(&mut self, from: &Claim, line: u32) -> bool {
        let is_old = |to: &Claim| {
            let in_it = |other: &&Claim| (other.rule, &other.partition) == (to.rule, &to.partition);
            self.claims.iter().filter(in_it).any(|other| self.scene.presence(other).base)
        };
        let is_same = |to: &&Claim| {
            (to.rule, to.claim, &to.key, &to.variant, &to.space)
                == (from.rule, from.claim, &from.key, &from.variant, &from.space)
                && to.site.path.file_name() == from.site.path.file_name()
                && self.brings(line, to)
                && !is_old(to)
        };
        self.claims.iter().any(|to| is_same(&to)) && self.empties(line, from)
    }

    /// What a new path with the old key is: nothing, unless the whole file name counts.
    fn renamed(&self, from: &Claim, to: &Claim) -> Option<Thaw> {
        let counts = self.rule(from).spec.policy.frozen_name;
        (counts && from.site.path.file_name() != to.site.path.file_name()).then(|| Thaw::Moved(to.site.path.clone()))
    }

    /// Where a line has the very content of a file that it took away.
    fn elsewhere(&self, from: &Claim, content: Option<ObjectId>, line: u32) -> Option<&'c Claim> {
        content?;
        let is_new = |to: &&Claim| to.rule == from.rule && to.claim == from.claim && self.brings(line, to);
        let same = |to: &&Claim| self.content(to) == content;
        let all = || self.claims.iter().filter(is_new).filter(same);
        all().find(|to| to.key == from.key).or_else(|| all().next())
    }

    /// Whether a line leaves nothing in a claim's partition.
    fn empties(&mut self, line: u32, claim: &Claim) -> bool {
        let place = (line, claim.rule, Arc::clone(&claim.partition));
        if let Some(known) = self.emptied.get(&place) {
            return *known;
        }
        let stays = |other: &&Claim| {
            let presence = self.scene.presence(other);
            (other.rule, &other.partition) == (claim.rule, &claim.partition)
                && (presence.base && !self.scene.changes(line, &other.site.path) || self.brings(line, other))
        };
        let empty = !self.claims.iter().any(|other| stays(&other));
        self.emptied.insert(place, empty);
        empty
    }

    /// What is in a claim's file; none where that can't be told, or is nothing at all.
    fn content(&self, claim: &Claim) -> Option<ObjectId> {
        let kind = gix::hash::Kind::Sha1;
        let id = match self.scene.place(claim) {
            Place::Blob(id) => id,
            Place::Disk | Place::Worktree(_) => {
                let bytes =
                    self.pass.tree.read(&self.scene.listing.entries[claim.entry as usize], PARSED_LIMIT).ok()?;
                gix::objs::compute_hash(kind, gix::objs::Kind::Blob, &bytes).ok()?
            }
        };
        (id != ObjectId::empty_blob(id.kind())).then_some(id)
    }
}
