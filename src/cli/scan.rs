//! `gatekeep scan`.

use std::{
    io::Write,
    path::{Path, PathBuf},
};

use super::{
    PolicyArgs,
    fleet::{self, FleetArgs},
    github::GitHub,
    output, policy,
    progress::Progress,
    told::{self, Told},
};
use crate::{
    engine::{self, TreePast},
    error::Fatal,
    exit::{FailOn, Outcome},
    report::{Format, RenderOptions, Report},
    source::{Git, PlainFolder, Tree, Untracked, WorkingTree},
};

/// Say which names are taken twice: in the working tree, in a change, or between branches and worktrees
///
/// Without options it reads the tracked and untracked files of the working tree; ignored ones don't count, and it works in a folder
/// without git too. With --base, --head or --staged it judges a change against the tip of its trunk; with --branches, --worktrees or
/// --fleet also what other lines of work have in hand, merged or not. All paths are relative to the top of the repository.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Show only findings with a site in these files or folders; everything is still read
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Run these rules alone; repeats, or takes a list with commas
    #[arg(long, value_name = "RULE", value_delimiter = ',')]
    only: Vec<String>,
    /// Don't look for untracked files
    #[arg(long)]
    tracked: bool,
    /// How many threads to use [default: one a core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,
    /// What standard output gets
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "human", help_heading = "Report")]
    format: Format,
    /// Write a further report to a file, such as json=report.json; repeats
    #[arg(long, value_name = "FORMAT=PATH", help_heading = "Report")]
    output: Vec<output::FormatFile>,
    /// Print findings and gaps only
    #[arg(short, long, conflicts_with = "verbose", help_heading = "Report")]
    quiet: bool,
    /// Show suppressed findings and all sites too
    #[arg(short, long, help_heading = "Report")]
    verbose: bool,
    /// Print what was read, counted, to standard error
    #[arg(long, help_heading = "Report")]
    stats: bool,
    /// Exit 1 on findings of this severity or above [default: error, or as configured]
    #[arg(long, value_enum, value_name = "SEVERITY", help_heading = "Exit status")]
    fail_on: Option<FailOn>,
    /// Exit 0 instead of 3 when something could not be looked at
    #[arg(long, help_heading = "Exit status")]
    allow_incomplete: bool,
    #[command(flatten)]
    fleet: FleetArgs,
    #[command(flatten)]
    policy: PolicyArgs,
}

const EXAMPLES: &str = "\
Examples:
  gatekeep scan                                      the whole repository
  gatekeep scan apps/web                             only what concerns this folder
  gatekeep scan --base main                          this change: uncommitted files too, held against main
  gatekeep scan --branches 'agent/*'                 all these branches, before they are merged
  gatekeep scan --fleet                              every branch and worktree at once
  gatekeep scan --staged                             what a commit would hold, for a pre-commit hook
  gatekeep scan --only goose --format json           one rule, for a program
  gatekeep scan --format github --output json=FILE   annotations, and a file beside them
  gatekeep scan --output html=report.html            a page for a browser too
  gatekeep scan -W sitemap-urls --fail-on warning    one rule as warnings, which then fail";

pub(super) fn run(args: Args) -> Result<Outcome, Fatal> {
    super::use_threads(args.threads)?;
    if args.fleet.reservations.is_some() && !args.fleet.any() {
        let help = "add what is held against them: `--base REF`, `--staged` or `--fleet`".to_owned();
        let (what, word) = ("an option of its own".to_owned(), "--reservations".to_owned());
        return Err(Fatal::Unfit { what, word, why: "nothing is held against what is reserved".into(), help });
    }
    let here = policy::here()?;
    let start = start(&here, &args.paths)?;
    let progress = Progress::start("reading", args.quiet);
    let (mut report, stats, fail_on, top) = match args.fleet.any() {
        true => {
            let git = Git::discover(&start)?.ok_or_else(|| Fatal::NoRepository { path: start.clone() })?;
            of_lines(&args, &git, &start)?
        }
        false => of_tree(&args, &start)?,
    };
    drop(progress);
    let shown = shown(&args.paths, &here, &top)?;
    if !args.only.is_empty() {
        report.skipped.push(engine::only(&args.only));
        report.sort();
    }
    filter(&mut report, &shown);
    let fail_on = args.fail_on.or(fail_on).unwrap_or_default();
    let options = RenderOptions {
        human: output::human(args.verbose, args.quiet),
        allow_incomplete: args.allow_incomplete,
        fail_on,
    };
    output::write(&report, args.format, &args.output, &options)?;
    if args.stats {
        let _ = write!(std::io::stderr().lock(), "{stats}"); // nobody's verdict
    }
    Ok(Outcome::of(&report, fail_on, args.allow_incomplete))
}

