//! Which names of one namespace are taken, by whom, and where: what the search for a free one goes by.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use super::{Gaps, Plan, Versions, locate, placed, read::Pass};
use crate::{
    diag::{Holder, RepoPath},
    engine::path_found,
    error::Fatal,
    report::{Incomplete, Skipped},
    rule::{self, Item},
    source::{Line, Tree},
};

/// Whose names are looked at.
pub struct Holders<'a> {
    /// The tree at the trunk's tip, or a tree without any trunk; reads all of git's blobs too.
    pub trunk: &'a dyn Tree,
    /// The lines of work, the head among them.
    pub lines: &'a [Line],
    /// Which of them is the head: what comes next is built on it.
    pub head: Option<usize>,
    /// The working trees that [`Place::Worktree`](crate::source::Place) counts.
    pub worktrees: &'a [&'a dyn Tree],
}

/// The names of one namespace.
#[derive(Debug, Default)]
pub struct Names {
    /// Where they live, sorted by root and partition.
    pub homes: Vec<Home>,
    /// What could not be looked at.
    pub incomplete: Vec<Incomplete>,
    /// What was left out by choice.
    pub skipped: Vec<Skipped>,
}

/// One place in which names live.
#[derive(Clone, Debug)]
pub struct Home {
    /// The root folder; empty for the top.
    pub root: String,
    /// Within which a name may be taken once.
    pub partition: String,
    /// The root is the partition itself, without the literal folders with which the rule's paths begin.
    pub(crate) is_partition: bool,
    /// What splits the root's partition further: this home is that part of it.
    pub(crate) group: Option<String>,
    /// All that is taken in the partition.
    pub taken: Arc<[Taken]>,
}

/// A name that somebody has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken {
    /// As it is written.
    pub raw: String,
    /// As the rule compares it.
    pub key: String,
    /// Its set of names within the partition.
    pub space: String,
    /// The file that takes it.
    pub path: RepoPath,
    /// The path below the root.
    pub(crate) below: String,
    /// What counts as one claimant; none where each file is one.
    pub(crate) unit: Option<String>,
    /// Names collide only with their own kind.
    pub(crate) variant: String,
    /// Index into the rule's claims.
    pub(crate) claim: u8,
    /// Who has it; of several the first.
    pub holder: Holder,
    /// The trunk or the head has it: what comes next comes after it.
    pub built_on: bool,
    /// The head has it, and the trunk does not.
    pub own: bool,
}

/// Finds all names of a rule that the trunk and lines of work hold. `rule` is its place among those of the plan.
///
/// # Errors
/// A tree that can't be listed at all.
pub fn names(plan: &Plan<'_>, rule: u16, holders: &Holders<'_>) -> Result<Names, Fatal> {
    let gaps = Gaps::default();
    let tree = Versions { trunk: holders.trunk, worktrees: holders.worktrees };
    let placed::Placed { mut listing, presence, attributes, resolved, .. } =
        placed::placed(plan, &tree, holders.lines, placed::Which::All, &gaps)?;
    let head = holders.head.map(|head| head as u32);
    let is_new_of_head = |entry: u32| head.is_some_and(|head| presence[entry as usize].new_of.contains(&head));
    let is_there = |entry: u32| presence[entry as usize].base || !presence[entry as usize].new_of.is_empty();
    let is_built_on = |entry: u32| presence[entry as usize].base || is_new_of_head(entry);
    let holder = |entry: u32| match (presence[entry as usize].base, presence[entry as usize].new_of.first()) {
        (false, Some(line)) => holders.lines[*line as usize].holder.clone(),
        _ => holders.trunk.holder(),
    };
    let pass = Pass { plan, tree: &tree, listing: &listing, items: &resolved.items };
    let mut found = Found::default();
    for (at, item) in (0u32..).zip(&resolved.items).filter(|(_, item)| item.rule == rule && is_there(item.entry)) {
        for (name, partition, group) in of_item(&pass, at) {
            let built_on = is_built_on(item.entry);
            let own = is_new_of_head(item.entry) && !presence[item.entry as usize].base;
            found.add(&pass, item, (partition, group), Taken { holder: holder(item.entry), built_on, own, ..name });
        }
    }
    let left_out = |entry: u32| attributes.leaves_out(&listing.entries[entry as usize].path, true);
    for (root, partition) in rule::marked(&plan.rules[usize::from(rule)].rule, rule, &listing, &|entry| {
        is_built_on(entry) && !left_out(entry)
    }) {
        found.marked(root, partition);
    }
    let (skipped, unlisted) = (std::mem::take(&mut listing.skipped), std::mem::take(&mut listing.incomplete));
    unlisted.into_iter().for_each(|gap| gaps.add(gap.what, gap.why));
    Ok(Names { homes: found.homes(), incomplete: gaps.into_inner(), skipped })
}

