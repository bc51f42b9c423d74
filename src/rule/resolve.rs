//! From wanted paths to items: which rule takes names from which file, under which root, in which partition.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use foldhash::{HashMap, HashMapExt};
use rayon::prelude::*;

use super::{
    compile::Rule,
    ownership::{Evidence, Proven, Strength},
    plan::{ActiveRule, Want, What, overlap},
    root::Kind,
    select::{Dir, dirs_match},
    spec::Group,
};
use crate::{
    diag::{Confidence, parent},
    source::{Entry, Listing},
};

/// One file from which one claim of one rule takes names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Item {
    /// Index of the rule.
    pub(crate) rule: u16,
    /// Index into its claims.
    pub(crate) claim: u8,
    /// Index into the listing's entries.
    pub(crate) entry: u32,
    /// The partition: root and literal folders, joined ones as one.
    pub(crate) partition: Arc<str>,
    /// The path below the root, invalid UTF-8 replaced.
    pub(crate) below: String,
    /// The root folder; empty for the top.
    pub(crate) root: Arc<str>,
    /// How sure it is that the rule's tool has the folder.
    pub(crate) confidence: Confidence,
}

/// A file that would have to take a name and takes none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stray {
    pub(crate) rule: u16,
    /// Malformed or unclaimed, and which shape.
    pub(crate) what: What,
    pub(crate) entry: u32,
    pub(crate) partition: Arc<str>,
    pub(crate) below: String,
}

impl Stray {
    /// Whether its folder is meant.
    pub(crate) fn is_folder(&self, rule: &Rule) -> bool {
        self.what.shape(rule).is_some_and(|shape| shape.folder)
    }
}

/// All that is to be read and judged.
#[derive(Debug, Default)]
pub(crate) struct Resolved {
    /// Sorted by rule, partition, claim and entry.
    pub(crate) items: Vec<Item>,
    /// Also those whose folder is meant, each of them.
    strays: Vec<Stray>,
}

impl Resolved {
    /// What would have to take a name and takes none, among the entries that are there. Of a folder that is meant as a whole one file, and
    /// only if no file in it takes a name.
    pub(crate) fn strays(&self, rules: &[ActiveRule], listing: &Listing, there: &dyn Fn(u32) -> bool) -> Vec<Stray> {
        let folder = |entry: u32| parent(listing.entries[entry as usize].path.as_bytes());
        let is_folder = |stray: &Stray| stray.is_folder(&rules[usize::from(stray.rule)].rule);
        let meant: BTreeSet<u16> =
            self.strays.iter().filter(|stray| is_folder(stray)).map(|stray| stray.rule).collect();
        let taking = self.items.iter().filter(|item| meant.contains(&item.rule) && there(item.entry));
        let mut settled: BTreeSet<(u16, &[u8])> = taking.map(|item| (item.rule, folder(item.entry))).collect();
        let mut strays: Vec<Stray> = self.strays.iter().filter(|stray| there(stray.entry)).cloned().collect();
        strays.retain(|stray| !is_folder(stray) || settled.insert((stray.rule, folder(stray.entry))));
        strays
    }
}

/// What is known of a tree beside its paths.
pub(crate) struct Facts<'a> {
    /// Which entries don't count: vendored ones, and generated ones unless those do.
    pub(crate) left_out: &'a (dyn Fn(&Entry, bool) -> bool + Sync),
    /// The text of a manifest or of a file to sniff at.
    pub(crate) read: &'a (dyn Fn(&Entry) -> Option<String> + Sync),
    /// Folders that the tools' own configurations name.
    pub(crate) named: &'a Named,
    /// Whether an entry is there only once some line of work is merged: it proves less than what is there already.
    pub(crate) tentative: &'a (dyn Fn(u32) -> bool + Sync),
}

