//! How findings of code rules tell of a place: a line of a file, a piece of text, a list of files, a command to paste.

use std::ops::Range;

use crate::{
    diag::{RepoPath, Site},
    text::locate,
};

/// Characters of somebody's text that a message repeats.
const SHOWN: usize = 80;
/// Files that a message names.
const NAMED: usize = 3;

/// Points a site at a part of its file.
pub(crate) fn at_span(site: &mut Site, text: &[u8], span: Range<usize>) {
    let located = locate(text, span);
    site.position = Some(located.position);
    site.snippet = Some(located.snippet);
}

/// Points a site at a whole line, from 1; at the last one where there are fewer. A text without any has no line to point at.
pub(crate) fn at_line(site: &mut Site, text: &[u8], number: usize) {
    let mut at = 0;
    let mut span = None;
    for line in text.split_inclusive(|byte| *byte == b'\n').take(number) {
        span = Some(at..at + line.trim_ascii_end().len());
        at += line.len();
    }
    if let Some(span) = span {
        at_span(site, text, span);
    }
}

/// A piece of text between backticks, cut where it is long and on one line.
pub(crate) fn quoted(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let text = text.trim();
    if text.is_empty() {
        return "a blank one".to_owned();
    }
    format!("`{}`", shortened(text, SHOWN))
}

/// The first characters of a text, on one line.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    let mut shown: String = text.chars().take(most).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().nth(most).is_some() {
        shown.push('…');
    }
    shown
}

/// `a`, `b` and 3 more.
pub(crate) fn listed<'p>(paths: impl ExactSizeIterator<Item = &'p RepoPath>) -> String {
    let count = paths.len();
    let shown = if count > NAMED + 1 { NAMED } else { count };
    let mut text = String::new();
    for (at, path) in paths.take(shown).enumerate() {
        let before = match at {
            0 => "",
            _ if at + 1 == count => " and ",
            _ => ", ",
        };
        text.push_str(&format!("{before}`{}`", path.lossy()));
    }
    if shown < count {
        text.push_str(&format!(" and {} more", count - shown));
    }
    text
}

/// The command that brings back what a commit holds at a path; none where not every shell would read both as the plain words that they are.
pub(crate) fn restore(commit: &str, path: &RepoPath) -> Option<String> {
    let path = std::str::from_utf8(path.as_bytes()).ok()?;
    (is_bare(commit) && is_bare(path)).then(|| format!("git checkout {commit} -- {path}"))
}

/// Whether every shell takes a word as it is.
fn is_bare(word: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '+');
    word.starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_')) && word.chars().all(plain)
}

/// `1 file`, `2 files`.
pub(crate) fn counted(count: u64, one: &str) -> String {
    format!("{count} {one}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::Holder;

    #[test]
    fn a_line_is_pointed_at_whole() {
        let mut site = Site::path("a".into(), Holder::head(None));
        at_line(&mut site, b"one\ntwo\r\nthree", 2);
        let position = site.position.map(|at| (at.line, at.column, at.end_line, at.end_column));
        assert_eq!(position, Some((2, 1, 2, 4)));
        at_line(&mut site, b"one\n", 7);
        assert_eq!(site.position.map(|at| at.line), Some(1));
        let mut none = Site::path("a".into(), Holder::head(None));
        at_line(&mut none, b"", 1);
        assert_eq!(none.position, None);
    }

    #[test]
    fn texts_of_others_are_cut_and_stay_on_one_line() {
        assert_eq!(quoted(b" two\n"), "`two`");
        assert_eq!(quoted(b" \n"), "a blank one");
        assert_eq!(quoted("x".repeat(100).as_bytes()).chars().count(), 83);
        assert_eq!(shortened("a\nb\u{1b}c", 9), "a b c");
    }

    #[test]
    fn commands_are_plain_words_or_none() {
        assert_eq!(
            restore("origin/main", &"docs/a.md".into()).as_deref(),
            Some("git checkout origin/main -- docs/a.md")
        );
        for path in ["-rf", "a b", "a;b", "$(x)", "é"] {
            assert_eq!(restore("main", &path.into()), None);
        }
        assert_eq!(restore("main^", &"a".into()), None);
    }

    #[test]
    fn long_lists_are_cut() {
        let of = |names: &[&str]| {
            let paths: Vec<RepoPath> = names.iter().map(|name| (*name).into()).collect();
            listed(paths.iter())
        };
        assert_eq!(of(&["a"]), "`a`");
        assert_eq!(of(&["a", "b", "c", "d"]), "`a`, `b`, `c` and `d`");
        assert_eq!(of(&["a", "b", "c", "d", "e"]), "`a`, `b`, `c` and 2 more");
        assert_eq!((counted(1, "file"), counted(2, "file")), ("1 file".to_owned(), "2 files".to_owned()));
    }
}
