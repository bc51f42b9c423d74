//! As much of Python's grammar as tells code from strings and comments.

use std::ops::Range;

/// A file in three readings of equal length.
pub(super) struct Source {
    /// Comments are blank, and lines that go on behind a backslash are one.
    pub(super) text: String,
    /// Also blank: what stands inside string literals, their line breaks too.
    pub(super) code: String,
    literals: Vec<Literal>,
}

/// A string literal.
struct Literal {
    /// With prefix and quotes.
    whole: Range<usize>,
    body: Range<usize>,
    /// Whether its body is its value.
    plain: bool,
}

/// Where a value ends, and the strings in it with their places.
pub(super) type Strings = Vec<(String, Range<usize>)>;

impl Source {
    pub(super) fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let (mut plain, mut code) = (bytes.to_vec(), bytes.to_vec());
        let mut literals = Vec::new();
        let mut at = 0;
        while let Some(offset) = bytes[at..].iter().position(|b| matches!(b, b'#' | b'"' | b'\'' | b'\\')) {
            at += offset;
            match bytes[at] {
                b'#' => {
                    let end = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |length| at + length);
                    plain[at..end].fill(b' ');
                    code[at..end].fill(b' ');
                    at = end;
                }
                b'\\' => {
                    let end = (at + if bytes[at + 1..].starts_with(b"\r\n") { 3 } else { 2 }).min(bytes.len());
                    if bytes[at..end].ends_with(b"\n") {
                        plain[at..end].fill(b' ');
                        code[at..end].fill(b' ');
                    }
                    at = end;
                }
                _ => {
                    let literal = literal(bytes, at);
                    code[literal.body.clone()].fill(b' ');
                    at = literal.whole.end;
                    literals.push(literal);
                }
            }
        }
        let string = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Self { text: string(plain), code: string(code), literals }
    }

    /// The bracket that opens at `at`, up to and with the one that closes it.
    pub(super) fn balanced(&self, at: usize) -> Option<Range<usize>> {
        let mut depth = 0_usize;
        for (offset, byte) in self.code.as_bytes()[at..].iter().enumerate() {
            match byte {
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                return Some(at..at + offset + 1);
            }
        }
        None
    }

    /// Whether the end of `range` stands inside a bracket that opens in it.
    pub(super) fn in_bracket(&self, range: Range<usize>) -> bool {
        let code = &self.code.as_bytes()[range];
        let count = |brackets: &[u8]| code.iter().filter(|b| brackets.contains(b)).count();
        count(b"([{") > count(b")]}")
    }

    /// Whether a statement ends at `at`: nothing follows on the line.
    pub(super) fn statement_ends(&self, at: usize) -> bool {
        let rest = self.code[at..].trim_start_matches([' ', '\t', '\r', '\x0C']);
        rest.is_empty() || rest.starts_with('\n') || rest.starts_with(';')
    }

    /// The string literals of the statement's value at `at`: nothing for `None`, one for a string, several for a list or a tuple, with
    /// or without brackets. None if it is anything else.
    pub(super) fn strings(&self, at: usize) -> Option<Strings> {
        let code = &self.code[at..];
        if let Some(rest) = code.strip_prefix("None") {
            return self.statement_ends(self.code.len() - rest.len()).then(Vec::new);
        }
        let range = if code.starts_with(['(', '[']) {
            let range = self.balanced(at)?;
            if !self.statement_ends(range.end) {
                return None;
            }
            range.start + 1..range.end - 1
        } else {
            let end = code.find(['\n', ';']).map_or(self.code.len(), |length| at + length);
            if code[..end - at].trim().is_empty() {
                return None;
            }
            at..end
        };
        self.list(range)
    }

    /// String literals with commas between them, and nothing else.
    fn list(&self, range: Range<usize>) -> Option<Strings> {
        let mut found = Vec::new();
        let mut at = range.start;
        let between = |from: usize, to: usize| self.code[from..to].trim();
        for literal in self.literals.iter().filter(|literal| range.contains(&literal.whole.start)) {
            let comma = if found.is_empty() { "" } else { "," };
            if !literal.plain || between(at, literal.whole.start) != comma {
                return None;
            }
            found.push((self.text[literal.body.clone()].to_owned(), literal.body.clone()));
            at = literal.whole.end;
        }
        matches!(between(at, range.end), "" | ",").then_some(found)
    }
}

