//! Merges in memory, with git itself as the oracle.

use std::{
    collections::BTreeSet,
    fmt::Write as _,
    io::Write as _,
    process::{Command, Stdio},
};

use gatekeep::{
    diag::{Holder, HolderKind},
    source::{Changed, EntryKind, Git, Line, Merges, Place, Version},
};
use proptest::{prelude::*, strategy::ValueTree};

use crate::support::Repo;

/// What git says of two commits: none where it merges them, else the paths at which it stops.
fn oracle(repo: &Repo, ours: &str, theirs: &str) -> BTreeSet<String> {
    let output = Command::new("git")
        .args([
            "-c",
            "merge.directoryRenames=false",
            "merge-tree",
            "--write-tree",
            "--name-only",
            "--no-messages",
            "-z",
        ])
        .args([ours, theirs])
        .current_dir(repo.top())
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .expect("git is there");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    match output.status.code() {
        Some(0) => BTreeSet::new(),
        Some(1) => text.split('\0').skip(1).filter(|path| !path.is_empty()).map(str::to_owned).collect(),
        other => panic!("git merge-tree: {other:?} {}", String::from_utf8_lossy(&output.stderr)),
    }
}

/// The line of work that a branch is, as git sees it.
fn line(repo: &Repo, trunk: &str, branch: &str) -> Line {
    let tip = repo.git(&["rev-parse", branch]).trim().to_owned();
    let fork = repo.git(&["merge-base", trunk, branch]).trim().to_owned();
    let raw = repo.git(&["diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", &fork, &tip]);
    let mut changes = Vec::new();
    let mut fields = raw.split('\0');
    while let (Some(meta), Some(path)) = (fields.next(), fields.next()) {
        let words: Vec<&str> = meta.trim_start_matches(':').split(' ').collect();
        let version = |mode: &str, id: &str| {
            let kind = if mode == "120000" { EntryKind::Link } else { EntryKind::File };
            let place = Place::Blob(id.parse().expect("an id"));
            (mode != "000000").then_some(Version { kind, place })
        };
        changes.push(Changed { path: path.into(), old: version(words[0], words[2]), new: version(words[1], words[3]) });
    }
    changes.sort_by(|a, b| a.path.cmp(&b.path));
    let id = |text: &str| text.parse().expect("an id");
    Line {
        holder: Holder { kind: HolderKind::Branch, name: branch.to_owned(), commit: Some(tip.clone()) },
        tip: Some(id(&tip)),
        fork: Some(id(&fork)),
        own: repo
            .git(&["rev-list", &tip, &format!("^{fork}")])
            .lines()
            .map(id)
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect(),
        started: None,
        changes,
    }
}

fn meet(repo: &Repo, lines: &[Line]) -> Merges {
    let git = Git::discover(&repo.top()).expect("it opens").expect("it is one");
    git.merges(lines, &[(0, 1)], None, &|_, _| unreachable!("all is committed"))
}

fn paths(merges: &Merges) -> BTreeSet<String> {
    assert_eq!(merges.incomplete, []);
    merges.meetings.iter().flat_map(|meeting| &meeting.stops).map(|stop| stop.path.lossy().into_owned()).collect()
}

/// Files by path.
type Files = std::collections::BTreeMap<String, Vec<String>>;

/// One edit of a random branch.
#[derive(Clone, Debug)]
enum Edit {
    Line(usize, usize, u16),
    Insert(usize, usize, u16),
    Drop(usize, usize),
    Remove(usize),
    Add(usize, u16),
    Move(usize, usize),
}

const NAMES: [&str; 6] = ["a.txt", "b.txt", "d/c.txt", "d/e.txt", "f/g/h.txt", "new.txt"];

fn edit(files: &mut Files, edit: &Edit) {
    let nth = |files: &Files, at: usize| files.keys().nth(at % files.len().max(1)).cloned();
    match edit {
        Edit::Line(file, at, word) | Edit::Insert(file, at, word) => {
            let Some(name) = nth(files, *file) else { return };
            let lines = files.get_mut(&name).expect("it is there");
            let at = at % (lines.len() + 1);
            if matches!(edit, Edit::Line(..)) && at < lines.len() {
                lines[at] = format!("new {word}");
            } else {
                lines.insert(at, format!("new {word}"));
            }
        }
        Edit::Drop(file, at) => {
            let Some(name) = nth(files, *file) else { return };
            let lines = files.get_mut(&name).expect("it is there");
            if !lines.is_empty() {
                lines.remove(at % lines.len());
            }
        }
        Edit::Remove(file) => {
            if let Some(name) = nth(files, *file) {
                files.remove(&name);
            }
        }
        Edit::Add(name, word) => {
            files.insert(NAMES[name % NAMES.len()].into(), (0..8).map(|at| format!("added {word} {at}")).collect());
        }
        Edit::Move(file, to) => {
            if let Some(name) = nth(files, *file)
                && let Some(lines) = files.remove(&name)
            {
                files.insert(NAMES[to % NAMES.len()].into(), lines);
            }
        }
    }
}

