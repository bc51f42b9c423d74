//! What is asked for, and what was found.

use gix::ObjectId;

use super::{
    Worktree,
    refs::{LOCAL, REMOTE},
    remotes::Remotes,
};
use crate::{
    diag::Holder,
    report::{Incomplete, Skipped},
};

/// Which lines of work are wanted.
#[derive(Clone, Debug, Default)]
pub struct Ask {
    /// Branches whose name matches one of these. `*` crosses `/`, and a remote's name is optional: `agent/*` matches `origin/agent/x`.
    pub branches: Vec<String>,
    /// Lines of work whose branch matches one of these are left out.
    pub exclude: Vec<String>,
    /// All worktrees too.
    pub worktrees: bool,
    /// Branches whose last commit is older are left out. Worktrees are not.
    pub since: Option<Since>,
    /// Open pull requests. Each stands for the branch, and the worktree, that it is made from.
    pub pulls: Vec<Pull>,
    /// The head leaves itself out: its branch, its upstream, its worktree, its pull request.
    pub head: Option<HeadRef>,
}

/// An open pull request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pull {
    /// Its number.
    pub number: u64,
    /// The short name of its branch on the remote; of a fork, on the fork.
    pub branch: String,
    /// Its branch is none of this repository's.
    pub is_fork: bool,
    /// Its last commit.
    pub tip: ObjectId,
}

impl Pull {
    /// What people call it.
    pub fn name(&self) -> String {
        format!("#{}", self.number)
    }
}

/// How old a branch may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Since {
    /// As it was given, such as `30d`.
    pub age: String,
    /// When the last commit of the oldest branch that counts was made, in seconds since 1970.
    pub oldest: i64,
}

/// Who the head is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HeadRef {
    /// The whole name of its branch or tag.
    pub reference: Option<String>,
    /// Its commit; none before the first one.
    pub commit: Option<ObjectId>,
    /// The name of its worktree; none where a commit is judged without a checkout.
    pub worktree: Option<String>,
    /// The number of its open pull request, where somebody told.
    pub number: Option<u64>,
}

impl HeadRef {
    /// The name of its branch as this repository, or its remote, knows it; none where it is a tag or no branch.
    pub(in crate::source) fn branch_name(&self, repo: &gix::Repository) -> Option<String> {
        let reference = self.reference.as_deref()?;
        let local = reference.strip_prefix(LOCAL).map(str::to_owned);
        local.or_else(|| Some(Remotes::of(repo).name_there(reference.strip_prefix(REMOTE)?).to_owned()))
    }
}

/// One line of work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Whose work it is. The commit is the tip's.
    pub holder: Holder,
    /// Its newest commit. None where nothing that is committed counts: before a first commit, or where the trunk is checked out.
    pub tip: Option<ObjectId>,
    /// The worktree, of which what is uncommitted counts, against its own HEAD. That is the tip, or behind it where the upstream is ahead.
    pub worktree: Option<Worktree>,
    /// The number of its open pull request.
    pub number: Option<u64>,
    /// The short name of its branch, where the holder's own name is not that.
    pub branch: Option<String>,
}

/// The lines of work that were asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Sorted by kind and name of the holder.
    pub candidates: Vec<Candidate>,
    /// The number of the head's own pull request.
    pub head_number: Option<u64>,
    /// What was left out by choice.
    pub skipped: Vec<Skipped>,
    /// What can't be read.
    pub incomplete: Vec<Incomplete>,
}
