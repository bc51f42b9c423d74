//! What a plain scalar is, under YAML 1.2's core schema.

use saphyr_parser::{ScalarStyle, Tag};

use super::super::document::Kind;

pub(super) fn kind(value: &str, style: ScalarStyle, tag: Option<&Tag>) -> Kind {
    let text = || Kind::String(value.to_owned());
    match tag {
        Some(tag) if tag.is_yaml_core_schema() && tag.suffix == "str" => return text(),
        // What a program makes of its own tag is not known; the text is what stands there.
        Some(tag) if !tag.is_yaml_core_schema() => return text(),
        _ => {}
    }
    if style != ScalarStyle::Plain {
        return text();
    }
    match value {
        "" | "~" | "null" | "Null" | "NULL" => Kind::Null,
        "true" | "True" | "TRUE" => Kind::Bool(true),
        "false" | "False" | "FALSE" => Kind::Bool(false),
        _ if is_number(value) => Kind::Number(value.to_owned()),
        _ => text(),
    }
}

fn is_number(value: &str) -> bool {
    let unsigned = value.strip_prefix(['-', '+']).unwrap_or(value);
    let all = |text: &str, digit: fn(&char) -> bool| !text.is_empty() && text.chars().all(|c| digit(&c));
    if let Some(digits) = unsigned.strip_prefix("0x") {
        return all(digits, char::is_ascii_hexdigit);
    }
    if let Some(digits) = unsigned.strip_prefix("0o") {
        return all(digits, |c| ('0'..='7').contains(c));
    }
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(value, ".nan" | ".NaN" | ".NAN") {
        return true;
    }
    let (number, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((number, exponent)) => (number, Some(exponent.strip_prefix(['-', '+']).unwrap_or(exponent))),
        None => (unsigned, None),
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    digits(whole)
        && digits(fraction)
        && !(whole.is_empty() && fraction.is_empty())
        && exponent.is_none_or(|exponent| all(exponent, char::is_ascii_digit))
}
