use std::fs;

use gatekeep::source::{
    Git,
    lines::{Ask, Found, HeadRef, MAIN_WORKTREE, Since},
};

use crate::support::Repo;

/// A repository with one commit on `main`.
fn begun() -> Repo {
    let repo = Repo::new();
    repo.files(&["init"]).commit();
    repo
}

/// A remote with what there is now.
fn remote(repo: &Repo, name: &str) {
    let path = repo.beside(name);
    repo.git(&["clone", "--quiet", "--bare", ".", path.to_str().expect("UTF-8")]);
    repo.git(&["remote", "add", name, path.to_str().expect("UTF-8")]);
}

/// A branch with a commit of its own, and back to where we were.
fn branch(repo: &Repo, name: &str, from: &str) {
    let before = repo.git(&["rev-parse", "--abbrev-ref", "HEAD"]);
    repo.git(&["checkout", "--quiet", "--no-track", "-b", name, from]);
    repo.files(&[&format!("{name}.txt")]).commit();
    repo.git(&["checkout", "--quiet", before.trim()]);
}

fn tip(repo: &Repo, name: &str) -> String {
    repo.git(&["rev-parse", name]).trim().to_owned()
}

fn git(repo: &Repo) -> Git {
    Git::discover(&repo.top()).expect("it can be opened").expect("it is there")
}

fn ask(branches: &[&str]) -> Ask {
    Ask { branches: branches.iter().map(|glob| (*glob).to_owned()).collect(), ..Ask::default() }
}

fn find(repo: &Repo, ask: &Ask) -> Found {
    let git = git(repo);
    let trunk = git.trunk(None).expect("it can be read").expect("there is one");
    git.lines_of_work(&trunk, ask).expect("they can be found")
}

/// Holders and their commits.
#[track_caller]
fn holds(repo: &Repo, ask: &Ask, expected: &[(&str, &str)]) {
    let found = find(repo, ask);
    let holders: Vec<(String, String)> = found
        .candidates
        .into_iter()
        .map(|one| {
            (
                format!("{}:{}", one.holder.kind.word(), one.holder.name),
                one.tip.map(|id| id.to_string()).unwrap_or_default(),
            )
        })
        .collect();
    let expected: Vec<(String, String)> = expected
        .iter()
        .map(|(name, commit)| ((*name).to_owned(), if commit.is_empty() { String::new() } else { tip(repo, commit) }))
        .collect();
    assert_eq!(holders, expected);
    assert_eq!(found.incomplete, []);
}

#[test]
fn the_trunk_is_what_is_named_or_what_origin_says_or_usual() {
    let repo = Repo::new();
    assert_eq!(git(&repo).trunk(None).expect("an empty repository can be read"), None);
    repo.files(&["init"]).commit();
    let name = |repo: &Repo, named| {
        let trunk = git(repo).trunk(named).expect("it can be read").expect("there is one");
        (trunk.name, trunk.reference.unwrap_or_default())
    };
    let pair = |name: &str, full: &str| (name.to_owned(), full.to_owned());
    assert_eq!(name(&repo, None), pair("main", "refs/heads/main"));
    repo.git(&["update-ref", "refs/remotes/origin/master", "HEAD"]);
    assert_eq!(name(&repo, None), pair("origin/master", "refs/remotes/origin/master"));
    repo.git(&["update-ref", "refs/remotes/origin/main", "HEAD"]);
    assert_eq!(name(&repo, None), pair("origin/main", "refs/remotes/origin/main"));
    repo.git(&["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/gone"]);
    assert_eq!(name(&repo, None), pair("origin/main", "refs/remotes/origin/main"));
    repo.git(&["update-ref", "refs/remotes/origin/gone", "HEAD"]);
    assert_eq!(name(&repo, None), pair("origin/gone", "refs/remotes/origin/gone"));
    repo.git(&["pack-refs", "--all"]);
    assert_eq!(name(&repo, None), pair("origin/gone", "refs/remotes/origin/gone"));
    assert_eq!(name(&repo, Some("main")), pair("main", "refs/heads/main"));
    assert_eq!(name(&repo, Some("origin")), pair("origin", "refs/remotes/origin/gone"));
    repo.git(&["tag", "--annotate", "--message=m", "v1"]);
    assert_eq!(name(&repo, Some("v1")), pair("v1", "refs/tags/v1"));
    assert_eq!(name(&repo, Some(&tip(&repo, "main"))).1, "");
}

