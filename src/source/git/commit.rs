//! The tree of one commit.

use std::{
    io::{self, Read},
    sync::Arc,
};

use gix::ObjectId;
use rayon::prelude::*;

use super::{
    Git,
    objects::Objects,
    reader::Reader,
    tree::{DEEPEST, Entries, Mode},
};
use crate::{
    diag::{Holder, RepoPath},
    error::Fatal,
    report::Incomplete,
    rule::{
        Want,
        select::{Classifier, Folder, Walk},
    },
    source::{Counters, Entry, Listing, Place, Tree, WantLists, too_large},
};

/// Longest file that is opened, in bytes; rules ask for less.
const OPEN_LIMIT: u64 = 1 << 30;
/// As many folders as keep all threads busy to the end.
const TASKS: usize = 256;
/// Entries of one listing, at most: a few objects can stand for more than would ever end.
const MOST_ENTRIES: u64 = 1 << 26;

/// The files of one commit, read from git's object store.
pub struct CommitTree<'g> {
    git: &'g Git,
    top: ObjectId,
    holder: Holder,
}

impl Git {
    /// The tree of a commit, held by `holder`.
    ///
    /// # Errors
    /// The commit can't be read.
    pub fn tree(&self, commit: ObjectId, holder: Holder) -> Result<CommitTree<'_>, Fatal> {
        Ok(CommitTree { git: self, top: self.facts(commit)?.tree, holder })
    }

    /// What there is before the first commit: a tree without a file, which opens blobs all the same.
    pub fn empty_tree(&self, holder: Holder) -> CommitTree<'_> {
        let hash = self.repo.to_thread_local().object_hash();
        CommitTree { git: self, top: ObjectId::empty_tree(hash), holder }
    }
}

/// A folder that is still to be listed.
struct Task {
    /// With a `/` at the end; empty for the top.
    path: Vec<u8>,
    id: ObjectId,
    depth: usize,
}

/// Lists folders for one thread.
struct Lister<'l, 'c> {
    reader: &'l mut Reader,
    automaton: &'l mut Walk<'c, Want>,
    wants: Vec<Want>,
    lists: WantLists,
    listing: Listing,
    seen: u64,
}

impl Lister<'_, '_> {
    /// Lists a folder, without what lies in the folders inside it: those are given back.
    fn level(&mut self, task: &Task) -> Result<Vec<Task>, String> {
        let mut folders = Vec::new();
        let state = self.automaton.folder_of(&task.path);
        self.entries(task, state, &mut |_, below, _| {
            folders.push(below);
            Ok(())
        })?;
        Ok(folders)
    }

    /// Lists a folder and all below it.
    fn all(&mut self, task: &Task, state: Folder) -> Result<(), String> {
        self.entries(task, state, &mut |lister, below, inside| lister.all(&below, inside))
    }

    /// Lists what lies in a folder itself, and gives the folders inside it to `enter`. A folder that can't be read is incomplete; without the
    /// top there is no tree.
    fn entries(
        &mut self,
        task: &Task,
        state: Folder,
        enter: &mut dyn FnMut(&mut Self, Task, Folder) -> Result<(), String>,
    ) -> Result<(), String> {
        let done = self.read_entries(task, state, enter);
        if self.seen > MOST_ENTRIES {
            return Err(format!("the tree holds more than {MOST_ENTRIES} files"));
        }
        match (done, task.path.strip_suffix(b"/")) {
            (Err(why), Some(path)) => {
                let what = RepoPath::new(path).lossy().into_owned();
                self.listing.incomplete.push(Incomplete { what, why });
                Ok(())
            }
            (done, _) => done,
        }
    }

    fn read_entries(
        &mut self,
        task: &Task,
        state: Folder,
        enter: &mut dyn FnMut(&mut Self, Task, Folder) -> Result<(), String>,
    ) -> Result<(), String> {
        let bytes: Arc<Vec<u8>> =
            self.reader.tree(&task.id).map_err(|unread| self.reader.explain(&task.id, &unread))?;
        let mut entries = Entries::new(&bytes, task.id.kind());
        for entry in entries.by_ref() {
            if entry.mode == Mode::Folder {
                let inside = self.automaton.enter(state, entry.name);
                if self.automaton.is_dead(inside) {
                    continue;
                }
                if task.depth == DEEPEST {
                    return Err(format!(
                        "folders nested deeper than {DEEPEST}; such a tree can't be checked out either"
                    ));
                }
                let path = [&task.path, entry.name, b"/"].concat();
                enter(self, Task { path, id: entry.id.to_owned(), depth: task.depth + 1 }, inside)?;
                continue;
            }
            self.seen += 1;
            let Some(kind) = entry.mode.kind() else { continue };
            self.wants.clear();
            let wants = &mut self.wants;
            self.automaton.file(state, entry.name, |want| wants.push(want));
            if !self.wants.is_empty() {
                let path = RepoPath::new(&[&task.path, entry.name].concat());
                let entry = Entry { path, kind, place: Place::Blob(entry.id.to_owned()) };
                self.listing.push(entry, self.lists.of(&self.wants));
            }
        }
        if entries.is_sound() { Ok(()) } else { Err(self.reader.malformed(&task.id)) }
    }
}

