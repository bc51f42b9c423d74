//! Who keeps a name: the base, then the older work.

use std::fmt;

use crate::{
    diag::HolderKind,
    source::{Line, Place},
};

/// How old a line's claim is; the smaller one keeps the name. Clocks can be set, so only reservations and numbers of pull requests are firm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Age<'a> {
    /// It is on the trunk already.
    Base,
    /// A name held before its file exists.
    Reserved(&'a str),
    /// An open pull request, by its number.
    PullRequest(u64),
    /// Committed: the time of the first commit since the merge base, then the name.
    Committed(i64, &'a str),
    /// Not committed: the name alone.
    Uncommitted(&'a str),
}

impl<'a> Age<'a> {
    /// The age of a claim whose bytes are at this place.
    pub(super) fn of(line: &'a Line, place: Place) -> Self {
        let name = line.branch.as_deref().unwrap_or(&line.holder.name);
        let is_committed = matches!(place, Place::Blob(_));
        match (line.holder.kind, line.number, line.started) {
            (HolderKind::Reservation, ..) => Self::Reserved(name),
            (_, Some(number), _) if is_committed => Self::PullRequest(number),
            (_, _, Some(started)) if is_committed => Self::Committed(started, name),
            _ => Self::Uncommitted(name),
        }
    }

    /// The age of a claim whose name the line's agent has reserved.
    pub(super) fn reserved(line: &'a Line) -> Self {
        Self::Reserved(line.branch.as_deref().unwrap_or(&line.holder.name))
    }

    /// Why this one keeps the name against the next.
    pub(super) fn decided_against(self, other: Self) -> Decided {
        match (self, other) {
            (Self::Base, _) => Decided::Base,
            (Self::Reserved(_), _) => Decided::Reserved,
            (Self::PullRequest(_), _) => Decided::Number,
            (Self::Committed(a, _), Self::Committed(b, _)) if a == b => Decided::Name,
            (Self::Committed(..), Self::Committed(..)) => Decided::Time,
            (Self::Committed(..), _) => Decided::Committed,
            (Self::Uncommitted(_), _) => Decided::Name,
        }
    }
}

/// What decided who keeps a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Decided {
    Base,
    Follows,
    Reserved,
    Number,
    Committed,
    Time,
    Name,
}

impl fmt::Display for Decided {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Base => "it is on the trunk already",
            Self::Follows => "it goes on from where the trunk is",
            Self::Reserved => "it reserved the name",
            Self::Number => "its pull request is the older one",
            Self::Committed => "it is committed",
            Self::Time => "its first commit is older",
            Self::Name => "nothing tells which is older, so the name decides",
        })
    }
}
