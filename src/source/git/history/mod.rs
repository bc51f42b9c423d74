//! Where lines of work left the trunk, and what each changed since.
//!
//! The trunk is walked once for all of them, and only back to where the oldest left it; each line is walked down to the trunk. So the
//! cost is that of the history in between, never lines times history.

mod arrivals;
mod branch;
mod chain;
mod choose;
mod commits;
mod trunk;

use foldhash::{HashMap, HashMapExt};
use gix::ObjectId;

pub use self::arrivals::Arrivals;
use self::{
    branch::Branch,
    chain::Chain,
    commits::{Commits, Number, Rank},
    trunk::Trunk,
};
use super::{
    Git,
    tree::{self, Folders, Gate},
};
use crate::{error::Fatal, source::Changed, threads};

/// What became of a line of work since it left the trunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Grown {
    /// Nothing: the trunk holds its tip.
    Merged,
    /// It never left the trunk: they have no commit in common.
    Unrelated,
    /// No commit in common was found, and history is cut off: this is a shallow clone.
    Shallow,
    /// An object is missing or can't be read: which, and what to do about it.
    Broken(String),
    /// It went on.
    Line(Growth),
}

/// What a line of work changed since it left the trunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Growth {
    /// The merge base: the one that `git merge-base` prints.
    pub fork: ObjectId,
    /// There are several best ones: git merges the line against a base that it makes of them first.
    pub crossed: bool,
    /// The commits that the trunk does not hold, sorted by id.
    pub own: Vec<ObjectId>,
    /// When the first of them was made (committer's clock), in seconds since 1970.
    pub started: Option<i64>,
    /// When its tip was made, by the same clock.
    pub tip_time: i64,
    /// What is different between the merge base and the tip, sorted by path. Of several best merge bases: from all of them.
    pub changes: Vec<Changed>,
}

/// Neighbours in history that one thread compares with one cache.
const TOGETHER: usize = 128;

/// Two trees that are to be compared.
struct Pair {
    /// Index into the list of results.
    line: usize,
    fork: (Rank, ObjectId),
    old: ObjectId,
    new: ObjectId,
    /// The trees of the other best merge bases: what is as in one of them is nobody's change.
    others: Vec<ObjectId>,
}

impl Git {
    /// What each line of work with one of these tips changed since it left the trunk, in their order. All ids are those of commits.
    ///
    /// # Errors
    /// The trunk's own tip can't be read.
    pub fn grown(&self, trunk: ObjectId, tips: &[ObjectId], folders: Folders<'_>) -> Result<Vec<Grown>, Fatal> {
        let mut first: HashMap<ObjectId, usize> = HashMap::new();
        let mut different: Vec<ObjectId> = Vec::new();
        let places: Vec<usize> = tips
            .iter()
            .map(|tip| {
                *first.entry(*tip).or_insert_with(|| {
                    different.push(*tip);
                    different.len() - 1
                })
            })
            .collect();
        let (mut lines, mut pairs) = self.lines(trunk, &different)?;
        pairs.sort_unstable_by_key(|pair| std::cmp::Reverse((pair.fork, pair.line)));
        let compared = match (&pairs[..], folders) {
            ([pair], Folders::All) if pair.others.is_empty() => {
                vec![(pair.line, tree::diff_all(self, Some(pair.old), Some(pair.new)))]
            }
            _ => self.compared(&pairs, folders),
        };
        for (line, changes) in compared {
            match (&mut lines[line], changes) {
                (Grown::Line(growth), Ok(changes)) => growth.changes = changes,
                (grown, Err(why)) => *grown = Grown::Broken(why),
                _ => {}
            }
        }
        if lines.len() == places.len() {
            return Ok(lines);
        }
        Ok(places.into_iter().map(|place| lines[place].clone()).collect())
    }

    /// What is different between pairs of trees, each with the number of its line.
    fn compared(&self, pairs: &[Pair], folders: Folders<'_>) -> Vec<(usize, Result<Vec<Changed>, String>)> {
        threads::flat_map_chunks(pairs, TOGETHER, |pairs| {
            let (mut reader, mut gate) = (self.reader(), Gate::new(folders));
            reader.forget();
            let mut changes_of = |pair: &Pair| {
                let mut changes = tree::diff(&mut reader, &mut gate, Some(pair.old), Some(pair.new))?;
                for other in &pair.others {
                    let differs = tree::diff(&mut reader, &mut gate, Some(*other), Some(pair.new))?;
                    changes = from_both(changes, differs);
                }
                Ok(changes)
            };
            pairs.iter().map(|pair| (pair.line, changes_of(pair))).collect()
        })
    }

