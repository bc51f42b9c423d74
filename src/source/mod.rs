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
    report::{Incomplete, Skipped},
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

/// Who wants which entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit {
    /// Index into [`Listing::entries`].
    pub entry: u32,
    /// Who wants it.
    pub want: Want,
}

/// The wanted paths of a tree, sorted by path, then by place; hits sorted by entry.
#[derive(Debug, Default)]
pub struct Listing {
    /// Each wanted path once; of several trees, each of its versions.
    pub entries: Vec<Entry>,
    /// Who wants them.
    pub hits: Vec<Hit>,
    /// What could not be listed.
    pub incomplete: Vec<Incomplete>,
    /// What was left out by choice.
    pub skipped: Vec<Skipped>,
}

impl Listing {
    /// Takes in what a second look found.
    pub(crate) fn merge(&mut self, other: Self) {
        let before = self.entries.len() as u32;
        self.hits.extend(other.hits.into_iter().map(|hit| Hit { entry: hit.entry + before, want: hit.want }));
        self.entries.extend(other.entries);
        self.incomplete.extend(other.incomplete);
        self.sort();
    }

    /// This listing, which is in order, with these entries among its own. Of the same version of a path all wants count.
    pub(crate) fn with(mut self, mut new: Vec<(Entry, Vec<Want>)>) -> Self {
        new.sort_by(|a, b| a.0.order().cmp(&b.0.order()));
        let found = new.iter().map(|(entry, _)| self.entries.binary_search_by(|own| own.order().cmp(&entry.order())));
        let places: Vec<usize> = found.filter_map(Result::err).collect();
        if places.len() < new.len() || !new.is_sorted_by(|a, b| a.0.order() < b.0.order()) {
            new.iter().for_each(|(entry, wants)| self.push(entry.clone(), wants));
            self.sort();
            return self;
        }
        let mut before = 0; // new entries that come before a hit's
        for hit in &mut self.hits {
            while places.get(before).is_some_and(|place| *place <= hit.entry as usize) {
                before += 1;
            }
            hit.entry += before as u32;
        }
        for ((entry, wants), at) in new.into_iter().zip(places.iter().enumerate().map(|(before, place)| place + before))
        {
            self.entries.push(entry);
            self.hits.extend(wants.into_iter().map(|want| Hit { entry: at as u32, want }));
        }
        self.entries.sort_by(|a, b| a.order().cmp(&b.order())); // two lists in order, which become one
        self.sort_hits();
        self
    }

    /// Puts entries in order of their paths and lets hits follow. Sources gather them in any order.
    pub(crate) fn sort(&mut self) {
        if self.entries.is_sorted_by(|a, b| a.order() < b.order()) {
            self.sort_hits();
            return;
        }
        let mut order: Vec<u32> = (0..self.entries.len() as u32).collect();
        order.sort_by(|a, b| self.entries[*a as usize].order().cmp(&self.entries[*b as usize].order()));
        let mut place = vec![0u32; order.len()];
        let mut sorted: Vec<Entry> = Vec::with_capacity(order.len());
        for before in order {
            let entry = &self.entries[before as usize];
            if sorted.last().is_none_or(|last| last.order() != entry.order()) {
                sorted.push(entry.clone());
            }
            place[before as usize] = sorted.len() as u32 - 1;
        }
        self.entries = sorted;
        self.hits.iter_mut().for_each(|hit| hit.entry = place[hit.entry as usize]);
        self.sort_hits();
    }

    fn sort_hits(&mut self) {
        self.hits.sort_by_key(|hit| (hit.entry, hit.want));
        self.hits.dedup();
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::rule::What;

    proptest! {
        #[test]
        fn new_entries_come_to_lie_where_sorting_all_would_put_them(
            own in prop::collection::vec((0u8..9, 0u8..3, 0u16..4), 0..12),
            new in prop::collection::vec((0u8..9, 0u8..3, 0u16..4), 0..6),
        ) {
            let entry = |(path, place, rule): &(u8, u8, u16)| {
                let place = Place::Worktree(u16::from(*place));
                let entry = Entry { path: RepoPath::new(&[b'a' + path]), kind: EntryKind::File, place };
                (entry, vec![Want { rule: *rule, what: What::Claim(0) }])
            };
            let listing = |all: &[(u8, u8, u16)]| {
                let mut listing = Listing::default();
                all.iter().map(entry).for_each(|(entry, wants)| listing.push(entry, &wants));
                listing.sort();
                listing
            };
            let sorted = listing(&[own.as_slice(), &new].concat());
            let with = listing(&own).with(new.iter().map(entry).collect());
            prop_assert_eq!((with.entries, with.hits), (sorted.entries, sorted.hits));
        }
    }
}
