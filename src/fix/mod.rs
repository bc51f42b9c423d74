//! Mending collisions: the side that yields gets another name, and all that belongs to it goes along.
//!
//! What is to be done is planned first, over texts in memory: [`Draft`] holds what becomes of which file. Only [`apply`] writes, all or
//! nothing.

mod adr;
pub mod apply;
mod atlas;
mod chain;
mod class;
mod disk;
mod draft;
mod follow;
mod numbers;
mod patch;

pub use chain::Chained;
pub(crate) use chain::rechain;
pub use disk::WorkingFolder;
pub use draft::{Disk, Draft, Touched};
pub use numbers::{Renumber, renumber};
pub use patch::patch;

pub use follow::follow;

use crate::diag::RepoPath;

/// One file that gets another name, and what changed in the name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moved {
    /// The path now.
    pub from: RepoPath,
    /// The path after the fix.
    pub to: RepoPath,
    /// The key that the path holds now, as it is written.
    pub old: String,
    /// The key that it will hold.
    pub new: String,
}

/// The last component of a path, as text; none where it is not UTF-8.
pub(crate) fn file_name(path: &RepoPath) -> Option<&str> {
    std::str::from_utf8(path.file_name()).ok()
}

/// The path of a file in a folder.
pub(crate) fn in_folder(folder: &[u8], name: &str) -> RepoPath {
    match folder {
        [] => RepoPath::from(name),
        _ => RepoPath::new(&[folder, b"/", name.as_bytes()].concat()),
    }
}
