//! A report as what GitHub shows of it: a check run, and a comment.

use sha2::{Digest as _, Sha256};

use super::{Annotation, Check, Conclusion};
use crate::{
    diag::Severity,
    error::visible,
    exit::Outcome,
    report::{
        RenderOptions, Report,
        github::{Remark, remarks},
        markdown,
    },
};

/// Most annotations of one check run: twenty requests.
const ANNOTATIONS: usize = 1000;

/// The check run that says what a report says. `head` is the commit, in hexadecimal.
pub fn check(report: &Report, options: &RenderOptions, name: &str, head: &str, details: Option<String>) -> Check {
    let conclusion = match Outcome::of(report, options.fail_on, options.allow_incomplete) {
        Outcome::Pass => Conclusion::Success,
        Outcome::Fail => Conclusion::Failure,
        Outcome::Unusable | Outcome::Incomplete => Conclusion::ActionRequired,
    };
    let mut counts: Vec<String> =
        [(Severity::Error, "error"), (Severity::Warning, "warning"), (Severity::Note, "note")]
            .into_iter()
            .map(|(severity, noun)| (report.count(severity), noun))
            .filter(|(count, _)| *count > 0)
            .map(|(count, noun)| format!("{count} {noun}{}", if count == 1 { "" } else { "s" }))
            .collect();
    if !report.complete() {
        counts.push("incomplete".into());
    }
    let title = if counts.is_empty() { "Nothing found".into() } else { counts.join(", ") };
    let summary = markdown_of(report, options, markdown::CHECK_RUN);
    Check {
        name: name.to_owned(),
        head: head.to_owned(),
        conclusion,
        title,
        annotations: remarks(report).into_iter().take(ANNOTATIONS).map(annotation).collect(),
        digest: digest(report, conclusion),
        beside: String::new(),
        summary,
        details,
    }
}

/// The report as Markdown of so many bytes at most.
pub fn markdown_of(report: &Report, options: &RenderOptions, limit: usize) -> String {
    let mut text = Vec::new();
    // a vector takes all that is written
    let _ = markdown::render(report, options, limit, &mut text);
    String::from_utf8(text).unwrap_or_default()
}

pub(super) fn hex(hash: Sha256) -> String {
    hash.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

/// Stands for what a report says, wherever the lines of work are now: what finds the same gives the same.
fn digest(report: &Report, conclusion: Conclusion) -> String {
    let mut hash = Sha256::new();
    let mut add = |parts: &[&str]| {
        for part in parts {
            hash.update(part.len().to_le_bytes());
            hash.update(part.as_bytes());
        }
    };
    add(&[env!("CARGO_PKG_VERSION"), &format!("{conclusion:?}")]);
    for found in &report.findings {
        let suppressed = if found.suppressed.is_some() { "suppressed" } else { "" };
        add(&[
            found.severity.word(),
            &found.code,
            &found.message,
            found.help.as_deref().unwrap_or_default(),
            suppressed,
        ]);
        for site in &found.sites {
            add(&[site.holder.kind.word(), &site.holder.name, &site.path.lossy()]);
        }
    }
    report.incomplete.iter().for_each(|gap| add(&[&gap.what, &gap.why]));
    hex(hash)
}

fn annotation(remark: Remark<'_>) -> Annotation {
    let [start, end] = remark.position.map_or([1, 1], |at| [at.line, at.end_line.max(at.line)]);
    Annotation {
        path: remark.path.to_owned(),
        start_line: start,
        end_line: end,
        columns: remark
            .position
            .filter(|at| at.line == at.end_line)
            .map(|at| (at.column, at.end_column.max(at.column))),
        level: match remark.severity {
            Severity::Error => "failure",
            Severity::Warning => "warning",
            Severity::Note => "notice",
        },
        title: visible(&remark.title).into_owned(),
        message: remark.message,
    }
}
