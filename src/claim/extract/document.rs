//! What JSON, YAML and TOML have in common: a tree of values that knows where in the file each stands.

use std::{borrow::Cow, ops::Range};

use super::ExtractError;

/// Values inside each other.
pub(super) const MAX_DEPTH: usize = 128;

/// One value and its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The bytes of the file that the value stands in; a quoted string without its quotes.
    pub span: Range<usize>,
    /// The value.
    pub kind: Kind,
}

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// No value.
    Null,
    /// True or false.
    Bool(bool),
    /// A number, as it is written.
    Number(String),
    /// A text, its escapes resolved; in TOML also a date or time.
    String(String),
    /// Values in order.
    Array(Vec<Node>),
    /// Members in the order of the file. A key can occur twice where the format lets it.
    Object(Vec<(Key, Node)>),
}

/// The name of a member and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// The name, its escapes resolved.
    pub text: String,
    /// The bytes of the file that it stands in, without quotes.
    pub span: Range<usize>,
}

impl Node {
    /// The text of a string, number or truth value; none for anything else.
    pub fn scalar(&self) -> Option<Cow<'_, str>> {
        match &self.kind {
            Kind::Number(text) | Kind::String(text) => Some(Cow::Borrowed(text)),
            Kind::Bool(value) => Some(Cow::Borrowed(if *value { "true" } else { "false" })),
            Kind::Null | Kind::Array(_) | Kind::Object(_) => None,
        }
    }
}

/// A file as text without its byte order mark, and how many bytes that took.
pub(super) fn text(bytes: &[u8]) -> Result<(&str, usize), ExtractError> {
    let text = std::str::from_utf8(bytes).map_err(|error| ExtractError::Encoding(error.valid_up_to()))?;
    Ok(match text.strip_prefix('\u{FEFF}') {
        Some(rest) => (rest, '\u{FEFF}'.len_utf8()),
        None => (text, 0),
    })
}

pub(super) fn too_deep() -> ExtractError {
    ExtractError::TooLarge(format!("values nest more than {MAX_DEPTH} deep"))
}

/// The part of a file as it was before its byte order mark was taken off.
pub(super) fn shifted(span: Range<usize>, by: usize) -> Range<usize> {
    span.start + by..span.end + by
}

/// The line of a byte, from 1.
pub(super) fn line_at(text: &str, at: usize) -> usize {
    1 + memchr::memchr_iter(b'\n', &text.as_bytes()[..at.min(text.len())]).count()
}
