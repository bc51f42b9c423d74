use std::{collections::BTreeSet, fs};

use proptest::prelude::*;

use super::*;
use crate::source::git::testing::TestRepo;

/// A commit that is to be made: parents by number, and its clock.
#[derive(Clone, Debug)]
struct Made {
    parents: Vec<usize>,
    time: i64,
}

/// Histories with many merges, several roots, and clocks that may be wrong.
fn histories() -> impl Strategy<Value = Vec<Made>> {
    let commit = (prop::collection::vec(1..8usize, 0..3), 0..12u8, any::<bool>(), -4000..4000i64);
    (prop::collection::vec(commit, 2..26), any::<bool>(), 1..3i64).prop_map(|(commits, skewed, step)| {
        let made = commits.into_iter().enumerate().map(|(at, (back, root, keep, skew))| {
            let mut parents: Vec<usize> = back.into_iter().filter_map(|back| at.checked_sub(back)).collect();
            if parents.is_empty() && at > 0 && root > 0 {
                parents.push(at - 1);
            }
            let mut seen = BTreeSet::new();
            parents.retain(|parent| seen.insert(*parent));
            // several commits in one second are usual
            let time = 1_000_000 + at as i64 / (3 - step) * 60 + if skewed && !keep { skew } else { 0 };
            Made { parents, time }
        });
        made.collect()
    })
}

fn make(repo: &TestRepo, history: &[Made]) -> Vec<ObjectId> {
    let mut stream = String::new();
    for (at, commit) in history.iter().enumerate() {
        stream +=
            &format!("commit refs/heads/c{at}\nmark :{}\ncommitter T <t@e> {} +0000\ndata 1\nm\n", at + 1, commit.time);
        for (place, parent) in commit.parents.iter().enumerate() {
            stream += &format!("{} :{}\n", if place == 0 { "from" } else { "merge" }, parent + 1);
        }
        stream += &format!("M 100644 inline f{}/{at}\ndata 1\n{}\n", at % 3, at % 10);
        if at % 4 == 3 {
            stream += &format!("D f{}\n", (at + 1) % 3);
        }
    }
    repo.git_in(&repo.top(), &["fast-import", "--quiet"], stream.as_bytes());
    (0..history.len()).map(|at| repo.git(&["rev-parse", &format!("c{at}")]).trim().parse().expect("an id")).collect()
}

/// What a commit holds of history, itself included.
fn held(history: &[Made], tip: usize) -> BTreeSet<usize> {
    let mut held = BTreeSet::new();
    let mut stack = vec![tip];
    while let Some(commit) = stack.pop() {
        if held.insert(commit) {
            stack.extend(&history[commit].parents);
        }
    }
    held
}