/// The literal whose first quote stands at `at`. One that is not closed goes to the end of its line or of the file.
fn literal(bytes: &[u8], at: usize) -> Literal {
    let letters = bytes[..at].iter().rev().take(3).take_while(|b| b.is_ascii_alphabetic()).count();
    let prefix = &bytes[at - letters..at];
    let raw = prefix.iter().any(|b| matches!(b, b'r' | b'R'));
    let simple = prefix.iter().all(|b| matches!(b, b'r' | b'R' | b'u' | b'U'));
    let quote = bytes[at];
    let triple = bytes[at..].starts_with(&[quote; 3]);
    let quotes = if triple { 3 } else { 1 };
    let start = at + quotes;
    let mut end = start;
    let mut escapes = false;
    let closed = loop {
        match bytes.get(end) {
            None => break false,
            Some(b'\n') if !triple => break false,
            Some(b'\\') => {
                escapes = true;
                end += 2;
            }
            Some(byte) if *byte == quote && (!triple || bytes[end..].starts_with(&[quote; 3])) => break true,
            Some(_) => end += 1,
        }
    };
    let end = end.min(bytes.len());
    let close = if closed { end + quotes } else { end };
    Literal { whole: at - letters..close, body: start..end, plain: closed && simple && (raw || !escapes) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strings(value: &str) -> Option<Vec<String>> {
        let source = Source::new(value);
        let found = source.strings(0)?;
        for (text, span) in &found {
            assert_eq!(&value[span.clone()], text);
        }
        Some(found.into_iter().map(|(text, _)| text).collect())
    }

    #[test]
    fn values_that_the_text_tells() {
        let some = |texts: &[&str]| Some(texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>());
        assert_eq!(strings("None  # base"), some(&[]));
        assert_eq!(strings("'a' # b 'c'"), some(&["a"]));
        assert_eq!(strings("\"a\", 'b'\nx"), some(&["a", "b"]));
        assert_eq!(strings("(\n  'a', # 'no'\n  \"b\",\n)\n"), some(&["a", "b"]));
        assert_eq!(strings("[\"a\", r'b']; x = 1"), some(&["a", "b"]));
        assert_eq!(strings("\"\"\"a\"\"\""), some(&["a"]));
        assert_eq!(strings("()"), some(&[]));
    }

    #[test]
    fn values_that_it_does_not() {
        for value in [
            "x",
            "'a' + b",
            "('a',) + X",
            "f'a'",
            "b'a'",
            "'a' 'b'",
            "'a\\x62'",
            "('a', x)",
            "('a'",
            "'a",
            "",
            "None or x",
            "NoneX",
        ] {
            assert_eq!(strings(value), None, "{value}");
        }
    }

    #[test]
    fn strings_and_comments_are_no_code() {
        let text = "x = 'it''s # no' # 'yes\ny = \"\"\"\nz = 1 # \"\"\" \\\n + 1\n'\\'' # é";
        let source = Source::new(text);
        assert_eq!((source.text.len(), source.code.len()), (text.len(), text.len()));
        assert!(!source.code.contains("z = 1") && source.text.contains("z = 1"));
        assert!(!source.code.contains("no") && !source.text.contains("yes"));
        assert!(source.text.contains("    + 1") && !source.text.contains('é'));
    }

    #[test]
    fn no_text_makes_it_panic() {
        for text in ["\\", "'", "'\\", "\"\"\"", "r'\\", "#", "\\\r", "é'é\\é", "(((", ")"] {
            let source = Source::new(text);
            assert_eq!(source.code.len(), text.len(), "{text}");
            let _ = source.balanced(0);
        }
    }
}
