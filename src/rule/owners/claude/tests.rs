use proptest::prelude::*;

use super::*;

fn settings(deny: &[&str], ask: &[&str]) -> Fences {
    let text = serde_json::json!({ "permissions": { "deny": deny, "ask": ask } });
    Fences::parse(text.to_string().as_bytes()).expect("JSON")
}

fn denies(rule: &str, path: &str) -> bool {
    settings(&[rule], &[]).on(path.as_bytes()).is_some_and(|fence| fence.effect == Effect::Deny)
}

#[test]
fn paths_hang_where_their_anchor_says() {
    for (rule, inside, outside) in [
        ("Edit(.env)", vec![".env", "apps/web/.env"], vec![".env.local", "env"]),
        ("Edit(/.env)", vec![".env"], vec!["apps/.env"]),
        ("Edit(./.env)", vec![".env"], vec!["apps/.env"]),
        ("Edit(src/**)", vec!["src/a", "src/a/b", "web/src/a"], vec!["srcs/a"]),
        ("Edit(/src/**)", vec!["src/a/b"], vec!["web/src/a"]),
        ("Edit(src/a/**)", vec!["src/a/b"], vec!["web/src/a/b", "src/b"]),
        ("Edit(**/src/**)", vec!["src/a", "web/src/a/b"], vec!["a/srcs"]),
        ("Edit(infra/)", vec!["infra/a", "x/infra/b/c"], vec!["infra"]),
        ("Edit(*.pem)", vec!["a.pem", "keys/b.pem"], vec!["a.pem.txt"]),
        ("Edit(/docs/*.md)", vec!["docs/a.md"], vec!["docs/b/a.md"]),
        ("Read(secrets/**)", vec!["secrets/a"], vec!["secret/a"]),
        ("Edit(#notes)", vec!["#notes"], vec!["notes"]),
    ] {
        for path in inside {
            assert!(denies(rule, path), "{rule} holds {path}");
        }
        for path in outside {
            assert!(!denies(rule, path), "{rule} does not hold {path}");
        }
    }
}

#[test]
fn what_draws_no_border_in_the_repository_is_no_fence() {
    for rule in [
        "Edit",
        "Read",
        "Edit(**)",
        "Edit(*)",
        "Edit(/**)",
        "Edit(./**)",
        "Edit()",
        "Bash(rm *)",
        "Edit(//etc/**)",
        "Edit(~/.ssh/**)",
        "Edit(../other/**)",
        "WebFetch(domain:example.org)",
        "mcp__github",
        "edit(a)",
    ] {
        let fences = settings(&[rule], &[rule]);
        assert!(fences.is_empty() && fences.ineffective().is_empty(), "{rule}");
    }
}

#[test]
fn rules_of_other_tools_with_a_path_do_nothing() {
    let rules = ["Write(a)", "MultiEdit(a)", "NotebookEdit(a)", "Glob(a)", "Edit(!a)"];
    let fences = settings(&rules, &[]);
    assert!(fences.is_empty());
    assert_eq!(fences.ineffective().iter().map(|one| one.rule.as_str()).collect::<Vec<_>>(), rules);
    assert!(settings(&["Write"], &[]).ineffective().is_empty(), "without a path it takes the tool away");
}

#[test]
fn deny_comes_before_ask_and_allow_opens_nothing() {
    let text = br#"{"permissions": {"ask": ["Edit(infra/**)"], "deny": ["Edit(infra/prod/**)"], "allow": ["Edit(infra/**)", "Write(x)"]}}"#;
    let fences = Fences::parse(text).expect("JSON");
    let on = |path: &str| fences.on(path.as_bytes()).map(|fence| (fence.effect, fence.rule.as_str()));
    assert_eq!(on("infra/prod/a"), Some((Effect::Deny, "Edit(infra/prod/**)")));
    assert_eq!(on("infra/dev/a"), Some((Effect::Ask, "Edit(infra/**)")));
    assert_eq!(on("lib/a"), None);
    let span = fences.on(b"infra/prod/a").expect("fenced").span.clone();
    assert_eq!(&text[span], b"Edit(infra/prod/**)");
    assert_eq!(&text[fences.ineffective()[0].span.clone()], b"Write(x)");
}

#[test]
fn of_a_member_given_twice_the_last_counts() {
    let text = br#"{"permissions": {"deny": ["Edit(a)"]}, "permissions": {"deny": ["Edit(b)"]}}"#;
    let fences = Fences::parse(text).expect("JSON");
    assert!(fences.on(b"a").is_none() && fences.on(b"b").is_some());
}

#[test]
fn settings_are_strict_json() {
    for text in
        ["", "[]", "{\"permissions\": {}} // x", "{\"permissions\": {\"deny\": [\"Edit(a)\",]}}", "{\"a\": \"\u{1}\"}"]
    {
        assert!(matches!(Fences::parse(text.as_bytes()), Err(ExtractError::Syntax { .. })), "{text}");
    }
    for text in [
        "{}",
        "{\"permissions\": []}",
        "{\"permissions\": {\"deny\": \"Edit(a)\"}}",
        "{\"permissions\": {\"deny\": [1, null]}}",
    ] {
        assert!(Fences::parse(text.as_bytes()).expect("JSON").is_empty(), "{text}");
    }
    assert!(Fences::parse("[".repeat(100_000).as_bytes()).is_err());
    let many = vec!["Edit(a)"; LIST_LIMIT + 1];
    let text = serde_json::json!({ "permissions": { "deny": many } }).to_string();
    assert!(matches!(Fences::parse(text.as_bytes()), Err(ExtractError::TooLarge(_))));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_rule_panics(path in "([-*?/!^#.~{},\\\\aé ]|\\[|\\]|\\*\\*/|\\.\\./){0,20}", file in "[aé/.*\\\\\n]{1,12}") {
        let fences = settings(&[&format!("Edit({path})")], &[&format!("Read({path})")]);
        let _ = fences.on(file.as_bytes());
    }

    #[test]
    fn no_path_panics(file in proptest::collection::vec(any::<u8>(), 1..20)) {
        let _ = settings(&["Edit(a/**)", "Edit(*.b)"], &[]).on(&file);
    }
}
