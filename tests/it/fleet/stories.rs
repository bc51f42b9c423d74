//! What happens between lines of work, and what is said of it.

use std::{collections::BTreeSet, ffi::OsStr, fs};

use crate::support::{Repo, Run};

const CONFIG: &str = "supabase/config.toml";

/// A trunk with one migration, and a branch for each of these that adds a file.
fn branches(files: &[(&str, &str)]) -> Repo {
    let repo = Repo::new();
    repo.write(CONFIG, "").write("supabase/migrations/20260101000000_init.sql", "create table a();\n").commit();
    for (name, path) in files {
        repo.git(&["checkout", "--quiet", "-b", name, "main"]);
        repo.write(path, format!("-- {name}\n")).commit();
    }
    repo.git(&["checkout", "--quiet", "main"]);
    repo
}

fn codes(run: &Run) -> Vec<String> {
    let findings = run.json()["findings"].as_array().expect("a list").clone();
    findings.iter().map(|one| format!("{} {} {}", one["severity"], one["rule"], one["key"]).replace('"', "")).collect()
}

const TAKEN: &str = "20260428000000";

fn two() -> Repo {
    branches(&[
        ("agent/a", "supabase/migrations/20260428000000_a.sql"),
        ("agent/b", "supabase/migrations/20260428000000_b.sql"),
    ])
}

#[test]
fn two_branches_collide_before_they_are_merged_and_each_alone_is_green() {
    let repo = two();
    repo.run(&["scan"]).exits(0);
    for branch in ["agent/a", "agent/b"] {
        repo.run(&["scan", "--base", "main", "--head", branch]).exits(0);
    }
    let run = repo.run(&["scan", "--branches", "agent/*", "--format", "json"]).exits(1);
    assert_eq!(codes(&run), [format!("error supabase-migrations/duplicate {TAKEN}")]);
    let json = run.json();
    let sites = json["findings"][0]["sites"].as_array().expect("a list");
    let holders: Vec<&str> = sites.iter().filter_map(|site| site["holder"]["name"].as_str()).collect();
    assert_eq!(holders, ["agent/b", "agent/a"], "who has to yield comes first");
    assert_eq!(json["findings"][0]["fix"]["renames"][0]["to"], "supabase/migrations/20260428000001_b.sql");
    assert_eq!((&json["target"], &json["summary"]["holders"]), (&"main".into(), &3.into()));
}

/// Nothing but the settings tells that the files are migrations: by their names no rule has to do with what the branches add.
#[test]
fn files_that_only_the_settings_on_the_trunk_name_collide_too() {
    let repo = Repo::new();
    let revision = |id: &str, down: &str| format!("revision = '{id}'\ndown_revision = {down}\n");
    repo.write("alembic.ini", "[alembic]\nscript_location = db\nversion_locations = %(here)s/db/revs\n");
    repo.write("db/revs/first.py", revision("0001", "None")).commit();
    for name in ["a", "b"] {
        repo.git(&["checkout", "--quiet", "-b", &format!("agent/{name}"), "main"]);
        repo.write(format!("db/revs/{name}.py"), revision("0002", "'0001'")).commit();
    }
    repo.git(&["checkout", "--quiet", "-b", "agent/c", "main"]);
    repo.write("db/other/c.py", revision("0002", "'0001'")).commit();
    let of = |args: &[&str]| codes(&repo.run(&[&["scan", "--format", "json"], args].concat()));
    assert_eq!(of(&["--branches", "agent/*"]), ["error alembic/duplicate 0002"]);
    assert_eq!(of(&["--base", "agent/a", "--head", "agent/b"]), ["error alembic/duplicate 0002"]);
    assert_eq!(of(&["--base", "agent/a", "--head", "agent/c"]), [""; 0]);
}

