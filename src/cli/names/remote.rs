//! What is reserved on the remote.

use std::{
    collections::{BTreeMap, hash_map::RandomState},
    hash::{BuildHasher, Hasher},
    thread,
    time::{Duration, Instant},
};

use super::{Looked, NamesArgs};
use crate::{
    error::Fatal,
    reserve::{Board, Posted, Reservation, Unreadable},
    source::{Failed, Git, Remote, Trunk},
};

/// How often a remote that is busy is asked before it counts as out of reach.
const ATTEMPTS: u32 = 6;
/// The longest pause between two attempts.
const LONGEST_PAUSE: Duration = Duration::from_secs(15);

/// The remote, and what was read from it so far.
pub(in crate::cli) struct Reach {
    pub(in crate::cli) remote: Remote,
    read: BTreeMap<gix::ObjectId, Option<Vec<u8>>>,
}

/// The remote that is meant; none where there is none.
pub(in crate::cli) fn reach(
    git: Option<&Git>,
    trunk: Option<&Trunk>,
    named: Option<&str>,
) -> Result<Option<Reach>, Fatal> {
    let remote = match git {
        Some(git) => git.remote(named, trunk)?,
        None => None,
    };
    Ok(remote.map(|remote| Reach { remote, read: BTreeMap::new() }))
}

/// All reservations, as far as there is a remote that can hold any.
pub(in crate::cli) fn board(looked: &Looked, args: &NamesArgs) -> Result<Result<Board, Failed>, Fatal> {
    let reach = reach(looked.git.as_ref(), looked.trunk.as_ref(), args.remote.as_deref())?;
    Ok(reach.map_or_else(|| Ok(Board::default()), |mut reach| reach.patiently()))
}

impl Reach {
    /// All reservations. A remote that is only busy is asked again.
    pub(in crate::cli) fn patiently(&mut self) -> Result<Board, Failed> {
        let mut attempt = 0;
        loop {
            let started = Instant::now();
            match self.board() {
                Err(failed) if failed.may_pass && attempt < ATTEMPTS => {
                    attempt += 1;
                    pause(attempt, started.elapsed(), LONGEST_PAUSE);
                }
                result => return result,
            }
        }
    }

    /// All reservations. What was read once is not read again.
    pub(in crate::cli) fn board(&mut self) -> Result<Board, Failed> {
        let listed = self.remote.list()?;
        let mut unread: Vec<_> = listed.values().copied().filter(|id| !self.read.contains_key(id)).collect();
        unread.sort_unstable();
        unread.dedup();
        self.read.extend(self.remote.read(&unread)?);
        Ok(self.understood(listed))
    }

    /// All reservations, at the price of a list alone: of what was not read before, nobody knows more than that it is held.
    pub(in crate::cli) fn glance(&self) -> Result<Board, Failed> {
        Ok(self.understood(self.remote.list()?))
    }

    fn understood(&self, listed: BTreeMap<String, gix::ObjectId>) -> Board {
        let posted = |(reference, object): (String, gix::ObjectId)| {
            let claim = match self.read.get(&object) {
                Some(Some(commit)) => Reservation::parse(commit, &reference),
                Some(None) => Err(Unreadable("it is no commit, or too long")),
                None => Err(Unreadable("it was not read")),
            };
            (reference, Posted { object, claim })
        };
        Board(listed.into_iter().map(posted).collect())
    }
}

/// Waits for a random time that grows with each attempt and with what one takes, so that many who are in each other's way spread out.
pub(in crate::cli) fn pause(attempt: u32, took: Duration, longest: Duration) {
    let unit = took.clamp(Duration::from_millis(50), Duration::from_secs(5));
    let most = unit.mul_f64(1.5_f64.powi(attempt.min(16) as i32)).min(longest).min(LONGEST_PAUSE);
    thread::sleep(most.mul_f64(random() as f64 / u64::MAX as f64));
}

/// A number that no other process has, most likely. Nothing secret is made of it.
pub(in crate::cli) fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// What is said of a remote that could not be asked.
pub(in crate::cli) fn failed(remote: &str, failed: &Failed) -> String {
    format!("the remote `{remote}` can't be asked which names are reserved: {}", failed.why)
}
