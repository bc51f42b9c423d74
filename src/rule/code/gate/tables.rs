//! Tables of which there can be many: each entry is held against the one that it came from.

use std::collections::{BTreeMap, BTreeSet};

use toml::Spanned;

use super::{
    differences::{Differences, beyond, shown},
    effect::Verdict,
};
use crate::config::{
    Allow,
    change::{Age, Approval, Budget, Companion, Document, Found, Needs, Protected},
};

/// Most entries of one table on each side whose likeness is looked at; of the rest each one is gone, or new.
const PAIRED: usize = 50;

/// One entry of a table.
pub(super) trait Entry {
    /// The name of the table.
    const TABLE: &'static str;
    /// What a further entry does to the gate.
    const MORE: Verdict;

    /// What the entry is about, for a sentence.
    fn about(&self) -> String;

    /// What is different in an entry that came from this one; none where it can't have.
    fn became(&self, new: &Self) -> Option<Differences>;
}

impl<T: Entry> Entry for Spanned<T> {
    const TABLE: &'static str = T::TABLE;
    const MORE: Verdict = T::MORE;

    fn about(&self) -> String {
        self.get_ref().about()
    }

    fn became(&self, new: &Self) -> Option<Differences> {
        self.get_ref().became(new.get_ref())
    }
}

/// The entries of a table, each with how it is written.
pub(super) struct Entries<'c, T> {
    all: Vec<(&'c T, String)>,
}

impl<'c, T: Entry> Entries<'c, T> {
    /// `table` is the whole configuration, as it is written.
    pub(super) fn of(table: &toml::Table, entries: &'c [T]) -> Self {
        let written = table.get(T::TABLE).and_then(toml::Value::as_array);
        let text = |at: usize| written.and_then(|all| all.get(at)).map(ToString::to_string).unwrap_or_default();
        Self { all: entries.iter().enumerate().map(|(at, entry)| (entry, text(at))).collect() }
    }
}

/// What becomes of a table: entries that are the same are left alone, and of the others those that are most alike are held against each other.
pub(super) fn compare<T: Entry>(old: &Entries<'_, T>, new: &Entries<'_, T>, said: &mut Differences) {
    let (old, new) = without_equal(old, new);
    let mut alike: Vec<(usize, usize, usize, Differences)> = Vec::new();
    for (was, entry) in old.iter().enumerate().take(PAIRED) {
        for (is, other) in new.iter().enumerate().take(PAIRED) {
            alike.extend(entry.became(other).map(|differences| (differences.count(), was, is, differences)));
        }
    }
    alike.sort_by_key(|(count, was, is, _)| (*count, *was, *is));
    let (mut left_old, mut left_new) = (vec![true; old.len()], vec![true; new.len()]);
    for (_, was, is, differences) in alike {
        if left_old[was] && left_new[is] {
            (left_old[was], left_new[is]) = (false, false);
            said.extend(differences);
        }
    }
    for (entry, _) in old.iter().zip(&left_old).filter(|(_, left)| **left) {
        said.say(T::MORE.opposite(), format!("`[[{}]]` {} is gone", T::TABLE, entry.about()));
    }
    for (entry, _) in new.iter().zip(&left_new).filter(|(_, left)| **left) {
        said.say(T::MORE, format!("`[[{}]]` {} is there", T::TABLE, entry.about()));
    }
}

fn without_equal<'c, T: Entry>(old: &Entries<'c, T>, new: &Entries<'c, T>) -> (Vec<&'c T>, Vec<&'c T>) {
    let mut places: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, (_, text)) in new.all.iter().enumerate() {
        places.entry(text).or_default().push(at);
    }
    let (mut same, mut gone) = (BTreeSet::new(), Vec::new());
    for (entry, text) in &old.all {
        match places.get_mut(text.as_str()).and_then(Vec::pop) {
            Some(at) => drop(same.insert(at)),
            None => gone.push(*entry),
        }
    }
    let come = new.all.iter().enumerate().filter(|(at, _)| !same.contains(at)).map(|(_, (entry, _))| *entry);
    (gone, come.collect())
}

/// Patterns for a sentence.
fn on(patterns: &[String]) -> String {
    match patterns {
        [] => "on all files".to_owned(),
        [one] => format!("on `{}`", shown(one)),
        [first, rest @ ..] => format!("on `{}` and {} more", shown(first), rest.len()),
    }
}

impl Entry for Protected {
    const TABLE: &'static str = "protected";
    const MORE: Verdict = Verdict::Tightens;

    fn about(&self) -> String {
        on(self.paths.written())
    }

    fn became(&self, new: &Self) -> Option<Differences> {
        let Self { paths, append_only, not_empty, not_deleted } = self;
        let mut said = Differences::default();
        said.paths("protected.paths", paths, &new.paths, Verdict::Tightens);
        said.asks("protected.append-only", *append_only, new.append_only);
        said.asks("protected.not-empty", *not_empty, new.not_empty);
        said.asks("protected.not-deleted", *not_deleted, new.not_deleted);
        Some(said)
    }
}

impl Entry for Approval {
    const TABLE: &'static str = "approval";
    const MORE: Verdict = Verdict::Tightens;

    fn about(&self) -> String {
        format!("of `{}` {}", shown(&self.tier), on(self.paths.written()))
    }

