//! The names of long texts, kept from run to run: a blob never changes, nor do the names in it.

use xxhash_rust::xxh3::Xxh3;

use super::{Pass, Read1, Taker};
use crate::{
    claim::Mark,
    source::{Entry, Stamp},
};

/// A shorter text is read faster than what was kept of it is found, in bytes.
pub(super) const WORTH_IT: u64 = 256 << 10;
/// Another number for another layout, and whenever the same text comes to have other names.
const LAYOUT: u64 = 1;

impl Pass<'_> {
    /// Takes in what an earlier run found in a text for these items, where all of it was kept.
    pub(super) fn recall(&self, items: &[u32], stamp: &Stamp, out: &mut Read1) -> bool {
        let mut takers: Vec<(Taker<'_>, u64)> = Vec::with_capacity(items.len());
        for at in items {
            let mut taker = Taker::new(self, *at, None);
            let kept = self.tree.recall(stamp, self.name(&taker));
            let Some(bytes) = kept.and_then(|kept| decode(&kept, &mut taker)) else { return false };
            takers.push((taker, bytes));
        }
        takers.into_iter().for_each(|(taker, bytes)| taker.finish(bytes, out));
        true
    }

    /// Keeps what was found in a text of so many bytes. Where something is wrong with it, it is to be read each time.
    pub(super) fn keep(&self, taker: &Taker<'_>, entry: &Entry, stamp: &Stamp, bytes: u64) {
        if taker.faults.is_empty() {
            self.tree.keep(entry, stamp, self.name(taker), &encode(taker, bytes));
        }
    }

    /// Stands for all that the names of an item depend on, beside the text.
    fn name(&self, taker: &Taker<'_>) -> u64 {
        let spec = &self.rule(taker.of).spec;
        let claim = &spec.claim[usize::from(taker.of.claim)];
        let place = (taker.of.rule, taker.of.claim, &taker.of.partition, &taker.of.below);
        let mut hash = Xxh3::new();
        hash.update(format!("{LAYOUT} {} {claim:?} {:?} {place:?}", env!("CARGO_PKG_VERSION"), spec.policy).as_bytes());
        hash.digest()
    }
}

/// Numbers are little-endian.
fn encode(taker: &Taker<'_>, bytes: u64) -> Vec<u8> {
    let mut made = Vec::with_capacity(16 + 12 * taker.marks.len());
    made.extend(taker.names.to_le_bytes());
    made.extend(bytes.to_le_bytes());
    for mark in &taker.marks {
        made.extend(mark.hash.to_le_bytes());
        made.extend(mark.at.to_le_bytes());
    }
    made
}

/// How many bytes the text had; none where this can't be what was kept.
fn decode(made: &[u8], taker: &mut Taker<'_>) -> Option<u64> {
    let (names, rest) = made.split_first_chunk::<8>()?;
    let (bytes, marks) = rest.split_first_chunk::<8>()?;
    let (marks, left) = marks.as_chunks::<12>();
    if !left.is_empty() {
        return None;
    }
    taker.names = u64::from_le_bytes(*names);
    taker.marks.extend(marks.iter().map(|mark| {
        let [a, b, c, d, e, f, g, h, at @ ..] = *mark;
        Mark { hash: u64::from_le_bytes([a, b, c, d, e, f, g, h]), item: taker.item, at: u32::from_le_bytes(at) }
    }));
    Some(u64::from_le_bytes(*bytes))
}
