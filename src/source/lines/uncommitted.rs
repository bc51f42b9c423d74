//! What is uncommitted in a worktree.

use std::{cmp::Ordering, path::Path};

use rayon::prelude::*;

use super::{
    Folders, Worktree,
    compare::{Delta, Leaf, compare},
    git,
    index_file::IndexFile,
    known::AllKnown,
    on_disk::Disk,
};
use crate::{
    diag::RepoPath,
    error::Fatal,
    report::Incomplete,
    rule::{
        Want, What,
        select::{Classifier, Excludes, Pattern},
    },
    source::{
        Changed, EntryKind, Git, Place, Version,
        ignored::Everywhere,
        walk::{self, Tracked, Walked},
    },
};

/// What is uncommitted in a worktree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Uncommitted {
    /// HEAD against what is there now, sorted by path: staged, changed, deleted, untracked and not ignored. The old version is HEAD's. The new
    /// one is a blob where the index and the disk agree on it, else the file on disk. Where only the right to run a file differs, both
    /// versions can be equal.
    pub changes: Vec<Changed>,
    /// Folders that can't be listed, and what is neither a file nor a link.
    pub incomplete: Vec<Incomplete>,
}

impl Git {
    /// What is uncommitted in a worktree. New versions that are only on disk get `number` for their place.
    ///
    /// Whether a file is changed is told as git does it, from its times and size first and then from its content, with two differences: no
    /// filter of the repository is run, and lines that end in `\r\n` instead of `\n` are no change.
    ///
    /// # Errors
    /// The index or a tree of HEAD can't be read.
    pub fn uncommitted(&self, worktree: &Worktree, number: u16, folders: Folders<'_>) -> Result<Uncommitted, Fatal> {
        let repo = self.repo.to_thread_local();
        let file = if worktree.is_current { repo.index_path() } else { worktree.git_dir.join("index") };
        let index = IndexFile::open(&repo, &file, &self.counters)?;
        let tree = worktree.head.map(|head| repo.find_commit(head)?.tree_id()).transpose().map_err(git)?;
        let staged = compare(&repo, tree.map(|tree| tree.detach()), &index, folders, &self.counters)?;
        let known = AllKnown::of(&index, folders, &repo, &worktree.path, &self.counters)?;
        self.counters.paths(known.entries.len() as u64);
        let walked = self.walk(&repo, &worktree.path, &known, folders);
        let disk = Disk::new(&self.repo, &repo, &worktree.path, index.written, &self.counters);
        let sparse = is_sparse(&repo, worktree);
        let mut found = on_disk(&disk, &known, &walked, sparse);
        found.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        let changes = changes(staged, found, &known, number);
        Ok(Uncommitted { changes, incomplete: walked.incomplete })
    }

    fn walk(&self, repo: &gix::Repository, top: &Path, known: &AllKnown<'_>, folders: Folders<'_>) -> Walked {
        let everything;
        let classifier = match folders {
            Folders::Wanted(classifier) => classifier,
            Folders::All => {
                everything = everything_wanted();
                &everything
            }
        };
        let tracked = Tracked {
            folders: &known.folders,
            submodules: &known.submodules,
            is_tracked: &|path| known.find(path).is_some(),
        };
        walk::walk(top, classifier, &tracked, &Everywhere::of(repo), &self.counters)
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

/// What differs on disk from the index; none at a path where nothing is left.
type Differing = (RepoPath, Option<EntryKind>);

/// Compares files on disk with an index, on all threads. Sorted by nothing.
fn on_disk(disk: &Disk<'_>, known: &AllKnown<'_>, walked: &Walked, sparse: bool) -> Vec<Differing> {
    let mut there = vec![false; known.entries.len()];
    let mut untracked = Vec::new();
    let mut tracked = Vec::new();
    for file in &walked.files {
        match known.entries.binary_search_by(|known| (*known.path).cmp(file.path.as_bytes())) {
            Ok(at) => {
                there[at] = true;
                tracked.push((at, file));
            }
            Err(_) => untracked.push((file.path.clone(), Some(file.kind))),
        }
    }
    let changed = tracked.into_par_iter().with_min_len(32).filter_map(|(at, file)| {
        let known = &known.entries[at];
        let is_left_alone = known.assume_unchanged || known.skip_worktree && !sparse;
        let differs = known.unmerged || (!is_left_alone && (known.intent_to_add || disk.differs(known)));
        differs.then(|| (file.path.clone(), Some(file.kind)))
    });
    let mut found: Vec<Differing> = changed.collect();
    found.extend(untracked);
    let is_unlisted = |path: &[u8]| {
        walked
            .unlisted
            .iter()
            .any(|folder| path.strip_prefix(&**folder).is_some_and(|rest| folder.is_empty() || rest.starts_with(b"/")))
    };
    let gone = known.entries.iter().zip(there).filter(|(known, there)| {
        !there && !known.skip_worktree && !known.assume_unchanged && !is_unlisted(&known.path)
    });
    found.extend(gone.map(|(known, _)| (RepoPath::new(&known.path), None)));
    found
}

/// Puts together what is staged and what differs on disk; both are sorted by path.
fn changes(staged: Vec<Delta>, on_disk: Vec<Differing>, known: &AllKnown<'_>, number: u16) -> Vec<Changed> {
    let mut changes = Vec::new();
    let (mut staged, mut on_disk) = (staged.into_iter().peekable(), on_disk.into_iter().peekable());
    loop {
        let order = match (staged.peek(), on_disk.peek()) {
            (None, None) => return changes,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(delta), Some((path, _))) => delta.path.cmp(path),
        };
        let delta = if order == Ordering::Greater { None } else { staged.next() };
        let disk = if order == Ordering::Less { None } else { on_disk.next() };
        let Some(path) = delta.as_ref().map(|delta| &delta.path).or(disk.as_ref().map(|(path, _)| path)).cloned()
        else {
            return changes;
        };
        let old = match &delta {
            Some(delta) => delta.old,
            None => known.find(path.as_bytes()).filter(|known| !known.intent_to_add).map(|known| known.leaf),
        };
        let new = match (disk, delta) {
            (Some((_, kind)), _) => kind.map(|kind| Version { kind, place: Place::Worktree(number) }),
            (None, Some(delta)) => delta.new.and_then(Leaf::version),
            (None, None) => None,
        };
        let old = old.and_then(Leaf::version);
        if old.is_some() || new.is_some() {
            changes.push(Changed { path, old, new });
        }
    }
}
