//! Lost tests that were rewritten: a new test stands in their place, or goes by most of their words.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    matched::{MOST_SHARING, Matched},
    stock::{At, Stock},
};
use crate::claim::tests::Test;

/// From how many hundredths on the words of two titles are the same ones: of those of the shorter title.
const SAME_WORDS: usize = 75;
/// Words that every title has.
const EMPTY_WORDS: [&str; 16] =
    ["test", "tests", "should", "it", "the", "a", "an", "is", "are", "to", "of", "with", "when", "for", "and", "in"];

/// From how many hundredths on of what a lost test calls a new one calls the same.
const SAME_CALLS: usize = 75;
/// Fewest names that a lost test has to call for that to tell anything.
const FEWEST_CALLS: usize = 3;
/// From how many hundredths on of a lost test's body a new one holds the same.
const SAME_PARTS: usize = 60;
/// Fewest shingles of a body of which parts tell anything.
const FEWEST_PARTS: usize = 16;

/// The new test that each rewritten one became.
pub(super) struct Heirs {
    sure: BTreeMap<At, At>,
    /// Only what they call says so.
    likely: BTreeMap<At, At>,
}

/// What took the place of a lost test.
#[derive(Clone, Copy)]
pub(super) struct Heir<'s> {
    pub(super) test: &'s Test,
    /// Whether it checks at least half as much.
    pub(super) checks_as_much: bool,
    /// Whether more than its calls says that it is the same.
    pub(super) is_sure: bool,
}

impl Heirs {
    pub(super) fn new(stock: &Stock<'_>, matched: &Matched, lost: &[At]) -> Self {
        let fresh: BTreeSet<At> = stock.all_after().filter(|at| !matched.origin.contains_key(at)).collect();
        let mut work = Work { stock, matched, fresh, heirs: BTreeMap::new() };
        work.by_words(lost);
        work.by_place(lost);
        work.by_block(lost);
        work.as_one_of_many(lost);
        let sure = work.heirs.clone();
        work.by_calls(lost);
        work.by_parts(lost);
        let likely = work.heirs.into_iter().filter(|(at, _)| !sure.contains_key(at)).collect();
        Self { sure, likely }
    }

    /// The new test.
    pub(super) fn of<'s>(&self, stock: &'s Stock<'_>, at: At) -> Option<Heir<'s>> {
        let test = stock.after(*self.sure.get(&at).or_else(|| self.likely.get(&at))?);
        let checks = |test: &Test| test.assertions.iter().filter(|check| !check.vacuous).count();
        let checks_as_much = 2 * checks(test) >= checks(stock.before(at));
        Some(Heir { test, checks_as_much, is_sure: self.sure.contains_key(&at) })
    }
}

struct Work<'a> {
    stock: &'a Stock<'a>,
    matched: &'a Matched,
    /// New tests that nothing became yet.
    fresh: BTreeSet<At>,
    heirs: BTreeMap<At, At>,
}