#[test]
fn branches_are_found_by_globs_that_cross_folders_and_need_no_remote() {
    let repo = begun();
    for name in ["agent/a", "agent/deep/b", "other"] {
        branch(&repo, name, "main");
    }
    remote(&repo, "origin");
    repo.git(&["push", "--quiet", "origin", "other:agent/c", "other:refs/heads/x"]);
    repo.git(&["branch", "--quiet", "-D", "agent/deep/b"]);
    repo.git(&["fetch", "--quiet", "origin"]);
    repo.git(&["remote", "set-head", "origin", "main"]);
    let all = [
        ("branch:agent/a", "agent/a"),
        ("branch:origin/agent/c", "other"),
        ("branch:origin/agent/deep/b", "origin/agent/deep/b"),
    ];
    holds(&repo, &ask(&["agent/*"]), &all);
    holds(&repo, &ask(&["origin/agent/*"]), &all); // agent/a stands for origin's
    holds(&repo, &ask(&["agent/?", "agent/*/b"]), &all);
    repo.git(&["pack-refs", "--all"]);
    holds(&repo, &Ask { exclude: vec!["agent/d*".into()], ..ask(&["agent/*"]) }, &all[..2]);
    let found = find(&repo, &Ask { exclude: vec!["agent/d*".into()], ..ask(&["agent/*", "none/*", "main"]) });
    let skipped: Vec<(String, Option<usize>)> = found.skipped.into_iter().map(|one| (one.what, one.count)).collect();
    assert_eq!(skipped, [("branches that match `none/*`".into(), Some(0)), ("excluded branches".into(), Some(1))]);
    let git = git(&repo);
    let trunk = git.trunk(None).expect("it can be read").expect("there is one");
    let refused = git.lines_of_work(&trunk, &ask(&["[a"])).expect_err("no such glob");
    assert!(refused.plain().starts_with("error: the pattern `[a` can't be used: "), "{}", refused.plain());
}

#[test]
fn a_local_branch_stands_for_its_upstream_and_the_newest_state_counts() {
    let repo = begun();
    remote(&repo, "origin");
    branch(&repo, "x", "main");
    repo.git(&["push", "--quiet", "origin", "main", "x"]); // without an upstream
    holds(&repo, &ask(&["*"]), &[("branch:x", "x")]);
    branch(&repo, "ahead", "x");
    repo.git(&["push", "--quiet", "origin", "ahead:x"]); // origin goes on
    repo.git(&["branch", "--quiet", "-D", "ahead"]);
    holds(&repo, &ask(&["*"]), &[("branch:x", "origin/x")]);
    repo.git(&["checkout", "--quiet", "x"]);
    repo.git(&["commit", "--quiet", "--amend", "--message=another"]); // and so do we, another way
    repo.git(&["checkout", "--quiet", "main"]);
    holds(&repo, &ask(&["*"]), &[("branch:x", "x")]);
    repo.git(&["branch", "--quiet", "--set-upstream-to=origin/x", "x"]);
    holds(&repo, &ask(&["*"]), &[("branch:x", "x")]);
    repo.git(&["branch", "--quiet", "-m", "x", "y"]); // the upstream has another name now
    holds(&repo, &ask(&["*"]), &[("branch:y", "y")]);
    holds(&repo, &ask(&["x"]), &[("branch:y", "y")]);
}

