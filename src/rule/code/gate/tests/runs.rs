use super::*;

const PATH: &str = ".github/workflows/ci.yml";
const RUN: &str = "jobs:\n  gate:\n    steps:\n      - uses: actions/checkout@v4\n      - run: gatekeep ci\n";

fn of(old: &str, new: &str) -> Option<Severity> {
    verdict(PATH, old, new)
}

#[test]
fn only_workflows_that_run_gatekeep_count() {
    let none = "jobs: {}\n";
    assert_eq!(of(none, "jobs: {a: {}}\n"), None);
    assert_eq!(of(RUN, none), LOOSE);
    assert_eq!(of(none, RUN), TIGHT);
    assert_eq!(of(RUN, &format!("env: {{A: b}}\n{RUN}")), UNCLEAR);
    assert_eq!(of(RUN, &format!("# a comment\n{}", RUN.replace("checkout@v4", "checkout@v4   # v4"))), None);
    assert_eq!(said(PATH, Some(RUN), None)[0].0, Severity::Error);
    assert_eq!(of(RUN, "jobs: [\n"), LOOSE, "what can't be read runs nothing");
    assert_eq!(verdict("docs/ci.yml", RUN, ""), None);
}

#[test]
fn to_be_called_gatekeep_runs_nothing() {
    for gone in [
        "# - run: gatekeep ci",
        "- name: gatekeep",
        "- id: gatekeep",
        "- run: 'true' # gatekeep ci",
        "- run: echo gatekeep ci",
        "- run: |\n          # gatekeep ci\n          true",
        "- if: needs.gatekeep.result == 'success'",
    ] {
        assert_eq!(of(RUN, &RUN.replace("- run: gatekeep ci", gone)), LOOSE, "{gone}");
        assert_eq!(of("jobs: {}\n", &RUN.replace("- run: gatekeep ci", gone)), None, "{gone}");
    }
    assert_eq!(of("jobs: {}\n", "gatekeep:\n  script:\n    - cargo install gatekeep-cli && gatekeep ci\n"), TIGHT);
    assert_eq!(of("jobs: {}\n", "jobs:\n  gate:\n    uses: org/gatekeep/.github/workflows/gate.yml@v1\n"), TIGHT);
}

#[test]
fn a_gatekeeper_is_somebody_else() {
    let opa = RUN.replace("gatekeep ci", "kubectl apply -f gatekeeper.yaml");
    assert_eq!(of(&opa, "jobs: {}\n"), None);
    assert_eq!(of(RUN, &opa), LOOSE);
    assert_eq!(verdict(".husky/pre-commit", "gatekeepers\n", ""), None);
}

#[test]
fn a_workflow_gets_another_name() {
    let (one, other) = (PATH, ".github/workflows/gate.yml");
    assert_eq!(between(&[(one, RUN)], &[(other, RUN)]), []);
    let edited = RUN.replace("checkout@v4", "checkout@v5");
    let found = between(&[(one, RUN)], &[(other, &edited)]);
    assert_eq!((found.len(), found[0].0), (1, Severity::Warning), "{found:?}");
    assert!(found[0].1.starts_with("`.github/workflows/gate.yml`"), "{}", found[0].1);
    let excused = RUN.replace("gatekeep ci", "gatekeep ci || true");
    assert_eq!(between(&[(one, RUN)], &[(other, &excused)])[0].0, Severity::Error);
    let action = between(&[(one, RUN)], &[(".github/actions/gate.yml", RUN)]);
    assert!(action.iter().any(|(severity, _)| *severity == Severity::Error), "no workflow any more: {action:?}");
}

#[test]
fn what_makes_it_count_for_nothing_loosens() {
    for (old, new) in [
        ("gatekeep ci", "gatekeep ci || true"),
        ("gatekeep ci", "gatekeep ci --fail-on=never"),
        ("gatekeep ci", "gatekeep ci --fail-on never"),
        ("gatekeep ci", "gatekeep ci --no-config"),
        ("gatekeep ci", "|\n          set +e\n          gatekeep ci"),
        ("gatekeep ci", "|\n          gatekeep ci \\\n            --allow-incomplete"),
        ("      - run:", "      - continue-on-error: true\n        run:"),
        ("      - run:", "      - if: ${{ false }}\n        run:"),
        ("    steps:", "    continue-on-error: true\n    steps:"),
        ("    steps:", "    if: false\n    steps:"),
        ("- run: gatekeep ci", "- uses: org/gatekeep@v1\n        with: {fail-on: never}"),
    ] {
        let new = RUN.replace(old, new);
        assert_eq!(of(RUN, &new), LOOSE, "{new}");
        assert_ne!(of(&new, RUN), LOOSE, "{new}");
    }
    let other = RUN.replace("- uses: actions/checkout@v4", "- run: lint || true\n        continue-on-error: true");
    assert_eq!(of(RUN, &other), UNCLEAR, "that is another step");
}