#[test]
fn with_a_change_as_head_only_its_own_part_is_said() {
    let repo = two();
    let of = |head: &str| {
        let run = repo.run(&["scan", "--base", "main", "--head", head, "--branches", "*", "--format", "json"]);
        (codes(&run), run.status)
    };
    assert_eq!(of("agent/a"), (vec![format!("note supabase-migrations/duplicate {TAKEN}")], 0));
    assert_eq!(of("agent/b"), (vec![format!("error supabase-migrations/duplicate {TAKEN}")], 1));
    repo.git(&["branch", "agent/c", "main"]);
    assert_eq!(of("agent/c"), (vec![], 0));
}

#[test]
fn policy_comes_from_the_trunk_and_a_change_can_not_loosen_it() {
    let repo = two();
    repo.git(&["checkout", "--quiet", "agent/b"]);
    repo.write("gatekeep.toml", "[rules]\n\"supabase-migrations\" = \"off\"\n").commit();
    repo.git(&["merge", "--quiet", "--no-edit", "agent/a"]);
    let run = repo.run(&["scan", "--base", "main", "--format", "json"]).exits(1);
    let adopts = "note gate/changed null".to_owned();
    assert_eq!(codes(&run), [format!("error supabase-migrations/duplicate {TAKEN}"), adopts]);
    assert_eq!(run.json()["policy"]["from"], "built-in");
    repo.git(&["checkout", "--quiet", "main"]);
    repo.write("gatekeep.toml", "[rules]\n\"supabase-migrations\" = \"off\"\n").commit();
    let run = repo.run(&["scan", "--base", "main", "--head", "agent/b", "--format", "json"]).exits(0);
    let main = repo.git(&["rev-parse", "main"]);
    assert_eq!(
        (run.json()["policy"]["from"].clone(), run.json()["policy"]["commit"].clone()),
        ("base".into(), main.trim().into())
    );
}

#[test]
fn a_bare_repository_can_be_judged_and_nothing_is_written_to_it() {
    let repo = two();
    let bare = repo.beside("bare.git");
    repo.git(&["clone", "--quiet", "--bare", ".", bare.to_str().expect("UTF-8")]);
    let before = files(&bare);
    let run = repo.run_in(&bare, &["scan", "--branches", "agent/*", "--conflicts", "--format", "json"]).exits(1);
    assert_eq!(codes(&run), [format!("error supabase-migrations/duplicate {TAKEN}")]);
    assert_eq!(files(&bare), before);
}

/// All files below a folder, with their lengths.
fn files(folder: &std::path::Path) -> BTreeSet<(String, u64)> {
    let mut all = BTreeSet::new();
    for entry in fs::read_dir(folder).expect("it can be listed") {
        let entry = entry.expect("it can be listed");
        let meta = entry.metadata().expect("it is there");
        match meta.is_dir() {
            true => all.extend(files(&entry.path())),
            false => _ = all.insert((entry.path().display().to_string(), meta.len())),
        }
    }
    all
}

#[test]
fn a_shallow_clone_is_incomplete_and_says_how_to_mend_it() {
    let repo = two();
    repo.write("later", "x").commit();
    let clone = repo.beside("shallow");
    let from = format!("file://{}", repo.top().display());
    repo.git(&["clone", "--quiet", "--depth=1", "--no-single-branch", &from, clone.to_str().expect("UTF-8")]);
    let run = repo.run_in(&clone, &["scan", "--base", "origin/main", "--head", "origin/agent/a"]).exits(3);
    assert!(run.stdout.contains("--unshallow"), "{}", run.stdout);
    repo.run_in(&clone, &["scan", "--branches", "agent/*"]).exits(3);
}

