//! Which files others may have: those that a remote-tracking branch holds, or held when this line of work left it.

use std::collections::{BTreeMap, BTreeSet};

use gix::ObjectId;

use crate::{diag::RepoPath, error::Fatal, source::Git};

/// Commits that were pushed, each with a branch that has it.
pub(super) struct Pushed<'a> {
    git: &'a Git,
    commits: BTreeMap<ObjectId, String>,
}

impl<'a> Pushed<'a> {
    /// The tips of all remote-tracking branches, and where each of them and the head part.
    pub(super) fn read(git: &'a Git) -> Result<Self, Fatal> {
        let head = git.head_ref(None)?.commit;
        let mut commits = BTreeMap::new();
        for branch in git.branches()?.all.into_iter().filter(|branch| branch.remote_name.is_some()) {
            let parted = match head {
                Some(head) => git.merge_base(head, branch.commit)?,
                None => None,
            };
            for commit in parted.into_iter().chain([branch.commit]) {
                commits.entry(commit).or_insert_with(|| branch.short.clone());
            }
        }
        Ok(Self { git, commits })
    }

    /// The first of these files that was pushed, and the branch that has it.
    pub(super) fn branch_with(&self, files: &BTreeSet<RepoPath>) -> Result<Option<(RepoPath, String)>, Fatal> {
        for path in files {
            for (commit, branch) in &self.commits {
                if self.git.at(*commit, path.as_bytes())?.is_some() {
                    return Ok(Some((path.clone(), branch.clone())));
                }
            }
        }
        Ok(None)
    }
}
