//! Regexes that are asked about a word.

use std::sync::OnceLock;

use regex::bytes::{RegexSet, RegexSetBuilder, SetMatches};

/// A list of regexes, compiled when the first word is asked about.
///
/// Most words are ASCII, for which the tables of Unicode that stand behind `\w` and `\b` say nothing more, and they are most of
/// what compiling costs. So they are left out until a word has other letters.
pub(in super::super) struct Regexes {
    written: Vec<String>,
    ascii: OnceLock<RegexSet>,
    unicode: OnceLock<RegexSet>,
}

impl Regexes {
    pub(in super::super) fn new(written: Vec<String>) -> Self {
        Self { written, ascii: OnceLock::new(), unicode: OnceLock::new() }
    }

    /// Which of them match.
    pub(in super::super) fn matches(&self, word: &str) -> SetMatches {
        self.set(word).matches(word.as_bytes())
    }

    /// Whether one of them matches.
    pub(in super::super) fn any(&self, word: &str) -> bool {
        self.set(word).is_match(word.as_bytes())
    }

    fn set(&self, word: &str) -> &RegexSet {
        let unicode = !word.is_ascii();
        let set = if unicode { &self.unicode } else { &self.ascii };
        let compile =
            || self.compile(unicode).unwrap_or_else(|error| unreachable!("the tests compile it too: {error}"));
        set.get_or_init(compile)
    }

    fn compile(&self, unicode: bool) -> Result<RegexSet, regex::Error> {
        RegexSetBuilder::new(&self.written).unicode(unicode).build()
    }

    /// Whether all of them compile, in both ways.
    #[cfg(test)]
    pub(in super::super) fn check(&self) -> Result<(), String> {
        [false, true].into_iter().try_for_each(|unicode| match self.compile(unicode) {
            Ok(_) => Ok(()),
            Err(error) => Err(error.to_string()),
        })
    }
}