#[test]
fn an_upstream_that_is_only_a_start_is_a_line_of_its_own() {
    let repo = begun();
    remote(&repo, "origin");
    branch(&repo, "base", "main");
    repo.git(&["push", "--quiet", "origin", "main", "base"]);
    repo.git(&["branch", "--quiet", "-D", "base"]);
    for name in ["one", "two"] {
        branch(&repo, name, "origin/base");
        repo.git(&["branch", "--quiet", "--set-upstream-to=origin/base", name]);
    }
    let three = [("branch:one", "one"), ("branch:origin/base", "origin/base"), ("branch:two", "two")];
    holds(&repo, &ask(&["*"]), &three); // of two branches, it can't be both
    repo.git(&["push", "--quiet", "origin", "one"]);
    repo.git(&["branch", "--quiet", "-D", "two"]);
    holds(&repo, &ask(&["*"]), &three[..2]); // `one` has a branch of its own there
    repo.git(&["push", "--quiet", "origin", ":one"]);
    holds(&repo, &ask(&["*"]), &three[..1]);
    holds(&repo, &Ask { exclude: vec!["base".into()], ..ask(&["*"]) }, &three[..1]);
    repo.git(&["branch", "--quiet", "--set-upstream-to=origin/main", "one"]); // as git does it by itself
    holds(&repo, &ask(&["*"]), &three[..2]);
    repo.git(&["branch", "--quiet", "--set-upstream-to=main", "one"]);
    holds(&repo, &ask(&["*"]), &three[..2]);
}

#[test]
fn the_trunk_is_no_holder_whatever_it_is_called_where() {
    let repo = begun();
    remote(&repo, "origin");
    remote(&repo, "fork");
    repo.git(&["fetch", "--quiet", "--all"]);
    repo.git(&["remote", "set-head", "origin", "main"]);
    repo.files(&["unpushed"]).commit(); // ahead of origin/main
    holds(&repo, &ask(&["*"]), &[]);
    let git = git(&repo);
    let local = git.trunk(Some("main")).expect("it is known").expect("it was named");
    assert_eq!(git.lines_of_work(&local, &ask(&["*"])).expect("they can be found").candidates, []);
    repo.git(&["branch", "--quiet", "-m", "trunk"]);
    repo.git(&["branch", "--quiet", "--set-upstream-to=origin/main"]);
    holds(&repo, &ask(&["*"]), &[("branch:trunk", "trunk")]); // commits that the trunk does not have, under another name
}

#[test]
fn one_branch_on_two_remotes_is_one_while_it_is_the_same() {
    let repo = begun();
    branch(&repo, "x", "main");
    remote(&repo, "a-fork");
    remote(&repo, "origin");
    repo.git(&["branch", "--quiet", "-D", "x"]);
    repo.git(&["fetch", "--quiet", "--all"]);
    holds(&repo, &ask(&["x"]), &[("branch:origin/x", "origin/x")]);
    branch(&repo, "y", "origin/x");
    repo.git(&["push", "--quiet", "a-fork", "y:x"]);
    repo.git(&["branch", "--quiet", "-D", "y"]);
    holds(&repo, &ask(&["x"]), &[("branch:a-fork/x", "a-fork/x"), ("branch:origin/x", "origin/x")]);
    repo.git(&["branch", "--quiet", "origin/x", "main"]); // a local branch of that very name
    let two = [
        ("branch:a-fork/x", "a-fork/x"),
        ("branch:heads/origin/x", "main"),
        ("branch:remotes/origin/x", "remotes/origin/x"),
    ];
    holds(&repo, &ask(&["*x"]), &two);
}

