//! `tests/skipped`: tests that no longer run.

use super::{
    SKIPPED, finding,
    matched::Matched,
    site_at,
    stock::{At, Stock},
};
use crate::{
    claim::tests::Skip,
    diag::{Confidence, Severity},
    rule::{
        change::{Change, Said},
        listed::listed,
    },
    text::count::number_of,
};

pub(super) fn judge(change: &Change<'_>, stock: &Stock<'_>, matched: &Matched, said: &mut Said) {
    for file in 0..stock.pairs.len() {
        let (ran, new) = of_file(stock, matched, file);
        let left = "It ran before, and nothing says when it will again: what it guards can break unseen.";
        say(change, stock, &ran, Severity::Error, None, left, said);
        say(change, stock, &new, Severity::Note, Some("new"), "It is new and has never run.", said);
    }
}

/// The tests of one file that ran before and are skipped now, and those that are new and skipped.
pub(super) fn of_file(stock: &Stock<'_>, matched: &Matched, file: usize) -> (Vec<At>, Vec<At>) {
    let (mut ran, mut new) = (Vec::new(), Vec::new());
    for at in (0..stock.pairs[file].after.tests.len()).map(|test| (file, test)) {
        let test = stock.after(at);
        if test.skip != Skip::Unconditional {
            continue;
        }
        match matched.origin.get(&at).map(|from| stock.before(*from)) {
            Some(before) if before.skip != Skip::Unconditional => ran.push(at),
            None if !test.shingles.is_empty() => new.push(at), // one without a body is only planned
            _ => {}
        }
    }
    (ran, new)
}

fn say(
    change: &Change<'_>,
    stock: &Stock<'_>,
    tests: &[At],
    severity: Severity,
    key: Option<&str>,
    why: &str,
    said: &mut Said,
) {
    let Some(&(file, _)) = tests.first() else { return };
    let pair = &stock.pairs[file];
    let path = &pair.file.path;
    let names: Vec<String> = tests.iter().map(|at| stock.after(*at).qualified()).collect();
    let names = listed(names.iter().map(String::as_str));
    let message =
        format!("`{}` skips {} without a condition: {names}. {why}", path.lossy(), number_of(tests.len(), "test"));
    let text = pair.text.as_deref().unwrap_or_default();
    let site = site_at(change, path, text, stock.after(tests[0]).name.clone());
    said.findings.push(finding(SKIPPED, severity, Confidence::High, key, message, site));
}
