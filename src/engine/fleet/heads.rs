//! Which head of a forked chain keeps its place.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use super::{
    age::{Age, Decided},
    forks::Chain,
};
use crate::{
    claim::Ruling,
    diag::{Severity, Site},
    engine::chains::Forked,
    rule::judge::Fork,
};

/// One head of one line, or of the trunk. The first in order keeps its place.
struct Head<'a> {
    /// It does not go on from where the trunk is.
    beside: bool,
    /// The age of the oldest revision that the trunk lacks, on the way to it.
    side: Age<'a>,
    age: Age<'a>,
    line: Option<u32>,
    at: usize,
}

impl Head<'_> {
    /// Why this one keeps its place against the next.
    fn decided_against(&self, other: &Self) -> Decided {
        match (self.age, self.beside == other.beside, self.side == other.side) {
            (Age::Base, ..) => Decided::Base,
            (_, false, _) => Decided::Follows,
            (_, true, false) => self.side.decided_against(other.side),
            (_, true, true) => self.age.decided_against(other.age),
        }
    }
}

/// The finding about a fork that these lines make.
pub(super) fn judged(chain: &Chain<'_>, fork: &Forked, guilty: &[u32]) -> Fork {
    let scene = chain.scene;
    let heads = heads(chain, fork, guilty);
    let first = &heads[0];
    let next = heads.iter().find(|head| head.at != first.at);
    let decided = next.map_or(Decided::Name, |next| first.decided_against(next));
    let yields = |head: &Head<'_>| head.line == scene.head && head.at != first.at;
    let site = |head: &Head<'_>| -> Site {
        let mut site = chain.history.links[head.at].site.clone();
        site.holder = head.line.map_or_else(|| scene.target.clone(), |line| scene.line(line).holder.clone());
        site
    };
    let name = |head: &Head<'_>| chain.history.links[head.at].revision.id.clone();
    Fork {
        rule: chain.history.rule,
        partition: Arc::clone(&chain.history.partition),
        name: chain.history.links[first.at].revision.group.clone().unwrap_or_default(),
        heads: heads.iter().map(|head| (name(head), site(head))).collect(),
        cap: (scene.head.is_some() && !heads.iter().any(yields)).then_some(Severity::Note),
        ruling: Some(Ruling::Keeps {
            keeper: site(first).holder,
            because: decided.to_string(),
            itself: heads.iter().all(|head| head.line == first.line),
            apart: false,
        }),
        gone: gone(chain, fork, guilty),
    }
}

/// What of a fork comes after something that these lines took away.
fn gone(chain: &Chain<'_>, fork: &Forked, guilty: &[u32]) -> Option<(String, String)> {
    if !chain.history.needs_parents() {
        return None;
    }
    let known = chain.orphans(&[]);
    let orphans = chain.orphans(guilty);
    let (at, parent) = orphans.difference(&known).find(|(at, _)| fork.members.contains(at))?;
    Some((chain.history.links[*at].revision.id.clone(), (*parent).to_owned()))
}

/// All heads with all their holders, the one that keeps its place first.
fn heads<'a>(chain: &Chain<'a>, fork: &Forked, guilty: &[u32]) -> Vec<Head<'a>> {
    let scene = chain.scene;
    let trunk: BTreeSet<usize> = chain.history.ends(&chain.links(&[])).into_iter().collect();
    let ways = Ways::new(chain, &chain.links(guilty));
    let mut all = Vec::new();
    for at in &fork.heads {
        let below = ways.below(*at);
        let beside = below.is_disjoint(&trunk);
        let side = below.iter().filter_map(|at| chain.ages(*at).map(|(age, _)| age).min()).min().unwrap_or(Age::Base);
        match chain.is_on_base(*at) {
            true => all.push(Head { beside: false, side: Age::Base, age: Age::Base, line: None, at: *at }),
            // also lines that are not judged: with the oldest of them the revision keeps its place
            false => {
                all.extend(chain.ages(*at).map(|(age, line)| Head { beside, side, age, line: Some(line), at: *at }))
            }
        }
    }
    let order = |head: &Head<'a>| (head.beside, head.side, head.age, chain.files[head.at].1.clone());
    all.sort_by(|a, b| order(a).cmp(&order(b)));
    if all.iter().all(|head| head.line.is_none()) {
        // a line took away what joined them
        for head in &mut all[1..] {
            let place = scene.listing.entries[chain.files[head.at].0 as usize].place;
            (head.age, head.line) = (Age::of(scene.line(guilty[0]), place), Some(guilty[0]));
        }
    }
    all
}

/// From each revision to those that it comes after.
struct Ways<'a> {
    chain: &'a Chain<'a>,
    by_id: BTreeMap<&'a str, usize>,
}

impl<'a> Ways<'a> {
    fn new(chain: &'a Chain<'a>, links: &[usize]) -> Self {
        let by_id = links.iter().rev().map(|at| (chain.history.links[*at].revision.id.as_str(), *at)).collect();
        Self { chain, by_id }
    }

    /// A revision and all that it comes after.
    fn below(&self, from: usize) -> BTreeSet<usize> {
        let mut found: BTreeSet<usize> = [from].into();
        let mut left = vec![from];
        while let Some(at) = left.pop() {
            let parents = &self.chain.history.links[at].revision.parents;
            let known = parents.iter().filter_map(|id| self.by_id.get(id.as_str()));
            left.extend(known.copied().filter(|parent| found.insert(*parent)));
        }
        found
    }
}

impl<'a> Chain<'a> {
    pub(super) fn is_on_base(&self, at: usize) -> bool {
        self.presence(at).base
    }

    /// The lines that bring a revision in, each with its age; none for what the trunk has.
    fn ages(&self, at: usize) -> impl Iterator<Item = (Age<'a>, u32)> {
        let entry = self.files[at].0 as usize;
        let (scene, presence) = (self.scene, &self.scene.presence[entry]);
        let place = scene.listing.entries[entry].place;
        let lines = presence.new_of.iter().filter(|_| !presence.base);
        lines.map(move |line| (Age::of(scene.line(*line), place), *line))
    }
}