/// What git says of one line.
fn by_git(repo: &TestRepo, history: &[Made], ids: &[ObjectId], base: usize, tip: usize) -> Grown {
    let (trunk, line) = (held(history, base), held(history, tip));
    let own: Vec<usize> = line.difference(&trunk).copied().collect();
    if own.is_empty() {
        return Grown::Merged;
    }
    if line.is_disjoint(&trunk) {
        return Grown::Unrelated;
    }
    let fork = repo.git(&["merge-base", &ids[base].to_string(), &ids[tip].to_string()]);
    let git = repo.open();
    let all = repo.git(&["merge-base", "--all", &ids[base].to_string(), &ids[tip].to_string()]);
    let crossed = all.lines().count() > 1;
    let fork: ObjectId = fork.trim().parse().expect("git prints ids");
    let mut changes = git.diff(Some(fork), ids[tip], Folders::All).expect("sound");
    for base in all.lines().map(|base| base.parse().expect("git prints ids")) {
        let differs = git.diff(Some(base), ids[tip], Folders::All).expect("sound");
        let both = |one: &Changed| one.new.is_none() || differs.iter().any(|other| other.path == one.path);
        changes.retain(both);
        let gone = differs.iter().filter(|one| one.new.is_none());
        let gone: Vec<Changed> =
            gone.filter(|one| !changes.iter().any(|known| known.path == one.path)).cloned().collect();
        changes.extend(gone);
        changes.sort_by(|a, b| a.path.cmp(&b.path));
    }
    let started = own.iter().map(|commit| history[*commit].time).min();
    let mut own: Vec<ObjectId> = own.into_iter().map(|commit| ids[commit]).collect();
    own.sort();
    Grown::Line(Growth { fork, crossed, own, started, tip_time: history[tip].time, changes })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn lines_agree_with_git_with_and_without_a_commit_graph(history in histories(), base in 0..25usize, half in 0..25usize) {
        let repo = TestRepo::new(&[]);
        let ids = make(&repo, &history);
        let base = (history.len() - 1).saturating_sub(base % 9);
        let right: Vec<Grown> = (0..ids.len()).map(|tip| by_git(&repo, &history, &ids, base, tip)).collect();
        let all = |graph: &str| -> Result<(), TestCaseError> {
            let git = repo.open();
            let found = git.grown(ids[base], &ids, Folders::All).expect("sound");
            for (tip, (found, right)) in found.iter().zip(&right).enumerate() {
                prop_assert_eq!(found, right, "{} from {} to {}", graph, base, tip);
            }
            // alone, so that no other line makes the trunk's walk longer
            for (tip, right) in right.iter().enumerate() {
                let found = git.grown(ids[base], &[ids[tip]], Folders::All).expect("sound");
                prop_assert_eq!(&found[0], right, "{} from {} to {} alone", graph, base, tip);
            }
            Ok(())
        };
        all("without a graph")?;
        let half = ids[half % ids.len()].to_string();
        repo.git_in(&repo.top(), &["commit-graph", "write", "--stdin-commits"], half.as_bytes());
        all("with half a graph")?;
        repo.git(&["commit-graph", "write", "--reachable"]);
        all("with a graph")?;
    }
}

/// A history told as `name: parents`, one commit a minute.
fn told(repo: &TestRepo, commits: &[(&str, &str)]) -> HashMap<String, ObjectId> {
    let number = |name: &str| commits.iter().position(|(other, _)| *other == name).expect("it was told before");
    let made: Vec<Made> = commits
        .iter()
        .enumerate()
        .map(|(at, (_, parents))| Made {
            parents: parents.split_whitespace().map(number).collect(),
            time: 1000 + at as i64 * 60,
        })
        .collect();
    let ids = make(repo, &made);
    commits.iter().zip(ids).map(|((name, _), id)| ((*name).to_owned(), id)).collect()
}

#[test]
fn crossed_merges_take_the_base_that_git_takes() {
    for times in [[0, 60, 120, 180, 240, 300], [0; 6], [0, 120, 60, 180, 240, 300]] {
        let parents: [&[usize]; 6] = [&[], &[0], &[0], &[1, 2], &[2, 1], &[4]];
        let history: Vec<Made> = times
            .iter()
            .zip(parents)
            .map(|(time, parents)| Made { parents: parents.to_vec(), time: 1000 + time })
            .collect();
        let repo = TestRepo::new(&[]);
        let ids = make(&repo, &history);
        let git = repo.open();
        for (a, b) in [(3, 5), (5, 3), (3, 4), (4, 3)] {
            let right = repo.git(&["merge-base", &ids[a].to_string(), &ids[b].to_string()]);
            let found = git.merge_base(ids[a], ids[b]).expect("sound").expect("they have one");
            assert_eq!(found.to_string(), right.trim(), "{times:?} {a} {b}");
        }
    }
}

#[test]
fn merge_bases_of_two_commits() {
    let repo = TestRepo::new(&[]);
    let ids = told(&repo, &[("a", ""), ("b", "a"), ("c", "a"), ("other", "")]);
    let git = repo.open();
    let base = |a: &str, b: &str| git.merge_base(ids[a], ids[b]).expect("sound");
    assert_eq!(base("b", "c"), Some(ids["a"]));
    assert_eq!(base("b", "a"), Some(ids["a"]));
    assert_eq!(base("a", "b"), Some(ids["a"]));
    assert_eq!(base("b", "b"), Some(ids["b"]));
    assert_eq!(base("b", "other"), None);
    assert_eq!(git.tip_time(ids["c"]).expect("sound"), 1120);
}

