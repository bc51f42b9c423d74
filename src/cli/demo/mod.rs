//! `gatekeep demo`: twelve agents, one afternoon, in a repository that is thrown away afterwards.

mod repository;
mod story;

use std::fmt::Write as _;

use tempfile::TempDir;

use self::repository::Repository;
use super::{
    PolicyArgs,
    fleet::{self, Asked, FleetArgs},
    output,
    told::Told,
};
use crate::{
    error::Fatal,
    exit::Outcome,
    report::{Format, RenderOptions, Report, escape::terminal},
    source::Git,
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
    super::print(introduction().as_bytes())?;
    super::print(b"Nothing is merged yet. What `gatekeep scan --branches 'agent/*'` says:\n\n")?;
    let report = scan(&repository)?;
    let options = RenderOptions { human: output::human(false, false), ..RenderOptions::default() };
    output::write(&report, Format::Human, &[], &options)?;
    for branch in story::BRANCHES {
        repository.merge(branch.name)?;
    }
    let text = format!(
        "\ngit has now merged {} branches without a conflict: nothing would have stopped them.\n",
        story::BRANCHES.len()
    );
    super::print(text.as_bytes())?;
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

/// The scan that anybody would run before merging, whatever is configured around it.
fn scan(repository: &Repository<'_>) -> Result<Report, Fatal> {
    let top = repository.top();
    let git = Git::open(top)?.ok_or_else(|| Fatal::NoRepository { path: top.to_owned() })?;
    let fleet = FleetArgs { branches: vec!["agent/*".into()], base: None, ..FleetArgs::default() };
    let policy = PolicyArgs::default();
    let told = Told::default();
    let asked = Asked { fleet: &fleet, policy: &policy, only: &[], tracked: false, told: &told };
    Ok(fleet::judge(&git, top, &asked)?.0)
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
