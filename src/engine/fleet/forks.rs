//! Chains that only the merged tree has two heads of.

use std::collections::{BTreeMap, BTreeSet};

use super::{gather::Presence, heads, orphans, scene::Scene};
use crate::{
    diag::RepoPath,
    engine::{
        Gaps,
        chains::{Forked, History, Link},
        read::Pass,
    },
    report::Skipped,
    rule::judge::Fork,
};

/// Up to so many lines go on with one chain, each is held against each other one.
const PAIRED: usize = 24;

/// The forks that lines make in one chain, and what comes after something that they take away. A line whose own files can't be understood is left out, and that is said; so is the whole chain
/// where the trunk's can't be. What could be understood before a line that is judged edited it is a gap: perhaps the edit broke it.
pub(super) fn forks(
    scene: &Scene<'_>,
    pass: &Pass<'_>,
    history: &History,
    skipped: &mut Vec<Skipped>,
    gaps: &Gaps,
) -> Vec<Fork> {
    if history.unclear.iter().any(|unclear| scene.presence[unclear.entry as usize].base) {
        skipped.push(history.skipped(None));
        return Vec::new();
    }
    let mut left_out: BTreeSet<u32> = BTreeSet::new();
    for unclear in &history.unclear {
        let path = &scene.listing.entries[unclear.entry as usize].path;
        for line in &scene.presence[unclear.entry as usize].new_of {
            let was_clear = |link: &Link| {
                let entry = pass.items[link.item as usize].entry as usize;
                link.site.path == *path && scene.presence[entry].old_of.binary_search(line).is_ok()
            };
            if scene.head.is_none_or(|head| head == *line) && history.links.iter().any(was_clear) {
                let name = &scene.line(*line).holder.name;
                let why =
                    format!("it was a migration, and what {name} makes of it can't be read as one: {}", unclear.why);
                gaps.add(path.lossy(), why);
                left_out.insert(*line);
            } else if left_out.insert(*line) {
                let Skipped { what, count } = history.skipped(Some(unclear));
                skipped.push(Skipped { what: format!("{what} (on {})", scene.line(*line).holder.name), count });
            }
        }
    }
    let chain = Chain::new(scene, pass, history, &left_out);
    let mut found = forked(&chain);
    found.extend(orphans::orphans(&chain, &found, gaps));
    found
}

fn forked(chain: &Chain<'_>) -> Vec<Fork> {
    let scene = chain.scene;
    let guilty: Vec<u32> = chain.guilty().into_iter().collect();
    if guilty.is_empty() {
        return Vec::new();
    }
    // with a change as the head, only what is worse with it
    let others: Vec<u32> = guilty.iter().copied().filter(|line| scene.head.is_some_and(|head| head != *line)).collect();
    let (before, without) = (chain.forks(&[]), chain.forks(&others));
    let is_worse = |fork: &Forked| excess(fork) > known(fork, &before).max(known(fork, &without));
    chain.forks(&guilty).iter().filter(|fork| is_worse(fork)).map(|fork| heads::judged(chain, fork, &guilty)).collect()
}

/// How many heads are one too many.
fn excess(fork: &Forked) -> usize {
    fork.heads.len() - 1
}

/// How many heads are one too many already in those links that a fork has too.
fn known(fork: &Forked, others: &[Forked]) -> usize {
    others.iter().filter(|other| !other.members.is_disjoint(&fork.members)).map(excess).sum()
}

/// One chain, with all that lines make of it.
pub(super) struct Chain<'a> {
    pub(super) scene: &'a Scene<'a>,
    pub(super) history: &'a History,
    /// For each link its entry and path.
    pub(super) files: Vec<(u32, RepoPath)>,
    /// By line, the paths that it changes.
    changed: BTreeMap<u32, BTreeSet<RepoPath>>,
}

impl<'a> Chain<'a> {
    fn new(scene: &'a Scene<'a>, pass: &Pass<'_>, history: &'a History, left_out: &BTreeSet<u32>) -> Self {
        let entry = |at: u32| pass.items[at as usize].entry;
        let files: Vec<(u32, RepoPath)> =
            history.links.iter().map(|link| (entry(link.item), link.site.path.clone())).collect();
        let mut changed: BTreeMap<u32, BTreeSet<RepoPath>> = BTreeMap::new();
        for (entry, path) in &files {
            let presence = &scene.presence[*entry as usize];
            for line in presence.new_of.iter().chain(&presence.old_of).filter(|line| !left_out.contains(line)) {
                changed.entry(*line).or_default().insert(path.clone());
            }
        }
        Self { scene, history, files, changed }
    }

