//! All reservations of a remote, and what they mean to somebody who wants a name.

use std::collections::BTreeMap;

use gix::ObjectId;

use super::claim::{Reservation, Unreadable};

/// What stands at one reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Posted {
    /// The object, by which it can be replaced.
    pub object: ObjectId,
    /// What it says.
    pub claim: Result<Reservation, Unreadable>,
}

/// All reservations, by the last part of their references.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Board(pub BTreeMap<String, Posted>);

/// What becomes of a wish for a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing<'b> {
    /// Nobody holds it.
    Free,
    /// The agent itself holds it.
    Own(&'b Posted),
    /// Somebody held it, and that is over.
    Over(&'b Posted),
    /// Somebody else holds it, or nobody can tell who.
    Held(&'b Posted),
}

impl Board {
    /// How a name stands to an agent.
    pub fn standing(&self, reference: &str, agent: &str, now: i64) -> Standing<'_> {
        let Some(posted) = self.0.get(reference) else { return Standing::Free };
        match &posted.claim {
            Ok(claim) if claim.agent == agent => Standing::Own(posted),
            Ok(claim) if claim.is_over(now) => Standing::Over(posted),
            _ => Standing::Held(posted),
        }
    }

    /// Whether somebody holds a name, whoever it is.
    pub fn holds(&self, reference: &str, now: i64) -> bool {
        self.0.get(reference).is_some_and(|posted| !posted.claim.as_ref().is_ok_and(|claim| claim.is_over(now)))
    }
}

impl Posted {
    /// Who holds it, and until when, as a phrase.
    pub fn by_whom(&self) -> String {
        match &self.claim {
            Ok(claim) => format!("{} until {}", claim.agent, claim.until()),
            Err(Unreadable(why)) => format!("somebody unknown: {why}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{MARGIN, claim::sample},
        *,
    };

    #[test]
    fn a_name_is_free_own_over_or_held() {
        let claim = sample();
        let (reference, end) = (claim.subject().reference(), claim.expires);
        let object = ObjectId::null(gix::hash::Kind::Sha1);
        let posted = Posted { object, claim: Ok(claim) };
        let board = Board(BTreeMap::from([(reference.clone(), posted.clone())]));
        assert_eq!(board.standing("other", "ps3", 0), Standing::Free);
        assert_eq!(board.standing(&reference, "ps3", end), Standing::Own(&posted));
        assert_eq!(board.standing(&reference, "ps3", end + 2 * MARGIN), Standing::Own(&posted), "its own to the last");
        assert_eq!(board.standing(&reference, "x", end + MARGIN), Standing::Held(&posted));
        assert_eq!(board.standing(&reference, "x", end + MARGIN + 1), Standing::Over(&posted));
        assert!(board.holds(&reference, end) && !board.holds(&reference, end + MARGIN + 1) && !board.holds("other", 0));
        assert_eq!(posted.by_whom(), "ps3 until 2026-04-28T00:00:00Z");
    }

    #[test]
    fn what_nobody_can_read_is_held_for_ever() {
        let posted = Posted { object: ObjectId::null(gix::hash::Kind::Sha1), claim: Err(Unreadable("it is no text")) };
        let board = Board(BTreeMap::from([("x".to_owned(), posted.clone())]));
        assert_eq!(board.standing("x", "ps3", i64::MAX), Standing::Held(&posted));
        assert!(board.holds("x", i64::MAX) && posted.by_whom() == "somebody unknown: it is no text");
    }
}
