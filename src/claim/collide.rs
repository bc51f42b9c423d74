//! Which claims collide.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

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

/// Finds the collisions among claims. Claims of one unit, of different variants, and that don't reach each other, don't collide.
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

/// The claims that meet one of another unit: of the same variant, with one reach in the other.
fn clashing(same: &[Claim]) -> Vec<Claim> {
    let mut taken: BTreeMap<&str, Reaches<'_>> = BTreeMap::new();
    for claim in same {
        taken.entry(&claim.variant).or_default().entry(&claim.reach).or_default().insert(&claim.unit);
    }
    same.iter().filter(|claim| meets(claim, &taken[claim.variant.as_str()])).cloned().collect()
}

/// The units that claim with each reach.
type Reaches<'a> = BTreeMap<&'a str, BTreeSet<&'a str>>;

/// Whether a claim of another unit reaches to this one, or lies within its reach.
fn meets(claim: &Claim, taken: &Reaches<'_>) -> bool {
    // two units of which at most one is the claim's own
    let is_other = |units: &BTreeSet<&str>| units.len() > 1 || !units.contains(claim.unit.as_str());
    let mut above = claim.reach.as_str();
    loop {
        if taken.get(above).is_some_and(is_other) {
            return true;
        }
        if above.is_empty() {
            break;
        }
        above = above.rsplit_once('/').map_or("", |(above, _)| above);
    }
    let below = if claim.reach.is_empty() { String::new() } else { format!("{}/", claim.reach) };
    let within = taken.range(below.as_str()..).take_while(|(reach, _)| reach.starts_with(&below));
    within.map(|(_, units)| units).any(is_other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::{Holder, Site};

    fn claim(unit: &str, reach: &str) -> Claim {
        Claim {
            rule: 0,
            claim: 0,
            entry: 0,
            placed: false,
            apart: false,
            partition: ".".into(),
            space: "".into(),
            key: "1".into(),
            unit: unit.into(),
            variant: String::new(),
            reach: reach.into(),
            site: Site::path(format!("{unit}-{}", reach.replace('/', "-")).as_str().into(), Holder::head(None)),
        }
    }

    fn found(claims: &[(&str, &str)]) -> Vec<String> {
        let claims = claims.iter().map(|(unit, reach)| claim(unit, reach)).collect();
        let all: Vec<Claim> = collide(claims).into_iter().flat_map(|collision| collision.claims).collect();
        all.iter().map(|claim| format!("{} {}", claim.unit, claim.reach)).collect()
    }

    #[test]
    fn claims_collide_where_one_reaches_into_the_other() {
        assert_eq!(found(&[("a", ""), ("b", "")]), ["a ", "b "]);
        assert_eq!(found(&[("a", ""), ("b", "4/127.0.0.1")]), ["a ", "b 4/127.0.0.1"]);
        assert_eq!(found(&[("a", "4"), ("b", "4/127.0.0.1")]), ["a 4", "b 4/127.0.0.1"]);
        assert_eq!(found(&[("a", "4/127.0.0.1"), ("b", "4/127.0.0.1")]).len(), 2);
        assert_eq!(found(&[("a", "4/127.0.0.1"), ("b", "4/127.0.0.2")]), [""; 0]);
        assert_eq!(found(&[("a", "4"), ("b", "6")]), [""; 0]);
        assert_eq!(found(&[("a", "4/127.0.0.1"), ("b", "4/127.0.0.10")]), [""; 0]);
        assert_eq!(found(&[("a", ""), ("a", "4")]), [""; 0]);
    }

    #[test]
    fn who_meets_nobody_is_no_part_of_it() {
        assert_eq!(found(&[("a", "4/1.1.1.1"), ("b", "4/1.1.1.1"), ("c", "4/2.2.2.2"), ("a", "4/2.2.2.3")]).len(), 2);
    }
}
