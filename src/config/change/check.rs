//! What a type can't say of these tables: words that need each other, and tables in which nothing is asked.

use std::{collections::BTreeSet, ops::Range};

use globset::GlobBuilder;

use super::Budget;
use crate::config::{Config, nearest};

/// A mistake: where, what, and the word that was most likely meant.
type Mistake<'c> = (Range<usize>, String, Option<&'c str>);

/// The mistakes in the tables that judge changes, in no order. `rules` are the ids of all rules.
pub(in crate::config) fn mistakes<'c>(config: &'c Config, rules: &'c BTreeSet<String>) -> Vec<Mistake<'c>> {
    let mut all = Vec::new();
    for (name, agent) in &config.agents {
        let signals = [&agent.branches, &agent.logins, &agent.authors, &agent.trailers];
        if let Some(blank) = signals.into_iter().flatten().find(|word| word.trim().is_empty()) {
            all.push((name.span(), format!("a word of the lane `{name}` is blank: `{blank}`"), None));
        }
        for glob in &agent.branches {
            if let Err(error) = GlobBuilder::new(glob).literal_separator(false).backslash_escape(true).build() {
                let why = format!("a branch of the lane `{name}` does not compile: {}", error.kind());
                all.push((name.span(), why, None));
            }
        }
        for (rule, band) in &agent.bands {
            if !rules.contains(rule.get_ref()) {
                let near = nearest(rule.get_ref(), rules.iter().map(String::as_str));
                all.push((rule.span(), format!("no rule has the id `{rule}`"), near));
            }
            if !is_band(band.get_ref()) {
                let why = "a band is `first..last`, both of one length, of digits and `?`".to_owned();
                all.push((band.span(), why, None));
            }
        }
    }
    for one in &config.protected {
        let table = one.get_ref();
        if !(table.append_only || table.not_empty || table.not_deleted) {
            let why = "nothing is asked: say `append-only`, `not-empty` or `not-deleted`".to_owned();
            all.push((one.span(), why, None));
        }
    }
    for one in &config.approval {
        let needs = &one.get_ref().needs;
        if needs.get_ref().label.is_none() && needs.get_ref().review_from.is_empty() {
            let why = "nobody's word is asked for: say `label` or `review-from`".to_owned();
            all.push((needs.span(), why, None));
        }
    }
    for one in config.companion.iter().filter(|one| one.get_ref().need.is_empty() == one.get_ref().one_of.is_empty()) {
        all.push((one.span(), "a companion needs one of `need` and `one-of`".to_owned(), None));
    }
    for one in config.document.iter().filter(|one| one.get_ref().schema.is_none() && one.get_ref().facts.is_empty()) {
        all.push((one.span(), "nothing is asked: say `schema` or `facts`".to_owned(), None));
    }
    let lanes = || config.agents.keys().map(|name| name.get_ref().as_str());
    for one in &config.budget {
        if let Some(why) = budget(one.get_ref()) {
            all.push((one.span(), why.to_owned(), None));
        }
        for agent in one.get_ref().agents.iter().filter(|agent| !lanes().any(|lane| lane == agent.get_ref())) {
            all.push((agent.span(), format!("no lane is called `{agent}`"), nearest(agent.get_ref(), lanes())));
        }
    }
    all
}

/// What is wrong with a budget.
fn budget(budget: &Budget) -> Option<&'static str> {
    let of_set = budget.bytes.is_some() || budget.count.is_some() || budget.age.is_some();
    if budget.files.is_none() && budget.lines.is_none() && !of_set {
        return Some("nothing is limited: say `files` or `lines`, or with `paths` `bytes`, `lines`, `count` or `age`");
    }
    (of_set && budget.paths.is_none()).then_some("`bytes`, `count` and `age` are of files: say which with `paths`")
}

/// Whether a text is a band of keys.
fn is_band(text: &str) -> bool {
    let is_end = |end: &str| !end.is_empty() && end.bytes().all(|byte| byte.is_ascii_digit() || byte == b'?');
    let same = |(a, b): (u8, u8)| (a == b'?') == (b == b'?');
    text.split_once("..").is_some_and(|(first, last)| {
        first.len() == last.len() && is_end(first) && is_end(last) && first.bytes().zip(last.bytes()).all(same)
    })
}

#[cfg(test)]
mod tests {
    use super::is_band;

    #[test]
    fn a_band_has_two_ends_of_one_shape() {
        assert!(is_band("??????????0300..??????????0399") && is_band("0100..0199"));
        for bad in ["", "..", "0100", "1..22", "?1..1?", "a..b", "0100..", "1..2..3"] {
            assert!(!is_band(bad), "{bad}");
        }
    }
}
