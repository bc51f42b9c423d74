//! Listings of trees, remembered beside the git directory.
//!
//! What a classifier wants of a tree never changes: both are named by what is in them. So a listing can be kept, and the listing of the next
//! tree is the last one and what is different since. A file that can't be read, or is not as it was written, is as good as none.

use std::{
    collections::BTreeMap,
    fs,
    hash::{Hash, Hasher},
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

use gix::ObjectId;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::{
    CommitTree, Git,
    tree::{self, Folders, Gate},
};
use crate::{
    diag::{Holder, RepoPath},
    error::Fatal,
    rule::{Want, What, select::Classifier},
    source::{Counters, Entry, EntryKind, Listing, Place, Tree},
};

/// First bytes of a file; another number for another layout.
const MAGIC: &[u8] = b"gatekeep listing 1\n";
/// Longest file that is read, in bytes.
const LONGEST: u64 = 64 << 20;
/// Listings of one classifier that are kept.
const KEPT: usize = 4;
/// A tree with fewer files is listed faster than its listing is found.
const WORTH_IT: u64 = 5_000;

/// A commit's tree whose listings are remembered.
pub struct RememberedTree<'g> {
    git: &'g Git,
    tree: CommitTree<'g>,
    folder: PathBuf,
}

impl Git {
    /// As [`Git::tree`], with its listings remembered beside the git directory. An answer is the same with and without.
    ///
    /// # Errors
    /// The commit can't be read.
    pub fn remembered_tree(&self, commit: ObjectId, holder: Holder) -> Result<RememberedTree<'_>, Fatal> {
        let folder = self.repo.to_thread_local().common_dir().join("gatekeep");
        Ok(RememberedTree { git: self, tree: self.tree(commit, holder)?, folder })
    }
}

impl RememberedTree<'_> {
    fn file(&self, digest: u64, top: &ObjectId) -> PathBuf {
        self.folder.join(format!("{digest:016x}-{top}"))
    }

    /// The listing of the same classifier for another tree, the last one that was written.
    fn latest(&self, digest: u64) -> Option<(ObjectId, Listing)> {
        let prefix = format!("{digest:016x}-");
        let (_, file) = written(&self.folder, &prefix).pop()?;
        let top = ObjectId::from_hex(file.file_name()?.to_str()?.strip_prefix(&prefix)?.as_bytes()).ok()?;
        Some((top, read(&file)?))
    }

    /// What that listing comes to for this tree.
    fn brought_forward(&self, classifier: &Classifier<Want>, digest: u64) -> Option<Listing> {
        let (old, listing) = self.latest(digest)?;
        let mut gate = Gate::new(Folders::Wanted(classifier));
        let changes = tree::diff(&mut self.git.reader(), &mut gate, Some(old), Some(self.tree.top())).ok()?;
        let mut wants: BTreeMap<u32, Vec<Want>> = BTreeMap::new();
        listing.hits.iter().for_each(|hit| wants.entry(hit.entry).or_default().push(hit.want));
        let mut all: BTreeMap<RepoPath, (Entry, Vec<Want>)> = BTreeMap::new();
        for (at, entry) in (0u32..).zip(listing.entries) {
            all.insert(entry.path.clone(), (entry, wants.remove(&at).unwrap_or_default()));
        }
        let mut walk = classifier.walk();
        for changed in changes {
            let Some(new) = changed.new else {
                all.remove(&changed.path);
                continue;
            };
            let mut wants = Vec::new();
            walk.path(changed.path.as_bytes(), |want| wants.push(want));
            let entry = Entry { path: changed.path.clone(), kind: new.kind, place: new.place };
            all.insert(changed.path, (entry, wants));
        }
        let mut now = Listing::default();
        all.into_values().filter(|(_, wants)| !wants.is_empty()).for_each(|(entry, wants)| now.push(entry, &wants));
        now.sort();
        Some(now)
    }

    /// Writes a listing where nobody sees half of it, and takes away the oldest ones. A folder that can't be written to costs time alone.
    fn remember(&self, digest: u64, listing: &Listing) {
        let write = || -> io::Result<()> {
            fs::create_dir_all(&self.folder)?;
            let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
            file.write_all(&encode(listing))?;
            file.persist(self.file(digest, &self.tree.top()))?;
            let mut all = written(&self.folder, &format!("{digest:016x}-"));
            all.truncate(all.len().saturating_sub(KEPT));
            all.iter().try_for_each(|(_, file)| fs::remove_file(file))
        };
        let _ = write(); // the next run lists the tree again
    }
}

/// Files with this prefix, the last one that was written at the end.
fn written(folder: &Path, prefix: &str) -> Vec<(std::time::SystemTime, PathBuf)> {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<_> = files
        .filter(|file| file.file_name().to_string_lossy().starts_with(prefix))
        .filter_map(|file| Some((file.metadata().ok()?.modified().ok()?, file.path())))
        .collect();
    files.sort();
    files
}

fn digest(classifier: &Classifier<Want>) -> u64 {
    let mut hash = Xxh3::new();
    env!("CARGO_PKG_VERSION").hash(&mut hash);
    classifier.hash(&mut hash);
    hash.finish()
}

