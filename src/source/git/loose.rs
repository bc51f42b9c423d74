//! Loose objects, read and inflated once.
//!
//! A length has to be known before anything is allocated that somebody else chose the size of. gix tells it, and then opens and
//! inflates the same file a second time. Commits of the last days are loose, and they are what a change is made of.

use std::{fs::File, io::Read as _, sync::Arc};

use gix::{objs::Kind, oid, zlib::Inflate};

use super::{
    objects::{Object, Unread},
    packs::{MOST_DEFLATED, Packs},
};

/// Longest file that is read here, in bytes. What is longer is for gix.
const LONGEST: u64 = 1 << 20;
/// Most files are shorter.
const HELD: usize = 16 << 10;
/// Enough for what stands before an object: its kind and length.
const HEADER: usize = 64;

/// Reads loose objects for one thread.
pub(super) struct LooseReader {
    packs: Arc<Packs>,
    inflate: Inflate,
    file: Vec<u8>,
}

impl LooseReader {
    pub(super) fn new(packs: Arc<Packs>) -> Self {
        Self { packs, inflate: Inflate::default(), file: Vec::with_capacity(HELD) }
    }

    /// The object with this id, if it is no longer than so many bytes. What is missing or broken here, gix may still find.
    pub(super) fn read(&mut self, id: &oid, limit: u64) -> Result<Object, Unread> {
        let name = id.to_string();
        let (folder, name) = name.split_at(2);
        let mut opened =
            self.packs.folders.iter().filter_map(|objects| File::open(objects.join(folder).join(name)).ok());
        let file = opened.next().ok_or(Unread::Missing)?;
        drop(opened);
        self.file.clear();
        file.take(LONGEST + 1).read_to_end(&mut self.file).map_err(|error| Unread::Broken(error.to_string()))?;
        if self.file.len() as u64 > LONGEST {
            return Err(Unread::Missing);
        }
        self.object(limit)
    }

    /// The object in the file that was read.
    fn object(&mut self, limit: u64) -> Result<Object, Unread> {
        let broken = |error: gix::Error| Unread::Broken(error.to_string());
        self.inflate.reset();
        let mut head = [0; HEADER];
        let (_, used, written) = self.inflate.prefix(&self.file, &mut head).map_err(broken)?;
        let head = &head[..written];
        let end = memchr::memchr(0, head).ok_or_else(nonsense)?;
        let (kind, size) = header(&head[..end]).ok_or_else(nonsense)?;
        if size > limit {
            return Err(Unread::TooLarge(size));
        }
        let most = (self.file.len() as u64).saturating_mul(MOST_DEFLATED);
        let size = usize::try_from(size).ok().filter(|_| size <= most).ok_or_else(nonsense)?;
        let begun = written - end - 1;
        let mut bytes = Vec::new();
        if begun > size
            || self.inflate.rest(&self.file[used..], head, end + 1, &mut bytes, size).map_err(broken)? != size
        {
            return Err(nonsense());
        }
        Ok(Object { kind, bytes: Arc::new(bytes) })
    }
}

/// Kind and length: `blob 12`.
fn header(text: &[u8]) -> Option<(Kind, u64)> {
    let text = std::str::from_utf8(text).ok()?;
    let (kind, size) = text.split_once(' ')?;
    let plain = size.bytes().all(|byte| byte.is_ascii_digit());
    Some((Kind::from_bytes(kind.as_bytes()).ok()?, size.parse().ok().filter(|_| plain)?))
}

fn nonsense() -> Unread {
    Unread::Broken("the loose object makes no sense".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::git::{
        Git,
        objects::{Objects as _, ThroughGix},
        testing::TestRepo,
    };

    #[test]
    fn every_loose_object_is_what_gix_says() {
        for format in ["sha1", "sha256"] {
            let repo = TestRepo::new(&["--object-format", format]);
            repo.git(&["config", "fastimport.unpackLimit", "1000000"]);
            repo.grow(10);
            repo.git(&["tag", "-a", "-m", "a tag", "one", "main"]);
            let borrower = repo.beside("borrower");
            repo.git(&["clone", "--quiet", "--shared", ".", &borrower.to_string_lossy()]);
            let git = repo.open();
            let mut own = LooseReader::new(git.packs());
            let borrower = Git::open(&borrower).expect("it can be opened").expect("it is there");
            let mut borrowed = LooseReader::new(borrower.packs());
            let mut gix = ThroughGix::new(&git.repo);
            let mut kinds = std::collections::BTreeSet::new();
            for id in repo.objects() {
                let right = gix.read(&id, u64::MAX).expect("it is there");
                let size = right.bytes.len() as u64;
                let object = own.read(&id, size).unwrap_or_else(|error| panic!("{id}: {error:?}"));
                assert_eq!((object.kind, &object.bytes), (right.kind, &right.bytes), "{id}");
                assert_eq!(borrowed.read(&id, size).map(|object| object.bytes), Ok(right.bytes), "{id}");
                assert!(size == 0 || own.read(&id, size - 1).err() == Some(Unread::TooLarge(size)), "{id}");
                kinds.insert(object.kind);
            }
            assert_eq!(kinds.len(), 4);
            repo.git(&["gc", "--quiet"]);
            assert!(repo.objects().iter().all(|id| own.read(id, u64::MAX).err() == Some(Unread::Missing)));
        }
    }

    #[test]
    fn what_makes_no_sense_is_left_to_gix() {
        let repo = TestRepo::new(&[]);
        repo.grow(2);
        let git = repo.open();
        let mut own = LooseReader::new(git.packs());
        for id in repo.objects() {
            let name = id.to_string();
            let path = repo.top().join(".git/objects").join(&name[..2]).join(&name[2..]);
            let whole = std::fs::read(&path).expect("it is loose");
            let mut longer = whole.clone();
            longer[0] ^= 1;
            for bytes in [&[][..], &whole[..whole.len() / 2], &longer, b"blob 3\0abc"] {
                std::fs::remove_file(&path).expect("it is there");
                std::fs::write(&path, bytes).expect("the folder is there");
                assert!(matches!(own.read(&id, u64::MAX), Err(Unread::Broken(_))), "{id}");
            }
        }
        assert_eq!(header(b"blob 12"), Some((Kind::Blob, 12)));
        for text in
            [&b"blob"[..], b"blob ", b"blob +1", b"blob -1", b"blot 1", b"blob 99999999999999999999", b"blob 1 "]
        {
            assert_eq!(header(text), None);
        }
    }
}
