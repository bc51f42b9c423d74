//! The trunk's history, walked once for all lines of work and only as far back as one of them left it.

use std::{cmp::Reverse, collections::BinaryHeap};

use super::commits::{Commits, NO_GENERATION, Number, Rank};

/// How many places where lines left the trunk are told apart when the walk makes sure that it is complete.
const MOST_ANCHORS: usize = 64;

/// The trunk's commits: those behind them are still to be found.
pub(super) struct Trunk {
    pub(super) tip: Number,
    /// By number: whether the trunk is known to hold it.
    held: Vec<bool>,
    /// Held, and their parents not looked at yet.
    frontier: BinaryHeap<(Rank, Reverse<Number>)>,
    /// How many commits' parents were looked at.
    pub(super) visited: u64,
    /// A shallow clone ends somewhere in it.
    pub(super) cut: bool,
    /// Why some of it can't be seen.
    pub(super) broken: Option<String>,
}

impl Trunk {
    pub(super) fn new(commits: &Commits<'_>, tip: Number) -> Self {
        let mut trunk =
            Self { tip, held: Vec::new(), frontier: BinaryHeap::new(), visited: 0, cut: false, broken: None };
        trunk.hold(commits, tip);
        trunk
    }

    /// Whether the trunk is known to hold a commit; sure once it was walked to that commit's rank.
    pub(super) fn holds(&self, commit: Number) -> bool {
        self.held.get(commit as usize).copied().unwrap_or(false)
    }

    fn hold(&mut self, commits: &Commits<'_>, commit: Number) -> bool {
        if self.held.len() < commits.len() {
            self.held.resize(commits.len(), false);
        }
        let new = !std::mem::replace(&mut self.held[commit as usize], true);
        if new {
            self.frontier.push((commits.get(commit).rank, Reverse(commit)));
        }
        new
    }

    /// Walks on until nothing is left that could descend from a commit of this rank.
    pub(super) fn walk_to(&mut self, commits: &mut Commits<'_>, rank: Rank) {
        while self.frontier.peek().is_some_and(|(next, _)| *next >= rank) {
            self.step(commits);
        }
    }

    /// Walks to the trunk's very beginning.
    pub(super) fn walk_all(&mut self, commits: &mut Commits<'_>) {
        while self.step(commits).is_some() {}
    }

    /// Looks at the parents of the next commit.
    fn step(&mut self, commits: &mut Commits<'_>) -> Option<Number> {
        let (_, Reverse(commit)) = self.frontier.pop()?;
        self.visited += 1;
        self.cut |= commits.get(commit).cut;
        match commits.meet_parents(commit) {
            Ok(edges) => edges.for_each(|edge| {
                self.hold(commits, commits.parent(edge));
            }),
            Err(why) => {
                self.broken.get_or_insert(why);
            }
        }
        Some(commit)
    }

    /// Makes sure that nothing unseen of the trunk descends from one of these commits (which it holds), whatever clocks say.
    ///
    /// With generations that is so by itself. By clocks alone, a commit that claims to be older than its parent is met too late.
    /// As long as every unseen way leads on from an ancestor of all of them it can't lead to a descendant; so walk until then.
    pub(super) fn settle(&mut self, commits: &mut Commits<'_>, forks: &[Number]) {
        if forks.len() > MOST_ANCHORS {
            return self.walk_all(commits);
        }
        let all = u64::MAX.checked_shr((MOST_ANCHORS - forks.len()) as u32).unwrap_or(0);
        let mut below = Below { masks: vec![0; commits.len()] };
        for (bit, fork) in forks.iter().enumerate() {
            below.spread(commits, *fork, 1 << bit);
        }
        let unsure = |below: &Below, (rank, Reverse(commit)): &(Rank, Reverse<Number>)| {
            rank.generation == NO_GENERATION && below.of(*commit) != all
        };
        while self.frontier.iter().any(|next| unsure(&below, next)) {
            let Some(commit) = self.step(commits) else { return };
            let mask = below.of(commit);
            let parents = commits.parents(commit).to_vec();
            parents.into_iter().for_each(|parent| below.spread(commits, parent, mask));
        }
    }
}

/// Of which forks a commit is an ancestor, or is one itself; one bit for each.
struct Below {
    masks: Vec<u64>,
}

impl Below {
    fn of(&self, commit: Number) -> u64 {
        self.masks.get(commit as usize).copied().unwrap_or(0)
    }

    fn spread(&mut self, commits: &Commits<'_>, from: Number, mask: u64) {
        self.masks.resize(commits.len(), 0);
        let mut stack = vec![from];
        while let Some(commit) = stack.pop() {
            let held = &mut self.masks[commit as usize];
            if *held | mask != *held {
                *held |= mask;
                stack.extend(commits.parents(commit));
            }
        }
    }
}
