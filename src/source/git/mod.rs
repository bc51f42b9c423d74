//! What git stores: commits, trees and blobs, and what lines of work change.

mod merge;

pub use merge::{Meeting, Merges, Stop, StopKind, TextMerger};

use std::path::Path;

use gix::ObjectId;

use super::{Counters, worktree::is_no_repository};
use crate::{config::nearest, error::Fatal};

/// A repository of git, bare or not.
pub struct Git {
    repo: gix::ThreadSafeRepository,
    counters: Counters,
}

impl Git {
    /// The repository that a folder lies in; none where there is none. `GIT_DIR` and its like are honoured.
    ///
    /// # Errors
    /// A repository that can't be opened.
    pub fn discover(folder: &Path) -> Result<Option<Self>, Fatal> {
        match gix::ThreadSafeRepository::discover_with_environment_overrides(folder) {
            Ok(repo) => Ok(Some(Self { repo, counters: Counters::default() })),
            Err(error) if is_no_repository(&error) => Ok(None),
            Err(error) => Err(Fatal::Git(error.to_string())),
        }
    }

    /// The commit that a branch, tag, remote-tracking branch or id stands for.
    ///
    /// # Errors
    /// There is no such name, or it stands for no commit.
    pub fn commit(&self, name: &str) -> Result<ObjectId, Fatal> {
        let repo = self.repo.to_thread_local();
        let found = repo.rev_parse_single(name).ok().and_then(|id| id.object().ok()?.peel_to_commit().ok());
        found.map(|commit| commit.id).ok_or_else(|| {
            let references = repo.references().ok();
            let all = references.as_ref().and_then(|all| all.all().ok());
            let names: Vec<String> =
                all.into_iter().flatten().flatten().map(|one| one.name().shorten().to_string()).collect();
            Fatal::unknown_ref(name, nearest(name, names.iter().map(String::as_str)))
        })
    }

    /// What was read so far.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }
}
