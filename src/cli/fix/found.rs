//! What collides: in the change, and on the base already.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use super::Args;
use crate::{
    cli::{
        fleet::{self, FleetArgs},
        policy, scan,
        told::Told,
    },
    diag::{Diagnostic, Holder, HolderKind, RepoPath, Severity},
    engine,
    error::Fatal,
    report::Incomplete,
    rule,
    source::{Git, Tree, Trunk},
};

/// What is judged.
#[derive(Clone, Copy)]
pub(super) struct Judge<'a> {
    pub(super) args: &'a Args,
    pub(super) git: &'a Git,
    pub(super) top: &'a Path,
    pub(super) here: &'a PathBuf,
    pub(super) trunk: &'a Trunk,
}

/// Files with their contents, or why there are none.
type BaseFiles = Result<Vec<(RepoPath, Vec<u8>)>, String>;

/// What was found.
pub(super) struct Found {
    /// Collisions that the change brings about.
    pub(super) problems: Vec<Diagnostic>,
    /// Collisions that the base has.
    pub(super) old: Vec<Diagnostic>,
    pub(super) gaps: Vec<Incomplete>,
}

impl Judge<'_> {
    /// Judges the change as `scan --base` does, and the working tree by itself for what collides on the base.
    pub(super) fn judge(&self) -> Result<Found, Fatal> {
        let Self { args, git, top, here, trunk } = *self;
        let fleet = FleetArgs {
            base: Some(args.base.clone().unwrap_or_else(|| trunk.name.clone())),
            agent: args.agent.clone(),
            ..FleetArgs::default()
        };
        let told = Told::default();
        let asked = fleet::Asked { fleet: &fleet, policy: &args.policy, only: &args.only, tracked: false, told: &told };
        let (mut change, ..) = fleet::judge(git, here, &asked)?;
        let (tree, _) = scan::open(here, false)?;
        let policy = policy::read(top, &args.policy, false)?;
        let mut tree = engine::run(&policy.plan(&*tree, &args.only)?)?;
        let shown = scan::shown(&args.paths, here, top)?;
        scan::filter(&mut change, &shown);
        scan::filter(&mut tree, &shown);
        let problems: Vec<Diagnostic> = change.findings.into_iter().filter(counts).collect();
        let known: BTreeSet<_> = problems.iter().map(name).collect();
        let mut old = Vec::new();
        for found in tree.findings.into_iter().filter(counts).filter(|found| !known.contains(&name(found))) {
            let mut is_old = true;
            for site in &found.sites {
                is_old &= self.is_merged(&site.path)?;
            }
            old.extend(is_old.then_some(found));
        }
        Ok(Found { problems, old, gaps: [change.incomplete, tree.incomplete].concat() })
    }

    /// Files of the base, each with its content; or why one can't be read.
    pub(super) fn base_files(&self, is_wanted: &dyn Fn(&RepoPath) -> bool) -> Result<BaseFiles, Fatal> {
        let tree = self.git.remembered_tree(self.trunk.commit, Holder::head(None))?;
        let mut files = Vec::new();
        for entry in tree.list(&rule::all_files())?.entries.iter().filter(|entry| is_wanted(&entry.path)) {
            match tree.read(entry, engine::PARSED_LIMIT) {
                Ok(bytes) => files.push((entry.path.clone(), bytes)),
                Err(error) => return Ok(Err(format!("`{}` can't be read on the base: {error}", entry.path.lossy()))),
            }
        }
        Ok(Ok(files))
    }

    /// Whether the base has a file.
    pub(super) fn is_merged(&self, path: &RepoPath) -> Result<bool, Fatal> {
        Ok(self.git.at(self.trunk.commit, path.as_bytes())?.is_some())
    }
}

/// Whether a finding says that two can't stand together, and that somebody has to do something about it.
fn counts(found: &Diagnostic) -> bool {
    let is_kind = matches!(found.code.rsplit('/').next(), Some("duplicate" | "forked"));
    is_kind && found.suppressed.is_none() && found.severity > Severity::Note && found.namespace.is_some()
}

/// What a collision is called, whoever takes part in it.
pub(super) fn name(found: &Diagnostic) -> (String, Option<String>, Option<String>) {
    (found.code.clone(), found.partition.clone(), found.key.clone())
}

/// The files of the head that have to give way.
pub(super) fn yielding(found: &Diagnostic) -> impl Iterator<Item = &RepoPath> {
    let of_head = found.sites[..found.yields].iter().filter(|site| site.holder.kind == HolderKind::Head);
    of_head.map(|site| &site.path)
}
