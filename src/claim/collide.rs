//! Which claims collide.

use std::{collections::BTreeMap, sync::Arc};

use super::Claim;

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
    /// Sorted by place.
    pub(crate) claims: Vec<Claim>,
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
        let make = |key: &str, kind, claims| Collision {
            rule,
            partition: Arc::clone(&partition),
            space: Arc::clone(&space),
            key: key.to_owned(),
            kind,
            claims,
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
