//! Who collides with whom: a small table, or a list where that doesn't fit.

use super::{
    CUT, LIST,
    layout::{Layout, Tone, beginning, columns_of, padded},
};
use crate::{
    diag::Severity,
    report::{
        Report,
        pairs::{Meeting, Pairs, Party, SEVERITIES, Tally},
        words,
    },
    text::count::number_of,
};

/// How many holders are looked at.
const HOLDERS: usize = 24;

/// The pairs of holders that share findings, and an empty line. Nothing where no branch, worktree, pull request or reservation
/// takes part: the findings themselves then say all.
pub(super) fn matrix(layout: &Layout, report: &Report) -> String {
    let pairs = Pairs::of(report, HOLDERS);
    if pairs.others() == 0 {
        return String::new();
    }
    let table = if pairs.others() > 1 { table(layout, &pairs) } else { None };
    table.unwrap_or_else(|| list(layout, &pairs))
}

/// The lower half of a table; none where it is too wide.
fn table(layout: &Layout, pairs: &Pairs<'_>) -> Option<String> {
    let digits = pairs.holders.len().to_string().len();
    let numbered = |(at, party): (usize, &Party<'_>)| format!("{:>digits$} {}", at + 1, words::holder(party.holder));
    let names: Vec<String> = pairs.holders.iter().enumerate().map(numbered).collect();
    let tallies: Vec<Tally> = pairs.ranked().into_iter().map(|(_, meeting)| meeting.tally).collect();
    let mixed = tallies.iter().any(|tally| tally.mixed());
    let number = tallies.iter().map(|tally| columns_of(&cell(*tally))).max().unwrap_or(0).max(2);
    let first = names.iter().map(|name| columns_of(name)).max().unwrap_or(0);
    let column = 2 + number + usize::from(mixed);
    if pairs.hidden > 0 || 2 + first + (names.len() - 1) * column > layout.width {
        return None;
    }
    let mut text = heading(layout, &legend(&tallies));
    let numbers = (1..names.len()).map(|at| padded(&format!("  {at:>number$}"), column)).collect::<String>();
    let numbers = layout.toned(Tone::Faint, numbers.trim_end());
    text.push_str(&format!("  {}{numbers}\n", " ".repeat(first)));
    for (row, name) in names.iter().enumerate() {
        let mut line = padded(name, first);
        for other in 0..row {
            line.push_str(&shown(layout, pairs.between(row, other), number, column));
        }
        text.push_str(&format!("  {}\n", line.trim_end()));
    }
    text.push('\n');
    Some(text)
}

fn heading(layout: &Layout, legend: &str) -> String {
    let mut text = layout.toned(Tone::Strong, "Who collides with whom");
    if !legend.is_empty() {
        text.push_str(&layout.toned(Tone::Faint, &format!(" ({legend})")));
    }
    text.push('\n');
    text
}

/// What the letters mean that stand in the table.
fn legend(tallies: &[Tally]) -> String {
    let there = SEVERITIES.into_iter().filter(|severity| tallies.iter().any(|tally| tally.worst() == *severity));
    let mut words: Vec<String> = there.map(|severity| format!("{} {}s", letter(severity), severity.word())).collect();
    if tallies.iter().any(|tally| tally.mixed()) {
        words.push("+ lesser ones too".into());
    }
    words.join(", ")
}

fn letter(severity: Severity) -> char {
    match severity {
        Severity::Error => 'E',
        Severity::Warning => 'W',
        Severity::Note => 'N',
    }
}

/// `2E`
fn cell(tally: Tally) -> String {
    format!("{}{}", tally.count(tally.worst()), letter(tally.worst()))
}

/// A cell as wide as its column, the letters of all below each other.
fn shown(layout: &Layout, meeting: Option<&Meeting>, number: usize, column: usize) -> String {
    let (tone, text, more) = match meeting {
        Some(Meeting { tally, .. }) => (Tone::Severity(tally.worst()), cell(*tally), tally.mixed()),
        None => (Tone::Faint, if layout.unicode { "·" } else { "." }.into(), false),
    };
    let before = " ".repeat(2 + number - columns_of(&text));
    let after = " ".repeat(column - 2 - number - usize::from(more));
    let text = layout.toned(tone, &format!("{text}{}", if more { "+" } else { "" }));
    format!("{before}{text}{after}")
}

/// One line a pair, the gravest first.
fn list(layout: &Layout, pairs: &Pairs<'_>) -> String {
    let ranked = pairs.ranked();
    let shown = if layout.verbose || ranked.len() <= LIST { ranked.len() } else { CUT };
    let mut text = heading(layout, "");
    for ((one, other), meeting) in &ranked[..shown] {
        let [one, other] = [one, other].map(|at| words::holder(pairs.holders[*at].holder));
        let times = if layout.unicode { "×" } else { "x" };
        let what = layout.toned(Tone::Severity(meeting.tally.worst()), &meeting.tally.words());
        let line = beginning(&format!("{one} {times} {other}"));
        let fits = 4 + columns_of(&line) + columns_of(&meeting.tally.words()) <= layout.width;
        let broken = if fits { " " } else { "\n      " };
        text.push_str(&format!("  {line}:{broken}{what}\n"));
    }
    if let Some(more) = more(ranked.len() - shown, pairs.hidden) {
        text.push_str(&format!("  {more}\n"));
    }
    text.push('\n');
    text
}

/// What the list leaves out.
fn more(pairs: usize, holders: usize) -> Option<String> {
    let pairs = (pairs > 0).then(|| number_of(pairs, "more pair"));
    let holders = (holders > 0).then(|| format!("all pairs of {}", number_of(holders, "more holder")));
    let parts: Vec<String> = pairs.into_iter().chain(holders).collect();
    (!parts.is_empty()).then(|| format!("and {}", parts.join(", and ")))
}
