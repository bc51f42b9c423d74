//! `gatekeep next`.

use jiff::Timestamp;

use super::names::{self, Format, Looked, NamesArgs};
use crate::{
    engine::{
        Home,
        free::{self, Free, NoneFree, Search},
    },
    error::Fatal,
    exit::Outcome,
    report::Incomplete,
    reserve::{Board, Subject},
    rule::Rule,
};

/// Say which name is free next: on every branch and worktree, and among those that are reserved
///
/// The name comes after the newest on the base and in this working tree, in the way of the tool behind it: numbers are counted up and keep
/// their width, times are the present second in UTC. Names that any branch, worktree or reservation holds are passed over.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The id of the rule, such as adr-numbers; `gatekeep rules` lists them
    pub(super) namespace: String,
    /// So many names, each on a line of its own
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(super) count: u16,
    /// Don't ask the remote which names are reserved
    #[arg(long)]
    pub(super) offline: bool,
    /// What is printed
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "human")]
    pub(super) format: Format,
    /// Exit 0 instead of 3 when something could not be looked at
    #[arg(long)]
    pub(super) allow_incomplete: bool,
    #[command(flatten)]
    pub(super) names: NamesArgs,
}

const EXAMPLES: &str = "\
Examples:
  gatekeep next adr-numbers                               0004
  gatekeep next adr-numbers --name cache-policy           docs/adr/0004-cache-policy.md
  touch \"$(gatekeep next supabase-migrations --name add_users)\"
  gatekeep next goose --root services/a/migrations        one of several folders
  gatekeep next adr-numbers --count 3 --format json       a line for each

Nobody is kept from taking the name that is printed: `gatekeep reserve` holds one.

Exit status:
  0  a name is printed, and everything was looked at
  2  unusable arguments or configuration, or nothing comes next
  3  a name is printed, but some branch, or what is reserved, could not be looked at: somebody may have it";

pub(super) fn run(args: &Args) -> Result<Outcome, Fatal> {
    let Found { home, free, gaps } = look(args)?;
    let with_path = args.names.name.is_some();
    super::print(printed(args.format, &args.namespace, &home, &free, with_path).as_bytes())?;
    names::say_gaps(&gaps);
    let is_complete = gaps.is_empty() || args.allow_incomplete;
    Ok(if is_complete { Outcome::Pass } else { Outcome::Incomplete })
}

/// What comes next.
pub(super) struct Found {
    pub(super) home: Home,
    pub(super) free: Vec<Free>,
    /// What could not be looked at: somebody there may have it.
    pub(super) gaps: Vec<Incomplete>,
}

/// Looks for what comes next.
pub(super) fn look(args: &Args) -> Result<Found, Fatal> {
    let mut looked = names::look(&args.namespace, &args.names)?;
    let home = names::choose("next", &looked.rule.rule, &looked.names, args.names.root.as_deref())?.clone();
    let board = match args.offline {
        true => Board::default(),
        false => names::board_or_gap(&mut looked, &args.names)?,
    };
    let free = find(&looked, &home, &board, args.names.name.as_deref(), usize::from(args.count))?;
    Ok(Found { home, free, gaps: looked.gaps })
}

/// The next free names in a place.
pub(super) fn find(
    looked: &Looked,
    home: &Home,
    board: &Board,
    slug: Option<&str>,
    count: usize,
) -> Result<Vec<Free>, Fatal> {
    let rule = &*looked.rule.rule;
    let now = Timestamp::now();
    let is_held = |space: &str, name: &str| {
        let subject = Subject { namespace: rule.id(), partition: &home.partition, space, name };
        board.holds(&subject.reference(), now.as_second())
    };
    if let Some(slug) = slug {
        fit_slug(slug)?;
    }
    let bands = looked.agent.bands();
    let search = Search { rule, home, bands: &bands, slug, now, is_held: &is_held };
    free::next(&search, count).map_err(|none| none_free(rule, none, &looked.agent.bands))
}