#[test]
fn the_trunk_is_walked_once_and_only_as_far_as_needed() {
    let repo = TestRepo::new(&[]);
    let mut history: Vec<Made> = (0..300)
        .map(|at: usize| Made { parents: at.checked_sub(1).into_iter().collect(), time: at as i64 * 60 })
        .collect();
    for at in 250..290 {
        history.push(Made { parents: vec![at], time: at as i64 * 60 + 30 });
    }
    let ids = make(&repo, &history);
    for graph in [false, true] {
        if graph {
            repo.git(&["commit-graph", "write", "--reachable"]);
        }
        let git = repo.open();
        let grown = git.grown(ids[299], &ids[300..], Folders::All).expect("sound");
        assert!(grown.iter().all(|grown| matches!(grown, Grown::Line(growth) if growth.own.len() == 1)));
        let visited = git.counters().now().commits;
        assert!((50..=51).contains(&visited), "{visited}");
    }
}

#[test]
fn one_tip_twice_is_one_line_twice() {
    let repo = TestRepo::new(&[]);
    let ids = told(&repo, &[("a", ""), ("b", "a"), ("c", "a"), ("main", "a")]);
    let git = repo.open();
    let grown = git.grown(ids["main"], &[ids["b"], ids["c"], ids["b"], ids["a"]], Folders::All).expect("sound");
    assert_eq!(grown[0], grown[2]);
    assert_ne!(grown[0], grown[1]);
    assert_eq!(grown[3], Grown::Merged);
    assert_eq!(git.grown(ids["main"], &[], Folders::All).expect("sound"), []);
}

#[test]
fn shallow_clones_say_so() {
    let repo = TestRepo::new(&[]);
    let ids = told(&repo, &[("a", ""), ("b", "a"), ("c", "b"), ("side", "a"), ("d", "c"), ("late", "c")]);
    let sorted: std::collections::BTreeMap<_, _> = ids.iter().collect();
    for (name, id) in sorted {
        repo.git(&["branch", "--force", name, &id.to_string()]);
    }
    let clone = repo.beside("clone");
    let url = format!("file://{}", repo.top().display());
    repo.git(&["clone", "--quiet", "--depth=2", "--branch=d", &url, &clone.to_string_lossy()]);
    repo.git_in(&clone, &["fetch", "--quiet", "--depth=2", "origin", "side", "late"], b"");
    let git = Git::open(&clone).expect("it can be opened").expect("it is there");
    let tips = [ids["side"], ids["late"], ids["c"]];
    let grown = git.grown(ids["d"], &tips, Folders::All).expect("sound");
    assert_eq!(grown[0], Grown::Shallow);
    assert!(matches!(&grown[1], Grown::Line(growth) if growth.fork == ids["c"]), "{grown:?}");
    assert_eq!(grown[2], Grown::Merged);
}

#[test]
fn what_is_missing_is_named() {
    let repo = TestRepo::new(&[]);
    let ids = told(&repo, &[("a", ""), ("b", "a"), ("c", "b"), ("x", "a"), ("y", "x"), ("good", "c")]);
    let file = |id: ObjectId| {
        let id = id.to_string();
        repo.top().join(".git/objects").join(&id[..2]).join(&id[2..])
    };
    fs::remove_file(file(ids["x"])).expect("it is loose");
    let git = repo.open();
    let grown = git.grown(ids["c"], &[ids["y"], ids["x"], ids["good"]], Folders::All).expect("the trunk is sound");
    for broken in &grown[..2] {
        let Grown::Broken(why) = broken else { panic!("{broken:?}") };
        assert!(why.contains(&ids["x"].to_string()) && why.contains("git fsck"), "{why}");
    }
    assert!(matches!(grown[2], Grown::Line(_)));
    assert!(git.grown(ids["x"], &[ids["y"]], Folders::All).is_err());

    // the trunk's own history is broken below: what left it above is none the worse
    fs::remove_file(file(ids["a"])).expect("it is loose");
    let git = repo.open();
    let grown = git.grown(ids["c"], &[ids["good"]], Folders::All).expect("the tip is sound");
    assert!(matches!(grown[0], Grown::Line(_)), "{grown:?}");

    let tree = repo.git(&["rev-parse", &format!("{}^{{tree}}", ids["good"])]);
    let tree: ObjectId = tree.trim().parse().expect("an id");
    let no_commit = git.grown(ids["c"], &[tree], Folders::All).expect("the trunk is sound");
    assert!(matches!(&no_commit[0], Grown::Broken(why) if why.contains("a commit was expected")), "{no_commit:?}");
    fs::remove_file(file(tree)).expect("it is loose");
    let grown = repo.open().grown(ids["c"], &[ids["good"]], Folders::All).expect("the trunk is sound");
    assert!(matches!(&grown[0], Grown::Broken(why) if why.contains(&tree.to_string())), "{grown:?}");
}

