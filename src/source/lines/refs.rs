//! All branches, local and remote-tracking.

use gix::{ObjectId, refs::TargetRef};

use super::{git, remotes::Remotes, text};
use crate::{error::Fatal, report::Incomplete, source::Git};

/// Where local branches are.
pub(super) const LOCAL: &str = "refs/heads/";
/// Where remote-tracking branches are.
pub(super) const REMOTE: &str = "refs/remotes/";

/// A local or remote-tracking branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    /// The name as git shortens it: `agent/ps3`, `origin/agent/ps3`.
    pub short: String,
    /// The whole name: `refs/heads/agent/ps3`, `refs/remotes/origin/agent/ps3`.
    pub full: String,
    /// Its last commit.
    pub commit: ObjectId,
    /// Of a local branch: the whole name of the remote-tracking branch that the configuration names as its upstream, whether there is one
    /// or not.
    pub upstream: Option<String>,
    /// Of a remote-tracking branch: the name that it has on its remote.
    pub remote_name: Option<String>,
}

/// All branches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Branches {
    /// Sorted by whole name: local ones first. Links to other branches (`origin/HEAD`) are left out.
    pub all: Vec<Branch>,
    /// Those that can't be read.
    pub incomplete: Vec<Incomplete>,
}

impl Git {
    /// All local and remote-tracking branches, packed or loose.
    ///
    /// # Errors
    /// The references can't be read at all.
    pub fn branches(&self) -> Result<Branches, Fatal> {
        let repo = self.repo.to_thread_local();
        all(&repo, &Remotes::of(&repo))
    }
}

/// # Errors
/// The references are stored in a way that is unknown here: all branches would be missed.
pub(super) fn can_be_read(repo: &gix::Repository) -> Result<(), Fatal> {
    match repo.config_snapshot().string("extensions.refStorage") {
        Some(storage) if storage != "files" => Err(Fatal::RefStorage { storage: text(&storage) }),
        _ => Ok(()),
    }
}

pub(super) fn all(repo: &gix::Repository, remotes: &Remotes) -> Result<Branches, Fatal> {
    can_be_read(repo)?;
    let mut branches = Branches::default();
    let platform = repo.references().map_err(git)?;
    for found in platform.local_branches().map_err(git)?.chain(platform.remote_branches().map_err(git)?) {
        let reference = match found {
            Ok(reference) => reference,
            Err(error) => {
                let why = format!("it can't be read, so its work is unknown: {error}");
                branches.incomplete.push(Incomplete { what: "a branch".into(), why });
                continue;
            }
        };
        let TargetRef::Object(commit) = reference.target() else { continue };
        let full = text(reference.name().as_bstr());
        let local = full.strip_prefix(LOCAL);
        branches.all.push(Branch {
            short: text(reference.name().shorten()),
            commit: commit.to_owned(),
            upstream: local.and_then(|short| remotes.upstream(short)),
            remote_name: full.strip_prefix(REMOTE).map(|short| remotes.name_there(short).to_owned()),
            full,
        });
    }
    branches.all.sort_by(|a, b| a.full.cmp(&b.full));
    Ok(branches)
}
