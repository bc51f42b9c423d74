use super::*;
use crate::{diag::Diagnostic, rule::change::testing::Made, source::Commit};

const LANES: &str = r#"
[agents.ops]
branches = ["agent/ops/*"]
owns = [".github/**"]

[agents.ps3]
branches = ["agent/ps3/*"]
owns = ["lib/university/**"]
may-touch = ["docs/ROADMAP.md"]
never = ["lib/university/frozen.dart"]

[agents.free]
branches = ["agent/free/*"]
never = ["secret"]
"#;

const BASE: [(&str, &str); 5] = [
    ("lib/university/a.dart", "a\n"),
    ("lib/university/frozen.dart", "f\n"),
    ("docs/ROADMAP.md", "# r\n"),
    (".github/workflows/ci.yml", "name: ci\n"),
    ("lib/app.dart", "x\n"),
];

/// The base with some of its files replaced, removed (`""`) or added.
fn with(changes: &[(&'static str, &'static str)]) -> Vec<(&'static str, &'static str)> {
    let mut files: Vec<_> =
        BASE.into_iter().filter(|(path, _)| !changes.iter().any(|(other, _)| other == path)).collect();
    files.extend(changes.iter().filter(|(_, text)| !text.is_empty()));
    files
}

fn paths(found: &[Diagnostic], code: &str) -> Vec<String> {
    let sites = found.iter().filter(|one| one.code == code).flat_map(|one| &one.sites);
    sites.map(|site| site.path.lossy().into_owned()).collect()
}

fn commit(email: &str, message: &str) -> Commit {
    let id = gix::ObjectId::null(gix::hash::Kind::Sha1);
    Commit { id, parents: Vec::new(), time: 0, author: "A".into(), email: email.into(), message: message.into() }
}

/// What is said of the whole run: no gap, nothing left out.
fn judged(made: &Made) -> Vec<Diagnostic> {
    let said = judge(&made.change());
    assert_eq!((said.incomplete.len(), said.skipped.len()), (0, 0));
    said.findings
}

fn by_ps3(changes: &[(&'static str, &'static str)]) -> Vec<Diagnostic> {
    judged(&Made::new(&BASE, &with(changes)).by(LANES).on("agent/ps3/x"))
}

#[test]
fn inside_the_lane_and_what_it_may_touch() {
    assert_eq!(
        by_ps3(&[("lib/university/b.dart", "b\n"), ("docs/ROADMAP.md", "# r\nmore\n"), ("lib/university/a.dart", "")]),
        []
    );
    let nobody = Made::new(&BASE, &with(&[("lib/app.dart", "y\n")])).by(LANES).on("feature");
    assert_eq!(judged(&nobody), [], "people have no lanes");
    assert_eq!(judged(&Made::new(&BASE, &with(&[("lib/app.dart", "y\n")]))), [], "without a configuration nobody has");
}

#[test]
fn outside_the_lane_says_whose_change_and_whose_file() {
    let found = by_ps3(&[
        (".github/workflows/ci.yml", "name: mine\n"),
        ("lib/app.dart", "y\n"),
        ("lib/university/c.dart", "c\n"),
    ]);
    assert_eq!(paths(&found, OUTSIDE), [".github/workflows/ci.yml", "lib/app.dart"]);
    assert_eq!(
        found[0].message,
        "this change edits `.github/workflows/ci.yml`, which lies outside the lane of `ps3` (by its branch `agent/ps3/x`); it belongs to `ops`"
    );
    assert_eq!(
        found[0].help.as_deref(),
        Some(
            "take it out of this change (`git checkout main -- .github/workflows/ci.yml`) and leave it to `ops`, \
             or have it added to `may-touch` of `[agents.ps3]` on `main`"
        )
    );
    assert!(found[1].message.ends_with("; no lane owns it"), "{}", found[1].message);
}

#[test]
fn both_sides_of_a_move_are_changes() {
    let out = by_ps3(&[("lib/university/a.dart", ""), ("lib/other/a.dart", "a\n")]);
    assert_eq!(paths(&out, OUTSIDE), ["lib/other/a.dart"]);
    assert!(out[0].message.starts_with("this change moves `lib/university/a.dart` to `lib/other/a.dart`, which"));
    let into = by_ps3(&[("lib/app.dart", ""), ("lib/university/app.dart", "x\n")]);
    assert_eq!(paths(&into, OUTSIDE), ["lib/app.dart"], "a removal is a change of the old path");
    assert!(into[0].message.starts_with("this change moves `lib/app.dart` away, to"), "{}", into[0].message);
}

#[test]
fn never_beats_what_the_lane_owns() {
    let found = by_ps3(&[("lib/university/frozen.dart", "g\n")]);
    assert_eq!(paths(&found, OUTSIDE), ["lib/university/frozen.dart"]);
    assert!(
        found[0].message.contains("`never`") && found[0].message.ends_with("it belongs to `ps3`"),
        "{}",
        found[0].message
    );
}

