//! JSON, with the comments and trailing commas of JSONC.

use std::ops::Range;

use jsonc_parser::{Scanner, ScannerOptions, errors::ParseError, tokens::Token};

use super::{
    ExtractError,
    document::{Key, Kind, MAX_DEPTH, Node, line_at, shifted, text, too_deep},
};

/// Whether a text that [`parse`] reads is JSON by the letter: without comments and trailing commas.
///
/// # Errors
/// It is not.
pub fn strict(bytes: &[u8]) -> Result<(), ExtractError> {
    let (text, _) = text(bytes)?;
    serde_json::from_str::<serde::de::IgnoredAny>(text).map(|_| ()).map_err(|error| {
        let told = error.to_string();
        let message = told.rsplit_once(" at line ").map_or(told.as_str(), |(message, _)| message);
        ExtractError::Syntax {
            format: "JSON",
            line: error.line().max(1),
            message: format!("{message}; comments and trailing commas belong into `.jsonc`"),
        }
    })
}

/// Parses one document. A key given twice is kept twice.
///
/// The tokens are jsonc-parser's. Its tree is not used: it is built by recursion, four times as deep as a small stack bears.
pub fn parse(bytes: &[u8]) -> Result<Node, ExtractError> {
    let (text, mark) = text(bytes)?;
    let options = ScannerOptions {
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let mut scanner = Scanner::new(text, &options);
    let mut builder = Builder { want: Want::Value, open: Vec::new(), root: None };
    while let Some(token) = scanner.scan().map_err(|error| syntax(&error))? {
        let span = shifted(scanner.token_start()..scanner.token_end(), mark);
        if matches!(token, Token::CommentLine(_) | Token::CommentBlock(_)) {
            continue;
        }
        let raw = scanner.token_start()..scanner.token_end();
        if matches!(token, Token::String(_))
            && let Some(at) = text[raw.clone()].bytes().position(|b| b < 0x20)
        {
            // jsonc-parser takes what every other reader refuses
            let line = line_at(text, raw.start + at);
            let message = "a control character in a string has to be escaped".to_owned();
            return Err(ExtractError::Syntax { format: "JSON", line, message });
        }
        if !builder.take(token, span)? {
            return Err(unexpected(text, scanner.token_start(), builder.want));
        }
    }
    match builder.root {
        Some(root) => Ok(root),
        None => Err(unexpected(text, text.len(), builder.want)),
    }
}

fn syntax(error: &ParseError) -> ExtractError {
    ExtractError::Syntax { format: "JSON", line: error.line_display(), message: error.kind().to_string() }
}

fn unexpected(text: &str, at: usize, want: Want) -> ExtractError {
    let found = if at == text.len() { "the end of the file" } else { "something else" };
    let message = format!("{} is wanted here, and {found} stands there", want.words());
    ExtractError::Syntax { format: "JSON", line: line_at(text, at), message }
}

/// What may come next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Want {
    Value,
    ValueOrEnd,
    KeyOrEnd,
    Colon,
    CommaOrEnd,
    Nothing,
}

impl Want {
    fn words(self) -> &'static str {
        match self {
            Self::Value | Self::ValueOrEnd => "a value",
            Self::KeyOrEnd => "a key in double quotes",
            Self::Colon => "a colon",
            Self::CommaOrEnd => "a comma or the end of the list",
            Self::Nothing => "the end of the file",
        }
    }
}

/// Builds the tree with a stack of its own, so that no depth of nesting uses up the thread's.
struct Builder {
    want: Want,
    open: Vec<Open>,
    root: Option<Node>,
}

enum Open {
    Array(usize, Vec<Node>),
    Object(usize, Vec<(Key, Node)>, Option<Key>),
}

