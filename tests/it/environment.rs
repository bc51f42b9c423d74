//! What worktrees share of the machine, in real worktrees of real repositories.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use gatekeep::{
    diag::{Holder, HolderKind},
    engine::environment,
    report::{Format, RenderOptions, Report},
    rule::{self, Rule},
    source::{Tree, Untracked, WorkingTree},
};

use crate::support::Repo;

/// A repository that ignores its `.env` files, and two worktrees beside it.
fn fleet() -> (Repo, PathBuf, PathBuf) {
    let repo = Repo::new();
    repo.write(".gitignore", ".env\n.env.local\ncompose.override.yaml\nnode_modules/\n/local/\n");
    repo.files(&["package.json", "web/package.json"]).commit();
    let made = ["a", "b"].map(|name| {
        let top = repo.beside(name);
        repo.git(&["worktree", "add", "--quiet", "-b", name, top.to_str().expect("a UTF-8 path")]);
        top
    });
    let [a, b] = made;
    (repo, a, b)
}

fn write(top: &Path, path: &str, text: &str) {
    let path = top.join(path);
    fs::create_dir_all(path.parent().expect("a file lies in a folder")).expect("the folders can be made");
    fs::write(path, text).expect("the file can be written");
}

fn rules() -> Vec<Arc<Rule>> {
    rule::load(&[], false).expect("the rules load")
}

fn judge_with(tops: &[&Path], untracked: Untracked) -> Report {
    let trees: Vec<(Holder, WorkingTree)> = tops
        .iter()
        .map(|top| {
            let tree = WorkingTree::open(top, untracked).expect("a repository").expect("a worktree");
            let name = top.file_name().expect("a name").to_string_lossy().into_owned();
            (Holder { kind: HolderKind::Worktree, name, commit: None }, tree)
        })
        .collect();
    let trees: Vec<(Holder, &dyn Tree)> =
        trees.iter().map(|(holder, tree)| (holder.clone(), tree as &dyn Tree)).collect();
    environment::report(&rules(), &trees)
}

fn judge(tops: &[&Path]) -> Report {
    judge_with(tops, Untracked::Included)
}

/// Code and key of each finding.
fn found(report: &Report) -> Vec<String> {
    assert_eq!(report.incomplete, [], "{report:?}");
    report.findings.iter().map(|one| format!("{} {}", one.code, one.key.as_deref().unwrap_or_default())).collect()
}

fn printed(report: &Report) -> String {
    let mut all = Vec::new();
    for format in [Format::Human, Format::Json, Format::Github] {
        format.render(report, &RenderOptions::default(), &mut all).expect("memory takes all");
    }
    String::from_utf8(all).expect("reports are UTF-8")
}

#[test]
fn ignored_files_of_worktrees_are_where_they_clash() {
    let (_repo, a, b) = fleet();
    write(&a, ".env", "PORT=3001\nDATABASE_URL=postgres://app:secret@localhost:5432/app_a\n");
    write(&b, ".env", "PORT=3001\nDATABASE_URL=postgres://app:secret@localhost:5432/app_b\n");
    let report = judge(&[&a, &b]);
    assert_eq!(found(&report), ["env-ports/duplicate 3001"]);
    let holders: Vec<&str> = report.findings[0].sites.iter().map(|site| site.holder.name.as_str()).collect();
    assert_eq!(holders, ["b", "a"]);
    write(&b, ".env", "PORT=3002\nDATABASE_URL=postgres://other:hidden@127.0.0.1/app_a\n");
    let report = judge(&[&a, &b]);
    assert_eq!(found(&report), ["env-databases/duplicate postgres://localhost:5432/app_a"]);
    assert!(report.findings[0].message.starts_with("database postgres://localhost:5432/app_a is used by 2 worktrees"));
}

