//! Names held on a shared remote.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
    thread,
};

use crate::support::{Repo, Run};

/// A bare remote with one record, and clones of it.
struct Shared {
    repo: Repo,
    remote: PathBuf,
}

impl Shared {
    fn new() -> Self {
        let repo = Repo::new();
        repo.write("docs/adr/0001-use-adrs.md", "# 1\n").commit();
        let remote = repo.beside("remote.git");
        let shared = Self { remote, repo };
        shared.repo.git(&["clone", "--quiet", "--bare", ".", text(&shared.remote)]);
        shared
    }

    fn url(&self) -> String {
        format!("file://{}", text(&self.remote))
    }

    fn clone(&self, name: &str) -> PathBuf {
        let path = self.repo.beside(name);
        self.repo.git(&["clone", "--quiet", &self.url(), text(&path)]);
        path
    }

    fn run(&self, folder: &Path, args: &[&str]) -> Run {
        self.repo.run_in(folder, args)
    }

    fn git(&self, folder: &Path, args: &[&str]) -> String {
        self.repo.git_in(folder, args, &[])
    }

    /// Keys and agents of the reservations, by the program's own list.
    fn listed(&self, folder: &Path) -> Vec<(String, String)> {
        let json = self.run(folder, &["reservations", "--format", "json"]).exits(0).json();
        let all = json["reservations"].as_array().expect("a list").clone();
        let word = |one: &serde_json::Value, name: &str| one[name].as_str().unwrap_or_default().to_owned();
        all.iter().map(|one| (word(one, "key"), word(one, "agent"))).collect()
    }

    /// Puts an object at the place of a reservation, as anybody who can push might.
    fn put(&self, reference: &str, message: &str) {
        let tree = self.git(&self.remote, &["hash-object", "-t", "tree", "-w", "/dev/null"]);
        let commit = self.git(&self.remote, &["commit-tree", "-m", message, tree.trim()]);
        self.git(&self.remote, &["update-ref", &format!("refs/gatekeep/claims/{reference}"), commit.trim()]);
    }
}

fn text(path: &Path) -> &str {
    path.to_str().expect("temporary folders have plain names")
}

fn pair(key: &str, agent: &str) -> (String, String) {
    (key.to_owned(), agent.to_owned())
}

#[test]
fn a_name_is_held_by_one_and_told_to_the_others() {
    let shared = Shared::new();
    let (one, two) = (shared.clone("one"), shared.clone("two"));
    let held = shared.run(&one, &["reserve", "adr-numbers", "0002", "--agent", "one", "--reason", "cache"]).exits(0);
    assert_eq!(held.stdout, "0002\n");
    assert!(held.stderr.starts_with("held for one until 20"), "{}", held.stderr);
    let lost = shared.run(&two, &["reserve", "adr-numbers", "2", "--agent", "two"]).exits(1);
    assert!(lost.stderr.starts_with("`0002` is held by one until 20") && lost.stdout.is_empty(), "{lost:?}");
    assert_eq!(shared.run(&two, &["next", "adr-numbers"]).exits(0).stdout, "0003\n");
    assert_eq!(shared.run(&two, &["next", "adr-numbers", "--offline"]).exits(0).stdout, "0002\n");
    let json = shared.run(&two, &["reserve", "adr-numbers", "--agent", "two", "--name", "x", "--format", "json"]);
    let json = json.exits(0).json();
    assert_eq!(json["key"], "0003");
    assert_eq!((&json["namespace"], &json["root"]), (&"adr-numbers".into(), &"docs/adr".into()));
    assert_eq!(json["path"], "docs/adr/0003-x.md");
    assert_eq!(shared.listed(&one), [pair("0002", "one"), pair("0003", "two")]);
    let table = shared.run(&one, &["reservations"]).exits(0).stdout;
    assert!(table.starts_with("NAMESPACE    ROOT      KEY   AGENT  UNTIL"), "{table}");
    assert!(table.lines().nth(1).expect("a row").ends_with("  cache"), "{table}");
    assert_eq!(shared.git(&one, &["for-each-ref"]).matches("gatekeep").count(), 0, "nothing is left in the clone");
    assert_eq!(shared.git(&one, &["status", "--porcelain"]), "");
    assert_eq!(std::fs::read_dir(shared.repo.beside("temp")).expect("it is there").count(), 0);
}

