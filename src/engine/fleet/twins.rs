//! One name that two lines add to one file: whether git's merge of the two would hold it twice.
//!
//! Only the merged text tells: two edits that lie apart leave both, equal ones leave one, and of two at one place git merges nothing.

use std::{collections::BTreeMap, io::Cursor};

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
    for group in groups.into_values().filter(|group| group.len() > 1) {
        let mut entries: Vec<u32> = group.iter().map(|at| claims[*at].entry).collect();
        entries.sort_unstable();
        entries.dedup();
        let twins = Twins { scene, pass, merge, claim: &claims[group[0]] };
        let apart = twins.apart(&entries);
        for at in group {
            claims[at].apart = apart.contains(&claims[at].entry);
        }
    }
}

struct Twins<'a, 's> {
    scene: &'a Scene<'s>,
    pass: &'a Pass<'a>,
    merge: &'a MergeText<'a>,
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
        others.filter(|entry| self.is_twice(first, *entry).unwrap_or(false)).collect()
    }

    /// Whether git's merge of two versions has the name more often than either.
    fn is_twice(&self, first: u32, second: u32) -> Option<bool> {
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
        Some(self.count(&merged) > self.count(&ours).max(self.count(&theirs)))
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

    /// How often a text has the name.
    fn count(&self, bytes: &[u8]) -> usize {
        let of = |item: &&crate::rule::Item| {
            (item.rule, item.claim, item.entry) == (self.claim.rule, self.claim.claim, self.claim.entry)
        };
        let Some(item) = self.pass.items.iter().find(of) else { return 0 };
        let (spec, namer) = (self.pass.claim(item), self.pass.namer(item));
        let mut count = 0;
        let mut take = |found: &crate::claim::extract::Found<'_>| {
            count += usize::from(namer.name(found).is_some_and(|name| name.key == self.claim.key));
        };
        match &spec.source {
            Source::Xml(paths) => {
                let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
                let Ok(paths) = ElementPaths::new(&paths) else { return 0 };
                let mut open =
                    || -> std::io::Result<Box<dyn std::io::Read>> { Ok(Box::new(Cursor::new(bytes.to_vec()))) };
                let done = xml::extract(&paths, &mut open, &mut |event| {
                    if let xml::XmlEvent::Name { found, .. } = event {
                        take(&found);
                    }
                });
                if done.is_err() {
                    return 0;
                }
            }
            _ => {
                if extract(spec, bytes, &mut Parsed::default(), &mut |found| take(&found)).is_err() {
                    return 0;
                }
            }
        }
        count
    }
}
