//! Random histories, with any trees and any parents: what is told of them is what git's own trees tell.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    io::Write as _,
    process::Stdio,
};

use proptest::prelude::*;
use serde_json::Value;

use super::history::{Past, noon};

/// One commit: which of the twelve files it has, and which earlier commits it merges.
type Commit = (u16, Vec<u8>);

const VERSIONS: u16 = 3;
const NAMES: [&str; 4] = ["a", "b", "c", "d"];

fn paths(has: u16) -> impl Iterator<Item = (u16, String)> {
    let all = (1..=VERSIONS).flat_map(|version| NAMES.map(|name| (version, name)));
    let there = all.enumerate().filter(move |(at, _)| has & 1 << at != 0);
    there.map(|(_, (version, name))| (version, format!("supabase/migrations/{version}_{name}.sql")))
}

/// Makes the history; each commit's first parent is the one before.
fn import(past: &Past, commits: &[Commit]) {
    let mut stream = String::new();
    for (at, (has, others)) in commits.iter().enumerate() {
        let _ = write!(stream, "commit refs/heads/main\nmark :{}\n", at + 1);
        let _ = write!(stream, "committer T <t@example.org> {} +0000\ndata 1\n{}\n", noon(at as u64), at % 10);
        let parents: BTreeSet<usize> = others.iter().map(|other| usize::from(*other) % at.max(1)).collect();
        if at > 0 {
            let _ = writeln!(stream, "from :{at}");
            parents.iter().filter(|other| **other + 1 != at).for_each(|other| {
                let _ = writeln!(stream, "merge :{}", other + 1);
            });
        }
        stream.push_str("deleteall\nM 100644 inline supabase/config.toml\ndata 0\n\n");
        for (_, path) in paths(*has) {
            let _ = write!(stream, "M 100644 inline {path}\ndata {}\n{path}\n", path.len());
        }
    }
    let mut git =
        past.repo.git_command(&["fast-import", "--quiet"]).stdin(Stdio::piped()).spawn().expect("git is there");
    git.stdin.take().expect("it is piped").write_all(stream.as_bytes()).expect("git reads");
    assert!(git.wait().expect("it ends").success());
}

/// For each commit of the trunk's own history, newest first: how many files take each version, as git has it.
fn counts(past: &Past) -> Vec<(String, BTreeMap<String, usize>)> {
    let trunk = past.git(&["rev-list", "--first-parent", "main"]);
    let count = |id: &str| {
        let mut counts = BTreeMap::new();
        for path in past.git(&["ls-tree", "-r", "--name-only", id, "supabase/migrations/"]).lines() {
            let name = path.rsplit('/').next().expect("a name");
            *counts.entry(name.split('_').next().expect("a version").to_owned()).or_default() += 1;
        }
        (id.to_owned(), counts)
    };
    trunk.lines().map(count).collect()
}

/// What was brought in by whom, and what became of it.
type Told = BTreeSet<(String, String, Result<bool, String>)>;

fn expected(trunk: &[(String, BTreeMap<String, usize>)]) -> Told {
    let has = |at: usize, key: &str| trunk.get(at).and_then(|(_, counts)| counts.get(key)).copied().unwrap_or(0);
    let mut told = Told::new();
    for (at, (commit, counts)) in trunk.iter().enumerate() {
        for key in counts.keys().filter(|key| has(at, key) > has(at + 1, key).max(1)) {
            let later = (0..at).rev().find(|later| has(*later, key) < 2);
            let fate = match later {
                _ if has(0, key) > 1 => Ok(true),
                Some(later) => Err(trunk[later].0.clone()),
                None => Ok(false),
            };
            told.insert((commit.clone(), key.clone(), fate));
        }
    }
    told
}

fn told(audit: &Value) -> Told {
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let one = |one: &Value| {
        let fate = match &one["gone_since"] {
            Value::Null => Ok(one["still_there"].as_bool().expect("it is known")),
            since => Err(text(&since["commit"])),
        };
        (text(&one["commit"]), text(&one["key"]), fate)
    };
    audit["collisions"].as_array().expect("a list").iter().map(one).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_an_audit_tells_is_what_the_trees_tell(
        commits in prop::collection::vec((0..1u16 << 12, prop::collection::vec(0..32u8, 0..3)), 1..24),
        calm in any::<bool>(),
    ) {
        let mut commits: Vec<Commit> = commits;
        if calm {
            // mostly one file more or less
            for at in 1..commits.len() {
                let (before, wish) = (commits[at - 1].0, commits[at].0);
                commits[at].0 = before ^ 1 << (wish % 12);
            }
        }
        let past = Past::new();
        import(&past, &commits);
        let audit = past.audit(&["--format", "json"]).exits(0).json();
        let trunk = counts(&past);
        prop_assert_eq!(trunk.len(), commits.len());
        prop_assert_eq!(told(&audit), expected(&trunk));
    }
}
