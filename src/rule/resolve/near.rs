//! Which files have a say in what becomes of some: those below the same roots, and those of other rules that contend for the same folders.
//!
//! Where a file belongs is told by its folder, what lies beside it, and the markers and manifests above it. So of a change to one folder of a
//! large repository only that folder's namespace is placed, and not every file that some rule would take.

use std::{collections::BTreeSet, ops::Range};

use foldhash::{HashSet, HashSetExt};

use super::{
    super::{
        compile::{Rule, Source},
        plan::{ActiveRule, Want, What},
        root::Kind,
        spec::ChainSpec,
    },
    Named,
    finder::{Place, before_folder, takes},
    is_runner, plain,
};
use crate::{diag::parent, source::Listing};

/// Tells for each hit of a listing whether it has a say in what becomes of the judged entries.
pub(super) fn near(rules: &[ActiveRule], listing: &Listing, named: &Named, judged: &dyn Fn(u32) -> bool) -> Vec<bool> {
    let mut near = Near {
        rules,
        listing,
        named,
        keep: listing.hits.iter().map(|hit| hit.want.rule == Want::NO_RULE || !is_placed(hit.want.what)).collect(),
        whole: vec![false; rules.len()],
        roots: vec![BTreeSet::new(); rules.len()],
        markers: marked(rules, listing),
        folders: HashSet::new(),
        seen: HashSet::new(),
        ahead: Vec::new(),
    };
    for (at, hit) in listing.hits.iter().enumerate() {
        if !near.keep[at] && judged(hit.entry) {
            near.ahead.push(at);
        }
    }
    while let Some(at) = near.ahead.pop() {
        near.with_neighbours(at);
    }
    near.keep
}

/// Whether a file that is wanted so takes names, or would have to.
fn is_placed(what: What) -> bool {
    matches!(plain(what), What::Claim(_) | What::Malformed(_) | What::Unclaimed(_))
}

struct Near<'a> {
    rules: &'a [ActiveRule],
    listing: &'a Listing,
    named: &'a Named,
    keep: Vec<bool>,
    /// Rules of which all files count.
    whole: Vec<bool>,
    /// Roots below which all files of a rule count, by rule.
    roots: Vec<BTreeSet<&'a str>>,
    /// Roots with a marker, by rule.
    markers: Vec<BTreeSet<String>>,
    /// Folders for which the rules that are near contend.
    folders: HashSet<&'a [u8]>,
    /// Folders whose files reach as far as those before, by rule.
    seen: HashSet<(Want, &'a [u8])>,
    /// Hits whose neighbours are still to be found.
    ahead: Vec<usize>,
}

/// What counts with a file.
enum Reach<'a> {
    /// All files of the rule.
    Whole,
    /// Its files below this folder.
    Below(&'a str),
    /// Nothing: no root takes it in.
    Nothing,
}

impl<'a> Near<'a> {
    fn with_neighbours(&mut self, at: usize) {
        let hit = &self.listing.hits[at];
        let rule = usize::from(hit.want.rule);
        let folder = parent(self.listing.entries[hit.entry as usize].path.as_bytes());
        let by_folder = matches!(self.rules[rule].rule.root.kind, Kind::Any { .. });
        if self.whole[rule] || by_folder && !self.seen.insert((hit.want, folder)) {
            return;
        }
        let range = match self.reach(hit.entry, hit.want) {
            Reach::Whole if !std::mem::replace(&mut self.whole[rule], true) => 0..self.listing.hits.len(),
            Reach::Below(root) if self.roots[rule].insert(root) => self.below(root.as_bytes()),
            _ => return,
        };
        for at in range {
            let hit = &self.listing.hits[at];
            if usize::from(hit.want.rule) == rule && is_placed(hit.want.what) {
                self.keep[at] = true;
                self.contended(hit.entry, rule);
            }
        }
    }

    /// Brings in the other runners with files in a folder: the one with the strongest proof has it.
    fn contended(&mut self, entry: u32, rule: usize) {
        let folder = parent(self.listing.entries[entry as usize].path.as_bytes());
        if !is_runner(&self.rules[rule].rule) || !self.folders.insert(folder) {
            return;
        }
        for at in self.below(folder) {
            let hit = &self.listing.hits[at];
            let contends = matches!(plain(hit.want.what), What::Claim(_))
                && hit.want.rule != Want::NO_RULE
                && is_runner(&self.rules[usize::from(hit.want.rule)].rule);
            if contends && parent(self.listing.entries[hit.entry as usize].path.as_bytes()) == folder {
                self.ahead.push(at);
            }
        }
    }

