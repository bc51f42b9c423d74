//! What runs keep beside the git directory changes no answer.

use std::{fmt::Write as _, fs, path::PathBuf};

use crate::support::{Repo, Run};

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
