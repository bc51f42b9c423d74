//! git's trees, parsed in place, and what is different between two of them.

mod apart;

use std::{
    cmp::Ordering,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
};

use gix::{ObjectId, oid};

pub(super) use apart::diff_all;

use super::reader::Reader;
use crate::{
    diag::RepoPath,
    rule::{
        Want,
        select::{Classifier, Folder, Walk},
    },
    source::{Changed, EntryKind, Place, Version},
};

/// Folders inside folders, at most. No system can check out deeper ones.
pub(super) const DEEPEST: usize = 256;
/// Bytes of memory that the changes of one line may take, about: 800,000 changes.
const MOST_BYTES: usize = 128 << 20;
/// What a change takes besides its path, or a folder while it is visited.
const OVERHEAD: usize = 128;

/// Which folders a comparison looks into, and which files it reports.
#[derive(Clone, Copy)]
pub enum Folders<'c> {
    /// Every changed folder and file.
    All,
    /// Only changed folders in which somebody may want a file, and only files that somebody wants.
    Wanted(&'c Classifier<Want>),
}

/// What an entry of a tree is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    File,
    Executable,
    Link,
    Folder,
    /// Another repository: no content of this one.
    Submodule,
}

/// One entry of a tree, borrowed from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TreeEntry<'t> {
    pub(super) name: &'t [u8],
    pub(super) mode: Mode,
    pub(super) id: &'t oid,
}

/// Goes through the entries of a tree. Ends early where the bytes make no sense; see [`Entries::is_sound`].
#[derive(Clone)]
pub(super) struct Entries<'t> {
    rest: &'t [u8],
    id_length: usize,
}

impl<'t> Entries<'t> {
    pub(super) fn new(bytes: &'t [u8], hash: gix::hash::Kind) -> Self {
        Self { rest: bytes, id_length: hash.len_in_bytes() }
    }

    /// Whether all that was read so far made sense: at the end, whether the tree was read whole.
    pub(super) fn is_sound(&self) -> bool {
        self.rest.is_empty()
    }

    fn parse(&self) -> Option<(TreeEntry<'t>, &'t [u8])> {
        let (mode, after) = Mode::parse(self.rest)?;
        let end = memchr::memchr(0, after)?;
        let (id, rest) = after[end + 1..].split_at_checked(self.id_length)?;
        let entry = TreeEntry { name: &after[..end], mode, id: oid::from_bytes_unchecked(id) };
        (end > 0).then_some((entry, rest))
    }
}

impl<'t> Entries<'t> {
    fn go_on(&mut self, entry: TreeEntry<'t>, rest: &'t [u8]) -> TreeEntry<'t> {
        self.rest = rest;
        entry
    }
}

impl<'t> Iterator for Entries<'t> {
    type Item = TreeEntry<'t>;

    fn next(&mut self) -> Option<TreeEntry<'t>> {
        let (entry, rest) = self.parse()?;
        Some(self.go_on(entry, rest))
    }
}

impl Mode {
    /// Reads a mode and the blank behind it; what git makes of it is its `canon_mode`.
    fn parse(bytes: &[u8]) -> Option<(Self, &[u8])> {
        if let Some(rest) = bytes.strip_prefix(b"100644 ") {
            return Some((Self::File, rest));
        }
        if let Some(rest) = bytes.strip_prefix(b"40000 ") {
            return Some((Self::Folder, rest));
        }
        let end = bytes.iter().take(8).position(|b| *b == b' ').filter(|end| *end > 0)?;
        let digits = &bytes[..end];
        let mode = digits.iter().try_fold(0u32, |mode, digit| match digit {
            b'0'..=b'7' => Some(mode << 3 | u32::from(digit - b'0')),
            _ => None,
        })?;
        let mode = match mode & 0o170_000 {
            0o040_000 => Self::Folder,
            0o120_000 => Self::Link,
            0o100_000 if mode & 0o100 != 0 => Self::Executable,
            0o100_000 => Self::File,
            _ => Self::Submodule,
        };
        Some((mode, &bytes[end + 1..]))
    }

    /// What it is for a rule; none for folders and submodules.
    pub(super) fn kind(self) -> Option<EntryKind> {
        match self {
            Self::File | Self::Executable => Some(EntryKind::File),
            Self::Link => Some(EntryKind::Link),
            Self::Folder | Self::Submodule => None,
        }
    }
}

