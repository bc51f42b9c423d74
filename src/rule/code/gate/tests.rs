use super::*;
use crate::rule::change::testing::Made;

/// What a change of one file to the gate is called, and what is said of it.
fn said(path: &str, old: Option<&str>, new: Option<&str>) -> Vec<(Severity, String)> {
    let files = |text: Option<&'static str>| text.map(|text| vec![(path.to_owned(), text)]).unwrap_or_default();
    let leak = |text: Option<&str>| text.map(|text| &*text.to_owned().leak());
    let (old, new) = (files(leak(old)), files(leak(new)));
    fn borrowed<'a>(files: &'a [(String, &'static str)]) -> Vec<(&'a str, &'a str)> {
        files.iter().map(|(path, text)| (path.as_str(), *text)).collect()
    }
    let made = Made::new(&borrowed(&old), &borrowed(&new));
    let said = judge(&made.change());
    assert!(said.incomplete.is_empty(), "{said:?}");
    said.findings.into_iter().map(|found| (found.severity, found.message)).collect()
}

fn verdict(path: &str, old: &str, new: &str) -> Option<Severity> {
    said(path, Some(old), Some(new)).first().map(|(severity, _)| *severity)
}

const LANES: &str = "[agents.ps3]\nowns = ['lib/**']\nnever = ['.github/**']\n";

#[test]
fn words_of_the_configuration_loosen_or_tighten() {
    let of = |old: &str, new: &str| verdict("gatekeep.toml", old, new);
    let (loose, unclear, tight) = (Some(Severity::Error), Some(Severity::Warning), Some(Severity::Note));
    assert_eq!(of(LANES, &LANES.replace("lib/**", "**")), loose, "a lane owns more");
    assert_eq!(of(LANES, &LANES.replace("'.github/**'", "'.github/**', 'x'")), tight);
    assert_eq!(of(LANES, &LANES.replace("never = ['.github/**']", "")), loose);
    assert_eq!(of("[rules]\ngoose = 'error'\n", "[rules]\ngoose = 'off'\n"), loose);
    assert_eq!(of("[rules]\ngoose = 'off'\n", "[rules]\ngoose = 'warning'\n"), tight);
    assert_eq!(of("[rules]\ngoose = 'error'\n", ""), loose);
    assert_eq!(of("", "fail-on = 'never'\n"), loose);
    assert_eq!(of("fail-on = 'error'\n", "fail-on = 'warning'\n"), tight);
    assert_eq!(of("base = 'main'\n", "base = 'dev'\n"), unclear);
    let allow = "[[allow]]\ncode = 'goose'\npaths = ['a']\nreason = 'r'\n";
    assert_eq!(of("", allow), loose);
    assert_eq!(of(allow, ""), tight);
    assert_eq!(of(&format!("{allow}{allow}"), allow), tight, "the same entry twice is two");
    let protected = "[[protected]]\npaths = ['a']\nnot-empty = true\n";
    assert_eq!(of(protected, ""), loose);
    assert_eq!(of("", protected), tight);
    assert_eq!(of(LANES, &format!("# a comment\n{LANES}")), None);
}

#[test]
fn a_configuration_comes_goes_or_breaks() {
    let of = |old: Option<&str>, new: Option<&str>| said("gatekeep.toml", old, new).remove(0);
    assert_eq!(of(None, Some(LANES)).0, Severity::Note);
    assert_eq!(of(Some(LANES), None).0, Severity::Error);
    assert_eq!(of(Some(LANES), Some("nonsense = 1\n")).0, Severity::Error);
    assert_eq!(of(Some("nonsense = 1\n"), Some(LANES)).0, Severity::Warning);
    let (_, message) = of(Some(LANES), Some(&LANES.replace("lib/**", "**")));
    assert!(message.contains("`agents.ps3.owns` with `**`") && message.contains("`main`"), "{message}");
}

#[test]
fn rule_files_baselines_and_owners_are_parts_of_the_gate() {
    let rule = "schema = 1\nid = 'x'\nsummary = 's'\nseverity = 'error'\n[[claim]]\npath = 'a/(?<key>[0-9]+)'\ncompare = 'text'\norder = 'text'\n[policy]\nunique = true\n";
    let of = |old: Option<&str>, new: Option<&str>| said(".gatekeep/rules/x.toml", old, new).remove(0).0;
    assert_eq!(of(None, Some(rule)), Severity::Note);
    assert_eq!(of(Some(rule), None), Severity::Error);
    assert_eq!(of(Some(rule), Some(&rule.replace("a/", "b/"))), Severity::Warning);
    assert_eq!(of(Some(rule), Some("id = ")), Severity::Error);
    let baseline = |entries: &[&str]| {
        let entry =
            |n: &&str| format!("{{\"code\":\"goose/duplicate\",\"fingerprint\":\"{}\",\"paths\":[]}}", n.repeat(32));
        format!("{{\"schema\":1,\"findings\":[{}]}}", entries.iter().map(entry).collect::<Vec<_>>().join(","))
    };
    let of = |old: &[&str], new: &[&str]| verdict(".gatekeep/baseline.json", &baseline(old), &baseline(new));
    assert_eq!(of(&["a"], &["a", "b"]), Some(Severity::Error));
    assert_eq!(of(&["a", "b"], &["a"]), Some(Severity::Note));
    assert_eq!(of(&["a", "b"], &["b", "a"]), None);
    assert_eq!(verdict(".github/CODEOWNERS", "* @a\n", "* @b\n"), Some(Severity::Warning));
    assert_eq!(said("CODEOWNERS", Some("* @a\n"), None)[0].0, Severity::Error);
}

#[test]
fn only_workflows_that_run_gatekeep_count() {
    let path = ".github/workflows/ci.yml";
    let run = "steps:\n  - run: gatekeep ci\n";
    assert_eq!(verdict(path, "steps: []\n", "steps: [x]\n"), None);
    assert_eq!(verdict(path, run, "steps: []\n"), Some(Severity::Error));
    assert_eq!(verdict(path, run, "steps:\n  # - run: gatekeep ci\n"), Some(Severity::Error), "a comment runs nothing");
    assert_eq!(verdict(path, run, "steps:\n  - run: gatekeep ci || true\n"), Some(Severity::Error));
    assert_eq!(verdict(path, run, &format!("name: x\n{run}")), Some(Severity::Warning));
    assert_eq!(verdict(path, "steps: []\n", run), Some(Severity::Note));
    assert_eq!(verdict("docs/ci.yml", run, ""), None);
}

#[test]
fn hooks_and_fences_count_where_they_concern_the_gate() {
    let pre_commit = "repos:\n  - repo: https://x/gatekeep\n    rev: v1\n  - repo: other\n";
    let of = |new: &str| verdict(".pre-commit-config.yaml", pre_commit, new);
    assert_eq!(of(&pre_commit.replace("other", "another")), None, "another hook is nobody's gate");
    assert_eq!(of("repos: []\n"), Some(Severity::Error));
    let claude = |deny: &str, hook: &str| format!("{{\"permissions\":{{\"deny\":[{deny}]}},\n\"hooks\":\"{hook}\"}}");
    let of = |old: (&str, &str), new: (&str, &str)| {
        verdict(".claude/settings.json", &claude(old.0, old.1), &claude(new.0, new.1))
    };
    let fence = "\"Edit(/infra/**)\"";
    assert_eq!(of((fence, "gatekeep hook"), ("", "gatekeep hook")), Some(Severity::Error));
    assert_eq!(of(("", ""), (fence, "")), Some(Severity::Note));
    assert_eq!(of((fence, "gatekeep hook"), (fence, "")), Some(Severity::Error));
    assert_eq!(of((fence, "a"), (fence, "b")), None);
    assert_eq!(verdict(".claude/settings.json", &claude(fence, ""), "{"), Some(Severity::Error));
}

#[test]
fn an_allowance_in_a_comment_is_listed_and_an_old_one_is_not() {
    let allowed = "-- gatekeep: allow goose/duplicate -- applied by hand\nselect 1;\n";
    let found = said("db/1.sql", Some("select 1;\n"), Some(allowed));
    assert_eq!(found[0].0, Severity::Error);
    assert!(found[0].1.contains("`goose/duplicate` (applied by hand)"), "{found:?}");
    assert_eq!(said("db/1.sql", Some(allowed), Some(&format!("{allowed}select 2;\n"))), []);
    assert_eq!(
        said("db/1.sql", None, Some("-- gatekeep: allow goose/duplicate\n")),
        [],
        "without a reason it counts never"
    );
    assert_eq!(said("docs/use.md", None, Some(allowed))[0].0, Severity::Note);
}
