//! One name that two lines add to one file: whether git's merge of the two would hold it twice.
//!
//! Only the merged text tells: two edits that lie apart leave both, equal ones leave one, and of two at one place git merges nothing.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    io::Cursor,
    rc::Rc,
};

use super::scene::Scene;
use crate::{
    claim::{
        Claim,
        extract::{xml, xml::ElementPaths},
    },
    diag::RepoPath,
    engine::{
        PARSED_LIMIT,
        read::{Parsed, Pass, extract},
    },
    rule::{Source, code::contention::MergeText},
    source::{Entry, Place, Version},
};

/// Marks the claims that stand beside their like once their file is merged.
pub(super) fn mark(scene: &Scene<'_>, pass: &Pass<'_>, merge: &MergeText<'_>, claims: &mut [Claim]) {
    let mut groups: BTreeMap<(u16, u8, String, RepoPath), Vec<usize>> = BTreeMap::new();
    for (at, claim) in claims.iter().enumerate().filter(|(_, claim)| claim.placed) {
        let group = (claim.rule, claim.claim, claim.key.clone(), claim.site.path.clone());
        groups.entry(group).or_default().push(at);
    }
    let merges = Merges::default();
    for group in groups.into_values().filter(|group| group.len() > 1) {
        let mut entries: Vec<u32> = group.iter().map(|at| claims[*at].entry).collect();
        entries.sort_unstable();
        entries.dedup();
        let twins = Twins { scene, pass, merge, merges: &merges, claim: &claims[group[0]] };
        let apart = twins.apart(&entries);
        for at in group {
            claims[at].apart = apart.contains(&claims[at].entry);
        }
    }
}

/// Names that the merge of two versions has more often than either. None where git merges nothing, or it is not known what.
type Doubled = Option<Rc<BTreeSet<String>>>;

/// What merges came to, by rule, its claim and the two versions: a file with many names is merged once for all of them.
type Merges = RefCell<BTreeMap<(u16, u8, u32, u32), Doubled>>;

struct Twins<'a, 's> {
    scene: &'a Scene<'s>,
    pass: &'a Pass<'a>,
    merge: &'a MergeText<'a>,
    merges: &'a Merges,
    /// One of the claims: all are of one name in one path.
    claim: &'a Claim,
}

impl Twins<'_, '_> {
    /// The versions whose name stands beside that of the trunk, or of the first line that adds it.
    fn apart(&self, entries: &[u32]) -> Vec<u32> {
        let presence = |entry: u32| &self.scene.presence[entry as usize];
        let trunk = entries.iter().copied().find(|entry| presence(*entry).base);
        let adding: Vec<u32> = entries.iter().copied().filter(|entry| !presence(*entry).new_of.is_empty()).collect();
        let Some(first) = trunk.or_else(|| adding.first().copied()) else { return Vec::new() };
        let others = adding.into_iter().filter(|entry| *entry != first);
        others.filter(|entry| self.is_twice(first, *entry)).collect()
    }

    /// Whether git's merge of two versions has the name more often than either.
    fn is_twice(&self, first: u32, second: u32) -> bool {
        let key = (self.claim.rule, self.claim.claim, first, second);
        let known = self.merges.borrow().get(&key).cloned();
        let doubled = known.unwrap_or_else(|| {
            let doubled = self.doubled(first, second).map(Rc::new);
            self.merges.borrow_mut().insert(key, doubled.clone());
            doubled
        });
        doubled.is_some_and(|names| names.contains(&self.claim.key))
    }

    fn doubled(&self, first: u32, second: u32) -> Option<BTreeSet<String>> {
        let line = *self.scene.presence[second as usize].new_of.first()?;
        let holders = [first, second].into_iter().flat_map(|entry| &self.scene.presence[entry as usize].new_of);
        if holders.into_iter().any(|line| self.scene.crossed.contains(line)) {
            return None;
        }
        let path = &self.claim.site.path;
        let old = self.old(line, path)?;
        let same_start =
            self.scene.presence[first as usize].new_of.iter().any(|other| self.old(*other, path) == Some(old));
        if !same_start && !self.scene.presence[first as usize].base {
            return None; // they left the trunk at different states of the file
        }
        let base = match old {
            Some(old) => self.bytes(old.place)?,
            None => return None, // both add the file: git stops
        };
        let place = |entry: u32| self.scene.listing.entries[entry as usize].place;
        let (ours, theirs) = (self.bytes(place(first))?, self.bytes(place(second))?);
        let merged = (self.merge)(path, &base, &ours, &theirs)?;
        let (ours, theirs) = (self.counts(&ours), self.counts(&theirs));
        let before = |name: &String| ours.get(name).max(theirs.get(name)).copied().unwrap_or_default();
        let more = self.counts(&merged).into_iter().filter(|(name, count)| *count > before(name));
        Some(more.map(|(name, _)| name).collect())
    }

    /// What a line found at a path; none where it does not change it.
    fn old(&self, line: u32, path: &RepoPath) -> Option<Option<Version>> {
        let changes = &self.scene.line(line).changes;
        changes.binary_search_by(|changed| changed.path.cmp(path)).ok().map(|at| changes[at].old)
    }

    fn bytes(&self, place: Place) -> Option<Vec<u8>> {
        let entry = Entry { path: self.claim.site.path.clone(), kind: crate::source::EntryKind::File, place };
        self.pass.tree.read(&entry, PARSED_LIMIT).ok()
    }

    /// How often a text has which names; none where it can't be read.
    fn counts(&self, bytes: &[u8]) -> BTreeMap<String, usize> {
        let of = |item: &&crate::rule::Item| {
            (item.rule, item.claim, item.entry) == (self.claim.rule, self.claim.claim, self.claim.entry)
        };
        let mut counts = BTreeMap::new();
        let Some(item) = self.pass.items.iter().find(of) else { return counts };
        let (spec, namer) = (self.pass.claim(item), self.pass.namer(item));
        let mut take = |found: &crate::claim::extract::Found<'_>| {
            if let Some(name) = namer.name(found) {
                *counts.entry(name.key.into_owned()).or_default() += 1;
            }
        };
        let is_read = match &spec.source {
            Source::Xml(paths) => from_xml(paths, bytes, &mut take).is_some(),
            _ => extract(spec, bytes, &mut Parsed::default(), &mut |found| take(&found)).is_ok(),
        };
        if is_read { counts } else { BTreeMap::new() }
    }
}

/// Names in an XML document that is at hand.
fn from_xml(
    paths: &[String],
    bytes: &[u8],
    take: &mut dyn FnMut(&crate::claim::extract::Found<'_>),
) -> Option<xml::Outcome> {
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    let paths = ElementPaths::new(&paths).ok()?;
    let mut open = || -> std::io::Result<Box<dyn std::io::Read>> { Ok(Box::new(Cursor::new(bytes.to_vec()))) };
    let done = xml::extract(&paths, &mut open, &mut |event| {
        if let xml::XmlEvent::Name { found, .. } = event {
            take(&found);
        }
    });
    done.ok()
}
