//! Cutting one line down to what a reader can take in, around the part that matters.

use std::ops::Range;

/// How many characters of a line before its mark are kept when the line is too long, at the least.
const LEAD: usize = 60;

/// A part of a line, and whether something was left away beside it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Part<'a> {
    /// The characters.
    pub(crate) text: &'a str,
    /// Whether the line has more of them on the far side.
    pub(crate) more: bool,
}

/// Joins what stands before a mark and what begins with it to at most `budget` characters and two `…`.
///
/// Returns the line and the bytes of it that are marked. The mark is the first `mark` bytes of `rest`; it is shortened
/// where it does not fit.
pub(crate) fn around(before: &Part<'_>, rest: &Part<'_>, mark: usize, budget: usize) -> (String, Range<usize>) {
    let (leading, following) = (before.text.chars().count(), rest.text.chars().count());
    let keep_before = leading.min(budget.saturating_sub(following).max(LEAD.min(budget / 2)));
    let keep_rest = following.min(budget - keep_before);
    let from = byte_of(before.text, leading - keep_before);
    let to = byte_of(rest.text, keep_rest);
    let mut line = String::new();
    if before.more || from > 0 {
        line.push('…');
    }
    line.push_str(&before.text[from..]);
    let start = line.len();
    line.push_str(&rest.text[..to]);
    let end = start + mark.min(to);
    if rest.more || to < rest.text.len() {
        line.push('…');
    }
    (line, start..end)
}

/// Where the character with this index begins; the length past the last one.
fn byte_of(text: &str, index: usize) -> usize {
    text.char_indices().nth(index).map_or(text.len(), |(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(before: &str, rest: &str, mark: usize, budget: usize) -> (String, String) {
        let part = |text| Part { text, more: false };
        let (line, marked) = around(&part(before), &part(rest), mark, budget);
        let shown = line[marked].to_owned();
        (line, shown)
    }

    #[test]
    fn a_short_line_stays_whole() {
        assert_eq!(cut("let é = ", "key;", 3, 160), ("let é = key;".into(), "key".into()));
        assert_eq!(cut("", "", 0, 160), (String::new(), String::new()));
    }

    #[test]
    fn a_long_line_is_cut_around_the_mark() {
        let (line, marked) = cut(&"b".repeat(500), &format!("key{}", "r".repeat(500)), 3, 20);
        assert_eq!((line.as_str(), marked.as_str()), ("…bbbbbbbbbbkeyrrrrrrr…", "key"));
        let (line, marked) = cut(&"b".repeat(500), "key", 3, 20);
        assert_eq!((line.as_str(), marked.as_str()), ("…bbbbbbbbbbbbbbbbbkey", "key"));
        let (line, marked) = cut("b", &"k".repeat(500), 500, 20);
        assert_eq!((line.as_str(), marked.len()), ("bkkkkkkkkkkkkkkkkkkk…", 19));
    }

    #[test]
    fn what_was_cut_before_still_shows() {
        let (line, marked) = around(&Part { text: "ab", more: true }, &Part { text: "cd", more: true }, 2, 160);
        assert_eq!((line.as_str(), &line[marked]), ("…abcd…", "cd"));
    }
}
