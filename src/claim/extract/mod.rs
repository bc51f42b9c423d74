//! From the bytes of one file to the names that it takes. Pure: no files, no git, no clock.

mod carry;
pub mod gzip;
pub mod xml;

use std::{borrow::Cow, ops::Range};

/// One name in one text, as it stands there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found<'a> {
    /// The name before normalisation (entities and escapes already resolved).
    pub key: Cow<'a, str>,
    /// The bytes of the file that the name stands in.
    pub span: Range<usize>,
    /// Named parts beside the key: regex groups, or fields of the document.
    pub fields: Vec<(&'a str, Cow<'a, str>)>,
}

/// Why a file gave no names, or not all of them.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExtractError {
    /// The text does not parse.
    #[error("{format} does not parse at line {line}: {message}")]
    Syntax {
        /// `XML`, `JSON`, `YAML` or `TOML`.
        format: &'static str,
        /// From 1.
        line: usize,
        /// The parser's own words, one line.
        message: String,
    },
    /// Nested or expanded beyond what is safe to hold.
    #[error("{0}")]
    TooLarge(String),
    /// Not text in the encoding that the format asks for.
    #[error("not valid UTF-8 at byte {0}")]
    Encoding(usize),
    /// The bytes could not be had.
    #[error("cannot be read: {0}")]
    Read(String),
}
pub mod document;
pub mod json;
pub mod line;
pub mod toml;
pub mod yaml;
/// stand-in
#[derive(Debug)]
pub enum Take {
    Value,
    Name,
}
/// stand-in
#[derive(Debug)]
pub struct Query;
impl Query {
    pub fn new(_: &str, _: Take, _: Vec<(String, Query)>) -> Result<Self, String> {
        Ok(Self)
    }
    pub fn run(&self, _: &document::Node, _: &mut dyn FnMut(Found<'_>)) {}
}
