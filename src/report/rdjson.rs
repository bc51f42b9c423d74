//! reviewdog's diagnostic format: one JSON document, columns in bytes. What is suppressed or was left out by choice has no place
//! in it; a gap is a diagnostic.

use std::io::{self, Write};

use serde::Serialize;

use super::{
    Report, document,
    escape::terminal,
    gap,
    link::is_web_address,
    text::{self, Look},
    words,
};
use crate::diag::{Diagnostic, Severity, Site, Snippet};

/// How many related locations a diagnostic names.
const RELATED: usize = 100;

#[derive(Serialize)]
struct Document {
    source: Source,
    diagnostics: Vec<Item>,
}

#[derive(Serialize)]
struct Source {
    name: &'static str,
    url: &'static str,
}

/// One diagnostic.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Item {
    message: String,
    location: Location,
    severity: &'static str,
    code: Code,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_locations: Vec<Related>,
}

#[derive(Serialize)]
struct Location {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<Range>,
}

/// Counted from 1; the end is exclusive.
#[derive(Serialize)]
struct Range {
    start: Point,
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<Point>,
}

/// The column counts the bytes of UTF-8.
#[derive(Serialize)]
struct Point {
    line: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<usize>,
}

#[derive(Serialize)]
struct Code {
    value: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
}

#[derive(Serialize)]
struct Related {
    #[serde(skip_serializing_if = "String::is_empty")]
    message: String,
    location: Location,
}

/// Writes the findings that count, gravest first, then the gaps.
pub fn render(report: &Report, allow_incomplete: bool, out: &mut dyn Write) -> io::Result<()> {
    let gaps = gap::findings(report, allow_incomplete);
    let counted = report.findings.iter().filter(|found| found.suppressed.is_none());
    let document = Document {
        source: Source { name: "gatekeep", url: env!("CARGO_PKG_REPOSITORY") },
        diagnostics: counted.chain(&gaps).map(item).collect(),
    };
    document::write(&document, out)
}

fn item(found: &Diagnostic) -> Item {
    let anchor = text::anchor(found);
    let names = words::names_holders(found);
    let others = found.sites.iter().enumerate().filter(|(at, _)| Some(*at) != anchor).take(RELATED);
    let related = |(_, site): (usize, &Site)| Related {
        message: text::about(site, names, &Look::PLAIN),
        location: location(site),
    };
    Item {
        message: text::text(found, anchor, &Look::PLAIN),
        location: anchor
            .and_then(|at| found.sites.get(at))
            .map_or(Location { path: String::new(), range: None }, location),
        severity: match found.severity {
            Severity::Error => "ERROR",
            Severity::Warning => "WARNING",
            Severity::Note => "INFO",
        },
        code: Code { value: terminal(&found.code), url: found.docs.clone().filter(|docs| is_web_address(docs)) },
        related_locations: others.map(related).collect(),
    }
}

fn location(site: &Site) -> Location {
    Location { path: site.path.lossy().into_owned(), range: range(site) }
}

/// Columns only where the bytes before them are known.
fn range(site: &Site) -> Option<Range> {
    let at = site.position?;
    let columns = site.snippet.as_ref().and_then(|snippet| columns(snippet, at.column));
    let end_column = columns.filter(|_| at.line == at.end_line && at.column <= at.end_column);
    Some(Range {
        start: Point { line: at.line, column: columns.map(|(start, _)| start) },
        end: match end_column {
            Some((_, end)) => Some(Point { line: at.end_line, column: Some(end) }),
            None => None,
        },
    })
}

/// Where the mark of a snippet begins and ends in its line, in bytes from 1. None where the line was cut before the mark, or
/// where it holds what may stand for other bytes.
fn columns(snippet: &Snippet, column: usize) -> Option<(usize, usize)> {
    let Snippet { text, mark, .. } = snippet;
    let line = text.get(..mark.start)?.rfind('\n').map_or(0, |at| at + 1);
    let before = &text[line..mark.start];
    let marked = text.get(mark.clone())?;
    let known = before.chars().count() + 1 == column && !before.starts_with('…');
    let exact = |part: &str| !part.contains(char::REPLACEMENT_CHARACTER);
    (known && exact(before) && exact(marked)).then_some((before.len() + 1, before.len() + 1 + marked.len()))
}
