//! Names in XML: the texts of the elements at given paths, such as `urlset/url/loc`.
//!
//! A plain document goes through a scanner that only looks at tags. At the first thing that is not plain the document is
//! read again from its start by a real parser, which alone decides what is well-formed.

mod feed;
mod paths;
mod repeats;
mod scan;
mod stream;
mod tag;

use std::io::{self, Read};

pub use paths::ElementPaths;

use super::{ExtractError, Found, carry::Halt};

/// Bytes read at once; with a parser's buffers a file costs about half a megabyte of memory.
const CHUNK: usize = 128 * 1024;
/// Elements inside each other.
const MAX_DEPTH: usize = 256;
/// Bytes of one name, blanks around it included.
const MAX_TEXT: usize = 64 * 1024;

/// What the extraction tells its sink.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum XmlEvent<'a> {
    /// One name.
    Name {
        /// Which of the paths it stands at.
        path: usize,
        /// The text, trimmed and with entities resolved, and where it stands in the (inflated) file.
        found: Found<'a>,
    },
    /// All names told so far are void: the document is read again, or it is none.
    Restart,
}

/// How an extraction ended that found nothing wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The document was read to its end.
    Names {
        /// How many names were told since the last restart.
        names: u64,
        /// How many (inflated) bytes the document has.
        bytes: u64,
    },
    /// The file is a template that some generator fills in: it takes no names of its own.
    Template,
}

/// Opens the bytes of one document from their start; may be called twice.
pub type Open<'o, 'r> = &'o mut dyn FnMut() -> io::Result<Box<dyn Read + 'r>>;

/// Tells `sink` the text of every element at one of `paths`, in document order. A text that is blank is no name.
///
/// Fails on anything that is not one well-formed document in UTF-8; names told before the error stand, and the caller must not
/// take them for all. Only elements in the root's namespace count, whatever their prefix.
pub fn extract(
    paths: &ElementPaths,
    open: Open<'_, '_>,
    sink: &mut dyn FnMut(XmlEvent<'_>),
) -> Result<Outcome, ExtractError> {
    let mut source = open().map_err(|error| read_error(&error))?;
    if let Ok(Some((names, bytes))) = scan::scan(paths, &mut *source, CHUNK, sink) {
        return Ok(Outcome::Names { names, bytes });
    }
    drop(source);
    sink(XmlEvent::Restart);
    parse(paths, open, CHUNK, sink)
}

/// [`extract`] by the parser alone: slower, and what the scanner is held against.
#[doc(hidden)]
pub fn extract_by_parser(
    paths: &ElementPaths,
    open: Open<'_, '_>,
    sink: &mut dyn FnMut(XmlEvent<'_>),
) -> Result<Outcome, ExtractError> {
    parse(paths, open, CHUNK, sink)
}

fn parse(
    paths: &ElementPaths,
    open: Open<'_, '_>,
    chunk: usize,
    sink: &mut dyn FnMut(XmlEvent<'_>),
) -> Result<Outcome, ExtractError> {
    let source = open().map_err(|error| read_error(&error))?;
    match stream::stream(paths, source, chunk, sink) {
        Ok((names, bytes)) => Ok(Outcome::Names { names, bytes }),
        Err(Halt::Template) => {
            sink(XmlEvent::Restart);
            Ok(Outcome::Template)
        }
        Err(Halt::Failed(error)) => Err(error),
    }
}

fn read_error(error: &io::Error) -> ExtractError {
    match Halt::from(error) {
        Halt::Failed(error) => error,
        Halt::Template => ExtractError::Read(error.to_string()),
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

/// Letters and digits of a name, generously: all beyond ASCII count.
fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b':') || byte >= 0x80
}

fn starts_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte >= 0x80
}

#[cfg(test)]
mod tests;
