//! Where the files of one rule lie: their roots, and how surely they are its own.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};

use foldhash::{HashMap, HashMapExt};

use super::{
    super::{
        compile::{Shape, Source},
        head::Rule,
        mined::keeps_apart,
        ownership::{Claimed, Evidence, Proven, Strength},
        plan::{ActiveRule, Scope, What, overlap},
        root::{Kind, Marker},
        select::{Dir, dirs_match},
    },
    Bid, Candidate, Facts, Named,
    folders::Folders,
};
use crate::{
    diag::Confidence,
    source::{Entry, Listing},
};

/// Whether a marker makes its folder a root: one does not that is somebody else's, or lies where the configuration says that nothing counts.
pub(super) fn is_root(active: &ActiveRule, marker: &Entry, facts: &Facts<'_>) -> bool {
    !(facts.left_out)(marker, active.rule.is_runner())
        && !active.scope.leaves_out(marker.path.as_bytes(), active.rule.excludes())
}

/// Looks for the roots of one rule's files.
pub(super) struct Finder<'a> {
    pub(super) at: u16,
    pub(super) active: &'a ActiveRule,
    pub(super) hits: &'a [(What, u32)],
    pub(super) listing: &'a Listing,
    pub(super) folders: &'a Folders<'a>,
    /// The paths of the listing's entries that have a say, invalid UTF-8 replaced.
    pub(super) paths: &'a [Cow<'a, str>],
    /// By folder: its owner, where that is known already.
    pub(super) settled: &'a [Option<Bid>],
    pub(super) facts: &'a Facts<'a>,
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
        (self.facts.left_out)(self.entry(entry), self.active.rule.is_runner())
    }

    /// Whether a file lies in a folder that another runner owns beyond doubt.
    fn is_settled(&self, entry: u32) -> bool {
        self.active.rule.is_runner()
            && self.active.scope.roots.is_empty()
            && self.settled[self.folders.of(entry) as usize].is_some()
    }

    /// Hits on files that may take names, or would have to, without those that are left out.
    fn files(&self, wanted: impl Fn(What) -> bool) -> Vec<(What, u32)> {
        let counts = |(what, entry): &&(What, u32)| {
            wanted(*what)
                && !self.is_settled(*entry)
                && !self.active.scope.leaves_out(self.entry(*entry).path.as_bytes(), self.active.rule.excludes())
                && !self.is_left_out(*entry)
        };
        self.hits.iter().filter(counts).copied().collect()
    }

    /// Files that take names, and those that would have to and don't.
    pub(super) fn candidates(&self) -> Vec<Candidate> {
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
        let mut above: (Option<u32>, Option<Configured<'_>>) = (None, None);
        for (what, entry) in files {
            let folder = Some(self.folders.of(entry));
            if above.0 != folder {
                above = (folder, self.place().configured(self.path(entry))); // neighbours mostly lie in one folder
            }
            match above.1.as_ref().and_then(|above| self.configured(what, entry, above)) {
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

    fn place(&self) -> Place<'a> {
        Place { at: self.at, rule: &self.active.rule, scope: &self.active.scope, named: self.facts.named }
    }

    /// A file under a root that the configuration of gatekeep, or of the tool, names.
    fn configured(&self, what: What, entry: u32, above: &Configured<'_>) -> Option<Candidate> {
        let found = self.under(what, entry, above.root(), Strength::CONFIGURED);
        if found.is_some() {
            return found;
        }
        // the folder is the partition itself, under a name of its own
        let (folder, path) = (above.folder, self.path(entry));
        let rest = &path[if folder.is_empty() { 0 } else { folder.len() + 1 }..];
        let folders = self.active.rule.folders();
        let below = if folders.is_empty() { rest.to_owned() } else { format!("{}/{rest}", folders.join("/")) };
        takes(&self.active.rule, what, &below).then(|| Candidate {
            rule: self.at,
            what,
            entry,
            root: format!("{folder}\0").into(), // marks a partition of its own, see `partition`
            below,
            strength: Strength::CONFIGURED,
            confidence: Confidence::High,
        })
    }

    fn marked(&self, markers: &[Marker], fallback: Option<&str>, files: Vec<(What, u32)>, found: &mut Vec<Candidate>) {
        let mut roots: BTreeSet<String> = BTreeSet::new();
        let mut certain = false;
        for (what, entry) in self.hits {
            let What::Marker(index) = what else { continue };
            if !is_root(self.active, self.entry(*entry), self.facts) {
                continue;
            }
            roots.insert(markers[usize::from(*index)].root(self.path(*entry)).to_owned());
            certain |= !(self.facts.tentative)(*entry);
        }
        let fallback = fallback.filter(|_| !certain);
        let mut above: (Option<u32>, Vec<&str>) = (None, Vec::new());
        for (what, entry) in files {
            let path = self.path(entry);
            let folder = Some(self.folders.of(entry));
            if above.0 != folder {
                above = (folder, roots_above(&roots, path)); // neighbours mostly lie in one folder
            }
            let marked = above.1.iter().find_map(|root| self.under(what, entry, root, Strength::MARKED));
            let fallen_back = || self.under(what, entry, before_folder(path, fallback?)?, Strength::MARKED);
            found.extend(marked.or_else(fallen_back));
        }
    }

    fn anywhere(&self, files: Vec<(What, u32)>, claimed: &[Candidate], found: &mut Vec<Candidate>) {
        let Kind::Any { except, proofs, foreign, .. } = &self.active.rule.root.kind else { return };
        let foreign = self.foreign(foreign);
        let place = self.place();
        let mut by_root: BTreeMap<&str, Vec<Candidate>> = BTreeMap::new();
        for (what, entry) in files {
            let Some(root) = place.root_of(what, self.path(entry)) else { continue };
            if foreign.contains(root) || except.iter().any(|regex| regex.is_match(root)) {
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
        let mut owned: HashMap<&str, Proven> = HashMap::new();
        for claimed in claimed {
            owned.entry(&claimed.root).or_insert((claimed.strength, claimed.confidence));
        }
        let Facts { read, tentative, .. } = *self.facts;
        let evidence = Evidence { listing: self.listing, read, tentative, manifests };
        for (root, mut files) in by_root {
            let proven: Option<Proven> = match owned.get(root) {
                Some(proven) => Some(*proven),
                None => {
                    let mut own: Vec<u32> =
                        files.iter().filter(|one| matches!(one.what, What::Claim(_))).map(|one| one.entry).collect();
                    own.sort_unstable();
                    own.dedup();
                    let keeps_apart = |least| keeps_apart(&self.active.rule, self.of_trunk(&files), least);
                    let own = Claimed { entries: &own, keeps_apart: &keeps_apart };
                    (!own.entries.is_empty()).then(|| evidence.strongest(proofs, root, &own)).flatten()
                }
            };
            if let Some(proven) = proven {
                files.iter_mut().for_each(|one| (one.strength, one.confidence) = proven);
                found.extend(files);
            }
        }
    }

    /// Folders that a file of the trunk gives to another tool.
    fn foreign(&self, markers: &[Marker]) -> BTreeSet<&'a str> {
        let of_trunk = self.hits.iter().filter(|(_, entry)| !(self.facts.tentative)(*entry));
        let folder = |(what, entry): &(What, u32)| match what {
            What::Marker(index) => Some(markers.get(usize::from(*index))?.root(self.path(*entry))),
            _ => None,
        };
        of_trunk.filter_map(folder).collect()
    }

    /// The claims of these that the trunk has: which one it is, and where below the root.
    fn of_trunk<'f>(&self, files: &'f [Candidate]) -> impl Iterator<Item = (u8, &'f str)> {
        files.iter().filter(|one| !(self.facts.tentative)(one.entry)).filter_map(|one| match one.what {
            What::Claim(at) => Some((at, one.below.as_str())),
            _ => None,
        })
    }

    /// A file under a root, if the rule takes files of that path below it.
    fn under(&self, what: What, entry: u32, root: &str, strength: Strength) -> Option<Candidate> {
        let path = self.path(entry);
        let below = if root.is_empty() { path } else { path.strip_prefix(root)?.strip_prefix('/')? };
        takes(&self.active.rule, what, below).then(|| Candidate {
            rule: self.at,
            what,
            entry,
            root: root.into(),
            below: below.to_owned(),
            strength,
            confidence: Confidence::High,
        })
    }
}

/// What a path alone, the configuration and the tool's settings tell of its root.
pub(super) struct Place<'a> {
    pub(super) at: u16,
    pub(super) rule: &'a Rule,
    pub(super) scope: &'a Scope,
    pub(super) named: &'a Named,
}

/// A folder above a file that the configuration of gatekeep, or of the tool, names.
pub(super) struct Configured<'p> {
    folder: &'p str,
    /// How many of the rule's literal folders it holds at its end.
    overlap: usize,
}

