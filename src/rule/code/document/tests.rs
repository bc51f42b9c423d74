use super::{CONTRADICTED, Facts, INVALID, TestCounts, judge, wanted};
use crate::rule::change::{Said, testing::Made};

const TABLE: &str = "[[document]]\npaths = [\"reports/*\"]\nschema = \"schema.json\"\n";
const SCHEMA: &str = r#"{"type":"object","required":["agent","status"],"properties":{"agent":{"type":"string","pattern":"^[a-z0-9]+$"},
    "status":{"enum":["done","blocked"]},"items":{"type":"array","items":{"type":"object","required":["id"]}}},"additionalProperties":false}"#;

fn said(table: &str, schema: &str, name: &str, text: &str) -> Said {
    let before = [("schema.json", schema)];
    let made = Made::new(&before, &[("schema.json", schema), (name, text)]).by(table);
    judge(&made.change(), &Facts::default())
}

/// Key and line of each finding.
fn found(said: &Said) -> Vec<(&str, Option<usize>)> {
    assert!(said.incomplete.is_empty(), "{:?}", said.incomplete);
    assert!(said.findings.iter().all(|found| found.code == INVALID));
    let line = |found: &crate::diag::Diagnostic| found.sites[0].position.map(|at| at.line);
    said.findings.iter().map(|found| (found.key.as_deref().unwrap_or_default(), line(found))).collect()
}

#[test]
fn a_document_that_fits_is_fine() {
    for (name, text) in [
        ("reports/1.md", "---\nagent: ps3\nstatus: done\n---\n# done\n"),
        ("reports/1.json", "{\"agent\": \"ps3\", \"status\": \"blocked\", \"items\": [{\"id\": 1}]}"),
        ("reports/1.toml", "agent = \"ps3\"\nstatus = \"done\"\n"),
        ("other/1.md", "no document"),
    ] {
        assert_eq!(found(&said(TABLE, SCHEMA, name, text)), [], "{name}");
    }
}

#[test]
fn each_fault_stands_at_its_field() {
    let said = said(TABLE, SCHEMA, "reports/1.md", "---\nagent: ps3\nstatus: mostly done\nmood: good\n---\n# done\n");
    assert_eq!(found(&said), [("/status", Some(3)), ("/mood", Some(4))]);
    assert!(said.findings[0].message.contains("`status`") && said.findings[0].message.contains("mostly done"));
    assert!(said.findings[1].message.contains("`mood`"));
}

#[test]
fn what_is_missing_wrong_or_twice_is_told() {
    let yaml = |text: &str| said(TABLE, SCHEMA, "reports/1.yaml", text);
    assert_eq!(found(&yaml("agent: ps3\n")), [("/status", Some(1))]);
    assert_eq!(found(&yaml("agent: PS 3\nstatus: done\n")), [("/agent", Some(1))]);
    assert_eq!(found(&yaml("agent: 3\nstatus: done\nagent: x\n")), [("/agent", Some(3))]);
    let nested = yaml("agent: a\nstatus: done\nitems:\n- id: 1\n- name: x\n");
    assert_eq!(found(&nested), [("/items/1/id", Some(5))]);
    assert!(nested.findings[0].message.contains("at `items[1].id`: it is missing"), "{}", nested.findings[0].message);
    assert_eq!(found(&yaml("- a\n")), [("", Some(1))]);
}

#[test]
fn no_document_at_all_is_a_fault_too() {
    for (name, text, line) in [
        ("reports/1.md", "# done\n", None),
        ("reports/1.yaml", "# nothing\n", None),
        ("reports/1.md", "---\nagent: ps3\na: b: c\n---\n", Some(3)),
        ("reports/1.json", "{\n\"agent\": }\n", Some(2)),
    ] {
        assert_eq!(found(&said(TABLE, SCHEMA, name, text)), [("", line)], "{text}");
    }
}

