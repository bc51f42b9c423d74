//! `gatekeep audit`.

use std::{io::Write, path::Path, sync::Arc};

use super::{
    PolicyArgs,
    fleet::{now, seconds, trunk_holder},
    output, policy,
    progress::Progress,
};
use crate::{
    engine::{
        self,
        audit::{Asked, Count},
    },
    error::Fatal,
    exit::Outcome,
    report::audit::Format,
    source::Git,
};

/// How far back to look, unless said otherwise.
const AGE: &str = "90d";

/// Look back: which merges of the past brought in a collision, which of those are still there, and who left their lane
///
/// Walks the trunk's own history (its first parents) and judges each commit as `gatekeep scan --base` would have judged it before it was merged: merge commits, squashed
/// pull requests and plain commits alike, each against its first parent. What counts are names taken twice and forked chains, at warning or error, by the configuration and
/// rules that the trunk has today; an allowance counts where it gives a `key`, and the baseline does not count.
///
/// For each it says which files the commit brought (+) and which were there before, and whether the trunk has the collision to this day or which later commit mended it. A
/// folder that is moved takes its old collisions along: those are nobody's new ones, and not mended either.
///
/// Where that configuration has lanes (`[agents.*]`), it also says what each agent changed outside its own: by the branch that a merge's subject names, and by the authors and
/// trailers of the commits; of a plain commit or a squash, by its `Co-authored-by` lines as well. A file that several lanes may have changed counts against none of them if
/// one of them was allowed to.
///
/// It reads git's objects only: no checkout, and of the working tree nothing but the `base` that its configuration names. The age of a commit is that of its committer's
/// clock.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// How far to look back, such as 12h, 30d, 8w or 1y; `all` for the whole history
    #[arg(long, value_name = "AGE", default_value = AGE)]
    since: String,
    /// The trunk whose history it is [default: as configured, else origin/HEAD, else main or master]
    #[arg(long, value_name = "REF")]
    base: Option<String>,
    /// Judge by these rules alone; repeats, or takes a list with commas
    #[arg(long, value_name = "RULE", value_delimiter = ',')]
    only: Vec<String>,
    /// How many threads to use [default: one a core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,
    /// What standard output gets
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "human", help_heading = "Report")]
    format: Format,
    /// Print collisions, what lay outside of lanes, and gaps only
    #[arg(short, long, conflicts_with = "verbose", help_heading = "Report")]
    quiet: bool,
    /// Show all files of a collision, and all commits outside of lanes
    #[arg(short, long, help_heading = "Report")]
    verbose: bool,
    /// Print what was read, counted, to standard error
    #[arg(long, help_heading = "Report")]
    stats: bool,
    #[command(flatten)]
    policy: PolicyArgs,
}

const EXAMPLES: &str = "\
Exit status:
  0  complete, whatever was found: this is a look back, not a gate
  2  unusable arguments, configuration, rule file or repository
  3  something could not be looked at, such as what a shallow clone does not hold

Examples:
  gatekeep audit                                 the last 90 days of the trunk
  gatekeep audit --since all                     its whole history
  gatekeep audit --base release/2 --since 1y     another branch
  gatekeep audit --only django-migrations        one rule
  gatekeep audit --only boundary                 who left their lane, and nothing else
  gatekeep audit -A sitemap-urls -W adr-numbers  without one, and one as warnings
  gatekeep audit --since all --format json | jq -r '.collisions[] | select(.still_there) | .commit'
  gatekeep audit --format json | jq -r '.outside[] | [.agent, .commit, .files[].path] | @tsv'";

pub(super) fn run(args: Args) -> Result<Outcome, Fatal> {
    super::use_threads(args.threads)?;
    let oldest = match args.since.as_str() {
        "all" => None,
        age => Some(now().saturating_sub(seconds(age)?)),
    };
    let here = policy::here()?;
    let git = Git::discover(&here)?.ok_or_else(|| Fatal::NoRepository { path: here.clone() })?;
    let top = git.top()?;
    let base = match &args.base {
        Some(base) => Some(base.clone()),
        None => configured(top.as_deref(), &args.policy)?,
    };
    let trunk = git.trunk(base.as_deref())?.ok_or(Fatal::NoTrunk)?;
    let tree = git.tree(trunk.commit, trunk_holder(&trunk.name, trunk.commit))?;
    let plan = policy::read_commit(&tree, &args.policy, None)?.plan(&tree, &args.only)?;
    let count = Arc::new(Count::default());
    let progress = Progress::telling(telling(&count), args.quiet);
    let asked = Asked { git: &git, target: trunk.name, tip: trunk.commit, oldest, count: &count };
    let mut audit = engine::audit::audit(&plan, &asked)?;
    drop(progress);
    if !args.only.is_empty() {
        audit.skipped.push(engine::only(&args.only));
        audit.skipped.sort();
    }
    let mut bytes = Vec::new();
    let done = args.format.render(&audit, &output::human(args.verbose, args.quiet), &mut bytes);
    done.map_err(|source| Fatal::Output { path: "standard output".into(), source })?;
    super::print(&bytes)?;
    if args.stats {
        let (judged, _) = count.now();
        let stats = format!("steps {}\njudged {judged}\n{}", audit.commits, git.counters().now());
        let _ = std::io::stderr().lock().write_all(stats.as_bytes()); // nobody's verdict
    }
    Ok(if audit.complete() { Outcome::Pass } else { Outcome::Incomplete })
}

/// The trunk that the working tree's configuration names.
fn configured(top: Option<&Path>, args: &PolicyArgs) -> Result<Option<String>, Fatal> {
    top.map_or(Ok(None), |top| policy::configured_base(top, args))
}

/// What is said to somebody who waits.
fn telling(count: &Arc<Count>) -> impl Fn() -> String + Send + 'static {
    let count = Arc::clone(count);
    move || match count.now() {
        (_, 0) => "reading the history".to_owned(),
        (done, total) if done < total => format!("judging commits, {done} of {total}"),
        _ => "looking what became of it".to_owned(),
    }
}
