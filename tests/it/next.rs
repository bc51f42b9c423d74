//! The next free name.

use std::ffi::OsStr;

use jiff::{SignedDuration, Timestamp, civil::DateTime};

use crate::support::Repo;

fn adrs() -> Repo {
    let repo = Repo::new();
    repo.write("docs/adr/0001-use-adrs.md", "# 1\n").commit();
    repo
}

/// What `next` prints, line by line.
#[track_caller]
fn next(repo: &Repo, args: &[&str]) -> Vec<String> {
    let run = repo.run(&[&["next"], args].concat()).exits(0);
    assert_eq!(run.stderr, "");
    run.stdout.lines().map(str::to_owned).collect()
}

fn branch(repo: &Repo, name: &str, path: &str) {
    repo.git(&["checkout", "--quiet", "-b", name, "main"]);
    repo.write(path, format!("{name}\n")).commit();
    repo.git(&["checkout", "--quiet", "main"]);
}

#[test]
fn a_number_is_free_on_every_branch_and_worktree_and_keeps_its_width() {
    let repo = adrs();
    branch(&repo, "a", "docs/adr/0002-a.md");
    branch(&repo, "far", "docs/adr/0009-far.md");
    let other = repo.beside("other");
    repo.git(&["worktree", "add", "--quiet", "-b", "w", other.to_str().expect("UTF-8"), "main"]);
    std::fs::write(other.join("docs/adr/0003-not-committed.md"), "").expect("the file can be written");
    assert_eq!(next(&repo, &["adr-numbers"]), ["0004"]);
    assert_eq!(next(&repo, &["adr-numbers", "--count", "6"]), ["0004", "0005", "0006", "0007", "0008", "0010"]);
    repo.write("docs/adr/0020-mine.md", "");
    assert_eq!(next(&repo, &["adr-numbers", "--name", "x"]), ["docs/adr/0021-x.md"], "past what it is built on");
    assert_eq!(repo.run_in(&repo.top().join("docs"), &["next", "adr-numbers"]).exits(0).stdout, "0021\n");
    let json = repo.run(&["next", "adr-numbers", "--count", "2", "--name", "x", "--format", "json"]).exits(0).stdout;
    let expected = r#"{"key":"0021","namespace":"adr-numbers","path":"docs/adr/0021-x.md","root":"docs/adr"}"#;
    assert_eq!(json.lines().next(), Some(expected));
    assert_eq!(json.lines().count(), 2);
}

#[test]
fn old_branches_count_too_and_a_folder_without_git_is_enough() {
    let repo = adrs();
    repo.git(&["checkout", "--quiet", "-b", "old"]);
    repo.write("docs/adr/0002-old.md", "").git(&["add", "--all"]);
    let date = OsStr::new("2001-01-01T00:00:00Z");
    repo.git_in(&repo.top(), &["commit", "--quiet", "-m", "old"], &[("GIT_COMMITTER_DATE", date)]);
    repo.git(&["checkout", "--quiet", "main"]);
    assert_eq!(next(&repo, &["adr-numbers"]), ["0003"]);
    let plain = Repo::plain();
    plain.files(&["docs/adr/009-x.md"]);
    assert_eq!(next(&plain, &["adr-numbers"]), ["010"]);
    let unborn = Repo::new();
    unborn.files(&["docs/adr/0001-x.md"]);
    assert_eq!(next(&unborn, &["adr-numbers"]), ["0002"]);
}

#[test]
fn a_time_is_now_or_past_the_newest_on_the_base() {
    let repo = Repo::new();
    repo.files(&["supabase/config.toml", "supabase/migrations/20260101000000_init.sql"]).commit();
    branch(&repo, "future", "supabase/migrations/20991231235958_x.sql");
    let path = next(&repo, &["supabase-migrations", "--name", "add_users"]).remove(0);
    let stamp = path.strip_prefix("supabase/migrations/").and_then(|rest| rest.strip_suffix("_add_users.sql"));
    let time = DateTime::strptime("%Y%m%d%H%M%S", stamp.expect("the tool's own way")).expect("a time");
    let past = Timestamp::now().duration_since(jiff::tz::Offset::UTC.to_timestamp(time).expect("a time"));
    assert!(past.abs() < SignedDuration::from_mins(10), "{path}");
    repo.write("supabase/migrations/20991231235957_y.sql", "").commit();
    assert_eq!(next(&repo, &["supabase-migrations"]), ["20991231235959"], "the branch has the one before");
}

