//! The keys of one file in all its versions.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use foldhash::{HashMap, HashMapExt as _};

use super::{
    super::Fleet,
    Done, Job, MergeText, Trunk,
    finding::{Found, Party},
};
use crate::{
    claim::extract::keys::{Repeat, keys, repeats},
    report::Incomplete,
    source::{Changed, Place, Version},
};

/// How many merges of one file are tried at most.
const MAX_MERGES: usize = 300;
/// How many keys of one file are reported at most.
const MAX_FINDINGS: usize = 20;

/// One version, parsed.
pub(super) struct Document {
    pub(super) bytes: Vec<u8>,
    /// Ids of its keys, sorted; one that stands in several elements of an array is there as often.
    ids: Vec<u64>,
}

/// What one line does to the file.
pub(super) struct Side {
    pub(super) line: u32,
    pub(super) old: Arc<Document>,
    pub(super) new: Arc<Document>,
    added: Vec<u64>,
}

/// One file at work.
pub(super) struct File<'a> {
    pub(super) fleet: &'a Fleet<'a>,
    pub(super) trunk: Option<&'a Trunk<'a>>,
    merge: &'a MergeText<'a>,
    pub(super) job: &'a Job<'a>,
    /// Versions by where their bytes are; none for one that can't be used.
    read: HashMap<Place, Option<Arc<Document>>>,
    done: Done,
    merges: usize,
}

impl<'a> File<'a> {
    pub(super) fn new(
        fleet: &'a Fleet<'a>,
        trunk: Option<&'a Trunk<'a>>,
        merge: &'a MergeText<'a>,
        job: &'a Job<'a>,
    ) -> Self {
        Self { fleet, trunk, merge, job, read: HashMap::new(), done: Done::default(), merges: 0 }
    }

    pub(super) fn run(mut self) -> Done {
        let sides: Vec<Side> = self.job.lines.iter().filter_map(|(line, changed)| self.side(*line, changed)).collect();
        let trunk = self.job.trunk.filter(|_| !sides.is_empty()).and_then(|version| {
            let there = Changed { path: self.job.path.clone(), old: None, new: Some(version) };
            self.document(&there, &version, None)
        });
        let mut found: BTreeMap<u64, Found> = BTreeMap::new();
        if let Some(trunk) = &trunk {
            self.against_trunk(&sides, trunk, &mut found);
        }
        self.against_each_other(&sides, trunk.as_ref(), &mut found);
        let mut found: Vec<(u64, Found)> = found.into_iter().collect();
        found.sort_by(|(a, one), (b, other)| (&one.path, a).cmp(&(&other.path, b)));
        self.done.more = found.len().saturating_sub(MAX_FINDINGS);
        found.truncate(MAX_FINDINGS);
        self.done.findings = found.iter().map(|(id, one)| self.finding(*id, one, &sides, trunk.as_deref())).collect();
        self.done
    }

    fn side(&mut self, line: u32, changed: &Changed) -> Option<Side> {
        let old = self.document(changed, &changed.old?, None)?;
        let new = self.document(changed, &changed.new?, Some(&old))?;
        let added = more(&new.ids, &old.ids);
        Some(Side { line, old, new, added })
    }

    /// Reads and parses a version; none where that can't be, which is noted.
    fn document(&mut self, changed: &Changed, version: &Version, old: Option<&Document>) -> Option<Arc<Document>> {
        let stays = matches!(version.place, Place::Blob(_));
        if let Some(known) = self.read.get(&version.place).filter(|_| stays) {
            return known.clone();
        }
        let read = self.parsed(changed, version, old).map(Arc::new);
        if stays {
            self.read.insert(version.place, read.clone());
        }
        read
    }

    fn parsed(&mut self, changed: &Changed, version: &Version, old: Option<&Document>) -> Option<Document> {
        let mut bytes = match (self.fleet.read)(changed, version) {
            Ok(bytes) => bytes,
            Err(error) => {
                let why = format!("can't be read, so that its keys are not compared: {error}");
                self.done.incomplete.push(Incomplete { what: changed.path.lossy().into_owned(), why });
                return None;
            }
        };
        if !matches!(version.place, Place::Blob(_)) && old.is_some_and(|old| !has_crlf(&old.bytes)) {
            bytes = without_crlf(bytes); // as git stores it
        }
        match keys(self.job.format, &bytes) {
            Ok(keys) => {
                let mut ids: Vec<u64> = keys.into_iter().map(|key| key.id).collect();
                ids.sort_unstable();
                Some(Document { bytes, ids })
            }
            Err(_) => {
                self.done.broken += 1;
                None
            }
        }
    }

    /// Lines that add what the trunk has added since they left it.
    fn against_trunk(&mut self, sides: &[Side], trunk: &Arc<Document>, found: &mut BTreeMap<u64, Found>) {
        for (at, side) in sides.iter().enumerate() {
            if self.fleet.head.is_some_and(|head| head != side.line) || side.old.bytes == trunk.bytes {
                continue;
            }
            if shares(&side.added, &more(&trunk.ids, &side.old.ids)) {
                let merged = self.merged(&side.old.bytes, &side.new.bytes, &trunk.bytes);
                self.note(merged, [&side.new.bytes, &trunk.bytes], [Party::Side(at), Party::Trunk], found);
            }
        }
    }

