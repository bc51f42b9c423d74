use super::{Approvals, Label, Review, judge};
use crate::{
    diag::Severity,
    rule::change::{Said, testing::Made},
};

const LABEL: &str = "[[approval]]\ntier = \"destructive\"\npaths = [\"db/**\"]\nadded = ['(?i)\\bdrop\\s+table\\b']\n\
    needs = { label = \"ok:drop\" }\n";
const REVIEW: &str =
    "[[approval]]\ntier = \"exec\"\npaths = [\"ci/**\"]\nneeds = { review-from = [\"@org/ops\", \"@ada\"] }\n";

fn said(table: &str, before: &[(&str, &str)], after: &[(&str, &str)], approvals: Option<&Approvals>) -> Said {
    let made = Made::new(before, after).by(table);
    judge(&made.change(), approvals)
}

/// Path and line of each site.
fn sites(said: &Said) -> Vec<(String, Option<usize>)> {
    assert!(said.incomplete.is_empty(), "{:?}", said.incomplete);
    let all = said.findings.iter().flat_map(|found| &found.sites);
    all.map(|site| (site.path.lossy().into_owned(), site.position.map(|at| at.line))).collect()
}

fn drops(before: &[(&str, &str)], after: &[(&str, &str)]) -> Vec<(String, Option<usize>)> {
    sites(&said(LABEL, before, after, None))
}

#[test]
fn what_an_expression_finds_in_added_sql_needs_a_word() {
    let at = |line| vec![("db/a.sql".to_owned(), Some(line))];
    for (text, line) in [
        ("create table a();\nDROP TABLE b;\n", 2),
        ("select '-- x'; DROP /* now */ TABLE b;\n", 1),
        ("do $$ begin\n  drop\n  table b;\nend $$;\n", 2),
    ] {
        assert_eq!(drops(&[], &[("db/a.sql", text)]), at(line), "{text}");
    }
    assert_eq!(drops(&[("db/a.sql", "/*\ndrop table b;\n*/")], &[("db/a.sql", "drop table b;")]), at(1));
    assert_eq!(drops(&[("db/a.sql", "drop table a;")], &[("db/a.sql", "drop table a;\ndrop table b;")]), at(2));
}

#[test]
fn what_was_there_or_does_not_run_needs_none() {
    for text in ["create table a();\n-- we never drop table b here\n", "insert into a values ('drop table b');"] {
        assert_eq!(drops(&[], &[("db/a.sql", text)]), [], "{text}");
    }
    assert_eq!(drops(&[], &[("src/a.sql", "drop table b;")]), []);
    assert_eq!(drops(&[("db/a.sql", "drop table b;")], &[("db/a.sql", "drop table b;\nselect 1;")]), []);
    assert_eq!(drops(&[("db/a.sql", "drop table b;")], &[]), []);
    assert_eq!(drops(&[("db/a.sql", "drop table b;")], &[("db/b.sql", "drop table b;")]), []);
}

#[test]
fn what_moves_in_from_elsewhere_is_new() {
    let moved = drops(&[("draft/a.sql", "drop table b;")], &[("db/a.sql", "drop table b;")]);
    assert_eq!(moved, [("db/a.sql".to_owned(), Some(1))]);
}

#[test]
fn other_files_are_read_line_by_line() {
    let python = ("db/a.py", "x = 1\nop.execute('DROP TABLE b')\n");
    assert_eq!(drops(&[], &[python]), [("db/a.py".to_owned(), Some(2))]);
    assert_eq!(
        drops(&[("db/a.py", "op.execute('DROP TABLE b')\n")], &[("db/a.py", "op.execute('DROP TABLE b')\nx = 1\n")]),
        []
    );
    assert_eq!(drops(&[], &[("db/a.py", "drop\ntable\n")]), []);
}

#[test]
fn what_is_no_text_is_incomplete() {
    let gaps = |before: &[(&str, &str)], after: &[(&str, &str)]| {
        let said = said(LABEL, before, after, None);
        assert!(said.findings.is_empty());
        said.incomplete.iter().map(|gap| gap.what.clone()).collect::<Vec<_>>()
    };
    // UTF-16, as some editors write it
    let wide = "d\0r\0o\0p\0 \0t\0a\0b\0l\0e\0";
    for path in ["db/a.sql", "db/a.ps1", "db/a"] {
        assert_eq!(gaps(&[], &[(path, wide)]), [path]);
        assert_eq!(gaps(&[(path, "text")], &[(path, wide)]), [path]);
    }
    assert_eq!(gaps(&[("draft/a", wide)], &[("db/a", wide)]), ["db/a"]);
    // nothing is added to it
    assert_eq!(gaps(&[("db/a", wide)], &[("db/b", wide)]), [""; 0]);
    assert_eq!(gaps(&[], &[("img/a.png", "\0")]), [""; 0]);
    // what was binary and is text now is new as a whole
    assert_eq!(drops(&[("db/a.ps1", wide)], &[("db/a.ps1", "drop table b")]), [("db/a.ps1".to_owned(), Some(1))]);
}