#[test]
fn a_tool_without_any_name_yet_begins_with_its_first() {
    let repo = Repo::new();
    repo.files(&["supabase/config.toml"]).commit();
    assert_eq!(next(&repo, &["supabase-migrations"])[0].len(), 14);
    let missing = repo.run(&["next", "adr-numbers"]).exits(2);
    assert!(missing.stderr.contains("lives nowhere in this repository"), "{}", missing.stderr);
    assert!(missing.stderr.contains("help: it looks for files such as `{key}-{name}.md`"), "{}", missing.stderr);
    let gone = Repo::new().run(&["next", "supabase-migrations"]).exits(2);
    assert!(gone.stderr.contains("it looks for `supabase/config.toml` or, without one"), "{}", gone.stderr);
}

#[test]
fn several_places_are_listed_ready_to_paste() {
    let repo = adrs();
    repo.files(&["services/x y/docs/adr/0007-a.md", "docs/adr/web/0003-b.md"]).commit();
    let run = repo.run(&["next", "adr-numbers"]).exits(2);
    assert!(run.stderr.contains("`gatekeep next adr-numbers --root 'services/x y/docs/adr'`"), "{}", run.stderr);
    assert!(run.stderr.contains("`gatekeep next adr-numbers --root docs/adr/web`"), "{}", run.stderr);
    assert_eq!(next(&repo, &["adr-numbers", "--root", "services/x y/docs/adr/"]), ["0008"]);
    assert_eq!(next(&repo, &["adr-numbers", "--root", "./docs/adr"]), ["0002"]);
    let area = next(&repo, &["adr-numbers", "--root", "docs/adr/web", "--name", "c"]);
    assert_eq!(area, ["docs/adr/web/0004-c.md"], "as the newest there, with another key and name");
    let run = repo.run(&["next", "adr-numbers", "--root", "docs/ard"]).exits(2);
    assert!(run.stderr.contains("`adr-numbers` does not live in `docs/ard`"), "{}", run.stderr);
}

#[test]
fn a_place_that_only_a_branch_has_is_in_nobodys_way() {
    let repo = adrs();
    branch(&repo, "moves", "decisions/0001-x.md");
    assert_eq!(next(&repo, &["adr-numbers"]), ["0002"]);
    assert_eq!(next(&repo, &["adr-numbers", "--root", "decisions"]), ["0002"]);
}

#[test]
fn a_folder_keeps_its_own_way() {
    for (namespace, files, name, expected) in [
        ("goose", ["db/migrations/00001_a.sql", "db/migrations/00002_b.sql"], "c", "db/migrations/00003_c.sql"),
        ("golang-migrate", ["m/000009_a.up.sql", "m/000009_a.down.sql"], "b", "m/000010_b.up.sql"),
        ("flyway", ["db/migration/V1__a.sql", "db/migration/V1_2__b.sql"], "c", "db/migration/V1_3__c.sql"),
        ("adr-numbers", ["specs/001-a/spec.md", "specs/002-b/spec.md"], "c", "specs/003-c/spec.md"),
    ] {
        let repo = Repo::new();
        for file in files {
            repo.write(file, if namespace == "goose" { "-- +goose Up\n" } else { "" });
        }
        repo.commit();
        assert_eq!(next(&repo, &[namespace, "--name", name]), [expected]);
    }
}

