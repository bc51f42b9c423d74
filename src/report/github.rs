//! Workflow commands: what a GitHub runner shows as annotations beside the files.
//!
//! The runner keeps ten annotations a level and step, and drops the rest without a word: so the tenth says how many are
//! missing. It reads commands from every line that is printed, so no text from outside may begin one.

use std::io::{self, Write};

use super::{
    Incomplete, Report,
    escape::{is_plain, terminal},
    gap,
    text::{Look, text},
    words,
};
use crate::{
    diag::{Diagnostic, HolderKind, Position, Severity, Site},
    text::count::number_of,
};

/// How many annotations of one level the runner keeps a step.
const LEVEL: usize = 10;
/// How many of them gaps may take from the findings of their level.
const GAPS: usize = 3;
/// Where a message is cut, in UTF-16 units; the runner cuts at 4096.
const MESSAGE: usize = 4000;

/// Writes the unsuppressed findings, gravest first, then the gaps, as workflow commands, and a summary line in plain text.
/// Gaps are errors, or warnings where they do not fail the run.
pub fn render(report: &Report, allow_incomplete: bool, out: &mut dyn Write) -> io::Result<()> {
    let gap_level = gap::severity(allow_incomplete);
    for level in [Severity::Error, Severity::Warning, Severity::Note] {
        let findings: Vec<&Diagnostic> =
            report.findings.iter().filter(|f| f.suppressed.is_none() && f.severity == level).collect();
        let gaps: &[Incomplete] = if level == gap_level { &report.incomplete } else { &[] };
        let for_gaps = gaps.len().min(GAPS.max(LEVEL.saturating_sub(findings.len())));
        capped(
            &findings,
            LEVEL - for_gaps,
            out,
            |found| finding(found),
            |more| {
                let noun = number_of(more, &format!("more {}", level.word()));
                command(level, &[("title", "gatekeep")], &format!("and {noun}; the other formats list them all"))
            },
        )?;
        capped(
            gaps,
            for_gaps,
            out,
            |gap| incomplete(gap, level),
            |more| {
                let text = format!("and {more} more that could not be looked at; the other formats list them all");
                command(level, &[("title", "gatekeep: incomplete")], &text)
            },
        )?;
    }
    writeln!(out, "gatekeep: {}", words::summary(report))
}

/// Writes up to `limit` lines: all items, or all but the last line's worth and how many more there are.
fn capped<T>(
    items: &[T],
    limit: usize,
    out: &mut dyn Write,
    line: impl Fn(&T) -> String,
    rest: impl Fn(usize) -> String,
) -> io::Result<()> {
    let shown = if items.len() <= limit { items.len() } else { limit.saturating_sub(1) };
    for item in &items[..shown] {
        writeln!(out, "{}", line(item))?;
    }
    if shown < items.len() { writeln!(out, "{}", rest(items.len() - shown)) } else { Ok(()) }
}

fn finding(found: &Diagnostic) -> String {
    let anchor = found.sites.iter().position(|site| annotated_path(site).is_some());
    let mut properties = Vec::new();
    let position = anchor.and_then(|at| found.sites[at].position);
    let numbers = position.map(|p| [p.line, p.column, p.end_line, p.end_column].map(|n| n.to_string()));
    if let Some(path) = anchor.and_then(|at| annotated_path(&found.sites[at])) {
        properties.push(("file", path));
    }
    if let (Some([line, column, end_line, end_column]), Some(p)) = (&numbers, position) {
        properties.push(("line", line));
        if p.line == p.end_line {
            properties.extend([("col", column.as_str()), ("endLine", end_line), ("endColumn", end_column)]);
        } else {
            properties.push(("endLine", end_line)); // the runner drops columns over several lines
        }
    }
    let title = terminal(&found.code);
    properties.push(("title", &title));
    command(found.severity, &properties, &text(found, anchor, &Look::PLAIN))
}

/// A finding at a file of the head, as plain text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark<'a> {
    /// How grave it is.
    pub severity: Severity,
    /// The path in the repository.
    pub path: &'a str,
    /// Where in the file; none of a finding about the whole of it.
    pub position: Option<Position>,
    /// The code.
    pub title: String,
    /// What is wrong, the other places, and what to do.
    pub message: String,
}

/// The unsuppressed findings that can be shown at a file of the head, in the report's order.
pub fn remarks(report: &Report) -> Vec<Remark<'_>> {
    report.findings.iter().filter(|found| found.suppressed.is_none()).filter_map(shown).collect()
}

fn shown(found: &Diagnostic) -> Option<Remark<'_>> {
    let anchor = found.sites.iter().position(|site| annotated_path(site).is_some())?;
    let site = &found.sites[anchor];
    Some(Remark {
        severity: found.severity,
        path: annotated_path(site)?,
        position: site.position,
        title: terminal(&found.code),
        message: text(found, Some(anchor), &Look::PLAIN),
    })
}

