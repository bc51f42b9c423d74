//! What a change takes from the tests: whole ones, their running, or what they check.

mod commands;
mod conftest;
mod counted;
mod counts;
mod deleted;
#[cfg(test)]
mod elsewhere;
#[cfg(test)]
mod excused;
mod fading;
mod fate;
mod focused;
mod inherited;
#[cfg(test)]
mod judged;
mod matched;
mod matrix;
mod narrowed;
mod recipes;
#[cfg(test)]
mod removed;
mod replaced;
mod skipped;
mod snapshots;
mod stock;
mod subject;
mod twins;
mod weakened;

pub use counts::counts;

use super::{Code, CodeRule};
use crate::{
    diag::{Confidence, Diagnostic, RepoPath, Severity, Site},
    rule::change::{Change, Said},
    text::locate,
};

const DELETED: &str = "tests/deleted";
const SKIPPED: &str = "tests/skipped";
const FOCUSED: &str = "tests/focused";
const WEAKENED: &str = "tests/weakened";

/// What the rule says of itself.
pub const RULE: CodeRule = CodeRule {
    id: "tests",
    summary: "No test gets lost",
    why: "A test that a change could not make pass is easily deleted, skipped or emptied, and everything is green. What it \
          guarded breaks later, and nobody is told.",
    docs: None,
    codes: &[
        Code {
            code: DELETED,
            severity: Severity::Error,
            summary: "A test is not deleted while what it tests stands",
            details: "A test of the merge base that no test file holds once the change is merged. Tests that moved, were \
                      renamed, or became rows of one parametrised test are none. A note where what it tests is gone too, \
                      where it seems to be rewritten (a new test in its place, or with its words, that checks at least half as \
                      much), where its checks or its body stand in another test now, where nothing was in it but the call of \
                      the one that it overrides, or where it never ran; a warning where the new test checks less, where some \
                      of its checks stand nowhere, where only its calls or most of its body say that a new one is the same, \
                      where a test of its name and body stands in another changed file, where a class that others derive \
                      from defines it now, where code makes its title, where the code of the change loses what it names or \
                      quotes, or hardly does anything but get less, where the file that it is about gets shorter, where as \
                      many tests beside it go with what they test, or where the change says that it reverts another one. A file that does not parse and still has the name in it makes the report incomplete.",
            help: "Put the test back, or make it pass. If it is obsolete, remove what it tests in the same change, or let a \
                   person say so with an `[[allow]]` entry.",
        },
        Code {
            code: SKIPPED,
            severity: Severity::Error,
            summary: "A test that ran goes on running",
            details: "A skip without a condition on a test that ran before, by itself or by its class, block or file; a \
                      warning for collection settings of pytest that leave tests out. A new test that arrives skipped is a \
                      note. Guards with a condition (`skipif`, `testing.Short()`, a skip under an `if`) are none.",
            help: "Take the skip away and make the test pass, or give the skip the condition under which it holds.",
        },
        Code {
            code: FOCUSED,
            severity: Severity::Error,
            summary: "No test runs alone",
            details: "A test or block that is told to run alone: `.only`, `fit`, `fdescribe`, `focus: true`, `solo:`. The \
                      runner then leaves all other tests of the file, or of the run, out.",
            help: "Take the focus away before the change is merged.",
        },
        Code {
            code: WEAKENED,
            severity: Severity::Warning,
            summary: "A test checks as much as before",
            details: "A test that stays and checks less: two checks fewer, with none added elsewhere, or only checks that \
                      always hold; a snapshot that is removed while its test still asks for it; a command or threshold that \
                      lets failing or missing tests pass; a target of a makefile or a script of a `package.json` that leaves out \
                      test files that it ran, as far as its words say it to the last file. A leg that a workflow's matrix \
                      loses in a job that runs tests, with none in its place, and a matcher that accepts more are \
                      notes. What a program that is started elsewhere runs is not followed.",
            help: "Put the checks back, or say in the pull request why less is right.",
        },
    ],
};

/// Judges what a change does to tests. Levels are not applied.
pub fn judge(change: &Change<'_>) -> Said {
    let mut said = Said::default();
    let mut stock = stock::Stock::take(change, &mut said);
    let mut matched = matched::Matched::new(&stock);
    let seems_lost = !matched.lost.is_empty() || weakened::seems_less(&stock, &matched);
    if seems_lost && stock.complete(&mut said) {
        matched = matched::Matched::new(&stock);
    }
    deleted::judge(change, &stock, &matched, &mut said);
    skipped::judge(change, &stock, &matched, &mut said);
    conftest::judge(change, &mut said);
    focused::judge(change, &stock, &mut said);
    weakened::judge(change, &stock, &matched, &mut said);
    snapshots::judge(change, &mut said);
    commands::judge(change, &mut said);
    narrowed::judge(change, &mut said);
    matrix::judge(change, &mut said);
    said
}

/// A finding about one file. `key` tells several findings of one code in one file apart; none for the plain case.
fn finding(
    code: &'static str,
    severity: Severity,
    confidence: Confidence,
    key: Option<&str>,
    message: String,
    site: Site,
) -> Diagnostic {
    let mut made = Diagnostic::new(code, severity, message, vec![site]);
    made.confidence = confidence;
    made.namespace = Some(RULE.id.to_owned());
    made.key = key.map(str::to_owned);
    made.help = RULE.codes.iter().find(|one| one.code == code).map(|one| one.help.to_owned());
    made.seal();
    made
}

/// A site at some bytes of what the merge would hold.
fn site_at(change: &Change<'_>, path: &RepoPath, text: &[u8], span: std::ops::Range<usize>) -> Site {
    let mut site = change.site(path);
    let located = locate(text, span);
    site.position = Some(located.position);
    site.snippet = Some(located.snippet);
    site
}
