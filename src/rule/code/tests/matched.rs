//! Which test of the merge base is which test of the merged tree: by name, then by body, then as a row of another one.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use super::stock::{At, Stock};
use crate::claim::tests::{Rows, Test, likeness};

/// From how many thousandths on two bodies are one: k=5 shingles, Jaccard 0.8, what checkwash found to hold.
pub(super) const ALIKE: u32 = 800;
/// How alike two tests of one name in two files must be, where their containers differ.
const RELATED: u32 = 300;
/// Most tests that are compared because of one shingle that they share: a run of tokens that everybody has tells nothing.
pub(super) const MOST_SHARING: usize = 64;

/// What became of the tests of the merge base.
pub(super) struct Matched {
    /// Where each test went, if it did not go. What stays in its place is in here too.
    pub(super) kept: BTreeMap<At, At>,
    /// Where each test of the merged tree came from.
    pub(super) origin: BTreeMap<At, At>,
    /// What is nowhere any more, in order.
    pub(super) lost: Vec<At>,
}

impl Matched {
    pub(super) fn new(stock: &Stock<'_>) -> Self {
        let mut work = Work { stock, kept: BTreeMap::new(), lost: Vec::new(), fresh: Vec::new() };
        work.in_place();
        let qualified = |test: &Test| (test.containers.clone(), test.title.clone());
        work.by(qualified, |_, _| true);
        work.by(|test: &Test| test.title.clone(), |same_file, alike| same_file || alike >= RELATED);
        work.by(
            |test: &Test| (!is_telling(&test.title)).then(|| qualified(test)).ok_or(test.title.clone()),
            |_, _| true,
        );
        work.by_body();
        work.as_rows();
        let origin = work.kept.iter().map(|(from, to)| (*to, *from)).collect();
        Self { kept: work.kept, origin, lost: work.lost }
    }
}

/// Fewest bytes and words of a title that only one test of a repository has.
const TELLING: (usize, usize) = (20, 4);

/// Whether a title tells so much that a new test of that name in another file is the same one, whatever became of its body.
fn is_telling(title: &str) -> bool {
    let mut count = 0;
    let mut was_part = false;
    for c in title.chars() {
        let is_part = c.is_alphanumeric();
        count += usize::from(is_part && (!was_part || c.is_uppercase()));
        was_part = is_part;
    }
    title.len() >= TELLING.0 && count >= TELLING.1
}

struct Work<'a> {
    stock: &'a Stock<'a>,
    kept: BTreeMap<At, At>,
    lost: Vec<At>,
    /// Tests of the merged tree that nothing was before.
    fresh: Vec<At>,
}

impl Work<'_> {
    /// What stands where it stood.
    fn in_place(&mut self) {
        for (file, pair) in self.stock.pairs.iter().enumerate() {
            let after: BTreeMap<_, usize> =
                pair.after.tests.iter().enumerate().map(|(at, test)| (test.identity(), at)).collect();
            for (at, test) in pair.before.tests.iter().enumerate() {
                match after.get(&test.identity()) {
                    Some(to) => _ = self.kept.insert((file, at), (file, *to)),
                    None => self.lost.push((file, at)),
                }
            }
        }
        let taken: BTreeSet<At> = self.kept.values().copied().collect();
        self.fresh = self.stock.all_after().filter(|at| !taken.contains(at)).collect();
    }

    /// Pairs what has one name: in one file first, then the most alike, then the first.
    fn by<K: Ord>(&mut self, key: impl Fn(&Test) -> K, fits: impl Fn(bool, u32) -> bool) {
        let mut free: BTreeMap<K, Vec<At>> = BTreeMap::new();
        for at in &self.fresh {
            free.entry(key(self.stock.after(*at))).or_default().push(*at);
        }
        for at in self.lost.clone() {
            let test = self.stock.before(at);
            let Some(others) = free.get_mut(&key(test)) else { continue };
            let ranked = others.iter().enumerate().take(MOST_SHARING).filter_map(|(index, other)| {
                let (same_file, alike) =
                    (at.0 == other.0, likeness(&test.shingles, &self.stock.after(*other).shingles));
                fits(same_file, alike).then_some((same_file, alike, Reverse(index)))
            });
            if let Some((_, _, Reverse(index))) = ranked.max() {
                let other = others.remove(index);
                self.pair(at, other);
            }
        }
    }

    /// Pairs what has one body under another name, the most alike first.
    fn by_body(&mut self) {
        let mut sharing: BTreeMap<u64, Vec<At>> = BTreeMap::new();
        for at in &self.fresh {
            for shingle in &self.stock.after(*at).shingles {
                let list = sharing.entry(*shingle).or_default();
                if list.len() < MOST_SHARING {
                    list.push(*at);
                }
            }
        }
        let mut found: Vec<(Reverse<u32>, At, At)> = Vec::new();
        for at in &self.lost {
            let test = self.stock.before(*at);
            let others: BTreeSet<At> =
                test.shingles.iter().filter_map(|shingle| sharing.get(shingle)).flatten().copied().collect();
            let alike =
                others.into_iter().map(|other| (likeness(&test.shingles, &self.stock.after(other).shingles), other));
            found.extend(alike.filter(|(alike, _)| *alike >= ALIKE).map(|(alike, other)| (Reverse(alike), *at, other)));
        }
        found.sort_unstable();
        for (_, at, other) in found {
            if !self.kept.contains_key(&at) && self.fresh.contains(&other) {
                self.pair(at, other);
            }
        }
    }

    /// N lost tests and one test that has N more rows than before, of the same file or about the same code.
    fn as_rows(&mut self) {
        let mut from: BTreeMap<At, At> = self.kept.iter().map(|(from, to)| (*to, *from)).collect();
        for at in self.stock.all_after() {
            let before = from.remove(&at).and_then(|from| self.stock.before(from).rows);
            let room = match (before, self.stock.after(at).rows) {
                (None, Some(Rows::Unknown)) => usize::MAX,
                (None, Some(Rows::Counted(now))) => now,
                (Some(Rows::Counted(before)), Some(Rows::Counted(now))) => now.saturating_sub(before),
                _ => 0,
            };
            let taken: Vec<At> = self.lost.iter().filter(|lost| self.related(**lost, at)).take(room).copied().collect();
            taken.into_iter().for_each(|lost| {
                self.lost.retain(|other| *other != lost);
            });
        }
    }

    fn related(&self, lost: At, at: At) -> bool {
        let calls = &self.stock.before(lost).calls;
        let other = self.stock.after(at);
        // what only hands one case to another test is a row of it
        let shared = other.calls.iter().chain([&other.title]).any(|name| calls.binary_search(name).is_ok());
        shared || (lost.0 == at.0 && calls.is_empty())
    }

    fn pair(&mut self, from: At, to: At) {
        self.kept.insert(from, to);
        self.lost.retain(|other| *other != from);
        self.fresh.retain(|other| *other != to);
    }
}
