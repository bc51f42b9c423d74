//! git's index, read in place: no entry is copied that nobody wants.
//!
//! Versions 2 and 3 of the format are walked directly (git's `Documentation/gitformat-index.txt`). What needs more (version 4,
//! a split or sparse index, SHA-256) goes through gix.

use std::path::Path;

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
const CHECKSUM: usize = 20;
const EXTENDED: u16 = 0x4000;
const SKIP_WORKTREE: u16 = 0x4000; // in the extended flags

/// Walks an index. `Ok(false)` where its format is one for gix; then what was visited is not all, and has to be forgotten.
pub(super) fn walk<'a>(bytes: &'a [u8], mut visit: impl FnMut(IndexEntry<'a>)) -> Result<bool, Fatal> {
    let broken = || Fatal::Git("the index ends too early or is damaged".into());
    let word =
        |at: usize| bytes.get(at..at + 4).and_then(|b| b.try_into().ok()).map(u32::from_be_bytes).ok_or_else(broken);
    if bytes.get(..4) != Some(b"DIRC") {
        return Err(broken());
    }
    let (version, count) = (word(4)?, word(8)?);
    if !(2..=3).contains(&version) {
        return Ok(false);
    }
    let mut at = HEADER;
    let mut before: &[u8] = b"";
    for _ in 0..count {
        let fixed = bytes.get(at..at + FIXED).ok_or_else(broken)?;
        let mode = u32::from_be_bytes([fixed[24], fixed[25], fixed[26], fixed[27]]);
        let flags = u16::from_be_bytes([fixed[60], fixed[61]]);
        let mut name_at = at + FIXED;
        let mut skip_worktree = false;
        if flags & EXTENDED != 0 {
            let more = bytes.get(name_at..name_at + 2).ok_or_else(broken)?;
            skip_worktree = u16::from_be_bytes([more[0], more[1]]) & SKIP_WORKTREE != 0;
            name_at += 2;
        }
        let length = match (flags & 0xfff) as usize {
            0xfff => memchr::memchr(0, bytes.get(name_at..).ok_or_else(broken)?).ok_or_else(broken)?,
            short => short,
        };
        let path = bytes.get(name_at..name_at + length).ok_or_else(broken)?;
        if path != before {
            // the stages of an unmerged path stand one behind the other
            let id = gix::ObjectId::from_bytes_or_panic(&fixed[40..60]);
            visit(IndexEntry { path, id, kind: kind(mode), skip_worktree });
        }
        before = path;
        at += (name_at - at + length + 8) & !7; // padded with 1 to 8 NULs
    }
    Ok(!has_partial_entries(bytes.get(at..).ok_or_else(broken)?))
}

fn kind(mode: u32) -> IndexKind {
    match mode & 0o170_000 {
        0o120_000 => IndexKind::Link,
        0o160_000 => IndexKind::Submodule,
        0o040_000 => IndexKind::SparseFolder,
        _ => IndexKind::File,
    }
}

/// Whether an extension says that the entries are not all: a split (`link`) or sparse (`sdir`) index.
fn has_partial_entries(mut extensions: &[u8]) -> bool {
    while extensions.len() > CHECKSUM
        && let Some((head, rest)) = extensions.split_at_checked(8)
    {
        if matches!(&head[..4], b"link" | b"sdir") {
            return true;
        }
        let size = u32::from_be_bytes([head[4], head[5], head[6], head[7]]) as usize;
        extensions = rest.get(size..).unwrap_or_default();
    }
    false
}

/// Reads an index through gix, sparse folders spelt out from their trees.
pub(super) fn walk_with_gix(
    repo: &gix::Repository,
    path: &Path,
    counters: &Counters,
    mut visit: impl FnMut(IndexEntry<'_>),
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
            spell_out(repo, entry.id, top, 0, counters, &mut visit)?;
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
    visit: &mut impl FnMut(IndexEntry<'_>),
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
