//! A working tree of git: tracked files from the index, untracked ones from disk, ignored ones only where a rule asks for them by name.

use std::{
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
    sync::Arc,
    time::SystemTime,
};

use foldhash::{HashMap, HashMapExt, HashSet};
use rayon::prelude::*;

use super::{
    Counters, Entry, EntryKind, Listing, Place, Tree, WantLists,
    chunks::{self, Indexed, Wanted},
    folder,
    git::remembered::{WORTH_IT, digest, encoding},
    ignored::Everywhere,
    lines,
    made::{self, Stamp},
    path,
    walk::{self, Tracked},
};
use crate::{
    diag::{Holder, RepoPath, parent},
    error::Fatal,
    report::Skipped,
    rule::{Want, select::Classifier},
};

/// Whether files that git does not track are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Untracked {
    /// Yes, in every folder that a rule can match.
    Included,
    /// No: only the index is asked.
    LeftOut,
}

/// From so many files on, listing a folder costs less than asking for each.
const MANY: usize = 8;

/// A working tree of git.
pub struct WorkingTree {
    repo: gix::ThreadSafeRepository,
    top: PathBuf,
    untracked: Untracked,
    commit: Option<String>,
    opened: SystemTime,
    counters: Counters,
}

impl WorkingTree {
    /// The working tree that a folder lies in; none where there is no repository. `GIT_DIR` and its like are honoured.
    ///
    /// # Errors
    /// A repository that can't be opened, or one without a working tree.
    pub fn discover(folder: &Path, untracked: Untracked) -> Result<Option<Self>, Fatal> {
        Self::found(gix::ThreadSafeRepository::discover_with_environment_overrides(folder), untracked)
    }

    /// As [`WorkingTree::discover`], whatever the environment says.
    ///
    /// # Errors
    /// As for [`WorkingTree::discover`].
    pub fn open(folder: &Path, untracked: Untracked) -> Result<Option<Self>, Fatal> {
        Self::found(gix::ThreadSafeRepository::discover(folder), untracked)
    }

    fn found(
        discovered: Result<gix::ThreadSafeRepository, gix::Error>,
        untracked: Untracked,
    ) -> Result<Option<Self>, Fatal> {
        let repo = match discovered {
            Ok(repo) => repo,
            Err(error) if is_no_repository(&error) => return Ok(None),
            Err(error) => return Err(Fatal::Git(error.to_string())),
        };
        let bare = || Fatal::Git("a bare repository has no working tree to scan".into());
        Self::of(repo, untracked).ok_or_else(bare).map(Some)
    }

    /// The working tree of a repository; none of a bare one.
    pub(super) fn of(repo: gix::ThreadSafeRepository, untracked: Untracked) -> Option<Self> {
        let top = repo.work_dir()?.to_owned();
        let commit = repo.to_thread_local().head().ok().and_then(|head| head.id()).map(|id| id.to_string());
        Some(Self { repo, top, untracked, commit, opened: SystemTime::now(), counters: Counters::default() })
    }

    /// The trunk as the remote names it, such as `origin/main`: what `origin/HEAD` stands for, else origin's `main` or `master`.
    pub fn trunk(&self) -> Option<String> {
        lines::of_origin(&self.repo.to_thread_local())
    }

    /// The top folder.
    pub fn top(&self) -> &Path {
        &self.top
    }

    /// What the index holds of what is wanted: entries on disk, and blobs of those that are left out of the working tree on purpose. It is
    /// remembered beside the git directory for as long as the index is the same file.
    fn tracked(&self, classifier: &Classifier<Want>) -> Result<Listing, Fatal> {
        let repo = self.repo.to_thread_local();
        let (file, folder, name) = (repo.index_path(), repo.git_dir().join("gatekeep"), digest(classifier));
        let stamp = Stamp::of_index(&file).filter(|_| repo.object_hash() == gix::hash::Kind::Sha1);
        let kept = stamp.as_ref().and_then(|stamp| made::read(&folder, name, stamp));
        if let Some(listing) = kept.and_then(|bytes| encoding::decode(&bytes.into())) {
            return Ok(listing);
        }
        let indexed = chunks::index_of(&repo, classifier, false, &self.counters)?;
        let mut listing = Listing::default();
        indexed.wanted.iter().for_each(|wanted| listing.push(wanted.entry(wanted.kind), Arc::clone(&wanted.wants)));
        if let Some(stamp) = stamp
            && indexed.paths >= WORTH_IT
            && Stamp::of_index(&file).as_ref() == Some(&stamp)
        {
            let _ = made::replace(&folder, name, &stamp, &encoding::encode(&listing)); // the next run makes it again
        }
        Ok(listing)
    }

