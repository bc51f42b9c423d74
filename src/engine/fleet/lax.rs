//! Where a repository tells a tool to take late names, beside the tool's own settings: in calls and scripts.
//!
//! Any source file can hold such a call. So they are read only where a name does come too late: cost follows the findings. Only the trunk's
//! files count: what is judged can't tell how grave it is.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use super::{Fleet, attributes::Attributes};
use crate::{
    diag::{RepoPath, Severity},
    engine::{PARSED_LIMIT, Plan},
    error::Fatal,
    rule::{self, ActiveRule, What, judge::Late},
    source::{EntryKind, Hit, Tree},
};

/// Notes of late names which file tells their tool to take them. That file may be about another folder: the names stay worth a note.
pub(super) fn mark(
    plan: &Plan<'_>,
    fleet: &Fleet<'_>,
    tree: &dyn Tree,
    attributes: &Attributes,
    late: &mut [Late],
) -> Result<(), Fatal> {
    let asks = |at: &u16| {
        let rule = &plan.rules[usize::from(*at)].rule;
        let is_told = || plan.levels.apply(&format!("{}/out-of-order", rule.id()), Severity::Warning).is_some();
        !rule.root.lax.is_empty() && is_told()
    };
    let wanted: BTreeSet<u16> = late.iter().map(|late| late.rule).filter(asks).collect();
    if wanted.is_empty() {
        return Ok(());
    }
    let told = told(&plan.rules, fleet, tree, attributes, &wanted)?;
    late.iter_mut().for_each(|late| late.allowed_by = told.get(&late.rule).cloned());
    Ok(())
}

/// By rule, the first file that tells its tool to take late names.
fn told(
    rules: &[ActiveRule],
    fleet: &Fleet<'_>,
    tree: &dyn Tree,
    attributes: &Attributes,
    wanted: &BTreeSet<u16>,
) -> Result<BTreeMap<u16, RepoPath>, Fatal> {
    let classifier = rule::lax_files(rules, wanted);
    let listing = fleet.trunk.list(&classifier)?;
    let hits: Vec<Hit> = listing.hits().collect();
    let first = |of: &u16| {
        let active = &rules[usize::from(*of)];
        let tells = |hit: &&Hit| {
            let (What::Lax(index), entry) = (hit.want.what, &listing.entries[hit.entry as usize]) else {
                return false;
            };
            if hit.want.rule != *of {
                return false; // another rule's index means nothing in this one's list
            }
            let lax = &active.rule.root.lax[usize::from(index)];
            let counts = entry.kind != EntryKind::Link
                && lax.means(entry.path.as_bytes())
                && !active.scope.leaves_out(entry.path.as_bytes(), active.rule.excludes())
                && !attributes.leaves_out(&entry.path, false);
            // one that can't be read allows nothing: the finding stays as grave as it is
            let text = || tree.read(entry, PARSED_LIMIT).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
            counts && text().is_ok_and(|text| lax.is_told_by(&text))
        };
        let hit = hits.par_iter().find_first(tells)?;
        Some((*of, listing.entries[hit.entry as usize].path.clone()))
    };
    Ok(wanted.iter().filter_map(first).collect())
}
