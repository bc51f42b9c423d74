//! What is reported for two lines of work is what a scan of git's own merge of them finds, and a scan of the one alone does not.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    process::Command,
    sync::Arc,
};

use gatekeep::{
    engine::{Plan, run},
    rule::{Rule, load},
    source::MemoryTree,
};
use proptest::prelude::*;

use crate::support::Repo;

/// Texts by path.
type Files = BTreeMap<String, String>;

/// Small pools, so that names meet often: versions, functions, numbers, and lines of one sitemap.
fn path() -> impl Strategy<Value = String> {
    prop_oneof![
        (1..4u8, "[ab]").prop_map(|(version, name)| format!("supabase/migrations/{version}_{name}.sql")),
        (1..4u8, "[ab]").prop_map(|(number, name)| format!("docs/adr/000{number}-{name}.md")),
        "supabase/functions/(fn|Fn)/index\\.ts",
        (1..3u8, "[ab]").prop_map(|(app, name)| format!("apps/{app}/supabase/migrations/1_{name}.sql")),
    ]
}

/// One edit: a path gets this text, or is removed.
fn edit() -> impl Strategy<Value = (String, Option<u8>)> {
    (path(), prop_oneof![3 => (0..4u8).prop_map(Some), 1 => Just(None)])
}

/// Which of some URLs a sitemap lists, each at its place among lines that keep them apart.
fn sitemap(listed: u8) -> String {
    let mut text = "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n".to_owned();
    for place in 0..4u8 {
        (0..4).for_each(|line| text.push_str(&format!("<!-- {place}.{line} -->\n")));
        if listed & 1 << place != 0 {
            // two places for one URL
            text.push_str(&format!("<url><loc>https://example.org/{}</loc></url>\n", place % 2));
        }
    }
    text + "</urlset>\n"
}

fn edited(files: &Files, edits: &[(String, Option<u8>)], listed: u8) -> Files {
    let mut all = files.clone();
    for (path, text) in edits {
        match text {
            Some(text) => _ = all.insert(path.clone(), format!("{path} {text}\n")),
            None => _ = all.remove(path),
        }
    }
    all.insert("public/sitemap.xml".into(), sitemap(listed));
    all
}

/// The names that a scan of a tree finds taken twice, each with how many places take it.
fn twice(rules: &[Arc<Rule>], files: &Files) -> BTreeMap<(String, String, String), usize> {
    let tree = MemoryTree::new(files.iter().map(|(path, text)| (path.as_bytes(), text.as_bytes())));
    let report = run(&Plan::plain(&tree, rules)).expect("it runs");
    assert_eq!(report.incomplete, []);
    let names = report.findings.into_iter().filter(|one| one.code.ends_with("/duplicate"));
    names
        .map(|one| ((one.code, one.partition.unwrap_or_default(), one.key.unwrap_or_default()), one.sites.len()))
        .collect()
}

fn commit(repo: &Repo, files: &Files) {
    for top in ["supabase", "docs", "apps", "public"] {
        let _ = fs::remove_dir_all(repo.top().join(top)); // not there at first
    }
    files.iter().for_each(|(path, text)| _ = repo.write(path, text));
    repo.commit();
}

/// The tree that git merges two branches to; none where it stops.
fn merged(repo: &Repo, a: &str, b: &str) -> Option<Files> {
    let output = repo.git_command(&["merge-tree", "--write-tree", a, b]).output().expect("git is there");
    if !output.status.success() {
        return None;
    }
    let tree = String::from_utf8(output.stdout).expect("an id").trim().to_owned();
    let (folder, tar) = (repo.beside("merged"), repo.beside("merged.tar"));
    let _ = fs::remove_dir_all(&folder); // not there at first
    fs::create_dir(&folder).expect("it is new");
    repo.git(&["archive", "--format=tar", "-o", tar.to_str().expect("UTF-8"), &tree]);
    let done = Command::new("tar").arg("-xf").arg(&tar).arg("-C").arg(&folder).status().expect("tar is there");
    assert!(done.success());
    let mut files = Files::new();
    read(&folder, "", &mut files);
    Some(files)
}

