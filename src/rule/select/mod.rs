//! Which rules want a path: globs as component sequences, and one classifier over all of them.

mod classify;
mod derive;
mod files;
mod first;
mod pattern;

pub(crate) use classify::Excludes;
pub use classify::{Classifier, Folder, Walk};
pub(crate) use derive::derive;
pub use pattern::{BadGlob, Pattern};
pub(crate) use pattern::{Dir, dirs_match};