#[test]
fn what_can_not_be_judged_is_incomplete() {
    let gaps = |schema: &str, text: &str| {
        let said = said(TABLE, schema, "reports/1.json", text);
        (said.findings.len(), said.incomplete.len())
    };
    for schema in [
        "",
        "[",
        "{\"type\": 7}",
        "{\"$ref\": \"https://example.com/a.json\"}",
        "{\"$ref\": \"other.json\"}",
        "{\"pattern\": \"(?=x)\"}",
    ] {
        assert_eq!(gaps(schema, "{}"), (0, 1), "{schema}");
    }
    assert_eq!(gaps("{}", &"[".repeat(1000)), (0, 1));
    let without = Made::new(&[], &[("reports/1.json", "{}")]).by(TABLE);
    let said = judge(&without.change(), &Facts::default());
    assert_eq!((said.findings.len(), said.incomplete.len()), (0, 1));
}

#[test]
fn the_base_says_which_schema_counts() {
    let strict = "{\"required\": [\"a\"]}";
    let changed = Made::new(&[("schema.json", strict)], &[("schema.json", "{}"), ("reports/1.json", "{}")]).by(TABLE);
    assert_eq!(found(&judge(&changed.change(), &Facts::default())), [("/a", Some(1))]);
    let brought = Made::new(&[], &[("schema.json", strict), ("reports/1.json", "{}")]).by(TABLE);
    assert_eq!(found(&judge(&brought.change(), &Facts::default())), [("/a", Some(1))]);
    let removed = Made::new(&[("schema.json", strict)], &[("reports/1.json", "{}")]).by(TABLE);
    assert_eq!(found(&judge(&removed.change(), &Facts::default())), [("/a", Some(1))]);
}

