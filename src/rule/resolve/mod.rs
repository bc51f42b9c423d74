//! From wanted paths to items: which rule takes names from which file, under which root, in which partition.

mod finder;
mod folders;
mod lists;
mod near;

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use foldhash::{HashMap, HashMapExt};
use rayon::prelude::*;

use super::{
    head::Rule,
    ownership::Strength,
    plan::{ActiveRule, Want, What},
    root::Kind,
};
use crate::{
    diag::{Confidence, parent},
    source::{Entry, Hit, Listing},
};
use finder::Finder;
use folders::Folders;
use lists::Lists;

/// One file from which one claim of one rule takes names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Item {
    /// Index of the rule.
    pub(crate) rule: u16,
    /// Index into its claims.
    pub(crate) claim: u8,
    /// Index into the listing's entries.
    pub(crate) entry: u32,
    /// The partition: root and literal folders, joined ones as one.
    pub(crate) partition: Arc<str>,
    /// The path below the root, invalid UTF-8 replaced.
    pub(crate) below: String,
    /// The root folder; empty for the top.
    pub(crate) root: Arc<str>,
    /// How sure it is that the rule's tool has the folder.
    pub(crate) confidence: Confidence,
}

/// A file that would have to take a name and takes none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stray {
    pub(crate) rule: u16,
    /// Malformed or unclaimed, and which shape.
    pub(crate) what: What,
    pub(crate) entry: u32,
    pub(crate) partition: Arc<str>,
    pub(crate) below: String,
}

impl Stray {
    /// Whether its folder is meant.
    pub(crate) fn is_folder(&self, rule: &Rule) -> bool {
        self.what.shape(rule).is_some_and(|shape| shape.folder)
    }
}

/// All that is to be read and judged.
#[derive(Debug, Default)]
pub(crate) struct Resolved {
    /// Sorted by rule, partition, claim and entry.
    pub(crate) items: Vec<Item>,
    /// Also those whose folder is meant, each of them.
    strays: Vec<Stray>,
}

impl Resolved {
    /// What would have to take a name and takes none, among the entries that are there. Of a folder that is meant as a whole one file, and
    /// only if no file in it takes a name.
    pub(crate) fn strays(&self, rules: &[ActiveRule], listing: &Listing, there: &dyn Fn(u32) -> bool) -> Vec<Stray> {
        let folder = |entry: u32| parent(listing.entries[entry as usize].path.as_bytes());
        let is_folder = |stray: &Stray| stray.is_folder(&rules[usize::from(stray.rule)].rule);
        let meant: BTreeSet<u16> =
            self.strays.iter().filter(|stray| is_folder(stray)).map(|stray| stray.rule).collect();
        let taking = self.items.iter().filter(|item| meant.contains(&item.rule) && there(item.entry));
        let mut settled: BTreeSet<(u16, &[u8])> = taking.map(|item| (item.rule, folder(item.entry))).collect();
        let mut strays: Vec<Stray> = self.strays.iter().filter(|stray| there(stray.entry)).cloned().collect();
        strays.retain(|stray| !is_folder(stray) || settled.insert((stray.rule, folder(stray.entry))));
        strays
    }
}

/// What is known of a tree beside its paths.
pub(crate) struct Facts<'a> {
    /// Which entries don't count: vendored ones, and generated ones unless those do.
    pub(crate) left_out: &'a (dyn Fn(&Entry, bool) -> bool + Sync),
    /// The text of a manifest or of a file to sniff at.
    pub(crate) read: &'a (dyn Fn(&Entry) -> Option<String> + Sync),
    /// Folders that the tools' own configurations name.
    pub(crate) named: &'a Named,
    /// Whether an entry is there only once some line of work is merged: it proves less than what is there already.
    pub(crate) tentative: &'a (dyn Fn(u32) -> bool + Sync),
    /// Entries that are judged, where not all are: only what has to do with them is placed then.
    pub(crate) judged: Option<&'a (dyn Fn(u32) -> bool + Sync)>,
}

/// What one rule wants files for, and which.
type Hits = Vec<(What, u32)>;

/// Fewer hits than so many are placed before another thread wakes up.
const FEW: usize = 20_000;

/// Finds roots, partitions and owners.
pub(crate) fn resolve(rules: &[ActiveRule], listing: &Listing, facts: &Facts<'_>) -> Resolved {
    let folders = Folders::new(listing);
    let lists = Lists::new(listing);
    let ground = Ground { rules, listing, folders: &folders, lists: &lists, facts };
    let hits = match facts.judged {
        Some(judged) => ground.near(judged),
        None => ground.hits(),
    };
    let nobody = vec![None; folders.len()];
    // Rules with markers come first: no proof is looked for in a folder that a tool's own file gives away.
    let mut candidates = ground.placed(&hits, &nobody, |rule| !rule.roots_are_anywhere());
    let settled = ground.owners(&candidates);
    candidates.extend(ground.placed(&hits, &settled, Rule::roots_are_anywhere));
    let owners = ground.owners(&candidates);
    candidates.retain(|one| {
        !rules[usize::from(one.rule)].rule.is_runner()
            || owners[folders.of(one.entry) as usize].is_none_or(|(.., rule)| rule == one.rule)
    });
    collect(rules, candidates, facts.named)
}

