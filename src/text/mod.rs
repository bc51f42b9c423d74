//! Texts: from byte offsets to lines and columns, and the few lines around a site.

pub(crate) mod clip;
mod line;
mod lines;
pub mod sql;

pub use lines::{Located, Locator, locate, locate_in};
