//! The wanted paths of a tree, and who wants them.

use std::sync::Arc;

use foldhash::HashSet;

use super::Entry;
use crate::{
    report::{Incomplete, Skipped},
    rule::Want,
};

/// All who want a path, in order and each once. Neighbours are mostly wanted by the same, and share one list.
pub type Wants = Arc<[Want]>;

/// Who wants which entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit {
    /// Index into [`Listing::entries`].
    pub entry: u32,
    /// Who wants it.
    pub want: Want,
}

/// The wanted paths of a tree, sorted by path, then by place.
#[derive(Debug, Default)]
pub struct Listing {
    /// Each wanted path once; of several trees, each of its versions.
    pub entries: Vec<Entry>,
    /// Who wants them: a list for each entry.
    pub wants: Vec<Wants>,
    /// What could not be listed.
    pub incomplete: Vec<Incomplete>,
    /// What was left out by choice.
    pub skipped: Vec<Skipped>,
}

impl Listing {
    /// All hits, in the order of their entries.
    pub fn hits(&self) -> impl Iterator<Item = Hit> + '_ {
        let all = (0u32..).zip(&self.wants);
        all.flat_map(|(entry, wants)| wants.iter().map(move |want| Hit { entry, want: *want }))
    }

    pub(crate) fn push(&mut self, entry: Entry, wants: Wants) {
        self.entries.push(entry);
        self.wants.push(wants);
    }

    /// Takes in what was found elsewhere; it has to be sorted then.
    pub(super) fn append(&mut self, other: Self) {
        self.entries.extend(other.entries);
        self.wants.extend(other.wants);
        self.incomplete.extend(other.incomplete);
    }

    /// Takes in what a second look found.
    pub(crate) fn merge(&mut self, other: Self) {
        self.append(other);
        self.sort();
    }

    /// This listing, with these entries among its own. Of the same version of a path all wants count.
    pub(crate) fn with(mut self, new: Vec<(Entry, Vec<Want>)>) -> Self {
        if new.is_empty() {
            return self;
        }
        let mut lists = WantLists::default();
        new.into_iter().for_each(|(entry, wants)| self.push(entry, lists.of(&wants)));
        self.sort();
        self
    }

    /// Puts entries in order of their paths. Sources gather them in any order.
    pub(crate) fn sort(&mut self) {
        if self.entries.is_sorted_by(|a, b| a.order() < b.order()) {
            return;
        }
        let entries = std::mem::take(&mut self.entries);
        let mut all: Vec<(Entry, Wants)> = entries.into_iter().zip(std::mem::take(&mut self.wants)).collect();
        all.sort_by(|(a, _), (b, _)| a.order().cmp(&b.order()));
        for (entry, wants) in all {
            match (self.entries.last(), self.wants.last_mut()) {
                (Some(last), Some(own)) if last.order() == entry.order() => *own = both(own, &wants),
                _ => self.push(entry, wants),
            }
        }
    }
}

/// What is in one of two lists.
fn both(one: &Wants, other: &Wants) -> Wants {
    if one == other { Arc::clone(one) } else { WantLists::default().of(&[&**one, other].concat()) }
}

/// Makes lists of wants, each once.
#[derive(Default)]
pub(crate) struct WantLists {
    known: HashSet<Wants>,
    last: Option<Wants>,
    /// The one that is being made.
    list: Vec<Want>,
}

impl WantLists {
    /// The list of these wants, in whatever order they come.
    pub(crate) fn of(&mut self, wants: &[Want]) -> Wants {
        self.list.clear();
        self.list.extend_from_slice(wants);
        if !self.list.is_sorted_by(|a, b| a < b) {
            self.list.sort_unstable();
            self.list.dedup();
        }
        if let Some(last) = self.last.as_ref().filter(|last| ***last == *self.list) {
            return Arc::clone(last);
        }
        let list = match self.known.get(self.list.as_slice()) {
            Some(known) => Arc::clone(known),
            None => {
                let list: Wants = self.list.as_slice().into();
                self.known.insert(Arc::clone(&list));
                list
            }
        };
        self.last = Some(Arc::clone(&list));
        list
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        diag::RepoPath,
        rule::What,
        source::{EntryKind, Place},
    };

    /// A path, a place and a rule that wants it.
    type Raw = (u8, u8, u16);

    fn entry((path, place, rule): &Raw) -> (Entry, Vec<Want>) {
        let place = Place::Worktree(u16::from(*place));
        let entry = Entry { path: RepoPath::new(&[b'a' + path]), kind: EntryKind::File, place };
        (entry, vec![Want { rule: *rule, what: What::Claim(0) }])
    }

    proptest! {
        #[test]
        fn each_version_of_a_path_is_there_once_with_all_who_want_it(
            own in prop::collection::vec((0u8..9, 0u8..3, 0u16..4), 0..12),
            new in prop::collection::vec((0u8..9, 0u8..3, 0u16..4), 0..6),
        ) {
            let mut listing = Listing::default();
            let mut lists = WantLists::default();
            own.iter().map(entry).for_each(|(entry, wants)| listing.push(entry, lists.of(&wants)));
            listing.sort();
            let listing = listing.with(new.iter().map(entry).collect());
            let mut expected: Vec<Raw> = [own, new].concat();
            expected.sort_unstable();
            expected.dedup();
            let found: Vec<Raw> = (listing.hits())
                .map(|hit| {
                    let Entry { path, place, .. } = &listing.entries[hit.entry as usize];
                    let place = if let Place::Worktree(number) = place { *number as u8 } else { u8::MAX };
                    (path.as_bytes()[0] - b'a', place, hit.want.rule)
                })
                .collect();
            prop_assert_eq!(found, expected);
            prop_assert_eq!(listing.entries.len(), listing.wants.len());
            prop_assert!(listing.entries.is_sorted_by(|a, b| a.order() < b.order()));
        }
    }
}