#[test]
fn old_branches_are_left_out_and_counted() {
    let repo = begun();
    branch(&repo, "new", "main");
    repo.git(&["branch", "--quiet", "old", "main"]);
    let date = [("GIT_COMMITTER_DATE", std::ffi::OsStr::new("@1000000000 +0000"))];
    repo.git(&["checkout", "--quiet", "old"]);
    repo.git_in(&repo.top(), &["commit", "--quiet", "--allow-empty", "--message=m"], &date);
    repo.git(&["checkout", "--quiet", "main"]);
    for graph in [false, true] {
        if graph {
            repo.git(&["commit-graph", "write", "--reachable"]);
        }
        let since = |oldest| Ask { since: Some(Since { age: "30d".into(), oldest }), ..ask(&["*"]) };
        holds(&repo, &since(1_000_000_000), &[("branch:new", "new"), ("branch:old", "old")]);
        holds(&repo, &since(1_000_000_001), &[("branch:new", "new")]);
        let skipped = find(&repo, &since(1_000_000_001)).skipped;
        assert_eq!((skipped[0].what.as_str(), skipped[0].count), ("branches older than 30d", Some(1)));
    }
}

#[test]
fn worktrees_stand_for_their_branches_and_the_head_leaves_itself_out() {
    let repo = begun();
    remote(&repo, "origin");
    branch(&repo, "a", "main");
    repo.git(&["push", "--quiet", "origin", "a"]);
    repo.git(&["worktree", "add", "--quiet", "../wt-a", "a"]);
    repo.git(&["worktree", "add", "--quiet", "-b", "b", ".claude/worktrees/b"]);
    repo.git(&["worktree", "add", "--quiet", "--detach", "../wt-c", "a"]);
    repo.git(&["worktree", "lock", "../wt-c"]);
    let worktrees = |branches: &[&str]| Ask { worktrees: true, ..ask(branches) };
    let main = format!("worktree:{MAIN_WORKTREE}");
    let all = [("worktree:b", "b"), (main.as_str(), ""), ("worktree:wt-a", "a"), ("worktree:wt-c", "a")];
    holds(&repo, &worktrees(&[]), &all);
    holds(&repo, &worktrees(&["*"]), &all);
    holds(&repo, &ask(&["*"]), &[("branch:a", "a"), ("branch:b", "b")]);
    let from = |folder: &std::path::Path, named| {
        let git = Git::discover(folder).expect("it can be opened").expect("it is there");
        git.head_ref(named).expect("it is known")
    };
    let head = |head: HeadRef| Ask { head: Some(head), ..worktrees(&["*"]) };
    holds(&repo, &head(from(&repo.top(), None)), &[all[0], all[2], all[3]]);
    holds(&repo, &head(from(&repo.beside("wt-a"), None)), &[all[0], all[1], all[3]]);
    holds(&repo, &head(from(&repo.beside("wt-c"), None)), &[all[0], all[1], all[2]]);
    holds(&repo, &head(from(&repo.top(), Some("origin/a"))), &[all[0], all[1], all[3]]);
    holds(&repo, &Ask { worktrees: false, ..head(from(&repo.beside("wt-c"), None)) }, &[("branch:b", "b")]);
    let inside = repo.top().join(".claude/worktrees/b");
    let found = find(&repo, &worktrees(&[]));
    assert_eq!(found.candidates[0].worktree.as_ref().map(|one| one.path.clone()), inside.canonicalize().ok());
    holds(&repo, &Ask { exclude: vec!["origin/a".into()], ..worktrees(&["*"]) }, &[all[0], all[1], all[3]]);
}

#[test]
fn a_rebase_is_still_its_branch() {
    let repo = begun();
    repo.git(&["worktree", "add", "--quiet", "-b", "a", "../wt"]);
    let wt = repo.beside("wt");
    for (text, file) in [("one", "1"), ("two", "f")] {
        fs::write(wt.join(file), text).expect("it can be written");
        repo.git_in(&wt, &["add", "--all"], &[]);
        repo.git_in(&wt, &["commit", "--quiet", "--message=m"], &[]);
    }
    repo.write("f", "main").commit();
    let mut rebase = repo.git_command(&["rebase", "--quiet", "main"]);
    assert!(!rebase.current_dir(&wt).output().expect("git is there").status.success(), "it has to stop");
    let half = repo.git_in(&wt, &["rev-parse", "HEAD"], &[]);
    let worktrees = Ask { worktrees: true, ..ask(&["*"]) };
    let found = find(&repo, &worktrees);
    let linked = &found.candidates[1];
    assert_eq!(found.candidates.len(), 2);
    assert_eq!(linked.worktree.as_ref().and_then(|one| one.branch.as_deref()), Some("refs/heads/a"));
    assert_eq!(linked.tip.map(|id| id.to_string()).as_deref(), Some(half.trim()));
}

