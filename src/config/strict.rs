//! Strict reading of TOML and JSON that a person wrote: every error has its place, and names the word that was meant.

use std::ops::Range;

use serde::de::DeserializeOwned;

use super::{FileKind, Mistake, nearest};
use crate::error::{Fatal, visible};

/// Largest configuration or rule file, in bytes.
pub const SIZE_LIMIT: usize = 1 << 20;

/// Longest message of a parser that is passed on, in characters.
const MESSAGE_LIMIT: usize = 1000;

/// Longest unknown word that is shown in full, in characters.
const WORD_LIMIT: usize = 60;

/// The text of a file, if it is small enough and UTF-8. A byte order mark is left out.
///
/// # Errors
/// The fatal error of this kind of file, at the first byte that is not text.
pub fn text<'a>(kind: FileKind, file: &str, bytes: &'a [u8]) -> Result<&'a str, Fatal> {
    decoded(kind, file, bytes, SIZE_LIMIT)
}

/// As [`text`], with another limit in bytes.
pub(crate) fn decoded<'a>(kind: FileKind, file: &str, bytes: &'a [u8], limit: usize) -> Result<&'a str, Fatal> {
    if bytes.len() > limit {
        return Err(too_large(kind, file, limit));
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let good = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
        let end = good.len();
        kind.fatal(Mistake::at(file, &good, end..end, "not valid UTF-8").with_help("save the file as UTF-8"))
    })?;
    Ok(text.strip_prefix('\u{feff}').unwrap_or(text))
}

/// Reads TOML into a type. Strictness is the type's own: it and all types in it need `#[serde(deny_unknown_fields)]`,
/// and no `untagged` or `flatten`, which lose the place of an error.
///
/// # Errors
/// The fatal error of this kind of file, at the place of the first mistake, with the nearest known word for an unknown
/// one. Also for a text over [`SIZE_LIMIT`].
pub fn parse<T: DeserializeOwned>(kind: FileKind, file: &str, text: &str) -> Result<T, Fatal> {
    if text.len() > SIZE_LIMIT {
        return Err(too_large(kind, file, SIZE_LIMIT));
    }
    toml::from_str(text).map_err(|error| {
        let span = error.span().unwrap_or(0..0);
        let said = Explained::of(error.message());
        kind.fatal(said.mistake(file, text, span))
    })
}

/// Reads JSON into a type, as strictly as [`parse`] reads TOML.
///
/// # Errors
/// As [`parse`], but for the size, which is the caller's matter.
pub(crate) fn parse_json<T: DeserializeOwned>(kind: FileKind, file: &str, text: &str) -> Result<T, Fatal> {
    serde_json::from_str(text).map_err(|error| {
        let whole = error.to_string();
        let place = format!(" at line {} column {}", error.line(), error.column());
        let said = Explained::of(whole.strip_suffix(&place).unwrap_or(&whole));
        let at = offset(text, error.line(), error.column());
        kind.fatal(said.mistake(file, text, at..at))
    })
}

fn too_large(kind: FileKind, file: &str, limit: usize) -> Fatal {
    kind.fatal(Mistake::whole(file, &format!("the file is larger than {} KiB", limit >> 10)))
}

/// The offset of what serde_json calls line and column: the byte column before which it stopped, 0 at a line's start.
fn offset(text: &str, line: usize, column: usize) -> usize {
    let start: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    (start + column.saturating_sub(1)).min(text.len())
}

/// What a deserializer said, in words for the person who wrote the file.
#[derive(Debug, PartialEq, Eq)]
struct Explained {
    message: String,
    help: Option<String>,
}

impl Explained {
    /// Reads serde's message.
    fn of(message: &str) -> Self {
        // A parser may explain itself on lines of its own.
        let message = message.trim_end().replace('\n', ", ");
        let unknown = Unknown::read(&message);
        let help = unknown.as_ref().and_then(Unknown::help);
        let message = match unknown {
            Some(unknown) => unknown.message(),
            None => message.replace("missing field `", "missing key `").replace("duplicate field `", "duplicate key `"),
        };
        Self { message: clipped(&message, MESSAGE_LIMIT), help }
    }

    fn mistake(&self, file: &str, text: &str, span: Range<usize>) -> Mistake {
        let mistake = Mistake::at(file, text, span, &self.message);
        match &self.help {
            Some(help) => mistake.with_help(help),
            None => mistake,
        }
    }
}

/// The text, or its beginning and a sign that there was more. `limit` counts characters.
fn clipped(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// A word that serde did not know, and those that it expected.
struct Unknown<'a> {
    kind: &'static str,
    word: &'a str,
    /// The known words, as serde lists them.
    list: &'a str,
    expected: Vec<&'a str>,
}

impl<'a> Unknown<'a> {
    /// Reads "unknown field `x`, expected one of `a`, `b`" and its kin. The word can hold anything, so the last
    /// "expected" is serde's: the words that it lists are ours.
    fn read(message: &'a str) -> Option<Self> {
        let (kind, rest) = match message.split_once('`')? {
            ("unknown field ", rest) => ("key", rest),
            ("unknown variant ", rest) => ("word", rest),
            _ => return None,
        };
        let (word, list) = rest.rsplit_once("`, expected ")?;
        Some(Self { kind, word, list, expected: list.split('`').skip(1).step_by(2).collect() })
    }

    fn message(&self) -> String {
        format!("unknown {} `{}`, expected {}", self.kind, clipped(self.word, WORD_LIMIT), self.list)
    }