#[test]
fn a_lane_without_files_restricts_only_what_it_never_touches() {
    let made = Made::new(&BASE, &with(&[("lib/app.dart", "y\n"), ("secret", "s\n")])).by(LANES).on("agent/free/x");
    assert_eq!(paths(&judged(&made), OUTSIDE), ["secret"]);
}

#[test]
fn what_the_trunk_holds_already_is_nobodys_change() {
    let trunk = with(&[("lib/app.dart", "y\n")]);
    let made = Made::with_trunk(&BASE, &trunk, &trunk).by(LANES).on("agent/ps3/x");
    assert_eq!(judged(&made), []);
}

#[test]
fn signs_that_disagree_are_judged_by_every_lane() {
    let mut made = Made::new(&BASE, &with(&[("lib/university/b.dart", "b\n")])).by(LANES).on("agent/ops/x");
    made.signals.agent = Some("ps3".into());
    let found = judged(&made);
    assert_eq!(paths(&found, OUTSIDE), ["lib/university/b.dart"]);
    assert!(found[0].message.contains("the lane of `ops` (by its branch `agent/ops/x`)"), "{}", found[0].message);
    let mut made = Made::new(&BASE, &with(&[("lib/app.dart", "y\n")])).by(LANES).on("agent/ops/x");
    made.signals.agent = Some("ps3".into());
    let message = &judged(&made)[0].message;
    assert!(message.contains("`ops` (by its branch") && message.contains("`ps3` (by the name given"), "{message}");
}

#[test]
fn owners_are_the_bases() {
    let owned = |changes: &[(&'static str, &'static str)]| {
        let base = [&BASE[..], &[("CODEOWNERS", "* @org/all\n/lib/app.dart @apps\n/none\n"), ("none", "n\n")]].concat();
        let mut head: Vec<_> =
            base.iter().copied().filter(|(path, _)| !changes.iter().any(|(other, _)| other == path)).collect();
        head.extend(changes.iter().filter(|(_, text)| !text.is_empty()));
        judged(&Made::new(&base, &head).by(LANES).on("agent/ps3/x"))
    };
    let found = owned(&[("lib/app.dart", "y\n")]);
    assert!(found[0].message.ends_with("it belongs to `@apps` (`CODEOWNERS`, line 2)"), "{}", found[0].message);
    assert!(found[0].help.as_deref().is_some_and(|help| help.contains("leave it to `@apps`")));
    let found = owned(&[("lib/app.dart", "y\n"), ("CODEOWNERS", "* @me\n")]);
    assert_eq!(paths(&found, OUTSIDE), ["CODEOWNERS", "lib/app.dart"]);
    assert!(found[1].message.contains("`@apps`"), "what the change makes of them does not count: {}", found[1].message);
    let found = owned(&[("lib/app.dart", "y\n"), ("CODEOWNERS", "")]);
    assert!(found[1].message.contains("`@apps`"), "nor that it removes them: {}", found[1].message);
    let found = owned(&[("lib/app.dart", "y\n"), (".github/CODEOWNERS", "* @me\n")]);
    assert!(found[1].message.contains("`@apps`"), "nor a file that would come first: {}", found[1].message);
    let found = owned(&[("none", "m\n")]);
    assert!(found[0].message.ends_with("it belongs to nobody (`CODEOWNERS`, line 3)"), "{}", found[0].message);
}

#[test]
fn two_lanes_that_own_one_file() {
    let lanes = "[agents.alpha]\nowns = [\"lib/**\"]\n[agents.beta]\nowns = [\"lib/ui/**\"]\n[agents.c]\nmay-touch = [\"**\"]\n";
    let shared = [("lib/ui/1", "x"), ("lib/ui/2", "x"), ("lib/x", "x"), ("other", "x")];
    let one = judged(&Made::new(&BASE, &[&BASE[..], &shared[..1]].concat()).by(lanes));
    assert_eq!(paths(&one, OVERLAP), ["lib/ui/1"]);
    assert!(one[0].message.starts_with("the lanes `alpha` and `beta` both own `lib/ui/1`:"), "{}", one[0].message);
    let all = judged(&Made::new(&BASE, &[&BASE[..], &shared].concat()).by(lanes));
    assert_eq!(paths(&all, OVERLAP), ["lib/ui/1", "lib/ui/2"]);
    assert!(all.len() == 1 && all[0].message.contains("2 files, such as `lib/ui/1`"), "{}", all[0].message);
    let removed = judged(&Made::new(&shared, &shared[2..]).by(lanes));
    assert_eq!(removed, [], "a file that is gone has no owner");
}

#[test]
fn a_change_of_nobody_is_told_where_that_matters() {
    let changed = with(&[("lib/app.dart", "y\n")]);
    let of = |unmatched: &str, branch: &str| {
        judged(&Made::new(&BASE, &changed).by(&format!("[lanes]\nunmatched = \"{unmatched}\"\n{LANES}")).on(branch))
    };
    assert_eq!(of("allow", "feature"), []);
    let found = of("error", "feature");
    assert_eq!((paths(&found, UNKNOWN_AGENT), found[0].severity), (vec!["gatekeep.toml".to_owned()], Severity::Error));
    assert!(found[0].message.contains("its branch is `feature`"), "{}", found[0].message);
    assert_eq!(of("warning", "feature")[0].severity, Severity::Warning);
    assert_eq!(of("error", "agent/free/x"), []);
    let nothing = Made::new(&BASE, &BASE).by("[lanes]\nunmatched = \"error\"\n");
    assert_eq!(judged(&nothing), [], "no change, nobody's");
}

