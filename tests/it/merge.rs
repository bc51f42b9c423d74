//! Merges in memory, with git itself as the oracle.

use std::{
    collections::BTreeSet,
    fmt::Write as _,
    io::Write as _,
    process::{Command, Stdio},
};

use gatekeep::{
    diag::HolderKind,
    source::{Changed, EntryKind, Git, Line, Merges, Place, StopKind, Version},
};
use proptest::prelude::*;

use crate::support::Repo;

/// What `git merge-tree` says.
struct Oracle {
    clean: bool,
    text: String,
}

impl Oracle {
    /// The paths at which git stops.
    fn stops(&self) -> BTreeSet<String> {
        let paths = self.text.split('\0').skip(1).filter(|path| !self.clean && !path.is_empty());
        paths.map(str::to_owned).collect()
    }
}

/// Merges two commits with git, which writes what it makes. Folders that were moved are not followed: gix can't.
fn merge_tree(repo: &Repo, ours: &str, theirs: &str) -> Oracle {
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
    let status = output.status.code();
    assert!(matches!(status, Some(0 | 1)), "{status:?} {}", String::from_utf8_lossy(&output.stderr));
    Oracle { clean: status == Some(0), text: String::from_utf8(output.stdout).expect("UTF-8") }
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
        let _ = writeln!(script, "commit refs/heads/{name}-{number}");
        if name == "main" {
            script.push_str("mark :1\n");
        }
        script.push_str("committer T <t@example.org> 1700000000 +0000\ndata 1\nm\n");
        if name != "main" {
            script.push_str("from :1\ndeleteall\n");
        }
        for (path, lines) in files {
            let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
            let _ = writeln!(script, "M 100644 inline {path}\ndata {}\n{text}", text.len());
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
    let lines = [repo.line(&name("main"), &name("one")), repo.line(&name("main"), &name("two"))];
    (paths(&meet(repo, &lines)), merge_tree(repo, &name("one"), &name("two")).stops())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn git_stops_where_it_is_said_to(one in edits(false), two in edits(false)) {
        let repo = Repo::new();
        let (ours, git) = compare(&repo, 0, &one, &two);
        prop_assert_eq!(ours, git);
    }

    #[test]
    fn git_stops_there_when_files_are_moved_too(one in edits(true), two in edits(true)) {
        let repo = Repo::new();
        let (ours, git) = compare(&repo, 0, &one, &two);
        prop_assert_eq!(ours, git);
    }

    #[test]
    fn a_text_is_merged_as_git_merges_it(one in edits(false), two in edits(false)) {
        let repo = Repo::new();
        let (base, mut ours, mut theirs) = (start(), start(), start());
        one.iter().for_each(|one| edit(&mut ours, one));
        two.iter().for_each(|two| edit(&mut theirs, two));
        import(&repo, 0, [&base, &ours, &theirs]);
        let merged = merge_tree(&repo, "one-0", "two-0");
        let tree = merged.text.split('\0').next().expect("it names the tree");
        let git = Git::discover(&repo.top()).expect("it opens").expect("it is one");
        let merger = git.text_merger(None);
        for path in base.keys().filter(|path| ours.contains_key(*path) && theirs.contains_key(*path)) {
            let text = |files: &Files| files[path].iter().map(|line| format!("{line}\n")).collect::<String>();
            let made = merger.merge(
                &path.as_str().into(),
                text(&base).as_bytes(),
                text(&ours).as_bytes(),
                text(&theirs).as_bytes(),
            );
            match made {
                Some(made) => {
                    let expected = repo.git(&["cat-file", "blob", &format!("{tree}:{path}")]);
                    prop_assert_eq!(String::from_utf8_lossy(&made), expected);
                }
                None => prop_assert!(merged.stops().contains(path)),
            }
        }
    }
}

/// All files below the git directory, with their contents.
fn everything(repo: &Repo) -> std::collections::BTreeMap<std::path::PathBuf, Vec<u8>> {
    let mut found = std::collections::BTreeMap::new();
    let mut folders = vec![repo.top().join(".git")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("it can be listed") {
            let path = entry.expect("it can be listed").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let bytes = std::fs::read(&path).expect("it can be read");
                found.insert(path, bytes);
            }
        }
    }
    found
}

const TEXT: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";

/// A repository whose branches `one` and `two` each write some files over those of `main`.
fn branches(main: &[(&str, &str)], one: &[(&str, &str)], two: &[(&str, &str)]) -> Repo {
    let repo = Repo::new();
    let write = |files: &[(&str, &str)]| {
        for (path, text) in files {
            repo.write(path, text);
        }
    };
    write(main);
    repo.commit();
    for (name, files) in [("one", one), ("two", two)] {
        repo.git(&["checkout", "--quiet", "-b", name, "main"]);
        write(files);
        repo.commit();
    }
    repo.git(&["checkout", "--quiet", "main"]);
    repo
}