#[test]
fn a_byte_of_another_encoding_hides_nothing() {
    let table = "[[approval]]\ntier = \"x\"\nadded = ['drop.*table']\nneeds = { label = \"ok\" }\n";
    for path in ["a.sql", "a.py"] {
        let made = Made::of_bytes(&[], &[(path, b"drop /* \xE9 */ table b;")]).by(table);
        assert_eq!(sites(&judge(&made.change(), None)), [(path.to_owned(), Some(1))]);
    }
}

#[test]
fn a_table_of_paths_alone_means_every_touch() {
    let before = [("ci/a", "1"), ("ci/b", "1"), ("x", "1")];
    let touched = said(REVIEW, &before, &[("ci/a", "2"), ("ci/c", "1"), ("x", "2")], None);
    assert_eq!(sites(&touched).iter().map(|(path, _)| path.as_str()).collect::<Vec<_>>(), ["ci/a", "ci/b", "ci/c"]);
    assert_eq!(touched.findings.len(), 1);
    assert_eq!(sites(&said(REVIEW, &before, &[("ci/a", "1"), ("ci/b", "1")], None)), []);
}

#[test]
fn the_message_names_the_tier_and_what_would_do() {
    let said = said(LABEL, &[], &[("db/a.sql", "drop table b;")], None);
    let found = &said.findings[0];
    assert!(
        ["`destructive`", "`drop table`", "`ok:drop`"].iter().all(|word| found.message.contains(word)),
        "{}",
        found.message
    );
    assert!(found.help.as_deref().is_some_and(|help| help.contains("`ok:drop`")));
    assert_eq!(found.severity, Severity::Error);
}

/// What is said of a dropped table where this label is set.
fn with_label(by: Option<&str>, is_bot: bool, time: Option<i64>) -> Option<Severity> {
    let label = Label { name: "OK:drop".into(), by: by.map(str::to_owned), is_bot, time };
    let approvals = Approvals { author: "bob".into(), pushed: Some(100), labels: vec![label], reviews: vec![] };
    let said = said(LABEL, &[], &[("db/a.sql", "drop table b;")], Some(&approvals));
    said.findings.first().map(|found| found.severity)
}

#[test]
fn a_label_counts_from_another_person_after_the_last_push() {
    assert_eq!(with_label(Some("ada"), false, Some(101)), None);
    assert_eq!(with_label(Some("ada"), false, Some(100)), Some(Severity::Error));
    assert_eq!(with_label(Some("BOB"), false, Some(101)), Some(Severity::Error));
    assert_eq!(with_label(Some("ci"), true, Some(101)), Some(Severity::Error));
    assert_eq!(with_label(None, false, None), Some(Severity::Note));
    assert_eq!(with_label(Some("ada"), false, None), Some(Severity::Note));
    let none = Approvals { author: "bob".into(), ..Approvals::default() };
    assert_eq!(said(LABEL, &[], &[("db/a.sql", "drop table b;")], Some(&none)).findings.len(), 1);
}

#[test]
fn a_review_counts_from_those_who_are_asked_and_of_the_last_push() {
    let reviewed = |by: &str, team: &str, approves: bool, is_of_last_push: bool| {
        let review = Review { by: by.into(), is_bot: false, teams: vec![team.into()], approves, is_of_last_push };
        let approvals = Approvals { author: "bob".into(), reviews: vec![review], ..Approvals::default() };
        said(REVIEW, &[], &[("ci/a", "1")], Some(&approvals)).findings.is_empty()
    };
    assert!(reviewed("Ada", "org/web", true, true) && reviewed("eve", "org/ops", true, true));
    assert!(
        !reviewed("eve", "org/web", true, true)
            && !reviewed("ada", "", false, true)
            && !reviewed("ada", "", true, false)
    );
    assert!(!reviewed("bob", "org/ops", true, true));
}
