//! Which files have a say in what becomes of some: those below the same roots, and those of other rules that contend for the same folders.
//!
//! Where a file belongs is told by its folder, what lies beside it, and the markers and manifests above it. So of a change to one folder of a
//! large repository only that folder's namespace is placed, and not every file that some rule would take.

use std::{cell::OnceCell, collections::BTreeSet, ops::Range};

use foldhash::{HashSet, HashSetExt};

use super::{
    super::{
        plan::{ActiveRule, Want, What},
        root::Kind,
    },
    Bid, Facts,
    finder::{Place, before_folder, is_root, takes},
    folders::Folders,
    is_placed, plain,
};
use crate::source::{Hit, Listing};

/// What is judged.
pub(super) struct Judged {
    /// The entries, ascending.
    pub(super) entries: Vec<u32>,
    /// By folder: who has it, where a judged entry lies in it and a tool's own file gives it away.
    pub(super) settled: Vec<Option<Bid>>,
}

/// Tells for each hit of a listing whether it has a say in what becomes of the judged entries.
pub(super) fn near(
    rules: &[ActiveRule],
    listing: &Listing,
    folders: &Folders<'_>,
    facts: &Facts<'_>,
    of: &Judged,
) -> Vec<bool> {
    let mut near = Near {
        rules,
        listing,
        folders,
        facts,
        settled: &of.settled,
        looks_for_proofs: rules.iter().map(looks_for_proofs).collect(),
        keep: Vec::with_capacity(listing.hits.len()),
        whole: vec![false; rules.len()],
        roots: vec![BTreeSet::new(); rules.len()],
        marked: vec![Vec::new(); rules.len()],
        markers: rules.iter().map(|_| OnceCell::new()).collect(),
        contended: vec![false; folders.len()],
        seen: HashSet::new(),
        ahead: Vec::new(),
    };
    for (at, hit) in listing.hits.iter().enumerate() {
        near.keep.push(hit.want.rule == Want::NO_RULE || !is_placed(hit.want.what));
        if let What::Marker(_) = hit.want.what {
            near.marked[usize::from(hit.want.rule)].push(at);
        }
    }
    for entry in &of.entries {
        let mut hits: Vec<usize> = near.hits_on(*entry..*entry + 1).collect();
        hits.retain(|at| near.counts(&listing.hits[*at]));
        near.ahead.extend(hits);
    }
    while let Some(at) = near.ahead.pop() {
        near.with_neighbours(at);
    }
    near.keep
}

/// Whether a rule has to prove that a folder is its own, and can't where that is settled.
fn looks_for_proofs(active: &ActiveRule) -> bool {
    active.rule.is_runner() && active.rule.roots_are_anywhere() && !active.scope.has_roots()
}

