//! How renderers for people word counts, holders and places.

use super::{PolicyFrom, Report, Skipped, escape::terminal};
use crate::diag::{Diagnostic, Holder, HolderKind, Safety, Severity, Site};

/// The word for a fix's safety in every format.
pub(super) fn safety(safety: Safety) -> &'static str {
    match safety {
        Safety::Safe => "safe",
        Safety::Unsafe => "unsafe",
    }
}

/// A number with commas between thousands.
pub(super) fn number(value: usize) -> String {
    let digits = value.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A number with its noun: `1 file`, `3,412 files`. The plural takes an `s`.
pub(super) fn count(value: usize, noun: &str) -> String {
    format!("{} {noun}{}", number(value), if value == 1 { "" } else { "s" })
}

/// Whose file a site is, escaped: `HEAD`, `branch agent/ps3`, `pull request #12`.
pub(crate) fn holder(holder: &Holder) -> String {
    let name = terminal(&holder.name);
    match holder.kind {
        HolderKind::Head => name,
        HolderKind::Base => format!("base {name}"),
        HolderKind::Branch => format!("branch {name}"),
        HolderKind::PullRequest => format!("pull request {name}"),
        HolderKind::Worktree => format!("worktree {name}"),
        HolderKind::Reservation => format!("reservation {name}"),
    }
}

/// The first digits of a commit, escaped.
pub(super) fn commit(commit: &str) -> String {
    terminal(commit).chars().take(9).collect()
}

/// What judged.
pub(super) fn policy(from: PolicyFrom) -> &'static str {
    match from {
        PolicyFrom::Base => "the base's configuration",
        PolicyFrom::WorkingTree => "the working tree's configuration",
        PolicyFrom::BuiltIn => "the built-in rules alone",
    }
}

/// What could not be looked at, counted: `2 things could not be looked at`.
pub(super) fn gaps(report: &Report) -> String {
    format!("{} could not be looked at", count(report.incomplete.len(), "thing"))
}

/// What was left out by choice, escaped: `branches older than 30d (1,200)`.
pub(super) fn omission(left: &Skipped) -> String {
    let count = left.count.map(|count| format!(" ({})", number(count)));
    format!("{}{}", terminal(&left.what), count.unwrap_or_default())
}

/// What a fix says about when it may be done, after its title.
pub(super) fn condition(safety: Safety) -> &'static str {
    match safety {
        Safety::Safe => "",
        Safety::Unsafe => ", if nothing has run under the old one yet",
    }
}

/// Whether the sites of a finding must say whose they are: more than one holder takes part, or one that is not the head.
pub(super) fn names_holders(found: &Diagnostic) -> bool {
    let first = found.sites.first().map(|site| &site.holder);
    found.sites.iter().any(|site| site.holder.kind != HolderKind::Head || Some(&site.holder) != first)
}

/// A site's path and, where it has one, its position, escaped: `a/b.sql:3:7`.
pub(super) fn place(site: &Site) -> String {
    let path = terminal(site.path.as_bytes());
    match site.position {
        Some(at) => format!("{path}:{}:{}", at.line, at.column),
        None => path,
    }
}

/// The last line of a report: `2 errors, 1 warning in 3,412 files; 1 suppressed`.
pub(super) fn summary(report: &Report) -> String {
    let counts: Vec<String> = [Severity::Error, Severity::Warning, Severity::Note]
        .into_iter()
        .filter(|severity| report.count(*severity) > 0)
        .map(|severity| count(report.count(severity), severity.word()))
        .collect();
    let files = count(report.files, "file");
    let mut line = match (counts.is_empty(), report.complete()) {
        (false, _) => format!("{} in {files}", counts.join(", ")),
        (true, true) => format!("All clear: nothing found in {files}"),
        (true, false) => format!("Nothing found in the {files} that could be looked at"),
    };
    if report.suppressed() > 0 {
        line.push_str(&format!("; {} suppressed", number(report.suppressed())));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::RepoPath;

    #[test]
    fn thousands_are_set_apart() {
        let shown: Vec<String> = [0, 7, 999, 1000, 3412, 1_234_567].into_iter().map(number).collect();
        assert_eq!(shown, ["0", "7", "999", "1,000", "3,412", "1,234,567"]);
        assert_eq!((count(1, "file"), count(2, "file")), ("1 file".to_owned(), "2 files".to_owned()));
    }

    #[test]
    fn holders_are_named_only_where_that_says_something() {
        let site = |holder| Site::path(RepoPath::from("a"), holder);
        let branch = Holder { kind: HolderKind::Branch, name: "x\n".into(), commit: None };
        let found = |sites| Diagnostic::new("a/b", Severity::Error, "m", sites);
        let head = || Holder::head(None);
        assert!(!names_holders(&found(vec![site(head()), site(head())])));
        assert!(names_holders(&found(vec![site(head()), site(branch.clone())])));
        assert!(names_holders(&found(vec![site(branch.clone())])));
        assert_eq!(holder(&branch), r"branch x\n");
    }
}
