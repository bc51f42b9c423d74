//! Where policy comes from, case by case (design, section 11).

use crate::support::Repo;

/// A repository whose base has this configuration, and a branch `work`.
fn judged_by(config: &str) -> Repo {
    let repo = Repo::new();
    repo.write("gatekeep.toml", config).write("a.txt", "a\n").commit();
    repo.git(&["switch", "--quiet", "--create", "work"]);
    repo
}

fn codes(repo: &Repo, args: &[&str]) -> Vec<String> {
    let report = repo.run(&[&["scan", "--base", "main", "--format", "json"], args].concat()).json();
    let findings = report["findings"].as_array().expect("findings is a list");
    findings
        .iter()
        .map(|found| {
            format!("{} {}", found["severity"].as_str().expect("a text"), found["rule"].as_str().expect("a text"))
        })
        .collect()
}

#[test]
fn a_change_can_not_allow_itself_anything() {
    let repo = judged_by("[rules]\n'supabase-migrations' = 'error'\n");
    repo.collision().write("gatekeep.toml", "[rules]\n'supabase-migrations' = 'off'\ngate = 'off'\n").commit();
    let found = codes(&repo, &[]);
    assert!(found.contains(&"error supabase-migrations/duplicate".into()), "{found:?}");
    assert!(found.contains(&"error gate/changed".into()), "{found:?}");
}

#[test]
fn policy_is_read_from_the_base_and_the_report_says_so() {
    let repo = judged_by("fail-on = 'error'\n");
    repo.write("a.txt", "b\n").commit();
    let report = repo.run(&["scan", "--base", "main", "--format", "json"]).json();
    assert_eq!(report["policy"]["from"], "base");
    assert_eq!(report["policy"]["commit"], repo.git(&["rev-parse", "main"]).trim());
    let report = repo.run(&["scan", "--format", "json"]).json();
    assert_eq!(report["policy"]["from"], "working-tree");
}

#[test]
fn the_change_that_adopts_gatekeep_is_judged_by_the_built_in_rules() {
    let repo = Repo::new();
    repo.write("a.txt", "a\n").commit();
    repo.git(&["switch", "--quiet", "--create", "work"]);
    repo.write("gatekeep.toml", "[rules]\n'supabase-migrations' = 'off'\n").collision().commit();
    assert_eq!(codes(&repo, &[]), ["error supabase-migrations/duplicate", "note gate/changed"]);
    repo.write("gatekeep.toml", "rulez = 1\n").commit();
    assert!(codes(&repo, &[]).contains(&"error gate/changed".into()), "one that can't be used");
}

#[test]
fn a_change_mends_a_configuration_that_can_not_be_used() {
    let repo = judged_by("rulez = 1\n");
    repo.write("a.txt", "b\n").commit();
    repo.run(&["scan", "--base", "main"]).exits(2);
    repo.write("gatekeep.toml", "[rules]\n").commit();
    let report = repo.run(&["scan", "--base", "main", "--format", "json"]).exits(0).json();
    assert_eq!(report["policy"]["from"], "built-in");
    assert_eq!(codes(&repo, &[]), ["warning gate/changed"]);
    assert_eq!(codes(&repo, &["--head", "work"]), ["warning gate/changed"]);
    repo.write("gatekeep.toml", "rulez = 2\n").commit();
    repo.run(&["scan", "--base", "main"]).exits(2);
}

#[test]
fn an_allowance_that_the_change_adds_suppresses_nothing() {
    let repo = judged_by("");
    repo.collision()
        .write("supabase/migrations/1_b.sql", "-- gatekeep: allow supabase-migrations/duplicate -- mine\n")
        .commit();
    assert_eq!(codes(&repo, &[]), ["error gate/changed", "error supabase-migrations/duplicate"]);
}

#[test]
fn the_index_is_judged_by_head() {
    let repo = judged_by("");
    repo.write("gatekeep.toml", "[rules]\ngate = 'off'\n");
    repo.git(&["add", "--all"]);
    let report = repo.run(&["scan", "--staged", "--format", "json"]).exits(1).json();
    assert_eq!(report["findings"][0]["rule"], "gate/changed");
}
