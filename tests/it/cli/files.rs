//! Which files a scan looks at, in the many states that git can leave a tree in.

use std::{ffi::OsStr, fs};

use crate::support::{Repo, SEEN};

/// A repository with the rule that lists what is seen, and these files tracked.
fn tracked(files: &[&str]) -> Repo {
    let repo = Repo::new();
    repo.write(".gatekeep/rules/seen.toml", SEEN).files(files).commit();
    repo
}

#[test]
fn paths_are_relative_to_the_repository_wherever_it_is_run() {
    let repo = tracked(&["a/b/1.seen", "c/2.seen"]);
    for folder in ["a/b", "c", "."] {
        assert_eq!(repo.seen_in(&repo.top().join(folder), &[]), ["a/b/1.seen", "c/2.seen"], "{folder}");
    }
}

#[test]
fn a_path_filters_what_is_shown_and_is_relative_to_the_current_folder() {
    let repo = tracked(&["a/1.seen", "b/2.seen", "c/ab.txt"]);
    let both = ["a/1.seen", "b/2.seen"];
    for path in ["a", "a/1.seen", "b/", "./a/../b", "."] {
        assert_eq!(repo.seen(&[path]), both, "{path}");
    }
    assert_eq!(repo.seen_in(&repo.top().join("c"), &["../b/2.seen"]), both);
    let nothing: [&str; 0] = [];
    assert_eq!(repo.seen(&["c"]), nothing);
    repo.run(&["scan", "c"]).exits(0);
    assert_eq!(repo.seen(&["c", "a"]), both);
}

#[test]
fn untracked_files_count_and_ignored_and_deleted_ones_do_not() {
    let repo = tracked(&["1.seen", "2.seen", "gone.seen", "renamed.seen"]);
    repo.write(".gitignore", "ignored.seen\nbuild/\n").files(&["new/3.seen", "ignored.seen", "build/4.seen"]);
    repo.remove("gone.seen");
    fs::rename(repo.top().join("renamed.seen"), repo.top().join("moved.seen")).expect("the new name is free");
    assert_eq!(repo.seen(&[]), ["1.seen", "2.seen", "moved.seen", "new/3.seen"]);
    assert_eq!(repo.seen(&["--tracked"]), ["1.seen", "2.seen"]);
    repo.git(&["add", "--force", "ignored.seen"]);
    assert_eq!(repo.seen(&["--tracked"]), ["1.seen", "2.seen", "ignored.seen"]);
    assert_eq!(repo.seen(&[]), ["1.seen", "2.seen", "ignored.seen", "moved.seen", "new/3.seen"]);
}

#[test]
fn ignores_of_the_repository_and_of_the_user_hold_too() {
    let repo = tracked(&["1.seen", "2.seen"]);
    repo.files(&["mine.seen", "ours.seen"]);
    repo.write(".git/info/exclude", "ours.seen\n");
    fs::create_dir_all(repo.beside("home/.config/git")).expect("the folder can be made");
    fs::write(repo.beside("home/.config/git/ignore"), "mine.seen\n").expect("the file can be written");
    assert_eq!(repo.seen(&[]), ["1.seen", "2.seen"]);
}

#[test]
fn files_left_out_of_the_working_tree_on_purpose_count() {
    let repo = tracked(&["1.seen", "2.seen", "a/3.seen"]);
    repo.git(&["update-index", "--skip-worktree", "2.seen", "a/3.seen"]);
    repo.remove("2.seen").remove("a/3.seen");
    for args in [&[][..], &["--tracked"]] {
        assert_eq!(repo.seen(args), ["1.seen", "2.seen", "a/3.seen"]);
    }
}

