use super::*;

#[test]
fn other_lines_are_other_owners() {
    assert_eq!(verdict(".github/CODEOWNERS", "* @a\n", "* @b\n"), UNCLEAR);
    assert_eq!(verdict("CODEOWNERS", "* @a\n", "# everything\n\n* @a\n"), None, "a comment owns nothing");
    assert_eq!(said("CODEOWNERS", None, Some("* @a\n"))[0].0, Severity::Note);
}

#[test]
fn without_owners_nobody_is_asked() {
    assert_eq!(said("CODEOWNERS", Some("* @a\n"), None)[0].0, Severity::Error);
    for nothing in ["", "# * @a\n", "*\n"] {
        assert_eq!(verdict("CODEOWNERS", "* @a\n", nothing), LOOSE, "{nothing:?}");
    }
    assert_eq!(verdict("CODEOWNERS", "# nothing yet\n", ""), None);
    let long = format!("* @a\n{}", "# x\n".repeat(1 << 20));
    let found = said("CODEOWNERS", Some("* @a\n"), Some(&long));
    assert!(found[0].0 == Severity::Error && found[0].1.contains("too long"), "{}", found[0].1);
}

#[test]
fn the_file_that_counts_is_found_before_and_after() {
    let lines = "* @a\n";
    assert_eq!(between(&[("CODEOWNERS", lines)], &[(".github/CODEOWNERS", lines)]), [], "the same lines elsewhere");
    let found = between(&[("CODEOWNERS", lines)], &[(".github/CODEOWNERS", "* @b\n")]);
    assert_eq!((found.len(), found[0].0), (1, Severity::Warning), "one finding for a move: {found:?}");
    let both = [("CODEOWNERS", lines), (".github/CODEOWNERS", "# mine\n")];
    let found = between(&both[..1], &both);
    assert_eq!((found.len(), found[0].0), (1, Severity::Error), "it comes first, and owns nothing: {found:?}");
    assert!(found[0].1.starts_with("`.github/CODEOWNERS`"), "{}", found[0].1);
    let shadowed = [(".github/CODEOWNERS", lines), ("docs/CODEOWNERS", "* @b\n")];
    assert_eq!(between(&shadowed, &[shadowed[0]]), [], "nobody read it");
    let found = between(&shadowed, &[shadowed[1]]);
    assert_eq!((found.len(), found[0].0), (1, Severity::Warning), "another one counts now: {found:?}");
}

#[test]
fn a_file_that_loses_its_owners_is_a_loss() {
    let of = |old: &str, new: &str| {
        let files = |owners| [("CODEOWNERS", owners), ("infra/a", "1"), ("infra/b", "1"), ("lib/a", "1")];
        between(&files(old), &files(new)).remove(0)
    };
    let (severity, message) = of("* @a\n/infra/ @ops\n", "/infra/ @ops\n");
    assert_eq!(severity, Severity::Error);
    assert!(message.contains("nobody owns `CODEOWNERS` and 1 more any more"), "{message}");
    let (severity, message) = of("/infra/ @ops\n/lib/ @a\n", "/infra/ @ops\n/infra/a\n/lib/ @a\n");
    assert!(severity == Severity::Error && message.contains("nobody owns `infra/a` any more"), "{message}");
    assert_eq!(of("/infra/ @ops\n", "/infra/ @me\n").0, Severity::Warning);
    assert_eq!(of("/gone/ @ops\n/lib/ @a\n", "/lib/ @a\n").0, Severity::Warning, "no file is left without");
}

#[test]
fn a_line_that_does_not_do_what_it_looks_like_is_told() {
    let found = said("CODEOWNERS", Some("* @a\n"), Some("* @a\n/infra/ somebody\n"));
    assert!(found[0].1.contains("line 2 does not do what it looks like: `somebody` is no user"), "{}", found[0].1);
    let found = said("CODEOWNERS", Some("/x somebody\n* @a\n"), Some("/x somebody\n* @b\n"));
    assert!(!found[0].1.contains("looks like"), "it was there before: {}", found[0].1);
}

/// BerriAI/litellm#37944: CODEOWNERS named an owner of everything but itself.
#[test]
fn a_file_that_does_not_own_itself_says_so() {
    let file = ".github/CODEOWNERS";
    let of = |old: Option<&str>, new: &str| said(file, old, Some(new)).remove(0);
    let unowned = "; nobody owns `.github/CODEOWNERS` itself";
    let (severity, message) = of(Some("/lib/ @a\n"), "/lib/ @a\n/docs/ @b\n");
    assert!(severity == Severity::Warning && message.contains(unowned), "{message}");
    let (severity, message) = of(None, "*.py @a\n");
    assert!(severity == Severity::Note && message.contains(unowned), "{message}");
    assert!(of(Some("/lib/ @a\n"), "* @a\n/.github/\n").1.contains(unowned), "a line that owns nothing takes it away");
    let mended = of(Some("/lib/ @a\n"), "/lib/ @a\n/.github/CODEOWNERS @admins\n").1;
    assert!(!mended.contains("itself"), "{mended}");
}
