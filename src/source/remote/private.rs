//! The folder that holds what is on its way to a remote. It goes when the run ends; one whose run was killed goes with a later run.

use std::{
    fs::{self, File, Metadata},
    io,
    path::Path,
    time::Duration,
};

use tempfile::TempDir;

/// What the names of all such folders begin with.
const PREFIX: &str = "gatekeep-remote-";
/// The file in it that its run holds locked: the system lets go of it, however the run ends.
const LOCK: &str = "lock";
/// A younger folder may be about to be locked.
const SETTLED: Duration = Duration::from_secs(60 * 60);
/// Entries of the system's temporary folder that are looked at, at most.
const MOST: usize = 100_000;

/// A temporary folder that no other run takes away.
#[derive(Debug)]
pub(super) struct Private {
    _lock: File, // closed before the folder is removed
    folder: TempDir,
}

impl Private {
    /// A new one, among the system's temporary files.
    pub(super) fn new() -> io::Result<Self> {
        Self::beside(&std::env::temp_dir())
    }

    fn beside(others: &Path) -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(others)?;
        let lock = File::create_new(folder.path().join(LOCK))?;
        let _ = lock.try_lock(); // where the system knows no locks, nothing is swept either
        sweep(others, &folder.path().metadata()?);
        Ok(Self { _lock: lock, folder })
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Takes away the folders of this user whose runs were killed. One that can't be removed stays.
fn sweep(others: &Path, own: &Metadata) {
    for entry in fs::read_dir(others).into_iter().flatten().flatten().take(MOST) {
        let is_named = entry.file_name().to_string_lossy().starts_with(PREFIX);
        if !is_named || !fs::symlink_metadata(entry.path()).is_ok_and(|meta| is_old_and_ours(&meta, own)) {
            continue;
        }
        let lock = match File::options().write(true).open(entry.path().join(LOCK)) {
            Ok(lock) if lock.try_lock().is_ok() => Some(lock),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None, // killed before it was there
            _ => continue,
        };
        let _ = fs::remove_dir_all(entry.path()); // follows no link
        drop(lock);
    }
}

fn is_old_and_ours(meta: &Metadata, own: &Metadata) -> bool {
    let is_old = || meta.modified().ok()?.elapsed().ok().map(|age| age > SETTLED);
    meta.is_dir() && is_of_one_user(meta, own) && is_old() == Some(true)
}

#[cfg(unix)]
fn is_of_one_user(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;

    one.uid() == other.uid()
}

/// Elsewhere each user has a temporary folder of their own.
#[cfg(not(unix))]
fn is_of_one_user(_: &Metadata, _: &Metadata) -> bool {
    true
}

#[cfg(all(test, unix))]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use std::time::SystemTime;

    use super::*;

    fn age(folder: &Path) {
        File::open(folder).unwrap().set_modified(SystemTime::now() - 2 * SETTLED).unwrap();
    }

    #[test]
    fn what_a_killed_run_left_goes_and_nothing_else() {
        let others = tempfile::tempdir().unwrap();
        let left = |name: &str| {
            let folder = others.path().join(name);
            fs::create_dir_all(folder.join("objects/ab")).unwrap();
            fs::write(folder.join(LOCK), "").unwrap();
            folder
        };
        let (killed, young, foreign) = (left("gatekeep-remote-a"), left("gatekeep-remote-b"), left("gatekeep-judges"));
        let runs = Private::beside(others.path()).unwrap();
        for folder in [killed.as_path(), foreign.as_path(), runs.path()] {
            age(folder);
        }
        let link = others.path().join("gatekeep-remote-c");
        std::os::unix::fs::symlink(&foreign, &link).unwrap();

        let own = Private::beside(others.path()).unwrap();
        assert!(!killed.exists());
        assert!(young.exists() && foreign.exists() && link.exists() && runs.path().exists() && own.path().exists());
        let path = own.path().to_owned();
        drop(own);
        assert!(!path.exists(), "and a run that ends takes its own away");
    }
}
