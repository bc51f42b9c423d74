//! Where a language keeps its tests, and what they look like.

use std::{
    collections::BTreeMap,
    sync::{Arc, OnceLock},
};

use regex::bytes::Regex;
use serde::Deserialize;

use super::{
    lines::Lines,
    pattern::Regexes,
    query::{Compiled, Words},
    written::{Also, FILES, File, Written, parse, without_examples},
};
use crate::rule::select::Pattern;

/// Folders with copies of other people's files, or with files that tests read. Their tests are not the repository's.
const NOT_OURS: [&str; 11] = [
    "node_modules",
    "bower_components",
    "vendor",
    "third_party",
    "Godeps",
    "Pods",
    "Carthage",
    "testdata",
    "fixtures",
    "__fixtures__",
    "site-packages",
];

/// Patterns of paths, compiled when the first path is held against them.
#[derive(Deserialize)]
#[serde(from = "Vec<String>")]
pub(super) struct Paths {
    written: Vec<String>,
    compiled: OnceLock<Vec<Pattern>>,
}

impl From<Vec<String>> for Paths {
    fn from(written: Vec<String>) -> Self {
        Self { written, compiled: OnceLock::new() }
    }
}

impl Paths {
    fn matches(&self, path: &[u8]) -> bool {
        let compile = || self.compile().unwrap_or_else(|error| unreachable!("the tests compile it too: {error}"));
        self.compiled.get_or_init(compile).iter().any(|pattern| pattern.matches(path))
    }

    fn compile(&self) -> Result<Vec<Pattern>, String> {
        let all: Result<Vec<Vec<Pattern>>, _> = self.written.iter().map(|glob| Pattern::parse(glob)).collect();
        Ok(all.map_err(|error| error.to_string())?.concat())
    }
}

/// A language, ready for use. Patterns are compiled when the first file asks for them.
pub(super) struct Language {
    files: Paths,
    also: Option<Beside>,
    parsers: Vec<Parser>,
    pub(super) query: String,
    /// Tables of words, for all grammars together.
    pub(super) words: BTreeMap<String, Arc<Words>>,
    /// Texts of which one stands in every file that leaves a test out, without a condition, or lets one run alone.
    pub(super) marks: Vec<String>,
    pub(super) guards: Vec<String>,
    pub(super) computed: Vec<String>,
    /// Checks that always hold.
    pub(super) vacuous: Regexes,
    pub(super) lines: Option<Lines>,
}

/// Tests beside the code: in which files, and what has to stand in one.
struct Beside {
    files: Paths,
    holds: String,
    compiled: OnceLock<Regex>,
}

impl Beside {
    fn holds(&self, text: &[u8]) -> bool {
        let compile =
            || Regex::new(&self.holds).unwrap_or_else(|error| unreachable!("the tests compile it too: {error}"));
        self.compiled.get_or_init(compile).is_match(text)
    }
}

/// A grammar and what the query compiles to with it.
pub(super) struct Parser {
    extension: String,
    pub(super) grammar: tree_sitter::Language,
    compiled: OnceLock<Compiled>,
}

impl Parser {
    pub(super) fn compiled(&self, language: &Language) -> &Compiled {
        self.compiled.get_or_init(|| {
            Compiled::new(language, &self.grammar)
                .unwrap_or_else(|error| unreachable!("the tests compile it too, {}: {error}", self.extension))
        })
    }
}

impl Language {
    pub(super) fn new(written: Written) -> Result<Self, String> {
        let beside = |also: Also| Beside { files: also.files, holds: also.holds, compiled: OnceLock::new() };
        let parser = |(extension, name): (String, String)| {
            let grammar = super::grammar::grammar(&name).ok_or_else(|| format!("no grammar `{name}`"))?;
            Ok::<_, String>(Parser { extension, grammar, compiled: OnceLock::new() })
        };
        let words = |(name, table): (String, _)| Ok::<_, String>((name, Arc::new(Words::new(&table)?)));
        let whole = |pattern: String| format!("^(?:{pattern})$");
        Ok(Self {
            files: written.files,
            also: written.also.map(beside),
            parsers: written.grammar.into_iter().map(parser).collect::<Result<_, _>>()?,
            query: written.query,
            words: written.words.into_iter().map(words).collect::<Result<_, _>>()?,
            marks: written.marks,
            guards: written.guards,
            computed: written.computed,
            vacuous: Regexes::new(written.vacuous.into_iter().map(whole).collect()),
            lines: written.lines,
        })
    }

    /// Whether a text holds one of the marks; true where there are none to look for.
    pub(super) fn is_marked(&self, text: &[u8]) -> bool {
        self.marks.is_empty() || self.marks.iter().any(|mark| memchr::memmem::find(text, mark.as_bytes()).is_some())
    }

    pub(super) fn parser(&self, path: &[u8]) -> Option<&Parser> {
        let extension = extension(path)?;
        self.parsers.iter().find(|parser| parser.extension.as_bytes() == extension)
    }

    /// Whether all compiles that a scan compiles when it is first asked.
    #[cfg(test)]
    pub(super) fn check(&self) -> Result<(), String> {
        self.files.compile()?;
        if let Some(beside) = &self.also {
            beside.files.compile()?;
            Regex::new(&beside.holds).map_err(|error| error.to_string())?;
        }
        self.lines.as_ref().map_or(Ok(()), Lines::check)?;
        self.vacuous.check()
    }

