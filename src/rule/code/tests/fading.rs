//! What a lost test names and the code of the change loses: then nobody but a person can tell whether what it tested still stands.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    rc::Rc,
    sync::{Arc, LazyLock},
};

use regex::Regex;

use super::stock::{At, Pair, Stock};
use crate::{
    claim::tests::{Inventory, Test, is_test_path},
    rule::change::Change,
};

/// What is no name: literals of text. Crude, and in doubt it takes more away.
static LITERALS: LazyLock<Regex> =
    LazyLock::new(|| regex(r#"(?s)""".*?"""|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`]*`"#));
static NAME: LazyLock<Regex> = LazyLock::new(|| regex(r"[A-Za-z_]\w{2,}"));

/// How much more a change has to take from the code than it adds, to be one that removes something.
const MORE: usize = 2;
/// Fewest lines that it takes.
const FEWEST: usize = 3;

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a pattern of ours")
}

/// What the code of the change, without its tests, no longer says, or less often than before.
#[derive(Default)]
pub(super) struct Fading {
    /// Names that a file does not say any more; true where none of the files does.
    names: BTreeMap<String, bool>,
    /// Words, in small letters, also those that names are made of; only if the change takes much more than it adds.
    words: BTreeSet<String>,
    /// By the number of a pair: what its file says, read once for all tests that it loses.
    files: RefCell<BTreeMap<usize, Rc<TestFile>>>,
}

/// What a file of tests said, and what it goes on saying.
struct TestFile {
    before: Option<Arc<[u8]>>,
    names: BTreeSet<String>,
    words: BTreeSet<String>,
}

impl TestFile {
    fn of(change: &Change<'_>, pair: &Pair<'_>) -> Self {
        let left = pair.text.as_deref().map(String::from_utf8_lossy).unwrap_or_default();
        Self {
            before: change.before(pair.file).ok().flatten(),
            names: NAME.find_iter(&left).map(|name| name.as_str().to_owned()).collect(),
            words: words(&left).collect(),
        }
    }
}

/// What was counted of the code before or after.
#[derive(Default)]
struct Counted {
    names: BTreeMap<String, usize>,
    words: BTreeMap<String, usize>,
    lines: BTreeMap<String, usize>,
}

impl Fading {
    /// Looks at the texts of source files before and after; what of them are tests is left out.
    pub(super) fn new<'t>(sources: impl Iterator<Item = [Option<(Arc<[u8]>, Option<&'t Inventory>)>; 2]>) -> Self {
        let (mut were, mut are) = (Counted::default(), Counted::default());
        let mut names: BTreeMap<String, bool> = BTreeMap::new();
        for [before, after] in sources {
            let [was, is] =
                [before, after].map(|side| side.map(|(text, tests)| Counted::of(&text, tests)).unwrap_or_default());
            let gone =
                was.names.keys().filter(|name| !is.names.contains_key(*name) && !CODE_WORDS.contains(&name.as_str()));
            names.extend(gone.map(|name| (name.clone(), true)));
            were.add(was);
            are.add(is);
        }
        let left = |count: &BTreeMap<String, usize>, key: &str| count.get(key).copied().unwrap_or(0);
        // what only moved to another file is all there
        names.retain(|name, _| left(&are.names, name) < left(&were.names, name));
        names.iter_mut().for_each(|(name, none)| *none = !are.names.contains_key(name));
        let fewer = |were: &BTreeMap<String, usize>, are: &BTreeMap<String, usize>| -> usize {
            were.iter().map(|(line, count)| count.saturating_sub(left(are, line))).sum()
        };
        let (taken, added) = (fewer(&were.lines, &are.lines), fewer(&are.lines, &were.lines));
        let removes = taken >= FEWEST && taken >= MORE * added;
        let words = were.words.into_iter().filter(|(word, count)| removes && left(&are.words, word) < *count);
        Self { names, words: words.map(|(word, _)| word).collect(), files: RefCell::default() }
    }

    /// What a lost test names that fades, and that no test of its file names any more. `gone` is what the code defines less often.
    pub(super) fn of(&self, change: &Change<'_>, stock: &Stock<'_>, at: At, gone: &BTreeSet<String>) -> Option<String> {
        if self.names.is_empty() && self.words.is_empty() && gone.is_empty() {
            return None;
        }
        let pair = &stock.pairs[at.0];
        let test = stock.before(at);
        let mut files = self.files.borrow_mut();
        let file = Rc::clone(files.entry(at.0).or_insert_with(|| Rc::new(TestFile::of(change, pair))));
        drop(files);
        let body = String::from_utf8_lossy(file.before.as_ref()?.get(test.span.clone())?);
        let bare = LITERALS.replace_all(&body, " ");
        let all: BTreeSet<&str> = NAME.find_iter(&bare).map(|name| name.as_str()).collect();
        let named = all.into_iter().filter(|name| !file.names.contains(*name) && *name != test.title);
        // of a file that is deleted whole, no other test is left to tell what is everybody's word
        let whole = pair.text.is_none();
        // where tests stand beside the code, what they define themselves is counted too
        let apart = is_test_path(pair.file.path.as_bytes());
        let is_gone = |name: &str| !whole && apart && gone.contains(name) && !CODE_WORDS.contains(&name);
        let faded = named.filter(|name| is_gone(name) || self.names.get(*name).is_some_and(|none| *none || !whole));
        // the longest one tells most
        let most = faded.max_by_key(|name| (name.len(), *name));
        most.map(str::to_owned).or_else(|| self.titled(pair, test, &file.words))
    }

    /// The first word of a title that fades: of a test alone if its file does not say it any more, else of a block that is gone whole.
    fn titled(&self, pair: &Pair<'_>, test: &Test, stays: &BTreeSet<String>) -> Option<String> {
        if self.words.is_empty() {
            return None;
        }
        let own = words(&test.title).find(|word| self.words.contains(word) && !stays.contains(word));
        let block = || {
            let stands = |other: &Test| other.containers.starts_with(&test.containers);
            let is_inner = test.containers.len() > 1 && !pair.after.tests.iter().any(stands);
            let last = test.containers.last().filter(|_| is_inner)?;
            words(last).find(|word| self.words.contains(word))
        };
        own.or_else(block)
    }
}