#[test]
fn an_own_name_is_renewed_and_given_back_and_anothers_is_not() {
    let shared = Shared::new();
    let one = shared.clone("one");
    let reserve =
        |ttl: &str, agent: &str| shared.run(&one, &["reserve", "adr-numbers", "0002", "--ttl", ttl, "--agent", agent]);
    let expires =
        || shared.run(&one, &["reservations", "--format", "json"]).json()["reservations"][0]["expires"].to_string();
    reserve("1h", "one").exits(0);
    let before = expires();
    reserve("2h", "one").exits(0);
    assert!(expires() > before);
    let release = |args: &[&str]| shared.run(&one, &[&["release", "adr-numbers", "2"], args].concat());
    let refused = release(&["--agent", "two"]).exits(1);
    assert!(
        refused.stderr.contains("is held by one until") && refused.stderr.contains("not by two"),
        "{}",
        refused.stderr
    );
    assert_eq!(release(&["--agent", "one"]).exits(0).stderr, "released `2` of adr-numbers\n");
    assert_eq!(release(&["--agent", "one"]).exits(0).stderr, "`2` of adr-numbers was not reserved\n");
    reserve("1h", "two").exits(0);
    release(&["--agent", "one", "--force"]).exits(0);
    assert_eq!(shared.listed(&one), []);
}

#[test]
fn what_a_file_takes_is_not_reserved_by_others() {
    let shared = Shared::new();
    let one = shared.clone("one");
    let taken = shared.run(&one, &["reserve", "adr-numbers", "1"]).exits(1);
    assert_eq!(taken.stderr, "`0001` is taken: the branch origin/main has docs/adr/0001-use-adrs.md\n");
    std::fs::write(one.join("docs/adr/0002-mine.md"), "").expect("the file can be written");
    shared.run(&one, &["reserve", "adr-numbers", "0002", "--agent", "one"]).exits(0);
    shared.git(&one, &["checkout", "--quiet", "-b", "b"]);
    shared.git(&one, &["add", "--all"]);
    shared.git(&one, &["commit", "--quiet", "-m", "b"]);
    shared.git(&one, &["checkout", "--quiet", "main"]);
    let taken = shared.run(&one, &["reserve", "adr-numbers", "0002", "--agent", "one"]).exits(1);
    assert!(taken.stderr.contains("the branch b has docs/adr/0002-mine.md"), "{}", taken.stderr);
}

#[test]
fn twelve_at_once_get_twelve_names_without_a_gap() {
    let shared = Shared::new();
    let one = shared.clone("one");
    let agents: Vec<String> = (0..12).map(|n| format!("agent{n}")).collect();
    let run = |agent: &String| shared.run(&one, &["reserve", "adr-numbers", "--agent", agent]).exits(0).stdout;
    let mut keys: Vec<String> = thread::scope(|scope| {
        let started: Vec<_> = agents.iter().map(|agent| scope.spawn(|| run(agent))).collect();
        started.into_iter().map(|one| one.join().expect("it ran")).collect()
    });
    keys.sort();
    assert_eq!(keys, (2..14).map(|n| format!("{n:04}\n")).collect::<Vec<_>>());
    let mut holders: Vec<String> = shared.listed(&one).into_iter().map(|(_, agent)| agent).collect();
    holders.sort();
    let mut expected = agents;
    expected.sort();
    assert_eq!(holders, expected);
}

