//! One finding.

use super::{FOLDED, folded, head::shape, matrix::holder, page::Page, site};
use crate::{
    diag::{Confidence, Diagnostic, Fix, Holder, Severity},
    report::{link::is_web_address, pairs, shell, words},
};

/// A finding as an article; `at` is its place in the report.
pub(super) fn article(page: &mut Page, at: usize, found: &Diagnostic) {
    page.markup(match found.severity {
        Severity::Error => "<article class=\"error\" id=\"finding-",
        Severity::Warning => "<article class=\"warning\" id=\"finding-",
        Severity::Note => "<article class=\"note\" id=\"finding-",
    });
    page.anchor(at + 1).markup("\" aria-labelledby=\"title-").anchor(at + 1).markup("\">\n");
    page.markup("<p class=\"tag\"><span class=\"severity\">")
        .markup(shape(found.severity))
        .markup(found.severity.word());
    page.markup("</span> <span class=\"code\">")
        .text(&found.code)
        .markup("</span> <a class=\"number\" href=\"#finding-");
    page.anchor(at + 1).markup("\"><span class=\"out\">finding </span>").number(at + 1).markup("</a></p>\n");
    message(page, at, found);
    names(page, found);
    sites(page, found);
    advice(page, found);
    if let Some(fix) = &found.fix {
        mend(page, found, fix);
    }
    page.markup("</article>\n");
}

/// The first sentence as the heading, what follows from it below.
fn message(page: &mut Page, at: usize, found: &Diagnostic) {
    let (first, rest) = sentences(&found.message);
    page.markup("<h3 id=\"title-").anchor(at + 1).markup("\" dir=\"auto\">").prose(first).markup("</h3>\n");
    if !rest.is_empty() {
        page.markup("<p class=\"why\" dir=\"auto\">").prose(rest).markup("</p>\n");
    }
}

/// A text cut after its first sentence, outside of backticks. The heading is never empty.
fn sentences(message: &str) -> (&str, &str) {
    let mut inside = false;
    let end = message.as_bytes().windows(2).position(|pair| {
        inside ^= pair[0] == b'`';
        !inside && pair == b". "
    });
    match end {
        Some(at) if !message[..at].trim().is_empty() => (&message[..at], message[at + 2..].trim()),
        _ if message.trim().is_empty() => ("(no message)", ""),
        _ => (message, ""),
    }
}

fn names(page: &mut Page, found: &Diagnostic) {
    let confidence = match found.confidence {
        Confidence::High => None,
        Confidence::Medium => Some("medium: true unless the repository is set up in an unusual way"),
        Confidence::Low => Some("low: a guess that a person has to check"),
    };
    if found.key.is_none() && found.namespace.is_none() && found.partition.is_none() && confidence.is_none() {
        return;
    }
    page.markup("<dl class=\"names\">\n");
    let partition =
        found.partition.as_deref().map(|partition| if partition == "." { "the whole repository" } else { partition });
    for (label, value) in [
        ("<div><dt>Key</dt><dd class=\"key\"><code>", found.key.as_deref()),
        ("<div><dt>In</dt><dd><code>", partition),
        ("<div><dt>Namespace</dt><dd><code>", found.namespace.as_deref()),
    ] {
        if let Some(value) = value {
            page.markup(label).text(value).markup("</code></dd></div>\n");
        }
    }
    if let Some(confidence) = confidence {
        page.markup("<div><dt>Confidence</dt><dd>").markup(confidence).markup("</dd></div>\n");
    }
    page.markup("</dl>\n");
}

fn sites(page: &mut Page, found: &Diagnostic) {
    let roles = pairs::roles(found);
    let named = words::names_holders(found);
    folded(page, found.sites.len(), "<ul class=\"sites\">\n", "</ul>\n", |page, at| {
        if let Some(one) = found.sites.get(at) {
            site::item(page, one, roles.get(at).copied().flatten(), named);
        }
    });
}

