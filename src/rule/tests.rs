//! What the words about roots, proofs and shapes mean, each on a rule of its own.

use std::sync::Arc;

use super::{Rule, spec::RuleFile};
use crate::engine::example;

/// A rule file with `root` and `rest`, on one tree; findings that are missing or should not be there.
fn finds(root: &str, rest: &str, files: &[(&str, &str)], finds: &[&str]) {
    let head: Vec<String> = files.iter().map(|(path, text)| format!("{path:?} = {text:?}")).collect();
    let text = format!(
        "schema = 1\nid = \"x\"\nsummary = \"x\"\nseverity = \"error\"\n{root}\n{rest}\n\
         [[example]]\nname = \"x\"\nhead = {{ {} }}\nfinds = {finds:?}\n",
        head.join(", ")
    );
    let file: RuleFile = toml::from_str(&text).expect("a rule file");
    let rule = Arc::new(Rule::compile(file).expect("a rule"));
    rule.check().expect("good regexes");
    let found = example::check(&[Arc::clone(&rule)], &rule, &rule.spec.example[0]).expect("a run");
    assert_eq!(found, None, "{text}");
}

fn empty<'a>(paths: &[&'a str]) -> Vec<(&'a str, &'a str)> {
    paths.iter().map(|path| (*path, "")).collect()
}

const NUMBERS: &str = "[[claim]]\npath = '(?:.*/)?(?<key>[0-9]+)_.*\\.sql'\n[policy]\nunique = true";

#[test]
fn the_first_folder_regex_that_matches_decides() {
    let root = "[root]\nany = true\nfolder = ['(?:.*/)?db/(?:.*/)?(?:mysql|h2)', '(?:.*/)?db', '.*']";
    let deep = ["a/db/1_a.sql", "a/db/x/1_b.sql", "a/db/mysql/1_a.sql", "a/db/mysql/y/1_b.sql", "a/db/h2/1_a.sql"];
    finds(root, NUMBERS, &empty(&deep), &["duplicate 1", "duplicate 1"]);
    finds(root, NUMBERS, &empty(&["x/1_a.sql", "x/y/1_a.sql"]), &[]);
}

#[test]
fn a_folder_that_is_excepted_is_no_root() {
    let root = "[root]\nany = true\nexcept = ['(?:.*/)?fixtures(?:/.*)?']";
    finds(root, NUMBERS, &empty(&["fixtures/a/1_a.sql", "fixtures/a/1_b.sql"]), &[]);
    finds(root, NUMBERS, &empty(&["a/1_a.sql", "a/1_b.sql"]), &["duplicate 1"]);
}

#[test]
fn a_root_stands_above_the_literal_folders_of_its_claim() {
    let claim = "[[claim]]\npath = 'versions/(?<key>[0-9]+)_[^/]*\\.sql'\n[policy]\nunique = true";
    let root = "[root]\nany = true\n[[root.proof]]\nbeside = '.*_b\\.sql'";
    finds(root, claim, &empty(&["a/versions/1_a.sql", "a/versions/1_b.sql"]), &["duplicate 1"]);
    finds(root, claim, &empty(&["versions/1_a.sql", "versions/1_b.sql"]), &["duplicate 1"]);
    finds(root, claim, &empty(&["a/other/1_a.sql", "a/other/1_b.sql", "aversions/1_a.sql", "aversions/1_b.sql"]), &[]);
    finds(root, claim, &empty(&["a/versions/1_a.sql", "b/versions/1_b.sql"]), &[]);
}

#[test]
fn a_manifest_that_speaks_for_another_tool_takes_a_proof_away() {
    let root = "[root]\nany = true\n[[root.proof]]\nbeside = '1_.*'\nmanifest = 'Cargo.toml'\nlacks = 'refinery'";
    let twins = [("m/1_a.sql", ""), ("m/1_b.sql", "")];
    finds(root, NUMBERS, &twins, &["duplicate 1"]);
    finds(root, NUMBERS, &[twins[0], twins[1], ("Cargo.toml", "[dependencies]")], &["duplicate 1"]);
    finds(root, NUMBERS, &[twins[0], twins[1], ("Cargo.toml", "refinery = '1'")], &[]);
}

#[test]
fn a_folder_with_a_file_of_another_tool_is_no_root() {
    let root = "[root]\nany = true\nforeign = ['meta/journal.json', '*.lock']";
    let twins = ["a/1_a.sql", "a/1_b.sql", "a/b/1_a.sql", "a/b/1_b.sql"];
    let with = |more: &'static str| empty(&[twins.as_slice(), &[more]].concat());
    finds(root, NUMBERS, &with("meta/journal.json"), &["duplicate 1", "duplicate 1"]);
    finds(root, NUMBERS, &with("a/meta/journal.json"), &["duplicate 1"]);
    finds(root, NUMBERS, &with("a/b/x.lock"), &["duplicate 1"]);
}