impl<'p> Configured<'p> {
    /// The root that it means: it without the literal folders.
    pub(super) fn root(&self) -> &'p str {
        (0..self.overlap).fold(self.folder, |root, _| root.rsplit_once('/').map_or("", |(above, _)| above))
    }
}

impl Place<'_> {
    /// The nearest folder above a path that a configuration names.
    pub(super) fn configured<'p>(&self, path: &'p str) -> Option<Configured<'p>> {
        if !self.scope.has_roots() && !self.named.folders.iter().any(|(rule, _)| *rule == self.at) {
            return None;
        }
        let mut folder = path;
        while !folder.is_empty() {
            folder = folder.rsplit_once('/').map_or("", |(above, _)| above);
            if let Some(overlap) = self.names(folder) {
                return Some(Configured { folder, overlap });
            }
        }
        None
    }

    /// Whether a configuration names this folder; how many of the literal folders it holds.
    fn names(&self, folder: &str) -> Option<usize> {
        let parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
        if self.named.folders.contains(&(self.at, folder.to_owned())) {
            let dirs: Vec<Dir> = parts.iter().map(|part| Dir::Name((*part).to_owned())).collect();
            return Some(overlap(&dirs, self.rule.folders()));
        }
        let parts: Vec<&[u8]> = parts.into_iter().map(str::as_bytes).collect();
        self.scope.roots.iter().find_map(|root| {
            let dirs = root.components();
            dirs_match(&dirs, &parts).then(|| overlap(&dirs, self.rule.folders()))
        })
    }

    /// The root folder of a file, where roots can be anywhere.
    pub(super) fn root_of<'p>(&self, what: What, path: &'p str) -> Option<&'p str> {
        let own = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let folders = if let Kind::Any { folders, .. } = &self.rule.root.kind { folders.as_slice() } else { &[] };
        let Some((first, others)) = folders.split_first() else {
            let literal = match what {
                What::Claim(at) => &self.rule.claims[usize::from(at)].folders,
                _ => self.rule.folders(),
            };
            return without_end(own, literal);
        };
        longest(own, |folder| first.is_match(folder))
            .or_else(|| longest(own, |folder| self.is_named_end(folder)))
            .or_else(|| others.iter().find_map(|regex| longest(own, |folder| regex.is_match(folder))))
    }

    /// Whether a configuration of the tool names the end of this folder.
    fn is_named_end(&self, folder: &str) -> bool {
        self.named.suffixes.iter().any(|(rule, end)| {
            *rule == self.at
                && folder.strip_suffix(end.as_str()).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
        })
    }
}

