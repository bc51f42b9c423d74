//! What git stores: commits, trees and blobs, and what lines of work change.

mod cache;
mod commit;
mod delta;
mod history;
mod loose;
mod merge;
mod merged;
mod objects;
mod packs;
mod reader;
pub(in crate::source) mod remembered;
mod said;
mod steps;
#[cfg(test)]
mod testing;
mod trace;
mod tree;

use std::{
    collections::BTreeSet,
    io,
    path::Path,
    sync::{Arc, Mutex, OnceLock},
};

use gix::{ObjectId, oid};

pub use self::{
    commit::CommitTree,
    history::{Arrivals, Grown, Growth},
    merge::{Meeting, Merges, Stop, StopKind, TextMerger, merge_plain_text},
    remembered::RememberedTree,
    said::Commit,
    steps::{Comparison, End, Step, Steps},
    trace::Touch,
    tree::Folders,
};
use self::{
    objects::Unread,
    packs::Packs,
    reader::Reader,
    tree::{Entries, Gate, Mode},
};
use super::{Changed, Counters, Version, worktree::is_no_repository};
use crate::{config::nearest, error::Fatal};

/// A repository of git, bare or not.
pub struct Git {
    pub(super) repo: gix::ThreadSafeRepository,
    pub(super) counters: Counters,
    /// Readers that nobody uses right now.
    idle: Mutex<Vec<Reader>>,
    packs: OnceLock<Arc<Packs>>,
    partial: OnceLock<bool>,
    /// Blobs that somebody wanted to read and that this clone lacks.
    missing: Mutex<BTreeSet<ObjectId>>,
    /// Merges texts by the attributes of the trunk.
    merger: OnceLock<TextMerger>,
}

impl Git {
    /// The repository that a folder lies in; none where there is none. `GIT_DIR` and its like are honoured.
    ///
    /// # Errors
    /// A repository that can't be opened.
    pub fn discover(folder: &Path) -> Result<Option<Self>, Fatal> {
        Self::found(gix::ThreadSafeRepository::discover_with_environment_overrides(folder))
    }

    /// As [`Git::discover`], whatever the environment says.
    ///
    /// # Errors
    /// As for [`Git::discover`].
    pub fn open(folder: &Path) -> Result<Option<Self>, Fatal> {
        Self::found(gix::ThreadSafeRepository::discover(folder))
    }

    fn found(discovered: Result<gix::ThreadSafeRepository, gix::Error>) -> Result<Option<Self>, Fatal> {
        match discovered {
            Ok(repo) => {
                let counters = Counters::default();
                let (packs, partial, merger) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
                Ok(Some(Self {
                    repo,
                    counters,
                    idle: Mutex::default(),
                    packs,
                    partial,
                    missing: Mutex::default(),
                    merger,
                }))
            }
            Err(error) if is_no_repository(&error) => Ok(None),
            Err(error) => Err(Fatal::Git(error.to_string())),
        }
    }

