//! Lost tests that stand elsewhere too, under the same name or with the same body.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use super::{
    matched::{ALIKE, MOST_SHARING},
    stock::{At, Stock},
};
use crate::{
    claim::tests::{Test, inventory, likeness, may_hold_tests},
    diag::RepoPath,
    report::Incomplete,
    rule::change::{Change, Said},
};

/// Fewest shingles of a body that tells one test from another.
const TELLING: usize = 8;

/// Whether a test beside it has the same body once the change is merged. What comes in by rows is no part of a body.
pub(super) fn has_twin(stock: &Stock<'_>, at: At) -> bool {
    let own = stock.before(at);
    let is_twin =
        |other: &Test| other.shingles == own.shingles && other.containers == own.containers && other.rows.is_none();
    own.shingles.len() >= TELLING && own.rows.is_none() && stock.pairs[at.0].after.tests.iter().any(is_twin)
}

/// The lost tests whose name and body stand in another file that the change touches too.
pub(super) fn namesakes(stock: &Stock<'_>, lost: &[At]) -> BTreeSet<At> {
    let mut named: BTreeMap<&str, Vec<At>> = BTreeMap::new();
    for at in stock.all_after() {
        named.entry(&stock.after(at).title).or_default().push(at);
    }
    let is_twin = |at: &&At| {
        let test = stock.before(**at);
        let alike = |other: &At| likeness(&stock.after(*other).shingles, &test.shingles) >= ALIKE;
        let others = named.get(test.title.as_str()).into_iter().flatten().filter(|other| other.0 != at.0);
        others.take(MOST_SHARING).any(alike)
    };
    lost.iter().filter(is_twin).copied().collect()
}

/// Leaves out what has a twin in a file that the change does not touch: one name and one body. Reads all test files of the merged tree.
pub(super) fn without_twins(change: &Change<'_>, stock: &Stock<'_>, lost: Vec<At>, said: &mut Said) -> Vec<At> {
    if lost.is_empty() {
        return lost;
    }
    let paths = match change.ground.merged_paths() {
        Ok(paths) => paths,
        Err(why) => {
            said.gap("the tests of files that the change does not touch", why);
            return lost;
        }
    };
    let others: Vec<_> =
        paths.iter().filter(|path| may_hold_tests(path.as_bytes()) && change.file(path).is_none()).collect();
    let looked: Vec<Result<Vec<At>, Incomplete>> =
        others.par_iter().map(|path| twins_in(change, stock, &lost, path)).collect();
    let mut twins: BTreeSet<At> = BTreeSet::new();
    for found in looked {
        match found {
            Ok(found) => twins.extend(found),
            Err(gap) => said.incomplete.push(gap),
        }
    }
    lost.into_iter().filter(|at| !twins.contains(at)).collect()
}

/// The lost tests that a file holds too: by name, and much the same body.
fn twins_in(change: &Change<'_>, stock: &Stock<'_>, lost: &[At], path: &RepoPath) -> Result<Vec<At>, Incomplete> {
    let gap = |why: String| Incomplete {
        what: path.lossy().into_owned(),
        why: format!("whether a lost test stands in it can't be told: {why}"),
    };
    let text = change.ground.on_trunk(path).map_err(|error| gap(error.to_string()))?.unwrap_or_else(|| [].into());
    let is_named = |at: &At| memchr::memmem::find(&text, stock.before(*at).title.as_bytes()).is_some();
    if !lost.iter().any(is_named) {
        return Ok(Vec::new());
    }
    let found = inventory(path.as_bytes(), &text).transpose().map_err(|why| gap(why.to_string()))?.unwrap_or_default();
    let is_twin = |at: &&At| {
        let test = stock.before(**at);
        found.tests.iter().any(|other| other.title == test.title && likeness(&other.shingles, &test.shingles) >= ALIKE)
    };
    Ok(lost.iter().filter(is_twin).copied().collect())
}
