//! Which claims collide.

use std::{collections::BTreeMap, sync::Arc};

use super::Claim;
use crate::diag::{Holder, RepoPath, Severity};

/// How the keys of a collision are one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// The rule takes them for the same key.
    Same,
    /// They differ in case only.
    Case,
}

/// Two or more units that claim one key in one partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Collision {
    pub(crate) rule: u16,
    pub(crate) partition: Arc<str>,
    pub(crate) space: Arc<str>,
    pub(crate) key: String,
    pub(crate) kind: Kind,
    /// Those that keep the name first.
    pub(crate) claims: Vec<Claim>,
    /// How many of them keep it; all, where they stand in one file.
    pub(crate) keepers: usize,
    /// At most so grave, where lines of work say so.
    pub(crate) cap: Option<Severity>,
    /// Who keeps the name and why, where several lines of work claim it.
    pub(crate) ruling: Option<Ruling>,
}

/// What lines of work add to a collision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ruling {
    /// One of them keeps the name.
    Keeps {
        keeper: Holder,
        /// In words, to go after "because".
        because: String,
        /// It collides with itself only.
        itself: bool,
        /// Some of them did not know of each other.
        apart: bool,
    },
    /// What one adds is on the trunk already, at another path.
    Landed { path: RepoPath },
    /// The trunk has the collision already.
    Old,
}

impl Collision {
    /// The claims that keep the name.
    pub(crate) fn kept(&self) -> &[Claim] {
        &self.claims[..self.keepers]
    }

    /// The claims that have to yield.
    pub(crate) fn yielding(&self) -> &[Claim] {
        &self.claims[self.keepers..]
    }
}

/// A path without its last component's endings, so that the two halves of a migration have the same.
pub(crate) fn stem(path: &str) -> String {
    let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
    format!("{folder}/{}", file.split('.').next().unwrap_or_default())
}

/// Of claims sorted by place, the first and its other half keep the name.
fn first_keeps(claims: Vec<Claim>) -> (Vec<Claim>, usize) {
    let keeper = stem(&claims[0].site.path.lossy());
    let (mut kept, rest): (Vec<Claim>, Vec<Claim>) =
        claims.into_iter().partition(|claim| stem(&claim.site.path.lossy()) == keeper);
    let keepers = kept.len();
    kept.extend(rest);
    (kept, keepers)
}

/// Finds the collisions among claims. Claims of one unit, and of different variants, don't collide.
pub(crate) fn collide(claims: Vec<Claim>) -> Vec<Collision> {
    type Key = (u16, Arc<str>, Arc<str>, String);
    let mut groups: BTreeMap<Key, Vec<Claim>> = BTreeMap::new();
    for claim in claims {
        let key = (claim.rule, Arc::clone(&claim.partition), Arc::clone(&claim.space), claim.key.to_lowercase());
        groups.entry(key).or_default().push(claim);
    }
    let mut found = Vec::new();
    for ((rule, partition, space, _), mut group) in groups {
        group.sort_by(|a, b| (&a.key, &a.site.path, a.site.position).cmp(&(&b.key, &b.site.path, b.site.position)));
        // two claims of a rule can find one name at one place
        group.dedup_by(|b, a| (&a.key, &a.variant, &a.site) == (&b.key, &b.variant, &b.site));
        let make = |key: &str, kind, claims| {
            let (claims, keepers) = first_keeps(claims);
            let (partition, space) = (Arc::clone(&partition), Arc::clone(&space));
            Collision { rule, partition, space, key: key.to_owned(), kind, claims, keepers, cap: None, ruling: None }
        };
        let mut keys = 0;
        for same in group.chunk_by(|a, b| a.key == b.key) {
            keys += 1;
            let clashing = clashing(same);
            if !clashing.is_empty() {
                found.push(make(&same[0].key, Kind::Same, clashing));
            }
        }
        if keys > 1 {
            let first = group[0].key.clone();
            group.sort_by(|a, b| (&a.site.path, a.site.position).cmp(&(&b.site.path, b.site.position)));
            found.push(make(&first, Kind::Case, group));
        }
    }
    found
}

/// The claims of those variants in which two units meet.
fn clashing(same: &[Claim]) -> Vec<Claim> {
    let mut units: BTreeMap<&str, BTreeMap<&str, ()>> = BTreeMap::new();
    for claim in same {
        units.entry(&claim.variant).or_default().insert(&claim.unit, ());
    }
    same.iter().filter(|claim| units[claim.variant.as_str()].len() > 1).cloned().collect()
}
