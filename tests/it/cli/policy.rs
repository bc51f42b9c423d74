//! What a run goes by: configuration, rule files, allowances, baseline.

use crate::support::{Repo, SEEN};

/// A rule of the repository's own, on the lines of files.
pub(super) const OWN: &str = r#"
schema   = 1
id       = "own"
summary  = "One line a name"
severity = "error"

[[claim]]
files = ["**/*.names"]
line  = '^(?<key>[a-z]+)$'

[policy]
unique = true

[[example]]
name  = "two lines"
head  = { "a.names" = "x\ny\nx\n" }
finds = ["duplicate x"]
"#;

const ALLOW: &str = r#"
[[allow]]
code = "supabase-migrations/duplicate"
paths = ["supabase/migrations/1_*.sql"]
reason = "both were applied by hand"
"#;

fn colliding() -> Repo {
    let repo = Repo::new();
    repo.collision();
    repo
}

#[test]
fn a_rule_of_the_repository_counts_and_a_broken_one_is_2_at_its_place() {
    let repo = Repo::new();
    repo.write(".gatekeep/rules/deep/seen.toml", SEEN).files(&["a.seen", "b/c.seen"]);
    assert_eq!(repo.run(&["scan", "--format", "json"]).exits(1).codes(), ["seen/duplicate"]);
    repo.run(&["scan", "--no-config"]).exits(0);
    assert!(repo.run(&["rules"]).exits(0).stdout.lines().any(|line| line.starts_with("seen ")));
    repo.write(".gatekeep/rules/deep/seen.toml", SEEN.replace("unique", "uniqe"));
    let run = repo.run(&["scan"]).exits(2);
    assert!(run.stderr.starts_with("error: .gatekeep/rules/deep/seen.toml:13:1: "), "{}", run.stderr);
    assert!(run.stderr.contains("did you mean `unique`?"), "{}", run.stderr);
    repo.write(".gatekeep/rules/deep/seen.toml", SEEN.replace("\"seen\"", "\"supabase-migrations\""));
    assert!(repo.run(&["scan"]).exits(2).stderr.contains("another rule has the id"));
}

#[test]
fn examples_of_rule_files_are_tests() {
    let repo = Repo::new();
    let example = |finds: &str| {
        format!("{SEEN}\n[[example]]\nname = \"two files\"\nhead = [\"a.seen\", \"b.seen\"]\nfinds = [{finds}]\n")
    };
    repo.write("seen.toml", example("\"duplicate all\""));
    assert_eq!(repo.run(&["rules", "test", "seen.toml"]).exits(0).stdout, "1 passed, 0 failed\n");
    repo.write("seen.toml", example("\"duplicate none\""));
    let run = repo.run(&["rules", "test", "seen.toml"]).exits(1);
    let expected = "FAIL  seen: two files\n      missing     duplicate none\n      unexpected  error duplicate all\n";
    assert_eq!(run.stdout, format!("{expected}0 passed, 1 failed\n"));
    repo.write(".gatekeep/rules/seen.toml", example("\"duplicate none\""));
    assert!(repo.run(&["rules", "test"]).exits(1).stdout.starts_with(expected));
}

#[test]
fn the_examples_of_all_rules_that_come_with_it_hold() {
    let run = Repo::new().run(&["rules", "test"]).exits(0);
    assert!(run.stdout.ends_with(" passed, 0 failed\n"), "{}", run.stdout);
}

#[test]
fn a_rule_is_explained_by_itself_and_by_its_codes() {
    let repo = Repo::new();
    let run = repo.run(&["rules", "explain", "supabase-migrations"]).exits(0);
    assert!(run.stdout.starts_with("supabase-migrations: "), "{}", run.stdout);
    assert_eq!(repo.run(&["rules", "explain", "supabase-migrations/duplicate"]).exits(0), run);
    let near = repo.run(&["rules", "explain", "supabase-migration"]).exits(2);
    assert!(near.stderr.contains("did you mean `supabase-migrations`?"), "{}", near.stderr);
}

