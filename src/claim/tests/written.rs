//! The files of `rules/tests/`, as they are written.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::{language::Paths, lines::Lines};

/// A file below `rules/tests/`.
pub(super) struct File {
    pub(super) name: &'static str,
    /// Extensions of all files that it can say something of, so that it is not even read for others.
    pub(super) extensions: &'static [&'static str],
    pub(super) text: &'static str,
}

macro_rules! languages {
    ($($name:literal: $($extension:literal)*;)*) => {
        /// All of them, in the order in which they are asked about a path.
        pub(super) const FILES: &[File] = &[$(File {
            name: $name,
            extensions: &[$($extension),*],
            text: include_str!(concat!("../../../rules/tests/", $name)),
        }),*];
    };
}

languages! {
    "bats.toml": "bats";
    "csharp.toml": "cs";
    "dart.toml": "dart";
    "elixir.toml": "exs";
    "go.toml": "go";
    "java.toml": "java";
    "javascript.toml": "cjs" "cts" "js" "jsx" "mjs" "mts" "ts" "tsx";
    "kotlin.toml": "kt" "kts";
    "pgtap.toml": "pg" "sql";
    "php.toml": "php";
    "python.toml": "py";
    "ruby.toml": "rb";
    "rust.toml": "rs";
    "swift.toml": "swift";
}

/// One file of `rules/tests/`, as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Written {
    /// For people.
    #[serde(rename = "language")]
    _language: String,
    /// Paths of test files.
    pub(super) files: Paths,
    /// Files that hold tests only where a text says so.
    #[serde(default)]
    pub(super) also: Option<Also>,
    /// Which grammar reads which extension.
    #[serde(default)]
    pub(super) grammar: BTreeMap<String, String>,
    /// Patterns; `query.rs` says what each capture means.
    #[serde(default)]
    pub(super) query: String,
    /// Tables of words, by the capture whose text they are asked about.
    #[serde(default)]
    pub(super) words: BTreeMap<String, BTreeMap<String, String>>,
    /// Texts of which one stands in every file that leaves a test out, without a condition, or lets one run alone: parts of the patterns
    /// above. None, for languages without a grammar: every file is read.
    #[serde(default)]
    pub(super) marks: Vec<String>,
    /// Kinds of nodes under which a skip is conditional.
    #[serde(default)]
    pub(super) guards: Vec<String>,
    /// Kinds of nodes that make a title depend on code.
    #[serde(default)]
    pub(super) computed: Vec<String>,
    /// Checks that always hold: patterns for the whole of a check's tokens with one space between them.
    #[serde(default)]
    pub(super) vacuous: Vec<String>,
    /// For languages without a grammar.
    #[serde(default)]
    pub(super) lines: Option<Lines>,
    /// The file's own tests; what a scan reads has none.
    #[cfg(test)]
    #[serde(default)]
    pub(super) example: Vec<Example>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Also {
    pub(super) files: Paths,
    pub(super) holds: String,
}

/// A file and the tests that it must be found to hold.
#[cfg(test)]
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Example {
    /// What it shows.
    pub(super) name: String,
    pub(super) path: String,
    pub(super) text: String,
    /// Each test as [`super::Test`] prints itself; none where the file must count as no test file.
    pub(super) tests: Option<Vec<String>>,
    /// Words that the imports must hold.
    #[serde(default)]
    pub(super) imports: Vec<String>,
    /// The line at which it must be found not to parse.
    pub(super) broken: Option<usize>,
}

pub(super) fn parse(text: &str) -> Result<Written, String> {
    toml::from_str(text).map_err(|error| error.to_string())
}

/// Examples are most of a file, and no scan needs them.
pub(super) fn without_examples(text: &str) -> &str {
    text.find("\n[[example]]").map_or(text, |at| &text[..=at])
}