/// What files are placed on.
struct Ground<'a> {
    rules: &'a [ActiveRule],
    listing: &'a Listing,
    folders: &'a Folders<'a>,
    lists: &'a Lists<'a>,
    facts: &'a Facts<'a>,
}

impl Ground<'_> {
    /// All hits, by rule.
    fn hits(&self) -> Vec<Hits> {
        let mut by_rule: Vec<Hits> = vec![Vec::new(); self.rules.len()];
        for hit in self.listing.hits().filter(|hit| hit.want.rule != Want::NO_RULE) {
            by_rule[usize::from(hit.want.rule)].push((plain(hit.want.what), hit.entry));
        }
        by_rule
    }

    /// The hits that have a say in what becomes of the judged entries, by rule.
    ///
    /// Where one of these lies in a folder that a tool's own file gives away, the rules that would look for proofs have no say in it: then
    /// it is not looked for what else has a say in their proofs either.
    fn near(&self, judged: &(dyn Fn(u32) -> bool + Sync)) -> Vec<Hits> {
        let all = 0..self.listing.entries.len() as u32;
        let entries: Vec<u32> = all.clone().filter(|entry| judged(*entry)).collect();
        let mut asked = vec![false; self.folders.len()];
        entries.iter().for_each(|entry| asked[self.folders.of(*entry) as usize] = true);
        let gives_away = |rule: &Rule| rule.is_runner() && !rule.roots_are_anywhere();
        let wanted = |which: fn(What) -> bool| {
            self.lists.map(|wants| {
                let own = wants.iter().filter(|want| want.rule != Want::NO_RULE && which(plain(want.what)));
                let own = own.filter(|want| gives_away(&self.rules[usize::from(want.rule)].rule));
                own.copied().collect::<Vec<Want>>()
            })
        };
        let markers = wanted(|what| matches!(what, What::Marker(_)));
        let claims = wanted(|what| matches!(what, What::Claim(_)));
        let mut hits: Vec<Hits> = vec![Vec::new(); self.rules.len()];
        for entry in all {
            let list = self.lists.of(entry) as usize;
            let is_asked = asked[self.folders.of(entry) as usize];
            let claims = if is_asked { claims[list].as_slice() } else { &[] };
            for want in markers[list].iter().chain(claims) {
                hits[usize::from(want.rule)].push((plain(want.what), entry));
            }
        }
        let nobody = vec![None; self.folders.len()];
        let settled = self.owners(&self.placed(&hits, &nobody, gives_away));
        near::near(self, &near::Judged { entries, settled })
    }

    /// The files of some of the rules, where they lie.
    fn placed(&self, hits: &[Hits], settled: &[Option<Bid>], which: impl Fn(&Rule) -> bool + Sync) -> Vec<Candidate> {
        let mut paths: Vec<Cow<'_, str>> = vec![Cow::Borrowed(""); self.listing.entries.len()];
        for (_, entry) in hits.iter().flatten() {
            let path = &mut paths[*entry as usize];
            if path.is_empty() {
                *path = self.listing.entries[*entry as usize].path.lossy();
            }
        }
        let place = |(at, (active, hits)): (usize, (&ActiveRule, &Hits))| {
            if !hits.iter().any(|(what, _)| is_placed(*what)) || !which(&active.rule) {
                return Vec::new();
            }
            let Self { listing, folders, facts, .. } = *self;
            Finder { at: at as u16, active, hits, listing, folders, paths: &paths, settled, facts }.candidates()
        };
        let found: Vec<Vec<Candidate>> = match hits.iter().map(Vec::len).sum::<usize>() < FEW {
            true => self.rules.iter().zip(hits).enumerate().map(place).collect(),
            false => self.rules.par_iter().zip(hits).enumerate().map(place).collect(),
        };
        found.into_iter().flatten().collect()
    }

    /// By folder: of all runners that want files of it, the one with the strongest proof.
    fn owners(&self, candidates: &[Candidate]) -> Vec<Option<Bid>> {
        let mut owners: Vec<Option<Bid>> = vec![None; self.folders.len()];
        for one in candidates.iter().filter(|one| matches!(one.what, What::Claim(_))) {
            let rule = &self.rules[usize::from(one.rule)].rule;
            if rule.is_runner() {
                let is_generator = rule.spec.root.as_ref().is_some_and(|root| root.generator);
                let bid = (one.strength, is_generator, one.rule);
                let best = &mut owners[self.folders.of(one.entry) as usize];
                *best = Some(best.map_or(bid, |best| best.min(bid)));
            }
        }
        owners
    }
}