#[test]
fn the_schema_of_rule_files_accepts_the_rules_that_come_with_it() {
    let text = Repo::new().run(&["rules", "schema"]).exits(0).stdout;
    let schema = serde_json::from_str(&text).expect("the schema is JSON");
    let validator = jsonschema::validator_for(&schema).expect("the schema is one");
    for (file, text) in gatekeep::rule::builtin() {
        let value: serde_json::Value = toml::from_str(text).expect("the rule is TOML");
        let mistakes: Vec<String> = validator.iter_errors(&value).map(|error| error.to_string()).collect();
        assert!(mistakes.is_empty(), "{file}: {mistakes:?}");
    }
    let misspelt: serde_json::Value = toml::from_str(&SEEN.replace("unique", "uniqe")).expect("it is TOML");
    assert!(!validator.is_valid(&misspelt));
}

#[test]
fn a_configuration_is_read_from_the_top_and_two_of_them_are_2() {
    let repo = colliding();
    repo.write("gatekeep.toml", "[rules]\n\"supabase-migrations\" = \"off\"\n");
    repo.run_in(&repo.top().join("supabase/migrations"), &["scan"]).exits(0);
    repo.run(&["scan", "-D", "supabase-migrations"]).exits(1);
    repo.write("other.toml", "").run(&["scan", "--config", "other.toml"]).exits(1);
    repo.write(".gatekeep/config.toml", "");
    assert!(repo.run(&["scan"]).exits(2).stderr.contains("two configurations"));
}

#[test]
fn what_is_off_by_itself_is_turned_on_by_its_own_name_only() {
    let repo = Repo::new();
    repo.files(&["supabase/migrations/20260428000000_a.sql", "supabase/migrations/20260428101112_b.sql"]);
    let scan = |flags: &[&str]| repo.run(&[&["scan", "--format", "json"], flags].concat());
    let code = "supabase-migrations/invented";
    let nothing = Vec::<String>::new();
    assert_eq!(scan(&[]).exits(0).codes(), nothing);
    assert_eq!(scan(&["-D", "supabase-migrations"]).exits(0).codes(), nothing);
    let run = scan(&["-W", code]).exits(0);
    assert_eq!(run.codes(), [code]);
    assert_eq!(run.json()["findings"][0]["severity"], "warning");
    scan(&["-W", code, "--fail-on", "warning"]).exits(1);

    repo.write("gatekeep.toml", format!("[rules]\n\"{code}\" = \"note\"\n"));
    for flags in [&[][..], &["-D", "supabase-migrations"]] {
        assert_eq!(scan(flags).exits(0).json()["findings"][0]["severity"], "note");
    }
    assert_eq!(scan(&["-A", code]).exits(0).codes(), nothing);
    assert_eq!(scan(&["-A", "supabase-migrations"]).exits(0).codes(), nothing);

    // an allowance of what nobody asked for is not called unused
    let allow =
        format!("[[allow]]\ncode = \"{code}\"\npaths = [\"supabase/migrations/*_a.sql\"]\nreason = \"by hand\"\n");
    repo.write("gatekeep.toml", &allow);
    assert_eq!(scan(&[]).exits(0).codes(), nothing);
    assert_eq!(scan(&["-W", code]).exits(0).codes(), nothing);
    repo.write("gatekeep.toml", allow.replace("_a", "_b"));
    assert_eq!(scan(&["-W", code]).exits(0).codes(), ["allow/unused", code]);
}

