//! Regexes that are asked about a word.

use std::sync::{
    OnceLock,
    atomic::{AtomicUsize, Ordering::Relaxed},
};

use regex::bytes::{RegexSet, RegexSetBuilder};

/// So many words are asked about one by one. Then a set is compiled, which takes as long as they did.
const FEW: usize = 512;
/// Longest word that is, in bytes: a predicate can be about a long comment.
const SHORT: usize = 100;

/// A list of regexes, compiled when the first word is asked about.
///
/// Most words are ASCII, for which the tables of Unicode that stand behind `\w` and `\b` say nothing more, and they are most of
/// what compiling costs. So they are left out until a word has other letters. And most changes have few words to ask about: a library
/// that compiles in no time is good enough for them, slow as it is.
pub(in super::super) struct Regexes {
    written: Vec<String>,
    asked: AtomicUsize,
    few: OnceLock<Vec<regex_lite::Regex>>,
    ascii: OnceLock<RegexSet>,
    unicode: OnceLock<RegexSet>,
}

/// What a word is held against.
enum Engine<'r> {
    One(&'r [regex_lite::Regex]),
    Set(&'r RegexSet),
}

impl Regexes {
    pub(in super::super) fn new(written: Vec<String>) -> Self {
        let (few, ascii, unicode) = Default::default();
        Self { written, asked: AtomicUsize::new(0), few, ascii, unicode }
    }

    /// Which of them match: a bit for each, from the lowest.
    pub(in super::super) fn matches(&self, word: &str) -> u64 {
        let bit = |bits: u64, at: usize| bits | 1 << at;
        match self.engine(word) {
            Engine::One(all) => (0..all.len()).filter(|at| all[*at].is_match(word)).fold(0, bit),
            Engine::Set(set) => set.matches(word.as_bytes()).iter().fold(0, bit),
        }
    }

    /// Whether one of them matches.
    pub(in super::super) fn any(&self, word: &str) -> bool {
        match self.engine(word) {
            Engine::One(all) => all.iter().any(|one| one.is_match(word)),
            Engine::Set(set) => set.is_match(word.as_bytes()),
        }
    }

    fn engine(&self, word: &str) -> Engine<'_> {
        let unicode = !word.is_ascii();
        let one_by_one = !unicode && word.len() <= SHORT && self.ascii.get().is_none();
        if one_by_one && self.asked.fetch_add(1, Relaxed) < FEW {
            return Engine::One(self.few.get_or_init(|| compiled(self.one_by_one())));
        }
        let set = if unicode { &self.unicode } else { &self.ascii };
        Engine::Set(set.get_or_init(|| compiled(self.set(unicode))))
    }

    fn one_by_one(&self) -> Result<Vec<regex_lite::Regex>, regex_lite::Error> {
        self.written.iter().map(|written| regex_lite::Regex::new(written)).collect()
    }

    fn set(&self, unicode: bool) -> Result<RegexSet, regex::Error> {
        RegexSetBuilder::new(&self.written).unicode(unicode).build()
    }

    #[cfg(test)]
    pub(in super::super) fn written(&self) -> &[String] {
        &self.written
    }

    /// Whether all of them compile, in each way.
    #[cfg(test)]
    pub(in super::super) fn check(&self) -> Result<(), String> {
        if self.written.len() > u64::BITS as usize {
            return Err("more regexes than bits that tell of them".into());
        }
        self.one_by_one().map_err(|error| error.to_string())?;
        [false, true]
            .into_iter()
            .try_for_each(|unicode| self.set(unicode).map(|_| ()).map_err(|error| error.to_string()))
    }
}

fn compiled<T>(result: Result<T, impl std::fmt::Display>) -> T {
    result.unwrap_or_else(|error| unreachable!("the tests compile it too: {error}"))
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
            let theirs = WRITTEN.map(|written| regex::Regex::new(written).expect("it compiles").is_match(&word));
            // one by one, and as a set
            for asked in [0, FEW] {
                let regexes = Regexes { asked: AtomicUsize::new(asked), ..Regexes::new(WRITTEN.map(str::to_owned).to_vec()) };
                let ours: Vec<bool> = (0..WRITTEN.len()).map(|at| regexes.matches(&word) >> at & 1 == 1).collect();
                prop_assert_eq!(&ours, &theirs);
                prop_assert_eq!(regexes.any(&word), theirs.contains(&true));
            }
        }
    }
}
