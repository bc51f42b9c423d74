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
#[derive(Clone, Copy, Debug)]
pub(super) struct IndexEntry<'a> {
    pub(super) path: &'a [u8],
    pub(super) id: gix::ObjectId,
    pub(super) kind: IndexKind,
    /// Of a file: whether it may be run.
    pub(super) executable: bool,
    /// Not checked out on purpose: the path counts though it is not on disk.
    pub(super) skip_worktree: bool,
    /// The user said that the file on disk is never to be looked at.
    pub(super) assume_unchanged: bool,
    /// `git add --intent-to-add`: the path is known, its content is not.
    pub(super) intent_to_add: bool,
    /// One of several versions of a path whose merge was left open.
    pub(super) unmerged: bool,
    stat: StatBytes<'a>,
}

impl IndexEntry<'_> {
    /// What the file on disk looked like when its content was last known to be this.
    pub(super) fn stat(&self) -> Stat {
        match self.stat {
            StatBytes::InPlace(bytes) => {
                let word = |at: usize| u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
                Stat { changed: (word(0), word(4)), modified: (word(8), word(12)), size: word(36) }
            }
            StatBytes::Gix(stat) => Stat {
                changed: (stat.ctime.secs, stat.ctime.nsecs),
                modified: (stat.mtime.secs, stat.mtime.nsecs),
                size: stat.size,
            },
            StatBytes::Unknown => Stat::default(),
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum StatBytes<'a> {
    InPlace(&'a [u8; FIXED]),
    Gix(&'a gix::index::entry::Stat),
    Unknown,
}

/// What a file on disk looks like from outside, as the index has it: seconds and nanoseconds since 1970, and the size, cut to 32 bits each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Stat {
    /// When its state was changed (`ctime`).
    pub(super) changed: (u32, u32),
    /// When its content was changed (`mtime`).
    pub(super) modified: (u32, u32),
    pub(super) size: u32,
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

/// Where the first entry begins.
pub(super) const HEADER: usize = 12;
const FIXED: usize = 62; // stat data, mode, size, SHA-1, flags
const CHECKSUM: u64 = 20;
const EXTENDED: u16 = 0x4000;
const SKIP_WORKTREE: u8 = 0x40; // in the first byte of the extended flags
const INTENT_TO_ADD: u8 = 0x20; // there too
const ASSUME_UNCHANGED: u8 = 0x80; // in the first byte of the flags
const STAGE: u8 = 0x30; // there too
/// Bytes that are classified together. Small enough for the allocator to use the same memory again.
const CHUNK: usize = 96 << 10;
/// No system knows paths that long.
const LONGEST_ENTRY: usize = 4 << 20;

/// Cuts an index of so many bytes in all into chunks of whole entries, see [`entries`], and says how many each holds. Puts what the index
/// remembers of trees into `tree`. `Ok(false)` where its format is one for gix; then what was shipped is not all, and has to be forgotten.
pub(super) fn chunks(
    mut index: impl Read,
    length: u64,
    tree: Option<&mut Vec<u8>>,
    ship: &mut dyn FnMut(Vec<u8>, u32),
) -> Result<bool, Fatal> {
    let mut left = Vec::new();
    fill(&mut index, &mut left, HEADER)?;
    let header = left.get(..HEADER).ok_or_else(broken)?;
    let word = |at: usize| u32::from_be_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
    if &header[..4] != b"DIRC" {
        return Err(broken());
    }
    let (version, mut count) = (word(4), word(8));
    if !(2..=3).contains(&version) {
        return Ok(false);
    }
    left.drain(..HEADER);
    let mut consumed = HEADER as u64;
    while count > 0 {
        let size = CHUNK.max(left.len() * 2); // an entry that fits in no chunk makes it grow
        if left.len() > LONGEST_ENTRY || !fill(&mut index, &mut left, size)? && whole(&left, 1).1 == 0 {
            return Err(broken());
        }
        let (end, entries) = whole(&left, count);
        count -= entries;
        consumed += end as u64;
        let rest = left.split_off(end);
        ship(std::mem::replace(&mut left, rest), entries);
    }
    has_all_entries(index, left, length.saturating_sub(consumed), tree)
}

pub(super) fn broken() -> Fatal {
    Fatal::Git("the index ends too early or is damaged".into())
}

/// Reads until so many bytes are there; whether there were any more.
fn fill(index: &mut impl Read, bytes: &mut Vec<u8>, size: usize) -> Result<bool, Fatal> {
    let before = bytes.len();
    bytes.reserve_exact(size.saturating_sub(before));
    let read = index.take(size.saturating_sub(before) as u64).read_to_end(bytes);
    read.map_err(|error| Fatal::Git(format!("the index can't be read: {error}")))?;
    Ok(bytes.len() > before)
}

/// Where the last whole entry ends, of at most so many, and how many they are.
fn whole(bytes: &[u8], most: u32) -> (usize, u32) {
    let (mut at, mut count) = (0, 0);
    while count < most
        && let Some((size, _)) = extent(&bytes[at..])
        && at + size <= bytes.len()
    {
        at += size;
        count += 1;
    }
    (at, count)
}

/// How many bytes the first entries take, as many as fill so many bytes, and how many they are. Never none where there is one.
pub(super) fn filling(bytes: &[u8], least: usize) -> (usize, usize) {
    let (mut at, mut count) = (0, 0);
    while at < least
        && at < bytes.len()
        && let Some((size, _)) = extent(&bytes[at..])
    {
        at += size;
        count += 1;
    }
    if count == 0 { (bytes.len(), 0) } else { (at.min(bytes.len()), count) }
}

/// Size of an entry, and where its name stands in it; none where too little of it is there.
pub(super) fn extent(entry: &[u8]) -> Option<(usize, Range<usize>)> {
    let flags = u16::from_be_bytes([*entry.get(60)?, *entry.get(61)?]);
    let start = if flags & EXTENDED == 0 { FIXED } else { FIXED + 2 };
    let length = match (flags & 0xfff) as usize {
        0xfff => memchr::memchr(0, entry.get(start..)?)?, // too long for the field
        short => short,
    };
    Some(((start + length + 8) & !7, start..start + length)) // padded with 1 to 8 NULs
}

/// The entries of a chunk. The stages of an unmerged path stand one behind the other, and only the first is given.
pub(super) fn entries(chunk: &[u8], visit: &mut dyn FnMut(IndexEntry<'_>)) {
    let mut rest = chunk;
    let mut before: &[u8] = b"";
    while let Some((found, size)) = entry(rest) {
        if found.path != before {
            visit(found);
        }
        before = found.path;
        rest = &rest[size..];
    }
}

/// The entry that begins here, and its size; none where too little of it is there.
pub(super) fn entry(bytes: &[u8]) -> Option<(IndexEntry<'_>, usize)> {
    let (size, name) = extent(bytes)?;
    let (entry, _) = bytes.split_at_checked(size)?;
    let fixed: &[u8; FIXED] = entry.first_chunk()?;
    let extended = if name.start > FIXED { entry[FIXED] } else { 0 };
    let mode = u32::from_be_bytes([entry[24], entry[25], entry[26], entry[27]]);
    let found = IndexEntry {
        path: &entry[name],
        id: gix::ObjectId::from_bytes_or_panic(&entry[40..60]), // twenty bytes are always one
        kind: kind(mode),
        executable: mode & 0o100 != 0,
        skip_worktree: extended & SKIP_WORKTREE != 0,
        assume_unchanged: entry[60] & ASSUME_UNCHANGED != 0,
        intent_to_add: extended & INTENT_TO_ADD != 0,
        unmerged: entry[60] & STAGE != 0,
        stat: StatBytes::InPlace(fixed),
    };
    Some((found, size))
}

fn kind(mode: u32) -> IndexKind {
    match mode & 0o170_000 {
        0o120_000 => IndexKind::Link,
        0o160_000 => IndexKind::Submodule,
        0o040_000 => IndexKind::SparseFolder,
        _ => IndexKind::File,
    }
}

/// Whether the entries are all there are: no extension says that the index is split (`link`) or sparse (`sdir`). `left` was read already.
fn has_all_entries(
    mut index: impl Read,
    left: Vec<u8>,
    mut length: u64,
    mut tree: Option<&mut Vec<u8>>,
) -> Result<bool, Fatal> {
    let mut rest = io::Cursor::new(left).chain(&mut index);
    while length > CHECKSUM {
        let mut head = [0; 8];
        rest.read_exact(&mut head).map_err(|_| broken())?;
        if matches!(&head[..4], b"link" | b"sdir") {
            return Ok(false);
        }
        let size = u64::from(u32::from_be_bytes([head[4], head[5], head[6], head[7]]));
        let mut extension = rest.by_ref().take(size);
        let skipped = match &mut tree {
            Some(tree) if &head[..4] == b"TREE" => extension.read_to_end(tree).map(|read| read as u64),
            _ => io::copy(&mut extension, &mut io::sink()),
        };
        let skipped = skipped.map_err(|_| broken())?;
        length = length.saturating_sub(8 + skipped);
        if skipped < size {
            return Err(broken());
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
        let found = from_gix(entry, path);
        if found.kind == IndexKind::SparseFolder {
            let top = path.strip_suffix(b"/").unwrap_or(path);
            spell_out(repo, entry.id, top, 0, counters, visit)?;
        } else {
            visit(found);
        }
    }
    Ok(())
}

pub(super) fn from_gix<'a>(entry: &'a gix::index::Entry, path: &'a [u8]) -> IndexEntry<'a> {
    use gix::index::entry::Flags;
    IndexEntry {
        path,
        id: entry.id,
        kind: kind(entry.mode.bits()),
        executable: entry.mode.bits() & 0o100 != 0,
        skip_worktree: entry.flags.contains(Flags::SKIP_WORKTREE),
        assume_unchanged: entry.flags.contains(Flags::ASSUME_VALID),
        intent_to_add: entry.flags.contains(Flags::INTENT_TO_ADD),
        unmerged: entry.flags.stage_raw() != 0,
        stat: StatBytes::Gix(&entry.stat),
    }
}

const DEEPEST: usize = 256;

pub(super) fn spell_out(
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
        visit(IndexEntry {
            path: &path,
            id: entry.object_id(),
            kind,
            executable: entry.mode().kind() == gix::objs::tree::EntryKind::BlobExecutable,
            skip_worktree: true,
            assume_unchanged: false,
            intent_to_add: false,
            unmerged: false,
            stat: StatBytes::Unknown,
        });
    }
    Ok(())
}
