//! What GitHub and the standard ask for.

#![expect(clippy::unwrap_used, reason = "tests")]

use serde_json::{Value, json};

use super::*;
use crate::{
    diag::{Holder, HolderKind},
    report::{Incomplete, Skipped},
};

fn report(findings: Vec<Diagnostic>, gaps: usize) -> Report {
    Report {
        incomplete: (0..gaps).map(|n| Incomplete { what: format!("gap {n}"), why: "why".into() }).collect(),
        skipped: vec![Skipped { what: "old branches".into(), count: Some(3) }],
        findings,
        files: 3,
        holders: 1,
        ..Report::empty()
    }
}

fn run(report: &Report, allow: bool, limit: usize) -> Value {
    serde_json::to_value(log(report, allow, limit)).unwrap()["runs"][0].take()
}

fn head(path: &str) -> Site {
    Site::path(path.into(), Holder::head(None))
}

fn found(code: &str, severity: Severity) -> Diagnostic {
    Diagnostic::new(code, severity, "m", vec![head("a.sql")])
}

#[test]
fn a_path_is_a_relative_reference() {
    let shown = |path: &[u8]| uri(&RepoPath::new(path));
    assert_eq!(shown(b"a b/%0A#?.sql"), "a%20b/%250A%23%3F.sql");
    assert_eq!(shown(b"c:/x\\y"), "c%3A/x%5Cy");
    assert_eq!(shown(b"caf\xe9/\xc3\xa9~-_."), "caf%E9/%C3%A9~-_.");
}

#[test]
fn other_places_are_links_where_a_reader_has_the_file() {
    let branch = Holder { kind: HolderKind::Branch, name: "agent/[x](1)".into(), commit: None };
    let mut sites = vec![Site::path("theirs.sql".into(), branch), head("mine.sql"), head("other[1].sql")];
    sites[2].position = Some(Position { line: 3, column: 2, end_line: 4, end_column: 1 });
    let run = run(
        &report(vec![Diagnostic::new("r/k", Severity::Error, "see [a](https://evil.example) {0}", sites)], 0),
        false,
        9,
    );
    let result = &run["results"][0];
    let text = "see [a] (https://evil.example) {0}\ntheirs.sql (branch agent/[x] (1))\nhere: HEAD\n[other\\[1\\].sql:3:2](3) (HEAD)";
    assert_eq!(result["message"]["text"], text);
    let first = json!({"physicalLocation": {
        "artifactLocation": {"uri": "mine.sql", "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": 1, "startColumn": 1, "endLine": 1, "endColumn": 1}}});
    assert_eq!(result["locations"], json!([first]));
    let related = result["relatedLocations"].as_array().unwrap();
    assert_eq!(related.iter().map(|one| one["id"].as_u64().unwrap()).collect::<Vec<_>>(), [1, 3]);
    assert_eq!(
        related[1]["physicalLocation"]["region"],
        json!({"startLine": 3, "startColumn": 2, "endLine": 4, "endColumn": 1})
    );
}

#[test]
fn a_gap_is_a_notification_and_a_result() {
    let whole = run(&report(vec![], 0), false, 9);
    assert_eq!((&whole["invocations"][0]["executionSuccessful"], &whole["results"]), (&json!(true), &json!([])));
    let notes = whole["invocations"][0]["toolExecutionNotifications"].as_array().unwrap();
    assert_eq!((notes.len(), &notes[0]["message"]["text"]), (1, &json!("old branches (3)")));
    for (allow, level) in [(false, "error"), (true, "warning")] {
        let run = run(&report(vec![], 2), allow, 9);
        assert_eq!(run["invocations"][0]["executionSuccessful"], json!(false));
        let notes = run["invocations"][0]["toolExecutionNotifications"].as_array().unwrap();
        assert_eq!(notes.len(), 3);
        assert_eq!(
            (&notes[0]["level"], &notes[0]["message"]["text"]),
            (&json!(level), &json!("could not be looked at: gap 0: why"))
        );
        assert_eq!((run["results"].as_array().unwrap().len(), &run["results"][1]["level"]), (2, &json!(level)));
        assert_eq!(run["tool"]["driver"]["rules"][0]["id"], "gatekeep/incomplete");
    }
}

#[test]
fn what_does_not_fit_is_told() {
    let findings = (0..30).map(|_| found("r/k", Severity::Error)).chain([found("r/z", Severity::Note)]).collect();
    let run = run(&report(findings, 2), false, 12);
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), 12);
    assert!(results[9]["ruleId"] == "r/k" && results[10]["ruleId"] == "gatekeep/incomplete");
    let notes = run["invocations"][0]["toolExecutionNotifications"].as_array().unwrap();
    let last = notes.last().unwrap();
    assert_eq!(last["message"]["text"], "and 21 findings more, which don't fit in here; JSON lists them all");
    assert!(last["level"] == "warning" && last["descriptor"]["id"] == "gatekeep/capped");
    let ids: Vec<&str> = run["tool"]["driver"]["notifications"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["id"].as_str().unwrap())
        .collect();
    assert_eq!(ids, ["gatekeep/incomplete", "gatekeep/skipped", "gatekeep/capped"]);
    assert_eq!(
        results[1]["partialFingerprints"]["primaryLocationLineHash"].as_str().unwrap().split_once(':').unwrap().1,
        "2"
    );
}

#[test]
fn locations_are_capped_too() {
    let sites = (0..1500).map(|n| head(&format!("{n}.env"))).collect();
    let run = run(&report(vec![Diagnostic::new("r/k", Severity::Error, "m", sites)], 0), false, 9);
    assert_eq!(run["results"][0]["relatedLocations"].as_array().unwrap().len(), 999);
    assert!(run["results"][0]["message"]["text"].as_str().unwrap().ends_with("and 1490 more"));
}

#[test]
fn rules_say_what_they_are_about() {
    let codes = ["zzz/duplicate", "goose/duplicate", "contention/same-file"];
    let run = run(&report(codes.map(|code| found(code, Severity::Warning)).into(), 0), false, 9);
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    assert_eq!(
        rules.iter().map(|rule| &rule["id"]).collect::<Vec<_>>(),
        ["contention/same-file", "goose/duplicate", "zzz/duplicate"]
    );
    assert_eq!(run["results"][0]["ruleIndex"], 2);
    assert_eq!(rules[1]["shortDescription"]["text"], "One name is taken twice. One goose migration per version");
    let properties = json!({"tags": ["gatekeep", "migrations"], "precision": "high", "problem.severity": "warning"});
    assert_eq!(rules[1]["properties"], properties);
    for rule in rules {
        for text in [
            &rule["shortDescription"]["text"],
            &rule["fullDescription"]["text"],
            &rule["help"]["text"],
            &rule["help"]["markdown"],
        ] {
            assert!(
                text.as_str().is_some_and(|text| !text.trim().is_empty() && text.chars().count() <= 2048),
                "{rule}"
            );
        }
    }
}

#[test]
fn descriptions_keep_the_limit() {
    for code in crate::rule::code_rules().iter().flat_map(|rule| rule.codes) {
        let run = run(&report(vec![found(code.code, Severity::Note)], 0), false, 9);
        let text = run["tool"]["driver"]["rules"][0]["fullDescription"]["text"].as_str().unwrap().chars().count();
        assert!(text <= 1024, "{}: {text}", code.code);
    }
}