impl Tree for RememberedTree<'_> {
    fn list(&self, classifier: &Classifier<Want>) -> Result<Listing, Fatal> {
        let digest = digest(classifier);
        if let Some(listing) = read(&self.file(digest, &self.tree.top())) {
            return Ok(listing);
        }
        if let Some(listing) = self.brought_forward(classifier, digest) {
            self.remember(digest, &listing);
            return Ok(listing);
        }
        let before = self.counters().now().paths;
        let listing = self.tree.list(classifier)?;
        if self.counters().now().paths - before >= WORTH_IT && listing.incomplete.is_empty() {
            self.remember(digest, &listing);
        }
        Ok(listing)
    }

    fn open(&self, entry: &Entry) -> io::Result<Box<dyn Read + Send>> {
        self.tree.open(entry)
    }

    fn read(&self, entry: &Entry, limit: u64) -> io::Result<Vec<u8>> {
        self.tree.read(entry, limit)
    }

    fn size(&self, entry: &Entry) -> Option<u64> {
        self.tree.size(entry)
    }

    fn read_at(&self, entry: &Entry, offset: u64, length: usize) -> io::Result<Vec<u8>> {
        self.tree.read_at(entry, offset, length)
    }

    fn link_target(&self, entry: &Entry) -> io::Result<Vec<u8>> {
        self.tree.link_target(entry)
    }

    fn holder(&self) -> Holder {
        self.tree.holder()
    }

    fn counters(&self) -> &Counters {
        self.tree.counters()
    }
}

/// The bytes of a listing. Numbers are little-endian; a hash of all before it stands at the end.
fn encode(listing: &Listing) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    let mut hits = listing.hits.iter().peekable();
    for (at, entry) in (0u32..).zip(&listing.entries) {
        let Place::Blob(id) = entry.place else { continue };
        let mut wants = Vec::new();
        while let Some(hit) = hits.next_if(|hit| hit.entry <= at) {
            wants.push(hit.want);
        }
        bytes.push(u8::from(entry.kind == EntryKind::Link));
        bytes.push(id.as_slice().len() as u8);
        bytes.extend_from_slice(id.as_slice());
        bytes.extend((wants.len() as u16).to_le_bytes());
        for want in wants {
            let (what, number) = split(want.what);
            bytes.extend(want.rule.to_le_bytes());
            bytes.extend([what, number]);
        }
        bytes.extend((entry.path.as_bytes().len() as u32).to_le_bytes());
        bytes.extend_from_slice(entry.path.as_bytes());
    }
    let hash = xxh3_64(&bytes);
    bytes.extend(hash.to_le_bytes());
    bytes
}

fn read(file: &Path) -> Option<Listing> {
    let mut bytes = Vec::new();
    fs::File::open(file).ok()?.take(LONGEST).read_to_end(&mut bytes).ok()?;
    decode(&bytes)
}

fn decode(bytes: &[u8]) -> Option<Listing> {
    let (body, hash) = bytes.split_last_chunk::<8>()?;
    if xxh3_64(body) != u64::from_le_bytes(*hash) {
        return None;
    }
    let mut rest = Rest(body.strip_prefix(MAGIC)?);
    let mut listing = Listing::default();
    while !rest.0.is_empty() {
        let kind = if rest.take(1)? == [0] { EntryKind::File } else { EntryKind::Link };
        let length = usize::from(rest.take(1)?[0]);
        let id = ObjectId::try_from(rest.take(length)?).ok()?;
        let count = u16::from_le_bytes(rest.take(2)?.try_into().ok()?);
        let mut wants = Vec::with_capacity(usize::from(count));
        for _ in 0..count {
            let rule = u16::from_le_bytes(rest.take(2)?.try_into().ok()?);
            let what = rest.take(2)?;
            wants.push(Want { rule, what: joined(what[0], what[1])? });
        }
        let length = u32::from_le_bytes(rest.take(4)?.try_into().ok()?);
        let path = RepoPath::new(rest.take(length as usize)?);
        listing.push(Entry { path, kind, place: Place::Blob(id) }, &wants);
    }
    Some(listing)
}

/// Bytes that are not read yet.
struct Rest<'b>(&'b [u8]);

impl<'b> Rest<'b> {
    fn take(&mut self, count: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }
}

fn split(what: What) -> (u8, u8) {
    match what {
        What::Attributes => (0, 0),
        What::Marker(at) => (1, at),
        What::From(at) => (2, at),
        What::Manifest(at) => (3, at),
        What::Claim(at) => (4, at),
        What::Text(at) => (5, at),
        What::Malformed(at) => (6, at),
        What::Unclaimed(at) => (7, at),
        What::Ignored(at) => (8, at),
        What::Beside(at) => (9, at),
        What::Lax(at) => (10, at),
    }
}

fn joined(what: u8, at: u8) -> Option<What> {
    Some(match what {
        0 => What::Attributes,
        1 => What::Marker(at),
        2 => What::From(at),
        3 => What::Manifest(at),
        4 => What::Claim(at),
        5 => What::Text(at),
        6 => What::Malformed(at),
        7 => What::Unclaimed(at),
        8 => What::Ignored(at),
        9 => What::Beside(at),
        10 => What::Lax(at),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn a_listing_comes_back_as_it_was_and_a_broken_one_not_at_all() {
        let mut listing = Listing::default();
        let wants = [Want { rule: 3, what: What::Text(2) }, Want { rule: Want::NO_RULE, what: What::Attributes }];
        let id = ObjectId::from_hex(b"0123456789012345678901234567890123456789").unwrap();
        for (path, kind) in [("a/\u{fc}\n", EntryKind::File), ("b", EntryKind::Link)] {
            listing.push(Entry { path: path.into(), kind, place: Place::Blob(id) }, &wants);
        }
        listing.sort();
        let bytes = encode(&listing);
        let back = decode(&bytes).unwrap();
        assert_eq!((&back.entries, &back.hits), (&listing.entries, &listing.hits));
        for at in 0..bytes.len() {
            let mut broken = bytes.clone();
            broken[at] ^= 1;
            assert!(decode(&broken).is_none() && decode(&bytes[..at]).is_none(), "{at}");
        }
    }
}
