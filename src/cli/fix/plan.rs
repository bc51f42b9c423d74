//! From what collides to what is to be done about it.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use super::{
    found::{self, Found, Judge, yielding},
    pushed::Pushed,
};
use crate::{
    cli::names::{self, Looked},
    diag::{Diagnostic, RepoPath, Safety, Severity},
    error::Fatal,
    fix::{self, Chained, Draft, Moved, Renumber, Touched, WorkingFolder},
    report::Incomplete,
    reserve::{Board, Subject},
    rule::{
        Source,
        spec::{ChainSpec, Group},
    },
};

/// What is to be done, and what is not.
pub(super) struct Plan {
    pub(super) mended: Vec<Mended>,
    pub(super) left: Vec<Left>,
    /// All files that change, of all that is mended.
    pub(super) touched: Vec<Touched>,
    pub(super) gaps: Vec<Incomplete>,
}

/// Collisions of one rule and place that are mended together.
pub(super) struct Mended {
    pub(super) rule: String,
    pub(super) partition: String,
    pub(super) keys: BTreeSet<String>,
    pub(super) title: String,
    pub(super) safety: Safety,
    pub(super) files: BTreeSet<RepoPath>,
    /// What is left to do for a person.
    pub(super) then: Vec<String>,
}

/// A collision that stays.
pub(super) struct Left {
    pub(super) code: String,
    pub(super) partition: String,
    pub(super) key: String,
    pub(super) paths: BTreeSet<RepoPath>,
    pub(super) why: String,
}

impl Left {
    fn of(found: &Diagnostic, why: impl Into<String>) -> Self {
        Self {
            code: found.code.clone(),
            partition: found.partition.clone().unwrap_or_default(),
            key: found.key.clone().unwrap_or_default(),
            paths: found.sites.iter().map(|site| site.path.clone()).collect(),
            why: why.into(),
        }
    }
}

impl Plan {
    /// Adds what still collides afterwards, if nothing was said of it before.
    pub(super) fn left_over(&mut self, problems: &[Diagnostic]) {
        for found in problems.iter().filter(|found| found.severity == Severity::Error) {
            let one = Left::of(found, "it still collides: `gatekeep scan` tells more");
            let is_known =
                |left: &Left| (&left.code, &left.partition, &left.key) == (&one.code, &one.partition, &one.key);
            if !self.left.iter().any(is_known) {
                self.left.push(one);
            }
        }
    }
}

/// Plans it all. A group that can't be mended as a whole is left alone as a whole.
pub(super) fn plan(judge: &Judge<'_>, found: &Found) -> Result<Plan, Fatal> {
    let disk = WorkingFolder::new(judge.top);
    let mut draft = Draft::new(&disk);
    let mut made = Plan { mended: Vec::new(), left: Vec::new(), touched: Vec::new(), gaps: found.gaps.clone() };
    let mut groups: BTreeMap<(&str, &str), Vec<&Diagnostic>> = BTreeMap::new();
    for one in &found.problems {
        if yielding(one).next().is_none() {
            let why = "nobody has to give way: the two stand in one file, and only a person can choose another word";
            made.left.push(Left::of(one, why));
            continue;
        }
        groups.entry((one.rule(), one.partition.as_deref().unwrap_or_default())).or_default().push(one);
    }
    let pushed = Pushed::read(judge.git)?;
    for ((rule, partition), problems) in groups {
        let mut trial = draft.clone();
        match mend(judge, &mut trial, &pushed, rule, partition, &problems, &mut made.gaps)? {
            Ok(mended) => {
                // what one takes is not free for the next
                match trial.clone().finish() {
                    Ok(_) => {
                        draft = trial;
                        made.mended.push(mended);
                    }
                    Err(why) => made.left.extend(problems.iter().map(|one| Left::of(one, why.clone()))),
                }
            }
            Err(why) => made.left.extend(problems.iter().map(|one| Left::of(one, why.clone()))),
        }
    }
    for one in &found.old {
        let why = format!("it is on {} already, where it may have been applied", judge.trunk.name);
        made.left.push(Left::of(one, why));
    }
    let changed_meanwhile = |why| Fatal::NotFixed { why, help: "nothing was done; run `gatekeep fix` again".into() };
    made.touched = draft.finish().map_err(changed_meanwhile)?;
    Ok(made)
}

/// Mends the collisions of one rule in one place, or says why not.
fn mend(
    judge: &Judge<'_>,
    draft: &mut Draft<'_>,
    pushed: &Pushed<'_>,
    rule: &str,
    partition: &str,
    problems: &[&Diagnostic],
    gaps: &mut Vec<Incomplete>,
) -> Result<Result<Mended, String>, Fatal> {
    let args = judge.args.names();
    let looked = match names::look(rule, &args) {
        Ok(looked) => looked,
        Err(error) => return Ok(Err(error.to_string())),
    };
    gaps.extend(looked.gaps.iter().cloned());
    let files_before: BTreeSet<RepoPath> = draft.changed();
    let kind = looked.rule.rule.claims.iter().find_map(|claim| match claim.source {
        Source::Chain(kind) => Some(kind),
        _ => None,
    });
    let todo = match kind {
        Some(kind) => chain(judge, draft, &looked, kind, problems)?,
        None => numbers(judge, draft, &looked, partition, problems, gaps)?,
    };
    let todo = match todo {
        Ok(todo) => todo,
        Err(why) => return Ok(Err(why)),
    };
    let files: BTreeSet<RepoPath> = draft.changed().difference(&files_before).cloned().collect();
    if files.is_empty() {
        return Ok(Err("no other name or place would mend it: `gatekeep scan` tells more".into()));
    }
    let is_migration = looked.rule.rule.spec.group == Some(Group::Migrations);
    let mut own = BTreeSet::new();
    for path in files.iter().filter(|_| is_migration) {
        if !judge.is_merged(path)? {
            own.insert(path.clone());
        }
    }
    let branch = pushed.branch_with(&own)?;
    if let Some((path, branch)) = branch.as_ref().filter(|_| !judge.args.is_unsafe) {
        let why = format!(
            "`{}` is on {branch}, so a database may have applied it; where none has, `gatekeep fix --unsafe` renames it",
            path.lossy()
        );
        return Ok(Err(why));
    }
    Ok(Ok(Mended {
        rule: rule.to_owned(),
        partition: partition.to_owned(),
        keys: problems.iter().filter_map(|one| one.key.clone()).collect(),
        title: match kind {
            Some(_) => "let the later one come after what the base ends with".into(),
            None => "give the later one the next free name".into(),
        },
        safety: if branch.is_some() { Safety::Unsafe } else { Safety::Safe },
        files,
        then: todo,
    }))
}