/// Whether a file that is wanted so takes names, or would have to.
fn is_placed(what: What) -> bool {
    matches!(plain(what), What::Claim(_) | What::Malformed(_) | What::Unclaimed(_))
}

/// How the text of a file is read makes no difference to where it lies.
fn plain(what: What) -> What {
    match what {
        What::Text(at) | What::Ignored(at) => What::Claim(at),
        other => other,
    }
}

/// Folders that the tools' own configurations name.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Named {
    /// Whole folders, by rule.
    pub(crate) folders: BTreeSet<(u16, String)>,
    /// Ends of folders, by rule.
    pub(crate) suffixes: BTreeSet<(u16, String)>,
    /// Folders below which a tool is told to take late names too, by rule.
    pub(crate) lax: BTreeSet<(u16, String)>,
    /// Folders below which a tool is told to be strict about late names, by rule.
    pub(crate) strict: BTreeSet<(u16, String)>,
    /// For folders that a tool uses together with others as one history, by rule: the one that stands for all of them.
    pub(crate) joined: BTreeMap<(u16, String), String>,
}

impl Named {
    /// Whether none is named.
    pub(crate) fn is_empty(&self) -> bool {
        self.folders.is_empty() && self.suffixes.is_empty()
    }

    /// The partition that stands for this one.
    fn partition(&self, rule: u16, own: String) -> String {
        if self.joined.is_empty() {
            return own;
        }
        let key = (rule, own);
        self.joined.get(&key).cloned().unwrap_or(key.1)
    }
}

/// A file that may belong to a rule, if no stronger one has its folder.
struct Candidate {
    rule: u16,
    what: What,
    entry: u32,
    root: Arc<str>,
    below: String,
    strength: Strength,
    confidence: Confidence,
}

/// A runner that wants a folder, its proof, and whether it only generates what is there. The smallest has it.
type Bid = (Strength, bool, u16);

fn collect(rules: &[ActiveRule], candidates: Vec<Candidate>, named: &Named) -> Resolved {
    let mut resolved = Resolved::default();
    let mut partitions: HashMap<(u16, u8, Arc<str>), Arc<str>> = HashMap::new();
    for one in &candidates {
        let What::Claim(claim) = one.what else { continue };
        let rule = &rules[usize::from(one.rule)].rule;
        let partition = partitions
            .entry((one.rule, claim, Arc::clone(&one.root)))
            .or_insert_with(|| named.partition(one.rule, partition(rule, claim, &one.root)).into());
        resolved.items.push(Item {
            rule: one.rule,
            claim,
            entry: one.entry,
            partition: Arc::clone(partition),
            below: one.below.clone(),
            root: one.root.trim_end_matches('\0').into(),
            confidence: one.confidence,
        });
    }
    for one in candidates {
        if !matches!(one.what, What::Malformed(_) | What::Unclaimed(_)) {
            continue;
        }
        let rule = &rules[usize::from(one.rule)].rule;
        let partition = named.partition(one.rule, partition(rule, 0, &one.root)).into();
        resolved.strays.push(Stray { rule: one.rule, what: one.what, entry: one.entry, partition, below: one.below });
    }
    resolved
        .items
        .sort_by(|a, b| (a.rule, &a.partition, a.claim, a.entry).cmp(&(b.rule, &b.partition, b.claim, b.entry)));
    resolved.items.dedup();
    resolved
}

/// The roots that a rule's markers mark in those entries that count, with their partitions. None of a rule whose roots are found by what
/// lies in them.
pub(crate) fn marked(rule: &Rule, at: u16, listing: &Listing, counts: &dyn Fn(u32) -> bool) -> Vec<(String, String)> {
    let Kind::Marked { markers, .. } = &rule.root.kind else { return Vec::new() };
    let root = |hit: Hit| match hit.want.what {
        What::Marker(index) if hit.want.rule == at && counts(hit.entry) => {
            let path = listing.entries[hit.entry as usize].path.lossy();
            Some(markers[usize::from(index)].root(&path).to_owned())
        }
        _ => None,
    };
    let roots: BTreeSet<String> = listing.hits().filter_map(root).collect();
    roots.into_iter().map(|root| (root.clone(), partition(rule, 0, &root))).collect()
}

/// Root and literal folders; `.` for the whole repository. A root that ends with NUL is the partition itself.
fn partition(rule: &Rule, claim: u8, root: &str) -> String {
    let path = match root.strip_suffix('\0') {
        Some(own) => own.to_owned(),
        None => {
            let folders = &rule.claims[usize::from(claim)].folders;
            let mut parts: Vec<&str> = Vec::new();
            if !root.is_empty() {
                parts.push(root);
            }
            parts.extend(folders.iter().map(String::as_str));
            parts.join("/")
        }
    };
    let joined = rule.root.joined(path);
    if joined.is_empty() { ".".into() } else { joined }
}
