//! One name that two lines add to one file: whether git's merge of the two would hold it twice.
//!
//! Only the merged text tells: two edits that lie apart leave both, equal ones leave one, and of two at one place git merges nothing.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::{self, Cursor},
};

use foldhash::HashMap;

use super::scene::Scene;
use crate::{
    claim::{
        Claim,
        extract::{
            Found,
            xml::{self, ElementPaths, XmlEvent},
        },
    },
    diag::RepoPath,
    engine::{
        Gaps, PARSED_LIMIT,
        read::{Parsed, Pass, extract},
    },
    rule::{Item, Source, code::contention::MergeText},
    source::{Entry, EntryKind, Place, Version},
};

/// Marks the claims that stand beside their like once their file is merged.
pub(super) fn mark(scene: &Scene<'_>, pass: &Pass<'_>, merge: &MergeText<'_>, claims: &mut [Claim], gaps: &Gaps) {
    let mut groups: BTreeMap<(u16, u8, RepoPath, String), Vec<usize>> = BTreeMap::new();
    for (at, claim) in claims.iter().enumerate().filter(|(_, claim)| claim.placed) {
        let group = (claim.rule, claim.claim, claim.site.path.clone(), claim.key.clone());
        groups.entry(group).or_default().push(at);
    }
    let mut twins = Twins { scene, pass, merge, gaps, known: BTreeMap::new() };
    for group in groups.into_values().filter(|group| group.len() > 1) {
        let mut entries: Vec<u32> = group.iter().map(|at| claims[*at].entry).collect();
        entries.sort_unstable();
        entries.dedup();
        let apart = twins.apart(&claims[group[0]], &entries);
        for at in group {
            claims[at].apart = apart.contains(&claims[at].entry);
        }
    }
}

/// Names, and how often a text has each.
type Names = HashMap<String, usize>;

struct Twins<'a, 's> {
    scene: &'a Scene<'s>,
    pass: &'a Pass<'a>,
    merge: &'a MergeText<'a>,
    gaps: &'a Gaps,
    /// By rule, claim and two versions: the names that git's merge of the two has more often than either.
    known: BTreeMap<(u16, u8, u32, u32), BTreeSet<String>>,
}

impl Twins<'_, '_> {
    /// The versions in which a claim's name stands beside that of the trunk, or of the first line that adds it.
    fn apart(&mut self, claim: &Claim, entries: &[u32]) -> Vec<u32> {
        let presence = |entry: u32| &self.scene.presence[entry as usize];
        let trunk = entries.iter().copied().find(|entry| presence(*entry).base);
        let adding: Vec<u32> = entries.iter().copied().filter(|entry| !presence(*entry).new_of.is_empty()).collect();
        let Some(first) = trunk.or_else(|| adding.first().copied()) else { return Vec::new() };
        let others = adding.into_iter().filter(|entry| *entry != first);
        others.filter(|entry| self.doubled(claim, first, *entry).contains(&claim.key)).collect()
    }

    /// The names that git's merge of two versions of a claim's file has more often than either.
    fn doubled(&mut self, claim: &Claim, first: u32, second: u32) -> &BTreeSet<String> {
        let key = (claim.rule, claim.claim, first, second);
        if !self.known.contains_key(&key) {
            let doubled = self.merged(claim, first, second).unwrap_or_default();
            self.known.insert(key, doubled);
        }
        &self.known[&key]
    }

    /// The same, found by merging; none where that can't be told.
    fn merged(&self, claim: &Claim, first: u32, second: u32) -> Option<BTreeSet<String>> {
        let presence = |entry: u32| &self.scene.presence[entry as usize];
        let line = *presence(second).new_of.first()?;
        let mut holders = [first, second].into_iter().flat_map(|entry| &presence(entry).new_of);
        if holders.any(|line| self.scene.crossed.contains(line)) {
            return None;
        }
        let path = &claim.site.path;
        let old = self.old(line, path)?;
        let same_start = presence(first).new_of.iter().any(|other| self.old(*other, path) == Some(old));
        if !same_start && !presence(first).base {
            return None; // they left the trunk at different states of the file
        }
        let base = self.bytes(path, old?.place)?; // where both add the file, git stops
        let place = |entry: u32| self.scene.listing.entries[entry as usize].place;
        let (ours, theirs) = (self.bytes(path, place(first))?, self.bytes(path, place(second))?);
        let merged = self.names(claim, &(self.merge)(path, &base, &ours, &theirs)?);
        let (ours, theirs) = (self.names(claim, &ours), self.names(claim, &theirs));
        let count = |names: &Names, key: &str| names.get(key).copied().unwrap_or(0);
        let grown = merged.into_iter().filter(|(key, often)| *often > count(&ours, key).max(count(&theirs, key)));
        Some(grown.map(|(key, _)| key).collect())
    }

    /// What a line found at a path; none where it does not change it.
    fn old(&self, line: u32, path: &RepoPath) -> Option<Option<Version>> {
        let changes = &self.scene.line(line).changes;
        changes.binary_search_by(|changed| changed.path.cmp(path)).ok().map(|at| changes[at].old)
    }

    fn bytes(&self, path: &RepoPath, place: Place) -> Option<Vec<u8>> {
        let entry = Entry { path: path.clone(), kind: EntryKind::File, place };
        let read = self.pass.tree.read(&entry, PARSED_LIMIT);
        let why = |error| {
            format!("can't be read, so that nobody knows which names git's merge of it would hold twice: {error}")
        };
        read.map_err(|error| self.gaps.add(path.lossy(), why(error))).ok()
    }

    /// The names that a claim takes from a text; none of a text that can't be read.
    fn names(&self, claim: &Claim, bytes: &[u8]) -> Names {
        let of = |item: &&Item| (item.rule, item.claim, item.entry) == (claim.rule, claim.claim, claim.entry);
        let Some(item) = self.pass.items.iter().find(of) else { return Names::default() };
        let (spec, namer) = (self.pass.claim(item), self.pass.namer(item));
        let mut names = Names::default();
        let mut take = |found: &Found<'_>| {
            if let Some(name) = namer.name(found) {
                *names.entry(name.key.into_owned()).or_default() += 1;
            }
        };
        let done = match &spec.source {
            Source::Xml(paths) => in_xml(paths, bytes, &mut take),
            _ => extract(spec, bytes, &mut Parsed::default(), &mut |found| take(&found)).is_ok(),
        };
        if done { names } else { Names::default() }
    }
}

/// Gives the names in an XML text; whether it can be read.
fn in_xml(paths: &[String], bytes: &[u8], take: &mut dyn FnMut(&Found<'_>)) -> bool {
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    let Ok(paths) = ElementPaths::new(&paths) else { return false };
    let mut open = || -> io::Result<Box<dyn io::Read>> { Ok(Box::new(Cursor::new(bytes.to_vec()))) };
    let mut event = |event: XmlEvent<'_>| {
        if let XmlEvent::Name { found, .. } = event {
            take(&found);
        }
    };
    xml::extract(&paths, &mut open, &mut event).is_ok()
}