/// Judges lines of work; GitHub is asked only for its pull requests.
fn of_lines(args: &Args, git: &Git, start: &Path) -> Result<fleet::Done, Fatal> {
    let asks_github = args.fleet.pull_requests || args.fleet.fleet;
    let github = if asks_github { GitHub::of(git) } else { None };
    let mut told = match asks_github {
        true => Told::of_pulls(git, github.as_ref(), args.fleet.pull_requests),
        false => Told::default(),
    };
    if !told.pulls.is_empty() {
        told.target = fleet::target(git, &args.fleet, &args.policy)?;
    }
    let asked =
        fleet::Asked { fleet: &args.fleet, policy: &args.policy, only: &args.only, tracked: args.tracked, told: &told };
    match &github {
        Some(github) if !told.pulls.is_empty() => told::judge_with(start, &asked, &|git| github.remote(git)),
        _ => fleet::judge(git, start, &asked),
    }
}

/// Judges the tree that a folder lies in.
fn of_tree(args: &Args, start: &Path) -> Result<fleet::Done, Fatal> {
    let (tree, top) = open(start, args.tracked)?;
    let policy = policy::read(&top, &args.policy, false)?;
    policy.check_agent(args.fleet.agent.as_deref())?;
    let asks_age = policy.config.iter().flat_map(|file| &file.config.budget).any(|one| one.get_ref().age.is_some());
    let git = if asks_age { Git::discover(start)? } else { None };
    let mut plan = policy.plan(&*tree, &args.only)?;
    plan.past = match &git {
        Some(git) => git.head_ref(None)?.commit.map(|commit| TreePast { history: git, commit }),
        None => None,
    };
    let report = engine::run(&plan)?;
    Ok((report, tree.counters().now(), fleet::fail_on(&plan), top))
}

/// Where to look for the tree: here or, outside any repository, the one folder that was named.
fn start(here: &Path, paths: &[PathBuf]) -> Result<PathBuf, Fatal> {
    if let [path] = paths {
        let named = here.join(path);
        if named.is_dir() && WorkingTree::discover(here, Untracked::LeftOut)?.is_none() {
            return named.canonicalize().map_err(|source| Fatal::Io { path: path.clone(), source });
        }
    }
    Ok(here.to_owned())
}

/// The tree that a folder lies in: git's working tree, or the folder itself.
pub(super) fn open(here: &Path, tracked: bool) -> Result<(Box<dyn Tree>, PathBuf), Fatal> {
    let untracked = if tracked { Untracked::LeftOut } else { Untracked::Included };
    if let Some(tree) = WorkingTree::discover(here, untracked)? {
        let top = tree.top().to_owned();
        let top = top.canonicalize().map_err(|source| Fatal::Io { path: top, source })?;
        return Ok((Box::new(tree), top));
    }
    if tracked {
        return Err(Fatal::NoRepository { path: here.to_owned() });
    }
    Ok((Box::new(PlainFolder::new(here)), here.to_owned()))
}

/// The paths of the command line, relative to the top.
pub(super) fn shown(paths: &[PathBuf], here: &Path, top: &Path) -> Result<Vec<Vec<u8>>, Fatal> {
    let relative = |path: &PathBuf| {
        let not_found = || Fatal::NotFound { path: path.clone() };
        let full = here.join(path).canonicalize().map_err(|_| not_found())?;
        let below = full.strip_prefix(top).map_err(|_| not_found())?;
        Ok(crate::source::path::from_system(below))
    };
    paths.iter().map(relative).collect()
}

/// Keeps findings that have a site in one of these paths.
pub(super) fn filter(report: &mut Report, shown: &[Vec<u8>]) {
    if shown.is_empty() || shown.iter().any(Vec::is_empty) {
        return;
    }
    let within = |path: &[u8]| {
        shown
            .iter()
            .any(|folder| path.strip_prefix(folder.as_slice()).is_some_and(|rest| rest.is_empty() || rest[0] == b'/'))
    };
    report.findings.retain(|found| found.sites.iter().any(|site| within(site.path.as_bytes())));
}
