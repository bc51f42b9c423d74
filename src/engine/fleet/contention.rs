//! What lines do to one file, as the rule on contention sees it.

use super::{Fleet, age::Age};
use crate::{
    diag::{Diagnostic, RepoPath},
    engine::{Gaps, PARSED_LIMIT},
    report::Skipped,
    rule::code::contention::{self as rule, MergeText},
    source::{Changed, Entry, Line, Place, Tree, Version},
};

/// Most pairs of lines that are merged in memory.
const MOST_PAIRS: usize = 20_000;

/// All findings of the rule; levels are not applied.
pub(super) fn judge(
    fleet: &Fleet<'_>,
    tree: &dyn Tree,
    left_out: &(dyn Fn(&RepoPath) -> bool + Sync),
    merge: &MergeText<'_>,
    gaps: &Gaps,
    skipped: &mut Vec<Skipped>,
) -> Vec<Diagnostic> {
    let rank = ranks(fleet);
    let read = |changed: &Changed, version: &Version| {
        let entry = Entry { path: changed.path.clone(), kind: version.kind, place: version.place };
        tree.read(&entry, PARSED_LIMIT)
    };
    let of = rule::Fleet {
        lines: &fleet.lines,
        rank: &rank,
        head: fleet.head.map(|head| head as u32),
        left_out,
        read: &read,
    };
    let (contended, passed_over) = rule::contended(&of);
    skipped.extend(passed_over);
    let mut meetings = Vec::new();
    if fleet.conflicts {
        let pairs = rule::pairs(&of, &contended, MOST_PAIRS);
        let merges = fleet.history.merges(&fleet.lines, &pairs.pairs, fleet.commit, &read);
        pairs.incomplete.into_iter().chain(merges.incomplete).for_each(|gap| gaps.add(gap.what, gap.why));
        skipped.extend(merges.skipped);
        meetings = merges.meetings;
    }
    let mut findings = rule::same_file(&of, &contended, &meetings);
    let at = |path: &RepoPath| match fleet.commit {
        Some(commit) => fleet.history.at(commit, path).map_err(std::io::Error::other),
        None => Ok(None),
    };
    let trunk = rule::Trunk { holder: super::scene::trunk(&fleet.target, fleet.commit), at: &at };
    let keys = if fleet.crossed.is_empty() {
        rule::duplicate_keys(&of, Some(&trunk), merge)
    } else {
        let what = "lines with several merge bases: what git makes of their texts".into();
        skipped.push(Skipped { what, count: Some(fleet.crossed.len()) });
        let lines: Vec<Line> = (0u32..).zip(&fleet.lines).map(|(at, line)| with_one_base(fleet, at, line)).collect();
        rule::duplicate_keys(&rule::Fleet { lines: &lines, ..of }, Some(&trunk), merge)
    };
    findings.extend(keys.findings);
    skipped.extend(keys.skipped);
    keys.incomplete.into_iter().for_each(|gap| gaps.add(gap.what, gap.why));
    findings
}

/// A line, without its changes where one merge base does not tell what git makes of them.
fn with_one_base(fleet: &Fleet<'_>, at: u32, line: &Line) -> Line {
    let changes = if fleet.crossed.contains(&at) { Vec::new() } else { line.changes.clone() };
    Line { changes, ..line.clone() }
}

/// For each line its place among all, the oldest first.
fn ranks(fleet: &Fleet<'_>) -> Vec<u32> {
    let committed = Place::Blob(gix::ObjectId::null(gix::hash::Kind::Sha1));
    let mut order: Vec<usize> = (0..fleet.lines.len()).collect();
    let age = |at: usize| Age::of(&fleet.lines[at], committed);
    order.sort_by(|a, b| (age(*a), &fleet.lines[*a].holder).cmp(&(age(*b), &fleet.lines[*b].holder)));
    let mut rank = vec![0; order.len()];
    order.into_iter().zip(0u32..).for_each(|(line, place)| rank[line] = place);
    rank
}
