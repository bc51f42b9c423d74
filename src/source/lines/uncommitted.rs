//! What is uncommitted in a worktree.

use std::cmp::Ordering;

use super::{
    Folders, Worktree,
    compare::{Delta, Leaf, compare},
    git,
    index_file::{IndexFile, Keep},
    known::AllKnown,
    look::{Differing, Look},
};
use crate::{
    error::Fatal,
    report::Incomplete,
    source::{Changed, Git, Place, Version, ignored::Everywhere},
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
        let index = IndexFile::open(&repo, &file, Keep::All, &self.counters)?;
        let tree = worktree.head.map(|head| repo.find_commit(head)?.tree_id()).transpose().map_err(git)?;
        let staged = compare(&repo, tree.map(|tree| tree.detach()), &index, folders, &self.counters)?;
        let known = AllKnown::of(&index, folders, &repo, &worktree.path, &self.counters)?;
        self.counters.paths(known.entries.len() as u64);
        let look = Look::new(&self.repo, worktree, &known, index.written, &self.counters);
        let (walked, there) = look.walk(&worktree.path, folders, &Everywhere::of(&repo), &self.counters);
        let changes = changes(staged, look.differing(&walked, &there), &look, number);
        Ok(Uncommitted { changes, incomplete: walked.incomplete })
    }
}

/// Puts together what is staged and what differs on disk; both are sorted by path.
fn changes(staged: Vec<Delta>, on_disk: Vec<Differing>, look: &Look<'_>, number: u16) -> Vec<Changed> {
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
            None => look.find(path.as_bytes()).filter(|known| !known.intent_to_add).map(|known| known.leaf),
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
