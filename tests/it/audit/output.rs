//! What an audit prints, and how it ends.

use gatekeep::report::audit::json;
use serde_json::Value;

use super::{
    history::{DJANGO, Past, migration},
    two_merged,
};
use crate::docs::{fresh, read, replaced};

const SCHEMA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/schemas/audit.schema.json");

#[test]
fn json_fits_the_published_schema() {
    let made = json::schema();
    if std::env::var_os("GATEKEEP_WRITE_SCHEMAS").is_some() {
        std::fs::write(SCHEMA, format!("{made:#}\n")).expect("the file can be written");
    }
    let published: Value =
        serde_json::from_str(&std::fs::read_to_string(SCHEMA).expect("the file can be read")).expect("it is JSON");
    assert_eq!(published, made, "run this test with GATEKEEP_WRITE_SCHEMAS=1 and look at the difference");
    assert!(jsonschema::draft202012::meta::is_valid(&published));
    let schema = jsonschema::draft202012::new(&published).expect("it is a schema");
    let (past, _) = two_merged();
    past.git(&["rm", "--quiet", "supabase/migrations/2_teams.sql"]);
    past.commit(6, "Teams are gone");
    past.write("supabase/migrations/1_again.sql", "again");
    past.commit(7, "Again");
    past.git(&["clone", "--quiet", "--depth", "2", &url(&past), path(&past, "shallow").as_str()]);
    let whole = past.audit(&["--format", "json"]).exits(0);
    let part = past.repo.run_in(&past.repo.beside("shallow"), &["audit", "--since", "all", "--format", "json"]);
    for run in [whole, part.exits(3)] {
        let mut document = run.json();
        let errors: Vec<String> = schema.iter_errors(&document).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{errors:?}");
        assert_eq!(document["collisions"][0]["subject"], "Again");
        document["collisions"][0]["sites"] = Value::Array(Vec::new());
        assert!(!schema.is_valid(&document), "the schema takes anything");
    }
}

#[test]
fn json_says_all_that_is_known_of_a_collision() {
    let (past, second) = two_merged();
    past.git(&["rm", "--quiet", "supabase/migrations/2_teams.sql"]);
    let mended = past.commit(6, "Teams are gone");
    let audit = past.audit(&["--format", "json"]).exits(0).json();
    let first = past.git(&["rev-parse", &format!("{second}^1")]);
    let expected = serde_json::json!({
        "schema": 1,
        "tool": {"name": "gatekeep", "version": env!("CARGO_PKG_VERSION")},
        "complete": true,
        "incomplete": [],
        "skipped": [],
        "target": "main",
        "tip": mended,
        "since": null,
        "policy": {"from": "built-in", "commit": null},
        "summary": {"commits": 4, "judged": 4, "colliding": 1, "names": 1, "still_there": 0},
        "collisions": [{
            "commit": second,
            "parent": first.trim(),
            "date": "2026-01-05T12:00:00Z",
            "subject": "Merge b",
            "rule": "supabase-migrations/duplicate",
            "severity": "error",
            "namespace": "supabase-migrations",
            "partition": "supabase/migrations",
            "key": "2",
            "sites": [
                {"path": "supabase/migrations/2_teams.sql", "brought": true},
                {"path": "supabase/migrations/2_users.sql", "brought": false},
            ],
            "still_there": false,
            "gone_since": {"commit": mended, "date": "2026-01-06T12:00:00Z", "subject": "Teams are gone"},
        }],
        "outside": [],
    });
    assert_eq!(audit, expected);
}

#[test]
fn people_read_a_block_for_each_commit() {
    let (past, second) = two_merged();
    past.git(&["rm", "--quiet", "supabase/migrations/2_teams.sql"]);
    let mended = past.commit(6, "Teams are gone");
    past.write("supabase/migrations/1_again.sql", "again")
        .write("docs/adr/0001-a.md", "")
        .write("docs/adr/0001-b.md", "");
    let last = past.commit(7, "Again, with an \u{1b}[31mescape");
    let text = past.audit(&[]).exits(0).stdout;
    let expected = HUMAN.replace("LAST", &last[..9]).replace("MENDED", &mended[..9]).replace("SECOND", &second[..9]);
    assert_eq!(text, expected);
    let quiet = past.audit(&["--quiet"]).exits(0).stdout;
    assert!(expected.starts_with(&quiet) && quiet.ends_with("2_users.sql\n\n"), "{quiet}");
}

