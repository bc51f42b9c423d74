//! TOML.

use std::ops::Range;

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::{
    ExtractError,
    document::{Key, Kind, MAX_DEPTH, Node, line_at, shifted, text, too_deep},
};

/// Parses one document. A key given twice is a syntax error, as for every reader of TOML.
pub fn parse(bytes: &[u8]) -> Result<Node, ExtractError> {
    let (text, mark) = text(bytes)?;
    let table = DeTable::parse(text).map_err(|error| syntax(text, &error))?;
    let file = File { text, mark };
    let members = file.members(table.into_inner(), MAX_DEPTH - 1)?;
    Ok(Node { span: mark..bytes.len(), kind: members })
}

fn syntax(text: &str, error: &toml::de::Error) -> ExtractError {
    // The crate has its own limit, below ours, and no other sign of it than its words.
    if error.message().contains("recurs") {
        return too_deep();
    }
    let line = line_at(text, error.span().map_or(0, |span| span.start));
    let message = error.message().lines().next().unwrap_or_default().to_owned();
    ExtractError::Syntax { format: "TOML", line, message }
}

struct File<'t> {
    text: &'t str,
    mark: usize,
}

impl File<'_> {
    fn members(&self, table: DeTable<'_>, depth: usize) -> Result<Kind, ExtractError> {
        let members = table.into_iter().map(|(key, value)| {
            let span = shifted(self.unquoted(key.span()), self.mark);
            Ok((Key { text: key.into_inner().into_owned(), span }, self.node(value, depth)?))
        });
        Ok(Kind::Object(members.collect::<Result<_, ExtractError>>()?))
    }

    fn node(&self, value: Spanned<DeValue<'_>>, depth: usize) -> Result<Node, ExtractError> {
        let depth = depth.checked_sub(1).ok_or_else(too_deep)?;
        let mut span = value.span();
        let written = || self.text[span.clone()].to_owned();
        let kind = match value.into_inner() {
            DeValue::String(string) => {
                span = self.unquoted(span);
                Kind::String(string.into_owned())
            }
            DeValue::Integer(_) => Kind::Number(decimal(&written())),
            DeValue::Float(_) => Kind::Number(written()),
            DeValue::Boolean(value) => Kind::Bool(value),
            DeValue::Datetime(_) => Kind::String(written()),
            DeValue::Array(items) => {
                let items = items.into_iter().map(|item| self.node(item, depth));
                Kind::Array(items.collect::<Result<_, _>>()?)
            }
            DeValue::Table(table) => self.members(table, depth)?,
        };
        Ok(Node { span: shifted(span, self.mark), kind })
    }

    /// A string's or key's place without the quotes that it may have.
    fn unquoted(&self, span: Range<usize>) -> Range<usize> {
        let written = &self.text[span.clone()];
        let quotes = match written.as_bytes() {
            [b'"', b'"', b'"', _, _, _, ..] | [b'\'', b'\'', b'\'', _, _, _, ..] => 3,
            [b'"' | b'\'', _, ..] => 1,
            _ => 0,
        };
        // The line break right behind an opening `"""` is no part of the string.
        let body = &written[quotes..];
        let newline = match quotes {
            3 if body.starts_with("\r\n") => 2,
            3 if body.starts_with('\n') => 1,
            _ => 0,
        };
        span.start + quotes + newline..span.end - quotes
    }
}

/// A whole number as others write it: `1_000`, `0x3e8` and `1000` are one.
fn decimal(written: &str) -> String {
    let plain = written.replace('_', "");
    let radix = [("0x", 16), ("0o", 8), ("0b", 2)].into_iter().find(|(mark, _)| plain.starts_with(mark));
    match radix.map(|(mark, radix)| i128::from_str_radix(&plain[mark.len()..], radix)) {
        Some(Ok(number)) => number.to_string(),
        _ => plain,
    }
}

#[cfg(test)]
mod tests {
    use super::{super::tests::on_small_stack, *};

    fn member<'n>(node: &'n Node, name: &str) -> (&'n Key, &'n Node) {
        let Kind::Object(members) = &node.kind else { panic!("a table") };
        let (key, value) = members.iter().find(|(key, _)| key.text == name).expect("a member");
        (key, value)
    }

    #[test]
    fn places_are_those_of_the_text() {
        let text = "\u{FEFF}[functions.\"é-x\"]\nentry = 'ä' # x\nlong = \"\"\"\nline\"\"\"\nport = 1_000\nat = 1979-05-27\non = true\n\
            [[bin]]\nname = \"one\"\n[[bin]]\nname = \"two\"\n";
        let root = parse(text.as_bytes()).expect("valid");
        let (key, function) = member(member(&root, "functions").1, "é-x");
        assert_eq!(&text[key.span.clone()], "é-x");
        for (name, value) in [("entry", "ä"), ("long", "line"), ("port", "1_000"), ("at", "1979-05-27"), ("on", "true")]
        {
            let (key, node) = member(function, name);
            assert_eq!((&text[key.span.clone()], &text[node.span.clone()]), (name, value));
            assert_eq!(node.scalar().as_deref(), Some(if name == "port" { "1000" } else { value }));
        }
        let Kind::Array(bins) = &member(&root, "bin").1.kind else { panic!("an array") };
        let names: Vec<_> = bins.iter().map(|bin| &text[member(bin, "name").1.span.clone()]).collect();
        assert_eq!(names, ["one", "two"]);
    }

    #[test]
    fn one_number_has_many_spellings() {
        for written in ["1000", "1_000", "0x3e8", "0o1750", "0b11_1110_1000"] {
            let root = parse(format!("n = {written}").as_bytes()).expect("valid");
            assert_eq!(member(&root, "n").1.scalar().as_deref(), Some("1000"), "{written}");
        }
    }

    #[test]
    fn broken_text_is_an_error() {
        for text in ["a", "a = ", "a = 1\na = 2", "[a]\n[a]", "a = 'x", "a = {b = 1"] {
            assert!(matches!(parse(text.as_bytes()), Err(ExtractError::Syntax { format: "TOML", .. })), "{text}");
        }
        let line = parse(b"a = 1\n\n[b]\na = 1\na = 2\n");
        assert!(matches!(line, Err(ExtractError::Syntax { line: 5, .. })), "{line:?}");
    }

    #[test]
    fn depth_is_bounded() {
        on_small_stack(|| {
            let arrays = |depth: usize| format!("a = {}{}", "[".repeat(depth), "]".repeat(depth));
            assert!(parse(arrays(60).as_bytes()).is_ok());
            let dotted = vec!["a"; 100_000].join(".");
            for text in [
                arrays(100_000),
                format!("a = {}", "[".repeat(100_000)),
                format!("a = {}", "{a=".repeat(100_000)),
                format!("{dotted} = 1"),
                format!("[{dotted}]"),
                format!("[[{dotted}]]"),
            ] {
                assert!(matches!(parse(text.as_bytes()), Err(ExtractError::TooLarge(_))), "{}", &text[..20]);
            }
            let many: String = ["a"; 70].join(".");
            assert!(matches!(parse(format!("[{many}]\n{many} = 1").as_bytes()), Err(ExtractError::TooLarge(_))));
        });
    }
}
