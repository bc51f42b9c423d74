//! One tree, looked at for some collisions alone.

use std::collections::BTreeSet;

use super::{super::alone, Found, is_fork};
use crate::{
    diag::Diagnostic,
    engine::{Gaps, Plan, judge_tree},
    error::Fatal,
    report::Incomplete,
    rule::{ActiveRule, Item, Source, spec::ChainSpec},
    source::Tree,
};

/// What is one collision, whoever takes part in it: code, partition and key, whatever its case.
pub(super) type Name = (String, String, String);

/// What is needed to look at a tree for these collisions alone.
pub(super) struct Ground<'a> {
    plan: &'a Plan<'a>,
    /// Rules of which something was found, and where.
    places: BTreeSet<(&'a str, &'a str)>,
}

impl<'a> Ground<'a> {
    pub(super) fn new(plan: &'a Plan<'a>, found: &'a [Found]) -> Self {
        let place = |one: &'a Found| (one.finding.rule(), one.finding.partition.as_deref().unwrap_or_default());
        Self { plan, places: found.iter().map(place).collect() }
    }

    /// The heads of a chain move on while it is forked, so a fork that is named by them is known by its place alone.
    pub(super) fn name(&self, found: &Diagnostic) -> Name {
        let is_by_heads = |active: &ActiveRule| active.rule.id() == found.rule() && is_alembic(active);
        let key = match is_fork(found) && self.plan.rules.iter().any(is_by_heads) {
            true => String::new(),
            false => found.key.as_deref().unwrap_or_default().to_lowercase(),
        };
        (found.code.clone(), found.partition.clone().unwrap_or_default(), key)
    }

    /// Which collisions stand in a tree.
    pub(super) fn standing(&self, tree: &dyn Tree) -> Result<Standing, Fatal> {
        let plan = alone(self.plan, tree);
        let keep = |item: &Item| {
            let active = &plan.rules[usize::from(item.rule)];
            let id = active.rule.id();
            // a group of the name splits a partition further, and a chain can lie in several
            self.places.iter().any(|(rule, place)| {
                *rule == id && (is_alembic(active) || place.starts_with(&*item.partition) || &*item.partition == ".")
            })
        };
        let gaps = Gaps::default();
        let found = judge_tree(&plan, &gaps, &keep, |_, _| {})?;
        let mut gaps = gaps.into_inner();
        gaps.retain(|gap| !gap.what.starts_with("[namespace.")); // roots that were not there then
        Ok(Standing { names: found.findings.iter().map(|found| self.name(found)).collect(), gaps })
    }
}

fn is_alembic(active: &ActiveRule) -> bool {
    active.rule.claims.iter().any(|claim| matches!(claim.source, Source::Chain(ChainSpec::Alembic)))
}

/// Which collisions stand in one tree.
pub(super) struct Standing {
    names: BTreeSet<Name>,
    pub(super) gaps: Vec<Incomplete>,
}

impl Standing {
    /// Whether a collision stands; none where files of it can't be read.
    pub(super) fn has(&self, name: &Name, found: &Diagnostic) -> Option<bool> {
        let is_unsure =
            |gap: &Incomplete| is_fork(found) || found.sites.iter().any(|site| site.path.lossy() == gap.what);
        match self.names.contains(name) {
            true => Some(true),
            false if self.gaps.iter().any(is_unsure) => None,
            false => Some(false),
        }
    }
}