#[test]
fn every_format_of_the_index_is_read() {
    let files = ["a/1.seen", "a/2.seen", "b/3.seen"];
    for version in ["2", "3", "4"] {
        let repo = tracked(&files);
        repo.git(&["update-index", "--index-version", version]);
        assert_eq!(repo.seen(&["--tracked"]), files, "{version}");
    }
    let split = tracked(&files);
    split.git(&["update-index", "--split-index"]);
    split.files(&["b/4.seen"]).git(&["add", "b/4.seen"]);
    split.git(&["rm", "--quiet", "--cached", "a/1.seen"]);
    assert_eq!(split.seen(&["--tracked"]), ["a/2.seen", "b/3.seen", "b/4.seen"]);
    assert_eq!(split.seen(&[]), ["a/1.seen", "a/2.seen", "b/3.seen", "b/4.seen"]);
}

#[test]
fn a_sparse_checkout_hides_no_names() {
    let files = ["gone/1.seen", "gone/deep/2.seen", "kept/3.seen"];
    for sparse_index in ["--sparse-index", "--no-sparse-index"] {
        let repo = tracked(&files);
        repo.git(&["sparse-checkout", "set", "--cone", sparse_index, "kept", ".gatekeep"]);
        assert!(!repo.top().join("gone").exists());
        for args in [&[][..], &["--tracked"]] {
            assert_eq!(repo.seen(args), files, "{sparse_index} {args:?}");
        }
    }
}

#[test]
fn an_index_of_the_callers_own_is_the_one_that_counts() {
    let repo = tracked(&["1.seen", "2.seen"]);
    let other = repo.beside("index");
    let env = [("GIT_INDEX_FILE", other.as_os_str())];
    repo.files(&["3.seen", "4.seen"]);
    repo.git_in(&repo.top(), &["add", "3.seen", "4.seen"], &env);
    assert_eq!(repo.seen_with(&repo.top(), &["--tracked"], &env), ["3.seen", "4.seen"]);
    assert_eq!(repo.seen(&["--tracked"]), ["1.seen", "2.seen"]);
}

#[test]
fn a_linked_worktree_is_a_tree_of_its_own() {
    let repo = tracked(&["1.seen", "2.seen"]);
    let linked = repo.beside("linked");
    repo.git(&["worktree", "add", "--quiet", "--detach", linked.to_str().expect("UTF-8")]);
    fs::create_dir(linked.join("a")).expect("the folder is new");
    fs::write(linked.join("a/3.seen"), "").expect("the file can be written");
    for folder in [linked.clone(), linked.join("a")] {
        assert_eq!(repo.seen_in(&folder, &[]), ["1.seen", "2.seen", "a/3.seen"]);
    }
    assert_eq!(repo.seen(&[]), ["1.seen", "2.seen"]);
}

#[test]
fn worktrees_and_repositories_inside_are_not_entered() {
    let repo = tracked(&["1.seen", "2.seen"]);
    repo.git(&["worktree", "add", "--quiet", "--detach", ".claude/worktrees/agent"]);
    assert!(repo.top().join(".claude/worktrees/agent/1.seen").exists());
    repo.git(&["init", "--quiet", "tools/other"]);
    repo.files(&["tools/other/3.seen", "tools/4.seen"]);
    assert_eq!(repo.seen(&[]), ["1.seen", "2.seen", "tools/4.seen"]);
}

#[test]
fn submodules_are_not_entered() {
    let repo = tracked(&["1.seen", "2.seen"]);
    let other = tracked(&["3.seen"]);
    let from = other.top();
    let add = ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", from.to_str().expect("UTF-8"), "lib"];
    repo.git(&add);
    repo.commit();
    assert!(repo.top().join("lib/3.seen").exists());
    for args in [&[][..], &["--tracked"]] {
        assert_eq!(repo.seen(args), ["1.seen", "2.seen"]);
    }
}