/// Finds roots, partitions and owners.
pub(crate) fn resolve(rules: &[ActiveRule], listing: &Listing, facts: &Facts<'_>) -> Resolved {
    let mut candidates: Vec<Candidate> = Vec::new();
    let mut by_rule: Vec<Vec<(What, u32)>> = vec![Vec::new(); rules.len()];
    for hit in &listing.hits {
        if hit.want.rule != Want::NO_RULE {
            let what = match hit.want.what {
                What::Text(at) | What::Ignored(at) => What::Claim(at),
                other => other,
            };
            by_rule[usize::from(hit.want.rule)].push((what, hit.entry));
        }
    }
    let paths: Vec<Cow<'_, str>> = listing.entries.iter().map(|entry| entry.path.lossy()).collect();
    // Rules with markers come first: no proof is looked for in a folder that a tool's own file gives away.
    for by_marker in [true, false] {
        let settled = owners(rules, &candidates, listing);
        let found: Vec<Vec<Candidate>> = (rules.par_iter().zip(&by_rule).enumerate())
            .map(|(at, (active, hits))| {
                if hits.is_empty() || matches!(active.rule.root.kind, Kind::Any { .. }) == by_marker {
                    return Vec::new();
                }
                let at = at as u16;
                Finder { at, active, hits, listing, paths: &paths, settled: &settled, facts }.candidates()
            })
            .collect();
        candidates.extend(found.into_iter().flatten());
    }
    let owners = owners(rules, &candidates, listing);
    candidates.retain(|one| {
        !is_runner(&rules[usize::from(one.rule)].rule)
            || owners
                .get(parent(listing.entries[one.entry as usize].path.as_bytes()))
                .is_none_or(|(_, rule)| *rule == one.rule)
    });
    collect(rules, candidates)
}

/// Folders that the tools' own configurations name.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Named {
    /// Whole folders, by rule.
    pub(crate) folders: BTreeSet<(u16, String)>,
    /// Ends of folders, by rule.
    pub(crate) suffixes: BTreeSet<(u16, String)>,
    /// Folders below which a tool is told to take late names too, by rule.
    pub(crate) lax: BTreeSet<(u16, String)>,
}

impl Named {
    /// Whether none is named.
    pub(crate) fn is_empty(&self) -> bool {
        self.folders.is_empty() && self.suffixes.is_empty()
    }
}

/// A file that may belong to a rule, if no stronger one has its folder.
struct Candidate {
    rule: u16,
    what: What,
    entry: u32,
    root: Arc<str>,
    below: String,
    strength: Strength,
    confidence: Confidence,
}

fn is_runner(rule: &Rule) -> bool {
    rule.spec.group == Some(Group::Migrations)
}

/// Of all runners that want files of a folder, the one with the strongest proof.
fn owners<'l>(
    rules: &[ActiveRule],
    candidates: &[Candidate],
    listing: &'l Listing,
) -> HashMap<&'l [u8], (Strength, u16)> {
    let mut owners: HashMap<&[u8], (Strength, u16)> = HashMap::new();
    for one in candidates.iter().filter(|one| matches!(one.what, What::Claim(_))) {
        if is_runner(&rules[usize::from(one.rule)].rule) {
            let folder = parent(listing.entries[one.entry as usize].path.as_bytes());
            let bid = (one.strength, one.rule);
            owners.entry(folder).and_modify(|best| *best = (*best).min(bid)).or_insert(bid);
        }
    }
    owners
}

struct Finder<'a> {
    at: u16,
    active: &'a ActiveRule,
    hits: &'a [(What, u32)],
    listing: &'a Listing,
    /// The paths of the listing's entries, invalid UTF-8 replaced.
    paths: &'a [Cow<'a, str>],
    /// Folders whose owner is known already.
    settled: &'a HashMap<&'a [u8], (Strength, u16)>,
    facts: &'a Facts<'a>,
}

