//! A tree by itself, as the code rules see it that judge more than changes.

use std::{io, sync::Arc};

use crate::{
    config::{Config, ConfigFile},
    diag::{Holder, RepoPath, Site},
};

/// The files of one tree.
pub trait Files: Sync {
    /// All paths, sorted, links among them.
    ///
    /// # Errors
    /// The tree can't be listed.
    fn paths(&self) -> Result<&[RepoPath], String>;

    /// What stands at a path: a file's bytes; none where nothing does, or a link.
    ///
    /// # Errors
    /// It can't be read, or is longer than what is parsed as a whole.
    fn read(&self, path: &RepoPath) -> io::Result<Option<Arc<[u8]>>>;

    /// The size of a file in bytes, where it is known or can be found out; none of what is no file.
    ///
    /// # Errors
    /// It can't be read.
    fn size(&self, path: &RepoPath) -> io::Result<Option<u64>>;

    /// When the last commit that touched each of these sorted paths was made, in seconds since 1970; none where all are older than `oldest`, or
    /// no commit ever did.
    ///
    /// # Errors
    /// There is no history, or it can't be read so far back.
    fn last_touched(&self, paths: &[RepoPath], oldest: i64) -> Result<Vec<Option<i64>>, String>;
}

/// A tree that is judged by itself.
pub struct Standing<'a> {
    /// Whose tree it is.
    pub holder: Holder,
    /// Its configuration.
    pub config: &'a ConfigFile,
    /// Its files.
    pub files: &'a dyn Files,
    /// Now, in seconds since 1970.
    pub now: i64,
}

impl Standing<'_> {
    /// A site at a whole file.
    pub fn site(&self, path: &RepoPath) -> Site {
        Site::path(path.clone(), self.holder.clone())
    }

    /// What the configuration says.
    pub fn tables(&self) -> &Config {
        &self.config.config
    }
}
