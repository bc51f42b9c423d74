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
    Bid, Facts, Ground, Hits,
    finder::{Place, before_folder, is_root, takes},
    folders::Folders,
    is_placed,
    lists::Lists,
    plain,
};
use crate::source::{Hit, Listing, Wants};

/// What is judged.
pub(super) struct Judged {
    /// The entries, ascending.
    pub(super) entries: Vec<u32>,
    /// By folder: who has it, where a judged entry lies in it and a tool's own file gives it away.
    pub(super) settled: Vec<Option<Bid>>,
}

/// The hits that have a say in what becomes of the judged entries, by rule.
pub(super) fn near(ground: &Ground<'_>, of: &Judged) -> Vec<Hits> {
    let Ground { rules, listing, folders, lists, facts } = *ground;
    let mut hits = 0;
    let hits_before = |wants: &Wants| {
        hits += wants.len();
        hits - wants.len()
    };
    let first = listing.wants.iter().map(hits_before).collect();
    let is_contender = |want: &&Want| {
        want.rule != Want::NO_RULE
            && matches!(plain(want.what), What::Claim(_))
            && rules[usize::from(want.rule)].rule.is_runner()
    };
    let mut near = Near {
        rules,
        listing,
        folders,
        lists,
        facts,
        settled: &of.settled,
        looks_for_proofs: rules.iter().map(looks_for_proofs).collect(),
        contenders: lists.map(|wants| wants.iter().filter(is_contender).copied().collect()),
        first,
        keep: vec![false; hits],
        whole: vec![false; rules.len()],
        roots: vec![BTreeSet::new(); rules.len()],
        markers: rules.iter().map(|_| OnceCell::new()).collect(),
        contended: vec![false; folders.len()],
        seen: HashSet::new(),
        ahead: Vec::new(),
    };
    for entry in &of.entries {
        let wants = lists.wants(*entry).iter().filter(|want| near.counts(*entry, want));
        let hits: Vec<Hit> = wants.map(|want| Hit { entry: *entry, want: *want }).collect();
        near.ahead.extend(hits);
    }
    while let Some(hit) = near.ahead.pop() {
        near.with_neighbours(hit);
    }
    near.hits()
}

/// Whether a rule has to prove that a folder is its own, and can't where that is settled.
fn looks_for_proofs(active: &ActiveRule) -> bool {
    active.rule.is_runner() && active.rule.roots_are_anywhere() && !active.scope.has_roots()
}