fn read(folder: &Path, prefix: &str, files: &mut Files) {
    for entry in fs::read_dir(folder).expect("it can be listed") {
        let entry = entry.expect("it can be listed");
        let path = format!("{prefix}{}", entry.file_name().to_str().expect("UTF-8"));
        match entry.file_type().expect("it is there").is_dir() {
            true => read(&entry.path(), &format!("{path}/"), files),
            false => _ = files.insert(path, fs::read_to_string(entry.path()).expect("UTF-8")),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_reported_is_what_the_merge_brings(
        base in prop::collection::vec(edit(), 0..5),
        sides in prop::collection::vec((prop::collection::vec(edit(), 0..4), 0..16u8), 2..3),
        listed in 0..16u8,
    ) {
        let rules = load(&[], false).expect("the rules load");
        let repo = Repo::new();
        let mut start = Files::from([("supabase/config.toml".to_owned(), String::new())]);
        (1..3).for_each(|app| _ = start.insert(format!("apps/{app}/supabase/config.toml"), String::new()));
        let base = edited(&start, &base, listed);
        commit(&repo, &base);
        let mut sites = Vec::new();
        for (name, (edits, more)) in ["a", "b"].iter().zip(&sides) {
            repo.git(&["checkout", "--quiet", "-b", name, "main"]);
            let files = edited(&base, edits, listed | more);
            commit(&repo, &files);
            sites.push(twice(&rules, &files));
        }
        repo.git(&["checkout", "--quiet", "main"]);
        let Some(merge) = merged(&repo, "a", "b") else { return Ok(()) };
        let now = twice(&rules, &merge);
        let before = repo.git(&["count-objects", "--verbose"]);
        let args = ["scan", "--no-config", "--base", "a", "--head", "b", "--format", "json", "-A", "contention"];
        let report = repo.run(&args).json();
        prop_assert_eq!(before, repo.git(&["count-objects", "--verbose"]), "an object was written");
        let found: BTreeSet<(String, String, String)> = report["findings"]
            .as_array()
            .expect("a list")
            .iter()
            .filter(|one| one["rule"].as_str().is_some_and(|code| code.ends_with("/duplicate")))
            .map(|one| {
                let text = |field: &str| one[field].as_str().unwrap_or_default().to_owned();
                (text("rule"), text("partition"), text("key"))
            })
            .collect();
        // new against the one side, or taken once more than there
        let grown: BTreeSet<(String, String, String)> = now
            .iter()
            .filter(|(name, count)| sites[0].get(*name).is_none_or(|known| known < *count))
            .map(|(name, _)| name.clone())
            .collect();
        prop_assert_eq!(found, grown, "{:?}", merge.keys());
    }

    #[test]
    fn the_report_does_not_depend_on_order_or_threads(
        sides in prop::collection::vec(prop::collection::vec(edit(), 1..4), 2..5),
    ) {
        let repo = Repo::new();
        let start = Files::from([("supabase/config.toml".to_owned(), String::new())]);
        commit(&repo, &start);
        let mut globs = Vec::new();
        for (number, edits) in sides.iter().enumerate() {
            let name = format!("b{number}");
            repo.git(&["checkout", "--quiet", "-b", &name, "main"]);
            commit(&repo, &edited(&start, edits, number as u8));
            globs.extend(["--branches".to_owned(), name]);
        }
        repo.git(&["checkout", "--quiet", "main"]);
        let scan = |globs: &[String], threads: &str| {
            let globs: Vec<&str> = globs.iter().map(String::as_str).collect();
            repo.run(&[&["scan", "--conflicts", "--format", "json", "--threads", threads], &globs[..]].concat())
        };
        let first = scan(&globs, "1");
        let reversed: Vec<String> = globs.chunks(2).rev().flatten().cloned().collect();
        prop_assert_eq!(&first, &scan(&reversed, "4"));
    }
}
