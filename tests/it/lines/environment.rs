//! What the environment says: asked of this very program, run anew.

use std::{env, ffi::OsStr, io::Write, process::Command};

use gatekeep::source::{Folders, Git};

use crate::support::Repo;

const REPORT: &str = "GATEKEEP_TEST_REPORT";

/// Writes what is staged and uncommitted here into the file that the environment names.
#[test]
#[ignore = "run by the other tests, each in an environment of its own"]
fn inside() {
    let report = env::var_os(REPORT).expect("the caller names the file");
    let here = env::current_dir().expect("there is one");
    let git = Git::discover(&here).expect("it can be opened").expect("it is there");
    let worktrees = git.worktrees().expect("they can be read");
    let current = worktrees.all.iter().find(|one| one.is_current).expect("we are in it");
    let mut text = format!("{}\n", current.name);
    for change in git.staged(Folders::All).expect("it can be read").changes {
        text.push_str(&format!("staged {}\n", change.path.lossy()));
    }
    for change in git.uncommitted(current, 0, Folders::All).expect("it can be read").changes {
        text.push_str(&format!("uncommitted {}\n", change.path.lossy()));
    }
    std::fs::File::create(report).expect("it can be made").write_all(text.as_bytes()).expect("it can be written");
}

/// How this program is told to do so.
fn args() -> [&'static str; 4] {
    ["--exact", "lines::environment::inside", "--ignored", "--quiet"]
}

fn program() -> std::path::PathBuf {
    env::current_exe().expect("we are one")
}

fn report(repo: &Repo, folder: &std::path::Path, env: &[(&str, &OsStr)]) -> String {
    let file = repo.beside("report");
    let mut command = Command::new(program());
    command.args(args()).current_dir(folder).env(REPORT, &file).envs(env.iter().copied());
    let output = command.output().expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    std::fs::read_to_string(file).expect("it was written")
}

#[test]
fn git_dir_and_work_tree_may_lie_apart() {
    let repo = Repo::new();
    repo.files(&["a", "b"]).commit();
    repo.write("a", "2").git(&["add", "a"]);
    repo.write("new", "");
    let (dir, top) = (repo.top().join(".git"), repo.top());
    let env = [("GIT_DIR", dir.as_os_str()), ("GIT_WORK_TREE", top.as_os_str())];
    let expected = "main worktree\nstaged a\nuncommitted a\nuncommitted new\n";
    assert_eq!(report(&repo, &repo.beside("home"), &env), expected);
    assert_eq!(report(&repo, &repo.top(), &[("GIT_DIR", OsStr::new(".git"))]), expected);
    let index = repo.beside("index");
    repo.git_in(&repo.top(), &["read-tree", "HEAD"], &[("GIT_INDEX_FILE", index.as_os_str())]);
    let env = [("GIT_INDEX_FILE", index.as_os_str())];
    assert_eq!(report(&repo, &repo.top(), &env), "main worktree\nuncommitted a\nuncommitted new\n");
}

#[cfg(unix)]
#[test]
fn a_hook_sees_what_a_partial_commit_will_hold() {
    use std::os::unix::fs::PermissionsExt;
    let repo = Repo::new();
    repo.files(&["a", "b"]).commit();
    repo.git(&["worktree", "add", "--quiet", "--detach", "../wt"]);
    let hook = repo.top().join(".git/hooks/pre-commit");
    let file = repo.beside("report");
    let text =
        format!("#!/bin/sh\nexec env {REPORT}='{}' '{}' {}\n", file.display(), program().display(), args().join(" "));
    std::fs::create_dir_all(hook.parent().expect("it lies in a folder")).expect("it can be made");
    std::fs::write(&hook, text).expect("it can be written");
    std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(0o755)).expect("it is ours");
    for (folder, name) in [(repo.top(), "main worktree"), (repo.beside("wt"), "wt")] {
        for path in ["a", "b"] {
            std::fs::write(folder.join(path), name).expect("it can be written");
        }
        repo.git_in(&folder, &["add", "--all"], &[]);
        repo.git_in(&folder, &["commit", "--quiet", "--message=m", "b"], &[]);
        let said = std::fs::read_to_string(&file).expect("the hook ran");
        assert!(said.starts_with(&format!("{name}\nstaged b\n")), "{said}");
    }
}

#[test]
fn a_submodule_is_a_main_worktree_of_its_own() {
    let repo = Repo::new();
    repo.files(&["a"]).commit();
    let outer = Repo::new();
    let url = repo.top();
    let url = url.to_str().expect("UTF-8");
    outer.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", url, "sub"]);
    outer.commit().write("sub/a", "2").write("sub/new", "");
    let sub = outer.top().join("sub");
    assert_eq!(report(&outer, &sub, &[]), "main worktree\nuncommitted a\nuncommitted new\n");
    assert_eq!(report(&outer, &outer.top(), &[]), "main worktree\n"); // what is in it is no change of ours
    outer.git_in(&sub, &["worktree", "add", "--quiet", "--detach", "../../linked"], &[]);
    let git = Git::discover(&outer.beside("linked")).expect("it can be opened").expect("it is there");
    let main = git.worktrees().expect("they can be read").all.remove(0);
    assert_eq!((main.is_main, main.path), (true, sub.canonicalize().expect("it is there")));
}

#[test]
fn sha_256_is_read_too() {
    let repo = Repo::plain();
    repo.git(&["init", "--quiet", "--initial-branch=main", "--object-format=sha256"]);
    repo.files(&["a/1", "a/2", "b"]).commit();
    repo.git(&["worktree", "add", "--quiet", "-b", "x", "../wt"]);
    repo.write("a/1", "2").git(&["add", "a/1"]);
    repo.write("new", "").remove("b");
    assert_eq!(
        report(&repo, &repo.top(), &[]),
        "main worktree\nstaged a/1\nuncommitted a/1\nuncommitted b\nuncommitted new\n"
    );
    assert_eq!(report(&repo, &repo.beside("wt"), &[]), "wt\n");
}
