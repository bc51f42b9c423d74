//! `gatekeep reserve`, `release` and `reservations`.

mod held;
mod release;
mod reservations;

pub(super) use release::{Args as ReleaseArgs, run as release};
pub(super) use reservations::{Args as ReservationsArgs, run as reservations};

use jiff::Timestamp;

use super::names::{self, Format, Looked, NamesArgs, say};
use crate::{
    config::change::Age,
    engine::{
        Home,
        free::{self, Search},
    },
    error::{Fatal, visible},
    exit::Outcome,
    report::escape::terminal,
    reserve::{Board, Reservation, Standing, is_fit},
};
use held::{Ended, Wish};

/// Hold a name on the shared remote before its file exists, so that nobody else on any machine gets it
///
/// The git remote itself decides who is first: a reservation is a reference that is made only where there is none. Without a key it takes
/// the next free name and, where somebody else was quicker, the next one again. A name that the agent holds already is held for longer.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The id of the rule, such as adr-numbers; `gatekeep rules` lists them
    namespace: String,
    /// The name [default: the next free one]
    key: Option<String>,
    /// So many names, all of them or none
    #[arg(long, value_name = "N", default_value_t = 1, conflicts_with = "key")]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=100))]
    count: u16,
    /// How long they are held, such as 12h, 7d or 4w
    #[arg(long, value_name = "AGE", default_value = "7d")]
    ttl: String,
    /// What for; all who share the remote can read it
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// What is printed
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "human")]
    format: Format,
    /// Reserve even when something could not be looked at: somebody may have the name
    #[arg(long)]
    allow_incomplete: bool,
    #[command(flatten)]
    names: NamesArgs,
}

const EXAMPLES: &str = "\
Examples:
  gatekeep reserve adr-numbers --reason 'cache policy'     0004
  gatekeep reserve adr-numbers 0007 --ttl 2d               this one
  gatekeep reserve goose --count 3 --name add_users        three paths at once
  gatekeep release adr-numbers 0004                        when it is not needed any more

A reservation ends by itself; one whose name is merged is in nobody's way, and `gatekeep reservations --prune` sweeps it.
Pushing to the remote must be allowed. Nothing is written to the repository itself, and no hook runs.

Exit status:
  0  held until the time that is printed
  1  that key is held or taken by somebody else
  2  unusable arguments or configuration, or nothing comes next
  3  nothing was reserved: no remote, out of reach, or something could not be looked at";

/// The shortest and the longest time for which a name can be held, in seconds.
const TTL: std::ops::RangeInclusive<i64> = 60..=366 * 24 * 3600;

pub(super) fn run(args: &Args) -> Result<Outcome, Fatal> {
    let ttl = ttl(&args.ttl)?;
    for text in args.reason.iter().chain(&args.names.agent).chain(&args.key) {
        fit(text)?;
    }
    let looked = names::look(&args.namespace, &args.names)?;
    let rule = &looked.rule.rule;
    if !free::can_be_held(rule) {
        return Err(Fatal::Unfit {
            what: "a namespace of reservations".into(),
            word: args.namespace.clone(),
            why: "its names are not such that a file takes one that was chosen before".into(),
            help: "`gatekeep scan --fleet` tells who else has the same".into(),
        });
    }
    let home = names::choose("reserve", rule, &looked.names, args.names.root.as_deref())?;
    if !looked.gaps.is_empty() && !args.allow_incomplete {
        names::say_gaps(&looked.gaps);
        say(
            "nothing was reserved: somebody who could not be looked at may have the name; `--allow-incomplete` does it all the same",
        );
        return Ok(Outcome::Incomplete);
    }
    let Some(mut reach) = names::reach(looked.git.as_ref(), looked.trunk.as_ref(), args.names.remote.as_deref())?
    else {
        say("nothing was reserved: there is no remote here; `git remote add origin URL` tells of one that all share");
        return Ok(Outcome::Incomplete);
    };
    let wishes = |board: &Board| match &args.key {
        Some(key) => this_one(args, &looked, home, board, key),
        None => next_ones(args, &looked, home, board),
    };
    let make = |wish: &Wish| reservation(args, &looked, home, wish, ttl);
    match held::hold(&mut reach, &looked.agent.name, args.key.is_none(), &wishes, &make)? {
        Ended::Held(held) => {
            print(args, home, &held)?;
            Ok(Outcome::Pass)
        }
        Ended::Taken(by) => {
            say(&by);
            Ok(Outcome::Fail)
        }
        Ended::Not(why) => {
            say(&format!("nothing was reserved on `{}`: {why}", reach.remote.name));
            Ok(Outcome::Incomplete)
        }
        Ended::Unknown(why) => {
            let remote = &reach.remote.name;
            say(&format!(
                "it is not known whether something was reserved on `{remote}`: {why}; `gatekeep reservations` tells"
            ));
            Ok(Outcome::Incomplete)
        }
    }
}

