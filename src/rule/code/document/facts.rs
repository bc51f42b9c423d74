//! What a document states of its change, held against the change.

mod stated;

use std::{collections::BTreeSet, ops::Range};

use serde_json::Value;
use stated::stated;

use super::{CONTRADICTED, Read, finding};
use crate::{
    config::change::{Document, Fact},
    diag::{Confidence, RepoPath},
    rule::{
        change::{Change, Said},
        place::{at_span, paths_listed, shortened},
    },
    text::count::number_of,
};

/// What was found out of a change beside its files.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// How many tests it adds and takes away; none where they could not all be counted.
    pub tests: Option<TestCounts>,
}

/// Tests, after those that moved were found again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TestCounts {
    /// New ones.
    pub added: u64,
    /// Ones that are gone.
    pub deleted: u64,
    /// Ones that ran before and are skipped now.
    pub skipped: u64,
}

/// What is so, in as many shades as a document may mean.
enum Truth {
    Count(u64),
    /// Paths that have to be named, and paths that may be.
    Paths {
        must: BTreeSet<RepoPath>,
        may: BTreeSet<RepoPath>,
    },
    /// Things of one or more files each, of which one has to be named: a migration, with the one that undoes it.
    Groups(Vec<Vec<RepoPath>>),
}

pub(super) fn judge(change: &Change<'_>, table: &Document, facts: &Facts, read: &Read, said: &mut Said) {
    for (fact, query) in &table.facts {
        for record in &read.records {
            let stated = match stated(record, query) {
                Ok(stated) => stated,
                Err(error) => {
                    said.gap(read.site.path.lossy(), format!("what it states of `{}`: {error}", fact.word()));
                    continue;
                }
            };
            for (span, value) in stated {
                let Some(truth) = truth(change, table, facts, *fact) else {
                    let why = format!("it states `{}`, and that could not be counted in this change", fact.word());
                    said.gap(read.site.path.lossy(), why);
                    continue;
                };
                if let Some(wrong) = truth.contradiction(&value) {
                    contradict(read, *fact, (&query.written, span), &wrong, &truth, said);
                }
            }
        }
    }
}

fn contradict(
    read: &Read,
    fact: Fact,
    (query, span): (&str, Range<usize>),
    wrong: &str,
    truth: &Truth,
    said: &mut Said,
) {
    let message = format!(
        "`{}` states {wrong} at `{query}`, and the change {}. Whoever believes the report believes something that did not happen.",
        read.site.path.lossy(),
        truth.told(fact)
    );
    let mut site = read.site.clone();
    at_span(&mut site, &read.bytes, span);
    let mut found = finding(CONTRADICTED, message, site, Some(fact.word()));
    if matches!(fact, Fact::TestsAdded | Fact::TestsDeleted | Fact::TestsSkipped) {
        found.confidence = Confidence::Medium; // a test that is made by code is not seen
    }
    said.findings.push(found);
}

fn truth(change: &Change<'_>, table: &Document, facts: &Facts, fact: Fact) -> Option<Truth> {
    Some(match fact {
        Fact::TestsAdded => Truth::Count(facts.tests?.added),
        Fact::TestsDeleted => Truth::Count(facts.tests?.deleted),
        Fact::TestsSkipped => Truth::Count(facts.tests?.skipped),
        Fact::MigrationsAdded => Truth::Groups(change.migrations?.to_vec()),
        Fact::FilesChanged => {
            let may: BTreeSet<RepoPath> = change.files.iter().map(|file| file.path.clone()).collect();
            // whether a report counts itself, or a move once or twice, is a matter of taste
            let must =
                change.files.iter().filter(|file| !table.paths.matches(file.path.as_bytes()) && file.to.is_none());
            Truth::Paths { must: must.map(|file| file.path.clone()).collect(), may }
        }
    })
}

impl Truth {
    /// What of a stated value is not so: the value itself, for a message.
    fn contradiction(&self, value: &Value) -> Option<String> {
        let stated = match value {
            Value::Array(items) => return self.list(items),
            Value::Number(number) => number.as_f64(),
            Value::String(text) => text.trim().parse().ok(),
            _ => None,
        };
        let is_so = stated.is_some_and(|stated| match self {
            Self::Count(count) => stated == *count as f64,
            Self::Paths { must, may } => {
                (must.len() as f64..=may.len() as f64).contains(&stated) && stated.fract() == 0.0
            }
            Self::Groups(groups) => {
                let files: usize = groups.iter().map(Vec::len).sum();
                (groups.len() as f64..=files as f64).contains(&stated) && stated.fract() == 0.0
            }
        });
        (!is_so).then(|| shortened(&value.to_string(), 80))
    }

    fn list(&self, items: &[Value]) -> Option<String> {
        let paths: BTreeSet<RepoPath> = items
            .iter()
            .map(|item| {
                let text = item.as_str().map_or_else(|| item.to_string(), str::to_owned);
                RepoPath::from(text.strip_prefix("./").unwrap_or(&text))
            })
            .collect();
        let (lacking, invented): (Vec<&RepoPath>, Vec<&RepoPath>) = match self {
            Self::Count(count) => return (items.len() as u64 != *count).then(|| format!("a list of {}", items.len())),
            Self::Paths { must, may } => (must.difference(&paths).collect(), paths.difference(may).collect()),
            Self::Groups(groups) => {
                let lacks = |group: &&Vec<RepoPath>| !group.iter().any(|path| paths.contains(path));
                let is_known = |path: &&RepoPath| groups.iter().any(|group| group.contains(path));
                let lacking = groups.iter().filter(lacks).filter_map(|group| group.first()).collect();
                (lacking, paths.iter().filter(|path| !is_known(path)).collect())
            }
        };
        match (lacking.is_empty(), invented.is_empty()) {
            (true, true) => None,
            (true, false) => Some(format!("{} beside what is so", paths_listed(invented.into_iter()))),
            (false, true) => Some(format!("a list without {}", paths_listed(lacking.into_iter()))),
            (false, false) => {
                Some(format!("{} instead of {}", paths_listed(invented.into_iter()), paths_listed(lacking.into_iter())))
            }
        }
    }

    fn told(&self, fact: Fact) -> String {
        let count = match self {
            Self::Count(count) => *count,
            Self::Paths { may, .. } => may.len() as u64,
            Self::Groups(groups) => groups.len() as u64,
        };
        match fact {
            Fact::TestsAdded => format!("adds {}", number_of(count, "test")),
            Fact::TestsDeleted => format!("deletes {}", number_of(count, "test")),
            Fact::TestsSkipped => format!("skips {}", number_of(count, "test")),
            Fact::FilesChanged => format!("touches {}", number_of(count, "file")),
            Fact::MigrationsAdded => format!("adds {}", number_of(count, "migration")),
        }
    }
}
