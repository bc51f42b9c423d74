//! When two names are one: the canonical text of a name under each comparison that a tool uses.

mod database;
mod url;

pub(crate) use url::Site as UrlSite;

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Deserialize;

/// How the judged tool compares two names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Compare {
    /// Byte for byte: `1` is not `01`.
    #[default]
    Text,
    /// Decimal digits of any length, an optional sign before them: `1` is `01` and `+1`.
    Number,
    /// A number that fits 64 bits without sign; no other text is a name.
    U64,
    /// A number that fits 64 bits with sign; no other text is a name.
    I64,
    /// Numbers parted by dots or underscores, as Flyway reads them: `1` is `01`, `1.0` and `1_0`; `1.1` is not `1.10`.
    Version,
    /// A decimal fraction: `1.50` is `1.5`, `01` is `1`.
    Decimal,
    /// Text without its dashes, as diesel reads a version.
    Dashless,
    /// The class name that Rails makes of a file name: `add__x` is `add_x`.
    Camel,
    /// Text in Unicode lower case.
    CaseInsensitive,
    /// An absolute URL under the safe equivalences of RFC 3986.
    Url,
    /// The database that a connection URL leads to: server and name, without user and password. No other text is a name.
    DatabaseUrl,
}

impl Compare {
    /// The canonical text of `key`: two keys are one name exactly if these are equal. None if the tool would not take `key` for a name.
    ///
    /// Applied to its own result it changes nothing.
    pub fn normalize<'a>(self, key: &'a str) -> Option<Cow<'a, str>> {
        match self {
            Self::Text => Some(Cow::Borrowed(key)),
            Self::Number => integer(key),
            Self::U64 => integer(key).filter(|n| n.parse::<u64>().is_ok()),
            Self::I64 => integer(key).filter(|n| n.parse::<i64>().is_ok()),
            Self::Version => version(key),
            Self::Decimal => decimal(key),
            Self::Dashless => Some(dashless(key)),
            Self::Camel => Some(camelize(key)),
            Self::CaseInsensitive => Some(lower(key)),
            Self::Url => url::normalize(key),
            Self::DatabaseUrl => database::normalize(key),
        }
    }
}

/// Digits without leading zeros; `0` for nothing but zeros. None for anything but ASCII digits.
fn digits(text: &str) -> Option<&str> {
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let bare = text.trim_start_matches('0');
    Some(if bare.is_empty() { &text[text.len() - 1..] } else { bare })
}

/// Whether a text has a minus sign, and the text behind its sign.
fn sign(text: &str) -> (bool, &str) {
    match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    }
}

fn integer(key: &str) -> Option<Cow<'_, str>> {
    let (negative, rest) = sign(key);
    let bare = digits(rest)?;
    Some(match negative && bare != "0" {
        false => Cow::Borrowed(bare),
        true if bare.len() == rest.len() => Cow::Borrowed(key),
        true => Cow::Owned(format!("-{bare}")),
    })
}

fn version(key: &str) -> Option<Cow<'_, str>> {
    let mut parts = key.split(['.', '_']).map(digits).collect::<Option<Vec<_>>>()?;
    while parts.len() > 1 && parts.last() == Some(&"0") {
        parts.pop();
    }
    let text = parts.join(".");
    Some(if text == key { Cow::Borrowed(key) } else { Cow::Owned(text) })
}

fn decimal(key: &str) -> Option<Cow<'_, str>> {
    let (negative, rest) = sign(key);
    let (whole, fraction) = rest.split_once('.').unwrap_or((rest, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let whole = if whole.is_empty() { "0" } else { digits(whole)? };
    if !fraction.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let fraction = fraction.trim_end_matches('0');
    let minus = if negative && !(whole == "0" && fraction.is_empty()) { "-" } else { "" };
    let point = if fraction.is_empty() { "" } else { "." };
    let text = format!("{minus}{whole}{point}{fraction}");
    Some(if text == key { Cow::Borrowed(key) } else { Cow::Owned(text) })
}

fn dashless(key: &str) -> Cow<'_, str> {
    if key.contains('-') { Cow::Owned(key.replace('-', "")) } else { Cow::Borrowed(key) }
}

/// ActiveSupport's `camelize`, without inflections: the first word keeps what follows its lower-case start, later words are capitalised whole.
fn camelize(key: &str) -> Cow<'_, str> {
    let mut words = key.split('_');
    let first = words.next().unwrap_or_default();
    if !key.contains('_') && !first.starts_with(|c: char| c.is_ascii_lowercase()) {
        return Cow::Borrowed(key);
    }
    let mut name = String::with_capacity(key.len());
    push_with_capital(&mut name, first);
    for word in words {
        let end = word.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(word.len());
        push_with_capital(&mut name, &word[..end].to_ascii_lowercase());
        name.push_str(&word[end..]);
    }
    Cow::Owned(name)
}

fn push_with_capital(name: &mut String, word: &str) {
    let mut letters = word.chars();
    if let Some(first) = letters.next() {
        name.push(first.to_ascii_uppercase());
        name.push_str(letters.as_str());
    }
}

