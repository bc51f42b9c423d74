use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::PermissionsExt,
    path::Path,
    time::{Duration, SystemTime},
};

use gatekeep::source::{Changed, Folders, Git, Place, lines::Uncommitted};
use proptest::prelude::*;

use crate::support::Repo;

const NUMBER: u16 = 7;

/// What is uncommitted in the worktree at a folder.
fn uncommitted(folder: &Path) -> Uncommitted {
    let git = Git::discover(folder).expect("it can be opened").expect("it is there");
    let worktrees = git.worktrees().expect("they can be read");
    let current = worktrees.all.into_iter().find(|one| one.is_current).expect("the folder lies in it");
    git.uncommitted(&current, NUMBER, Folders::All).expect("it can be read")
}

/// Old and new version of each changed path: an id, `disk`, or nothing.
type Shown = BTreeMap<String, (String, String)>;

fn shown(changes: &[Changed]) -> Shown {
    let show = |change: &Changed| {
        let text = |place| match place {
            Place::Blob(id) => id.to_string(),
            Place::Worktree(NUMBER) => "disk".to_owned(),
            other => panic!("{other:?}"),
        };
        let [old, new] = [change.old, change.new].map(|version| version.map(|one| text(one.place)).unwrap_or_default());
        (change.path.lossy().into_owned(), (old, new))
    };
    assert!(changes.is_sorted_by(|a, b| a.path < b.path), "{changes:?}");
    changes.iter().map(show).collect()
}

/// Ids by path, of files and links.
fn ids(listed: &str) -> BTreeMap<String, String> {
    let entry = |line: &str| {
        let (head, path) = line.split_once('\t')?;
        let fields: Vec<&str> = head.split(' ').collect();
        let id = fields.iter().find(|field| field.len() == 40)?;
        (fields[0] != "160000").then(|| (path.to_owned(), (*id).to_owned()))
    };
    listed.split('\0').filter_map(entry).collect()
}

/// Whether a file or link is there, with no link above it.
fn is_there(top: &Path, path: &str) -> bool {
    let is_real = |folder: &Path| fs::symlink_metadata(top.join(folder)).is_ok_and(|meta| meta.is_dir());
    let above = Path::new(path).ancestors().skip(1).filter(|above| !above.as_os_str().is_empty());
    above.into_iter().all(is_real) && fs::symlink_metadata(top.join(path)).is_ok_and(|meta| !meta.is_dir())
}

/// What git says, in our words.
fn oracle(repo: &Repo, top: &Path) -> Shown {
    let git = |args: &[&str]| repo.git_in(top, args, &[("GIT_OPTIONAL_LOCKS", "0".as_ref())]);
    let has_head = repo
        .git_command(&["rev-parse", "--quiet", "--verify", "HEAD"])
        .current_dir(top)
        .output()
        .expect("git is there");
    let head = if has_head.status.success() { ids(&git(&["ls-tree", "-r", "-z", "HEAD"])) } else { BTreeMap::new() };
    let index = ids(&git(&["ls-files", "-s", "-z"]));
    let status = git(&["status", "--porcelain=v1", "--untracked-files=all", "--no-renames", "-z"]);
    let mut shown = Shown::new();
    for line in status.split('\0').filter(|line| !line.is_empty() && !line.ends_with('/')) {
        let (word, path) = (&line[..2], &line[3..]);
        let old = head.get(path).cloned().unwrap_or_default();
        let new = match word {
            "D " => String::new(),
            _ if word.ends_with(' ') => index[path].clone(),
            _ if is_there(top, path) => "disk".into(),
            _ => String::new(),
        };
        if !old.is_empty() || !new.is_empty() {
            shown.insert(path.to_owned(), (old, new)); // `D ` and `??` of one path: the second counts
        }
    }
    shown
}

#[track_caller]
fn agrees_in(repo: &Repo, top: &Path) {
    let before = uncommitted(top);
    assert_eq!(shown(&before.changes), oracle(repo, top));
    assert_eq!(before.incomplete, []);
    repo.git_in(top, &["status"], &[]); // writes the index anew
    assert_eq!(uncommitted(top), before);
}