#[test]
fn worktrees_that_are_gone_moved_or_broken_are_told_apart() {
    let repo = begun();
    for name in ["gone", "locked", "taken", "broken", "unborn"] {
        repo.git(&["worktree", "add", "--quiet", "--detach", &format!("../{name}")]);
    }
    repo.git(&["worktree", "lock", "../locked"]);
    for name in ["gone", "locked", "taken"] {
        fs::remove_dir_all(repo.beside(name)).expect("it can be removed");
    }
    repo.git_in(&repo.beside(""), &["init", "--quiet", "taken"], &[]);
    fs::write(repo.top().join(".git/worktrees/broken/HEAD"), "nonsense").expect("it can be written");
    repo.git_in(&repo.beside("unborn"), &["checkout", "--quiet", "--orphan", "new"], &[]);
    let found = git(&repo).worktrees().expect("they can be read");
    let names: Vec<&str> = found.all.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, [MAIN_WORKTREE, "unborn"]);
    assert_eq!((found.all[1].head, found.all[1].branch.as_deref()), (None, Some("refs/heads/new")));
    assert_eq!((found.skipped.len(), found.skipped[0].count), (1, Some(1)));
    let broken: Vec<&str> = found.incomplete.iter().map(|one| one.what.as_str()).collect();
    assert_eq!(broken, ["worktree broken", "worktree locked", "worktree taken"]);
}

#[test]
fn a_bare_repository_has_linked_worktrees_only() {
    let repo = begun();
    let bare = repo.beside("bare.git");
    repo.git(&["clone", "--quiet", "--bare", ".", "../bare.git"]);
    repo.git_in(&bare, &["worktree", "add", "--quiet", "-b", "a", "../wt"], &[]);
    for folder in [&bare, &repo.beside("wt")] {
        let git = Git::discover(folder).expect("it can be opened").expect("it is there");
        let found = git.worktrees().expect("they can be read");
        let names: Vec<(&str, bool)> = found.all.iter().map(|one| (one.name.as_str(), one.is_current)).collect();
        assert_eq!(names, [("wt", folder != &bare)]);
        assert_eq!(found.incomplete, []);
        let trunk = git.trunk(None).expect("it can be read").expect("there is one");
        assert_eq!(trunk.name, "main");
        let ask = Ask { worktrees: true, ..ask(&["*"]) };
        assert_eq!(git.lines_of_work(&trunk, &ask).expect("they can be found").candidates.len(), 1);
    }
}

#[test]
fn refs_that_cant_be_read_are_never_taken_for_none() {
    let repo = begun();
    fs::write(repo.top().join(".git/refs/heads/bad"), "nonsense").expect("it can be written");
    let found = git(&repo).branches().expect("the others can be read");
    assert_eq!((found.all.len(), found.incomplete.len()), (1, 1));
    assert!(found.incomplete[0].why.contains("refs/heads/bad"), "{:?}", found.incomplete);
    let table = Repo::new();
    table.git(&["init", "--quiet", "--ref-format=reftable", "../table"]);
    let git = Git::discover(&table.beside("table")).expect("it can be opened").expect("it is there");
    for failed in [git.trunk(None).err(), git.branches().err(), git.worktrees().err()] {
        assert!(failed.expect("all branches would be missed").plain().contains("git refs migrate"));
    }
}
