//! What comes after what: the order in which a tool applies names.

use std::cmp::Ordering;

use schemars::JsonSchema;
use serde::Deserialize;

/// How the judged tool orders two names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// By bytes.
    Text,
    /// By value, whatever the number of digits.
    Number,
    /// Part by part, each by value; a missing part counts as zero.
    Version,
    /// By value, with a fraction.
    Decimal,
}

impl Order {
    /// Which of two normalised keys comes first. Total: what is no number sorts behind all numbers, by bytes.
    pub fn compare(self, a: &str, b: &str) -> Ordering {
        match self {
            Self::Text => a.cmp(b),
            Self::Number | Self::Decimal => by_parsed(Signed::parse(a), Signed::parse(b), a, b),
            Self::Version => by_parsed(Version::parse(a), Version::parse(b), a, b),
        }
    }
}

fn by_parsed<T: Ord>(x: Option<T>, y: Option<T>, a: &str, b: &str) -> Ordering {
    match (x, y) {
        (Some(x), Some(y)) => x.cmp(&y),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => a.cmp(b),
    }
}

/// Digits without leading zeros, ordered by value: the longer is the larger.
#[derive(PartialEq, Eq)]
struct Natural<'a>(&'a str);

impl<'a> Natural<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        text.bytes().all(|b| b.is_ascii_digit()).then(|| Self(text.trim_start_matches('0')))
    }
}

impl Ord for Natural<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.len().cmp(&other.0.len()).then_with(|| self.0.cmp(other.0))
    }
}

impl PartialOrd for Natural<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[derive(PartialEq, Eq)]
struct Signed<'a> {
    negative: bool,
    whole: Natural<'a>,
    fraction: &'a str,
}

impl<'a> Signed<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        let (negative, rest) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (whole, fraction) = rest.split_once('.').unwrap_or((rest, ""));
        if rest.len() < 2 && whole.is_empty() || !fraction.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        let (whole, fraction) = (Natural::parse(whole)?, fraction.trim_end_matches('0'));
        let zero = whole.0.is_empty() && fraction.is_empty();
        Some(Self { negative: negative && !zero, whole, fraction })
    }
}

impl Ord for Signed<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        let magnitude = || self.whole.cmp(&other.whole).then_with(|| self.fraction.cmp(other.fraction));
        match (self.negative, other.negative) {
            (false, false) => magnitude(),
            (true, true) => magnitude().reverse(),
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
        }
    }
}

impl PartialOrd for Signed<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Parts without trailing zeros; a shorter one with the same start is the smaller, as the derived order has it.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Version<'a>(Vec<Natural<'a>>);

impl<'a> Version<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        let part = |part: &'a str| if part.is_empty() { None } else { Natural::parse(part) };
        let mut parts = text.split('.').map(part).collect::<Option<Vec<_>>>()?;
        while parts.last().is_some_and(|last| last.0.is_empty()) {
            parts.pop();
        }
        Some(Self(parts))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ascending(order: Order, keys: &[&str]) {
        for (i, a) in keys.iter().enumerate() {
            for (j, b) in keys.iter().enumerate() {
                assert_eq!(order.compare(a, b), i.cmp(&j), "{order:?} {a} {b}");
            }
        }
    }

    #[test]
    fn each_tools_order() {
        ascending(Order::Text, &["01", "1", "10", "2"]);
        let long = "9".repeat(200);
        ascending(Order::Number, &["-10", "-9", "0", "2", "10", "20240101000000", &long, "", "x"]);
        ascending(Order::Version, &["0", "1", "1.1", "1.2", "1.10", "2", "2024.1.2", "1..2", "x"]);
        ascending(Order::Decimal, &["-1.5", "0.5", "1", "1.05", "1.5", "2", "10", "1.2.3"]);
        assert_eq!(Order::Version.compare("1", "1.0"), Ordering::Equal);
    }

    proptest! {
        #[test]
        fn total(a in "-?[0-9.]{0,5}", b in "-?[0-9.]{0,5}", c in "-?[0-9.]{0,5}") {
            for order in [Order::Text, Order::Number, Order::Version, Order::Decimal] {
                prop_assert_eq!(order.compare(&a, &b), order.compare(&b, &a).reverse());
                if order.compare(&a, &b).is_le() && order.compare(&b, &c).is_le() {
                    prop_assert!(order.compare(&a, &c).is_le());
                }
            }
        }
    }
}
