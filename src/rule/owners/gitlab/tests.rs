use proptest::prelude::*;

use super::*;

fn of(text: &str, path: &str) -> Ownership {
    CodeOwners::parse(text.as_bytes()).owners_of(path.as_bytes())
}

fn owned(names: &[&str], line: usize) -> Ownership {
    Ownership::Owned { owners: names.iter().map(|name| (*name).to_owned()).collect(), line }
}

fn matches(pattern: &str, path: &str) -> bool {
    matches!(of(&format!("{pattern} @x"), path), Ownership::Owned { .. })
}

#[test]
fn patterns_are_normalized_as_by_gitlab() {
    for (path, pattern) in [
        ("*", "/**/*"),
        ("*.rb", "/**/*.rb"),
        ("/docs/", "/docs/**/*"),
        ("/docs/*", "/docs/*"),
        ("lib/", "/**/lib/**/*"),
        ("ee/docs", "/**/ee/docs"),
        ("\\#file_with_pound.rb", "/**/#file_with_pound.rb"),
        ("path\\ with\\ spaces/", "/**/path with spaces/**/*"),
    ] {
        assert_eq!(normalized(path.as_bytes()).to_str_lossy(), pattern, "{path}");
    }
}

#[test]
fn documented_paths() {
    for (pattern, matching, other) in [
        ("/README.md", vec!["README.md"], vec!["docs/README.md"]),
        ("/docs/README.md", vec!["docs/README.md"], vec!["a/docs/README.md"]),
        ("README.md", vec!["README.md", "internal/README.md", "app/lib/README.md"], vec!["README.md/a"]),
        ("internal/README.md", vec!["internal/README.md", "docs/api/internal/README.md"], vec!["internal/x/README.md"]),
        ("/docs/", vec!["docs/a", "docs/a/b"], vec!["docs", "a/docs/b"]),
        ("/docs/*.md", vec!["docs/a.md"], vec!["docs/a/b.md"]),
        ("/docs/index.*", vec!["docs/index.md", "docs/index.html"], vec!["docs/index"]),
        ("/docs/*spec*", vec!["docs/qa_specs.rb", "docs/spec_helpers.rb", "docs/runtime.spec"], vec!["docs/a/spec"]),
        ("/docs/*/README.md", vec!["docs/api/README.md"], vec!["docs/README.md", "docs/a/b/README.md"]),
        (
            "/docs/**/index.md",
            vec!["docs/index.md", "docs/api/index.md", "docs/api/graphql/index.md"],
            vec!["index.md"],
        ),
        ("*", vec!["a", ".a", "a/.b/c"], vec![]),
        ("docs", vec!["docs", "a/docs"], vec!["docs/a"]),
        ("/[ab].md", vec!["a.md"], vec!["c.md", "[ab].md"]),
        ("/{a,b}.md", vec!["{a,b}.md"], vec!["a.md"]),
        ("/dir\\!name/a", vec!["dir!name/a"], vec!["dir\\!name/a"]),
        ("foo/*", vec!["foo/bar", "baz/foo/bar"], vec!["fufoo/bar"]),
    ] {
        for path in matching {
            assert!(matches(pattern, path), "`{pattern}` matches {path}");
        }
        for path in other {
            assert!(!matches(pattern, path), "`{pattern}` does not match {path}");
        }
    }
}

#[test]
fn every_section_names_its_own() {
    let text = "* @admin\n\n[README Owners]\nREADME.md @user1 @user2\ninternal/README.md @user4\n\n[README other owners]\nREADME.md @user3\n";
    assert_eq!(of(text, "README.md"), owned(&["@admin", "@user1", "@user2", "@user3"], 1));
    assert_eq!(of(text, "internal/README.md"), owned(&["@admin", "@user4", "@user3"], 1));
    assert_eq!(of(text, "a"), owned(&["@admin"], 1));
}

#[test]
fn entries_without_owners_have_those_of_the_heading() {
    let text = "* @general\n[Documentation][2] @docs-team\ndocs/\nREADME.md\n*.txt\n\n^[Database] @database-team @agarcia\nmodel/db/\nconfig/db/database-setup.md @docs-team\n";
    assert_eq!(of(text, "docs/a"), owned(&["@general", "@docs-team"], 1));
    assert_eq!(of(text, "config/db/database-setup.md"), owned(&["@general", "@docs-team"], 1));
    let all = owned(&["@general", "@docs-team", "@database-team", "@agarcia"], 1);
    assert_eq!(of(text, "model/db/CHANGELOG.txt"), all);
}

