//! Lanes: whose changes stay where.

use std::collections::BTreeMap;

use toml::Spanned;

use super::{
    differences::{Differences, beyond, paths_beyond},
    effect::Verdict,
};
use crate::{config::change::Agent, rule::code::boundary::band::Band};

type Lanes = BTreeMap<Spanned<String>, Agent>;

/// What becomes of the lanes. A new one takes changes in that nobody's lane claimed, and lets its agent into what it owns.
pub(super) fn compare(old: &Lanes, new: &Lanes, said: &mut Differences) {
    for (name, agent) in old {
        match new.get(name.get_ref().as_str()) {
            Some(is) => lane(name.get_ref(), agent, is, said),
            None => said.say(Verdict::Loosens, format!("the lane `{name}` is gone")),
        }
    }
    for name in new.keys().filter(|name| !old.contains_key(name.get_ref().as_str())) {
        said.say(Verdict::Unclear, format!("a lane `{name}` is there"));
    }
}

fn lane(name: &str, old: &Agent, new: &Agent, said: &mut Differences) {
    let Agent { branches, logins, authors, trailers, owns, may_touch, never, bands } = old;
    let at = |key: &str| format!("agents.{name}.{key}");
    let signs = [
        ("branches", branches, &new.branches),
        ("logins", logins, &new.logins),
        ("authors", authors, &new.authors),
        ("trailers", trailers, &new.trailers),
    ];
    for (key, old, new) in signs {
        said.gained(&at(key), &beyond(new, old), Verdict::Unclear);
        said.lost(&at(key), &beyond(old, new), Verdict::Loosens);
    }
    let is_free = |agent: &Agent| agent.owns.is_empty() && agent.may_touch.is_empty();
    match (is_free(old), is_free(new)) {
        (false, true) => {
            let why =
                format!("the lane `{name}` has neither `owns` nor `may-touch` any more, so that it restricts nothing");
            said.say(Verdict::Loosens, why);
        }
        (true, false) => said.say(Verdict::Tightens, format!("the lane `{name}` is restricted to some files")),
        _ => {
            // what moves from one of the two lists to the other was inside all along
            for (key, was, is) in [("owns", owns, &new.owns), ("may-touch", may_touch, &new.may_touch)] {
                said.gained(&at(key), &paths_beyond(is, &[owns, may_touch]), Verdict::Loosens);
                said.lost(&at(key), &paths_beyond(was, &[&new.owns, &new.may_touch]), Verdict::Tightens);
            }
        }
    }
    said.paths(&at("never"), never, &new.never, Verdict::Tightens);
    self::bands(&at("bands"), bands, &new.bands, said);
}

type Bands = BTreeMap<Spanned<String>, Spanned<String>>;

fn bands(at: &str, old: &Bands, new: &Bands, said: &mut Differences) {
    for (rule, band) in old {
        match new.get(rule.get_ref().as_str()) {
            Some(is) if is.get_ref() == band.get_ref() => {}
            Some(is) => said.replaced(
                moved(band.get_ref(), is.get_ref()),
                &format!("{at}.{rule}"),
                band.get_ref(),
                is.get_ref(),
            ),
            None => said.lost(at, &[rule.get_ref()], Verdict::Loosens),
        }
    }
    for rule in new.keys().filter(|rule| !old.contains_key(rule.get_ref().as_str())) {
        said.gained(at, &[rule.get_ref()], Verdict::Tightens);
    }
}

fn moved(old: &str, new: &str) -> Verdict {
    match (Band::parse(old), Band::parse(new)) {
        (Some(old), Some(new)) if new.is_within(&old) => Verdict::Tightens,
        (Some(old), Some(new)) if old.is_within(&new) => Verdict::Loosens,
        _ => Verdict::Unclear,
    }
}
