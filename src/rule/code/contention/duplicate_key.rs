//! `contention/duplicate-key`: what git merges in silence, and what then has a key twice.
//!
//! No pair of lines is merged to find it: keys that a line adds are grouped, and only lines that add one and the same key
//! are merged, in memory, to see whether it really stands there twice.

mod file;
mod finding;

use std::{collections::BTreeMap, io};

use rayon::prelude::*;

use super::{
    Fleet,
    lock_files::is_lock_file,
    paths::{Stacks, Stamps, grouped},
};
use crate::{
    claim::extract::keys::Format,
    diag::{Diagnostic, Holder, RepoPath},
    report::{Incomplete, Skipped},
    source::{Changed, EntryKind, Version},
};
use file::File;

/// Bytes that are parsed at most in one run.
const BUDGET: u64 = 64 << 20;
/// How many versions of one file are compared at most.
const MAX_VERSIONS: usize = 100;

/// The tip of the trunk.
pub struct Trunk<'a> {
    /// Whose it is: the base.
    pub holder: Holder,
    /// What stands at a path there.
    pub at: &'a (dyn Fn(&RepoPath) -> io::Result<Option<Version>> + Sync),
}

/// The text that git makes of two versions of a file, from the path, the base and both of them; none where it would stop.
pub type MergeText<'a> = dyn Fn(&RepoPath, &[u8], &[u8], &[u8]) -> Option<Vec<u8>> + Sync + 'a;

/// What was found of keys.
#[derive(Debug, Default)]
pub struct Keys {
    /// One for each file and key. Levels are not applied.
    pub findings: Vec<Diagnostic>,
    /// Files that could not be read.
    pub incomplete: Vec<Incomplete>,
    /// What was left out.
    pub skipped: Vec<Skipped>,
}

/// Finds the keys that stand twice in what git would make of two lines, or of a line and a trunk that has moved on.
pub fn duplicate_keys(fleet: &Fleet<'_>, trunk: Option<&Trunk<'_>>, merge: &MergeText<'_>) -> Keys {
    let mut keys = Keys::default();
    let planned: Vec<_> = candidates(fleet).into_par_iter().map(|job| job.sized(fleet, trunk)).collect();
    let mut jobs = Vec::new();
    for planned in planned {
        match planned {
            Ok(Some(job)) => jobs.push(job),
            Ok(None) => {}
            Err(gap) => keys.incomplete.push(gap),
        }
    }
    let left = ration(&mut jobs, fleet.head);
    let done: Vec<Done> = jobs.par_iter().map(|job| File::new(fleet, trunk, merge, job).run()).collect();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for done in done {
        keys.findings.extend(done.findings);
        keys.incomplete.extend(done.incomplete);
        *counts.entry("files that several branches change and that don't parse: their keys").or_default() +=
            done.broken;
        *counts.entry("more keys that a merge would leave twice").or_default() += done.more;
        *counts.entry("merges of versions that add one key").or_default() += done.untried;
    }
    *counts.entry("versions of large or busy files: their keys").or_default() += left;
    let skipped = counts.into_iter().filter(|(_, count)| *count > 0);
    keys.skipped.extend(skipped.map(|(what, count)| Skipped { what: what.into(), count: Some(count) }));
    keys
}

/// How one file went.
#[derive(Default)]
struct Done {
    findings: Vec<Diagnostic>,
    incomplete: Vec<Incomplete>,
    /// Versions that don't parse.
    broken: usize,
    /// Findings beyond those that are reported.
    more: usize,
    /// Merges that were not tried.
    untried: usize,
}

/// One file, and the lines that edit it, the oldest first.
struct Job<'a> {
    path: &'a RepoPath,
    format: Format,
    lines: Vec<(u32, &'a Changed)>,
    /// What stands there on the trunk, where that is a file.
    trunk: Option<Version>,
    /// Length of one version, in bytes.
    size: u64,
}

/// Files of a known format that lines edit. One that a line adds or removes merges with nobody's silently.
fn candidates<'a>(fleet: &Fleet<'a>) -> Vec<Job<'a>> {
    let stacks = Stacks::of(fleet);
    let mut seen = Stamps::new(fleet.lines.len());
    let has_keys = |path: &RepoPath| Format::of(path.file_name()).is_some();
    let known = grouped(fleet, 1, has_keys).into_iter().filter_map(|(path, group)| {
        let format = Format::of(path.file_name())?;
        if (fleet.left_out)(path) {
            return None;
        }
        let is_file = |version: Option<Version>| version.is_some_and(|version| version.kind == EntryKind::File);
        let mut lines = stacks.tops(group, &mut seen);
        lines.retain(|(_, changed)| is_file(changed.old) && is_file(changed.new));
        let concerned = fleet.head.is_none_or(|head| lines.iter().any(|(line, _)| *line == head));
        (concerned && !lines.is_empty()).then_some(Job { path, format, lines, trunk: None, size: 0 })
    });
    known.collect()
}

impl Job<'_> {
    /// Looks at the trunk; none where nobody else has a part in the file.
    fn sized(mut self, fleet: &Fleet<'_>, trunk: Option<&Trunk<'_>>) -> Result<Option<Self>, Incomplete> {
        let gap = |error: io::Error| Incomplete {
            what: self.path.lossy().into_owned(),
            why: format!("can't be read, so that its keys are not compared: {error}"),
        };
        let there = trunk.map(|trunk| (trunk.at)(self.path)).transpose().map_err(gap)?.flatten();
        let there = there.filter(|version| version.kind == EntryKind::File);
        let moved = there.is_some_and(|there| self.lines.iter().any(|(_, changed)| changed.old != Some(there)));
        if self.lines.len() < 2 && !moved {
            return Ok(None);
        }
        let (_, first) = self.lines[0];
        let old = first.old.expect("only edits are candidates");
        self.size = (fleet.read)(first, &old).map_err(gap)?.len() as u64;
        self.trunk = there;
        Ok(Some(self))
    }
}

/// Cuts the work down to what one run may cost; how many versions were left out. Lock files come last, and long ones after
/// short ones.
fn ration(jobs: &mut Vec<Job<'_>>, head: Option<u32>) -> usize {
    let last = |job: &Job<'_>| is_lock_file(job.path.file_name());
    jobs.sort_by(|a, b| (last(a), a.size, a.path).cmp(&(last(b), b.size, b.path)));
    let (mut budget, mut left) = (BUDGET, 0);
    jobs.retain_mut(|job| {
        // the base, the trunk, and each line's own
        let affordable = usize::try_from(budget / job.size.max(1)).unwrap_or(usize::MAX).saturating_sub(2);
        let all = job.lines.len();
        let kept = all.min(affordable).min(MAX_VERSIONS);
        if kept < all {
            job.lines.sort_by_key(|(line, _)| Some(*line) != head); // stable: the head, then the oldest
            job.lines.truncate(kept);
            left += all - kept;
        }
        budget = budget.saturating_sub((kept as u64 + 2) * job.size);
        kept > 1 || (kept == 1 && job.trunk.is_some())
    });
    jobs.sort_by_key(|job| job.path);
    left
}
