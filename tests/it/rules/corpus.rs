//! What real repositories hold, distilled: exactly their duplicates are found, and nothing that only looks like one.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use gatekeep::{
    diag::Severity,
    engine::{self, Plan},
    report::Report,
    rule::Rule,
    source::MemoryTree,
};
use serde::Deserialize;

#[derive(Deserialize)]
struct Corpus {
    repositories: Vec<Repository>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Repository {
    repo: String,
    at: String,
    files: BTreeMap<String, String>,
    duplicates: Vec<Duplicate>,
    only_looks_like_one: Vec<Look>,
}

#[derive(Deserialize)]
struct Duplicate {
    rule: String,
    paths: Vec<String>,
}

#[derive(Deserialize)]
struct Look {
    paths: Vec<String>,
    why: String,
}

fn corpus() -> Corpus {
    serde_json::from_str(include_str!("../../data/corpus.json")).expect("the corpus is as described")
}

/// What the built-in rules say of a tree.
pub(super) fn scan(rules: &[Arc<Rule>], files: &BTreeMap<String, String>) -> Report {
    let tree = MemoryTree::new(files.iter().map(|(path, text)| (path.as_bytes(), text.as_bytes())));
    let plan = Plan::plain(&tree, rules);
    engine::run(&plan).expect("the tree can be judged")
}

#[test]
fn exactly_the_duplicates_of_real_repositories_are_found() {
    let rules = super::all();
    for repository in corpus().repositories {
        let report = scan(&rules, &repository.files);
        let name = format!("{} at {}", repository.repo, repository.at);
        assert!(report.incomplete.is_empty(), "{name}: {:?}", report.incomplete);
        let loud = report.findings.iter().filter(|found| found.severity > Severity::Note);
        let found: BTreeSet<(String, BTreeSet<String>)> = loud
            .map(|found| {
                let paths = found.sites.iter().map(|site| site.path.lossy().into_owned()).collect();
                (found.rule().to_owned(), paths)
            })
            .collect();
        let wanted: BTreeSet<(String, BTreeSet<String>)> =
            repository.duplicates.into_iter().map(|one| (one.rule, one.paths.into_iter().collect())).collect();
        assert_eq!(found, wanted, "{name}");
    }
}

#[test]
fn each_look_alike_is_there_and_says_why_it_is_none() {
    for repository in corpus().repositories {
        for look in repository.only_looks_like_one {
            assert!(look.paths.len() > 1 && !look.why.is_empty(), "{}: {:?}", repository.repo, look.paths);
            for path in look.paths {
                assert!(repository.files.contains_key(&path), "{}: {path}", repository.repo);
            }
        }
    }
}
