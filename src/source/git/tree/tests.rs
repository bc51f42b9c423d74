use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::{
    diag::Holder,
    rule::{What, select::Pattern},
    source::{Grown, Listing, Tree as _, git::testing::TestRepo},
};

/// What a commit holds: mode and content by path; of a submodule the content means nothing.
type Files = BTreeMap<String, (&'static str, u8)>;

fn files() -> impl Strategy<Value = Files> {
    // names that sort in other ways as files than as folders
    let name = prop::sample::select(vec!["a", "b", "a.x", "a-", "a0", "aa"]);
    let path = prop::collection::vec(name, 1..4).prop_map(|names| names.join("/"));
    let mode = prop::sample::select(vec!["100644", "100644", "100644", "100755", "120000", "160000"]);
    prop::collection::btree_map(path, (mode, 0..3u8), 0..14)
}

/// Commits these states one after the other.
fn commit(repo: &TestRepo, states: &[&Files]) {
    let mut stream = String::new();
    for (at, files) in states.iter().enumerate() {
        stream += &format!("commit refs/heads/main\ncommitter T <t@e> {at} +0000\ndata 1\nm\n");
        stream += "deleteall\n";
        for (path, (mode, content)) in *files {
            match *mode {
                "160000" => stream += &format!("M 160000 {:040x} {path}\n", 1 + content),
                mode => stream += &format!("M {mode} inline {path}\ndata 1\n{content}\n"),
            }
        }
    }
    repo.git_in(&repo.top(), &["fast-import", "--quiet", "--force"], stream.as_bytes());
}

fn version(mode: &str, id: &str) -> Option<Version> {
    let kind = match mode {
        "100644" | "100755" => EntryKind::File,
        "120000" => EntryKind::Link,
        _ => return None,
    };
    Some(Version { kind, place: Place::Blob(id.parse().expect("git prints ids")) })
}

fn by_git(repo: &TestRepo, old: &str, new: &str) -> Vec<Changed> {
    let printed = repo.git(&["diff-tree", "-r", "--no-renames", "-z", "--full-index", old, new]);
    let fields: Vec<&str> = printed.split_terminator('\0').collect();
    let changed = fields.chunks(2).map(|pair| {
        let words: Vec<&str> = pair[0].trim_start_matches(':').split(' ').collect();
        Changed { path: pair[1].into(), old: version(words[0], words[2]), new: version(words[1], words[3]) }
    });
    let mut changed: Vec<Changed> = changed.filter(|change| change.old.is_some() || change.new.is_some()).collect();
    changed.sort_by(|a, b| a.path.cmp(&b.path));
    changed
}

fn wanting(glob: &str) -> Classifier<Want> {
    Classifier::of(Pattern::parse(glob).expect("a good glob"), Want { rule: 0, what: What::Claim(0) })
}

fn wants(classifier: &Classifier<Want>, path: &RepoPath) -> bool {
    let mut wanted = false;
    classifier.walk().path(path.as_bytes(), |_| wanted = true);
    wanted
}

fn list(repo: &TestRepo, classifier: &Classifier<Want>) -> Listing {
    let git = repo.open();
    let tree = git.tree(git.commit("main").expect("it is there"), Holder::head(None)).expect("it can be read");
    tree.list(classifier).expect("it can be listed")
}

/// All paths of a listing, with what stands there.
fn listed(repo: &TestRepo, classifier: &Classifier<Want>) -> Vec<(RepoPath, Version)> {
    let entries = list(repo, classifier).entries.into_iter();
    entries.map(|entry| (entry.path, Version { kind: entry.kind, place: entry.place })).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn comparing_and_listing_agree_with_git(old in files(), new in files(), loose in any::<bool>()) {
        let repo = TestRepo::new(&[]);
        let unpack = if loose { "fastimport.unpackLimit=1000" } else { "fastimport.unpackLimit=1" };
        repo.git(&["config", unpack.split('=').next().expect("a key"), unpack.split('=').nth(1).expect("a value")]);
        commit(&repo, &[&old, &new]);
        let git = repo.open();
        let (before, after) = (git.commit("main~1").expect("it is there"), git.commit("main").expect("it is there"));
        let right = by_git(&repo, "main~1", "main");
        prop_assert_eq!(&git.diff(Some(before), after, Folders::All).expect("sound"), &right);
        let empty = repo.git(&["hash-object", "-t", "tree", "/dev/null"]);
        let all = by_git(&repo, empty.trim(), "main");
        prop_assert_eq!(&git.diff(None, after, Folders::All).expect("sound"), &all);
        for glob in ["**/*", "a/**/b", "**/a/*.x", "a*/*", "b/a/**"] {
            let classifier = wanting(glob);
            let wanted = |changes: &[Changed]| -> Vec<Changed> {
                changes.iter().filter(|change| wants(&classifier, &change.path)).cloned().collect()
            };
            let found = git.diff(Some(before), after, Folders::Wanted(&classifier)).expect("sound");
            prop_assert_eq!(&found, &wanted(&right), "{}", glob);
            let there: Vec<(RepoPath, Version)> =
                wanted(&all).into_iter().filter_map(|change| Some((change.path, change.new?))).collect();
            prop_assert_eq!(listed(&repo, &classifier), there, "{}", glob);
        }
        for change in &all {
            prop_assert_eq!(git.at(after, change.path.as_bytes()).expect("sound"), change.new);
        }
        for nothing in ["", "a/", "/a", "zz", "a/zz", "a//b", "."] {
            prop_assert_eq!(git.at(after, nothing.as_bytes()).expect("sound"), None, "{}", nothing);
        }
    }
}

#[test]
fn wide_folders_that_differ_in_a_few_places() {
    let repo = TestRepo::new(&[]);
    let wide = |extra: &[u32]| -> Files {
        let names = (0..3000).step_by(2).chain(extra.iter().copied());
        names.map(|name| (format!("d/n{name:05}.txt"), ("100644", 1))).collect()
    };
    let states = [&[][..], &[1], &[2999], &[1501], &[1, 3, 1501, 2999], &[0xfff], &[]];
    let states: Vec<Files> = states.into_iter().map(wide).collect();
    let mut gone = states[0].clone();
    gone.retain(|path, _| !path.ends_with("0.txt"));
    let mut edited = states[0].clone();
    edited.values_mut().step_by(97).for_each(|file| file.1 = 2);
    let all: Vec<&Files> = states.iter().chain([&gone, &edited]).collect();
    commit(&repo, &all);
    let git = repo.open();
    for old in 0..all.len() {
        for new in 0..all.len() {
            let (old, new) = (format!("main~{old}"), format!("main~{new}"));
            let ids = (git.commit(&old).expect("it is there"), git.commit(&new).expect("it is there"));
            let found = git.diff(Some(ids.0), ids.1, Folders::All).expect("sound");
            assert_eq!(found, by_git(&repo, &old, &new), "{old} {new}");
        }
    }
}

/// Makes a commit of a tree of these bytes.
fn commit_of(repo: &TestRepo, tree: &[u8]) -> ObjectId {
    let tree = repo.git_in(&repo.top(), &["hash-object", "-t", "tree", "--literally", "-w", "--stdin"], tree);
    let text = format!("tree {}\nauthor T <t@e> 1 +0000\ncommitter T <t@e> 1 +0000\n\nm\n", tree.trim());
    let commit = ["hash-object", "-t", "commit", "--literally", "-w", "--stdin"];
    repo.git_in(&repo.top(), &commit, text.as_bytes()).trim().parse().expect("git prints ids")
}

fn entry(mode: &str, name: &str, id: u8) -> Vec<u8> {
    [mode.as_bytes(), b" ", name.as_bytes(), b"\0", &[id; 20]].concat()
}

fn told(changes: &[Changed]) -> Vec<String> {
    let side = |version: Option<Version>| match version.map(|version| version.place) {
        Some(Place::Blob(id)) => id.as_slice()[0].to_string(),
        _ => "-".into(),
    };
    changes.iter().map(|change| format!("{} {} {}", change.path.lossy(), side(change.old), side(change.new))).collect()
}

#[test]
fn trees_that_git_would_not_write() {
    let repo = TestRepo::new(&[]);
    let in_order = commit_of(&repo, &[entry("100644", "a", 1), entry("100644", "b", 2)].concat());
    let swapped = commit_of(&repo, &[entry("100644", "b", 3), entry("100644", "a", 1)].concat());
    let twice = commit_of(&repo, &[entry("100644", "a", 1), entry("100644", "b", 2), entry("100644", "b", 4)].concat());
    let old_modes = commit_of(&repo, &[entry("100664", "a", 1), entry("0100600", "b", 2)].concat());
    let git = repo.open();
    let diff = |old, new| git.diff(Some(old), new, Folders::All).map(|changes| told(&changes));
    assert_eq!(diff(in_order, swapped).expect("sound"), ["b 2 3"]);
    assert_eq!(diff(in_order, twice).expect("sound"), ["b - 4"]);
    assert_eq!(diff(in_order, old_modes).expect("sound"), [] as [&str; 0]);

    let broken: [&[u8]; 8] = [
        b"100644 c",
        b"100644 c\0too short",
        b"100648 c\0aaaaaaaaaaaaaaaaaaaa",
        b" c\0aaaaaaaaaaaaaaaaaaaa",
        b"100644 \0aaaaaaaaaaaaaaaaaaaa",
        b"1006441006441 c\0aaaaaaaaaaaaaaaaaaaa",
        b"\0",
        b"40000",
    ];
    for bytes in broken {
        let bad = commit_of(&repo, &[&entry("100644", "a", 1), bytes].concat());
        let error = diff(in_order, bad).expect_err("it is broken").to_string();
        assert!(error.contains("make no sense"), "{error}");
        assert!(diff(bad, in_order).is_err());
        let tree = git.tree(bad, Holder::head(None)).expect("the commit is sound");
        assert!(tree.list(&wanting("**/*")).is_err());
    }
}

/// Enough folders for all threads, each of which differs in its own way.
#[test]
fn many_folders_that_are_not_the_same() {
    let mut old = Files::new();
    for folder in 0..40 {
        for file in 0..3 {
            old.insert(format!("apps/n{folder:02}/src/deep/f{file}.txt"), ("100644", 1));
        }
        old.insert(format!("apps/n{folder:02}/a.txt"), ("100644", 1));
    }
    let mut new = old.clone();
    new.retain(|path, _| !path.starts_with("apps/n07/") && !path.ends_with("n11/src/deep/f1.txt"));
    new.iter_mut().filter(|(path, _)| path.ends_with("f2.txt")).for_each(|(_, file)| file.1 = 2);
    new.insert("apps/n09".to_owned() + "b/x/y.txt", ("100644", 3));
    new.insert("apps/n12.txt".to_owned(), ("120000", 3));
    new.insert("zz/a.txt".to_owned(), ("100644", 3));
    let repo = TestRepo::new(&[]);
    commit(&repo, &[&old, &new]);
    let git = repo.open();
    let (before, after) = (git.commit("main~1").expect("it is there"), git.commit("main").expect("it is there"));
    let right = by_git(&repo, "main~1", "main");
    assert!(right.len() > 40, "{}", right.len());
    let mut counted = None;
    for threads in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be had");
        let git = repo.open();
        let found = pool.install(|| git.diff(Some(before), after, Folders::All)).expect("sound");
        assert_eq!(found, right, "{threads} threads");
        let trees = git.counters().now().trees;
        assert_eq!(*counted.get_or_insert(trees), trees, "{threads} threads read as many trees");
    }
    assert_eq!(git.grown(before, &[after], Folders::All).expect("sound").len(), 1);
    let grown = git.grown(before, &[after], Folders::All).expect("sound").remove(0);
    assert!(matches!(grown, Grown::Line(growth) if growth.changes == right));
}