#[test]
fn it_works_before_the_first_commit_and_without_git() {
    let repo = Repo::new();
    repo.run(&["scan"]).exits(0);
    repo.write(".gatekeep/rules/seen.toml", SEEN).files(&["1.seen", "a/2.seen"]);
    assert_eq!(repo.seen(&[]), ["1.seen", "a/2.seen"]);
    repo.git(&["add", "."]);
    assert_eq!(repo.seen(&["--tracked"]), ["1.seen", "a/2.seen"]);

    let plain = Repo::plain();
    plain.write(".gatekeep/rules/seen.toml", SEEN).files(&["1.seen", "a/2.seen"]);
    assert_eq!(plain.seen(&[]), ["1.seen", "a/2.seen"]);
    assert!(plain.run(&["scan", "--tracked"]).exits(2).stderr.starts_with("error: not in a git repository"));
}

#[test]
fn a_bare_repository_and_a_damaged_index_are_2() {
    let repo = Repo::new();
    repo.git(&["init", "--quiet", "--bare", "bare.git"]);
    let run = repo.run_in(&repo.top().join("bare.git"), &["scan"]).exits(2);
    assert!(run.stderr.contains("bare repository"), "{}", run.stderr);
    repo.files(&["a"]).commit();
    let index = fs::read(repo.top().join(".git/index")).expect("there is one");
    fs::write(repo.top().join(".git/index"), &index[..index.len() / 2]).expect("it can be written");
    assert!(repo.run(&["scan"]).exits(2).stderr.starts_with("error: git: "));
}

#[cfg(unix)]
mod unix {
    use std::os::unix::{ffi::OsStrExt, fs::PermissionsExt, fs::symlink};

    use super::*;

    #[test]
    fn names_that_are_not_utf_8_are_kept() {
        let repo = tracked(&["1.seen"]);
        repo.write(OsStr::from_bytes(b"b\xff/x\xfe.seen"), "");
        let scan = ["scan", "--only", "seen", "--format", "json"];
        let untracked = repo.run(&scan).exits(1).json();
        repo.git(&["add", "."]);
        let tracked = repo.run(&[&scan[..], &["--tracked"]].concat()).exits(1).json();
        for report in [untracked, tracked] {
            let sites = report["findings"][0]["sites"].as_array().expect("a list").clone();
            let site = sites.iter().find(|site| site["path"] != "1.seen").expect("the other file");
            assert_eq!(site["path"], "b\u{fffd}/x\u{fffd}.seen");
            assert_eq!(site["path_bytes"], "Yv8veP4uc2Vlbg==");
        }
        repo.run(&["scan"]).exits(1);
    }

    #[test]
    fn links_are_not_followed() {
        let repo = tracked(&["1.seen", "2.seen", "real/3.seen"]);
        symlink("real", repo.top().join("link")).expect("the link is new");
        symlink("1.seen", repo.top().join("4.seen")).expect("the link is new");
        symlink(".", repo.top().join("loop")).expect("the link is new");
        assert_eq!(repo.seen(&[]), ["1.seen", "2.seen", "4.seen", "real/3.seen"], "a link has a name of its own");
        fs::remove_dir_all(repo.top().join("real")).expect("the folder is there");
        fs::create_dir(repo.beside("outside")).expect("the folder is new");
        fs::write(repo.beside("outside/3.seen"), "").expect("it can be written");
        symlink(repo.beside("outside"), repo.top().join("real")).expect("the link is new");
        assert_eq!(repo.seen(&["--tracked"]), ["1.seen", "2.seen"], "what lies behind a link is not what was tracked");
    }

    #[test]
    fn a_pipe_is_a_gap_and_no_run_waits_for_it() {
        let repo = tracked(&["1.seen", "2.seen"]);
        let made = std::process::Command::new("mkfifo").arg(repo.top().join("3.seen")).status();
        assert!(made.expect("mkfifo is there").success());
        let run = repo.run(&["scan", "--format", "json", "--fail-on", "never"]).exits(3);
        assert_eq!(run.json()["incomplete"][0]["what"], "3.seen");
        let plain = Repo::plain();
        plain.write(".gatekeep/rules/own.toml", crate::cli::policy::OWN);
        let made = std::process::Command::new("mkfifo").arg(plain.top().join("3.names")).status();
        assert!(made.expect("mkfifo is there").success());
        plain.run(&["scan"]).exits(3);
    }

