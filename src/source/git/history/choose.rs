//! Which of several best merge bases is the one that `git merge-base` prints first.

use std::{cmp::Reverse, collections::BinaryHeap};

use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};

use super::commits::{Commits, Number};

/// Merge bases made in one second are told apart by walking; no further than this.
const MOST_STEPS: usize = 20_000;

/// The newest; of several made in the same second the one that git meets first on its way from both tips.
pub(super) fn choose(commits: &mut Commits<'_>, trunk: Number, tip: Number, best: &[Number]) -> Option<Number> {
    let newest = best.iter().map(|commit| commits.get(*commit).rank.time).max()?;
    let mut tied: Vec<Number> =
        best.iter().copied().filter(|commit| commits.get(*commit).rank.time == newest).collect();
    tied.sort_unstable_by_key(|commit| commits.get(*commit).id);
    if tied.len() > 1
        && let Some(first) = first_met(commits, [trunk, tip], &tied.iter().copied().collect())
    {
        return Some(first);
    }
    tied.first().copied()
}

/// git's `paint_down_to_common`: newest first, then in the order of coming in; the first commit that both tips were seen to hold.
fn first_met(commits: &mut Commits<'_>, tips: [Number; 2], wanted: &HashSet<Number>) -> Option<Number> {
    let mut holders: HashMap<Number, u8> = HashMap::new();
    let mut next = BinaryHeap::new();
    let mut came = 0u32;
    let mut push = |next: &mut BinaryHeap<(i64, Reverse<u32>, Number)>, commits: &Commits<'_>, commit: Number| {
        next.push((commits.get(commit).rank.time, Reverse(came), commit));
        came += 1;
    };
    for (bit, tip) in tips.into_iter().enumerate() {
        holders.insert(tip, 1 << bit);
        push(&mut next, commits, tip);
    }
    let mut done = HashSet::new();
    for _ in 0..MOST_STEPS {
        let (_, _, commit) = next.pop()?;
        let by = holders.get(&commit).copied().unwrap_or(0);
        if by == 3 && done.insert(commit) && wanted.contains(&commit) {
            return Some(commit);
        }
        for edge in commits.meet_parents(commit).ok()? {
            let parent = commits.parent(edge);
            let held = holders.entry(parent).or_insert(0);
            if *held | by != *held {
                *held |= by;
                push(&mut next, commits, parent);
            }
        }
    }
    None
}