#[test]
fn no_secret_is_ever_printed() {
    let (_repo, a, b) = fleet();
    let env = "SECRET_KEY=hunter2\nPORT=3001\nDATABASE_URL=postgres://ann:hunter2@localhost:5432/app\nTOKEN=hunter2\nREDIS_URL=redis://:hunter2@localhost\n";
    let compose =
        "services:\n  db:\n    environment: {PASSWORD: hunter2}\n    ports: [\"5432:5432\"]\n    command: [hunter2]\n";
    for top in [&a, &b] {
        write(top, ".env", env);
        write(top, "compose.override.yaml", compose);
        write(top, "compose.yaml", "name: shop # hunter2\n");
        write(top, "web/docker-compose.yml", "a: [hunter2\nb: 'hunter2");
        write(top, "supabase/config.toml", "hunter2 = \"hunter2\nport = 1\n");
    }
    let report = judge(&[&a, &b]);
    let codes: Vec<&str> = report.findings.iter().map(|one| one.code.as_str()).collect();
    let want = ["compose-project", "env-databases", "env-databases", "env-ports", "env-ports"];
    assert_eq!(codes, want.map(|rule| format!("{rule}/duplicate")));
    assert_eq!(report.incomplete.len(), 4, "{:?}", report.incomplete);
    let text = printed(&report);
    assert!(!text.contains("hunter2") && !text.contains("ann"), "{text}");
    assert!(text.contains(".env:2:1") && text.contains("5432"), "{text}");
    for site in report.findings.iter().flat_map(|one| &one.sites) {
        assert!(site.position.is_some() && site.snippet.is_none(), "{site:?}");
    }
}

#[test]
fn what_is_not_the_worktrees_own_is_not_looked_at() {
    let (repo, a, b) = fleet();
    for top in [&a, &b] {
        for folder in ["node_modules/x", "web/node_modules", "local", "vendor/x", "web/examples/x"] {
            write(top, &format!("{folder}/.env"), "PORT=3001\n");
        }
        // another repository, and worktrees of this one
        write(top, "nested/.env", "PORT=3001\n");
        repo.git(&["init", "--quiet", top.join("nested").to_str().expect("a UTF-8 path")]);
        repo.git_in(top, &["worktree", "add", "--quiet", "--detach", ".claude/worktrees/x"], &[]);
        write(top, ".claude/worktrees/x/.env", "PORT=3001\n");
    }
    assert_eq!(found(&judge(&[&a, &b])), [""; 0]);
    write(&a, "web/.env", "PORT=3001\n");
    write(&b, "new/service/.env", "PORT=3001\n"); // a folder that is not tracked yet
    assert_eq!(found(&judge(&[&a, &b])), ["env-ports/duplicate 3001"]);
}

#[test]
fn the_main_worktree_takes_part_and_the_order_makes_no_difference() {
    let (repo, a, b) = fleet();
    for top in [&repo.top(), &a, &b] {
        write(top, "web/.env.local", "PORT=3001\n");
    }
    let report = judge(&[&repo.top(), &a, &b]);
    assert_eq!(found(&report), ["env-ports/duplicate 3001"]);
    assert_eq!(report.findings[0].sites.len(), 3);
    assert_eq!(judge(&[&b, &repo.top(), &a]), report);
    assert_eq!(found(&judge(&[&a])), [""; 0]);
}

#[test]
fn a_plain_scan_knows_nothing_of_it() {
    let (repo, a, _b) = fleet();
    let text = "PORT=3001\n";
    repo.write("web/.env", text).write(".env", text).write("x/.env.development", text);
    repo.write("compose.yaml", "services: {a: {ports: ['1:1', '1:1']}}\n").commit();
    let seen = |args: &[&str]| repo.run(&[&["scan", "--format", "json"], args].concat()).exits(0).json();
    assert_eq!(seen(&[])["findings"], serde_json::json!([]));
    assert_eq!(seen(&["--only", "env-ports,env-databases,compose-project"])["findings"], serde_json::json!([]));
    // an allowance of what was not judged is not called unused, nor are its roots missed
    let config = "[namespace.env-ports]\nroots = [\"web\"]\n[[allow]]\ncode = \"env-ports/duplicate\"\npaths = [\".env\"]\nreason = \"one proxy\"\n";
    repo.write("gatekeep.toml", config);
    assert_eq!(seen(&[])["findings"], serde_json::json!([]));
    assert!(a.exists());
}

