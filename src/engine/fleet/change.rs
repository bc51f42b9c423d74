//! What the head does wrong by itself: names that are no names, files that take none, and more of them than there may be.

use std::collections::{BTreeMap, BTreeSet};

use super::{gather::Presence, scene::Scene};
use crate::{
    diag::parent,
    engine::{Plan, read::Pass},
    rule::{
        Resolved, Stray,
        judge::{Count, Fault, FaultKind, Grown, Judged},
    },
    source::{Line, Listing},
};

/// The faults, strays and counts that the head brings in. Those of other lines are for their own runs to say.
pub(super) fn of_head(
    scene: &Scene<'_>,
    pass: &Pass<'_>,
    mut faults: Vec<Fault>,
    strays: Vec<Stray>,
    counts: Vec<Count>,
) -> Judged {
    let Some(head) = scene.head else { return Judged::default() };
    let presence = |entry: u32| &scene.presence[entry as usize];
    let is_new = |presence: &Presence| !presence.base && presence.new_of.binary_search(&head).is_ok();
    let entry = |fault: &Fault| pass.items[fault.item as usize].entry;
    let path = |entry: u32| &scene.listing.entries[entry as usize].path;
    let kind = |fault: &Fault| match fault.kind {
        FaultKind::Reserved => 0,
        FaultKind::Invented => 1,
        FaultKind::Malformed(at) => 2 + u32::from(at),
    };
    let known: Vec<_> = faults
        .iter()
        .filter(|fault| presence(entry(fault)).base || presence(entry(fault)).old_of.binary_search(&head).is_ok())
        .map(|fault| (path(entry(fault)).clone(), kind(fault), fault.key.clone()))
        .collect();
    faults.retain(|fault| {
        is_new(presence(entry(fault))) && !known.contains(&(path(entry(fault)).clone(), kind(fault), fault.key.clone()))
    });
    let (counts, grown) = grown(scene, pass, head, counts);
    Judged { faults, strays, counts, grown: Some(grown), ..Judged::default() }
}

/// What would have to take a name and takes none once the head is merged, and is not so on the trunk.
pub(super) fn strays(
    plan: &Plan<'_>,
    resolved: &Resolved,
    listing: &Listing,
    presence: &[Presence],
    (head, line): (u32, &Line),
) -> Vec<Stray> {
    let path = |entry: u32| &listing.entries[entry as usize].path;
    let changed = |entry: u32| line.changes.binary_search_by(|changed| changed.path.cmp(path(entry))).ok();
    let there = |entry: u32| {
        let presence = &presence[entry as usize];
        presence.base && changed(entry).is_none() || presence.new_of.binary_search(&head).is_ok()
    };
    let is_folder = |stray: &Stray| stray.is_folder(&plan.rules[usize::from(stray.rule)].rule);
    let name = |stray: &Stray| {
        let path = path(stray.entry).as_bytes();
        (stray.rule, stray.what, if is_folder(stray) { parent(path) } else { path }.to_vec())
    };
    let before = resolved.strays(&plan.rules, listing, &|entry| presence[entry as usize].base);
    let before: BTreeSet<_> = before.iter().map(name).collect();
    let had = |entry: u32| changed(entry).is_some_and(|at| line.changes[at].old.is_some());
    let mut strays = resolved.strays(&plan.rules, listing, &there);
    strays.retain(|stray| !before.contains(&name(stray)) && (is_folder(stray) || !had(stray.entry)));
    strays
}

/// What is there once the head is merged, and where that is more than the trunk holds.
fn grown(scene: &Scene<'_>, pass: &Pass<'_>, head: u32, counts: Vec<Count>) -> (Vec<Count>, Grown) {
    let place = |count: &Count| {
        let item = &pass.items[count.item as usize];
        (item.rule, item.partition.clone())
    };
    let path = |count: &Count| &scene.listing.entries[count.entry as usize].path;
    let of_item = |count: &Count| {
        let item = &pass.items[count.item as usize];
        (item.rule, item.claim, path(count))
    };
    let mut before: BTreeMap<_, u64> = BTreeMap::new();
    let mut after: BTreeMap<_, u64> = BTreeMap::new();
    let mut in_file: BTreeMap<_, (u64, u64)> = BTreeMap::new();
    let mut merged = Vec::new();
    for count in counts {
        let presence = &scene.presence[count.entry as usize];
        if presence.base {
            *before.entry(place(&count)).or_default() += count.keys;
            in_file.insert(of_item(&count), (count.keys, count.bytes));
        }
        let stays = presence.base && !scene.changes(head, path(&count));
        if stays || presence.new_of.binary_search(&head).is_ok() {
            *after.entry(place(&count)).or_default() += count.keys;
            merged.push(count);
        }
    }
    let more = |count: &&Count| {
        let (keys, bytes) = in_file.get(&of_item(count)).copied().unwrap_or_default();
        count.keys > keys || count.bytes > bytes
    };
    let entries = merged.iter().filter(more).map(|count| count.entry).collect();
    let partitions =
        after.into_iter().filter(|(place, keys)| Some(keys) > before.get(place)).map(|(place, _)| place).collect();
    (merged, Grown { entries, partitions })
}

impl Scene<'_> {
    /// Whether a line changes what stands at a path.
    pub(super) fn changes(&self, line: u32, path: &crate::diag::RepoPath) -> bool {
        self.line(line).changes.binary_search_by(|changed| changed.path.cmp(path)).is_ok()
    }
}
