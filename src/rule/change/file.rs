//! One file of a change.

use crate::{
    diag::RepoPath,
    source::{EntryKind, Version},
};

/// One path that a change touches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// The path.
    pub path: RepoPath,
    /// What stands there in the merge base; none where the change adds the path.
    pub before: Option<Version>,
    /// What stands there at the tip of the trunk, which may have moved on.
    pub trunk: Option<Version>,
    /// What the head holds there; none where it removes the path.
    pub after: Option<Version>,
    /// Where the very same content stood before, at a path that the change removes.
    pub from: Option<RepoPath>,
    /// Where the very same content stands now, at a path that the change adds.
    pub to: Option<RepoPath>,
}

impl File {
    /// Whether the change adds the path.
    pub fn is_added(&self) -> bool {
        self.before.is_none()
    }

    /// Whether the change removes the path.
    pub fn is_removed(&self) -> bool {
        self.after.is_none()
    }

    /// Whether the head's version is a symbolic link.
    pub fn is_link(&self) -> bool {
        self.after.is_some_and(|version| version.kind == EntryKind::Link)
    }

    /// Whether the trunk's version is a symbolic link.
    pub fn was_link(&self) -> bool {
        self.trunk.is_some_and(|version| version.kind == EntryKind::Link)
    }
}

/// Finds moves: content that goes from a removed path to an added one. Of several with one content the first goes to the first.
pub(crate) fn find_moves(files: &mut [File]) {
    let mut gone: std::collections::BTreeMap<Version, std::collections::VecDeque<usize>> = Default::default();
    for (at, file) in files.iter().enumerate() {
        if let (Some(before), None) = (file.before, file.after) {
            gone.entry(before).or_default().push_back(at);
        }
    }
    for at in 0..files.len() {
        let (None, Some(after)) = (files[at].before, files[at].after) else { continue };
        let Some(from) = gone.get_mut(&after).and_then(std::collections::VecDeque::pop_front) else { continue };
        files[at].from = Some(files[from].path.clone());
        files[from].to = Some(files[at].path.clone());
    }
}
