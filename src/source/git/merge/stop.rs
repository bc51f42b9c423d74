//! Where and why git stops a merge.

use gix::{
    diff::tree_with_rewrites::Change,
    merge::tree::{Conflict, Resolution, ResolutionFailure, TreatAsUnresolved},
};

use crate::{
    diag::RepoPath,
    source::{Changed, Line},
};

/// One path at which git stops.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stop {
    /// The path under which git reports it.
    pub path: RepoPath,
    /// Where the file came from, if one side moved it there.
    pub from: Option<RepoPath>,
    /// Why.
    pub kind: StopKind,
}

/// Why git stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StopKind {
    /// Both edit the same lines, or a file that is no text.
    Content,
    /// Both add it, with different contents.
    Added,
    /// One edits what the other removes.
    Removed,
    /// Both move a file, or move two to one place, or one moves what the other removes.
    Moved,
    /// A file for one is a folder for the other.
    Folder,
    /// A file for one is a link for the other.
    Type,
    /// A submodule that both move on.
    Submodule,
    /// Anything else.
    Other,
}

impl StopKind {
    /// Why git stops, as the end of "git stops: …".
    pub fn words(self) -> &'static str {
        match self {
            Self::Content => "both edit the same lines",
            Self::Added => "both add it",
            Self::Removed => "one edits what the other removes",
            Self::Moved => "both move it",
            Self::Folder => "it is a file for one and a folder for the other",
            Self::Type => "it is a file for one and a link for the other",
            Self::Submodule => "both move the submodule on",
            Self::Other => "the changes don't go together",
        }
    }
}

/// Where git would stop, and where that could not be told.
#[derive(Default)]
pub(super) struct Stops {
    /// Sorted by path, each path once.
    pub(super) stops: Vec<Stop>,
    /// Those whose texts are too long to be merged line by line.
    pub(super) unknown: Vec<Stop>,
}

impl Stops {
    /// The places where git would really stop; conflicts that it solves by itself are none.
    pub(super) fn of(conflicts: &[Conflict], is_long: impl Fn(&gix::oid) -> bool) -> Self {
        let mut stops = Self::default();
        for conflict in conflicts.iter().filter(|conflict| conflict.is_unresolved(TreatAsUnresolved::git())) {
            let long = conflict.content_merge().is_some()
                && conflict.entries().iter().flatten().any(|entry| entry.mode.is_blob() && is_long(&entry.id));
            let list = if long { &mut stops.unknown } else { &mut stops.stops };
            list.extend(places(conflict));
        }
        for list in [&mut stops.stops, &mut stops.unknown] {
            list.sort();
            list.dedup_by(|later, first| later.path == first.path);
        }
        stops
    }
}

fn places(conflict: &Conflict) -> Vec<Stop> {
    let kind = kind(conflict);
    let (ours, theirs) = (&conflict.ours, &conflict.theirs);
    let stop = |change: &Change| {
        let from = (change.source_location() != change.location()).then(|| RepoPath::new(change.source_location()));
        Stop { path: RepoPath::new(change.location()), from, kind }
    };
    if ours.location() == theirs.location() {
        let moved = if ours.source_location() == ours.location() { theirs } else { ours };
        return vec![stop(moved)];
    }
    match (ours, theirs) {
        // the one that moved it says where it is now
        (moved @ Change::Rewrite { .. }, other) if other.location() == moved.source_location() => vec![stop(moved)],
        (other, moved @ Change::Rewrite { .. }) if other.location() == moved.source_location() => vec![stop(moved)],
        _ => vec![stop(ours), stop(theirs)],
    }
}

fn kind(conflict: &Conflict) -> StopKind {
    match &conflict.resolution {
        Ok(Resolution::OursModifiedTheirsModifiedThenBlobContentMerge { .. }) => {
            let added = |change: &Change| matches!(change, Change::Addition { .. });
            if added(&conflict.ours) && added(&conflict.theirs) { StopKind::Added } else { StopKind::Content }
        }
        Ok(Resolution::OursModifiedTheirsRenamedAndChangedThenRename { .. } | Resolution::Forced(_)) => {
            StopKind::Content
        }
        Ok(Resolution::SourceLocationAffectedByRename { .. }) => StopKind::Moved,
        Err(failure) => match failure {
            ResolutionFailure::OursModifiedTheirsDeleted => StopKind::Removed,
            ResolutionFailure::OursRenamedTheirsRenamedToSameLocation
            | ResolutionFailure::OursRenamedTheirsRenamedDifferently { .. }
            | ResolutionFailure::OursDeletedTheirsRenamed => StopKind::Moved,
            ResolutionFailure::OursModifiedTheirsDirectoryThenOursRenamed { .. }
            | ResolutionFailure::OursDirectoryTheirsNonDirectoryTheirsRenamed { .. } => StopKind::Folder,
            ResolutionFailure::OursAddedTheirsAddedTypeMismatch { .. }
            | ResolutionFailure::OursModifiedTheirsRenamedTypeMismatch => StopKind::Type,
            ResolutionFailure::SubmoduleMerge | ResolutionFailure::SubmoduleAddAdd => StopKind::Submodule,
            ResolutionFailure::Unknown => StopKind::Other,
        },
    }
}

impl Stop {
    /// Whether a line has a part in it: it changes the path, where that came from, or something above or below it.
    pub(super) fn concerns(&self, line: &Line) -> bool {
        std::iter::once(&self.path).chain(&self.from).any(|path| touches(&line.changes, path.as_bytes()))
    }
}

fn touches(changes: &[Changed], path: &[u8]) -> bool {
    let is = |path: &[u8]| changes.binary_search_by(|changed| changed.path.as_bytes().cmp(path)).is_ok();
    let mut above = path;
    while !above.is_empty() {
        if is(above) {
            return true;
        }
        above = crate::diag::parent(above);
    }
    let below = [path, b"/"].concat();
    let at = changes.partition_point(|changed| changed.path.as_bytes() < below.as_slice());
    changes.get(at).is_some_and(|changed| changed.path.as_bytes().starts_with(&below))
}
