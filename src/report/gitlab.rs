//! GitLab's Code Quality report: one JSON array. Its readers know nothing but findings, so a gap is one of them; what is
//! suppressed or was left out by choice has no place in it.

use std::io::{self, Write};

use serde::Serialize;

use super::{
    Report, document,
    escape::terminal,
    gap,
    text::{self, Look},
};
use crate::diag::{Diagnostic, Severity};

/// One finding.
#[derive(Serialize)]
struct Issue {
    description: String,
    check_name: String,
    fingerprint: String,
    severity: &'static str,
    location: Location,
}

#[derive(Serialize)]
struct Location {
    path: String,
    lines: Lines,
}

#[derive(Serialize)]
struct Lines {
    begin: usize,
}

/// Writes the findings that count, gravest first, then the gaps.
pub fn render(report: &Report, allow_incomplete: bool, out: &mut dyn Write) -> io::Result<()> {
    let gaps = gap::findings(report, allow_incomplete);
    let counted = report.findings.iter().filter(|found| found.suppressed.is_none());
    let issues: Vec<Issue> =
        gap::numbered(counted.chain(&gaps)).into_iter().map(|(f, number)| issue(f, number)).collect();
    document::write(&issues, out)
}

fn issue(found: &Diagnostic, number: usize) -> Issue {
    let anchor = text::anchor(found);
    let site = anchor.and_then(|at| found.sites.get(at));
    // of two with one fingerprint GitLab shows only the first
    let fingerprint = match number {
        1 => found.fingerprint.clone(),
        _ => format!("{}-{number}", found.fingerprint),
    };
    Issue {
        description: text::text(found, anchor, &Look::PLAIN),
        check_name: terminal(&found.code),
        fingerprint,
        severity: match found.severity {
            Severity::Error => "critical",
            Severity::Warning => "minor",
            Severity::Note => "info",
        },
        location: Location {
            path: site.map(|site| site.path.lossy().into_owned()).unwrap_or_default(),
            lines: Lines { begin: site.and_then(|site| site.position).map_or(1, |at| at.line) },
        },
    }
}
