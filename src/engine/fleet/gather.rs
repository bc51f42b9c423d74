//! All versions of all wanted paths: the trunk's, and what lines of work make of them.

use std::sync::Mutex;

use foldhash::{HashMap, HashMapExt};
use rayon::prelude::*;

use crate::{
    diag::RepoPath,
    error::Fatal,
    rule::{
        Want, What,
        select::{Classifier, Walk},
    },
    source::{Changed, Entry, Line, Listing, Place, Tree, Version},
};

/// Which states an entry belongs to. Numbers are those of lines, ascending.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Presence {
    /// It stands on the trunk.
    pub(super) base: bool,
    /// Lines that put it there.
    pub(super) new_of: Vec<u32>,
    /// Lines that found it there in their merge base, and change or remove it.
    pub(super) old_of: Vec<u32>,
}

impl Presence {
    /// Whether any line has to do with it.
    pub(super) fn is_touched(&self) -> bool {
        !self.new_of.is_empty() || !self.old_of.is_empty()
    }
}

/// What stands on the trunk.
pub(super) type Trunk = Vec<(RepoPath, Place)>;

/// Fewer changes than so many are looked at one by one.
const FEW: usize = 100;
/// As many parts as keep all threads busy to the end.
const PARTS: usize = 16;

/// Lists what a classifier wants of the trunk and of all lines.
pub(super) fn list(
    base: &dyn Tree,
    lines: &[Line],
    classifier: &Classifier<Want>,
    trunk: &mut Trunk,
) -> Result<Listing, Fatal> {
    let listing = base.list(classifier)?;
    let mut new = Vec::new();
    trunk.extend(listing.entries.iter().map(|entry| (entry.path.clone(), entry.place)));
    let changes = lines.iter().map(|line| line.changes.len()).sum::<usize>();
    if changes < FEW {
        for changed in lines.iter().flat_map(|line| &line.changes) {
            take(changed, &mut new, |path, wants| classifier.path(path, |want| wants.push(want)));
        }
        return Ok(listing.with(new));
    }
    let idle: Mutex<Vec<Walk<'_, Want>>> = Mutex::default(); // an automaton that is filled is worth more than a new one
    let parts: Vec<Vec<Wanted>> = lines
        .par_chunks(lines.len().div_ceil(PARTS))
        .map(|lines| {
            let walk = idle.lock().expect("no thread panics while it holds the list").pop();
            let (mut walk, mut new) = (walk.unwrap_or_else(|| classifier.walk()), Vec::new());
            for changed in lines.iter().flat_map(|line| &line.changes) {
                take(changed, &mut new, |path, wants| walk.path(path, |want| wants.push(want)));
            }
            idle.lock().expect("no thread panics while it holds the list").push(walk);
            new
        })
        .collect();
    Ok(listing.with(parts.into_iter().flatten().collect()))
}

/// A version of a file, and who wants it.
type Wanted = (Entry, Vec<Want>);

/// Takes in the versions of a changed file that somebody wants.
fn take(changed: &Changed, new: &mut Vec<Wanted>, ask: impl FnOnce(&[u8], &mut Vec<Want>)) {
    let mut wants = Vec::new();
    ask(changed.path.as_bytes(), &mut wants);
    if wants.is_empty() {
        return;
    }
    if let Some(version) = changed.new {
        push(new, changed, version, wants.iter().filter(|want| want.what != What::Attributes));
    }
    // what stood there before only tells what is new
    if let Some(version) = changed.old {
        let names = |want: &&Want| matches!(want.what, What::Claim(_) | What::Text(_));
        push(new, changed, version, wants.iter().filter(names));
    }
}

fn push<'w>(new: &mut Vec<Wanted>, changed: &Changed, version: Version, wants: impl Iterator<Item = &'w Want>) {
    let wants: Vec<Want> = wants.copied().collect();
    if !wants.is_empty() {
        new.push((Entry { path: changed.path.clone(), kind: version.kind, place: version.place }, wants));
    }
}

/// Tells for each entry of a listing where it is present.
pub(super) fn presence(listing: &Listing, trunk: &Trunk, lines: &[Line]) -> Vec<Presence> {
    let mut all = vec![Presence::default(); listing.entries.len()];
    let of_trunk = |at: usize| (&trunk[at].0, trunk[at].1);
    let mut order: Vec<usize> = (0..trunk.len()).collect();
    if !order.is_sorted_by(|a, b| of_trunk(*a) <= of_trunk(*b)) {
        order.sort_unstable_by(|a, b| of_trunk(*a).cmp(&of_trunk(*b)));
    }
    let mut next = 0;
    for at in order {
        let (path, place) = of_trunk(at);
        while listing.entries.get(next).is_some_and(|entry| (&entry.path, entry.place) < (path, place)) {
            next += 1;
        }
        if listing.entries.get(next).is_some_and(|entry| (&entry.path, entry.place) == (path, place)) {
            all[next].base = true;
        }
    }
    let places = Places::of(&listing.entries, lines.iter().map(|line| line.changes.len()).sum());
    for (number, line) in (0u32..).zip(lines) {
        for changed in &line.changes {
            let at = |version: Option<Version>| places.find(changed.path.as_bytes(), version?.place);
            if let Some(at) = at(changed.new) {
                all[at].new_of.push(number);
            }
            if let Some(at) = at(changed.old) {
                all[at].old_of.push(number);
            }
        }
    }
    all
}

/// Finds entries by path.
struct Places<'l> {
    entries: &'l [Entry],
    /// The first entry of each path, where many are looked for.
    first: Option<HashMap<&'l [u8], u32>>,
}

impl<'l> Places<'l> {
    fn of(entries: &'l [Entry], searches: usize) -> Self {
        let first = (searches > entries.len() / 8).then(|| {
            let mut first = HashMap::with_capacity(entries.len());
            (0u32..).zip(entries).for_each(|(at, entry)| _ = first.entry(entry.path.as_bytes()).or_insert(at));
            first
        });
        Self { entries, first }
    }

    fn find(&self, path: &[u8], place: Place) -> Option<usize> {
        let first = match &self.first {
            Some(first) => *first.get(path)? as usize,
            None => self.entries.partition_point(|entry| entry.path.as_bytes() < path),
        };
        let versions = self.entries[first..].iter().take_while(|entry| entry.path.as_bytes() == path);
        versions.zip(first..).find(|(entry, _)| entry.place == place).map(|(_, at)| at)
    }
}
