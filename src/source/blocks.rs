//! Entries of an index in blocks, classified on all threads while the next ones are read.

use std::sync::Mutex;

use foldhash::HashSet;

use super::{
    EntryKind,
    index::{IndexEntry, IndexKind},
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
    pub(super) wants: Vec<Want>,
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

/// Entries that are classified together.
const BLOCK: usize = 8192;

/// Classifies what `read` visits; none where `read` says that it could not see all.
pub(super) fn classify(
    classifier: &Classifier<Want>,
    folders: bool,
    read: impl FnOnce(&mut dyn FnMut(IndexEntry<'_>)) -> Result<bool, Fatal>,
) -> Result<Option<Indexed>, Fatal> {
    let done: Mutex<Vec<(usize, Indexed)>> = Mutex::default();
    let walks: Mutex<Vec<Walk<'_, Want>>> = Mutex::default();
    let work = |number: usize, block: &Block| {
        let walk = walks.lock().expect("no thread panics while it holds the list").pop();
        let (found, walk) = block.classify(walk.unwrap_or_else(|| classifier.walk()), folders);
        walks.lock().expect("no thread panics while it holds the list").push(walk);
        done.lock().expect("no thread panics while it holds the list").push((number, found));
    };
    let complete = rayon::in_place_scope(|scope| {
        let mut block = Block::default();
        let mut number = 0;
        let complete = read(&mut |entry| {
            block.push(&entry);
            if block.entries.len() == BLOCK {
                let full = std::mem::take(&mut block);
                let (work, at) = (&work, number);
                scope.spawn(move |_| work(at, &full));
                number += 1;
            }
        })?;
        work(number, &block);
        Ok::<bool, Fatal>(complete)
    })?;
    let mut parts = done.into_inner().expect("no thread panics while it holds the list");
    parts.sort_by_key(|(number, _)| *number);
    let mut all = Indexed::default();
    parts.into_iter().for_each(|(_, part)| all.append(part));
    Ok(complete.then_some(all))
}

impl Indexed {
    fn append(&mut self, part: Self) {
        self.wanted.extend(part.wanted);
        self.folders.extend(part.folders);
        self.submodules.extend(part.submodules);
        self.paths += part.paths;
    }
}

/// Some entries, their paths in one buffer.
#[derive(Default)]
struct Block {
    paths: Vec<u8>,
    entries: Vec<Stored>,
}

struct Stored {
    end: u32,
    id: gix::ObjectId,
    kind: IndexKind,
    skip_worktree: bool,
}

impl Block {
    fn push(&mut self, entry: &IndexEntry<'_>) {
        if self.entries.is_empty() {
            self.entries.reserve_exact(BLOCK);
        }
        self.paths.extend_from_slice(entry.path);
        let IndexEntry { id, kind, skip_worktree, .. } = *entry;
        self.entries.push(Stored { end: self.paths.len() as u32, id, kind, skip_worktree });
    }

    fn classify<'c>(&self, walk: Walk<'c, Want>, folders: bool) -> (Indexed, Walk<'c, Want>) {
        let mut gather =
            Gather { automaton: walk, wants: Vec::new(), folder: Vec::new(), folders, found: Indexed::default() };
        let mut start = 0;
        for Stored { end, id, kind, skip_worktree } in &self.entries {
            let path = &self.paths[start..*end as usize];
            gather.entry(IndexEntry { path, id: *id, kind: *kind, skip_worktree: *skip_worktree });
            start = *end as usize;
        }
        (gather.found, gather.automaton)
    }
}

/// Goes through a block once.
struct Gather<'c> {
    automaton: Walk<'c, Want>,
    wants: Vec<Want>,
    folder: Vec<u8>,
    folders: bool,
    found: Indexed,
}

impl Gather<'_> {
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
                wants: self.wants.clone(),
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
