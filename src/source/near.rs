//! What is near a path: on the trunk, on other lines of work, and in the folders of worktrees. For one who has milliseconds: what branches
//! change is remembered beside the git directory, and of worktrees only the folders around the path are looked into.

mod kept;

use std::{collections::BTreeSet, fs, io::Write as _, path::Path};

use gix::ObjectId;

use self::kept::Kept;
use super::{
    Ask, Changed, EntryKind, Git, Grown, Growth, Line, Place, Trunk, Version, Worktree,
    git::Folders,
    lines::Candidate,
    path::{from_system, to_system},
};
use crate::{
    diag::{HolderKind, RepoPath, parent},
    error::Fatal,
};

/// Files that are looked at in one worktree, at most.
const MOST: usize = 20_000;
/// Longest file whose bytes are compared, in bytes.
const COMPARED: u64 = 1 << 20;

/// Other lines of work, as far as they matter near some paths.
#[derive(Debug, Default)]
pub struct Near {
    /// The lines: what they have committed, and what is new or different in a worktree around the paths.
    pub lines: Vec<Line>,
    /// The top folders of the worktrees, by the number in [`Place::Worktree`], from the number that was asked for on.
    pub worktrees: Vec<std::path::PathBuf>,
    /// What the head has changed itself around the paths, committed or not.
    pub own: Vec<Changed>,
    /// Lines that could not be looked at, by their names.
    pub unknown: Vec<String>,
}

impl Git {
    /// The lines of work beside the head that have to do with the folders around these paths. Worktrees are numbered from `first` on.
    ///
    /// # Errors
    /// The references or the trunk can't be read.
    pub fn near(&self, trunk: &Trunk, ask: &Ask, paths: &[RepoPath], first: u16) -> Result<Near, Fatal> {
        let found = self.lines_of_work(trunk, ask)?;
        let own_tip = ask.head.as_ref().and_then(|head| head.commit);
        let tips: Vec<Option<ObjectId>> = found.candidates.iter().map(|one| one.tip).chain([own_tip]).collect();
        let mut grown = self.grown_before(trunk.commit, &tips)?;
        let own = grown.pop().flatten();
        let folders: BTreeSet<Vec<u8>> = paths.iter().map(|path| parent(parent(path.as_bytes())).to_vec()).collect();
        let mut merged = BTreeSet::new();
        for folder in &folders {
            self.files_near(trunk.commit, folder, &mut merged)?;
        }
        let around = Around { git: self, folders: &folders, merged: &merged, paths };
        let mut near = Near::default();
        for (candidate, grown) in found.candidates.into_iter().zip(grown) {
            let growth = match grown {
                Some(Grown::Line(growth)) => Some(growth),
                None | Some(Grown::Merged) => None,
                Some(Grown::Unrelated) => continue,
                Some(Grown::Shallow | Grown::Broken(_)) => {
                    near.unknown.push(candidate.holder.name);
                    continue;
                }
            };
            let changes = around.changes(growth.as_ref(), candidate.worktree.as_ref(), first, &mut near)?;
            if !changes.is_empty() {
                near.lines.push(line(candidate, growth, changes));
            }
        }
        let growth = match &own {
            Some(Grown::Line(growth)) => Some(growth),
            _ => None,
        };
        let current = self.worktrees()?.all.into_iter().find(|worktree| worktree.is_current);
        near.own = around.changes(growth, current.as_ref(), first, &mut near)?;
        Ok(near)
    }

    /// What these tips changed; none where there is no tip. What an earlier run found out is not found out again.
    fn grown_before(&self, trunk: ObjectId, all: &[Option<ObjectId>]) -> Result<Vec<Option<Grown>>, Fatal> {
        let folder = self.repo.to_thread_local().common_dir().join("gatekeep");
        let mut kept = Kept::read(&folder, trunk);
        let tips: BTreeSet<ObjectId> = all.iter().flatten().copied().collect();
        let new: Vec<ObjectId> = tips.iter().filter(|tip| !kept.has(tip)).copied().collect();
        for (tip, grown) in new.iter().zip(self.grown(trunk, &new, Folders::All)?) {
            kept.add(*tip, grown);
        }
        if !new.is_empty() {
            kept.write(&folder, &tips);
        }
        Ok(all.iter().map(|tip| kept.get(&(*tip)?)).collect())
    }

    /// Adds the files of a folder of a commit and of those right below it.
    fn files_near(&self, commit: ObjectId, folder: &[u8], all: &mut BTreeSet<RepoPath>) -> Result<(), Fatal> {
        for (path, is_folder) in self.entries_at(commit, folder)? {
            match is_folder {
                false => _ = all.insert(RepoPath::new(&path)),
                true => {
                    let below = self.entries_at(commit, &path)?;
                    all.extend(
                        below.into_iter().filter(|(_, is_folder)| !is_folder).map(|(path, _)| RepoPath::new(&path)),
                    );
                }
            }
        }
        Ok(())
    }
}

