//! A plain folder without git, and how files on disk are opened.

use std::{
    fs,
    io::{self, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
};

use super::{Counters, Entry, EntryKind, Listing, Place, Tree, WantLists, path};
use crate::{
    diag::{Holder, RepoPath},
    error::Fatal,
    report::Incomplete,
    rule::{Want, select::Classifier},
};

/// A folder that is in no repository.
#[derive(Debug)]
pub struct PlainFolder {
    top: PathBuf,
    counters: Counters,
}

impl PlainFolder {
    /// The folder.
    pub fn new(top: &Path) -> Self {
        Self { top: top.to_owned(), counters: Counters::default() }
    }
}

impl Tree for PlainFolder {
    fn list(&self, classifier: &Classifier<Want>) -> Result<Listing, Fatal> {
        let mut listing = Listing::default();
        let (mut automaton, mut lists) = (classifier.walk(), WantLists::default());
        let mut walk = walkdir::WalkDir::new(&self.top).min_depth(1).into_iter();
        while let Some(entry) = walk.next() {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    let at = error.path().unwrap_or(&self.top);
                    let what = String::from_utf8_lossy(&self.relative(at)).into_owned();
                    let why =
                        error.into_io_error().map_or_else(|| "a loop of folders".to_owned(), |error| error.to_string());
                    listing.incomplete.push(Incomplete { what, why: format!("the folder can't be listed: {why}") });
                    continue;
                }
            };
            let at = self.relative(entry.path());
            let kind = entry.file_type();
            if kind.is_dir() {
                self.counters.readdir();
                let inside = automaton.folder_of(&[&at, b"/".as_slice()].concat());
                // another repository, or a worktree, is no part of this folder
                if automaton.is_dead(inside) || entry.file_name() == ".git" || entry.path().join(".git").exists() {
                    walk.skip_current_dir();
                }
                continue;
            }
            self.counters.paths(1);
            let mut wants = Vec::new();
            automaton.path(&at, |want| wants.push(want));
            if wants.is_empty() {
                continue;
            }
            if !kind.is_file() && !kind.is_symlink() {
                let what = String::from_utf8_lossy(&at).into_owned();
                let why = "neither a file nor a folder (a pipe, socket or device), so it was not read".into();
                listing.incomplete.push(Incomplete { what, why });
                continue;
            }
            let kind = if kind.is_file() { EntryKind::File } else { EntryKind::Link };
            listing.push(Entry { path: RepoPath::new(&at), kind, place: Place::Disk }, lists.of(&wants));
        }
        listing.sort();
        Ok(listing)
    }

    fn open(&self, entry: &Entry) -> io::Result<Box<dyn Read + Send>> {
        open(&self.on_disk(entry), &self.counters)
    }

    fn read(&self, entry: &Entry, limit: u64) -> io::Result<Vec<u8>> {
        read(&self.on_disk(entry), limit, &self.counters)
    }

    fn size(&self, entry: &Entry) -> Option<u64> {
        fs::symlink_metadata(self.on_disk(entry)).ok().map(|meta| meta.len())
    }

    fn read_at(&self, entry: &Entry, offset: u64, length: usize) -> io::Result<Vec<u8>> {
        read_at(&self.on_disk(entry), offset, length, &self.counters)
    }

    fn link_target(&self, entry: &Entry) -> io::Result<Vec<u8>> {
        link_target(&self.on_disk(entry))
    }

    fn holder(&self) -> Holder {
        Holder::head(None)
    }

    fn counters(&self) -> &Counters {
        &self.counters
    }
}

impl PlainFolder {
    fn on_disk(&self, entry: &Entry) -> PathBuf {
        path::below(&self.top, entry.path.as_bytes())
    }

    fn relative(&self, path: &Path) -> Vec<u8> {
        let below = path.strip_prefix(&self.top).unwrap_or(path);
        path::from_system(below)
    }
}

/// Opens a regular file; anything else could block or lead out of the tree.
pub(super) fn open(path: &Path, counters: &Counters) -> io::Result<Box<dyn Read + Send>> {
    let (file, length) = open_file(path, counters)?;
    counters.bytes(length);
    Ok(Box::new(file))
}

pub(super) fn read_at(path: &Path, offset: u64, length: usize, counters: &Counters) -> io::Result<Vec<u8>> {
    let (mut file, _) = open_file(path, counters)?;
    file.seek(SeekFrom::Start(offset))?;
    let mut bytes = Vec::with_capacity(length);
    file.take(length as u64).read_to_end(&mut bytes)?;
    counters.bytes(bytes.len() as u64);
    Ok(bytes)
}

/// Reads a file whole, up to a limit, with as few questions to the system as there can be: rules may ask for ten thousands.
pub(super) fn read(path: &Path, limit: u64, counters: &Counters) -> io::Result<Vec<u8>> {
    let (mut file, length) = open_file(path, counters)?;
    if length > limit {
        return Err(super::too_large(limit));
    }
    let mut bytes = vec![0; length as usize]; // the limit is far below what a vector can hold
    let mut held = 0;
    while held < bytes.len() {
        match file.read(&mut bytes[held..]) {
            Ok(0) => break, // it was cut short meanwhile
            Ok(read) => held += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    bytes.truncate(held);
    counters.bytes(held as u64);
    Ok(bytes)
}

/// Opens a regular file and tells its length. Neither follows a link nor waits for the other end of a pipe.
#[cfg(unix)]
fn open_file(path: &Path, counters: &Counters) -> io::Result<(fs::File, u64)> {
    use std::os::unix::fs::OpenOptionsExt;

    use rustix::fs::OFlags;
    counters.opened();
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32;
    let file = fs::OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    regular(file)
}

/// Opens a regular file and tells its length.
#[cfg(not(unix))]
fn open_file(path: &Path, counters: &Counters) -> io::Result<(fs::File, u64)> {
    if !fs::symlink_metadata(path)?.is_file() {
        return Err(io::Error::other("no longer a regular file"));
    }
    counters.opened();
    regular(fs::File::open(path)?)
}

fn regular(file: fs::File) -> io::Result<(fs::File, u64)> {
    let meta = file.metadata()?;
    if !meta.is_file() {
        return Err(io::Error::other("no longer a regular file"));
    }
    Ok((file, meta.len()))
}

pub(super) fn link_target(file: &Path) -> io::Result<Vec<u8>> {
    Ok(path::from_system(&fs::read_link(file)?))
}
