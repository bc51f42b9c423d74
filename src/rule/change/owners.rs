//! The `CODEOWNERS` that counts, before a change and after it.

use std::{cell::RefCell, io, sync::Arc};

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
    /// The file of owners that counts; none where there is none. Once it is merged: lists the whole trunk, see
    /// [`merged_paths`](super::Ground::merged_paths).
    ///
    /// # Errors
    /// The trunk can't be listed, or the file can't be read.
    pub fn owners(&self, side: Side) -> io::Result<Option<OwnersFile>> {
        let of_trunk = side == Side::Trunk;
        let located = if of_trunk { self.located_on_trunk() } else { self.located_in_merge() };
        let Some((host, place)) = located.map_err(io::Error::other)? else { return Ok(None) };
        let path = RepoPath::from(place);
        let is_link = self.file(&path).is_some_and(|file| if of_trunk { file.was_link() } else { file.is_link() });
        let text = if of_trunk { self.trunk_at(&path)? } else { self.merged_at(&path)? };
        Ok(Some(OwnersFile { host, place, text: text.filter(|_| !is_link) }))
    }

    fn located_on_trunk(&self) -> Result<Option<(Host, &'static str)>, String> {
        let failed = RefCell::default();
        let located = owners::locate(&|asked| {
            self.ground.trunk_holds(&asked.into()).unwrap_or_else(|why| {
                failed.replace(Some(why));
                false
            })
        });
        failed.into_inner().map_or(Ok(located), Err)
    }

    fn located_in_merge(&self) -> Result<Option<(Host, &'static str)>, String> {
        let paths = self.ground.merged_paths()?;
        let is_in = |path: &RepoPath, asked: &str| {
            let rest = path.as_bytes().strip_prefix(asked.as_bytes());
            rest.is_some_and(|rest| matches!(rest.first(), None | Some(b'/')))
        };
        Ok(owners::locate(&|asked| {
            let from = paths.partition_point(|path| path.as_bytes() < asked.as_bytes());
            let mut below = paths[from..].iter().take_while(|path| path.as_bytes().starts_with(asked.as_bytes()));
            below.any(|path| is_in(path, asked))
        }))
    }
}
