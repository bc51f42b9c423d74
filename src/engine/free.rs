//! The next free name of a namespace: past the newest that it is built on, and nobody's yet.

use std::{borrow::Cow, collections::BTreeSet};

use super::{Home, Taken, path_found};
use crate::{
    claim::{Name, Namer, is_invented},
    rule::{
        Claim, Rule, Source, Template,
        code::boundary::band::Band,
        judge::{FaultKind, wrong},
        series::{Series, counted_up},
    },
};

/// So many names in a row are tried before it is said that none is free.
const TRIES: usize = 200_000;
/// Stands for the rest of a file's name where nobody says what it is to be.
const SOME_SLUG: &str = "name";

/// What is asked for.
pub struct Search<'a> {
    /// Whose names.
    pub rule: &'a Rule,
    /// Where.
    pub home: &'a Home,
    /// In all of which the keys must lie.
    pub bands: &'a [Band],
    /// The rest of the file's name.
    pub slug: Option<&'a str>,
    /// The clock.
    pub now: jiff::Timestamp,
    /// Whether somebody holds a name without a file: its set of names, and the name as the rule compares it.
    pub is_held: &'a dyn Fn(&str, &str) -> bool,
}

/// A free name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Free {
    /// As it is written.
    pub raw: String,
    /// As the rule compares it.
    pub key: String,
    /// Its set of names within the partition.
    pub space: String,
    /// The file that would take it, with the slug that was asked for, or with some slug.
    pub path: String,
}

/// Why there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoneFree {
    /// The rule does not say how its names go on.
    NoSeries,
    /// The rule says how, but its own paths don't show the key: its file has to be mended.
    BadTemplate(String),
    /// No file with that slug takes a name of this rule, or it takes another one.
    Slug(String),
    /// What the slug stands for is taken by somebody: the set of names, the name, and the file.
    SlugTaken(String, String, String),
    /// All were tried, the last of them this one.
    Exhausted(String),
}

/// The next free names, one after another.
///
/// # Errors
/// There are not so many.
pub fn next(search: &Search<'_>, count: usize) -> Result<Vec<Free>, NoneFree> {
    let next = search.rule.spec.next.as_ref().ok_or(NoneFree::NoSeries)?;
    let written = Series::parse(&next.key).ok_or_else(|| NoneFree::BadTemplate(next.key.clone()))?;
    let template = Template::parse(&next.path).map_err(|_| NoneFree::BadTemplate(next.path.clone()))?;
    let sample = written.first(search.now).ok_or_else(|| NoneFree::BadTemplate(next.key.clone()))?;
    let form = Form::find(search, &template, &sample).ok_or_else(|| NoneFree::BadTemplate(next.path.clone()))?;
    let walk = Walk::new(search, form, written);
    let mut all: Vec<Free> = Vec::new();
    let mut candidate = walk.start().ok_or_else(|| NoneFree::Exhausted(walk.newest().unwrap_or(sample)))?;
    let name = |slug| walk.form.name(search, &candidate, slug);
    if let (Some(slug), None, Some(_)) = (search.slug, name(search.slug), name(None)) {
        return Err(NoneFree::Slug(slug.to_owned()));
    }
    for _ in 0..TRIES {
        if let Some(free) = walk.free(&candidate) {
            all.push(free);
        }
        if all.len() == count {
            return walk.checked(all);
        }
        candidate = walk.after(&candidate).ok_or(NoneFree::Exhausted(candidate))?;
    }
    Err(NoneFree::Exhausted(candidate))
}

/// A name that somebody gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    /// As it was given.
    pub raw: String,
    /// As the rule compares it.
    pub key: String,
    /// Its set of names within the partition.
    pub space: String,
    /// The file that would take it, where the rule tells.
    pub path: Option<String>,
}

/// What a name that somebody gives is to a rule.
///
/// # Errors
/// Why it can't be one.
pub fn given(search: &Search<'_>, raw: &str) -> Result<Given, String> {
    let Search { rule, home, slug, .. } = *search;
    let form = rule.spec.next.as_ref().and_then(|next| {
        let sample = Series::parse(&next.key)?.first(search.now)?;
        Form::find(search, &Template::parse(&next.path).ok()?, &sample)
    });
    let claim = form.as_ref().map_or(&rule.claims[0], |form| form.claim);
    let raw = &*form.as_ref().map_or(Cow::Borrowed(raw), |form| form.written_out(search, raw));
    let key = claim.compare.normalize(raw).ok_or("the tool would not take it for a name")?.into_owned();
    match wrong(rule, claim, &Name::bare(raw, &key)) {
        Some(FaultKind::Reserved) => return Err("nobody may take it".into()),
        Some(FaultKind::Malformed(at)) => return Err(rule.malformed[usize::from(at)].message.clone()),
        Some(FaultKind::Invented) | None => {}
    }
    let path = match &form {
        Some(form) => {
            let named = form.name(search, raw, slug);
            let (below, _) = named.ok_or_else(|| "no file of that name would take it".to_owned())?;
            Some(form.path(home, &below))
        }
        None => None,
    };
    Ok(Given { raw: raw.to_owned(), key, space: claim.space.clone(), path })
}

