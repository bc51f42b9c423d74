//! Lists and counts in a sentence.

/// How many names a message holds.
const NAMED: usize = 4;

/// `a`, `b` and `c`; of a long list the first ones and how many more.
pub(crate) fn listed<'n>(names: impl ExactSizeIterator<Item = &'n str>) -> String {
    let count = names.len();
    let shown = if count > NAMED { NAMED - 1 } else { count };
    let mut text = String::new();
    for (at, name) in names.take(shown).enumerate() {
        let before = match at {
            0 => "",
            _ if at + 1 == count => " and ",
            _ => ", ",
        };
        text.push_str(&format!("{before}`{name}`"));
    }
    if shown < count {
        text.push_str(&format!(" and {} more", count - shown));
    }
    text
}

/// A count in words, as far as there are short ones.
pub(crate) fn counted(count: usize) -> String {
    match ["no", "one", "two", "three", "four", "five", "six"].get(count) {
        Some(word) => (*word).to_owned(),
        None => count.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_are_cut() {
        let of = |names: &[&str]| listed(names.iter().copied());
        assert_eq!(of(&["a"]), "`a`");
        assert_eq!(of(&["a", "b"]), "`a` and `b`");
        assert_eq!(of(&["a", "b", "c", "d"]), "`a`, `b`, `c` and `d`");
        assert_eq!(of(&["a", "b", "c", "d", "e"]), "`a`, `b`, `c` and 2 more");
    }
}
