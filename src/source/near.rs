//! What is near a path: on the trunk, on other lines of work, and in the folders of worktrees. For one who has milliseconds: what branches
//! change is remembered beside the git directory, and of worktrees only the folders around the path are looked into.

mod folder;
mod kept;
mod listed;

use std::{cell::RefCell, collections::BTreeSet, fs, io::Write as _, path::Path};

use foldhash::HashMap;
use gix::ObjectId;

use self::{folder::Folder, kept::Kept};
use super::{
    Ask, Changed, EntryKind, Git, Grown, Growth, Line, Place, Trunk, Version, Worktree, git::Folders, lines::Candidate,
    path::to_system,
};
use crate::{
    diag::{HolderKind, RepoPath},
    error::Fatal,
    threads,
};

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
    /// The lines of work beside the head that change one of these paths, or have to do with the folders around those of them that take a `named`
    /// place. Worktrees are numbered from `first` on.
    ///
    /// # Errors
    /// The references or the trunk can't be read.
    pub fn near(
        &self,
        trunk: &Trunk,
        ask: &Ask,
        paths: &[RepoPath],
        named: &[RepoPath],
        first: u16,
    ) -> Result<Near, Fatal> {
        let found = self.lines_of_work(trunk, ask)?;
        let own_tip = ask.head.as_ref().and_then(|head| head.commit);
        let tips: Vec<Option<ObjectId>> = found.candidates.iter().map(|one| one.tip).chain([own_tip]).collect();
        let current = self.current_worktree()?;
        let folders = Folder::around(self, trunk.commit, named)?;
        let around = Around { git: self, folders: &folders, paths, seen: RefCell::default() };
        let mut grown = self.grown_before(trunk.commit, &tips, &|path| around.is_near(path))?;
        let own = grown.pop().flatten();
        let worktrees: Vec<Option<&Worktree>> =
            found.candidates.iter().map(|one| one.worktree.as_ref()).chain([current.as_ref()]).collect();
        let listed = |worktree: &Option<&Worktree>| {
            let top = worktree.map(|worktree| worktree.path.as_path());
            top.map_or_else(BTreeSet::new, |top| folders.iter().flat_map(|folder| folder.new_on_disk(top)).collect())
        };
        let few = if folders.is_empty() { usize::MAX } else { 2 };
        let mut listed = threads::map(&worktrees, few, listed).into_iter();
        let mut on_disk = || listed.next().unwrap_or_default();
        let mut near = Near::default();
        for (candidate, grown) in found.candidates.iter().zip(grown) {
            let new = on_disk();
            let growth = match grown {
                Some(Grown::Line(growth)) => Some(growth),
                None | Some(Grown::Merged) => None,
                Some(Grown::Unrelated) => continue,
                Some(Grown::Shallow | Grown::Broken(_)) => {
                    near.unknown.push(candidate.holder.name.clone());
                    continue;
                }
            };
            let stand = Stand { tip: candidate.tip, growth: growth.as_ref() };
            let changes =
                around.changes(&stand, candidate.worktree.as_ref().map(|one| (one, new)), first, &mut near)?;
            if !changes.is_empty() {
                near.lines.push(line(candidate.clone(), growth, changes));
            }
        }
        let growth = match &own {
            Some(Grown::Line(growth)) => Some(growth),
            _ => None,
        };
        let stand = Stand { tip: own_tip, growth };
        near.own = around.changes(&stand, current.as_ref().map(|one| (one, on_disk())), first, &mut near)?;
        Ok(near)
    }

    /// What these tips changed near the paths; none where there is no tip. What an earlier run found out is not found out again.
    fn grown_before(
        &self,
        trunk: ObjectId,
        all: &[Option<ObjectId>],
        near: &dyn Fn(&RepoPath) -> bool,
    ) -> Result<Vec<Option<Grown>>, Fatal> {
        let folder = self.repo.to_thread_local().common_dir().join("gatekeep");
        let file = kept::read(&folder);
        let mut kept = Kept::of(&file, trunk);
        let tips: BTreeSet<ObjectId> = all.iter().flatten().copied().collect();
        let new: Vec<ObjectId> = tips.iter().filter(|tip| !kept.has(tip)).copied().collect();
        if !new.is_empty() {
            for (tip, grown) in new.iter().zip(self.grown(trunk, &new, Folders::All)?) {
                kept.add(*tip, grown);
            }
            kept.write(&folder, &tips);
        }
        Ok(all.iter().map(|tip| kept.get(&(*tip)?, near)).collect())
    }
}

