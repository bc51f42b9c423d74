//! Chains of revisions.
use super::{Gaps, read::Pass};
use crate::rule::judge::Judged;
pub(super) fn judge(_: &Pass<'_>, _: &Gaps, _: &mut Judged) {}