#[test]
fn a_broken_commit_graph_gives_an_error_or_the_truth() {
    let repo = TestRepo::new(&[]);
    let history: Vec<Made> = (0..40usize)
        .map(|at| Made {
            parents: at.checked_sub(1 + at % 3).into_iter().chain(at.checked_sub(5)).collect(),
            time: at as i64,
        })
        .collect();
    let ids = make(&repo, &history);
    repo.git(&["commit-graph", "write", "--reachable"]);
    let file = repo.top().join(".git/objects/info/commit-graph");
    let sound = fs::read(&file).expect("it was written");
    let mut seed = 5u64;
    for _ in 0..80 {
        let mut bytes = sound.clone();
        for _ in 0..4 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let at = (seed >> 33) as usize % bytes.len();
            bytes[at] ^= (seed >> 20) as u8;
        }
        fs::remove_file(&file).expect("it is there");
        fs::write(&file, bytes).expect("it can be written");
        // no panic, and an end
        let _ = repo.open().grown(ids[39], &ids, Folders::All);
    }
}

#[test]
fn wherever_objects_and_names_lie() {
    let repo = TestRepo::new(&["--object-format", "sha256"]);
    let ids = told(&repo, &[("a", ""), ("b", "a"), ("c", "a")]);
    repo.git(&["pack-refs", "--all"]);
    repo.git(&["gc", "--quiet"]);
    let linked = repo.beside("linked");
    repo.git(&["worktree", "add", "--quiet", &linked.to_string_lossy(), "c0"]);
    let bare = repo.beside("bare.git");
    repo.git(&["clone", "--quiet", "--bare", "--shared", &repo.top().to_string_lossy(), &bare.to_string_lossy()]);
    for folder in [repo.top(), linked, bare] {
        let git = Git::open(&folder).expect("it can be opened").expect("it is there");
        assert_eq!(git.commit("c1").expect("it is packed"), ids["b"]);
        let grown = git.grown(ids["c"], &[ids["b"]], Folders::All).expect("sound");
        assert!(matches!(&grown[0], Grown::Line(growth) if growth.fork == ids["a"] && !growth.changes.is_empty()));
    }
}

#[test]
fn a_clone_without_blobs_says_which_it_lacks() {
    let repo = TestRepo::new(&[]);
    let ids = told(&repo, &[("a", ""), ("b", "a"), ("c", "a")]);
    repo.git(&["update-ref", "refs/heads/main", &ids["c"].to_string()]);
    repo.git(&["config", "uploadpack.allowFilter", "true"]);
    let clone = repo.beside("clone");
    let url = format!("file://{}", repo.top().display());
    let clone_args = ["clone", "--quiet", "--no-checkout", "--filter=blob:none", &url, &clone.to_string_lossy()];
    repo.git(&clone_args);
    let git = Git::open(&clone).expect("it can be opened").expect("it is there");
    let grown = git.grown(ids["c"], &[ids["b"]], Folders::All).expect("sound");
    let Grown::Line(growth) = &grown[0] else { panic!("{grown:?}") };
    let Some(crate::source::Version { place: crate::source::Place::Blob(blob), .. }) = growth.changes[0].new else {
        panic!("{growth:?}")
    };
    let error = git.blob(blob, 100).expect_err("it was not cloned");
    assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
    let text = error.to_string();
    assert!(text.contains(&blob.to_string()) && text.contains("git fetch --refetch --no-filter"), "{text}");
    // and what it says helps
    repo.git_in(&clone, &["fetch", "--quiet", "--refetch", "--no-filter"], b"");
    let git = Git::open(&clone).expect("it can be opened").expect("it is there");
    assert_eq!(git.blob(blob, 100).expect("it came"), b"1");
    assert_eq!(git.blob(blob, 0).expect_err("too large").kind(), std::io::ErrorKind::FileTooLarge);
}
