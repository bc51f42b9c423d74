//! Whether what a test is about goes with it. Of 24,431 tests that people deleted in seven Java projects, 91.4 % were about
//! code that was deleted too (DelTest, MSR 2025).

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, LazyLock},
};

use regex::Regex;

use super::{
    counted::code_lines,
    fading::Fading,
    stock::{At, Pair, Stock},
};
use crate::{
    claim::tests::is_test_path,
    diag::RepoPath,
    rule::change::{Change, File, Said},
};

/// Longest source file whose definitions are looked for, in bytes.
const LONGEST: usize = 1 << 20;
/// Extensions that import each other.
const SCRIPTS: [&str; 10] = ["js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "vue", "svelte"];
/// Other languages with several extensions.
const KIN: [[&str; 2]; 2] = [["ex", "exs"], ["java", "kt"]];
/// Extensions whose definitions are looked for.
const SOURCES: [&str; 14] =
    ["c", "cc", "cpp", "cs", "dart", "ex", "go", "java", "kt", "php", "py", "rb", "rs", "swift"];
/// Templates: they define nothing, and what they say is tested all the same.
const TEMPLATES: [&str; 10] = ["cshtml", "eex", "ejs", "erb", "haml", "hbs", "heex", "pug", "slim", "twig"];
/// Names of files that say nothing of what is in them.
const PLAIN: [&str; 8] = ["index", "main", "mod", "lib", "init", "__init__", "utils", "types"];

static DEFINITION: LazyLock<Regex> = LazyLock::new(|| {
    // the names of Ruby and Elixir may end in a mark
    let def = r"\bdefp?\s+(?:self\.)?([A-Za-z_]\w*[?!]?)";
    let keyword = r"\b(?:defmodule|fn|func(?:\s*\([^)\n]*\))?|function\*?|fun|class|struct|enum|trait|interface|type|const|let|var|val|record|object|module|macro_rules!)\s+([A-Za-z_]\w*)";
    let method = r"(?m)^[ \t]*(?:[\w<>\[\],.?&*]+[ \t]+)+([A-Za-z_]\w*)[ \t]*\([^;\n]*\{?[ \t]*$";
    Regex::new(&format!("{def}|{keyword}|{method}")).expect("a pattern of ours")
});

/// What of the code the change takes away.
pub(super) struct Gone {
    /// Stems of source files that no longer stand where they stood, with their extensions.
    files: BTreeSet<(String, String)>,
    /// Names that the source files of the change define less often than before: an overload that is gone is gone too.
    names: BTreeSet<String>,
    /// What they say less often.
    fading: Fading,
    /// Those without tests in them that get shorter, with their paths.
    shrunk: BTreeMap<(String, String), String>,
}

/// By how many lines a file gets shorter, at least, that loses some of what it does.
const SHORTER: usize = 3;

impl Gone {
    pub(super) fn new(change: &Change<'_>, stock: &Stock<'_>, said: &mut Said) -> Self {
        // what only tests used is code all the same, if it goes whole
        let is_aid = |file: &File| {
            let aid = |pair: &Pair<'_>| pair.file.path == file.path && !pair.unread && pair.before.tests.is_empty();
            file.is_removed() && is_code(&file.path) && stock.pairs.iter().any(aid)
        };
        let sources = || change.files.iter().filter(move |file| is_source(&file.path) || is_aid(file));
        let removed = sources().filter(|file| file.is_removed() && file.before.is_some());
        let files = removed.map(|file| (stem(&file.path), extension(&file.path))).collect();
        let (mut were, mut are) = (BTreeMap::new(), BTreeMap::new());
        let (mut texts, mut shrunk) = (Vec::new(), BTreeMap::new());
        for file in sources() {
            match change.before(file).and_then(|before| Ok((before, change.merged(file)?))) {
                // of a text that is too long to look into, nothing is known to be gone
                Ok((before, after)) if fits(&before) && fits(&after) => {
                    definitions(before.as_deref(), &mut were);
                    definitions(after.as_deref(), &mut are);
                    let pair = stock.pairs.iter().find(|pair| pair.file.path == file.path);
                    let tests = pair.map(|pair| [&pair.before, &pair.after]);
                    if is_helper(&file.path) || is_test_path(file.path.as_bytes()) {
                        continue;
                    }
                    if let (None, Some(before), Some(after)) = (tests, &before, &after)
                        && lines(before) >= lines(after) + SHORTER
                    {
                        shrunk.insert((stem(&file.path), extension(&file.path)), file.path.lossy().into_owned());
                    }
                    texts.push([(before, 0), (after, 1)].map(|(text, at)| Some((text?, tests.map(|tests| tests[at])))));
                }
                Ok(_) => {}
                Err(error) => said.gap(file.path.lossy(), format!("can't be read: {error}")),
            }
        }
        let is_gone = |(name, count): &(&String, &usize)| are.get(*name).copied().unwrap_or(0) < **count;
        let names = were.iter().filter(is_gone).map(|(name, _)| name.clone()).collect();
        Self { files, names, fading: Fading::new(texts.into_iter()), shrunk }
    }

    /// The file that a lost test is named after, where the change makes it shorter: what it no longer does needs no test.
    pub(super) fn shrunk(&self, stock: &Stock<'_>, at: At) -> Option<String> {
        let own = &stock.pairs[at.0].file.path;
        let (own, extension) = (stem(own), extension(own));
        self.shrunk
            .iter()
            .find(|((stem, other), _)| *stem == own && are_kin(&extension, other))
            .map(|(_, path)| path.clone())
    }

    /// What of a lost test may be gone too: the code of the change says it less often.
    pub(super) fn maybe_of(&self, change: &Change<'_>, stock: &Stock<'_>, at: At) -> Option<String> {
        self.fading.of(change, stock, at, &self.names)
    }

    /// What of a lost test is gone too, as a person would name it.
    pub(super) fn of(&self, stock: &Stock<'_>, at: At) -> Option<String> {
        let pair = &stock.pairs[at.0];
        let (own, extension) = (stem(&pair.file.path), extension(&pair.file.path));
        let imports = || pair.before.imports.iter().map(|word| plain(word));
        let file = self.files.iter().find(|(stem, other)| {
            are_kin(&extension, other)
                && !PLAIN.contains(&stem.as_str())
                && (*stem == own || imports().any(|word| word == *stem))
        });
        if let Some((stem, extension)) = file {
            return Some(format!("{stem}.{extension}"));
        }
        stock.before(at).calls.iter().find(|name| self.names.contains(*name)).cloned()
    }
}

/// Whether a file lies in a folder of tests: what it loses, a test may lose with it, and that says nothing of what was tested.
fn is_helper(path: &RepoPath) -> bool {
    let folders = ["test", "tests", "spec", "specs", "__tests__", "testing", "testdata", "fixtures"];
    let path = path.lossy().to_lowercase();
    let in_folder =
        path.rsplit_once('/').is_some_and(|(above, _)| above.split('/').any(|part| folders.contains(&part)));
    in_folder || path.ends_with("conftest.py")
}

/// How many lines of code a text has.
fn lines(text: &[u8]) -> usize {
    code_lines(&String::from_utf8_lossy(text)).count()
}

/// Whether a text is short enough to be looked into.
pub(super) fn fits(text: &Option<Arc<[u8]>>) -> bool {
    text.as_ref().is_none_or(|text| text.len() <= LONGEST)
}

fn is_source(path: &RepoPath) -> bool {
    is_code(path) && !is_test_path(path.as_bytes())
}

/// Whether definitions are looked for in a file.
pub(super) fn is_code(path: &RepoPath) -> bool {
    let extension = extension(path);
    [&SCRIPTS[..], &SOURCES, &TEMPLATES].iter().any(|known| known.contains(&extension.as_str()))
}

/// Whether two extensions are of one language, or of two that live in one project.
fn are_kin(extension: &str, other: &str) -> bool {
    let all = |kin: &[&str]| kin.contains(&extension) && kin.contains(&other);
    extension == other || all(&SCRIPTS) || KIN.iter().any(|kin| all(kin))
}

fn definitions(text: Option<&[u8]>, into: &mut BTreeMap<String, usize>) {
    let Some(text) = text else { return };
    for name in defined(&String::from_utf8_lossy(text)).filter(|name| name.len() > 2) {
        *into.entry(name.to_owned()).or_default() += 1;
    }
}

/// The names that a text defines, in order.
pub(super) fn defined(text: &str) -> impl Iterator<Item = &str> {
    let name = |found: regex::Captures<'_>| found.iter().skip(1).flatten().next().map(|name| name.range());
    DEFINITION.captures_iter(text).filter_map(name).map(|at| &text[at])
}

fn extension(path: &RepoPath) -> String {
    let name = String::from_utf8_lossy(path.file_name()).into_owned();
    name.rsplit_once('.').map(|(_, extension)| extension.to_lowercase()).unwrap_or_default()
}

/// The name of a file without what says that it holds tests, in small letters: `test_price.py`, `PriceTest.java` and
/// `price.spec.ts` are `price`.
fn stem(path: &RepoPath) -> String {
    let name = String::from_utf8_lossy(path.file_name()).into_owned();
    let mut stem = plain(name.rsplit_once('.').map_or(name.as_str(), |(stem, _)| stem));
    for end in [".test", ".spec", ".cy", "_test", "-test", "_tests", "_spec", "tests", "test", "spec", "testcase"] {
        if let Some(rest) = stem.strip_suffix(end).filter(|rest| !rest.is_empty()) {
            stem = rest.to_owned();
            break;
        }
    }
    let rest = ["test_", "test-"].iter().find_map(|start| stem.strip_prefix(start)).map(str::to_owned);
    rest.unwrap_or(stem)
}

/// Small letters, and one way to part words.
fn plain(word: &str) -> String {
    word.to_lowercase().replace('-', "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_file_is_named_after_what_it_tests() {
        for path in
            ["a/test_price.py", "price_test.go", "PriceTest.java", "web/price.spec.ts", "PriceTests.cs", "price.py"]
        {
            assert_eq!(stem(&path.into()), "price", "{path}");
        }
        assert_eq!(stem(&"test.js".into()), "test");
    }

    #[test]
    fn definitions_of_many_languages() {
        let mut found = BTreeMap::new();
        let text = "def total(x):\nclass Price\n  const rate = 1\nfunc (p *P) Sum() {\n    public static int addUp(int a) {\n  render(x);\n";
        definitions(Some(text.as_bytes()), &mut found);
        let expected = ["Price", "Sum", "addUp", "rate", "total"];
        assert_eq!(found.into_keys().collect::<Vec<_>>(), expected);
    }
}
