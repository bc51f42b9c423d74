//! YAML: all documents of a file, aliases put in place of what they stand for.

mod builder;
mod merge;
mod place;
mod scalar;

use saphyr_parser::{Event, Parser, ScanError};

use super::{
    ExtractError,
    document::{Node, text, too_deep},
};
use builder::Builder;
pub use merge::merged;
use place::Places;

/// Parses the documents of one file, in order; none for a file of blanks and comments.
///
/// Merge keys (`<<`) are members like any other, until [`merged`] puts in what they stand for.
pub fn parse(bytes: &[u8]) -> Result<Vec<Node>, ExtractError> {
    let (text, mark) = text(bytes)?;
    let mut builder = Builder::new(Places::new(text, mark));
    let mut parser = Parser::new_from_str(text);
    while let Some(next) = parser.next_event() {
        let (event, span) = next.map_err(|error| syntax(&error))?;
        match event {
            Event::Scalar(value, style, anchor, tag) => builder.scalar(&value, style, tag.as_deref(), anchor, &span)?,
            Event::SequenceStart(anchor, _) => builder.open(false, anchor, &span)?,
            Event::MappingStart(anchor, _) => builder.open(true, anchor, &span)?,
            Event::SequenceEnd | Event::MappingEnd => builder.close(&span)?,
            Event::Alias(anchor) => builder.alias(anchor, span.start.line())?,
            Event::DocumentEnd => builder.end_document(),
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentStart(_) => {}
        }
    }
    Ok(builder.documents)
}

fn syntax(error: &ScanError) -> ExtractError {
    // Brackets that might be a key are read ahead, so the parser can meet its own limit before ours is met.
    if error.info().contains("recursion limit") {
        return too_deep();
    }
    let message = error.info().lines().next().unwrap_or_default().to_owned();
    ExtractError::Syntax { format: "YAML", line: error.marker().line().max(1), message }
}

#[cfg(test)]
mod tests {
    use super::super::{
        document::{Kind, MAX_DEPTH},
        tests::on_small_stack,
    };
    use super::*;

    /// Every key and scalar as it is, beside how it stands in the file.
    fn walk<'t>(text: &'t str, node: &Node, out: &mut Vec<(String, &'t str)>) {
        match &node.kind {
            Kind::Object(members) => members.iter().for_each(|(key, value)| {
                out.push((key.text.clone(), &text[key.span.clone()]));
                walk(text, value, out);
            }),
            Kind::Array(items) => items.iter().for_each(|item| walk(text, item, out)),
            _ => out.push((node.scalar().unwrap_or_default().into_owned(), &text[node.span.clone()])),
        }
    }

    fn all(text: &str) -> Vec<(String, &str)> {
        let mut out = Vec::new();
        for node in parse(text.as_bytes()).expect("valid") {
            walk(text, &node, &mut out);
        }
        out
    }

    #[test]
    fn places_are_those_of_the_text() {
        let text = "\u{FEFF}# é\nservices:\n  wéb: 'ä'   # x\n  \"db\" : \"ö\"\n  port: 08080 \n  list: [a , é, true, ~]\n  multi: a\n    b\n---\n- x\n";
        for (value, written) in all(text) {
            if value != "a b" && !value.is_empty() {
                assert_eq!(value, written);
            }
        }
        let names: Vec<_> = all(text).into_iter().map(|(value, _)| value).collect();
        let expected =
            ["services", "wéb", "ä", "db", "ö", "port", "08080", "list", "a", "é", "true", "", "multi", "a b", "x"];
        assert_eq!(names, expected);
    }

    #[test]
    fn scalars_have_their_kind() {
        let Kind::Array(items) = parse(b"[1, -0x1F, 1.5e3, .inf, true, Null, '1', !!str 1, yes, 1_000, x, 0o17, 1.]")
            .expect("valid")[0]
            .kind
            .clone()
        else {
            panic!("an array")
        };
        let kinds: Vec<_> = items
            .iter()
            .map(|item| match item.kind {
                Kind::Null => 'n',
                Kind::Bool(_) => 'b',
                Kind::Number(_) => 'i',
                Kind::String(_) => 's',
                _ => '?',
            })
            .collect();
        assert_eq!(kinds.iter().collect::<String>(), "iiiibnsssssii");
    }

    #[test]
    fn aliases_stand_for_their_anchor() {
        let text = "a: &x [one, two]\nb: *x\n*x : never\n";
        assert!(parse(text.as_bytes()).is_ok());
        assert_eq!(
            all("a: &x one\nb: *x\n"),
            [("a", "a"), ("one", "one"), ("b", "b"), ("one", "one")].map(|(v, w)| (v.to_owned(), w))
        );
    }

    #[test]
    fn duplicate_keys_are_kept() {
        assert_eq!(all("a: 1\na: 2\n").len(), 4);
    }

    #[test]
    fn broken_text_is_an_error() {
        for text in ["a: b: c", "[", "{a", "a: *x", "\"a", "a:\n\t- b", "- a\nb: c", "'"] {
            assert!(matches!(parse(text.as_bytes()), Err(ExtractError::Syntax { format: "YAML", .. })), "{text}");
        }
        let line = parse(b"a: 1\nb: [\nc: 1\n");
        assert!(matches!(line, Err(ExtractError::Syntax { line: 3.., .. })), "{line:?}");
        assert_eq!(parse(b"# nothing\n").expect("valid"), []);
    }

    #[test]
    fn depth_is_bounded() {
        on_small_stack(|| {
            let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
            assert!(parse(nested(MAX_DEPTH).as_bytes()).is_ok());
            for text in [
                nested(MAX_DEPTH + 1),
                "[".repeat(100_000),
                "{a: ".repeat(100_000),
                "- ".repeat(100_000),
                "? ".repeat(100_000),
            ] {
                assert!(matches!(parse(text.as_bytes()), Err(ExtractError::TooLarge(_))), "{}", &text[..4]);
            }
            let chain: String = (1..200).map(|i| format!("- &a{i} [*a{}]\n", i - 1)).collect();
            assert!(matches!(parse(format!("- &a0 x\n{chain}").as_bytes()), Err(ExtractError::TooLarge(_))));
        });
    }

    #[test]
    fn an_alias_bomb_is_defused() {
        let row = |i: usize| format!("- &a{i} [{}]\n", vec![format!("*a{}", i - 1); 10].join(","));
        let bomb: String = std::iter::once("- &a0 lol\n".to_owned()).chain((1..12).map(row)).collect();
        assert!(matches!(parse(bomb.as_bytes()), Err(ExtractError::TooLarge(_))));
        let long = format!("- &a {}\n{}", "x".repeat(1 << 20), "- *a\n".repeat(1000));
        assert!(matches!(parse(long.as_bytes()), Err(ExtractError::TooLarge(_))));
        assert!(matches!(parse(b"&a [*a]"), Err(ExtractError::Syntax { .. })));
    }
}
