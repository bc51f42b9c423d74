//! Which lines of work there are, and what is uncommitted in them.

mod ask;
mod compare;
mod compose;
mod find;
mod folders;
mod group;
mod index_file;
mod index_tree;
mod known;
mod look;
mod names;
mod newest;
mod on_disk;
mod refs;
mod remotes;
mod staged;
mod trunk;
mod uncommitted;
mod worktrees;

pub use ask::{Ask, Candidate, Found, HeadRef, Pull, Since};
pub use compose::compose;
pub use index_tree::IndexTree;
pub use refs::{Branch, Branches};
pub use staged::Staged;
pub use trunk::Trunk;
pub(super) use trunk::of_origin;
pub use uncommitted::Uncommitted;
pub use worktrees::{MAIN_WORKTREE, Worktree, Worktrees};

use crate::error::Fatal;

pub(crate) use super::git::Folders;

/// What git's data could not tell.
fn git(error: impl std::fmt::Display) -> Fatal {
    Fatal::Git(error.to_string())
}

/// The text of a name of git's, which can hold any bytes; no two names have one text, since git allows no backslash in them.
fn text(name: &[u8]) -> String {
    match std::str::from_utf8(name) {
        Ok(text) => text.to_owned(),
        Err(_) => bstr::ByteSlice::escape_bytes(name).to_string(),
    }
}