impl Marker {
    /// The root that a marker at this path marks.
    pub(super) fn root<'p>(&self, path: &'p str) -> &'p str {
        (0..self.depth).fold(path, |root, _| root.rsplit_once('/').map_or("", |(rest, _)| rest))
    }
}

/// Whether a rule takes names from a file of this path below a root, or would have to.
pub(super) fn takes(rule: &Rule, what: What, below: &str) -> bool {
    match what {
        What::Claim(at) => {
            let claim = &rule.claims[usize::from(at)];
            claim.selects(below.as_bytes())
                && match &claim.source {
                    Source::Path(regex) => regex.is_match(below),
                    _ => true,
                }
        }
        What::Malformed(at) => rule.malformed[usize::from(at)].takes(below),
        What::Unclaimed(at) => rule.unclaimed[usize::from(at)].takes(below),
        _ => false,
    }
}

impl What {
    pub(super) fn shape(self, rule: &Rule) -> Option<&Shape> {
        match self {
            Self::Malformed(at) => Some(&rule.malformed[usize::from(at)]),
            Self::Unclaimed(at) => Some(&rule.unclaimed[usize::from(at)]),
            _ => None,
        }
    }
}

impl Shape {
    fn takes(&self, below: &str) -> bool {
        self.files.iter().any(|file| file.matches(below.as_bytes()))
            && self.path.as_ref().is_none_or(|regex| regex.is_match(below))
    }
}

/// Those of some folders that lie above a path, the nearest first.
fn roots_above<'p>(roots: &BTreeSet<String>, path: &'p str) -> Vec<&'p str> {
    let mut above = path;
    let mut found = Vec::new();
    while !roots.is_empty() && !above.is_empty() {
        above = above.rsplit_once('/').map_or("", |(rest, _)| rest);
        if roots.contains(above) {
            found.push(above);
        }
    }
    found
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
pub(super) fn before_folder<'p>(path: &'p str, folder: &str) -> Option<&'p str> {
    if let Some(rest) = path.strip_prefix(folder)
        && rest.starts_with('/')
    {
        return Some("");
    }
    path.find(&format!("/{folder}/")).map(|at| &path[..at])
}
