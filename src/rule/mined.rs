//! What a folder has always obeyed, though no tool's file says that it has to.

use std::collections::{BTreeMap, BTreeSet};

use super::head::Rule;
use crate::{claim::Namer, engine::path_found};

/// Files take at least so many names on paths, of one shape, and none of them twice. A file is given by the index of the claim that takes
/// it and by its path below the root.
pub(super) fn keeps_apart<'f>(rule: &Rule, files: impl Iterator<Item = (u8, &'f str)>, least: u16) -> bool {
    let mut taken: BTreeMap<[String; 4], String> = BTreeMap::new();
    let (mut keys, mut numbers) = (BTreeSet::new(), BTreeSet::new());
    for (at, below) in files {
        let claim = &rule.claims[usize::from(at)];
        if !claim.is_path() {
            continue;
        }
        let found = path_found(claim, below);
        let namer = Namer::new(claim, 0, "", below, false);
        let Some(name) = namer.name(&found) else { continue };
        let unit = name.unit.map_or_else(|| below.to_owned(), std::borrow::Cow::into_owned);
        let (key, part) = (name.key.into_owned(), |part: Option<_>| part.map(String::from).unwrap_or_default());
        let place = [claim.space.clone(), part(name.group), part(name.variant), key.clone()];
        if taken.insert(place, unit.clone()).is_some_and(|known| known != unit) {
            return false;
        }
        keys.insert(key);
        numbers.insert(name.raw.into_owned());
    }
    keys.len() >= usize::from(least) && is_one_shape(&numbers)
}

/// Whether numbers are padded to one width, beyond which they only grow: `1` to `12`, or `001` to `1024`. What is no number has no width.
fn is_one_shape(names: &BTreeSet<String>) -> bool {
    let is_number = |name: &&String| name.bytes().all(|b| b.is_ascii_digit());
    let numbers = || names.iter().filter(is_number);
    let width = numbers().map(String::len).min().unwrap_or_default();
    numbers().all(|number| number.len() == width || !number.starts_with('0'))
}

#[cfg(test)]
mod tests {
    use super::is_one_shape;

    #[test]
    fn numbers_are_padded_to_one_width_or_not_at_all() {
        let is_one = |all: &[&str]| is_one_shape(&all.iter().map(|name| (*name).to_owned()).collect());
        assert!(is_one(&["1", "2", "10", "100"]));
        assert!(is_one(&["001", "099", "100", "1024"]));
        assert!(is_one(&["a", "bcd"]));
        assert!(!is_one(&["1", "02"]));
        assert!(!is_one(&["001", "0002"]));
    }
}
