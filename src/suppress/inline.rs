//! `gatekeep: allow CODE -- reason` in the files themselves.
//!
//! Any comment syntax will do: the words are looked for anywhere in a line, and what closes a comment is cut from the
//! reason. It counts for the whole file. A finding is covered when every file of the judged tree that takes part carries an
//! allowance for it: one file can't speak for the others, and a newcomer is not covered by what an old file says. Sites
//! elsewhere (base, branches) need none, since nobody could add it there. What the change introduces is never covered.

use std::collections::BTreeMap;

use bstr::ByteSlice;
use memchr::memmem;

use super::{Run, UNUSED, is_own, names, warning};
use crate::{
    config::KnownCodes,
    diag::{Diagnostic, HolderKind, Position, RepoPath, Site, SuppressedBy, Suppression},
    error::help_for_code,
};

/// With this an allowance begins.
const MARKER: &[u8] = b"gatekeep:";
/// Most allowances that are read from one file.
const COUNT_LIMIT: usize = 100;
/// Longest code, in bytes.
const CODE_LIMIT: usize = 200;
/// Longest reason, in characters; the rest is cut.
const REASON_LIMIT: usize = 500;
/// What closes a comment in some language.
const CLOSERS: [&[u8]; 8] = [b"-->", b"*/", b"--}}", b"#}", b"}}", b"%>", b"?>", b"*)"];

/// One allowance in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inline {
    /// A code, or the id of a rule for all of its codes.
    pub code: String,
    /// Why; without it the allowance does not count.
    pub reason: Option<String>,
    /// Where it stands: from the marker to the end of the code.
    pub position: Position,
}

/// A file of the judged tree with the allowances that it carries. On a change, those that the base does not have yet are
/// left out by the caller: they count once merged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Carried {
    /// The file.
    pub path: RepoPath,
    /// What [`find`] found in it.
    pub allowances: Vec<Inline>,
}

/// Finds the allowances in the bytes of one file, at most one a line and a hundred in all.
pub fn find(text: &[u8]) -> Vec<Inline> {
    let mut found: Vec<Inline> = Vec::new();
    let (mut line, mut line_start) = (1, 0);
    for at in memmem::find_iter(text, MARKER) {
        line += memchr::memchr_iter(b'\n', &text[line_start..at]).count();
        line_start = memchr::memrchr(b'\n', &text[..at]).map_or(0, |end| end + 1);
        let line_end = memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |length| at + length);
        let taken = found.last().is_some_and(|last| last.position.line == line);
        if taken || text[..at].last().is_some_and(|before| is_word(*before)) {
            continue;
        }
        if let Some((code, reason, length)) = read(&text[at..line_end]) {
            let column = text[line_start..at].chars().count() + 1;
            let end_column = column + text[at..at + length].chars().count();
            found.push(Inline { code, reason, position: Position { line, column, end_line: line, end_column } });
        }
        if found.len() == COUNT_LIMIT {
            break;
        }
    }
    found
}

/// Reads an allowance at the start of the bytes, which end with the line: its code, its reason, and the length up to the
/// end of the code.
fn read(line: &[u8]) -> Option<(String, Option<String>, usize)> {
    let rest = line.strip_prefix(MARKER)?.trim_start().strip_prefix(b"allow")?;
    let after = rest.trim_start();
    if after.len() == rest.len() {
        return None;
    }
    // Codes are lower case, so that `CODE` in a manual is none.
    let ends = after.iter().position(|byte| !matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'/'));
    let code = after[..ends.unwrap_or(after.len())].trim_end_with(|c| matches!(c, '-' | '.' | '/'));
    if code.is_empty() || code.len() > CODE_LIMIT {
        return None;
    }
    let length = line.len() - after.len() + code.len();
    Some((code.to_str_lossy().into_owned(), reason(&after[code.len()..]), length))
}

