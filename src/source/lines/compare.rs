//! HEAD's tree against an index.

use std::cmp::Ordering;

use gix::{
    ObjectId,
    index::extension::Tree,
    objs::tree::{EntryKind as Mode, EntryRef},
};

use super::{
    Folders,
    folders::{Pass, State},
    git,
    index_file::{Cursor, IndexFile},
};
use crate::{
    diag::RepoPath,
    error::Fatal,
    source::{
        Counters, EntryKind, Place, Version,
        index::{IndexEntry, IndexKind, broken},
    },
};

/// What stands at a path in a tree or an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Leaf {
    pub(super) mode: Mode,
    pub(super) id: ObjectId,
}

/// A path at which an index differs from HEAD.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Delta {
    pub(super) path: RepoPath,
    pub(super) old: Option<Leaf>,
    pub(super) new: Option<Leaf>,
    /// Its merge is open: there is no one version in the index.
    pub(super) unmerged: bool,
}

/// Folders inside folders, at most. No system can check out deeper ones.
const DEEPEST: usize = 512;
/// Entries of trees that are looked at, at most: a few objects can stand for more than would ever end.
const MOST_ENTRIES: usize = 1 << 26;
/// Differing paths, at most.
const MOST_CHANGES: usize = 1 << 20;

/// All paths at which an index differs from a tree, sorted. An intent to add counts as nothing. Submodules are among them.
pub(super) fn compare(
    repo: &gix::Repository,
    tree: Option<ObjectId>,
    index: &IndexFile,
    folders: Folders<'_>,
    counters: &Counters,
) -> Result<Vec<Delta>, Fatal> {
    let pass = Pass::new(folders);
    let top = pass.top();
    let cursor = index.cursor();
    let mut compare = Compare { repo, counters, cursor, pass, path: Vec::new(), depth: 0, seen: 0, deltas: Vec::new() };
    compare.folder(tree, index.tree.as_ref(), top)?;
    Ok(compare.deltas)
}

struct Compare<'a> {
    repo: &'a gix::Repository,
    counters: &'a Counters,
    cursor: Cursor<'a>,
    pass: Pass<'a>,
    /// The folder, with a `/` at the end; empty at the top.
    path: Vec<u8>,
    depth: usize,
    /// Entries of trees that were looked at.
    seen: usize,
    deltas: Vec<Delta>,
}

/// What comes next in a folder of the index.
struct Next<'a> {
    entry: IndexEntry<'a>,
    name: &'a [u8],
    is_folder: bool,
}

