//! The examples of rule files, run as tests.

use std::{collections::BTreeMap, sync::Arc};

use super::{Fleet, History, Plan, environment, run};
use crate::{
    config::{Level, Levels},
    diag::{Holder, HolderKind, RepoPath, Severity},
    error::Fatal,
    report::Report,
    rule::{
        Rule,
        spec::{ExampleSpec, FilesSpec},
    },
    source::{Line, MemoryTree, Tree, Version},
};

/// What went wrong with an example.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// Findings that were expected and did not come.
    pub missing: Vec<String>,
    /// Findings, or gaps, that came and were not expected.
    pub extra: Vec<String>,
}

/// Runs one example with all rules. Findings of the rule itself must be exactly those of the example; other rules stay silent or note.
///
/// # Errors
/// What a run as a whole can fail with.
pub fn check(rules: &[Arc<Rule>], rule: &Rule, example: &ExampleSpec) -> Result<Option<Mismatch>, Fatal> {
    let asked: Vec<String> = example.warn.iter().map(|kind| format!("{}/{kind}", rule.id())).collect();
    let levels = Levels::new([], asked.iter().map(|code| (code.as_str(), Level::Warning)));
    let report = match (&example.base, example.worktree.is_empty()) {
        (Some(base), true) => between_lines(rules, example, &base.0, levels)?,
        (None, true) => run(&Plan { levels, ..Plan::plain(&tree(&example.head), rules) })?,
        (_, false) => between_worktrees(rules, example),
    };
    let mut missing = example.finds.clone();
    let mut extra = Vec::new();
    for found in &report.findings {
        let kind = found.code.split_once('/').map_or("", |(_, kind)| kind);
        let short = format!("{kind} {}", found.key.as_deref().unwrap_or_default());
        let long = format!("{} {short}", found.severity);
        let wanted = missing.iter().position(|want| *want == short || *want == long);
        match wanted.filter(|_| found.rule() == rule.id()) {
            Some(at) => {
                missing.remove(at);
            }
            None if found.rule() == rule.id() => extra.push(long),
            None if found.severity > Severity::Note => extra.push(format!("{} of {}", long, found.rule())),
            None => {}
        }
    }
    let gaps: Vec<String> = report.incomplete.iter().map(|gap| gap.what.clone()).collect();
    if gaps != example.incomplete {
        extra.extend(report.incomplete.iter().map(|gap| format!("incomplete {}: {}", gap.what, gap.why)));
        missing.extend(
            example.incomplete.iter().filter(|want| !gaps.contains(want)).map(|want| format!("incomplete {want}")),
        );
    }
    Ok((!missing.is_empty() || !extra.is_empty()).then_some(Mismatch { missing, extra }))
}

/// Lines of work against the files of a trunk.
fn between_lines(
    rules: &[Arc<Rule>],
    example: &ExampleSpec,
    base: &BTreeMap<String, String>,
    levels: Levels,
) -> Result<Report, Fatal> {
    let mut trunk = MemoryTree::new(bytes(base));
    let lines = lines_of(example, base, &mut trunk);
    let nothing = MemoryTree::default();
    let mut plan = Plan { levels, ..Plan::plain(&nothing, rules) };
    let head = lines.iter().position(|line| line.holder.kind == HolderKind::Head);
    plan.fleet = Some(Fleet {
        trunk: &trunk,
        target: "main".to_owned(),
        commit: None,
        lines,
        crossed: std::collections::BTreeSet::new(),
        is_change: head.is_some(),
        head,
        worktrees: Vec::new(),
        environment: Vec::new(),
        history: &Apart,
        by_code: None,
        contention: false,
        conflicts: false,
        notes_old: false,
        calls: true,
        incomplete: Vec::new(),
        skipped: Vec::new(),
    });
    run(&plan)
}

/// The branches of examples have nothing in common but the trunk.
pub(crate) struct Apart;

impl History for Apart {
    fn merge_text(&self, _: Option<gix::ObjectId>, _: &RepoPath, texts: [&[u8]; 3]) -> Option<Vec<u8>> {
        crate::source::merge_plain_text(texts)
    }
    fn merges(
        &self,
        _: &[Line],
        _: &[(u32, u32)],
        _: Option<gix::ObjectId>,
        _: &crate::source::ReadVersion<'_>,
    ) -> crate::source::Merges {
        crate::source::Merges::default()
    }
    fn merge_base(&self, _: gix::ObjectId, _: gix::ObjectId) -> Result<Option<gix::ObjectId>, String> {
        Ok(None)
    }
    fn at(&self, _: gix::ObjectId, _: &RepoPath) -> Result<Option<Version>, String> {
        Ok(None)
    }
}

fn bytes(files: &BTreeMap<String, String>) -> impl Iterator<Item = (&[u8], &[u8])> {
    files.iter().map(|(path, text)| (path.as_bytes(), text.as_bytes()))
}

/// The branches, the older ones first, and the head as the youngest of all.
fn lines_of(example: &ExampleSpec, base: &BTreeMap<String, String>, trunk: &mut MemoryTree) -> Vec<Line> {
    let line = |holder: Holder, started: usize, changes| Line {
        branch: (holder.kind == HolderKind::Branch).then(|| holder.name.clone()),
        holder,
        number: None,
        tip: None,
        fork: None,
        own: Vec::new(),
        started: Some(started as i64),
        changes,
    };
    let mut lines = Vec::new();
    for (number, (name, files)) in example.branch.iter().enumerate() {
        let mut all = base.clone();
        all.extend(files.0.clone());
        all.retain(|path, _| !example.removes.get(name).is_some_and(|gone| gone.contains(path)));
        let holder = Holder { kind: HolderKind::Branch, name: name.clone(), commit: None };
        lines.push(line(holder, number, trunk.changes(bytes(&all))));
    }
    if !example.head.0.is_empty() {
        lines.push(line(Holder::head(None), lines.len(), trunk.changes(bytes(&example.head.0))));
    }
    lines
}

fn tree(files: &FilesSpec) -> MemoryTree {
    MemoryTree::new(bytes(&files.0))
}

/// Rules between worktrees, over those of the example.
fn between_worktrees(rules: &[Arc<Rule>], example: &ExampleSpec) -> Report {
    let trees: Vec<(Holder, MemoryTree)> = example
        .worktree
        .iter()
        .map(|(name, files)| (Holder { kind: HolderKind::Worktree, name: name.clone(), commit: None }, tree(files)))
        .collect();
    let worktrees: Vec<(Holder, &dyn Tree)> =
        trees.iter().map(|(holder, tree)| (holder.clone(), tree as &dyn Tree)).collect();
    environment::report(rules, &worktrees)
}
