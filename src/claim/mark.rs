//! A name as sixteen bytes: what a million of them cost, and how the few that collide are found.

use rayon::prelude::*;

/// A name, by the hash of all that has to be equal for a collision, and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Mark {
    pub(crate) hash: u64,
    /// Index of the item.
    pub(crate) item: u32,
    /// Byte offset in the item's text. Texts are bounded far below 4 GiB.
    pub(crate) at: u32,
}

/// The marks whose hash others have too, in order. Equal hashes of unequal names are possible: the names have to be compared.
pub(crate) fn colliding(mut marks: Vec<Mark>) -> Vec<Mark> {
    marks.par_sort_unstable();
    let mut kept = Vec::new();
    for group in marks.chunk_by(|a, b| a.hash == b.hash) {
        if group.len() > 1 {
            kept.extend_from_slice(group);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_hashes_that_come_twice_are_kept() {
        let mark = |hash, item| Mark { hash, item, at: 0 };
        let kept = colliding(vec![mark(3, 0), mark(1, 1), mark(3, 2), mark(2, 3)]);
        assert_eq!(kept, [mark(3, 0), mark(3, 2)]);
    }
}
