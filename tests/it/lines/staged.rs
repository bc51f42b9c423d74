use std::collections::BTreeSet;

use gatekeep::source::{Changed, EntryKind, Folders, Git, Place, lines::Staged};

use crate::support::Repo;

fn staged(repo: &Repo) -> Staged {
    let git = Git::discover(&repo.top()).expect("it can be opened").expect("it is there");
    git.staged(Folders::All).expect("it can be read")
}

/// The changes as git prints them, submodules left out.
fn shown(staged: &Staged) -> BTreeSet<String> {
    let changes = staged.changes.iter().map(|change| {
        let word = match (change.old, change.new) {
            (None, _) => "A",
            (_, None) => "D",
            (Some(old), Some(new)) if old.kind != new.kind => "T",
            _ => "M",
        };
        let id = match change.new.map(|new| new.place) {
            Some(Place::Blob(id)) => id.to_string(),
            _ => String::new(),
        };
        format!("{word} {} {id}", change.path.lossy())
    });
    changes.chain(staged.incomplete.iter().map(|one| format!("U {} ", one.what))).collect()
}

fn oracle(repo: &Repo) -> BTreeSet<String> {
    let text = repo.git(&["diff", "--cached", "--raw", "--no-renames", "--no-abbrev", "-z"]);
    let mut fields = text.split('\0');
    let mut lines = BTreeSet::new();
    while let (Some(head), Some(path)) = (fields.next(), fields.next()) {
        let [_, _, _, new, word] = head.split(' ').collect::<Vec<_>>()[..] else { panic!("{head}") };
        let id = if word == "D" || word == "U" { "" } else { new };
        if word == "U" {
            lines.retain(|line: &String| !line.starts_with(&format!("M {path} ")));
        }
        lines.insert(format!("{word} {path} {id}"));
    }
    lines
}

#[track_caller]
fn agrees(repo: &Repo) {
    assert_eq!(shown(&staged(repo)), oracle(repo));
}

fn edited() -> Repo {
    let repo = Repo::new();
    repo.files(&["a/b/1", "a/b/2", "a/c/3", "a.b", "d/4", "file/below", "was-file", "x/y/z/deep"])
        .write("same", "same")
        .commit();
    for path in ["a/b/1", "d/4", "file/below", "was-file"] {
        repo.git(&["rm", "--quiet", path]);
    }
    repo.write("a/b/5", "5")
        .write("new/6", "6")
        .write("file", "now a file")
        .write("was-file/below", "b")
        .write("a.b", "!");
    repo.write("x/y/z/deep", "deep");
    repo
}

#[test]
fn what_is_staged_is_what_git_says() {
    let repo = edited();
    repo.git(&["add", "--all"]);
    agrees(&repo);
    for version in ["4", "3", "2"] {
        repo.git(&["update-index", "--index-version", version]);
        agrees(&repo);
    }
    repo.git(&["update-index", "--chmod=+x", "same"]);
    agrees(&repo);
    let same = staged(&repo).changes.into_iter().find(|one| one.path.as_bytes() == b"same").expect("it may be run now");
    assert_eq!(same.old, same.new);
    repo.git(&["update-index", "--split-index"]);
    repo.git(&["rm", "--quiet", "--cached", "a/c/3"]);
    repo.write("split", "s").git(&["add", "split"]);
    agrees(&repo);
    repo.git(&["update-index", "--no-split-index"]);
    repo.git(&["read-tree", "HEAD"]); // all trees are known again
    agrees(&repo);
    repo.write("a/c/3", "3").git(&["add", "a/c/3"]);
    agrees(&repo);
}

