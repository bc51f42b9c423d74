//! `tests/weakened`: tests that stay and check less.

use std::{cell::OnceCell, collections::BTreeMap, sync::LazyLock};

use regex::bytes::Regex;

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

/// A strict check, and what it becomes when it is loosened.
struct Loosening {
    /// What stands in every loose one, in small letters: one of these. Most checks have none, and no regex is compiled for them.
    words: &'static [&'static str],
    strict: Pattern,
    loose: Pattern,
}

/// A regex over the tokens of a check. Its group is what is checked.
type Pattern = LazyLock<Regex>;

macro_rules! pattern {
    ($written:literal) => {
        LazyLock::new(|| Regex::new(concat!("(?-u)", $written)).expect("a pattern of ours"))
    };
}

/// All of them. What is checked must be one.
static LOOSENED: [Loosening; 4] = [
    Loosening {
        words: &["tobedefined", "tobetruthy", "tobefalsy", "not . tobe"],
        strict: pattern!(r"^(expect \( .*? \)) \. (?:toBe|toEqual|toStrictEqual|toMatchObject) \("),
        loose: pattern!(
            r"^(expect \( .*? \)) \. (?:toBeDefined|toBeTruthy|toBeFalsy|not \. toBe(?:Null|Undefined)) \("
        ),
    },
    Loosening {
        words: &["true", "none", "null"],
        strict: pattern!(r"(?i)assert_?equals? \( (.+?) ,"),
        loose: pattern!(r"(?i)assert_?(?:true|is_?not_?none|not_?null) \( (.+?) (?:\)|,|==|!=|>|<)"),
    },
    Loosening {
        words: &["assert "],
        strict: pattern!(r"^assert (.+?) =="),
        loose: pattern!(r"^assert (.+?)(?: is not None)?$"),
    },
    Loosening {
        words: &["exception"],
        strict: pattern!(r"^((?:pytest|self) \. (?:raises|assertRaises) \( )(?:\w+ \. )*\w+"),
        loose: pattern!(r"^((?:pytest|self) \. (?:raises|assertRaises) \( )(?:Base)?Exception(?: |$)"),
    },
];

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
    let added = OnceCell::new();
    let none_added = || *added.get_or_init(|| added_elsewhere(stock, matched, &changed)) == 0;
    for one in &changed {
        let (before, after) = (real(one.before), real(one.after));
        let name = one.after.qualified();
        let path = stock.pairs[one.at.0].file.path.lossy();
        if before > 0 && after == 0 && !one.after.assertions.is_empty() {
            let message =
                format!("All that `{name}` in `{path}` still checks always holds: it passes whatever the code does.");
            say(change, stock, one, Severity::Warning, Confidence::High, message, said);
        } else if before > after + TOLERATED && none_added() {
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

/// Whether a test checks so much less that it matters what the change adds elsewhere.
pub(super) fn seems_less(stock: &Stock<'_>, matched: &Matched) -> bool {
    matched.kept.iter().any(|(from, to)| real(stock.before(*from)) > real(stock.after(*to)) + TOLERATED)
}

/// How many of its checks can fail.
fn real(test: &Test) -> usize {
    test.assertions.iter().filter(|check| !check.vacuous).count()
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
    let gained: Vec<(&str, String)> =
        one.gained.iter().map(|check| (check.text.as_str(), check.text.to_ascii_lowercase())).collect();
    for lost in &one.lost {
        for (text, small) in &gained {
            let told = |pair: &&Loosening| pair.words.iter().any(|word| small.contains(word));
            if LOOSENED.iter().filter(told).any(|pair| pair.is(&lost.text, text)) {
                return Some((&lost.text, text));
            }
        }
    }
    None
}

impl Loosening {
    fn is(&self, lost: &str, gained: &str) -> bool {
        let before = checked(&self.strict, lost);
        before.is_some() && before == checked(&self.loose, gained) && checked(&self.loose, lost) != before
    }
}

/// What a check is about, if it is of this form.
fn checked<'a>(pattern: &Regex, check: &'a str) -> Option<&'a [u8]> {
    Some(pattern.captures(check.as_bytes())?.get(1)?.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_looser(lost: &str, gained: &str) -> bool {
        let check = |text: &str| Assertion { text: text.to_owned(), vacuous: false };
        let (lost, gained) = (check(lost), check(gained));
        let test = crate::claim::tests::inventory(b"test_a.py", b"def test_a():\n    assert a\n");
        let test = test.and_then(Result::ok).expect("a test file").tests.remove(0);
        let one = Difference { at: (0, 0), before: &test, after: &test, lost: vec![&lost], gained: vec![&gained] };
        loosened(&one).is_some()
    }

    #[test]
    fn checks_that_accept_more() {
        let strict = "expect ( sum ( 1 ) ) . toBe ( 1 )";
        for (lost, gained) in [
            (strict, "expect ( sum ( 1 ) ) . toBeDefined ( )"),
            (strict, "expect ( sum ( 1 ) ) . toBeTruthy ( )"),
            (strict, "expect ( sum ( 1 ) ) . not . toBeNull ( )"),
            ("assertEquals ( a , 1 )", "assertTrue ( a )"),
            ("self . assertEqual ( a , 1 )", "self . assertIsNotNone ( a )"),
            ("assert_equal ( a , 1 )", "assert_not_null ( a )"),
            ("assert a . b == 1", "assert a . b"),
            ("assert a == 1", "assert a is not None"),
            ("pytest . raises ( ValueError )", "pytest . raises ( Exception )"),
            ("self . assertRaises ( x . ValueError , f )", "self . assertRaises ( BaseException , f )"),
        ] {
            assert!(is_looser(lost, gained), "{lost} to {gained}");
            assert!(!is_looser(gained, lost), "{gained} to {lost}");
        }
    }

    #[test]
    fn checks_of_something_else_or_as_strict_are_none() {
        for (lost, gained) in [
            ("expect ( a ) . toBe ( 1 )", "expect ( b ) . toBeDefined ( )"),
            ("expect ( a ) . toBe ( 1 )", "expect ( a ) . toBe ( 2 )"),
            ("assertEquals ( a , 1 )", "assertTrue ( b )"),
            ("assert a == 1", "assert a == 2"),
            ("assert a == 1", "assert b"),
            ("pytest . raises ( ValueError )", "pytest . raises ( ExceptionGroup )"),
            ("pytest . raises ( ValueError )", "pytest . raises ( TypeError )"),
        ] {
            assert!(!is_looser(lost, gained), "{lost} to {gained}");
        }
    }
}