/// Gives files other numbers. What is left to do for a person, or why it can't be done.
fn numbers(
    judge: &Judge<'_>,
    draft: &mut Draft<'_>,
    looked: &Looked,
    partition: &str,
    problems: &[&Diagnostic],
    gaps: &mut Vec<Incomplete>,
) -> Result<Result<Vec<String>, String>, Fatal> {
    let rule = &*looked.rule.rule;
    let board = board(judge, looked, gaps)?;
    let now = Timestamp::now();
    let is_held = |partition: &str, space: &str, name: &str| {
        let subject = Subject { namespace: rule.id(), partition, space, name };
        board.holds(&subject.reference(), now.as_second())
    };
    let mut giving_way: BTreeSet<(RepoPath, String)> = BTreeSet::new();
    for one in problems {
        let key = one.key.clone().unwrap_or_default();
        giving_way.extend(found::yielding(one).map(|path| (path.clone(), key.clone())));
    }
    let bands = looked.agent.bands();
    let asked = Renumber {
        rule,
        names: &looked.names,
        partition,
        yielding: &giving_way,
        bands: &bands,
        now,
        is_held: &is_held,
    };
    let moved: Vec<Moved> = match fix::renumber(&asked) {
        Ok(moved) => moved,
        Err(why) => return Ok(Err(why)),
    };
    // a file that git can't tell of stays where it is
    let is_merged = |path: &RepoPath| judge.is_merged(path).unwrap_or(true);
    Ok(fix::follow(draft, rule.id(), &moved, &is_merged))
}

/// Joins chains. What is left to do for a person, or why it can't be done.
fn chain(
    judge: &Judge<'_>,
    draft: &mut Draft<'_>,
    looked: &Looked,
    kind: ChainSpec,
    problems: &[&Diagnostic],
) -> Result<Result<Vec<String>, String>, Fatal> {
    let sites = || problems.iter().flat_map(|found| &found.sites);
    let mut folders: BTreeSet<Vec<u8>> = sites().map(|site| site.path.parent().to_vec()).collect();
    if kind == ChainSpec::Drizzle {
        folders.extend(folders.clone().iter().map(|folder| [folder, &b"/meta"[..]].concat()));
    }
    let ending: &[u8] = if kind == ChainSpec::Drizzle { b".json" } else { b".py" };
    let is_module = |path: &RepoPath| path.as_bytes().ends_with(ending);
    let base = match judge.base_files(&|path| folders.contains(path.parent()) && is_module(path))? {
        Ok(base) => base,
        Err(why) => return Ok(Err(why)),
    };
    let mut own = Vec::new();
    for folder in &folders {
        let files = match draft.disk().list(folder, false) {
            Ok(files) => files,
            Err(why) => return Ok(Err(why)),
        };
        for path in files.into_iter().filter(is_module) {
            if !judge.is_merged(&path)? {
                own.push(path);
            }
        }
    }
    let is_in_chain = |path: &RepoPath| folders.contains(path.parent()) && is_module(path);
    // Drizzle's journal is one file for all
    let merged = looked.changed.iter().find(|one| one.old.is_some() && is_in_chain(&one.path));
    if let Some(merged) = merged.filter(|_| kind != ChainSpec::Drizzle) {
        let path = merged.path.lossy();
        return Ok(Err(format!("the change edits or removes `{path}`, which is merged: put it back first")));
    }
    let names_others =
        |path: &RepoPath| is_module(path) && path.parent().ends_with(b"migrations") && !own.contains(path);
    let there = looked.changed.iter().filter(|one| one.new.is_some()).map(|one| &one.path);
    let changed: Vec<RepoPath> = there.filter(|path| names_others(path)).cloned().collect();
    let label = problems[0].key.as_deref().unwrap_or_default();
    Ok(fix::rechain(draft, kind, &Chained { base: &base, own: &own, changed: &changed, label }))
}

/// What is reserved on the remote.
fn board(judge: &Judge<'_>, looked: &Looked, gaps: &mut Vec<Incomplete>) -> Result<Board, Fatal> {
    if judge.args.offline {
        return Ok(Board::default());
    }
    Ok(names::board(looked, &judge.args.names())?.unwrap_or_else(|failed| {
        let what = "which names are reserved".to_owned();
        gaps.push(Incomplete { what, why: format!("{}; `--offline` does without", failed.why) });
        Board::default()
    }))
}
