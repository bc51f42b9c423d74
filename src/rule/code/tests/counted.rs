//! What code says, counted: names, the words that they are made of, and lines.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

use regex::Regex;

use crate::claim::tests::Inventory;

/// A name of some length.
pub(super) static NAME: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"[A-Za-z_]\w{2,}").expect("a pattern of ours"));

/// How many words in a row, of those that tell something, are the same sentence.
const RUN: usize = 3;

/// What was counted of the code before or after.
#[derive(Default)]
pub(super) struct Counted {
    pub(super) names: BTreeMap<String, usize>,
    pub(super) words: BTreeMap<String, usize>,
    pub(super) lines: BTreeMap<String, usize>,
    pub(super) runs: BTreeSet<u64>,
}

/// The lines of a text, trimmed, without blank ones and comments, as far as their beginnings tell.
pub(super) fn code_lines(text: &str) -> impl Iterator<Item = &str> {
    let is_comment = |line: &str| ["//", "#", "*", "/*", "--", ";"].iter().any(|start| line.starts_with(start));
    text.lines().map(str::trim).filter(move |line| !line.is_empty() && !is_comment(line))
}

impl Counted {
    /// Counts a text without the tests that are in it.
    pub(super) fn of(text: &[u8], tests: Option<&Inventory>) -> Self {
        let mut counted = Self::default();
        let mut bare = text.to_vec();
        for test in tests.into_iter().flat_map(|found| &found.tests) {
            bare.get_mut(test.span.clone()).into_iter().flatten().for_each(|byte| *byte = b' ');
        }
        let text = String::from_utf8_lossy(&bare);
        for line in code_lines(&text) {
            NAME.find_iter(line).for_each(|name| *counted.names.entry(name.as_str().to_owned()).or_default() += 1);
            words(line).for_each(|word| *counted.words.entry(word).or_default() += 1);
            counted.runs.extend(runs(line));
            if line.bytes().any(|byte| byte.is_ascii_alphanumeric()) {
                *counted.lines.entry(line.to_owned()).or_default() += 1;
            }
        }
        counted
    }

    pub(super) fn add(&mut self, mut other: Self) {
        self.runs.append(&mut other.runs);
        let both = [(&mut self.names, other.names), (&mut self.words, other.words), (&mut self.lines, other.lines)];
        for (into, from) in both {
            from.into_iter().for_each(|(key, count)| *into.entry(key).or_default() += count);
        }
    }
}

/// Names that every code has, in some language.
pub(super) const CODE_WORDS: [&str; 48] = [
    "and",
    "assert",
    "async",
    "await",
    "bool",
    "case",
    "catch",
    "class",
    "const",
    "def",
    "else",
    "end",
    "except",
    "export",
    "false",
    "final",
    "finally",
    "for",
    "from",
    "fun",
    "func",
    "function",
    "import",
    "int",
    "let",
    "namespace",
    "new",
    "nil",
    "not",
    "null",
    "package",
    "private",
    "public",
    "require",
    "return",
    "self",
    "static",
    "string",
    "String",
    "super",
    "test",
    "this",
    "throw",
    "true",
    "try",
    "val",
    "var",
    "void",
];

/// Words that say nothing of what a test is about.
const PLAIN: [&str; 18] = [
    "test", "tests", "should", "with", "when", "for", "and", "not", "the", "from", "get", "set", "new", "return",
    "returns", "value", "default", "error",
];

/// The words of a text, some in a row each time.
pub(super) fn runs(text: &str) -> impl Iterator<Item = u64> {
    let words: Vec<String> = words(text).collect();
    let all: Vec<u64> = words.windows(RUN).map(|run| xxhash_rust::xxh3::xxh3_64(run.join(" ").as_bytes())).collect();
    all.into_iter()
}

/// The words that a text is made of, in small letters: those of `in_hsts_preload` and `inHstsPreload` are the same.
pub(super) fn words(text: &str) -> impl Iterator<Item = String> {
    let mut was_small = false;
    let mut marked = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_uppercase() && was_small {
            marked.push(' ');
        }
        was_small = c.is_lowercase();
        marked.extend(c.to_lowercase());
    }
    let all: Vec<String> = marked
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.len() > 2 && !PLAIN.contains(word) && word.bytes().any(|byte| byte.is_ascii_alphabetic()))
        .map(str::to_owned)
        .collect();
    all.into_iter()
}
