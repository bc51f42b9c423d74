//! A tree by itself for the code rules that judge one.

use std::{
    io,
    sync::{Arc, OnceLock},
};

use super::{guarded, settle};
use crate::{
    diag::{Diagnostic, RepoPath},
    engine::{Gaps, PARSED_LIMIT, Plan},
    report::Skipped,
    rule::{
        self,
        change::{Files, Said, Standing},
        code,
    },
    source::{Entry, EntryKind, Listing, Tree},
};

/// All paths of a tree, sorted.
///
/// # Errors
/// The tree, or a folder of it, can't be listed.
pub(super) fn all_paths(tree: &dyn Tree) -> Result<Vec<RepoPath>, String> {
    Ok(all_entries(tree)?.into_iter().map(|entry| entry.path).collect())
}

fn all_entries(tree: &dyn Tree) -> Result<Vec<Entry>, String> {
    let Listing { entries, incomplete, .. } = tree.list(&rule::all_files()).map_err(|fatal| fatal.to_string())?;
    match incomplete.first() {
        Some(gap) => Err(format!("{}: {}", gap.what, gap.why)),
        None => Ok(entries),
    }
}

/// The files of a tree, listed once somebody asks.
struct Listed<'a> {
    plan: &'a Plan<'a>,
    entries: OnceLock<Result<(Vec<RepoPath>, Vec<Entry>), String>>,
}

impl Listed<'_> {
    fn all(&self) -> Result<&(Vec<RepoPath>, Vec<Entry>), String> {
        let list = || {
            let entries = all_entries(self.plan.tree)?;
            Ok((entries.iter().map(|entry| entry.path.clone()).collect(), entries))
        };
        self.entries.get_or_init(list).as_ref().map_err(Clone::clone)
    }

    fn file(&self, path: &RepoPath) -> io::Result<Option<&Entry>> {
        let (paths, entries) = self.all().map_err(io::Error::other)?;
        let found = paths.binary_search(path).ok().map(|at| &entries[at]);
        Ok(found.filter(|entry| entry.kind == EntryKind::File))
    }
}

impl Files for Listed<'_> {
    fn paths(&self) -> Result<&[RepoPath], String> {
        self.all().map(|(paths, _)| paths.as_slice())
    }

    fn read(&self, path: &RepoPath) -> io::Result<Option<Arc<[u8]>>> {
        self.file(path)?.map(|entry| self.plan.tree.read(entry, PARSED_LIMIT).map(Arc::from)).transpose()
    }

    fn size(&self, path: &RepoPath) -> io::Result<Option<u64>> {
        let Some(entry) = self.file(path)? else { return Ok(None) };
        match self.plan.tree.size(entry) {
            Some(size) => Ok(Some(size)),
            None => self.plan.tree.read(entry, PARSED_LIMIT).map(|bytes| Some(bytes.len() as u64)),
        }
    }

    fn last_touched(&self, paths: &[RepoPath], oldest: i64) -> Result<Vec<Option<i64>>, String> {
        match &self.plan.past {
            Some(past) => past.history.last_touched(past.commit, paths, oldest),
            None => Err("there is no history of git here".into()),
        }
    }
}

/// What the code rules say of the tree by itself, levels applied. Only a configuration asks for something of a whole tree.
pub(in crate::engine) fn standing(plan: &Plan<'_>, gaps: &Gaps) -> (Vec<Diagnostic>, Vec<Skipped>) {
    let Some(config) = &plan.config else { return Default::default() };
    let files = Listed { plan, entries: OnceLock::new() };
    let standing = Standing { holder: plan.tree.holder(), config, files: &files, now: plan.now };
    let mut said = Said::default();
    for judge in code::tree_rules().iter().filter(|judge| plan.code.contains(&judge.rule.id)) {
        said.extend(guarded(judge.rule.id, || (judge.judge)(&standing)));
    }
    settle(said, &plan.levels, gaps)
}
