//! Which lines a new version of a text adds, and how many it takes away.

use std::ops::Range;

use gix::diff::blob::{Algorithm, Diff, InternedInput, sources::byte_lines};

/// How many lines a new version of a text adds and removes, as `git diff --numstat` counts them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Lines that only the new version has.
    pub added: u64,
    /// Lines that only the old version has.
    pub removed: u64,
}

/// Counts lines; none where one of the texts is binary.
pub fn counts(old: &[u8], new: &[u8]) -> Option<Counts> {
    if is_binary(old) || is_binary(new) {
        return None;
    }
    let input = InternedInput::new(byte_lines(old), byte_lines(new));
    let diff = Diff::compute(Algorithm::Myers, &input);
    Some(Counts { added: diff.count_additions().into(), removed: diff.count_removals().into() })
}

/// Where the lines that only the new version has stand in it, without their ends; none where one of the texts is binary.
pub fn added_lines(old: &[u8], new: &[u8]) -> Option<Vec<Range<usize>>> {
    if is_binary(old) || is_binary(new) {
        return None;
    }
    let input = InternedInput::new(byte_lines(old), byte_lines(new));
    let diff = Diff::compute(Algorithm::Myers, &input);
    let mut added = Vec::new();
    let mut at = 0;
    for (number, line) in new.split_inclusive(|byte| *byte == b'\n').enumerate() {
        if diff.is_added(number as u32) {
            added.push(at..at + without_end(line).len());
        }
        at += line.len();
    }
    Some(added)
}

/// git's own test for a file that is no text.
pub fn is_binary(text: &[u8]) -> bool {
    text[..text.len().min(8000)].contains(&0)
}

/// A line without what ends it.
pub fn without_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn added(old: &str, new: &str) -> Vec<String> {
        let lines = added_lines(old.as_bytes(), new.as_bytes()).unwrap_or_default();
        lines.into_iter().map(|span| new[span].to_owned()).collect()
    }

    #[test]
    fn only_new_lines_are_added() {
        assert_eq!(added("", "a\nb"), ["a", "b"]);
        assert_eq!(added("a\nb\nc\n", "a\nx\r\nc\nd\n"), ["x", "d"]);
        assert_eq!(added("a\nb\n", "b\n"), [""; 0]);
        assert_eq!(added("a", ""), [""; 0]);
    }

    #[test]
    fn lines_are_counted_as_git_does() {
        let of = |old: &str, new: &str| counts(old.as_bytes(), new.as_bytes()).map(|it| (it.added, it.removed));
        assert_eq!(of("", "a\nb"), Some((2, 0)));
        assert_eq!(of("a\nb\nc\n", "a\nx\nc\n"), Some((1, 1)));
        assert_eq!(of("a\n", "a"), Some((1, 1)));
        assert_eq!(of("a\n", "a\n"), Some((0, 0)));
        assert_eq!(of("a\0", "b"), None);
    }

    #[test]
    fn long_texts_take_no_quadratic_time() {
        let text = |from: usize| (from..from + 40_000).map(|at| format!("{at}\n")).collect::<String>();
        let counted = counts(text(0).as_bytes(), text(100_000).as_bytes());
        assert_eq!(counted, Some(Counts { added: 40_000, removed: 40_000 }));
    }
}
