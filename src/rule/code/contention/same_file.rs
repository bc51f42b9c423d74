//! `contention/same-file`: one finding for each path.

use std::collections::BTreeMap;

use super::{Fleet, RULE, SAME_FILE, paths::Contended};
use crate::{
    diag::{Diagnostic, RepoPath, Severity, Site},
    rule::listed::{counted, listed},
    source::{Changed, Meeting, Stop},
};

/// How many holders of one path are listed as sites.
const MAX_SITES: usize = 20;
/// How many pairs that git would stop at are named in one message.
const MAX_PAIRS: usize = 3;

/// Says of each contended path who changes it; a warning where git would stop. `meetings` are the pairs that git would stop
/// at, empty if none was tried. Levels are not applied.
pub fn same_file(fleet: &Fleet<'_>, contended: &[Contended<'_>], meetings: &[Meeting]) -> Vec<Diagnostic> {
    let mut places: BTreeMap<&RepoPath, Place<'_>> =
        contended.iter().map(|one| (one.path, Place { holders: Some(one), stops: Vec::new() })).collect();
    for meeting in meetings {
        for stop in &meeting.stops {
            let holds = |path: &&RepoPath| {
                let one = places.get(path).and_then(|place| place.holders);
                one.is_some_and(|one| [meeting.pair.0, meeting.pair.1].iter().all(|line| one.has(*line)))
            };
            let path = [Some(&stop.path), stop.from.as_ref()].into_iter().flatten().find(holds).unwrap_or(&stop.path);
            places.entry(path).or_default().stops.push((meeting.pair, stop));
        }
    }
    places.into_iter().map(|(path, place)| place.finding(fleet, path)).collect()
}

impl Contended<'_> {
    fn has(&self, line: u32) -> bool {
        self.holders.iter().any(|(holder, _)| *holder == line)
    }
}

/// A path, who contends for it, and where git would stop there.
#[derive(Default)]
struct Place<'a> {
    /// None where git stops at a path that the two do not both change: a folder that the other turns into a file.
    holders: Option<&'a Contended<'a>>,
    stops: Vec<((u32, u32), &'a Stop)>,
}

impl<'a> Place<'a> {
    fn finding(mut self, fleet: &Fleet<'_>, path: &RepoPath) -> Diagnostic {
        self.stops.sort_by_key(|(pair, _)| {
            let ranks = [fleet.rank(pair.0), fleet.rank(pair.1)];
            (ranks[0].min(ranks[1]), ranks[0].max(ranks[1]), *pair)
        });
        let lines = self.lines(fleet);
        let names = listed(lines.iter().map(|(line, _)| fleet.name(*line)));
        let stopped = !self.stops.is_empty();
        let mut message = format!("`{}` is changed by {} lines of work: {names}. ", path.lossy(), counted(lines.len()));
        message.push_str(&if stopped { self.conflicts(fleet, path) } else { outcome(fleet, &lines) });
        let chosen = self.chosen(fleet, &lines);
        if chosen.len() < lines.len() {
            message.push_str(&format!(" {} of {} are listed.", chosen.len(), lines.len()));
        }
        let sites = chosen.into_iter().map(|(line, changed)| {
            let mut site = Site::path(path.clone(), fleet.lines[line as usize].holder.clone());
            site.note = changed.map(|changed| deed(changed).to_owned());
            site
        });
        let severity = if stopped { Severity::Warning } else { Severity::Note };
        let mut found = Diagnostic::new(SAME_FILE, severity, message, sites.collect());
        found.help = RULE.codes.iter().find(|code| code.code == SAME_FILE).map(|code| code.help.to_owned());
        found
    }

    /// All holders, the oldest first.
    fn lines(&self, fleet: &Fleet<'_>) -> Vec<(u32, Option<&'a Changed>)> {
        match self.holders {
            Some(one) => one.holders.iter().map(|(line, changed)| (*line, Some(*changed))).collect(),
            None => {
                let mut lines: Vec<u32> = self.stops.iter().flat_map(|(pair, _)| [pair.0, pair.1]).collect();
                lines.sort_by_key(|line| (fleet.rank(*line), *line));
                lines.dedup();
                lines.into_iter().map(|line| (line, None)).collect()
            }
        }
    }

    /// Those that become sites, the youngest first: it has to yield. The head and those that git stops at are among them.
    fn chosen(&self, fleet: &Fleet<'_>, lines: &[(u32, Option<&'a Changed>)]) -> Vec<(u32, Option<&'a Changed>)> {
        let mut chosen: Vec<(u32, Option<&Changed>)> = lines.iter().rev().copied().collect();
        let first = |line: u32| Some(line) == fleet.head;
        let stopped: Vec<u32> = self.stops.iter().take(MAX_PAIRS).flat_map(|(pair, _)| [pair.0, pair.1]).collect();
        chosen.sort_by_key(|(line, _)| if first(*line) { 0 } else { 1 + u8::from(!stopped.contains(line)) }); // stable
        chosen.truncate(MAX_SITES);
        chosen.sort_by_key(|(line, _)| std::cmp::Reverse((fleet.rank(*line), *line)));
        chosen
    }

    fn conflicts(&self, fleet: &Fleet<'_>, path: &RepoPath) -> String {
        let mut parts: Vec<String> = Vec::new();
        for ((a, b), stop) in self.stops.iter().take(MAX_PAIRS) {
            let there = if stop.path == *path { String::new() } else { format!(" at `{}`", stop.path.lossy()) };
            let names = listed([fleet.name(*a), fleet.name(*b)].into_iter());
            parts.push(format!("{names}{there} ({})", stop.kind.words()));
        }
        let more = self.stops.len().saturating_sub(MAX_PAIRS);
        if more > 0 {
            parts.push(format!("{more} more {}", if more == 1 { "pair" } else { "pairs" }));
        }
        format!("git would stop at the merge of {}.", parts.join(", of "))
    }
}

/// What a line does to the path.
fn deed(changed: &Changed) -> &'static str {
    match (changed.old, changed.new) {
        (None, _) => "adds it",
        (_, None) => "removes it",
        _ => "edits it",
    }
}

/// What git will do with the changes, as far as that is known without a merge.
fn outcome(fleet: &Fleet<'_>, lines: &[(u32, Option<&Changed>)]) -> String {
    let deeds = || lines.iter().filter_map(|(line, changed)| Some((*line, deed((*changed)?))));
    let removers: Vec<u32> = deeds().filter(|(_, deed)| *deed == "removes it").map(|(line, _)| line).collect();
    if deeds().all(|(_, deed)| deed == "adds it") {
        "All of them add it, with different contents: git stops at the second merge.".into()
    } else if !removers.is_empty() {
        let names = listed(removers.iter().map(|line| fleet.name(*line)));
        let verb = if removers.len() == 1 { "removes" } else { "remove" };
        format!("{names} {verb} it: git stops at the second merge, unless the file was only moved.")
    } else {
        "git merges them if their edits lie apart, and stops at the second merge if not.".into()
    }
}