#[test]
fn a_text_that_speaks_for_another_tool_takes_a_proof_away() {
    let root = "[root]\nany = true\n[[root.proof]]\nbeside = '1_.*'\nunlike = 'goose'";
    finds(root, NUMBERS, &[("1_a.sql", ""), ("1_b.sql", "")], &["duplicate 1"]);
    finds(root, NUMBERS, &[("1_a.sql", ""), ("1_b.sql", "-- goose")], &[]);
    // only the newest three are looked at
    finds(root, NUMBERS, &[("1_a.sql", "goose"), ("1_b.sql", ""), ("2_c.sql", ""), ("3_d.sql", "")], &["duplicate 1"]);
}

#[test]
fn what_is_mined_from_a_tree_is_never_broken_in_it_and_gives_way_to_all_else() {
    let mined = "[root]\nany = true\n[[root.proof]]\nmined = 2";
    finds(mined, NUMBERS, &empty(&["1_a.sql", "2_b.sql", "2_c.sql"]), &[]);
    let either = format!("{mined}\n[[root.proof]]\nbeside = '9_.*'");
    finds(&either, NUMBERS, &empty(&["1_a.sql", "2_b.sql", "2_c.sql", "9_d.sql"]), &["duplicate 2"]);
}

#[test]
fn a_shape_can_be_about_a_folder() {
    let rest = "[[claim]]\npath = 'm/(?<key>[^/]+)/up\\.sql'\n[policy]\nunique = true\n\
                [[policy.malformed]]\nfiles = 'm/**/*.sql'\npath = 'm/(?<key>[^/]+)/[^/]+'\nfolder = true\n\
                severity = 'error'\nmessage = 'x'";
    finds("", rest, &empty(&["m/a/up.sql", "m/a/down.sql", "m/b/x.sql", "m/b/y.sql"]), &["malformed b"]);
}

#[test]
fn a_configuration_may_lie_below_what_its_folders_are_relative_to() {
    let root = "[root]\nmarker = 'app.rb'\n[[root.from]]\nfiles = '**/config/database.yml'\nline = 'paths: (?<dir>.*)'\nabove = 1";
    let claim = "[[claim]]\npath = 'db/migrate/(?<key>[0-9]+)_[^/]*\\.rb'\n[policy]\nunique = true";
    let config = ("a/config/database.yml", "paths: other/dogs");
    let dogs =
        [("a/other/dogs/1_a.rb", ""), ("a/other/dogs/1_b.rb", ""), ("a/db/migrate/1_a.rb", ""), ("a/app.rb", "")];
    finds(root, claim, &[config, dogs[0], dogs[1], dogs[2], dogs[3]], &["duplicate 1"]);
    finds(root, claim, &[("a/config/database.yml", "paths: db/migrate"), dogs[2], dogs[3]], &[]);
}

#[test]
fn folders_that_are_joined_are_not_apart() {
    let root = "[root]\nany = true\n[[root.join]]\nfrom = '^java'\nto = 'resources'";
    let rest = format!("{NUMBERS}\nacross-folders = \"note\"");
    finds(root, &rest, &empty(&["java/1_a.sql", "resources/1_b.sql"]), &["error duplicate 1"]);
    let deep = "[root]\nany = true\nfolder = 'm'";
    finds(deep, &rest, &empty(&["m/1_a.sql", "m/x/1_b.sql"]), &["note duplicate 1"]);
}

#[test]
fn keys_that_differ_in_case_are_no_twins_in_another_space() {
    let rest = "[[claim]]\npath = 'm/(?<key>[a-zA-Z]+)\\.sql'\n[[claim]]\npath = 'n/(?<key>[a-zA-Z]+)\\.sql'\nspace = 'other'\n\
                [policy]\nunique = true\ncase = 'warning'";
    finds("", rest, &empty(&["m/a.sql", "m/A.sql", "n/a.sql", "n/A.sql"]), &["warning duplicate A"]);
}

#[test]
fn a_migration_that_a_machine_wrote_counts() {
    let twins = [("m/1_a.sql", ""), ("m/1_b.sql", ""), (".gitattributes", "*.sql linguist-generated")];
    finds("", NUMBERS, &twins, &[]);
    finds("group = \"migrations\"", NUMBERS, &twins, &["duplicate 1"]);
    let vendored = [twins[0], twins[1], (".gitattributes", "m/** linguist-vendored")];
    finds("group = \"migrations\"", NUMBERS, &vendored, &[]);
}

#[test]
fn a_regex_that_passes_the_check_can_be_compiled() {
    for piece in [r"\w", r"\W", r"\PL", r"\pL", r"(?i)\w", r"[^a]", r"\w+", r"(\w|\d)*", r"(\w+)+", ".", r"(?i)[^\w]"] {
        for times in [1, 6, 11, 12, 13, 40, 80].into_iter().filter(|times| times * piece.len() <= 160) {
            let text = piece.repeat(times);
            let regex = super::compile::LazyRegex::whole(&text);
            // too large is a mistake that is said, not a rule that never matches
            assert!(regex.check().is_err() || regex.regex().is_some(), "{text}");
        }
    }
}