struct Near<'a> {
    rules: &'a [ActiveRule],
    listing: &'a Listing,
    folders: &'a Folders<'a>,
    facts: &'a Facts<'a>,
    settled: &'a [Option<Bid>],
    /// By rule.
    looks_for_proofs: Vec<bool>,
    /// By hit: whether it has a say.
    keep: Vec<bool>,
    /// Rules of which all files count.
    whole: Vec<bool>,
    /// Roots below which all files of a rule count, by rule.
    roots: Vec<BTreeSet<&'a str>>,
    /// Hits on markers, by rule.
    marked: Vec<Vec<usize>>,
    /// Roots with a marker, by rule; found when a file of the rule is near.
    markers: Vec<OnceCell<BTreeSet<String>>>,
    /// By folder: whether the rules that are near contend for it.
    contended: Vec<bool>,
    /// Folders whose files reach as far as those before, by rule.
    seen: HashSet<(Want, u32)>,
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
    /// Whether a hit may be placed: a rule does not look for proofs in a folder that is settled.
    fn counts(&self, hit: &Hit) -> bool {
        let is_settled = || self.settled[self.folders.of(hit.entry) as usize].is_some();
        hit.want.rule != Want::NO_RULE
            && is_placed(hit.want.what)
            && !(self.looks_for_proofs[usize::from(hit.want.rule)] && is_settled())
    }

    fn with_neighbours(&mut self, at: usize) {
        let hit = &self.listing.hits[at];
        let rule = usize::from(hit.want.rule);
        let by_folder = self.rules[rule].rule.roots_are_anywhere();
        if self.whole[rule] || by_folder && !self.seen.insert((hit.want, self.folders.of(hit.entry))) {
            return;
        }
        let near = match self.reach(hit.entry, hit.want) {
            Reach::Whole if !std::mem::replace(&mut self.whole[rule], true) => self.below(b""),
            Reach::Below(root) if self.roots[rule].insert(root) => self.below(root.as_bytes()),
            _ => return,
        };
        let is_runner = self.rules[rule].rule.is_runner();
        let mut last = None;
        for at in self.hits_on(near) {
            let near = &self.listing.hits[at];
            if near.want.rule != hit.want.rule || !self.counts(near) {
                continue;
            }
            self.keep[at] = true;
            let folder = self.folders.of(near.entry);
            if is_runner && last != Some(folder) {
                last = Some(folder);
                self.contended(folder);
            }
        }
    }

    /// Brings in the other runners with files in a folder: the one with the strongest proof has it.
    fn contended(&mut self, folder: u32) {
        if std::mem::replace(&mut self.contended[folder as usize], true) {
            return;
        }
        let mut known = Vec::new();
        for at in self.hits_on(self.below(self.folders.path(folder))) {
            let hit = &self.listing.hits[at];
            if self.folders.of(hit.entry) != folder
                || !self.counts(hit)
                || !matches!(plain(hit.want.what), What::Claim(_))
            {
                continue;
            }
            let rule = &self.rules[usize::from(hit.want.rule)].rule;
            if rule.is_runner() && !(rule.roots_are_anywhere() && known.contains(&hit.want)) {
                known.push(hit.want); // where roots lie by folder, one file tells it for all
                self.ahead.push(at);
            }
        }
    }

    fn reach(&self, entry: u32, want: Want) -> Reach<'a> {
        let ActiveRule { rule, scope } = &self.rules[usize::from(want.rule)];
        let Ok(path) = std::str::from_utf8(self.listing.entries[entry as usize].path.as_bytes()) else {
            return Reach::Whole;
        };
        if rule.is_connected() || self.facts.named.joined.keys().any(|(joined, _)| *joined == want.rule) {
            return Reach::Whole;
        }
        let place = Place { at: want.rule, rule, scope, named: self.facts.named };
        let root = match &rule.root.kind {
            _ if let Some(root) = place.configured(path).map(|one| one.root()) => Some(root),
            _ if scope.has_roots() => None,
            Kind::Repository => return Reach::Whole,
            Kind::Marked { fallback, .. } => {
                let marked = nearest(self.markers_of(usize::from(want.rule)), path, |below| {
                    takes(rule, plain(want.what), below)
                });
                marked.or_else(|| before_folder(path, fallback.as_deref()?))
            }
            Kind::Any { .. } => place.root_of(plain(want.what), path),
        };
        match root {
            Some("") => Reach::Whole,
            Some(root) => Reach::Below(root),
            None => Reach::Nothing,
        }
    }

    /// The roots of a rule that have a marker.
    fn markers_of(&self, rule: usize) -> &BTreeSet<String> {
        self.markers[rule].get_or_init(|| {
            let active = &self.rules[rule];
            let Kind::Marked { markers, .. } = &active.rule.root.kind else { return BTreeSet::new() };
            let root = |at: &usize| {
                let hit = &self.listing.hits[*at];
                let What::Marker(index) = hit.want.what else { return None };
                let entry = &self.listing.entries[hit.entry as usize];
                is_root(active, entry, self.facts)
                    .then(|| markers[usize::from(index)].root(&entry.path.lossy()).to_owned())
            };
            self.marked[rule].iter().filter_map(root).collect()
        })
    }

    /// The entries below a folder.
    fn below(&self, folder: &[u8]) -> Range<u32> {
        let entries = &self.listing.entries;
        if folder.is_empty() {
            return 0..entries.len() as u32;
        }
        let bound = |end: u8| {
            let edge = [folder, &[end]].concat();
            entries.partition_point(|entry| entry.path.as_bytes() < edge.as_slice()) as u32
        };
        bound(b'/')..bound(b'/' + 1)
    }

    /// The hits on some entries.
    fn hits_on(&self, entries: Range<u32>) -> Range<usize> {
        let bound = |edge: u32| self.listing.hits.partition_point(|hit| hit.entry < edge);
        bound(entries.start)..bound(entries.end)
    }
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
        named: &Named,
        judged: Option<&(dyn Fn(u32) -> bool + Sync)>,
    ) -> Vec<Item> {
        let facts = Facts {
            left_out: &|_, _| false,
            read: &|entry| tree.read(entry, 1 << 20).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
            named,
            tentative: &|_| false,
            judged,
        };
        resolve(rules, listing, &facts).items
    }

    /// As many of the built-in rules get settings, at most.
    const RULES: usize = 45;
    /// Folders that a configuration of gatekeep or of a tool may name.
    const ROOTS: &[&str] = &["db", "a", "a/*", "db/migrations", "**/migrations", "supabase/migrations"];

    /// All rules, some of them with roots of their own.
    fn rules_with(roots: &[(usize, usize)]) -> Vec<ActiveRule> {
        let all = rule::load(&[], false).unwrap().into_iter().enumerate();
        all.map(|(at, rule)| {
            let own: Vec<String> =
                roots.iter().filter(|(rule, _)| *rule == at).map(|(_, root)| ROOTS[*root].to_owned()).collect();
            ActiveRule { rule, scope: Scope::new(&own, &[], &[], None).unwrap() }
        })
        .collect()
    }

    /// What tools' settings may say: folders of rules and, where a rule has several, all of them as one history.
    fn named_with(folders: &[(usize, usize)], joined: bool) -> Named {
        let mut named = Named::default();
        for (rule, folder) in folders.iter().filter(|(_, folder)| !ROOTS[*folder].contains('*')) {
            let key = (*rule as u16, ROOTS[*folder].to_owned());
            let first = named.folders.iter().find(|(rule, _)| *rule == key.0).map_or(&key.1, |(_, folder)| folder);
            if joined {
                named.joined.insert(key.clone(), first.clone());
            }
            named.folders.insert(key);
        }
        named
    }

    /// Supabase's rule alone, with folders that are excluded.
    fn supabase(exclude: &[&str]) -> Vec<ActiveRule> {
        let exclude: Vec<String> = exclude.iter().map(|glob| (*glob).to_owned()).collect();
        let rules = rule::load(&[], false).unwrap().into_iter().filter(|rule| rule.id() == "supabase-migrations");
        rules.map(|rule| ActiveRule { rule, scope: Scope::new(&[], &exclude, &[], None).unwrap() }).collect()
    }

    #[test]
    fn a_marker_that_does_not_count_makes_no_root() {
        let files = ["supabase/migrations/1_a.sql", "supabase/migrations/2_b.sql", "kit/supabase/config.toml"];
        let tree = MemoryTree::new(files.iter().map(|path| (path.as_bytes(), &b""[..])));
        for (exclude, vendored, expected) in [(&[][..], false, 0), (&["kit/**"][..], false, 2), (&[][..], true, 2)] {
            let rules = supabase(exclude);
            let listing = tree.list(&rule::classifier(&rules)).unwrap();
            let is_judged = |entry: u32| listing.entries[entry as usize].path == "supabase/migrations/1_a.sql".into();
            for judged in [None, Some(&is_judged as &(dyn Fn(u32) -> bool + Sync))] {
                let named = Named::default();
                let facts = Facts {
                    left_out: &|entry, _| vendored && entry.path.lossy().starts_with("kit/"),
                    read: &|_| None,
                    named: &named,
                    tentative: &|_| false,
                    judged,
                };
                assert_eq!(resolve(&rules, &listing, &facts).items.len(), expected, "{exclude:?} {vendored}");
            }
        }
    }

    #[test]
    fn what_lies_beside_judged_files_is_found_below_the_root_that_counts() {
        // the inner marker is excluded, so that both files are the outer root's
        let files = [
            "supabase/config.toml",
            "supabase/migrations/supabase/config.toml",
            "supabase/migrations/1_a.sql",
            "supabase/migrations/1_b.sql",
        ];
        let tree = MemoryTree::new(files.iter().map(|path| (path.as_bytes(), &b""[..])));
        let rules = supabase(&["supabase/migrations/supabase/**"]);
        let listing = tree.list(&rule::classifier(&rules)).unwrap();
        let is_judged = |entry: u32| listing.entries[entry as usize].path == "supabase/migrations/1_a.sql".into();
        assert_eq!(resolved(&rules, &listing, &tree, &Named::default(), Some(&is_judged)).len(), 2);
    }

    proptest! {
        #[test]
        fn what_becomes_of_judged_files_is_the_same_without_the_others(
            files in prop::collection::btree_map((0..FOLDERS.len(), 0..NAMES.len()), 0..TEXTS.len(), 1..30),
            judged in prop::collection::btree_set(0u32..30, 1..4),
            roots in prop::collection::vec((0..RULES, 0..ROOTS.len()), 0..8),
            settings in prop::collection::vec((0..RULES, 0..ROOTS.len()), 0..8),
            joined in any::<bool>(),
        ) {
            let files: Vec<(String, &str)> = (files.into_iter())
                .map(|((folder, name), text)| (format!("{}{}", FOLDERS[folder], NAMES[name]), TEXTS[text]))
                .collect();
            let tree = MemoryTree::new(files.iter().map(|(path, text)| (path.as_bytes(), text.as_bytes())));
            let (rules, named) = (rules_with(&roots), named_with(&settings, joined));
            let wanted: Vec<(u16, Vec<u8>)> =
                named.folders.iter().map(|(rule, folder)| (*rule, folder.clone().into_bytes())).collect();
            let listing = tree.list(&rule::classifier_with_named(&rules, &wanted)).unwrap();
            let is_judged = |entry: u32| judged.contains(&entry);
            let all = resolved(&rules, &listing, &tree, &named, None);
            let near = resolved(&rules, &listing, &tree, &named, Some(&is_judged));
            let touched: BTreeSet<_> =
                all.iter().filter(|item| is_judged(item.entry)).map(|item| (item.rule, item.partition.clone())).collect();
            let of_touched = |items: Vec<Item>| -> Vec<Item> {
                items.into_iter().filter(|item| touched.contains(&(item.rule, item.partition.clone()))).collect()
            };
            prop_assert_eq!(of_touched(all), of_touched(near.clone()));
            prop_assert!(near.iter().filter(|item| is_judged(item.entry)).all(|item| touched.contains(&(item.rule, item.partition.clone()))));
        }

        #[test]
        fn what_is_listed_for_changed_paths_is_all_that_has_a_say(
            files in prop::collection::btree_set((0..FOLDERS.len(), 0..NAMES.len()), 1..30),
            judged in prop::collection::btree_set(0usize..30, 1..4),
            roots in prop::collection::vec(0..ROOTS.len(), 1..3),
            chosen in prop::collection::btree_set(0..RULES, 1..3),
        ) {
            let files: Vec<String> =
                files.into_iter().map(|(folder, name)| format!("{}{}", FOLDERS[folder], NAMES[name])).collect();
            let tree = MemoryTree::new(files.iter().map(|path| (path.as_bytes(), &b""[..])));
            let roots: Vec<(usize, usize)> =
                chosen.iter().flat_map(|rule| roots.iter().map(move |root| (*rule, *root))).collect();
            let mut rules = rules_with(&roots);
            let mut at = 0;
            rules.retain(|_| { at += 1; chosen.contains(&(at - 1)) });
            let changed: Vec<&[u8]> = files.iter().map(String::as_bytes).enumerate()
                .filter(|(at, _)| judged.contains(at)).map(|(_, path)| path).collect();
            let placed = |listing: &Listing| -> BTreeSet<(u16, String, String)> {
                let items = resolved(&rules, listing, &tree, &Named::default(), None);
                items.into_iter().map(|item| {
                    (item.rule, item.partition.to_string(), item.of(listing).path.lossy().into_owned())
                }).collect()
            };
            let all = placed(&tree.list(&rule::classifier(&rules)).unwrap());
            let near = placed(&tree.list(&rule::classifier_near(&rules, changed.iter().copied())).unwrap());
            let is_judged = |path: &String| changed.contains(&path.as_bytes());
            let touched: BTreeSet<(u16, String)> = (all.iter())
                .filter(|(_, _, path)| is_judged(path)).map(|(rule, partition, _)| (*rule, partition.clone())).collect();
            let of_touched = |items: BTreeSet<(u16, String, String)>| -> BTreeSet<_> {
                items.into_iter().filter(|(rule, partition, _)| touched.contains(&(*rule, partition.clone()))).collect()
            };
            prop_assert_eq!(of_touched(near), of_touched(all));
        }
    }
}
