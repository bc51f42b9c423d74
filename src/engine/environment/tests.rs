#![expect(clippy::unwrap_used, reason = "tests")]

use super::*;
use crate::{error::Fatal, rule::load, source::MemoryTree};

const HEAD: &str = "schema = 1\nid = 'own'\nsummary = 's'\nseverity = 'error'\nbetween = 'worktrees'\n";

fn tree(files: &[(&str, &str)]) -> MemoryTree {
    MemoryTree::new(files.iter().map(|(path, text)| (path.as_bytes(), text.as_bytes())))
}

fn holder(name: &str) -> Holder {
    Holder { kind: HolderKind::Worktree, name: name.into(), commit: None }
}

/// A report on worktrees that are called a, b and so on, by the built-in rules and one more.
fn judged(rule: &str, worktrees: &[&[(&str, &str)]]) -> Report {
    let own: Vec<(String, Vec<u8>)> = match rule {
        "" => Vec::new(),
        rule => vec![("own.toml".into(), format!("{HEAD}{rule}\n[policy]\nunique = true\n").into_bytes())],
    };
    let rules = load(&own, false).unwrap_or_else(|error| panic!("{}", error.plain()));
    let trees: Vec<MemoryTree> = worktrees.iter().map(|files| tree(files)).collect();
    let names = ["a", "b", "c"];
    let worktrees: Vec<(Holder, &dyn Tree)> =
        trees.iter().zip(names).map(|(tree, name)| (holder(name), tree as &dyn Tree)).collect();
    report(&rules, &worktrees)
}

fn keys(report: &Report) -> Vec<&str> {
    assert_eq!(report.incomplete, []);
    report.findings.iter().map(|found| found.key.as_deref().unwrap_or_default()).collect()
}

#[test]
fn any_source_of_names_can_be_held_against_other_worktrees() {
    let both: &[(&str, &str)] = &[
        ("x/one.lock", ""),
        ("l.txt", "id 1\n"),
        ("j.json", "{\"id\": \"two\"}"),
        ("y.yaml", "id: three\n"),
        ("t.toml", "id = 'four'\n"),
    ];
    for (claim, key) in [
        ("path = 'x/(?<key>[^/]+)\\.lock'", "one"),
        ("files = 'l.txt'\nline = '^id (?<key>.*)$'", "1"),
        ("files = 'j.json'\njson = '$.id'", "two"),
        ("files = 'y.yaml'\nyaml = '$.id'", "three"),
        ("files = 't.toml'\ntoml = '$.id'", "four"),
    ] {
        let report = judged(&format!("[[claim]]\n{claim}"), &[both, both]);
        assert_eq!(keys(&report), [key], "{claim}");
        let site = &report.findings[0].sites[0];
        assert_eq!(site.position.is_some(), !claim.starts_with("path"), "{claim}");
        assert_eq!(site.snippet.is_some(), site.position.is_some(), "it is no secret: {claim}");
    }
}

#[test]
fn roots_groups_and_variants_part_worktrees_too() {
    let rule = "[root]\nmarker = 'mark'\n[[claim]]\nfiles = 'l.txt'\nline = '^(?<group>\\S+) (?<key>\\S+) (?<kind>\\S+)$'\npartition = '{group}'\nvariant = '{kind}'\nsecret = true";
    let a: &[(&str, &str)] =
        &[("r/mark", ""), ("r/l.txt", "g 1 x\ng 2 x\nh 3 x\n"), ("s/mark", ""), ("s/l.txt", "g 4 x\n")];
    let b: &[(&str, &str)] = &[("r/mark", ""), ("r/l.txt", "g 1 x\ng 2 y\ng 3 x\ng 4 x\n")];
    let report = judged(rule, &[a, b]);
    assert_eq!(keys(&report), ["1"]);
    assert_eq!(report.findings[0].partition.as_deref(), Some("r/g"));
}