    /// The commit that a branch, tag, remote-tracking branch or id stands for.
    ///
    /// # Errors
    /// There is no such name, or it stands for no commit.
    pub fn commit(&self, name: &str) -> Result<ObjectId, Fatal> {
        let repo = self.repo.to_thread_local();
        let commit = |id: gix::Id<'_>| match self.reader().commit(&id) {
            Ok(_) => Some(id.detach()), // gix would open all packs once more to say so
            Err(_) => Some(id.object().ok()?.peel_to_commit().ok()?.id),
        };
        repo.rev_parse_single(name).ok().and_then(commit).ok_or_else(|| {
            let references = repo.references().ok();
            let all = references.as_ref().and_then(|all| all.all().ok());
            let names: Vec<String> =
                all.into_iter().flatten().flatten().map(|one| one.name().shorten().to_string()).collect();
            Fatal::unknown_ref(name, nearest(name, names.iter().map(String::as_str)))
        })
    }

    /// When a commit was made (committer's clock), in seconds since 1970.
    ///
    /// # Errors
    /// The commit can't be read.
    pub fn tip_time(&self, commit: ObjectId) -> Result<i64, Fatal> {
        Ok(self.facts(commit)?.time)
    }

    /// What is different between the trees of two commits, sorted by path. No old commit at all is an empty tree.
    ///
    /// # Errors
    /// A commit or tree can't be read.
    pub fn diff(&self, old: Option<ObjectId>, new: ObjectId, folders: Folders<'_>) -> Result<Vec<Changed>, Fatal> {
        let old = old.map(|old| Ok(self.facts(old)?.tree)).transpose()?;
        let new = self.facts(new)?.tree;
        let changes = match folders {
            Folders::All => tree::diff_all(self, old, Some(new)),
            Folders::Wanted(_) => tree::diff(&mut self.reader(), &mut Gate::new(folders), old, Some(new)),
        };
        changes.map_err(Fatal::Git)
    }

    /// What stands at a path in a commit; none where nothing does, or a folder or submodule.
    ///
    /// # Errors
    /// The commit, or a tree on the way, can't be read.
    pub fn at(&self, commit: ObjectId, path: &[u8]) -> Result<Option<Version>, Fatal> {
        let mut folder = self.facts(commit)?.tree;
        let mut reader = self.reader();
        let mut rest = path;
        loop {
            let bytes = reader.tree(&folder).map_err(|unread| self.fatal(&folder, &unread))?;
            let (name, below) = match memchr::memchr(b'/', rest) {
                Some(end) => (&rest[..end], Some(&rest[end + 1..])),
                None => (rest, None),
            };
            let is_meant = |mode| (mode == Mode::Folder) == below.is_some();
            let mut entries = Entries::new(&bytes, folder.kind());
            match (entries.find(|entry| entry.name == name && is_meant(entry.mode)), below) {
                (Some(entry), None) => return Ok(entry.version()),
                (Some(entry), Some(below)) => (folder, rest) = (entry.id.to_owned(), below),
                (None, _) if entries.is_sound() => return Ok(None),
                (None, _) => return Err(Fatal::Git(reader.malformed(&folder))),
            }
        }
    }

    /// The names of the files and folders in a folder of a commit, and which of them is a folder; nothing where there is no such folder.
    ///
    /// # Errors
    /// The commit, or a tree on the way, can't be read.
    pub fn entries_at(&self, commit: ObjectId, folder: &[u8]) -> Result<Vec<(Vec<u8>, bool)>, Fatal> {
        let mut tree = self.facts(commit)?.tree;
        let mut reader = self.reader();
        for name in folder.split(|b| *b == b'/').filter(|name| !name.is_empty()) {
            let bytes = reader.tree(&tree).map_err(|unread| self.fatal(&tree, &unread))?;
            let found =
                Entries::new(&bytes, tree.kind()).find(|entry| entry.name == name && entry.mode == Mode::Folder);
            let Some(next) = found.map(|entry| entry.id.to_owned()) else { return Ok(Vec::new()) };
            tree = next;
        }
        let bytes = reader.tree(&tree).map_err(|unread| self.fatal(&tree, &unread))?;
        let mut entries = Entries::new(&bytes, tree.kind());
        let all = entries.by_ref().filter(|entry| entry.mode == Mode::Folder || entry.version().is_some());
        let all = all.map(|entry| (entry.name.to_vec(), entry.mode == Mode::Folder)).collect();
        if entries.is_sound() { Ok(all) } else { Err(Fatal::Git(reader.malformed(&tree))) }
    }

    /// The bytes of a blob.
    ///
    /// # Errors
    /// `FileTooLarge` where it is longer than `limit`, `NotFound` where this clone lacks it (then the text says how to get it),
    /// `InvalidData` where it is broken or no blob.
    pub fn blob(&self, id: ObjectId, limit: u64) -> io::Result<Vec<u8>> {
        let read = self.reader().blob(&id, limit);
        let bytes = read.map_err(|unread| unread.into_io(&id, self.is_partial()))?;
        Ok(Arc::try_unwrap(bytes).unwrap_or_else(|shared| shared.to_vec()))
    }

    /// The blobs that were asked for so far and that this clone lacks, sorted.
    ///
    /// # Panics
    /// Never: no thread panics while it holds the list.
    pub fn missing(&self) -> Vec<ObjectId> {
        self.missing.lock().expect("no thread panics while it holds the list").iter().copied().collect()
    }

    /// Whether this clone has an object.
    pub fn has(&self, id: &oid) -> bool {
        gix::objs::Exists::exists(&self.repo.to_thread_local().objects, id)
    }

    /// What was read so far.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    fn facts(&self, commit: ObjectId) -> Result<reader::CommitFacts, Fatal> {
        self.reader().commit(&commit).map_err(|unread| self.fatal(&commit, &unread))
    }

    fn packs(&self) -> Arc<Packs> {
        Arc::clone(self.packs.get_or_init(|| Arc::new(Packs::of(&self.repo))))
    }

    fn explain(&self, id: &oid, unread: &Unread) -> String {
        unread.explain(id, self.is_partial())
    }

    fn fatal(&self, id: &oid, unread: &Unread) -> Fatal {
        Fatal::Git(self.explain(id, unread))
    }

    /// Whether the clone leaves objects out on purpose, which its remote promises to have.
    pub fn is_partial(&self) -> bool {
        *self.partial.get_or_init(|| {
            let repo = self.repo.to_thread_local();
            let config = repo.config_snapshot();
            let mut remotes = config.sections_by_name("remote").into_iter().flatten();
            config.string("extensions.partialClone").is_some()
                || remotes.any(|one| one.value("promisor").is_some() || one.value("partialCloneFilter").is_some())
        })
    }
}