/// Whether names of a rule can be held before a file takes them: those of paths, and of texts that are read at once.
pub fn can_be_held(rule: &Rule) -> bool {
    !rule.is_between_worktrees() && (rule.claims[0].is_path() || rule.claims[0].is_text())
}

/// What the next file's path looks like.
struct Form<'a> {
    claim: &'a Claim,
    shape: Shape<'a>,
}

enum Shape<'a> {
    /// As the rule says.
    Template(Template),
    /// As one that is there already, with another key.
    Like(&'a Taken),
}

impl<'a> Form<'a> {
    /// As the rule says if the home holds such names, else as its newest name is.
    fn find(search: &Search<'a>, template: &Template, sample: &str) -> Option<Self> {
        let Search { rule, home, .. } = *search;
        let written = rule.claims.iter().filter(|claim| claim.is_path()).find_map(|claim| {
            let form = Self { claim, shape: Shape::Template(template.clone()) };
            form.name(search, sample, None)?;
            Some(form)
        });
        let fits = |form: &Self| home.taken.is_empty() || home.taken.iter().any(|one| one.space == form.claim.space);
        written.filter(fits).or_else(|| {
            let below = format!("{}/", home.root);
            let here = |one: &&'a Taken| home.root.is_empty() || one.path.lossy().starts_with(&below);
            let model = newest(rule, home.taken.iter().filter(here).filter(|one| is_path(rule, one)))?;
            let form = Self { claim: &rule.claims[usize::from(model.claim)], shape: Shape::Like(model) };
            form.name(search, &model.raw, None).is_some().then_some(form)
        })
    }

    /// The path below the root.
    fn below(&self, key: &str, slug: Option<&str>) -> Option<String> {
        match &self.shape {
            Shape::Template(template) => {
                let part = |name: &str| match name {
                    "key" => Some(Cow::Borrowed(key)),
                    "name" => Some(Cow::Borrowed(slug.unwrap_or(SOME_SLUG))),
                    _ => None,
                };
                // the parts outlive the call, which the template can't know
                Some(template.clone().fill(|name| part(name).map(|text| Cow::Owned(text.into_owned())))?.into_owned())
            }
            Shape::Like(model) => {
                let Source::Path(regex) = &self.claim.source else { return None };
                let groups = regex.captures(&model.below)?;
                let old = groups.name("key").or_else(|| groups.name("version"))?;
                let mut parts = vec![(old.range(), key)];
                parts.extend(groups.name("name").zip(slug).map(|(old, slug)| (old.range(), slug)));
                parts.sort_by_key(|(range, _)| std::cmp::Reverse(range.start));
                let mut below = model.below.clone();
                for (range, text) in parts {
                    below.replace_range(range.start + regex.offset()..range.end + regex.offset(), text);
                }
                Some(below)
            }
        }
    }

    /// A number as wide as the others of its folder, where only that makes a name of it.
    fn written_out<'k>(&self, search: &Search<'_>, raw: &'k str) -> Cow<'k, str> {
        let shape = newest(search.rule, search.home.taken.iter().filter(|one| one.space == self.claim.space));
        let series = search.rule.spec.next.as_ref().and_then(|next| Series::parse(&next.key));
        let series = series.map(|series| shape.map_or(series.clone(), |shape| series.kept_to(&shape.raw)));
        match series {
            Some(Series::Number(width)) if self.name(search, raw, None).is_none() => format!("{raw:0>width$}").into(),
            _ => raw.into(),
        }
    }

    /// The whole path.
    fn path(&self, home: &Home, below: &str) -> String {
        let below = match home.is_partition {
            true => self.claim.folders.iter().fold(below, |rest, folder| {
                rest.strip_prefix(folder.as_str()).and_then(|rest| rest.strip_prefix('/')).unwrap_or(rest)
            }),
            false => below,
        };
        if home.root.is_empty() { below.to_owned() } else { format!("{}/{below}", home.root) }
    }

