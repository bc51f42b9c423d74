//! What a commit of the index would change.

use super::{
    Folders,
    compare::{Delta, Leaf, compare},
    git,
    index_file::{IndexFile, Keep},
};
use crate::{
    error::Fatal,
    report::Incomplete,
    source::{Changed, Git},
};

/// What is staged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Staged {
    /// HEAD against the index, sorted by path. Where only the right to run a file differs, both versions are equal.
    pub changes: Vec<Changed>,
    /// Paths whose merge is open: what will be committed is not known yet.
    pub incomplete: Vec<Incomplete>,
}

impl Git {
    /// What a commit would change: HEAD against the index, which is `GIT_INDEX_FILE` where that is set, as in a hook of `git commit PATH`.
    /// All is new before the first commit.
    ///
    /// # Errors
    /// The index or a tree of HEAD can't be read.
    pub fn staged(&self, folders: Folders<'_>) -> Result<Staged, Fatal> {
        let repo = self.repo.to_thread_local();
        let head = repo.head().map_err(git)?.id();
        let tree = head.map(|head| head.object().and_then(|head| head.peel_to_tree())).transpose().map_err(git)?;
        let index = IndexFile::open(&repo, &repo.index_path(), Keep::Few, &self.counters)?;
        let deltas = compare(&repo, tree.map(|tree| tree.id), &index, folders, &self.counters)?;
        let mut staged = Staged::default();
        for delta in deltas {
            if delta.unmerged {
                staged.incomplete.push(unmerged(&delta.path.lossy()));
            } else {
                staged.changes.extend(changed(delta));
            }
        }
        Ok(staged)
    }
}

/// A path whose merge is open.
pub(super) fn unmerged(path: &str) -> Incomplete {
    let why = "its merge is open, so what will be committed is not known; resolve it and `git add` it".into();
    Incomplete { what: path.to_owned(), why }
}

/// None where submodules alone are concerned.
fn changed(delta: Delta) -> Option<Changed> {
    let (old, new) = (delta.old.and_then(Leaf::version), delta.new.and_then(Leaf::version));
    (old.is_some() || new.is_some()).then_some(Changed { path: delta.path, old, new })
}
