//! How findings of code rules tell of a place: a line of a file, a piece of text, a list of files, a command to paste.

use std::ops::Range;

use super::listed::listed;
use crate::{
    diag::{RepoPath, Site},
    report::shell,
    text::locate,
};

/// Characters of somebody's text that a message repeats.
const SHOWN: usize = 80;

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
pub(crate) fn paths_listed<'p>(paths: impl Iterator<Item = &'p RepoPath>) -> String {
    let names: Vec<_> = paths.map(RepoPath::lossy).collect();
    listed(names.iter().map(|name| &**name))
}

/// The command that brings back what a commit holds at some paths; none where not every shell would read all of them as they are.
pub(crate) fn restore<'p>(commit: &str, paths: impl IntoIterator<Item = &'p RepoPath>) -> Option<String> {
    let words = paths.into_iter().map(|path| shell::word(path.as_bytes())).collect::<Option<Vec<_>>>()?;
    Some(format!("git checkout {} -- {}", shell::word(commit.as_bytes())?, words.join(" ")))
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
            restore("origin/main", [&"docs/a.md".into(), &"b c".into()]).as_deref(),
            Some("git checkout origin/main -- docs/a.md 'b c'")
        );
        for path in ["-rf", "a\nb", "a'b", "a`b`"] {
            assert_eq!(restore("main", [&path.into()]), None);
        }
    }

    #[test]
    fn paths_are_told() {
        let paths: Vec<RepoPath> = ["a", "b"].map(RepoPath::from).to_vec();
        assert_eq!(paths_listed(paths.iter()), "`a` and `b`");
    }
}
