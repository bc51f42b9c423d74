use super::*;
use crate::rule::change::testing::Made;

mod config;
mod owners;
mod runs;

const LOOSE: Option<Severity> = Some(Severity::Error);
const UNCLEAR: Option<Severity> = Some(Severity::Warning);
const TIGHT: Option<Severity> = Some(Severity::Note);

/// What is said of a change.
fn judged(made: &Made) -> Vec<(Severity, String)> {
    let said = judge(&made.change());
    assert!(said.incomplete.is_empty(), "{said:?}");
    said.findings.into_iter().map(|found| (found.severity, found.message)).collect()
}

/// What is said of a change from some files to others, each with its path.
fn between(old: &[(&str, &str)], new: &[(&str, &str)]) -> Vec<(Severity, String)> {
    judged(&Made::new(old, new))
}

/// What is said of a change of one file.
fn said(path: &str, old: Option<&str>, new: Option<&str>) -> Vec<(Severity, String)> {
    let files = |text: Option<&'static str>| text.map(|text| vec![(path.to_owned(), text)]).unwrap_or_default();
    let leak = |text: Option<&str>| text.map(|text| &*text.to_owned().leak());
    let (old, new) = (files(leak(old)), files(leak(new)));
    fn borrowed<'a>(files: &'a [(String, &'static str)]) -> Vec<(&'a str, &'a str)> {
        files.iter().map(|(path, text)| (path.as_str(), *text)).collect()
    }
    between(&borrowed(&old), &borrowed(&new))
}

fn verdict(path: &str, old: &str, new: &str) -> Option<Severity> {
    said(path, Some(old), Some(new)).first().map(|(severity, _)| *severity)
}

const RULE_FILE: &str = "schema = 1\nid = 'x'\nsummary = 's'\nseverity = 'error'\n[[claim]]\npath = 'a/(?<key>[0-9]+)'\ncompare = 'text'\norder = 'text'\n[policy]\nunique = true\n";

#[test]
fn rule_files_are_parts_of_the_gate() {
    let of = |old: Option<&str>, new: Option<&str>| said(".gatekeep/rules/x.toml", old, new).remove(0).0;
    assert_eq!(of(None, Some(RULE_FILE)), Severity::Note);
    assert_eq!(of(Some(RULE_FILE), None), Severity::Error);
    assert_eq!(of(Some(RULE_FILE), Some(&RULE_FILE.replace("a/", "b/"))), Severity::Warning);
    assert_eq!(of(Some(RULE_FILE), Some(&RULE_FILE.replace("'error'", "'note'"))), Severity::Error);
    assert_eq!(of(Some(RULE_FILE), Some("id = ")), Severity::Error);
    assert_eq!(said(".gatekeep/rules/README.md", None, Some("# rules\n")), [], "no rule is read from it");
    let moved = between(&[(".gatekeep/rules/x.toml", RULE_FILE)], &[(".gatekeep/rules/y.toml", RULE_FILE)]);
    assert_eq!(moved, [], "another name is the same rule");
    let away = between(&[(".gatekeep/rules/x.toml", RULE_FILE)], &[("old/x.toml", RULE_FILE)]);
    assert_eq!(away[0].0, Severity::Error);
}

#[test]
fn a_baseline_lists_what_nobody_sees() {
    let baseline = |entries: &[&str]| {
        let entry =
            |n: &&str| format!("{{\"code\":\"goose/duplicate\",\"fingerprint\":\"{}\",\"paths\":[]}}", n.repeat(32));
        format!("{{\"schema\":1,\"findings\":[{}]}}", entries.iter().map(entry).collect::<Vec<_>>().join(","))
    };
    let of = |old: &[&str], new: &[&str]| verdict(".gatekeep/baseline.json", &baseline(old), &baseline(new));
    assert_eq!(of(&["a"], &["a", "b"]), LOOSE);
    assert_eq!(of(&["a", "b"], &["a"]), TIGHT);
    assert_eq!(of(&["a", "b"], &["b", "a"]), None);
}

#[test]
fn a_policy_that_can_not_be_used_is_told_once() {
    let files = |config| [("gatekeep.toml", config), (".gatekeep/rules/x.toml", RULE_FILE), ("a", config)];
    let mut made = Made::new(&files("base = 'a'\n")[..1], &files("base = 'b'\n"));
    made.unusable = Some("another rule has the id `goose`".into());
    let found = judged(&made);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].0, Severity::Error);
    assert!(found[0].1.contains("no policy can be read: another rule has the id `goose`"), "{}", found[0].1);
    let mut elsewhere = Made::new(&[("a", "1")], &[("a", "2")]);
    elsewhere.unusable = Some("x".into());
    assert_eq!(judged(&elsewhere), [], "a change that leaves the policy alone is not to blame");
}