#[test]
fn several_names_are_held_together() {
    let shared = Shared::new();
    let one = shared.clone("one");
    shared.run(&one, &["reserve", "adr-numbers", "0003", "--agent", "two"]).exits(0);
    let held = shared.run(&one, &["reserve", "adr-numbers", "--count", "3", "--agent", "one"]).exits(0);
    assert_eq!(held.stdout, "0002\n0004\n0005\n");
    shared.run(&one, &["reserve", "adr-numbers", "0009", "--count", "2"]).exits(2);
}

#[test]
fn what_is_over_is_taken_and_what_nobody_can_read_is_not() {
    let shared = Shared::new();
    let one = shared.clone("one");
    shared.run(&one, &["reserve", "adr-numbers", "0002", "--agent", "two"]).exits(0);
    let reference = shared.git(&shared.remote, &["for-each-ref", "--format=%(refname:lstrip=3)", "refs/gatekeep"]);
    let message = shared.git(&shared.remote, &["for-each-ref", "--format=%(contents)", "refs/gatekeep"]);
    let until = message.split("\"expires\":\"").nth(1).and_then(|rest| rest.split('"').next()).expect("it has an end");
    shared.put(reference.trim(), &message.replace(until, "2020-01-01T00:00:00Z"));
    assert_eq!(shared.run(&one, &["next", "adr-numbers"]).exits(0).stdout, "0002\n");
    assert!(shared.run(&one, &["reservations"]).exits(0).stdout.contains("2020-01-01T00:00:00Z (over)"));
    assert_eq!(shared.run(&one, &["reserve", "adr-numbers", "--agent", "one"]).exits(0).stdout, "0002\n");
    assert_eq!(shared.listed(&one), [pair("0002", "one")]);

    shared.put(reference.trim(), "hello");
    let lost = shared.run(&one, &["reserve", "adr-numbers", "0002", "--agent", "one"]).exits(1);
    assert_eq!(lost.stderr, "`0002` is held by somebody unknown: it does not say what it holds\n");
    assert_eq!(shared.run(&one, &["next", "adr-numbers"]).exits(0).stdout, "0003\n");
    assert_eq!(shared.listed(&one), [pair(reference.trim(), "unknown")]);
    shared.run(&one, &["reservations", "--prune"]).exits(0);
    shared.run(&one, &["release", "unknown", reference.trim()]).exits(1);
    shared.run(&one, &["release", "unknown", reference.trim(), "--force"]).exits(0);
    assert_eq!(shared.listed(&one), []);
    shared.put("not-ours", "hello");
    assert_eq!(shared.listed(&one), [], "no name of a reservation");
}

#[test]
fn what_is_merged_or_over_is_swept() {
    let shared = Shared::new();
    let one = shared.clone("one");
    for key in ["0002", "0003"] {
        shared.run(&one, &["reserve", "adr-numbers", key, "--agent", "one"]).exits(0);
    }
    std::fs::write(one.join("docs/adr/0002-x.md"), "").expect("the file can be written");
    shared.git(&one, &["add", "--all"]);
    shared.git(&one, &["commit", "--quiet", "-m", "merged"]);
    shared.git(&one, &["push", "--quiet", "origin", "main"]);
    let swept = shared.run(&one, &["reservations", "--prune"]).exits(0);
    assert_eq!(swept.stderr, "swept 1\n");
    assert_eq!(shared.listed(&one), [pair("0003", "one")]);
    assert_eq!(shared.run(&one, &["reservations", "--prune"]).exits(0).stderr, "nothing is to be swept\n");
}