#[test]
fn a_large_index_is_read_where_it_matters() {
    let repo = Repo::new();
    repo.write("f", "1").git(&["add", "f"]);
    let [empty, other] = ["", "1"].map(|text| {
        repo.write("blob", text);
        repo.git(&["hash-object", "-w", "blob"]).trim().to_owned()
    });
    let path = |at: usize| {
        format!("{:02}/{:02}/a-file-with-a-rather-long-name-so-that-there-are-chunks-{at}", at / 600, at / 50 % 12)
    };
    let all: String = (0..12_000).map(|at| format!("100644 {empty} 0\t{}\n", path(at))).collect();
    repo.enter(&all);
    assert!(std::fs::metadata(repo.top().join(".git/index")).expect("it is there").len() > 1 << 20);
    agrees(&repo);
    repo.git(&["commit", "--quiet", "--message=m"]);
    agrees(&repo);
    let mut edits: String = (0..12_000).step_by(997).map(|at| format!("100644 {other} 0\t{}\n", path(at))).collect();
    edits.push_str(&format!("0 {empty} 0\t{}\n0 {empty} 0\t{}\n", path(11_999), path(5_000)));
    edits.push_str(&format!("100644 {other} 0\t00/00\n100644 {other} 0\tzz\n")); // the first takes a folder's place
    repo.enter(&edits);
    agrees(&repo);
    assert_eq!(staged(&repo).changes.len(), 13 + 1 + 2 + 50);
}

#[test]
fn before_the_first_commit_all_is_new() {
    let repo = Repo::new();
    agrees(&repo);
    repo.files(&["a/1", "b"]).git(&["add", "--all"]);
    assert_eq!(staged(&repo).changes.len(), 2);
    agrees(&repo);
}

#[test]
fn an_intent_to_add_is_nothing_yet_and_an_open_merge_is_said() {
    let repo = Repo::new();
    repo.write("f", "1").write("g", "1").commit();
    repo.files(&["intent"]).git(&["add", "--intent-to-add", "intent"]);
    agrees(&repo);
    repo.git(&["checkout", "--quiet", "-b", "other"]);
    repo.write("f", "2").git(&["commit", "--quiet", "--message=m", "f"]);
    repo.git(&["checkout", "--quiet", "main"]);
    repo.write("f", "3").git(&["commit", "--quiet", "--message=m", "f"]);
    repo.git(&["rm", "--quiet", "--cached", "intent"]);
    assert!(!repo.git_command(&["merge", "other"]).output().expect("git is there").status.success());
    let open = staged(&repo);
    assert_eq!((open.changes.len(), open.incomplete[0].what.as_str()), (0, "f"));
    agrees(&repo);
}

#[cfg(unix)]
#[test]
fn links_and_submodules() {
    let repo = Repo::new();
    repo.write("was-link", "text").write("was-file", "was-link");
    std::os::unix::fs::symlink("was-link", repo.top().join("link")).expect("links can be made");
    repo.commit();
    let id = repo.git(&["rev-parse", "HEAD"]);
    repo.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{},sub", id.trim())]);
    std::fs::remove_file(repo.top().join("link")).expect("it can be removed");
    std::fs::remove_file(repo.top().join("was-file")).expect("it can be removed");
    repo.write("link", "now a file");
    std::os::unix::fs::symlink("elsewhere", repo.top().join("was-file")).expect("links can be made");
    repo.git(&["add", "link", "was-file"]);
    let staged = staged(&repo);
    let kinds = |one: &Changed| [one.old, one.new].map(|version| version.map(|version| version.kind));
    let kinds: Vec<_> = staged.changes.iter().map(kinds).collect();
    let (file, link) = (Some(EntryKind::File), Some(EntryKind::Link));
    assert_eq!(kinds, [[link, file], [file, link]]);
}

#[test]
fn a_sparse_index_is_compared_folder_by_folder() {
    let repo = edited();
    repo.commit();
    repo.git(&["sparse-checkout", "set", "--cone", "--sparse-index", "a"]);
    agrees(&repo);
    repo.write("a/c/3", "3").git(&["add", "a/c/3"]);
    agrees(&repo);
    repo.git(&["reset", "--quiet", "--soft", "HEAD^"]); // now whole folders differ, at which git 2.47's own diff stops short
    let tree = repo.git(&["write-tree"]);
    let diff = repo.git(&["diff-tree", "-r", "--name-only", "--no-renames", "HEAD", tree.trim()]);
    let paths: Vec<String> = staged(&repo).changes.iter().map(|one| one.path.lossy().into_owned()).collect();
    assert_eq!(paths, diff.lines().collect::<Vec<_>>());
}
