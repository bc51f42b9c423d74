//! The finished audit: which commits of the trunk brought in a collision, what became of each, and who left their lane. Renderers only read it.

pub mod json;

use std::{
    collections::BTreeSet,
    io::{self, Write},
    sync::Arc,
};

use super::{
    Incomplete, PolicyFrom, Skipped,
    human::{self, HumanOptions},
};
use crate::diag::{Diagnostic, RepoPath};

/// One commit of the trunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// Its id, in hexadecimal.
    pub id: String,
    /// Its first parent: what the trunk was before it; none of the very first commit.
    pub parent: Option<String>,
    /// When it was made (committer's clock), in seconds since 1970.
    pub time: i64,
    /// The first paragraph of its message on one line, as it is: from outside, and not escaped.
    pub subject: String,
}

/// What became of a collision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// The trunk's tip has it.
    StillThere,
    /// The trunk's tip has it no more; since which commit, where that was found out.
    Gone(Option<Arc<Commit>>),
    /// Something of it can't be read today; what is said under `incomplete`.
    Unknown,
}

/// A collision that a commit brought in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Brought {
    /// The commit.
    pub commit: Arc<Commit>,
    /// The finding. Sites that the commit brought have the head as their holder, those that the trunk had before it the base.
    pub found: Diagnostic,
    /// What became of it.
    pub fate: Fate,
}

/// What one agent changed outside its lane, in one commit of the trunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outside {
    /// The commit.
    pub commit: Arc<Commit>,
    /// The name of the lane.
    pub agent: String,
    /// What points to it, as a phrase that follows "by"; holds text from outside, not escaped.
    pub by: String,
    /// The files, at least one, sorted by path.
    pub files: Vec<OutsideFile>,
}

/// A file that lies outside a lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutsideFile {
    /// Where it is, or was before it was removed or moved away.
    pub path: RepoPath,
    /// The lane has it under `never`.
    pub never: bool,
    /// The names of the lanes that own it, in order.
    pub owners: Vec<String>,
}

/// All that an audit found out, in total order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Audit {
    /// The trunk's name, as given.
    pub target: String,
    /// The trunk's last commit, in hexadecimal.
    pub tip: String,
    /// Commits made before then (seconds since 1970) were left out; none where all were looked at.
    pub oldest: Option<i64>,
    /// Where the policy came from.
    pub policy: PolicyFrom,
    /// Its commit, where it was read from one.
    pub policy_commit: Option<String>,
    /// How many commits of the trunk's own history there are in that time.
    pub commits: usize,
    /// How many of them change a file that some rule wants, so that they were judged.
    pub judged: usize,
    /// What could not be looked at.
    pub incomplete: Vec<Incomplete>,
    /// What was left out by choice.
    pub skipped: Vec<Skipped>,
    /// What was brought in: the newest commit first, then as in a report.
    pub collisions: Vec<Brought>,
    /// What lay outside of lanes: the newest commit first, then by lane. None where there are no lanes, or nobody asked.
    pub outside: Option<Vec<Outside>>,
}

/// What an audit can be rendered as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// Text for people at a terminal
    Human,
    /// The documented JSON, version 1
    Json,
}

impl Audit {
    /// Whether all that was asked for was looked at.
    pub fn complete(&self) -> bool {
        self.incomplete.is_empty()
    }

    /// How many commits brought in a collision.
    pub fn colliding(&self) -> usize {
        self.collisions.iter().map(|one| &one.commit.id).collect::<BTreeSet<_>>().len()
    }

    /// How many different names collided at some time. One that several commits took counts once.
    pub fn names(&self) -> usize {
        self.different(|_| true)
    }

    /// How many of them collide today.
    pub fn still_there(&self) -> usize {
        self.different(|one| one.fate == Fate::StillThere)
    }

    fn different(&self, counts: impl Fn(&Brought) -> bool) -> usize {
        let name = |Brought { found, .. }: &Brought| (found.code.clone(), found.partition.clone(), found.key.clone());
        self.collisions.iter().filter(|one| counts(one)).map(name).collect::<BTreeSet<_>>().len()
    }
}

impl Format {
    /// Writes an audit in this format. Fails only where the output can't be written.
    ///
    /// # Errors
    /// The output can't be written.
    pub fn render(self, audit: &Audit, options: &HumanOptions, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::Human => human::audit::render(audit, options, out),
            Self::Json => json::render(audit, out),
        }
    }
}

/// A time as UTC has it; none where no calendar has it.
pub(super) fn utc(time: i64) -> Option<jiff::civil::DateTime> {
    Some(jiff::tz::Offset::UTC.to_datetime(jiff::Timestamp::from_second(time).ok()?))
}

#[cfg(test)]
mod tests {
    use super::utc;

    #[test]
    fn times_are_those_of_utc_and_a_clock_may_say_anything() {
        let shown = |time| utc(time).map(|at| at.to_string());
        assert_eq!(shown(1_777_334_400).as_deref(), Some("2026-04-28T00:00:00"));
        assert_eq!(shown(-1).as_deref(), Some("1969-12-31T23:59:59"));
        assert_eq!((shown(i64::MAX), shown(i64::MIN)), (None, None));
    }
}
