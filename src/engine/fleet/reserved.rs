//! Names that somebody holds on the remote without a file: a holder like any other, as old as can be.

use std::collections::BTreeSet;

use super::{Listing, Plan, Presence, locate, read::Pass, scene::Scene};
use crate::{
    claim::Claim,
    diag::{RepoPath, Site},
    report::Skipped,
    source::{Entry, EntryKind, Place},
};

/// A name that is reserved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reserved {
    /// The id of the rule.
    pub namespace: String,
    /// Within which it may be taken once.
    pub partition: String,
    /// Its set of names within the partition.
    pub space: String,
    /// The name, as the rule compares it.
    pub name: String,
    /// The file that it is for, or what stands for that.
    pub path: RepoPath,
    /// Until when and what for, in a few words.
    pub note: String,
    /// The line of work that stands for all that its agent has reserved.
    pub line: u32,
    /// The lines of work of its agent: what they take is what was reserved.
    pub owners: Vec<u32>,
}

impl Reserved {
    /// Whether this is the name of a claim.
    fn is_of(&self, namespace: &str, claim: &Claim) -> bool {
        self.namespace == namespace
            && *self.partition == *claim.partition
            && *self.space == *claim.space
            && self.name == claim.key
    }
}

/// Whether a line takes a name that its agent has reserved.
pub(super) fn is_kept(scene: &Scene<'_>, line: u32, claim: &Claim) -> bool {
    let namespace = scene.rules[usize::from(claim.rule)].rule.id();
    scene.reserved.iter().any(|one| one.owners.contains(&line) && one.is_of(namespace, claim))
}

/// The reservations that can't be held against anything here.
pub(super) fn not_judged(plan: &Plan<'_>) -> Option<Skipped> {
    let is_judged = |one: &&Reserved| {
        let rule = plan.rules.iter().find(|active| active.rule.id() == one.namespace);
        rule.is_some_and(|active| active.rule.claims.iter().any(|claim| claim.is_path() && claim.space == one.space))
    };
    let count = plan.reserved.iter().filter(|one| !is_judged(one)).count();
    let what = "reservations of names that stand in texts, or that no rule here looks for".to_owned();
    (count > 0 && !plan.partial).then_some(Skipped { what, count: Some(count) })
}

/// Adds an entry for each reservation: no file, but a place that its line has.
pub(super) fn stand_ins(reserved: &[Reserved], listing: &mut Listing, presence: &mut Vec<Presence>) -> Vec<u32> {
    let nothing = Place::Blob(gix::ObjectId::null(gix::hash::Kind::Sha1));
    let add = |one: &Reserved| {
        listing.push(Entry { path: one.path.clone(), kind: EntryKind::File, place: nothing }, [].into());
        presence.push(Presence { new_of: vec![one.line], ..Presence::default() });
        listing.entries.len() as u32 - 1
    };
    reserved.iter().map(add).collect()
}

/// Adds the claims of reservations where a line of somebody else takes the name.
pub(super) fn add(pass: &Pass<'_>, scene: &Scene<'_>, stand_ins: &[u32], claims: &mut Vec<Claim>) {
    for (one, entry) in scene.reserved.iter().zip(stand_ins) {
        let taking = taking(pass, one);
        let is_there = |claim: &Claim| scene.presence(claim).base;
        let has = |claim: &Claim, line: u32| scene.presence(claim).new_of.binary_search(&line).is_ok();
        // merged, it is over; and where its agent has a file for it, that file has the name
        let has_file = |claim: &Claim| is_there(claim) || one.owners.iter().any(|line| has(claim, *line));
        if taking.is_empty() || taking.iter().any(has_file) {
            continue;
        }
        let variants: BTreeSet<&str> = taking.iter().map(|claim| claim.variant.as_str()).collect();
        let holder = scene.line(one.line).holder.clone();
        let held = variants.into_iter().map(|variant| {
            let mut site = Site::path(one.path.clone(), holder.clone());
            site.note = Some(one.note.clone());
            let unit = format!("\0reserved for {}", holder.name); // no file's
            Claim { entry: *entry, unit, variant: variant.to_owned(), placed: false, site, ..taking[0].clone() }
        });
        claims.extend(held.collect::<Vec<_>>());
        claims.extend(taking);
    }
}

/// The claims of paths that take a reserved name.
fn taking(pass: &Pass<'_>, one: &Reserved) -> Vec<Claim> {
    let is_of = |at: &u32| {
        let item = &pass.items[*at as usize];
        pass.rule(item).id() == one.namespace
            && pass.claim(item).is_path()
            && one.partition.starts_with(&*item.partition)
    };
    let all = (0..pass.items.len() as u32).filter(is_of).filter_map(|at| locate::of_path(pass, at));
    all.filter(|claim| one.is_of(&one.namespace, claim)).collect()
}
