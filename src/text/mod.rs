//! Texts: from byte offsets to lines and columns, and the few lines around a site.

pub(crate) mod clip;
pub mod diff;
mod line;
mod lines;
pub mod sql;

pub use lines::{Located, Locator, locate, locate_in};
