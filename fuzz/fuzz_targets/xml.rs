//! The scanner against the parser: the same names, the same outcome, however the bytes arrive.
#![no_main]

use std::{
    io::{self, Cursor, Read},
    ops::Range,
};

use gatekeep::claim::extract::{
    ExtractError,
    xml::{ElementPaths, Open, Outcome, XmlEvent, extract, extract_by_parser},
};
use libfuzzer_sys::fuzz_target;

type Names = Vec<(usize, String, Range<usize>)>;
type Extract = fn(&ElementPaths, Open<'_, '_>, &mut dyn FnMut(XmlEvent<'_>)) -> Result<Outcome, ExtractError>;

/// The first read ends after `first` bytes.
fn run(extract: Extract, bytes: &[u8], first: usize) -> (Result<Outcome, ExtractError>, Names) {
    let paths = ElementPaths::new(&["urlset/url/loc", "sitemapindex/sitemap/loc"]).expect("valid paths");
    let (head, tail) = bytes.split_at(first.min(bytes.len()));
    let mut open =
        || -> io::Result<Box<dyn Read>> { Ok(Box::new(Cursor::new(head.to_vec()).chain(Cursor::new(tail.to_vec())))) };
    let mut names = Names::new();
    let outcome = extract(&paths, &mut open, &mut |event| match event {
        XmlEvent::Name { path, found } => names.push((path, found.key.into_owned(), found.span)),
        XmlEvent::Restart => names.clear(),
    });
    (outcome, names)
}

fuzz_target!(|input: (u16, &[u8])| {
    let (first, bytes) = input;
    let expected = run(extract_by_parser, bytes, usize::MAX);
    assert_eq!(run(extract, bytes, usize::from(first)), expected);
    assert_eq!(run(extract_by_parser, bytes, usize::from(first)), expected);
});
