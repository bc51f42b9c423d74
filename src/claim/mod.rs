//! Names: what a file takes, how two names compare, and where they collide.

pub mod chain;
mod collide;
pub mod extract;
mod invented;
mod mark;
pub mod normalize;
pub mod order;
mod take;
pub mod tests;

pub(crate) use collide::{Collision, Kind, Ruling, collide, stem};
pub(crate) use invented::is_invented;
pub(crate) use mark::{Mark, Marks};
pub(crate) use normalize::UrlSite;
pub(crate) use take::{Name, Namer};

use std::sync::Arc;

use crate::diag::Site;

/// One file, at one place, takes one name. Built only for names that collide or are wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Claim {
    /// Index of the rule.
    pub(crate) rule: u16,
    /// Index into the rule's claims.
    pub(crate) claim: u8,
    /// Index into the listing's entries.
    pub(crate) entry: u32,
    pub(crate) partition: Arc<str>,
    pub(crate) space: Arc<str>,
    /// As the rule compares it.
    pub(crate) key: String,
    /// What counts as one claimant.
    pub(crate) unit: String,
    /// The unit is no more than the place in the file.
    pub(crate) placed: bool,
    /// It stands beside another one of its name, not in its stead, once the lines of work are merged.
    pub(crate) apart: bool,
    /// Claims collide only with their own kind.
    pub(crate) variant: String,
    /// A path: claims collide only where one reach is, or lies below, the other. Empty: everywhere.
    pub(crate) reach: String,
    pub(crate) site: Site,
}
