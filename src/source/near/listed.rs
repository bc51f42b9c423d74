//! What stands in a folder of a working tree. Nearly all of it is what the trunk holds too, in each of many worktrees: nothing is made of a
//! name, and of no entry is asked what it is, until somebody wants to know.

use std::path::Path;

use crate::source::path::to_system;

/// Entries that are shown of one folder, at most.
const MOST: usize = 20_000;

/// What an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    File,
    Folder,
    /// A link, or what is neither.
    Other,
}

/// Shows all that stands in a folder: its name, and how to find out what it is. A folder that can't be listed, or is a link, has nothing in it.
#[cfg(target_os = "linux")]
pub(super) fn each_in(top: &Path, folder: &[u8], mut see: impl FnMut(&[u8], &dyn Fn() -> What)) {
    use rustix::fs::{AtFlags, FileType, Mode, OFlags, RawDir, open, statat};

    /// As many bytes of entries the kernel gives at once.
    const AT_ONCE: usize = 64 << 10;

    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let Ok(opened) = open(top.join(to_system(folder)), flags, Mode::empty()) else { return };
    let mut buffer = Vec::with_capacity(AT_ONCE);
    let mut entries = RawDir::new(&opened, buffer.spare_capacity_mut());
    let mut left = MOST;
    while let Some(Ok(entry)) = entries.next().filter(|_| left > 0) {
        let name = entry.file_name();
        if matches!(name.to_bytes(), b"." | b"..") {
            continue;
        }
        left -= 1;
        let what = || {
            let kind = match entry.file_type() {
                FileType::Unknown => statat(&opened, name, AtFlags::SYMLINK_NOFOLLOW)
                    .map_or(FileType::Unknown, |meta| FileType::from_raw_mode(meta.st_mode)),
                kind => kind,
            };
            match kind {
                FileType::RegularFile => What::File,
                FileType::Directory => What::Folder,
                _ => What::Other,
            }
        };
        see(name.to_bytes(), &what);
    }
}

/// Shows all that stands in a folder: its name, and how to find out what it is. A folder that can't be listed, or is a link, has nothing in it.
#[cfg(not(target_os = "linux"))]
pub(super) fn each_in(top: &Path, folder: &[u8], mut see: impl FnMut(&[u8], &dyn Fn() -> What)) {
    use bstr::ByteVec as _;

    let path = top.join(to_system(folder));
    if std::fs::symlink_metadata(&path).is_ok_and(|meta| meta.is_symlink()) {
        return;
    }
    for entry in std::fs::read_dir(path).into_iter().flatten().flatten().take(MOST) {
        let what = || match entry.file_type() {
            Ok(kind) if kind.is_file() => What::File,
            Ok(kind) if kind.is_dir() => What::Folder,
            _ => What::Other,
        };
        see(&Vec::from_os_str_lossy(&entry.file_name()), &what);
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use std::fs;

    use super::*;

    #[test]
    fn each_entry_is_shown_with_what_it_is() {
        let top = tempfile::tempdir().unwrap();
        fs::create_dir_all(top.path().join("a/b")).unwrap();
        (0..3_000).for_each(|n| fs::write(top.path().join(format!("a/{n:060}")), "").unwrap());
        #[cfg(unix)]
        std::os::unix::fs::symlink("b", top.path().join("a/link")).unwrap();
        let mut all = Vec::new();
        each_in(top.path(), b"a", |name, what| all.push((name.to_vec(), what())));
        all.sort_by(|a, b| a.0.cmp(&b.0));
        let (files, others) = all.split_at(3_000);
        assert!(files.iter().all(|(name, what)| name.len() == 60 && *what == What::File));
        assert_eq!(others[0], (b"b".to_vec(), What::Folder));
        #[cfg(unix)]
        assert_eq!(others[1..], [(b"link".to_vec(), What::Other)]);
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("a", top.path().join("b")).unwrap();
            each_in(top.path(), b"b", |_, _| panic!("a link is not followed"));
        }
        each_in(top.path(), b"nowhere", |_, _| panic!("there is nothing"));
    }
}
