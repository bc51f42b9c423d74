//! An audit for people: a block a commit, the newest first; then what lay outside of lanes.

mod lanes;

use std::io::{self, Write};

use super::{
    HumanOptions, gaps,
    layout::{Layout, Tone, beginning, wrap},
};
use crate::{
    diag::{HolderKind, Severity, Site},
    report::{
        PolicyFrom,
        audit::{Audit, Brought, Commit, Fate, utc},
        escape::terminal,
        words,
    },
    text::count::{number, number_of},
};

/// How many places of one collision are shown in full.
const LIST: usize = 8;
/// How many are shown of more.
const CUT: usize = 6;

const HELP: &str = "mend what is listed, or look back less far (`--since`), and run again";

/// Writes what was brought in, what could not be looked at, and a summary.
///
/// # Errors
/// The output can't be written.
pub fn render(audit: &Audit, options: &HumanOptions, out: &mut dyn Write) -> io::Result<()> {
    let layout = Layout::new(options);
    for of_commit in audit.collisions.chunk_by(|a, b| a.commit.id == b.commit.id) {
        out.write_all(block(&layout, of_commit).as_bytes())?;
    }
    if let Some(outside) = audit.outside.as_deref().filter(|outside| !outside.is_empty()) {
        out.write_all(lanes::block(&layout, outside).as_bytes())?;
    }
    if !audit.complete() {
        out.write_all(gaps(&layout, &audit.incomplete, Severity::Error, HELP).as_bytes())?;
    }
    if !options.quiet {
        out.write_all(closing(&layout, audit).as_bytes())?;
    }
    Ok(())
}

/// One commit with all that it brought in, and an empty line.
fn block(layout: &Layout, brought: &[Brought]) -> String {
    let Some(Brought { commit, .. }) = brought.first() else { return String::new() };
    let mut text = heading(layout, commit, "");
    for one in brought {
        collision(layout, one, &mut text);
    }
    text.push('\n');
    text
}

/// Day, id and subject of a commit on one line.
fn heading(layout: &Layout, commit: &Commit, indent: &str) -> String {
    let head = format!("{indent}{}  {}  ", day(commit), words::commit(&commit.id));
    let room = layout.width.saturating_sub(head.chars().count());
    format!("{}{}\n", layout.toned(Tone::Faint, &head), layout.toned(Tone::Strong, &cut(&commit.subject, room)))
}

fn collision(layout: &Layout, one: &Brought, text: &mut String) {
    let found = &one.found;
    let severity = match found.severity {
        Severity::Error => Tone::Severity(Severity::Error),
        Severity::Warning | Severity::Note => Tone::Severity(Severity::Warning),
    };
    let place = match found.partition.as_deref() {
        None | Some(".") => String::new(),
        Some(partition) => format!(" in {}", terminal(partition)),
    };
    let key = found.key.as_deref().map(terminal).unwrap_or_default();
    let code = format!("{}[{}]", found.severity, terminal(&found.code));
    text.push_str(&format!("  {} {key}{place}: {}\n", layout.toned(severity, &code), fate(layout, &one.fate)));
    let shown = if layout.verbose || found.sites.len() <= LIST { found.sites.len() } else { CUT };
    for site in &found.sites[..shown] {
        text.push_str(&format!("    {} {}\n", if is_new(site) { '+' } else { ' ' }, place_of(site)));
    }
    if shown < found.sites.len() {
        text.push_str(&format!("      and {} more; --verbose shows them all\n", number(found.sites.len() - shown)));
    }
}

fn is_new(site: &Site) -> bool {
    site.holder.kind == HolderKind::Head
}

fn place_of(site: &Site) -> String {
    let path = terminal(site.path.as_bytes());
    site.position.map_or_else(|| path.clone(), |at| format!("{path}:{}", at.line))
}

fn fate(layout: &Layout, fate: &Fate) -> String {
    match fate {
        Fate::StillThere => layout.toned(Tone::Strong, "still there"),
        Fate::Gone(Some(commit)) => format!("gone since {} ({})", day(commit), words::commit(&commit.id)),
        Fate::Gone(None) => "gone by now".into(),
        Fate::Unknown => "can't be looked at today".into(),
    }
}

fn day(commit: &Commit) -> String {
    utc(commit.time).map_or_else(|| "????-??-??".into(), |at| at.date().to_string())
}

/// A text from outside on one line of at most `width` columns.
fn cut(text: &str, width: usize) -> String {
    let shown = beginning(&terminal(text));
    match shown.chars().nth(width.max(20)) {
        Some(_) => shown.chars().take(width.max(20) - 1).chain(['…']).collect(),
        None => shown,
    }
}

fn closing(layout: &Layout, audit: &Audit) -> String {
    let strayed = audit.outside.as_ref().is_some_and(|outside| !outside.is_empty());
    let (tone, line) = match (audit.collisions.is_empty(), audit.complete()) {
        (true, true) if strayed => (Tone::Strong, "No commit brought in a collision".into()),
        (true, true) => (Tone::Good, format!("✓ {}", clear(audit.commits))),
        (true, false) => (Tone::Strong, "No collision was found in the commits that could be looked at".into()),
        (false, _) => (Tone::Strong, summary(audit)),
    };
    let mut text = format!("{}\n", layout.toned(tone, &line));
    let mut faint = |sentence: &str| {
        wrap(sentence, layout.width)
            .iter()
            .for_each(|line| text.push_str(&format!("{}\n", layout.toned(Tone::Faint, line))));
    };
    if audit.complete() && audit.outside.is_some() && !strayed {
        faint("No agent left its lane");
    }
    if !audit.skipped.is_empty() {
        let left_out: Vec<String> = audit.skipped.iter().map(words::omission).collect();
        faint(&format!("Left out: {}", left_out.join(", ")));
    }
    faint(&looked_at(audit));
    text
}

/// The last line where nothing was found.
fn clear(commits: usize) -> String {
    match commits {
        0 => "All clear: no commit was made in that time".into(),
        1 => "All clear: the one commit brought in no collision".into(),
        _ => format!("All clear: none of {} brought in a collision", number_of(commits, "commit")),
    }
}

/// The last line: `12 of 6,881 commits brought in a collision: 41 names, 19 of them still there`.
fn summary(audit: &Audit) -> String {
    let fate = match (audit.names(), audit.still_there()) {
        (1, 0) => "1 name, and it is gone by now".to_owned(),
        (1, _) => "1 name, and it is still there".to_owned(),
        (names, 0) => format!("{} names, and all are gone by now", number(names)),
        (names, still) => format!("{} names, {} of them still there", number(names), number(still)),
    };
    let commits = number_of(audit.commits, "commit");
    format!("{} of {commits} brought in a collision: {fate}", number(audit.colliding()))
}

/// What was looked at, and by what it was judged.
fn looked_at(audit: &Audit) -> String {
    let since = match audit.oldest.and_then(utc) {
        Some(at) => format!("since {}", at.date()),
        None => "from the beginning".into(),
    };
    let policy = match audit.policy {
        PolicyFrom::BuiltIn => "the built-in rules alone",
        _ => "its configuration of today",
    };
    let touch = if audit.judged == 1 { "touches" } else { "touch" };
    format!(
        "Looked back at {} {since}; {} of its commits {touch} a file that a rule wants, judged by {policy}",
        terminal(&audit.target),
        number(audit.judged)
    )
}
