//! The examples of rule files, run as tests.

use std::sync::Arc;

use super::{Plan, environment, run};
use crate::{
    diag::{Holder, HolderKind, Severity},
    error::Fatal,
    report::Report,
    rule::{
        Rule,
        spec::{ExampleSpec, FilesSpec},
    },
    source::{MemoryTree, Tree},
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
    let report = if example.worktree.is_empty() {
        let tree = tree(&example.head);
        run(&Plan::plain(&tree, rules))?
    } else {
        between_worktrees(rules, example)
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

fn tree(files: &FilesSpec) -> MemoryTree {
    MemoryTree::new(files.0.iter().map(|(path, text)| (path.as_bytes(), text.as_bytes())))
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