#[test]
fn a_namespace_can_be_told_where_it_lives_and_what_it_leaves_out() {
    let repo = colliding();
    let scan = |table: &str| {
        repo.write("gatekeep.toml", format!("[namespace.supabase-migrations]\n{table}\n"));
        repo.run(&["scan", "--format", "json"])
    };
    scan("exclude = [\"**/1_b.sql\"]").exits(0);
    // a name that was mistyped, or a folder that moved, must not turn the rule off
    assert!(scan("roots = [\"other\"]").exits(3).stdout.contains("[namespace.supabase-migrations]"));
    scan("roots = [\".\"]").exits(1);
    scan("include = [\"supabase/**\"]").exits(1);
    assert_eq!(scan("quota = 1\nexclude = [\"**/1_b.sql\"]").exits(0).codes(), Vec::<String>::new());
    repo.files(&["supabase/migrations/2_c.sql"]);
    let run = scan("quota = 1\nexclude = [\"**/1_b.sql\"]");
    assert_eq!(run.codes(), ["supabase-migrations/over-quota"]);
    assert!(scan("roots = [\"a[\"]").exits(2).stderr.starts_with("error: gatekeep.toml:2:"));
}

#[test]
fn vendored_files_take_no_names() {
    let repo = colliding();
    repo.write(".gitattributes", "supabase/** linguist-vendored\n").run(&["scan"]).exits(0);
    // the tool applies a migration all the same, whoever wrote it
    repo.write(".gitattributes", "supabase/** linguist-generated=true\n").run(&["scan"]).exits(1);
    repo.write(".gitattributes", "supabase/** text\n").run(&["scan"]).exits(1);
    repo.write("supabase/migrations/.gitattributes", "1_b.sql linguist-vendored\n").run(&["scan"]).exits(0);
}

#[test]
fn a_generated_document_takes_no_names() {
    let repo = Repo::new();
    repo.files(&["docs/adr/0001-a.md", "docs/adr/0001-b.md"]).run(&["scan"]).exits(1);
    repo.write(".gitattributes", "docs/** linguist-generated\n").run(&["scan"]).exits(0);
    repo.write(".gitattributes", "docs/** linguist-generated=false\n").run(&["scan"]).exits(1);
}

#[test]
fn an_allowance_silences_until_its_day_and_one_without_use_is_reported() {
    let repo = colliding();
    let scan = |config: &str| {
        repo.write("gatekeep.toml", config);
        repo.run(&["scan", "--format", "json"])
    };
    let run = scan(ALLOW).exits(0);
    assert_eq!(run.json()["findings"][0]["suppressed"]["reason"], "both were applied by hand");
    assert_eq!(run.json()["summary"]["suppressed"], 1);
    scan(&format!("{ALLOW}until = 2999-12-31\n")).exits(0);
    let expired = scan(&format!("{ALLOW}until = 2020-01-01\n")).exits(1);
    assert_eq!(expired.codes(), ["supabase-migrations/duplicate", "allow/expired"]);
    let elsewhere = scan(&ALLOW.replace("1_*", "1_a")).exits(1);
    assert_eq!(elsewhere.codes(), ["supabase-migrations/duplicate", "allow/unused"]);
    let other_key = scan(&format!("{ALLOW}key = \"2\"\n")).exits(1);
    assert_eq!(other_key.codes(), ["supabase-migrations/duplicate", "allow/unused"]);
    scan(&format!("{ALLOW}key = \"1\"\n")).exits(0);
    let only = ["scan", "--format", "json", "--only", "goose"];
    assert_eq!(repo.run(&only).exits(0).codes(), Vec::<String>::new(), "what did not run proves nothing");
}

#[test]
fn an_allowance_in_the_files_themselves_needs_each_of_them() {
    let repo = colliding();
    let comment = "-- gatekeep: allow supabase-migrations/duplicate -- both were applied by hand\n";
    repo.write("supabase/migrations/1_a.sql", comment).run(&["scan"]).exits(1);
    repo.write("supabase/migrations/1_b.sql", comment);
    let run = repo.run(&["scan", "--format", "json"]).exits(0);
    assert_eq!(run.codes(), Vec::<String>::new());
    repo.files(&["supabase/migrations/1_c.sql"]).run(&["scan"]).exits(1);
}

