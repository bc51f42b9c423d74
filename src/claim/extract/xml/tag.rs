//! The attributes of a tag, read as strictly as the scanner needs: anything odd is for the parser.

use memchr::memchr;

use super::{is_blank, is_name_byte, scan::Unusual, starts_name};

/// Namespace declarations on one root that the scanner still compares.
const MAX_DECLARED: usize = 16;

/// What follows the name in a start tag.
#[derive(Clone, Copy)]
pub(super) struct Tag {
    /// The place behind its `>`.
    pub(super) end: usize,
    /// Whether it ends with `/>`.
    pub(super) empty: bool,
}

/// The rest of a tag inside the root; none if the text ends in it. It must declare no namespace.
pub(super) fn inner(bytes: &[u8], at: usize) -> Result<Option<Tag>, Unusual> {
    walk(bytes, at, |name, _| if name.starts_with(b"xmlns") { Err(Unusual) } else { Ok(()) })
}

/// The rest of the root's tag; none if the text ends in it. No prefix may stand for the default namespace.
pub(super) fn root(bytes: &[u8], at: usize) -> Result<Option<Tag>, Unusual> {
    let mut default: Option<&[u8]> = None;
    let mut prefixed: Vec<&[u8]> = Vec::new();
    let tag = walk(bytes, at, |name, value| {
        // Namespaces of the standard's own have rules of their own.
        if name == b"xmlns" {
            if default.replace(value).is_some() {
                return Err(Unusual);
            }
        } else if name.starts_with(b"xmlns") {
            if name.starts_with(b"xmlns:xml") || value.starts_with(b"http://www.w3.org/XML/1998/namespace") {
                return Err(Unusual);
            }
            prefixed.push(value);
        }
        let reserved = value.starts_with(b"http://www.w3.org/2000/xmlns") || prefixed.len() > MAX_DECLARED;
        if reserved { Err(Unusual) } else { Ok(()) }
    })?;
    match default {
        Some(namespace) if prefixed.contains(&namespace) => Err(Unusual),
        _ => Ok(tag),
    }
}

fn walk<'t>(
    bytes: &'t [u8],
    mut at: usize,
    mut see: impl FnMut(&'t [u8], &'t [u8]) -> Result<(), Unusual>,
) -> Result<Option<Tag>, Unusual> {
    loop {
        let blanks = bytes[at..].iter().take_while(|b| is_blank(**b)).count();
        at += blanks;
        match bytes.get(at) {
            None => return Ok(None),
            Some(b'>') => return Ok(Some(Tag { end: at + 1, empty: false })),
            Some(b'/') => {
                return match bytes.get(at + 1) {
                    None => Ok(None),
                    Some(b'>') => Ok(Some(Tag { end: at + 2, empty: true })),
                    Some(_) => Err(Unusual),
                };
            }
            Some(first) if blanks > 0 && starts_name(*first) => {}
            Some(_) => return Err(Unusual),
        }
        let length = bytes[at..].iter().take_while(|b| is_name_byte(**b)).count();
        let (name, equals) = (&bytes[at..at + length], at + length);
        let quote = match (bytes.get(equals), bytes.get(equals + 1)) {
            (None, _) | (Some(b'='), None) => return Ok(None),
            (Some(b'='), Some(quote @ (b'"' | b'\''))) => *quote,
            _ => return Err(Unusual),
        };
        let value = equals + 2;
        let Some(length) = memchr(quote, &bytes[value..]) else { return Ok(None) };
        let value = &bytes[value..value + length];
        if memchr(b'<', value).is_some() {
            return Err(Unusual);
        }
        see(name, value)?;
        at = equals + 2 + length + 1;
    }
}
