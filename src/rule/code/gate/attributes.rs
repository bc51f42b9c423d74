//! `.gitattributes`: files that count as vendored or generated take no names.

use std::collections::BTreeSet;

use super::{
    differences::{Differences, shown},
    effect::{Effect, Verdict},
};

/// The attributes that leave files out.
const ATTRIBUTES: [&str; 2] = ["linguist-vendored", "linguist-generated"];

/// Whether a file gives attributes.
pub(super) fn is_one(path: &str) -> bool {
    path == ".gitattributes" || path.ends_with("/.gitattributes")
}

/// What a change of attributes does to the gate; none where it leaves what concerns the gate alone.
pub(super) fn effect(old: Option<&[u8]>, new: Option<&[u8]>) -> Option<Effect> {
    let (old, new) = (words(old), words(new));
    if old == new {
        return None;
    }
    let mut said = Differences::default();
    let set = |words: &[Word]| words.iter().cloned().collect::<BTreeSet<_>>();
    let (was, is) = (set(&old), set(&new));
    for (word, verb) in
        is.difference(&was).map(|word| (word, "is")).chain(was.difference(&is).map(|word| (word, "is not")))
    {
        let leaves_out = word.is_set == (verb == "is");
        // what is left out may be what somebody else wrote, or what the change wants nobody to look at
        let verdict = if leaves_out { Verdict::Unclear } else { Verdict::Tightens };
        let off = if word.is_set { "" } else { "-" };
        said.say(verdict, format!("`{}` {verb} `{off}{}` any more", shown(&word.pattern), word.attribute));
    }
    if said.count() == 0 {
        said.say(Verdict::Unclear, "the lines with `linguist-` stand in another order, and the last one counts");
    }
    said.effect()
}

/// What a line says of one attribute.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Word {
    pattern: String,
    attribute: &'static str,
    is_set: bool,
}

fn words(text: Option<&[u8]>) -> Vec<Word> {
    let text = String::from_utf8_lossy(text.unwrap_or_default());
    let mut all = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.starts_with('#')) {
        let mut words = line.split_ascii_whitespace();
        let Some(pattern) = words.next() else { continue };
        for word in words {
            let (name, is_set) = match (word.split_once('='), word.strip_prefix(['-', '!'])) {
                (Some((name, value)), _) => (name, value != "false"),
                (None, Some(name)) => (name, false),
                (None, None) => (word, true),
            };
            let known = ATTRIBUTES.into_iter().find(|known| *known == name);
            all.extend(known.map(|attribute| Word { pattern: pattern.to_owned(), attribute, is_set }));
        }
    }
    all
}