    /// The path and the key of the file that would take a key; none where it would take another one, or none of this home.
    fn name(&self, search: &Search<'_>, raw: &str, slug: Option<&str>) -> Option<(String, String)> {
        let below = self.below(raw, slug)?;
        let key = with_name(search, self.claim, &below, |name| {
            (name.raw == raw && name.group.as_deref() == search.home.group.as_deref()).then(|| name.key.to_string())
        })??;
        Some((below, key))
    }
}

/// What the name that a claim takes from a path is good for.
fn with_name<T>(search: &Search<'_>, claim: &Claim, below: &str, see: impl FnOnce(&Name<'_>) -> T) -> Option<T> {
    if !claim.is_path() || !claim.selects(below.as_bytes()) {
        return None;
    }
    let namer = Namer::new(claim, 0, &search.home.partition, below, false);
    let found = path_found(claim, below);
    namer.name(&found).map(|name| see(&name))
}

fn is_path(rule: &Rule, taken: &Taken) -> bool {
    rule.claims[usize::from(taken.claim)].is_path()
}

/// The newest of some names; those that the next one is built on count before others.
fn newest<'a>(rule: &Rule, names: impl Iterator<Item = &'a Taken>) -> Option<&'a Taken> {
    let order = |one: &Taken| rule.claims[usize::from(one.claim)].order;
    names.max_by(|a, b| (a.built_on.cmp(&b.built_on)).then_with(|| order(a).compare(&a.key, &b.key)))
}

/// A walk from one key to the next.
struct Walk<'a> {
    search: &'a Search<'a>,
    form: Form<'a>,
    series: Series,
    /// The newest name of all.
    shape: Option<&'a Taken>,
    taken: BTreeSet<&'a str>,
}

impl<'a> Walk<'a> {
    fn new(search: &'a Search<'a>, form: Form<'a>, written: Series) -> Self {
        let Search { rule, home, .. } = *search;
        let of_space = || home.taken.iter().filter(|one| one.space == form.claim.space);
        let shape = newest(rule, of_space().filter(|one| is_path(rule, one)));
        let series = shape.map_or(written.clone(), |shape| written.kept_to(&shape.raw));
        let taken = of_space().map(|one| one.key.as_str()).collect();
        Self { search, form, series, shape, taken }
    }

