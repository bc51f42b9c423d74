//! Chunks of an index, classified on all threads while the next ones are read.

use std::{fs, io, sync::Mutex};

use foldhash::HashSet;

use super::{
    Counters, EntryKind, WantLists, Wants,
    index::{self, IndexEntry, IndexKind},
};
use crate::{
    diag::{RepoPath, parent},
    error::Fatal,
    rule::{
        Want,
        select::{Classifier, Walk},
    },
};

/// A wanted entry of the index.
pub(super) struct Wanted {
    pub(super) path: RepoPath,
    pub(super) id: gix::ObjectId,
    pub(super) kind: EntryKind,
    pub(super) skip_worktree: bool,
    /// `git add --intent-to-add`.
    pub(super) intent_to_add: bool,
    /// Its merge is open: the version is one of several.
    pub(super) unmerged: bool,
    pub(super) wants: Wants,
}

/// What the index says.
#[derive(Default)]
pub(super) struct Indexed {
    /// Sorted by path.
    pub(super) wanted: Vec<Wanted>,
    pub(super) folders: HashSet<Box<[u8]>>,
    pub(super) submodules: HashSet<Box<[u8]>>,
    pub(super) paths: u64,
}

/// Classifies the index of a repository, `GIT_INDEX_FILE` where that is set.
pub(super) fn index_of(
    repo: &gix::Repository,
    classifier: &Classifier<Want>,
    folders: bool,
    counters: &Counters,
) -> Result<Indexed, Fatal> {
    let file = repo.index_path();
    let fatal = |source| Fatal::Io { path: file.clone(), source };
    let index = match fs::File::open(&file) {
        Ok(index) => index,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Indexed::default()), // nothing was added yet
        Err(source) => return Err(fatal(source)),
    };
    let length = index.metadata().map_err(fatal)?.len();
    let sha1 = repo.object_hash() == gix::hash::Kind::Sha1;
    let in_place = match sha1 {
        true => classify(classifier, folders, |ship| index::chunks(index, length, None, &mut |chunk, _| ship(chunk)))?,
        false => None,
    };
    let indexed = match in_place {
        Some(indexed) => indexed,
        None => classify_each(classifier, folders, |visit| index::walk_with_gix(repo, &file, counters, visit))?,
    };
    counters.paths(indexed.paths);
    Ok(indexed)
}

/// Classifies an index chunk by chunk; none where `read` says that it could not see all.
fn classify(
    classifier: &Classifier<Want>,
    folders: bool,
    read: impl FnOnce(&mut dyn FnMut(Vec<u8>)) -> Result<bool, Fatal>,
) -> Result<Option<Indexed>, Fatal> {
    let done: Mutex<Vec<(usize, Indexed)>> = Mutex::default();
    let walks: Mutex<Vec<Walk<'_, Want>>> = Mutex::default();
    let work = |number: usize, chunk: &[u8]| {
        let walk = walks.lock().expect("no thread panics while it holds the list").pop();
        let mut gather = Gather::new(walk.unwrap_or_else(|| classifier.walk()), folders);
        index::entries(chunk, &mut |entry| gather.entry(entry));
        walks.lock().expect("no thread panics while it holds the list").push(gather.automaton);
        done.lock().expect("no thread panics while it holds the list").push((number, gather.found));
    };
    let complete = rayon::in_place_scope(|scope| {
        let mut number = 0;
        read(&mut |chunk| {
            let (work, at) = (&work, number);
            scope.spawn(move |_| work(at, &chunk));
            number += 1;
        })
    })?;
    let mut parts = done.into_inner().expect("no thread panics while it holds the list");
    parts.sort_by_key(|(number, _)| *number);
    let mut all = Indexed::default();
    parts.into_iter().for_each(|(_, part)| all.append(part));
    Ok(complete.then_some(all))
}

/// Classifies entries one by one.
fn classify_each(
    classifier: &Classifier<Want>,
    folders: bool,
    read: impl FnOnce(&mut dyn FnMut(IndexEntry<'_>)) -> Result<(), Fatal>,
) -> Result<Indexed, Fatal> {
    let mut gather = Gather::new(classifier.walk(), folders);
    read(&mut |entry| gather.entry(entry))?;
    Ok(gather.found)
}

impl Indexed {
    fn append(&mut self, part: Self) {
        let twice = self.wanted.last().zip(part.wanted.first()).is_some_and(|(last, first)| last.path == first.path);
        self.wanted.extend(part.wanted.into_iter().skip(usize::from(twice))); // two stages of an unmerged path
        self.folders.extend(part.folders);
        self.submodules.extend(part.submodules);
        self.paths += part.paths;
    }
}

/// Goes through entries once.
struct Gather<'c> {
    automaton: Walk<'c, Want>,
    wants: Vec<Want>,
    lists: WantLists,
    folder: Vec<u8>,
    folders: bool,
    found: Indexed,
}

impl<'c> Gather<'c> {
    fn new(automaton: Walk<'c, Want>, folders: bool) -> Self {
        let (wants, lists, folder, found) = Default::default();
        Self { automaton, wants, lists, folder, folders, found }
    }

    fn entry(&mut self, entry: IndexEntry<'_>) {
        self.found.paths += 1;
        let kind = match entry.kind {
            IndexKind::File => EntryKind::File,
            IndexKind::Link => EntryKind::Link,
            IndexKind::Submodule => {
                self.found.submodules.insert(entry.path.into());
                return;
            }
            IndexKind::SparseFolder => return, // spelt out by the reader
        };
        if self.folders {
            self.folder_of(entry.path);
        }
        self.wants.clear();
        let wants = &mut self.wants;
        self.automaton.path(entry.path, |want| wants.push(want));
        if !self.wants.is_empty() {
            self.found.wanted.push(Wanted {
                path: RepoPath::new(entry.path),
                id: entry.id,
                kind,
                skip_worktree: entry.skip_worktree,
                intent_to_add: entry.intent_to_add,
                unmerged: entry.unmerged,
                wants: self.lists.of(&self.wants),
            });
        }
    }

    /// Remembers the folder of a path and those above it.
    fn folder_of(&mut self, path: &[u8]) {
        let mut folder = parent(path);
        if folder == self.folder {
            return;
        }
        self.folder.clear();
        self.folder.extend_from_slice(folder);
        while !folder.is_empty() && self.found.folders.insert(folder.into()) {
            folder = parent(folder);
        }
    }
}
