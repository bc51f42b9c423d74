//! A walk of the working tree, level by level and in parallel: what is on disk, of what somebody wants.

use std::{fs, path::Path, sync::Arc};

use foldhash::HashSet;
use rayon::prelude::*;

use super::{
    Counters, EntryKind,
    ignored::{Everywhere, FolderNode},
    path,
};
use crate::{
    diag::RepoPath,
    report::Incomplete,
    rule::{Want, select::Classifier},
};

/// A wanted file on disk.
pub(super) struct OnDisk {
    pub(super) path: RepoPath,
    pub(super) kind: EntryKind,
    pub(super) wants: Vec<Want>,
}

/// What a walk found.
#[derive(Default)]
pub(super) struct Walked {
    pub(super) files: Vec<OnDisk>,
    /// Folders that can't be listed.
    pub(super) unlisted: Vec<Box<[u8]>>,
    pub(super) incomplete: Vec<Incomplete>,
}

/// Whether what is listed at a path is known already.
type IsKnown<'a> = dyn Fn(&[u8], &fs::DirEntry) -> bool + Sync + 'a;

/// What a walk has to know of the index.
pub(super) struct Tracked<'a> {
    /// Folders with a tracked file somewhere below them.
    pub(super) folders: &'a HashSet<Box<[u8]>>,
    /// Submodules: not entered.
    pub(super) submodules: &'a HashSet<Box<[u8]>>,
    /// Whether a wanted path is tracked.
    pub(super) is_tracked: &'a (dyn Fn(&[u8]) -> bool + Sync),
    /// Whether a wanted path need not be told, since what is there is known already. Asked while its folder is open, which is cheap.
    pub(super) is_known: Option<&'a IsKnown<'a>>,
}

/// Walks the tree below `top`. Ignored folders, nested repositories and worktrees, submodules and links are not entered; an ignored file
/// counts only for who asks for it all the same.
pub(super) fn walk(
    top: &Path,
    classifier: &Classifier<Want>,
    tracked: &Tracked<'_>,
    everywhere: &Everywhere,
    counters: &Counters,
) -> Walked {
    let mut all = Walked::default();
    let mut level = vec![FolderNode::top()];
    while !level.is_empty() {
        let found: Vec<(Walked, Vec<Arc<FolderNode>>)> = level
            .par_iter()
            .with_min_len(16)
            .map_init(
                || classifier.walk(),
                |automaton, node| Folder { top, tracked, everywhere, counters, node }.list(automaton),
            )
            .collect();
        level = Vec::new();
        for (walked, below) in found {
            all.files.extend(walked.files);
            all.unlisted.extend(walked.unlisted);
            all.incomplete.extend(walked.incomplete);
            level.extend(below);
        }
    }
    all
}

struct Folder<'a> {
    top: &'a Path,
    tracked: &'a Tracked<'a>,
    everywhere: &'a Everywhere,
    counters: &'a Counters,
    node: &'a Arc<FolderNode>,
}

impl Folder<'_> {
    fn list(&self, automaton: &mut crate::rule::select::Walk<'_, Want>) -> (Walked, Vec<Arc<FolderNode>>) {
        let mut walked = Walked::default();
        let mut below = Vec::new();
        let here = self.node.path();
        let mut prefix = here.to_vec();
        if !prefix.is_empty() {
            prefix.push(b'/');
        }
        let folder = automaton.folder_of(&prefix);
        let names = match listed(&path::below(self.top, self.node.path()), self.counters) {
            Ok(names) => names,
            Err(error) => {
                let what = if here.is_empty() { ".".into() } else { String::from_utf8_lossy(here).into_owned() };
                walked.incomplete.push(Incomplete { what, why: format!("the folder can't be listed: {error}") });
                walked.unlisted.push(here.into());
                return (walked, below);
            }
        };
        let is_top = here.is_empty();
        let is_tracked_folder = is_top || self.tracked.folders.contains(here);
        if !is_tracked_folder && names.iter().any(|(name, ..)| name == b".git") {
            return (walked, below); // another repository, or a worktree of this one
        }
        if names.iter().any(|(name, ..)| name == b".gitignore") {
            self.node.has_ignore_file();
        }
        for (name, kind, listed) in names {
            if name == b".git" {
                continue; // git's own, a folder or a file that names one
            }
            let at = [prefix.as_slice(), &name].concat();
            if kind == DiskKind::Folder {
                if self.enters(automaton, folder, &name, &at) {
                    below.push(self.node.child(&at));
                }
                continue;
            }
            let mut wants = Vec::new();
            automaton.file(folder, &name, |want| wants.push(want));
            if !wants.is_empty() && !(self.tracked.is_tracked)(&at) && self.ignores(&at, false) {
                wants.retain(|want| want.what.counts_ignored());
            }
            if wants.is_empty() {
                continue;
            }
            if self.tracked.is_known.is_some_and(|is_known| is_known(&at, &listed)) {
                continue;
            }
            match kind {
                DiskKind::File | DiskKind::Link => {
                    let kind = if kind == DiskKind::File { EntryKind::File } else { EntryKind::Link };
                    walked.files.push(OnDisk { path: RepoPath::new(&at), kind, wants });
                }
                _ => walked.incomplete.push(Incomplete {
                    what: String::from_utf8_lossy(&at).into_owned(),
                    why: "neither a file nor a folder (a pipe, socket or device), so it was not read".into(),
                }),
            }
        }
        (walked, below)
    }

    fn enters(
        &self,
        automaton: &mut crate::rule::select::Walk<'_, Want>,
        folder: crate::rule::select::Folder,
        name: &[u8],
        at: &[u8],
    ) -> bool {
        let inside = automaton.enter(folder, name);
        if automaton.is_dead(inside) || self.tracked.submodules.contains(at) {
            return false;
        }
        self.tracked.folders.contains(at) || !self.ignores(at, true)
    }

    fn ignores(&self, at: &[u8], is_dir: bool) -> bool {
        self.node.ignores(at, is_dir, self.top, self.everywhere)
    }
}

/// Names and kinds in a folder.
pub(super) fn names(folder: &Path, counters: &Counters) -> std::io::Result<Vec<(Vec<u8>, DiskKind)>> {
    Ok(listed(folder, counters)?.into_iter().map(|(name, kind, _)| (name, kind)).collect())
}

fn listed(folder: &Path, counters: &Counters) -> std::io::Result<Vec<(Vec<u8>, DiskKind, fs::DirEntry)>> {
    counters.readdir();
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        names.push((path::name_from_system(&entry.file_name()), DiskKind::of(entry.file_type()?), entry));
    }
    Ok(names)
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum DiskKind {
    File,
    Folder,
    Link,
    Other,
}

impl DiskKind {
    pub(super) fn is_folder(self) -> bool {
        self == Self::Folder
    }

    /// What it is to a tree; none for folders, pipes, sockets and devices.
    pub(super) fn entry(self) -> Option<EntryKind> {
        match self {
            Self::File => Some(EntryKind::File),
            Self::Link => Some(EntryKind::Link),
            Self::Folder | Self::Other => None,
        }
    }

    fn of(kind: fs::FileType) -> Self {
        if kind.is_dir() {
            Self::Folder
        } else if kind.is_file() {
            Self::File
        } else if kind.is_symlink() {
            Self::Link
        } else {
            Self::Other
        }
    }
}
