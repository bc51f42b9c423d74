//! What the parts of a fleet's judgement share: the lines, where each entry is present, and what the history says of two lines.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use gix::ObjectId;

use super::{
    age::Age,
    gather::Presence,
    reserved::{self, Reserved},
};
use crate::{
    claim::Claim,
    diag::{Holder, HolderKind, RepoPath},
    engine::Gaps,
    rule::ActiveRule,
    source::{Line, Listing, Merges, Place, ReadVersion, Version},
};

/// What only the history of the repository tells.
pub trait History: Send + Sync {
    /// The best common ancestor of two commits.
    ///
    /// # Errors
    /// A commit can't be read: a text for people.
    fn merge_base(&self, a: ObjectId, b: ObjectId) -> Result<Option<ObjectId>, String>;
    /// What stands at a path in a commit.
    ///
    /// # Errors
    /// It can't be read: a text for people.
    fn at(&self, commit: ObjectId, path: &RepoPath) -> Result<Option<Version>, String>;
    /// The text that git would make of a file's base and two versions of it; none where it would stop. The commit is that of the trunk, whose
    /// attributes count.
    fn merge_text(&self, trunk: Option<ObjectId>, path: &RepoPath, texts: [&[u8]; 3]) -> Option<Vec<u8>>;
    /// Merges pairs of lines in memory.
    fn merges(&self, lines: &[Line], pairs: &[(u32, u32)], trunk: Option<ObjectId>, read: &ReadVersion<'_>) -> Merges;
}

/// Partitions and paths, by rule and content.
pub(super) type Landed = BTreeMap<(u16, ObjectId), Vec<(Arc<str>, RepoPath)>>;

/// All that judgement over several lines looks at.
pub(super) struct Scene<'a> {
    pub(super) lines: &'a [Line],
    /// Lines with several best merge bases.
    pub(super) crossed: &'a BTreeSet<u32>,
    /// The line that is judged, where a change is.
    pub(super) head: Option<u32>,
    /// Old collisions are worth a note.
    pub(super) notes_old: bool,
    pub(super) target: Holder,
    pub(super) listing: &'a Listing,
    pub(super) presence: &'a [Presence],
    pub(super) history: &'a dyn History,
    /// Takes down what the history could not tell.
    pub(super) gaps: &'a Gaps,
    /// Path claims on the trunk, by rule and content: partition and path.
    pub(super) landed: Landed,
    pub(super) related: RefCell<BTreeMap<(u32, u32), Option<ObjectId>>>,
    pub(super) rules: &'a [ActiveRule],
    /// What is held on the remote.
    pub(super) reserved: &'a [Reserved],
}

impl<'a> Scene<'a> {
    pub(super) fn line(&self, at: u32) -> &'a Line {
        &self.lines[at as usize]
    }

    pub(super) fn place(&self, claim: &Claim) -> Place {
        self.listing.entries[claim.entry as usize].place
    }

    pub(super) fn presence(&self, claim: &Claim) -> &'a Presence {
        &self.presence[claim.entry as usize]
    }

    pub(super) fn age(&self, line: u32, claim: &Claim) -> Age<'a> {
        match reserved::is_kept(self, line, claim) {
            true => Age::reserved(self.line(line)),
            false => Age::of(self.line(line), self.place(claim)),
        }
    }

    /// The last common commit of two lines, where they share more than the trunk.
    pub(super) fn shared(&self, a: u32, b: u32) -> Option<ObjectId> {
        let key = (a.min(b), a.max(b));
        if let Some(known) = self.related.borrow().get(&key) {
            return *known;
        }
        let (one, other) = (self.line(a), self.line(b));
        let base = |(a, b)| {
            let names = || format!("what {} and {} have in common", one.holder.name, other.holder.name);
            self.told(self.history.merge_base(a, b), names)
        };
        let found = one.tip.zip(other.tip).filter(|_| meet(&one.own, &other.own)).and_then(base);
        self.related.borrow_mut().insert(key, found);
        found
    }

    /// What stands at a path in a commit; none also where that can't be read, which makes the report incomplete.
    pub(super) fn at(&self, commit: ObjectId, path: &RepoPath) -> Option<Version> {
        self.told(self.history.at(commit, path), || path.lossy().into_owned())
    }

    fn told<T>(&self, told: Result<Option<T>, String>, what: impl FnOnce() -> String) -> Option<T> {
        told.unwrap_or_else(|why| {
            self.gaps.add(what(), why);
            None
        })
    }

    /// Whether all commits of one line belong to another, so that merging that one merges both.
    pub(super) fn is_behind(&self, a: u32, b: u32) -> bool {
        let committed = |line: &Line| line.tip.filter(|tip| line.own.binary_search(tip).is_ok());
        let tip = committed(self.line(a));
        tip.is_some_and(|tip| self.line(b).own.binary_search(&tip).is_ok())
            && !self.line(a).changes.iter().any(|changed| matches!(changed.new, Some(new) if new.place.is_on_disk()))
    }

    /// A claim as one of a line's.
    pub(super) fn held(&self, claim: &Claim, line: Option<u32>) -> Claim {
        let mut held = claim.clone();
        held.site.holder = match line {
            Some(line) => self.line(line).holder.clone(),
            None => self.target.clone(),
        };
        held
    }

    /// All lines that have to do with these claims.
    pub(super) fn touching<'c>(&self, claims: impl Iterator<Item = &'c Claim>) -> BTreeSet<u32> {
        claims
            .flat_map(|claim| self.presence(claim).new_of.iter().chain(&self.presence(claim).old_of))
            .copied()
            .collect()
    }
}

/// Whether two sorted lists have a member in common.
fn meet(a: &[ObjectId], b: &[ObjectId]) -> bool {
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    short.iter().any(|id| long.binary_search(id).is_ok())
}

/// The trunk as a holder.
pub(in crate::engine) fn trunk(name: &str, commit: Option<ObjectId>) -> Holder {
    Holder { kind: HolderKind::Base, name: name.to_owned(), commit: commit.map(|id| id.to_string()) }
}