struct Near<'a> {
    rules: &'a [ActiveRule],
    listing: &'a Listing,
    folders: &'a Folders<'a>,
    lists: &'a Lists<'a>,
    facts: &'a Facts<'a>,
    settled: &'a [Option<Bid>],
    /// By rule.
    looks_for_proofs: Vec<bool>,
    /// By list: what runners want to take names from.
    contenders: Vec<Vec<Want>>,
    /// By entry: how many hits are on those before it.
    first: Vec<usize>,
    /// By hit: whether it has a say, of those on files that are placed.
    keep: Vec<bool>,
    /// Rules of which all files count.
    whole: Vec<bool>,
    /// Roots below which all files of a rule count, by rule.
    roots: Vec<BTreeSet<&'a str>>,
    /// Roots with a marker, by rule; found when a file of the rule is near.
    markers: Vec<OnceCell<BTreeSet<String>>>,
    /// By folder: whether the rules that are near contend for it.
    contended: Vec<bool>,
    /// Folders whose files reach as far as those before, by rule.
    seen: HashSet<(Want, u32)>,
    /// Hits whose neighbours are still to be found.
    ahead: Vec<Hit>,
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
    /// Whether a file may be placed: a rule does not look for proofs in a folder that is settled.
    fn counts(&self, entry: u32, want: &Want) -> bool {
        let is_settled = || self.settled[self.folders.of(entry) as usize].is_some();
        want.rule != Want::NO_RULE
            && is_placed(want.what)
            && !(self.looks_for_proofs[usize::from(want.rule)] && is_settled())
    }

    fn with_neighbours(&mut self, Hit { entry, want }: Hit) {
        let rule = usize::from(want.rule);
        let by_folder = self.rules[rule].rule.roots_are_anywhere();
        if self.whole[rule] || by_folder && !self.seen.insert((want, self.folders.of(entry))) {
            return;
        }
        let near = match self.reach(entry, want) {
            Reach::Whole if !std::mem::replace(&mut self.whole[rule], true) => self.below(b""),
            Reach::Below(root) if self.roots[rule].insert(root) => self.below(root.as_bytes()),
            _ => return,
        };
        let is_runner = self.rules[rule].rule.is_runner();
        let of_rule = self.lists.map(|wants| {
            let bound = |edge: usize| wants.partition_point(|want| usize::from(want.rule) < edge);
            bound(rule)..bound(rule + 1)
        });
        let mut last = None;
        for entry in near {
            let (wants, own) = (self.lists.wants(entry), of_rule[self.lists.of(entry) as usize].clone());
            let mut is_near = false;
            for at in own.filter(|at| self.counts(entry, &wants[*at])).collect::<Vec<_>>() {
                self.keep[self.first[entry as usize] + at] = true;
                is_near = true;
            }
            let folder = self.folders.of(entry);
            if is_runner && is_near && last != Some(folder) {
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
        let mut known = HashSet::new();
        for entry in self.below(self.folders.path(folder)).filter(|entry| self.folders.of(*entry) == folder) {
            for want in &self.contenders[self.lists.of(entry) as usize] {
                // where roots lie by folder, one file tells it for all
                let is_known = || self.rules[usize::from(want.rule)].rule.roots_are_anywhere() && known.contains(want);
                if self.counts(entry, want) && !is_known() {
                    known.insert(*want);
                    self.ahead.push(Hit { entry, want: *want });
                }
            }
        }
    }

    /// What is kept, with all hits on files that are not placed.
    fn hits(&self) -> Vec<Hits> {
        let mut by_rule: Vec<Hits> = vec![Vec::new(); self.rules.len()];
        let others = self.lists.map(|wants| !wants.iter().all(|want| is_placed(want.what)));
        for entry in 0..self.listing.entries.len() as u32 {
            let wants = self.lists.wants(entry);
            let keep = &self.keep[self.first[entry as usize]..][..wants.len()];
            if !others[self.lists.of(entry) as usize] && !keep.contains(&true) {
                continue;
            }
            for (want, keep) in wants.iter().zip(keep).filter(|(want, _)| want.rule != Want::NO_RULE) {
                if *keep || !is_placed(want.what) {
                    by_rule[usize::from(want.rule)].push((plain(want.what), entry));
                }
            }
        }
        by_rule
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
        let by_itself = match &rule.root.kind {
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
        // a file that a named folder does not take is placed as if none was named; both lie above it
        let configured = place.configured(path).map(|above| above.root());
        let root = configured.into_iter().chain(by_itself).min_by_key(|root| root.len());
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
            let marks = self.lists.map(|wants| {
                let own = wants.iter().filter(|want| usize::from(want.rule) == rule);
                own.filter_map(|want| if let What::Marker(at) = want.what { Some(at) } else { None })
                    .collect::<Vec<u8>>()
            });
            let mut roots = BTreeSet::new();
            for (number, entry) in (0u32..).zip(&self.listing.entries) {
                let marks = &marks[self.lists.of(number) as usize];
                if !marks.is_empty() && is_root(active, entry, self.facts) {
                    let path = entry.path.lossy();
                    roots.extend(marks.iter().map(|at| markers[usize::from(*at)].root(&path).to_owned()));
                }
            }
            roots
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

    #[test]
    fn a_file_that_a_named_folder_does_not_take_can_still_be_another_roots() {
        let files = ["db/migrations/1_a.sql", "db/migrations/1_b.sql", "db/2_c.sql"];
        let tree = MemoryTree::new(files.iter().map(|path| (path.as_bytes(), &b"-- +goose Up\n"[..])));
        let rules = rule::load(&[], false).unwrap().into_iter().filter(|rule| rule.id() == "goose");
        let rules: Vec<ActiveRule> = rules.map(|rule| ActiveRule { rule, scope: Scope::default() }).collect();
        let listing = tree.list(&rule::classifier(&rules)).unwrap();
        let mut named = Named::default();
        named.folders.insert((0, "db".to_owned()));
        let is_judged = |entry: u32| listing.entries[entry as usize].path == "db/migrations/1_a.sql".into();
        let partitions =
            |items: Vec<Item>| items.into_iter().map(|item| item.partition.to_string()).collect::<Vec<_>>();
        let all = partitions(resolved(&rules, &listing, &tree, &named, None));
        assert_eq!(all, ["db", "db/migrations", "db/migrations"]);
        let near = partitions(resolved(&rules, &listing, &tree, &named, Some(&is_judged)));
        assert_eq!(near.iter().filter(|partition| *partition == "db/migrations").count(), 2);
    }

    #[test]
    fn a_root_that_ends_as_the_rules_own_folders_do_means_what_its_glob_means() {
        let path = "a/supabase/1_a.sql";
        let tree = MemoryTree::new([(path.as_bytes(), &b""[..])]);
        let mut rules = supabase(&[]);
        rules[0].scope = Scope::new(&["a/*".to_owned()], &[], &[], None).unwrap();
        let near = rule::classifier_near(&rules, [path.as_bytes()].into_iter());
        for classifier in [rule::classifier(&rules), near] {
            let listing = tree.list(&classifier).unwrap();
            assert_eq!(resolved(&rules, &listing, &tree, &Named::default(), None).len(), 1);
        }
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
