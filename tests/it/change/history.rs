//! What is put back, and what goes in circles.

use crate::support::Repo;

/// A repository whose trunk mends `a.ts`, with a test beside it, in a commit of this message.
fn mended() -> Repo {
    let repo = Repo::new();
    repo.write("src/a.ts", "one\n").write("b.ts", "b\n").commit();
    repo.write("src/a.ts", "one\ntwo: fixed\n").write("src/a.spec.ts", "x\n");
    repo.git(&["add", "--all"]);
    repo.git(&["commit", "--quiet", "--message=carry the tax"]);
    repo.write("b.ts", "c\n").commit();
    repo.git(&["switch", "--quiet", "--create", "work"]);
    repo
}

fn findings(repo: &Repo, args: &[&str]) -> Vec<(String, String, usize)> {
    let args = [&["scan", "--base", "main", "--only", "revert", "--format", "json"], args].concat();
    let report = repo.run(&args).json();
    assert_eq!(report["complete"], true, "{report}");
    let text = |found: &serde_json::Value, key: &str| found[key].as_str().expect("a text").to_owned();
    let all = report["findings"].as_array().expect("findings is a list");
    all.iter()
        .map(|found| {
            (text(found, "severity"), text(found, "message"), found["sites"].as_array().expect("a list").len())
        })
        .collect()
}

/// Reports 223, 224, 226, 227 and 229 of the corpus: a squash from a stale checkout, or a merge that drops a fix and its tests.
#[test]
fn a_stale_checkout_that_puts_old_files_back_is_seen() {
    let repo = mended();
    repo.write("src/a.ts", "one\n").remove("src/a.spec.ts").write("new.ts", "n\n");
    let before = findings(&repo, &[]);
    assert_eq!(before.len(), 1, "uncommitted files count too: {before:?}");
    repo.commit();
    let [(severity, message, 2)] = &findings(&repo, &[])[..] else { panic!("{before:?}") };
    assert_eq!(severity, "warning");
    assert!(message.contains("carry the tax") && message.contains("a file that it added is removed"), "{message}");
    assert_eq!(findings(&repo, &["--head", "work"]), findings(&repo, &[]));
}

#[test]
fn a_revert_that_says_so_is_a_note_and_new_content_is_nothing() {
    let repo = mended();
    let fix = repo.git(&["rev-parse", "main~1"]);
    repo.git(&["revert", "--no-edit", fix.trim()]);
    assert_eq!(findings(&repo, &[])[0].0, "note");
    repo.write("src/a.ts", "one\nthree\n").commit();
    assert_eq!(findings(&repo, &[]), []);
}

#[test]
fn what_is_put_back_is_seen_through_a_move() {
    // the base moved the file after it was mended, and edited it once more on the way
    for edit in [false, true] {
        let repo = mended();
        repo.git(&["switch", "--quiet", "main"]);
        repo.git(&["mv", "src/a.ts", "src/b.ts"]);
        if edit {
            repo.write("src/b.ts", "one\ntwo: fixed\nthree\n");
        }
        repo.git(&["add", "--all"]);
        repo.git(&["commit", "--quiet", "--message=move it"]);
        repo.git(&["switch", "--quiet", "--create", "late"]);
        repo.write("src/b.ts", if edit { "one\ntwo: fixed\n" } else { "one\n" }).commit();
        let found = findings(&repo, &[]);
        let [(severity, message, 1)] = &found[..] else { panic!("{found:?}") };
        let undone = if edit { "move it" } else { "carry the tax" };
        assert!(severity == "warning" && message.contains("`src/b.ts`") && message.contains(undone), "{message}");
    }
    // or the change moves it itself
    let repo = mended();
    repo.remove("src/a.ts").write("src/z.ts", "one\n").commit();
    let found = findings(&repo, &[]);
    let [(severity, message, 1)] = &found[..] else { panic!("{found:?}") };
    assert!(severity == "warning" && message.contains("`src/z.ts`") && message.contains("carry the tax"), "{message}");
    // a move alone puts nothing back
    let repo = mended();
    repo.git(&["mv", "src/a.ts", "src/z.ts"]);
    repo.commit();
    assert_eq!(findings(&repo, &[]), []);
}

#[test]
fn what_a_shallow_clone_hides_is_incomplete() {
    let repo = mended();
    repo.write("src/a.ts", "one\n").commit();
    let url = format!("file://{}", repo.top().display());
    repo.git(&["clone", "--quiet", "--depth=2", "--no-single-branch", &url, "../clone"]);
    let clone = repo.beside("clone");
    repo.git_in(&clone, &["switch", "--quiet", "work"], &[]);
    let args = ["scan", "--base", "origin/main", "--only", "revert", "--format", "json"];
    let report = repo.run_in(&clone, &args).exits(3).json();
    assert!(report["incomplete"][0]["why"].as_str().expect("a text").contains("--unshallow"), "{report}");
}

#[test]
fn a_change_that_goes_in_circles_is_seen() {
    let repo = Repo::new();
    repo.write("a.ts", "one\n").commit();
    repo.git(&["switch", "--quiet", "--create", "work"]);
    for n in 0..3 {
        repo.write("a.ts", "two\n").write("b.ts", format!("{n}\n")).commit();
        repo.write("a.ts", "one\n").commit();
    }
    let report = repo.run(&["scan", "--base", "main", "--format", "json"]).exits(0).json();
    let found = &report["findings"][0];
    assert_eq!(found["rule"], "loop/oscillating");
    assert!(found["message"].as_str().expect("a text").contains("3 times"), "{found}");
}
