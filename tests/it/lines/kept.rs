//! What runs keep beside the git directory changes no answer.

use std::{fmt::Write as _, fs, path::PathBuf};

use crate::support::{Repo, Run, SEEN};

/// A sitemap that is long enough for its names to be kept.
fn sitemap(name: &str, extra: &str) -> String {
    let mut text = String::from("<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n");
    for page in 0..5_000 {
        writeln!(text, "<url><loc>https://example.com/{name}/pages/of/a/long/list/{page}</loc></url>")
            .expect("a text grows");
    }
    text + extra + "</urlset>\n"
}

fn judged(repo: &Repo) -> (Run, String) {
    let run = repo.run(&["scan", "--base", "main", "--head", "change", "--format", "json", "--stats"]);
    let blobs = run.stderr.lines().find_map(|line| line.strip_prefix("blobs ")).expect("it is counted").to_owned();
    (run, blobs)
}

fn kept(repo: &Repo) -> Vec<PathBuf> {
    let files = fs::read_dir(repo.top().join(".git/gatekeep")).expect("something is kept");
    let mut files: Vec<PathBuf> = files.map(|file| file.expect("it can be read").path()).collect();
    files.sort();
    files
}

#[test]
fn names_of_long_texts_are_the_same_when_they_come_from_an_earlier_run() {
    let taken = "<url><loc>https://example.com/b/pages/of/a/long/list/7</loc></url>\n";
    let repo = Repo::new();
    repo.write("public/sitemap-a.xml", sitemap("a", "")).write("public/sitemap-b.xml", sitemap("b", "")).commit();
    repo.git(&["checkout", "--quiet", "-b", "change"]);
    repo.write("public/sitemap-a.xml", sitemap("a", taken)).commit();

    let (first, blobs) = judged(&repo);
    assert_eq!(first.codes(), ["sitemap-urls/duplicate"]);
    let files = kept(&repo);
    assert!(files.len() >= 3, "both of the trunk, and the new one: {files:?}");

    let (again, fewer) = judged(&repo);
    assert_eq!((again.status, &again.stdout), (first.status, &first.stdout));
    assert!(fewer.parse::<u64>().ok() < blobs.parse().ok(), "{fewer} and {blobs}");

    for file in files {
        let mut bytes = fs::read(&file).expect("it is there");
        bytes[0] ^= 1;
        fs::write(&file, bytes).expect("it can be written");
    }
    assert_eq!(judged(&repo).0.stdout, first.stdout, "what is broken counts as nothing");

    repo.write("public/sitemap-a.xml", sitemap("a", "")).commit();
    assert!(judged(&repo).0.codes().is_empty(), "another text has names of its own");
}

#[test]
fn before_the_first_commit_texts_are_read_from_the_index() {
    let repo = Repo::new();
    let map = "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"><url><loc>https://a.example/</loc></url></urlset>\n";
    repo.write("public/sitemap-a.xml", map).write("public/sitemap-b.xml", map).git(&["add", "--all"]);
    repo.remove("public/sitemap-a.xml");
    let run = repo.run(&["scan", "--staged", "--format", "json"]);
    assert_eq!(run.codes(), ["sitemap-urls/duplicate"], "{}", run.stderr);
    assert_eq!(run.json()["complete"], true);
}

#[test]
fn what_an_index_holds_is_the_same_when_it_comes_from_an_earlier_run() {
    let repo = Repo::new();
    repo.write(".gatekeep/rules/seen.toml", SEEN).files(&["1.seen", "2.seen", "out.seen"]).commit();
    let blob = repo.git(&["rev-parse", "HEAD:1.seen"]);
    repo.enter(&(0..5_000).map(|at| format!("100644 {} 0\tmany/{at}.txt\n", blob.trim())).collect::<String>());
    repo.git(&["update-index", "--skip-worktree", "out.seen"]);
    repo.remove("out.seen");
    let paths = || {
        let run = repo.run(&["scan", "--tracked", "--only", "seen", "--stats"]);
        run.stderr.lines().find_map(|line| line.strip_prefix("paths ")).expect("it is counted").to_owned()
    };
    let seen = || repo.seen(&["--tracked", "--only", "seen"]);
    assert_eq!((paths().as_str(), kept(&repo).len()), ("5004", 1), "the first run goes through all");
    assert_eq!((paths().as_str(), kept(&repo).len()), ("0", 1), "the second one through none");
    assert_eq!(seen(), ["1.seen", "2.seen", "out.seen"]);

    repo.remove("2.seen").files(&["new.seen"]);
    assert_eq!(seen(), ["1.seen", "out.seen"], "what is gone from the disk is seen to be gone");
    repo.git(&["add", "new.seen"]);
    assert_eq!(seen(), ["1.seen", "new.seen", "out.seen"], "another index");
    assert_eq!(kept(&repo).len(), 1, "takes the place of the old one");

    let file = kept(&repo).remove(0);
    let mut bytes = fs::read(&file).expect("it is there");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&file, bytes).expect("it can be written");
    assert_eq!(seen(), ["1.seen", "new.seen", "out.seen"], "what is broken counts as nothing");

    let index = repo.top().join(".git/index");
    let mut bytes = fs::read(&index).expect("it is there");
    let at = bytes.windows(8).position(|part| part == b"new.seen").expect("it was added");
    bytes[at..at + 3].copy_from_slice(b"nex");
    fs::write(&index, &bytes).expect("it can be written");
    repo.files(&["nex.seen"]);
    assert_eq!(seen(), ["1.seen", "nex.seen", "out.seen"], "git reads it too, whatever its checksum says");

    let end = bytes.len();
    bytes[end - 20..].fill(0);
    fs::write(&index, &bytes).expect("it can be written");
    assert_eq!((paths().as_str(), paths().as_str()), ("5005", "5005"), "an index without a checksum is read each time");
}