impl TreeEntry<'_> {
    /// git's order: as if a folder's name ended with `/`.
    fn order(&self, other: &Self) -> Ordering {
        let shared = self.name.len().min(other.name.len());
        self.name[..shared].cmp(&other.name[..shared]).then_with(|| {
            let next = |entry: &Self| match entry.name.get(shared) {
                Some(byte) => *byte,
                None if entry.mode == Mode::Folder => b'/',
                None => 0,
            };
            next(self).cmp(&next(other)).then_with(|| self.name.len().cmp(&other.name.len()))
        })
    }

    pub(super) fn version(&self) -> Option<Version> {
        Some(Version { kind: self.mode.kind()?, place: Place::Blob(self.id.to_owned()) })
    }
}

/// Which folders are entered, with the automaton of one thread.
pub(super) enum Gate<'c> {
    All,
    Wanted(Box<Walk<'c, Want>>),
}

impl<'c> Gate<'c> {
    pub(super) fn new(folders: Folders<'c>) -> Self {
        match folders {
            Folders::All => Self::All,
            Folders::Wanted(classifier) => Self::Wanted(Box::new(classifier.walk())),
        }
    }

    fn top(&self) -> Option<Folder> {
        match self {
            Self::All => None,
            Self::Wanted(walk) => Some(walk.top()),
        }
    }

    /// The state of a folder inside another; none where nothing in it matters.
    fn enter(&mut self, folder: Option<Folder>, name: &[u8]) -> Option<Option<Folder>> {
        match (self, folder) {
            (Self::Wanted(walk), Some(folder)) => {
                let inside = walk.enter(folder, name);
                (!walk.is_dead(inside)).then_some(Some(inside))
            }
            _ => Some(None),
        }
    }

    fn wants(&self, folder: Option<Folder>, name: &[u8]) -> bool {
        match (self, folder) {
            (Self::Wanted(walk), Some(folder)) => {
                let mut wanted = false;
                walk.file(folder, name, |_| wanted = true);
                wanted
            }
            _ => true,
        }
    }
}

/// What is different between two trees, sorted by path. No tree at all is an empty one.
///
/// # Errors
/// A tree that can't be read, or a comparison that would not end: a text for people.
pub(super) fn diff(
    reader: &mut Reader,
    gate: &mut Gate<'_>,
    old: Option<ObjectId>,
    new: Option<ObjectId>,
) -> Result<Vec<Changed>, String> {
    let (top, taken) = (gate.top(), AtomicUsize::new(0));
    let mut diff = Diff { reader, gate, path: Vec::new(), found: Vec::new(), apart: None, taken: &taken };
    diff.folders(old.as_deref(), new.as_deref(), top, 0)?;
    Ok(in_order(diff.found))
}

struct Diff<'d, 'c> {
    reader: &'d mut Reader,
    gate: &'d mut Gate<'c>,
    /// The folder, with a `/` at its end.
    path: Vec<u8>,
    found: Vec<Changed>,
    /// Takes the folders in it that are not the same, where they are not entered at once.
    apart: Option<Vec<Pair>>,
    /// Bytes of memory that the changes take.
    taken: &'d AtomicUsize,
}

/// Two folders of one path that are not the same.
struct Pair {
    /// With a `/` at its end; empty for the top.
    path: Vec<u8>,
    old: Option<ObjectId>,
    new: Option<ObjectId>,
    depth: usize,
}

impl Diff<'_, '_> {
    fn folders(
        &mut self,
        old: Option<&oid>,
        new: Option<&oid>,
        state: Option<Folder>,
        depth: usize,
    ) -> Result<(), String> {
        if old == new {
            return Ok(());
        }
        if depth > DEEPEST {
            return Err(format!("folders nested deeper than {DEEPEST}; such a tree can't be checked out either"));
        }
        let (old_bytes, new_bytes) = (self.read(old)?, self.read(new)?);
        let hash = old.or(new).map_or(gix::hash::Kind::Sha1, |id| id.kind());
        let shared = Shared::of(&old_bytes, &new_bytes, hash);
        let mut before = Entries::new(&old_bytes[shared.head..], hash);
        let mut after = Entries::new(&new_bytes[shared.head..], hash);
        while !shared.is_all_of(&before, &after) {
            let (one, other) = (before.parse(), after.parse());
            let order = match (&one, &other) {
                (Some((one, _)), Some((other, _))) => one.order(other),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => break,
            };
            let one = one.filter(|_| order.is_le()).map(|(entry, rest)| before.go_on(entry, rest));
            let other = other.filter(|_| order.is_ge()).map(|(entry, rest)| after.go_on(entry, rest));
            if one.map(|entry| (entry.id, entry.mode)) != other.map(|entry| (entry.id, entry.mode)) {
                self.entry(one, other, state, depth)?;
            }
        }
        for (rest, id) in [(before, old), (after, new)] {
            if let Some(id) = id.filter(|_| rest.parse().is_none() && !rest.is_sound()) {
                return Err(self.reader.malformed(id));
            }
        }
        Ok(())
    }

