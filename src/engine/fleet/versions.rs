//! One reader for all versions: git's blobs, and files in worktrees.

use std::io::{self, Read};

use crate::{
    diag::Holder,
    error::Fatal,
    rule::{Want, select::Classifier},
    source::{Counters, Entry, Listing, Place, Stamp, Tree},
};

pub(in crate::engine) struct Versions<'a> {
    pub(in crate::engine) trunk: &'a dyn Tree,
    pub(in crate::engine) worktrees: &'a [&'a dyn Tree],
}

impl<'a> Versions<'a> {
    fn of(&self, entry: &Entry) -> io::Result<&'a dyn Tree> {
        match entry.place {
            Place::Worktree(number) => {
                self.worktrees.get(usize::from(number)).copied().ok_or_else(|| io::ErrorKind::NotFound.into())
            }
            Place::Disk | Place::Blob(_) => Ok(self.trunk),
        }
    }
}

impl Tree for Versions<'_> {
    fn list(&self, classifier: &Classifier<Want>) -> Result<Listing, Fatal> {
        self.trunk.list(classifier)
    }

    fn open(&self, entry: &Entry) -> io::Result<Box<dyn Read + Send>> {
        self.of(entry)?.open(entry)
    }

    fn read(&self, entry: &Entry, limit: u64) -> io::Result<Vec<u8>> {
        self.of(entry)?.read(entry, limit)
    }

    fn size(&self, entry: &Entry) -> Option<u64> {
        self.of(entry).ok()?.size(entry)
    }

    fn read_at(&self, entry: &Entry, offset: u64, length: usize) -> io::Result<Vec<u8>> {
        self.of(entry)?.read_at(entry, offset, length)
    }

    fn link_target(&self, entry: &Entry) -> io::Result<Vec<u8>> {
        self.of(entry)?.link_target(entry)
    }

    fn stamp(&self, entry: &Entry) -> Option<Stamp> {
        self.of(entry).ok()?.stamp(entry)
    }

    fn recall(&self, stamp: &Stamp, name: u64) -> Option<Vec<u8>> {
        self.trunk.recall(stamp, name) // worktrees keep nothing
    }

    fn keep(&self, entry: &Entry, stamp: &Stamp, name: u64, made: &[u8]) {
        self.trunk.keep(entry, stamp, name, made);
    }

    fn holder(&self) -> Holder {
        self.trunk.holder()
    }

    fn counters(&self) -> &Counters {
        self.trunk.counters()
    }
}