#[test]
fn without_a_remote_nothing_is_reserved_and_that_is_said() {
    let shared = Shared::new();
    let lonely = shared.repo.run(&["reserve", "adr-numbers"]).exits(3);
    assert!(
        lonely.stdout.is_empty() && lonely.stderr.starts_with("nothing was reserved: there is no remote here"),
        "{lonely:?}"
    );
    shared.repo.run(&["reservations"]).exits(3);
    shared.repo.git(&["remote", "add", "up", "file:///nowhere"]);
    let run = shared.repo.run(&["reserve", "adr-numbers"]).exits(3);
    assert!(run.stderr.starts_with("nothing was reserved on `up`: '/nowhere' does not appear to be"), "{}", run.stderr);
    shared.repo.git(&["remote", "add", "down", "file:///nowhere"]);
    let run = shared.repo.run(&["reserve", "adr-numbers"]).exits(2);
    assert!(run.stderr.contains("there are several remotes, and none is called origin: down, up"), "{}", run.stderr);
    let run = shared.repo.run(&["reserve", "adr-numbers", "--remote", "dow"]).exits(2);
    assert!(run.stderr.contains("help: did you mean `down`?"), "{}", run.stderr);
    assert_eq!(shared.repo.run(&["reserve", "adr-numbers", "--remote", &shared.url()]).exits(0).stdout, "0002\n");
}

#[test]
fn a_password_in_an_address_is_never_shown() {
    let shared = Shared::new();
    shared.repo.git(&["remote", "add", "origin", "http://me:secret@127.0.0.1:9/r.git"]);
    for args in [&["reserve", "adr-numbers"][..], &["next", "adr-numbers"], &["reservations"]] {
        let run = shared.repo.run(args).exits(3);
        assert!(!run.stderr.contains("secret") && run.stderr.contains("127.0.0.1"), "{}", run.stderr);
    }
}

#[test]
fn a_remote_that_refuses_is_told_in_its_own_words() {
    let shared = Shared::new();
    let one = shared.clone("one");
    let hook = shared.remote.join("hooks/pre-receive");
    std::fs::create_dir_all(hook.parent().expect("a folder")).expect("it can be made");
    std::fs::write(&hook, "#!/bin/sh\nexit 1\n").expect("the hook can be written");
    shared.git(&shared.remote, &["config", "core.hooksPath", text(hook.parent().expect("a folder"))]);
    assert!(std::process::Command::new("chmod").arg("+x").arg(&hook).status().expect("chmod runs").success());
    let run = shared.run(&one, &["reserve", "adr-numbers"]).exits(3);
    assert!(run.stderr.starts_with("nothing was reserved on `origin`: it refused: "), "{}", run.stderr);
    assert!(run.stderr.contains("pre-receive hook declined"), "{}", run.stderr);
}

#[test]
fn hooks_of_the_clone_do_not_run_and_who_asks_is_found_out() {
    let shared = Shared::new();
    let one = shared.clone("one");
    let hook = one.join(".git/hooks/pre-push");
    std::fs::create_dir_all(hook.parent().expect("a folder")).expect("it can be made");
    std::fs::write(&hook, "#!/bin/sh\ntouch ran\nexit 1\n").expect("the hook can be written");
    assert!(std::process::Command::new("chmod").arg("+x").arg(&hook).status().expect("chmod runs").success());
    shared.git(&one, &["config", "user.email", "zoe@example.org"]);
    shared.run(&one, &["reserve", "adr-numbers"]).exits(0);
    assert!(!one.join("ran").exists());
    shared.git(&one, &["checkout", "--quiet", "-b", "feature/x"]);
    shared.run(&one, &["reserve", "adr-numbers"]).exits(0);
    let env = [("GATEKEEP_AGENT", OsStr::new("ps3"))];
    shared.repo.run_with(&one, &["reserve", "adr-numbers"], &env).exits(0);
    let expected = [pair("0002", "zoe@example.org"), pair("0003", "feature/x"), pair("0004", "ps3")];
    assert_eq!(shared.listed(&one), expected);
}

