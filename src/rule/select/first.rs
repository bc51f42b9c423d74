//! With which bytes names can begin that a pattern matches: most names are done with after one look.

use super::pattern::{File, Piece, Wild};

/// A set of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct FirstBytes([u64; 4]);

impl FirstBytes {
    const ANY: Self = Self([u64::MAX; 4]);

    /// The bytes with which names begin that a pattern can match.
    pub(super) fn of(file: &File) -> Self {
        match file {
            File::Any | File::Glob { wild: None, .. } => Self::ANY,
            File::Name(name) => name.bytes().next().map_or(Self::ANY, |first| Self::default().with(first, first)),
            File::Glob { wild: Some(Wild { pieces, .. }), .. } => match pieces.first() {
                Some(Piece::Char(c)) => Self::default().with_chars(*c, *c),
                Some(Piece::Class { negated: false, ranges }) => {
                    ranges.iter().fold(Self::default(), |set, (first, last)| set.with_chars(*first, *last))
                }
                Some(Piece::Class { negated: true, .. } | Piece::One | Piece::Many) | None => Self::ANY,
            },
        }
    }

    /// Whether a name begins with one of the bytes.
    pub(super) fn allow(&self, name: &[u8]) -> bool {
        name.first().is_none_or(|first| self.0[usize::from(first / 64)] >> (first % 64) & 1 == 1)
    }

    /// The bytes of both.
    pub(super) fn or(self, other: Self) -> Self {
        Self(std::array::from_fn(|at| self.0[at] | other.0[at]))
    }

    fn with(self, first: u8, last: u8) -> Self {
        let Self(mut words) = self;
        (first..=last).for_each(|byte| words[usize::from(byte / 64)] |= 1 << (byte % 64));
        Self(words)
    }

    /// The first bytes of all characters from one to another.
    fn with_chars(self, first: char, last: char) -> Self {
        let byte = |c: char| c.encode_utf8(&mut [0; 4]).as_bytes()[0];
        self.with(byte(first), byte(last)) // UTF-8 keeps the order of characters
    }
}

#[cfg(test)]
mod tests {
    use super::super::pattern::Pattern;
    use super::*;

    proptest::proptest! {
        #[test]
        fn no_name_that_matches_is_refused(glob in "[\\[\\]!a-c0-2*?\u{e9}\u{4e2d}.-]{1,6}", name in "[a-c0-2\u{e9}\u{4e2d}.-]{1,4}") {
            for pattern in Pattern::parse(&glob).unwrap_or_default() {
                let first = FirstBytes::of(&pattern.file);
                proptest::prop_assert!(first.allow(name.as_bytes()) || !pattern.file.matches(name.as_bytes()), "{} {}", glob, name);
            }
        }
    }

    #[test]
    fn a_digit_is_asked_for() {
        let pattern = Pattern::parse("[0-9]*_*.ts").expect("a good glob").remove(0);
        let first = FirstBytes::of(&pattern.file);
        assert!(first.allow(b"1_a.ts") && !first.allow(b"page.ts"));
    }
}
