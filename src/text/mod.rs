//! Texts: from byte offsets to lines and columns, and the few lines around a site.

pub(crate) mod clip;
pub(crate) mod count;
pub mod diff;
mod line;
mod lines;
pub mod sql;

pub use lines::{Located, Locator, locate, locate_in};

/// The bytes with a `?` in place of each that is no part of a character: text of the same length.
pub(crate) fn same_length(bytes: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.extend_from_slice(chunk.valid().as_bytes());
        text.extend(chunk.invalid().iter().map(|_| b'?'));
    }
    text
}
