//! Files of variables, as the readers of `.env` take them: no shell, and no word beyond what they agree on.
//!
//! Two readers are behind nearly all others: motdotla/dotenv (`lib/main.js`, the pattern `LINE`; Next.js, Vite, Node's own and most
//! ports of it) and compose-go (`dotenv/parser.go`; docker compose). They differ in one thing that matters here: `#` inside an unquoted
//! value begins a comment for the first, and only behind a blank for the second. A value that they read differently is not known.

mod variables;

pub use variables::Variables;
pub(crate) use variables::references;

use std::ops::Range;

use super::{ExtractError, document::text};

/// Most variables of one file.
const MOST: usize = 10_000;

/// One assignment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// The name.
    pub name: String,
    /// The bytes of the file that the name stands in. Never those of the value, which may be a secret.
    pub span: Range<usize>,
    /// What it is set to; none where readers disagree.
    pub value: Option<Value>,
}

/// What a variable is set to, references to others not yet resolved.
#[derive(Clone, PartialEq, Eq)]
pub struct Value {
    /// The text without quotes.
    pub text: String,
    /// In single quotes or backticks, where `$` may stand for itself.
    pub literal: bool,
}

impl std::fmt::Debug for Value {
    /// Says nothing of the text: it may be a secret, and a failing test prints what it compares.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Value({} bytes)", self.text.len())
    }
}

/// The assignments of a file in their order; lines that are none are passed over, as every reader does.
///
/// # Errors
/// The file is not UTF-8, or sets more variables than anybody would.
pub fn parse(bytes: &[u8]) -> Result<Vec<Variable>, ExtractError> {
    let (text, mark) = text(bytes)?;
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let end = line_end(text, at);
        match assignment(text, at, end) {
            Some((mut variable, next)) => {
                if found.len() == MOST {
                    return Err(ExtractError::TooLarge(format!("more than {MOST} variables")));
                }
                variable.span = variable.span.start + mark..variable.span.end + mark;
                found.push(variable);
                at = next;
            }
            None => at = end,
        }
        at += usize::from(at < text.len()); // the line end
    }
    Ok(found)
}

fn line_end(text: &str, from: usize) -> usize {
    memchr::memchr2(b'\n', b'\r', &text.as_bytes()[from..]).map_or(text.len(), |length| from + length)
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\u{b}' | '\u{c}' | '\u{a0}')
}

/// The assignment that a line begins, and where it ends: a quoted value may go on over many lines.
fn assignment(text: &str, start: usize, end: usize) -> Option<(Variable, usize)> {
    let line = &text[start..end];
    let bare = line.trim_start_matches(is_blank);
    let bare = match bare.strip_prefix("export") {
        Some(rest) if rest.starts_with(is_blank) => rest.trim_start_matches(is_blank),
        _ => bare,
    };
    let length = bare.bytes().take_while(|b| b.is_ascii_alphanumeric() || b"_.-".contains(b)).count();
    let rest = bare[length..].trim_start_matches(is_blank);
    let value = match rest.strip_prefix('=') {
        Some(value) => value,
        None => rest.strip_prefix(':').filter(|value| value.starts_with(is_blank))?,
    };
    if length == 0 {
        return None;
    }
    let name = end - bare.len();
    let value = value.trim_start_matches(is_blank);
    let (value, next) = self::value(text, end - value.len(), end);
    Some((Variable { name: bare[..length].to_owned(), span: name..name + length, value }, next))
}

/// The value that begins at a place of a line, and where it ends.
fn value(text: &str, start: usize, end: usize) -> (Option<Value>, usize) {
    let written = &text[start..end];
    if let Some(quote) = written.chars().next().filter(|first| matches!(first, '\'' | '"' | '`')) {
        return match closing(text, start + 1, quote) {
            Some(close) => {
                let inner = &text[start + 1..close];
                let text_of = if quote == '"' { unescaped(inner) } else { inner.to_owned() };
                (Some(Value { text: text_of, literal: quote != '"' }), line_end(text, close))
            }
            None => (None, end), // one reader takes the quote for a letter, the other gives up
        };
    }
    let comment = written.char_indices().find(|(at, c)| *c == '#' && written[..*at].ends_with(is_blank));
    let bare = comment.map_or(written, |(at, _)| &written[..at]).trim_end_matches(is_blank);
    let known = !bare.contains('#');
    (known.then(|| Value { text: bare.to_owned(), literal: false }), end)
}

