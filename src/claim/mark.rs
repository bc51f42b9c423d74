//! A name as sixteen bytes: what a million of them cost, and how the few that collide are found.

use foldhash::HashSet;

use crate::threads;

/// Fewer names than so many are compared on one thread.
const FEW: usize = 50_000;

/// A name, by the hash of all that has to be equal for a collision, and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Mark {
    pub(crate) hash: u64,
    /// Index of the item.
    pub(crate) item: u32,
    /// Byte offset in the item's text. Texts are bounded far below 4 GiB.
    pub(crate) at: u32,
}

/// Marks as they were found: in lists, so that long ones are never copied.
#[derive(Debug, Default)]
pub(crate) struct Marks(Vec<Vec<Mark>>);

/// A list that is longer stands by itself.
const LONG: usize = 1024;

impl Marks {
    /// Takes in the marks of one item.
    pub(crate) fn add(&mut self, marks: Vec<Mark>) {
        match self.0.last_mut() {
            Some(last) if marks.len() < LONG && last.len() < LONG => last.extend(marks),
            _ => self.0.push(marks),
        }
    }

    /// Takes in all of another's.
    pub(crate) fn append(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// How many lists there are; for [`Marks::truncate`].
    pub(crate) fn mark(&self) -> (usize, usize) {
        (self.0.len(), self.0.last().map_or(0, Vec::len))
    }

    /// Forgets what was added since.
    pub(crate) fn truncate(&mut self, (lists, length): (usize, usize)) {
        self.0.truncate(lists);
        if let Some(last) = self.0.last_mut() {
            last.truncate(length);
        }
    }

    /// All marks, in the order in which they were found.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Mark> {
        self.0.iter().flatten()
    }

    /// The marks whose hash others have too, in order. Equal hashes of unequal names are possible: the names have to be compared.
    ///
    /// A sieve goes first: two bits for each value of some bits of the hash, met once and met again. It leaves all that collide and a
    /// few others, so that a million names are not sorted for a handful of collisions.
    pub(crate) fn colliding(&self) -> Vec<Mark> {
        let count = self.count();
        let bits = (count.max(64) * 16).next_power_of_two();
        let mut met = vec![[0u64; 2]; bits / 64]; // once and again, beside each other: one cache line a mark
        for mark in self.iter() {
            let (word, bit) = place(mark.hash, bits);
            let [once, again] = &mut met[word];
            *again |= *once & bit;
            *once |= bit;
        }
        twins(self.sieved(&|mark| {
            let (word, bit) = place(mark.hash, bits);
            met[word][1] & bit != 0
        }))
    }

    /// Of the marks whose hash others have too those that share it with one that is wanted, in order.
    pub(crate) fn colliding_with(&self, wanted: &(dyn Fn(&Mark) -> bool + Sync)) -> Vec<Mark> {
        let wanted = self.sieved(wanted);
        let bits = (wanted.len().max(64) * 16).next_power_of_two();
        let mut met = vec![0u64; bits / 64];
        for mark in &wanted {
            let (word, bit) = place(mark.hash, bits);
            met[word] |= bit;
        }
        let hashes: HashSet<u64> = wanted.iter().map(|mark| mark.hash).collect();
        twins(self.sieved(&|mark| {
            let (word, bit) = place(mark.hash, bits);
            met[word] & bit != 0 && hashes.contains(&mark.hash)
        }))
    }

    fn count(&self) -> usize {
        self.0.iter().map(Vec::len).sum()
    }

    /// Some of the marks, in the order in which they were found.
    fn sieved(&self, which: &(dyn Fn(&Mark) -> bool + Sync)) -> Vec<Mark> {
        let few = if self.count() < FEW { usize::MAX } else { 0 };
        threads::map(&self.0, few, |list| list.iter().filter(|mark| which(mark)).copied().collect::<Vec<Mark>>())
            .concat()
    }
}

/// Where a hash stands in a sieve of so many bits.
fn place(hash: u64, bits: usize) -> (usize, u64) {
    let at = hash as usize & (bits - 1);
    (at / 64, 1 << (at % 64))
}

/// The marks whose hash others of them have too, in order.
fn twins(mut marks: Vec<Mark>) -> Vec<Mark> {
    marks.sort_unstable();
    marks.chunk_by(|a, b| a.hash == b.hash).filter(|group| group.len() > 1).flatten().copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(hash: u64, item: u32) -> Mark {
        Mark { hash, item, at: 0 }
    }

    #[test]
    fn only_hashes_that_come_twice_are_kept() {
        let mut marks = Marks::default();
        marks.add(vec![mark(3, 0), mark(1, 1)]);
        marks.add(vec![mark(3, 2), mark(2, 3), mark(3 + (1 << 40), 4)]);
        assert_eq!(marks.colliding(), [mark(3, 0), mark(3, 2)]);
    }

    #[test]
    fn what_was_added_can_be_forgotten() {
        let mut marks = Marks::default();
        marks.add(vec![mark(1, 0)]);
        let before = marks.mark();
        marks.add(vec![mark(1, 1)]);
        marks.add(vec![mark(1, 2); LONG]);
        marks.truncate(before);
        assert_eq!(marks.colliding(), []);
    }

    proptest::proptest! {
        #[test]
        fn the_sieve_loses_nothing(hashes in proptest::collection::vec(0u64..200, 0..300)) {
            let mut marks = Marks::default();
            for (item, hash) in hashes.iter().enumerate() {
                marks.add(vec![mark(*hash << 30, item as u32)]);
            }
            let mut want: Vec<u64> = hashes.iter().filter(|hash| hashes.iter().filter(|other| other == hash).count() > 1).map(|hash| hash << 30).collect();
            want.sort_unstable();
            let found: Vec<u64> = marks.colliding().iter().map(|mark| mark.hash).collect();
            proptest::prop_assert_eq!(found, want);
            let is_wanted = |mark: &Mark| mark.item.is_multiple_of(3);
            let all = marks.colliding();
            let groups = all.chunk_by(|a, b| a.hash == b.hash).filter(|group| group.iter().any(is_wanted));
            proptest::prop_assert_eq!(marks.colliding_with(&is_wanted), groups.flatten().copied().collect::<Vec<_>>());
        }
    }
}