fn incomplete(gap: &Incomplete, level: Severity) -> String {
    let text = format!("could not be looked at: {}: {}", terminal(&gap.what), terminal(&gap.why));
    command(level, &[("title", "gatekeep: incomplete")], &text)
}

/// The path that an annotation can point at: of a file in the judged tree, exactly as the runner hands it on. A path that it
/// would change (it turns `\` into `/`), or that is not plain text, is named in the message alone.
fn annotated_path(site: &Site) -> Option<&str> {
    let path = std::str::from_utf8(site.path.as_bytes()).ok()?;
    (site.holder.kind == HolderKind::Head && is_plain(path) && !path.contains('\\') && !path.is_empty()).then_some(path)
}

/// One command on one line, without the line end.
fn command(level: Severity, properties: &[(&str, &str)], message: &str) -> String {
    let name = match level {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    let properties: Vec<String> = properties
        .iter()
        .filter(|(_, value)| !value.is_empty()) // the runner would take `title=` for none
        .map(|(key, value)| format!("{key}={}", property(value)))
        .collect();
    let message = if message.trim().is_empty() { "(no message)" } else { message }; // an empty one makes no annotation
    format!("::{name} {}::{}", properties.join(","), data(&shortened(message)))
}

/// Encodes a message, so that it stays on one line. A `##[`, which the runner can't be handed encoded, becomes `# #[`.
fn data(text: &str) -> String {
    text.replace("##[", "# #[").replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Encodes the value of a property: as [`data`], and `:` and `,`, which end it.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

/// Cuts a message where the runner would, but says so.
fn shortened(text: &str) -> String {
    let mut units = 0;
    let end = text.char_indices().find(|(_, c)| {
        units += c.len_utf16();
        units > MESSAGE
    });
    end.map_or_else(|| text.to_owned(), |(at, _)| format!("{}…", &text[..at]))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::diag::{Holder, Position, RepoPath};
    use proptest::prelude::*;

    /// Name, properties and message of a command.
    type Parsed = (String, Vec<(String, String)>, String);

    /// What the runner does with a line, after actions/runner's `ActionCommand.TryParseV2`.
    fn parsed(line: &str) -> Option<Parsed> {
        let (header, message) = line.trim_start().strip_prefix("::")?.split_once("::")?;
        let (name, rest) = header.split_once(' ').unwrap_or((header, ""));
        let properties = rest.split(',').filter_map(|pair| pair.split_once('='));
        let undo = |text: &str| text.replace("%0D", "\r").replace("%0A", "\n");
        let property = |text: &str| undo(text).replace("%3A", ":").replace("%2C", ",").replace("%25", "%");
        let properties = properties.map(|(key, value)| (key.to_owned(), property(value))).collect();
        Some((name.to_owned(), properties, undo(message).replace("%25", "%")))
    }

    fn report(findings: Vec<Diagnostic>, gaps: usize) -> Report {
        Report {
            incomplete: (0..gaps).map(|n| Incomplete { what: format!("gap {n}"), why: "why".into() }).collect(),
            findings,
            files: 3,
            holders: 1,
            ..Report::empty()
        }
    }

    fn rendered(report: &Report, allow: bool) -> String {
        let mut out = Vec::new();
        render(report, allow, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    fn found(severity: Severity, site: Site) -> Diagnostic {
        Diagnostic::new("r/k", severity, "m", vec![site])
    }

    fn at(path: &str) -> Site {
        Site::path(RepoPath::from(path), Holder::head(None))
    }

    #[test]
    fn escapes_as_the_toolkit_does() {
        assert_eq!(
            command(
                Severity::Error,
                &[("title", "GK001: x, 50%"), ("file", "dir/a:b,c.rs"), ("line", "3"), ("endLine", "4")],
                "two PRs\nadd 100% of a:b, c"
            ),
            "::error title=GK001%3A x%2C 50%25,file=dir/a%3Ab%2Cc.rs,line=3,endLine=4::two PRs%0Aadd 100%25 of a:b, c"
        );
    }

    #[test]
    fn columns_only_on_one_line() {
        let mut site = at("a.sql");
        site.position = Some(Position { line: 2, column: 3, end_line: 2, end_column: 9 });
        let text = rendered(&report(vec![found(Severity::Warning, site.clone())], 0), false);
        assert!(text.starts_with("::warning file=a.sql,line=2,col=3,endLine=2,endColumn=9,title=r/k::m\n"), "{text}");
        site.position = Some(Position { line: 2, column: 3, end_line: 4, end_column: 1 });
        let text = rendered(&report(vec![found(Severity::Note, site)], 0), false);
        assert!(text.starts_with("::notice file=a.sql,line=2,endLine=4,title=r/k::m\n"), "{text}");
    }

    #[test]
    fn only_files_of_the_head_are_pointed_at() {
        let branch = Holder { kind: HolderKind::Branch, name: "agent/a".into(), commit: None };
        let mut both = Diagnostic::new(
            "r/k",
            Severity::Error,
            "m",
            vec![Site::path(RepoPath::from("theirs.sql"), branch.clone()), at("mine.sql")],
        );
        assert_eq!(finding(&both), "::error file=mine.sql,title=r/k::m%0Atheirs.sql (branch agent/a)%0Ahere: HEAD");
        both.sites.pop();
        assert_eq!(finding(&both), "::error title=r/k::m%0Atheirs.sql (branch agent/a)");
    }

    #[test]
    fn a_path_that_can_not_be_handed_on_is_in_the_message() {
        for (path, shown) in [("a\\b", "a\\b"), ("a\x1b[2J", "a\\x1b[2J"), ("a##[b", "a#\\u{23}[b"), ("a\nb", "a\\nb")]
        {
            assert_eq!(finding(&found(Severity::Error, at(path))), format!("::error title=r/k::m%0A{shown}"));
        }
        let site = Site::path(RepoPath::new(b"a\xff"), Holder::head(None));
        assert_eq!(finding(&found(Severity::Error, site)), "::error title=r/k::m%0Aa\\xff");
    }

    #[test]
    fn ten_a_level_and_the_tenth_says_how_many_are_missing() {
        let many = |n: usize| (0..n).map(|n| found(Severity::Error, at(&n.to_string()))).collect::<Vec<_>>();
        let errors =
            |text: &str| text.lines().filter(|l| l.starts_with("::error")).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(errors(&rendered(&report(many(10), 0), false)).len(), 10);
        let lines = errors(&rendered(&report(many(30), 0), false));
        assert_eq!(lines.len(), 10);
        assert_eq!(lines[9], "::error title=gatekeep::and 21 more errors; the other formats list them all");
        let lines = errors(&rendered(&report(many(30), 30), false));
        assert_eq!(lines.len(), 10);
        assert_eq!(lines[6], "::error title=gatekeep::and 24 more errors; the other formats list them all");
        assert!(lines[9].contains("and 28 more that could not be looked at"), "{lines:?}");
        assert_eq!(errors(&rendered(&report(many(2), 30), false)).len(), 10);
        let text = rendered(&report(many(1), 2), true);
        assert!(
            text.contains("::warning title=gatekeep%3A incomplete::could not be looked at: gap 0: why\n"),
            "{text}"
        );
    }

    #[test]
    fn a_long_message_is_cut_before_the_runner_cuts_it() {
        let (_, _, message) = parsed(&command(Severity::Error, &[("title", "t")], &"🦀".repeat(5000))).unwrap();
        assert!(message.encode_utf16().count() <= 4096 && message.ends_with('…'));
        assert!(command(Severity::Error, &[("title", "")], " ").ends_with("::error ::(no message)"));
    }

    proptest! {
        #[test]
        fn undoing_the_escapes_gives_the_text_back(key in "[a-z]{1,5}", value in "(?s).{1,30}", text in "(?s).{1,60}") {
            prop_assume!(!text.trim().is_empty());
            let line = command(Severity::Error, &[(&key, &value), ("z", "1")], &text);
            prop_assert_eq!(line.lines().count(), 1);
            let (name, properties, message) = parsed(&line).unwrap();
            prop_assert_eq!(name, "error");
            prop_assert_eq!(properties, vec![(key, value.replace("##[", "# #[")), ("z".to_owned(), "1".to_owned())]);
            prop_assert_eq!(message, text.replace("##[", "# #["));
        }

        #[test]
        fn nothing_from_outside_starts_a_command(parts in prop::collection::vec("(\n|\r|::error::x|::|##\\[|#|\\[|%0A|%|,|a| ){1,8}", 8)) {
            let mut hostile = Diagnostic::new(parts[0].clone(), Severity::Error, parts[1].clone(), vec![
                Site { note: Some(parts[2].clone()), ..at(&parts[3]) },
                Site::path(RepoPath::from(parts[4].as_str()), Holder { kind: HolderKind::Branch, name: parts[5].clone(), commit: None }),
            ]);
            hostile.help = Some(parts[6].clone());
            let mut all = report(vec![hostile], 0);
            all.incomplete.push(Incomplete { what: parts[7].clone(), why: parts[0].clone() });
            let text = rendered(&all, false);
            prop_assert!(!text.contains("##["));
            let lines: Vec<&str> = text.split(['\n', '\r']).collect();
            prop_assert_eq!(lines.len(), 4);
            prop_assert!(lines[0].starts_with("::error file=") || lines[0].starts_with("::error title="));
            prop_assert!(lines[1].starts_with("::error title=gatekeep%3A incomplete::could not be looked at: "));
            prop_assert!(lines[2].starts_with("gatekeep: 1 error in 3 files"));
            prop_assert_eq!(lines[3], "");
        }
    }
}
