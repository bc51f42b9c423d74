//! `tests/deleted`: tests that are nowhere once the change is merged.

use std::{
    cell::OnceCell,
    collections::{BTreeMap, BTreeSet},
};

use super::{
    DELETED,
    fate::Fate,
    finding,
    inherited::Inherited,
    matched::Matched,
    replaced::{Heir, Heirs},
    stock::{At, Stock},
    subject::Gone,
    twins::{has_twin, namesakes, without_twins},
};
use crate::{
    claim::tests::{Assertion, Skip, Test},
    diag::{Confidence, Severity},
    rule::{
        change::{Change, Said},
        listed::listed,
    },
    source::Commit,
    text::count::number_of,
};

/// Files that are told of one by one; of more there is one finding.
const MOST_FILES: usize = 20;

/// A lost test, and what of its subject is gone.
type Lost = (At, Option<String>);

pub(super) fn judge(change: &Change<'_>, stock: &Stock<'_>, matched: &Matched, said: &mut Said) {
    let lost = lost(change, stock, matched, said);
    if lost.is_empty() {
        return;
    }
    let gone = Gone::new(change, stock, said);
    let added = added_checks(stock);
    let heirs = Heirs::new(stock, matched, &lost);
    let namesakes = namesakes(stock, &lost);
    let reverts = change.ground.commits().is_ok_and(|commits| commits.iter().any(says_revert));
    let mut by_file: BTreeMap<(usize, Fate), Vec<Lost>> = BTreeMap::new();
    let whole = obsolete_files(stock, &gone, &lost);
    let inherited = OnceCell::new();
    for at in lost.iter().copied() {
        let subject = gone.of(stock, at).or_else(|| whole.get(&at.0).cloned());
        let heir = heirs.of(stock, at);
        let fate = fate(stock, at, subject.is_some(), &added, &namesakes, heir);
        let faded = if fate == Fate::Deleted { gone.maybe_of(change, stock, at) } else { None };
        let shrunk = if fate == Fate::Deleted && faded.is_none() { gone.shrunk(stock, at) } else { None };
        let base = if fate == Fate::Deleted {
            inherited.get_or_init(|| Inherited::new(change, stock, &lost)).of(stock.before(at))
        } else {
            None
        };
        let fate = match fate {
            Fate::Deleted if base.is_some() => Fate::Inherited,
            Fate::Deleted if reverts => Fate::Reverted,
            Fate::Deleted if faded.is_some() => Fate::Faded,
            Fate::Deleted if shrunk.is_some() => Fate::Shrunk,
            fate => fate,
        };
        let instead = subject.or(base).or(faded).or(shrunk).or_else(|| heir.map(|heir| heir.test.qualified()));
        by_file.entry((at.0, fate)).or_default().push((at, instead));
    }
    beside(&mut by_file);
    let of_fate = |wanted: Fate| by_file.iter().filter(move |((_, fate), _)| *fate == wanted);
    if of_fate(Fate::Deleted).count() > MOST_FILES {
        let files: Vec<_> = of_fate(Fate::Deleted).map(|((file, _), tests)| (*file, tests.len())).collect();
        said.findings.push(report_all(change, stock, &files));
        by_file.retain(|(_, fate), _| *fate != Fate::Deleted);
    }
    for ((file, fate), tests) in by_file {
        said.findings.push(report(change, stock, file, fate, &tests));
    }
}

/// Of a file that loses as many tests with what they test, the others seem to be about the same.
fn beside(by_file: &mut BTreeMap<(usize, Fate), Vec<Lost>>) {
    let files: Vec<usize> = by_file.keys().filter(|(_, fate)| *fate == Fate::Deleted).map(|(file, _)| *file).collect();
    for file in files {
        let of = |fate| by_file.get(&(file, fate)).map_or(&[][..], Vec::as_slice);
        let gone: Vec<&Lost> = of(Fate::Obsolete).iter().chain(of(Fate::Faded)).collect();
        let subject = gone.iter().find_map(|(_, subject)| subject.clone());
        if gone.len() >= of(Fate::Deleted).len()
            && let Some(lost) = by_file.remove(&(file, Fate::Deleted))
        {
            let lost = lost.into_iter().map(|(at, _)| (at, subject.clone()));
            by_file.entry((file, Fate::Beside)).or_default().extend(lost);
        }
    }
}