    /// Lines that add one and the same key.
    fn against_each_other(&mut self, sides: &[Side], trunk: Option<&Arc<Document>>, found: &mut BTreeMap<u64, Found>) {
        let mut adders: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        for (at, side) in sides.iter().enumerate() {
            for id in &side.added {
                let adders = adders.entry(*id).or_default();
                if adders.last() != Some(&at) {
                    adders.push(at);
                }
            }
        }
        let mut pairs: BTreeSet<(usize, usize)> = BTreeSet::new();
        for adders in adders.values().filter(|adders| adders.len() > 1) {
            let head = adders.iter().position(|at| Some(sides[*at].line) == self.fleet.head);
            match (self.fleet.head, head) {
                (Some(_), None) => {}
                (Some(_), Some(head)) => {
                    let head = adders[head];
                    pairs.extend(adders.iter().filter(|at| **at != head).map(|at| (head.min(*at), head.max(*at))));
                }
                // with the oldest, and with its neighbour in case git stops at the oldest one
                (None, _) => pairs.extend(adders.windows(2).flat_map(|two| [(adders[0], two[1]), (two[0], two[1])])),
            }
        }
        let mut rebased: HashMap<usize, Option<Arc<Vec<u8>>>> = HashMap::new();
        for (a, b) in pairs {
            if self.merges >= MAX_MERGES {
                self.done.untried += 1;
                continue;
            }
            let (one, other) = (&sides[a], &sides[b]);
            let parties = [Party::Side(a), Party::Side(b)];
            if one.old.bytes == other.old.bytes {
                let merged = self.merged(&one.old.bytes, &one.new.bytes, &other.new.bytes);
                self.note(merged, [&one.new.bytes, &other.new.bytes], parties, found);
            } else if let Some(trunk) = trunk {
                // they left the trunk at different times: what each makes of the trunk as it is now
                let mut now = |at: usize| {
                    let side = &sides[at];
                    let fresh = || self.merged(&side.old.bytes, &side.new.bytes, &trunk.bytes).map(Arc::new);
                    rebased.entry(at).or_insert_with(fresh).clone()
                };
                let (Some(ours), Some(theirs)) = (now(a), now(b)) else { continue };
                let merged = self.merged(&trunk.bytes, &ours, &theirs);
                self.note(merged, [&ours, &theirs], parties, found);
            }
        }
    }

    fn merged(&mut self, base: &[u8], ours: &[u8], theirs: &[u8]) -> Option<Vec<u8>> {
        self.merges += 1;
        (self.merge)(self.job.path, base, ours, theirs)
    }

    /// Takes in the keys that stand twice in the merged text more often than in either side.
    fn note(
        &mut self,
        merged: Option<Vec<u8>>,
        sides: [&[u8]; 2],
        parties: [Party; 2],
        found: &mut BTreeMap<u64, Found>,
    ) {
        let Some(merged) = merged else { return };
        let twice = |text: &[u8]| repeats(self.job.format, text).unwrap_or_default();
        let mut news = by_id(twice(&merged));
        if news.is_empty() {
            return;
        }
        for side in sides {
            for (id, known) in by_id(twice(side)) {
                news.retain(|new, repeats| *new != id || repeats.len() > known.len());
            }
        }
        for (id, mut repeats) in news {
            let Some(last) = repeats.pop() else { continue };
            let one = found.entry(id).or_insert_with(|| Found::new(last.path));
            one.same_value &= last.same_value;
            one.parties.extend(parties);
        }
    }
}

fn by_id(repeats: Vec<Repeat>) -> BTreeMap<u64, Vec<Repeat>> {
    let mut sorted: BTreeMap<u64, Vec<Repeat>> = BTreeMap::new();
    repeats.into_iter().for_each(|repeat| sorted.entry(repeat.id).or_default().push(repeat));
    sorted
}

/// What a sorted list has more often than another one; each once.
fn more(new: &[u64], old: &[u64]) -> Vec<u64> {
    let count = |list: &[u64], id: u64| {
        let from = list.partition_point(|known| *known < id);
        list[from..].iter().take_while(|known| **known == id).count()
    };
    let distinct = new.chunk_by(|a, b| a == b);
    distinct.filter(|same| same.len() > count(old, same[0])).map(|same| same[0]).collect()
}

/// Whether two sorted lists have something in common.
fn shares(a: &[u64], b: &[u64]) -> bool {
    a.iter().any(|id| b.binary_search(id).is_ok())
}

fn has_crlf(bytes: &[u8]) -> bool {
    memchr::memmem::find(bytes, b"\r\n").is_some()
}

fn without_crlf(bytes: Vec<u8>) -> Vec<u8> {
    if !has_crlf(&bytes) {
        return bytes;
    }
    let mut kept = Vec::with_capacity(bytes.len());
    let mut rest = bytes.as_slice();
    while let Some(at) = memchr::memmem::find(rest, b"\r\n") {
        kept.extend_from_slice(&rest[..at]);
        rest = &rest[at + 1..];
    }
    kept.extend_from_slice(rest);
    kept
}
