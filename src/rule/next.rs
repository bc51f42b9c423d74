//! How the tool would name the next one.

use std::{collections::BTreeMap, sync::Arc};

use super::{Item, Rule, Source, judge::Ground, series::Series, spec::Group};
use crate::{
    claim::{Collision, Namer, stem},
    diag::{Fix, Rename, RepoPath, Safety},
};

/// The names that were given so far: no two findings propose the same one.
#[derive(Default)]
pub(super) struct Given {
    last: BTreeMap<(u16, Arc<str>, Arc<str>), String>,
}

impl Given {
    /// The renames that would mend a duplicate: every claimant that has to yield gets a name past the newest one. Up and down files that yield
    /// together stay together.
    pub(super) fn renames(&mut self, rule: &Rule, collision: &Collision, ground: &Ground<'_>) -> Option<Fix> {
        let listing = ground.listing;
        let series = Series::parse(&rule.spec.next.as_ref()?.key).filter(Series::is_plain)?;
        let items = of_partition(ground.items, collision);
        let place = (collision.rule, Arc::clone(&collision.partition), Arc::clone(&collision.space));
        let last = self.last.entry(place).or_insert_with(|| newest(rule, collision, items));
        let mut renames: Vec<Rename> = Vec::new();
        let mut given: Vec<(String, String)> = Vec::new();
        for claim in collision.yielding() {
            let stem = stem(&claim.site.path.lossy());
            if renames.iter().any(|rename| rename.from == claim.site.path) {
                continue; // another line of work has it too
            }
            let key = match given.iter().find(|(known, _)| *known == stem) {
                Some((_, key)) => key.clone(),
                None => {
                    *last = series.after(last)?;
                    while is_reserved(ground, rule, collision, last) {
                        *last = series.after(last)?;
                    }
                    given.push((stem, last.clone()));
                    last.clone()
                }
            };
            let item = items.iter().find(|item| item.of(listing).path == claim.site.path)?;
            let to = renamed(rule, item, &key)?;
            renames.push(Rename { from: claim.site.path.clone(), to: RepoPath::from(to.as_str()) });
        }
        let title = "give each later one the next free name".to_owned();
        // a migration may have been applied under its old name; a document is only read
        let safety = if rule.spec.group == Some(Group::Migrations) { Safety::Unsafe } else { Safety::Safe };
        (!renames.is_empty()).then_some(Fix { title, safety, renames })
    }
}

/// Whether somebody holds a name on the remote.
fn is_reserved(ground: &Ground<'_>, rule: &Rule, collision: &Collision, raw: &str) -> bool {
    let claim = &rule.claims[usize::from(collision.claims[0].claim)];
    let name = claim.compare.normalize(raw);
    name.is_some_and(|name| (ground.is_reserved)(collision.rule, &collision.partition, &collision.space, &name))
}

/// The items of a collision's partition: they stand together.
fn of_partition<'i>(items: &'i [Item], collision: &Collision) -> &'i [Item] {
    let place = |item: &Item| (item.rule, item.partition.clone());
    let wanted = (collision.rule, collision.partition.clone());
    let start = items.partition_point(|item| place(item) < wanted);
    let end = items.partition_point(|item| place(item) <= wanted);
    &items[start..end]
}

/// The newest key that paths take in the collision's partition and space.
fn newest(rule: &Rule, collision: &Collision, items: &[Item]) -> String {
    let order = rule.claims[usize::from(collision.claims[0].claim)].order;
    let mut newest = collision.key.clone();
    for item in items {
        let claim = &rule.claims[usize::from(item.claim)];
        if claim.is_path() && claim.space == *collision.space {
            let found = crate::engine::path_found(claim, &item.below);
            let namer = Namer::new(claim, item.rule, &item.partition, &item.below, false);
            if let Some(name) = namer.name(&found)
                && order.compare(&name.key, &newest).is_gt()
            {
                newest = name.key.into_owned();
            }
        }
    }
    newest
}

/// The path of a claimant under another key: as it is, with only the key replaced.
fn renamed(rule: &Rule, item: &Item, key: &str) -> Option<String> {
    let claim = &rule.claims[usize::from(item.claim)];
    let Source::Path(regex) = &claim.source else { return None };
    let groups = regex.captures(&item.below)?;
    let old = groups.name("key").or_else(|| groups.name("version"))?;
    let width = old.len();
    let padded = format!("{key:0>width$}");
    let (start, end) = (regex.offset() + old.start(), regex.offset() + old.end());
    let below = format!("{}{padded}{}", &item.below[..start], &item.below[end..]);
    Some(if item.root.is_empty() { below } else { format!("{}/{below}", item.root) })
}