    #[test]
    fn a_folder_that_may_not_be_read_is_a_gap() {
        let repo = tracked(&["1.seen", "2.seen"]);
        repo.files(&["closed/3.seen"]);
        let closed = repo.top().join("closed");
        fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).expect("it is ours");
        let is_root = fs::read_dir(&closed).is_ok();
        let run = repo.run(&["scan", "--format", "json", "--fail-on", "never"]);
        fs::set_permissions(&closed, fs::Permissions::from_mode(0o755)).expect("it is ours");
        if !is_root {
            assert_eq!(run.exits(3).json()["incomplete"][0]["what"], "closed");
        }
    }
}

#[cfg(unix)]
#[test]
fn names_that_look_alike_as_text_are_two_files() {
    use std::os::unix::ffi::OsStrExt;
    let repo = Repo::new();
    repo.files(&["supabase/config.toml"]);
    let folder = repo.top().join("supabase/migrations");
    std::fs::create_dir_all(&folder).expect("a folder in the test's own");
    for name in [b"1_\xff.sql", b"1_\xfe.sql"] {
        std::fs::write(folder.join(std::ffi::OsStr::from_bytes(name)), "").expect("a file in the test's own");
    }
    assert_eq!(repo.run(&["scan", "--format", "json"]).exits(1).codes(), ["supabase-migrations/duplicate"]);
}

#[test]
fn another_repository_inside_a_plain_folder_is_not_entered() {
    let repo = Repo::plain();
    repo.files(&["copy/supabase/config.toml", "copy/supabase/migrations/1_a.sql", "copy/supabase/migrations/1_b.sql"]);
    repo.run(&["scan"]).exits(1);
    repo.write("copy/.git", "gitdir: /elsewhere\n");
    repo.run(&["scan"]).exits(0);
}

#[test]
fn a_folder_that_two_claims_reach_counts_once() {
    let repo = Repo::new();
    repo.files(&["config/application.rb", "db/cache_migrate/1_a.rb", "db/cache_migrate/1_b.rb"]);
    repo.write("config/database.yml", "production:\n  cache:\n    migrations_paths: db/cache_migrate\n");
    let report = repo.run(&["scan", "--format", "json"]).exits(1).json();
    assert_eq!(report["findings"][0]["sites"].as_array().map(Vec::len), Some(2), "{report}");
}

#[test]
fn a_repository_can_be_named_from_outside() {
    let outside = Repo::plain();
    outside.files(&["other/supabase/config.toml", "other/supabase/migrations/1_a.sql", "broken/sitemap.xml"]);
    outside.run(&["scan"]).exits(0);
    let folder = outside.top().join("project");
    std::fs::create_dir_all(&folder).expect("a folder in the test's own");
    outside.git_in(&folder, &["init", "-q"], &[]);
    outside.write("project/supabase/config.toml", "").write("project/supabase/migrations/1_a.sql", "");
    outside.write("project/supabase/migrations/1_b.sql", "");
    let report = outside.run(&["scan", "project", "--format", "json"]).exits(1).json();
    assert_eq!(report["findings"][0]["partition"], "supabase/migrations");
}

#[test]
fn a_tracked_text_that_is_gone_takes_no_names() {
    let repo = Repo::new();
    repo.write(".gatekeep/rules/own.toml", super::policy::OWN).write("a.names", "x\n").write("b.names", "x\n");
    repo.commit();
    repo.run(&["scan", "--tracked"]).exits(1);
    repo.remove("b.names");
    for args in [&["scan", "--tracked"][..], &["scan"]] {
        repo.run(args).exits(0);
    }
}