#[test]
fn keys_that_differ_in_case_are_two_unless_the_rule_says_otherwise() {
    let files = |text| [("l.txt", text)];
    let claim = "[[claim]]\nfiles = 'l.txt'\nline = '^(?<key>.*)$'\n";
    assert_eq!(keys(&judged(claim, &[&files("Aa\nAA\n"), &files("aA\n")])), [""; 0]);
    let own = format!("{HEAD}{claim}[policy]\nunique = true\ncase = 'warning'\n");
    let rules = load(&[("own.toml".into(), own.into_bytes())], false).unwrap();
    let (a, b) = (tree(&files("Aa\nAA\n")), tree(&files("x\n")));
    assert_eq!(report(&rules, &[(holder("a"), &a), (holder("b"), &b)]).findings, []);
    let b = tree(&files("aA\n"));
    let found = report(&rules, &[(holder("a"), &a), (holder("b"), &b)]).findings;
    assert_eq!(found.len(), 1);
}

#[test]
fn a_project_is_what_compose_makes_of_its_files() {
    let other: &[(&str, &str)] = &[(".env", "PORT=3000\nA_PORT=3001\nB_PORT=3002\nC_PORT=3003\n")];
    let project = |files: &[(&str, &str)]| {
        let report = judged("", &[files, other]);
        let skipped: Vec<String> = report.skipped.iter().map(|one| one.what.clone()).collect();
        (keys(&report).join(" "), skipped)
    };
    let port = |port: u16| format!("services: {{s{port}: {{ports: ['{port}:80']}}}}\n");
    let (one, two, three) = (port(3001), port(3002), port(3003));
    let included =
        format!("include: [compose.db.yaml, ../compose.yaml, compose.db.yaml, {{path: ./compose.yml}}]\n{one}");
    let files = [
        ("x/compose.yaml", &*included),
        ("x/compose.db.yaml", &two),
        ("x/compose.yml", &three),
        ("x/compose.dev.yml", &three),
    ];
    assert_eq!(project(&files).0, "3001 3002 3003");
    assert_eq!(project(&files[..2]).0, "3001 3002");
    let chosen = [(".env", "COMPOSE_FILE=x/compose.yml:y.yml\n"), ("x/compose.yml", &*one), ("compose.yaml", &two)];
    let (keys, skipped) = project(&chosen);
    assert_eq!(keys, "3001");
    assert_eq!(skipped, ["compose files that COMPOSE_FILE names beside .env (worktree a)"]);
}

#[test]
fn variables_of_a_folder_above_may_hold_or_not() {
    let compose = "services: {a: {ports: ['${X:-3000}:80', '${Y:-4000}:80']}}\n";
    let a: &[(&str, &str)] = &[("x/compose.yaml", compose), (".env", "X=1\n")];
    let b: &[(&str, &str)] = &[("x/compose.yaml", compose), ("x/.env", "Z=1\n")];
    assert_eq!(keys(&judged("", &[a, b])), ["4000", "x"]);
}

#[test]
fn rules_of_one_tree_are_passed_over() {
    let both: &[(&str, &str)] =
        &[("supabase/config.toml", ""), ("supabase/migrations/1_a.sql", ""), ("supabase/migrations/1_b.sql", "")];
    assert_eq!(keys(&judged("", &[both, both])), [""; 0]);
    assert_eq!(judged("", &[both, both]).files, 2);
}

/// A tree that is gone.
struct Gone(MemoryTree);

impl Tree for Gone {
    fn list(&self, _: &crate::rule::select::Classifier<crate::rule::Want>) -> Result<Listing, Fatal> {
        Err(Fatal::Git("no such folder".into()))
    }
    fn open(&self, entry: &crate::source::Entry) -> std::io::Result<Box<dyn std::io::Read + Send>> {
        self.0.open(entry)
    }
    fn size(&self, entry: &crate::source::Entry) -> Option<u64> {
        self.0.size(entry)
    }
    fn link_target(&self, entry: &crate::source::Entry) -> std::io::Result<Vec<u8>> {
        self.0.link_target(entry)
    }
    fn holder(&self) -> Holder {
        self.0.holder()
    }
    fn counters(&self) -> &crate::source::Counters {
        self.0.counters()
    }
}

#[test]
fn a_worktree_that_can_not_be_listed_is_incomplete_and_the_others_are_judged() {
    let rules = load(&[], false).unwrap();
    let (a, b, c) = (tree(&[(".env", "PORT=1")]), Gone(MemoryTree::default()), tree(&[(".env", "PORT=1")]));
    let report = report(&rules, &[(holder("a"), &a), (holder("b"), &b), (holder("c"), &c)]);
    assert_eq!(report.incomplete.len(), 1);
    assert_eq!(report.incomplete[0].what, "worktree b");
    assert_eq!(report.findings.len(), 1);
}
