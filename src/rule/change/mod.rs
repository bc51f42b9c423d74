//! A change as the code rules see it: what it does to which file, what the merge would hold, and who made it.
//!
//! Rules read no tree and no history themselves: they ask the [`Ground`], which reads no more than it is asked for.

mod file;
mod owners;
mod standing;

use std::{io, sync::Arc};

pub use file::File;
pub(crate) use file::find_moves;
pub use owners::{OwnersFile, Side};
pub use standing::{Files, Standing};

use super::code::approval::Approvals;
use crate::{
    config::ConfigFile,
    diag::{Diagnostic, Holder, RepoPath, Site},
    report::{Incomplete, Skipped},
    source::{Changed, Commit, Version},
};

/// A change, merge base → head, and what it is judged by.
pub struct Change<'a> {
    /// Whose change it is.
    pub head: Holder,
    /// The tip of the target.
    pub base: Holder,
    /// What it changes, sorted by path, each path once; each side of a move is one. Without submodules, without changes of the mode alone, and
    /// without what the tip of the target holds already.
    pub files: &'a [File],
    /// The configuration of the base; none where it has none.
    pub config: Option<&'a ConfigFile>,
    /// The migrations that it adds, the files of each; none where not all rules ran.
    pub migrations: Option<&'a [Vec<RepoPath>]>,
    /// Why nothing could be used of what the change makes of the policy, where it touches it.
    pub unusable: Option<&'a str>,
    /// What tells who made the change.
    pub signals: Signals,
    /// What people said on the pull request; none where there is none, or nobody told.
    pub approvals: Option<&'a Approvals>,
    /// All that has to be read.
    pub ground: &'a dyn Ground,
}

/// What tells who made a change. Commits tell too: see [`Ground::commits`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Signals {
    /// Who was named for this run: `--agent`, else `GATEKEEP_AGENT`.
    pub agent: Option<String>,
    /// The short name of the branch, without a remote's name.
    pub branch: Option<String>,
    /// Who opened the pull request.
    pub login: Option<String>,
}

/// Reads what rules ask for, and no more.
pub trait Ground: Sync {
    /// What stands at a version of a path: a file's bytes, or a link's target.
    ///
    /// # Errors
    /// It is gone, can't be read, or is longer than what is parsed as a whole.
    fn read(&self, path: &RepoPath, version: &Version) -> io::Result<Arc<[u8]>>;

    /// The text that git would make of a file's base and two versions of it, trunk and head; none where it would stop.
    fn merge(&self, path: &RepoPath, texts: [&[u8]; 3]) -> Option<Vec<u8>>;

    /// All paths of the tree that the merge would hold, sorted. Lists the whole trunk: ask only where something seems wrong already.
    ///
    /// # Errors
    /// The trunk can't be listed.
    fn merged_paths(&self) -> Result<&[RepoPath], String>;

    /// Whether the trunk's tip has a file at a path, or a folder.
    ///
    /// # Errors
    /// The trunk can't be read.
    fn trunk_holds(&self, path: &RepoPath) -> Result<bool, String>;

    /// What stands at a path of the trunk's tip that the change does not touch.
    ///
    /// # Errors
    /// As for [`Ground::read`].
    fn on_trunk(&self, path: &RepoPath) -> io::Result<Option<Arc<[u8]>>>;

    /// The commits of the change, newest first: each comes before its parents. Empty where nothing is committed.
    ///
    /// # Errors
    /// A commit can't be read.
    fn commits(&self) -> Result<&[Commit], String>;

    /// What a commit of the change did against its first parent, sorted by path.
    ///
    /// # Errors
    /// A tree can't be read.
    fn done_by(&self, commit: &Commit) -> Result<Vec<Changed>, String>;

    /// For each of these files (indices into [`Change::files`]) the last commit of the base's own history that replaced the very version that
    /// the head puts there now, if one did: of a file that the head removes, the commit that brought it. Looks back from the merge base over
    /// [`HORIZON`] commits and [`HORIZON_AGE`].
    fn given_up(&self, files: &[usize]) -> Past;

    /// When the last commit of the base that touched each of these sorted paths was made, in seconds since 1970; none where all are older than
    /// `oldest`.
    ///
    /// # Errors
    /// History can't be read so far back.
    fn last_touched(&self, paths: &[RepoPath], oldest: i64) -> Result<Vec<Option<i64>>, String>;

    /// Now, in seconds since 1970.
    fn now(&self) -> i64;
}

/// Commits of the base that are looked back over, at most.
pub const HORIZON: usize = 500;
/// How long ago the oldest of them may have been made, in seconds.
pub const HORIZON_AGE: i64 = 90 * 86_400;