/// The names of one file, each with its partition and what splits that from others of the root. Who has them is not said yet.
fn of_item(pass: &Pass<'_>, at: u32) -> Vec<(Taken, String, Option<String>)> {
    let item = &pass.items[at as usize];
    let claim = pass.claim(item);
    let name = |raw: String, key: String| Taken {
        raw,
        key,
        space: claim.space.clone(),
        path: pass.entry(item).path.clone(),
        below: item.below.clone(),
        unit: None,
        variant: String::new(),
        claim: item.claim,
        holder: Holder::head(None),
        built_on: false,
        own: false,
    };
    if !claim.is_path() {
        let all = locate::of_text(pass, at).into_iter();
        return all.map(|one| (name(one.key.clone(), one.key), one.partition.to_string(), None)).collect();
    }
    let (namer, found) = (pass.namer(item), path_found(claim, &item.below));
    let Some(one) = namer.name(&found) else { return Vec::new() };
    let partition = one.group.as_deref().map(|group| locate::joined(&item.partition, group));
    let partition = partition.unwrap_or_else(|| item.partition.to_string());
    let owned = |part: Option<std::borrow::Cow<'_, str>>| part.map(std::borrow::Cow::into_owned);
    let (group, unit, variant) = (owned(one.group), owned(one.unit), owned(one.variant).unwrap_or_default());
    let taken = Taken { unit, variant, ..name(one.raw.into_owned(), one.key.into_owned()) };
    vec![(taken, partition, group)]
}

/// Root, partition, whether they are one, and what splits the root's partition.
type Rooted = (String, String, bool, Option<String>);

/// Names by partition, and the roots of each.
#[derive(Default)]
struct Found {
    taken: BTreeMap<String, Vec<Taken>>,
    roots: BTreeSet<Rooted>,
}

impl Found {
    fn add(&mut self, pass: &Pass<'_>, item: &Item, (partition, group): (String, Option<String>), name: Taken) {
        let path = pass.entry(item).path.lossy();
        let whole = if item.root.is_empty() { item.below.clone() } else { format!("{}/{}", item.root, item.below) };
        self.roots.insert((item.root.to_string(), partition.clone(), *path != *whole, group));
        self.taken.entry(partition).or_default().push(name);
    }

    /// A root that the tool's own file marks, whether any name is taken below it or not.
    fn marked(&mut self, root: String, partition: String) {
        if !self.roots.iter().any(|(known, ..)| *known == root) {
            self.roots.insert((root, partition, false, None));
        }
    }

    fn homes(self) -> Vec<Home> {
        let taken: BTreeMap<String, Arc<[Taken]>> =
            self.taken.into_iter().map(|(partition, names)| (partition, names.into())).collect();
        let home = |(root, partition, is_partition, group): Rooted| {
            let taken = taken.get(&partition).cloned().unwrap_or_default();
            Home { root, partition, is_partition, group, taken }
        };
        self.roots.into_iter().map(home).collect()
    }
}
