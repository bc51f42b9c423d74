//! An index, entry by entry in order of paths, with what it remembers of trees.

use std::{
    fs,
    io::{self, Read, Seek, SeekFrom},
    path::Path,
    sync::OnceLock,
    time::UNIX_EPOCH,
};

use gix::index::extension::{self, Tree};

use crate::{
    error::Fatal,
    source::{
        Counters,
        index::{self, HEADER, IndexEntry, broken},
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

/// Whether the entries of a large index are kept once they are read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Keep {
    /// Yes: all will be asked for.
    All,
    /// No: most of them will be passed by, and the others are read again.
    Few,
}

enum Held {
    Nothing,
    InPlace(Chunks),
    Gix(Box<gix::index::File>),
}

/// The entries as they stand in a file of format 2 or 3.
struct Chunks {
    file: fs::File,
    all: Vec<Chunk>,
    /// How many entries there are.
    count: usize,
}

/// Some entries that stand one behind the other, never none.
struct Chunk {
    /// The number of the first of them.
    first: usize,
    /// Where it begins in the file.
    start: u64,
    length: usize,
    bytes: OnceLock<Vec<u8>>,
}

/// An index that fits in so many bytes is always kept.
const SMALL: u64 = 1 << 20;
/// Bytes that are read again together: a page, and the rest of an entry.
const PIECE: usize = 4 << 10;

impl IndexFile {
    /// Reads an index; an empty one where there is no file.
    pub(super) fn open(repo: &gix::Repository, path: &Path, keep: Keep, counters: &Counters) -> Result<Self, Fatal> {
        let fatal = |source| Fatal::Io { path: path.to_owned(), source };
        let file = match fs::File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Self { held: Held::Nothing, tree: None, written: (0, 0) });
            }
            Err(source) => return Err(fatal(source)),
        };
        let meta = file.metadata().map_err(fatal)?;
        let since = meta.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
        let written = (since.as_secs() as u32, since.subsec_nanos()); // cut as the times of entries are
        counters.bytes(meta.len());
        if repo.object_hash() == gix::hash::Kind::Sha1
            && let Some((chunks, tree)) = Chunks::read(file, meta.len(), keep == Keep::All || meta.len() <= SMALL)?
        {
            return Ok(Self { held: Held::InPlace(chunks), tree, written });
        }
        let options = gix::index::decode::Options::default();
        let index = gix::index::File::at(path, repo.object_hash(), true, options)
            .map_err(|error| Fatal::Git(format!("the index can't be read: {error}")))?;
        let tree = index.tree().cloned();
        Ok(Self { held: Held::Gix(Box::new(index)), tree, written })
    }

    /// A way through all entries.
    pub(super) fn cursor(&self) -> Cursor<'_> {
        Cursor { held: &self.held, number: 0, rest: &[], until: 0 }
    }
}

impl Chunks {
    /// Goes through the file once. None where its format is one for gix.
    fn read(file: fs::File, length: u64, keep: bool) -> Result<Option<(Self, Option<Tree>)>, Fatal> {
        let mut tree = Vec::new();
        let (mut all, mut count, mut start) = (Vec::new(), 0, HEADER as u64);
        let is_whole = index::chunks(&file, length, Some(&mut tree), &mut |bytes, entries| {
            if keep {
                let length = bytes.len();
                all.push(Chunk { first: count, start, length, bytes: OnceLock::from(bytes) });
                count += entries as usize;
                start += length as u64;
                return;
            }
            let mut rest = bytes.as_slice();
            while !rest.is_empty() {
                let (length, entries) = index::filling(rest, PIECE);
                all.push(Chunk { first: count, start, length, bytes: OnceLock::new() });
                count += entries;
                start += length as u64;
                rest = &rest[length..];
            }
        })?;
        let limit = tree.len().saturating_mul(64); // more than its nodes can take
        let tree = extension::tree::decode(&tree, gix::hash::Kind::Sha1, Some(limit));
        Ok(is_whole.then_some((Self { file, all, count }, tree)))
    }

    /// The entries from one on, up to the end of its chunk, and the number behind them.
    fn from(&self, number: usize) -> Result<(&[u8], usize), Fatal> {
        let at = self.all.partition_point(|chunk| chunk.first <= number).saturating_sub(1);
        let chunk = self.all.get(at).ok_or_else(broken)?;
        let bytes = match chunk.bytes.get() {
            Some(bytes) => bytes,
            None => {
                let bytes =
                    self.load(chunk).map_err(|error| Fatal::Git(format!("the index can't be read: {error}")))?;
                chunk.bytes.get_or_init(|| bytes)
            }
        };
        let until = self.all.get(at + 1).map_or(self.count, |next| next.first);
        Ok((behind(bytes, number - chunk.first), until))
    }

    fn load(&self, chunk: &Chunk) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::with_capacity(chunk.length);
        let mut file = &self.file;
        file.seek(SeekFrom::Start(chunk.start))?;
        file.take(chunk.length as u64).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

/// What stands behind so many entries.
fn behind(mut entries: &[u8], count: usize) -> &[u8] {
    for _ in 0..count {
        let size = index::extent(entries).map_or(entries.len(), |(size, _)| size);
        entries = entries.get(size..).unwrap_or_default();
    }
    entries
}

/// A way through the entries of an index.
pub(super) struct Cursor<'a> {
    held: &'a Held,
    /// The number of the next entry.
    number: usize,
    /// It and those behind it in its chunk; empty where they have to be looked up.
    rest: &'a [u8],
    /// The number of the first entry behind this chunk.
    until: usize,
}

impl<'a> Cursor<'a> {
    /// The next entry, which stays the next one.
    pub(super) fn peek(&mut self) -> Result<Option<IndexEntry<'a>>, Fatal> {
        match self.held {
            Held::Nothing => Ok(None),
            Held::Gix(file) => {
                let entry = file.entries().get(self.number);
                Ok(entry.map(|entry| index::from_gix(entry, entry.path(file))))
            }
            Held::InPlace(chunks) if self.number >= chunks.count => Ok(None),
            Held::InPlace(chunks) => {
                if self.rest.is_empty() {
                    (self.rest, self.until) = chunks.from(self.number)?;
                }
                let (entry, _) = index::entry(self.rest).ok_or_else(broken)?;
                Ok(Some(entry))
            }
        }
    }

    /// Goes past so many entries.
    pub(super) fn skip(&mut self, count: usize) {
        self.number = self.number.saturating_add(count);
        self.rest = if self.number < self.until { behind(self.rest, count) } else { &[] };
    }
}
