//! Packs, read so that what deltas are told by is inflated once.
//!
//! gix keeps the results of deltas but not the objects at the end of their chains, and inflates those again for each neighbour: in a
//! pack as a server sends it that is most of the work (gix-pack 0.77, `resolve_deltas`). Here every object that comes by is kept for a
//! while. Opening, finding and inflating are gix's; what is not found here is for gix.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use gix::{
    objs::Kind,
    odb::pack::{
        data::{self, entry::Header},
        index,
    },
    oid,
};

use super::{
    cache::Generations,
    delta,
    objects::{Object, Objects, Unread},
};

/// Deltas that tell each other, at most; git makes no longer chains.
const LONGEST_CHAIN: usize = 4095;
/// Bytes that each generation of the cache may hold.
const CACHED: usize = 4 << 20;
/// Larger blobs are not kept: hardly two lines of work change the same large file.
const LARGEST_KEPT_BLOB: usize = 256 << 10;
/// Longest object that others may be told by, in bytes.
const LARGEST_BASE: u64 = 1 << 30;
/// Bytes that all objects of a chain may have together.
const LARGEST_CHAIN: u64 = 4 << 30;
/// Bytes that are held on to for the next delta.
const LARGEST_SCRATCH: usize = 1 << 20;
/// Nothing shrinks further than this by deflate.
pub(super) const MOST_DEFLATED: u64 = 1040;

/// All packs of a repository as they were found, for all threads.
pub(super) struct Packs {
    list: Vec<Pack>,
    /// Where objects are: the repository's own folder, then those that it borrows from. None where objects are replaced.
    pub(super) folders: Vec<PathBuf>,
}

struct Pack {
    index: index::File,
    path: PathBuf,
    /// Opened by the first who needs it.
    data: OnceLock<Option<data::File>>,
}

impl Packs {
    /// Packs of the repository and of those that it borrows from. None where objects are replaced by others: gix knows which.
    pub(super) fn of(repo: &gix::ThreadSafeRepository) -> Self {
        let repo = repo.to_thread_local();
        let store = repo.objects.store_ref();
        if store.replacements().next().is_some() {
            return Self { list: Vec::new(), folders: Vec::new() };
        }
        let mut folders = store.alternate_db_paths().unwrap_or_default();
        folders.insert(0, store.path().to_owned());
        let mut found: Vec<(u64, PathBuf)> = folders.iter().flat_map(|folder| indices(&folder.join("pack"))).collect();
        found.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        let open = |path: PathBuf| {
            let index = index::File::at(&path, repo.object_hash()).ok()?;
            Some(Pack { index, path: path.with_extension("pack"), data: OnceLock::new() })
        };
        Self { list: found.into_iter().filter_map(|(_, path)| open(path)).collect(), folders }
    }
}

/// Indices of packs in a folder, with their sizes.
fn indices(folder: &Path) -> Vec<(u64, PathBuf)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let indices = entries.filter(|entry| entry.path().extension().is_some_and(|extension| extension == "idx"));
    indices.map(|entry| (entry.metadata().map_or(0, |meta| meta.len()), entry.path())).collect()
}

impl Pack {
    fn data(&self) -> Option<&data::File> {
        self.data.get_or_init(|| data::File::at(&self.path, self.index.object_hash()).ok()).as_ref()
    }

    fn offset(&self, id: &oid) -> Option<u64> {
        self.index.lookup(id).map(|at| self.index.pack_offset_at_index(at))
    }
}

/// A place in a pack: which pack, and where.
type At = (u32, u64);

/// Reads packs for one thread.
pub(super) struct PackReader {
    packs: Arc<Packs>,
    /// Packs in which something was found lately come first.
    order: Vec<u32>,
    cache: Generations<At>,
    inflate: gix::zlib::Inflate,
    delta: Vec<u8>,
    /// Bytes that came out of git's compression.
    pub(super) inflated: u64,
}

/// An object told by another one.
struct Told {
    offset: u64,
    entry: data::Entry,
}

impl PackReader {
    pub(super) fn new(packs: Arc<Packs>) -> Self {
        Self {
            order: (0..packs.list.len() as u32).collect(),
            packs,
            cache: Generations::new(CACHED),
            inflate: gix::zlib::Inflate::default(),
            delta: Vec::new(),
            inflated: 0,
        }
    }

    /// Forgets what was read, so that what comes next costs the same whatever came before.
    pub(super) fn forget(&mut self) {
        self.cache.clear();
    }

    fn locate(&mut self, id: &oid) -> Option<At> {
        let found = |pack: &u32| self.packs.list[*pack as usize].offset(id);
        let (place, offset) = self.order.iter().enumerate().find_map(|(place, pack)| Some((place, found(pack)?)))?;
        self.order[..=place].rotate_right(1);
        Some((self.order[0], offset))
    }

