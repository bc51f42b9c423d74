//! What lay outside of lanes: a block an agent, with its newest commits.

use std::collections::{BTreeMap, BTreeSet};

use super::heading;
use crate::{
    report::{
        audit::{Outside, OutsideFile},
        escape::terminal,
        human::layout::{Layout, Tone, wrap},
    },
    text::count::{number, number_of},
};

/// How many commits of one agent are shown.
const COMMITS: usize = 5;
/// How many files of one commit are shown.
const FILES: usize = 4;

/// All agents by name, and an empty line behind each.
pub(super) fn block(layout: &Layout, outside: &[Outside]) -> String {
    let mut agents: BTreeMap<&str, Vec<&Outside>> = BTreeMap::new();
    for one in outside {
        agents.entry(&one.agent).or_default().push(one);
    }
    let mut text = format!("{}\n\n", layout.toned(Tone::Strong, "Outside their lane"));
    for (agent, commits) in agents {
        let files: BTreeSet<_> = commits.iter().flat_map(|one| &one.files).map(|file| &file.path).collect();
        let counted = format!("{} in {}", number_of(files.len(), "file"), number_of(commits.len(), "commit"));
        text.push_str(&format!("{}: {counted}\n", layout.toned(Tone::Strong, &terminal(agent))));
        let shown = if layout.verbose { commits.len() } else { COMMITS.min(commits.len()) };
        commits[..shown].iter().for_each(|one| one_commit(layout, one, &mut text));
        more(commits.len() - shown, "  ", &mut text);
        text.push('\n');
    }
    text
}

fn one_commit(layout: &Layout, one: &Outside, text: &mut String) {
    text.push_str(&heading(layout, &one.commit, "  "));
    for line in wrap(&format!("by {}", terminal(&one.by)), layout.width.saturating_sub(4)) {
        text.push_str(&format!("    {}\n", layout.toned(Tone::Faint, &line)));
    }
    let shown = if layout.verbose { one.files.len() } else { FILES.min(one.files.len()) };
    for file in &one.files[..shown] {
        text.push_str(&format!("    {}{}\n", terminal(file.path.as_bytes()), whose(file)));
    }
    more(one.files.len() - shown, "    ", text);
}

fn more(count: usize, indent: &str, text: &mut String) {
    if count > 0 {
        text.push_str(&format!("{indent}and {} more; --verbose shows them all\n", number(count)));
    }
}

/// Why it is outside, as words that follow the path.
fn whose(file: &OutsideFile) -> String {
    let owners: Vec<String> = file.owners.iter().map(terminal).collect();
    match (file.never, owners.as_slice()) {
        (true, _) => " (never)".into(),
        (false, []) => String::new(),
        (false, owners) => format!(" (belongs to {})", owners.join(", ")),
    }
}
