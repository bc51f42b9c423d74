//! The folders around a new file: what the trunk holds there, and what is new in worktrees.

use std::{collections::BTreeSet, path::Path};

use foldhash::HashSet;
use gix::ObjectId;

use super::listed::{What, each_in};
use crate::{
    diag::{RepoPath, parent},
    error::Fatal,
    source::Git,
};

/// The folder of a new file, and the one above it: where another file can take the same name.
pub(super) struct Folder {
    path: Vec<u8>,
    /// The names of the files that the trunk holds in it.
    files: HashSet<Vec<u8>>,
    /// The names of the folders that the trunk holds beside it: one that is new may be a unit by itself.
    beside: HashSet<Vec<u8>>,
}

impl Folder {
    /// The folders of these paths, as the trunk holds them.
    pub(super) fn around(git: &Git, trunk: ObjectId, paths: &[RepoPath]) -> Result<Vec<Self>, Fatal> {
        let folders: BTreeSet<&[u8]> = paths.iter().map(|path| parent(path.as_bytes())).collect();
        let of = |folder: &[u8]| {
            let names = |at: &[u8], folders: bool| {
                let all = git.entries_at(trunk, at)?.into_iter();
                Ok(all.filter(|(_, is_folder)| *is_folder == folders).map(|(name, _)| name).collect())
            };
            Ok(Self { path: folder.to_vec(), files: names(folder, false)?, beside: names(parent(folder), true)? })
        };
        folders.into_iter().map(of).collect()
    }

    pub(super) fn is_near(&self, path: &RepoPath) -> bool {
        let folder = parent(path.as_bytes());
        folder == self.path || parent(folder) == parent(&self.path)
    }

    /// The regular files of a worktree in the folder, and in new ones beside it, that the trunk does not hold. No link is followed; what can't
    /// be listed is nobody's.
    pub(super) fn new_on_disk(&self, top: &Path) -> Vec<RepoPath> {
        let mut new = Vec::new();
        each_in(top, &self.path, |name, what| {
            if !self.files.contains(name) && what() == What::File {
                new.push(path(&self.path, name));
            }
        });
        let above = parent(&self.path);
        let mut folders = Vec::new();
        each_in(top, above, |name, what| {
            let is_new = !self.beside.contains(name) && name != b".git";
            if is_new && what() == What::Folder {
                folders.push(path(above, name));
            }
        });
        for folder in folders.iter().map(RepoPath::as_bytes).filter(|folder| *folder != self.path) {
            each_in(top, folder, |name, what| {
                if what() == What::File {
                    new.push(path(folder, name));
                }
            });
        }
        new
    }
}

fn path(folder: &[u8], name: &[u8]) -> RepoPath {
    RepoPath::new(&if folder.is_empty() { name.to_vec() } else { [folder, b"/", name].concat() })
}
