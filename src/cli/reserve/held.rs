//! Holding names: read what is held, push only where nothing stands, and again where somebody else was quicker.

use std::time::{Duration, Instant};

use super::super::names::{Reach, pause, random};
use crate::{
    diag::{Holder, HolderKind},
    engine::Home,
    error::Fatal,
    reserve::{Board, Reservation, Standing, Subject},
    source::{Failed, Pushed, Update},
};

/// How long is tried before a run gives up. A hundred at once need a minute or two.
const PATIENCE: Duration = Duration::from_secs(300);
/// How often a remote may refuse what nobody else holds before that is taken for its last word.
const REFUSALS: u32 = 6;

/// A name that is to be held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wish {
    /// As it is written.
    pub(super) raw: String,
    /// As the rule compares it.
    pub(super) key: String,
    pub(super) space: String,
    /// The file that it is for, where that was said.
    pub(super) path: Option<String>,
}

impl Wish {
    pub(super) fn subject<'s>(&'s self, namespace: &'s str, home: &'s Home) -> Subject<'s> {
        Subject { namespace, partition: &home.partition, space: &self.space, name: &self.key }
    }
}

/// How it ended.
pub(super) enum Ended {
    /// All are held.
    Held(Vec<Reservation>),
    /// Somebody else has the name that was asked for.
    Taken(String),
    /// None is held, for this reason.
    Not(String),
    /// A push may have come through, and the remote does not tell.
    Unknown(String),
}

/// What is wished for, given what is held; else who has it.
pub(super) type Wishes<'a> = dyn Fn(&Board) -> Result<Result<Vec<Wish>, String>, Fatal> + 'a;

/// Tries until all names of a wish are held.
///
/// `any` name will do: then who holds the others need not be read again and again.
pub(super) fn hold(
    reach: &mut Reach,
    agent: &str,
    any: bool,
    wishes: &Wishes<'_>,
    make: &dyn Fn(&Wish) -> Reservation,
) -> Result<Ended, Fatal> {
    let end = Instant::now() + PATIENCE;
    let mut tried = Tried::default();
    let mut attempt = 0;
    loop {
        let started = Instant::now();
        let board = match any && attempt > 0 {
            true => reach.glance(),
            false => reach.board(),
        };
        let failed = match board {
            Ok(board) => {
                if let Some(held) = tried.came_through(&board) {
                    return Ok(Ended::Held(held));
                }
                let wished = match wishes(&board)? {
                    Ok(wished) => wished,
                    Err(by) => return Ok(Ended::Taken(by)),
                };
                tried.push(reach, agent, &board, wished.iter().map(make).collect())
            }
            Err(failed) => Err(failed),
        };
        match failed {
            Ok(true) => return Ok(Ended::Held(std::mem::take(&mut tried.reservations))),
            Ok(false) if tried.refusals >= REFUSALS => return Ok(Ended::Not(format!("it refused: {}", tried.why))),
            Ok(false) => {}
            Err(failed) if failed.may_pass => tried.why = failed.why,
            Err(failed) => return Ok(tried.gives_up(failed.why)),
        }
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            let why = std::mem::take(&mut tried.why);
            return Ok(tried.gives_up(format!("it was tried for {} minutes, at last: {why}", PATIENCE.as_secs() / 60)));
        }
        pause(attempt, started.elapsed(), left);
        attempt += 1;
    }
}

/// The last push.
#[derive(Default)]
struct Tried {
    updates: Vec<Update>,
    reservations: Vec<Reservation>,
    /// What it did is not known.
    is_unsure: bool,
    refusals: u32,
    /// What the remote said.
    why: String,
}

impl Tried {
    /// The names, if a push of which nothing was heard did its work.
    fn came_through(&mut self, board: &Board) -> Option<Vec<Reservation>> {
        let is_there = |update: &Update| board.0.get(&update.reference).map(|posted| posted.object) == update.new;
        let came = self.is_unsure && !self.updates.is_empty() && self.updates.iter().all(is_there);
        self.is_unsure = false;
        came.then(|| std::mem::take(&mut self.reservations))
    }

    /// Pushes all of them or none; whether it did.
    fn push(
        &mut self,
        reach: &Reach,
        agent: &str,
        board: &Board,
        reservations: Vec<Reservation>,
    ) -> Result<bool, Failed> {
        let now = super::super::fleet::now();
        let tree = reach.remote.empty_tree();
        let mut updates = Vec::new();
        for one in &reservations {
            let reference = one.subject().reference();
            let old = match board.standing(&reference, agent, now) {
                Standing::Own(posted) | Standing::Over(posted) => Some(posted.object),
                // what somebody else holds is never replaced: the remote refuses it
                Standing::Free | Standing::Held(_) => None,
            };
            let nonce = format!("{:016x}{:016x}", random(), random());
            let new = reach.remote.keep(&one.commit(&tree, now, &nonce))?;
            updates.push(Update { reference, old, new: Some(new) });
        }
        let same = |a: &Update, b: &Update| (&a.reference, a.old) == (&b.reference, b.old);
        let is_again =
            self.updates.len() == updates.len() && self.updates.iter().zip(&updates).all(|(a, b)| same(a, b));
        (self.updates, self.reservations, self.is_unsure) = (updates, reservations, true);
        let pushed = reach.remote.push(&self.updates, true)?;
        self.is_unsure = false;
        let Some(why) = pushed.iter().find_map(|one| if let Pushed::Refused(why) = one { Some(why) } else { None })
        else {
            return Ok(true);
        };
        self.why.clone_from(why);
        self.refusals = if is_again { self.refusals + 1 } else { 1 };
        Ok(false)
    }

    fn gives_up(&self, why: String) -> Ended {
        if self.is_unsure { Ended::Unknown(why) } else { Ended::Not(why) }
    }
}

/// A holder, as a phrase.
pub(super) fn holder(holder: &Holder) -> String {
    let name = &holder.name;
    match holder.kind {
        HolderKind::Head => "this working tree".into(),
        HolderKind::Base | HolderKind::Branch => format!("the branch {name}"),
        HolderKind::PullRequest => format!("the pull request {name}"),
        HolderKind::Worktree => format!("the worktree {name}"),
        HolderKind::Reservation => format!("a reservation of {name}"),
    }
}