    fn help(&self) -> Option<String> {
        let near = nearest(self.word, self.expected.iter().copied())?;
        Some(format!("did you mean `{}`?", visible(near)))
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use std::collections::BTreeMap;

    use super::*;
    use serde::Deserialize;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields, rename_all = "kebab-case")]
    struct File {
        #[serde(default)]
        base: String,
        #[serde(default)]
        rules: BTreeMap<String, Word>,
        #[serde(default)]
        allow: Vec<Entry>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Entry {
        reason: String,
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    enum Word {
        Off,
        Warning,
    }

    fn said(text: &str) -> String {
        parse::<File>(FileKind::Config, "gatekeep.toml", text).unwrap_err().plain()
    }

    #[test]
    fn a_good_file_is_read() {
        let file: File =
            parse(FileKind::Config, "g", "base = 'x'\nrules = { a = 'off', b = 'warning' }\n[[allow]]\nreason = 'r'\n")
                .unwrap();
        assert_eq!((file.base.as_str(), file.rules.len(), file.allow[0].reason.as_str()), ("x", 2, "r"));
        assert!(matches!(file.rules["a"], Word::Off) && matches!(file.rules["b"], Word::Warning));
    }

    #[test]
    fn an_unknown_key_has_its_place_and_the_nearest_known_one() {
        assert_eq!(
            said("base = 'x'\n[[allow]]\n  raeson = 'r'\n"),
            "error: gatekeep.toml:3:3: unknown key `raeson`, expected `reason`\nhelp: did you mean `reason`?\n"
        );
        assert_eq!(
            said("[ruls]\n"),
            "error: gatekeep.toml:1:2: unknown key `ruls`, expected one of `base`, `rules`, `allow`\n\
             help: did you mean `rules`?\n"
        );
    }

    #[test]
    fn an_unknown_word_has_its_place_and_the_nearest_known_one() {
        assert_eq!(
            said("[rules]\n\"sitemap-urls\" = \"warnign\"\n"),
            "error: gatekeep.toml:2:18: unknown word `warnign`, expected `off` or `warning`\n\
             help: did you mean `warning`?\n"
        );
    }

    #[test]
    fn other_mistakes_have_their_place_too() {
        assert_eq!(said("base = 3\n"), "error: gatekeep.toml:1:8: invalid type: integer `3`, expected a string\n");
        assert_eq!(said("base = 'x'\n[[allow]]\n\n"), "error: gatekeep.toml:2:1: missing key `reason`\n");
        for broken in ["base = \n", "base = 'x\n", "base = 'x'\nbase = 'y'\n", "= 1\n", "[a\n", "base = 'x' 'y'\n"] {
            assert!(said(broken).starts_with("error: gatekeep.toml:"), "{}", said(broken));
            assert_eq!(said(broken).lines().count(), 1);
        }
    }

    #[test]
    fn hostile_texts_end_in_an_error_of_one_safe_line() {
        let deep = format!("base = {}\n", "[".repeat(100_000));
        let long = format!("\"{}\" = 1\n", "x".repeat(500_000));
        let forged = "\"x`, expected `y\\u001b[31m\\n\" = 1\n";
        for text in [&deep, &long, forged, "\u{1b}", "\"rules\u{202e}\" = 1"] {
            let said = said(text);
            assert!(
                !said.contains(['\x1b', '\u{202e}']) && said.lines().count() <= 2 && said.len() < 4000,
                "{said:.200}"
            );
        }
        let large = " ".repeat(SIZE_LIMIT + 1);
        assert_eq!(said(&large), "error: gatekeep.toml: the file is larger than 1024 KiB\n");
    }

    #[test]
    fn bytes_that_are_not_text_have_their_place() {
        assert_eq!(text(FileKind::Rule, "r.toml", b"\xef\xbb\xbfa").unwrap(), "a");
        let error = text(FileKind::Rule, "r.toml", b"a\nb\xff").unwrap_err();
        assert!(matches!(error, Fatal::RuleFile(_)));
        assert!(error.plain().starts_with("error: r.toml:2:2: not valid UTF-8\n"));
    }

    #[test]
    fn json_is_read_as_strictly() {
        let said = |text| parse_json::<Entry>(FileKind::Baseline, "b.json", text).unwrap_err().plain();
        assert_eq!(
            said("{\n  \"raeson\": 1\n}"),
            "error: b.json:2:10: unknown key `raeson`, expected `reason`\nhelp: did you mean `reason`?\n"
        );
        assert!(said("{").starts_with("error: b.json:1:1: EOF while parsing an object"), "{}", said("{"));
        assert!(decoded(FileKind::Baseline, "b.json", b"12345", 4).unwrap_err().plain().contains("larger"));
    }

    proptest::proptest! {
        #![proptest_config(proptest::test_runner::Config { failure_persistence: None, ..Default::default() })]

        #[test]
        fn no_text_makes_it_panic_or_print_control_characters(
            parts in proptest::collection::vec(
                proptest::sample::select(vec![
                    "base", "=", "'", "\"", "\n", "[", "]", "{", "}", "rules", ".", "é", "\u{1b}", "\r", "`, expected `", "\\", "#", " ",
                ]),
                0..30,
            )
        ) {
            let text = parts.concat();
            if let Err(fatal) = parse::<File>(FileKind::Config, "g", &text) {
                assert!(!fatal.to_string().contains(char::is_control), "{fatal:?}");
                let mut shown = String::new();
                miette::NarratableReportHandler::new().render_report(&mut shown, &fatal).unwrap();
                assert!(!shown.contains('\u{1b}'), "{shown:?}");
            }
        }
    }
}