#[test]
fn an_allowance_in_a_comment_is_listed_and_an_old_one_is_not() {
    let allowed = "-- gatekeep: allow goose/duplicate -- applied by hand\nselect 1;\n";
    let found = said("db/1.sql", Some("select 1;\n"), Some(allowed));
    assert_eq!(found[0].0, Severity::Error);
    assert!(found[0].1.contains("`goose/duplicate` (applied by hand)"), "{found:?}");
    assert_eq!(said("db/1.sql", Some(allowed), Some(&format!("{allowed}select 2;\n"))), []);
    assert_eq!(
        said("db/1.sql", None, Some("-- gatekeep: allow goose/duplicate\n")),
        [],
        "without a reason it counts never"
    );
    assert_eq!(said("docs/use.md", None, Some(allowed))[0].0, Severity::Warning, "an ADR takes a name too");
}

#[test]
fn an_allowance_moves_with_its_file() {
    let allowed = "-- gatekeep: allow goose/duplicate -- applied by hand\nselect 1;\n";
    assert_eq!(between(&[("db/1.sql", allowed)], &[("sql/1.sql", allowed)]), []);
    let copied = between(&[("db/1.sql", allowed)], &[("db/1.sql", allowed), ("db/2.sql", allowed)]);
    assert_eq!(copied.len(), 1, "a copy is another file that is allowed something: {copied:?}");
    assert_eq!(copied[0].0, Severity::Error);
}

#[test]
fn attributes_leave_files_out() {
    let of = |old: &str, new: &str| verdict("db/.gitattributes", old, new);
    assert_eq!(of("", "*.sql linguist-vendored\n"), UNCLEAR);
    assert_eq!(of("*.png binary\n", "*.png binary\n*.sql text linguist-generated=true\n"), UNCLEAR);
    assert_eq!(of("*.sql linguist-generated\nkeep.sql -linguist-generated\n", "*.sql linguist-generated\n"), UNCLEAR);
    let (one, other) = ("*.sql linguist-generated\n", "x.sql linguist-generated=false\n");
    assert_eq!(of(&format!("{one}{other}"), &format!("{other}{one}")), UNCLEAR, "the last line counts");
    assert_eq!(of(one, ""), TIGHT);
    assert_eq!(of(one, &format!("{one}{other}")), TIGHT);
    assert_eq!(of("* text=auto\n", "* text=auto eol=lf\n# *.sql linguist-vendored\n"), None);
    assert_eq!(verdict("gitattributes", "", "*.sql linguist-vendored\n"), None);
    assert_eq!(said(".gitattributes", None, Some(one))[0].0, Severity::Warning);
}

#[test]
fn a_schema_judges_the_documents_of_the_next_change() {
    let by = "[[document]]\npaths = ['docs/*.json']\nschema = 'docs/s.schema.json'\n";
    let of = |old: &[(&str, &str)], new: &[(&str, &str)]| {
        judged(&Made::new(old, new).by(by)).first().map(|(severity, _)| *severity)
    };
    let schema = |text| [("docs/s.schema.json", text)];
    assert_eq!(of(&schema("{}"), &schema("true")), UNCLEAR);
    assert_eq!(of(&schema("{}"), &[]), LOOSE);
    assert_eq!(of(&[], &schema("{}")), TIGHT);
    assert_eq!(of(&[("docs/t.schema.json", "{}")], &[]), None);
}
