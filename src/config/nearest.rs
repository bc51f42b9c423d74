//! The known word that a person most likely meant.

use strsim::damerau_levenshtein;

/// Words longer than this are not compared, in bytes: nobody meant a known one by them.
const WORD_LIMIT: usize = 100;

/// The candidate that is nearest to a word, if one is near enough to be meant. The first one wins among equals.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if word.len() > WORD_LIMIT {
        return None;
    }
    let plain = plain(word);
    let distances = candidates.into_iter().map(|known| (damerau_levenshtein(&plain, &self::plain(known)), known));
    let (distance, known) = distances.min_by_key(|(distance, _)| *distance)?;
    let shorter = word.chars().count().min(known.chars().count());
    let begins_alike = shorter >= 3 && (known.starts_with(word) || word.starts_with(known));
    (distance <= (shorter / 3).max(1) && distance < shorter || begins_alike).then_some(known)
}

/// Case and the sign between the parts of a word are the usual slips.
fn plain(word: &str) -> String {
    word.to_lowercase().replace('_', "-")
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn slips_are_recognised_and_other_words_are_not() {
        let words = ["base", "fail-on", "rules", "agents", "allow"];
        let found = |word| nearest(word, words);
        assert_eq!(found("agent"), Some("agents"));
        assert_eq!(found("fail_on"), Some("fail-on"));
        assert_eq!(found("Rules"), Some("rules"));
        assert_eq!(found("alow"), Some("allow"));
        assert_eq!(found("allowances"), Some("allow"), "it begins like a known word");
        assert_eq!(found("zzz"), None);
        assert_eq!(found(""), None);
        assert_eq!(nearest("warnign", ["off", "note", "warning", "error"]), Some("warning"));
        assert_eq!(nearest("err", ["off", "note", "warning", "error"]), Some("error"));
        assert_eq!(nearest(&"x".repeat(1_000_000), words), None);
    }
}
