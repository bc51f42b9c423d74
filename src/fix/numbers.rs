//! Which files get which new numbers.

use std::collections::{BTreeMap, BTreeSet};

use super::Moved;
use crate::{
    diag::RepoPath,
    engine::{
        Home, Names, Taken,
        free::{self, NoneFree, Search},
    },
    rule::{Rule, Source, code::boundary::band::Band, spec::Group},
};

/// What is to be renumbered.
pub struct Renumber<'a> {
    /// Whose names.
    pub rule: &'a Rule,
    /// All that are taken, by anybody.
    pub names: &'a Names,
    /// Where the collision is.
    pub partition: &'a str,
    /// The files of the head that have to give way, each with the key that it takes.
    pub yielding: &'a BTreeSet<(RepoPath, String)>,
    /// In which of them the new keys lie, all of them.
    pub bands: &'a [Band],
    /// The clock.
    pub now: jiff::Timestamp,
    /// Whether somebody holds a name without a file: the partition, the set of names, and the name as the rule compares it.
    pub is_held: &'a dyn Fn(&str, &str, &str) -> bool,
}

/// The files of the head that are one claimant.
struct Unit<'a> {
    key: &'a str,
    files: Vec<&'a Taken>,
    yields: bool,
}

/// Gives what has to give way the next free names. Later migrations of the head go along where they would otherwise come before what they
/// were written to follow.
///
/// # Errors
/// Why there is none, in words.
pub fn renumber(asked: &Renumber<'_>) -> Result<Vec<Moved>, String> {
    let Renumber { rule, names, partition, .. } = *asked;
    let homes: Vec<&Home> = names.homes.iter().filter(|home| home.partition == partition).collect();
    let taken: &[Taken] = homes.first().map_or(&[], |home| &home.taken);
    let units = moving(asked, taken)?;
    let pending: BTreeSet<&RepoPath> = units.iter().flat_map(|unit| &unit.files).map(|one| &one.path).collect();
    let mut left: Vec<Taken> = taken.iter().filter(|one| !pending.contains(&one.path)).cloned().collect();
    let mut moved = Vec::new();
    let mut last: Option<String> = None;
    for unit in &units {
        let first = unit.files[0];
        let order = rule.claims[usize::from(first.claim)].order;
        let comes_after = |last: &String| order.compare(unit.key, last).is_gt();
        if !unit.yields && last.as_ref().is_none_or(comes_after) {
            last = Some(unit.key.to_owned());
            left.extend(unit.files.iter().map(|one| (*one).clone()));
            continue;
        }
        let (key, raw) = next(asked, &homes, &left, first)?;
        for one in &unit.files {
            let to = renamed(rule, one, &raw).ok_or("the place of the number in its name is not known")?;
            moved.push(Moved { from: one.path.clone(), to, old: one.raw.clone(), new: raw.clone() });
            left.push(Taken { raw: raw.clone(), key: key.clone(), built_on: true, ..(*one).clone() });
        }
        last = Some(key);
    }
    Ok(moved)
}

/// The units that have to give way, and those that may have to go along, in order.
fn moving<'a>(asked: &Renumber<'_>, taken: &'a [Taken]) -> Result<Vec<Unit<'a>>, String> {
    let rule = asked.rule;
    let is_asked = |one: &Taken| asked.yielding.contains(&(one.path.clone(), one.key.clone()));
    for (path, key) in asked.yielding {
        let all: Vec<&Taken> = taken.iter().filter(|one| one.path == *path && one.key == *key).collect();
        match all.iter().find(|one| one.space.is_empty()) {
            Some(one) if !one.own => return Err("it is on the base already".into()),
            Some(one) if !rule.claims[usize::from(one.claim)].is_path() => {
                return Err("the name stands in the file, and only a person can choose another one".into());
            }
            Some(_) => {}
            None if all.is_empty() => return Err("the names differ in case only: choose another word".into()),
            None => return Err(in_words(all[0])),
        }
    }
    let is_plain = |one: &&Taken| one.own && one.space.is_empty() && rule.claims[usize::from(one.claim)].is_path();
    let mut by_key: BTreeMap<&str, Vec<&Taken>> = BTreeMap::new();
    taken.iter().filter(is_plain).for_each(|one| by_key.entry(&one.key).or_default().push(one));
    let mut units: Vec<Unit<'a>> = Vec::new();
    for (key, files) in by_key {
        for files in claimants(files) {
            units.push(Unit { key, yields: files.iter().any(|one| is_asked(one)), files });
        }
    }
    let order = |unit: &Unit<'_>| rule.claims[usize::from(unit.files[0].claim)].order;
    units.sort_by(|a, b| {
        let paths = || a.files[0].path.cmp(&b.files[0].path);
        order(a).compare(a.key, b.key).then(a.yields.cmp(&b.yields)).then_with(paths)
    });
    match rule.spec.group {
        Some(Group::Migrations) => {
            let first = units.iter().position(|unit| unit.yields).unwrap_or(units.len());
            Ok(units.split_off(first))
        }
        _ => Ok(units.into_iter().filter(|unit| unit.yields).collect()),
    }
}

