//! Numbers in sentences.

use std::fmt::Display;

/// A whole number, of any type, with commas between thousands.
pub(crate) fn number(value: impl Display) -> String {
    let digits = value.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A number with its noun: `1 file`, `3,412 files`. The plural takes an `s`.
pub(crate) fn number_of(value: impl Display, noun: &str) -> String {
    let number = number(value);
    let plural = if number == "1" { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_set_apart() {
        let shown: Vec<String> = [0u64, 7, 999, 1000, 3412, 1_234_567].into_iter().map(number).collect();
        assert_eq!(shown, ["0", "7", "999", "1,000", "3,412", "1,234,567"]);
        assert_eq!(
            (number_of(1, "file"), number_of(2000usize, "file")),
            ("1 file".to_owned(), "2,000 files".to_owned())
        );
    }
}