/// What is committed on a line of work.
struct Stand<'a> {
    tip: Option<ObjectId>,
    /// What it changed near the paths; none where the trunk holds it.
    growth: Option<&'a Growth>,
}

/// What surrounds some paths.
struct Around<'a> {
    git: &'a Git,
    folders: &'a [Folder],
    paths: &'a [RepoPath],
    /// What commits hold at paths: many lines left the trunk at one commit.
    seen: RefCell<HashMap<(ObjectId, RepoPath), Option<Version>>>,
}

impl Around<'_> {
    fn is_near(&self, path: &RepoPath) -> bool {
        self.paths.contains(path) || self.folders.iter().any(|folder| folder.is_near(path))
    }

    /// What a line changed near the paths; its worktree gets the next number.
    fn changes(
        &self,
        stand: &Stand<'_>,
        worktree: Option<(&Worktree, BTreeSet<RepoPath>)>,
        first: u16,
        near: &mut Near,
    ) -> Result<Vec<Changed>, Fatal> {
        let changes = stand.growth.map_or_else(Vec::new, |growth| growth.changes.clone());
        let Some((worktree, new)) = worktree else { return Ok(changes) };
        let number = first + near.worktrees.len() as u16;
        near.worktrees.push(worktree.path.clone());
        Ok(super::lines::compose(changes, self.uncommitted(worktree, stand, new, number)?))
    }

    /// Which of these files, which the trunk lacks, are new in a worktree, and which of the paths are not as its commit has them.
    fn uncommitted(
        &self,
        worktree: &Worktree,
        stand: &Stand<'_>,
        on_disk: BTreeSet<RepoPath>,
        number: u16,
    ) -> Result<Vec<Changed>, Fatal> {
        let new = Some(Version { kind: EntryKind::File, place: Place::Worktree(number) });
        let committed = |path: &RepoPath| match worktree.head {
            Some(head) => self.committed(head, stand, path),
            None => Ok(None),
        };
        let mut changes = Vec::new();
        for path in on_disk {
            if committed(&path)?.is_none() {
                changes.push(Changed { path, old: None, new });
            }
        }
        for path in self.paths.iter().filter(|path| is_file(&worktree.path, path)) {
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

    /// What stands at a path in the commit that is checked out. What the line changed is known already, and where it changed nothing, it has what
    /// it found.
    fn committed(&self, head: ObjectId, stand: &Stand<'_>, path: &RepoPath) -> Result<Option<Version>, Fatal> {
        let growth = stand.growth.filter(|_| stand.tip == Some(head));
        let changed = growth.and_then(|growth| {
            let at = growth.changes.binary_search_by(|changed| changed.path.cmp(path)).ok()?;
            Some(&growth.changes[at])
        });
        if let Some(changed) = changed {
            return Ok(changed.new);
        }
        let commit = growth.filter(|growth| !growth.crossed).map_or(head, |growth| growth.fork);
        let key = (commit, path.clone());
        if let Some(version) = self.seen.borrow().get(&key) {
            return Ok(*version);
        }
        let version = self.git.at(commit, path.as_bytes())?;
        self.seen.borrow_mut().insert(key, version);
        Ok(version)
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

fn is_file(top: &Path, path: &RepoPath) -> bool {
    fs::symlink_metadata(top.join(to_system(path.as_bytes()))).is_ok_and(|meta| meta.is_file())
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
