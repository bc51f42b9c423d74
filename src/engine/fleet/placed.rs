//! All that the trunk and lines of work hold, and where it lies: what judgement and the search for free names both begin with.

use std::sync::{Arc, Mutex};

use super::{
    Gaps, Plan, Versions,
    attributes::Attributes,
    gather::{self, Presence},
    settings, sniff,
};
use crate::{
    error::Fatal,
    rule::{self, Named, Resolved},
    source::{Entry, Line, Listing},
};

/// Versions of files, with the namespaces that they lie in.
pub(super) struct Placed {
    pub(super) listing: Listing,
    pub(super) presence: Vec<Presence>,
    pub(super) named: Named,
    pub(super) attributes: Arc<Attributes>,
    pub(super) resolved: Resolved,
}

/// Which files are placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Which {
    /// Those that lines of work have to do with, and what lies beside them.
    Touched,
    /// All.
    All,
}

/// Lists the trunk and the lines, and finds out which rule takes names from which file.
pub(super) fn placed(
    plan: &Plan<'_>,
    tree: &Versions<'_>,
    lines: &[Line],
    which: Which,
    gaps: &Gaps,
) -> Result<Placed, Fatal> {
    let mut trunk = gather::Trunk::new();
    let changed = lines.iter().flat_map(|line| &line.changes).map(|changed| changed.path.as_bytes());
    let classifier = match which {
        Which::Touched => rule::classifier_near(&plan.rules, changed),
        Which::All => rule::classifier(&plan.rules),
    };
    let (mut listing, mut touched) = gather::list(tree.trunk, lines, &classifier, &mut trunk)?;
    let named = settings::named(&plan.rules, &listing, tree, gaps);
    if !named.folders.is_empty() {
        let wanted: Vec<(u16, Vec<u8>)> =
            named.folders.iter().map(|(rule, folder)| (*rule, folder.clone().into_bytes())).collect();
        let classifier = rule::named_folders(&plan.rules, &wanted);
        let (of_folders, changed) = gather::list(tree.trunk, lines, &classifier, &mut trunk)?;
        listing.merge(of_folders);
        touched |= changed;
    }
    let attributes = Arc::new(Attributes::read(&listing, tree, gaps));
    if which == Which::Touched && !touched && plan.reserved.is_empty() {
        // no rule by names has to do with any of the changes
        (listing.entries, listing.wants) = Default::default();
        let (presence, resolved) = Default::default();
        return Ok(Placed { listing, presence, named, attributes, resolved });
    }
    let presence = gather::presence(&listing, &trunk, lines);
    let seen = Mutex::default();
    let is_touched = |entry: u32| presence[entry as usize].is_touched();
    let facts = rule::Facts {
        left_out: &|entry, generated| attributes.leaves_out(&entry.path, generated),
        read: &|entry: &Entry| sniff(tree, entry, &seen, gaps),
        named: &named,
        tentative: &|entry| !presence[entry as usize].base,
        judged: if which == Which::Touched { Some(&is_touched) } else { None },
    };
    let resolved = rule::resolve(&plan.rules, &listing, &facts);
    Ok(Placed { listing, presence, named, attributes, resolved })
}
