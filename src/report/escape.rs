//! Makes text from outside safe to show: names, paths, messages and snippets are written by whoever wrote the change.

use std::{fmt::Write as _, ops::Range};

/// Writes out everything in a text that a terminal would act on or hide, as visible escapes on one line.
///
/// Control characters become `\n`, `\x1b` or `\u{9b}`; bidirectional controls, zero-width characters, line and paragraph
/// separators become `\u{202e}`; bytes that are not UTF-8 become `\xff`. A `##[`, which a GitHub runner takes for a command
/// wherever it stands in a line, becomes `#\u{23}[`. All other text, backslashes included, stays as it is.
pub fn terminal(text: impl AsRef<[u8]>) -> String {
    let text = text.as_ref();
    // nearly every text is plain ASCII, which is seen at once
    if let Some(plain) = std::str::from_utf8(text).ok().filter(|text| is_plain_ascii(text)) {
        return plain.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    pieces(text, |piece, _| out.push_str(piece));
    out
}

/// Hands on what [`terminal`] gives, character by character, each with whether it is written out as an escape.
pub(crate) fn pieces(text: &[u8], mut piece: impl FnMut(&str, bool)) {
    let mut shown = String::new();
    for chunk in text.utf8_chunks() {
        let valid = chunk.valid();
        for (at, c) in valid.char_indices() {
            shown.clear();
            push_visible(&mut shown, valid, at, c);
            piece(&shown, !shown.starts_with(c) || shown.len() > c.len_utf8());
        }
        for byte in chunk.invalid() {
            shown.clear();
            push_byte(&mut shown, *byte);
            piece(&shown, true);
        }
    }
}

/// Like [`terminal`] for a snippet: line ends and tabs stay, and the marked bytes are found again in the escaped text.
pub(crate) fn terminal_snippet(text: &str, mark: &Range<usize>) -> (String, Range<usize>) {
    let mut out = String::with_capacity(text.len());
    let (mut start, mut end) = (None, None);
    for (at, c) in text.char_indices() {
        if at >= mark.start {
            start.get_or_insert(out.len());
        }
        if at >= mark.end {
            end.get_or_insert(out.len());
        }
        match c {
            '\n' | '\t' => out.push(c),
            _ => push_visible(&mut out, text, at, c),
        }
    }
    let start = start.unwrap_or(out.len());
    let end = end.unwrap_or(out.len()).max(start);
    (out, start..end)
}

/// Whether all characters of a text show, and none of them can belong to a command.
fn is_plain_ascii(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~')) && !text.contains("##[")
}

/// Whether [`terminal`] would leave a text alone.
pub(crate) fn is_plain(text: &str) -> bool {
    !text.contains("##[") && !text.chars().any(is_unseen)
}

fn push_visible(out: &mut String, text: &str, at: usize, c: char) {
    let legacy_command = c == '#' && text[..at].ends_with('#') && text[at + 1..].starts_with('[');
    match c {
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '\0'..='\x1f' | '\x7f' => push_byte(out, c as u8),
        _ if legacy_command || is_unseen(c) => out.extend(c.escape_unicode()),
        _ => out.push(c),
    }
}

fn push_byte(out: &mut String, byte: u8) {
    write!(out, "\\x{byte:02x}").expect("a String takes all text");
}

/// Characters that move, reorder or hide what stands around them, or that show as nothing.
fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}'                // soft hyphen, grapheme joiner, Arabic letter mark
            | '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' // Hangul fillers
            | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'                       // zero width; left-to-right and right-to-left marks
            | '\u{2028}'..='\u{202e}'                       // separators; bidirectional embeddings and overrides
            | '\u{2060}'..='\u{206f}'                       // word joiner, invisible operators, bidirectional isolates
            | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e0fff}' // tags and variation selectors
            | '\u{fdd0}'..='\u{fdef}' // no characters, as the last two of each plane
        )
        || u32::from(c) & 0xfffe == 0xfffe
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use proptest::prelude::*;

    #[test]
    fn shows_what_would_act_or_hide() {
        assert_eq!(terminal("a\x1b[31mred\x07\n\r\tb"), r"a\x1b[31mred\x07\n\r\tb");
        assert_eq!(terminal("\u{9b}31m\x7f"), r"\u{9b}31m\x7f");
        assert_eq!(terminal("x\u{202e}lqs.\u{2066}\u{200f}"), r"x\u{202e}lqs.\u{2066}\u{200f}");
        assert_eq!(terminal("a\u{200b}b\u{feff}\u{2028}\u{2029}"), r"a\u{200b}b\u{feff}\u{2028}\u{2029}");
        assert_eq!(terminal(b"caf\xe9\xff/\xc3\xa9"), "caf\\xe9\\xff/é");
        assert_eq!(terminal("naïve – 日本語 \\x1b 🦀"), "naïve – 日本語 \\x1b 🦀");
    }

    #[test]
    fn breaks_legacy_workflow_commands() {
        assert_eq!(terminal("a##[error]x"), r"a#\u{23}[error]x");
        assert_eq!(terminal("###[x ## [ #["), r"##\u{23}[x ## [ #[");
    }

    #[test]
    fn a_mark_moves_with_the_escapes_before_it() {
        let text = "a\x1b\n##[key]\tz";
        let start = text.find('[').unwrap();
        let (shown, mark) = terminal_snippet(text, &(start..start + 5));
        assert_eq!(shown, "a\\x1b\n#\\u{23}[key]\tz");
        assert_eq!(&shown[mark], "[key]");
    }

    proptest! {
        #[test]
        fn nothing_unseen_is_left(text in any::<Vec<u8>>()) {
            let shown = terminal(&text);
            prop_assert!(is_plain(&shown));
            prop_assert_eq!(terminal(&shown), shown);
        }

        #[test]
        fn the_quick_way_gives_the_same(text in "[ -~]{0,12}|[#\\[]{0,5}|[ -~]{0,4}[\\x00-\\x1f\u{7f}-\u{9f}é][ -~]{0,4}") {
            let mut slowly = String::new();
            pieces(text.as_bytes(), |piece, _| slowly.push_str(piece));
            prop_assert_eq!(terminal(&text), slowly);
        }

        #[test]
        fn a_mark_covers_what_it_covered(before in "\\PC{0,6}|[\x1b#\\[\n\u{202e}]{0,4}", marked in ".{0,6}", after in ".{0,6}") {
            let text = format!("{before}{marked}{after}");
            let (shown, mark) = terminal_snippet(&text, &(before.len()..before.len() + marked.len()));
            let (whole, _) = terminal_snippet(&text, &(0..0));
            prop_assert_eq!(&shown, &whole);
            prop_assert!(is_plain(&shown.replace(['\n', '\t'], " ")));
            if !text.contains("##[") {
                let (alone, _) = terminal_snippet(&marked, &(0..0));
                prop_assert_eq!(&shown[mark], alone.as_str());
            }
        }

        #[test]
        fn any_mark_is_survived(text in ".{0,12}", start in 0usize..40, length in 0usize..40) {
            let (shown, mark) = terminal_snippet(&text, &(start..start + length));
            prop_assert!(shown.get(mark).is_some());
        }
    }
}
