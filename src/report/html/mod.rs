//! One page for a browser: for the person who is about to merge what many agents made.
//!
//! The page is whole by itself. It runs no script and loads nothing, and its policy forbids both; its only style is the one
//! whose hash the policy names. What is in it is as long as the report, up to limits that it states.

mod finding;
mod head;
mod matrix;
mod page;
mod rest;
mod site;

use std::io::{self, Write};

use self::page::Page;
use super::{
    Report,
    pairs::{Pairs, SEVERITIES},
};
use crate::diag::{Diagnostic, Severity};

/// How many holders the matrix shows.
const HOLDERS: usize = 24;
/// How many findings of one severity are shown.
const FINDINGS: usize = 500;
/// How many entries of a list are shown at once; the rest is folded away.
const OPEN: usize = 12;
/// How many entries of a list there are at all.
const FOLDED: usize = 300;
const _: () = assert!(HOLDERS * (HOLDERS - 1) / 2 <= FOLDED, "each cell of the matrix leads to an entry of the list");

const STYLE: &str = include_str!("style.css");

/// Lets in the one style of this page and nothing else; the hash is written by `GATEKEEP_UPDATE=1 cargo test`.
const POLICY: &str = concat!(
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-",
    include_str!("style.sha256"),
    "'; base-uri 'none'; form-action 'none'\">
"
);

/// Shapes that say how grave something is without a colour. Shared by all places that use them.
const SHAPES: &str = "\
<svg class=\"shapes\" aria-hidden=\"true\" focusable=\"false\" width=\"0\" height=\"0\">\n\
<symbol id=\"shape-error\" viewBox=\"0 0 16 16\"><path fill=\"currentColor\" d=\"M5.1 1h5.8L15 5.1v5.8L10.9 15H5.1L1 10.9V5.1z\"/>\
<path class=\"cut\" d=\"M5.5 5.5l5 5M10.5 5.5l-5 5\"/></symbol>\n\
<symbol id=\"shape-warning\" viewBox=\"0 0 16 16\"><path fill=\"currentColor\" d=\"M7.1 1.5a1 1 0 0 1 1.8 0l6.4 12a1 1 0 0 1-.9 1.5H1.6a1 1 0 0 1-.9-1.5z\"/>\
<path class=\"cut\" d=\"M8 5.6v4.2M8 12.2v.1\"/></symbol>\n\
<symbol id=\"shape-note\" viewBox=\"0 0 16 16\"><circle cx=\"8\" cy=\"8\" r=\"7\" fill=\"currentColor\"/>\
<path class=\"cut\" d=\"M8 7.4v4M8 4.4v.1\"/></symbol>\n\
<symbol id=\"shape-good\" viewBox=\"0 0 16 16\"><circle cx=\"8\" cy=\"8\" r=\"7\" fill=\"currentColor\"/>\
<path class=\"cut\" d=\"M4.8 8.3l2.2 2.2 4.2-4.6\"/></symbol>\n\
<symbol id=\"shape-gap\" viewBox=\"0 0 16 16\"><circle cx=\"8\" cy=\"8\" r=\"6.2\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"1.6\" stroke-dasharray=\"2.6 2.27\"/>\
<path fill=\"none\" stroke=\"currentColor\" stroke-width=\"1.6\" stroke-linecap=\"round\" d=\"M6 6.4a2 2 0 1 1 2.8 1.8c-.6.3-.8.7-.8 1.3M8 11.6v.1\"/></symbol>\n\
</svg>\n";

/// Writes a report as one page. `allow_incomplete` says that gaps do not fail the run.
pub fn render(report: &Report, allow_incomplete: bool, out: &mut dyn Write) -> io::Result<()> {
    let pairs = Pairs::of(report, HOLDERS);
    let mut page = Page::default();
    page.markup("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n").markup(POLICY);
    page.markup("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    page.markup(
        "<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n",
    );
    page.markup("<title>").value(head::title(report)).markup("</title>\n<style>").markup(STYLE).markup("</style>\n");
    page.markup("</head>\n<body>\n").markup(SHAPES);
    head::header(&mut page, report, &pairs);
    page.markup("<main id=\"main\">\n");
    rest::gaps(&mut page, report, allow_incomplete);
    matrix::section(&mut page, report, &pairs);
    for severity in SEVERITIES {
        group(&mut page, report, severity);
    }
    suppressed(&mut page, report);
    rest::skipped(&mut page, report);
    page.markup("</main>\n");
    rest::footer(&mut page);
    page.markup("</body>\n</html>\n");
    out.write_all(page.finish().as_bytes())
}

