//! Which files count: git itself is the oracle.

use proptest::{prelude::*, test_runner::Config};

use crate::support::{Repo, SEEN};

/// What may stand in an ignore file.
const PATTERNS: [&str; 32] = [
    "*.seen",
    "!*.seen",
    "a.seen",
    "!a.seen",
    "/a.seen",
    "one",
    "one/",
    "!one/",
    "/one",
    "two/*",
    "!two/a.seen",
    "**/two",
    "one/**",
    "one/**/a.seen",
    "*",
    "!*/",
    "?.seen",
    "[ab].seen",
    "# a.seen",
    "sp\\ ace.seen",
    "a.seen  ",
    "\\!a.seen",
    "[!a].seen",
    "*.SEEN",
    "!one/two/",
    "/*/two",
    "**/one/**",
    "t*",
    "/two/**/",
    "one/two",
    "!/one/two/a.seen",
    "b.seen\r",
];

/// A tree: paths of files, and which of them are tracked.
fn tree() -> impl Strategy<Value = Vec<(String, bool)>> {
    let folder = prop::collection::vec(prop::sample::select(&["one", "two", "three"][..]), 0..4);
    let file = (folder, prop::sample::select(&["a.seen", "b.seen", "sp ace.seen"][..]), any::<bool>());
    let path = file.prop_map(|(folder, name, tracked)| ([folder, vec![name]].concat().join("/"), tracked));
    prop::collection::vec(path, 1..14)
}

/// Ignore files: the folder of each and its lines. No folder is the repository's own exclude file.
fn ignores() -> impl Strategy<Value = Vec<(Option<&'static str>, Vec<&'static str>)>> {
    let places = [None, Some(""), Some("one/"), Some("two/"), Some("one/two/")];
    let lines = prop::collection::vec(prop::sample::select(&PATTERNS[..]), 1..4);
    prop::collection::vec((prop::sample::select(places.to_vec()), lines), 0..4)
}

proptest! {
    #![proptest_config(Config { cases: 32, failure_persistence: None, ..Config::default() })]

    #[test]
    fn a_scan_sees_the_files_that_git_lists(files in tree(), ignores in ignores()) {
        let repo = Repo::new();
        repo.write(".gatekeep/rules/seen.toml", SEEN).files(&["z1.seen", "z2.seen"]);
        repo.git(&["add", "--force", "z1.seen", "z2.seen"]); // a finding needs two
        for (path, tracked) in &files {
            repo.write(path, "");
            if *tracked {
                repo.git(&["add", "--force", path]);
            }
        }
        for (place, lines) in &ignores {
            let file = place.map_or(".git/info/exclude".into(), |folder| format!("{folder}.gitignore"));
            repo.write(file, lines.join("\n") + "\n");
        }
        let listed = |args: &[&str]| {
            let text = repo.git(&[&["ls-files", "-z"], args].concat());
            let mut paths: Vec<String> =
                text.split('\0').filter(|path| path.ends_with(".seen")).map(str::to_owned).collect();
            paths.sort();
            paths.dedup();
            paths
        };
        prop_assert_eq!(repo.seen(&[]), listed(&["-co", "--exclude-standard"]));
        prop_assert_eq!(repo.seen(&["--tracked"]), listed(&["-c"]));
    }
}
