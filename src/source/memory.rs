//! A tree in memory: the examples of rule files, and tests.

use std::{
    collections::BTreeMap,
    io::{self, Cursor, Read},
    sync::Arc,
};

use gix::ObjectId;

use super::{Changed, Counters, Entry, EntryKind, Listing, Place, Tree, Version, WantLists};
use crate::{
    diag::{Holder, RepoPath},
    error::Fatal,
    rule::{Want, select::Classifier},
};

/// Files by path, and contents by their id as git's blobs.
#[derive(Debug, Default)]
pub struct MemoryTree {
    files: BTreeMap<RepoPath, ObjectId>,
    blobs: BTreeMap<ObjectId, Arc<[u8]>>,
    counters: Counters,
}

impl MemoryTree {
    /// A tree of these files.
    pub fn new<'a>(files: impl IntoIterator<Item = (&'a [u8], &'a [u8])>) -> Self {
        let mut tree = Self::default();
        for (path, bytes) in files {
            let id = tree.remember(bytes);
            tree.files.insert(RepoPath::new(path), id);
        }
        tree
    }

    /// Keeps a content that no path of the tree has, so that it can be read by its id.
    pub fn remember(&mut self, bytes: &[u8]) -> ObjectId {
        let id = gix::objs::compute_hash(gix::hash::Kind::Sha1, gix::objs::Kind::Blob, bytes)
            .expect("nothing in memory is made to collide in SHA-1");
        self.blobs.entry(id).or_insert_with(|| bytes.into());
        id
    }

    /// Puts a file at a path, and says where its bytes are: at that path in the first worktree of a run.
    pub fn put(&mut self, path: RepoPath, bytes: &[u8]) -> Place {
        let id = self.remember(bytes);
        self.files.insert(path, id);
        Place::Worktree(0)
    }

    /// What would have to change for the tree to hold these files and no others.
    pub fn changes<'a>(&mut self, files: impl IntoIterator<Item = (&'a [u8], &'a [u8])>) -> Vec<Changed> {
        let wanted: BTreeMap<RepoPath, ObjectId> =
            files.into_iter().map(|(path, bytes)| (RepoPath::new(path), self.remember(bytes))).collect();
        let version = |id: &ObjectId| Version { kind: EntryKind::File, place: Place::Blob(*id) };
        let paths: std::collections::BTreeSet<&RepoPath> = self.files.keys().chain(wanted.keys()).collect();
        let change = |path: &RepoPath| {
            let (old, new) = (self.files.get(path).map(version), wanted.get(path).map(version));
            (old != new).then(|| Changed { path: path.clone(), old, new })
        };
        paths.into_iter().filter_map(change).collect()
    }

    fn bytes(&self, entry: &Entry) -> io::Result<&Arc<[u8]>> {
        match entry.place {
            Place::Blob(id) => self.blobs.get(&id).ok_or_else(|| io::ErrorKind::NotFound.into()),
            Place::Worktree(0) => self
                .files
                .get(&entry.path)
                .and_then(|id| self.blobs.get(id))
                .ok_or_else(|| io::ErrorKind::NotFound.into()),
            Place::Disk | Place::Worktree(_) => Err(io::ErrorKind::NotFound.into()),
        }
    }
}

impl Tree for MemoryTree {
    fn list(&self, classifier: &Classifier<Want>) -> Result<Listing, Fatal> {
        let mut listing = Listing::default();
        let (mut walk, mut lists) = (classifier.walk(), WantLists::default());
        self.counters.paths(self.files.len() as u64);
        for (path, id) in &self.files {
            let mut wants = Vec::new();
            walk.path(path.as_bytes(), |want| wants.push(want));
            if !wants.is_empty() {
                let entry = Entry { path: path.clone(), kind: EntryKind::File, place: Place::Blob(*id) };
                listing.push(entry, lists.of(&wants));
            }
        }
        listing.sort();
        Ok(listing)
    }

    fn open(&self, entry: &Entry) -> io::Result<Box<dyn Read + Send>> {
        let bytes = self.bytes(entry)?;
        self.counters.opened();
        self.counters.bytes(bytes.len() as u64);
        Ok(Box::new(Cursor::new(Arc::clone(bytes))))
    }

    fn size(&self, entry: &Entry) -> Option<u64> {
        self.bytes(entry).ok().map(|bytes| bytes.len() as u64)
    }

    fn link_target(&self, _: &Entry) -> io::Result<Vec<u8>> {
        Err(io::ErrorKind::NotFound.into())
    }

    fn holder(&self) -> Holder {
        Holder::head(None)
    }

    fn counters(&self) -> &Counters {
        &self.counters
    }
}
