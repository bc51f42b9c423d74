//! The working tree, as a fix reads it.

#![expect(clippy::disallowed_methods, reason = "a fix reads what it writes: the working tree as it is, and no link")]

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::Disk;
use crate::{
    diag::RepoPath,
    engine::PARSED_LIMIT,
    source::path::{from_system, to_system},
};

/// The files below the top of a repository.
pub struct WorkingFolder {
    top: PathBuf,
}

impl WorkingFolder {
    /// The working tree whose top this is, links resolved.
    pub fn new(top: &Path) -> Self {
        Self { top: top.to_owned() }
    }

    /// Where a path is on disk, if it lies in the working tree: no part of it leads out of there, is a link, or belongs to git.
    ///
    /// # Errors
    /// Why not, in words.
    pub(super) fn place(&self, path: &[u8]) -> Result<PathBuf, String> {
        let shown = || String::from_utf8_lossy(path).into_owned();
        let is_plain = |part: &[u8]| !matches!(part, b"" | b"." | b"..") && !part.eq_ignore_ascii_case(b".git");
        if !path.is_empty() && !path.split(|byte| *byte == b'/').all(is_plain) {
            return Err(format!("`{}` leads out of the working tree", shown()));
        }
        let mut at = self.top.clone();
        let parts: Vec<&[u8]> = path.split(|byte| *byte == b'/').collect();
        for part in &parts[..parts.len().saturating_sub(1)] {
            at.push(to_system(part));
            match fs::symlink_metadata(&at) {
                Ok(found) if !found.is_dir() => return Err(format!("`{}` lies behind a link or a file", shown())),
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => break,
                Err(error) => return Err(format!("`{}` can't be reached: {error}", shown())),
            }
        }
        Ok(self.top.join(to_system(path)))
    }
}

impl Disk for WorkingFolder {
    fn read(&self, path: &RepoPath) -> Result<Option<Vec<u8>>, String> {
        let place = self.place(path.as_bytes())?;
        let failed = |error: io::Error| format!("`{}` can't be read: {error}", path.lossy());
        match fs::symlink_metadata(&place) {
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(None),
            Err(error) => Err(failed(error)),
            Ok(found) if !found.is_file() => Err(format!("`{}` is no regular file", path.lossy())),
            Ok(found) if found.len() > PARSED_LIMIT => {
                Err(format!("`{}` is longer than {} MiB", path.lossy(), PARSED_LIMIT >> 20))
            }
            Ok(_) => fs::read(&place).map(Some).map_err(failed),
        }
    }

    fn list(&self, folder: &[u8], deep: bool) -> Result<Vec<RepoPath>, String> {
        let failed = |error: io::Error| format!("`{}` can't be listed: {error}", String::from_utf8_lossy(folder));
        let place = if folder.is_empty() { self.top.clone() } else { self.place(folder)? };
        match fs::symlink_metadata(&place) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(failed(error)),
            Ok(found) if !found.is_dir() => return Err(format!("`{}` is no folder", String::from_utf8_lossy(folder))),
            Ok(_) => {}
        }
        let mut all = Vec::new();
        let mut folders = vec![place];
        while let Some(next) = folders.pop() {
            for entry in fs::read_dir(&next).map_err(failed)? {
                let entry = entry.map_err(failed)?;
                let kind = entry.file_type().map_err(failed)?;
                if kind.is_dir() && deep && entry.file_name() != ".git" {
                    folders.push(entry.path());
                } else if !kind.is_dir() && (deep || kind.is_file()) {
                    let path = entry.path();
                    let path = path.strip_prefix(&self.top).expect("what a folder lists lies below it");
                    all.push(RepoPath::new(&from_system(path)));
                }
            }
        }
        all.sort();
        Ok(all)
    }
}
