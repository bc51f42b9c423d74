//! `tests/skipped` for what leaves tests of pytest out from afar: `conftest.py`.

use std::{collections::BTreeSet, ops::Range, sync::LazyLock};

use regex::Regex;

use super::{SKIPPED, finding, site_at};
use crate::{
    diag::{Confidence, Severity},
    rule::change::{Change, File, Said},
};

static IGNORES: LazyLock<Regex> =
    LazyLock::new(|| regex(r"^collect_ignore(?:_glob)?\s*(?:\+?=|\.(?:append|extend)\()"));
static MARKS: LazyLock<Regex> =
    LazyLock::new(|| regex(r"^\s+\w+\.add_marker\(\s*(?:pytest\.mark\.)?skip(?:\(|\)|_?\w*\))"));

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a pattern of ours")
}

pub(super) fn judge(change: &Change<'_>, said: &mut Said) {
    for file in change.files.iter().filter(|file| file.path.file_name() == b"conftest.py" && !file.is_link()) {
        match read(change, file) {
            Ok(Some((text, span))) => {
                let line = String::from_utf8_lossy(&text[span.clone()]).trim().to_owned();
                let message = format!(
                    "`{}` leaves tests out before pytest runs any: `{line}`. They are not even counted as skipped.",
                    file.path.lossy()
                );
                let site = site_at(change, &file.path, &text, span);
                said.findings.push(finding(SKIPPED, Severity::Warning, Confidence::Medium, None, message, site));
            }
            Ok(None) => {}
            Err(error) => said.gap(file.path.lossy(), format!("can't be read: {error}")),
        }
    }
}

/// A text, and the bytes of a line of it.
type Line = (std::sync::Arc<[u8]>, Range<usize>);

/// The first line that leaves tests out without a condition and was not there before.
fn read(change: &Change<'_>, file: &File) -> std::io::Result<Option<Line>> {
    let Some(after) = change.merged(file)? else { return Ok(None) };
    let before = change.before(file)?.unwrap_or_default();
    let before = String::from_utf8_lossy(&before);
    let old: BTreeSet<&str> = before.lines().map(str::trim).collect();
    let text = std::str::from_utf8(&after).map_err(std::io::Error::other)?;
    let mut above: Vec<&str> = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let bare = line.trim_end();
        let leaves_out = IGNORES.is_match(bare) || (MARKS.is_match(bare) && !conditional(&above, bare));
        if leaves_out && !old.contains(bare.trim()) {
            return Ok(Some((after.clone(), start..start + bare.len())));
        }
        above.push(bare);
        start += line.len();
    }
    Ok(None)
}

/// Whether an `if` stands over a line, up to the function that it is in.
fn conditional(above: &[&str], line: &str) -> bool {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut inner = indent(line);
    for over in above.iter().rev().filter(|over| !over.trim().is_empty() && !over.trim_start().starts_with('#')) {
        if indent(over) >= inner {
            continue;
        }
        inner = indent(over);
        let words = over.trim_start();
        if ["if ", "elif ", "else", "try", "except"].iter().any(|word| words.starts_with(word)) {
            return true;
        }
        if words.starts_with("def ") {
            return false;
        }
    }
    false
}
