//! Ruby's `File.fnmatch?` with `FNM_DOTMATCH | FNM_PATHNAME`, which is what GitLab matches with.
//!
//! Source: `dir.c` of Ruby 3; the tests hold what Ruby 3.1 itself said.

use crate::rule::owners::first_character;

/// Whether a pattern matches the whole of a path. Time grows with the product of their lengths at most.
///
/// `*` and `?` stay in one component, `**/` is any number of folders, `[…]` a class, `\` escapes; braces are plain.
pub(super) fn fnmatch(pattern: &[u8], path: &[u8]) -> bool {
    let (mut at, mut from) = (0, 0);
    // behind the last `**/`: its place, and where the component begins that it was tried at last
    let mut again: Option<(usize, usize)> = None;
    loop {
        if pattern[at..].starts_with(b"**/") {
            while pattern[at..].starts_with(b"**/") {
                at += 3;
            }
            again = Some((at, from));
        }
        if let Some(end) = component(&pattern[at..], &path[from..]) {
            let next = from + to_slash(&path[from..]);
            let end = at + end;
            match (end < pattern.len(), next < path.len()) {
                (true, true) => {
                    (at, from) = (end + 1, next + 1);
                    continue;
                }
                (false, false) => return true,
                _ => {}
            }
        }
        let Some((after, tried)) = &mut again else { return false };
        let next = *tried + to_slash(&path[*tried..]);
        if next == path.len() {
            return false;
        }
        *tried = next + 1;
        (at, from) = (*after, *tried);
    }
}

fn to_slash(text: &[u8]) -> usize {
    memchr::memchr(b'/', text).unwrap_or(text.len())
}

fn ends(text: &[u8]) -> bool {
    matches!(text, [] | [b'/', ..])
}

/// The text without the backslash that escapes its first character, or nothing at the end.
fn unescaped(pattern: &[u8]) -> (usize, &[u8]) {
    match pattern {
        [b'\\', rest @ ..] => (1, rest),
        _ => (0, pattern),
    }
}

/// Matches the first components of both; gives where that of the pattern ends.
fn component(pattern: &[u8], text: &[u8]) -> Option<usize> {
    let (mut at, mut from) = (0, 0);
    let mut again: Option<(usize, usize)> = None;
    loop {
        let here = &text[from..];
        let step = match pattern.get(at) {
            Some(b'*') => {
                at += pattern[at..].iter().take_while(|byte| **byte == b'*').count();
                let (skipped, rest) = unescaped(&pattern[at..]);
                if ends(rest) {
                    return Some(at + skipped);
                }
                if ends(here) {
                    return None;
                }
                again = Some((at, from));
                continue;
            }
            Some(b'?') if ends(here) => return None,
            Some(b'?') => Some((1, first_character(here))),
            Some(b'[') if ends(here) => return None,
            Some(b'[') => class(&pattern[at + 1..], here).map(|length| (1 + length, first_character(here))),
            _ => {
                let (skipped, rest) = unescaped(&pattern[at..]);
                if ends(here) {
                    return ends(rest).then_some(at + skipped);
                }
                let length = first_character(rest);
                let same = !ends(rest) && here.starts_with(&rest[..length]);
                same.then_some((skipped + length, length))
            }
        };
        match (step, &mut again) {
            (Some((pieces, bytes)), _) => (at, from) = (at + pieces, from + bytes),
            (None, Some((after, tried))) => {
                *tried += first_character(&text[*tried..]);
                (at, from) = (*after, *tried);
            }
            (None, None) => return None,
        }
    }
}

/// Whether the next character is in a class; gives how long the class is behind its `[`.
fn class(pattern: &[u8], text: &[u8]) -> Option<usize> {
    let wanted = &text[..first_character(text)];
    let negated = matches!(pattern.first(), Some(b'!' | b'^'));
    let mut at = usize::from(negated);
    let mut is_in = false;
    loop {
        if pattern.get(at)? == &b']' {
            break;
        }
        let (low, after) = member(pattern, at)?;
        at = after;
        let mut high = low;
        if pattern.get(at)? == &b'-' && pattern.get(at + 1).is_some_and(|byte| *byte != b']') {
            (high, at) = member(pattern, at + 1)?;
        }
        is_in |= wanted == low || wanted == high || (low..=high).contains(&wanted);
    }
    (is_in != negated).then_some(at + 1)
}

/// One character of a class, and where the next one begins.
fn member(pattern: &[u8], at: usize) -> Option<(&[u8], usize)> {
    let at = if pattern.get(at)? == &b'\\' { at + 1 } else { at };
    let length = first_character(pattern.get(at..)?);
    (length > 0).then(|| (&pattern[at..at + length], at + length))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn as_ruby_says() {
        let cases = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/fnmatch-ruby.json"));
        let cases: Vec<(String, Vec<String>, Vec<String>)> = serde_json::from_str(cases).expect("cases");
        assert!(cases.len() > 50);
        for (pattern, matching, other) in cases {
            for path in matching {
                assert!(fnmatch(pattern.as_bytes(), path.as_bytes()), "`{pattern}` matches {path}");
            }
            for path in other {
                assert!(!fnmatch(pattern.as_bytes(), path.as_bytes()), "`{pattern}` does not match {path}");
            }
        }
    }

    #[test]
    fn nothing_takes_exponential_time() {
        let deep = "/a".repeat(2000) + "/b";
        assert!(!fnmatch(("/**/a".repeat(800) + "/c").as_bytes(), deep.as_bytes()));
        assert!(!fnmatch(
            ("/".to_owned() + &"*a".repeat(2000) + "c").as_bytes(),
            ("/".to_owned() + &"a".repeat(4000)).as_bytes()
        ));
        assert!(!fnmatch(
            ("/".to_owned() + &"[!b]*".repeat(800) + "c").as_bytes(),
            ("/".to_owned() + &"a".repeat(4000)).as_bytes()
        ));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn nothing_panics(pattern in proptest::collection::vec(any::<u8>(), 0..40), path in proptest::collection::vec(any::<u8>(), 0..20)) {
            let _ = fnmatch(&pattern, &path);
        }

        #[test]
        fn no_pattern_panics(pattern in "([-*?/!^\\\\aé]|\\[|\\]|\\*\\*/){0,20}", path in "[-aé/\\\\]{0,12}") {
            let _ = fnmatch(pattern.as_bytes(), path.as_bytes());
        }
    }
}
