//! SARIF 2.1.0, for code scanning and for editors.
//!
//! GitHub takes 25,000 results a run and reads nothing but results: so a gap is a result too, beside the notification that the
//! standard has for it, and the run counts as not successful.

mod message;
mod model;
mod rules;
#[cfg(test)]
mod tests;

use std::{
    collections::BTreeMap,
    io::{self, Write},
};

use super::{Report, document, escape::terminal, gap, text, words};
use crate::{
    diag::{Diagnostic, Position, RepoPath, Severity, Site, SuppressedBy},
    text::count::number_of,
};
use model::{
    ArtifactLocation, AutomationDetails, Descriptor, DescriptorReference, Driver, Finding, Invocation, Location, Log,
    Notification, PhysicalLocation, Region, Run, Suppression, Text, Tool,
};
use rules::Rules;

/// How many results a run may have.
const RESULTS: usize = 25_000;
/// How many locations a result may have.
const LOCATIONS: usize = 1000;
/// Notifications about what was left out.
const SKIPPED: &str = "gatekeep/skipped";
/// Notifications about results that did not fit.
const CAPPED: &str = "gatekeep/capped";

/// Writes a report as a SARIF log with one run. Suppressed findings are in it, with why they don't count.
pub fn render(report: &Report, allow_incomplete: bool, out: &mut dyn Write) -> io::Result<()> {
    document::write(&log(report, allow_incomplete, RESULTS), out)
}

fn log(report: &Report, allow_incomplete: bool, limit: usize) -> Log {
    let gaps = gap::findings(report, allow_incomplete);
    let room = limit.saturating_sub(gaps.len());
    let shown = &report.findings[..report.findings.len().min(room)]; // the gravest come first, what is suppressed last
    let hidden = report.findings.len() - shown.len();
    let kept: Vec<&Diagnostic> = shown.iter().chain(&gaps).collect();
    let rules = Rules::of(&kept);
    let results = gap::numbered(kept).into_iter().map(|(found, number)| result(found, number, &rules)).collect();
    let notifications = notifications(report, &gaps, hidden);
    Log {
        schema: "https://json.schemastore.org/sarif-2.1.0.json",
        version: "2.1.0",
        runs: [Run {
            tool: Tool { driver: driver(rules, &notifications) },
            automation_details: AutomationDetails { id: "gatekeep/" },
            invocations: [Invocation {
                execution_successful: report.complete(),
                tool_execution_notifications: notifications,
            }],
            column_kind: "unicodeCodePoints",
            results,
        }],
    }
}

fn driver(rules: Rules, notifications: &[Notification]) -> Driver {
    let kinds = [
        (
            gap::INCOMPLETE,
            "Something could not be looked at",
            "What could not be read, fetched or parsed was not judged.",
            "Mend what is named and run again.",
        ),
        (
            SKIPPED,
            "Something was left out by choice",
            "The arguments or the configuration leave it out; it does not make the report incomplete.",
            "Ask for it if it should be judged.",
        ),
        (
            CAPPED,
            "There are more findings than fit",
            "A run holds 25,000 results; the gravest were kept.",
            "Read them all with `--format json`.",
        ),
    ];
    let used = kinds.into_iter().filter(|(id, ..)| notifications.iter().any(|one| one.descriptor.id == *id));
    let text = |text: &str| Text { text: text.into() };
    let notifications = used.map(|(id, short, full, help)| Descriptor {
        id,
        short_description: text(short),
        full_description: text(full),
        help: text(help),
    });
    Driver {
        name: "gatekeep",
        version: env!("CARGO_PKG_VERSION"),
        semantic_version: env!("CARGO_PKG_VERSION"),
        information_uri: env!("CARGO_PKG_REPOSITORY"),
        rules: rules.list,
        notifications: notifications.collect(),
    }
}

/// Gaps, what was left out, and what did not fit.
fn notifications(report: &Report, gaps: &[Diagnostic], hidden: usize) -> Vec<Notification> {
    let note = |id, severity: Severity, text: &str| Notification {
        descriptor: DescriptorReference { id },
        level: severity.word(),
        message: Text { text: message::prose(text) },
    };
    let gaps = gaps.iter().map(|one| note(gap::INCOMPLETE, one.severity, &one.message));
    let skipped = report.skipped.iter().map(|left| note(SKIPPED, Severity::Note, &words::omission(left)));
    let capped = (hidden > 0).then(|| {
        let text = format!("and {} more, which don't fit in here; JSON lists them all", number_of(hidden, "finding"));
        note(CAPPED, Severity::Warning, &text)
    });
    gaps.chain(skipped).chain(capped).collect()
}

fn result(found: &Diagnostic, number: usize, rules: &Rules) -> Finding {
    let anchor = text::anchor(found);
    let locations = anchor.and_then(|at| found.sites.get(at)).map(|site| location(site, None, None));
    Finding {
        rule_index: rules.index(&found.code),
        rule_id: terminal(&found.code),
        level: found.severity.word(),
        message: Text { text: message::text(found, anchor) },
        locations: locations.into_iter().collect(),
        related_locations: related(found, anchor),
        // the one that GitHub uses, in its form: a hash, and a number that tells equal ones apart
        partial_fingerprints: BTreeMap::from([("primaryLocationLineHash", format!("{}:{number}", found.fingerprint))]),
        suppressions: found.suppressed.iter().map(suppression).collect(),
    }
}

/// All other sites, each with a number that the message can link to: its place among the sites, from 1.
fn related(found: &Diagnostic, anchor: Option<usize>) -> Vec<Location> {
    let names = words::names_holders(found);
    let others = found.sites.iter().enumerate().filter(|(at, _)| Some(*at) != anchor).take(LOCATIONS - 1);
    let others = others.map(|(at, site)| location(site, Some(at + 1), message::about(site, names)));
    others.collect()
}

fn location(site: &Site, id: Option<usize>, about: Option<String>) -> Location {
    let Position { line, column, end_line, end_column } =
        site.position.unwrap_or(Position { line: 1, column: 1, end_line: 1, end_column: 1 });
    Location {
        id,
        physical_location: PhysicalLocation {
            artifact_location: ArtifactLocation { uri: uri(&site.path), uri_base_id: "%SRCROOT%" },
            region: Region { start_line: line, start_column: column, end_line, end_column },
        },
        message: about.map(|text| Text { text }),
    }
}

/// A path as a relative reference (RFC 3986): every byte that could mean something else is encoded, `:` too, before which a
/// first folder would be a scheme.
fn uri(path: &RepoPath) -> String {
    use std::fmt::Write as _;
    let mut out = String::with_capacity(path.as_bytes().len());
    for &byte in path.as_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => out.push(char::from(byte)),
            _ => write!(out, "%{byte:02X}").expect("a String takes all text"),
        }
    }
    out
}

fn suppression(by: &crate::diag::Suppression) -> Suppression {
    Suppression {
        kind: match by.by {
            SuppressedBy::Inline => "inSource",
            SuppressedBy::Allow | SuppressedBy::Baseline => "external",
        },
        status: "accepted",
        justification: by.reason.as_deref().map(terminal),
    }
}