impl<'a> Finder<'a> {
    fn path(&self, entry: u32) -> &'a str {
        &self.paths[entry as usize]
    }

    fn entry(&self, at: u32) -> &Entry {
        &self.listing.entries[at as usize]
    }

    /// A migration counts even where a machine wrote it: the tool applies it all the same.
    fn is_left_out(&self, entry: u32) -> bool {
        (self.facts.left_out)(self.entry(entry), is_runner(&self.active.rule))
    }

    /// Whether a file lies in a folder that another runner owns beyond doubt.
    fn is_settled(&self, entry: u32) -> bool {
        !self.settled.is_empty()
            && is_runner(&self.active.rule)
            && self.active.scope.roots.is_empty()
            && self.settled.contains_key(self.entry(entry).path.parent())
    }

    /// Hits on files that may take names, or would have to, without those that are left out.
    fn files(&self, wanted: impl Fn(What) -> bool) -> Vec<(What, u32)> {
        let counts = |(what, entry): &&(What, u32)| {
            wanted(*what)
                && !self.active.scope.leaves_out(self.entry(*entry).path.as_bytes(), self.active.rule.excludes)
                && !self.is_left_out(*entry)
                && !self.is_settled(*entry)
        };
        self.hits.iter().filter(counts).copied().collect()
    }

    /// Files that take names, and those that would have to and don't.
    fn candidates(&self) -> Vec<Candidate> {
        let mut found = self.placed(self.files(|what| matches!(what, What::Claim(_))), &[]);
        let mut taken: Vec<u32> = found.iter().map(|one| one.entry).collect();
        taken.sort_unstable();
        let mut strays = self.files(|what| matches!(what, What::Malformed(_) | What::Unclaimed(_)));
        strays.retain(|(_, entry)| taken.binary_search(entry).is_err());
        if !strays.is_empty() {
            let placed = self.placed(strays, &found);
            found.extend(placed);
        }
        found
    }

    /// Finds the roots of files. `claimed` are the candidates that prove whose a folder is, where these files are not those themselves.
    fn placed(&self, files: Vec<(What, u32)>, claimed: &[Candidate]) -> Vec<Candidate> {
        let mut found = Vec::new();
        let mut rest = Vec::new();
        for (what, entry) in files {
            match self.configured(what, entry) {
                Some(candidate) => found.push(candidate),
                None => rest.push((what, entry)),
            }
        }
        if self.active.scope.roots.is_empty() {
            match &self.active.rule.root.kind {
                Kind::Repository => rest.into_iter().for_each(|(what, entry)| {
                    found.extend(self.under(what, entry, "", Strength::UNPROVEN));
                }),
                Kind::Marked { markers, fallback } => self.marked(markers, fallback.as_deref(), rest, &mut found),
                Kind::Any { .. } => self.anywhere(rest, claimed, &mut found),
            }
        }
        found
    }

    /// A file under a root that the configuration of gatekeep, or of the tool, names.
    fn configured(&self, what: What, entry: u32) -> Option<Candidate> {
        if self.active.scope.roots.is_empty() && !self.facts.named.folders.iter().any(|(rule, _)| *rule == self.at) {
            return None;
        }
        let path = self.path(entry);
        let folders = self.active.rule.folders();
        let mut above = parent(path.as_bytes());
        loop {
            let text = String::from_utf8_lossy(above).into_owned();
            if let Some(overlap) = self.names(above, folders) {
                let mut root = text.as_str();
                (0..overlap).for_each(|_| root = root.rsplit_once('/').map_or("", |(rest, _)| rest));
                let found = self.under(what, entry, root, Strength::CONFIGURED);
                if found.is_some() {
                    return found;
                }
                // the folder is the partition itself, under a name of its own
                let rest = &path[if text.is_empty() { 0 } else { text.len() + 1 }..];
                let below = if folders.is_empty() { rest.to_owned() } else { format!("{}/{rest}", folders.join("/")) };
                return self.takes(what, &below).then(|| Candidate {
                    rule: self.at,
                    what,
                    entry,
                    root: format!("{text}\0").into(), // marks a partition of its own, see `partition`
                    below,
                    strength: Strength::CONFIGURED,
                    confidence: Confidence::High,
                });
            }
            if above.is_empty() {
                return None;
            }
            above = parent(above);
        }
    }

    /// Whether a configuration names this folder; how many of the literal folders it holds.
    fn names(&self, folder: &[u8], folders: &[String]) -> Option<usize> {
        let parts: Vec<&[u8]> = folder.split(|b| *b == b'/').filter(|part| !part.is_empty()).collect();
        let text = String::from_utf8_lossy(folder);
        if self.facts.named.folders.contains(&(self.at, text.into_owned())) {
            let dirs: Vec<Dir> =
                parts.iter().map(|part| Dir::Name(String::from_utf8_lossy(part).into_owned())).collect();
            return Some(overlap(&dirs, folders));
        }
        self.active.scope.roots.iter().find_map(|root| {
            let dirs = root.components();
            dirs_match(&dirs, &parts).then(|| overlap(&dirs, folders))
        })
    }

    fn marked(
        &self,
        markers: &[super::root::Marker],
        fallback: Option<&str>,
        files: Vec<(What, u32)>,
        found: &mut Vec<Candidate>,
    ) {
        let mut roots: BTreeSet<String> = BTreeSet::new();
        let mut certain = false;
        for (what, entry) in self.hits {
            let What::Marker(index) = what else { continue };
            if self.is_left_out(*entry) {
                continue;
            }
            let mut root = self.path(*entry);
            for _ in 0..markers[usize::from(*index)].depth {
                root = root.rsplit_once('/').map_or("", |(rest, _)| rest);
            }
            roots.insert(root.to_owned());
            certain |= !(self.facts.tentative)(*entry);
        }
        let fallback = fallback.filter(|_| !certain);
        for (what, entry) in files {
            let path = self.path(entry);
            let marked = if roots.is_empty() { None } else { self.below_one_of(&roots, what, entry) };
            let fallen_back = || self.under(what, entry, before_folder(path, fallback?)?, Strength::MARKED);
            found.extend(marked.or_else(fallen_back));
        }
    }

    /// A file under the nearest of these roots below which the rule takes it.
    fn below_one_of(&self, roots: &BTreeSet<String>, what: What, entry: u32) -> Option<Candidate> {
        let mut root = self.path(entry);
        while !root.is_empty() {
            root = root.rsplit_once('/').map_or("", |(rest, _)| rest);
            let found = if roots.contains(root) { self.under(what, entry, root, Strength::MARKED) } else { None };
            if found.is_some() {
                return found;
            }
        }
        None
    }

    fn anywhere(&self, files: Vec<(What, u32)>, claimed: &[Candidate], found: &mut Vec<Candidate>) {
        let Kind::Any { folders, except, proofs } = &self.active.rule.root.kind else { return };
        let mut by_root: BTreeMap<&str, Vec<Candidate>> = BTreeMap::new();
        for (what, entry) in files {
            let Some(root) = self.root_of(what, self.path(entry), folders) else { continue };
            if except.iter().any(|regex| regex.is_match(root)) {
                continue;
            }
            if let Some(candidate) = self.under(what, entry, root, Strength::UNPROVEN) {
                by_root.entry(root).or_default().push(candidate);
            }
        }
        if by_root.is_empty() {
            return;
        }
        let mut manifests = HashMap::new();
        for (what, entry) in self.hits {
            if let What::Manifest(proof) = what {
                let known = manifests.entry((self.entry(*entry).path.parent(), *proof)).or_insert(*entry);
                if (self.facts.tentative)(*known) {
                    *known = *entry;
                }
            }
        }
        let Facts { read, tentative, .. } = *self.facts;
        let evidence = Evidence { listing: self.listing, read, tentative, manifests };
        for (root, mut files) in by_root {
            let proven: Option<Proven> = match claimed.iter().find(|one| *one.root == *root) {
                Some(owner) => Some((owner.strength, owner.confidence)),
                None => {
                    let mut own: Vec<u32> =
                        files.iter().filter(|one| matches!(one.what, What::Claim(_))).map(|one| one.entry).collect();
                    own.sort_unstable();
                    own.dedup();
                    (!own.is_empty()).then(|| evidence.strongest(proofs, root, &own)).flatten()
                }
            };
            if let Some(proven) = proven {
                files.iter_mut().for_each(|one| (one.strength, one.confidence) = proven);
                found.extend(files);
            }
        }
    }

    /// The root folder of a file where any folder can be one.
    fn root_of<'p>(&self, what: What, path: &'p str, folders: &[super::compile::LazyRegex]) -> Option<&'p str> {
        let own = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let Some((first, others)) = folders.split_first() else {
            let literal = match what {
                What::Claim(at) => &self.active.rule.claims[usize::from(at)].folders,
                _ => self.active.rule.folders(),
            };
            return without_end(own, literal);
        };
        longest(own, |folder| first.is_match(folder))
            .or_else(|| longest(own, |folder| self.is_named_end(folder)))
            .or_else(|| others.iter().find_map(|regex| longest(own, |folder| regex.is_match(folder))))
    }

    /// Whether a configuration of the tool names the end of this folder.
    fn is_named_end(&self, folder: &str) -> bool {
        self.facts.named.suffixes.iter().any(|(rule, end)| {
            *rule == self.at
                && folder.strip_suffix(end.as_str()).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
        })
    }

    /// A file under a root, if the rule takes files of that path below it.
    fn under(&self, what: What, entry: u32, root: &str, strength: Strength) -> Option<Candidate> {
        let path = self.path(entry);
        let below = if root.is_empty() { path } else { path.strip_prefix(root)?.strip_prefix('/')? };
        self.takes(what, below).then(|| Candidate {
            rule: self.at,
            what,
            entry,
            root: root.into(),
            below: below.to_owned(),
            strength,
            confidence: Confidence::High,
        })
    }

    fn takes(&self, what: What, below: &str) -> bool {
        let rule = &self.active.rule;
        match what {
            What::Claim(at) => {
                let claim = &rule.claims[usize::from(at)];
                claim.selects(below.as_bytes())
                    && match &claim.source {
                        super::compile::Source::Path(regex) => regex.is_match(below),
                        _ => true,
                    }
            }
            What::Malformed(at) => rule.malformed[usize::from(at)].takes(below),
            What::Unclaimed(at) => rule.unclaimed[usize::from(at)].takes(below),
            _ => false,
        }
    }
}

