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

    #[cfg(test)]
    pub(in super::super) fn written(&self) -> &[String] {
        &self.written
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What stands in the files of `rules/tests/`, in short.
    const WRITTEN: [&str; 8] = [
        r"^(x(it|test)|it(\.(only|skip))*)$",
        r"^(assert\w*|\w+Ω)$",
        r"\bignore\b",
        r"^Test($|[^a-z])",
        r"^\[?\s*pytest\.mark\.skip\s*($|[\](,])",
        r"^(?:assert (True|1)( , .*)?)$",
        r"(?i)^\s*select\s+ok\d*",
        r"^([\w.]+\.)?assert_\w+",
    ];

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn words_with_and_without_other_letters_mean_what_unicode_says(
            word in "(x|it|test|Test|assert|assert_|\\.only|pytest\\.mark\\.skip|ignore|select ok|SELECT|True| , |[ -~\t\n\x0b]|[éΩſK\u{85}\u{a0}])*"
        ) {
            let set = Regexes::new(WRITTEN.map(str::to_owned).to_vec());
            let ours: Vec<bool> = (0..WRITTEN.len()).map(|at| set.matches(&word).matched(at)).collect();
            let theirs = WRITTEN.map(|written| regex::Regex::new(written).expect("it compiles").is_match(&word));
            prop_assert_eq!(&ours, &theirs);
            prop_assert_eq!(set.any(&word), theirs.contains(&true));
        }
    }
}
