//! The command line: one file a command.

#![expect(
    clippy::disallowed_methods,
    reason = "commands read arguments, environment and policy, and write what was asked for"
)]

mod audit;
mod baseline;
mod ci;
mod completions;
mod demo;
mod fix;
mod fleet;
mod github;
mod hook;
mod init;
mod mcp;
mod names;
mod next;
mod output;
mod policy;
mod progress;
mod reserve;
mod rules;
mod scan;
mod told;
mod trust;

use std::{io::Write, process::ExitCode};

use clap::{ArgAction, Parser, Subcommand};

use crate::{error::Fatal, exit::Outcome};

/// Finds the names that two files, branches or worktrees both take, before git merges them in silence
///
/// Two migrations with one version, two Edge Functions with one name, two ADRs with one number: git sees two different files and
/// merges both without a word. gatekeep reads the names as the tools behind them do, and says which of them can't stand together.
///
/// It needs no configuration: run `gatekeep scan` in any repository, or `gatekeep demo` to see what it is about.
#[derive(Debug, Parser)]
#[command(name = "gatekeep", version, max_term_width = 100, arg_required_else_help = true)]
#[command(disable_help_subcommand = true, after_help = EXIT_STATUS)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

const EXIT_STATUS: &str = "\
Exit status:
  0  complete, and nothing to fail on
  1  something at or above --fail-on, complete or not
  2  unusable arguments, configuration, rule file or repository
  3  nothing to fail on, but something could not be looked at";

#[derive(Debug, Subcommand)]
enum Command {
    Scan(scan::Args),
    Ci(Box<ci::Args>),
    Fix(fix::Args),
    Hook(hook::Args),
    Mcp(mcp::Args),
    Next(next::Args),
    Reserve(reserve::Args),
    Release(reserve::ReleaseArgs),
    Reservations(reserve::ReservationsArgs),
    Audit(audit::Args),
    Demo(demo::Args),
    Init(init::Args),
    Baseline(baseline::Args),
    Rules(rules::Args),
    /// Print a script that completes commands and options in a shell
    #[command(
        after_help = "Example:\n  gatekeep completions bash > ~/.local/share/bash-completion/completions/gatekeep"
    )]
    Completions {
        /// The shell that is to read it
        shell: clap_complete::Shell,
    },
    /// Print the manual page, all commands in one
    #[command(after_help = "Example:\n  gatekeep man | man -l -")]
    Man,
}

// How a run is configured; the same for all commands that judge. A doc comment would become their help.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Policy")]
struct PolicyArgs {
    /// Read this configuration instead of gatekeep.toml
    #[arg(long, value_name = "FILE", conflicts_with = "no_config")]
    config: Option<std::path::PathBuf>,
    /// Read no configuration, no rule files and no baseline of the repository
    #[arg(long)]
    no_config: bool,
    /// Report these as errors: a rule, or one of its codes such as goose/duplicate; repeats
    #[arg(short = 'D', long = "deny", value_name = "CODE", action = ArgAction::Append)]
    deny: Vec<String>,
    /// Report these as warnings
    #[arg(short = 'W', long = "warn", value_name = "CODE", action = ArgAction::Append)]
    warn: Vec<String>,
    /// Don't report these
    #[arg(short = 'A', long = "allow", value_name = "CODE", action = ArgAction::Append)]
    allow: Vec<String>,
}

/// Runs the program with the arguments of the process.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let _ = error.print(); // nowhere to complain to
            // an agent would take 2 for a denial
            let is_hook = std::env::args_os().nth(1).is_some_and(|word| word == "hook");
            let most = if is_hook { 1 } else { 2 };
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2).min(most));
        }
    };
    match cli.run() {
        Ok(outcome) => outcome.into(),
        Err(fatal) => {
            output::fatal(&fatal);
            ExitCode::from(Outcome::Unusable.status())
        }
    }
}

impl Cli {
    fn run(self) -> Result<Outcome, Fatal> {
        match self.command {
            Command::Scan(args) => scan::run(args),
            Command::Ci(args) => ci::run(*args),
            Command::Fix(args) => fix::run(&args),
            Command::Hook(args) => hook::run(&args),
            Command::Mcp(args) => mcp::run(&args),
            Command::Next(args) => next::run(&args),
            Command::Reserve(args) => reserve::run(&args),
            Command::Release(args) => reserve::release(&args),
            Command::Reservations(args) => reserve::reservations(&args),
            Command::Audit(args) => audit::run(args),
            Command::Rules(args) => rules::run(args),
            Command::Demo(args) => demo::run(&args),
            Command::Init(args) => init::run(&args),
            Command::Baseline(args) => baseline::run(args),
            Command::Completions { shell } => completions::script(shell),
            Command::Man => completions::man(),
        }
    }
}

/// Uses so many threads, or one a core. Once a process.
fn use_threads(count: Option<u16>) -> Result<(), Fatal> {
    // this thread works too: to wake others and wait for them takes longer than many a piece of work
    let builder = rayon::ThreadPoolBuilder::new().use_current_thread();
    let builder = count.into_iter().fold(builder, |builder, count| builder.num_threads(usize::from(count)));
    builder.build_global().map_err(|error| Fatal::Io { path: "threads".into(), source: std::io::Error::other(error) })
}

/// Writes to standard output. A reader that has gone changes no verdict.
fn print(bytes: &[u8]) -> Result<(), Fatal> {
    let mut out = std::io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(source) if source.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Fatal::Output { path: "standard output".into(), source })
        }
        _ => Ok(()),
    }
}
