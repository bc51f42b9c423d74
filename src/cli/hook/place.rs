//! Where an agent is, and where a file is that it names.

use std::{
    fs, io,
    path::{Component, Path, PathBuf},
};

use crate::{
    diag::RepoPath,
    hook::Event,
    source::{Git, path::from_system},
};

/// The folder in which an agent works.
pub(super) fn folder(event: &Event) -> Result<PathBuf, String> {
    let here = || std::env::current_dir().map_err(|error| format!("the current folder can't be told: {error}"));
    match event.cwd.as_deref().map(PathBuf::from) {
        Some(folder) if folder.is_absolute() => Ok(folder),
        Some(folder) => Ok(here()?.join(folder)),
        None => here(),
    }
}

/// A file in a working tree.
pub(super) struct Placed {
    /// The top of that working tree, links resolved.
    pub(super) top: PathBuf,
    pub(super) git: Git,
    pub(super) path: RepoPath,
    /// Where it is on disk.
    pub(super) file: PathBuf,
}

/// Finds the working tree that a file lies in, or will lie in, whatever links lead there. None outside of any, and for git's own files.
pub(super) fn find(folder: &Path, named: &str) -> Result<Option<Placed>, String> {
    let file = behind(plain(&folder.join(named)));
    let there = file.ancestors().skip(1).find(|above| above.is_dir());
    let Some(there) = there else { return Ok(None) };
    let fail = |error: io::Error| format!("{}: {error}", there.display());
    let real = there.canonicalize().map_err(fail)?;
    let rest = file.strip_prefix(there).unwrap_or(&file);
    let Some(git) = Git::discover(&real).map_err(|fatal| fatal.to_string())? else { return Ok(None) };
    let Some(top) = git.top().map_err(|fatal| fatal.to_string())? else { return Ok(None) };
    let file = real.join(rest);
    let Ok(below) = file.strip_prefix(&top) else { return Ok(None) };
    if below.components().any(|part| part.as_os_str() == ".git") {
        return Ok(None);
    }
    let path = RepoPath::new(&from_system(below));
    Ok(Some(Placed { top, git, path, file }))
}

/// Links that lead from one to the next, at most.
const LINKS: usize = 16;

/// The file that a link leads to, which need not be there: that is what would be written.
fn behind(mut file: PathBuf) -> PathBuf {
    for _ in 0..LINKS {
        let Ok(target) = fs::read_link(&file) else { break };
        // what a link says is meant from where it really lies
        let folder = file.parent().map(|folder| folder.canonicalize().unwrap_or_else(|_| folder.to_owned()));
        file = plain(&folder.unwrap_or_default().join(target));
    }
    file
}

/// The path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => _ = plain.pop(),
            other => plain.push(other),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_plain() {
        assert_eq!(plain(Path::new("/a/./b/../c")), Path::new("/a/c"));
        assert_eq!(plain(Path::new("/../a")), Path::new("/a"));
    }
}
