//! git's index, read in place: no entry is copied that nobody wants.
//!
//! Versions 2 and 3 of the format are walked directly (git's `Documentation/gitformat-index.txt`). What needs more (version 4,
//! a split or sparse index, SHA-256) goes through gix.

use std::{
    io::{self, Read},
    ops::Range,
    path::Path,
};

use super::Counters;
use crate::error::Fatal;

/// An entry of the index, borrowed from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct IndexEntry<'a> {
    pub(super) path: &'a [u8],
    pub(super) id: gix::ObjectId,
    pub(super) kind: IndexKind,
    /// Not checked out on purpose: the path counts though it is not on disk.
    pub(super) skip_worktree: bool,
}

/// What an entry of the index stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IndexKind {
    File,
    Link,
    Submodule,
    /// A folder that a sparse index does not spell out.
    SparseFolder,
}

const HEADER: usize = 12;
const FIXED: usize = 62; // stat data, mode, size, SHA-1, flags
const CHECKSUM: u64 = 20;
const EXTENDED: u16 = 0x4000;
const STAGES: u8 = 0x30; // in the first byte of the flags
const SKIP_WORKTREE: u8 = 0x40; // in the first byte of the extended flags
/// Bytes that are in memory at once.
const WINDOW: usize = 256 << 10;
/// No system knows longer paths.
const LONGEST_NAME: usize = 1 << 20;

/// Walks an index of so many bytes in all. `Ok(false)` where its format is one for gix; then what was visited is not all, and has to be
/// forgotten.
pub(super) fn walk(index: impl Read, length: u64, visit: &mut dyn FnMut(IndexEntry<'_>)) -> Result<bool, Fatal> {
    let mut window = Window { index, bytes: vec![0; WINDOW], start: 0, end: 0, consumed: 0 };
    let header = window.need(HEADER)?;
    let word = |at: usize| u32::from_be_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
    if &header[..4] != b"DIRC" {
        return Err(broken());
    }
    let (version, count) = (word(4), word(8));
    if !(2..=3).contains(&version) {
        return Ok(false);
    }
    window.consume(HEADER);
    let mut before: Vec<u8> = Vec::new();
    for _ in 0..count {
        let (size, name) = extent(&mut window)?;
        let entry = window.need(size)?;
        let path = &entry[name.clone()];
        let unmerged = entry[60] & STAGES != 0; // its stages stand one behind the other
        if !unmerged || path != before {
            visit(IndexEntry {
                path,
                id: gix::ObjectId::from_bytes_or_panic(&entry[40..60]), // twenty bytes are always one
                kind: kind(u32::from_be_bytes([entry[24], entry[25], entry[26], entry[27]])),
                skip_worktree: name.start > FIXED && entry[FIXED] & SKIP_WORKTREE != 0,
            });
        }
        if unmerged {
            before.clear();
            before.extend_from_slice(path);
        }
        window.consume(size);
    }
    has_all_entries(&mut window, length)
}

fn broken() -> Fatal {
    Fatal::Git("the index ends too early or is damaged".into())
}

/// Size of the next entry, and where its name stands in it.
fn extent<R: Read>(window: &mut Window<R>) -> Result<(usize, Range<usize>), Fatal> {
    let fixed = window.need(FIXED)?;
    let flags = u16::from_be_bytes([fixed[60], fixed[61]]);
    let start = if flags & EXTENDED == 0 { FIXED } else { FIXED + 2 };
    let short = (flags & 0xfff) as usize;
    let length = if short < 0xfff { short } else { window.name_length(start)? };
    Ok(((start + length + 8) & !7, start..start + length)) // padded with 1 to 8 NULs
}

/// The part of an index that is in memory: a large one is not there as a whole.
struct Window<R> {
    index: R,
    bytes: Vec<u8>,
    start: usize,
    end: usize,
    consumed: u64,
}

impl<R: Read> Window<R> {
    /// The next so many bytes.
    fn need(&mut self, count: usize) -> Result<&[u8], Fatal> {
        if self.end - self.start < count {
            self.bytes.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
            if self.bytes.len() < count {
                self.bytes.resize(count.next_power_of_two(), 0);
            }
            while self.end < count {
                match self.index.read(&mut self.bytes[self.end..]) {
                    Ok(0) => return Err(broken()),
                    Ok(read) => self.end += read,
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) => return Err(Fatal::Git(format!("the index can't be read: {error}"))),
                }
            }
        }
        Ok(&self.bytes[self.start..self.start + count])
    }

    fn consume(&mut self, count: usize) {
        self.start += count;
        self.consumed += count as u64;
    }

    /// Length of a name that is too long for its field: up to the NUL behind it.
    fn name_length(&mut self, start: usize) -> Result<usize, Fatal> {
        let mut size = start + 0xfff;
        while size < start + LONGEST_NAME {
            size += 256;
            if let Some(end) = memchr::memchr(0, &self.need(size)?[start..]) {
                return Ok(end);
            }
        }
        Err(broken())
    }
}

