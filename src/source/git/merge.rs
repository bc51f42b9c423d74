//! Merges in memory: where git would stop if two lines of work met.
//!
//! Nothing is written to the repository. No program runs either: merge drivers, filters and external diffs of the
//! configuration are left out, and what a merge driver would decide is not reported.

mod attributes;
mod bench;
mod driver;
mod side;
mod stop;
mod store;
mod text;

pub use stop::{Stop, StopKind};
pub use text::{TextMerger, merge_plain_text};

use std::collections::{BTreeMap, BTreeSet};

use gix::ObjectId;
use rayon::prelude::*;

use super::Git;
use crate::{
    diag::RepoPath,
    report::{Incomplete, Skipped},
    source::{Line, ReadVersion},
};
use bench::{Bench, Tools};

/// Longest text that is merged line by line, in bytes. git's own limit is 512 MiB (core.bigFileThreshold).
pub(super) const LONGEST_TEXT: u64 = 16 << 20;

/// Two lines, and where git would stop if they met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meeting {
    /// Indexes of the two lines.
    pub pair: (u32, u32),
    /// The places, sorted by path; never empty. Both lines have a part in each of them.
    pub stops: Vec<Stop>,
}

/// What became of many pairs.
#[derive(Debug, Default)]
pub struct Merges {
    /// Those that git would stop at, in the order of the pairs.
    pub meetings: Vec<Meeting>,
    /// How many pairs were merged.
    pub tried: usize,
    /// Pairs that could not be merged, and why.
    pub incomplete: Vec<Incomplete>,
    /// What was left out by choice.
    pub skipped: Vec<Skipped>,
}

/// How one pair went.
enum Outcome {
    Merged { stops: Vec<Stop>, unknown: Vec<Stop>, driven: usize },
    Unrelated,
    Failed(String),
}

impl Git {
    /// Merges pairs of lines in memory. A pair is two indexes into `lines`; whoever makes the list bounds it.
    ///
    /// `attributes` is the commit whose `.gitattributes` count: the tip of the trunk. `read` gives what is not committed.
    /// Where git's merge stops for a reason in which only one of the two lines has a part (the trunk has moved on at that
    /// path), nothing is reported: that is between the line and the trunk.
    pub fn merges(
        &self,
        lines: &[Line],
        pairs: &[(u32, u32)],
        attributes: Option<ObjectId>,
        read: &ReadVersion<'_>,
    ) -> Merges {
        let mut merges = Merges::default();
        if pairs.is_empty() {
            return merges;
        }
        let merged: BTreeSet<u32> = pairs.iter().flat_map(|(a, b)| [*a, *b]).collect();
        let changes = merged.iter().filter_map(|line| lines.get(*line as usize)).flat_map(|line| &line.changes);
        let tools = match Tools::new(&self.repo, attributes, changes.map(|changed| changed.path.as_bytes())) {
            Ok(tools) => tools,
            Err(error) => {
                let what = format!("merges of {} pairs of branches", pairs.len());
                merges.incomplete.push(Incomplete { what, why: error.to_string() });
                return merges;
            }
        };
        let sides = tools.sides(lines, pairs, read, &mut merges.incomplete);
        let outcomes: Vec<Option<Outcome>> = pairs
            .par_iter()
            .map_init(|| Bench::new(&tools, &sides), |bench, (a, b)| bench.meet(lines, *a, *b))
            .collect();
        merges.gather(lines, pairs, outcomes);
        merges
    }
}

impl Merges {
    /// Takes in how the pairs went, in their order.
    fn gather(&mut self, lines: &[Line], pairs: &[(u32, u32)], outcomes: Vec<Option<Outcome>>) {
        let (mut unrelated, mut driven) = (0, 0);
        let mut long: BTreeSet<RepoPath> = BTreeSet::new();
        let mut failed: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (pair, outcome) in pairs.iter().zip(outcomes) {
            match outcome {
                None => {} // one of the lines is reported by itself
                Some(Outcome::Unrelated) => unrelated += 1,
                Some(Outcome::Failed(why)) => {
                    let name = |at: u32| lines[at as usize].holder.name.as_str();
                    failed.entry(why).or_default().insert(format!("{} and {}", name(pair.0), name(pair.1)));
                }
                Some(Outcome::Merged { stops, unknown, driven: here }) => {
                    self.tried += 1;
                    driven += here;
                    long.extend(unknown.into_iter().map(|stop| stop.path));
                    if !stops.is_empty() {
                        self.meetings.push(Meeting { pair: *pair, stops });
                    }
                }
            }
        }
        for (why, pairs) in failed {
            let first = pairs.first().map_or("", String::as_str);
            let more = if pairs.len() > 1 { format!(" ({} pairs more)", pairs.len() - 1) } else { String::new() };
            self.incomplete.push(Incomplete { what: format!("the merge of {first}{more}"), why });
        }
        for path in long {
            let why = format!("a version is larger than {} MiB", LONGEST_TEXT >> 20);
            self.incomplete.push(Incomplete { what: format!("merges of {}", path.lossy()), why });
        }
        for (count, what) in [
            (unrelated, "pairs of branches without a common commit, which git does not merge"),
            (driven, "merges of files that a merge driver decides, which is a program"),
        ] {
            if count > 0 {
                self.skipped.push(Skipped { what: what.into(), count: Some(count) });
            }
        }
    }
}