/// Test files that are deleted, and half of whose tests lose what they test: then it is what the file is about that is gone.
fn obsolete_files(stock: &Stock<'_>, gone: &Gone, lost: &[At]) -> BTreeMap<usize, String> {
    let mut subjects: BTreeMap<usize, (usize, Vec<String>)> = BTreeMap::new();
    for at in lost.iter().filter(|at| stock.pairs[at.0].text.is_none()) {
        let (count, found) = subjects.entry(at.0).or_default();
        *count += 1;
        found.extend(gone.of(stock, *at));
    }
    let most = |(file, (count, found)): (usize, (usize, Vec<String>))| {
        (2 * found.len() >= count).then(|| Some((file, found.into_iter().next()?))).flatten()
    };
    subjects.into_iter().filter_map(most).collect()
}

/// Whether a commit says that it reverts another one, in the words of `git revert` and of GitHub.
fn says_revert(commit: &Commit) -> bool {
    let names_commit = |rest: &str| rest.bytes().take_while(u8::is_ascii_hexdigit).count() >= 7;
    let said = commit.message.split("This reverts commit ").skip(1).any(names_commit);
    said || commit.message.starts_with("Revert \"")
}

/// The tests that stand nowhere in the merged tree.
pub(super) fn lost(change: &Change<'_>, stock: &Stock<'_>, matched: &Matched, said: &mut Said) -> Vec<At> {
    let lost = without_hidden(stock, &matched.lost, said);
    without_twins(change, stock, lost, said)
}

/// What became of a lost test; `heir` is the one in its place.
fn fate(
    stock: &Stock<'_>,
    at: At,
    subject_gone: bool,
    added: &BTreeSet<&str>,
    namesakes: &BTreeSet<At>,
    heir: Option<Heir<'_>>,
) -> Fate {
    let test = stock.before(at);
    let checks = &test.assertions;
    if subject_gone {
        Fate::Obsolete
    } else if test.skip == Skip::Unconditional {
        Fate::Skipped
    } else if !checks.is_empty() && checks.iter().all(|check| added.contains(check.text.as_str())) {
        Fate::Merged
    } else if is_empty(test) {
        Fate::Empty
    } else if has_twin(stock, at) {
        Fate::Twin
    } else if let Some(heir) = heir.filter(|heir| heir.is_sure) {
        if heir.checks_as_much { Fate::Replaced } else { Fate::Thinned }
    } else if are_scattered(checks, added) {
        Fate::Scattered
    } else if namesakes.contains(&at) {
        Fate::Namesake
    } else if test.computed {
        Fate::Computed
    } else if heir.is_some_and(|heir| heir.checks_as_much) {
        Fate::Alike
    } else {
        Fate::Deleted
    }
}

/// Most shingles of a body that does nothing but call what it overrides.
const INHERITED: usize = 8;

/// Whether there is nothing in a test, or nothing but the call of the inherited one, which then runs in its place.
fn is_empty(test: &Test) -> bool {
    let inherits = |name: &String| name == "super" || *name == test.title;
    let most = if test.calls.is_empty() { 1 } else { INHERITED };
    test.assertions.is_empty() && test.shingles.len() <= most && test.calls.iter().all(inherits)
}

/// Whether three quarters of several checks stand elsewhere.
fn are_scattered(checks: &[Assertion], added: &BTreeSet<&str>) -> bool {
    let found = checks.iter().filter(|check| !check.vacuous && added.contains(check.text.as_str())).count();
    found > 2 && 4 * found >= 3 * checks.len()
}

