//! Reads for the code rules what they ask for.

use std::{
    io,
    sync::{Arc, Mutex, MutexGuard, OnceLock},
};

use foldhash::HashMap;
use gix::ObjectId;

use super::{ByCode, history::Restored, standing::all_paths};
use crate::{
    diag::RepoPath,
    engine::{Fleet, PARSED_LIMIT, fleet::Versions},
    report::Incomplete,
    rule::change::{File, Ground, Past},
    source::{Changed, Commit, Entry, EntryKind, Line, Place, Tree, Version},
};

/// What a change is read from.
pub(super) struct Read<'a> {
    fleet: &'a Fleet<'a>,
    by_code: &'a ByCode<'a>,
    line: &'a Line,
    files: &'a [File],
    tree: Versions<'a>,
    paths: OnceLock<Result<Vec<RepoPath>, String>>,
    commits: OnceLock<Result<Vec<Commit>, String>>,
    /// Blobs that were read: several rules ask for the same ones.
    blobs: Mutex<HashMap<ObjectId, Arc<[u8]>>>,
}

/// More blobs than so many, or longer ones in bytes, are read again.
const KEPT: usize = 2_000;
const SHORT: usize = 32 << 10;

impl<'a> Read<'a> {
    pub(super) fn new(fleet: &'a Fleet<'a>, by_code: &'a ByCode<'a>, line: &'a Line, files: &'a [File]) -> Self {
        let tree = Versions { trunk: fleet.trunk, worktrees: &fleet.worktrees };
        let (paths, commits, blobs) = (OnceLock::new(), OnceLock::new(), Mutex::default());
        Self { fleet, by_code, line, files, tree, paths, commits, blobs }
    }

    fn blobs(&self) -> MutexGuard<'_, HashMap<ObjectId, Arc<[u8]>>> {
        self.blobs.lock().expect("no thread panics while it holds the blobs")
    }

    /// The trunk's paths, without what the change removes, and with what it adds.
    fn merged(&self) -> Result<Vec<RepoPath>, String> {
        let mut paths = all_paths(self.fleet.trunk)?;
        let removes = |path: &RepoPath| {
            let at = self.files.binary_search_by(|file| file.path.cmp(path));
            at.is_ok_and(|at| self.files[at].is_removed())
        };
        paths.retain(|path| !removes(path));
        paths.extend(self.files.iter().filter(|file| !file.is_removed()).map(|file| file.path.clone()));
        paths.sort();
        paths.dedup();
        Ok(paths)
    }
}

/// What was made once, made now if need be. Not in the cell's own way: what makes it works on all threads, and a thread that waits for the
/// others may take up a task that asks for the same.
fn once<T>(cell: &OnceLock<T>, make: impl FnOnce() -> T) -> &T {
    if cell.get().is_none() {
        let _ = cell.set(make()); // another thread may have been faster
    }
    cell.get().expect("it was just set")
}

/// A version as git would store it.
pub(super) fn stored(
    tree: &Versions<'_>,
    path: &RepoPath,
    version: &Version,
    hash: gix::hash::Kind,
) -> io::Result<Version> {
    if !version.place.is_on_disk() {
        return Ok(*version);
    }
    let bytes = read(tree, path, version)?;
    let id = gix::objs::compute_hash(hash, gix::objs::Kind::Blob, &bytes).map_err(io::Error::other)?;
    Ok(Version { kind: version.kind, place: Place::Blob(id) })
}

/// What stands at a version of a path: a file's bytes, or a link's target.
fn read(tree: &Versions<'_>, path: &RepoPath, version: &Version) -> io::Result<Vec<u8>> {
    let entry = Entry { path: path.clone(), kind: version.kind, place: version.place };
    match version.kind {
        EntryKind::File => tree.read(&entry, PARSED_LIMIT),
        EntryKind::Link => tree.link_target(&entry),
    }
}

