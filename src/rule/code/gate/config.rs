//! The configuration: which of its words let more through, and which less.

use std::{io, sync::Arc};

use super::{
    differences::Differences,
    effect::{Effect, Verdict},
    lanes, levels,
    tables::{self, Entries},
};
use crate::{
    config::{
        Config, ConfigFile, FleetConfig, NAMES, Namespace,
        change::{Age, Lanes, Unmatched},
    },
    exit::FailOn,
    rule::change::{Change, File},
    source::EntryKind,
};

/// What the change makes of the configuration, told at one of the files that it may lie in; none at the others, and where it says the same.
///
/// # Errors
/// One of them can't be read.
pub(super) fn effect(change: &Change<'_>, file: &File) -> io::Result<Option<Effect>> {
    let path = &*file.path.lossy();
    let names: &[&str] = if NAMES.contains(&path) { &NAMES } else { &[path] }; // or the one that the command line names
    let (old, new) = (held(change, names, Side::Trunk)?, held(change, names, Side::Merged)?);
    let touched = || names.iter().filter(|name| change.file(&(**name).into()).is_some());
    let is_held = |name: &&&str| new.iter().any(|held| held.name == **name);
    let told = touched().find(is_held).or_else(|| touched().next());
    Ok(if told == Some(&path) { between(read(&old), read(&new)) } else { None })
}

/// Before the change, or once it is merged.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Trunk,
    Merged,
}

/// A file in which a configuration may lie.
struct Held {
    name: String,
    /// None of a link.
    bytes: Option<Arc<[u8]>>,
}

fn held(change: &Change<'_>, names: &[&str], side: Side) -> io::Result<Vec<Held>> {
    let mut all = Vec::new();
    for name in names {
        let path = (*name).into();
        let version = change.file(&path).and_then(|file| if side == Side::Trunk { file.trunk } else { file.after });
        let bytes = if side == Side::Trunk { change.trunk_at(&path)? } else { change.merged_at(&path)? };
        let is_link = version.is_some_and(|version| version.kind == EntryKind::Link);
        if let Some(bytes) = bytes {
            all.push(Held { name: (*name).to_owned(), bytes: (!is_link).then_some(bytes) });
        }
    }
    Ok(all)
}

/// What the files say together, or why it can't be used.
fn read(held: &[Held]) -> Result<Option<ConfigFile>, String> {
    match held {
        [] => Ok(None),
        [Held { name, bytes: Some(bytes) }] => {
            ConfigFile::parse(name, bytes).map(Some).map_err(|fatal| fatal.to_string())
        }
        [Held { name, bytes: None }] => Err(format!("`{name}` is a link, and no link is followed")),
        [first, second, ..] => {
            Err(format!("`{}` and `{}` are both there, and only one may be", first.name, second.name))
        }
    }
}

type Read = Result<Option<ConfigFile>, String>;

fn between(old: Read, new: Read) -> Option<Effect> {
    match (old, new) {
        (_, Err(why)) => Some(Effect::loosens(format!("once merged it can't be used: {why}"))),
        (Ok(Some(old)), Ok(Some(new))) => compared(&old, &new).effect(),
        (Ok(Some(_)), Ok(None)) => {
            Some(Effect::loosens("the configuration is gone, and only the built-in rules are left"))
        }
        (Ok(None), Ok(Some(_))) => {
            Some(Effect::tightens("it is the first configuration, and valid; the built-in rules judge this change"))
        }
        (Err(_), Ok(_)) => {
            Some(Effect::unclear("it mends a configuration that can't be used; the built-in rules judge this change"))
        }
        (Ok(None), Ok(None)) => None,
    }
}

