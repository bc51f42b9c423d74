//! Reads branches and history, and takes down what each agent did.

use std::collections::BTreeMap;

use gix::ObjectId;

use super::{
    Evidence, MOST_COMMITS,
    signs::{self, Known, Signed},
};
use crate::{
    error::Fatal,
    source::{Arrivals, Commit, Comparison, Folders, Git, Grown, Step, Trunk},
};

/// Branches whose own work is looked at, at most.
const MOST_BRANCHES: usize = 200;
/// Files that are kept in all, at most.
const MOST_PATHS: usize = 50_000;

/// What was seen.
pub(super) struct Seen {
    /// By the names of their lanes.
    pub(super) agents: BTreeMap<String, Evidence>,
    /// How many commits of the trunk's own history were looked at.
    pub(super) commits: usize,
}

/// Looks at the branches with a commit, and at the trunk's commits, that were made at `oldest` (seconds since 1970) or later.
pub(super) fn gather(git: &Git, trunk: &Trunk, oldest: i64) -> Result<Seen, Fatal> {
    let mut steps = git.recent_steps(trunk.commit, Some(oldest), MOST_COMMITS)?.steps;
    steps.retain(|step| step.parent.is_some()); // whoever began the repository touched all of it
    let ids: Vec<ObjectId> = steps.iter().map(|step| step.commit).collect();
    let mut said: BTreeMap<ObjectId, Commit> = BTreeMap::new();
    said.extend(git.said(&ids).map_err(Fatal::Git)?.into_iter().map(|commit| (commit.id, commit)));
    let merged: Vec<Vec<String>> =
        ids.iter().map(|id| said.get(id).map(Commit::merged_branches).unwrap_or_default()).collect();
    let there = there(git, trunk, oldest)?;
    let mut names: BTreeMap<String, usize> = there.iter().map(|(name, _)| (name.clone(), 0)).collect();
    merged.iter().flatten().for_each(|name| *names.entry(name.clone()).or_default() += 1);
    let known = signs::branches(&names);
    let mut gather = Gather {
        git,
        arrivals: git.arrivals(),
        comparison: git.comparison(Folders::All),
        agents: BTreeMap::new(),
        paths: MOST_PATHS,
        messages: MOST_COMMITS,
    };
    for (step, merged) in steps.iter().zip(&merged) {
        let branch = merged.iter().find_map(|name| known.get_key_value(name));
        match (branch, said.get(&step.commit)) {
            (Some((name, known)), _) => gather.merge(step, name, known)?,
            (None, Some(commit)) => gather.unnamed(step, commit)?,
            (None, None) => {}
        }
    }
    gather.branches(trunk, &there, &known)?;
    Ok(Seen { agents: gather.agents, commits: steps.len() })
}

/// The branches that are not too old, by the name that they have on their remote, without the trunk.
fn there(git: &Git, trunk: &Trunk, oldest: i64) -> Result<Vec<(String, ObjectId)>, Fatal> {
    let is_trunk = |full: &str| trunk.reference.as_deref() == Some(full);
    let branches = git.branches()?.all.into_iter().filter(|branch| !is_trunk(&branch.full));
    let named = branches.map(|branch| (branch.remote_name.unwrap_or(branch.short), branch.commit));
    // what can't be read is not learned from
    Ok(named.filter(|(_, tip)| git.tip_time(*tip).is_ok_and(|time| time >= oldest)).collect())
}

struct Gather<'g> {
    git: &'g Git,
    arrivals: Arrivals<'g>,
    comparison: Comparison<'g, 'g>,
    agents: BTreeMap<String, Evidence>,
    /// Files that may still be kept.
    paths: usize,
    /// Commits of merges that may still be read.
    messages: usize,
}

impl Gather<'_> {
    /// The merge, or the squash, of a branch.
    fn merge(&mut self, step: &Step, name: &str, known: &Known) -> Result<(), Fatal> {
        let own = self.arrivals.of(step).unwrap_or_default();
        let agent = self.agents.entry(known.lane.clone()).or_default();
        agent.globs.insert(known.pattern.clone());
        agent.branches.insert(name.to_owned());
        agent.commits.extend(if own.is_empty() { vec![step.commit] } else { own });
        self.touched(&known.lane, step)
    }

    /// A commit that names no agent's branch; of a merge, the commits that it brought.
    fn unnamed(&mut self, step: &Step, commit: &Commit) -> Result<(), Fatal> {
        if commit.parents.len() < 2 {
            return self.signed(step, commit);
        }
        let mut own = self.arrivals.of(step).unwrap_or_default();
        own.truncate(self.messages);
        self.messages -= own.len();
        for commit in self.git.said(&own).map_err(Fatal::Git)?.iter().filter(|commit| commit.parents.len() == 1) {
            let step = Step { commit: commit.id, parent: commit.parents.first().copied(), time: commit.time };
            self.signed(&step, commit)?;
        }
        Ok(())
    }

    fn signed(&mut self, step: &Step, commit: &Commit) -> Result<(), Fatal> {
        let Some(signed) = signs::of_commit(commit) else { return Ok(()) };
        let (Signed::Author(known) | Signed::Trailer(known)) = &signed;
        let agent = self.agents.entry(known.lane.clone()).or_default();
        let list = match &signed {
            Signed::Author(_) => &mut agent.authors,
            Signed::Trailer(_) => &mut agent.trailers,
        };
        list.insert(known.pattern.clone());
        agent.commits.insert(step.commit);
        self.touched(&known.lane, step)
    }

    fn touched(&mut self, lane: &str, step: &Step) -> Result<(), Fatal> {
        let changes = self.comparison.changes(step).map_err(Fatal::Git)?;
        self.keep(lane, changes.into_iter().map(|changed| changed.path));
        Ok(())
    }

    fn keep(&mut self, lane: &str, paths: impl Iterator<Item = crate::diag::RepoPath>) {
        let Some(agent) = self.agents.get_mut(lane) else { return };
        for path in paths.take(self.paths) {
            self.paths -= usize::from(agent.paths.insert(path));
        }
    }

    /// The branches that are there, and what those did that are not merged.
    fn branches(
        &mut self,
        trunk: &Trunk,
        there: &[(String, ObjectId)],
        known: &BTreeMap<String, Known>,
    ) -> Result<(), Fatal> {
        let agents = there.iter().filter_map(|(name, tip)| Some((name, *tip, known.get(name)?)));
        let agents: Vec<(&String, ObjectId, &Known)> = agents.take(MOST_BRANCHES).collect();
        let tips: Vec<ObjectId> = agents.iter().map(|(_, tip, _)| *tip).collect();
        for ((name, _, known), grown) in agents.into_iter().zip(self.git.grown(trunk.commit, &tips, Folders::All)?) {
            let agent = self.agents.entry(known.lane.clone()).or_default();
            agent.globs.insert(known.pattern.clone());
            agent.branches.insert(name.clone());
            if let Grown::Line(growth) = grown {
                agent.commits.extend(growth.own);
                self.keep(&known.lane, growth.changes.into_iter().map(|changed| changed.path));
            }
        }
        Ok(())
    }
}
