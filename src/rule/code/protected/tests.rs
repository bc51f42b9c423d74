use super::{EMPTIED, REMOVED, REWRITTEN, judge};
use crate::rule::change::testing::Made;

const TABLES: &str = "[[protected]]\npaths = [\"log.md\"]\nappend-only = true\n\
    [[protected]]\npaths = [\"ci/**\"]\nnot-empty = true\n\
    [[protected]]\npaths = [\"keep\"]\nnot-deleted = true\n";

/// Code and line of each finding.
fn found(made: Made) -> Vec<(String, Option<usize>)> {
    let made = made.by(TABLES);
    let said = judge(&made.change());
    assert!(said.incomplete.is_empty());
    let line = |found: &crate::diag::Diagnostic| found.sites[0].position.map(|at| at.line);
    said.findings.iter().map(|found| (found.code.clone(), line(found))).collect()
}

fn one(code: &str, line: Option<usize>) -> Vec<(String, Option<usize>)> {
    vec![(code.to_owned(), line)]
}

#[test]
fn an_append_only_file_may_grow_at_its_end() {
    let before = [("log.md", "one\ntwo\n")];
    for after in ["one\ntwo\nthree\n", "one\r\ntwo\r\nthree\r\n", "one\ntwo"] {
        assert_eq!(found(Made::new(&before, &[("log.md", after)])), [], "{after:?}");
    }
    assert_eq!(found(Made::new(&[("log.md", "one\ntwo")], &[("log.md", "one\ntwo\nthree\n")])), []);
    assert_eq!(found(Made::new(&[("log.md", "")], &[("log.md", "one\n")])), []);
    assert_eq!(found(Made::new(&[], &[("log.md", "one\n")])), []);
}

#[test]
fn an_append_only_file_keeps_what_it_holds() {
    let before = [("log.md", "one\ntwo\n")];
    for (after, line) in [
        ("one\n2\nthree\n", Some(2)),
        ("zero\none\ntwo\n", Some(1)),
        ("one\ntwothree\n", Some(2)),
        ("one\n", Some(1)),
        ("", None),
    ] {
        assert_eq!(found(Made::new(&before, &[("log.md", after)])), one(REWRITTEN, line), "{after:?}");
    }
    assert_eq!(found(Made::new(&[("log.md", "one\ntwo")], &[("log.md", "one\ntwothree\n")])), one(REWRITTEN, Some(2)));
    assert_eq!(found(Made::new(&before, &[])), one(REMOVED, None));
    assert_eq!(found(Made::new(&before, &[("old/log.md", "one\ntwo\n")])), one(REMOVED, None));
}

#[test]
fn what_the_trunk_did_is_not_the_changes_doing() {
    let before = "one\ntwo\n3\n4\n5\n";
    let made =
        |trunk: &str, after: &str| Made::with_trunk(&[("log.md", before)], &[("log.md", trunk)], &[("log.md", after)]);
    // both append, which git leaves to a person
    assert_eq!(found(made("one\ntwo\n3\n4\n5\nx\n", "one\ntwo\n3\n4\n5\ny\n")), []);
    // the trunk edits where the change does not
    assert_eq!(found(made("1\ntwo\n3\n4\n5\n", "one\ntwo\n3\n4\n5\ny\n")), []);
    // and the change edits where the trunk does not
    assert_eq!(found(made("1\ntwo\n3\n4\n5\n", "one\ntwo\n3\n4\nV\n")), one(REWRITTEN, Some(5)));
    let gone = Made::with_trunk(&[("log.md", before)], &[], &[]);
    assert_eq!(found(gone), []);
    // an old copy put in place of what the trunk has by now
    assert_eq!(found(made("one\ntwo\n3\n4\n5\nx\n", "one\n")), one(REWRITTEN, Some(1)));
}

#[test]
fn a_file_that_is_not_to_be_emptied_may_be_removed() {
    let before = [("ci/a.yml", "name: ci\n")];
    assert_eq!(found(Made::new(&before, &[("ci/a.yml", "")])), one(EMPTIED, None));
    assert_eq!(found(Made::new(&before, &[("ci/a.yml", " \n\t\n")])), one(EMPTIED, None));
    assert_eq!(found(Made::new(&before, &[])), []);
    assert_eq!(found(Made::new(&before, &[("ci/a.yml", "x")])), []);
    assert_eq!(found(Made::new(&[("ci/a.yml", "\n")], &[("ci/a.yml", "")])), []);
}

#[test]
fn a_file_that_is_to_stay_may_change() {
    assert_eq!(found(Made::new(&[("keep", "x")], &[("keep", "")])), []);
    assert_eq!(found(Made::new(&[("keep", "x")], &[("kept", "x")])), one(REMOVED, None));
    assert_eq!(found(Made::new(&[("keep", "x")], &[("keep/x", "y")])), one(REMOVED, None));
}

#[test]
fn a_link_in_place_of_a_file_is_a_removal() {
    let linked = |path: &str| Made::new(&[(path, "x\n")], &[(path, "../elsewhere")]).linking(path);
    assert_eq!(found(linked("keep")), one(REMOVED, None));
    assert_eq!(found(linked("log.md")), one(REMOVED, None));
    assert_eq!(found(linked("other")), []);
}

#[test]
fn a_message_says_what_is_lost_and_how_to_get_it_back() {
    let made = Made::new(&[("log.md", "one\ntwo\n")], &[("old.md", "one\ntwo\n")]).by(TABLES);
    let said = judge(&made.change());
    assert!(said.findings[0].message.contains("moves it to `old.md`"), "{}", said.findings[0].message);
    assert!(said.findings[0].help.as_deref().is_some_and(|help| help.contains("`git checkout main -- log.md`")));
    let made = Made::new(&[("log.md", "one\ntwo\n")], &[("log.md", "one\n2\n")]).by(TABLES);
    let said = judge(&made.change());
    assert!(said.findings[0].message.contains("line 2") && said.findings[0].message.contains("`two`"));
}
