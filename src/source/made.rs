//! What was made of single contents, kept beside the git directory: the names in a text of many megabytes, found once.

use std::{
    fs,
    io::{self, Read, Seek, Write},
    path::{Path, PathBuf},
};

use xxhash_rust::xxh3::xxh3_64;

/// Stands for the content of an entry: as long as the stamp is the same, so is the content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamp(String);

impl Stamp {
    /// That of a blob.
    pub(super) fn of_blob(id: gix::ObjectId) -> Self {
        Self(id.to_string())
    }

    /// That of an index of git: the checksum at its end, its size, and when it was written, for git itself reads an index whose checksum is
    /// wrong. None where it has no checksum (`index.skipHash`).
    pub(super) fn of_index(path: &Path) -> Option<Self> {
        let mut checksum = [0; 20];
        let mut index = fs::File::open(path).ok()?;
        let meta = index.metadata().ok()?;
        index.seek(io::SeekFrom::End(-20)).ok()?;
        index.read_exact(&mut checksum).ok()?;
        let facts = format!("{checksum:?} {} {:?}", meta.len(), meta.modified().ok()?);
        (checksum != [0; 20]).then(|| Self(format!("{:032x}", xxhash_rust::xxh3::xxh3_128(facts.as_bytes()))))
    }

    /// That of a file on disk, if it was at rest before `since`; none where a later change could have gone unseen.
    #[cfg(unix)]
    pub(super) fn of_file(path: &Path, since: std::time::SystemTime) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;

        let meta = fs::symlink_metadata(path).ok()?;
        let since = since.duration_since(std::time::UNIX_EPOCH).ok()?.as_secs();
        let at_rest = meta.is_file() && meta.ctime().max(meta.mtime()) < i64::try_from(since).ok()? - TICK;
        let times = [meta.ctime(), meta.ctime_nsec(), meta.mtime(), meta.mtime_nsec()];
        let facts = format!("{} {} {} {times:?} {}", meta.dev(), meta.ino(), meta.len(), path.display());
        at_rest.then(|| Self(format!("{:032x}", xxhash_rust::xxh3::xxh3_128(facts.as_bytes()))))
    }

    /// That of a file on disk: its times tell too little here.
    #[cfg(not(unix))]
    pub(super) fn of_file(_: &Path, _: std::time::SystemTime) -> Option<Self> {
        None
    }
}

/// No clock of a file system is coarser, in seconds.
#[cfg(unix)]
const TICK: i64 = 2;

/// Begins the names of these files.
const PREFIX: &str = "made-";
/// Longest file that is read, in bytes.
const LONGEST: u64 = 64 << 20;
/// Bytes that are kept in all; the oldest go first.
const KEPT: u64 = 96 << 20;

fn file_name(name: u64, stamp: &Stamp) -> String {
    format!("{PREFIX}{name:016x}-{}", stamp.0)
}

/// What was kept of a content under a name. A file that is not as it was written is as good as none.
pub(super) fn read(folder: &Path, name: u64, stamp: &Stamp) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    fs::File::open(folder.join(file_name(name, stamp))).ok()?.take(LONGEST).read_to_end(&mut bytes).ok()?;
    let (made, hash) = bytes.split_last_chunk::<8>()?;
    let is_whole = xxh3_64(made) == u64::from_le_bytes(*hash);
    bytes.truncate(bytes.len() - 8);
    is_whole.then_some(bytes)
}

/// Writes what was made where nobody sees half of it.
pub(super) fn write(folder: &Path, name: u64, stamp: &Stamp, made: &[u8]) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(made)?;
    file.write_all(&xxh3_64(made).to_le_bytes())?;
    file.persist(folder.join(file_name(name, stamp)))?;
    make_room(folder);
    Ok(())
}

/// The same, in the place of what was made before under this name.
pub(super) fn replace(folder: &Path, name: u64, stamp: &Stamp, made: &[u8]) -> io::Result<()> {
    write(folder, name, stamp, made)?;
    let all = written(folder, &format!("{PREFIX}{name:016x}-"));
    let own = folder.join(file_name(name, stamp));
    all.iter().filter(|(_, file)| *file != own).try_for_each(|(_, file)| fs::remove_file(file))
}

/// Files with this prefix, the last one that was written at the end.
pub(super) fn written(folder: &Path, prefix: &str) -> Vec<(std::time::SystemTime, PathBuf)> {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<_> = files
        .filter(|file| file.file_name().to_string_lossy().starts_with(prefix))
        .filter_map(|file| Some((file.metadata().ok()?.modified().ok()?, file.path())))
        .collect();
    files.sort();
    files
}

fn make_room(folder: &Path) {
    let size = |file: &Path| fs::metadata(file).map_or(0, |meta| meta.len());
    let mut left = KEPT;
    for (_, file) in written(folder, PREFIX).iter().rev() {
        match left.checked_sub(size(file)) {
            Some(rest) => left = rest,
            None => {
                left = 0;
                let _ = fs::remove_file(file); // another run may have been faster
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn what_was_made_comes_back_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let blob = Stamp("0123".into());
        assert_eq!(read(folder.path(), 1, &blob), None);
        write(folder.path(), 1, &blob, b"names").unwrap();
        assert_eq!(read(folder.path(), 1, &blob).as_deref(), Some(&b"names"[..]));
        assert_eq!(read(folder.path(), 2, &blob), None);
        let file = folder.path().join(file_name(1, &blob));
        let whole = fs::read(&file).unwrap();
        for at in 0..whole.len() {
            let mut broken = whole.clone();
            broken[at] ^= 1;
            fs::write(&file, broken).unwrap();
            assert_eq!(read(folder.path(), 1, &blob), None, "{at}");
        }
    }

    #[test]
    fn what_is_replaced_is_gone_and_other_names_stay() {
        let folder = tempfile::tempdir().unwrap();
        let [old, new] = ["01", "02"].map(|stamp| Stamp(stamp.into()));
        write(folder.path(), 2, &old, b"other").unwrap();
        for (stamp, made) in [(&old, b"old"), (&new, b"new"), (&new, b"now")] {
            replace(folder.path(), 1, stamp, made).unwrap();
        }
        let left = [(1, &old), (1, &new), (2, &old)].map(|(name, stamp)| read(folder.path(), name, stamp));
        assert_eq!(left, [None, Some(b"now".to_vec()), Some(b"other".to_vec())]);
    }

    #[test]
    #[cfg(unix)]
    fn a_file_on_disk_has_a_stamp_once_it_is_at_rest_and_another_after_each_change() {
        use std::time::{Duration, SystemTime};

        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a");
        fs::write(&file, "a").unwrap();
        assert_eq!(Stamp::of_file(&file, SystemTime::now()), None, "it is still warm");
        let later = SystemTime::now() + Duration::from_secs(10);
        let before = Stamp::of_file(&file, later).unwrap();
        assert_eq!(Stamp::of_file(&file, later), Some(before.clone()));
        let meta = fs::metadata(&file).unwrap();
        std::thread::sleep(Duration::from_millis(20));
        fs::write(&file, "b").unwrap();
        fs::File::options().write(true).open(&file).unwrap().set_modified(meta.modified().unwrap()).unwrap();
        assert_ne!(Stamp::of_file(&file, later), Some(before), "same size, same mtime");
        assert_eq!(Stamp::of_file(folder.path(), later), None);
    }
}