    /// Tracked paths that are still there: asked for one by one, or a folder at a time where it holds many.
    fn check_tracked(&self, tracked: Listing) -> Listing {
        let on_disk = tracked.entries.iter().enumerate().filter(|(_, entry)| entry.place == Place::Disk);
        let mut folders: HashMap<&[u8], Vec<u32>> = HashMap::new();
        for (at, entry) in on_disk {
            folders.entry(entry.path.parent()).or_default().push(at as u32);
        }
        let moved = self.no_folders(folders.keys().copied());
        folders.retain(|folder, _| !above(folder).any(|above| moved.contains(above)));
        let folders: Vec<(&[u8], Vec<u32>)> = folders.into_iter().collect();
        let there: Vec<Vec<(u32, EntryKind)>> =
            folders.par_iter().map(|(folder, files)| self.there(folder, files, &tracked)).collect();
        let left_out = |entry: &Entry| (entry.place != Place::Disk).then_some(entry.kind);
        let mut kinds: Vec<Option<EntryKind>> = tracked.entries.iter().map(left_out).collect();
        there.into_iter().flatten().for_each(|(at, kind)| kinds[at as usize] = Some(kind));
        let mut listing = Listing::default();
        for ((entry, wants), kind) in tracked.entries.into_iter().zip(tracked.wants).zip(kinds) {
            if let Some(kind) = kind {
                listing.push(Entry { kind, ..entry }, wants);
            }
        }
        listing.skipped.push(Skipped { what: "untracked files (--tracked)".into(), count: None });
        listing
    }

    /// Which of some files in one folder are on disk.
    fn there(&self, folder: &[u8], files: &[u32], tracked: &Listing) -> Vec<(u32, EntryKind)> {
        let entry = |at: u32| &tracked.entries[at as usize];
        if files.len() >= MANY
            && let Ok(names) = walk::names(&path::below(&self.top, folder), &self.counters)
        {
            let names: HashMap<Vec<u8>, Option<EntryKind>> =
                names.into_iter().map(|(name, kind)| (name, kind.entry())).collect();
            let kind = |at: u32| names.get(entry(at).path.file_name()).copied().flatten();
            return files.iter().filter_map(|at| Some((*at, kind(*at)?))).collect();
        }
        let kind = |at: u32| {
            let entry = entry(at);
            // a text that is gone is found out when it is read
            let is_text =
                entry.kind == EntryKind::File && tracked.wants[at as usize].iter().all(|want| want.what.is_text());
            if is_text { Some(entry.kind) } else { self.kind_on_disk(&entry.path) }
        };
        files.iter().filter_map(|at| Some((*at, kind(*at)?))).collect()
    }

    fn kind_on_disk(&self, path: &RepoPath) -> Option<EntryKind> {
        self.counters.lstat();
        let kind = fs::symlink_metadata(self.on_disk(path)).ok()?.file_type();
        if kind.is_file() { Some(EntryKind::File) } else { kind.is_symlink().then_some(EntryKind::Link) }
    }

    /// Which of some folders, and of those above them, are none by now. What lies behind a link is no longer what was tracked.
    fn no_folders<'p>(&self, folders: impl Iterator<Item = &'p [u8]>) -> HashSet<&'p [u8]> {
        let all: HashSet<&[u8]> = folders.flat_map(above).collect();
        let mut siblings: HashMap<&[u8], Vec<&[u8]>> = HashMap::new();
        all.into_iter().for_each(|folder| siblings.entry(parent(folder)).or_default().push(folder));
        let siblings: Vec<(&[u8], Vec<&[u8]>)> = siblings.into_iter().collect();
        let gone: Vec<Vec<&[u8]>> =
            siblings.into_par_iter().map(|(above, folders)| self.gone(above, folders)).collect();
        gone.into_iter().flatten().collect()
    }

    /// Which of some folders inside another are none.
    fn gone<'p>(&self, above: &[u8], mut folders: Vec<&'p [u8]>) -> Vec<&'p [u8]> {
        if folders.len() >= MANY
            && let Ok(names) = walk::names(&path::below(&self.top, above), &self.counters)
        {
            let there: HashSet<Vec<u8>> =
                names.into_iter().filter(|(_, kind)| kind.is_folder()).map(|(name, _)| name).collect();
            folders.retain(|folder| !there.contains(folder.rsplit(|b| *b == b'/').next().unwrap_or_default()));
            return folders;
        }
        folders.retain(|folder| {
            self.counters.lstat();
            !fs::symlink_metadata(path::below(&self.top, folder)).is_ok_and(|meta| meta.is_dir())
        });
        folders
    }

    /// Wanted paths on disk, tracked or not ignored, and those that are left out of the working tree on purpose.
    fn walk_disk(&self, indexed: Indexed, classifier: &Classifier<Want>) -> Listing {
        let repo = self.repo.to_thread_local();
        let everywhere = Everywhere::of(&repo);
        let find = |path: &[u8]| indexed.wanted.binary_search_by(|wanted| wanted.path.as_bytes().cmp(path)).ok();
        let tracked = Tracked {
            folders: &indexed.folders,
            submodules: &indexed.submodules,
            is_tracked: &|path| find(path).is_some(),
            is_known: None,
        };
        let walked = walk::walk(&self.top, classifier, &tracked, &everywhere, &self.counters);
        let mut listing = Listing { incomplete: walked.incomplete, ..Listing::default() };
        let mut lists = WantLists::default();
        for file in walked.files {
            if find(file.path.as_bytes()).is_some_and(|at| indexed.wanted[at].skip_worktree) {
                continue; // read by blob below
            }
            let entry = Entry { path: file.path, kind: file.kind, place: Place::Disk };
            listing.push(entry, lists.of(&file.wants));
        }
        for wanted in indexed.wanted.iter().filter(|wanted| wanted.skip_worktree) {
            listing.push(wanted.entry(wanted.kind), wanted.wants.clone());
        }
        listing
    }

    fn on_disk(&self, path: &RepoPath) -> PathBuf {
        path::below(&self.top, path.as_bytes())
    }

    /// Where runs keep what later ones can use.
    fn kept(&self) -> PathBuf {
        self.repo.to_thread_local().common_dir().join("gatekeep")
    }

    fn blob(&self, id: gix::ObjectId) -> io::Result<Vec<u8>> {
        let repo = self.repo.to_thread_local();
        let blob = repo.find_object(id).map_err(io::Error::other)?.into_blob();
        self.counters.blob();
        Ok(blob.detach().data)
    }
}