/// Where the quote stands that ends a value: the first that no backslash stands before, with nothing but a comment behind it.
fn closing(text: &str, from: usize, quote: char) -> Option<usize> {
    let mut escaped = false;
    let close = text[from..].char_indices().find_map(|(at, c)| {
        let found = c == quote && !escaped;
        escaped = c == '\\' && !escaped;
        found.then_some(from + at)
    })?;
    let rest = text[close + 1..line_end(text, close)].trim_start_matches(is_blank);
    (rest.is_empty() || rest.starts_with('#')).then_some(close)
}

/// Line ends and quotes of a text in double quotes; a backslash before `$` stays, for it keeps the `$` from meaning anything.
fn unescaped(text: &str) -> String {
    text.replace("\\n", "\n").replace("\\r", "\r").replace("\\\"", "\"")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Vec<(String, Option<String>)> {
        let found = parse(text.as_bytes()).expect("text");
        for variable in &found {
            assert_eq!(&text[variable.span.clone()], variable.name);
        }
        found.into_iter().map(|variable| (variable.name, variable.value.map(|value| value.text))).collect()
    }

    #[track_caller]
    fn is(text: &str, name: &str, value: &str) {
        assert_eq!(read(text), [(name.to_owned(), Some(value.to_owned()))], "{text}");
    }

    #[test]
    fn what_all_readers_agree_on() {
        is("PORT=3001", "PORT", "3001");
        is("\u{feff}  export  PORT = 3001  # web\r\n", "PORT", "3001");
        is("PORT: 3001", "PORT", "3001");
        is("PORT=", "PORT", "");
        is("A_b.c-1=x y", "A_b.c-1", "x y");
        is("PORT=\"3001\" # web", "PORT", "3001");
        is("PORT='3001'", "PORT", "3001");
        is("PORT=`3001`", "PORT", "3001");
        is("A=\"a # b\"", "A", "a # b");
        is("A=\"a\\nb\\\"\"", "A", "a\nb\"");
        is("A=x=y", "A", "x=y");
    }

    #[test]
    fn lines_that_set_nothing() {
        for text in ["", "\n\n", "# PORT=1", "PORT", "=1", "PORT 1", "a:1", "export", "$(PORT)=1", "é=1"] {
            assert_eq!(read(text), [], "{text}");
        }
    }

    #[test]
    fn a_quoted_value_hides_the_lines_in_it() {
        let text = "KEY=\"-----BEGIN\nPORT=1\n-----END\"\nPORT=2\r\nC='x\nPORT=3'\n";
        let names: Vec<String> = read(text).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["KEY", "PORT", "C"]);
    }

    #[test]
    fn what_readers_take_differently_is_not_known() {
        for text in ["A=b#c", "A=#c", "A=\"b", "A=\"b\"c", "A='b' c"] {
            assert_eq!(read(text), [("A".to_owned(), None)], "{text}");
        }
        assert_eq!(read("A=\"b\nPORT=1").last(), Some(&("PORT".to_owned(), Some("1".to_owned()))));
    }

    #[test]
    fn a_flood_of_variables_is_refused() {
        let text = "A=1\n".repeat(MOST + 1);
        assert!(matches!(parse(text.as_bytes()), Err(ExtractError::TooLarge(_))));
        assert_eq!(parse(b"A=\xff"), Err(ExtractError::Encoding(2)));
    }

    #[test]
    fn a_value_is_never_printed() {
        assert!(!format!("{:?}", parse(b"A=secret").expect("text")).contains("secret"));
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "(export |[A-Z]{1,2}|=|: |[\"'`#\\\\$ é\n\r]){0,24}") {
            for variable in parse(text.as_bytes()).expect("text") {
                prop_assert_eq!(&text[variable.span.clone()], variable.name.as_str());
            }
        }
    }
}
