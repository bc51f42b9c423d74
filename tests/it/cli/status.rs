//! How a run ends, and where its output goes.

use std::{fs, io, process::Stdio};

use crate::support::Repo;

const FORMATS: [&str; 9] = ["human", "json", "sarif", "github", "junit", "gitlab", "rdjson", "markdown", "html"];

fn colliding() -> Repo {
    let repo = Repo::new();
    repo.collision().commit();
    repo
}

/// A repository with a claim that can't be read: a link that leads out of the tree.
#[cfg(unix)]
fn with_a_gap() -> Repo {
    let repo = Repo::new();
    repo.write(".gatekeep/rules/own.toml", super::policy::OWN);
    std::os::unix::fs::symlink("/etc/hostname", repo.top().join("a.names")).expect("the link is new");
    repo.commit();
    repo
}

#[test]
fn nothing_found_is_0_and_an_error_1_in_every_format() {
    let clean = Repo::new();
    clean.files(&["supabase/config.toml", "supabase/migrations/1_a.sql"]).commit();
    let colliding = colliding();
    for format in FORMATS {
        clean.run(&["scan", "--format", format]).exits(0);
        colliding.run(&["scan", "--format", format]).exits(1);
        colliding.run(&["scan", "--format", format, "--fail-on", "never"]).exits(0);
    }
}

#[test]
fn a_warning_fails_only_where_warnings_do() {
    let repo = colliding();
    let warn = ["scan", "-W", "supabase-migrations"];
    repo.run(&warn).exits(0);
    repo.run(&[&warn[..], &["--fail-on", "warning"]].concat()).exits(1);
    repo.run(&["scan", "-A", "supabase-migrations/duplicate"]).exits(0);
    repo.write("gatekeep.toml", "fail-on = \"warning\"\n").run(&warn).exits(1);
    repo.run(&[&warn[..], &["--fail-on", "error"]].concat()).exits(0);
}

#[test]
fn what_cannot_be_used_is_2_and_says_why_on_stderr() {
    let repo = colliding();
    for args in [
        &["scan", "--no-such-option"][..],
        &["scan", "--only", "no-such-rule"],
        &["scan", "-D", "goose/no-such-kind"],
        &["scan", "no/such/path"],
        &["scan", ".."],
        &["scan", "--config", "none.toml"],
        &["scan", "--threads", "0"],
        &["scan", "--output", "json"],
        &["scan", "--output", "json=no/such/folder/report.json"],
        &["rules", "explain", "no-such-rule"],
        &["rules", "test", "none.toml"],
        &["no-such-command"],
    ] {
        let run = repo.run(args).exits(2);
        assert!(run.stdout.is_empty(), "{args:?}: {}", run.stdout);
        assert!(run.stderr.starts_with("error: "), "{args:?}: {}", run.stderr);
    }
    repo.write("gatekeep.toml", "fail_on = \"error\"\n");
    let run = repo.run(&["scan"]).exits(2);
    assert!(run.stderr.starts_with("error: gatekeep.toml:1:1: "), "{}", run.stderr);
    repo.run(&["scan", "--no-config"]).exits(1);
}

#[test]
fn no_command_shows_the_help_and_is_2() {
    let run = Repo::new().run(&[]).exits(2);
    assert!(run.stderr.contains("Usage: gatekeep <COMMAND>"), "{}", run.stderr);
}

#[cfg(unix)]
#[test]
fn a_gap_is_3_unless_it_is_allowed_or_something_fails_anyway() {
    let repo = with_a_gap();
    for format in FORMATS {
        let run = repo.run(&["scan", "--format", format]).exits(3);
        assert!(run.stdout.contains("a.names"), "{}", run.stdout);
        repo.run(&["scan", "--format", format, "--allow-incomplete"]).exits(0);
    }
    repo.collision();
    repo.run(&["scan"]).exits(1);
    repo.run(&["scan", "--fail-on", "never"]).exits(3);
}