#[track_caller]
fn agrees(repo: &Repo) {
    agrees_in(repo, &repo.top());
}

/// One thing that somebody does to a path.
#[derive(Clone, Debug)]
enum Edit {
    Write(u8),
    Delete,
    Run(bool),
    Link(u8),
    Stage,
    Unstage,
    Intend,
    Assume,
    Skip,
    Commit,
    Touch,
    Ignore,
    Nested,
}

const PATHS: [&str; 11] = ["a", "b", "d", "d/a", "d/b", "d/e/f", "d/e", "x/y", "x", "a.b", "n/.x"];

fn edits() -> impl Strategy<Value = Vec<(usize, Edit)>> {
    let edit = prop_oneof![
        8 => (0..4u8).prop_map(Edit::Write),
        4 => Just(Edit::Delete),
        2 => any::<bool>().prop_map(Edit::Run),
        2 => (0..2u8).prop_map(Edit::Link),
        8 => Just(Edit::Stage),
        1 => Just(Edit::Unstage),
        1 => Just(Edit::Intend),
        1 => Just(Edit::Assume),
        1 => Just(Edit::Skip),
        3 => Just(Edit::Commit),
        2 => Just(Edit::Touch),
        1 => Just(Edit::Ignore),
        1 => Just(Edit::Nested),
    ];
    proptest::collection::vec((0..PATHS.len(), edit), 4..24)
}

/// Makes room for a path: no file above it, and nothing in its place.
fn clear(top: &Path, path: &str) {
    let target = top.join(path);
    for above in target.ancestors().skip(1).take_while(|above| above.starts_with(top) && *above != top) {
        if fs::symlink_metadata(above).is_ok_and(|meta| !meta.is_dir()) {
            fs::remove_file(above).expect("it can be removed");
        }
    }
    if fs::remove_file(&target).is_err() {
        let _ = fs::remove_dir_all(&target);
    }
    fs::create_dir_all(target.parent().expect("it lies in the repository")).expect("folders can be made");
}