#[test]
fn a_hook_under_a_partial_commit_judges_what_it_commits() {
    let repo = branches(&[]);
    repo.write("supabase/migrations/20260101000000_again.sql", "-- again\n").write("notes", "x");
    repo.git(&["add", "--all"]);
    let run = repo.run(&["scan", "--staged", "--format", "json"]).exits(1);
    assert_eq!(codes(&run), ["error supabase-migrations/duplicate 20260101000000"]);
    let index = repo.beside("index");
    fs::copy(repo.top().join(".git/index"), &index).expect("it is there");
    let env = [("GIT_INDEX_FILE", index.as_os_str())];
    repo.git_in(&repo.top(), &["rm", "--quiet", "--cached", "supabase/migrations/20260101000000_again.sql"], &env);
    repo.run_with(&repo.top(), &["scan", "--staged"], &env).exits(0);
    repo.run(&["scan", "--staged"]).exits(1);
}

#[test]
fn an_old_collision_is_a_note_of_the_commit_that_touches_its_namespace() {
    let repo = branches(&[]);
    repo.write("supabase/migrations/20260101000000_again.sql", "-- again\n").commit();
    repo.write("supabase/migrations/20260102000000_more.sql", "-- more\n").git(&["add", "--all"]);
    let run = repo.run(&["scan", "--staged", "--format", "json"]).exits(0);
    assert_eq!(codes(&run), ["note supabase-migrations/duplicate 20260101000000"]);
    let run = repo.run(&["scan", "--base", "main", "--format", "json"]).exits(0);
    assert_eq!(codes(&run), [""; 0]);
}

#[test]
fn the_first_commit_of_all_is_judged_against_nothing() {
    let repo = Repo::new();
    repo.collision().git(&["add", "--all"]);
    let run = repo.run(&["scan", "--staged", "--format", "json"]).exits(1);
    assert_eq!(codes(&run), ["error supabase-migrations/duplicate 1"]);
}

#[test]
fn a_worktree_whose_head_makes_no_sense_is_never_clear() {
    let repo = branches(&[]);
    let top = repo.beside("w");
    repo.git(&["worktree", "add", "--quiet", "-b", "w", top.to_str().expect("UTF-8")]);
    for name in ["20260428000000_a.sql", "20260428000000_b.sql"] {
        fs::write(top.join("supabase/migrations").join(name), name).expect("it can be written");
    }
    repo.run_in(&top, &["scan", "--base", "main"]).exits(1);
    let head = repo.top().join(".git/worktrees/w/HEAD");
    for nonsense in ["ref: refs/heads/../w\n", "0123\n"] {
        fs::write(&head, nonsense).expect("the worktree is there");
        let run = repo.run_in(&top, &["scan", "--base", "main"]).exits(2);
        assert!(run.stderr.contains("HEAD"), "{}", run.stderr);
    }
}

#[test]
fn worktrees_count_with_what_is_uncommitted_in_them() {
    let repo = branches(&[]);
    for (name, file) in [("one", "20260428000000_a.sql"), ("two", "20260428000000_b.sql")] {
        let folder = repo.beside(name);
        repo.git(&["worktree", "add", "--quiet", "-b", &format!("agent/{name}"), folder.to_str().expect("UTF-8")]);
        fs::write(folder.join("supabase/migrations").join(file), format!("-- {name}\n")).expect("it can be written");
    }
    repo.run(&["scan"]).exits(0);
    let run = repo.run(&["scan", "--worktrees", "--format", "json"]).exits(1);
    assert_eq!(codes(&run), [format!("error supabase-migrations/duplicate {TAKEN}")]);
    let inside = repo.run_in(&repo.beside("one"), &["scan", "--worktrees", "--format", "json"]).exits(1);
    assert_eq!(inside.json()["findings"][0]["fingerprint"], run.json()["findings"][0]["fingerprint"]);
}

#[test]
fn what_can_not_be_asked_for_is_said() {
    let repo = two();
    repo.run(&["scan", "--base", "nosuch"]).exits(2);
    repo.run(&["scan", "--fleet", "--since", "soon"]).exits(2);
    repo.run(&["scan", "--staged", "--head", "main"]).exits(2);
    Repo::plain().run(&["scan", "--branches", "*"]).exits(2);
    let empty = Repo::new();
    let run = empty.run(&["scan", "--branches", "*"]).exits(2);
    assert!(run.stderr.contains("--base"), "{}", run.stderr);
}

