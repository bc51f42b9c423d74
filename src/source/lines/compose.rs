//! Two changes, one after the other, as one.

use std::cmp::Ordering;

use crate::source::Changed;

/// What a line changes in all: from its merge base to HEAD, and from there to what is uncommitted. Both are sorted by path, and so is what
/// comes out. A path that ends as it began is dropped.
pub fn compose(committed: Vec<Changed>, uncommitted: Vec<Changed>) -> Vec<Changed> {
    let mut all = Vec::with_capacity(committed.len() + uncommitted.len());
    let (mut first, mut second) = (committed.into_iter().peekable(), uncommitted.into_iter().peekable());
    loop {
        let order = match (first.peek(), second.peek()) {
            (None, None) => return all,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(a), Some(b)) => a.path.cmp(&b.path),
        };
        let before = if order == Ordering::Greater { None } else { first.next() };
        let after = if order == Ordering::Less { None } else { second.next() };
        match (before, after) {
            (Some(before), Some(after)) if before.old == after.new => {}
            (Some(before), Some(after)) => all.push(Changed { new: after.new, ..before }),
            (before, after) => all.extend(before.or(after)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{EntryKind, Place, Version};

    fn version(of: u8) -> Option<Version> {
        let id = gix::ObjectId::from_bytes_or_panic(&[of; 20]);
        (of > 0).then_some(Version { kind: EntryKind::File, place: Place::Blob(id) })
    }

    fn changed(path: &str, old: u8, new: u8) -> Changed {
        Changed { path: path.into(), old: version(old), new: version(new) }
    }

    #[test]
    fn the_second_change_goes_on_where_the_first_ended() {
        let first = vec![
            changed("back", 1, 2),
            changed("deleted", 1, 2),
            changed("edited", 1, 2),
            changed("gone again", 0, 1),
            changed("only committed", 1, 2),
            changed("run bit there and back", 1, 1),
            changed("run bit, then edited", 1, 1),
        ];
        let second = vec![
            changed("a new one", 0, 1),
            changed("back", 2, 1),
            changed("deleted", 2, 0),
            changed("edited", 2, 3),
            changed("gone again", 1, 0),
            changed("run bit there and back", 1, 1),
            changed("run bit, then edited", 1, 2),
            changed("z run bit", 1, 1),
        ];
        let expected = vec![
            changed("a new one", 0, 1),
            changed("deleted", 1, 0),
            changed("edited", 1, 3),
            changed("only committed", 1, 2),
            changed("run bit, then edited", 1, 2),
            changed("z run bit", 1, 1),
        ];
        assert_eq!(compose(first.clone(), second), expected);
        assert_eq!(compose(first.clone(), Vec::new()), first);
        assert_eq!(compose(Vec::new(), first.clone()), first);
    }
}
