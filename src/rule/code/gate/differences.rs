//! What is different between two versions of a part of the gate, said once for each kind of value.

use std::collections::{BTreeMap, BTreeSet};

use super::effect::{Effect, Verdict};
use crate::config::Globs;

/// Most differences that a message names.
const NAMED: usize = 4;
/// Longest value that a message holds, in characters.
const LONGEST: usize = 120;
/// Most pairs of patterns that are held against each other; of longer lists only equal ones are found.
const PAIRS: usize = 10_000;

/// Differences, and what each does to the gate.
#[derive(Clone, Debug, Default)]
pub(super) struct Differences(BTreeMap<Verdict, Vec<String>>);

impl Differences {
    pub(super) fn say(&mut self, verdict: Verdict, text: impl Into<String>) {
        self.0.entry(verdict).or_default().push(text.into());
    }

    pub(super) fn extend(&mut self, other: Self) {
        for (verdict, texts) in other.0 {
            self.0.entry(verdict).or_default().extend(texts);
        }
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.0.values().map(Vec::len).sum()
    }

    /// What they do together: the gravest speaks for all. None where there is no difference.
    pub(super) fn effect(mut self) -> Option<Effect> {
        let (verdict, texts) = self.0.pop_last()?;
        let more = match texts.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(", and {more} more"),
        };
        Some(Effect {
            verdict,
            why: texts.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join(", ") + &more,
        })
    }

    /// Words in any order, none of which says anything of another one. `more` is what one more of them does.
    pub(super) fn words(&mut self, at: &str, old: &[String], new: &[String], more: Verdict) {
        self.gained(at, &beyond(new, old), more);
        self.lost(at, &beyond(old, new), more.opposite());
    }

    /// Words that restrict something to them: without any of them all is meant.
    pub(super) fn only(&mut self, at: &str, old: &[String], new: &[String], more: Verdict) {
        match (old, new) {
            ([], []) => {}
            ([], [first, ..]) => {
                self.say(more.opposite(), format!("`{at}` names `{}` now, and named nothing", shown(first)))
            }
            ([first, ..], []) => self.say(more, format!("`{at}` names nothing now, and named `{}`", shown(first))),
            _ => self.words(at, old, new, more),
        }
    }

    /// Patterns of paths. One that others take in is no difference.
    pub(super) fn paths(&mut self, at: &str, old: &Globs, new: &Globs, more: Verdict) {
        self.gained(at, &paths_beyond(new, &[old]), more);
        self.lost(at, &paths_beyond(old, &[new]), more.opposite());
    }

    /// Patterns of paths that restrict something to them: without any of them all paths are meant.
    pub(super) fn only_paths(&mut self, at: &str, old: &Globs, new: &Globs, more: Verdict) {
        match old.is_empty() || new.is_empty() {
            true => self.only(at, old.written(), new.written(), more),
            false => self.paths(at, old, new, more),
        }
    }

    pub(super) fn gained(&mut self, at: &str, words: &[&str], verdict: Verdict) {
        words.iter().for_each(|word| self.say(verdict, format!("`{at}` with `{}`", shown(word))));
    }

    pub(super) fn lost(&mut self, at: &str, words: &[&str], verdict: Verdict) {
        words.iter().for_each(|word| self.say(verdict, format!("`{at}` without `{}`", shown(word))));
    }

    /// An upper limit: the lower, the tighter; none is no limit.
    pub(super) fn limit<T: PartialOrd>(
        &mut self,
        at: &str,
        old: Option<T>,
        new: Option<T>,
        written: impl Fn(&T) -> String,
    ) {
        match (old, new) {
            (Some(old), Some(new)) if new < old => self.replaced(Verdict::Tightens, at, &written(&old), &written(&new)),
            (Some(old), Some(new)) if new > old => self.replaced(Verdict::Loosens, at, &written(&old), &written(&new)),
            (None, Some(new)) => self.gained(at, &[&written(&new)], Verdict::Tightens),
            (Some(old), None) => self.lost(at, &[&written(&old)], Verdict::Loosens),
            _ => {}
        }
    }

    /// What asks for something.
    pub(super) fn asks(&mut self, at: &str, old: bool, new: bool) {
        match (old, new) {
            (false, true) => self.gained(at, &["true"], Verdict::Tightens),
            (true, false) => self.lost(at, &["true"], Verdict::Loosens),
            _ => {}
        }
    }

    /// A word that asks for something: which of two words asks for more can't be told.
    pub(super) fn word(&mut self, at: &str, old: Option<&str>, new: Option<&str>) {
        match (old, new) {
            (None, Some(new)) => self.gained(at, &[new], Verdict::Tightens),
            (Some(old), None) => self.lost(at, &[old], Verdict::Loosens),
            (Some(old), Some(new)) if old != new => self.replaced(Verdict::Unclear, at, old, new),
            _ => {}
        }
    }

    pub(super) fn replaced(&mut self, verdict: Verdict, at: &str, old: &str, new: &str) {
        self.say(verdict, format!("`{at}` is `{}` now, and was `{}`", shown(new), shown(old)));
    }
}