impl What {
    fn shape(self, rule: &Rule) -> Option<&super::compile::Shape> {
        match self {
            Self::Malformed(at) => Some(&rule.malformed[usize::from(at)]),
            Self::Unclaimed(at) => Some(&rule.unclaimed[usize::from(at)]),
            _ => None,
        }
    }
}

impl super::compile::Shape {
    fn takes(&self, below: &str) -> bool {
        self.files.iter().any(|file| file.matches(below.as_bytes()))
            && self.path.as_ref().is_none_or(|regex| regex.is_match(below))
    }
}

/// The longest of a folder and those above it for which something holds.
fn longest(folder: &str, holds: impl Fn(&str) -> bool) -> Option<&str> {
    let mut above = folder;
    loop {
        if holds(above) {
            return Some(above);
        }
        if above.is_empty() {
            return None;
        }
        above = above.rsplit_once('/').map_or("", |(rest, _)| rest);
    }
}

/// A folder without these folders at its end; none where it does not end with them.
fn without_end<'f>(folder: &'f str, end: &[String]) -> Option<&'f str> {
    end.iter().rev().try_fold(folder, |folder, name| {
        let rest = folder.strip_suffix(name.as_str())?;
        if rest.is_empty() { Some("") } else { rest.strip_suffix('/') }
    })
}

