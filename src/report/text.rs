//! A finding as lines of plain text, for formats that have one field for all that there is to say.

use std::fmt::Write as _;

use super::{escape::terminal, words};
use crate::diag::{Diagnostic, Fix, HolderKind, RepoPath, Site};

/// How many places a text names.
const PLACES: usize = 10;

/// How a format writes what comes from outside. Both results stand on one line.
pub(super) struct Look<'a> {
    /// A text.
    pub(super) prose: &'a dyn Fn(&str) -> String,
    /// A site's path and position; the number is its place among the sites.
    pub(super) place: &'a dyn Fn(usize, &Site) -> String,
}

impl Look<'_> {
    /// With all that a terminal would act on written out.
    pub(super) const PLAIN: Self = Self { prose: &|text| terminal(text), place: &|_, site| words::place(site) };
}

/// The message, the other places, help, fix and documentation. `anchor` is the site that the finding is shown at.
pub(super) fn text(found: &Diagnostic, anchor: Option<usize>, look: &Look<'_>) -> String {
    let mut text = (look.prose)(&found.message);
    if text.trim().is_empty() {
        text = "(no message)".into();
    }
    let names = words::names_holders(found);
    for (at, site) in found.sites.iter().enumerate().take(PLACES) {
        let about = about(site, names, look);
        match (Some(at) == anchor, about.is_empty()) {
            (true, true) => {}
            (true, false) => line(&mut text, &format!("here: {about}")),
            (false, true) => line(&mut text, &(look.place)(at, site)),
            (false, false) => line(&mut text, &format!("{} ({about})", (look.place)(at, site))),
        }
    }
    if found.sites.len() > PLACES {
        line(&mut text, &format!("and {} more", found.sites.len() - PLACES));
    }
    let fix = found.fix.as_ref().map(|fix| mend(fix, look));
    let [help, docs] = [&found.help, &found.docs].map(|part| part.as_deref().map(look.prose));
    for (label, part) in [("help", help), ("fix", fix), ("docs", docs)] {
        if let Some(part) = part {
            line(&mut text, &format!("{label}: {part}"));
        }
    }
    text
}

/// Whose the site is, where that says something, and its note.
pub(super) fn about(site: &Site, names_holder: bool, look: &Look<'_>) -> String {
    let holder = names_holder.then(|| (look.prose)(&words::holder(&site.holder)));
    let note = site.note.as_deref().map(look.prose);
    holder.into_iter().chain(note).collect::<Vec<_>>().join(", ")
}

/// The site at which a format shows a finding that can point only at the judged tree: the first one of the head, else the one
/// that must yield.
pub(super) fn anchor(found: &Diagnostic) -> Option<usize> {
    let of_head = found.sites.iter().position(|site| site.holder.kind == HolderKind::Head);
    of_head.or((!found.sites.is_empty()).then_some(0))
}

/// What the fix does, and to which files.
fn mend(fix: &Fix, look: &Look<'_>) -> String {
    let path = |path: &RepoPath| (look.prose)(&terminal(path.as_bytes()));
    let mut text = (look.prose)(&fix.title) + words::condition(fix.safety);
    for rename in fix.renames.iter().take(PLACES) {
        line(&mut text, &format!("  {} → {}", path(&rename.from), path(&rename.to)));
    }
    if fix.renames.len() > PLACES {
        line(&mut text, &format!("  and {} more", fix.renames.len() - PLACES));
    }
    text
}

fn line(text: &mut String, line: &str) {
    write!(text, "\n{line}").expect("a String takes all text");
}
