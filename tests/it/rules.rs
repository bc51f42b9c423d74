//! The built-in rules: their examples, and what they say of real repositories.

mod complete;
mod corpus;

use std::{collections::BTreeSet, fs, path::Path, sync::Arc};

use gatekeep::{
    engine::example,
    rule::{self, Rule},
};

fn all() -> Vec<Arc<Rule>> {
    rule::load(&[], true).expect("the built-in rules load")
}

#[test]
fn every_file_is_built_in() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("rules");
    let mut on_disk = BTreeSet::new();
    for group in fs::read_dir(&top).expect("rules/") {
        let group = group.expect("a folder");
        for file in fs::read_dir(group.path()).expect("a folder of rules") {
            let name = format!(
                "{}/{}",
                group.file_name().to_string_lossy(),
                file.expect("a file").file_name().to_string_lossy()
            );
            if name.ends_with(".toml") && group.file_name() != "tests" {
                on_disk.insert(name);
            }
        }
    }
    let built_in: BTreeSet<String> = rule::builtin().iter().map(|(path, _)| (*path).to_owned()).collect();
    assert_eq!(on_disk, built_in);
}

#[test]
fn every_rule_is_named_as_its_file_and_says_why() {
    for ((path, _), rule) in rule::builtin().iter().zip(all()) {
        let stem = path.rsplit('/').next().and_then(|file| file.strip_suffix(".toml"));
        assert_eq!(stem, Some(rule.id()), "{path}");
        rule.check().unwrap_or_else(|mistake| panic!("{path}: {} at {}", mistake.message, mistake.at));
        assert!(rule.spec.why.is_some() && rule.spec.docs.is_some() && rule.spec.group.is_some(), "{path}");
    }
}

#[test]
fn every_example_holds() {
    let rules = all();
    let mut wrong = Vec::new();
    for rule in &rules {
        for one in &rule.spec.example {
            if let Some(mismatch) = example::check(&rules, rule, one).expect("the example runs") {
                wrong.push(format!("{}, {}: {mismatch:?}", rule.id(), one.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn sitemap(text: String) -> Vec<String> {
    let files = [("public/sitemap.xml".to_owned(), text)].into();
    corpus::scan(&all(), &files).findings.iter().map(|found| format!("{} {}", found.code, found.severity)).collect()
}

#[test]
fn a_sitemap_holds_at_most_fifty_thousand_urls() {
    let urls = |count: u32| {
        let list: String = (0..count).map(|at| format!("<url><loc>https://example.com/{at}</loc></url>")).collect();
        format!("<urlset>{list}</urlset>")
    };
    assert_eq!(sitemap(urls(50_000)), [] as [String; 0]);
    assert_eq!(sitemap(urls(50_001)), ["sitemap-urls/over-quota warning"]);
}

#[test]
fn a_sitemap_has_at_most_fifty_mebibytes() {
    let text = |length: usize| format!("<urlset>{}</urlset>", " ".repeat(length - 17));
    assert_eq!(sitemap(text(52_428_800)), [] as [String; 0]);
    assert_eq!(sitemap(text(52_428_801)), ["sitemap-urls/over-quota warning"]);
}

#[test]
fn the_published_schema_is_fresh_and_takes_every_built_in_file() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas/rule.schema.json");
    let fresh = format!("{:#}\n", rule::schema());
    if std::env::var_os("GATEKEEP_UPDATE").is_some() {
        fs::write(&path, &fresh).expect("schemas/ can be written");
    }
    assert_eq!(fs::read_to_string(&path).expect("the schema"), fresh, "run GATEKEEP_UPDATE=1 cargo test");
    let validator = jsonschema::validator_for(&rule::schema()).expect("a good schema");
    for (path, text) in rule::builtin() {
        let file: serde_json::Value = toml::from_str(text).expect("TOML");
        let errors: Vec<String> = validator.iter_errors(&file).map(|error| error.to_string()).collect();
        assert_eq!(errors, [] as [String; 0], "{path}");
    }
    let typo = serde_json::json!({ "schema": 1, "id": "x", "sumary": "x" });
    assert!(!validator.is_valid(&typo));
}