const HUMAN: &str = "\
2026-01-07  LAST  Again, with an \\x1b[31mescape
  error[adr-numbers/duplicate] 1 in docs/adr: still there
    + docs/adr/0001-b.md
    + docs/adr/0001-a.md
  error[supabase-migrations/duplicate] 1 in supabase/migrations: still there
    + supabase/migrations/1_again.sql
      supabase/migrations/1_init.sql

2026-01-05  SECOND  Merge b
  error[supabase-migrations/duplicate] 2 in supabase/migrations: gone since 2026-01-06 (MENDED)
    + supabase/migrations/2_teams.sql
      supabase/migrations/2_users.sql

2 of 5 commits brought in a collision: 3 names, 2 of them still there
Looked back at main from the beginning; 5 of its commits touch a file that a rule wants, judged by
the built-in rules alone
";

#[test]
fn an_audit_without_a_collision_says_so() {
    let past = Past::new();
    past.write("supabase/config.toml", "").write("supabase/migrations/1_init.sql", "");
    past.commit(1, "Begin");
    past.commit(2, "Nothing");
    assert_eq!(past.audit(&[]).exits(0).stdout, CLEAR);
}

const CLEAR: &str = "\
✓ All clear: none of 2 commits brought in a collision
Looked back at main from the beginning; 1 of its commits touches a file that a rule wants, judged by
the built-in rules alone
";

#[test]
fn commits_before_then_are_left_out() {
    let (past, second) = two_merged();
    past.write("supabase/migrations/1_again.sql", "again");
    let last = past.commit(9, "Again");
    let found = |since: &str| -> Vec<String> {
        let audit = past.repo.run(&["audit", "--since", since, "--format", "json"]).exits(0).json();
        let all = audit["collisions"].as_array().expect("a list").iter();
        all.map(|one| one["commit"].as_str().expect("an id").to_owned()).collect()
    };
    assert_eq!(found(&past.since(6)), std::slice::from_ref(&last));
    assert_eq!(found(&past.since(5)), [last.clone(), second.clone()]);
    assert_eq!(found("all"), [last, second]);
    assert_eq!(found("1h"), [""; 0]);
    past.repo.run(&["audit", "--since", "soon"]).exits(2);
}

#[test]
fn a_clock_that_was_wrong_once_hides_nothing_before_it() {
    let (past, second) = two_merged();
    past.git(&["add", "--all"]);
    past.at(1_000, &["commit", "--quiet", "--allow-empty", "--message", "In 1970"]);
    let audit = past.repo.run(&["audit", "--since", &past.since(5), "--format", "json"]).exits(0).json();
    assert_eq!(audit["collisions"][0]["commit"], second.as_str());
}

#[test]
fn what_a_shallow_clone_does_not_hold_is_no_all_clear() {
    let (past, second) = two_merged();
    past.write("supabase/migrations/4_last.sql", "");
    past.commit(9, "Last");
    past.git(&["clone", "--quiet", "--depth", "2", &url(&past), path(&past, "shallow").as_str()]);
    let shallow = past.repo.beside("shallow");
    let run = past.repo.run_in(&shallow, &["audit", "--since", "all"]).exits(3);
    assert_eq!(run.stdout, SHALLOW.replace("SECOND", &second));
    // it reaches back as far as it was asked
    let run = past.repo.run_in(&shallow, &["audit", "--since", &past.since(6), "--format", "json"]).exits(0);
    let what = format!("what was before {second}, where this shallow clone ends");
    assert_eq!(run.json()["skipped"][0]["what"], what.as_str());
    past.git(&["-C", shallow.to_str().expect("UTF-8"), "fetch", "--quiet", "--unshallow"]);
    past.repo.run_in(&shallow, &["audit", "--since", "all"]).exits(0);
}

