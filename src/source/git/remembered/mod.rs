//! Listings of trees, remembered beside the git directory.
//!
//! What a classifier wants of a tree never changes: both are named by what is in them. So a listing can be kept, and the listing of the next
//! tree is the last one and what is different since. A file that can't be read, or is not as it was written, is as good as none.

pub(in crate::source) mod encoding;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    hash::{Hash, Hasher},
    io::{self, Read, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

use gix::ObjectId;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::{
    CommitTree, Git,
    tree::{self, Folders, Gate},
};
use crate::{
    diag::{Holder, RepoPath},
    error::Fatal,
    rule::{Want, select::Classifier},
    source::{
        Counters, Entry, Listing, Place, Stamp, Tree, WantLists, Wants,
        made::{self, written},
    },
};

/// Longest file that is read, in bytes.
const LONGEST: u64 = 64 << 20;
/// Listings of one classifier that are kept.
const KEPT: usize = 4;
/// Listings that are kept of all classifiers.
const KEPT_OF_ALL: usize = 24;
/// A tree with fewer files is listed faster than its listing is found.
pub(in crate::source) const WORTH_IT: u64 = 5_000;

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
        let own = listing.entries.into_iter().zip(listing.wants);
        let mut all: BTreeMap<RepoPath, (Entry, Wants)> =
            own.map(|(entry, wants)| (entry.path.clone(), (entry, wants))).collect();
        let (mut walk, mut lists) = (classifier.walk(), WantLists::default());
        for changed in changes {
            let Some(new) = changed.new else {
                all.remove(&changed.path);
                continue;
            };
            let mut wants = Vec::new();
            walk.path(changed.path.as_bytes(), |want| wants.push(want));
            let entry = Entry { path: changed.path.clone(), kind: new.kind, place: new.place };
            all.insert(changed.path, (entry, lists.of(&wants)));
        }
        let mut now = Listing::default();
        all.into_values().filter(|(_, wants)| !wants.is_empty()).for_each(|(entry, wants)| now.push(entry, wants));
        now.sort();
        Some(now)
    }

    /// Writes a listing where nobody sees half of it, and takes away the oldest ones. A folder that can't be written to costs time alone.
    fn remember(&self, digest: u64, listing: &Listing) {
        let write = || -> io::Result<()> {
            fs::create_dir_all(&self.folder)?;
            let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
            file.write_all(&encoding::encode(listing))?;
            file.persist(self.file(digest, &self.tree.top()))?;
            make_room(&self.folder, digest)
        };
        let _ = write(); // the next run lists the tree again
    }
}

/// Takes away the oldest listings: of one classifier, and of those that no configuration and no version asks for any more.
fn make_room(folder: &Path, digest: u64) -> io::Result<()> {
    let own = format!("{digest:016x}-");
    let is_listing = |file: &Path| {
        let name = file.file_name().and_then(|name| name.to_str()).and_then(|name| name.split_once('-'));
        let is_hex = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
        name.is_some_and(|(digest, top)| digest.len() == own.len() - 1 && is_hex(digest) && is_hex(top))
    };
    let mut all = written(folder, "");
    all.retain(|(_, file)| is_listing(file));
    let of_own = written(folder, &own);
    let too_many = of_own.iter().rev().skip(KEPT).chain(all.iter().rev().skip(KEPT_OF_ALL));
    let old: BTreeSet<&PathBuf> = too_many.map(|(_, file)| file).collect();
    old.into_iter().try_for_each(fs::remove_file)
}

/// The name of all listings of a classifier, by this version of the program.
pub(in crate::source) fn digest(classifier: &Classifier<Want>) -> u64 {
    let mut pieces = Pieces { gathered: Vec::with_capacity(2 * PIECE), before: 0 };
    env!("CARGO_PKG_VERSION").hash(&mut pieces);
    classifier.hash(&mut pieces);
    pieces.finish()
}

/// Gathers what is hashed, bit by bit, and hashes a piece at once: the hash of each is the seed of the next.
struct Pieces {
    gathered: Vec<u8>,
    before: u64,
}

/// Bytes of a piece, at least.
const PIECE: usize = 4 << 10;

impl Hasher for Pieces {
    fn write(&mut self, bytes: &[u8]) {
        self.gathered.extend_from_slice(bytes);
        if self.gathered.len() >= PIECE {
            self.before = self.finish();
            self.gathered.clear();
        }
    }

    fn finish(&self) -> u64 {
        xxh3_64_with_seed(&self.gathered, self.before)
    }
}

impl Tree for RememberedTree<'_> {
    fn list(&self, classifier: &Classifier<Want>) -> Result<Listing, Fatal> {
        if classifier.is_narrow() {
            return self.tree.list(classifier);
        }
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

    fn stamp(&self, entry: &Entry) -> Option<Stamp> {
        match entry.place {
            Place::Blob(id) => Some(Stamp::of_blob(id)),
            Place::Disk | Place::Worktree(_) => None,
        }
    }

    fn recall(&self, stamp: &Stamp, name: u64) -> Option<Vec<u8>> {
        made::read(&self.folder, name, stamp)
    }

    fn keep(&self, _: &Entry, stamp: &Stamp, name: u64, made: &[u8]) {
        let _ = made::write(&self.folder, name, stamp, made); // the next run makes it again
    }

    fn counters(&self) -> &Counters {
        self.tree.counters()
    }
}

fn read(file: &Path) -> Option<Listing> {
    let mut file = fs::File::open(file).ok()?;
    let length = file.metadata().ok()?.len();
    let mut bytes: Arc<[u8]> = std::iter::repeat_n(0, usize::try_from(length.min(LONGEST)).ok()?).collect();
    file.read_exact(Arc::get_mut(&mut bytes)?).ok()?;
    encoding::decode(&bytes)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use std::time::{Duration, SystemTime};

    use super::*;

    #[test]
    fn the_newest_listings_stay_and_what_is_none_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, age: u64| {
            let file = fs::File::create(folder.path().join(name)).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(1000 - age)).unwrap();
        };
        ["made-0123456789abcdef-01", "lines.json", "0123-ab"].iter().for_each(|name| write(name, 0));
        (1..=6).for_each(|age| write(&format!("{:016x}-{age:040x}", 7), 100 + age));
        (1..=30).for_each(|age| write(&format!("{:016x}-{:040x}", 100 + age, 1), age));
        make_room(folder.path(), 7).unwrap();
        let left = |prefix: &str| written(folder.path(), prefix).len();
        assert_eq!((left(&format!("{:016x}-", 7)), left("")), (4, 3 + KEPT_OF_ALL - 2));
        assert!(folder.path().join(format!("{:016x}-{:040x}", 7, 6)).exists(), "the newest of its own");
        assert!(!folder.path().join(format!("{:016x}-{:040x}", 101, 1)).exists(), "the oldest of all");
    }
}