    /// One name that is not the same on both sides. A folder is never paired with a file.
    fn entry(
        &mut self,
        old: Option<TreeEntry<'_>>,
        new: Option<TreeEntry<'_>>,
        state: Option<Folder>,
        depth: usize,
    ) -> Result<(), String> {
        let Some(TreeEntry { name, mode, .. }) = old.or(new) else { return Ok(()) };
        if mode == Mode::Folder {
            let Some(inside) = self.gate.enter(state, name) else { return Ok(()) };
            let length = self.path.len();
            self.path.extend_from_slice(name);
            self.path.push(b'/');
            self.take()?;
            let (old, new) = (old.map(|entry| entry.id), new.map(|entry| entry.id));
            match &mut self.apart {
                Some(apart) => {
                    let (old, new) = (old.map(ToOwned::to_owned), new.map(ToOwned::to_owned));
                    apart.push(Pair { path: self.path.clone(), old, new, depth: depth + 1 });
                }
                None => self.folders(old, new, inside, depth + 1)?,
            }
            self.path.truncate(length);
            return Ok(());
        }
        let versions = (old.and_then(|entry| entry.version()), new.and_then(|entry| entry.version()));
        if versions == (None, None) || !self.gate.wants(state, name) {
            return Ok(());
        }
        let length = self.path.len();
        self.path.extend_from_slice(name);
        self.take()?;
        self.found.push(Changed { path: RepoPath::new(&self.path), old: versions.0, new: versions.1 });
        self.path.truncate(length);
        Ok(())
    }

    fn read(&mut self, id: Option<&oid>) -> Result<Arc<Vec<u8>>, String> {
        let Some(id) = id else { return Ok(Arc::default()) };
        self.reader.tree(id).map_err(|unread| self.reader.explain(id, &unread))
    }

    /// A few objects can stand for more paths than any memory holds, so what is found has its limit.
    fn take(&mut self) -> Result<(), String> {
        let more = self.path.len() + OVERHEAD;
        if self.taken.fetch_add(more, Relaxed).saturating_add(more) > MOST_BYTES {
            let most = MOST_BYTES / OVERHEAD;
            return Err(format!("it changes more than about {most} files, which is more than is compared"));
        }
        Ok(())
    }
}

/// Bytes that two folders have in common. Most are wide and differ in one place, so most of them need not be parsed.
struct Shared {
    /// At the beginning: whole entries.
    head: usize,
    /// At the end.
    tail: usize,
}

/// Bytes that are compared at a time.
const STRIDE: usize = 128;

impl Shared {
    fn of(old: &[u8], new: &[u8], hash: gix::hash::Kind) -> Self {
        if old.is_empty() || new.is_empty() {
            return Self { head: 0, tail: 0 };
        }
        let strides = old.chunks_exact(STRIDE).zip(new.chunks_exact(STRIDE));
        let same = strides.take_while(|(old, new)| old == new).count() * STRIDE;
        let same = same + old[same..].iter().zip(&new[same..]).take_while(|(old, new)| old == new).count();
        let mut head = 0;
        while let Some(end) = memchr::memchr(0, &old[head..same]) // each entry's only NUL outside of its id
            && head + end + 1 + hash.len_in_bytes() <= same
        {
            head += end + 1 + hash.len_in_bytes();
        }
        let (old, new) = (&old[head..], &new[head..]);
        let strides = old.rchunks_exact(STRIDE).zip(new.rchunks_exact(STRIDE));
        let tail = strides.take_while(|(old, new)| old == new).count() * STRIDE;
        Self { head, tail }
    }

    /// Whether nothing is left but the same end.
    fn is_all_of(&self, old: &Entries<'_>, new: &Entries<'_>) -> bool {
        old.rest.len() == new.rest.len() && old.rest.len() <= self.tail
    }
}

/// Sorted by path, each path once: a tree that somebody made up may hold a name twice, or out of order.
fn in_order(mut found: Vec<Changed>) -> Vec<Changed> {
    if found.is_sorted_by(|a, b| a.path < b.path) {
        return found;
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    let mut sorted: Vec<Changed> = Vec::with_capacity(found.len());
    let mut found = found.into_iter().peekable();
    while let Some(mut change) = found.next() {
        let mut twice = false;
        while let Some(again) = found.next_if(|next| next.path == change.path) {
            change = Changed { old: change.old.or(again.old), new: change.new.or(again.new), ..change };
            twice = true;
        }
        if !twice || change.old != change.new {
            sorted.push(change);
        }
    }
    sorted
}

#[cfg(test)]
mod tests;