/// What surrounds some paths.
struct Around<'a> {
    git: &'a Git,
    /// The folders two levels above the paths.
    folders: &'a BTreeSet<Vec<u8>>,
    /// What the trunk holds there.
    merged: &'a BTreeSet<RepoPath>,
    paths: &'a [RepoPath],
}

impl Around<'_> {
    fn is_near(&self, path: &RepoPath) -> bool {
        let (folder, above) = (parent(path.as_bytes()), parent(parent(path.as_bytes())));
        self.folders.iter().any(|near| near == folder || near == above)
    }

    /// What a line changed near the paths; its worktree gets the next number.
    fn changes(
        &self,
        growth: Option<&Growth>,
        worktree: Option<&Worktree>,
        first: u16,
        near: &mut Near,
    ) -> Result<Vec<Changed>, Fatal> {
        let mut changes = growth.map_or_else(Vec::new, |growth| growth.changes.clone());
        changes.retain(|changed| self.is_near(&changed.path));
        let Some(worktree) = worktree else { return Ok(changes) };
        let number = first + near.worktrees.len() as u16;
        near.worktrees.push(worktree.path.clone());
        Ok(super::lines::compose(changes, self.uncommitted(worktree, number)?))
    }

    /// What is new in a worktree, and which of the paths are not as its commit has them.
    fn uncommitted(&self, worktree: &Worktree, number: u16) -> Result<Vec<Changed>, Fatal> {
        let new = Some(Version { kind: EntryKind::File, place: Place::Worktree(number) });
        let committed = |path: &RepoPath| match worktree.head {
            Some(head) => self.git.at(head, path.as_bytes()),
            None => Ok(None),
        };
        let mut changes = Vec::new();
        for path in on_disk(&worktree.path, self.folders) {
            if !self.merged.contains(&path) && committed(&path)?.is_none() {
                changes.push(Changed { path, old: None, new });
            }
        }
        for path in self.paths {
            if let Some(old) = committed(path)?
                && self.differs(worktree, path, &old)
            {
                changes.push(Changed { path: path.clone(), old: Some(old), new });
            }
        }
        changes.sort_by(|a, b| a.path.cmp(&b.path));
        changes.dedup_by(|a, b| a.path == b.path);
        Ok(changes)
    }

    /// Whether a file is there and holds something else than a version of it.
    fn differs(&self, worktree: &Worktree, path: &RepoPath, version: &Version) -> bool {
        let file = worktree.path.join(to_system(path.as_bytes()));
        let Ok(meta) = fs::symlink_metadata(&file) else { return false };
        let Place::Blob(id) = version.place else { return false };
        if !meta.is_file() || meta.len() > COMPARED {
            return false;
        }
        let (Ok(now), Ok(then)) = (fs::read(&file), self.git.blob(id, COMPARED)) else { return false };
        // what a checkout made of line ends is no change
        let text = |bytes: &[u8]| bytes.iter().copied().filter(|b| *b != b'\r').collect::<Vec<u8>>();
        now != then && text(&now) != text(&then)
    }
}

/// The regular files in these folders and right below them. No link is followed; what can't be listed is nobody's.
fn on_disk(top: &Path, folders: &BTreeSet<Vec<u8>>) -> BTreeSet<RepoPath> {
    let mut all = BTreeSet::new();
    for folder in folders {
        let walk = walkdir::WalkDir::new(top.join(to_system(folder))).min_depth(1).max_depth(2).follow_links(false);
        let files = walk.into_iter().filter_entry(|entry| entry.file_name() != ".git").flatten();
        let files = files.take(MOST).filter(|entry| entry.file_type().is_file());
        all.extend(files.filter_map(|entry| Some(RepoPath::new(&from_system(entry.path().strip_prefix(top).ok()?)))));
    }
    all
}

fn line(candidate: Candidate, growth: Option<Growth>, changes: Vec<Changed>) -> Line {
    let Candidate { holder, tip, number, branch, worktree } = candidate;
    let branch = match holder.kind {
        HolderKind::Branch => Some(holder.name.clone()),
        _ => branch.or_else(|| Some(worktree?.branch?.strip_prefix("refs/heads/")?.to_owned())),
    };
    let (fork, own, started) = growth.map_or((tip, Vec::new(), None), |one| (Some(one.fork), one.own, one.started));
    Line { holder, branch, number, tip, fork, own, started, changes }
}

/// Writes a file where nobody sees half of it. One that can't be written is made anew next time.
fn write(folder: &Path, name: &str, bytes: &[u8]) {
    let written =
        fs::create_dir_all(folder).and_then(|()| tempfile::NamedTempFile::new_in(folder)).and_then(|mut file| {
            file.write_all(bytes)?;
            file.persist(folder.join(name)).map_err(|error| error.error)
        });
    drop(written);
}
