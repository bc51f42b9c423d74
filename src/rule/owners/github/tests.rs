use proptest::prelude::*;

use super::*;

fn owners(text: &str) -> CodeOwners {
    CodeOwners::parse(text.as_bytes()).expect("it is small")
}

fn of(text: &str, path: &str) -> Ownership {
    owners(text).owners_of(path.as_bytes())
}

fn owned(names: &[&str], line: usize) -> Ownership {
    Ownership::Owned { owners: names.iter().map(|name| (*name).to_owned()).collect(), line }
}

fn matches(pattern: &str, path: &str) -> bool {
    matches!(of(&format!("{pattern} @x"), path), Ownership::Owned { .. })
}

/// Those of hmarr/codeowners at 11d3ff2, with backslashes before square brackets, as GitHub asks for.
#[test]
fn golden_cases() {
    #[derive(serde::Deserialize)]
    struct Case {
        pattern: String,
        matches: Vec<String>,
        lacks: Vec<String>,
    }
    let text = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/codeowners-github.json"));
    let cases: Vec<Case> = serde_json::from_str(text).expect("cases");
    assert_eq!(cases.len(), 30);
    for case in cases {
        for path in case.matches {
            assert!(matches(&case.pattern, &path), "`{}` matches {path}", case.pattern);
        }
        for path in case.lacks {
            assert!(!matches(&case.pattern, &path), "`{}` does not match {path}", case.pattern);
        }
    }
}

#[test]
fn a_slash_inside_anchors_and_one_name_floats() {
    assert!(matches("docs/a", "docs/a/b.md") && matches("/docs/a", "docs/a/b.md"));
    assert!(!matches("docs/a", "web/docs/a"));
    assert!(matches("docs", "web/docs/a") && matches("docs/", "web/docs/a") && !matches("/docs", "web/docs/a"));
    assert!(matches("docs/*", "docs/a.md") && !matches("docs/*", "docs/b/c.md"), "unlike .gitignore");
    assert!(matches("docs/a*", "docs/ab/c.md"), "a star in a longer name is as in .gitignore");
}

#[test]
fn the_last_match_decides_even_where_it_names_nobody() {
    let text = "* @all\n/lib/ @lib @lib @org/team a.b@example.org\n\n# nobody:\n/lib/generated/\n";
    assert_eq!(of(text, "README.md"), owned(&["@all"], 1));
    assert_eq!(of(text, "lib/a.rs"), owned(&["@lib", "@org/team", "a.b@example.org"], 2));
    assert_eq!(of(text, "lib/generated/a.rs"), Ownership::Unowned(5));
    assert_eq!(of("/lib/ @lib\n", "README.md"), Ownership::NoRule);
    assert_eq!(of("/docs/deep/ @deep\n/docs/ @docs\n", "docs/deep/a.md"), owned(&["@docs"], 2), "last, not longest");
}

#[test]
fn comments_stand_at_the_end_of_a_line_too() {
    assert_eq!(of("*.js @js #comment @nobody", "a.js"), owned(&["@js"], 1));
    assert_eq!(of("*.js # @nobody", "a.js"), Ownership::Unowned(1));
}

#[test]
fn blanks_and_brackets_are_escaped() {
    assert_eq!(of("docs/my\\ plan.md\t @x\r\n", "docs/my plan.md"), owned(&["@x"], 1));
    assert!(matches("pages/\\[id\\].js", "pages/[id].js"));
    assert!(matches("a\\\\ ", "a\\"), "an escaped backslash escapes nothing");
    assert!(!matches("a.md", "A.md"), "case counts");
}

#[test]
fn lines_that_github_skips_are_faults_and_the_rest_holds() {
    let text = "* @all\n\\#a @x\n!b @x\n[ab].md @x\n***/c @x\n/ @x\nd @x y\nd @x @bad!\ne @x/y/z\nf a@b\n\\\n g @ok \n";
    let owners = owners(text);
    let lines: Vec<usize> = owners.faults().iter().map(|fault| fault.line).collect();
    assert_eq!(lines, [2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    for path in ["#a", "b", "a.md", "c", "d", "e", "f"] {
        assert_eq!(owners.owners_of(path.as_bytes()), owned(&["@all"], 1), "{path}");
    }
    assert_eq!(owners.owners_of(b"x/g"), owned(&["@ok"], 12));
    assert!(owners.faults()[5].why.contains("`y`"), "{:?}", owners.faults()[5]);
}

#[test]
fn a_file_of_three_megabytes_is_not_loaded() {
    let mut text = b"* @all\n#".to_vec();
    text.resize(SIZE_LIMIT - 1, b'-');
    assert!(CodeOwners::parse(&text).is_ok());
    text.push(b'-');
    assert_eq!(CodeOwners::parse(&text).map(|_| ()), Err(TooLarge));
}

#[test]
fn texts_need_not_be_utf8() {
    let owners = CodeOwners::parse(b"\xef\xbb\xbfdocs/\xff.md @x\n\xfe\xfe @\xff\n").expect("small");
    assert_eq!(owners.owners_of(b"docs/\xff.md"), owned(&["@x"], 1));
    assert_eq!(owners.faults().len(), 1);
    assert!(matches("a?c", "a€c") && !matches("*??", "€"), "a question mark is one character");
}

#[test]
fn nothing_takes_exponential_time() {
    let deep = "a/".repeat(2000) + "b";
    assert!(!matches(&("**/a/".repeat(800) + "c"), &deep));
    assert!(!matches(&("*a".repeat(2000) + "c"), &"a".repeat(4000)));
    assert!(matches(&("*a".repeat(2000)), &"a".repeat(4000)));
}

/// The same by trying everything, over steps written with letters.
fn plainly(pattern: &[&str], parts: &[&str]) -> bool {
    match (pattern, parts) {
        ([], rest) => rest.is_empty(),
        (["**"], rest) => !rest.is_empty(),
        (["**", after @ ..], rest) => (0..=rest.len()).any(|from| plainly(after, &rest[from..])),
        ([one], [part, rest @ ..]) => (*one == "*" && rest.is_empty()) || *one == *part,
        ([one, after @ ..], [part, rest @ ..]) => (*one == "*" || one == part) && plainly(after, rest),
        (_, []) => false,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_panics(text in "([-@#/*?!a.é\\\\ \t\n]|\\[|\\]|@a|@a/b|a@b.cc){0,40}", path in "([a.é*#/ ]|\\[){1,12}") {
        let _ = owners(&text).owners_of(path.as_bytes());
    }

    #[test]
    fn no_bytes_panic(text in proptest::collection::vec(any::<u8>(), 0..200), path in proptest::collection::vec(any::<u8>(), 1..20)) {
        let _ = CodeOwners::parse(&text).map(|owners| owners.owners_of(&path));
    }

    #[test]
    fn steps_match_as_if_all_were_tried(
        pattern in proptest::collection::vec(proptest::sample::select(vec!["a", "b", "*", "**"]), 1..6),
        path in proptest::collection::vec(proptest::sample::select(vec!["a", "b"]), 1..7),
    ) {
        let mut collapsed = pattern.clone();
        let last = collapsed.pop().expect("one at least");
        collapsed.dedup_by(|a, b| *a == "**" && *b == "**");
        collapsed.push(last);
        prop_assert_eq!(matches(&format!("/{}", pattern.join("/")), &path.join("/")), plainly(&collapsed, &path));
    }
}
