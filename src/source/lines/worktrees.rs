//! The main worktree and the linked ones.

use std::{
    cell::RefCell,
    collections::HashMap,
    fs, io,
    io::Read,
    path::{Path, PathBuf},
};

use bstr::ByteSlice;
use gix::ObjectId;

use super::{git, refs::can_be_read, text};
use crate::{
    error::Fatal,
    report::{Incomplete, Skipped},
    source::{Git, path},
};

/// The name of the main worktree, to which git gives none. No linked one has it: git allows no space in theirs.
pub const MAIN_WORKTREE: &str = "main worktree";

/// A folder in which a branch or commit is checked out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worktree {
    /// git's own id; [`MAIN_WORKTREE`] for the main one.
    pub name: String,
    /// Its top folder, links resolved.
    pub path: PathBuf,
    /// Where git keeps what is its own: its `HEAD` and index. Links resolved.
    pub git_dir: PathBuf,
    /// The commit that is checked out; none before the first one.
    pub head: Option<ObjectId>,
    /// The whole name of the branch that is checked out, or that is being rebased here.
    pub branch: Option<String>,
    /// Whether it is the one that the repository was made with.
    pub is_main: bool,
    /// Whether the run began in it.
    pub is_current: bool,
}

/// All worktrees.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Worktrees {
    /// The main one first, then sorted by name. A bare repository has no main one.
    pub all: Vec<Worktree>,
    /// Those whose folder is gone.
    pub skipped: Vec<Skipped>,
    /// Those that can't be read.
    pub incomplete: Vec<Incomplete>,
}

/// Why a worktree is not among the others.
enum Missing {
    Gone,
    Unreadable(String),
}

impl Git {
    /// The main worktree and all linked ones.
    ///
    /// # Errors
    /// What git knows of them can't be read at all.
    pub fn worktrees(&self) -> Result<Worktrees, Fatal> {
        let repo = self.repo.to_thread_local();
        can_be_read(&repo)?;
        let common = gix::path::realpath(repo.common_dir()).map_err(git)?;
        let at = At::of(&repo)?;
        let mut found = Worktrees::default();
        match at.main(&common) {
            Ok(main) => found.all.extend(main),
            Err(why) => found.incomplete.push(Incomplete { what: MAIN_WORKTREE.into(), why }),
        }
        let mut gone = 0;
        for name in linked(&common.join("worktrees"))? {
            let git_dir = common.join("worktrees").join(&name);
            let name = text(&path::name_from_system(&name));
            match at.linked(&name, git_dir) {
                Ok(worktree) => found.all.push(worktree),
                Err(Missing::Gone) => gone += 1,
                Err(Missing::Unreadable(why)) => {
                    found.incomplete.push(Incomplete { what: format!("worktree {name}"), why });
                }
            }
        }
        if gone > 0 {
            found.skipped.push(Skipped { what: "worktrees whose folder is gone".into(), count: Some(gone) });
        }
        Ok(found)
    }

    /// The worktree that the run began in, as [`Git::worktrees`] tells it, without a look at the others. None in a bare repository.
    ///
    /// # Errors
    /// What git knows of it can't be read: nobody could tell then what a change in it is.
    pub fn current_worktree(&self) -> Result<Option<Worktree>, Fatal> {
        let repo = self.repo.to_thread_local();
        can_be_read(&repo)?;
        let common = gix::path::realpath(repo.common_dir()).map_err(git)?;
        let at = At::of(&repo)?;
        if at.current == common {
            return at.main(&common).map_err(|why| git(format!("the main worktree: {why}")));
        }
        let name = at.current.strip_prefix(common.join("worktrees")).ok();
        let Some(name) = name.filter(|name| name.components().count() == 1) else { return Ok(None) };
        let name = text(&path::name_from_system(name.as_os_str()));
        match at.linked(&name, at.current.clone()) {
            Ok(worktree) => Ok(Some(worktree)),
            Err(Missing::Gone) => Ok(None),
            Err(Missing::Unreadable(why)) => Err(git(format!("the worktree {name}: {why}"))),
        }
    }
}

/// Names of the folders that git keeps for linked worktrees, sorted.
fn linked(folder: &Path) -> Result<Vec<std::ffi::OsString>, Fatal> {
    let fatal = |source| Fatal::Io { path: folder.to_owned(), source };
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(fatal(error)),
    };
    let names: io::Result<Vec<_>> = entries.map(|entry| Ok(entry?.file_name())).collect();
    let mut names = names.map_err(fatal)?;
    names.sort();
    Ok(names)
}

/// Where the run began.
struct At<'r> {
    current: PathBuf,
    repo: &'r gix::Repository,
    real: Real,
}

/// Resolves links; the folders that many worktrees lie in once.
#[derive(Default)]
struct Real(RefCell<HashMap<PathBuf, PathBuf>>);

impl Real {
    fn of(&self, path: &Path) -> Result<PathBuf, impl std::fmt::Display + use<>> {
        let parent = path.parent().filter(|parent| parent.is_absolute());
        let (Some(parent), Some(name)) = (parent, path.file_name()) else { return gix::path::realpath(path) };
        let known = self.0.borrow().get(parent).cloned();
        let folder = match known {
            Some(folder) => folder,
            None => {
                let folder = gix::path::realpath(parent)?;
                self.0.borrow_mut().insert(parent.to_owned(), folder.clone());
                folder
            }
        };
        let real = folder.join(name);
        let is_link = fs::symlink_metadata(&real).is_ok_and(|meta| meta.is_symlink());
        if is_link { gix::path::realpath(real) } else { Ok(real) }
    }
}

