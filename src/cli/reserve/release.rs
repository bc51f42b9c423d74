//! `gatekeep release`.

use super::super::names::{self, Ground, NamesArgs, say};
use crate::{
    error::{Fatal, visible},
    exit::Outcome,
    report::shell,
    reserve::{Board, Posted},
    source::{Pushed, Update},
};

/// Give a reserved name back
///
/// Only the agent that holds it gives it back; --force is a person's word that it is free whoever holds it.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct Args {
    /// The id of the rule, as `gatekeep reservations` lists it
    namespace: String,
    /// The name
    key: String,
    /// The folder in which the namespace lives, where the name is held in several
    #[arg(long, value_name = "FOLDER")]
    root: Option<String>,
    /// Who gives it back [default: GATEKEEP_AGENT, else the lane of the branch, else the branch, else the user]
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// The remote on which names are reserved [default: origin, else that of the base, else the only one]
    #[arg(long, value_name = "REMOTE")]
    remote: Option<String>,
    /// Whoever holds it
    #[arg(long)]
    force: bool,
}

const EXAMPLES: &str = "\
Examples:
  gatekeep release adr-numbers 0004
  gatekeep release adr-numbers 0004 --force    another agent's, or one that can't be read

Exit status:
  0  nobody holds it any more
  1  another agent holds it
  2  unusable arguments or configuration
  3  nothing was released: no remote, or out of reach";

/// How often it is tried while others change the same.
const ATTEMPTS: u32 = 6;

pub(in crate::cli) fn run(args: &Args) -> Result<Outcome, Fatal> {
    let options = NamesArgs {
        root: args.root.clone(),
        agent: args.agent.clone(),
        remote: args.remote.clone(),
        ..NamesArgs::default()
    };
    let ground = Ground::find(&options)?;
    let agent = ground.agent(&args.namespace, &options)?;
    let spellings = ground.spellings(&args.namespace, &args.key, &options)?;
    let Some(mut reach) = names::reach(ground.git.as_ref(), ground.trunk.as_ref(), args.remote.as_deref())? else {
        say("nothing was released: there is no remote here");
        return Ok(Outcome::Incomplete);
    };
    let mut why = String::new();
    for attempt in 0..ATTEMPTS {
        let started = std::time::Instant::now();
        let board = match reach.patiently() {
            Ok(board) => board,
            Err(failed) => {
                say(&format!("nothing was released: {}", names::failed(&reach.remote.name, &failed)));
                return Ok(Outcome::Incomplete);
            }
        };
        let found = find(args, &board, &spellings)?;
        let Some((reference, posted)) = found else {
            match attempt {
                0 => say(&format!("`{}` of {} was not reserved", args.key, args.namespace)),
                _ => say(&format!("released `{}` of {}", args.key, args.namespace)),
            }
            return Ok(Outcome::Pass);
        };
        if !args.force && !posted.claim.as_ref().is_ok_and(|claim| claim.agent == agent.name) {
            say(&format!(
                "`{}` is held by {}, not by {}; `--agent` says who you are, and `--force` releases it all the same",
                args.key,
                posted.by_whom(),
                agent.name
            ));
            return Ok(Outcome::Fail);
        }
        let update = Update { reference: reference.clone(), old: Some(posted.object), new: None };
        match reach.remote.push(&[update], false).as_deref() {
            Ok([Pushed::Done]) => {
                say(&format!("released `{}` of {}", args.key, args.namespace));
                return Ok(Outcome::Pass);
            }
            Ok(refused) => why = refused.iter().map(|one| format!("{one:?}")).collect(),
            Err(failed) if failed.may_pass => why.clone_from(&failed.why),
            Err(failed) => {
                say(&format!("nothing was released on `{}`: {}", reach.remote.name, failed.why));
                return Ok(Outcome::Incomplete);
            }
        }
        names::pause(attempt, started.elapsed(), std::time::Duration::from_secs(5));
    }
    say(&format!("nothing was released on `{}`: it refused: {why}", reach.remote.name));
    Ok(Outcome::Incomplete)
}

/// The reservation that is meant.
fn find<'b>(args: &Args, board: &'b Board, spellings: &[String]) -> Result<Option<(&'b String, &'b Posted)>, Fatal> {
    let root = args.root.as_deref().map(|root| root.trim_end_matches('/').trim_start_matches("./"));
    let is_it = |(reference, posted): &(&String, &Posted)| match &posted.claim {
        Ok(claim) => {
            let in_root = root.is_none_or(|root| claim.root == root || claim.partition == root);
            claim.namespace == args.namespace && in_root && (claim.key == args.key || spellings.contains(&claim.name))
        }
        Err(_) => args.namespace == super::reservations::UNKNOWN && **reference == args.key,
    };
    let found: Vec<(&String, &Posted)> = board.0.iter().filter(is_it).collect();
    match found.as_slice() {
        [] => Ok(None),
        [only] => Ok(Some(*only)),
        several => {
            let roots = several.iter().filter_map(|(_, posted)| posted.claim.as_ref().ok());
            let one = |partition: &str| match shell::word(partition.as_bytes()) {
                Some(word) => format!("`gatekeep release {} {} --root {word}`", args.namespace, args.key),
                None => format!("`--root` with the folder {}", visible(partition)),
            };
            let listed: Vec<String> = roots.map(|claim| one(&claim.partition)).collect();
            Err(Fatal::SeveralRoots {
                namespace: args.namespace.clone(),
                places: several.len(),
                help: format!("name one: {}", listed.join(", ")),
            })
        }
    }
}
