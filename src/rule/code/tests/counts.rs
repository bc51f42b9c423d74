//! How many tests a change adds, deletes and skips, for documents that state it.

use super::{deleted, matched::Matched, skipped, stock::Stock};
use crate::rule::{
    change::{Change, Said},
    code::document::TestCounts,
};

/// Counts the tests; none where a file could not be looked into.
pub fn counts(change: &Change<'_>) -> Option<TestCounts> {
    let mut said = Said::default();
    let stock = Stock::whole(change, &mut said);
    let matched = Matched::new(&stock);
    let deleted = deleted::lost(change, &stock, &matched, &mut said).len() as u64;
    let is_new = |at: &(usize, usize)| !matched.origin.contains_key(at) && !stock.after(*at).shingles.is_empty();
    let added = stock.all_after().filter(is_new).count() as u64;
    let skipped = (0..stock.pairs.len()).map(|file| skipped::of_file(&stock, &matched, file).0.len() as u64).sum();
    said.incomplete.is_empty().then_some(TestCounts { added, deleted, skipped })
}