/// Why a name that is no number can't be mended.
fn in_words(one: &Taken) -> String {
    format!("the {} `{}` is what is taken twice: choose another word", one.space, one.key)
}

/// Files with one key, by claimant: an up file and a down file are one, and what the rule says is one.
fn claimants(files: Vec<&Taken>) -> Vec<Vec<&Taken>> {
    let clashes = |a: &Taken, b: &Taken| a.variant == b.variant && (a.unit.is_none() || a.unit != b.unit);
    let is_one = !files.iter().enumerate().any(|(at, a)| files[at + 1..].iter().any(|b| clashes(a, b)));
    if is_one {
        return vec![files];
    }
    let mut by_name: BTreeMap<String, Vec<&Taken>> = BTreeMap::new();
    for one in files {
        by_name.entry(crate::claim::stem(&one.path.lossy())).or_default().push(one);
    }
    by_name.into_values().collect()
}

/// The next free name where a file lies: as it is compared, and as it is written.
fn next(asked: &Renumber<'_>, homes: &[&Home], left: &[Taken], file: &Taken) -> Result<(String, String), String> {
    let holds = |home: &&&Home| {
        home.root.is_empty()
            || file.path.as_bytes().strip_prefix(home.root.as_bytes()).is_some_and(|rest| rest.starts_with(b"/"))
    };
    let home = homes.iter().filter(holds).max_by_key(|home| home.root.len()).ok_or("its folder is not known")?;
    let home = Home { taken: left.into(), ..(**home).clone() };
    let is_held = |space: &str, name: &str| (asked.is_held)(asked.partition, space, name);
    let Renumber { rule, bands, now, .. } = *asked;
    let search = Search { rule, home: &home, bands, slug: None, now, is_held: &is_held };
    let found = free::next(&search, 1).map_err(|none| why(rule, &none))?;
    let free = found.into_iter().next().ok_or("there is no next free name")?;
    if !free.space.is_empty() {
        return Err("there is no next free name".into());
    }
    Ok((free.key, free.raw))
}

fn why(rule: &Rule, none: &NoneFree) -> String {
    match none {
        NoneFree::NoSeries => "its names don't follow from each other: choose one yourself".into(),
        NoneFree::BadTemplate(text) => {
            format!("the rule file of {} does not show how its names go on: `{text}`", rule.id())
        }
        NoneFree::Exhausted(last) => format!("nothing free comes after `{last}`"),
        NoneFree::Slug(word) | NoneFree::SlugTaken(_, word, _) => format!("`{word}` is taken"),
    }
}

/// The path of a file under another key: as it is, with only the key replaced.
fn renamed(rule: &Rule, one: &Taken, raw: &str) -> Option<RepoPath> {
    let Source::Path(regex) = &rule.claims[usize::from(one.claim)].source else { return None };
    let groups = regex.captures(&one.below)?;
    let old = groups.name("key")?;
    let path = std::str::from_utf8(one.path.as_bytes()).ok()?;
    // the path below the root may begin with folders that the path itself lacks: both end alike
    let after = one.below.len() - regex.offset() - old.end();
    let end = path.len().checked_sub(after)?;
    let start = end.checked_sub(old.len())?;
    (path.get(start..end)? == old.as_str())
        .then(|| RepoPath::from(format!("{}{raw}{}", &path[..start], &path[end..]).as_str()))
}