#[test]
fn bottomless_and_endless_trees_end() {
    let repo = TestRepo::new(&[]);
    let inside = |name: &str, id: &ObjectId| [format!("40000 {name}\0").as_bytes(), id.as_slice()].concat();
    let write = |tree: &[u8]| -> ObjectId {
        let args = ["hash-object", "-t", "tree", "--literally", "-w", "--stdin"];
        repo.git_in(&repo.top(), &args, tree).trim().parse().expect("git prints ids")
    };
    let bottom = write(&entry("100644", "a", 1));
    let deep = (0..DEEPEST + 10).fold(bottom, |below, _| write(&inside("d", &below)));
    let bomb = (0..12).fold(bottom, |below, _| {
        write(&(0..10).flat_map(|name| inside(&name.to_string(), &below)).collect::<Vec<u8>>())
    });
    let git = repo.open();
    for (top, why) in [(deep, "nested deeper"), (bomb, "more than")] {
        let commit = commit_of(&repo, &inside("top", &top));
        let error = git.diff(None, commit, Folders::All).expect_err("it must not go on").to_string();
        assert!(error.contains(why), "{error}");
    }
    let commit = commit_of(&repo, &inside("top", &deep));
    let tree = git.tree(commit, Holder::head(None)).expect("the commit is sound");
    let listing = tree.list(&wanting("**/*")).expect("what lies beside it can be judged");
    let whys: Vec<&str> = listing.incomplete.iter().map(|gap| gap.why.as_str()).collect();
    assert!(listing.entries.is_empty() && whys.len() == 1 && whys[0].contains("nested deeper"), "{whys:?}");
    assert!(tree.list(&wanting("other/*")).expect("nothing of it is looked at").entries.is_empty());
}