#[test]
fn words_can_be_held_too_where_the_rule_takes_them() {
    let shared = Shared::new();
    let one = shared.clone("one");
    std::fs::create_dir_all(one.join("supabase/functions/hello")).expect("the folders can be made");
    std::fs::write(one.join("supabase/functions/hello/index.ts"), "").expect("the file can be written");
    shared.run(&one, &["reserve", "edge-functions", "pay", "--agent", "one"]).exits(0);
    let lost = shared.run(&one, &["reserve", "edge-functions", "pay", "--agent", "two"]).exits(1);
    assert!(lost.stderr.starts_with("`pay` is held by one"), "{}", lost.stderr);
    let bad = |args: &[&str]| shared.run(&one, &[&["reserve"], args].concat()).exits(2).stderr;
    assert!(bad(&["edge-functions"]).contains("its names don't follow from each other"));
    assert!(bad(&["adr-numbers", "abc"]).contains("the tool would not take it for a name"));
    assert!(bad(&["adr-numbers", "0004", "--ttl", "soon"]).contains("`soon` is no age"));
    assert!(bad(&["adr-numbers", "0004", "--ttl", "9999d"]).contains("longer than a year"));
    assert!(bad(&["adr-numbers", "0004", "--reason", "a\nb"]).contains("as a word of a reservation"));
    assert!(bad(&["sitemap-urls", "https://a.example/"]).contains("as a namespace of reservations"));
}

/// The open findings of a scan: severity, rule, key, and the holders of the sites.
fn scanned(shared: &Shared, folder: &Path, args: &[&str], status: i32) -> Vec<String> {
    let args = [&["scan", "--format", "json", "--reservations"], args].concat();
    let json = shared.run(folder, &args).exits(status).json();
    assert_eq!(json["complete"], true, "{json:#}");
    let one = |found: &serde_json::Value| {
        let sites = found["sites"].as_array().expect("a list").iter();
        let holders: Vec<&str> = sites.filter_map(|site| site["holder"]["name"].as_str()).collect();
        format!("{} {} {} {}", found["severity"], found["rule"], found["key"], holders.join(" ")).replace('"', "")
    };
    json["findings"].as_array().expect("a list").iter().map(one).collect()
}

#[test]
fn a_change_that_takes_anothers_name_is_told_and_ones_own_is_no_collision() {
    let shared = Shared::new();
    let one = shared.clone("one");
    shared.git(&one, &["checkout", "--quiet", "-b", "work"]);
    let write = |name: &str| std::fs::write(one.join("docs/adr").join(name), "").expect("the file can be written");
    for key in ["0002", "0003"] {
        shared.run(&one, &["reserve", "adr-numbers", key, "--agent", "two", "--reason", "cache"]).exits(0);
    }
    write("0002-queue.md");
    let base = ["--base", "origin/main"];
    assert_eq!(scanned(&shared, &one, &base, 1), ["error adr-numbers/duplicate 2 HEAD two"]);
    let found = shared.run(&one, &["scan", "--base", "origin/main", "--reservations", "--format", "json"]).json();
    let found = &found["findings"][0];
    assert_eq!(found["fix"]["renames"][0]["to"], "docs/adr/0004-queue.md", "the next is reserved too");
    assert_eq!(
        (&found["sites"][1]["holder"]["kind"], &found["sites"][1]["path"]),
        (&"reservation".into(), &"docs/adr/0002".into())
    );
    assert!(found["sites"][1]["note"].as_str().is_some_and(|note| note.ends_with("Z: cache")), "{found:#}");
    assert!(
        found["message"].as_str().is_some_and(|text| text.contains("`two` reserved it before there was a file")),
        "{found:#}"
    );
    shared.run(&one, &["scan", "--base", "origin/main"]).exits(0);
    let own = |env: &[(&str, &OsStr)]| {
        shared.repo.run_with(&one, &["scan", "--base", "origin/main", "--reservations", "--format", "json"], env)
    };
    assert_eq!(own(&[("GATEKEEP_AGENT", OsStr::new("two"))]).exits(0).json()["findings"], serde_json::json!([]));

    shared.run(&one, &["release", "adr-numbers", "0002", "--agent", "two"]).exits(0);
    shared.run(&one, &["reserve", "adr-numbers", "0002"]).exits(0);
    assert_eq!(shared.listed(&one)[0], pair("0002", "work"), "by the branch");
    assert_eq!(scanned(&shared, &one, &base, 0), [""; 0]);
    shared.git(&one, &["add", "--all"]);
    shared.git(&one, &["commit", "--quiet", "-m", "queue"]);
    assert_eq!(scanned(&shared, &one, &["--base", "origin/main", "--head", "work"], 0), [""; 0]);
    assert_eq!(scanned(&shared, &one, &["--fleet"], 0), [""; 0]);
}

