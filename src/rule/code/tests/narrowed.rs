//! `tests/weakened` for a target or script that goes on running tests, and fewer of them.
//!
//! Only where both can be told to the last file: what starts a runner by way of a variable, a glob or another program is left alone.

use std::{collections::BTreeSet, ops::Range, sync::LazyLock};

use regex::Regex;

use super::{WEAKENED, finding, recipes::Recipes, site_at};
use crate::{
    claim::tests::may_hold_tests,
    diag::{Confidence, RepoPath, Severity},
    rule::{
        change::{Change, File, Said},
        listed::listed,
    },
    text::count::number_of,
};

/// Longest file that is looked into, in bytes.
const LONGEST: usize = 1 << 20;

/// How a runner finds its tests.
struct Runner {
    /// What its command begins with.
    start: Regex,
    /// How its tests end.
    extensions: &'static [&'static str],
    takes: Takes,
}

/// What its words name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Takes {
    /// Files, and folders with all below them.
    Paths,
    /// Parts of paths.
    Parts,
    /// Packages, with all below them where they end in `...`.
    Packages,
}

const SCRIPTS: &[&str] = &["js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts"];

static RUNNERS: LazyLock<Vec<Runner>> = LazyLock::new(|| {
    let runner = |start: &str, extensions, takes| {
        let start = Regex::new(&format!("^(?:{start})(?:\\s|$)")).expect("a pattern of ours");
        Runner { start, extensions, takes }
    };
    vec![
        runner(r"(?:(?:poetry|uv|pipenv|hatch) run )?(?:python3? -m )?pytest", &["py"], Takes::Paths),
        runner(r"(?:bundle exec )?rspec", &["rb"], Takes::Paths),
        runner(r"(?:npx |yarn |pnpm )?jest", SCRIPTS, Takes::Parts),
        runner(r"(?:npx |yarn |pnpm )?vitest(?: run)?", SCRIPTS, Takes::Parts),
        runner(r"go test", &["go"], Takes::Packages),
    ]
});

/// Options after which a word is theirs, and names no tests.
const WITH_WORD: [&str; 12] =
    ["-c", "-m", "-n", "-p", "-o", "-W", "--config", "--project", "--reporter", "-timeout", "-tags", "-count"];
/// Options after which a word says which tests run.
const FILTERS: [&str; 7] = ["-k", "-run", "-t", "--testNamePattern", "-e", "--example", "-skip"];

pub(super) fn judge(change: &Change<'_>, said: &mut Said) {
    for file in change.files.iter().filter(|file| !file.is_link()) {
        let path = file.path.lossy();
        if !path.ends_with("akefile") && !path.ends_with("package.json") {
            continue;
        }
        // a file that can't be read is told of where its lines are looked at
        let (Ok(Some(before)), Ok(Some(after))) = (change.before(file), change.merged(file)) else { continue };
        if before.len().max(after.len()) <= LONGEST {
            let (before, after) = (String::from_utf8_lossy(&before), String::from_utf8_lossy(&after));
            look(change, file, [&before, &after], said);
        }
    }
}

fn look(change: &Change<'_>, file: &File, [before, after]: [&str; 2], said: &mut Said) {
    let path = file.path.lossy();
    let [Some(old), Some(new)] = [before, after].map(|text| Recipes::read(&path, text)) else { return };
    let same: BTreeSet<&str> = new.names().collect();
    let mut told: BTreeSet<usize> = BTreeSet::new();
    for name in old.names().filter(|name| same.contains(name)) {
        let [Some(was), Some(is)] = [old.started_by(name), new.started_by(name)] else { continue };
        let texts = |commands: &[super::recipes::Command<'_>]| commands.iter().map(|one| one.0.to_owned()).collect();
        let (all, left): (Vec<String>, Vec<String>) = (texts(&was), texts(&is));
        if all == left {
            continue;
        }
        let Ok(paths) = change.ground.merged_paths() else { return };
        let run_by = |commands: &[String]| run_by(change, commands, &path, paths);
        let [Some(ran), Some(runs)] = [run_by(&all), run_by(&left)] else { continue };
        let lost: Vec<&RepoPath> = ran.difference(&runs).copied().collect();
        let at = is.iter().find(|(command, _)| RUNNERS.iter().any(|runner| runner.start.is_match(command)));
        if let Some((_, at)) = at.filter(|(_, at)| !lost.is_empty() && told.insert(at.start)) {
            report(change, file, (name, after), &lost, at.clone(), said);
        }
    }
}

fn report(
    change: &Change<'_>,
    file: &File,
    (name, text): (&str, &str),
    lost: &[&RepoPath],
    at: Range<usize>,
    said: &mut Said,
) {
    let names: Vec<String> = lost.iter().map(|path| path.lossy().into_owned()).collect();
    let message = format!(
        "`{name}` in `{}` leaves out {} that it ran: {}.",
        file.path.lossy(),
        number_of(lost.len(), "test file"),
        listed(names.iter().map(String::as_str))
    );
    let site = site_at(change, &file.path, text.as_bytes(), at);
    said.findings.push(finding(WEAKENED, Severity::Warning, Confidence::Medium, Some(name), message, site));
}

/// The test files that some commands run, none of which may start tests in a way that is not known; none where that can't be told.
fn run_by<'p>(
    change: &Change<'_>,
    commands: &[String],
    recipes: &str,
    paths: &'p [RepoPath],
) -> Option<BTreeSet<&'p RepoPath>> {
    let folder = recipes.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
    let mut all = BTreeSet::new();
    let mut any = false;
    for command in commands {
        let Some(runner) = RUNNERS.iter().find(|runner| runner.start.is_match(command)) else {
            // a program or folder of which nobody knows what it does to the tests
            let harmless = ["echo ", "rm ", "mkdir ", "tsc", "eslint ", "ruff ", "mypy ", "go build", "go vet", "#"];
            if harmless.iter().any(|start| command.starts_with(start)) {
                continue;
            }
            return None;
        };
        let named = runner.named(command)?;
        if named.is_empty() && runner.takes != Takes::Packages && is_settled(change, &folder) {
            return None;
        }
        any = true;
        let is_run = |path: &&RepoPath| {
            let path = path.lossy();
            path.strip_prefix(folder.as_str()).is_some_and(|path| runner.runs(path, &named))
        };
        all.extend(paths.iter().filter(|path| may_hold_tests(path.as_bytes())).filter(is_run));
    }
    any.then_some(all)
}