    /// What the next one has to come after.
    fn floor(&self) -> Option<&'a Taken> {
        self.shape.filter(|newest| newest.built_on)
    }

    fn newest(&self) -> Option<String> {
        self.floor().map(|floor| floor.raw.clone())
    }

    fn start(&self) -> Option<String> {
        let first = self.series.first(self.search.now)?;
        let Some(floor) = self.floor() else { return Some(first) };
        let is_past = |key: &str| {
            let key = self.form.claim.compare.normalize(key);
            key.is_some_and(|key| self.form.claim.order.compare(&key, &floor.key).is_gt())
        };
        match self.series {
            Series::Time(_) if is_past(&first) => Some(first),
            _ => self.after(&floor.raw),
        }
    }

    fn after(&self, key: &str) -> Option<String> {
        match self.series {
            Series::Number(_) => counted_up(key),
            Series::Time(_) => self.series.after(key),
        }
    }

    /// The name of a key, if nobody has it and nothing speaks against it.
    fn free(&self, raw: &str) -> Option<Free> {
        let Search { rule, home, bands, slug, is_held, .. } = *self.search;
        if !bands.iter().all(|band| band.holds(raw)) {
            return None;
        }
        let (below, key) = self.form.name(self.search, raw, slug)?;
        let claim = self.form.claim;
        let comes_after = |floor: &Taken| claim.order.compare(&key, &floor.key).is_gt();
        let is_taken = self.taken.contains(key.as_str()) || is_held(&claim.space, &key);
        if is_taken || !self.floor().is_none_or(comes_after) {
            return None;
        }
        let is_wrong = with_name(self.search, claim, &below, |name| wrong(rule, claim, name).is_some());
        if is_wrong != Some(false) || rule.spec.policy.invented.is_some() && is_invented(&key) {
            return None;
        }
        let path = self.form.path(home, &below);
        Some(Free { raw: raw.to_owned(), key, space: claim.space.clone(), path })
    }

    /// The names, if the slug makes no other name that somebody has: a class, for some tools.
    fn checked(&self, all: Vec<Free>) -> Result<Vec<Free>, NoneFree> {
        let Search { rule, home, slug: Some(slug), .. } = *self.search else { return Ok(all) };
        let Some(below) = all.first().and_then(|first| self.form.below(&first.raw, Some(slug))) else { return Ok(all) };
        for claim in rule.claims.iter().filter(|claim| claim.space != self.form.claim.space) {
            let key = with_name(self.search, claim, &below, |name| name.key.to_string());
            let has = |one: &&Taken| one.space == claim.space && Some(&one.key) == key.as_ref();
            if let Some(taken) = home.taken.iter().find(has) {
                let whose = format!("{} ({})", taken.path.lossy(), taken.holder.name);
                return Err(NoneFree::SlugTaken(claim.space.clone(), taken.key.clone(), whose));
            }
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{
        diag::Holder,
        rule::{builtin_rules, spec::ChainSpec},
    };

    fn home(taken: &[(&str, &str, bool)]) -> Home {
        let one = |(raw, below, built_on): &(&str, &str, bool)| Taken {
            raw: (*raw).to_owned(),
            key: raw.trim_start_matches('0').to_owned(),
            space: String::new(),
            path: format!("r/{below}").as_str().into(),
            below: (*below).to_owned(),
            claim: 0,
            holder: Holder::head(None),
            built_on: *built_on,
            own: false,
            unit: None,
            variant: String::new(),
        };
        let taken: Arc<[Taken]> = taken.iter().map(one).collect();
        Home { root: "r".into(), partition: "r".into(), is_partition: false, group: None, taken }
    }

    fn search<'a>(rule: &'a Rule, home: &'a Home, slug: Option<&'a str>) -> Search<'a> {
        let now = jiff::Timestamp::constant(1_777_334_461, 0);
        Search { rule, home, bands: &[], slug, now, is_held: &|_, name| name == "5" }
    }

    fn rule(id: &str) -> &'static Rule {
        builtin_rules().iter().find(|rule| rule.id() == id).expect("it is built in")
    }

    #[test]
    fn every_built_in_rule_that_says_how_names_go_on_takes_what_it_says() {
        let empty = home(&[]);
        let mut count = 0;
        for rule in builtin_rules().iter().filter(|rule| rule.spec.next.is_some()) {
            let found = next(&search(rule, &empty, Some("add_users")), 2);
            let found = found.unwrap_or_else(|why| panic!("{}: {why:?}", rule.id()));
            assert!(found[0].raw != found[1].raw && found[0].path.starts_with("r/"), "{}: {found:?}", rule.id());
            assert!(found[0].path.contains("add_users"), "{}: {found:?}", rule.id());
            count += 1;
        }
        assert!(count >= 19, "{count}");
        let is_chain = |rule: &&Arc<Rule>| matches!(rule.claims[0].source, Source::Chain(ChainSpec::Alembic));
        let chain = builtin_rules().iter().find(is_chain).expect("Alembic's");
        assert_eq!(next(&search(chain, &empty, None), 1), Err(NoneFree::NoSeries));
        assert!(!can_be_held(chain) && can_be_held(rule("edge-functions")));
    }

    #[test]
    fn what_others_have_is_passed_over_and_does_not_carry_anybody_along() {
        let all = home(&[("0002", "0002-a.md", true), ("0003", "0003-b.md", false), ("0900", "0900-c.md", false)]);
        let found = next(&search(rule("adr-numbers"), &all, Some("x")), 2).expect("two are free");
        assert_eq!([&*found[0].path, &*found[1].path], ["r/0004-x.md", "r/0006-x.md"], "5 is held");
        let slug = next(&search(rule("golang-migrate"), &home(&[]), Some("a/b")), 1);
        assert_eq!(slug, Err(NoneFree::Slug("a/b".into())));
    }

    #[test]
    fn a_name_that_is_given_is_written_as_its_folder_does() {
        let all = home(&[("002", "002-a.md", true)]);
        let one = |raw: &str| given(&search(rule("adr-numbers"), &all, Some("x")), raw);
        let seven = Given { raw: "007".into(), key: "7".into(), space: String::new(), path: Some("r/007-x.md".into()) };
        assert_eq!((one("7"), one("007")), (Ok(seven.clone()), Ok(seven)));
        assert_eq!(one("0007").map(|one| one.raw), Ok("0007".into()));
        assert!(one("x").is_err() && one("").is_err() && one("2024").is_err(), "a year is no number");
    }
}
