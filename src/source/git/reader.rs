//! Reads objects of the kind that is expected, and counts.

use std::{
    ops::{Deref, DerefMut},
    sync::Arc,
};

use gix::{ObjectId, objs::Kind, oid};

use super::{
    Git,
    cache::Generations,
    loose::LooseReader,
    objects::{COMMIT_LIMIT, Object, Objects, TREE_LIMIT, ThroughGix, Unread},
    packs::PackReader,
};

/// Bytes of trees that each of two generations may hold.
const TREES: usize = 2 << 20;

/// What one thread reads with.
pub(super) struct Reader {
    packs: PackReader,
    loose: LooseReader,
    trees: Generations<ObjectId>,
    gix: ThroughGix,
    counts: Counts,
    /// Whether the clone leaves objects out on purpose.
    partial: bool,
    /// Blobs that were asked for and are nowhere.
    missing: Vec<ObjectId>,
}

#[derive(Default)]
struct Counts {
    trees: u64,
    tree_bytes: u64,
    blobs: u64,
}

/// What a commit says, as far as history is concerned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CommitFacts {
    pub(super) tree: ObjectId,
    pub(super) parents: Vec<ObjectId>,
    /// Committer's clock, seconds since 1970; 0 where the commit gives none that can be understood.
    pub(super) time: i64,
}

impl Reader {
    pub(super) fn new(git: &Git) -> Self {
        let packs = PackReader::new(git.packs());
        Self {
            packs,
            loose: LooseReader::new(git.packs()),
            trees: Generations::new(TREES),
            gix: ThroughGix::new(&git.repo),
            counts: Counts::default(),
            partial: git.is_partial(),
            missing: Vec::new(),
        }
    }

    /// The entries of a folder, as git stores them.
    pub(super) fn tree(&mut self, id: &oid) -> Result<Arc<Vec<u8>>, Unread> {
        if let Some(object) = self.trees.get(id.to_owned()) {
            return Ok(object.bytes);
        }
        let bytes = self.expect(id, Kind::Tree, TREE_LIMIT)?;
        self.counts.trees += 1;
        self.counts.tree_bytes += bytes.len() as u64;
        let object = Object { kind: Kind::Tree, bytes: Arc::clone(&bytes) };
        self.trees.put(id.to_owned(), object);
        Ok(bytes)
    }

    /// Forgets what was read, so that what comes next costs the same whatever came before: the counters are to be equal everywhere.
    pub(super) fn forget(&mut self) {
        self.trees.clear();
        self.packs.forget();
    }

    pub(super) fn commit(&mut self, id: &oid) -> Result<CommitFacts, Unread> {
        let bytes = self.expect(id, Kind::Commit, COMMIT_LIMIT)?;
        CommitFacts::parse(&bytes, id.kind()).ok_or_else(|| Unread::Broken("its tree or parents make no sense".into()))
    }

    /// A commit as git stores it.
    pub(super) fn raw_commit(&mut self, id: &oid) -> Result<Arc<Vec<u8>>, Unread> {
        self.expect(id, Kind::Commit, COMMIT_LIMIT)
    }

    /// What a person wrote about a commit; empty where nothing is there or it can't be read.
    pub(super) fn message(&mut self, id: &oid) -> Vec<u8> {
        let bytes = self.expect(id, Kind::Commit, COMMIT_LIMIT).unwrap_or_default();
        // no header holds an empty line: those of several lines go on with a blank
        bytes.windows(2).position(|end| end == b"\n\n").map_or_else(Vec::new, |at| bytes[at + 2..].to_vec())
    }

    pub(super) fn blob(&mut self, id: &oid, limit: u64) -> Result<Arc<Vec<u8>>, Unread> {
        let bytes = self.expect(id, Kind::Blob, limit)?;
        self.counts.blobs += 1;
        Ok(bytes)
    }

    /// Which object was not read, why, and what to do about it.
    pub(super) fn explain(&self, id: &oid, unread: &Unread) -> String {
        unread.explain(id, self.partial)
    }

