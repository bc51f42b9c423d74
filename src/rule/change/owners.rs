//! The `CODEOWNERS` that counts, before a change and after it.

use std::{io, sync::Arc};

use super::Change;
use crate::{
    diag::RepoPath,
    rule::owners::{self, Host},
};

/// Before a change, or once it is merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The trunk's tip.
    Trunk,
    /// What the merge would hold.
    Merged,
}

/// The file that counts.
#[derive(Clone, Debug)]
pub struct OwnersFile {
    /// Who reads it.
    pub host: Host,
    /// Where it lies.
    pub place: &'static str,
    /// Its text; none of a link, which no host follows.
    pub text: Option<Arc<[u8]>>,
}

impl Change<'_> {
    /// The file of owners that counts; none where there is none. Lists the whole trunk: see
    /// [`merged_paths`](super::Ground::merged_paths).
    ///
    /// # Errors
    /// The trunk can't be listed, or the file can't be read.
    pub fn owners(&self, side: Side) -> io::Result<Option<OwnersFile>> {
        let paths = self.ground.merged_paths().map_err(io::Error::other)?;
        let of_trunk = side == Side::Trunk;
        let is_new = |path: &RepoPath| of_trunk && self.file(path).is_some_and(|file| file.trunk.is_none());
        let is_in = |path: &RepoPath, asked: &str| {
            let rest = path.as_bytes().strip_prefix(asked.as_bytes());
            rest.is_some_and(|rest| matches!(rest.first(), None | Some(b'/')))
        };
        let holds = |asked: &str| {
            let from = paths.partition_point(|path| path.as_bytes() < asked.as_bytes());
            let mut below = paths[from..].iter().take_while(|path| path.as_bytes().starts_with(asked.as_bytes()));
            let was_there = || self.files.iter().any(|file| file.trunk.is_some() && is_in(&file.path, asked));
            below.any(|path| is_in(path, asked) && !is_new(path)) || of_trunk && was_there()
        };
        let Some((host, place)) = owners::locate(&holds) else { return Ok(None) };
        let path = RepoPath::from(place);
        let is_link = self.file(&path).is_some_and(|file| if of_trunk { file.was_link() } else { file.is_link() });
        let text = if of_trunk { self.trunk_at(&path)? } else { self.merged_at(&path)? };
        Ok(Some(OwnersFile { host, place, text: text.filter(|_| !is_link) }))
    }
}
