//! One place of a finding.

use super::{head::commit, matrix::holder, page::Page};
use crate::{
    diag::{Site, Snippet},
    report::pairs::Role,
};

/// A site as an entry of a list.
pub(super) fn item(page: &mut Page, site: &Site, role: Option<Role>, named: bool) {
    page.markup(match role {
        Some(Role::Yields) => "<li class=\"yields\"><span class=\"role\">yields</span>",
        Some(Role::Keeps) => "<li class=\"keeps\"><span class=\"role\">keeps</span>",
        None => "<li><span class=\"role\"></span>",
    });
    page.markup("<div>\n<code class=\"path\">").text(site.path.as_bytes());
    if let Some(at) = site.position {
        page.markup("<span class=\"at\">:").anchor(at.line).markup(":").anchor(at.column).markup("</span>");
    }
    page.markup("</code>\n");
    if named || site.note.is_some() {
        page.markup("<p class=\"whose\" dir=\"auto\">");
        if named {
            holder(page, &site.holder);
            commit(page, " at ", site.holder.commit.as_deref());
        }
        if let Some(note) = &site.note {
            page.markup(if named { " <span class=\"says\">" } else { "<span class=\"says\">" })
                .prose(note)
                .markup("</span>");
        }
        page.markup("</p>\n");
    }
    if let Some(snippet) = &site.snippet {
        lines(page, snippet);
    }
    page.markup("</div></li>\n");
}

/// The lines of a snippet with their numbers, the marked part of each set off.
fn lines(page: &mut Page, snippet: &Snippet) {
    page.markup("<pre class=\"snippet\">");
    let mark = floor(&snippet.text, snippet.mark.start)..floor(&snippet.text, snippet.mark.end);
    let mut start = 0;
    for (at, line) in snippet.text.split('\n').enumerate() {
        let inside = |at: usize| at.clamp(start, start + line.len()) - start;
        let (from, to) = (inside(mark.start), inside(mark.end));
        page.markup("<span class=\"line\"><span class=\"no\">")
            .anchor(snippet.first_line.saturating_add(at))
            .markup("</span><span>");
        if from < to {
            code(page, &line[..from]);
            page.markup("<mark>");
            code(page, &line[from..to]);
            page.markup("</mark>");
            code(page, &line[to..]);
        } else {
            code(page, line);
        }
        page.markup("</span></span>");
        start += line.len() + 1;
    }
    page.markup("</pre>\n");
}

/// Text of a line, with its tabs.
fn code(page: &mut Page, text: &str) {
    for (at, part) in text.split('\t').enumerate() {
        if at > 0 {
            page.markup("\t");
        }
        page.text(part);
    }
}

/// The nearest place at or before this one at which a character begins.
fn floor(text: &str, at: usize) -> usize {
    text.floor_char_boundary(at.min(text.len()))
}