    fn reach(&self, entry: u32, want: Want) -> Reach<'a> {
        let ActiveRule { rule, scope } = &self.rules[usize::from(want.rule)];
        let Ok(path) = std::str::from_utf8(self.listing.entries[entry as usize].path.as_bytes()) else {
            return Reach::Whole;
        };
        let is_named = self.named.folders.iter().any(|(named, _)| *named == want.rule);
        if scope.has_roots() || is_named || is_connected(rule) {
            return Reach::Whole;
        }
        let root = match &rule.root.kind {
            Kind::Repository => return Reach::Whole,
            Kind::Marked { fallback, .. } => {
                let marked =
                    nearest(&self.markers[usize::from(want.rule)], path, |below| takes(rule, plain(want.what), below));
                marked.or_else(|| before_folder(path, fallback.as_deref()?))
            }
            Kind::Any { .. } => Place { at: want.rule, rule, named: self.named }.root_of(plain(want.what), path),
        };
        match root {
            Some("") => Reach::Whole,
            Some(root) => Reach::Below(root),
            None => Reach::Nothing,
        }
    }

    /// The hits on what lies below a folder.
    fn below(&self, folder: &[u8]) -> Range<usize> {
        let Listing { entries, hits, .. } = self.listing;
        if folder.is_empty() {
            return 0..hits.len();
        }
        let bound = |end: u8| {
            let edge = [folder, &[end]].concat();
            let entry = entries.partition_point(|entry| entry.path.as_bytes() < edge.as_slice());
            hits.partition_point(|hit| (hit.entry as usize) < entry)
        };
        bound(b'/')..bound(b'/' + 1)
    }
}

/// Whether the namespaces of a rule can be one across roots, or a file's links lead to others of any root.
fn is_connected(rule: &Rule) -> bool {
    !rule.root.join.is_empty()
        || rule.claims.iter().any(|claim| matches!(claim.source, Source::Chain(ChainSpec::Alembic)))
}

/// Roots with a marker, by rule.
fn marked(rules: &[ActiveRule], listing: &Listing) -> Vec<BTreeSet<String>> {
    let mut all = vec![BTreeSet::new(); rules.len()];
    for hit in &listing.hits {
        let What::Marker(index) = hit.want.what else { continue };
        let rule = usize::from(hit.want.rule);
        if let Kind::Marked { markers, .. } = &rules[rule].rule.root.kind {
            let path = listing.entries[hit.entry as usize].path.lossy();
            all[rule].insert(markers[usize::from(index)].root(&path).to_owned());
        }
    }
    all
}

/// The nearest of these folders above a path below which it is taken.
fn nearest<'p>(roots: &BTreeSet<String>, path: &'p str, taken: impl Fn(&str) -> bool) -> Option<&'p str> {
    let above = path.rmatch_indices('/').map(|(at, _)| at);
    let inside = above.map(|at| (&path[..at], &path[at + 1..])).chain([("", path)]);
    inside.filter(|(root, _)| roots.contains(*root)).find(|(_, below)| taken(below)).map(|(root, _)| root)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::super::{Facts, Item, Named, resolve};
    use crate::{
        rule::{self, ActiveRule, Scope},
        source::{Listing, MemoryTree, Tree},
    };

    const FOLDERS: &[&str] = &[
        "",
        "db/",
        "a/db/",
        "db/migrations/",
        "a/migrations/",
        "supabase/migrations/",
        "a/supabase/",
        "prisma/migrations/1_a/",
    ];
    const NAMES: &[&str] = &[
        "1_a.sql",
        "2_b.sql",
        "00003_c.sql",
        "1_a.up.sql",
        "1_a.down.sql",
        "V1__a.sql",
        "V2__b.sql",
        "20240101000000_a.sql",
        "20240101000000_a.rb",
        "config.toml",
        "go.mod",
        "migration.sql",
        "migration_lock.toml",
        "x.sql",
    ];
    const TEXTS: &[&str] = &["", "-- +goose Up\n", "golang-migrate/migrate"];

    fn resolved(
        rules: &[ActiveRule],
        listing: &Listing,
        tree: &MemoryTree,
        judged: Option<&(dyn Fn(u32) -> bool + Sync)>,
    ) -> Vec<Item> {
        let named = Named::default();
        let facts = Facts {
            left_out: &|_, _| false,
            read: &|entry| tree.read(entry, 1 << 20).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
            named: &named,
            tentative: &|_| false,
            judged,
        };
        resolve(rules, listing, &facts).items
    }

    proptest! {
        #[test]
        fn what_becomes_of_judged_files_is_the_same_without_the_others(
            files in prop::collection::btree_map((0..FOLDERS.len(), 0..NAMES.len()), 0..TEXTS.len(), 1..30),
            judged in prop::collection::btree_set(0u32..30, 1..4),
        ) {
            let files: Vec<(String, &str)> = (files.into_iter())
                .map(|((folder, name), text)| (format!("{}{}", FOLDERS[folder], NAMES[name]), TEXTS[text]))
                .collect();
            let tree = MemoryTree::new(files.iter().map(|(path, text)| (path.as_bytes(), text.as_bytes())));
            let rules: Vec<ActiveRule> = (rule::load(&[], false).unwrap().into_iter())
                .map(|rule| ActiveRule { rule, scope: Scope::default() })
                .collect();
            let listing = tree.list(&rule::classifier(&rules)).unwrap();
            let is_judged = |entry: u32| judged.contains(&entry);
            let all = resolved(&rules, &listing, &tree, None);
            let near = resolved(&rules, &listing, &tree, Some(&is_judged));
            let touched: BTreeSet<_> =
                all.iter().filter(|item| is_judged(item.entry)).map(|item| (item.rule, item.partition.clone())).collect();
            let of_touched = |items: Vec<Item>| -> Vec<Item> {
                items.into_iter().filter(|item| touched.contains(&(item.rule, item.partition.clone()))).collect()
            };
            prop_assert_eq!(of_touched(all), of_touched(near.clone()));
            prop_assert!(near.iter().filter(|item| is_judged(item.entry)).all(|item| touched.contains(&(item.rule, item.partition.clone()))));
        }
    }
}