/// Texts of checks that a changed file holds more often than before.
fn added_checks<'a>(stock: &'a Stock<'_>) -> BTreeSet<&'a str> {
    let mut counts: BTreeMap<&str, i64> = BTreeMap::new();
    for at in stock.all_after() {
        stock.after(at).assertions.iter().for_each(|check| *counts.entry(&check.text).or_default() += 1);
    }
    // A lost test's own checks don't count: what is left of them afterwards stands elsewhere.
    for (file, pair) in stock.pairs.iter().enumerate() {
        let stays: BTreeSet<_> = pair.after.tests.iter().map(|test| test.identity()).collect();
        for test in &stock.pairs[file].before.tests {
            if stays.contains(&test.identity()) {
                test.assertions.iter().for_each(|check| *counts.entry(&check.text).or_default() -= 1);
            }
        }
    }
    counts.into_iter().filter(|(_, count)| *count > 0).map(|(text, _)| text).collect()
}

/// Leaves out what may stand in a file that does not parse, and says that such a file could not be looked into.
fn without_hidden(stock: &Stock<'_>, lost: &[At], said: &mut Said) -> Vec<At> {
    let mut hidden: BTreeSet<(usize, usize)> = BTreeSet::new();
    let mut left = Vec::new();
    for at in lost {
        let test = stock.before(*at);
        let title = test.title.as_bytes();
        let holder = stock.pairs.iter().enumerate().find(|(_, pair)| {
            pair.after.broken.is_some()
                && !title.is_empty()
                && pair.text.as_ref().is_some_and(|text| stands_in(text, title))
        });
        match holder.and_then(|(file, pair)| Some((file, pair.after.broken?))) {
            Some(place) => _ = hidden.insert(place),
            None if stock.pairs[at.0].unread => {}
            None => left.push(*at),
        }
    }
    for (file, line) in hidden {
        let why = format!("does not parse at line {line}, so that its tests can't be told");
        said.gap(stock.pairs[file].file.path.lossy(), why);
    }
    left
}

/// Whether a name stands in a text as a word of its own.
fn stands_in(text: &[u8], name: &[u8]) -> bool {
    let part = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    memchr::memmem::find_iter(text, name)
        .any(|at| !part(at.checked_sub(1).and_then(|at| text.get(at))) && !part(text.get(at + name.len())))
}

/// One finding for the many files of a change that takes tests away wholesale.
fn report_all(change: &Change<'_>, stock: &Stock<'_>, files: &[(usize, usize)]) -> crate::diag::Diagnostic {
    let path = |file: usize| &stock.pairs[file].file.path;
    let count: usize = files.iter().map(|(_, tests)| tests).sum();
    let message = format!(
        "{} files lose {}. No test of their names or bodies stands anywhere else, and what they test is still there: a fault there goes \
         unseen once this is merged.",
        files.len(),
        number_of(count, "test")
    );
    let first = change.site(path(files[0].0));
    let mut found = finding(DELETED, Severity::Error, Confidence::Medium, Some("many"), message, first);
    let site = |(file, tests): &(usize, usize)| {
        let mut site = change.site(path(*file));
        site.note = Some(number_of(*tests, "test"));
        site
    };
    found.sites = files.iter().take(MOST_FILES).map(site).collect();
    found.seal();
    found
}

fn report(change: &Change<'_>, stock: &Stock<'_>, file: usize, fate: Fate, tests: &[Lost]) -> crate::diag::Diagnostic {
    let pair = &stock.pairs[file];
    let path = &pair.file.path;
    let names: Vec<String> = tests.iter().map(|(at, _)| stock.before(*at).qualified()).collect();
    let (count, names) = (number_of(names.len(), "test"), listed(names.iter().map(String::as_str)));
    let whole = pair.text.is_none() && tests.len() == pair.before.tests.len();
    let lost = match whole {
        true => format!("`{}` is deleted with its {count}: {names}.", path.lossy()),
        false => format!("`{}` loses {count}: {names}.", path.lossy()),
    };
    let subject = tests.iter().find_map(|(_, instead)| instead.clone()).unwrap_or_default();
    let (severity, confidence, key, why) = fate.told(&subject, pair.after.broken.is_some());
    finding(DELETED, severity, confidence, key, format!("{lost} {why}"), change.site(path))
}
