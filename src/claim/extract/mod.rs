//! From the bytes of one file to the names that it takes. Pure: no files, no git, no clock.

mod carry;
pub mod changelog;
pub mod compose;
pub mod document;
pub mod dotenv;
pub mod gzip;
pub mod json;
pub mod keys;
pub mod line;
pub mod query;
pub mod record;
pub mod toml;
pub mod xml;
pub mod yaml;

use std::{borrow::Cow, ops::Range};

/// One name in one text, as it stands there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found<'a> {
    /// The name before normalisation (entities and escapes already resolved).
    pub key: Cow<'a, str>,
    /// The bytes of the file that the name stands in.
    pub span: Range<usize>,
    /// Named parts beside the key: regex groups, or fields of the document.
    pub fields: Vec<(&'a str, Cow<'a, str>)>,
}

/// Why a file gave no names, or not all of them.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExtractError {
    /// The text does not parse.
    #[error("{format} does not parse at line {line}: {message}")]
    Syntax {
        /// `XML`, `JSON`, `YAML` or `TOML`.
        format: &'static str,
        /// From 1.
        line: usize,
        /// The parser's own words, one line.
        message: String,
    },
    /// Nested or expanded beyond what is safe to hold.
    #[error("{0}")]
    TooLarge(String),
    /// Not text in the encoding that the format asks for.
    #[error("not valid UTF-8 at byte {0}")]
    Encoding(usize),
    /// The bytes could not be had.
    #[error("cannot be read: {0}")]
    Read(String),
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::document::{Kind, Node};

    /// Runs a test where recursion without a bound would end the process.
    pub(super) fn on_small_stack(test: impl FnOnce() + Send + 'static) {
        let thread = std::thread::Builder::new().stack_size(1024 * 1024).spawn(test);
        thread.expect("a thread").join().expect("the test passes");
    }

    /// Every place must lie in the file and between characters, else the slice panics.
    fn slice_all(text: &str, node: &Node) {
        let _ = &text[node.span.clone()];
        match &node.kind {
            Kind::Array(items) => items.iter().for_each(|item| slice_all(text, item)),
            Kind::Object(members) => members.iter().for_each(|(key, node)| {
                let _ = &text[key.span.clone()];
                slice_all(text, node);
            }),
            _ => {}
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn no_text_makes_a_parser_panic(
            text in "\u{FEFF}?([-?:,{}#&*!|>'\"%@`.=\\\\ \n\t0-9aé]|\\[|\\]|: |- |\r\n|'''|\"\"\"|---\n|&a |\\*a|= ){0,24}"
        ) {
            let trees = [super::json::parse(text.as_bytes()), super::toml::parse(text.as_bytes())];
            let yaml = super::yaml::parse(text.as_bytes()).into_iter().flatten();
            for node in trees.into_iter().flatten().chain(yaml) {
                slice_all(&text, &node);
            }
        }
    }
}
