//! Reservations as holders of a scan: one line of work for each agent that has some.

use std::collections::{BTreeMap, BTreeSet};

use super::{agent, reach};
use crate::{
    config::{Config, ConfigFile},
    diag::{Holder, HolderKind, RepoPath},
    engine::Reserved,
    error::Fatal,
    report::Incomplete,
    reserve::Reservation,
    rule::{change::Signals, code::boundary::lanes_of},
    source::{Git, Line, Trunk, Work},
};

/// What a scan knows of who made what.
pub(in crate::cli) struct Known<'a> {
    pub(in crate::cli) git: &'a Git,
    pub(in crate::cli) trunk: Option<&'a Trunk>,
    pub(in crate::cli) config: Option<&'a ConfigFile>,
    /// What tells who made the change.
    pub(in crate::cli) signals: Signals,
}

impl Known<'_> {
    /// Reads what is reserved on a remote, and adds a line of work for each agent. What can't be read is a gap.
    pub(in crate::cli) fn reserved(&self, remote: Option<&str>, work: &mut Work) -> Result<Vec<Reserved>, Fatal> {
        let Some(mut reach) = reach(Some(self.git), self.trunk, remote)? else { return Ok(Vec::new()) };
        let mut gap = |what: &str, why: String| work.incomplete.push(Incomplete { what: what.into(), why });
        let board = match reach.patiently() {
            Ok(board) => board,
            Err(failed) => {
                gap("which names are reserved", failed.why);
                return Ok(Vec::new());
            }
        };
        let now = super::fleet::now();
        let unread = board.0.values().filter(|posted| posted.claim.is_err()).count();
        if unread > 0 {
            gap(
                "which names are reserved",
                format!("{unread} reservations can't be read; `gatekeep reservations` lists them"),
            );
        }
        let held: Vec<&Reservation> = board.0.values().filter_map(|posted| posted.claim.as_ref().ok()).collect();
        let held: Vec<&Reservation> = held.into_iter().filter(|claim| !claim.is_over(now)).collect();
        if held.is_empty() {
            return Ok(Vec::new());
        }
        let names: Vec<BTreeSet<String>> =
            (0..work.lines.len()).map(|at| self.names(work, at)).collect::<Result<_, _>>()?;
        let mut lines: BTreeMap<&str, u32> = BTreeMap::new();
        let mut reserved = Vec::new();
        for claim in held {
            let line = *lines.entry(&claim.agent).or_insert_with(|| {
                work.lines.push(line(&claim.agent));
                work.lines.len() as u32 - 1
            });
            let owners = (0u32..).zip(&names).filter(|(_, names)| names.contains(&claim.agent)).map(|(at, _)| at);
            reserved.push(Reserved {
                namespace: claim.namespace.clone(),
                partition: claim.partition.clone(),
                space: claim.space.clone(),
                name: claim.name.clone(),
                path: path(claim),
                note: note(claim),
                line,
                owners: owners.collect(),
            });
        }
        Ok(reserved)
    }

    /// All names under which the one who made a line may have reserved something. Rather too many than one too few: nobody's own reservation
    /// is to be held against them.
    fn names(&self, work: &Work, at: usize) -> Result<BTreeSet<String>, Fatal> {
        let line = &work.lines[at];
        let mut names = BTreeSet::new();
        let branch = self.branch(line)?;
        let signals = match work.head == Some(at) {
            true => self.signals.clone(),
            false => Signals { branch: branch.clone(), ..Signals::default() },
        };
        let commits = self.git.said(&line.own).unwrap_or_default(); // who can't be read is nobody's owner
        let none = Config::default();
        let config = self.config.map_or(&none, |file| &file.config);
        names.extend(lanes_of(&signals, &commits, config).lanes().map(|(lane, _)| lane.to_owned()));
        names.extend(commits.into_iter().flat_map(|commit| [commit.author, commit.email]));
        if line.holder.kind != HolderKind::Branch {
            names.insert(agent::user(Some(self.git)));
        }
        names.extend(signals.agent);
        names.extend(signals.branch);
        names.extend(branch);
        Ok(names)
    }

    /// The name that a line's branch has here, or on its remote.
    fn branch(&self, line: &Line) -> Result<Option<String>, Fatal> {
        let Some(short) = &line.branch else { return Ok(None) };
        let known = self.git.branches()?.all.into_iter().find(|branch| branch.short == *short);
        Ok(Some(known.and_then(|branch| branch.remote_name).unwrap_or_else(|| short.clone())))
    }
}

/// The line of work that stands for what an agent has reserved: it changes nothing.
fn line(agent: &str) -> Line {
    Line {
        holder: Holder { kind: HolderKind::Reservation, name: agent.to_owned(), commit: None },
        branch: None,
        number: None,
        tip: None,
        fork: None,
        own: Vec::new(),
        started: None,
        changes: Vec::new(),
    }
}

/// The file that a reservation is for; else where its name would be.
fn path(claim: &Reservation) -> RepoPath {
    let is_inside =
        |path: &&String| !path.starts_with('/') && !path.split('/').any(|part| part == ".." || part.is_empty());
    match claim.path.as_ref().filter(is_inside) {
        Some(path) => path.as_str().into(),
        None if claim.partition == "." => claim.key.as_str().into(),
        None => format!("{}/{}", claim.partition, claim.key).as_str().into(),
    }
}

fn note(claim: &Reservation) -> String {
    let reason = claim.reason.as_ref().map_or_else(String::new, |reason| format!(": {reason}"));
    format!("reserved until {}{reason}", claim.until())
}