/// The lines of a text, trimmed, without blank ones and comments, as far as their beginnings tell.
pub(super) fn code_lines(text: &str) -> impl Iterator<Item = &str> {
    let is_comment = |line: &str| ["//", "#", "*", "/*", "--", ";"].iter().any(|start| line.starts_with(start));
    text.lines().map(str::trim).filter(move |line| !line.is_empty() && !is_comment(line))
}

impl Counted {
    /// Counts a text without the tests that are in it.
    fn of(text: &[u8], tests: Option<&Inventory>) -> Self {
        let mut counted = Self::default();
        let mut bare = text.to_vec();
        for test in tests.into_iter().flat_map(|found| &found.tests) {
            bare.get_mut(test.span.clone()).into_iter().flatten().for_each(|byte| *byte = b' ');
        }
        let text = String::from_utf8_lossy(&bare);
        for line in code_lines(&text) {
            NAME.find_iter(line).for_each(|name| *counted.names.entry(name.as_str().to_owned()).or_default() += 1);
            words(line).for_each(|word| *counted.words.entry(word).or_default() += 1);
            if line.bytes().any(|byte| byte.is_ascii_alphanumeric()) {
                *counted.lines.entry(line.to_owned()).or_default() += 1;
            }
        }
        counted
    }

    fn add(&mut self, other: Self) {
        let both = [(&mut self.names, other.names), (&mut self.words, other.words), (&mut self.lines, other.lines)];
        for (into, from) in both {
            from.into_iter().for_each(|(key, count)| *into.entry(key).or_default() += count);
        }
    }
}

/// Names that every code has, in some language.
const CODE_WORDS: [&str; 48] = [
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

/// The words that a text is made of, in small letters: those of `in_hsts_preload` and `inHstsPreload` are the same.
fn words(text: &str) -> impl Iterator<Item = String> {
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
