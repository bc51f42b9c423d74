//! What could not be looked at, what was left out, and the foot of the page.

use super::{folded, page::Page};
use crate::report::{Report, words};

/// What could not be looked at, as loud as an error where it fails the run.
pub(super) fn gaps(page: &mut Page, report: &Report, allowed: bool) {
    if report.complete() {
        return;
    }
    page.markup(if allowed {
        "<section id=\"gaps\" class=\"warning\" "
    } else {
        "<section id=\"gaps\" class=\"error\" "
    });
    page.markup("aria-labelledby=\"gaps-title\">\n<h2 id=\"gaps-title\">");
    page.markup("<svg class=\"shape\" aria-hidden=\"true\"><use href=\"#shape-gap\"/></svg>")
        .value(words::gaps(report));
    page.markup("</h2>\n<p>So this report is not the whole truth. ").markup(if allowed {
        "<code>--allow-incomplete</code> lets the run pass all the same."
    } else {
        "Mend what is listed and run again."
    });
    page.markup("</p>\n");
    folded(page, report.incomplete.len(), "<ul>\n", "</ul>\n", |page, at| {
        if let Some(gap) = report.incomplete.get(at) {
            page.markup("<li><b class=\"path\">").text(&gap.what).markup("</b> <span dir=\"auto\">");
            page.prose(&gap.why).markup("</span></li>\n");
        }
    });
    page.markup("</section>\n");
}

/// What was left out by choice.
pub(super) fn skipped(page: &mut Page, report: &Report) {
    if report.skipped.is_empty() {
        return;
    }
    page.markup("<section id=\"skipped\" aria-labelledby=\"skipped-title\">\n<h2 id=\"skipped-title\">Left out by choice</h2>\n");
    folded(page, report.skipped.len(), "<ul>\n", "</ul>\n", |page, at| {
        if let Some(left_out) = report.skipped.get(at) {
            page.markup("<li>").text(&left_out.what);
            if let Some(count) = left_out.count {
                page.markup(" <span class=\"count\">").number(count).markup("</span>");
            }
            page.markup("</li>\n");
        }
    });
    page.markup("</section>\n");
}

pub(super) fn footer(page: &mut Page) {
    page.markup("<footer>\n<p>gatekeep ").markup(env!("CARGO_PKG_VERSION"));
    page.markup(". This page runs no script and loads nothing.</p>\n</footer>\n");
}