/// The findings of one severity that count, each with its place in the report.
fn of(report: &Report, severity: Severity) -> Vec<(usize, &Diagnostic)> {
    let counts = |found: &Diagnostic| found.suppressed.is_none() && found.severity == severity;
    report.findings.iter().enumerate().filter(|(_, found)| counts(found)).collect()
}

fn group(page: &mut Page, report: &Report, severity: Severity) {
    let found = of(report, severity);
    if found.is_empty() {
        return;
    }
    page.markup(match severity {
        Severity::Error => "<section id=\"errors\" aria-labelledby=\"errors-title\">\n<h2 id=\"errors-title\">Errors",
        Severity::Warning => {
            "<section id=\"warnings\" aria-labelledby=\"warnings-title\">\n<h2 id=\"warnings-title\">Warnings"
        }
        Severity::Note => "<section id=\"notes\" aria-labelledby=\"notes-title\">\n<h2 id=\"notes-title\">Notes",
    });
    page.markup(" <span class=\"count\">").number(found.len()).markup("</span></h2>\n");
    articles(page, &found);
    page.markup("</section>\n");
}

/// What an allowance or the baseline covers, folded away.
fn suppressed(page: &mut Page, report: &Report) {
    let found: Vec<(usize, &Diagnostic)> =
        report.findings.iter().enumerate().filter(|(_, found)| found.suppressed.is_some()).collect();
    if found.is_empty() {
        return;
    }
    page.markup(
        "<section id=\"suppressed\" aria-labelledby=\"suppressed-title\">\n<h2 id=\"suppressed-title\">Suppressed",
    );
    page.markup(" <span class=\"count\">").number(found.len()).markup("</span></h2>\n");
    page.markup("<details>\n<summary>Show what an allowance or the baseline covers</summary>\n");
    articles(page, &found);
    page.markup("</details>\n</section>\n");
}

fn articles(page: &mut Page, found: &[(usize, &Diagnostic)]) {
    for (at, one) in found.iter().take(FINDINGS) {
        finding::article(page, *at, one);
    }
    if found.len() > FINDINGS {
        page.markup("<p class=\"more\">and ").number(found.len() - FINDINGS);
        page.markup(" more, which this page leaves out; <code>--format json</code> lists them all</p>\n");
    }
}

/// Whether the page shows each finding of a report, in its order.
fn shown(report: &Report) -> Vec<bool> {
    let mut counts = [0; 4];
    let group = |found: &Diagnostic| if found.suppressed.is_some() { 3 } else { found.severity as usize };
    let mut shown = |found| {
        let count: &mut usize = &mut counts[group(found)];
        *count += 1;
        *count <= FINDINGS
    };
    report.findings.iter().map(&mut shown).collect()
}

/// Writes a list: some of it open, more of it folded away, and how much is left out. `item` writes an entry by its place.
fn folded(
    page: &mut Page,
    count: usize,
    open: &'static str,
    close: &'static str,
    mut item: impl FnMut(&mut Page, usize),
) {
    let shown = if count <= OPEN + 2 { count } else { OPEN };
    page.markup(open);
    (0..shown).for_each(|at| item(page, at));
    page.markup(close);
    if shown < count {
        page.markup("<details class=\"rest\">\n<summary>and ")
            .number(count - shown)
            .markup(" more</summary>\n")
            .markup(open);
        (shown..count.min(FOLDED)).for_each(|at| item(page, at));
        page.markup(close);
        if count > FOLDED {
            page.markup("<p class=\"more\">and ").number(count - FOLDED);
            page.markup(" more, which this page leaves out; <code>--format json</code> lists them all</p>\n");
        }
        page.markup("</details>\n");
    }
}