/// The next free names.
fn next_ones(args: &Args, looked: &Looked, home: &Home, board: &Board) -> Result<Result<Vec<Wish>, String>, Fatal> {
    let free = super::next::find(looked, home, board, args.names.name.as_deref(), usize::from(args.count))?;
    let with_path = args.names.name.is_some();
    let wish =
        |one: free::Free| Wish { raw: one.raw, key: one.key, space: one.space, path: with_path.then_some(one.path) };
    Ok(Ok(free.into_iter().map(wish).collect()))
}

/// The name that was asked for, unless somebody has it.
fn this_one(
    args: &Args,
    looked: &Looked,
    home: &Home,
    board: &Board,
    key: &str,
) -> Result<Result<Vec<Wish>, String>, Fatal> {
    let slug = args.names.name.as_deref();
    slug.map_or(Ok(()), super::next::fit_slug)?;
    let (rule, now) = (&looked.rule.rule, Timestamp::now());
    let search = Search { rule, home, bands: &[], slug, now, is_held: &|_, _| false };
    let unfit = |why: String, help: String| Fatal::Unfit {
        what: format!("a name of {}", args.namespace),
        word: key.to_owned(),
        why,
        help,
    };
    let given = free::given(&search, key).map_err(|why| {
        unfit(why, format!("`gatekeep rules explain {}` shows what its names look like", args.namespace))
    })?;
    let outside = looked.agent.bands.iter().zip(looked.agent.bands()).find(|(_, band)| !band.holds(&given.raw));
    if let Some(((lane, band), _)) = outside {
        let why = format!("it lies outside the band `{band}`, from which `{lane}` takes its keys");
        return Err(unfit(why, format!("`gatekeep reserve {}` takes the next free one in it", args.namespace)));
    }
    let has_it = |one: &&crate::engine::Taken| one.space == given.space && one.key == given.key && !one.own;
    if let Some(taken) = home.taken.iter().find(has_it) {
        let path = taken.path.lossy();
        return Ok(Err(format!("`{}` is taken: {} has {path}", given.raw, held::holder(&taken.holder))));
    }
    let wish = Wish { raw: given.raw, key: given.key, space: given.space, path: given.path.filter(|_| slug.is_some()) };
    let reference = wish.subject(&args.namespace, home).reference();
    if let Standing::Held(posted) = board.standing(&reference, &looked.agent.name, now.as_second()) {
        return Ok(Err(format!("`{}` is held by {}", wish.raw, posted.by_whom())));
    }
    Ok(Ok(vec![wish]))
}

fn reservation(args: &Args, looked: &Looked, home: &Home, wish: &Wish, ttl: i64) -> Reservation {
    Reservation {
        namespace: args.namespace.clone(),
        root: names::shown(&home.root).to_owned(),
        partition: home.partition.clone(),
        space: wish.space.clone(),
        key: wish.raw.clone(),
        name: wish.key.clone(),
        path: wish.path.clone(),
        agent: looked.agent.name.clone(),
        expires: super::fleet::now() + ttl,
        reason: args.reason.clone(),
    }
}

fn print(args: &Args, home: &Home, held: &[Reservation]) -> Result<(), Fatal> {
    let line = |one: &Reservation| match args.format {
        Format::Human => terminal(one.path.as_ref().unwrap_or(&one.key)),
        Format::Json => super::next::json(&args.namespace, home, &one.key, one.path.as_deref()).to_string(),
    };
    super::print(held.iter().map(|one| line(one) + "\n").collect::<String>().as_bytes())?;
    if let Some(first) = held.first() {
        say(&format!("held for {} until {}", first.agent, first.until()));
    }
    Ok(())
}

fn ttl(text: &str) -> Result<i64, Fatal> {
    let seconds = Age::parse(text).map(|age| age.seconds).ok_or_else(|| Fatal::BadAge { age: text.to_owned() })?;
    match TTL.contains(&seconds) {
        true => Ok(seconds),
        false => Err(Fatal::Unfit {
            what: "a time to hold a name".into(),
            word: text.to_owned(),
            why: "it is shorter than a minute or longer than a year".into(),
            help: "write one in between, such as 7d; a reservation can be renewed".into(),
        }),
    }
}

/// Refuses what can't be written into a reservation.
fn fit(text: &str) -> Result<(), Fatal> {
    match is_fit(text) {
        true => Ok(()),
        false => Err(Fatal::Unfit {
            what: "a word of a reservation".into(),
            word: visible(text).chars().take(60).collect(),
            why: "it is empty, longer than 1000 bytes, or more than one line of letters that can be seen".into(),
            help: "write it shorter, on one line".into(),
        }),
    }
}
