//! Gaps as findings, for formats whose readers look at findings and at nothing else: without them, a report of a run that
//! could not look at everything would read like a clean one.

use std::collections::BTreeMap;

use super::Report;
use crate::diag::{Diagnostic, Holder, Severity, Site};

/// The code of a gap.
pub(super) const INCOMPLETE: &str = "gatekeep/incomplete";
/// Such readers ask for a file. A gap can be a branch or a service as well, so all are shown where a repository is told what
/// to look at.
const FILE: &str = "gatekeep.toml";
/// How many are shown one by one.
const SHOWN: usize = 1000;

/// One finding a gap: an error, or a warning where gaps don't fail the run. Their fingerprints are those of what could not be
/// looked at, whatever the reason.
pub(super) fn findings(report: &Report, allow_incomplete: bool) -> Vec<Diagnostic> {
    let shown = if report.incomplete.len() > SHOWN { SHOWN - 1 } else { report.incomplete.len() };
    let gap = |what: &str, message: String| {
        let site = Site::path(FILE.into(), Holder::head(None));
        let mut made = Diagnostic::new(INCOMPLETE, severity(allow_incomplete), message, vec![site]);
        made.key = Some(what.to_owned());
        made.help = Some(if allow_incomplete {
            "allowed by --allow-incomplete; mend it all the same: what was not looked at was not judged".into()
        } else {
            "mend it and run again, or accept the gaps with --allow-incomplete".into()
        });
        made.seal();
        made
    };
    let each = report.incomplete[..shown]
        .iter()
        .map(|one| gap(&one.what, format!("could not be looked at: {}: {}", one.what, one.why)));
    let left = report.incomplete.len() - shown;
    let rest = (left > 0)
        .then(|| gap("the rest", format!("and {left} more that could not be looked at; JSON lists them all")));
    each.chain(rest).collect()
}

/// How grave a gap is.
pub(super) fn severity(allow_incomplete: bool) -> Severity {
    if allow_incomplete { Severity::Warning } else { Severity::Error }
}

/// For each finding, which one it is of those with its fingerprint, from 1: readers that take two of one fingerprint for one
/// finding would lose the others.
pub(super) fn numbered<'a>(findings: impl IntoIterator<Item = &'a Diagnostic>) -> Vec<(&'a Diagnostic, usize)> {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let number = |found: &'a Diagnostic| {
        let number = seen.entry(&found.fingerprint).or_default();
        *number += 1;
        (found, *number)
    };
    findings.into_iter().map(number).collect()
}