impl Work<'_> {
    /// By the words of the title: in one file first, then anywhere in the change.
    fn by_words(&mut self, lost: &[At]) {
        for at in lost {
            let own = words(self.stock.before(*at));
            let score = |other: &At| {
                let theirs = words(self.stock.after(*other));
                let (shared, least) = (own.intersection(&theirs).count(), own.len().min(theirs.len()));
                let is_same = least >= 2 && 100 * shared >= SAME_WORDS * least;
                is_same.then_some((other.0 == at.0, shared, std::cmp::Reverse(*other)))
            };
            let best = self.fresh.iter().filter_map(score).max();
            if let Some((.., std::cmp::Reverse(heir))) = best {
                self.take(*at, heir);
            }
        }
    }

    /// By the place: after one and the same test that stays.
    fn by_place(&mut self, lost: &[At]) {
        for at in lost {
            if self.heirs.contains_key(at) {
                continue;
            }
            let place = (0..at.1).rev().find_map(|before| self.matched.kept.get(&(at.0, before)).copied());
            let after = |other: &At| {
                let is_old = |test: &usize| self.matched.origin.contains_key(&(at.0, *test));
                other.0 == at.0 && (0..other.1).rev().find(is_old).map(|test| (at.0, test)) == place
            };
            let is_one = |other: &&At| self.stock.after(**other).rows.is_none(); // rows were counted before
            let heir = self.fresh.iter().filter(is_one).find(|other| after(other)).copied();
            if let Some(heir) = heir {
                self.take(*at, heir);
            }
        }
    }

    /// By the block: an inner one of which no test stays, and that holds as many new ones as it loses.
    fn by_block(&mut self, lost: &[At]) {
        let mut blocks: BTreeMap<(usize, &[String]), Vec<At>> = BTreeMap::new();
        for at in lost {
            let containers = self.stock.before(*at).containers.as_slice();
            if containers.len() > 1 {
                blocks.entry((at.0, containers)).or_default().push(*at);
            }
        }
        for ((file, block), tests) in blocks {
            let held = |at: &At| at.0 == file && self.stock.after(*at).containers.starts_with(block);
            let stays = self.matched.origin.keys().any(held);
            let new: Vec<At> = self.fresh.iter().copied().filter(held).collect();
            let without: Vec<At> = tests.iter().copied().filter(|at| !self.heirs.contains_key(at)).collect();
            if !stays && new.len() >= without.len() {
                without.into_iter().zip(new).for_each(|(at, heir)| self.take(at, heir));
            }
        }
    }

    /// By the words of a new test that took the place of another one, if its title says nothing that is not in the lost one's: many became one.
    fn as_one_of_many(&mut self, lost: &[At]) {
        let taken: BTreeSet<At> = self.heirs.values().copied().collect();
        for at in lost.iter().filter(|at| !self.heirs.contains_key(at)).copied().collect::<Vec<_>>() {
            let own = words(self.stock.before(at));
            let is_part = |heir: &&At| {
                let theirs = words(self.stock.after(**heir));
                heir.0 == at.0 && theirs.len() >= 2 && theirs.is_subset(&own)
            };
            if let Some(heir) = taken.iter().find(is_part) {
                self.heirs.insert(at, *heir);
            }
        }
    }

    /// By what it calls: a new test that calls most of that too, in the same file first.
    fn by_calls(&mut self, lost: &[At]) {
        for at in lost {
            let own = &self.stock.before(*at).calls;
            if self.heirs.contains_key(at) || own.len() < FEWEST_CALLS {
                continue;
            }
            let score = |other: &At| {
                let theirs = &self.stock.after(*other).calls;
                let shared = own.iter().filter(|name| theirs.binary_search(name).is_ok()).count();
                let is_same = 100 * shared >= SAME_CALLS * own.len();
                is_same.then_some((other.0 == at.0, shared, std::cmp::Reverse(theirs.len()), std::cmp::Reverse(*other)))
            };
            let best = self.fresh.iter().filter_map(score).max();
            if let Some((.., std::cmp::Reverse(heir))) = best {
                self.take(*at, heir);
            }
        }
    }

    /// By what of its body a new test holds, one that took the place of another one too.
    fn by_parts(&mut self, lost: &[At]) {
        let without: Vec<At> = lost.iter().copied().filter(|at| !self.heirs.contains_key(at)).collect();
        if without.is_empty() {
            return;
        }
        let mut holders: BTreeMap<u64, Vec<At>> = BTreeMap::new();
        let is_new = |at: &At| !self.matched.origin.contains_key(at);
        for at in self.stock.all_after().filter(is_new) {
            for part in &self.stock.after(at).shingles {
                let list = holders.entry(*part).or_default();
                if list.len() < MOST_SHARING {
                    list.push(at);
                }
            }
        }
        for at in without {
            let parts = &self.stock.before(at).shingles;
            let mut held: BTreeMap<At, usize> = BTreeMap::new();
            for holder in parts.iter().filter_map(|part| holders.get(part)).flatten() {
                *held.entry(*holder).or_default() += 1;
            }
            let best = held.into_iter().max_by_key(|(holder, count)| (*count, std::cmp::Reverse(*holder)));
            if let Some((holder, count)) = best
                && parts.len() >= FEWEST_PARTS
                && 100 * count >= SAME_PARTS * parts.len()
            {
                self.heirs.insert(at, holder);
            }
        }
    }

    fn take(&mut self, at: At, heir: At) {
        self.heirs.insert(at, heir);
        self.fresh.remove(&heir);
    }
}

/// The words of a title, in small letters: those of `testTotalOfNothing`, `test_total_of_nothing` and "total of nothing" are the same.
fn words(test: &Test) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    let mut word = String::new();
    let mut was_small = false;
    for c in test.title.chars().chain([' ']) {
        if !c.is_alphanumeric() || c.is_uppercase() && was_small {
            let whole = std::mem::take(&mut word);
            if !whole.is_empty() && !EMPTY_WORDS.contains(&whole.as_str()) {
                all.insert(whole);
            }
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        was_small = c.is_lowercase() || c.is_numeric();
    }
    all
}