#[test]
fn old_branches_are_left_out_of_a_fleet_and_counted() {
    let repo = two();
    repo.git(&["checkout", "--quiet", "agent/b"]);
    let day = [("GIT_COMMITTER_DATE", OsStr::new("2020-01-01T00:00:00Z"))];
    repo.git_in(&repo.top(), &["commit", "--quiet", "--amend", "--no-edit"], &day);
    repo.git(&["checkout", "--quiet", "main"]);
    let run = repo.run(&["scan", "--fleet", "--format", "json"]).exits(0);
    assert_eq!(codes(&run), [""; 0]);
    let skipped = run.json()["skipped"].to_string();
    assert!(skipped.contains("older than 30d"), "{skipped}");
    let all = repo.run(&["scan", "--fleet", "--since", "all", "--format", "json"]).exits(1);
    assert_eq!(codes(&all), [format!("error supabase-migrations/duplicate {TAKEN}")]);
    assert_eq!(all.json()["findings"][0]["sites"][0]["holder"]["name"], "agent/a", "the older branch keeps the name");
}

#[test]
fn the_list_that_is_kept_changes_no_answer() {
    let repo = Repo::new();
    repo.write(CONFIG, "").write("supabase/migrations/1_a.sql", "-- a\n");
    (0..5_200).for_each(|number| {
        repo.write(format!("src/{}/{number}.txt", number % 50), "");
    });
    repo.commit();
    repo.git(&["checkout", "--quiet", "-b", "b"]);
    repo.write("supabase/migrations/1_b.sql", "-- b\n").commit();
    let scan = || repo.run(&["scan", "--base", "main", "--head", "b", "--format", "json"]).exits(1).stdout;
    let kept = repo.top().join(".git/gatekeep");
    let first = scan();
    assert_eq!(fs::read_dir(&kept).expect("it is kept").count(), 1);
    assert_eq!(scan(), first);
    for file in fs::read_dir(&kept).expect("it is kept") {
        let file = file.expect("it is there").path();
        fs::write(&file, "rubbish").expect("it can be written");
    }
    assert_eq!(scan(), first);
    // the trunk goes on: what is kept is brought forward
    repo.git(&["checkout", "--quiet", "main"]);
    repo.write("supabase/migrations/2_c.sql", "-- c\n").commit();
    let forward = scan();
    fs::remove_dir_all(&kept).expect("it can be removed");
    assert_eq!(scan(), forward);
}

#[test]
fn what_is_as_in_one_of_several_merge_bases_is_nobodys_change() {
    let repo = branches(&[("x", "supabase/migrations/20260102000000_x.sql")]);
    repo.write("y", "y").commit();
    repo.git(&["checkout", "--quiet", "-b", "one"]);
    repo.git(&["merge", "--quiet", "--no-edit", "x"]);
    repo.remove("supabase/migrations/20260102000000_x.sql");
    repo.write("supabase/migrations/20260103000000_x.sql", "-- x, at a later time\n");
    repo.write("supabase/migrations/20260102000000_other.sql", "create table other (a int, b int);\n").commit();
    repo.git(&["checkout", "--quiet", "-b", "two", "x"]);
    repo.git(&["merge", "--quiet", "--no-edit", "main"]);
    repo.write("two", "two").commit();
    assert_eq!(repo.git(&["merge-base", "--all", "one", "two"]).lines().count(), 2);
    for (base, head) in [("one", "two"), ("two", "one")] {
        let run = repo.run(&["scan", "--base", base, "--head", head, "--format", "json"]);
        let duplicate = |code: &String| code.contains("/duplicate");
        assert!(!codes(&run).iter().any(duplicate), "{base} and {head}: {:?}", codes(&run));
    }
}
