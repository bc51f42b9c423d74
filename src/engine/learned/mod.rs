//! Which lanes the last months suggest: who seems to be an agent, by branch names and authors, and where each of them worked alone.
//!
//! A guess for a person to read, from no more history than is read in a moment. Nothing is judged by it.

mod folders;
mod gather;
mod signs;

use std::collections::{BTreeMap, BTreeSet};

use gix::ObjectId;

use crate::{
    diag::RepoPath,
    error::Fatal,
    source::{Folders, Git, Trunk},
};

/// How far back is looked, in days.
pub const DAYS: i64 = 90;
/// Steps of the trunk's own history that are looked at, at most; as many of the commits that merges brought are read.
const MOST_COMMITS: usize = 500;
/// Lanes that are proposed, at most: those with the most commits.
const MOST_LANES: usize = 12;
/// One branch, or one commit, can be called anything: so many of either are a habit.
const BRANCHES: usize = 2;
const COMMITS: usize = 3;

/// What was learned.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Learned {
    /// How many branches that agents seem to work on were seen, there or in the subjects of merges.
    pub branches: usize,
    /// How many commits of the trunk's own history were looked at.
    pub commits: usize,
    /// The lanes, by name.
    pub lanes: Vec<LearnedLane>,
}

/// A lane that history suggests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LearnedLane {
    /// A name for it; from outside, and not escaped.
    pub name: String,
    /// Globs for its branches.
    pub branches: Vec<String>,
    /// Who writes its commits.
    pub authors: Vec<String>,
    /// The lines at the end of its commits' messages.
    pub trailers: Vec<String>,
    /// Globs for the folders in which nearly all of its work lies, and nobody else's.
    pub owns: Vec<String>,
    /// Patterns of the files that it shares with other lanes, if they are few.
    pub may_touch: Vec<String>,
    /// How many of its branches were seen.
    pub seen_branches: usize,
    /// How many of its commits were seen.
    pub seen_commits: usize,
    /// How many files it changed.
    pub files: usize,
}

/// What was seen of one agent.
#[derive(Debug, Default)]
struct Evidence {
    globs: BTreeSet<String>,
    authors: BTreeSet<String>,
    trailers: BTreeSet<String>,
    branches: BTreeSet<String>,
    commits: BTreeSet<ObjectId>,
    paths: BTreeSet<RepoPath>,
}

/// Learns lanes from the branches and from the trunk's history. `now` is in seconds since 1970.
///
/// # Errors
/// History can't be read.
pub fn learn(git: &Git, trunk: &Trunk, now: i64) -> Result<Learned, Fatal> {
    let seen = gather::gather(git, trunk, now.saturating_sub(DAYS * 86_400))?;
    let branches = seen.agents.values().map(|one| one.branches.len()).sum();
    let mut lanes = lanes(&seen.agents);
    if lanes.iter().any(|lane| !lane.owns.is_empty()) {
        let tree = git.diff(None, trunk.commit, Folders::All)?;
        lanes.iter_mut().filter(|lane| folders::are_nearly_all(&lane.owns, &tree)).for_each(|lane| lane.owns.clear());
    }
    Ok(Learned { branches, commits: seen.commits, lanes })
}

fn lanes(agents: &BTreeMap<String, Evidence>) -> Vec<LearnedLane> {
    let paths: BTreeMap<&str, &BTreeSet<RepoPath>> =
        agents.iter().map(|(name, one)| (name.as_str(), &one.paths)).collect();
    let is_habit = |one: &Evidence| one.branches.len() >= BRANCHES || one.commits.len() >= COMMITS;
    let mut habits: Vec<(&String, &Evidence)> = agents.iter().filter(|(_, one)| is_habit(one)).collect();
    habits.sort_by_key(|(name, one)| (std::cmp::Reverse(one.commits.len()), *name));
    habits.truncate(MOST_LANES);
    habits.sort_by_key(|(name, _)| *name);
    let list = |set: &BTreeSet<String>| set.iter().cloned().collect();
    let lane = |(name, one): (&String, &Evidence)| {
        let territory = folders::territory(name, &paths);
        LearnedLane {
            name: name.clone(),
            branches: list(&one.globs),
            authors: list(&one.authors),
            trailers: list(&one.trailers),
            owns: territory.owns,
            may_touch: territory.may_touch,
            seen_branches: one.branches.len(),
            seen_commits: one.commits.len(),
            files: one.paths.len(),
        }
    };
    habits.into_iter().map(lane).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evidence(branches: usize, commits: u8) -> Evidence {
        let id = |at: u8| ObjectId::from_bytes_or_panic(&[at; 20]);
        Evidence {
            branches: (0..branches).map(|at| at.to_string()).collect(),
            commits: (0..commits).map(id).collect(),
            ..Evidence::default()
        }
    }

    #[test]
    fn lanes_are_habits_and_the_busiest_stay() {
        let few = [("once", (1, 2)), ("branches", (2, 0)), ("commits", (0, 3))];
        let agents = few.map(|(name, (branches, commits))| (name.to_owned(), evidence(branches, commits)));
        let names = |lanes: Vec<LearnedLane>| lanes.into_iter().map(|lane| lane.name).collect::<Vec<_>>();
        assert_eq!(names(lanes(&agents.into())), ["branches", "commits"]);
        let many = (0..14u8).map(|at| (format!("{at:02}"), evidence(2, at))).collect();
        assert_eq!(names(lanes(&many)), (2..14).map(|at| format!("{at:02}")).collect::<Vec<_>>());
    }
}