impl Builder {
    /// Takes the next token; false if it may not stand here.
    fn take(&mut self, token: Token<'_>, span: Range<usize>) -> Result<bool, ExtractError> {
        match (token, self.want) {
            (Token::OpenBracket, Want::Value | Want::ValueOrEnd) => {
                self.open(Open::Array(span.start, Vec::new()), Want::ValueOrEnd)?;
            }
            (Token::OpenBrace, Want::Value | Want::ValueOrEnd) => {
                self.open(Open::Object(span.start, Vec::new(), None), Want::KeyOrEnd)?;
            }
            (Token::CloseBracket, Want::ValueOrEnd | Want::CommaOrEnd) => return Ok(self.close_array(span.end)),
            (Token::CloseBrace, Want::KeyOrEnd | Want::CommaOrEnd) => return Ok(self.close_object(span.end)),
            (Token::String(text), Want::KeyOrEnd) => {
                self.want = Want::Colon;
                if let Some(Open::Object(_, _, key)) = self.open.last_mut() {
                    *key = Some(Key { text: text.into_owned(), span: inside(span) });
                }
            }
            (Token::Colon, Want::Colon) => self.want = Want::Value,
            (Token::Comma, Want::CommaOrEnd) => {
                let array = matches!(self.open.last(), Some(Open::Array(..)));
                self.want = if array { Want::ValueOrEnd } else { Want::KeyOrEnd };
            }
            (token, Want::Value | Want::ValueOrEnd) => return Ok(self.scalar(token, span)),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn open(&mut self, open: Open, want: Want) -> Result<(), ExtractError> {
        if self.open.len() == MAX_DEPTH {
            return Err(too_deep());
        }
        self.open.push(open);
        self.want = want;
        Ok(())
    }

    fn close_array(&mut self, end: usize) -> bool {
        let Some(Open::Array(start, items)) = self.open.pop() else { return false };
        self.put(Node { span: start..end, kind: Kind::Array(items) });
        true
    }

    fn close_object(&mut self, end: usize) -> bool {
        let Some(Open::Object(start, members, _)) = self.open.pop() else { return false };
        self.put(Node { span: start..end, kind: Kind::Object(members) });
        true
    }

    fn scalar(&mut self, token: Token<'_>, span: Range<usize>) -> bool {
        let (span, kind) = match token {
            Token::String(text) => (inside(span), Kind::String(text.into_owned())),
            Token::Number(text) => (span, Kind::Number(text.to_owned())),
            Token::Boolean(value) => (span, Kind::Bool(value)),
            Token::Null => (span, Kind::Null),
            _ => return false,
        };
        self.put(Node { span, kind });
        true
    }

    fn put(&mut self, node: Node) {
        self.want = Want::CommaOrEnd;
        match self.open.last_mut() {
            Some(Open::Array(_, items)) => items.push(node),
            Some(Open::Object(_, members, key)) => members.extend(key.take().map(|key| (key, node))),
            None => {
                self.root = Some(node);
                self.want = Want::Nothing;
            }
        }
    }
}

/// A string without its quotes.
fn inside(span: Range<usize>) -> Range<usize> {
    span.start + 1..span.end - 1
}

#[cfg(test)]
mod tests {
    use super::{super::tests::on_small_stack, *};

    fn members(text: &str) -> Vec<(String, String)> {
        let node = parse(text.as_bytes()).expect("valid");
        let Kind::Object(members) = node.kind else { panic!("an object") };
        for (key, node) in &members {
            assert_eq!(text[key.span.clone()], key.text);
            if let Some(scalar) = node.scalar() {
                assert_eq!(text[node.span.clone()], *scalar);
            }
        }
        members.into_iter().map(|(key, node)| (key.text, node.scalar().unwrap_or_default().into_owned())).collect()
    }

    #[test]
    fn places_and_order_are_kept() {
        let text = "\u{FEFF}// note\n{ \"é\": \"ä\", \"n\": -1.50e2, /* x */ \"t\": true, \"a\": [1,], \"é\": null, }";
        let got = members(text);
        let names: Vec<_> = got.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
        assert_eq!(names, [("é", "ä"), ("n", "-1.50e2"), ("t", "true"), ("a", ""), ("é", "")]);
    }

    #[test]
    fn escapes_are_resolved() {
        let node = parse(br#"["a\u00e9\n"]"#).expect("valid");
        let Kind::Array(items) = node.kind else { panic!("an array") };
        assert_eq!((items[0].scalar().as_deref(), items[0].span.clone()), (Some("aé\n"), 2..11));
    }

    #[test]
    fn broken_text_is_an_error() {
        for text in [
            "",
            " // x\n",
            "{",
            "[1 2]",
            "{a: 1}",
            "['a']",
            "[1] 2",
            "{\"a\": }",
            "[,]",
            "{,}",
            "[1}",
            "{]",
            "{\"a\"}",
            "{\"a\":1,,}",
            "]",
            "[1",
            "a",
            "01",
            "1 2",
            "[1:2]",
            "/* x",
            "[0x1]",
            "[+1]",
            "[NaN]",
        ] {
            assert!(matches!(parse(text.as_bytes()), Err(ExtractError::Syntax { .. })), "{text}");
        }
        let line = parse(b"{\n\"a\": 1,\n\"b\" 2}");
        assert!(matches!(line, Err(ExtractError::Syntax { line: 3, .. })), "{line:?}");
        assert_eq!(parse(b"[\"\xff\"]"), Err(ExtractError::Encoding(2)));
    }

    #[test]
    fn depth_is_bounded() {
        on_small_stack(|| {
            let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
            assert!(parse(nested(MAX_DEPTH).as_bytes()).is_ok());
            for text in [nested(MAX_DEPTH + 1), nested(100_000), "[".repeat(100_000), "{\"a\":".repeat(100_000)] {
                assert!(matches!(parse(text.as_bytes()), Err(ExtractError::TooLarge(_))), "{}", text.len());
            }
        });
    }

    fn to_value(node: &Node) -> serde_json::Value {
        match &node.kind {
            Kind::Null => serde_json::Value::Null,
            Kind::Bool(value) => (*value).into(),
            Kind::Number(text) => text.parse::<i64>().map_or(serde_json::Value::Null, Into::into),
            Kind::String(text) => text.as_str().into(),
            Kind::Array(items) => items.iter().map(to_value).collect(),
            Kind::Object(members) => members.iter().map(|(key, node)| (key.text.clone(), to_value(node))).collect(),
        }
    }

    #[test]
    fn control_characters_in_strings_are_refused() {
        for text in ["{\"a\": \"x\ny\"}", "{\"a\u{0}\": 1}", "[\"\t\"]"] {
            assert!(matches!(parse(text.as_bytes()), Err(ExtractError::Syntax { format: "JSON", .. })), "{text:?}");
        }
        assert!(parse(b"{\t\"a\":\r\n \"\\t\"}").is_ok());
    }

    proptest::proptest! {
        #[test]
        fn reads_all_that_serde_json_reads(text in "([\\[\\]{},:1-9 \n]|\"[aé\\\\n]{0,2}\"|\"a\":|true|null){0,12}") {
            let got = parse(text.as_bytes());
            match serde_json::from_str::<serde_json::Value>(&text) {
                Ok(value) => proptest::prop_assert_eq!(got.as_ref().map(to_value), Ok(value)),
                // What is left are trailing commas.
                Err(_) => proptest::prop_assert!(got.is_err() || text.contains(','), "{:?}", got),
            }
        }
    }
}
