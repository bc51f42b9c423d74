//! `gatekeep fix`.

mod found;
mod plan;
mod pushed;
mod shown;

use std::path::PathBuf;

use super::{
    PolicyArgs,
    names::{self, Format, NamesArgs},
    policy,
};
use crate::{
    error::Fatal,
    exit::Outcome,
    fix::apply::{self, Refused},
    source::Git,
};
use found::Judge;

/// Rename or renumber what has to yield, with all that belongs to it
///
/// The change is judged as `gatekeep scan --base` does, uncommitted files too. Of two files with one name the one that is on the base keeps
/// it; the change's own gets the next name that is free on every branch and worktree, and among those that are reserved. Its other half, its
/// folder, its title and links to it go along. All of it is done or nothing; nothing is staged.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Mend only what has a part in these files or folders
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// What the change is to be merged into [default: as configured, else origin's main branch, else the local one]
    #[arg(long, value_name = "REF")]
    base: Option<String>,
    /// Print what would be done, as a patch, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Also rename migrations that were pushed: a database may have applied them
    #[arg(long = "unsafe")]
    is_unsafe: bool,
    /// Mend the collisions of these rules alone; repeats, or takes a list with commas
    #[arg(long, value_name = "RULE", value_delimiter = ',')]
    only: Vec<String>,
    /// Who asks [default: GATEKEEP_AGENT, else the lane of the branch]; a lane's keys lie in its band
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// The remote on which names are reserved [default: origin, else that of the base, else the only one]
    #[arg(long, value_name = "REMOTE")]
    remote: Option<String>,
    /// Don't ask the remote which names are reserved
    #[arg(long)]
    offline: bool,
    /// What is printed
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "human")]
    format: Format,
    /// Exit 0 instead of 3 when something could not be looked at
    #[arg(long)]
    allow_incomplete: bool,
    #[command(flatten)]
    policy: PolicyArgs,
}

const EXAMPLES: &str = "\
Examples:
  gatekeep fix --dry-run                      what would be done, as a patch
  gatekeep fix                                do it; then `git add --all`, and commit
  gatekeep fix --base origin/main --only goose
  gatekeep fix --unsafe                       migrations too that are on a remote branch already

Never renamed: what is on the base. Without --unsafe: a migration that a remote-tracking branch has.

Exit status:
  0  nothing collides, or nothing does any more (with --dry-run: nothing would)
  1  something was left alone; it is said why
  2  unusable arguments or configuration, or a file that changed meanwhile: nothing was done
  3  as 0, but something could not be looked at";

pub(super) fn run(args: &Args) -> Result<Outcome, Fatal> {
    let here = policy::here()?;
    let git = Git::discover(&here)?.ok_or_else(|| Fatal::NoRepository { path: here.clone() })?;
    let top = git.top()?.ok_or_else(|| Fatal::NoRepository { path: here.clone() })?;
    let asked = args.names();
    let trunk = names::Ground::find(&asked)?.trunk.ok_or(Fatal::NoTrunk)?;
    let judge = Judge { args, git: &git, top: &top, here: &here, trunk: &trunk };
    let found = judge.judge()?;
    let mut plan = plan::plan(&judge, &found)?;
    if !args.dry_run && !plan.touched.is_empty() {
        apply::apply(&top, &plan.touched).map_err(refused)?;
        // what was read before is not known to be so any more
        let git = Git::discover(&here)?.ok_or_else(|| Fatal::NoRepository { path: here.clone() })?;
        let after = Judge { git: &git, ..judge }.judge()?;
        plan.gaps.extend(after.gaps);
        plan.left_over(&after.problems);
    }
    super::print(shown::shown(args, &plan).as_bytes())?;
    if args.dry_run && args.format == Format::Human {
        names::say_lines(&shown::rest(&plan));
    }
    plan.gaps.sort();
    plan.gaps.dedup();
    names::say_gaps(&plan.gaps);
    Ok(match (plan.left.is_empty(), plan.gaps.is_empty() || args.allow_incomplete) {
        (false, _) => Outcome::Fail,
        (true, true) => Outcome::Pass,
        (true, false) => Outcome::Incomplete,
    })
}

fn refused(refused: Refused) -> Fatal {
    match refused {
        Refused::Changed(why) => Fatal::NotFixed { why, help: "nothing was done; run `gatekeep fix` again".into() },
        Refused::Failed { why, displaced } if displaced.is_empty() => {
            Fatal::NotFixed { why, help: "all files are as they were".into() }
        }
        Refused::Failed { why, displaced } => {
            let shown = |path: &PathBuf| path.to_string_lossy().into_owned();
            let each = displaced.iter().map(|(now, was)| format!("`{}` belongs to `{}`", shown(now), shown(was)));
            let help = format!("put these back by hand: {}", each.collect::<Vec<_>>().join(", "));
            Fatal::NotFixed { why, help: crate::error::visible(&help).into_owned() }
        }
    }
}

impl Args {
    fn names(&self) -> NamesArgs {
        NamesArgs {
            agent: self.agent.clone(),
            base: self.base.clone(),
            remote: self.remote.clone(),
            config: self.policy.config.clone(),
            no_config: self.policy.no_config,
            ..NamesArgs::default()
        }
    }
}
