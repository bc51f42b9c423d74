//! The tests of all files that a change touches, before it and once it is merged.

use std::{collections::BTreeSet, sync::Arc};

use rayon::prelude::*;

use crate::{
    claim::tests::{Inventory, Test, TestPath},
    report::Incomplete,
    rule::change::{Change, File, Said},
    source::EntryKind,
};

/// The tests of one file.
pub(super) struct Pair<'a> {
    pub(super) file: &'a File,
    path: TestPath<'a>,
    /// What the merge base held and the trunk still holds.
    pub(super) before: Inventory,
    /// What the merge would hold.
    pub(super) after: Inventory,
    /// The text that the merge would hold; none where it holds no such file.
    pub(super) text: Option<Arc<[u8]>>,
    /// Whether one of the two could not be looked into: nothing is said of the file then.
    pub(super) unread: bool,
    /// Whether its new tests were left unread: it had none, and nothing in it leaves one out or lets it run alone.
    waits: bool,
}

/// All of them, in the order of their paths.
pub(super) struct Stock<'a> {
    pub(super) pairs: Vec<Pair<'a>>,
}

/// Where a test is: index of its pair, and of the test in one of the pair's two lists.
pub(super) type At = (usize, usize);

impl<'a> Stock<'a> {
    /// The tests that tell whether any is lost. Where something seems so, [`Stock::complete`] brings the others.
    pub(super) fn take(change: &'a Change<'_>, said: &mut Said) -> Self {
        let with_path = |file: &'a File| Some((file, TestPath::of(file.path.as_bytes())?));
        let files: Vec<(&File, TestPath<'a>)> = change.files.iter().filter_map(with_path).collect();
        // one file can take as long as a hundred others
        let each = files.into_par_iter().with_max_len(1);
        let read: Vec<(Pair<'a>, Option<Incomplete>)> = each.map(|(file, path)| pair(change, file, path)).collect();
        let mut pairs = Vec::new();
        for (pair, gap) in read {
            said.incomplete.extend(gap);
            pairs.push(pair);
        }
        Self { pairs }
    }

    /// All tests.
    pub(super) fn whole(change: &'a Change<'_>, said: &mut Said) -> Self {
        let mut stock = Self::take(change, said);
        stock.complete(said);
        stock
    }

    /// Reads the tests that were left unread. False: there are none.
    pub(super) fn complete(&mut self, said: &mut Said) -> bool {
        let waiting = self.pairs.par_iter_mut().with_max_len(1).filter(|pair| pair.waits);
        let gaps: Vec<Option<Incomplete>> = waiting.map(Pair::complete).collect();
        let found = !gaps.is_empty();
        said.incomplete.extend(gaps.into_iter().flatten());
        found
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

impl Pair<'_> {
    fn complete(&mut self) -> Option<Incomplete> {
        self.waits = false;
        match tests(&self.path, self.text.as_deref()) {
            Ok(after) => self.after = after,
            Err(why) => return Some(self.give_up(why)),
        }
        None
    }

    fn give_up(&mut self, why: String) -> Incomplete {
        self.unread = true;
        (self.before, self.after) = Default::default();
        Incomplete { what: self.file.path.lossy().into_owned(), why: format!("its tests can't be told: {why}") }
    }
}

fn pair<'a>(change: &Change<'_>, file: &'a File, path: TestPath<'a>) -> (Pair<'a>, Option<Incomplete>) {
    let (before, after) = Default::default();
    let mut pair = Pair { file, path, before, after, text: None, unread: false, waits: false };
    let gap = fill(change, &mut pair).err().map(|why| pair.give_up(why));
    (pair, gap)
}

fn fill(change: &Change<'_>, pair: &mut Pair<'_>) -> Result<(), String> {
    pair.before = before(change, pair.file, &pair.path)?;
    let merged = || change.merged(pair.file).map_err(|error| error.to_string());
    pair.text = if pair.file.is_link() { None } else { merged()? };
    let had_none = pair.before.tests.is_empty() && pair.before.focus.is_empty();
    pair.waits = had_none && pair.text.as_ref().is_some_and(|text| !pair.path.may_be_marked(text));
    if !pair.waits {
        pair.after = tests(&pair.path, pair.text.as_deref())?;
    }
    Ok(())
}

/// The tests that the change found: those of the merge base, without what the trunk itself took away since.
fn before(change: &Change<'_>, file: &File, path: &TestPath<'_>) -> Result<Inventory, String> {
    if file.before.is_none_or(|version| version.kind == EntryKind::Link) {
        return Ok(Inventory::default());
    }
    let text = change.before(file).map_err(|error| error.to_string())?;
    let mut found = tests(path, text.as_deref())?;
    if file.trunk != file.before && file.after != file.trunk {
        let trunk = change.trunk(file).map_err(|error| error.to_string())?;
        let trunk = tests(path, trunk.as_deref())?;
        let still: BTreeSet<_> = trunk.tests.iter().map(Test::identity).collect();
        found.tests.retain(|test| still.contains(&test.identity()));
    }
    Ok(found)
}

fn tests(path: &TestPath<'_>, text: Option<&[u8]>) -> Result<Inventory, String> {
    let found = text.and_then(|text| path.inventory(text)).transpose();
    found.map(Option::unwrap_or_default).map_err(|why| why.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::change::testing::Made;

    #[test]
    fn new_tests_are_read_where_something_in_the_file_leaves_one_out_or_where_they_are_asked_for() {
        let (old, plain) = ("def test_a():\n    assert a\n", "def test_b():\n    assert b\n");
        let skipped = "@pytest.mark.skip\ndef test_c():\n    assert c\n";
        let before = [("test_old.py", old), ("test_empty.py", "")];
        let after = [
            ("test_old.py", &*format!("{old}\n\n{plain}")),
            ("test_empty.py", plain),
            ("test_new.py", plain),
            ("test_skipped.py", skipped),
        ];
        let made = Made::new(&before, &after);
        let change = made.change();
        let mut said = Said::default();
        let mut stock = Stock::take(&change, &mut said);
        let read = |stock: &Stock<'_>| -> Vec<(String, usize)> {
            stock.pairs.iter().map(|pair| (pair.file.path.lossy().into_owned(), pair.after.tests.len())).collect()
        };
        let counts = |found: [usize; 4]| -> Vec<(String, usize)> {
            let paths = ["test_empty.py", "test_new.py", "test_old.py", "test_skipped.py"];
            paths.map(str::to_owned).into_iter().zip(found).collect()
        };
        assert_eq!(read(&stock), counts([0, 0, 2, 1]));
        assert!(stock.complete(&mut said) && !stock.complete(&mut said));
        assert_eq!(read(&stock), counts([1, 1, 2, 1]));
        assert_eq!(read(&Stock::whole(&change, &mut said)), counts([1, 1, 2, 1]));
        assert!(said.incomplete.is_empty());
    }
}