fn lower(key: &str) -> Cow<'_, str> {
    if key.bytes().all(|b| b.is_ascii() && !b.is_ascii_uppercase()) {
        return Cow::Borrowed(key);
    }
    Cow::Owned(key.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn same(compare: Compare, keys: &[&str]) {
        for key in keys {
            assert_eq!(compare.normalize(key), compare.normalize(keys[0]), "{compare:?} {key}");
            assert!(compare.normalize(key).is_some(), "{compare:?} {key}");
        }
    }

    fn text(compare: Compare, key: &str) -> Option<String> {
        compare.normalize(key).map(Cow::into_owned)
    }

    #[test]
    fn numbers_have_any_length() {
        same(Compare::Number, &["1", "01", "+1", "0000000000000000000000000001"]);
        same(Compare::Number, &["0", "00", "-0", "+0"]);
        let long = "1".repeat(300);
        assert_eq!(text(Compare::Number, &format!("00{long}")), Some(long));
        for none in ["", "+", "-", "1a", " 1", "٣", "+-1"] {
            assert_eq!(text(Compare::Number, none), None, "{none}");
        }
    }

    #[test]
    fn fixed_widths_refuse_what_does_not_fit() {
        assert_eq!(text(Compare::U64, "018446744073709551615").as_deref(), Some("18446744073709551615"));
        assert_eq!(text(Compare::U64, "18446744073709551616"), None);
        assert_eq!(text(Compare::U64, "-1"), None);
        assert_eq!(text(Compare::I64, "+01").as_deref(), Some("1"));
        assert_eq!(text(Compare::I64, "-01").as_deref(), Some("-1"));
        assert_eq!(text(Compare::I64, "9223372036854775808"), None);
        assert_eq!(text(Compare::I64, "-9223372036854775808").as_deref(), Some("-9223372036854775808"));
    }

    #[test]
    fn versions_as_flyway_reads_them() {
        same(Compare::Version, &["1", "01", "1.0", "1_0", "1.0.0", "1.00"]);
        same(Compare::Version, &["2024.01.02", "2024.1.2", "2024_1_2", "2024_1.2.0"]);
        same(Compare::Version, &["0", "0.0", "00"]);
        assert_ne!(text(Compare::Version, "1.1"), text(Compare::Version, "1.10"));
        for none in ["", ".", "1.", ".1", "1..2", "1.a", "-1"] {
            assert_eq!(text(Compare::Version, none), None, "{none}");
        }
    }

    #[test]
    fn decimals_compare_by_value() {
        same(Compare::Decimal, &["1.5", "1.50", "01.5", "+1.5"]);
        same(Compare::Decimal, &["1", "01", "1.", "1.00"]);
        same(Compare::Decimal, &["0", "0.0", ".0", "-0"]);
        assert_ne!(text(Compare::Decimal, "1.5"), text(Compare::Decimal, "15"));
        for none in ["", ".", "1.2.3", "1e3", "a"] {
            assert_eq!(text(Compare::Decimal, none), None, "{none}");
        }
    }

    #[test]
    fn texts_with_a_twist() {
        same(Compare::Dashless, &["2024-01-01-000000", "20240101000000"]);
        assert_ne!(text(Compare::Dashless, "1"), text(Compare::Dashless, "01"));
        same(Compare::Camel, &["add_x", "add__x", "AddX", "add_X"]);
        assert_eq!(text(Compare::Camel, "add_status_to_users").as_deref(), Some("AddStatusToUsers"));
        assert_eq!(text(Compare::Camel, "add_2fa").as_deref(), Some("Add2fa"));
        same(Compare::CaseInsensitive, &["Straße", "STRAßE", "straße"]);
        assert_ne!(text(Compare::Text, "1"), text(Compare::Text, "01"));
    }

    #[test]
    fn rule_files_spell_them_in_kebab_case() {
        for (word, compare) in [
            ("u64", Compare::U64),
            ("i64", Compare::I64),
            ("case-insensitive", Compare::CaseInsensitive),
            ("database-url", Compare::DatabaseUrl),
        ] {
            let read: Compare = serde_json::from_value(word.into()).expect("a word of the contract");
            assert_eq!(read, compare);
        }
    }

    proptest! {
        #[test]
        fn idempotent(key in "[-+_./A-Za-zé0-9 ]{0,12}|[-+]?[0-9_.]{1,12}|\\PC{0,12}") {
            for compare in [
                Compare::Text, Compare::Number, Compare::U64, Compare::I64, Compare::Version, Compare::Decimal,
                Compare::Dashless, Compare::Camel, Compare::CaseInsensitive, Compare::Url, Compare::DatabaseUrl,
            ] {
                if let Some(once) = compare.normalize(&key) {
                    let again = compare.normalize(&once).map(Cow::into_owned);
                    prop_assert_eq!(again.as_deref(), Some(once.as_ref()), "{:?}", compare);
                }
            }
        }
    }
}
