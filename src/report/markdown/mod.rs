//! Markdown for GitHub: a step summary, a comment or the text of a check run.
//!
//! Each of them has a limit, and what is longer is refused or cut wherever it happens to be. So the report is put together from
//! whole pieces, the gravest first, as long as they fit, and says how many are missing.

mod escape;
mod finding;
#[cfg(test)]
mod tests;

use std::io::{self, Write};

pub(super) use escape::prose;

use self::{escape::code, finding::clipped};
use super::{Incomplete, RenderOptions, Report, words};
use crate::{
    diag::Diagnostic,
    exit::Outcome,
    text::count::{number, number_of},
};

/// How many bytes a step may write to `GITHUB_STEP_SUMMARY`: 1 MiB.
pub const STEP_SUMMARY: usize = 1024 * 1024;
/// How many characters the text of a check run may have. A report with so many bytes has no more characters.
pub const CHECK_RUN: usize = 65_535;
/// How many characters a comment may have.
pub const COMMENT: usize = 65_536;

/// How many things that were left out are named.
const SKIPPED: usize = 10;
/// How many characters of a name or reason are shown.
const NAME: usize = 120;
/// How many characters of why something could not be looked at.
const WHY: usize = 400;

/// Writes the report in at most `limit` bytes; where they don't hold even the verdict, about 300, nothing.
///
/// # Errors
/// The output can't be written.
pub fn render(report: &Report, options: &RenderOptions, limit: usize, out: &mut dyn Write) -> io::Result<()> {
    let head = head(report, options);
    let Some(mut room) = limit.checked_sub(head.len()) else { return Ok(()) };
    let foot = Some(foot(report)).filter(|foot| foot.len() <= room).unwrap_or_default();
    room -= foot.len();
    let gaps = gaps(report, options, room / 3);
    room -= gaps.len();
    let findings = findings(report, room);
    out.write_all([head, findings, gaps, foot].concat().as_bytes())
}

/// The verdict and the counts: words of our own.
fn head(report: &Report, options: &RenderOptions) -> String {
    let verdict = match (Outcome::of(report, options.fail_on, options.allow_incomplete), report.complete()) {
        (Outcome::Fail, true) => "failed",
        (Outcome::Fail, false) => "failed, and incomplete",
        (Outcome::Pass, true) if report.suppressed() == report.findings.len() => "all clear",
        (Outcome::Pass, true) => "passed",
        (Outcome::Pass, false) => "passed, with gaps that are allowed",
        (Outcome::Incomplete | Outcome::Unusable, _) => "incomplete",
    };
    let mut head = format!("## gatekeep: {verdict}\n\n{}\n\n", prose(&words::summary(report)));
    if !report.complete() {
        head.push_str(&format!("**{}**, so this report is not the whole truth\\.\n\n", words::gaps(report)));
    }
    head
}

fn findings(report: &Report, room: usize) -> String {
    let counted: Vec<&Diagnostic> = report.findings.iter().filter(|found| found.suppressed.is_none()).collect();
    listed(
        &counted,
        room,
        |found| finding::block(found),
        |more| {
            format!(
                "and {}, for which there is no room here; `--format json` lists them all\n\n",
                number_of(more, "more finding")
            )
        },
    )
}

fn gaps(report: &Report, options: &RenderOptions, room: usize) -> String {
    const HEADING: &str = "### Not looked at\n\n";
    let next = match options.allow_incomplete {
        true => "\nAllowed by `--allow-incomplete`\\.\n\n",
        false => "\nMend what is listed and run again, or accept the gaps with `--allow-incomplete`\\.\n\n",
    };
    let gap = |gap: &Incomplete| format!("- {}: {}\n", code(clipped(&gap.what, NAME)), prose(&clipped(&gap.why, WHY)));
    let room = room.saturating_sub(HEADING.len() + next.len());
    let list = listed(&report.incomplete, room, gap, |more| format!("- and {} more\n", number(more)));
    if list.is_empty() { list } else { format!("{HEADING}{list}{next}") }
}

/// What was left out by choice, and what judged.
fn foot(report: &Report) -> String {
    let mut foot = String::new();
    if !report.skipped.is_empty() {
        let named = report.skipped.iter().take(SKIPPED).map(|left| prose(&clipped(words::omission(left), NAME)));
        let more = report.skipped.len().saturating_sub(SKIPPED);
        let more = (more > 0).then(|| format!("and {} more", number(more)));
        let list: Vec<String> = named.chain(more).collect();
        foot.push_str(&format!("Left out: {}\n\n", list.join(", ")));
    }
    let commit = |before: &str, commit: &Option<String>| {
        commit.as_deref().map(|commit| format!("{before}{}", code(words::commit(commit)))).unwrap_or_default()
    };
    let against = match &report.target {
        Some(target) => format!("Judged against {}{}", code(clipped(target, NAME)), commit(" from ", &report.base)),
        None => "Judged by itself".into(),
    };
    foot.push_str(&format!(
        "{against}, by {}{}; {} compared\n",
        words::policy(report.policy),
        commit(" at ", &report.policy_commit),
        number_of(report.holders, "holder"),
    ));
    foot
}

/// As many blocks as fit, in order, and how many more there are; nothing where not even that fits.
fn listed<T>(items: &[T], room: usize, block: impl Fn(&T) -> String, more: impl Fn(usize) -> String) -> String {
    let reserve = more(items.len()).len();
    let mut out = String::new();
    for (at, item) in items.iter().enumerate() {
        let block = block(item);
        let kept_back = if at + 1 == items.len() { 0 } else { reserve };
        if out.len() + block.len() + kept_back > room {
            if out.len() + reserve <= room {
                out.push_str(&more(items.len() - at));
            }
            break;
        }
        out.push_str(&block);
    }
    out
}
