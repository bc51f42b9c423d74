//! The `.gitattributes` of a commit, as far as some paths have to do with them.

use std::collections::BTreeSet;

use gix::{
    ObjectId,
    bstr::BString,
    index::{State, entry},
    worktree::{Stack, stack::state::attributes::Source},
};

/// Looks attributes up in a commit. Only those of the folders above `paths` are known: a large tree is not read for a few files.
pub(super) fn stack<'p>(
    repo: &gix::Repository,
    commit: ObjectId,
    paths: impl Iterator<Item = &'p [u8]>,
) -> gix::Result<Stack> {
    let tree = repo.find_commit(commit)?.tree()?;
    let folders: BTreeSet<&[u8]> = paths.flat_map(above).collect();
    let mut index = State::new(repo.object_hash());
    for folder in folders {
        let path = [folder, b".gitattributes"].concat();
        let Some(found) = tree.lookup_entry(path.split(|byte| *byte == b'/'))? else { continue };
        if found.mode().is_blob() {
            let (stat, flags, mode) = (entry::Stat::default(), entry::Flags::empty(), entry::Mode::FILE);
            index.dangerously_push_entry(stat, found.object_id(), flags, mode, BString::from(path).as_ref());
        }
    }
    index.sort_entries();
    Ok(repo.attributes_only(&index, Source::IdMapping)?.detach())
}

/// Looks attributes up in the index, before there is a commit.
pub(super) fn of_index(repo: &gix::Repository) -> gix::Result<Stack> {
    let index = repo.index_or_empty()?;
    Ok(repo.attributes_only(&index, Source::IdMapping)?.detach())
}

/// The folders above a path, each with a `/` behind it; the top is empty.
fn above(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    let ends = memchr::memchr_iter(b'/', path).map(|at| at + 1);
    std::iter::once(0).chain(ends).map(|end| &path[..end])
}