    fn became(&self, new: &Self) -> Option<Differences> {
        let Self { tier: _, paths, added, needs } = self; // the tier is a name alone
        let mut said = Differences::default();
        said.only_paths("approval.paths", paths, &new.paths, Verdict::Tightens);
        let written = |added: &[Found]| added.iter().map(|found| found.0.as_str().to_owned()).collect::<Vec<_>>();
        said.only("approval.added", &written(added), &written(&new.added), Verdict::Tightens);
        let Needs { label, review_from } = needs.get_ref();
        let is = new.needs.get_ref();
        said.word("approval.needs.label", label.as_deref(), is.label.as_deref());
        // any one of them will do, so that one more is one more way
        said.only("approval.needs.review-from", review_from, &is.review_from, Verdict::Loosens);
        Some(said)
    }
}

impl Entry for Companion {
    const TABLE: &'static str = "companion";
    const MORE: Verdict = Verdict::Tightens;

    fn about(&self) -> String {
        on(self.when.written())
    }

    fn became(&self, new: &Self) -> Option<Differences> {
        let Self { when, need, one_of } = self;
        let mut said = Differences::default();
        said.paths("companion.when", when, &new.when, Verdict::Tightens);
        // each pattern of `need` asks for a file of its own
        said.words("companion.need", need.written(), new.need.written(), Verdict::Tightens);
        match (one_of.written(), new.one_of.written()) {
            // `need` takes its place: whether that asks for more depends on what it names
            ([first, ..], []) => said.lost("companion.one-of", &[first], Verdict::Unclear),
            _ => said.only_paths("companion.one-of", one_of, &new.one_of, Verdict::Loosens),
        }
        Some(said)
    }
}

impl Entry for Document {
    const TABLE: &'static str = "document";
    const MORE: Verdict = Verdict::Tightens;

    fn about(&self) -> String {
        on(self.paths.written())
    }

    fn became(&self, new: &Self) -> Option<Differences> {
        let Self { paths, schema, facts } = self;
        let mut said = Differences::default();
        said.paths("document.paths", paths, &new.paths, Verdict::Tightens);
        said.word("document.schema", schema.as_deref(), new.schema.as_deref());
        let all: BTreeSet<_> = facts.keys().chain(new.facts.keys()).collect();
        for fact in all {
            let query = |document: &Self| document.facts.get(fact).map(|query| query.written.clone());
            said.word(&format!("document.facts.{}", fact.word()), query(self).as_deref(), query(new).as_deref());
        }
        Some(said)
    }
}

impl Entry for Budget {
    const TABLE: &'static str = "budget";
    const MORE: Verdict = Verdict::Tightens;

    fn about(&self) -> String {
        on(self.paths.as_ref().map_or(&[], |paths| paths.written()))
    }

    fn became(&self, new: &Self) -> Option<Differences> {
        let Self { agents, paths, files, lines, bytes, count, age } = self;
        let mut said = Differences::default();
        let names = |agents: &[Spanned<String>]| agents.iter().map(|name| name.get_ref().clone()).collect::<Vec<_>>();
        said.only("budget.agents", &names(agents), &names(&new.agents), Verdict::Tightens);
        match (paths, &new.paths) {
            (Some(paths), Some(is)) => said.paths("budget.paths", paths, is, Verdict::Tightens),
            (None, Some(is)) => said.gained("budget.paths", &beyond(is.written(), &[]), Verdict::Loosens),
            // lines of each file, and lines that a change touches, are not the same
            (Some(paths), None) => said.lost("budget.paths", &beyond(paths.written(), &[]), Verdict::Unclear),
            (None, None) => {}
        }
        let limits = [
            ("files", files, &new.files),
            ("lines", lines, &new.lines),
            ("bytes", bytes, &new.bytes),
            ("count", count, &new.count),
        ];
        for (key, was, is) in limits {
            said.limit(&format!("budget.{key}"), *was, *is, u64::to_string);
        }
        let days = |age: &Option<Age>| age.as_ref().map(|age| age.seconds);
        let written = |seconds: &i64| {
            let all = age.iter().chain(&new.age);
            all.into_iter().find(|age| age.seconds == *seconds).map_or_else(String::new, |age| age.written.clone())
        };
        said.limit("budget.age", days(age), days(&new.age), written);
        Some(said)
    }
}

impl Entry for Allow {
    const TABLE: &'static str = "allow";
    const MORE: Verdict = Verdict::Loosens;

    fn about(&self) -> String {
        format!("for `{}` {}", self.code, on(self.paths.written()))
    }

    fn became(&self, new: &Self) -> Option<Differences> {
        let Self { code, paths, key, reason: _, until } = self; // a reason silences nothing
        let (was, is) = (code.get_ref(), new.code.get_ref());
        let is_code_of = |code: &str, rule: &str| code.split_once('/').is_some_and(|(id, _)| id == rule);
        let mut said = Differences::default();
        match () {
            () if was == is => {}
            () if is_code_of(is, was) => said.replaced(Verdict::Tightens, "allow.code", was, is),
            () if is_code_of(was, is) => said.replaced(Verdict::Loosens, "allow.code", was, is),
            () => return None,
        }
        said.paths("allow.paths", paths, &new.paths, Verdict::Loosens);
        match (key, &new.key) {
            // fewer names, but of this one also what a change brings in (see `suppress::allow`)
            (None, Some(key)) => said.gained("allow.key", &[key], Verdict::Unclear),
            (Some(key), None) => said.lost("allow.key", &[key], Verdict::Loosens),
            (Some(was), Some(is)) if was != is => said.replaced(Verdict::Loosens, "allow.key", was, is),
            _ => {}
        }
        said.limit("allow.until", *until, new.until, ToString::to_string);
        Some(said)
    }
}