#[test]
fn sections_of_one_name_are_one() {
    let text = "[Documentation]\nee/docs/ @docs\n[Database]\nREADME.md @database\n[DOCUMENTATION] @more\n/ee/docs/a\n";
    assert_eq!(of(text, "ee/docs/a"), owned(&["@more"], 6), "the last one of the section, with the owners above it");
    assert_eq!(of(text, "ee/docs/b"), owned(&["@docs"], 2));
    assert_eq!(CodeOwners::parse(text.as_bytes()).sections.len(), 3, "and the one above the first heading");
}

#[test]
fn what_is_excluded_stays_so_in_its_section() {
    let text = "* @username\n!pom.xml\n\n[Ruby]\n*.rb @ruby-team\n!/config/**/*.rb\n/config/routes.rb @ops\n";
    assert_eq!(of(text, "pom.xml"), Ownership::Unowned(2));
    assert_eq!(of(text, "config/routes.rb"), owned(&["@username"], 1));
    assert_eq!(of(text, "lib/a.rb"), owned(&["@username", "@ruby-team"], 1));
    assert_eq!(of("* @d\n!*.rb # Excludes all Ruby files.\n/special/*.rb @r\n", "special/a.rb"), Ownership::Unowned(2));
}

#[test]
fn later_entries_win_and_none_is_no_rule() {
    assert_eq!(of("*.md @doc-team\nterms.md @legal-team\n", "terms.md"), owned(&["@legal-team"], 2));
    assert_eq!(of("/src/ @a\n/src/ui/ @ui\n/src/ @b\n", "src/ui/x.vue"), owned(&["@b"], 3));
    assert_eq!(of("/app/file @f\n/app/file/ @d\n", "app/file"), owned(&["@f"], 1));
    assert_eq!(of("/a @x\n", "b"), Ownership::NoRule);
    assert_eq!(of("# nothing\n", "b"), Ownership::NoRule);
    assert_eq!(of("/a\n", "a"), Ownership::Unowned(1));
}

#[test]
fn headings_that_are_not_closed_are_paths() {
    let owners = CodeOwners::parse(b"[Docs]\n/docs/**/* @group\n\n[Section name\ndocs/ @docs_group\n");
    assert_eq!(owners.sections[1].entries.len(), 3);
    assert_eq!(owners.owners_of(b"docs/a"), owned(&["@docs_group"], 5));
    assert_eq!(owners.owners_of(b"[Section"), Ownership::NoRule, "its bracket opens a class that is not closed");
    assert!(owners.faults()[0].line == 4 && owners.faults()[0].why.contains("heading"));
}

#[test]
fn words_that_are_no_owners_are_ignored() {
    let owners = CodeOwners::parse(b"/path/* @group user_without_at_symbol @user_with_at_symbol\n/b x\n");
    assert_eq!(owners.owners_of(b"path/a"), owned(&["@group", "@user_with_at_symbol"], 1));
    assert_eq!(owners.owners_of(b"b"), Ownership::Unowned(2));
    assert_eq!(owners.faults().iter().map(|fault| fault.line).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(of("/a @x # or @y", "a"), owned(&["@x", "@y"], 1), "no comments at the end of a line");
    assert_eq!(
        of("/a @@maintainer a.b@c.org @g/sub-1/x_2", "a"),
        owned(&["@@maintainer", "a.b@c.org", "@g/sub-1/x_2"], 1)
    );
}

#[test]
fn paths_may_look_like_owners() {
    let text = "a/weird\\ path\\ with/\\ @username\\ /\\ and-email@lookalikes.com\\ / @user-1 email@gitlab.org @user-2";
    let path = "a/weird path with/ @username / and-email@lookalikes.com /test.rb";
    assert_eq!(of(text, path), owned(&["@user-1", "email@gitlab.org", "@user-2"], 1));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_panics(text in "([-^#/*?!a.é\\\\ \t\n]|\\[|\\]|\\[A\\]|@a|@a/b|a@b.cc){0,40}", path in "([a.é*#/ ]|\\[){1,12}") {
        let _ = of(&text, &path);
    }

    #[test]
    fn no_bytes_panic(text in proptest::collection::vec(any::<u8>(), 0..200), path in proptest::collection::vec(any::<u8>(), 1..20)) {
        let _ = CodeOwners::parse(&text).owners_of(&path);
    }
}