    /// The lines without their changes, and the trees to compare.
    fn lines(&self, trunk: ObjectId, tips: &[ObjectId]) -> Result<(Vec<Grown>, Vec<Pair>), Fatal> {
        let mut commits = Commits::new(self);
        let trunk = commits.find(trunk).map_err(Fatal::Git)?;
        let mut trunk = Trunk::new(&commits, trunk);
        commits.read_ahead(tips);
        let tips: Vec<Result<Number, String>> = tips.iter().map(|tip| commits.find(*tip)).collect();
        let branches = branch::walk(&mut commits, &mut trunk, &tips);
        self.counters.commits(trunk.visited);
        let several = branches.iter().flatten().any(|branch| branch.forks.len() > 1);
        let chain = several.then(|| Chain::new(&commits, &trunk));
        let mut pairs = Vec::new();
        let mut lines = Vec::with_capacity(tips.len());
        for (line, (branch, tip)) in branches.into_iter().zip(&tips).enumerate() {
            lines.push(match (branch, tip) {
                (Err(why), _) => Grown::Broken(why),
                (_, Err(why)) => Grown::Broken(why.clone()),
                (Ok(branch), _) if branch.own.is_empty() => Grown::Merged,
                (Ok(branch), Ok(tip)) => match fork(&mut commits, &trunk, chain.as_ref(), *tip, &branch) {
                    None => without_fork(&trunk, &branch),
                    Some((fork, best)) => {
                        let crossed = best.len() > 1;
                        let others =
                            best.iter().filter(|base| **base != fork).map(|base| commits.get(*base).tree).collect();
                        let (tip, fork) = (commits.get(*tip), commits.get(fork));
                        pairs.push(Pair { line, fork: (fork.rank, fork.id), old: fork.tree, new: tip.tree, others });
                        let mut own: Vec<ObjectId> = branch.own.iter().map(|own| commits.get(*own).id).collect();
                        own.sort_unstable();
                        let started = branch.own.iter().map(|own| commits.get(*own).rank.time).min();
                        Grown::Line(Growth {
                            fork: fork.id,
                            crossed,
                            own,
                            started,
                            tip_time: tip.rank.time,
                            changes: Vec::new(),
                        })
                    }
                },
            });
        }
        Ok((lines, pairs))
    }

    /// The best merge base of two commits, as `git merge-base` has it; none where they have no commit in common.
    ///
    /// # Errors
    /// History can't be read.
    pub fn merge_base(&self, a: ObjectId, b: ObjectId) -> Result<Option<ObjectId>, Fatal> {
        match self.lines(a, &[b])?.0.pop() {
            Some(Grown::Merged) => Ok(Some(b)),
            Some(Grown::Line(growth)) => Ok(Some(growth.fork)),
            Some(Grown::Broken(why)) => Err(Fatal::Git(why)),
            Some(Grown::Unrelated | Grown::Shallow) | None => Ok(None),
        }
    }
}

fn fork(
    commits: &mut Commits<'_>,
    trunk: &Trunk,
    chain: Option<&Chain>,
    tip: Number,
    branch: &Branch,
) -> Option<(Number, Vec<Number>)> {
    match (chain, branch.forks.as_slice()) {
        (_, [one]) => Some((*one, vec![*one])),
        (Some(chain), forks) => {
            let best = chain.best(commits, forks);
            choose::choose(commits, trunk.tip, tip, &best).map(|chosen| (chosen, best))
        }
        (None, _) => None,
    }
}

/// What is different from two merge bases: what is as in one of them is nobody's change, but what either had and the line has not is gone.
fn from_both(mut one: Vec<Changed>, mut other: Vec<Changed>) -> Vec<Changed> {
    let has = |list: &[Changed], path: &Changed| list.binary_search_by(|known| known.path.cmp(&path.path)).is_ok();
    other.retain(|changed| changed.new.is_none() && !has(&one, changed) || changed.new.is_some());
    one.retain(|changed| changed.new.is_none() || has(&other, changed));
    one.extend(other.into_iter().filter(|changed| changed.new.is_none()));
    one.sort_by(|a, b| a.path.cmp(&b.path));
    one
}

fn without_fork(trunk: &Trunk, branch: &Branch) -> Grown {
    match &trunk.broken {
        Some(why) => Grown::Broken(why.clone()),
        None if trunk.cut || branch.cut => Grown::Shallow,
        None => Grown::Unrelated,
    }
}

#[cfg(test)]
mod tests;