    fn object(&mut self, (number, offset): At, limit: u64) -> Result<Object, Unread> {
        let packs = Arc::clone(&self.packs);
        let pack = &packs.list[number as usize];
        let data = pack.data().ok_or(Unread::Missing)?;
        let mut chain: Vec<Told> = Vec::new();
        let mut at = offset;
        let mut base = loop {
            if let Some(object) = self.cache.get((number, at)) {
                break object;
            }
            let entry = data.entry(at).map_err(broken)?;
            let next = match entry.header {
                Header::OfsDelta { base_distance } => {
                    entry.checked_base_pack_offset(base_distance).ok_or_else(nonsense)?
                }
                Header::RefDelta { base_id } => pack.offset(&base_id).ok_or(Unread::Missing)?,
                Header::Commit | Header::Tree | Header::Blob | Header::Tag => {
                    let limit = if chain.is_empty() { limit } else { LARGEST_BASE };
                    break self.whole((number, at), data, &entry, limit)?;
                }
            };
            if chain.len() == LONGEST_CHAIN {
                return Err(Unread::Broken(format!("a chain of more than {LONGEST_CHAIN} deltas")));
            }
            chain.push(Told { offset: at, entry });
            at = next;
        };
        let mut all = 0;
        while let Some(told) = chain.pop() {
            let limit = if chain.is_empty() { limit } else { LARGEST_BASE };
            base = self.told((number, told.offset), data, &told.entry, &base, limit)?;
            all += base.bytes.len() as u64;
            if all > LARGEST_CHAIN {
                return Err(Unread::TooLarge(all));
            }
        }
        Ok(base)
    }

    /// An object that stands for itself.
    fn whole(&mut self, at: At, data: &data::File, entry: &data::Entry, limit: u64) -> Result<Object, Unread> {
        let kind = entry.header.as_kind().ok_or_else(nonsense)?;
        let size = size_of(entry, data, limit)?;
        let mut bytes = Vec::new();
        self.inflate(data, entry, size, &mut bytes)?;
        Ok(self.keep(at, kind, bytes))
    }

    /// An object that is told by another.
    fn told(
        &mut self,
        at: At,
        data: &data::File,
        entry: &data::Entry,
        base: &Object,
        limit: u64,
    ) -> Result<Object, Unread> {
        let size = size_of(entry, data, LARGEST_BASE)?;
        let mut delta = std::mem::take(&mut self.delta);
        self.inflate(data, entry, size, &mut delta)?;
        let sizes = delta::Sizes::of(&delta).filter(|sizes| sizes.base == base.bytes.len() as u64);
        let sizes = sizes.ok_or_else(nonsense)?;
        if sizes.result > limit {
            return Err(Unread::TooLarge(sizes.result));
        }
        // a piece of two bytes copies at most 16 MiB: more can't be told
        if sizes.result > (delta.len() as u64) << 23 {
            return Err(nonsense());
        }
        let size = sizes.result as usize;
        let mut bytes = Vec::with_capacity(size);
        delta::apply(&base.bytes, &delta[sizes.end..], size, &mut bytes).ok_or_else(nonsense)?;
        if delta.capacity() <= LARGEST_SCRATCH {
            self.delta = delta;
        }
        Ok(self.keep(at, base.kind, bytes))
    }

    fn inflate(
        &mut self,
        data: &data::File,
        entry: &data::Entry,
        size: usize,
        into: &mut Vec<u8>,
    ) -> Result<(), Unread> {
        into.resize(size, 0);
        data.decompress_entry(entry, &mut self.inflate, into).map_err(broken)?;
        self.inflated += size as u64;
        Ok(())
    }

    fn keep(&mut self, at: At, kind: Kind, bytes: Vec<u8>) -> Object {
        let object = Object { kind, bytes: Arc::new(bytes) };
        if kind != Kind::Blob || object.bytes.len() <= LARGEST_KEPT_BLOB {
            self.cache.put(at, object.clone());
        }
        object
    }
}

impl Objects for PackReader {
    fn read(&mut self, id: &oid, limit: u64) -> Result<Object, Unread> {
        let at = self.locate(id).ok_or(Unread::Missing)?;
        let object = self.object(at, limit)?;
        let size = object.bytes.len() as u64;
        if size > limit { Err(Unread::TooLarge(size)) } else { Ok(object) }
    }

    fn size(&mut self, _: &oid) -> Result<u64, Unread> {
        Err(Unread::Missing) // asked too seldom to be worth it
    }
}

/// How much an entry says that it inflates to, before anything is allocated for it.
fn size_of(entry: &data::Entry, data: &data::File, limit: u64) -> Result<usize, Unread> {
    let size = entry.decompressed_size;
    if size > limit {
        return Err(Unread::TooLarge(size));
    }
    let there = (data.data_len() as u64).saturating_sub(entry.data_offset);
    if size > there.saturating_mul(MOST_DEFLATED) {
        return Err(nonsense());
    }
    usize::try_from(size).map_err(|_| Unread::TooLarge(size))
}

fn broken(error: gix::Error) -> Unread {
    Unread::Broken(error.to_string())
}

fn nonsense() -> Unread {
    Unread::Broken("the pack makes no sense there".into())
}

#[cfg(test)]
mod tests;
