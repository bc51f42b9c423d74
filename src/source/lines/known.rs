//! What an index knows of the files of a worktree.

use std::{borrow::Cow, fs, path::Path};

use super::{
    Folders,
    compare::{Leaf, mode},
    index_file::IndexFile,
};
use crate::{
    diag::parent,
    error::Fatal,
    rule::{Want, select::Walk},
    source::{
        Counters,
        index::{self, IndexEntry, IndexKind, Stat},
        path,
    },
};
use foldhash::{HashMap, HashSet, HashSetExt};

/// An entry that is looked at on disk.
pub(super) struct Known<'a> {
    pub(super) path: Cow<'a, [u8]>,
    pub(super) leaf: Leaf,
    pub(super) stat: Stat,
    pub(super) skip_worktree: bool,
    pub(super) assume_unchanged: bool,
    pub(super) intent_to_add: bool,
    pub(super) unmerged: bool,
}

/// What an index knows.
pub(super) struct AllKnown<'a> {
    /// The wanted entries, sorted by path, each path once. No submodules.
    pub(super) entries: Vec<Known<'a>>,
    /// All folders that hold an entry somewhere below them.
    pub(super) folders: HashSet<Box<[u8]>>,
    pub(super) submodules: HashSet<Box<[u8]>>,
}

/// Goes through an index once.
struct Gather<'a, 'c> {
    automaton: Option<Walk<'c, Want>>,
    /// The folder of the last entry.
    folder: Vec<u8>,
    all: AllKnown<'a>,
}

impl<'a> AllKnown<'a> {
    /// Goes through an index. Sparse folders count as there where they are on disk, below `top`.
    pub(super) fn of(
        index: &'a IndexFile,
        folders: Folders<'_>,
        repo: &gix::Repository,
        top: &Path,
        counters: &Counters,
    ) -> Result<Self, Fatal> {
        let automaton = match folders {
            Folders::All => None,
            Folders::Wanted(classifier) => Some(classifier.walk()),
        };
        let all = Self { entries: Vec::new(), folders: HashSet::new(), submodules: HashSet::new() };
        let mut gather = Gather { automaton, folder: Vec::new(), all };
        let mut cursor = index.cursor();
        let mut before: &[u8] = b"";
        while let Some(entry) = cursor.peek()? {
            cursor.skip(1);
            if entry.path == before {
                continue; // another stage
            }
            before = entry.path;
            if entry.kind != IndexKind::SparseFolder {
                gather.add(Cow::Borrowed(entry.path), &entry);
                continue;
            }
            let folder = entry.path.strip_suffix(b"/").unwrap_or(entry.path);
            counters.lstat();
            if fs::symlink_metadata(path::below(top, folder)).is_ok_and(|meta| meta.is_dir()) {
                index::spell_out(repo, entry.id, folder, 0, counters, &mut |inside| {
                    gather.add(Cow::Owned(inside.path.to_vec()), &inside);
                })?;
            }
        }
        Ok(gather.all)
    }

    /// The numbers of the entries by their paths.
    pub(super) fn by_path(&self) -> HashMap<&[u8], usize> {
        self.entries.iter().enumerate().map(|(at, known)| (&*known.path, at)).collect()
    }
}

impl<'a> Gather<'a, '_> {
    fn add(&mut self, path: Cow<'a, [u8]>, entry: &IndexEntry<'_>) {
        if entry.kind == IndexKind::Submodule {
            self.all.submodules.insert((*path).into());
            return;
        }
        self.folder_of(&path);
        let mut is_wanted = self.automaton.is_none();
        self.automaton.iter_mut().for_each(|automaton| automaton.path(&path, |_| is_wanted = true));
        if is_wanted {
            self.all.entries.push(Known {
                path,
                leaf: Leaf { mode: mode(entry), id: entry.id },
                stat: entry.stat(),
                skip_worktree: entry.skip_worktree,
                assume_unchanged: entry.assume_unchanged,
                intent_to_add: entry.intent_to_add,
                unmerged: entry.unmerged,
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
        while !folder.is_empty() && self.all.folders.insert(folder.into()) {
            folder = parent(folder);
        }
    }
}