#[test]
fn a_change_without_a_branch_is_not_silently_nobodys() {
    let skipped = |made: Made| {
        let said = judge(&made.change());
        said.skipped.into_iter().map(|left| (left.what, left.count)).collect::<Vec<_>>()
    };
    let changed = with(&[("lib/app.dart", "y\n")]);
    let left_out = skipped(Made::new(&BASE, &changed).by(LANES));
    assert!(left_out[0].0.contains("no branch is known") && left_out[0].1 == Some(3), "{left_out:?}");
    assert_eq!(skipped(Made::new(&BASE, &changed).by(LANES).on("feature")), []);
    assert_eq!(skipped(Made::new(&BASE, &changed).by("[agents.a]\nlogins = ['a']\nowns = ['x']\n")), []);
    assert_eq!(skipped(Made::new(&BASE, &changed)), []);
    assert_eq!(skipped(Made::new(&BASE, &BASE).by(LANES)), [], "no change");
    let mut named = Made::new(&BASE, &changed).by(LANES);
    named.signals.agent = Some("free".into());
    assert_eq!(skipped(named), []);
}

#[test]
fn a_name_of_no_lane_restricts_nothing_and_is_told() {
    let mut made = Made::new(&BASE, &with(&[("lib/app.dart", "y\n")])).by(LANES).on("feature");
    made.signals.agent = Some("ps33".into());
    let found = judged(&made);
    assert_eq!((paths(&found, UNKNOWN_AGENT).len(), found.len(), found[0].severity), (1, 1, Severity::Warning));
    assert!(found[0].message.contains("`ps33`"), "{}", found[0].message);
}

mod fences {
    use super::*;

    const SETTINGS: &str =
        "{\n  \"permissions\": {\n    \"deny\": [\"Edit(infra/**)\"],\n    \"ask\": [\"Edit(*.lock)\"]\n  }\n}\n";

    fn fenced(settings: &'static str) -> Made {
        let base = [(".claude/settings.json", settings), ("infra/a", "a\n"), ("x.lock", "1\n")];
        Made::new(&base, &[(".claude/settings.json", settings), ("infra/a", "b\n"), ("x.lock", "2\n"), ("free", "f\n")])
    }

    #[test]
    fn bind_the_change_of_an_agent() {
        let mut made = fenced(SETTINGS);
        made.commits = vec![commit("a@b", "m\n\nCo-Authored-By: Claude Opus <noreply@anthropic.com>\n")];
        let found = judged(&made);
        assert_eq!(paths(&found, OUTSIDE), ["infra/a", "x.lock"]);
        assert_eq!((found[0].severity, found[1].severity), (Severity::Error, Severity::Note));
        assert!(
            found[0].message.contains("`Edit(infra/**)` in `.claude/settings.json` (line 3)"),
            "{}",
            found[0].message
        );
        let lane = fenced(SETTINGS).by(LANES).on("agent/free/x");
        assert_eq!(judged(&lane)[0].severity, Severity::Error, "a lane that restricts nothing leaves them in force");
    }

    #[test]
    fn do_not_bind_people() {
        let mut made = fenced(SETTINGS);
        made.commits = vec![commit("a@b", "m\n\nSigned-off-by: A <a@b>\n")];
        let found = judged(&made);
        assert_eq!((paths(&found, OUTSIDE), found[0].severity), (vec!["infra/a".to_owned()], Severity::Note));
    }

    #[test]
    fn yield_to_the_lane_that_owns_the_file() {
        let made = fenced(SETTINGS).by("[agents.a]\nbranches = [\"a\"]\nowns = [\"**\"]\n").on("a");
        assert_eq!(judged(&made), []);
    }

    #[test]
    fn are_the_bases() {
        let base = [(".claude/settings.json", SETTINGS), ("infra/a", "a\n")];
        let made = Made::new(&base, &[("infra/a", "b\n")]);
        assert_eq!(paths(&judged(&made), OUTSIDE), ["infra/a"], "although the change removes the settings");
        let made = Made::new(&[("infra/a", "a\n")], &[(".claude/settings.json", SETTINGS), ("infra/a", "b\n")]);
        assert_eq!(judged(&made), [], "what the change brings holds for the next one");
    }

    #[test]
    fn that_the_tool_can_not_read_fence_in_nothing() {
        let made = fenced("{ // a comment\n}");
        let said = judge(&made.change());
        assert_eq!((said.findings.len(), said.incomplete.len()), (0, 0));
        assert!(said.skipped[0].what.contains("line 1"), "{:?}", said.skipped);
    }
}
