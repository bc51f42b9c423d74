//! The index as a tree: what a commit would hold.

use std::io::{self, Cursor, Read};

use super::staged::unmerged;
use crate::{
    diag::Holder,
    error::Fatal,
    rule::{Want, select::Classifier},
    source::{Counters, Entry, Git, Listing, Place, Tree, chunks, too_large},
};

/// The index, byte for byte what a commit of it would hold; nothing on disk is looked at.
pub struct IndexTree {
    repo: gix::ThreadSafeRepository,
    commit: Option<String>,
    counters: Counters,
}

impl Git {
    /// The index as a tree; `GIT_INDEX_FILE` where that is set. Empty where there is none.
    pub fn index_tree(&self) -> IndexTree {
        let repo = self.repo.to_thread_local();
        let commit = repo.head().ok().and_then(|head| head.id()).map(|id| id.to_string());
        IndexTree { repo: self.repo.clone(), commit, counters: Counters::default() }
    }
}

impl IndexTree {
    fn blob(&self, entry: &Entry) -> io::Result<Vec<u8>> {
        let Place::Blob(id) = entry.place else { return Err(io::Error::other("not a file of the index")) };
        let repo = self.repo.to_thread_local();
        let blob = repo.find_object(id).map_err(io::Error::other)?.into_blob();
        self.counters.blob();
        Ok(blob.detach().data)
    }
}

impl Tree for IndexTree {
    fn list(&self, classifier: &Classifier<Want>) -> Result<Listing, Fatal> {
        let indexed = chunks::index_of(&self.repo.to_thread_local(), classifier, false, &self.counters)?;
        let mut listing = Listing::default();
        for wanted in indexed.wanted.into_iter().filter(|wanted| !wanted.intent_to_add) {
            if wanted.unmerged {
                listing.incomplete.push(unmerged(&wanted.path.lossy()));
                continue;
            }
            let entry = Entry { path: wanted.path, kind: wanted.kind, place: Place::Blob(wanted.id) };
            listing.push(entry, wanted.wants);
        }
        listing.sort();
        Ok(listing)
    }

    fn open(&self, entry: &Entry) -> io::Result<Box<dyn Read + Send>> {
        Ok(Box::new(Cursor::new(self.blob(entry)?)))
    }

    fn read(&self, entry: &Entry, limit: u64) -> io::Result<Vec<u8>> {
        if self.size(entry).is_some_and(|size| size > limit) {
            return Err(too_large(limit));
        }
        self.blob(entry)
    }

    fn size(&self, entry: &Entry) -> Option<u64> {
        let Place::Blob(id) = entry.place else { return None };
        Some(self.repo.to_thread_local().find_header(id).ok()?.size())
    }

    fn read_at(&self, entry: &Entry, offset: u64, length: usize) -> io::Result<Vec<u8>> {
        let blob = self.blob(entry)?;
        let start = usize::try_from(offset).map_or(blob.len(), |offset| offset.min(blob.len()));
        Ok(blob[start..blob.len().min(start.saturating_add(length))].to_vec())
    }

    fn link_target(&self, entry: &Entry) -> io::Result<Vec<u8>> {
        self.blob(entry)
    }

    fn holder(&self) -> Holder {
        Holder::head(self.commit.clone())
    }

    fn counters(&self) -> &Counters {
        &self.counters
    }
}