#[test]
fn of_pre_commit_only_its_own_repository_counts() {
    let text = "repos:\n  - repo: https://x/gatekeep\n    rev: v1\n    hooks: [{id: gatekeep}]\n  - repo: other\n    hooks: [{id: lint}]\n";
    let of = |new: &str| verdict(".pre-commit-config.yaml", text, new);
    assert_eq!(of(&text.replace("other", "another").replace("lint", "format")), None, "another hook is nobody's gate");
    assert_eq!(of(&text.replace("v1", "v2")), UNCLEAR);
    assert_eq!(of(&text.replace("{id: gatekeep}", "{id: gatekeep, args: [scan, --fail-on, never]}")), LOOSE);
    assert_eq!(of(&text.replace("{id: gatekeep}", "{id: gatekeep, stages: [manual]}")), UNCLEAR);
    assert_eq!(of(&text.replace("{id: gatekeep}", "")), LOOSE, "a repository without a hook runs nothing");
    assert_eq!(of(&format!("default_stages: [manual]\n{text}")), UNCLEAR);
    assert_eq!(of("# gatekeep\nrepos: []\n"), LOOSE);
    assert_eq!(of("repos: ["), LOOSE);
    let local = "repos:\n  - repo: local\n    hooks:\n      - {id: a, entry: gatekeep scan --staged}\n      - {id: b, entry: x}\n";
    let of = |new: &str| verdict(".pre-commit-config.yaml", local, new);
    assert_eq!(of(&local.replace("entry: x", "entry: y")), None);
    assert_eq!(of(&local.replace("--staged", "--staged --no-config")), LOOSE);
    let prek = "[[repos]]\nrepo = 'https://x/gatekeep'\nrev = 'v1'\nhooks = [{ id = 'gatekeep' }]\n";
    assert_eq!(verdict("prek.toml", prek, &prek.replace("v1", "v2")), UNCLEAR);
    assert_eq!(verdict("prek.toml", prek, ""), LOOSE);
}

#[test]
fn any_other_difference_in_a_file_of_hooks_can_not_be_told() {
    for path in [".husky/pre-commit", ".githooks/pre-commit", ".codex/hooks.json", ".cursor/hooks.json"] {
        let run = "gatekeep scan --staged\n";
        assert_eq!(verdict(path, run, &format!("exit 0\n{run}")), UNCLEAR, "{path}");
        assert_eq!(verdict(path, run, &format!("# a comment\n\n{run}")), None, "{path}");
        assert_eq!(verdict(path, run, "gatekeep scan --staged || true\n"), LOOSE, "{path}");
        assert_eq!(verdict(path, run, "# gatekeep scan --staged\nlint\n"), LOOSE, "{path}");
        assert_eq!(verdict(path, "lint\n", "format\n"), None, "{path}");
        assert_eq!(said(path, None, Some(run))[0].0, Severity::Note, "{path}");
    }
    let lefthook = "pre-commit:\n  commands:\n    gate:\n      run: gatekeep scan --staged\n";
    let of = |new: &str| verdict("lefthook.yml", lefthook, new);
    assert_eq!(of(&lefthook.replace("      run:", "      skip: true\n      run:")), LOOSE);
    assert_eq!(of(&lefthook.replace("pre-commit", "post-merge")), UNCLEAR);
    assert_eq!(of(&lefthook.replace("gatekeep", "lint")), LOOSE);
}

mod claude {
    use super::*;

    const FENCE: &str = "Edit(/infra/**)";
    const HOOK: &str = "gatekeep hook claude";

    /// Settings with one rule that denies, one that asks, and one hook.
    fn settings(deny: &str, ask: &str, hook: &str) -> String {
        let list = |rule: &str| if rule.is_empty() { serde_json::json!([]) } else { serde_json::json!([rule]) };
        let hooks = serde_json::json!({"PreToolUse": [{"matcher": "Edit|Write", "hooks": [{"command": hook}]}]});
        serde_json::json!({"permissions": {"deny": list(deny), "ask": list(ask)}, "hooks": hooks}).to_string()
    }

    fn of(old: &str, new: &str) -> Option<Severity> {
        verdict(".claude/settings.json", old, new)
    }

    #[test]
    fn fences_are_lost_and_gained() {
        let all = settings(FENCE, "", HOOK);
        assert_eq!(of(&all, &settings("", "", HOOK)), LOOSE);
        assert_eq!(of(&all, &settings("", FENCE, HOOK)), LOOSE, "to be asked is less than to be denied");
        assert_eq!(of(&settings("", FENCE, ""), &settings(FENCE, "", "")), TIGHT);
        assert_eq!(of(&settings("", FENCE, ""), &settings("", "", "")), LOOSE);
        assert_eq!(of(&settings("", "", ""), &settings(FENCE, "", "")), TIGHT);
        assert_eq!(of(&all, "{"), LOOSE);
        assert_eq!(of("{\"model\": \"x\"}", "{"), None);
    }

    #[test]
    fn a_fence_that_does_nothing_is_told() {
        let found = said(".claude/settings.json", Some("{}"), Some(&settings("Write(/infra/**)", "", "")));
        assert_eq!(found[0].0, Severity::Warning);
        assert!(found[0].1.contains("does nothing: only `Edit(…)` and `Read(…)`"), "{}", found[0].1);
    }

    #[test]
    fn hooks_that_run_gatekeep_change() {
        let all = settings(FENCE, "", HOOK);
        assert_eq!(of(&all, &settings(FENCE, "", "lint")), LOOSE);
        assert_eq!(of(&all, &all.replace("Edit|Write", "NotebookEdit")), UNCLEAR);
        assert_eq!(of(&all, &all.replace(HOOK, "gatekeep hook claude || true")), LOOSE);
        assert_eq!(of(&all, &all.replacen('{', "{\"model\": \"x\", ", 1)), None, "what is no hook and no fence");
        assert_eq!(of(&settings(FENCE, "", "a"), &settings(FENCE, "", "b")), None, "nobody's gate");
        let off = all.replacen('{', "{\"disableAllHooks\": true, ", 1);
        assert_eq!((of(&all, &off), of(&off, &all)), (LOOSE, TIGHT));
        assert_eq!(
            said(".claude/settings.local.json", None, Some("{\"disableAllHooks\": true}"))[0].0,
            Severity::Error
        );
    }
}