fn both(repo: &Repo) -> Merges {
    meet(repo, &[repo.line("main", "one"), repo.line("main", "two")])
}

/// As the files of `TEXT` with one line replaced.
fn with(line: &str, new: &str) -> String {
    TEXT.replace(line, new)
}

#[test]
fn nothing_is_written() {
    let (one, two) = (with("5", "one"), with("5", "two"));
    let repo = branches(
        &[("a", TEXT), ("b", TEXT)],
        &[("a", &one), ("b", &with("1", "one"))],
        &[("a", &two), ("b", &with("9", "two"))],
    );
    repo.git(&["gc", "--quiet"]); // packed ones, and loose ones after it
    repo.git(&["checkout", "--quiet", "one"]);
    repo.write("c", "loose").commit();
    let mut lines = [repo.line("main", "one"), repo.line("main", "two")];
    lines[0].holder.kind = HolderKind::Worktree;
    for path in ["a", "new/x"] {
        let new = Some(Version { kind: EntryKind::File, place: Place::Worktree(0) });
        match lines[0].changes.iter_mut().find(|changed| changed.path.as_bytes() == path.as_bytes()) {
            Some(changed) => changed.new = new,
            None => lines[0].changes.push(Changed { path: path.into(), old: None, new }),
        }
    }
    let before = everything(&repo);
    let counted = repo.git(&["count-objects", "-v"]);
    let git = Git::discover(&repo.top()).expect("it opens").expect("it is one");
    let text = with("5", "never committed");
    let merges = git.merges(&lines, &[(0, 1)], None, &|_, _| Ok(text.clone().into_bytes()));
    assert_eq!(paths(&merges), BTreeSet::from(["a".to_owned()]));
    assert_eq!((merges.tried, counted), (1, repo.git(&["count-objects", "-v"])));
    assert!(before == everything(&repo), "a file below .git was made or changed");
}

#[test]
fn what_is_not_committed_counts() {
    let repo =
        branches(&[("a", TEXT), ("b", TEXT)], &[("a", &with("1", "one"))], &[("a", &with("9", "two")), ("b", TEXT)]);
    let mut lines = [repo.line("main", "one"), repo.line("main", "two")];
    assert_eq!(paths(&meet(&repo, &lines)), BTreeSet::new());
    let loose = Some(Version { kind: EntryKind::File, place: Place::Worktree(3) });
    lines[0].changes[0].new = loose;
    let git = Git::discover(&repo.top()).expect("it opens").expect("it is one");
    let with_text = |lines: &[Line], text: &str| {
        paths(&git.merges(lines, &[(0, 1)], None, &|changed, version| {
            assert_eq!((changed.path.as_bytes(), version.place), (&b"a"[..], Place::Worktree(3)));
            Ok(text.as_bytes().to_vec())
        }))
    };
    assert_eq!(with_text(&lines, &with("9", "one")), BTreeSet::from(["a".to_owned()]));
    assert_eq!(with_text(&lines, &with("2", "one")), BTreeSet::new());
    lines[0].holder.kind = HolderKind::Worktree;
    lines[0].changes[0].new = None;
    assert_eq!(with_text(&lines, ""), BTreeSet::from(["a".to_owned()]), "removed, but not committed yet");
    // what the commit changes and the worktree takes back is no change of the line
    lines[0].changes.clear();
    assert_eq!(with_text(&lines, ""), BTreeSet::new());
    // bytes on disk are stored the way git would store them
    repo.git(&["config", "core.autocrlf", "true"]);
    let mut lines = [repo.line("main", "one"), repo.line("main", "two")];
    lines[0].changes[0].new = loose;
    let git = Git::discover(&repo.top()).expect("it opens").expect("it is one");
    let crlf = with("2", "one").replace('\n', "\r\n");
    let merges = git.merges(&lines, &[(0, 1)], None, &|_, _| Ok(crlf.clone().into_bytes()));
    assert_eq!(paths(&merges), BTreeSet::new());
}

