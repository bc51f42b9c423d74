//! The top of the page: the verdict in one line, what it rests on, and the way to the parts.

use super::{of, page::Page};
use crate::{
    diag::Severity,
    report::{
        Report,
        pairs::{Pairs, SEVERITIES},
        words,
    },
    text::count::number_of,
};

/// The title of the window.
pub(super) fn title(report: &Report) -> String {
    let gaps = if report.complete() { String::new() } else { format!("; {}", words::gaps(report)) };
    format!("{}{gaps} · gatekeep", verdict(report).replace('\u{a0}', " "))
}

/// What was found, without what was not looked at.
fn verdict(report: &Report) -> String {
    let there = SEVERITIES.into_iter().filter(|severity| report.count(*severity) > 0);
    let count = |severity: Severity| number_of(report.count(severity), severity.word()).replace(' ', "\u{a0}");
    let counts: Vec<String> = there.map(count).collect(); // a number stays beside its noun
    match counts.as_slice() {
        [] if report.complete() => "All clear".into(),
        [] => "Nothing found in what could be looked at".into(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

pub(super) fn header(page: &mut Page, report: &Report, pairs: &Pairs<'_>) {
    page.markup("<a class=\"skip\" href=\"#main\">Skip to the findings</a>\n");
    page.markup(state(report)).markup("<p class=\"brand\">gatekeep</p>\n");
    page.markup("<h1>").markup(mark(report)).markup("<span>").value(verdict(report));
    if !report.complete() && SEVERITIES.into_iter().any(|severity| report.count(severity) > 0) {
        page.markup("<span class=\"but\">; incomplete</span>");
    }
    page.markup("</span></h1>\n<p class=\"lead\">");
    lead(page, report, pairs);
    page.markup("</p>\n");
    facts(page, report);
    contents(page, report, pairs);
    page.markup("</header>\n");
}

/// The gravest thing that the page has to say.
fn worst(report: &Report) -> Option<Severity> {
    SEVERITIES.into_iter().find(|severity| report.count(*severity) > 0)
}

fn state(report: &Report) -> &'static str {
    match (worst(report), report.complete()) {
        (Some(Severity::Error), _) => "<header class=\"top error\">\n",
        (Some(Severity::Warning), _) | (_, false) => "<header class=\"top warning\">\n",
        (Some(Severity::Note), true) => "<header class=\"top note\">\n",
        (None, true) => "<header class=\"top good\">\n",
    }
}

fn mark(report: &Report) -> &'static str {
    match (worst(report), report.complete()) {
        (Some(severity), _) => shape(severity),
        (None, true) => "<svg class=\"shape\" aria-hidden=\"true\"><use href=\"#shape-good\"/></svg>",
        (None, false) => "<svg class=\"shape\" aria-hidden=\"true\"><use href=\"#shape-gap\"/></svg>",
    }
}

/// The shape of a severity.
pub(super) fn shape(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "<svg class=\"shape\" aria-hidden=\"true\"><use href=\"#shape-error\"/></svg>",
        Severity::Warning => "<svg class=\"shape\" aria-hidden=\"true\"><use href=\"#shape-warning\"/></svg>",
        Severity::Note => "<svg class=\"shape\" aria-hidden=\"true\"><use href=\"#shape-note\"/></svg>",
    }
}

fn lead(page: &mut Page, report: &Report, pairs: &Pairs<'_>) {
    let party = pairs.holders.len() + pairs.hidden;
    if pairs.others() > 0 {
        page.number(party).markup(" of ").value(number_of(report.holders.max(party), "holder"));
        page.markup(" share a finding with another one. ");
    }
    if report.complete() {
        if worst(report).is_none() {
            page.markup("Nothing found in ").value(number_of(report.files, "file")).markup(". ");
        }
        page.markup("All that was asked for was looked at.");
    } else {
        page.markup("<strong>Incomplete:</strong> <a href=\"#gaps\">").value(words::gaps(report)).markup("</a>.");
    }
    if report.suppressed() > 0 {
        page.markup(" ").number(report.suppressed()).markup(" suppressed.");
    }
}

/// What was judged, by what, and against what.
fn facts(page: &mut Page, report: &Report) {
    page.markup("<dl class=\"facts\">\n<div><dt>Target</dt><dd>");
    match &report.target {
        Some(target) => {
            page.markup("<code>").text(target).markup("</code>");
            commit(page, " from ", report.base.as_deref());
        }
        None => {
            page.markup("none, judged by itself");
        }
    }
    page.markup("</dd></div>\n<div><dt>Head</dt><dd>");
    match &report.head {
        Some(head) => commit(page, "", Some(head)),
        None => {
            page.markup("no commit");
        }
    }
    page.markup("</dd></div>\n<div><dt>Policy</dt><dd>").markup(words::policy(report.policy));
    commit(page, " at ", report.policy_commit.as_deref());
    page.markup("</dd></div>\n<div><dt>Compared</dt><dd>").value(number_of(report.holders, "holder"));
    page.markup(", ").value(number_of(report.files, "file")).markup("</dd></div>\n</dl>\n");
}

/// The first digits of a commit, where there is one.
pub(super) fn commit(page: &mut Page, before: &'static str, commit: Option<&str>) {
    if let Some(commit) = commit {
        page.markup(before).markup("<code class=\"commit\">").value(words::commit(commit)).markup("</code>");
    }
}

fn contents(page: &mut Page, report: &Report, pairs: &Pairs<'_>) {
    let mut parts: Vec<(&'static str, String)> = Vec::new();
    if !report.complete() {
        parts.push(("<li><a href=\"#gaps\">", "Not looked at".into()));
    }
    if pairs.others() > 0 {
        parts.push(("<li><a href=\"#pairs\">", "Who collides with whom".into()));
    }
    for (severity, link) in [
        (Severity::Error, "<li><a href=\"#errors\">"),
        (Severity::Warning, "<li><a href=\"#warnings\">"),
        (Severity::Note, "<li><a href=\"#notes\">"),
    ] {
        let count = of(report, severity).len();
        if count > 0 {
            parts.push((link, number_of(count, severity.word())));
        }
    }
    if report.suppressed() > 0 {
        parts.push(("<li><a href=\"#suppressed\">", "Suppressed".into()));
    }
    if !report.skipped.is_empty() {
        parts.push(("<li><a href=\"#skipped\">", "Left out".into()));
    }
    if parts.len() < 2 {
        return;
    }
    page.markup("<nav aria-label=\"On this page\">\n<ul>\n");
    for (link, text) in parts {
        page.markup(link).value(text).markup("</a></li>\n");
    }
    page.markup("</ul>\n</nav>\n");
}