/// Who has a name already, each as a person would name it.
///
/// # Errors
/// It can't be a name of this rule: a text for people.
pub(super) fn holders(looked: &Looked, home: &Home, board: &Board, raw: &str) -> Result<Vec<String>, String> {
    let rule = &*looked.rule.rule;
    let now = Timestamp::now();
    let search = Search { rule, home, bands: &[], slug: None, now, is_held: &|_, _| false };
    let given = free::given(&search, raw)?;
    let taken = home.taken.iter().filter(|taken| taken.key == given.key && taken.space == given.space);
    let mut all: Vec<String> =
        taken.map(|taken| format!("{} ({})", taken.path.lossy(), crate::report::holder_named(&taken.holder))).collect();
    let subject = Subject { namespace: rule.id(), partition: &home.partition, space: &given.space, name: &given.key };
    if board.holds(&subject.reference(), now.as_second()) {
        all.push("a reservation".into());
    }
    all.sort();
    all.dedup();
    Ok(all)
}

/// Refuses what is no part of a file's name.
pub(super) fn fit_slug(slug: &str) -> Result<(), Fatal> {
    let why = match slug {
        "" => "it is empty",
        _ if slug.contains(['/', '\\']) => "it would lead into another folder",
        _ if crate::error::visible(slug) != slug => "it holds letters that nobody sees",
        _ => return Ok(()),
    };
    let help = "give the rest of the file's name alone, such as add_users".to_owned();
    Err(Fatal::Unfit { what: "a part of a file's name".into(), word: slug.to_owned(), why: why.into(), help })
}

fn none_free(rule: &Rule, none: NoneFree, bands: &[(String, String)]) -> Fatal {
    let namespace = rule.id().to_owned();
    let no_next = |why: String, help: String| Fatal::NoNext { namespace: namespace.clone(), why, help };
    let what = "a part of a file's name".to_owned();
    match none {
        NoneFree::NoSeries if free::can_be_held(rule) => no_next(
            "its names don't follow from each other".into(),
            format!("choose one yourself; `gatekeep reserve {namespace} NAME` holds it"),
        ),
        NoneFree::NoSeries => no_next(
            "its names don't follow from each other".into(),
            "let the tool itself make the next one; `gatekeep scan --fleet` tells whether somebody else made it too".into(),
        ),
        NoneFree::BadTemplate(text) => no_next(
            format!("its rule file does not show how: `{text}`"),
            "mend `[next]`: a `key` such as `{max+1:04}` or `{now:%Y%m%d%H%M%S}`, and a `path` that a claim of the rule takes".into(),
        ),
        NoneFree::Slug(slug) => Fatal::Unfit {
            what,
            word: slug,
            why: format!("no file of that name would take a name of {namespace}"),
            help: format!("`gatekeep rules explain {namespace}` shows how they look"),
        },
        NoneFree::SlugTaken(space, name, whose) => Fatal::Unfit {
            what,
            word: name.clone(),
            why: format!("the {space} `{name}` is taken by {whose}"),
            help: "choose another word".into(),
        },
        NoneFree::Exhausted(last) => match bands {
            [] => no_next(
                format!("nothing free comes after `{last}`"),
                "choose one yourself, and see what `gatekeep scan` says of it".into(),
            ),
            [(lane, band), ..] => no_next(
                format!("nothing free in the band `{band}` of `{lane}` comes after what is there"),
                format!("widen the band in `[agents.{lane}]`, on the base"),
            ),
        },
    }
}

/// The names as they are printed.
fn printed(format: Format, namespace: &str, home: &Home, free: &[Free], with_path: bool) -> String {
    let line = |one: &Free| match format {
        Format::Human => crate::report::escape::terminal(if with_path { &one.path } else { &one.raw }),
        Format::Json => {
            let path = with_path.then_some(&one.path);
            json(namespace, home, &one.raw, path.map(String::as_str)).to_string()
        }
    };
    free.iter().map(|one| line(one) + "\n").collect()
}

/// What `next` and `reserve` print for programs.
pub(super) fn json(namespace: &str, home: &Home, key: &str, path: Option<&str>) -> serde_json::Value {
    serde_json::json!({ "namespace": namespace, "root": names::shown(&home.root), "key": key, "path": path })
}
