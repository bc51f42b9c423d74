//! `gatekeep demo`: twelve agents, one afternoon, in a repository that is thrown away afterwards.

mod repository;
mod story;

use std::fmt::Write as _;

use tempfile::TempDir;

use self::repository::Repository;
use super::{PolicyArgs, output, policy};
use crate::{
    engine,
    error::Fatal,
    exit::Outcome,
    report::{Format, RenderOptions, Report, escape::terminal},
    source::{Untracked, WorkingTree},
};

/// Show the problem: twelve branches that git merges in silence, then a scan
///
/// Makes a throwaway repository in the folder for temporary files, with `git` and nothing of your configuration, and removes it
/// again. The exit status is 0 when the scan found what is there to find.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Leave the repository there and print its path
    #[arg(long)]
    keep: bool,
}

pub(super) fn run(args: &Args) -> Result<Outcome, Fatal> {
    let folder = tempfile::Builder::new().prefix("gatekeep-demo-").tempdir().map_err(temporary)?;
    let top = folder.path().canonicalize().map_err(temporary)?;
    let repository = Repository::make(&top)?;
    let mut text = introduction();
    super::print(text.as_bytes())?;
    for branch in story::BRANCHES {
        repository.merge(branch.name)?;
    }
    let report = scan(&repository)?;
    text =
        format!("git merged {} branches without a conflict.\n\nA scan of what came of it:\n\n", story::BRANCHES.len());
    super::print(text.as_bytes())?;
    let options = RenderOptions { human: output::human(false, false), allow_incomplete: false };
    output::write(&report, Format::Human, &[], &options)?;
    finish(folder, args.keep)?;
    let shown = report.findings.iter().any(|found| found.code == story::FOUND);
    Ok(if shown && report.complete() { Outcome::Pass } else { Outcome::Fail })
}

/// What everybody did.
fn introduction() -> String {
    let width = story::BRANCHES.iter().map(|branch| branch.name.len()).max().unwrap_or_default();
    let mut text = "Twelve agents work on one repository, each on a branch of its own:\n\n".to_owned();
    for branch in story::BRANCHES {
        let _ = writeln!(text, "  {:width$}  {}", branch.name, branch.path); // a String takes all
    }
    text.push('\n');
    text
}

/// The scan that anybody would run in the merged repository, whatever is configured around it.
fn scan(repository: &Repository<'_>) -> Result<Report, Fatal> {
    let top = repository.top();
    let missing = || Fatal::NoRepository { path: top.to_owned() };
    let tree = WorkingTree::open(top, Untracked::Included)?.ok_or_else(missing)?;
    let policy = policy::read(top, &PolicyArgs::default(), false)?;
    engine::run(&policy.plan(&tree, &[])?)
}

fn finish(folder: TempDir, keep: bool) -> Result<(), Fatal> {
    if !keep {
        return folder.close().map_err(temporary);
    }
    let path = folder.keep();
    super::print(format!("\nThe repository is in {}\n", terminal(path.to_string_lossy().as_bytes())).as_bytes())
}

fn temporary(source: std::io::Error) -> Fatal {
    Fatal::Output { path: "a temporary folder".into(), source }
}