    /// The lines that have to do with the chain.
    pub(super) fn lines(&self) -> impl Iterator<Item = u32> + '_ {
        self.changed.keys().copied()
    }

    /// Where a link's file is present.
    pub(super) fn presence(&self, at: usize) -> &'a Presence {
        &self.scene.presence[self.files[at].0 as usize]
    }

    /// The links that would come after one that is not there, if these lines were merged, and the id of that one.
    pub(super) fn orphans(&self, lines: &[u32]) -> BTreeSet<(usize, &'a str)> {
        self.history.orphans(&self.links(lines))
    }

    /// The links that the merge of the trunk and these lines would hold.
    pub(super) fn links(&self, lines: &[u32]) -> Vec<usize> {
        let is_changed =
            |path: &RepoPath| lines.iter().any(|line| self.changed.get(line).is_some_and(|all| all.contains(path)));
        let holds = |at: &usize| {
            let (entry, path) = &self.files[*at];
            let presence = &self.scene.presence[*entry as usize];
            let mut having = lines.iter().filter(|line| presence.new_of.binary_search(line).is_ok());
            presence.base && !is_changed(path)
                || having.any(|line| !lines.iter().any(|other| self.drops(*other, *line, path)))
        };
        (0..self.files.len()).filter(holds).collect()
    }

    /// Whether a line took a file from another one and dropped it again.
    fn drops(&self, line: u32, from: u32, path: &RepoPath) -> bool {
        let has = |presence: &Presence| presence.base || presence.new_of.binary_search(&line).is_ok();
        let kept = || self.files.iter().any(|(entry, own)| own == path && has(&self.scene.presence[*entry as usize]));
        line != from
            && self.scene.shared(line, from).is_some_and(|shared| self.scene.at(shared, path).is_some())
            && !kept()
    }

    fn forks(&self, lines: &[u32]) -> Vec<Forked> {
        self.history.forks(&self.links(lines))
    }

    /// How many heads are one too many.
    fn excess(&self, lines: &[u32]) -> usize {
        self.forks(lines).iter().map(excess).sum()
    }

    fn guilty(&self) -> BTreeSet<u32> {
        let lines: Vec<u32> = self.changed.keys().copied().collect();
        let before = self.excess(&[]);
        let alone: BTreeMap<u32, usize> = lines.iter().map(|line| (*line, self.excess(&[*line]))).collect();
        let is_judged = |line: u32| self.scene.head.is_none_or(|head| head == line);
        let mut guilty: BTreeSet<u32> =
            alone.iter().filter(|(line, own)| **own > before && is_judged(**line)).map(|(line, _)| *line).collect();
        for (a, b) in self.pairs(&lines) {
            if self.excess(&[a, b]) > alone[&a].max(alone[&b]).max(before) {
                guilty.extend([a, b]);
            }
        }
        if self.scene.head.is_none() && lines.len() > PAIRED {
            let top: Vec<u32> = lines
                .iter()
                .copied()
                .filter(|a| !lines.iter().any(|b| a != b && self.scene.is_behind(*a, *b)))
                .collect();
            if self.excess(&top) > alone.values().copied().max().unwrap_or(before).max(before) {
                guilty.extend(top);
            }
        }
        guilty
    }

    /// The lines that are held against each other: the head against all, else each against each unless they are very many. Of two lines of
    /// which one has all commits of the other, the one says it all.
    fn pairs(&self, lines: &[u32]) -> Vec<(u32, u32)> {
        let mut pairs = Vec::new();
        match self.scene.head {
            Some(head) if lines.contains(&head) => {
                pairs.extend(lines.iter().filter(|line| **line != head).map(|line| (head, *line)));
            }
            None if lines.len() <= PAIRED => {
                for (at, a) in lines.iter().enumerate() {
                    pairs.extend(lines[at + 1..].iter().map(|b| (*a, *b)));
                }
            }
            _ => {}
        }
        pairs.retain(|(a, b)| !self.scene.is_behind(*a, *b) && !self.scene.is_behind(*b, *a));
        pairs
    }
}
