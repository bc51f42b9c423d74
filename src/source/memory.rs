//! A tree in memory: the examples of rule files, and tests.

use std::{
    collections::BTreeMap,
    io::{self, Cursor, Read},
    sync::Arc,
};

use super::{Counters, Entry, EntryKind, Hit, Listing, Place, Tree};
use crate::{
    diag::{Holder, RepoPath},
    error::Fatal,
    rule::{Want, select::Classifier},
};

/// Files by path.
#[derive(Debug, Default)]
pub struct MemoryTree {
    files: BTreeMap<RepoPath, Arc<[u8]>>,
    counters: Counters,
}

impl MemoryTree {
    /// A tree of these files.
    pub fn new<'a>(files: impl IntoIterator<Item = (&'a [u8], &'a [u8])>) -> Self {
        let files = files.into_iter().map(|(path, bytes)| (RepoPath::new(path), bytes.into())).collect();
        Self { files, counters: Counters::default() }
    }
}

impl Tree for MemoryTree {
    fn list(&self, classifier: &Classifier<Want>) -> Result<Listing, Fatal> {
        let mut listing = Listing::default();
        let mut walk = classifier.walk();
        self.counters.paths(self.files.len() as u64);
        for path in self.files.keys() {
            let entry = listing.entries.len() as u32;
            let before = listing.hits.len();
            walk.path(path.as_bytes(), |want| listing.hits.push(Hit { entry, want }));
            if listing.hits.len() > before {
                listing.entries.push(Entry { path: path.clone(), kind: EntryKind::File, place: Place::Disk });
            }
        }
        listing.sort();
        Ok(listing)
    }

    fn open(&self, entry: &Entry) -> io::Result<Box<dyn Read + Send>> {
        let bytes = self.files.get(&entry.path).ok_or(io::ErrorKind::NotFound)?;
        self.counters.opened();
        self.counters.bytes(bytes.len() as u64);
        Ok(Box::new(Cursor::new(Arc::clone(bytes))))
    }

    fn size(&self, entry: &Entry) -> Option<u64> {
        self.files.get(&entry.path).map(|bytes| bytes.len() as u64)
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