impl Ground for Read<'_> {
    fn read(&self, path: &RepoPath, version: &Version) -> io::Result<Arc<[u8]>> {
        let blob = match version.place {
            Place::Blob(id) => Some(id),
            Place::Disk | Place::Worktree(_) => None,
        };
        if let Some(known) = blob.and_then(|id| self.blobs().get(&id).cloned()) {
            return Ok(known);
        }
        let bytes: Arc<[u8]> = read(&self.tree, path, version)?.into();
        if let Some(id) = blob.filter(|_| bytes.len() <= SHORT && self.blobs().len() < KEPT) {
            self.blobs().insert(id, Arc::clone(&bytes));
        }
        Ok(bytes)
    }

    fn merge(&self, path: &RepoPath, texts: [&[u8]; 3]) -> Option<Vec<u8>> {
        self.fleet.history.merge_text(self.fleet.commit, path, texts)
    }

    fn merged_paths(&self) -> Result<&[RepoPath], String> {
        once(&self.paths, || self.merged()).as_deref().map_err(Clone::clone)
    }

    fn trunk_holds(&self, path: &RepoPath) -> Result<bool, String> {
        self.fleet.commit.map_or(Ok(false), |commit| self.by_code.history.holds(commit, path))
    }

    fn on_trunk(&self, path: &RepoPath) -> io::Result<Option<Arc<[u8]>>> {
        let Some(commit) = self.fleet.commit else { return Ok(None) };
        let version = self.by_code.history.at(commit, path).map_err(io::Error::other)?;
        version.map(|version| self.read(path, &version)).transpose()
    }

    fn commits(&self) -> Result<&[Commit], String> {
        let read = || self.by_code.history.said(&self.line.own);
        once(&self.commits, read).as_deref().map_err(Clone::clone)
    }

    fn done_by(&self, commit: &Commit) -> Result<Vec<Changed>, String> {
        self.by_code.history.done_by(commit)
    }

    fn given_up(&self, files: &[usize]) -> Past {
        let Some(fork) = self.line.fork else { return Past::default() };
        let mut past = Past::default();
        let mut wanted = Vec::with_capacity(files.len());
        for at in files {
            let File { path, after, before, .. } = &self.files[*at];
            match after.map(|after| stored(&self.tree, path, &after, fork.kind())).transpose() {
                Ok(after) => wanted.push(Restored { file: *at, path, after, is_new: before.is_none() }),
                Err(error) => past.incomplete.push(Incomplete {
                    what: self.files[*at].path.lossy().into_owned(),
                    why: format!("can't be read: {error}"),
                }),
            }
        }
        past.extend(self.by_code.history.given_up(fork, &wanted, self.by_code.now));
        past
    }

    fn last_touched(&self, paths: &[RepoPath], oldest: i64) -> Result<Vec<Option<i64>>, String> {
        match self.fleet.commit {
            Some(commit) => self.by_code.history.last_touched(commit, paths, oldest),
            None => Ok(vec![None; paths.len()]),
        }
    }

    fn now(&self) -> i64 {
        self.by_code.now
    }
}

#[cfg(test)]
mod tests {
    use std::{
        sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
        thread,
        time::Duration,
    };

    use super::*;

    #[test]
    fn a_thread_that_waits_for_a_part_may_be_given_a_task_that_asks_for_the_whole() {
        let (cell, taken, times) = (OnceLock::new(), AtomicBool::new(false), AtomicUsize::new(0));
        let until_taken = || {
            while !taken.load(SeqCst) {
                thread::yield_now()
            }
        };
        let part = || {
            taken.store(true, SeqCst);
            thread::sleep(Duration::from_millis(100));
        };
        let make = || {
            if times.fetch_add(1, SeqCst) == 0 {
                rayon::join(until_taken, part);
            }
            7
        };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("threads can be had");
        let ask = || pool.install(|| *once(&cell, make));
        thread::scope(|scope| {
            let first = scope.spawn(ask);
            until_taken();
            assert_eq!((ask(), first.join().expect("it ends")), (7, 7));
        });
    }
}
