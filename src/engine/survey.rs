//! Which namespaces live in a tree, and how many names each holds.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Plan,
    locate::joined,
    read::{Pass, path_found},
    run_with,
};
use crate::{claim::Marks, error::Fatal, report::Report, rule::Source};

/// A set of names of which each may be taken once, as found in a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Namespace {
    /// The id of the rule.
    pub rule: String,
    /// Where it lives, relative to the repository; `.` is the whole of it.
    pub partition: String,
    /// How many different names are taken.
    pub names: usize,
    /// How many files take them.
    pub files: usize,
}

/// Judges a tree as [`run`](super::run) does, and says on the way which namespaces live in it: by rule, then by partition.
///
/// # Errors
/// As for [`run`](super::run).
pub fn survey(plan: &Plan<'_>) -> Result<(Report, Vec<Namespace>), Fatal> {
    let mut found = Vec::new();
    let report = run_with(plan, |pass, marks| found = namespaces(pass, marks))?;
    Ok((report, found))
}

/// What tells one name from another. Names in paths are spelt out: a mark tells the up file from the down file, which share one.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Taken {
    Name(String, String),
    Hash(u64),
    File(u32),
}

#[derive(Default)]
struct Counted {
    names: BTreeSet<Taken>,
    files: BTreeSet<u32>,
}

fn namespaces(pass: &Pass<'_>, marks: &Marks) -> Vec<Namespace> {
    let mut counted: BTreeMap<(u16, String), Counted> = BTreeMap::new();
    let mut add = |at: u32, group: Option<&str>, taken: Taken| {
        let item = &pass.items[at as usize];
        let partition = group.map_or_else(|| item.partition.to_string(), |group| joined(&item.partition, group));
        let place = counted.entry((item.rule, partition)).or_default();
        place.names.insert(taken);
        place.files.insert(item.entry);
    };
    for (at, item) in (0..).zip(pass.items) {
        let claim = pass.claim(item);
        match &claim.source {
            Source::Path(_) => {
                let namer = pass.namer(item);
                let found = path_found(claim, &item.below);
                if let Some(name) = namer.name(&found) {
                    let taken = Taken::Name(claim.space.clone(), name.key.clone().into_owned());
                    add(at, name.group.as_deref(), taken);
                }
            }
            Source::Chain(_) => add(at, None, Taken::File(item.entry)), // a link of the chain each
            _ => {}
        }
    }
    for mark in marks.iter().filter(|mark| !pass.claim(&pass.items[mark.item as usize]).is_path()) {
        add(mark.item, None, Taken::Hash(mark.hash));
    }
    let rule = |at: u16| pass.plan.rules[usize::from(at)].rule.id().to_owned();
    let mut all: Vec<Namespace> = counted
        .into_iter()
        .map(|((at, partition), counted)| Namespace {
            rule: rule(at),
            partition,
            names: counted.names.len(),
            files: counted.files.len(),
        })
        .collect();
    all.sort_by(|a, b| (&a.rule, &a.partition).cmp(&(&b.rule, &b.partition)));
    all
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::{rule::load, source::MemoryTree};

    const OWN: &str = r#"
schema   = 1
id       = "own"
summary  = "One number each"
severity = "error"

[root]
marker = "own.toml"

[[claim]]
path    = 'list/(?<key>[0-9]+)\.(?<variant>up|down)'
compare = "number"
variant = "{variant}"
unit    = "{key}"

[policy]
unique = true

[[example]]
name  = "two spellings of one number"
head  = ["own.toml", "list/1.up", "list/01.up"]
finds = ["duplicate 1"]
"#;

    #[test]
    fn names_are_counted_as_the_rule_compares_them_for_each_place_and_the_run_is_the_same() {
        let rules = load(&[("own.toml".into(), OWN.into())], false).unwrap();
        let paths = ["a/own.toml", "a/list/1.up", "a/list/1.down", "a/list/2.up", "b/own.toml", "b/list/01.up", "b/x"];
        let tree = MemoryTree::new(paths.iter().map(|path| (path.as_bytes(), &b""[..])));
        let plan = Plan::plain(&tree, &rules);
        let (report, found) = survey(&plan).unwrap();
        assert_eq!(report, crate::engine::run(&plan).unwrap());
        let namespace =
            |partition: &str, names, files| Namespace { rule: "own".into(), partition: partition.into(), names, files };
        assert_eq!(found, [namespace("a/list", 2, 3), namespace("b/list", 1, 1)]);
    }
}
