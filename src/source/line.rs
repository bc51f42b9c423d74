//! Lines of work: what a branch, a worktree or the head changes since it left the trunk.

use gix::ObjectId;

use super::{EntryKind, Place};
use crate::diag::{Holder, RepoPath};

/// What stands at a path in one state of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    /// A file or a link; submodules are neither, and no change of ours.
    pub kind: EntryKind,
    /// Where its bytes are.
    pub place: Place,
}

/// One path that a line changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    /// The path.
    pub path: RepoPath,
    /// What stands there in the merge base; none where the line adds the path.
    pub old: Option<Version>,
    /// What stands there at the line's end; none where the line removes the path.
    pub new: Option<Version>,
}

/// A branch, a worktree with its uncommitted files, or the head, against its merge base with the trunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Whose work it is.
    pub holder: Holder,
    /// The short name of its branch, where it has one: what tells two lines of one age apart, whoever of them is the head.
    pub branch: Option<String>,
    /// The number of its open pull request, where one is known.
    pub number: Option<u64>,
    /// Its last commit; none where nothing of it is committed and there is no commit at all.
    pub tip: Option<ObjectId>,
    /// The merge base with the trunk; none where there is no trunk yet (before the first commit).
    pub fork: Option<ObjectId>,
    /// Its commits since then, sorted by id.
    pub own: Vec<ObjectId>,
    /// When the first of them was made (committer's clock), in seconds since 1970. None: nothing is committed yet.
    pub started: Option<i64>,
    /// All that it changes, sorted by path, each path once. No renames: one is a removal and an addition.
    pub changes: Vec<Changed>,
}

/// Reads what stands at a path of a line: a file's bytes, or a link's target. Bounded in size by whoever gives it.
pub type ReadVersion<'a> = dyn Fn(&Changed, &Version) -> std::io::Result<Vec<u8>> + Sync + 'a;
