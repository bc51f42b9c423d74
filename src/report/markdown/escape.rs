//! Text that stays text in GitHub's Markdown, and in what GitHub makes of the page afterwards: mentions, references, emoji.

use crate::report::escape::terminal;

/// What stands between two characters that mean something together, and shows as nothing.
const APART: &str = "&#8203;";

/// A text of any origin on one line, of which the words between backticks are code.
pub(in crate::report) fn prose(text: &str) -> String {
    let text = terminal(text);
    let parts: Vec<&str> = text.trim().split('`').collect();
    if parts.len().is_multiple_of(2) {
        return plain(text.trim());
    }
    let mut out = String::new();
    for (at, part) in parts.iter().enumerate() {
        match (at % 2, part.is_empty()) {
            (0, _) => out.push_str(&plain(part)),
            (_, true) => out.push_str(&plain("``")),
            (_, false) => {
                if out.ends_with('`') {
                    out.push_str(APART); // two runs of backticks would be one
                }
                out.push_str(&code(part));
            }
        }
    }
    out
}

/// A text of any origin as code. Nothing is a mention or a reference in there.
pub(super) fn code(text: impl AsRef<[u8]>) -> String {
    let text = terminal(text);
    if text.is_empty() {
        return "(empty)".into();
    }
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest + 1);
    let stripped = text.starts_with(' ') && text.ends_with(' ') && !text.trim_matches(' ').is_empty();
    let pad = if stripped || text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// Escapes what is markup, and sets apart what GitHub or GitLab would link: `@name`, `#12`, `GH-12`, `!12`, addresses, `:emoji:`.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    let mut rest = text.chars().peekable();
    let mut before = String::new(); // the letters that a `-` or `.` follows
    while let Some(c) = rest.next() {
        if c == '.' && before.ends_with("www") {
            out.push_str(APART);
        }
        if c.is_ascii_punctuation() && !matches!(c, ',' | ';' | '\'' | '"' | '?' | '/' | '%') {
            out.push('\\');
        }
        out.push(c);
        let joined = rest.peek().is_some_and(|next| !next.is_whitespace());
        if joined && ("@#!~%$&^:".contains(c) || c == '-' && before.ends_with("gh")) {
            out.push_str(APART);
        }
        if c.is_alphanumeric() { before.extend(c.to_lowercase()) } else { before.clear() }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_markup_mention_or_reference() {
        assert_eq!(prose("@everyone #12 a/b#3 GH-12"), r"\@&#8203;everyone \#&#8203;12 a/b\#&#8203;3 GH\-&#8203;12");
        assert_eq!(prose("see https://a.b, www.c.d"), r"see https\:&#8203;//a\.b, www&#8203;\.c\.d");
        assert_eq!(prose("<img src=x> [a](b) |"), r"\<img src\=x\> \[a\]\(b\) \|");
        assert_eq!(prose("a: 50% of `x|y`"), "a\\: 50% of `x|y`");
        assert_eq!(prose(" - x\n::error::"), r"\- x\\n\:&#8203;\:&#8203;error\:&#8203;\:");
    }

    #[test]
    fn code_ends_where_the_text_ends() {
        let shown: Vec<String> = ["a", "`", "a``b", " x ", "  ", ""].into_iter().map(code).collect();
        assert_eq!(shown, ["`a`", "`` ` ``", "```a``b```", "`  x  `", "`  `", "(empty)"]);
        assert_eq!(code(b"caf\xe9\n@a"), "`caf\\xe9\\n@a`");
    }

    #[test]
    fn backticks_in_pairs_are_code() {
        assert_eq!(prose("a `b` c ``"), "a `b` c \\`\\`");
        assert_eq!(prose("`a``b`"), "`a`&#8203;`b`");
        assert_eq!(prose("a `b"), "a \\`b");
    }
}