#[test]
fn a_baseline_covers_todays_findings_and_no_new_ones() {
    let repo = colliding();
    let wrote = repo.run(&["baseline"]).exits(0);
    assert_eq!((wrote.stdout.as_str(), wrote.stderr.as_str()), ("Wrote 1 finding to .gatekeep/baseline.json.\n", ""));
    assert_eq!(repo.run(&["scan", "--format", "json"]).exits(0).json()["summary"]["suppressed"], 1);
    repo.run(&["scan", "--no-config"]).exits(1);

    repo.files(&["supabase/migrations/2_a.sql", "supabase/migrations/2_b.sql"]).run(&["scan"]).exits(1);
    let first = repo.read(".gatekeep/baseline.json");
    assert!(repo.run_in(&repo.top().join("supabase"), &["baseline"]).exits(0).stdout.starts_with("Wrote 2 findings"));
    assert!(!repo.top().join("supabase/.gatekeep").exists());
    let second = repo.read(".gatekeep/baseline.json");
    assert!(first.lines().filter(|line| line.contains("fingerprint")).all(|line| second.contains(line)));
    repo.run(&["baseline"]).exits(0);
    assert_eq!(repo.read(".gatekeep/baseline.json"), second);

    repo.remove("supabase/migrations/1_b.sql");
    let stale = repo.run(&["scan", "--format", "json"]).exits(0);
    assert_eq!(stale.codes(), ["allow/unused"]);
    assert_eq!(stale.json()["findings"][0]["sites"][0]["path"], ".gatekeep/baseline.json");
    repo.run(&["baseline"]).exits(0);
    assert_eq!(repo.run(&["scan", "--format", "json"]).exits(0).codes(), Vec::<String>::new());

    repo.remove("supabase/migrations/2_b.sql");
    assert!(repo.run(&["baseline"]).exits(0).stdout.starts_with("Wrote 0 findings"));
    assert_eq!(repo.read(".gatekeep/baseline.json"), "{\n  \"schema\": 1,\n  \"findings\": []\n}\n");
}

#[test]
fn a_baseline_holds_nothing_that_is_allowed_and_is_not_made_for_nothing() {
    let repo = colliding();
    repo.write("gatekeep.toml", ALLOW);
    assert!(repo.run(&["baseline"]).exits(0).stdout.starts_with("Nothing was found"));
    assert!(!repo.top().join(".gatekeep").exists());
    repo.run(&["baseline", "--no-config"]).exits(0);
    assert!(repo.read(".gatekeep/baseline.json").contains("supabase-migrations/duplicate"));
    repo.write(".gatekeep/baseline.json", "{}").run(&["scan"]).exits(2);
    repo.run(&["baseline"]).exits(2);
}

#[cfg(unix)]
#[test]
fn a_baseline_of_what_was_not_all_looked_at_is_written_only_on_demand() {
    let repo = colliding();
    repo.write(".gatekeep/rules/own.toml", OWN);
    std::os::unix::fs::symlink("/etc/hostname", repo.top().join("a.names")).expect("the link is new");
    let refused = repo.run(&["baseline"]).exits(3);
    assert!(refused.stderr.contains("a.names") && refused.stdout.is_empty(), "{refused:?}");
    assert!(!repo.top().join(".gatekeep/baseline.json").exists());
    repo.run(&["baseline", "--allow-incomplete"]).exits(0);
    assert!(repo.top().join(".gatekeep/baseline.json").exists());
}

#[cfg(unix)]
#[test]
fn a_baseline_is_not_written_through_a_link() {
    let repo = colliding();
    std::fs::create_dir(repo.beside("elsewhere")).expect("the folder is new");
    std::os::unix::fs::symlink(repo.beside("elsewhere"), repo.top().join(".gatekeep")).expect("the link is new");
    repo.run(&["baseline"]).exits(2);
    assert_eq!(std::fs::read_dir(repo.beside("elsewhere")).expect("it is there").count(), 0);
}
