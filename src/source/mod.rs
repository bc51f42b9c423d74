//! Where bytes come from. A tree lists the paths that somebody wants, and opens them.

#![expect(clippy::disallowed_methods, reason = "this is where bytes come from")]

mod chunks;
mod counters;
mod folder;
mod git;
mod ignored;
mod index;
mod line;
pub mod lines;
mod listing;
mod made;
mod memory;
mod near;
pub(crate) mod path;
mod remote;
mod walk;
mod work;
mod worktree;

pub use counters::{Counters, Stats};
pub use folder::PlainFolder;
pub use git::{
    Arrivals, Commit, CommitTree, Comparison, End, Folders, Git, Grown, Growth, Meeting, Merges, RememberedTree, Step,
    Steps, Stop, StopKind, TextMerger, Touch, merge_plain_text,
};
pub use line::{Changed, Line, ReadVersion, Version};
pub(crate) use lines::compose;
pub use lines::{Ask, HeadRef, Pull, Since, Trunk, Worktree};
pub(crate) use listing::WantLists;
pub use listing::{Hit, Listing, Wants};
pub use made::Stamp;
pub use memory::MemoryTree;
pub use near::Near;
pub use remote::{Failed, Pushed, Remote, Supply, Update};
pub use work::{Head, Work};
pub use worktree::{Untracked, WorkingTree};

use std::io::{self, Read};

use crate::{
    diag::{Holder, RepoPath},
    error::Fatal,
    rule::{Want, select::Classifier},
};

/// What stands at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A symbolic link; never followed.
    Link,
}

/// Where the bytes of an entry are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// At its path on disk.
    Disk,
    /// In git's object store.
    Blob(gix::ObjectId),
    /// At its path in the linked worktree of this number, see [`Line`].
    Worktree(u16),
}

impl Place {
    /// Whether nothing of it is committed or staged.
    pub fn is_on_disk(self) -> bool {
        !matches!(self, Self::Blob(_))
    }
}

/// A path that somebody wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The path.
    pub path: RepoPath,
    /// What stands there.
    pub kind: EntryKind,
    /// Where its bytes are.
    pub place: Place,
}

impl Entry {
    fn order(&self) -> (&RepoPath, Place) {
        (&self.path, self.place)
    }
}

/// A tree of files: a working tree, a plain folder, later an index or a commit.
pub trait Tree: Send + Sync {
    /// Lists what the classifier wants.
    ///
    /// # Errors
    /// Only what makes the whole tree unusable. A folder that can't be read is listed under `incomplete`.
    fn list(&self, classifier: &Classifier<Want>) -> Result<Listing, Fatal>;

    /// Opens a file that was listed.
    ///
    /// # Errors
    /// The file is gone, may not be read, is no regular file, or its object is missing.
    fn open(&self, entry: &Entry) -> io::Result<Box<dyn Read + Send>>;

    /// Reads a file whole, up to a limit.
    ///
    /// # Errors
    /// As for [`Tree::open`]; `FileTooLarge` where the file is longer than `limit`.
    fn read(&self, entry: &Entry, limit: u64) -> io::Result<Vec<u8>> {
        let size = self.size(entry).unwrap_or(0);
        if size > limit {
            return Err(too_large(limit));
        }
        let mut bytes = Vec::with_capacity(size as usize + 1);
        self.open(entry)?.take(limit + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > limit {
            return Err(too_large(limit));
        }
        Ok(bytes)
    }

    /// The size in bytes, where it is known without reading.
    fn size(&self, entry: &Entry) -> Option<u64>;

    /// A part of a file that was listed: at most `length` bytes from `offset`.
    ///
    /// # Errors
    /// As for [`Tree::open`].
    fn read_at(&self, entry: &Entry, offset: u64, length: usize) -> io::Result<Vec<u8>> {
        let mut file = self.open(entry)?;
        io::copy(&mut file.by_ref().take(offset), &mut io::sink())?;
        let mut bytes = Vec::with_capacity(length.min(1 << 16));
        file.take(length as u64).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// What stands for an entry's content as it is now; none where nothing is kept of it.
    fn stamp(&self, _entry: &Entry) -> Option<Stamp> {
        None
    }

    /// What an earlier run made, under this name, of the content that a stamp stands for.
    fn recall(&self, _stamp: &Stamp, _name: u64) -> Option<Vec<u8>> {
        None
    }

    /// Keeps what was made of an entry's content for later runs, if the stamp that was taken before it was read still stands for it.
    fn keep(&self, _entry: &Entry, _stamp: &Stamp, _name: u64, _made: &[u8]) {}

    /// Where a symbolic link points, as its text.
    ///
    /// # Errors
    /// The link is gone or may not be read.
    fn link_target(&self, entry: &Entry) -> io::Result<Vec<u8>>;

    /// Whose tree it is.
    fn holder(&self) -> Holder;

    /// What was counted so far.
    fn counters(&self) -> &Counters;
}

fn too_large(limit: u64) -> io::Error {
    io::Error::new(io::ErrorKind::FileTooLarge, format!("larger than {} MiB", limit >> 20))
}
