//! What a repository says about its own names: the configuration, and how strictly files of a person's hand are read.

mod mistake;
mod nearest;
pub mod strict;

pub(crate) use mistake::position;
pub use mistake::{FileKind, Mistake};
pub use nearest::nearest;
