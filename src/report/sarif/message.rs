//! Messages of results. A reader makes links of `[text](id)` in them, and of nothing that comes from outside.

use crate::{
    diag::{Diagnostic, HolderKind, Site},
    report::{
        escape::terminal,
        text::{self, Look},
        words,
    },
};

/// A text from outside, in which nothing is a link.
pub(super) fn prose(text: &str) -> String {
    terminal(text).replace("](", "] (")
}

/// All that there is to say of a finding. Places in the judged tree are links to the related locations; a reader has no file
/// of another line of work to show.
pub(super) fn text(found: &Diagnostic, anchor: Option<usize>) -> String {
    let place = |at: usize, site: &Site| {
        let shown = words::place(site);
        match site.holder.kind {
            HolderKind::Head => format!("[{}]({})", escaped(&shown), at + 1),
            _ => prose(&shown),
        }
    };
    text::text(found, anchor, &Look { prose: &prose, place: &place })
}

/// Whose a related location is and what is particular about it.
pub(super) fn about(site: &Site, names_holder: bool) -> Option<String> {
    let look = Look { prose: &prose, ..Look::PLAIN };
    Some(text::about(site, names_holder, &look)).filter(|text| !text.is_empty())
}

/// The text of a link: brackets and backslashes are escaped there.
fn escaped(text: &str) -> String {
    terminal(text).replace('\\', r"\\").replace('[', r"\[").replace(']', r"\]")
}