impl<'a> Compare<'a> {
    /// The folder at `path`: as HEAD has it, and as the index remembers it.
    fn folder(&mut self, tree: Option<ObjectId>, known: Option<&Tree>, state: State) -> Result<(), Fatal> {
        let count = known.and_then(|known| known.num_entries);
        let is_same = count.is_some() && tree.is_some() && known.map(|known| known.id) == tree;
        if is_same || self.pass.is_dead(state) {
            return self.pass_by(count);
        }
        let tree = self.read(tree)?;
        let entries = self.entries(tree.as_ref())?;
        let mut old = entries.iter().peekable();
        loop {
            let next = self.next()?;
            let order = match (old.peek(), &next) {
                (None, None) => return Ok(()),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(old), Some(next)) => order(old.filename, old.mode.is_tree(), next.name, next.is_folder),
            };
            let old = if order == Ordering::Greater { None } else { old.next() };
            let new = next.filter(|_| order != Ordering::Less);
            let (name, is_folder) = match (old, &new) {
                (Some(old), _) => (&**old.filename, old.mode.is_tree()),
                (None, Some(new)) => (new.name, new.is_folder),
                (None, None) => return Ok(()),
            };
            let old = old.map(leaf);
            let new = new.map(|next| next.entry);
            if is_folder {
                let known = known.and_then(|known| child(known, name));
                self.enter(name, state, |compare, state| compare.folders(old.map(|old| old.id), new, known, state))?;
            } else {
                self.leaf(name, old, new, state)?;
            }
        }
    }

    /// A folder that was entered, and that HEAD, the index or both have.
    fn folders(
        &mut self,
        tree: Option<ObjectId>,
        new: Option<IndexEntry<'a>>,
        known: Option<&Tree>,
        state: State,
    ) -> Result<(), Fatal> {
        match new {
            Some(sparse) if sparse.kind == IndexKind::SparseFolder => {
                self.cursor.skip(1);
                self.trees(tree, Some(sparse.id), state)
            }
            Some(_) => self.folder(tree, known, state),
            None => self.trees(tree, None, state),
        }
    }

    fn enter(
        &mut self,
        name: &[u8],
        state: State,
        inside: impl FnOnce(&mut Self, State) -> Result<(), Fatal>,
    ) -> Result<(), Fatal> {
        let state = self.pass.enter(state, name);
        let length = self.path.len();
        self.path.extend_from_slice(name);
        self.path.push(b'/');
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(git(format!("folders are nested more than {DEEPEST} deep")));
        }
        inside(self, state)?;
        self.depth -= 1;
        self.path.truncate(length);
        Ok(())
    }

    /// Goes past what the index has in this folder: so many entries, if that is known.
    fn pass_by(&mut self, count: Option<u32>) -> Result<(), Fatal> {
        if let Some(count) = count {
            if let Some(before_last) = count.checked_sub(1) {
                self.cursor.skip(before_last as usize);
                self.next()?.ok_or_else(broken)?;
                self.cursor.skip(1);
            }
            // a count that is wrong would hide changes
            return if self.next()?.is_none() { Ok(()) } else { Err(broken()) };
        }
        while self.next()?.is_some() {
            self.cursor.skip(1);
        }
        Ok(())
    }

    /// The next entry that lies in this folder, or below it.
    fn next(&mut self) -> Result<Option<Next<'a>>, Fatal> {
        let Some(entry) = self.cursor.peek()? else { return Ok(None) };
        let Some(rest) = entry.path.strip_prefix(self.path.as_slice()) else { return Ok(None) };
        let slash = memchr::memchr(b'/', rest);
        Ok(Some(Next { entry, name: &rest[..slash.unwrap_or(rest.len())], is_folder: slash.is_some() }))
    }

    fn leaf(
        &mut self,
        name: &[u8],
        old: Option<Leaf>,
        next: Option<IndexEntry<'a>>,
        state: State,
    ) -> Result<(), Fatal> {
        let mut unmerged = false;
        let mut new = None;
        if let Some(entry) = next {
            unmerged = entry.unmerged;
            let is_there = !entry.unmerged && !entry.intent_to_add;
            new = is_there.then(|| Leaf { mode: mode(&entry), id: entry.id });
            self.cursor.skip(1);
            while self.cursor.peek()?.is_some_and(|other| other.path == entry.path) {
                self.cursor.skip(1); // another stage
            }
        }
        if (old != new || unmerged) && self.pass.wants(state, name) {
            let path = RepoPath::new(&[self.path.as_slice(), name].concat());
            self.deltas.push(Delta { path, old, new, unmerged });
        }
        Ok(())
    }

    /// The folder at `path`, where neither side is spelt out in the index.
    fn trees(&mut self, old: Option<ObjectId>, new: Option<ObjectId>, state: State) -> Result<(), Fatal> {
        if old == new || self.pass.is_dead(state) {
            return Ok(());
        }
        let (old, new) = (self.read(old)?, self.read(new)?);
        let (old, new) = (self.entries(old.as_ref())?, self.entries(new.as_ref())?);
        let (mut old, mut new) = (old.iter().peekable(), new.iter().peekable());
        loop {
            let order = match (old.peek(), new.peek()) {
                (None, None) => return Ok(()),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(a), Some(b)) => order(a.filename, a.mode.is_tree(), b.filename, b.mode.is_tree()),
            };
            let old = if order == Ordering::Greater { None } else { old.next() };
            let new = if order == Ordering::Less { None } else { new.next() };
            let Some(name) = old.or(new).map(|entry| entry.filename) else { return Ok(()) };
            let is_folder = old.or(new).is_some_and(|entry| entry.mode.is_tree());
            let (old, new) = (old.map(leaf), new.map(leaf));
            if is_folder {
                let ids = (old.map(|leaf| leaf.id), new.map(|leaf| leaf.id));
                self.enter(name, state, |compare, state| compare.trees(ids.0, ids.1, state))?;
            } else if old != new && self.pass.wants(state, name) {
                let path = RepoPath::new(&[self.path.as_slice(), name].concat());
                self.deltas.push(Delta { path, old, new, unmerged: false });
            }
        }
    }

    fn read(&self, tree: Option<ObjectId>) -> Result<Option<gix::Tree<'a>>, Fatal> {
        let Some(tree) = tree else { return Ok(None) };
        self.counters.tree();
        self.repo.find_tree(tree).map(Some).map_err(git)
    }

    /// The entries of a tree; none of one that is not there.
    fn entries<'t>(&mut self, tree: Option<&'t gix::Tree<'_>>) -> Result<Vec<EntryRef<'t>>, Fatal> {
        let Some(tree) = tree else { return Ok(Vec::new()) };
        let entries = tree.decode().map_err(git)?.entries;
        self.seen += entries.len() + 1;
        if self.seen > MOST_ENTRIES || self.deltas.len() > MOST_CHANGES {
            return Err(git("too much of HEAD differs from the index to be listed; `git reset` makes them one"));
        }
        Ok(entries)
    }
}

fn leaf(entry: &EntryRef<'_>) -> Leaf {
    Leaf { mode: entry.mode.kind(), id: entry.oid.to_owned() }
}

/// What the index remembers of a folder inside another.
fn child<'t>(tree: &'t Tree, name: &[u8]) -> Option<&'t Tree> {
    let at = tree.children.binary_search_by(|child| child.name.as_slice().cmp(name)).ok()?;
    Some(&tree.children[at])
}

/// git's order of names in a tree: a folder as if a `/` stood behind it.
fn order(a: &[u8], a_is_folder: bool, b: &[u8], b_is_folder: bool) -> Ordering {
    let length = a.len().min(b.len());
    let end = |name: &[u8], is_folder: bool| name.get(length).copied().unwrap_or(if is_folder { b'/' } else { 0 });
    a[..length]
        .cmp(&b[..length])
        .then_with(|| end(a, a_is_folder).cmp(&end(b, b_is_folder)))
        .then_with(|| a.len().cmp(&b.len()))
}

pub(super) fn mode(entry: &IndexEntry<'_>) -> Mode {
    match entry.kind {
        IndexKind::File if entry.executable => Mode::BlobExecutable,
        IndexKind::File => Mode::Blob,
        IndexKind::Link => Mode::Link,
        IndexKind::Submodule => Mode::Commit,
        IndexKind::SparseFolder => Mode::Tree,
    }
}

impl Leaf {
    /// What a line of work knows of it: nothing of submodules.
    pub(super) fn version(self) -> Option<Version> {
        let kind = match self.mode {
            Mode::Blob | Mode::BlobExecutable => EntryKind::File,
            Mode::Link => EntryKind::Link,
            Mode::Tree | Mode::Commit => return None,
        };
        Some(Version { kind, place: Place::Blob(self.id) })
    }
}