impl<'r> At<'r> {
    fn of(repo: &'r gix::Repository) -> Result<Self, Fatal> {
        Ok(Self { current: gix::path::realpath(repo.git_dir()).map_err(git)?, repo, real: Real::default() })
    }
}

impl At<'_> {
    /// The main worktree; none of a bare repository.
    fn main(&self, common: &Path) -> Result<Option<Worktree>, String> {
        let is_current = self.current == common;
        let other;
        let repo = if is_current {
            self.repo
        } else {
            let as_it_is = gix::open::Options::default().open_path_as_is(true);
            other = gix::open_opts(common, as_it_is).map_err(|error| format!("it can't be opened: {error}"))?;
            &other
        };
        let Some(top) = repo.workdir() else { return Ok(None) };
        let path = gix::path::realpath(top).map_err(|error| format!("its folder can't be found: {error}"))?;
        let (head, branch) = self.head(common)?;
        let git_dir = common.to_owned();
        Ok(Some(Worktree { name: MAIN_WORKTREE.into(), path, git_dir, head, branch, is_main: true, is_current }))
    }

    fn linked(&self, name: &str, git_dir: PathBuf) -> Result<Worktree, Missing> {
        let is_current = self.current == git_dir;
        let given = if is_current { self.repo.workdir().map(Path::to_owned) } else { None };
        let path = match given {
            Some(top) => top,
            None => folder_of(&git_dir)?,
        };
        let path =
            self.real.of(&path).map_err(|error| Missing::Unreadable(format!("its folder can't be found: {error}")))?;
        let (head, branch) = self.head(&git_dir).map_err(Missing::Unreadable)?;
        Ok(Worktree { name: name.to_owned(), path, git_dir, head, branch, is_main: false, is_current })
    }

    /// The commit and the branch that are checked out.
    fn head(&self, git_dir: &Path) -> Result<(Option<ObjectId>, Option<String>), String> {
        let unreadable = |error: &dyn std::fmt::Display| format!("its HEAD can't be read: {error}");
        let bytes = line(&git_dir.join("HEAD")).map_err(|error| unreadable(&error))?;
        let Some(name) = bytes.strip_prefix(b"ref:") else {
            let head = ObjectId::from_hex(&bytes).map_err(|_| unreadable(&"it is neither a branch nor a commit"))?;
            return Ok((Some(head), rebased(git_dir)));
        };
        let name = name.trim().as_bstr();
        let found = self.repo.try_find_reference(name).map_err(|error| unreadable(&error))?;
        let Some(found) = found else { return Ok((None, Some(text(name)))) };
        let found = super::trunk::end_of_links(found).ok_or_else(|| unreadable(&"its branch leads nowhere"))?;
        let head = found.try_id().map(gix::Id::detach);
        Ok((head, Some(text(found.name().as_bstr()))))
    }
}

/// The folder of a linked worktree.
fn folder_of(git_dir: &Path) -> Result<PathBuf, Missing> {
    let dot_git = line(&git_dir.join("gitdir")).ok().filter(|line| !line.is_empty()).ok_or(Missing::Gone)?;
    let dot_git = git_dir.join(path::to_system(&dot_git)); // relative to it, or absolute
    let refuse = |why: String| Err(Missing::Unreadable(why));
    match line(&dot_git) {
        Ok(back) => {
            let folder = dot_git.parent().unwrap_or(&dot_git).to_owned();
            let back = back.strip_prefix(b"gitdir:").map(|back| folder.join(path::to_system(back.trim())));
            // links are followed only where the two are not written alike
            let is_back =
                |back: PathBuf| back == git_dir || gix::path::realpath(back).is_ok_and(|back| back == git_dir);
            match back.is_some_and(is_back) {
                true => Ok(folder),
                false => refuse(format!(
                    "its folder {} belongs to another repository by now; `git worktree repair` or `git worktree prune` mends that",
                    folder.display()
                )),
            }
        }
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            if fs::symlink_metadata(git_dir.join("locked")).is_ok() {
                return refuse(format!(
                    "{} is not there, but locked: make it available, or `git worktree remove` it",
                    dot_git.parent().unwrap_or(&dot_git).display()
                ));
            }
            Err(Missing::Gone)
        }
        Err(error) => refuse(format!("{} can't be read: {error}", dot_git.display())),
    }
}

/// The branch that is being rebased: HEAD stands for none meanwhile.
fn rebased(git_dir: &Path) -> Option<String> {
    let names = ["rebase-merge/head-name", "rebase-apply/head-name"];
    let name = names.iter().find_map(|name| line(&git_dir.join(name)).ok())?;
    name.starts_with(b"refs/heads/").then(|| text(&name))
}

/// Longest line that git writes into one of its small files: a path.
const LINE: u64 = 64 << 10;

/// The one line of a small file of git's.
fn line(file: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    fs::File::open(file)?.take(LINE).read_to_end(&mut bytes)?;
    Ok(bytes.trim_end().to_owned())
}