#[test]
fn a_reader_that_has_gone_changes_no_verdict() {
    let repo = colliding();
    for format in FORMATS {
        let (reader, writer) = io::pipe().expect("pipes can be made");
        drop(reader);
        let status = repo.command(&["scan", "--format", format]).stdout(writer).status();
        assert_eq!(status.expect("the program runs").code(), Some(1));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_report_that_cannot_be_written_is_2() {
    let repo = colliding();
    let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("Linux has it");
    let status = repo.command(&["scan"]).stdout(full).stderr(Stdio::null()).status();
    assert_eq!(status.expect("the program runs").code(), Some(2));
    repo.run(&["scan", "--output", "json=/dev/full"]).exits(2);
}

#[test]
fn further_reports_are_the_same_as_those_on_stdout() {
    let repo = colliding();
    let run = repo
        .run(&[
            "scan",
            "--format",
            "json",
            "--output",
            "human=h.txt",
            "--output",
            "github=g.txt",
            "--output",
            "html=p.html",
        ])
        .exits(1);
    assert_eq!(run.codes(), ["supabase-migrations/duplicate"]);
    assert_eq!(repo.read("h.txt"), repo.run(&["scan"]).stdout);
    assert_eq!(repo.read("g.txt"), repo.run(&["scan", "--format", "github"]).stdout);
    assert_eq!(repo.read("p.html"), repo.run(&["scan", "--format", "html"]).stdout);
    repo.write("h.txt", "old").run(&["scan", "--output", "human=h.txt"]).exits(1);
    assert_eq!(repo.read("h.txt"), repo.run(&["scan"]).stdout);
}

#[test]
fn quiet_leaves_out_all_but_findings() {
    let repo = colliding();
    let quiet = repo.run(&["scan", "--quiet"]).exits(1);
    let usual = repo.run(&["scan"]).exits(1);
    let closing = usual.stdout.strip_prefix(&quiet.stdout).expect("the same findings come first");
    assert!(closing.starts_with("1 error in ") && closing.lines().count() == 1, "{closing}");
    assert!(quiet.stderr.is_empty() && usual.stderr.is_empty());
    repo.remove("supabase/migrations/1_b.sql");
    assert_eq!(repo.run(&["scan", "--quiet"]).exits(0).stdout, "");
    repo.run(&["scan", "--quiet", "--verbose"]).exits(2);
}

#[test]
fn counts_go_to_stderr_and_change_nothing_else() {
    let repo = colliding();
    let (with, without) = (repo.run(&["scan", "--stats"]), repo.run(&["scan"]));
    assert_eq!((with.status, with.stdout), (without.status, without.stdout));
    assert!(!with.stderr.is_empty());
}

#[test]
fn every_run_and_every_count_of_threads_gives_the_same_bytes() {
    let repo = Repo::new();
    repo.files(&["supabase/config.toml"]);
    for at in 0..120 {
        repo.files(&[&format!("supabase/migrations/{}_{at}.sql", at % 40), &format!("supabase/migrations/x{at}.sql")]);
    }
    repo.commit();
    for format in FORMATS {
        let scan = |threads| repo.run(&["scan", "--format", format, "--threads", threads]).exits(1);
        let once = scan("1");
        for threads in ["1", "2", "8"] {
            assert_eq!(scan(threads), once);
        }
    }
}

/// What `--stats` counted, by name.
fn stats(repo: &Repo, args: &[&str]) -> std::collections::BTreeMap<String, u64> {
    let run = repo.run(&[&["scan", "--stats"], args].concat());
    let lines = run.stderr.lines().filter_map(|line| line.split_once(' '));
    lines.filter_map(|(name, count)| Some((name.to_owned(), count.parse().ok()?))).collect()
}

#[test]
fn the_cost_follows_what_is_wanted() {
    let repo = Repo::new();
    repo.files(&["supabase/config.toml", "supabase/migrations/1_a.sql", "supabase/migrations/2_b.sql", "go.mod"]);
    for at in 0..300 {
        repo.write(format!("src/module{at}/main.go"), "package main\n");
        repo.write(format!("src/module{at}/main_test.go"), "package main\n");
    }
    repo.commit();
    let counted = stats(&repo, &["--tracked", "--only", "supabase-migrations"]);
    assert_eq!(counted["paths"], 604);
    assert_eq!((counted["opened"], counted["bytes"], counted["readdir"]), (0, 0, 0), "{counted:?}");
    // three wanted files, and the folders on the way to them
    assert_eq!(counted["lstat"], 5, "{counted:?}");
    let all = stats(&repo, &["--tracked"]);
    assert_eq!(all["opened"], 1, "only the configuration of the functions is read: {all:?}");
    let walked = stats(&repo, &["--only", "supabase-migrations"]);
    assert_eq!((walked["opened"], walked["lstat"], walked["readdir"]), (0, 0, 304), "{walked:?}");
}