/// What is different between two configurations. Each key is named here, so that none is forgotten.
fn compared(old: &ConfigFile, new: &ConfigFile) -> Differences {
    let Config {
        base,
        fail_on,
        rules,
        namespace,
        fleet: FleetConfig { exclude, drafts, stale },
        lanes: Lanes { unmatched },
        agents,
        protected,
        approval,
        companion,
        document,
        budget,
        allow,
    } = &old.config;
    let is = &new.config;
    let mut said = Differences::default();
    if *base != is.base {
        let word = |base: &Option<String>| base.clone().unwrap_or_else(|| "what the repository names".to_owned());
        said.replaced(Verdict::Unclear, "base", &word(base), &word(&is.base));
    }
    failing(*fail_on, is.fail_on, &mut said);
    levels::compare(rules, &is.rules, &mut said);
    namespaces(namespace, &is.namespace, &mut said);
    said.words("fleet.exclude", exclude, &is.fleet.exclude, Verdict::Loosens);
    let counts = |drafts: bool| if drafts { (1, "true") } else { (0, "false") };
    ordered("fleet.drafts", counts(*drafts), counts(is.fleet.drafts), &mut said);
    // the longer they count the stricter; none at all counts for ever
    let age = |age: &Option<Age>| age.as_ref().map_or(u64::MAX, |age| age.seconds.unsigned_abs());
    let word = |age: &Option<Age>| age.as_ref().map_or("never", |age| &age.written).to_owned();
    ordered("fleet.stale", (age(stale), &word(stale)), (age(&is.fleet.stale), &word(&is.fleet.stale)), &mut said);
    unclaimed(*unmatched, is.lanes.unmatched, &mut said);
    lanes::compare(agents, &is.agents, &mut said);
    let written = |file: &ConfigFile| toml::from_str::<toml::Table>(&file.text).unwrap_or_default();
    let (was, now) = (&written(old), &written(new));
    tables::compare(&Entries::of(was, protected), &Entries::of(now, &is.protected), &mut said);
    tables::compare(&Entries::of(was, approval), &Entries::of(now, &is.approval), &mut said);
    tables::compare(&Entries::of(was, companion), &Entries::of(now, &is.companion), &mut said);
    tables::compare(&Entries::of(was, document), &Entries::of(now, &is.document), &mut said);
    tables::compare(&Entries::of(was, budget), &Entries::of(now, &is.budget), &mut said);
    tables::compare(&Entries::of(was, allow), &Entries::of(now, &is.allow), &mut said);
    said
}

/// The least severity that fails a run: to say what holds anyway changes nothing.
fn failing(old: Option<FailOn>, new: Option<FailOn>, said: &mut Differences) {
    let strict = |fail_on: Option<FailOn>| match fail_on.unwrap_or_default() {
        FailOn::Never => (0, "never"),
        FailOn::Error => (1, "error"),
        FailOn::Warning => (2, "warning"),
    };
    ordered("fail-on", strict(old), strict(new), said);
}

fn unclaimed(old: Unmatched, new: Unmatched, said: &mut Differences) {
    let strict = |unmatched| match unmatched {
        Unmatched::Allow => (0, "allow"),
        Unmatched::Warning => (1, "warning"),
        Unmatched::Error => (2, "error"),
    };
    ordered("lanes.unmatched", strict(old), strict(new), said);
}

fn ordered<T: Ord>(at: &str, (was, old): (T, &str), (is, new): (T, &str), said: &mut Differences) {
    match is.cmp(&was) {
        std::cmp::Ordering::Less => said.replaced(Verdict::Loosens, at, old, new),
        std::cmp::Ordering::Equal => {}
        std::cmp::Ordering::Greater => said.replaced(Verdict::Tightens, at, old, new),
    }
}

type Namespaces = std::collections::BTreeMap<toml::Spanned<String>, Namespace>;

fn namespaces(old: &Namespaces, new: &Namespaces, said: &mut Differences) {
    let none = Namespace::default();
    let gone = old.keys().filter(|id| !new.contains_key(id.get_ref().as_str()));
    for id in gone.chain(new.keys()).map(|id| id.get_ref().as_str()) {
        let Namespace { roots, exclude, include, quota } = old.get(id).unwrap_or(&none);
        let is = new.get(id).unwrap_or(&none);
        let at = |key: &str| format!("namespace.{id}.{key}");
        let roots = (roots.clone().unwrap_or_default(), is.roots.clone().unwrap_or_default());
        said.only_paths(&at("roots"), &roots.0, &roots.1, Verdict::Unclear);
        said.paths(&at("exclude"), exclude, &is.exclude, Verdict::Loosens);
        let include = (include.clone().unwrap_or_default(), is.include.clone().unwrap_or_default());
        said.paths(&at("include"), &include.0, &include.1, Verdict::Tightens);
        said.limit(&at("quota"), *quota, is.quota, u64::to_string);
    }
}
