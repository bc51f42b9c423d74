//! Allowances in comments: what the change adds suppresses nothing yet, and counts once merged.

use std::io::ErrorKind;

use super::{effect::Verdict, make};
use crate::{
    diag::Diagnostic,
    rule::change::{Change, File},
    suppress::find,
};

/// Texts that explain: an allowance in one is most likely an example.
const PROSE: [&str; 6] = [".md", ".mdx", ".markdown", ".rst", ".adoc", ".txt"];
/// Longest text that is looked through, in bytes; as long as those in which an allowance counts.
const LONGEST: usize = 1 << 20;

/// The allowances that a file of the change brings.
///
/// # Errors
/// The file can't be read.
pub(super) fn added(change: &Change<'_>, file: &File) -> std::io::Result<Vec<Diagnostic>> {
    if file.is_removed() || file.is_link() {
        return Ok(Vec::new());
    }
    let text = match change.after(file) {
        Err(error) if error.kind() == ErrorKind::FileTooLarge => return Ok(Vec::new()), // as for one over LONGEST
        text => text?.unwrap_or_else(|| [].into()),
    };
    let new = if text.len() > LONGEST { Vec::new() } else { find(&text) };
    if new.is_empty() {
        return Ok(Vec::new());
    }
    // what moves with its file was there
    let old = match (&file.from, file.trunk) {
        (Some(from), None) => change.trunk_at(from)?,
        _ => change.trunk(file)?,
    };
    let old = old.map_or_else(Vec::new, |text| find(&text));
    let path = file.path.lossy();
    let is_prose = PROSE.iter().any(|end| path.ends_with(end));
    let is_new = |code: &str| !old.iter().any(|known| known.code == code && known.reason.is_some());
    let counts = new.into_iter().filter(|one| one.reason.is_some() && is_new(&one.code));
    let finding = |one: crate::suppress::Inline| {
        let verdict = if is_prose { Verdict::Unclear } else { Verdict::Loosens };
        let message = match is_prose {
            true => format!(
                "`{path}` holds what allows `{}` in it once merged, unless it is an example, as in a text that explains",
                one.code
            ),
            false => format!(
                "`{path}` allows itself `{}` ({}). That suppresses nothing in this run; once merged, it counts",
                one.code,
                one.reason.as_deref().unwrap_or_default()
            ),
        };
        let mut found = make(change, &file.path, verdict, Some(one.position), message);
        found.key = Some(one.code);
        found.seal();
        found
    };
    Ok(counts.map(finding).collect())
}