const SHALLOW: &str = "\
incomplete

  × 1 thing could not be looked at, so this report is not the whole truth
  │
  │   the history at and before commit SECOND
  │     this is a shallow clone, and it ends there. `git fetch --unshallow` brings the rest, `git
  │     fetch --shallow-since=DATE` a part of it; on GitHub Actions, `fetch-depth: 0` does
  help: mend what is listed, or look back less far (`--since`), and run again

No collision was found in the commits that could be looked at
Looked back at origin/main from the beginning; 1 of its commits touches a file that a rule wants,
judged by the built-in rules alone
";

#[test]
fn the_present_configuration_judges_the_past() {
    let (past, second) = two_merged();
    let keys = || -> Vec<String> {
        let audit = past.audit(&["--format", "json"]).exits(0).json();
        let all = audit["collisions"].as_array().expect("a list").iter();
        all.map(|one| format!("{} {}", one["commit"].as_str().expect("an id"), one["severity"])).collect()
    };
    past.write("gatekeep.toml", "[rules]\n\"supabase-migrations\" = \"warning\"\n");
    // not in the working tree, but on the trunk
    assert_eq!(keys(), [format!("{second} \"error\"")]);
    past.commit(6, "Policy");
    assert_eq!(keys(), [format!("{second} \"warning\"")]);
    let allow = "[[allow]]\ncode = \"supabase-migrations/duplicate\"\nkey = \"2\"\nreason = \"known\"\npaths = [\"supabase/**\"]\n";
    past.write("gatekeep.toml", allow);
    past.commit(7, "Allow it by name");
    assert_eq!(keys(), [""; 0]);
    let audit = past.audit(&["--format", "json"]).exits(0).json();
    assert_eq!(audit["skipped"][0], serde_json::json!({"what": "collisions that an allowance covers", "count": 1}));
    past.write("gatekeep.toml", "[rules]\n\"supabase-migrations\" = \"off\"\n");
    past.commit(8, "Off");
    assert_eq!(keys(), [""; 0]);
}

#[test]
fn the_guide_shows_what_an_audit_prints() {
    let past = Past::new();
    past.write("supabase/config.toml", "").write("supabase/migrations/20251201000000_init.sql", "init");
    past.write("shop/migrations/0001_initial.py", DJANGO).write("shop/prices.py", "");
    let lanes = "[agents.ps2]\nbranches = [\"agent/ps2\"]\nowns = [\"supabase/**\"]\n\n\
                 [agents.ps3]\nbranches = [\"agent/ps3\"]\nowns = [\"shop/**\"]\n";
    past.write("gatekeep.toml", lanes);
    past.commit(1, "Begin");
    let versions = [("auth_guard", "ps1"), ("competitor_pages", "ps2")];
    for (name, agent) in versions {
        past.branch(&format!("agent/{agent}"));
        past.write(&format!("supabase/migrations/20260105000000_{name}.sql"), name);
        if agent == "ps2" {
            past.write("shop/prices.py", "prices = {}\n");
        }
        past.commit(5, name);
    }
    past.branch("agent/ps3").write("shop/migrations/0002_price.py", &migration(&["0001_initial"]));
    past.commit(6, "Price");
    past.branch("agent/ps4").write("shop/migrations/0002_stock.py", &migration(&["0001_initial"]));
    past.commit(6, "Stock");
    past.merge(8, &["agent/ps1"]);
    past.merge(9, &["agent/ps2"]);
    past.merge(12, &["agent/ps3"]);
    past.git(&[
        "mv",
        "supabase/migrations/20260105000000_competitor_pages.sql",
        "supabase/migrations/20260105000001_competitor_pages.sql",
    ]);
    past.commit(13, "Renumber the competitor pages");
    past.git(&["merge", "--quiet", "--squash", "agent/ps4"]);
    past.commit(14, "Stock (#47)");
    let shown = format!("```text\n$ gatekeep audit --since all\n{}```\n", past.audit(&[]).exits(0).stdout);
    fresh("docs/fleet.md", &replaced(&read("docs/fleet.md"), "audit", &shown));
}

fn url(past: &Past) -> String {
    format!("file://{}", past.repo.top().display())
}

fn path(past: &Past, name: &str) -> String {
    past.repo.beside(name).display().to_string()
}
