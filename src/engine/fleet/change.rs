//! What the head does wrong by itself: names that are no names, files that take none, and more of them than there may be.

use std::collections::BTreeMap;

use super::{gather::Presence, scene::Scene};
use crate::{
    engine::read::Pass,
    rule::{
        Stray,
        judge::{Count, Fault, FaultKind, Judged},
    },
};

/// The faults, strays and counts that the head brings in. Those of other lines are for their own runs to say.
pub(super) fn of_head(
    scene: &Scene<'_>,
    pass: &Pass<'_>,
    mut faults: Vec<Fault>,
    mut strays: Vec<Stray>,
    counts: Vec<Count>,
) -> Judged {
    let Some(head) = scene.head else { return Judged::default() };
    let presence = |entry: u32| &scene.presence[entry as usize];
    let is_new = |presence: &Presence| !presence.base && presence.new_of.binary_search(&head).is_ok();
    let entry = |fault: &Fault| pass.items[fault.item as usize].entry;
    let path = |entry: u32| &scene.listing.entries[entry as usize].path;
    let kind = |fault: &Fault| match fault.kind {
        FaultKind::Reserved => 0,
        FaultKind::Malformed(at) => 1 + u32::from(at),
    };
    let known: Vec<_> = faults
        .iter()
        .filter(|fault| presence(entry(fault)).base || presence(entry(fault)).old_of.binary_search(&head).is_ok())
        .map(|fault| (path(entry(fault)).clone(), kind(fault), fault.key.clone()))
        .collect();
    faults.retain(|fault| {
        is_new(presence(entry(fault))) && !known.contains(&(path(entry(fault)).clone(), kind(fault), fault.key.clone()))
    });
    strays.retain(|stray| is_new(presence(stray.entry)) && !scene.had(head, path(stray.entry)));
    Judged { faults, strays, counts: grown(scene, pass, head, counts), ..Judged::default() }
}

/// What each namespace and file holds once the head is merged, where that is more than the trunk holds.
fn grown(scene: &Scene<'_>, pass: &Pass<'_>, head: u32, counts: Vec<Count>) -> Vec<Count> {
    let place = |count: &Count| {
        let item = &pass.items[count.item as usize];
        (item.rule, item.partition.clone())
    };
    let mut before: BTreeMap<_, u64> = BTreeMap::new();
    let mut after: BTreeMap<_, u64> = BTreeMap::new();
    let mut merged = Vec::new();
    for count in counts {
        let presence = &scene.presence[count.entry as usize];
        let path = &scene.listing.entries[count.entry as usize].path;
        if presence.base {
            *before.entry(place(&count)).or_default() += count.keys;
        }
        let stays = presence.base && !scene.changes(head, path);
        if stays || presence.new_of.binary_search(&head).is_ok() {
            *after.entry(place(&count)).or_default() += count.keys;
            merged.push(count);
        }
    }
    merged.retain(|count| after.get(&place(count)) > before.get(&place(count)));
    merged
}

impl Scene<'_> {
    /// Whether a line changes what stands at a path.
    pub(super) fn changes(&self, line: u32, path: &crate::diag::RepoPath) -> bool {
        self.line(line).changes.binary_search_by(|changed| changed.path.cmp(path)).is_ok()
    }
}
