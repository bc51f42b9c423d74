//! What is near a path: on the trunk, on other lines of work, and in the folders of worktrees. For one who has milliseconds: what branches
//! change is remembered beside the git directory, and of worktrees only the folders around the path are looked into.

mod kept;

use std::{
    collections::{BTreeSet, HashSet},
    fs,
    io::Write as _,
    path::Path,
};

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
    threads,
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
        let mut grown = self.grown_before(trunk.commit, &tips)?;
        let own = grown.pop().flatten();
        let current = self.worktrees()?.all.into_iter().find(|worktree| worktree.is_current);
        let folders = Folder::around(self, trunk.commit, named)?;
        let worktrees: Vec<Option<&Worktree>> =
            found.candidates.iter().map(|one| one.worktree.as_ref()).chain([current.as_ref()]).collect();
        let listed = |worktree: &Option<&Worktree>| {
            let top = worktree.map(|worktree| worktree.path.as_path());
            top.map_or_else(BTreeSet::new, |top| folders.iter().flat_map(|folder| folder.new_on_disk(top)).collect())
        };
        let mut listed = threads::map(&worktrees, 2, listed).into_iter();
        let mut on_disk = || listed.next().unwrap_or_default();
        let around = Around { git: self, folders: &folders, paths };
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
            let changes =
                around.changes(growth.as_ref(), candidate.worktree.as_ref().map(|one| (one, new)), first, &mut near)?;
            if !changes.is_empty() {
                near.lines.push(line(candidate.clone(), growth, changes));
            }
        }
        let growth = match &own {
            Some(Grown::Line(growth)) => Some(growth),
            _ => None,
        };
        near.own = around.changes(growth, current.as_ref().map(|one| (one, on_disk())), first, &mut near)?;
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
}

/// The folder of a new file, and the one above it: where another file can take the same name.
struct Folder {
    path: Vec<u8>,
    /// The files that the trunk holds in it.
    files: HashSet<Vec<u8>>,
    /// The folders that the trunk holds beside it: one that is new may be a unit by itself.
    beside: HashSet<Vec<u8>>,
}

impl Folder {
    /// The folders of these paths, as the trunk holds them.
    fn around(git: &Git, trunk: ObjectId, paths: &[RepoPath]) -> Result<Vec<Self>, Fatal> {
        let folders: BTreeSet<&[u8]> = paths.iter().map(|path| parent(path.as_bytes())).collect();
        let of = |folder: &[u8]| {
            let names = |at: &[u8], folders: bool| {
                let all = git.entries_at(trunk, at)?.into_iter();
                Ok(all.filter(|(_, is_folder)| *is_folder == folders).map(|(path, _)| path).collect())
            };
            Ok(Self { path: folder.to_vec(), files: names(folder, false)?, beside: names(parent(folder), true)? })
        };
        folders.into_iter().map(of).collect()
    }

    fn is_near(&self, path: &RepoPath) -> bool {
        let folder = parent(path.as_bytes());
        folder == self.path || parent(folder) == parent(&self.path)
    }

    /// The regular files of a worktree in the folder, and in new ones beside it, that the trunk does not hold. No link is followed; what can't
    /// be listed is nobody's.
    fn new_on_disk(&self, top: &Path) -> Vec<RepoPath> {
        let mut new = Vec::new();
        for (path, kind) in listed(top, &self.path) {
            if kind.is_file() && !self.files.contains(&path) {
                new.push(RepoPath::new(&path));
            }
        }
        for (folder, kind) in listed(top, parent(&self.path)) {
            let is_new = kind.is_dir() && folder != self.path && !self.beside.contains(&folder);
            if is_new && folder.rsplit(|b| *b == b'/').next() != Some(b".git") {
                let files = listed(top, &folder).into_iter().filter(|(_, kind)| kind.is_file());
                new.extend(files.map(|(path, _)| RepoPath::new(&path)));
            }
        }
        new
    }
}

/// What stands in a folder of a working tree, by whole paths.
fn listed(top: &Path, folder: &[u8]) -> Vec<(Vec<u8>, fs::FileType)> {
    let entries = fs::read_dir(top.join(to_system(folder))).into_iter().flatten().flatten().take(MOST);
    let path = |entry: &fs::DirEntry| {
        let name = from_system(Path::new(&entry.file_name()));
        if folder.is_empty() { name } else { [folder, b"/", &name].concat() }
    };
    entries.filter_map(|entry| Some((path(&entry), entry.file_type().ok()?))).collect()
}

/// What surrounds some paths.
struct Around<'a> {
    git: &'a Git,
    folders: &'a [Folder],
    paths: &'a [RepoPath],
}

impl Around<'_> {
    fn is_near(&self, path: &RepoPath) -> bool {
        self.paths.contains(path) || self.folders.iter().any(|folder| folder.is_near(path))
    }

    /// What a line changed near the paths; its worktree gets the next number.
    fn changes(
        &self,
        growth: Option<&Growth>,
        worktree: Option<(&Worktree, BTreeSet<RepoPath>)>,
        first: u16,
        near: &mut Near,
    ) -> Result<Vec<Changed>, Fatal> {
        let mut changes = growth.map_or_else(Vec::new, |growth| growth.changes.clone());
        changes.retain(|changed| self.is_near(&changed.path));
        let Some((worktree, new)) = worktree else { return Ok(changes) };
        let number = first + near.worktrees.len() as u16;
        near.worktrees.push(worktree.path.clone());
        Ok(super::lines::compose(changes, self.uncommitted(worktree, new, number)?))
    }

    /// Which of these files, which the trunk lacks, are new in a worktree, and which of the paths are not as its commit has them.
    fn uncommitted(
        &self,
        worktree: &Worktree,
        on_disk: BTreeSet<RepoPath>,
        number: u16,
    ) -> Result<Vec<Changed>, Fatal> {
        let new = Some(Version { kind: EntryKind::File, place: Place::Worktree(number) });
        let committed = |path: &RepoPath| match worktree.head {
            Some(head) => self.git.at(head, path.as_bytes()),
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
