//! From the source of a title to the title.

/// Longest title that is kept, in bytes.
const MAX_TITLE: usize = 300;

/// The words of a title: a string literal without its quotes and prefix, anything else as it is written. White space is
/// written as one space.
pub(super) fn title(source: &str) -> String {
    let literal = source.trim_start_matches(|c: char| c.is_ascii_alphabetic() || c == '@' || c == '$');
    let inner = match literal.chars().next() {
        Some(quote @ ('"' | '\'' | '`')) => {
            let hashes = literal.trim_start_matches(quote);
            let count = literal.len() - hashes.len();
            let count = if count >= 3 { 3 } else { 1 }; // `""` is an empty title
            literal.get(count..literal.len().saturating_sub(count)).unwrap_or_default()
        }
        _ => source,
    };
    let mut words = inner.split_whitespace().collect::<Vec<_>>().join(" ");
    if words.len() > MAX_TITLE {
        let end = (0..=MAX_TITLE).rev().find(|at| words.is_char_boundary(*at)).unwrap_or(0);
        let hash = xxhash_rust::xxh3::xxh3_64(words.as_bytes());
        words.truncate(end);
        words.push_str(&format!("… ({hash:x})")); // two long titles stay two
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_and_prefixes_go() {
        for (source, expected) in [
            ("test_a", "test_a"),
            ("'adds'", "adds"),
            ("\"it's \\\"so\\\"\"", "it's \\\"so\\\""),
            ("`a ${b}`", "a ${b}"),
            ("r'raw'", "raw"),
            ("\"\"\"two\n  lines\"\"\"", "two lines"),
            ("''", ""),
            ("\"", ""),
            ("@\"verbatim\"", "verbatim"),
            ("`in backticks`", "in backticks"),
            ("Sum", "Sum"),
            ("name + 'x'", "name + 'x'"),
            ("", ""),
        ] {
            assert_eq!(title(source), expected, "{source}");
        }
        let long = format!("'{}é'", "x".repeat(299));
        assert!(title(&long).len() < 330 && title(&long) != title(&long.replace('é', "éy")));
    }
}