/// A folder and those above it, without the top.
fn above(folder: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::successors(Some(folder), |folder| Some(parent(folder))).take_while(|folder| !folder.is_empty())
}

/// Whether there is no repository at all, rather than one that can't be used.
pub(super) fn is_no_repository(error: &gix::Error) -> bool {
    use gix::discover::upwards::Error as Upwards;
    matches!(
        error.downcast_any_ref::<Upwards>(),
        Some(
            Upwards::NoGitRepository { .. }
                | Upwards::NoGitRepositoryWithinCeiling { .. }
                | Upwards::NoGitRepositoryWithinFs { .. }
        )
    )
}

impl Wanted {
    fn entry(&self, kind: EntryKind) -> Entry {
        let place = if self.skip_worktree { Place::Blob(self.id) } else { Place::Disk };
        Entry { path: self.path.clone(), kind, place }
    }
}

impl Tree for WorkingTree {
    fn list(&self, classifier: &Classifier<Want>) -> Result<Listing, Fatal> {
        let mut listing = match self.untracked {
            Untracked::Included => {
                let indexed = chunks::index_of(&self.repo.to_thread_local(), classifier, true, &self.counters)?;
                self.walk_disk(indexed, classifier)
            }
            Untracked::LeftOut => self.check_tracked(self.tracked(classifier)?),
        };
        listing.sort();
        Ok(listing)
    }

    fn open(&self, entry: &Entry) -> io::Result<Box<dyn Read + Send>> {
        match entry.place {
            Place::Disk | Place::Worktree(_) => folder::open(&self.on_disk(&entry.path), &self.counters),
            Place::Blob(id) => Ok(Box::new(io::Cursor::new(self.blob(id)?))),
        }
    }

    fn read(&self, entry: &Entry, limit: u64) -> io::Result<Vec<u8>> {
        match entry.place {
            Place::Disk | Place::Worktree(_) => folder::read(&self.on_disk(&entry.path), limit, &self.counters),
            Place::Blob(_) if self.size(entry).is_some_and(|size| size > limit) => Err(super::too_large(limit)),
            Place::Blob(id) => self.blob(id),
        }
    }

    fn size(&self, entry: &Entry) -> Option<u64> {
        match entry.place {
            Place::Disk | Place::Worktree(_) => {
                fs::symlink_metadata(self.on_disk(&entry.path)).ok().map(|meta| meta.len())
            }
            Place::Blob(id) => self.repo.to_thread_local().find_header(id).ok().map(|header| header.size()),
        }
    }

    fn read_at(&self, entry: &Entry, offset: u64, length: usize) -> io::Result<Vec<u8>> {
        match entry.place {
            Place::Disk | Place::Worktree(_) => {
                folder::read_at(&self.on_disk(&entry.path), offset, length, &self.counters)
            }
            Place::Blob(id) => {
                let blob = self.blob(id)?;
                let start = (offset as usize).min(blob.len());
                Ok(blob[start..blob.len().min(start.saturating_add(length))].to_vec())
            }
        }
    }

    fn link_target(&self, entry: &Entry) -> io::Result<Vec<u8>> {
        match entry.place {
            Place::Disk | Place::Worktree(_) => folder::link_target(&self.on_disk(&entry.path)),
            Place::Blob(id) => self.blob(id),
        }
    }

    fn stamp(&self, entry: &Entry) -> Option<Stamp> {
        match entry.place {
            Place::Disk => Stamp::of_file(&self.on_disk(&entry.path), self.opened),
            Place::Blob(id) => Some(Stamp::of_blob(id)),
            Place::Worktree(_) => None,
        }
    }

    fn recall(&self, stamp: &Stamp, name: u64) -> Option<Vec<u8>> {
        made::read(&self.kept(), name, stamp)
    }

    fn keep(&self, entry: &Entry, stamp: &Stamp, name: u64, made: &[u8]) {
        if self.stamp(entry).as_ref() == Some(stamp) {
            let _ = made::write(&self.kept(), name, stamp, made); // the next run makes it again
        }
    }

    fn holder(&self) -> Holder {
        Holder::head(self.commit.clone())
    }

    fn counters(&self) -> &Counters {
        &self.counters
    }
}
