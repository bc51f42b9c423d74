//! What is said where several lines of work claim one name.

use std::collections::BTreeSet;

use crate::{
    claim::{Claim, Ruling},
    diag::{Fix, Holder, HolderKind, Severity},
};

/// Most names of lines that one sentence holds.
const NAMED: usize = 6;

/// A severity, at most so grave.
pub(super) fn capped(severity: Severity, cap: Option<Severity>) -> Severity {
    cap.map_or(severity, |cap| severity.min(cap))
}

/// A holder as a person would name it.
pub(super) fn name(holder: &Holder) -> String {
    match holder.kind {
        HolderKind::Head => "this change".to_owned(),
        HolderKind::PullRequest => format!("pull request {}", holder.name),
        HolderKind::Worktree => format!("worktree `{}`", holder.name),
        HolderKind::Reservation => format!("the reservation of `{}`", holder.name),
        HolderKind::Base | HolderKind::Branch => format!("`{}`", holder.name),
    }
}

/// Names in one phrase, the first few of them.
fn listed(holders: &BTreeSet<&Holder>) -> String {
    let names: Vec<String> = holders.iter().take(NAMED).map(|holder| name(holder)).collect();
    let more = holders.len().saturating_sub(NAMED);
    match (names.split_last(), more) {
        (_, 1..) => format!("{} and {more} more", names.join(", ")),
        (Some((last, [])), _) => last.clone(),
        (Some((last, first)), _) => format!("{} and {last}", first.join(", ")),
        (None, _) => String::new(),
    }
}

/// Who changes what is merged: the change that is judged is "here".
pub(super) fn changed_by(claims: &[Claim]) -> String {
    let holders: BTreeSet<&Holder> = claims.iter().map(|claim| &claim.site.holder).collect();
    match holders.iter().any(|holder| holder.kind == HolderKind::Head) {
        true => "here".to_owned(),
        false => format!("on {}", listed(&holders)),
    }
}

/// The first sentence of a collision, with the lines of work that take part.
pub(super) fn with_lines(first: String, ruling: Option<&Ruling>, claims: &[Claim]) -> String {
    let holders: BTreeSet<&Holder> = claims.iter().map(|claim| &claim.site.holder).collect();
    match ruling {
        None | Some(Ruling::Old | Ruling::Keeps { itself: true, .. }) => first,
        Some(Ruling::Keeps { keeper: Holder { kind: HolderKind::Reservation, name: agent, .. }, .. }) => {
            format!(
                "{first}: on {}. `{agent}` reserved it before there was a file, and goes on to take it",
                listed(&holders)
            )
        }
        Some(Ruling::Keeps { .. }) => {
            let one_file = claims.iter().all(|claim| claim.site.path == claims[0].site.path && !claim.apart);
            let git = match one_file {
                true => "git may stop at the file that they share; to keep both there mends nothing",
                false => "git merges them without a word",
            };
            format!("{first}: on {}. {git}", listed(&holders))
        }
        Some(Ruling::Landed { path }) => {
            format!("{first}, but the same file is on the trunk already, as `{}`", path.lossy())
        }
    }
}

/// What to do next.
pub(super) fn ruled(ruling: &Ruling, yielding: &BTreeSet<&Holder>, fix: Option<&Fix>, own: Option<&str>) -> String {
    let free = if fix.is_some() { "the next free name (below)" } else { "a free one" };
    match ruling {
        Ruling::Keeps { itself: true, .. } => format!("keep the name for one of them and give the others {free}"),
        Ruling::Keeps { keeper, because, .. } if yielding.is_empty() => {
            format!("{} keeps the name, because {because}", name(keeper))
        }
        // the rule knows better what to do where no other name can be proposed
        Ruling::Keeps { keeper, because, .. } if fix.is_none() && own.is_some() => {
            format!("{} has it first, because {because}: {}", name(keeper), own.unwrap_or_default())
        }
        Ruling::Keeps { keeper, because, .. } => {
            format!(
                "{} keeps the name, because {because}; {} {} {free}",
                name(keeper),
                listed(yielding),
                if yielding.len() == 1 { "takes" } else { "take" }
            )
        }
        Ruling::Landed { .. } => "bring the branch up to date with the trunk; its own copy of the file can go".into(),
        Ruling::Old => "the trunk has had this before; mend it in a change of its own".into(),
    }
}