#[test]
fn an_agent_takes_its_keys_from_its_band() {
    let repo = adrs();
    let lanes = "[agents.ps3]\nbranches = [\"agent/ps3/*\"]\nbands = { adr-numbers = \"0100..0102\" }\n";
    repo.write("gatekeep.toml", lanes).commit();
    assert_eq!(next(&repo, &["adr-numbers"]), ["0002"]);
    assert_eq!(next(&repo, &["adr-numbers", "--agent", "ps3"]), ["0100"]);
    branch(&repo, "agent/ps3/x", "docs/adr/0100-x.md");
    repo.git(&["checkout", "--quiet", "-b", "agent/ps3/y"]);
    assert_eq!(next(&repo, &["adr-numbers"]), ["0101"], "by its branch");
    let full = repo.run(&["next", "adr-numbers", "--count", "3"]).exits(2);
    assert!(full.stderr.contains("nothing free in the band `0100..0102` of `ps3`"), "{}", full.stderr);
    let unknown = repo.run(&["next", "adr-numbers", "--agent", "ps"]).exits(2);
    assert!(unknown.stderr.contains("help: did you mean `ps3`?"), "{}", unknown.stderr);
    repo.write("gatekeep.toml", "[agents.ps3]\nbranches = [\"agent/ps3/*\"]\n").commit();
    assert_eq!(next(&repo, &["adr-numbers"]), ["0101"], "the trunk says what the band is");
}

#[test]
fn what_can_not_be_said_is_refused() {
    let repo = adrs();
    repo.files(&["supabase/functions/a/index.ts", "supabase/config.toml"]).commit();
    let said = |args: &[&str]| repo.run(&[&["next"], args].concat()).exits(2).stderr;
    assert!(said(&["adr-number"]).contains("help: did you mean `adr-numbers`?"));
    assert!(said(&["boundary"]).contains("no rule has the id or code `boundary`"));
    let words = said(&["edge-functions"]);
    assert!(words.contains("its names don't follow from each other"), "{words}");
    assert!(words.contains("`gatekeep reserve edge-functions NAME` holds it"), "{words}");
    assert!(said(&["adr-numbers", "--name", "a/b"]).contains("it would lead into another folder"));
    assert!(said(&["adr-numbers", "--name", ""]).contains("it is empty"));
    assert!(said(&["adr-numbers", "--base", "nope"]).contains("no such branch, tag or commit: `nope`"));
    repo.write("gatekeep.toml", "[rules]\n\"adr-numbers\" = \"off\"\n").commit();
    assert!(said(&["adr-numbers"]).contains("the rule is off"));
    assert_eq!(next(&repo, &["adr-numbers", "--no-config"]), ["0002"]);
}

#[test]
fn a_class_that_somebody_has_is_told() {
    let repo = Repo::new();
    repo.files(&["config/application.rb", "db/migrate/20260101000001_create_users.rb"]).commit();
    branch(&repo, "a", "db/migrate/20260102000001_add_teams.rb");
    let run = repo.run(&["next", "rails-migrations", "--name", "add_teams"]).exits(2);
    assert!(
        run.stderr.contains("the class `AddTeams` is taken by db/migrate/20260102000001_add_teams.rb (a)"),
        "{}",
        run.stderr
    );
    assert!(next(&repo, &["rails-migrations", "--name", "add_roles"])[0].ends_with("_add_roles.rb"));
}

#[test]
fn what_can_not_be_looked_at_is_said_and_the_name_is_printed_all_the_same() {
    let repo = adrs();
    repo.git(&["remote", "add", "origin", "file:///nowhere/at/all"]);
    let run = repo.run(&["next", "adr-numbers"]).exits(3);
    assert_eq!(run.stdout, "0002\n");
    assert!(run.stderr.starts_with("could not be looked at: which names are reserved: "), "{}", run.stderr);
    assert_eq!(repo.run(&["next", "adr-numbers", "--offline"]).exits(0).stderr, "");
    assert!(!repo.run(&["next", "adr-numbers", "--allow-incomplete"]).exits(0).stderr.is_empty());
}