    /// Extensions for which there is a grammar.
    #[cfg(test)]
    pub(super) fn extensions(&self) -> Vec<&str> {
        self.parsers.iter().map(|parser| parser.extension.as_str()).collect()
    }

    #[cfg(test)]
    pub(super) fn parsers(&self) -> &[Parser] {
        &self.parsers
    }

    /// Whether this path holds tests of the language, by its name alone.
    fn knows(&self, path: &[u8]) -> bool {
        (self.lines.is_some() || self.parser(path).is_some()) && self.files.matches(path)
    }
}

/// Whether a path is one at which a test runner looks for tests. Languages that keep tests beside the code need the text too.
pub fn is_test_path(path: &[u8]) -> bool {
    ours(path) && languages(path).any(|language| language.knows(path))
}

/// A path that can hold tests, with the right text in it.
pub struct TestPath<'p> {
    pub(super) path: &'p [u8],
    /// The languages that it may be of, each with what has to stand in the text; the first of which it does counts.
    languages: Vec<(&'static Language, Option<&'static Beside>)>,
}

impl<'p> TestPath<'p> {
    /// None where a path holds no tests, whatever its text.
    pub fn of(path: &'p [u8]) -> Option<Self> {
        let mut found = Vec::new();
        for language in languages(path).filter(|_| ours(path)) {
            if language.knows(path) {
                found.push((language, None));
                break;
            }
            let beside = language.also.as_ref().filter(|beside| beside.files.matches(path));
            found.extend(beside.filter(|_| language.parser(path).is_some()).map(|beside| (language, Some(beside))));
        }
        (!found.is_empty()).then_some(Self { path, languages: found })
    }

    /// The language whose tests a text holds here.
    pub(super) fn language(&self, text: &[u8]) -> Option<&'static Language> {
        let mut holding = self.languages.iter().filter(|(_, beside)| beside.is_none_or(|beside| beside.holds(text)));
        holding.next().map(|(language, _)| *language)
    }
}

/// Whether a file of this path can hold tests at all, with the right text in it.
pub fn may_hold_tests(path: &[u8]) -> bool {
    TestPath::of(path).is_some()
}

fn ours(path: &[u8]) -> bool {
    !path.split(|byte| *byte == b'/').any(|part| NOT_OURS.iter().any(|name| name.as_bytes() == part))
}

/// Whether a file that does not parse is what a generator makes tests from, in other people's projects.
pub(super) fn is_template(path: &[u8], text: &[u8]) -> bool {
    let mut parts = path.split(|byte| *byte == b'/');
    parts.any(|part| part == b"templates") && memchr::memmem::find(text, b"<%").is_some()
}

fn extension(path: &[u8]) -> Option<&[u8]> {
    Some(&path[memchr::memrchr(b'.', path)? + 1..])
}

/// The languages that can say something of a path. Each is read when it is first asked for.
fn languages(path: &[u8]) -> impl Iterator<Item = &'static Language> {
    static LANGUAGES: [OnceLock<Language>; FILES.len()] = [const { OnceLock::new() }; FILES.len()];
    let extension = extension(path).unwrap_or_default();
    let says = move |(file, _): &(&File, _)| file.extensions.iter().any(|known| known.as_bytes() == extension);
    FILES.iter().zip(&LANGUAGES).filter(says).map(|(file, language)| {
        language.get_or_init(|| {
            parse(without_examples(file.text))
                .and_then(Language::new)
                .unwrap_or_else(|error| unreachable!("the tests read it too, rules/tests/{}: {error}", file.name))
        })
    })
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use proptest::prelude::*;

    use super::*;
    use crate::config::Globs;

    const FOLDERS: &[&str] =
        &["a", "src", "test", "tests", "Tests", "__tests__", "jvmTest", "supabase", "t", "lib", "e2e"];
    const STEMS: &[&str] =
        &["a", "aTest", "aTests", "TestA", "a_test", "test_a", "a.test", "a.spec", "test", "ASpec", "a_spec", ""];
    const ENDS: &[&str] = &[
        "java", "kt", "kts", "ts", "mjs", "py", "rb", "php", "phpt.php", "cs", "exs", "dart", "swift", "bats", "sql",
        "rs", "go",
    ];

    proptest! {
        #[test]
        fn paths_are_told_as_a_library_for_globs_tells_them(
            folders in prop::collection::vec(0..FOLDERS.len(), 0..5), stem in 0..STEMS.len(), end in 0..ENDS.len(),
        ) {
            let folders: String = folders.iter().map(|at| format!("{}/", FOLDERS[*at])).collect();
            let path = format!("{folders}{}.{}", STEMS[stem], ENDS[end]);
            for language in languages(path.as_bytes()) {
                for paths in [&language.files].into_iter().chain(language.also.as_ref().map(|beside| &beside.files)) {
                    let written: Vec<&str> = paths.written.iter().map(String::as_str).collect();
                    let globs = Globs::new(&written).unwrap();
                    prop_assert_eq!(paths.matches(path.as_bytes()), globs.matches(path.as_bytes()), "{} {:?}", path, written);
                }
            }
        }
    }
}