/// The words that are not among others.
pub(super) fn beyond<'w>(words: &'w [String], known: &[String]) -> Vec<&'w str> {
    let known: BTreeSet<&str> = known.iter().map(String::as_str).collect();
    words.iter().map(String::as_str).filter(|word| !known.contains(word)).collect()
}

/// The patterns that mean paths which none of the others means, as far as that can be seen from the patterns.
pub(super) fn paths_beyond<'g>(paths: &'g Globs, known: &[&Globs]) -> Vec<&'g str> {
    let equal: BTreeSet<&str> = known.iter().flat_map(|globs| globs.written()).map(String::as_str).collect();
    let mut beyond: Vec<&str> = paths.written().iter().map(String::as_str).filter(|one| !equal.contains(one)).collect();
    if beyond.len().saturating_mul(equal.len()) <= PAIRS {
        beyond.retain(|one| !known.iter().any(|globs| take_in(globs, one)));
    }
    beyond
}

/// Whether patterns take in all that one pattern means.
fn take_in(globs: &Globs, pattern: &str) -> bool {
    let is_path = !pattern.contains(['*', '?', '[', ']', '{', '}', '\\']);
    let holds = |known: &String| {
        let below = |folder| pattern.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
        known == "**" || known.strip_suffix("/**").is_some_and(below)
    };
    globs.written().iter().any(holds) || is_path && globs.matches(pattern.as_bytes())
}

/// A value on one line, cut where it is long.
pub(super) fn shown(value: &str) -> String {
    let mut text: String = value.chars().take(LONGEST).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if value.chars().nth(LONGEST).is_some() {
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn beyond(paths: &[&str], known: &[&str]) -> Vec<String> {
        let of = |patterns| Globs::new(patterns).unwrap_or_else(|why| panic!("{why}"));
        paths_beyond(&of(paths), &[&of(known)]).into_iter().map(str::to_owned).collect()
    }

    #[test]
    fn a_pattern_that_others_take_in_is_no_difference() {
        assert_eq!(beyond(&["lib/a/**", "lib/x.ts", "lib/*.ts"], &["lib/**"]), [""; 0]);
        assert_eq!(beyond(&["a", "**/x", "{a,b}/c"], &["**"]), [""; 0]);
        assert_eq!(beyond(&["docs/a.md"], &["docs/*.md"]), [""; 0], "a path is held against the pattern");
        assert_eq!(beyond(&["lib/**"], &["lib/a/**", "lib/*"]), ["lib/**"]);
        assert_eq!(beyond(&["library/x", "lib"], &["lib/**"]), ["library/x", "lib"]);
        assert_eq!(beyond(&["docs/?"], &["docs/*"]), ["docs/?"], "it may be, and can't be seen from the patterns");
    }

    #[test]
    fn a_long_value_is_cut_and_has_no_line_ends() {
        assert_eq!(shown("a\nb"), "a b");
        assert_eq!(shown(&"x".repeat(1000)).chars().count(), LONGEST + 1);
    }
}
