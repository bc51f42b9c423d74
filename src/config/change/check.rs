//! What a type can't say of these tables: words that need each other, and tables in which nothing is asked.

use std::{collections::BTreeSet, ops::Range};

use super::Budget;
use crate::{
    config::{Config, nearest},
    rule::code::boundary::band::Band,
};

/// A mistake: where, what, and the word that was most likely meant.
type Mistake<'c> = (Range<usize>, String, Option<&'c str>);

/// The mistakes in the tables that judge changes, in no order. `rules` are the ids of all rules.
pub(in crate::config) fn mistakes<'c>(config: &'c Config, rules: &'c BTreeSet<String>) -> Vec<Mistake<'c>> {
    let mut all = Vec::new();
    for agent in config.agents.values() {
        for (rule, band) in &agent.bands {
            if !rules.contains(rule.get_ref()) {
                let near = nearest(rule.get_ref(), rules.iter().map(String::as_str));
                all.push((rule.span(), format!("no rule has the id `{rule}`"), near));
            }
            if Band::parse(band.get_ref()).is_none() {
                let why =
                    "a band is `first..last`: of one length, of digits, with `?` at the same places, and in this order";
                all.push((band.span(), why.to_owned(), None));
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
        if needs.get_ref().label.iter().chain(&needs.get_ref().review_from).any(|word| word.trim().is_empty()) {
            all.push((needs.span(), "nobody can give a word that is blank".to_owned(), None));
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
        if let Some(agent) = one.get_ref().agents.first().filter(|_| one.get_ref().age.is_some()) {
            let why = "`age` is judged in a tree by itself, which is nobody's change: leave `agents` out, or give `age` a table of its own";
            all.push((agent.span(), why.to_owned(), None));
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

#[cfg(test)]
mod tests {
    use crate::config::{ConfigFile, KnownCodes};

    /// What is wrong with a configuration; nothing where it can be used.
    fn said(text: &str) -> String {
        let known = KnownCodes { rules: ["goose".to_owned()].into(), ..KnownCodes::default() };
        let read = ConfigFile::parse("g.toml", text.as_bytes()).and_then(|file| file.check(&known));
        read.map_or_else(|fatal| fatal.plain(), |()| String::new())
    }

    fn refused(text: &str, why: &str) {
        assert!(said(text).starts_with(&format!("error: g.toml:{why}")), "{text}: {}", said(text));
    }

    #[test]
    fn bands_have_two_ends_of_one_shape_in_order() {
        let band = |band: &str| format!("[agents.a]\nbands = {{ goose = '{band}' }}\n");
        assert_eq!(said(&band("??????????0300..??????????0399")), "");
        for bad in ["", "0100", "1..22", "?1..1?", "a..b", "0100..", "1..2..3", "0200..0100"] {
            refused(&band(bad), "2:19: a band is");
        }
        refused("[agents.a]\nbands = { goos = '1..2' }\n", "2:11: no rule has the id `goos`");
    }

    #[test]
    fn signs_of_a_lane_can_be_met() {
        assert_eq!(
            said("[agents.a]\nbranches = ['a/*']\nlogins = ['x[bot]']\nauthors = ['x@*']\ntrailers = ['Agent: a']\n"),
            ""
        );
        for key in ["branches", "logins", "authors", "trailers"] {
            refused(
                &format!("[agents.a]\n{key} = ['x: y', ' ']\n"),
                &format!("2:{}: the text is blank", key.len() + 13),
            );
        }
        refused("[agents.a]\nbranches = ['a', 'b[']\n", "2:18: the branch does not compile");
        refused("[agents.a]\ntrailers = ['Agent a']\n", "2:13: a trailer is `Key: value`");
        refused("[agents.a]\ntrailers = [': a']\n", "2:13: a trailer is `Key: value`");
    }

    #[test]
    fn an_empty_list_of_files_means_nothing() {
        refused("[[protected]]\npaths = []\nnot-empty = true\n", "2:9: the list is empty");
        refused("[[approval]]\ntier = 'x'\npaths = []\nneeds = { label = 'l' }\n", "3:9: the list is empty");
        refused("[[companion]]\nwhen = []\nneed = ['a']\n", "2:8: the list is empty");
        refused("[[document]]\npaths = []\nschema = 's'\n", "2:9: the list is empty");
        refused("[[budget]]\npaths = []\nbytes = 1\n", "2:9: the list is empty");
    }

    #[test]
    fn each_table_asks_for_something() {
        refused("[[protected]]\npaths = ['a']\n", "1:1: nothing is asked");
        refused("[[approval]]\ntier = 'x'\nneeds = {}\n", "3:9: nobody's word is asked for");
        refused("[[approval]]\ntier = 'x'\nneeds = { label = ' ' }\n", "3:9: nobody can give a word that is blank");
        refused("[[companion]]\nwhen = ['a']\n", "1:1: a companion needs one of");
        refused("[[companion]]\nwhen = ['a']\nneed = ['b']\none-of = ['c']\n", "1:1: a companion needs one of");
        refused("[[document]]\npaths = ['a']\n", "1:1: nothing is asked");
    }

    #[test]
    fn budgets_limit_what_can_be_counted() {
        assert_eq!(said("[agents.a]\n[[budget]]\nagents = ['a']\npaths = ['m/**']\nbytes = 1\n"), "");
        assert_eq!(said("[[budget]]\npaths = ['m/**']\nage = '90d'\n"), "");
        refused("[[budget]]\npaths = ['a']\n", "1:1: nothing is limited");
        refused("[[budget]]\nbytes = 1\n", "1:1: `bytes`, `count` and `age` are of files");
        refused("[[budget]]\nagents = ['b']\nfiles = 1\n", "2:11: no lane is called `b`");
        refused(
            "[agents.a]\n[[budget]]\nagents = ['a']\npaths = ['m/**']\nage = '90d'\n",
            "3:11: `age` is judged in a tree",
        );
    }
}
