//! Where each line of work left the trunk.

use std::{cmp::Reverse, collections::BinaryHeap};

use super::{
    chain::Chain,
    commits::{Commits, Number, Rank},
    trunk::Trunk,
};

/// A line of work, walked from its tip down to the trunk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Branch {
    /// Its commits that the trunk does not hold.
    pub(super) own: Vec<Number>,
    /// The trunk's commits that its own ones grew on, in the order in which they were met.
    pub(super) forks: Vec<Number>,
    /// Some of its own commits have no parent, or none that this clone holds: it may have left the trunk unseen.
    ends: bool,
    /// A shallow clone ends in it.
    pub(super) cut: bool,
}

/// Walks lines from their tips down to the trunk.
#[derive(Default)]
struct Walker {
    /// By number: the last walk that met a commit.
    met: Vec<u32>,
    walk: u32,
    next: BinaryHeap<(Rank, Reverse<Number>)>,
}

/// Walks all lines, and the trunk as far as they need it. An error, for that line alone, is a text for people.
pub(super) fn walk(
    commits: &mut Commits<'_>,
    trunk: &mut Trunk,
    tips: &[Result<Number, String>],
) -> Vec<Result<Branch, String>> {
    let mut walker = Walker::default();
    let mut branches: Vec<Result<Branch, String>> =
        tips.iter().map(|tip| walker.down(commits, trunk, *tip.as_ref().map_err(String::clone)?)).collect();
    let sound = || branches.iter().flatten();
    if sound().any(|branch| branch.ends) {
        trunk.walk_all(commits);
    } else {
        let forks: Vec<Number> = sound().flat_map(|branch| branch.forks.iter().copied()).collect();
        trunk.settle(commits, &Chain::new(commits, trunk).anchors(forks));
    }
    let is_wrong = |trunk: &Trunk, branch: &Branch| branch.own.iter().any(|commit| trunk.holds(*commit));
    if sound().any(|branch| is_wrong(trunk, branch)) {
        trunk.walk_all(commits); // a clock was wrong, and the trunk holds what seemed to be a line's own
        for (branch, tip) in branches.iter_mut().zip(tips) {
            if let (Ok(found), Ok(tip)) = (&branch, tip)
                && is_wrong(trunk, found)
            {
                *branch = walker.down(commits, trunk, *tip);
            }
        }
    }
    branches
}

impl Walker {
    fn down(&mut self, commits: &mut Commits<'_>, trunk: &mut Trunk, tip: Number) -> Result<Branch, String> {
        self.walk += 1;
        self.next.clear();
        let mut branch = Branch::default();
        self.meet(commits, tip);
        while let Some((rank, Reverse(commit))) = self.next.pop() {
            trunk.walk_to(commits, rank);
            if trunk.holds(commit) {
                branch.forks.push(commit);
                continue;
            }
            branch.own.push(commit);
            branch.cut |= commits.get(commit).cut;
            let edges = commits.meet_parents(commit)?;
            branch.ends |= edges.is_empty();
            edges.for_each(|edge| self.meet(commits, commits.parent(edge)));
        }
        Ok(branch)
    }

    fn meet(&mut self, commits: &Commits<'_>, commit: Number) {
        self.met.resize(self.met.len().max(commits.len()), 0);
        if std::mem::replace(&mut self.met[commit as usize], self.walk) != self.walk {
            self.next.push((commits.get(commit).rank, Reverse(commit)));
        }
    }
}
