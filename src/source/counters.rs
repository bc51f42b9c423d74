//! What a run touched: the same numbers on every machine, so that tests can hold the cost.

use std::{
    fmt,
    sync::atomic::{AtomicU64, Ordering},
};

/// Counters that all threads share.
#[derive(Debug, Default)]
pub struct Counters {
    paths: AtomicU64,
    opened: AtomicU64,
    bytes: AtomicU64,
    trees: AtomicU64,
    tree_bytes: AtomicU64,
    inflated: AtomicU64,
    commits: AtomicU64,
    blobs: AtomicU64,
    lstat: AtomicU64,
    readdir: AtomicU64,
}

/// The counters at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Paths that were classified.
    pub paths: u64,
    /// Files on disk that were opened.
    pub opened: u64,
    /// Bytes that were read from files.
    pub bytes: u64,
    /// git trees that were read.
    pub trees: u64,
    /// How long these trees are together.
    pub tree_bytes: u64,
    /// Bytes that came out of git's compression for commits and trees.
    pub inflated: u64,
    /// Commits of the trunk that were visited to find where lines of work left it.
    pub commits: u64,
    /// git blobs that were read.
    pub blobs: u64,
    /// Questions about a single path (`lstat`).
    pub lstat: u64,
    /// Folders that were listed.
    pub readdir: u64,
}

impl Counters {
    pub(crate) fn paths(&self, count: u64) {
        self.paths.fetch_add(count, Ordering::Relaxed);
    }
    pub(crate) fn opened(&self) {
        self.opened.fetch_add(1, Ordering::Relaxed);
    }
    pub(crate) fn bytes(&self, count: u64) {
        self.bytes.fetch_add(count, Ordering::Relaxed);
    }
    pub(crate) fn tree(&self) {
        self.trees.fetch_add(1, Ordering::Relaxed);
    }
    pub(crate) fn trees(&self, count: u64, bytes: u64) {
        self.trees.fetch_add(count, Ordering::Relaxed);
        self.tree_bytes.fetch_add(bytes, Ordering::Relaxed);
    }
    pub(crate) fn inflated(&self, count: u64) {
        self.inflated.fetch_add(count, Ordering::Relaxed);
    }
    pub(crate) fn commits(&self, count: u64) {
        self.commits.fetch_add(count, Ordering::Relaxed);
    }
    pub(crate) fn blob(&self) {
        self.blobs.fetch_add(1, Ordering::Relaxed);
    }
    pub(crate) fn blobs(&self, count: u64) {
        self.blobs.fetch_add(count, Ordering::Relaxed);
    }
    pub(crate) fn lstat(&self) {
        self.lstat.fetch_add(1, Ordering::Relaxed);
    }
    pub(crate) fn readdir(&self) {
        self.readdir.fetch_add(1, Ordering::Relaxed);
    }

    /// The numbers now.
    pub fn now(&self) -> Stats {
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Stats {
            paths: get(&self.paths),
            opened: get(&self.opened),
            bytes: get(&self.bytes),
            trees: get(&self.trees),
            tree_bytes: get(&self.tree_bytes),
            inflated: get(&self.inflated),
            commits: get(&self.commits),
            blobs: get(&self.blobs),
            lstat: get(&self.lstat),
            readdir: get(&self.readdir),
        }
    }
}

impl fmt::Display for Stats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { paths, opened, bytes, trees, tree_bytes, inflated, commits, blobs, lstat, readdir } = self;
        write!(f, "paths {paths}\nopened {opened}\nbytes {bytes}\ntrees {trees}\ntree-bytes {tree_bytes}\n")?;
        write!(f, "inflated {inflated}\ncommits {commits}\nblobs {blobs}\nlstat {lstat}\nreaddir {readdir}\n")
    }
}

impl std::ops::AddAssign for Stats {
    fn add_assign(&mut self, other: Self) {
        self.paths += other.paths;
        self.opened += other.opened;
        self.bytes += other.bytes;
        self.trees += other.trees;
        self.tree_bytes += other.tree_bytes;
        self.inflated += other.inflated;
        self.commits += other.commits;
        self.blobs += other.blobs;
        self.lstat += other.lstat;
        self.readdir += other.readdir;
    }
}
