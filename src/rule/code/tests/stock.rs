//! The tests of all files that a change touches, before it and once it is merged.

use std::{collections::BTreeSet, sync::Arc};

use rayon::prelude::*;

use crate::{
    claim::tests::{Inventory, Test, inventory, may_hold_tests},
    report::Incomplete,
    rule::change::{Change, File, Said},
    source::EntryKind,
};

/// The tests of one file.
pub(super) struct Pair<'a> {
    pub(super) file: &'a File,
    /// What the merge base held and the trunk still holds.
    pub(super) before: Inventory,
    /// What the merge would hold.
    pub(super) after: Inventory,
    /// The text that the merge would hold; none where it holds no such file.
    pub(super) text: Option<Arc<[u8]>>,
    /// Whether one of the two could not be looked into: nothing is said of the file then.
    pub(super) unread: bool,
}

/// All of them, in the order of their paths.
pub(super) struct Stock<'a> {
    pub(super) pairs: Vec<Pair<'a>>,
}

/// Where a test is: index of its pair, and of the test in one of the pair's two lists.
pub(super) type At = (usize, usize);

impl<'a> Stock<'a> {
    pub(super) fn take(change: &'a Change<'_>, said: &mut Said) -> Self {
        let files: Vec<&File> = change.files.iter().filter(|file| may_hold_tests(file.path.as_bytes())).collect();
        // one file can take as long as a hundred others
        let each = files.into_par_iter().with_max_len(1);
        let read: Vec<(Pair<'a>, Option<Incomplete>)> = each.map(|file| pair(change, file)).collect();
        let mut pairs = Vec::new();
        for (pair, gap) in read {
            said.incomplete.extend(gap);
            pairs.push(pair);
        }
        Self { pairs }
    }

    pub(super) fn before(&self, at: At) -> &Test {
        &self.pairs[at.0].before.tests[at.1]
    }

    pub(super) fn after(&self, at: At) -> &Test {
        &self.pairs[at.0].after.tests[at.1]
    }

    pub(super) fn all_after(&self) -> impl Iterator<Item = At> {
        self.pairs.iter().enumerate().flat_map(|(file, pair)| (0..pair.after.tests.len()).map(move |test| (file, test)))
    }
}

fn pair<'a>(change: &Change<'_>, file: &'a File) -> (Pair<'a>, Option<Incomplete>) {
    let mut pair = Pair { file, before: Inventory::default(), after: Inventory::default(), text: None, unread: false };
    let read = before(change, file).and_then(|before| {
        pair.before = before;
        let text = if file.is_link() { None } else { change.merged(file).map_err(|error| error.to_string())? };
        pair.after = tests(file, text.as_deref())?;
        pair.text = text;
        Ok(())
    });
    let Err(why) = read else { return (pair, None) };
    pair.unread = true;
    (pair.before, pair.after) = Default::default();
    (pair, Some(Incomplete { what: file.path.lossy().into_owned(), why: format!("its tests can't be told: {why}") }))
}

/// The tests that the change found: those of the merge base, without what the trunk itself took away since.
fn before(change: &Change<'_>, file: &File) -> Result<Inventory, String> {
    if file.before.is_none_or(|version| version.kind == EntryKind::Link) {
        return Ok(Inventory::default());
    }
    let text = change.before(file).map_err(|error| error.to_string())?;
    let mut found = tests(file, text.as_deref())?;
    if file.trunk != file.before && file.after != file.trunk {
        let trunk = change.trunk(file).map_err(|error| error.to_string())?;
        let trunk = tests(file, trunk.as_deref())?;
        let still: BTreeSet<_> = trunk.tests.iter().map(Test::identity).collect();
        found.tests.retain(|test| still.contains(&test.identity()));
    }
    Ok(found)
}

fn tests(file: &File, text: Option<&[u8]>) -> Result<Inventory, String> {
    let found = text.and_then(|text| inventory(file.path.as_bytes(), text)).transpose();
    found.map(Option::unwrap_or_default).map_err(|why| why.to_string())
}