/// The reason after the code: two dashes, a space, and at least one letter or digit.
fn reason(after: &[u8]) -> Option<String> {
    let dashed = after.trim_start().strip_prefix(b"--")?;
    let mut reason = dashed.trim();
    if reason.len() == dashed.len() || dashed.trim_start().len() == dashed.len() {
        return None;
    }
    while let Some(shorter) = CLOSERS.iter().find_map(|closer| reason.strip_suffix(*closer)) {
        reason = shorter.trim_end();
    }
    let reason: String = reason.chars().take(REASON_LIMIT).collect();
    reason.contains(char::is_alphanumeric).then_some(reason)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// Silences what the files allow, and returns findings about allowances without a reason or a use.
pub(super) fn apply(run: &Run<'_>, files: &[Carried], findings: &mut [Diagnostic]) -> Vec<Diagnostic> {
    let by_path: BTreeMap<&RepoPath, usize> = files.iter().enumerate().map(|(at, file)| (&file.path, at)).collect();
    let mut used: Vec<Vec<bool>> = files.iter().map(|file| vec![false; file.allowances.len()]).collect();
    for found in findings.iter_mut().filter(|found| !is_own(found)) {
        let mut reason = None;
        let mut all = !found.sites.iter().any(run.introduced);
        for site in found.sites.iter().filter(|site| site.holder.kind == HolderKind::Head) {
            let carried = by_path.get(&site.path).and_then(|file| {
                let allowance = files[*file].allowances.iter().position(|allowance| counts(allowance, found))?;
                Some((*file, allowance))
            });
            match carried {
                Some((file, allowance)) => {
                    used[file][allowance] = true;
                    reason = reason.or_else(|| files[file].allowances[allowance].reason.clone());
                }
                None => all = false,
            }
        }
        if all && reason.is_some() && found.suppressed.is_none() {
            found.suppressed = Some(Suppression { by: SuppressedBy::Inline, reason });
        }
    }
    let each = files.iter().zip(&used).flat_map(|(file, used)| {
        file.allowances.iter().zip(used).filter_map(|(allowance, used)| about(run, file, allowance, *used))
    });
    each.collect()
}

fn counts(allowance: &Inline, found: &Diagnostic) -> bool {
    allowance.reason.is_some() && names(&allowance.code, found)
}

/// What is wrong with an allowance, if anything is.
fn about(run: &Run<'_>, file: &Carried, allowance: &Inline, used: bool) -> Option<Diagnostic> {
    let code = &allowance.code;
    let (message, help) = if !run.known.contains(code) {
        (format!("no rule has the id or code `{code}`, so that this allowance has no use"), unknown(run.known, code))
    } else if allowance.reason.is_none() {
        let help = format!("write `gatekeep: allow {code} -- ` and why");
        ("an allowance needs a reason; without one it does not count".to_owned(), help)
    } else if !used && (run.judged)(code) {
        (format!("the allowance for `{code}` matches no finding in this file"), "remove it, or correct its code".into())
    } else {
        return None;
    };
    let site = Site { position: Some(allowance.position), ..Site::path(file.path.clone(), run.head.clone()) };
    Some(warning(UNUSED, code.clone(), site, message, &help))
}

fn unknown(known: &KnownCodes, code: &str) -> String {
    help_for_code(known.nearest(code))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::super::tests::{found, known, run};
    use super::*;
    use crate::diag::Holder;

    fn read_line(line: &str) -> Option<(String, Option<String>)> {
        find(line.as_bytes()).pop().map(|found| (found.code, found.reason))
    }

    #[test]
    fn any_comment_syntax_will_do() {
        for line in [
            "-- gatekeep: allow goose/late -- known",
            "// gatekeep: allow goose/late -- known\r",
            "# gatekeep:allow  goose/late  --  known  ",
            "/* gatekeep: allow goose/late -- known */",
            "<!-- gatekeep: allow goose/late -- known -->",
            "{{-- gatekeep: allow goose/late -- known --}}",
            "{# gatekeep: allow goose/late -- known #}",
            "x = 1; (* gatekeep: allow goose/late -- known *)",
        ] {
            assert_eq!(read_line(line), Some(("goose/late".into(), Some("known".into()))), "{line}");
        }
    }

    #[test]
    fn without_a_reason_it_is_found_but_has_none() {
        for line in [
            "# gatekeep: allow goose/late",
            "# gatekeep: allow goose/late --",
            "# gatekeep: allow goose/late -- ",
            "# gatekeep: allow goose/late - known",
            "# gatekeep: allow goose/late --known",
            "# gatekeep: allow goose/late known",
            "<!-- gatekeep: allow goose/late -->",
            "<!-- gatekeep: allow goose/late-->",
            "<!-- gatekeep: allow goose/late -- -->",
            "/* gatekeep: allow goose/late -- */",
        ] {
            assert_eq!(read_line(line), Some(("goose/late".into(), None)), "{line}");
        }
    }

    #[test]
    fn other_texts_are_no_allowances() {
        for line in [
            "gatekeep: allow CODE -- reason",
            "gatekeep: allow",
            "gatekeep: allowgoose -- x",
            "gatekeep: deny goose -- x",
            "notgatekeep: allow goose -- x",
            "gatekeep\n: allow goose -- x",
            "gatekeep: allow \ngoose -- x",
        ] {
            assert_eq!(read_line(line), None, "{line}");
        }
        let long = format!("gatekeep: allow {} -- x", "a".repeat(CODE_LIMIT + 1));
        assert_eq!(read_line(&long), None);
    }

    #[test]
    fn the_place_is_kept_and_bytes_may_be_anything() {
        let text =
            b"\xff\n\xc3\xa9 gatekeep: allow goose -- a\xff gatekeep: allow goose -- b\n\ngatekeep: allow goose -- c";
        let found = find(text);
        let places: Vec<_> =
            found.iter().map(|f| (f.position.line, f.position.column, f.position.end_column)).collect();
        assert_eq!(places, [(2, 3, 24), (4, 1, 22)]);
        assert_eq!(found[1].reason.as_deref(), Some("c"));
        assert_eq!(find(&b"gatekeep: allow a -- b\n".repeat(1000)).len(), COUNT_LIMIT);
        let long = format!("gatekeep: allow a -- {}", "é".repeat(10_000));
        assert_eq!(find(long.as_bytes())[0].reason.as_ref().unwrap().chars().count(), REASON_LIMIT);
    }

    fn carried(path: &str, text: &str) -> Carried {
        Carried { path: path.into(), allowances: find(text.as_bytes()) }
    }

    const GOOD: &str = "-- gatekeep: allow goose/duplicate -- by hand";

    #[test]
    fn every_file_of_the_judged_tree_has_to_carry_it() {
        let known = known();
        let run = run(&known);
        let mut findings = vec![found("goose/duplicate", "1", &["a", "b"])];
        assert_eq!(apply(&run, &[carried("a", GOOD)], &mut findings), [], "it takes part, so it is no litter");
        assert_eq!(findings[0].suppressed, None);
        assert_eq!(apply(&run, &[carried("a", GOOD), carried("b", GOOD)], &mut findings), []);
        let expected = Suppression { by: SuppressedBy::Inline, reason: Some("by hand".into()) };
        assert_eq!(findings[0].suppressed, Some(expected));
    }

    #[test]
    fn sites_of_other_holders_need_none_but_can_not_stand_alone() {
        let known = known();
        let base = Holder { kind: HolderKind::Base, name: "main".into(), commit: None };
        let mut findings = vec![found("goose/duplicate", "1", &["a", "b"]), found("goose/duplicate", "2", &["b"])];
        findings[0].sites[1].holder = base.clone();
        findings[1].sites[0].holder = base;
        apply(&run(&known), &[carried("a", GOOD), carried("b", GOOD)], &mut findings);
        assert!(findings[0].suppressed.is_some() && findings[1].suppressed.is_none());
    }

    #[test]
    fn what_a_change_introduces_is_not_covered() {
        let known = known();
        let run = Run { introduced: &|site| site.path == "b".into(), ..run(&known) };
        let mut findings = vec![found("goose/duplicate", "1", &["a", "b"])];
        apply(&run, &[carried("a", GOOD), carried("b", GOOD)], &mut findings);
        assert_eq!(findings[0].suppressed, None);
    }

    #[test]
    fn allowances_without_a_reason_a_known_code_or_a_use_are_reported() {
        let known = known();
        let text =
            "\ngatekeep: allow goose/duplicate\ngatekeep: allow goose/dupe -- x\ngatekeep: allow goose/late -- x\n";
        let mut findings = vec![found("goose/duplicate", "1", &["a"])];
        let own = apply(&run(&known), &[carried("a", text)], &mut findings);
        assert_eq!(findings[0].suppressed, None);
        let lines: Vec<_> = own.iter().map(|f| f.sites[0].position.unwrap().line).collect();
        assert_eq!(lines, [2, 3, 4]);
        assert!(own.iter().all(|found| found.code == UNUSED && found.sites[0].path == "a".into()));
        assert!(own[0].message.contains("needs a reason"));
        assert!(own[1].message.contains("`goose/dupe`"));
        assert!(own[2].message.contains("matches no finding"));
        let not_judged = Run { judged: &|code| code != "goose/late", ..run(&known) };
        assert_eq!(apply(&not_judged, &[carried("a", text)], &mut findings).len(), 2);
    }

    proptest::proptest! {
        #![proptest_config(proptest::test_runner::Config { failure_persistence: None, ..Default::default() })]

        #[test]
        fn no_bytes_make_it_panic_and_places_are_in_the_text(
            parts in proptest::collection::vec(
                proptest::sample::select(vec!["gatekeep:", " ", "allow", "a/b", "--", "\n", "\r", "é", "-->", "\t", "x"]),
                0..40,
            )
        ) {
            let text = parts.concat();
            for found in find(text.as_bytes()) {
                let line = text.split('\n').nth(found.position.line - 1).unwrap();
                let (start, end) = (found.position.column - 1, found.position.end_column - 1);
                let marked: String = line.chars().take(end).skip(start).collect();
                assert!(marked.starts_with("gatekeep:") && marked.ends_with(&found.code), "{marked:?}");
            }
        }
    }
}
