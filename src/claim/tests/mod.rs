//! The names of tests: which tests a file holds, under which names, and what can be said of each without running it.
//!
//! What a test looks like in a language is data: `rules/tests/`, one file a language with patterns in the query language of
//! tree-sitter. The walk that turns what a pattern captures into an [`Inventory`] is the same for all.

#[cfg(test)]
mod examples;
mod grammar;
mod language;
mod likeness;
mod lines;
#[cfg(test)]
mod marked;
mod pattern;
mod query;
mod title;
mod walk;
mod written;

pub use language::{TestPath, is_test_path, may_hold_tests};
pub use likeness::likeness;

use std::{borrow::Cow, fmt, ops::Range};

/// Longest file that is looked into, in bytes. A parser's time grows with the text, and a hand-written test is far shorter.
pub const MAX_BYTES: usize = 1 << 20;

/// Whether a test runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Skip {
    /// It runs.
    #[default]
    None,
    /// It is left out where some condition holds.
    Conditional,
    /// It never runs.
    Unconditional,
}

/// How many cases one declaration stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rows {
    /// As many as are written out.
    Counted(usize),
    /// Made by code.
    Unknown,
}

/// One check inside a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assertion {
    /// Its tokens with one space between them, without comments.
    pub text: String,
    /// Whether it holds whatever the code does: `assert True`.
    pub vacuous: bool,
}

/// One declared test.
#[derive(Clone, Debug)]
pub struct Test {
    /// Titles of the containers around it (describe blocks, classes, modules, tests), the outermost first.
    pub containers: Vec<String>,
    /// Its title or function name.
    pub title: String,
    /// Which of the tests with equal containers and title it is, from 0.
    pub ordinal: usize,
    /// Whether the title is made by code, so that it tells little.
    pub computed: bool,
    /// The bytes of the whole declaration.
    pub span: Range<usize>,
    /// The bytes of its name.
    pub name: Range<usize>,
    /// Hashes of the body's shingles, sorted, see [`likeness`].
    pub shingles: Vec<u64>,
    /// Whether it runs; what a container or the file says counts too.
    pub skip: Skip,
    /// Whether it, or a container of it, is told to run alone.
    pub focused: bool,
    /// The cases of a parametrised test.
    pub rows: Option<Rows>,
    /// Its checks, in order.
    pub assertions: Vec<Assertion>,
    /// Names that it calls, sorted, each once.
    pub calls: Vec<String>,
}

impl Test {
    /// What tells it from the other tests of its file.
    pub fn identity(&self) -> (&[String], &str, usize) {
        (&self.containers, &self.title, self.ordinal)
    }

    /// Containers and title as a person writes them.
    pub fn qualified(&self) -> String {
        let parts = self.containers.iter().chain([&self.title]).map(String::as_str);
        parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" > ")
    }
}

/// A container that is told to run alone, or is left out, whatever is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marked {
    /// Titles, the outermost first; the last one is its own.
    pub titles: Vec<String>,
    /// The bytes of what says so.
    pub at: Range<usize>,
}

/// What a test file holds.
#[derive(Clone, Debug, Default)]
pub struct Inventory {
    /// The tests in the order of the text.
    pub tests: Vec<Test>,
    /// What says that a test or a container runs alone.
    pub focus: Vec<Marked>,
    /// Checks outside any test: in helpers and hooks.
    pub helpers: Vec<Assertion>,
    /// What the file imports: the words of its import statements, sorted, each once.
    pub imports: Vec<String>,
    /// Line of the first place that does not parse, from 1. Tests may be missing then.
    pub broken: Option<usize>,
}

/// Why a test file could not be looked into.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Why {
    /// Longer than [`MAX_BYTES`].
    #[error("larger than 1 MiB, the limit for test files")]
    TooLarge,
    /// Not text, nor of an encoding that has ASCII in it.
    #[error("not valid UTF-8 at byte {0}")]
    Encoding(usize),
    /// The parser gave up, or found more than it can hold.
    #[error("{0}")]
    Parser(&'static str),
}

/// The tests of a file. None: no test file by its path, nor by what is in it for languages that keep tests beside the code, or a template of
/// one.
pub fn inventory(path: &[u8], text: &[u8]) -> Option<Result<Inventory, Why>> {
    TestPath::of(path)?.inventory(text)
}

impl TestPath<'_> {
    /// As [`inventory`].
    pub fn inventory(&self, text: &[u8]) -> Option<Result<Inventory, Why>> {
        let language = self.language(text)?;
        let found = read(language, self.path, text);
        let is_broken = found.as_ref().is_ok_and(|found| found.broken.is_some());
        if is_broken && language::is_template(self.path, text) { None } else { Some(found) }
    }

    /// Whether anything in a text may leave a test out or let one run alone, or keep it from being looked into. False: [`inventory`] gives
    /// neither an error nor a skip that always holds nor a focus, and nothing was parsed to tell it.
    pub fn may_be_marked(&self, text: &[u8]) -> bool {
        let Some(language) = self.language(text) else { return false };
        let is_plain = text.len() <= MAX_BYTES && decoded(text).is_ok();
        !is_plain || language.is_marked(text)
    }
}

fn read(language: &'static language::Language, path: &[u8], text: &[u8]) -> Result<Inventory, Why> {
    if text.len() > MAX_BYTES {
        return Err(Why::TooLarge);
    }
    let text = decoded(text)?;
    match (&language.lines, language.parser(path)) {
        (Some(lines), _) => Ok(lines.read(path, &text)),
        (None, Some(parser)) => walk::read(language, parser, &text),
        (None, None) => Err(Why::Parser("no grammar for this kind of file")),
    }
}

/// A text, byte for byte in its place. Of an older encoding that has ASCII in it, only that is read: what makes a test is written in it.
fn decoded(text: &[u8]) -> Result<Cow<'_, str>, Why> {
    let error = match std::str::from_utf8(text) {
        Ok(text) => return Ok(text.into()),
        Err(error) => error,
    };
    let ascii = |byte: &u8| if byte.is_ascii() { char::from(*byte) } else { '?' };
    match memchr::memchr(0, text) {
        Some(_) => Err(Why::Encoding(error.valid_up_to())),
        None => Ok(text.iter().map(ascii).collect()),
    }
}

impl fmt::Display for Test {
    /// Name and state on one line, as the examples of `rules/tests/` write it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.qualified())?;
        if self.ordinal > 0 {
            write!(f, " #{}", self.ordinal + 1)?;
        }
        let count = self.assertions.len();
        let vacuous = self.assertions.iter().filter(|one| one.vacuous).count();
        let words = [
            (self.skip == Skip::Unconditional).then(|| "skipped".to_owned()),
            (self.skip == Skip::Conditional).then(|| "skipped sometimes".to_owned()),
            self.focused.then(|| "focused".to_owned()),
            self.computed.then(|| "computed".to_owned()),
            self.rows.map(|rows| match rows {
                Rows::Counted(count) => format!("{count} rows"),
                Rows::Unknown => "some rows".to_owned(),
            }),
            (count > 0).then(|| format!("{count} checks")),
            (vacuous > 0).then(|| format!("{vacuous} vacuous")),
        ];
        let words: Vec<String> = words.into_iter().flatten().collect();
        if words.is_empty() { Ok(()) } else { write!(f, " [{}]", words.join(", ")) }
    }
}