fn apply(repo: &Repo, path: &str, edit: &Edit) {
    let top = repo.top();
    let may_fail = |args: &[&str]| {
        repo.git_command(args).output().expect("git is there");
    };
    match edit {
        Edit::Write(content) => {
            clear(&top, path);
            fs::write(top.join(path), [b'0' + content]).expect("it can be written"); // all of one size
        }
        Edit::Delete => {
            if fs::remove_file(top.join(path)).is_err() {
                let _ = fs::remove_dir_all(top.join(path));
            }
        }
        Edit::Run(may) => {
            if fs::symlink_metadata(top.join(path)).is_ok_and(|meta| meta.is_file()) {
                let mode = if *may { 0o755 } else { 0o644 };
                fs::set_permissions(top.join(path), fs::Permissions::from_mode(mode)).expect("it is ours");
            }
        }
        Edit::Link(to) => {
            clear(&top, path);
            std::os::unix::fs::symlink(["../home", "nowhere"][usize::from(*to)], top.join(path))
                .expect("links can be made");
        }
        Edit::Stage => may_fail(&["add", "--all", "--force", "--", path]),
        Edit::Unstage => may_fail(&["rm", "-r", "--quiet", "--cached", "--force", "--", path]),
        Edit::Intend => may_fail(&["add", "--intent-to-add", "--", path]),
        Edit::Assume => may_fail(&["update-index", "--assume-unchanged", "--", path]),
        Edit::Skip => may_fail(&["update-index", "--skip-worktree", "--", path]),
        Edit::Commit => may_fail(&["commit", "--quiet", "--message=m"]),
        Edit::Touch => {
            if fs::symlink_metadata(top.join(path)).is_ok_and(|meta| meta.is_file()) {
                let bytes = fs::read(top.join(path)).expect("it is ours");
                fs::write(top.join(path), bytes).expect("it is ours");
            }
        }
        Edit::Ignore => {
            let _ = fs::write(top.join(".gitignore"), format!("/{path}\n"));
        }
        Edit::Nested => {
            if fs::symlink_metadata(top.join("n")).is_err() {
                repo.git(&["init", "--quiet", "n/inner"]);
                repo.write("n/inner/file", "");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_done_git_says_the_same(edits in edits()) {
        let repo = Repo::new();
        for (path, edit) in edits {
            apply(&repo, PATHS[path], &edit);
        }
        agrees(&repo);
    }
}

#[test]
fn each_kind_of_change_is_found() {
    let repo = Repo::new();
    repo.files(&["deleted", "edited", "renamed", "staged", "staged and edited", "sub/was-file", "unstaged"]).commit();
    agrees(&repo);
    repo.write("edited", "2").write("staged", "2").write("staged and edited", "2").write("untracked/deep/file", "");
    repo.git(&["add", "staged", "staged and edited"]);
    repo.write("staged and edited", "3").remove("deleted").remove("sub/was-file").write("sub/was-file/below", "");
    repo.git(&["mv", "renamed", "renamed to"]);
    repo.git(&["rm", "--quiet", "--cached", "unstaged"]);
    repo.write(".gitignore", "ignored\n").write("ignored", "").write("sub/ignored/file", "");
    agrees(&repo);
    for version in ["4", "2"] {
        repo.git(&["update-index", "--index-version", version]);
        agrees(&repo);
    }
    repo.git(&["update-index", "--split-index"]);
    repo.write("more", "").git(&["add", "more"]);
    agrees(&repo);
}

#[test]
fn a_change_that_leaves_size_and_time_alone_is_seen() {
    let repo = Repo::new();
    for round in 0..8u8 {
        repo.write("racy", [b'a' + round]).git(&["add", "racy"]);
        repo.write("racy", [b'A' + round]); // in the same moment, of the same size
        agrees(&repo);
    }
    repo.commit();
    let path = repo.top().join("racy");
    let times = fs::metadata(&path).expect("it is there").modified().expect("it has a time");
    fs::write(&path, "z").expect("it can be written");
    let file = fs::File::options().write(true).open(&path).expect("it can be opened");
    file.set_modified(times).expect("it is ours");
    agrees(&repo);
}

#[test]
fn line_ends_are_no_change() {
    let repo = Repo::new();
    repo.write("text", "one\ntwo\n").write("mixed", "one\r\ntwo\n").commit();
    repo.write("text", "one\r\ntwo\r\n").write("mixed", "one\r\ntwo\r\n");
    let changed: Vec<String> = shown(&uncommitted(&repo.top()).changes).into_keys().collect();
    assert_eq!(changed, ["mixed"]);
    repo.git(&["-c", "core.autocrlf=true", "add", "--all"]); // its status looks at sizes alone, but this is what counts in the end
    assert_eq!(repo.git(&["diff", "--cached", "--name-only"]), "mixed\n");
}

fn index_of(repo: &Repo) -> fs::File {
    fs::File::options().write(true).open(repo.top().join(".git/index")).expect("it can be opened")
}

#[test]
fn files_of_git_lfs_that_were_only_fetched_are_no_change() {
    let repo = Repo::new();
    let clean = r"printf 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n'";
    repo.git(&["config", "filter.lfs.clean", clean]);
    repo.write(".gitattributes", "fetched filter=lfs\n").write("fetched", "12345").commit();
    let times = fs::metadata(repo.top().join("fetched")).expect("it is there").modified().expect("it has a time");
    index_of(&repo).set_modified(times).expect("it is ours"); // so that the content has to decide
    assert_eq!(uncommitted(&repo.top()).changes, []);
    repo.write("fetched", "123456");
    assert_eq!(uncommitted(&repo.top()).changes.len(), 1);
}

#[test]
fn a_sparse_checkout_leaves_out_what_is_not_there_and_counts_what_is() {
    for sparse_index in ["--sparse-index", "--no-sparse-index"] {
        let repo = Repo::new();
        repo.files(&["kept/1", "out/2", "out/deep/3", "top"]).commit();
        repo.git(&["sparse-checkout", "set", "--cone", sparse_index, "kept"]);
        agrees(&repo);
        repo.write("kept/1", "changed").write("kept/new", "");
        agrees(&repo);
        repo.write("out/2", "changed").write("out/deep/3", "").write("out/new", "");
        assert_eq!(shown(&uncommitted(&repo.top()).changes), oracle(&repo, &repo.top()), "{sparse_index}");
        repo.git(&["worktree", "add", "--quiet", "--detach", "../full"]);
        agrees_in(&repo, &repo.beside("full"));
    }
}

#[test]
fn linked_worktrees_have_an_index_of_their_own_and_nested_ones_are_not_entered() {
    let repo = Repo::new();
    repo.files(&["a", ".claude/settings"]).commit();
    repo.git(&["worktree", "add", "--quiet", "-b", "x", ".claude/worktrees/x"]);
    let inner = repo.top().join(".claude/worktrees/x");
    fs::write(inner.join("new"), "").expect("it can be written");
    fs::write(inner.join("a"), "changed").expect("it can be written");
    repo.git_in(&inner, &["add", "a"], &[]);
    agrees_in(&repo, &inner);
    assert_eq!(uncommitted(&repo.top()).changes, []);
    let git = Git::discover(&repo.top()).expect("it can be opened").expect("it is there");
    let worktrees = git.worktrees().expect("they can be read");
    let other = worktrees.all.iter().find(|one| one.name == "x").expect("it is linked");
    assert_eq!(git.uncommitted(other, NUMBER, Folders::All).expect("it can be read"), uncommitted(&inner));
}

#[test]
fn before_the_first_commit_all_is_new() {
    let repo = Repo::new();
    agrees(&repo);
    repo.files(&["staged", "untracked"]).git(&["add", "staged"]);
    agrees(&repo);
}

#[test]
fn an_open_merge_is_a_change_with_what_is_on_disk() {
    let repo = Repo::new();
    repo.write("f", "1").write("g", "1").commit();
    repo.git(&["checkout", "--quiet", "-b", "other"]);
    repo.write("f", "2").remove("g").commit();
    repo.git(&["checkout", "--quiet", "main"]);
    repo.write("f", "3").write("g", "3").commit();
    assert!(!repo.git_command(&["merge", "other"]).output().expect("git is there").status.success());
    agrees(&repo);
    repo.remove("f");
    agrees(&repo);
}

#[test]
fn only_wanted_paths_are_looked_at() {
    let repo = Repo::new();
    repo.files(&["supabase/config.toml", "supabase/migrations/1_a.sql", "src/1.ts", "src/2.ts"]).commit();
    repo.write("supabase/migrations/2_b.sql", "").write("src/1.ts", "changed").write("src/3.ts", "");
    repo.write("supabase/migrations/1_a.sql", "changed").git(&["add", "--all"]);
    index_of(&repo).set_modified(SystemTime::now() + Duration::from_secs(60)).expect("it is ours"); // nothing can have been changed since
    let rules = gatekeep::rule::builtin_rules();
    let rule = rules.iter().find(|rule| rule.id() == "supabase-migrations").expect("it is built in");
    let active = gatekeep::rule::ActiveRule { rule: rule.clone(), scope: gatekeep::rule::Scope::default() };
    let classifier = gatekeep::rule::classifier(&[active]);
    let git = Git::discover(&repo.top()).expect("it can be opened").expect("it is there");
    let worktree = git.worktrees().expect("they can be read").all.remove(0);
    let found = git.uncommitted(&worktree, NUMBER, Folders::Wanted(&classifier)).expect("it can be read");
    let paths: Vec<String> = shown(&found.changes).into_keys().collect();
    assert_eq!(paths, ["supabase/migrations/1_a.sql", "supabase/migrations/2_b.sql"]);
    assert_eq!(git.counters().now().lstat, 3);
    assert_eq!(git.staged(Folders::Wanted(&classifier)).expect("it can be read").changes.len(), 2);
}