#[test]
fn files_that_are_only_tracked_can_be_asked_for_alone() {
    let (repo, a, b) = fleet();
    for top in [&a, &b] {
        write(top, ".env", "PORT=3001\n");
        write(top, "compose.yaml", "services: {a: {ports: ['${PORT:-3000}:80', '81:80']}}\n");
        repo.git_in(top, &["add", "compose.yaml"], &[]);
    }
    let report = judge_with(&[&a, &b], Untracked::LeftOut);
    assert_eq!(found(&report), ["env-ports/duplicate 3000", "env-ports/duplicate 81"]);
    assert_eq!(found(&judge(&[&a, &b])), ["env-ports/duplicate 3001", "env-ports/duplicate 81"]);
    // deleted on disk, but not in the index
    write(&a, "web/.env.development", "PORT=1\n");
    repo.git_in(&a, &["add", "--force", "web/.env.development"], &[]);
    fs::remove_file(a.join("web/.env.development")).expect("it was there");
    write(&a, "web/.env", "PORT=2\n");
    write(&b, "web/.env", "PORT=2\n");
    repo.git_in(&a, &["add", "--force", "web/.env"], &[]);
    repo.git_in(&b, &["add", "--force", "web/.env"], &[]);
    let report = judge_with(&[&a, &b], Untracked::LeftOut);
    assert!(found(&report).contains(&"env-ports/duplicate 2".to_owned()), "{report:?}");
}

#[cfg(unix)]
#[test]
fn links_are_not_followed_out_of_the_worktree() {
    use std::os::unix::fs::symlink;

    let (repo, a, b) = fleet();
    write(&repo.top(), ".env", "PORT=3001\n");
    write(&a, ".env", "PORT=3001\n");
    write(&a, "web/compose.yaml", "services: {a: {ports: ['${PORT:-5}:80', '81:80']}}\n");
    symlink(repo.top().join(".env"), b.join(".env")).expect("links can be made");
    write(&b, "compose.yaml", "services: {a: {ports: ['${PORT:-3001}:80', '81:80']}}\n");
    let report = judge(&[&a, &b]);
    let gaps: Vec<&str> = report.incomplete.iter().map(|gap| gap.what.as_str()).collect();
    assert_eq!(gaps, [".env (worktree b)"]);
    // its own text is not known, and neither is what it would have filled in
    let keys: Vec<_> = report.findings.iter().map(|one| one.key.as_deref()).collect();
    assert_eq!(keys, [Some("81")]);
    // one that leads to a file of the same worktree says what that says
    fs::remove_file(b.join(".env")).expect("it was there");
    symlink("../.env", b.join("web/.env")).expect("links can be made");
    write(&b, ".env", "PORT=3001\n");
    let report = judge(&[&a, &b]);
    assert_eq!(found(&report), ["env-ports/duplicate 3001", "env-ports/duplicate 81"]);
    let paths: Vec<String> = report.findings[0].sites.iter().map(|site| site.path.lossy().into_owned()).collect();
    assert!(paths.contains(&"web/.env".to_owned()), "{paths:?}");
}

#[cfg(unix)]
#[test]
fn what_can_not_be_read_is_no_silence() {
    let (_repo, a, b) = fleet();
    write(&a, ".env", "PORT=3001\n");
    std::process::Command::new("mkfifo").arg(b.join(".env")).status().expect("mkfifo is there");
    let report = judge(&[&a, &b]);
    assert_eq!(report.incomplete[0].what, ".env (worktree b)");
    fs::remove_file(b.join(".env")).expect("it was there");
    fs::write(b.join(".env"), b"PORT=3001\nX=\xff\n").expect("it can be written");
    let report = judge(&[&a, &b]);
    assert_eq!(report.incomplete[0].why, "not valid UTF-8 at byte 12");
}

#[test]
fn it_costs_no_more_than_the_folders_that_count() {
    let (_repo, a, b) = fleet();
    for top in [&a, &b] {
        write(top, ".env", "PORT=3001\n");
        write(top, "web/src/index.ts", "");
        for n in 0..20 {
            write(top, &format!("node_modules/m{n}/.env"), "PORT=1\n");
        }
    }
    let open = |top: &Path| WorkingTree::open(top, Untracked::Included).expect("a repository").expect("a worktree");
    let trees = [open(&a), open(&b)];
    let holder = |name: &str| Holder { kind: HolderKind::Worktree, name: name.into(), commit: None };
    let report = environment::report(&rules(), &[(holder("a"), &trees[0]), (holder("b"), &trees[1])]);
    assert_eq!(found(&report), ["env-ports/duplicate 3001"]);
    let cost = trees[0].counters().now();
    assert_eq!((cost.readdir, cost.opened, cost.lstat, cost.paths), (3, 1, 0, 3), "top, web and web/src");
}
