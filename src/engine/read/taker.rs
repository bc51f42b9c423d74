//! From what an extractor finds to the marks, faults and counts of one item.

use super::{Pass, Read1};
use crate::{
    claim::{Mark, Namer, UrlSite, extract::Found, is_invented},
    rule::{
        Claim, Item, Rule,
        judge::{Count, Fault, FaultKind, wrong},
        spec::Per,
    },
    text,
};

/// Most faults that one file can have; further ones would only repeat the first.
const MOST_FAULTS: usize = 100;

/// Takes the names of one item.
pub(super) struct Taker<'a> {
    pub(super) item: u32,
    pub(super) of: &'a Item,
    rule: &'a Rule,
    claim: &'a Claim,
    namer: Namer<'a>,
    bytes: Option<&'a [u8]>,
    counts_keys: bool,
    /// Somebody wants to be told of times that are made up.
    looks_at_times: bool,
    cannot_be_wrong: bool,
    site: UrlSite,
    pub(super) marks: Vec<Mark>,
    pub(super) faults: Vec<Fault>,
    pub(super) names: u64,
}

impl<'a> Taker<'a> {
    pub(super) fn new(pass: &Pass<'a>, at: u32, bytes: Option<&'a [u8]>) -> Self {
        let of = &pass.items[at as usize];
        let rule = pass.rule(of);
        let looks_at_times = rule.invented(&pass.plan.levels).is_some();
        Self {
            item: at,
            of,
            rule,
            claim: pass.claim(of),
            namer: pass.namer(of),
            bytes,
            counts_keys: !rule.quotas.is_empty() || pass.plan.rules[usize::from(of.rule)].scope.quota.is_some(),
            looks_at_times,
            cannot_be_wrong: rule.spec.policy.reserved.is_empty() && rule.malformed.is_empty() && !looks_at_times,
            site: UrlSite::default(),
            marks: Vec::new(),
            faults: Vec::new(),
            names: 0,
        }
    }

    pub(super) fn found(&mut self, found: &Found<'_>) {
        self.names += 1;
        if self.cannot_be_wrong
            && let Some(hash) = self.namer.bare_hash(found, &mut self.site)
        {
            self.marks.push(Mark { hash, item: self.item, at: found.span.start as u32 });
            return;
        }
        let Some(name) = self.namer.name(found) else { return };
        let hash = self.namer.hash(&name);
        self.marks.push(Mark { hash, item: self.item, at: found.span.start as u32 });
        let is_invented = || self.looks_at_times && self.claim.is_path() && is_invented(&name.key);
        if let Some(kind) = wrong(self.rule, self.claim, &name).or_else(|| is_invented().then_some(FaultKind::Invented))
            && self.faults.len() < MOST_FAULTS
        {
            let located = self.bytes.map(|bytes| text::locate(bytes, found.span.clone()));
            self.faults.push(Fault {
                item: self.item,
                kind,
                key: name.key.into_owned(),
                raw: name.raw.into_owned(),
                located,
            });
        }
    }

    pub(super) fn restart(&mut self) {
        self.marks.clear();
        self.faults.clear();
        self.names = 0;
    }

    pub(super) fn finish(self, bytes: u64, out: &mut Read1) {
        if self.counts_keys {
            let per_file = self.rule.quotas.iter().any(|quota| quota.per == Per::File);
            let keys = if per_file { self.names } else { distinct(&self.marks) };
            out.counts.push(Count { item: self.item, entry: self.of.entry, keys, bytes });
        }
        out.marks.add(self.marks);
        out.faults.extend(self.faults);
    }
}

/// How many different names there are.
fn distinct(marks: &[Mark]) -> u64 {
    let mut hashes: Vec<u64> = marks.iter().map(|mark| mark.hash).collect();
    hashes.sort_unstable();
    hashes.dedup();
    hashes.len() as u64
}