/// Settings of runners, and the words by which they say which tests there are.
static SETTINGS: LazyLock<[(&[&str], Regex); 2]> = LazyLock::new(|| {
    let words = |words: &str| Regex::new(&format!(r"(?:^|\b|--)(?:{words})\b")).expect("a pattern of ours");
    let plain = "testpaths|python_files|norecursedirs|ignore|testMatch|testRegex|roots|testPathIgnorePatterns|pattern";
    let of_vite = "include|exclude|dir|root|projects|workspace";
    [
        (
            &[
                "pytest.ini",
                "pyproject.toml",
                "tox.ini",
                "setup.cfg",
                ".rspec",
                "package.json",
                "jest.config.js",
                "jest.config.ts",
            ],
            words(plain),
        ),
        (
            &["vitest.config.ts", "vitest.config.js", "vitest.config.mts", "vite.config.ts", "vite.config.js"],
            words(of_vite),
        ),
    ]
});

/// Whether settings in a folder say which tests a runner takes that is told none.
fn is_settled(change: &Change<'_>, folder: &str) -> bool {
    SETTINGS.iter().any(|(names, words)| {
        names.iter().any(|name| {
            let text = change.merged_at(&format!("{folder}{name}").as_str().into());
            text.is_ok_and(|text| text.is_some_and(|text| words.is_match(&String::from_utf8_lossy(&text))))
        })
    })
}

impl Runner {
    /// The words that name tests; none where one of them is not to be understood.
    fn named<'c>(&self, command: &'c str) -> Option<Vec<&'c str>> {
        let rest = &command[self.start.find(command)?.end()..];
        if rest.contains(['$', '*', '?', '`', '{', '(', '\\', '"', '\'', '>', '<']) {
            return None;
        }
        let mut words = rest.split_whitespace();
        let mut named = Vec::new();
        while let Some(word) = words.next() {
            let option = word.split('=').next().unwrap_or(word);
            if FILTERS.contains(&option) || option.contains("ignore") || option.contains("deselect") {
                return None;
            } else if WITH_WORD.contains(&word) {
                words.next();
            } else if word.starts_with('#') {
                break;
            } else if !word.starts_with('-') {
                named.push(word);
            } else if !word.contains('=') && word.starts_with("--") {
                // whether the next word is its value is not known
                let next = words.clone().next().is_some_and(|next| !next.starts_with('-'));
                if next && !FLAGS.contains(&word) {
                    return None;
                }
            }
        }
        Some(named)
    }

    /// Whether a file is run where these words are given.
    fn runs(&self, path: &str, named: &[&str]) -> bool {
        if !path.rsplit_once('.').is_some_and(|(_, extension)| self.extensions.contains(&extension)) {
            return false;
        }
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let below = |of: &str, path: &str| {
            of.is_empty() || path.strip_prefix(of).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let is_named = |word: &&str| {
            let word = word.split("::").next().unwrap_or(word);
            let word = if word == "." { "" } else { word.trim_start_matches("./").trim_end_matches('/') };
            match self.takes {
                Takes::Parts => path.contains(word),
                Takes::Paths => below(word, path),
                Takes::Packages => match word.strip_suffix("...") {
                    Some(above) => below(above.trim_end_matches('/'), folder),
                    None => folder == word,
                },
            }
        };
        match (named, self.takes) {
            ([], Takes::Packages) => folder.is_empty(),
            ([], _) => true,
            _ => named.iter().any(is_named),
        }
    }
}

/// Long options that take no value.
const FLAGS: [&str; 12] = [
    "--verbose",
    "--quiet",
    "--coverage",
    "--watch",
    "--ci",
    "--silent",
    "--runInBand",
    "--strict-markers",
    "--exitfirst",
    "--bail",
    "--run",
    "--passWithNoTests",
];
