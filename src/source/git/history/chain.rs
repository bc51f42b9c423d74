//! Which of some commits of the trunk descend from which, told without walking between them.

use foldhash::{HashSet, HashSetExt};

use super::{
    commits::{Commits, NO_GENERATION, Number},
    trunk::Trunk,
};

/// The trunk's own line, each commit the first parent of the one before; and where everything else came into it.
pub(super) struct Chain {
    commits: Vec<Number>,
    /// By number: the oldest place in the chain that holds a commit.
    entered: Vec<u32>,
}

const NOWHERE: u32 = u32::MAX;

impl Chain {
    pub(super) fn new(commits: &Commits<'_>, trunk: &Trunk) -> Self {
        let mut on_chain = HashSet::new();
        let first_parent = |commit: &Number| commits.parents(*commit).first().copied();
        let chain: Vec<Number> = std::iter::successors(Some(trunk.tip), first_parent)
            .take_while(|commit| on_chain.insert(*commit)) // a broken commit-graph could lead in circles
            .collect();
        let mut entered = vec![NOWHERE; commits.len()];
        let mut stack = Vec::new();
        for (place, commit) in chain.iter().enumerate().rev() {
            stack.push(*commit);
            while let Some(commit) = stack.pop() {
                if entered[commit as usize] == NOWHERE {
                    entered[commit as usize] = place as u32;
                    stack.extend(commits.parents(commit));
                }
            }
        }
        Self { commits: chain, entered }
    }
    /// The place of a commit in the chain, counted from the tip; none for what was merged into it.
    fn place(&self, commit: Number) -> Option<u32> {
        let place = self.entered(commit);
        (self.commits.get(place as usize) == Some(&commit)).then_some(place)
    }

    fn entered(&self, commit: Number) -> u32 {
        self.entered.get(commit as usize).copied().unwrap_or(NOWHERE)
    }

    /// Some of these commits of the trunk, of which each of the others is a descendant.
    pub(super) fn anchors(&self, mut forks: Vec<Number>) -> Vec<Number> {
        forks.sort_unstable();
        forks.dedup();
        let oldest = forks.iter().filter_map(|fork| self.place(*fork)).max();
        forks.retain(|fork| self.place(*fork).is_none_or(|place| Some(place) == oldest));
        forks
    }

    /// Those of some commits of the trunk that no other of them descends from: the best merge bases.
    pub(super) fn best(&self, commits: &Commits<'_>, forks: &[Number]) -> Vec<Number> {
        let newest = forks.iter().filter_map(|fork| self.place(*fork)).min();
        let mut best: Vec<Number> = forks.to_vec();
        if let Some(newest) = newest {
            best.retain(|fork| self.entered(*fork) < newest || self.place(*fork) == Some(newest));
        }
        if best.len() > 1 {
            let older = self.ancestors(commits, &best, newest);
            best.retain(|fork| !older.contains(fork));
        }
        best
    }

    /// Those of some commits that another of them descends from. The one at `newest` in the chain descends from none.
    fn ancestors(&self, commits: &Commits<'_>, of: &[Number], newest: Option<u32>) -> HashSet<Number> {
        let lowest = of.iter().map(|commit| commits.get(*commit).rank).min();
        let floor = lowest.filter(|lowest| !commits.is_skewed() || lowest.generation != NO_GENERATION);
        let above = |commit: &Number| floor.is_none_or(|floor| commits.get(*commit).rank >= floor);
        let mut met = HashSet::new();
        let starts = of.iter().filter(|commit| newest.is_none() || self.place(**commit) != newest);
        let mut stack: Vec<Number> = starts.flat_map(|commit| commits.parents(*commit)).copied().collect();
        while let Some(commit) = stack.pop() {
            if above(&commit) && met.insert(commit) {
                stack.extend(commits.parents(commit));
            }
        }
        met
    }
}
