//! An index, entry by entry in order of paths, with what it remembers of trees.

use std::{
    fs,
    io::{self, Read},
    path::Path,
    time::UNIX_EPOCH,
};

use gix::index::extension::{self, Tree};

use crate::{
    error::Fatal,
    source::{
        Counters,
        index::{self, IndexEntry, broken},
    },
};

/// An index that was read.
pub(super) struct IndexFile {
    held: Held,
    /// Which trees its folders are, as far as nothing in them was changed since.
    pub(super) tree: Option<Tree>,
    /// When it was written, in seconds and nanoseconds since 1970.
    pub(super) written: (u32, u32),
}

enum Held {
    /// The file up to the end of its entries; format 2 or 3.
    InPlace(Vec<u8>),
    Gix(Box<gix::index::File>),
}

const HEADER: usize = 12;
const CHECKSUM: usize = 20;

impl IndexFile {
    /// Reads an index; an empty one where there is no file.
    pub(super) fn open(repo: &gix::Repository, path: &Path, counters: &Counters) -> Result<Self, Fatal> {
        let fatal = |source| Fatal::Io { path: path.to_owned(), source };
        let mut file = match fs::File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Self { held: Held::InPlace(Vec::new()), tree: None, written: (0, 0) });
            }
            Err(source) => return Err(fatal(source)),
        };
        let meta = file.metadata().map_err(fatal)?;
        let since = meta.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
        let written = (since.as_secs() as u32, since.subsec_nanos()); // cut as the times of entries are
        if repo.object_hash() == gix::hash::Kind::Sha1 {
            let mut bytes = Vec::with_capacity(usize::try_from(meta.len()).map_or(0, |length| length + 1));
            file.read_to_end(&mut bytes).map_err(fatal)?;
            counters.bytes(bytes.len() as u64);
            if let Some(tree) = in_place(&mut bytes)? {
                return Ok(Self { held: Held::InPlace(bytes), tree, written });
            }
        }
        let options = gix::index::decode::Options::default();
        let index = gix::index::File::at(path, repo.object_hash(), true, options)
            .map_err(|error| Fatal::Git(format!("the index can't be read: {error}")))?;
        let tree = index.tree().cloned();
        Ok(Self { held: Held::Gix(Box::new(index)), tree, written })
    }

    /// A way through all entries.
    pub(super) fn cursor(&self) -> Cursor<'_> {
        let place = match &self.held {
            Held::InPlace(bytes) => Place::InPlace(bytes.get(HEADER..).unwrap_or_default()),
            Held::Gix(index) => Place::Gix(index, 0),
        };
        Cursor { place }
    }
}

/// Cuts off what stands behind the entries of an index of format 2 or 3, and gives what it remembers of trees; none where it is one for gix.
fn in_place(bytes: &mut Vec<u8>) -> Result<Option<Option<Tree>>, Fatal> {
    let header = bytes.get(..HEADER).ok_or_else(broken)?;
    let word = |at: usize| u32::from_be_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
    if &header[..4] != b"DIRC" {
        return Err(broken());
    }
    let (version, count) = (word(4), word(8));
    if !(2..=3).contains(&version) {
        return Ok(None);
    }
    let mut at = HEADER;
    for _ in 0..count {
        let (size, _) = bytes.get(at..).and_then(index::extent).ok_or_else(broken)?;
        at += size;
    }
    let mut extensions = bytes.get(at..bytes.len().saturating_sub(CHECKSUM)).ok_or_else(broken)?;
    let mut tree = None;
    while !extensions.is_empty() {
        let (head, rest) = extensions.split_first_chunk::<8>().ok_or_else(broken)?;
        let size = u32::from_be_bytes([head[4], head[5], head[6], head[7]]) as usize;
        let (data, rest) = rest.split_at_checked(size).ok_or_else(broken)?;
        match &head[..4] {
            b"link" | b"sdir" => return Ok(None),
            b"TREE" => tree = extension::tree::decode(data, gix::hash::Kind::Sha1, Some(data.len() * 64)),
            _ => {}
        }
        extensions = rest;
    }
    bytes.truncate(at);
    Ok(Some(tree))
}

/// A way through the entries of an index.
pub(super) struct Cursor<'a> {
    place: Place<'a>,
}

enum Place<'a> {
    /// The entries that are left.
    InPlace(&'a [u8]),
    /// How many entries are behind.
    Gix(&'a gix::index::File, usize),
}

impl<'a> Cursor<'a> {
    /// The next entry, which stays the next one.
    pub(super) fn peek(&self) -> Option<IndexEntry<'a>> {
        match &self.place {
            Place::InPlace(rest) => index::entry(rest).map(|(entry, _)| entry),
            Place::Gix(file, at) => {
                let entry = file.entries().get(*at)?;
                Some(index::from_gix(entry, entry.path(file)))
            }
        }
    }

    /// Goes past so many entries.
    pub(super) fn skip(&mut self, count: usize) {
        match &mut self.place {
            Place::InPlace(rest) => {
                for _ in 0..count {
                    let size = index::extent(rest).map_or(rest.len(), |(size, _)| size);
                    *rest = rest.get(size..).unwrap_or_default();
                }
            }
            Place::Gix(_, at) => *at = at.saturating_add(count),
        }
    }
}
