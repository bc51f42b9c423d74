//! The trunk: what everything is merged into in the end.

use gix::ObjectId;

use super::{
    git,
    refs::{LOCAL, REMOTE},
    text,
};
use crate::{error::Fatal, source::Git};

/// What everything is merged into in the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trunk {
    /// The name as it was given; else the short name, such as `origin/main`.
    pub name: String,
    /// Its last commit.
    pub commit: ObjectId,
    /// The full name of the branch or tag, links followed; none where a commit was named by other means.
    pub reference: Option<String>,
}

/// Where the trunk is looked for if nobody names it, in this order.
const USUAL: [&str; 5] = [
    "refs/remotes/origin/HEAD",
    "refs/remotes/origin/main",
    "refs/remotes/origin/master",
    "refs/heads/main",
    "refs/heads/master",
];

impl Git {
    /// The trunk: the name that is given, else what `origin/HEAD` stands for, else origin's `main` or `master`, else the local one. None
    /// where there is none of them.
    ///
    /// # Errors
    /// There is no such name, or it stands for no commit.
    pub fn trunk(&self, named: Option<&str>) -> Result<Option<Trunk>, Fatal> {
        let repo = self.repo.to_thread_local();
        super::refs::can_be_read(&repo)?;
        match named {
            Some(name) => {
                let commit = self.commit(name)?;
                Ok(Some(Trunk { name: name.to_owned(), commit, reference: reference(&repo, name) }))
            }
            None => usual(&repo, &USUAL),
        }
    }
}

impl Git {
    /// The whole name of a branch as origin's, or else as a local one; none where there is neither.
    pub fn tracking(&self, branch: &str) -> Option<String> {
        let repo = self.repo.to_thread_local();
        let names = [format!("{REMOTE}origin/{branch}"), format!("{LOCAL}{branch}")];
        names.into_iter().find(|name| repo.try_find_reference(name.as_str()).ok().flatten().is_some())
    }

    /// The name that the trunk's branch has here, or on its remote; none where it is no branch.
    pub fn trunk_branch(&self, trunk: &Trunk) -> Option<String> {
        let head = super::HeadRef { reference: trunk.reference.clone(), ..super::HeadRef::default() };
        head.branch_name(&self.repo.to_thread_local())
    }
}

/// The trunk as origin has it, such as `origin/main`.
pub(in crate::source) fn of_origin(repo: &gix::Repository) -> Option<String> {
    let trunk = usual(repo, &USUAL[..3]).ok()??;
    Some(trunk.name)
}

/// The full name of the branch or tag that a name stands for, links followed.
pub(super) fn reference(repo: &gix::Repository, name: &str) -> Option<String> {
    let found = repo.try_find_reference(name).ok()??;
    Some(text(end_of_links(found)?.name().as_bstr()))
}

fn usual(repo: &gix::Repository, names: &[&str]) -> Result<Option<Trunk>, Fatal> {
    for name in names {
        let Some(found) = repo.try_find_reference(*name).map_err(git)?.and_then(end_of_links) else { continue };
        let (name, full) = (text(found.name().shorten()), text(found.name().as_bstr()));
        let commit =
            found.into_fully_peeled_id().map_err(git)?.object().map_err(git)?.peel_to_commit().map_err(git)?.id;
        return Ok(Some(Trunk { name, commit, reference: Some(full) }));
    }
    Ok(None)
}

/// Links in a row that are followed; git allows five.
const LINKS: usize = 5;

/// What a reference stands for in the end; none where it leads nowhere.
pub(super) fn end_of_links(mut found: gix::Reference<'_>) -> Option<gix::Reference<'_>> {
    for _ in 0..=LINKS {
        match found.follow() {
            None => return Some(found),
            Some(next) => found = next.ok()?,
        }
    }
    None
}