fn edits(moves: bool) -> impl Strategy<Value = Vec<Edit>> {
    let place = || (0usize..8, 0usize..20, 0u16..6);
    let simple = prop_oneof![
        6 => place().prop_map(|(f, l, w)| Edit::Line(f, l, w)),
        4 => place().prop_map(|(f, l, w)| Edit::Insert(f, l, w)),
        2 => place().prop_map(|(f, l, _)| Edit::Drop(f, l)),
        1 => (0usize..8).prop_map(Edit::Remove),
        1 => (0usize..8, 0u16..3).prop_map(|(n, w)| Edit::Add(n, w)),
    ];
    let all = if moves {
        prop_oneof![4 => simple, 1 => (0usize..8, 0usize..8).prop_map(|(f, t)| Edit::Move(f, t))].boxed()
    } else {
        simple.boxed()
    };
    prop::collection::vec(all, 1..5)
}

/// Writes commits through `git fast-import`: `main`, `one` and `two` with a number.
fn import(repo: &Repo, number: usize, sides: [&Files; 3]) {
    let mut script = String::new();
    for (name, files) in ["main", "one", "two"].into_iter().zip(sides) {
        let _ = write!(script, "commit refs/heads/{name}-{number}\n");
        if name == "main" {
            script.push_str("mark :1\n");
        }
        script.push_str("committer T <t@example.org> 1700000000 +0000\ndata 1\nm\n");
        if name != "main" {
            script.push_str("from :1\ndeleteall\n");
        }
        for (path, lines) in files {
            let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
            let _ = write!(script, "M 100644 inline {path}\ndata {}\n{text}\n", text.len());
        }
    }
    let mut child = Command::new("git")
        .args(["fast-import", "--quiet", "--force"])
        .current_dir(repo.top())
        .stdin(Stdio::piped())
        .spawn()
        .expect("git is there");
    child.stdin.take().expect("it is piped").write_all(script.as_bytes()).expect("git reads it");
    assert!(child.wait().expect("git ends").success());
}

fn start() -> Files {
    let text = |name: &str| (0..10).map(|at| format!("{name} line {at}")).collect();
    NAMES[..5].iter().map(|name| ((*name).to_owned(), text(name))).collect()
}

fn compare(repo: &Repo, number: usize, one: &[Edit], two: &[Edit]) -> (BTreeSet<String>, BTreeSet<String>) {
    let (base, mut ours, mut theirs) = (start(), start(), start());
    one.iter().for_each(|one| edit(&mut ours, one));
    two.iter().for_each(|two| edit(&mut theirs, two));
    import(repo, number, [&base, &ours, &theirs]);
    let name = |side: &str| format!("{side}-{number}");
    let lines = [line(repo, &name("main"), &name("one")), line(repo, &name("main"), &name("two"))];
    (paths(&meet(repo, &lines)), oracle(repo, &name("one"), &name("two")))
}

#[test]
#[ignore]
fn explore() {
    let repo = Repo::new();
    let moves = std::env::var_os("MOVES").is_some();
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let (mut same, mut verdict, mut differ) = (0, 0, 0);
    for number in 0..std::env::var("N").unwrap().parse().unwrap() {
        let one = edits(moves).new_tree(&mut runner).unwrap().current();
        let two = edits(moves).new_tree(&mut runner).unwrap().current();
        let (ours, git) = compare(&repo, number, &one, &two);
        if ours == git {
            same += 1;
        } else if ours.is_empty() == git.is_empty() {
            verdict += 1;
            println!("PATHS ours {ours:?} git {git:?}\n {one:?}\n {two:?}");
        } else {
            differ += 1;
            println!("VERDICT ours {ours:?} git {git:?}\n {one:?}\n {two:?}");
        }
    }
    println!("same {same} same verdict {verdict} differ {differ}");
}
