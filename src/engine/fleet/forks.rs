//! Chains that only the merged tree has two heads of.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use super::{
    age::{Age, Decided},
    scene::Scene,
};
use crate::{
    claim::Ruling,
    diag::{RepoPath, Severity, Site},
    engine::{chains::History, read::Pass},
    rule::judge::Fork,
};

/// Up to so many lines go on with one chain, each is held against each other one.
const PAIRED: usize = 24;

/// The forks that lines make in one chain, if any.
pub(super) fn fork(scene: &Scene<'_>, pass: &Pass<'_>, history: &History) -> Option<Fork> {
    let chain = Chain::new(scene, pass, history);
    let guilty = chain.guilty();
    let guilty: Vec<u32> = guilty.into_iter().collect();
    if guilty.is_empty() {
        return None;
    }
    let before: BTreeSet<Vec<usize>> = chain.forks(&[]).into_iter().collect();
    let heads = chain.forks(&guilty).into_iter().find(|heads| !before.contains(heads))?;
    Some(chain.judged(&heads, &guilty))
}

struct Chain<'a> {
    scene: &'a Scene<'a>,
    history: &'a History,
    /// For each link its entry and path.
    files: Vec<(u32, RepoPath)>,
    /// By line, the paths that it changes.
    changed: BTreeMap<u32, BTreeSet<RepoPath>>,
}

impl<'a> Chain<'a> {
    fn new(scene: &'a Scene<'a>, pass: &Pass<'_>, history: &'a History) -> Self {
        let entry = |at: u32| pass.items[at as usize].entry;
        let files: Vec<(u32, RepoPath)> =
            history.links.iter().map(|link| (entry(link.item), link.site.path.clone())).collect();
        let mut changed: BTreeMap<u32, BTreeSet<RepoPath>> = BTreeMap::new();
        for (entry, path) in &files {
            let presence = &scene.presence[*entry as usize];
            for line in presence.new_of.iter().chain(&presence.old_of) {
                changed.entry(*line).or_default().insert(path.clone());
            }
        }
        Self { scene, history, files, changed }
    }

    /// The links that the merge of the trunk and these lines would hold.
    fn links(&self, lines: &[u32]) -> Vec<usize> {
        let is_changed =
            |path: &RepoPath| lines.iter().any(|line| self.changed.get(line).is_some_and(|all| all.contains(path)));
        let holds = |at: &usize| {
            let (entry, path) = &self.files[*at];
            let presence = &self.scene.presence[*entry as usize];
            presence.base && !is_changed(path) || lines.iter().any(|line| presence.new_of.binary_search(line).is_ok())
        };
        (0..self.files.len()).filter(holds).collect()
    }

    fn forks(&self, lines: &[u32]) -> Vec<Vec<usize>> {
        self.history.forks(&self.links(lines))
    }

    /// How many heads are one too many.
    fn excess(&self, lines: &[u32]) -> usize {
        self.forks(lines).iter().map(|heads| heads.len() - 1).sum()
    }

    fn guilty(&self) -> BTreeSet<u32> {
        let lines: Vec<u32> = self.changed.keys().copied().collect();
        let before = self.excess(&[]);
        let excess: Vec<usize> = lines.iter().map(|line| self.excess(&[*line])).collect();
        let head = self.scene.head;
        let of_head = |line: u32| head.is_none_or(|head| head == line);
        let mut guilty: BTreeSet<u32> = BTreeSet::new();
        guilty.extend(
            lines.iter().zip(&excess).filter(|(line, own)| **own > before && of_head(**line)).map(|(line, _)| *line),
        );
        let stacked = |a, b| self.scene.is_behind(a, b) || self.scene.is_behind(b, a);
        if lines.len() > PAIRED {
            let top: Vec<u32> = lines
                .iter()
                .copied()
                .filter(|a| !lines.iter().any(|b| a != b && self.scene.is_behind(*a, *b)))
                .collect();
            if self.excess(&top) > excess.iter().copied().max().unwrap_or(before).max(before) {
                guilty.extend(top);
            }
            return guilty;
        }
        for (at, a) in lines.iter().enumerate() {
            for (other, b) in lines.iter().enumerate().skip(at + 1) {
                if (of_head(*a) || of_head(*b))
                    && !stacked(*a, *b)
                    && self.excess(&[*a, *b]) > excess[at].max(excess[other]).max(before)
                {
                    guilty.extend([*a, *b]);
                }
            }
        }
        guilty
    }

    fn judged(&self, heads: &[usize], guilty: &[u32]) -> Fork {
        let scene = self.scene;
        let mut all: Vec<(Age<'_>, Option<u32>, usize)> = Vec::new();
        for at in heads {
            let entry = self.files[*at].0 as usize;
            let presence = &scene.presence[entry];
            let place = scene.listing.entries[entry].place;
            let holders = guilty.iter().filter(|line| presence.new_of.binary_search(line).is_ok());
            let ages = holders.map(|line| (Age::of(scene.line(*line), place), Some(*line), *at));
            match presence.base {
                true => all.push((Age::Base, None, *at)),
                false => all.extend(ages),
            }
        }
        all.sort_by(|a, b| (a.0, &self.files[a.2].1).cmp(&(b.0, &self.files[b.2].1)));
        let (first_age, first_line, first) = all[0];
        let next = all.iter().find(|(.., at)| *at != first);
        let decided = next.map_or(Decided::Name, |(age, ..)| first_age.decided_against(*age));
        let head_keeps =
            scene.head.is_some_and(|head| !all.iter().any(|(_, line, at)| *line == Some(head) && *at != first));
        let itself = all.iter().all(|(_, line, _)| *line == first_line);
        let site = |line: Option<u32>, at: usize| -> Site {
            let mut site = self.history.links[at].site.clone();
            site.holder = line.map_or_else(|| scene.target.clone(), |line| scene.line(line).holder.clone());
            site
        };
        let heads: Vec<(String, Site)> =
            all.iter().map(|(_, line, at)| (self.history.links[*at].revision.id.clone(), site(*line, *at))).collect();
        let keeper = heads[0].1.holder.clone();
        Fork {
            rule: self.history.rule,
            partition: Arc::clone(&self.history.partition),
            name: self.history.links[first].revision.group.clone().unwrap_or_default(),
            heads,
            cap: head_keeps.then_some(Severity::Note),
            ruling: Some(Ruling::Keeps { keeper, because: decided.to_string(), itself }),
        }
    }
}
