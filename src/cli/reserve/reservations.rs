//! `gatekeep reservations`.

use std::collections::BTreeSet;

use super::super::{
    fleet,
    names::{self, Ground, NamesArgs, Reach, say},
};
use crate::{
    engine::Names,
    error::Fatal,
    exit::Outcome,
    report::escape::terminal,
    reserve::{Board, Posted, Reservation, Unreadable},
    source::{Pushed, Update},
};

/// Stands for the namespace of a reservation that can't be read.
pub(super) const UNKNOWN: &str = "unknown";

/// List the names that are reserved on the shared remote, and sweep away those that are not needed any more
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct Args {
    /// Remove those that are over, and those whose name is merged
    #[arg(long)]
    prune: bool,
    /// What is printed
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "human")]
    format: Format,
    /// What is merged into in the end [default: as configured, else origin's main branch, else the local one]
    #[arg(long, value_name = "REF")]
    base: Option<String>,
    /// The remote on which names are reserved [default: origin, else that of the base, else the only one]
    #[arg(long, value_name = "REMOTE")]
    remote: Option<String>,
}

/// How they are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// A table.
    Human,
    /// One object with the list `reservations`.
    Json,
}

const EXAMPLES: &str = "\
Examples:
  gatekeep reservations
  gatekeep reservations --format json | jq -r '.reservations[] | select(.agent == \"ps3\") | .key'
  gatekeep reservations --prune              in a nightly job

A reservation still holds for five minutes after its end, because clocks differ. One that can't be read is listed as unknown, and holds
its name until a person releases it with --force.

Exit status:
  0  the list is whole
  2  unusable arguments or configuration
  3  the remote could not be asked, or did not remove all that was to be swept";

pub(in crate::cli) fn run(args: &Args) -> Result<Outcome, Fatal> {
    let options = NamesArgs { base: args.base.clone(), remote: args.remote.clone(), ..NamesArgs::default() };
    let ground = Ground::find(&options)?;
    let Some(mut reach) = names::reach(ground.git.as_ref(), ground.trunk.as_ref(), args.remote.as_deref())? else {
        say("there is no remote here, so that no name can be reserved");
        return Ok(Outcome::Incomplete);
    };
    let mut board = match reach.patiently() {
        Ok(board) => board,
        Err(failed) => {
            say(&names::failed(&reach.remote.name, &failed));
            return Ok(Outcome::Incomplete);
        }
    };
    let swept = if args.prune { sweep(&ground, &options, &reach, &mut board)? } else { true };
    let now = fleet::now();
    let text = match args.format {
        Format::Human => table(&board, now),
        Format::Json => json(&board, now),
    };
    super::super::print(text.as_bytes())?;
    Ok(if swept { Outcome::Pass } else { Outcome::Incomplete })
}

/// Removes what is over or merged from the remote and from the board; whether all of it is gone.
fn sweep(ground: &Ground, options: &NamesArgs, reach: &Reach, board: &mut Board) -> Result<bool, Fatal> {
    let now = fleet::now();
    let namespaces: BTreeSet<&str> =
        board.0.values().filter_map(|posted| Some(posted.claim.as_ref().ok()?.namespace.as_str())).collect();
    let merged = ground.merged(&namespaces.into_iter().collect::<Vec<_>>(), options)?;
    let is_swept = |posted: &Posted| {
        posted
            .claim
            .as_ref()
            .is_ok_and(|claim| claim.is_over(now) || merged.iter().any(|(id, names)| has(id, names, claim)))
    };
    let update = |(reference, posted): (&String, &Posted)| Update {
        reference: reference.clone(),
        old: Some(posted.object),
        new: None,
    };
    let updates: Vec<Update> = board.0.iter().filter(|(_, posted)| is_swept(posted)).map(update).collect();
    if updates.is_empty() {
        say("nothing is to be swept");
        return Ok(true);
    }
    let pushed = match reach.remote.push(&updates, false) {
        Ok(pushed) => pushed,
        Err(failed) => {
            say(&format!("nothing could be swept on `{}`: {}", reach.remote.name, failed.why));
            return Ok(false);
        }
    };
    let mut all = true;
    for (update, outcome) in updates.iter().zip(pushed) {
        match outcome {
            Pushed::Done => _ = board.0.remove(&update.reference),
            Pushed::Refused(why) => {
                all = false;
                say(&format!("{} was not swept: {why}; run it again", update.reference));
            }
        }
    }
    let count = updates.len() - updates.iter().filter(|update| board.0.contains_key(&update.reference)).count();
    say(&format!("swept {count}"));
    Ok(all)
}

/// Whether the trunk has the name that is reserved.
fn has(id: &str, names: &Names, claim: &Reservation) -> bool {
    id == claim.namespace
        && names
            .homes
            .iter()
            .filter(|home| home.partition == claim.partition)
            .any(|home| home.taken.iter().any(|one| one.space == claim.space && one.key == claim.name))
}

/// The reservations in order of their namespaces, places and keys; those that can't be read, by their references, last.
fn rows(board: &Board) -> Vec<Result<&Reservation, (&String, Unreadable)>> {
    let mut read: Vec<&Reservation> = board.0.values().filter_map(|posted| posted.claim.as_ref().ok()).collect();
    read.sort_by(|a, b| {
        (&a.namespace, &a.partition, &a.space, &a.key).cmp(&(&b.namespace, &b.partition, &b.space, &b.key))
    });
    let unread = board.0.iter().filter_map(|(name, posted)| Some((name, posted.claim.as_ref().err()?.clone())));
    read.into_iter().map(Ok).chain(unread.map(Err)).collect()
}

fn json(board: &Board, now: i64) -> String {
    let row = |row: Result<&Reservation, (&String, Unreadable)>| match row {
        Ok(claim) => serde_json::json!({
            "namespace": claim.namespace, "root": claim.root, "key": claim.key, "path": claim.path, "agent": claim.agent,
            "expires": claim.until(), "over": claim.is_over(now), "reason": claim.reason,
        }),
        Err((reference, Unreadable(why))) => serde_json::json!({
            "namespace": UNKNOWN, "root": null, "key": reference, "path": null, "agent": UNKNOWN,
            "expires": null, "over": false, "reason": why,
        }),
    };
    let rows: Vec<serde_json::Value> = rows(board).into_iter().map(row).collect();
    format!("{:#}\n", serde_json::json!({ "reservations": rows }))
}

fn table(board: &Board, now: i64) -> String {
    let head = ["NAMESPACE", "ROOT", "KEY", "AGENT", "UNTIL", "REASON"].map(str::to_owned);
    let row = |row: Result<&Reservation, (&String, Unreadable)>| match row {
        Ok(claim) => {
            let until = if claim.is_over(now) { format!("{} (over)", claim.until()) } else { claim.until() };
            let reason = claim.reason.clone().unwrap_or_default();
            [&claim.namespace, &claim.root, &claim.key, &claim.agent, &until, &reason].map(terminal)
        }
        Err((reference, Unreadable(why))) => {
            [UNKNOWN, "", reference, UNKNOWN, "released by --force", why].map(str::to_owned)
        }
    };
    let rows: Vec<[String; 6]> = rows(board).into_iter().map(row).collect();
    if rows.is_empty() {
        return "No name is reserved.\n".into();
    }
    let all: Vec<&[String; 6]> = std::iter::once(&head).chain(&rows).collect();
    let width = |column: usize| all.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let line = |row: &&[String; 6]| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
    };
    all.iter().map(line).collect()
}
