//! Objects by their ids.

use std::{io, sync::Arc};

use gix::{
    objs::{Find as _, Kind},
    odb::Header as _,
    oid,
};

/// Longest tree that is read, in bytes: four million names of one folder.
pub(super) const TREE_LIMIT: u64 = 256 << 20;
/// Longest commit that is read, in bytes.
pub(super) const COMMIT_LIMIT: u64 = 64 << 20;

/// An object. Its bytes may be shared with the cache that they came from.
#[derive(Clone, Debug)]
pub(super) struct Object {
    pub(super) kind: Kind,
    pub(super) bytes: Arc<Vec<u8>>,
}

/// Why an object was not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Unread {
    /// It is nowhere.
    Missing,
    /// It is longer than what was asked for; how long.
    TooLarge(u64),
    /// It is there, and can't be read.
    Broken(String),
}

/// Reads objects.
pub(super) trait Objects {
    /// The object with this id, if it is no longer than so many bytes.
    fn read(&mut self, id: &oid, limit: u64) -> Result<Object, Unread>;

    /// How long an object is.
    fn size(&mut self, id: &oid) -> Result<u64, Unread>;
}

/// Through gix: loose objects and packs, alternates, multi-pack indices, replaced objects, packs that came while we ran.
pub(super) struct ThroughGix(gix::Repository);

impl ThroughGix {
    pub(super) fn new(repo: &gix::ThreadSafeRepository) -> Self {
        Self(repo.to_thread_local())
    }
}

impl Objects for ThroughGix {
    fn read(&mut self, id: &oid, limit: u64) -> Result<Object, Unread> {
        if id.is_empty_tree() {
            return Ok(Object { kind: Kind::Tree, bytes: Arc::default() }); // git knows it without having it
        }
        let size = self.size(id)?; // before anything is allocated that somebody else chose the size of
        if size > limit {
            return Err(Unread::TooLarge(size));
        }
        let mut bytes = Vec::new();
        let found = self.0.objects.try_find(id, &mut bytes).map_err(|error| Unread::Broken(error.to_string()))?;
        let kind = found.ok_or(Unread::Missing)?.kind;
        Ok(Object { kind, bytes: Arc::new(bytes) })
    }

    fn size(&mut self, id: &oid) -> Result<u64, Unread> {
        let header = self.0.objects.try_header(id).map_err(|error| Unread::Broken(error.to_string()))?;
        header.map(|header| header.size()).ok_or(Unread::Missing)
    }
}

impl Unread {
    /// Which object it is and what to do about it. `partial`: whether the clone leaves objects out on purpose.
    pub(super) fn explain(&self, id: &oid, partial: bool) -> String {
        match self {
            Self::Missing if partial => format!(
                "this clone was made without git object {id} (`--filter`); \
                 `git fetch --refetch --no-filter` brings all objects, `echo {id} | git cat-file --batch` this one"
            ),
            Self::Missing => format!(
                "git object {id} is missing; `git fsck` lists what else is, and `git fetch --refetch` or a fresh clone brings it back"
            ),
            Self::TooLarge(size) => format!("git object {id} is too large to be read: {} MiB", size >> 20),
            Self::Broken(why) => format!(
                "git object {id} can't be read: {why}; `git fsck` lists what else is broken, and a fresh clone brings it back"
            ),
        }
    }

    /// The same for somebody who reads files.
    pub(super) fn into_io(self, id: &oid, partial: bool) -> io::Error {
        let kind = match self {
            Self::Missing => io::ErrorKind::NotFound,
            Self::TooLarge(_) => io::ErrorKind::FileTooLarge,
            Self::Broken(_) => io::ErrorKind::InvalidData,
        };
        io::Error::new(kind, self.explain(id, partial))
    }
}
