//! Sees to it that the commits are here: a runner's checkout holds one of them, as a rule.

use std::path::Path;

use gix::ObjectId;

use super::target::{Base, Target};
use crate::{
    cli::github::GitHub,
    error::Fatal,
    source::{Git, Supply},
};

/// Brings what is lacking, and says what the head is held against. What was brought is known to the repository that is given back.
///
/// # Errors
/// The head, or what it is held against, is not to be had.
pub(super) fn ready(git: Git, start: &Path, github: &GitHub, mut target: Target) -> Result<(Git, Target), Fatal> {
    let remote = github.remote(&git);
    let base = match &target.base {
        Base::Nothing => None,
        Base::Commit(commit) => Some(*commit),
        Base::Tip(branch, told) => Some(tip(&git, remote.as_ref(), branch, *told)?),
    };
    let wanted: Vec<ObjectId> = [Some(target.head), base].into_iter().flatten().collect();
    let lacking = wanted.iter().any(|commit| !git.has(commit));
    if let Some(remote) = remote.as_ref().filter(|_| lacking || git.is_shallow()) {
        bring(remote, &wanted, &target)?;
    }
    drop(remote);
    let git = if lacking || git.is_shallow() { reopened(start)? } else { git };
    if let Some(base) = base {
        git.commit(&base.to_string())?;
        target.against(&git, base);
    }
    git.commit(&target.head.to_string())?;
    Ok((git, target))
}

fn reopened(start: &Path) -> Result<Git, Fatal> {
    Git::discover(start)?.ok_or_else(|| Fatal::NoRepository { path: start.to_owned() })
}

/// The tip of a branch: what the remote says now, else what it said last, else what the event says.
fn tip(git: &Git, remote: Option<&Supply<'_>>, branch: &str, told: Option<ObjectId>) -> Result<ObjectId, Fatal> {
    if let Some(tip) = remote.and_then(|remote| remote.tip(&format!("refs/heads/{branch}")).ok().flatten()) {
        return Ok(tip);
    }
    let known = || git.tracking(branch).and_then(|name| git.commit(&name).ok());
    told.or_else(known).ok_or_else(|| Fatal::unknown_ref(branch, None))
}

/// By their ids, which a server may not want to give; then by the names that they have on GitHub.
fn bring(remote: &Supply<'_>, wanted: &[ObjectId], target: &Target) -> Result<(), Fatal> {
    let by_id: Vec<String> = wanted.iter().map(ToString::to_string).collect();
    remote.histories(&by_id).or_else(|first| {
        let pull = target.told.number.map(|number| format!("refs/pull/{number}/head"));
        let by_name: Vec<String> = pull.into_iter().chain([format!("refs/heads/{}", target.told.target)]).collect();
        remote.histories(&by_name).map_err(|_| first)
    })
}