fn advice(page: &mut Page, found: &Diagnostic) {
    if let Some(help) = &found.help {
        page.markup("<p class=\"advice\"><b>Help</b> <span dir=\"auto\">").prose(help).markup("</span></p>\n");
    }
    if let Some(docs) = &found.docs {
        page.markup("<p class=\"advice\"><b>Docs</b> ");
        if is_web_address(docs) {
            page.markup("<a rel=\"noreferrer noopener external\" href=\"")
                .value(docs)
                .markup("\">")
                .text(docs)
                .markup("</a>");
        } else {
            page.markup("<span>").text(docs).markup("</span>");
        }
        page.markup("</p>\n");
    }
    if let Some(silence) = &found.suppressed {
        page.markup("<p class=\"advice\"><b>Silenced</b> <span dir=\"auto\">by ").markup(silence.by.word());
        if let Some(reason) = &silence.reason {
            page.markup(": ").prose(reason);
        }
        page.markup("</span></p>\n");
    }
}

/// The proposed renames: commands for each holder, and as text what no shell should be given.
fn mend(page: &mut Page, found: &Diagnostic, fix: &Fix) {
    page.markup("<div class=\"fix\">\n<p class=\"advice\"><b>Fix</b> <span dir=\"auto\">").prose(&fix.title);
    page.markup(words::condition(fix.safety)).markup("</span></p>\n");
    for (whose, renames) in shell::by_holder(found, fix, FOLDED) {
        let commands: Vec<_> = renames.iter().filter_map(|rename| shell::words(rename)).collect();
        if !commands.is_empty() {
            page.markup("<label class=\"run\"><span>");
            whom(page, whose);
            page.markup("</span>\n<textarea readonly spellcheck=\"false\" rows=\"")
                .anchor(rows(&commands))
                .markup("\">\n");
            for (at, [from, to]) in commands.iter().enumerate() {
                // no line end after the last one: pasted, it waits for a person
                page.markup(if at > 0 { "\nmv -n " } else { "mv -n " }).value(&**from).markup(" ").value(&**to);
            }
            page.markup("</textarea></label>\n");
        }
        let others: Vec<_> = renames.iter().filter(|rename| shell::words(rename).is_none()).collect();
        if !others.is_empty() {
            page.markup("<p class=\"run\">");
            whom(page, whose);
            page.markup("</p>\n<ul class=\"moves\">\n");
            for rename in others {
                page.markup("<li><code>").text(rename.from.as_bytes()).markup("</code> → <code>");
                page.text(rename.to.as_bytes()).markup("</code></li>\n");
            }
            page.markup("</ul>\n");
        }
    }
    if fix.renames.len() > FOLDED {
        page.markup("<p class=\"more\">and ").number(fix.renames.len() - FOLDED);
        page.markup(" more, which this page leaves out; <code>--format json</code> lists them all</p>\n");
    }
    page.markup("</div>\n");
}

fn whom(page: &mut Page, whose: Option<&Holder>) {
    page.markup("Rename");
    if let Some(whose) = whose {
        page.markup(" on ");
        holder(page, whose);
    }
}

/// How many rows commands take where a row has about 80 letters; browsers that can, measure it themselves.
fn rows(commands: &[[std::borrow::Cow<'_, str>; 2]]) -> usize {
    commands.iter().map(|[from, to]| (from.chars().count() + to.chars().count() + 8).div_ceil(80)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_heading_is_the_first_sentence() {
        assert_eq!(sentences("a is taken. b fails. c"), ("a is taken", "b fails. c"));
        assert_eq!(sentences("`a. b` is taken"), ("`a. b` is taken", ""));
        assert_eq!(sentences("`1.0. x` is. y"), ("`1.0. x` is", "y"));
        assert_eq!(sentences(". x"), (". x", ""));
        assert_eq!(sentences("  "), ("(no message)", ""));
    }
}
