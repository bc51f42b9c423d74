//! A look at the files of a worktree: which differ from its index, and which are new.

use std::{
    fs,
    path::Path,
    sync::atomic::{AtomicBool, Ordering::Relaxed},
};

use foldhash::HashMap;
use rayon::prelude::*;

use super::{
    Folders, Worktree,
    known::{AllKnown, Known},
    on_disk::Disk,
};
use crate::{
    diag::RepoPath,
    rule::{
        Want, What,
        select::{Classifier, Excludes, Pattern},
    },
    source::{
        Counters, EntryKind,
        ignored::Everywhere,
        walk::{self, Tracked, Walked},
    },
};

/// A look at a worktree.
pub(super) struct Look<'a> {
    known: &'a AllKnown<'a>,
    by_path: HashMap<&'a [u8], usize>,
    disk: Disk<'a>,
    /// Whether files are left out on purpose: then one that is there all the same counts.
    sparse: bool,
}

/// What differs on disk from the index; none at a path where nothing is left.
pub(super) type Differing = (RepoPath, Option<EntryKind>);

impl<'a> Look<'a> {
    pub(super) fn new(
        shared: &'a gix::ThreadSafeRepository,
        worktree: &'a Worktree,
        known: &'a AllKnown<'a>,
        written: (u32, u32),
        counters: &'a Counters,
    ) -> Self {
        let repo = shared.to_thread_local();
        let disk = Disk::new(shared, &repo, &worktree.path, written, counters);
        Self { known, by_path: known.by_path(), disk, sparse: is_sparse(&repo, worktree) }
    }

    pub(super) fn find(&self, path: &[u8]) -> Option<&Known<'a>> {
        self.by_path.get(path).map(|at| &self.known.entries[*at])
    }

    /// Whether the entry counts as it is in the index, whatever is on disk.
    fn is_left_alone(&self, known: &Known<'_>) -> bool {
        !known.unmerged && (known.assume_unchanged || known.skip_worktree && !self.sparse)
    }

    /// Lists what is there, tracked files that are surely unchanged left out, and says which entries are there.
    pub(super) fn walk(
        &self,
        top: &Path,
        folders: Folders<'_>,
        everywhere: &Everywhere,
        counters: &Counters,
    ) -> (Walked, Vec<AtomicBool>) {
        let there: Vec<AtomicBool> = self.known.entries.iter().map(|_| AtomicBool::new(false)).collect();
        let is_known = |path: &[u8], listed: &fs::DirEntry| {
            let Some(at) = self.by_path.get(path) else { return false };
            let known = &self.known.entries[*at];
            there[*at].store(true, Relaxed);
            if known.unmerged || known.intent_to_add || self.is_left_alone(known) {
                return self.is_left_alone(known);
            }
            counters.lstat();
            listed.metadata().is_ok_and(|meta| self.disk.is_surely(known, &meta))
        };
        let tracked = Tracked {
            folders: &self.known.folders,
            submodules: &self.known.submodules,
            is_tracked: &|path| self.by_path.contains_key(path),
            is_known: Some(&is_known),
        };
        let walked = match folders {
            Folders::Wanted(classifier) => walk::walk(top, classifier, &tracked, everywhere, counters),
            Folders::All => walk::walk(top, &everything_wanted(), &tracked, everywhere, counters),
        };
        (walked, there)
    }

    /// Compares with the index what was not known already, on all threads. Sorted by path.
    pub(super) fn differing(&self, walked: &Walked, there: &[AtomicBool]) -> Vec<Differing> {
        let differing = walked.files.par_iter().filter(|file| match self.find(file.path.as_bytes()) {
            Some(known) => known.unmerged || known.intent_to_add || self.disk.differs(known),
            None => true, // untracked
        });
        let mut found: Vec<Differing> = differing.map(|file| (file.path.clone(), Some(file.kind))).collect();
        let is_unlisted = |path: &[u8]| {
            let is_above = |folder: &[u8]| match path.strip_prefix(folder) {
                Some(rest) => folder.is_empty() || rest.starts_with(b"/"),
                None => false,
            };
            walked.unlisted.iter().any(|folder| is_above(folder))
        };
        let gone = self.known.entries.iter().zip(there).filter(|(known, there)| {
            !there.load(Relaxed) && !known.skip_worktree && !known.assume_unchanged && !is_unlisted(&known.path)
        });
        found.extend(gone.map(|(known, _)| (RepoPath::new(&known.path), None)));
        found.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        found
    }
}

fn everything_wanted() -> Classifier<Want> {
    let mut classifier = Classifier::default();
    for pattern in Pattern::parse("**/*").into_iter().flatten() {
        classifier.add(pattern, Want { rule: Want::NO_RULE, what: What::Attributes }, Excludes::Nothing);
    }
    classifier
}

/// Whether files are left out of a worktree on purpose: then one that is there all the same counts.
fn is_sparse(repo: &gix::Repository, worktree: &Worktree) -> bool {
    let own = worktree.git_dir.join("config.worktree");
    let own = gix::config::File::from_path_no_includes(own, gix::config::Source::Worktree).ok();
    let own = own.and_then(|own| own.boolean("core.sparseCheckout").ok().flatten());
    own.unwrap_or_else(|| repo.config_snapshot().boolean("core.sparseCheckout").unwrap_or(false))
}
