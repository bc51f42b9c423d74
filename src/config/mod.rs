//! What a repository says about its own names: the configuration, and how strictly files of a person's hand are read.

pub mod change;
mod discover;
mod file;
mod globs;
mod levels;
mod mistake;
mod model;
mod nearest;
mod schema;
pub mod strict;

pub use discover::{NAMES, discover};
pub use file::{ConfigFile, KnownCodes};
pub use globs::Globs;
pub use levels::{Level, Levels};
pub(crate) use mistake::position;
pub use mistake::{FileKind, Mistake};
pub use model::{Allow, Config, FleetConfig, Namespace};
pub use nearest::nearest;
pub use schema::schema;