impl CommitTree<'_> {
    /// The id of the tree.
    pub(super) fn top(&self) -> ObjectId {
        self.top
    }

    /// Runs some work with a lister of its own; what was listed, and how many entries were seen.
    fn list_with<'c, T>(
        &self,
        automaton: &mut Walk<'c, Want>,
        work: impl FnOnce(&mut Lister<'_, 'c>) -> Result<T, String>,
    ) -> Result<(T, Listing, u64), Fatal> {
        let mut reader = self.git.reader();
        let (wants, lists, listing) = (Vec::new(), WantLists::default(), Listing::default());
        let mut lister = Lister { reader: &mut reader, automaton, wants, lists, listing, seen: 0 };
        let done = work(&mut lister).map_err(Fatal::Git)?;
        Ok((done, lister.listing, lister.seen))
    }

    fn blob_of(&self, entry: &Entry, limit: u64) -> io::Result<Vec<u8>> {
        self.git.blob(id_of(entry)?, limit)
    }
}

fn id_of(entry: &Entry) -> io::Result<ObjectId> {
    match entry.place {
        Place::Blob(id) => Ok(id),
        Place::Disk | Place::Worktree(_) => Err(io::ErrorKind::NotFound.into()),
    }
}

impl Tree for CommitTree<'_> {
    fn list(&self, classifier: &Classifier<Want>) -> Result<Listing, Fatal> {
        let mut tasks = vec![Task { path: Vec::new(), id: self.top, depth: 0 }];
        let mut listing = Listing::default();
        let mut seen = 0;
        let mut take = |listed: Listing, count: u64| {
            listing.append(listed);
            seen += count;
        };
        let mut automaton = classifier.walk();
        while !tasks.is_empty() && tasks.len() < TASKS {
            let level = |lister: &mut Lister<'_, '_>| {
                let inside: Result<Vec<Vec<Task>>, String> = tasks.iter().map(|task| lister.level(task)).collect();
                Ok(inside?.into_iter().flatten().collect())
            };
            let (inside, listed, count) = self.list_with(&mut automaton, level)?;
            tasks = inside;
            take(listed, count);
        }
        if tasks.is_empty() {
            self.git.counters.paths(seen);
            listing.sort();
            return Ok(listing);
        }
        let parts: Result<Vec<(Listing, u64)>, Fatal> = tasks
            .par_chunks(tasks.len().div_ceil(TASKS).max(1))
            .map_init(
                || classifier.walk(),
                |automaton, tasks| {
                    let all = |lister: &mut Lister<'_, '_>| {
                        tasks.iter().try_for_each(|task| {
                            let state = lister.automaton.folder_of(&task.path);
                            lister.all(task, state)
                        })
                    };
                    self.list_with(automaton, all).map(|((), listed, count)| (listed, count))
                },
            )
            .collect();
        parts?.into_iter().for_each(|(listed, count)| take(listed, count));
        self.git.counters.paths(seen);
        listing.sort();
        Ok(listing)
    }

    fn open(&self, entry: &Entry) -> io::Result<Box<dyn Read + Send>> {
        Ok(Box::new(io::Cursor::new(self.blob_of(entry, OPEN_LIMIT)?)))
    }

    fn read(&self, entry: &Entry, limit: u64) -> io::Result<Vec<u8>> {
        self.blob_of(entry, limit).map_err(|error| match error.kind() {
            io::ErrorKind::FileTooLarge => too_large(limit),
            _ => error,
        })
    }

    fn size(&self, entry: &Entry) -> Option<u64> {
        self.git.reader().size(&id_of(entry).ok()?).ok()
    }

    fn read_at(&self, entry: &Entry, offset: u64, length: usize) -> io::Result<Vec<u8>> {
        let mut blob = self.blob_of(entry, OPEN_LIMIT)?;
        let start = usize::try_from(offset).map_or(blob.len(), |offset| offset.min(blob.len()));
        blob.drain(..start);
        blob.truncate(length);
        Ok(blob)
    }

    fn link_target(&self, entry: &Entry) -> io::Result<Vec<u8>> {
        self.blob_of(entry, 1 << 20)
    }

    fn holder(&self) -> Holder {
        self.holder.clone()
    }

    fn counters(&self) -> &Counters {
        &self.git.counters
    }
}
