//! Two trees compared by all threads: of one line of work, its trees are most of what is read.

use std::sync::atomic::AtomicUsize;

use gix::ObjectId;

use super::{Diff, Gate, Pair, diff, in_order};
use crate::{
    source::{Changed, git::Git},
    threads,
};

/// So many folders that are not the same keep all threads busy.
const ENOUGH: usize = 16;

/// What is different between two trees, every folder and file of them; otherwise as [`diff`].
///
/// # Errors
/// As [`diff`].
pub(in super::super) fn diff_all(
    git: &Git,
    old: Option<ObjectId>,
    new: Option<ObjectId>,
) -> Result<Vec<Changed>, String> {
    let found = spread(git, old, new);
    // which thread meets what first is chance: one thread alone says what is wrong
    found.map_or_else(|_| diff(&mut git.reader(), &mut Gate::All, old, new), Ok)
}

/// One folder after the other until there are enough of them, then all that are left at one time.
fn spread(git: &Git, old: Option<ObjectId>, new: Option<ObjectId>) -> Result<Vec<Changed>, String> {
    let taken = AtomicUsize::new(0);
    let mut found = Vec::new();
    let mut left = vec![Pair { path: Vec::new(), old, new, depth: 0 }];
    while !left.is_empty() && left.len() < ENOUGH {
        let mut below = Vec::new();
        for pair in left {
            let (changes, folders) = of_pair(git, &pair, Some(Vec::new()), &taken)?;
            found.extend(changes);
            below.extend(folders);
        }
        left = below;
    }
    for part in threads::map(&left, 2, |pair| of_pair(git, pair, None, &taken)) {
        found.extend(part?.0);
    }
    Ok(in_order(found))
}

/// The changes of two folders, and the folders in them that are left to compare.
fn of_pair(
    git: &Git,
    pair: &Pair,
    apart: Option<Vec<Pair>>,
    taken: &AtomicUsize,
) -> Result<(Vec<Changed>, Vec<Pair>), String> {
    let mut reader = git.reader();
    reader.forget(); // whichever thread comes by, it reads the same
    let (gate, path) = (&mut Gate::All, pair.path.clone());
    let mut diff = Diff { reader: &mut reader, gate, path, found: Vec::new(), apart, taken };
    diff.folders(pair.old.as_deref(), pair.new.as_deref(), None, pair.depth)?;
    Ok((diff.found, diff.apart.unwrap_or_default()))
}
