//! Names that have an order and stand in texts: entries of a journal.

use std::collections::BTreeSet;

use super::{Named, Scene, named};
use crate::{
    claim::Claim,
    engine::{locate, read::Pass},
    source::EntryKind,
    threads,
};

/// All versions of all such names.
pub(super) struct Written {
    pub(super) claims: Vec<Claim>,
    /// The rules' claims that they are of.
    of: BTreeSet<(u16, u8)>,
}

impl Written {
    /// Reads them.
    pub(super) fn read(pass: &Pass<'_>) -> Self {
        let has_order = |at: &u32| {
            let item = &pass.items[*at as usize];
            let (rule, claim) = (pass.rule(item), pass.claim(item));
            rule.spec.policy.has_late()
                && rule.spec.claim[usize::from(item.claim)].order.is_some()
                && claim.is_text()
                && pass.entry(item).kind != EntryKind::Link
        };
        let items: Vec<u32> = (0..pass.items.len() as u32).filter(has_order).collect();
        let claims = threads::map(&items, 4, |at| locate::of_text(pass, *at));
        let of = |at: &u32| (pass.items[*at as usize].rule, pass.items[*at as usize].claim);
        Self { claims: claims.concat(), of: items.iter().map(of).collect() }
    }

    fn has(&self, claim: &Claim) -> bool {
        self.of.contains(&(claim.rule, claim.claim))
    }

    /// What a name is known by: one in a text by its unit, which may get another name.
    pub(super) fn known_by<'c>(&self, claim: &'c Claim) -> Named<'c> {
        let known = if self.has(claim) && !claim.placed { &claim.unit } else { &claim.key };
        (claim.rule, &claim.partition, &claim.space, known)
    }

    /// Whether a line found a name in its merge base: a path is there or not, and in a text each name stands by itself.
    pub(super) fn had(&self, scene: &Scene<'_>, line: u32, claim: &Claim) -> bool {
        if !self.has(claim) {
            return scene.had(line, &claim.site.path);
        }
        let was = |other: &&Claim| scene.presence(other).old_of.binary_search(&line).is_ok();
        let is = |other: &&Claim| scene.presence(other).new_of.binary_search(&line).is_ok();
        let of_key = |other: &&Claim| named(other) == named(claim);
        let (before, now) = (self.count(&|one| was(one) && of_key(one)), self.count(&|one| is(one) && of_key(one)));
        // under the old name another unit stands: what was there is called anew
        before >= now.max(1) || self.count(&|one| was(one) && self.known_by(one) == self.known_by(claim)) > 0
    }

    fn count(&self, of: &dyn Fn(&&Claim) -> bool) -> usize {
        self.claims.iter().filter(of).count()
    }
}
