//! `gatekeep ci`.

mod commits;
mod outputs;
mod publish;
mod runner;
mod sweep;
mod target;

use std::path::{Path, PathBuf};

use self::{publish::Publisher, runner::Runner, target::Target};
use super::{
    PolicyArgs,
    fleet::{Asked, Done},
    github::{GitHub, NO_TOKEN},
    output, policy,
    progress::Progress,
    told,
};
use crate::{
    error::Fatal,
    exit::{FailOn, Outcome},
    forge::{Client, Failure},
    report::{RenderOptions, human::HumanOptions},
    source::Git,
};

/// The name of the check run.
const CHECK: &str = "gatekeep";

/// On GitHub Actions: judge what the event is about, and say it on the pull request
///
/// It reads the event, and so knows what to judge and against what: a pull request against the tip of its target, a push against where the
/// branch was, a merge group against what it goes on, and on a schedule the whole tree. A shallow checkout is deepened, without the contents
/// of files. All other open pull requests are lines of work beside it.
///
/// Without a token it reads the checkout alone, and says what it left out. With `pull-requests: read` it sees the other pull requests; with
/// `checks: write` and `pull-requests: write` it says its verdict in a check run and in one comment, and renews the verdicts of the others.
/// The exit status is the verdict, whoever could be told of it.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Look at the other open pull requests: auto where a token is there, always to insist, never
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto")]
    pull_requests: When,
    /// Write a check run on the pull request's last commit; auto where the token may
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto", help_heading = "Report")]
    check: When,
    /// Keep one comment on the pull request; auto where the token may, and there is something to say
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto", help_heading = "Report")]
    comment: When,
    /// Renew the check runs of the other open pull requests; auto where the token may write them
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto", help_heading = "Report")]
    sweep: When,
    /// Write a further report to a file, such as sarif=gatekeep.sarif; repeats
    #[arg(long, value_name = "FORMAT=PATH", help_heading = "Report")]
    output: Vec<output::FormatFile>,
    /// Who made the change: the name of a lane in the configuration [default: GATEKEEP_AGENT, and what branch, author and commits tell]
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Exit 1 on findings of this severity or above [default: error, or as configured]
    #[arg(long, value_enum, value_name = "SEVERITY", help_heading = "Exit status")]
    fail_on: Option<FailOn>,
    /// Exit 0 instead of 3 when something could not be looked at
    #[arg(long, help_heading = "Exit status")]
    allow_incomplete: bool,
    #[command(flatten)]
    policy: PolicyArgs,
}

const EXAMPLES: &str = "\
Examples:
  gatekeep ci                                   all that the token allows
  gatekeep ci --comment never --sweep never     annotations, summary and a check run
  gatekeep ci --output sarif=gatekeep.sarif     and a file for code scanning

It reads GITHUB_EVENT_NAME, GITHUB_EVENT_PATH and the rest of what a runner sets, and the token in GITHUB_TOKEN or GH_TOKEN.";

/// Whether to do something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum When {
    /// Where it can be done
    Auto,
    /// And say aloud where it can't be done; pull requests that can't be seen are then a gap
    Always,
    /// Not at all
    Never,
}

pub(super) fn run(args: Args) -> Result<Outcome, Fatal> {
    let runner = Runner::of_environment()?;
    // a run that ends before there is a report is to be seen where the others are
    judged(args, &runner).inspect_err(|fatal| outputs::fatal(&runner, fatal))
}

fn judged(args: Args, runner: &Runner) -> Result<Outcome, Fatal> {
    let start = policy::here()?;
    let event = runner.event()?;
    let target = match target::of(&event, &args) {
        Ok(target) => target,
        Err(why) => {
            super::print(format!("gatekeep: nothing to judge: {why}\n").as_bytes())?;
            outputs::nothing(runner)?;
            return Ok(Outcome::Pass);
        }
    };
    let git = Git::discover(&start)?.ok_or(Fatal::NoCheckout)?;
    let github = GitHub::named(&git, event.repository.clone());
    let progress = Progress::start("reading", false);
    let client = github.client();
    let (git, target) = commits::ready(git, &start, &github, target)?;
    let Run { target, client, done } = judge(&args, &start, &git, &github, target, client)?;
    drop(progress);
    let (report, _, configured, _) = done;
    let options = RenderOptions {
        human: HumanOptions { colour: false, width: 100, unicode: true, verbose: false, quiet: false },
        allow_incomplete: args.allow_incomplete,
        fail_on: args.fail_on.or(configured).unwrap_or_default(),
    };
    let outcome = Outcome::of(&report, options.fail_on, args.allow_incomplete);
    outputs::write(runner, &report, &options, &args.output)?;
    let publisher = Publisher { args: &args, runner, github: &github, client: client.as_ref(), options: &options };
    let beside = publisher.beside(&start, &target);
    publisher.verdict(&event, &report, &beside);
    publisher.sweep(&start, &event, &target, &beside);
    Ok(outcome)
}

/// What was judged, and who was asked.
struct Run {
    target: Target,
    client: Option<Result<Client, Failure>>,
    done: Done,
}

fn judge(
    args: &Args,
    start: &Path,
    git: &Git,
    github: &GitHub,
    mut target: Target,
    client: Option<Result<Client, Failure>>,
) -> Result<Run, Fatal> {
    ask(args, git, github, &mut target, client.as_ref());
    let asked = Asked { fleet: &target.fleet, policy: &args.policy, only: &[], tracked: false, told: &target.told };
    let done = told::judge_with(start, &asked, &|git| github.remote(git))?;
    Ok(Run { target, client, done })
}

/// Asks GitHub for the other pull requests, and for what people said on this one.
fn ask(args: &Args, git: &Git, github: &GitHub, target: &mut Target, client: Option<&Result<Client, Failure>>) {
    let by_hand = args.pull_requests == When::Always;
    match (args.pull_requests, client) {
        (When::Never, _) => target.told.unasked("--pull-requests never", false),
        _ if !target.minds_pulls => target.told.unasked("what a queue merges was held against them before", false),
        (_, None) => target.told.unasked(NO_TOKEN, by_hand),
        (_, Some(client)) => {
            let check = (args.sweep != When::Never).then_some(CHECK);
            let pulls =
                client.as_ref().map_err(Clone::clone).and_then(|client| client.open_pulls(&github.repository, check));
            target.told.ask(git, github, pulls);
        }
    }
    if let Some(client) = client {
        target.ask_approvals(git, &args.policy, client, &github.repository);
    }
}

/// The file in which a run leaves its report for later steps.
fn report_file(runner: &Runner) -> PathBuf {
    runner.temporary.join("gatekeep-report.json")
}
