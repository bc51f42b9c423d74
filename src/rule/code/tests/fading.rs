//! What a lost test names and the code of the change loses: then nobody but a person can tell whether what it tested still stands.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    rc::Rc,
    sync::{Arc, LazyLock},
};

use regex::Regex;

use super::{
    commands::shortened,
    counted::{CODE_WORDS, Counted, NAME, runs, words},
    stock::{At, Pair, Stock},
};
use crate::{
    claim::tests::{Inventory, Test, is_test_path},
    rule::change::Change,
};

/// What is no name: literals of text, and the sigils of Elixir. Crude, and in doubt it takes more away.
static LITERALS: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r#"(?s)""".*?"""|~[A-Za-z](?:\([^)\n]*\)|\{[^}\n]*\}|/[^/\n]*/|\|[^|\n]*\|)|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`]*`"#,
    )
});

/// How much more a change has to take from the code than it adds, to be one that removes something.
const MORE: usize = 2;
/// How much more, to do hardly anything else.
const MUCH_MORE: usize = 4;
/// Fewest lines that it takes.
const FEWEST: usize = 3;
/// Fewest letters of a word in a text of a test that tells what it is about.
const TELLING: usize = 5;

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
    /// Whether the change does hardly anything but take code away.
    is_removal: bool,
    /// Runs of words that no line says any more.
    runs: BTreeSet<u64>,
    /// By the number of a pair: what its file says, read once for all tests that it loses.
    files: RefCell<BTreeMap<usize, Rc<TestFile>>>,
}

/// What a file of tests said, and what it goes on saying.
struct TestFile {
    before: Option<Arc<[u8]>>,
    names: BTreeSet<String>,
    words: BTreeSet<String>,
    runs: BTreeSet<u64>,
}

impl TestFile {
    fn of(change: &Change<'_>, pair: &Pair<'_>) -> Self {
        let left = pair.text.as_deref().map(String::from_utf8_lossy).unwrap_or_default();
        Self {
            before: change.before(pair.file).ok().flatten(),
            names: NAME.find_iter(&left).map(|name| name.as_str().to_owned()).collect(),
            words: words(&left).collect(),
            runs: left.lines().flat_map(runs).collect(),
        }
    }
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
        let words = words.map(|(word, _)| word).collect();
        let runs = were.runs.difference(&are.runs).copied().collect();
        let is_removal = taken >= FEWEST && taken >= MUCH_MORE * added;
        Self { names, words, is_removal, runs, files: RefCell::default() }
    }

    /// What a lost test names that fades, and that no test of its file names any more. `gone` is what the code defines less often.
    pub(super) fn of(&self, change: &Change<'_>, stock: &Stock<'_>, at: At, gone: &BTreeSet<String>) -> Option<String> {
        if self.names.is_empty() && self.words.is_empty() && self.runs.is_empty() && gone.is_empty() {
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
        most.map(str::to_owned)
            .or_else(|| self.titled(pair, test, &file.words))
            .or_else(|| self.quoted(&body, &file))
            .or_else(|| self.is_removal.then(|| self.touched(&test.title, &body)).flatten())
    }

    /// What a text in a test says and no line of the code any more: a word of its own, or several in a row.
    fn quoted(&self, body: &str, file: &TestFile) -> Option<String> {
        let said = |text: &str| {
            let fades = |name: &&str| {
                name.len() >= TELLING && self.names.get(*name) == Some(&true) && !file.names.contains(*name)
            };
            let name = NAME.find_iter(text).map(|name| name.as_str()).find(fades).map(str::to_owned);
            let fades = |line: &&str| runs(line).any(|run| self.runs.contains(&run) && !file.runs.contains(&run));
            name.or_else(|| text.lines().find(fades).map(|line| shortened(line.trim()).to_owned()))
        };
        LITERALS.find_iter(body).find_map(|text| said(text.as_str().trim_matches(['"', '\'', '`'])))
    }

    /// A word of a test that a change touches which only takes code away.
    fn touched(&self, title: &str, body: &str) -> Option<String> {
        let tells = |word: &String| word.len() > 3 && self.words.contains(word) && !CODE_WORDS.contains(&word.as_str());
        words(title).chain(words(body)).find(tells)
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