#[test]
fn a_schema_that_the_change_brings_can_not_hang_the_judge() {
    let circle = r##"{"anyOf":[{"properties":{"a":{"$ref":"#"}},"required":["z"]},{"properties":{"a":{"$ref":"#"}},"required":["y"]}]}"##;
    let levels = (0..60)
        .map(|at| format!(r##""a{at}":{{"anyOf":[{{"$ref":"#/$defs/a{0}"}},{{"$ref":"#/$defs/a{0}"}}]}},"##, at + 1));
    let bomb = format!(r##"{{"$defs":{{{}"a60":false}},"$ref":"#/$defs/a0"}}"##, levels.collect::<String>());
    let deep = format!("{}1{}", "{\"a\":".repeat(100), "}".repeat(100));
    for schema in [circle, bomb.as_str()] {
        let made = Made::new(&[], &[("schema.json", schema), ("reports/1.json", &deep)]).by(TABLE);
        let said = judge(&made.change(), &Facts::default());
        assert_eq!((said.findings.len(), said.incomplete.len()), (0, 1), "{:?}", said.incomplete);
    }
}

const FACTS: &str = "[[document]]\npaths = [\"reports/*\"]\nfacts = { tests-deleted = \"$.deleted\", files-changed = \"$.files\", \
    migrations-added = \"$.migrations\" }\n";

/// What is said of a report beside two changed files and one that moved: two tests deleted, one migration added.
fn stated(text: &str) -> Said {
    let before = [("a", "1"), ("old", "x"), ("gone", "z")];
    let after = [("a", "2"), ("new", "x"), ("gone", "z"), ("reports/1.md", text)];
    let mut made = Made::new(&before, &after).by(FACTS);
    made.migrations = vec![vec!["new".into()]];
    let tests = Some(TestCounts { added: 0, deleted: 2, skipped: 0 });
    judge(&made.change(), &Facts { tests })
}

#[test]
fn what_is_so_contradicts_nothing() {
    for text in [
        "deleted: 2",
        "deleted: 2.0",
        "deleted: '2'",
        "deleted: [a, b]",
        "deleted: ~",
        "other: 7",
        "files: 2",
        "files: 3",
        "files: 4",
        "files: [a, new]",
        "files: [./a, old, new, reports/1.md]",
        "migrations: 1",
        "migrations: [new]",
    ] {
        let said = stated(&format!("---\n{text}\n---\n"));
        assert!(said.findings.is_empty() && said.incomplete.is_empty(), "{text}: {:?}", said.findings);
    }
    assert!(stated("no front matter").findings.is_empty());
}

#[test]
fn what_is_not_so_is_told_with_both_figures() {
    for (text, words) in [
        ("deleted: 7", ["states 7", "deletes 2 tests"]),
        ("deleted: none", ["states \"none\"", "deletes 2 tests"]),
        ("deleted: 1.5", ["states 1.5", "deletes 2 tests"]),
        ("deleted: [a]", ["a list of 1", "deletes 2 tests"]),
        ("files: 5", ["states 5", "touches 4 files"]),
        ("files: 1", ["states 1", "touches 4 files"]),
        ("files: [a]", ["a list without `new`", "touches 4 files"]),
        ("files: [a, new, gone]", ["`gone` beside what is so", "touches 4 files"]),
        ("migrations: 0", ["states 0", "adds 1 migration"]),
        ("migrations: [a]", ["`a` instead of `new`", "adds 1 migration"]),
    ] {
        let said = stated(&format!("---\nagent: ps3\n{text}\n---\n"));
        assert_eq!(said.findings.len(), 1, "{text}");
        let found = &said.findings[0];
        assert_eq!((found.code.as_str(), found.sites[0].position.map(|at| at.line)), (CONTRADICTED, Some(3)), "{text}");
        assert!(words.iter().all(|words| found.message.contains(words)), "{}", found.message);
    }
}

#[test]
fn what_a_query_selects_is_one_list() {
    let of = |path: &str, text: &str| {
        let table = FACTS.replace("$.files", path);
        let before = [("a", "1"), ("old", "x")];
        let after = [("a", "2"), ("new", "x"), ("reports/1.yaml", text)];
        let said = judge(&Made::new(&before, &after).by(&table).change(), &Facts::default());
        assert!(said.incomplete.is_empty(), "{:?}", said.incomplete);
        said.findings.len()
    };
    for (path, text, findings) in [
        ("$.files[*]", "files: [a, new]\n", 0),
        ("$.files[*]", "files: [a]\n", 1),
        ("$.files[*]", "files: []\n", 1),
        ("$.files[*]", "other: 1\n", 0),
        ("$.files.*", "files: {x: a, y: new}\n", 0),
        ("$.done[*].path", "done: [{path: a}, {path: new}]\n", 0),
        ("$.done[*].path", "done: [{path: a}, {path: b}]\n", 1),
        ("$.done[*].files", "done: [{files: [a]}, {files: [new]}]\n", 0),
        ("$..files", "done: {files: 2}\n", 0),
        ("$..files", "done: {files: 7}\n", 1),
        ("$..files", "done: {files: [a, new]}\n", 0),
        ("$.done[?@.ok].path", "done: [{path: a, ok: 1}, {path: new, ok: 1}]\n", 0),
    ] {
        assert_eq!(of(path, text), findings, "{path}: {text}");
    }
}

#[test]
fn a_list_too_long_to_look_up_is_incomplete() {
    let table = FACTS.replace("$.files", "$..path");
    let text = format!("[{}]", vec!["{\"path\": \"a\"}"; 5001].join(","));
    let made = Made::new(&[("a", "1")], &[("a", "2"), ("reports/1.json", &text)]).by(&table);
    let said = judge(&made.change(), &Facts::default());
    assert_eq!((said.findings.len(), said.incomplete.len()), (0, 1), "{:?}", said.findings);
}

#[test]
fn what_could_not_be_counted_is_incomplete() {
    let made = Made::new(&[], &[("reports/1.md", "---\ndeleted: 2\n---\n")]).by(FACTS);
    let said = judge(&made.change(), &Facts::default());
    assert_eq!((said.findings.len(), said.incomplete.len()), (0, 1));
    assert_eq!(wanted(&made.change()).len(), 3);
    let other = Made::new(&[], &[("a", "1")]).by(FACTS);
    assert!(wanted(&other.change()).is_empty());
}