fn kind(mode: u32) -> IndexKind {
    match mode & 0o170_000 {
        0o120_000 => IndexKind::Link,
        0o160_000 => IndexKind::Submodule,
        0o040_000 => IndexKind::SparseFolder,
        _ => IndexKind::File,
    }
}

/// Whether the entries are all there are: no extension says that the index is split (`link`) or sparse (`sdir`).
fn has_all_entries<R: Read>(window: &mut Window<R>, length: u64) -> Result<bool, Fatal> {
    while length.saturating_sub(window.consumed) > CHECKSUM {
        let head = window.need(8)?;
        if matches!(&head[..4], b"link" | b"sdir") {
            return Ok(false);
        }
        let mut left = u64::from(u32::from_be_bytes([head[4], head[5], head[6], head[7]]));
        window.consume(8);
        while left > 0 {
            let step = left.min(WINDOW as u64) as usize;
            window.need(step)?;
            window.consume(step);
            left -= step as u64;
        }
    }
    Ok(true)
}

/// Reads an index through gix, sparse folders spelt out from their trees.
pub(super) fn walk_with_gix(
    repo: &gix::Repository,
    path: &Path,
    counters: &Counters,
    visit: &mut dyn FnMut(IndexEntry<'_>),
) -> Result<(), Fatal> {
    let git = |error: &dyn std::fmt::Display| Fatal::Git(format!("the index can't be read: {error}"));
    let index = gix::index::File::at(path, repo.object_hash(), true, gix::index::decode::Options::default())
        .map_err(|error| git(&error))?;
    let mut before: Option<&[u8]> = None;
    for entry in index.entries() {
        let path: &[u8] = entry.path(&index);
        if before == Some(path) {
            continue;
        }
        before = Some(path);
        let skip_worktree = entry.flags.contains(gix::index::entry::Flags::SKIP_WORKTREE);
        let found = IndexEntry { path, id: entry.id, kind: kind(entry.mode.bits()), skip_worktree };
        if found.kind == IndexKind::SparseFolder {
            let top = path.strip_suffix(b"/").unwrap_or(path);
            spell_out(repo, entry.id, top, 0, counters, visit)?;
        } else {
            visit(found);
        }
    }
    Ok(())
}

const DEEPEST: usize = 256;

fn spell_out(
    repo: &gix::Repository,
    tree: gix::ObjectId,
    folder: &[u8],
    depth: usize,
    counters: &Counters,
    visit: &mut dyn FnMut(IndexEntry<'_>),
) -> Result<(), Fatal> {
    let git =
        |error: &dyn std::fmt::Display| Fatal::Git(format!("a folder of the sparse index can't be read: {error}"));
    if depth > DEEPEST {
        return Err(git(&"nested too deep"));
    }
    counters.tree();
    let tree = repo.find_tree(tree).map_err(|error| git(&error))?;
    for entry in tree.iter() {
        let entry = entry.map_err(|error| git(&error))?;
        let path = [folder, b"/", entry.filename().as_ref()].concat();
        let kind = match entry.mode().kind() {
            gix::objs::tree::EntryKind::Tree => {
                spell_out(repo, entry.object_id(), &path, depth + 1, counters, visit)?;
                continue;
            }
            gix::objs::tree::EntryKind::Link => IndexKind::Link,
            gix::objs::tree::EntryKind::Commit => IndexKind::Submodule,
            _ => IndexKind::File,
        };
        visit(IndexEntry { path: &path, id: entry.object_id(), kind, skip_worktree: true });
    }
    Ok(())
}