/// What the base's history gave up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Past {
    /// The versions.
    pub versions: Vec<GivenUp>,
    /// What could not be looked at.
    pub incomplete: Vec<Incomplete>,
}

impl Past {
    /// Adds what was found otherwise.
    pub fn extend(&mut self, other: Self) {
        self.versions.extend(other.versions);
        self.incomplete.extend(other.incomplete);
    }
}

/// A commit of the base that replaced the version of a file that the head puts back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenUp {
    /// Index into [`Change::files`].
    pub file: usize,
    /// What the commit put there; none where it removed the file.
    pub new: Option<Version>,
    /// The commit.
    pub by: gix::ObjectId,
    /// When it was made, in seconds since 1970.
    pub time: i64,
    /// The first line of its message, at most 80 characters.
    pub subject: String,
}

/// What a rule says of a change; levels are not applied.
#[derive(Debug, Default)]
pub struct Said {
    /// What it found.
    pub findings: Vec<Diagnostic>,
    /// What it could not look at.
    pub incomplete: Vec<Incomplete>,
    /// What it left out by choice.
    pub skipped: Vec<Skipped>,
}

impl Said {
    /// Adds what could not be looked at.
    pub fn gap(&mut self, what: impl Into<String>, why: impl Into<String>) {
        self.incomplete.push(Incomplete { what: what.into(), why: why.into() });
    }

    /// Adds what another judgement said.
    pub fn extend(&mut self, other: Self) {
        self.findings.extend(other.findings);
        self.incomplete.extend(other.incomplete);
        self.skipped.extend(other.skipped);
    }
}

impl Change<'_> {
    /// A site of the head at a whole file.
    pub fn site(&self, path: &RepoPath) -> Site {
        Site::path(path.clone(), self.head.clone())
    }

    /// The file at a path, if the change touches it.
    pub fn file(&self, path: &RepoPath) -> Option<&File> {
        self.files.binary_search_by(|file| file.path.cmp(path)).ok().map(|at| &self.files[at])
    }

    /// What stood in the merge base; none where nothing did.
    ///
    /// # Errors
    /// As for [`Ground::read`].
    pub fn before(&self, file: &File) -> io::Result<Option<Arc<[u8]>>> {
        file.before.map(|version| self.ground.read(&file.path, &version)).transpose()
    }

    /// What the trunk's tip holds now; none where nothing stands there.
    ///
    /// # Errors
    /// As for [`Ground::read`].
    pub fn trunk(&self, file: &File) -> io::Result<Option<Arc<[u8]>>> {
        file.trunk.map(|version| self.ground.read(&file.path, &version)).transpose()
    }

    /// What the head holds; none where it removed the file.
    ///
    /// # Errors
    /// As for [`Ground::read`].
    pub fn after(&self, file: &File) -> io::Result<Option<Arc<[u8]>>> {
        file.after.map(|version| self.ground.read(&file.path, &version)).transpose()
    }

    /// What the merge would hold: the head's version, with what the trunk did since the merge base. Where git would stop, the head's version
    /// is what somebody will have to choose against, and counts.
    ///
    /// # Errors
    /// As for [`Ground::read`].
    pub fn merged(&self, file: &File) -> io::Result<Option<Arc<[u8]>>> {
        let Some(after) = self.after(file)? else { return Ok(None) };
        if file.trunk == file.before || file.trunk == file.after {
            return Ok(Some(after));
        }
        let (Some(before), Some(trunk)) = (self.before(file)?, self.trunk(file)?) else { return Ok(Some(after)) };
        let merged = self.ground.merge(&file.path, [&before, &trunk, &after]);
        Ok(Some(merged.map_or(after, Arc::from)))
    }

    /// What stands at a path of the trunk's tip, changed or not; none where nothing does.
    ///
    /// # Errors
    /// As for [`Ground::read`].
    pub fn trunk_at(&self, path: &RepoPath) -> io::Result<Option<Arc<[u8]>>> {
        match self.file(path) {
            Some(file) => self.trunk(file),
            None => self.ground.on_trunk(path),
        }
    }

    /// What stands at a path once the change is merged, changed or not; none where nothing does.
    ///
    /// # Errors
    /// As for [`Ground::read`].
    pub fn merged_at(&self, path: &RepoPath) -> io::Result<Option<Arc<[u8]>>> {
        match self.file(path) {
            Some(file) => self.merged(file),
            None => self.ground.on_trunk(path),
        }
    }

    /// The tables of the configuration; the built-in ones where the base has no configuration.
    pub fn tables(&self) -> &crate::config::Config {
        static NONE: std::sync::LazyLock<crate::config::Config> = std::sync::LazyLock::new(Default::default);
        self.config.map_or(&NONE, |file| &file.config)
    }
}

#[cfg(test)]
pub mod testing;