/// What stands before a folder in a path.
fn before_folder<'p>(path: &'p str, folder: &str) -> Option<&'p str> {
    if let Some(rest) = path.strip_prefix(folder)
        && rest.starts_with('/')
    {
        return Some("");
    }
    path.find(&format!("/{folder}/")).map(|at| &path[..at])
}

fn collect(rules: &[ActiveRule], candidates: Vec<Candidate>) -> Resolved {
    let mut resolved = Resolved::default();
    let mut partitions: HashMap<(u16, u8, Arc<str>), Arc<str>> = HashMap::new();
    for one in &candidates {
        let What::Claim(claim) = one.what else { continue };
        let rule = &rules[usize::from(one.rule)].rule;
        let partition = partitions
            .entry((one.rule, claim, Arc::clone(&one.root)))
            .or_insert_with(|| partition(rule, claim, &one.root).into());
        resolved.items.push(Item {
            rule: one.rule,
            claim,
            entry: one.entry,
            partition: Arc::clone(partition),
            below: one.below.clone(),
            root: one.root.trim_end_matches('\0').into(),
            confidence: one.confidence,
        });
    }
    for one in candidates {
        if !matches!(one.what, What::Malformed(_) | What::Unclaimed(_)) {
            continue;
        }
        let rule = &rules[usize::from(one.rule)].rule;
        let partition = partition(rule, 0, &one.root).into();
        resolved.strays.push(Stray { rule: one.rule, what: one.what, entry: one.entry, partition, below: one.below });
    }
    resolved
        .items
        .sort_by(|a, b| (a.rule, &a.partition, a.claim, a.entry).cmp(&(b.rule, &b.partition, b.claim, b.entry)));
    resolved.items.dedup();
    resolved
}

/// Root and literal folders; `.` for the whole repository. A root that ends with NUL is the partition itself.
fn partition(rule: &Rule, claim: u8, root: &str) -> String {
    let path = match root.strip_suffix('\0') {
        Some(own) => own.to_owned(),
        None => {
            let folders = &rule.claims[usize::from(claim)].folders;
            let mut parts: Vec<&str> = Vec::new();
            if !root.is_empty() {
                parts.push(root);
            }
            parts.extend(folders.iter().map(String::as_str));
            parts.join("/")
        }
    };
    let joined = rule.root.joined(path);
    if joined.is_empty() { ".".into() } else { joined }
}
