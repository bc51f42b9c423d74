//! The different lists of wants of a listing, by number: what is found out of a list holds for all files that are wanted so.

use foldhash::{HashMap, HashMapExt};

use super::super::plan::Want;
use crate::source::Listing;

/// Which list each entry of a listing has.
pub(super) struct Lists<'l> {
    /// By entry.
    of: Vec<u32>,
    /// By number. Two may be the same.
    all: Vec<&'l [Want]>,
}

impl<'l> Lists<'l> {
    pub(super) fn new(listing: &'l Listing) -> Self {
        let mut lists = Self { of: Vec::with_capacity(listing.entries.len()), all: Vec::new() };
        let mut known: HashMap<*const Want, u32> = HashMap::new();
        for wants in &listing.wants {
            let number = *known.entry(wants.as_ptr()).or_insert_with(|| {
                lists.all.push(wants);
                lists.all.len() as u32 - 1
            });
            lists.of.push(number);
        }
        lists
    }

    /// The number of an entry's list.
    pub(super) fn of(&self, entry: u32) -> u32 {
        self.of[entry as usize]
    }

    /// The list of an entry.
    pub(super) fn wants(&self, entry: u32) -> &'l [Want] {
        self.all[self.of(entry) as usize]
    }

    /// What becomes of each list, by number.
    pub(super) fn map<T>(&self, each: impl Fn(&'l [Want]) -> T) -> Vec<T> {
        self.all.iter().map(|wants| each(wants)).collect()
    }
}