    /// The same for a tree whose entries make no sense.
    pub(super) fn malformed(&self, id: &oid) -> String {
        self.explain(id, &Unread::Broken("its entries make no sense".into()))
    }

    fn expect(&mut self, id: &oid, kind: Kind, limit: u64) -> Result<Arc<Vec<u8>>, Unread> {
        let read = self.read(id, limit);
        if kind == Kind::Blob && matches!(read, Err(Unread::Missing)) {
            self.missing.push(id.to_owned());
        }
        let object = read?;
        if object.kind != kind {
            return Err(Unread::Broken(format!("it is a {}, and a {kind} was expected", object.kind)));
        }
        Ok(object.bytes)
    }
}

impl Objects for Reader {
    fn read(&mut self, id: &oid, limit: u64) -> Result<Object, Unread> {
        let missing = |read: &Result<Object, Unread>| matches!(read, Err(Unread::Missing | Unread::Broken(_)));
        let mut read = self.packs.read(id, limit);
        if missing(&read) {
            read = self.loose.read(id, limit);
        }
        if missing(&read) { self.gix.read(id, limit) } else { read }
    }

    fn size(&mut self, id: &oid) -> Result<u64, Unread> {
        self.gix.size(id)
    }
}

impl CommitFacts {
    /// Reads a commit as git's `parse_commit_buffer` does: tree and parents have to be right, the clock may be anything.
    fn parse(bytes: &[u8], hash: gix::hash::Kind) -> Option<Self> {
        let mut rest = bytes;
        let tree = id_line(&mut rest, b"tree ", hash)?;
        let mut parents = Vec::new();
        while rest.starts_with(b"parent ") {
            parents.push(id_line(&mut rest, b"parent ", hash)?);
        }
        Some(Self { tree, parents, time: committed(rest).unwrap_or(0) })
    }
}

fn id_line(rest: &mut &[u8], word: &[u8], hash: gix::hash::Kind) -> Option<ObjectId> {
    let (id, after) = rest.strip_prefix(word)?.split_at_checked(hash.len_in_hex())?;
    *rest = after.strip_prefix(b"\n")?;
    ObjectId::from_hex(id).ok()
}

/// The seconds behind the last `>` of the committer's line, which follows the author's.
fn committed(rest: &[u8]) -> Option<i64> {
    let mut lines = rest.strip_prefix(b"author ")?.splitn(3, |b| *b == b'\n');
    let line = lines.nth(1)?.strip_prefix(b"committer ")?;
    let clock = &line[memchr::memrchr(b'>', line)? + 1..];
    let clock = clock.trim_ascii_start();
    let digits = clock.iter().position(|b| !b.is_ascii_digit()).unwrap_or(clock.len());
    std::str::from_utf8(&clock[..digits]).ok()?.parse().ok()
}

/// A reader on loan; it goes back with what it keeps in mind.
pub(super) struct Lent<'g> {
    git: &'g Git,
    reader: Option<Reader>,
}

impl Git {
    /// A reader of one's own.
    pub(super) fn reader(&self) -> Lent<'_> {
        let idle = self.idle.lock().expect("no thread panics while it holds the list").pop();
        Lent { git: self, reader: Some(idle.unwrap_or_else(|| Reader::new(self))) }
    }
}

impl Deref for Lent<'_> {
    type Target = Reader;

    fn deref(&self) -> &Reader {
        self.reader.as_ref().expect("only drop takes it away")
    }
}

impl DerefMut for Lent<'_> {
    fn deref_mut(&mut self) -> &mut Reader {
        self.reader.as_mut().expect("only drop takes it away")
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        let Some(mut reader) = self.reader.take() else { return };
        let Counts { trees, tree_bytes, blobs } = std::mem::take(&mut reader.counts);
        self.git.counters.trees(trees, tree_bytes);
        self.git.counters.blobs(blobs);
        self.git.counters.inflated(std::mem::take(&mut reader.packs.inflated));
        if !reader.missing.is_empty()
            && let Ok(mut missing) = self.git.missing.lock()
        {
            missing.extend(reader.missing.drain(..));
        }
        if let Ok(mut idle) = self.git.idle.lock() {
            idle.push(reader);
        }
    }
}
