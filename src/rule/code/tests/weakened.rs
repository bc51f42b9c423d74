//! `tests/weakened`: tests that stay and check less.

use std::{collections::BTreeMap, sync::LazyLock};

use regex::Regex;

use super::{
    WEAKENED, finding,
    matched::Matched,
    site_at,
    stock::{At, Stock},
};
use crate::{
    claim::tests::{Assertion, Test},
    diag::{Confidence, Severity},
    rule::change::{Change, Said},
    text::count::number_of,
};

/// How many checks a test may lose: one less is what every cleaning up does.
const TOLERATED: usize = 1;

/// A strict check and what it becomes when it is loosened. Both name what is checked in their group; it must be one.
static LOOSENED: LazyLock<Vec<[Regex; 2]>> = LazyLock::new(|| {
    let pairs = [
        (
            r"^(expect \( .*? \)) \. (?:toBe|toEqual|toStrictEqual|toMatchObject) \(",
            r"^(expect \( .*? \)) \. (?:toBeDefined|toBeTruthy|toBeFalsy|not \. toBe(?:Null|Undefined)) \(",
        ),
        (
            r"(?i)assert_?equals? \( (.+?) ,",
            r"(?i)assert_?(?:true|is_?not_?none|not_?null) \( (.+?) (?:\)|,|==|!=|>|<)",
        ),
        (r"^assert (.+?) ==", r"^assert (.+?)(?: is not None)?$"),
        (
            r"^((?:pytest|self) \. (?:raises|assertRaises) \( )(?:\w+ \. )*\w+",
            r"^((?:pytest|self) \. (?:raises|assertRaises) \( )(?:Base)?Exception\b",
        ),
    ];
    let regex = |pattern: &str| Regex::new(pattern).expect("a pattern of ours");
    pairs.iter().map(|(strict, loose)| [regex(strict), regex(loose)]).collect()
});

/// What one test checked and no longer checks, and the other way round.
struct Difference<'a> {
    at: At,
    before: &'a Test,
    after: &'a Test,
    lost: Vec<&'a Assertion>,
    gained: Vec<&'a Assertion>,
}

pub(super) fn judge(change: &Change<'_>, stock: &Stock<'_>, matched: &Matched, said: &mut Said) {
    let pairs = matched.kept.iter().map(|(from, to)| difference(stock, *from, *to));
    let changed: Vec<Difference<'_>> = pairs.filter(|one| !(one.lost.is_empty() && one.gained.is_empty())).collect();
    if changed.iter().all(|one| one.lost.is_empty()) {
        return;
    }
    let added = added_elsewhere(stock, matched, &changed);
    for one in &changed {
        let real = |test: &Test| test.assertions.iter().filter(|check| !check.vacuous).count();
        let (before, after) = (real(one.before), real(one.after));
        let name = one.after.qualified();
        let path = stock.pairs[one.at.0].file.path.lossy();
        if before > 0 && after == 0 && !one.after.assertions.is_empty() {
            let message =
                format!("All that `{name}` in `{path}` still checks always holds: it passes whatever the code does.");
            say(change, stock, one, Severity::Warning, Confidence::High, message, said);
        } else if before > after + TOLERATED && added == 0 {
            let message = format!(
                "`{name}` in `{path}` has {} of {before} left, and the change adds none elsewhere: what it guarded can break unseen.",
                number_of(after, "check")
            );
            say(change, stock, one, Severity::Warning, Confidence::Medium, message, said);
        } else if let Some((strict, loose)) = loosened(one) {
            let message =
                format!("`{name}` in `{path}` checks `{loose}` where it checked `{strict}`: more passes than before.");
            say(change, stock, one, Severity::Note, Confidence::Medium, message, said);
        }
    }
}

fn say(
    change: &Change<'_>,
    stock: &Stock<'_>,
    one: &Difference<'_>,
    severity: Severity,
    sure: Confidence,
    message: String,
    said: &mut Said,
) {
    let pair = &stock.pairs[one.at.0];
    let text = pair.text.as_deref().unwrap_or_default();
    let site = site_at(change, &pair.file.path, text, one.after.name.clone());
    said.findings.push(finding(WEAKENED, severity, sure, Some(&one.after.qualified()), message, site));
}

fn difference<'a>(stock: &'a Stock<'_>, from: At, to: At) -> Difference<'a> {
    let (before, after) = (stock.before(from), stock.after(to));
    let (lost, gained) =
        (missing(&before.assertions, &after.assertions), missing(&after.assertions, &before.assertions));
    Difference { at: to, before, after, lost, gained }
}

/// What of one list the other does not hold as often.
fn missing<'a>(of: &'a [Assertion], other: &[Assertion]) -> Vec<&'a Assertion> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    other.iter().for_each(|check| *counts.entry(&check.text).or_default() += 1);
    let mut missing = Vec::new();
    for check in of {
        match counts.get_mut(check.text.as_str()) {
            Some(count) if *count > 0 => *count -= 1,
            _ => missing.push(check),
        }
    }
    missing
}

/// Checks that the change adds: in new tests, in helpers, and in tests that lose none.
fn added_elsewhere(stock: &Stock<'_>, matched: &Matched, changed: &[Difference<'_>]) -> usize {
    let real = |checks: &[&Assertion]| checks.iter().filter(|check| !check.vacuous).count();
    let grown: usize = changed.iter().filter(|one| one.lost.is_empty()).map(|one| real(&one.gained)).sum();
    let new = stock.all_after().filter(|at| !matched.origin.contains_key(at));
    let new: usize = new.map(|at| stock.after(at).assertions.iter().filter(|check| !check.vacuous).count()).sum();
    let helpers: usize = stock.pairs.iter().map(|pair| real(&missing(&pair.after.helpers, &pair.before.helpers))).sum();
    grown + new + helpers
}

/// The first check that gave way to one that accepts more.
fn loosened<'a>(one: &Difference<'a>) -> Option<(&'a str, &'a str)> {
    for lost in &one.lost {
        for gained in &one.gained {
            let looser = LOOSENED.iter().any(|[strict, loose]| {
                let what =
                    |pattern: &Regex, text: &str| pattern.captures(text)?.get(1).map(|what| what.as_str().to_owned());
                let before = what(strict, &lost.text);
                before.is_some() && before == what(loose, &gained.text) && what(loose, &lost.text) != before
            });
            if looser {
                return Some((&lost.text, &gained.text));
            }
        }
    }
    None
}
