//! Which of two files comes first whose keys are equal, where the tool orders whole names.

use schemars::JsonSchema;
use serde::Deserialize;

/// How the judged tool orders the names of two files with equal keys. Both are JavaScript's `localeCompare`, whose order depends on the
/// machine's language; so of two names only that comes first which does by its bytes too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Tie {
    /// Names without their endings, character by character: punctuation, digits, letters.
    Locale,
    /// Whole file names; numbers count by their value, and punctuation for nothing.
    Natural,
}

/// All of ASCII that can be seen, in the order of ICU's root collation, upper-case letters apart (Node.js 20).
const ORDER: &[u8] = b" _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789abcdefghijklmnopqrstuvwxyz";

/// What ICU passes over as punctuation; the rest of [`ORDER`] before the digits are symbols.
const PUNCTUATION: &[u8] = b" !\"#%&'()*,-./:;?@[\\]_{}";

impl Tie {
    /// Whether one file name comes before another beyond doubt. Both are plain names, without folders.
    pub(crate) fn is_before(self, one: &[u8], other: &[u8]) -> bool {
        let (one, other) = match self {
            Self::Locale => (without_ending(one), without_ending(other)),
            Self::Natural => (one, other),
        };
        let (Some(a), Some(b)) = (self.weights(one), self.weights(other)) else { return false };
        one < other && a < b
    }

    /// What counts of a name, one weight a character or number; none where it holds what only a language can order.
    fn weights(self, name: &[u8]) -> Option<Vec<Weight<'_>>> {
        let mut weights = Vec::with_capacity(name.len());
        let mut rest = name;
        while let Some(first) = rest.first() {
            let rank = ORDER.iter().position(|known| *known == first.to_ascii_lowercase())?;
            let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
            match self {
                Self::Natural if digits > 0 => {
                    let zeros = rest[..digits].iter().take_while(|byte| **byte == b'0').count();
                    let digits = &rest[zeros..digits];
                    weights.push(Weight { rank: ZERO, length: digits.len(), digits });
                }
                Self::Natural if PUNCTUATION.contains(first) => {}
                _ => weights.push(Weight { rank, length: 0, digits: &[] }),
            }
            rest = &rest[if self == Self::Natural { digits.max(1) } else { 1 }..];
        }
        Some(weights)
    }
}

/// The place of the digits in [`ORDER`].
const ZERO: usize = 33;

/// A character, or a number: the longer one is the larger.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Weight<'n> {
    rank: usize,
    length: usize,
    digits: &'n [u8],
}

fn without_ending(name: &[u8]) -> &[u8] {
    name.iter().rposition(|byte| *byte == b'.').map_or(name, |dot| &name[..dot])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn before(tie: Tie, one: &str, other: &str) -> bool {
        assert!(!tie.is_before(other.as_bytes(), one.as_bytes()), "{other} comes first");
        tie.is_before(one.as_bytes(), other.as_bytes())
    }

    #[test]
    fn the_table_holds_all_of_ascii_once() {
        let mut all: Vec<u8> = ORDER.to_vec();
        all.sort_unstable();
        let seen: Vec<u8> = (b' '..=b'~').filter(|byte| !byte.is_ascii_uppercase()).collect();
        assert_eq!((all, ORDER[ZERO]), (seen, b'0'));
    }

    #[test]
    fn by_locale_what_both_orders_agree_on() {
        for (one, other) in
            [("1_teams.ts", "1_users.ts"), ("1-a.ts", "1-b.js"), ("1_a.ts", "1_a_b.ts"), ("1.ts", "1_a.ts")]
        {
            assert!(before(Tie::Locale, one, other), "{one} {other}");
        }
        // `_` stands before digits and before `-`, upper-case letters beside lower-case ones; by bytes none of that holds
        for (one, other) in [
            ("1_a1.ts", "1_a_.ts"),
            ("1_a.ts", "1-a.ts"),
            ("1_B.ts", "1_a.ts"),
            ("1_a.ts", "1_a.js"),
            ("1_ä.ts", "1_b.ts"),
        ] {
            assert!(!before(Tie::Locale, one, other), "{one} {other}");
        }
        assert!(before(Tie::Locale, "1_Add.ts", "1_Bdd.ts"));
    }

    #[test]
    fn naturally_numbers_count_by_value_and_punctuation_for_nothing() {
        for (one, other) in [("1_teams.js", "1_users.js"), ("1_users_and.js", "1_users_or.js"), ("1_a2.js", "1_a3.js")]
        {
            assert!(before(Tie::Natural, one, other), "{one} {other}");
        }
        // the ending counts: `usersjs` comes after `usersandjs`
        for (one, other) in [
            ("1_users.js", "1_users_and.js"),
            ("1_a10.js", "1_a2.js"),
            ("1_a_b.js", "1_aa.js"),
            ("1_a-b.js", "1_a_b.js"),
        ] {
            assert!(!before(Tie::Natural, one, other), "{one} {other}");
        }
    }
}
