//! Tests that went to a class from which others derive: there they run still.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

use regex::Regex;

use super::{
    counted::NAME,
    stock::{At, Stock},
    subject::{defined, fits, is_code},
};
use crate::{claim::tests::Test, rule::change::Change};

/// The line on which a class begins: its name, and what it derives from.
static CLASS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^[^#/*]*\bclass\s+(\w+)(.*)$").expect("a pattern of ours"));

/// By a name, names.
type ByName = BTreeMap<String, BTreeSet<String>>;

/// Classes of the changed files, once the change is merged, as far as lost tests are concerned.
#[derive(Default)]
pub(super) struct Inherited {
    /// What each class derives from.
    derives: ByName,
    /// The classes that define a lost title.
    defined_by: ByName,
    /// By a lost title, a class that did not define it before, and from which another one derives.
    moved_to: BTreeMap<String, String>,
}

impl Inherited {
    /// Looks into all changed files. What can't be read is told of elsewhere.
    pub(super) fn new(change: &Change<'_>, stock: &Stock<'_>, lost: &[At]) -> Self {
        let titles: BTreeSet<&str> = lost.iter().map(|at| stock.before(*at).title.as_str()).collect();
        let mut found = Self::default();
        let mut fresh = ByName::new();
        for file in change.files.iter().filter(|file| is_code(&file.path)) {
            let [before, after] = [change.before(file), change.merged(file)].map(|text| text.ok().flatten());
            if !fits(&before) || !fits(&after) {
                continue;
            }
            let [old, new] = [before, after].map(|text| text.map(|text| classes(&text, &titles)).unwrap_or_default());
            for (class, (bases, held)) in new {
                for title in held {
                    if old.get(&class).is_none_or(|(_, held)| !held.contains(&title)) {
                        fresh.entry(title.clone()).or_default().insert(class.clone());
                    }
                    found.defined_by.entry(title).or_default().insert(class.clone());
                }
                found.derives.entry(class).or_default().extend(bases);
            }
        }
        let bases: BTreeSet<&String> = found.derives.values().flatten().collect();
        let base = |classes: BTreeSet<String>| classes.into_iter().find(|class| bases.contains(class));
        found.moved_to = fresh.into_iter().filter_map(|(title, classes)| Some((title, base(classes)?))).collect();
        found
    }

    /// The class that holds a lost test now: one from which its own derives, or a new place from which any does.
    pub(super) fn of(&self, test: &Test) -> Option<String> {
        let holders = self.defined_by.get(&test.title)?;
        let bases = test.containers.last().and_then(|class| self.derives.get(class)).into_iter().flatten();
        let own = bases.into_iter().find(|base| holders.contains(*base));
        own.or_else(|| self.moved_to.get(&test.title)).cloned()
    }
}

/// The classes of a text: what each derives from, and which of some titles it defines.
fn classes(text: &[u8], titles: &BTreeSet<&str>) -> BTreeMap<String, (BTreeSet<String>, BTreeSet<String>)> {
    let text = String::from_utf8_lossy(text);
    let mut found: BTreeMap<String, (BTreeSet<String>, BTreeSet<String>)> = BTreeMap::new();
    // the classes around, the innermost last: indent and name
    let mut around: Vec<(usize, String)> = Vec::new();
    for line in text.lines() {
        let indent = line.len() - line.trim_start().len();
        if line[indent..].starts_with(['#', '/', '*']) {
            continue; // a comment runs nothing
        }
        if let Some((name, bases)) = CLASS.captures(line).and_then(|found| Some((found.get(1)?, found.get(2)?))) {
            around.retain(|(outer, _)| *outer < indent);
            let bases = NAME.find_iter(bases.as_str()).map(|base| base.as_str().to_owned());
            found.entry(name.as_str().to_owned()).or_default().0.extend(bases);
            around.push((indent, name.as_str().to_owned()));
        } else if let Some(title) = defined(line).find(|title| titles.contains(title)) {
            around.retain(|(outer, _)| *outer < indent);
            if let Some((_, class)) = around.last() {
                found.entry(class.clone()).or_default().1.insert(title.to_owned());
            }
        }
    }
    found
}