#[test]
fn a_line_that_can_not_be_read_is_said() {
    let repo = branches(&[("a", TEXT)], &[("a", &with("1", "one"))], &[("a", &with("9", "two"))]);
    let mut lines = [repo.line("main", "one"), repo.line("main", "two")];
    lines[0].changes[0].new = Some(Version { kind: EntryKind::File, place: Place::Worktree(3) });
    let git = Git::discover(&repo.top()).expect("it opens").expect("it is one");
    let merges = git.merges(&lines, &[(0, 1)], None, &|_, _| Err(std::io::Error::other("gone")));
    assert_eq!((merges.meetings.len(), merges.tried), (0, 0));
    assert_eq!((merges.incomplete[0].what.as_str(), merges.incomplete[0].why.as_str()), ("merges with one", "a: gone"));
    lines[0].tip = Some("1234567812345678123456781234567812345678".parse().expect("an id"));
    lines[0].changes.clear();
    let merges = git.merges(&lines, &[(0, 1)], None, &|_, _| unreachable!("nothing is loose"));
    assert_eq!(merges.incomplete[0].what, "the merge of one and two");
}

#[test]
fn no_program_runs() {
    let attributes = "a merge=mine filter=mine diff=mine\nb filter=mine diff=mine\nmoved filter=mine diff=mine\n";
    let repo = branches(
        &[(".gitattributes", attributes), ("a", TEXT), ("b", TEXT)],
        &[("a", &with("5", "one")), ("b", &with("5", "one"))],
        &[("a", &with("5", "two")), ("b", &with("5", "two"))],
    );
    repo.git(&["checkout", "--quiet", "two"]);
    repo.git(&["mv", "b", "moved"]);
    repo.commit();
    let ran = repo.beside("ran");
    let program = format!("touch '{}'; false", ran.display());
    for key in ["merge.mine.driver", "filter.mine.clean", "filter.mine.smudge", "filter.mine.process"] {
        repo.git(&["config", key, &program]);
    }
    for key in ["diff.mine.command", "diff.mine.textconv", "diff.external"] {
        repo.git(&["config", key, &program]);
    }
    for (key, value) in [("filter.mine.required", "true"), ("merge.renormalize", "true"), ("merge.default", "mine")] {
        repo.git(&["config", key, value]);
    }
    let mut lines = [repo.line("main", "one"), repo.line("main", "two")];
    lines[0].changes[1].new = Some(Version { kind: EntryKind::File, place: Place::Worktree(0) });
    let git = Git::discover(&repo.top()).expect("it opens").expect("it is one");
    let main: gix::ObjectId = repo.git(&["rev-parse", "main"]).trim().parse().expect("an id");
    let text = with("5", "loose");
    let run = || git.merges(&lines, &[(0, 1)], Some(main), &|_, _| Ok(text.clone().into_bytes()));
    let merges = run();
    assert_eq!(paths(&merges), BTreeSet::new(), "a program would decide them all");
    assert_eq!((merges.skipped[0].count, merges.skipped.len()), (Some(2), 1));
    repo.git(&["config", "--unset", "merge.default"]);
    let git = Git::discover(&repo.top()).expect("it opens").expect("it is one");
    let merges = git.merges(&lines, &[(0, 1)], Some(main), &|_, _| Ok(text.clone().into_bytes()));
    assert_eq!(paths(&merges), BTreeSet::from(["moved".to_owned()]));
    assert_eq!(merges.meetings[0].stops[0].from.as_ref().map(|path| path.lossy().into_owned()).as_deref(), Some("b"));
    let merged = git.text_merger(Some(main)).merge(&"a".into(), b"1\n", b"0\n1\n", b"1\n2\n");
    assert_eq!((merged, ran.exists()), (None, false));
}