#[test]
fn who_has_reserved_a_name_keeps_it_against_older_work() {
    let shared = Shared::new();
    let one = shared.clone("one");
    let commit = |branch: &str, date: &str| {
        shared.git(&one, &["checkout", "--quiet", "-b", branch, "origin/main"]);
        std::fs::write(one.join(format!("docs/adr/0002-{branch}.md")), branch).expect("the file can be written");
        shared.git(&one, &["add", "--all"]);
        let date = [("GIT_COMMITTER_DATE", OsStr::new(date))];
        shared.repo.git_in(&one, &["commit", "--quiet", "-m", branch], &date);
    };
    commit("older", "2026-01-01T00:00:00Z");
    commit("younger", "2026-02-01T00:00:00Z");
    shared.git(&one, &["checkout", "--quiet", "--detach", "origin/main"]);
    let all = ["--branches", "*", "--since", "all"];
    assert_eq!(scanned(&shared, &one, &all, 1), ["error adr-numbers/duplicate 2 younger older"]);
    // both took it already: only by force can it be said whose it is
    shared.git(&one, &["branch", "--quiet", "-m", "younger", "away"]);
    shared.git(&one, &["branch", "--quiet", "-m", "older", "away2"]);
    let lonely = shared.clone("two");
    shared.run(&lonely, &["reserve", "adr-numbers", "0002", "--agent", "younger"]).exits(0);
    shared.git(&one, &["branch", "--quiet", "-m", "away", "younger"]);
    shared.git(&one, &["branch", "--quiet", "-m", "away2", "older"]);
    assert_eq!(
        scanned(&shared, &one, &all, 1),
        ["error adr-numbers/duplicate 2 older younger"],
        "who yields comes first"
    );
}

#[test]
fn a_scan_asks_only_when_it_is_told_to_and_says_what_it_could_not_ask() {
    let shared = Shared::new();
    let one = shared.clone("one");
    let alone = shared.run(&one, &["scan", "--reservations"]).exits(2);
    assert!(alone.stderr.contains("nothing is held against what is reserved"), "{}", alone.stderr);
    shared.put("0123456789abcdef0123456789abcdef", "hello");
    let run = shared.run(&one, &["scan", "--base", "origin/main", "--reservations"]).exits(3);
    assert!(
        run.stdout.contains("1 reservations can't be read") || run.stderr.contains("1 reservations can't be read"),
        "{run:?}"
    );
    shared.git(&one, &["remote", "set-url", "origin", "file:///nowhere"]);
    shared.run(&one, &["scan", "--base", "origin/main", "--reservations"]).exits(3);
    shared.run(&one, &["scan", "--base", "origin/main", "--reservations=", "--allow-incomplete"]).exits(0);
    shared.run(&one, &["scan", "--base", "origin/main"]).exits(0);
    let there = format!("--reservations={}", shared.url());
    shared
        .run(&one, &["release", "unknown", "0123456789abcdef0123456789abcdef", "--force", "--remote", &shared.url()])
        .exits(0);
    shared.run(&one, &["scan", "--base", "origin/main", &there]).exits(0);
}