#[test]
fn built_in_drivers_are_honoured() {
    let attributes = "union merge=union\nbinary -merge\nnamed merge=binary\nback merge\nunknown merge=nobody\n";
    let names = ["union", "binary", "named", "back", "unknown", "plain"];
    let all = |text: &str| names.map(|name| (name, text.to_owned()));
    let of = |files: &[(&'static str, String)]| -> Vec<(&'static str, String)> { files.to_vec() };
    let write = |main: &str, one: &str, two: &str| {
        let owned = [of(&all(main)), of(&all(one)), of(&all(two))];
        let borrowed: Vec<Vec<(&str, &str)>> =
            owned.iter().map(|files| files.iter().map(|(name, text)| (*name, text.as_str())).collect()).collect();
        let main: Vec<(&str, &str)> = [&[(".gitattributes", attributes)], borrowed[0].as_slice()].concat();
        branches(&main, &borrowed[1], &borrowed[2])
    };
    let names = |list: &[&str]| list.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
    let repo = write(TEXT, &with("5", "one"), &with("5", "two"));
    let conflicting = paths(&both(&repo));
    assert_eq!(conflicting, names(&["binary", "named", "back", "unknown", "plain"]));
    assert_eq!(conflicting, merge_tree(&repo, "one", "two").stops());
    let repo = write(TEXT, &with("1", "one"), &with("9", "two"));
    assert_eq!(paths(&both(&repo)), names(&["binary", "named"]));
    let merger = Git::discover(&repo.top()).expect("it opens").expect("it is one").text_merger(None);
    let merge = |path: &str, ours: &str, theirs: &str| {
        merger.merge(&path.into(), TEXT.as_bytes(), ours.as_bytes(), theirs.as_bytes()).map(String::from_utf8)
    };
    let apart = with("1", "one").replace('9', "two");
    assert_eq!(merge("plain", &with("1", "one"), &with("9", "two")), Some(Ok(apart)));
    assert_eq!(merge("binary", &with("1", "one"), &with("9", "two")), None);
    assert_eq!(merge("plain", &with("5", "one"), &with("5", "two")), None);
    assert_eq!(merge("union", &with("5", "one"), &with("5", "two")), Some(Ok(with("5", "one\ntwo"))));
    assert_eq!(merge("plain", &with("5", "\0"), TEXT), None, "no text");
}

#[test]
fn kinds_are_told_apart() {
    let repo = branches(
        &[("edit", TEXT), ("gone", TEXT), ("kind", TEXT)],
        &[("edit", &with("5", "one")), ("gone", &with("5", "one")), ("added", "one\n"), ("kind", "edited\n")],
        &[("edit", &with("5", "two")), ("added", "two\n")],
    );
    repo.git(&["checkout", "--quiet", "two"]);
    repo.remove("gone").remove("kind");
    repo.write("kind/inside", "two").commit();
    let merges = both(&repo);
    let kinds: Vec<_> =
        merges.meetings[0].stops.iter().map(|stop| (stop.path.lossy().into_owned(), stop.kind)).collect();
    let expected = [
        ("added", StopKind::Added),
        ("edit", StopKind::Content),
        ("gone", StopKind::Removed),
        ("kind", StopKind::Folder),
    ];
    assert_eq!(kinds, expected.map(|(path, kind)| (path.to_owned(), kind)));
}

#[test]
fn what_the_trunk_did_since_is_not_between_the_two() {
    let repo = branches(&[("a", TEXT), ("b", TEXT)], &[("a", &with("5", "one"))], &[]);
    repo.write("a", with("5", "main")).commit();
    repo.git(&["checkout", "--quiet", "-B", "two"]);
    repo.write("b", with("1", "two")).commit();
    assert_eq!(merge_tree(&repo, "one", "two").stops(), BTreeSet::from(["a".to_owned()]), "git does stop");
    assert_eq!(paths(&both(&repo)), BTreeSet::new(), "but `two` has no part in it");
}

#[test]
fn histories_that_cross_are_merged_as_git_does() {
    let repo = branches(&[("a", TEXT)], &[("a", &with("2", "one"))], &[("a", &with("8", "two"))]);
    let (one, two) = (repo.git(&["rev-parse", "one"]), repo.git(&["rev-parse", "two"]));
    for (name, other) in [("one", two.trim()), ("two", one.trim())] {
        repo.git(&["checkout", "--quiet", name]);
        repo.git(&["merge", "--quiet", "--no-edit", other]);
        repo.write("a", repo.read("a").replace('5', name)).commit();
    }
    let git = merge_tree(&repo, "one", "two").stops();
    assert_eq!(git, BTreeSet::from(["a".to_owned()]));
    assert_eq!(paths(&both(&repo)), git);
    repo.git(&["checkout", "--quiet", "two"]);
    repo.write("a", repo.read("a").replace("two\n6", "5\n6")).commit();
    assert_eq!((merge_tree(&repo, "one", "two").stops(), paths(&both(&repo))), (BTreeSet::new(), BTreeSet::new()));
}

#[test]
fn unrelated_histories_are_not_merged() {
    let repo = branches(&[("a", TEXT)], &[("a", "one\n")], &[("a", "two\n")]);
    repo.git(&["checkout", "--quiet", "--orphan", "other"]);
    repo.write("a", "other\n").commit();
    let mut lines = [repo.line("main", "one"), repo.line("main", "two")];
    lines[1].tip = Some(repo.git(&["rev-parse", "other"]).trim().parse().expect("an id"));
    let merges = meet(&repo, &lines);
    assert_eq!((merges.meetings.len(), merges.tried, merges.skipped[0].count), (0, 0, Some(1)));
}

#[test]
fn very_long_texts_are_not_guessed_about() {
    let long = "0123456789abcde\n".repeat((16 << 16) + 1);
    let (first, last) = (format!("one\n{long}"), format!("{long}two\n"));
    let repo = branches(&[("a", &long)], &[("a", &first)], &[("a", &last)]);
    let merges = both(&repo);
    assert_eq!((merges.meetings.len(), merges.incomplete.len()), (0, 1));
    assert_eq!(merges.incomplete[0].what, "merges of a");
}
