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
    rule::{self, Named, Resolved, Want, select::Classifier},
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

/// More changes than so many are hardly without any that a rule by names has to do with.
const FEW: usize = 200;

/// What is placed where no rule by names has to do with any change: nothing. Of the trunk only the settings are looked at that could say that one
/// has. None where one has.
fn untouched(
    plan: &Plan<'_>,
    tree: &Versions<'_>,
    lines: &[Line],
    classifier: &Classifier<Want>,
    gaps: &Gaps,
) -> Result<Option<Placed>, Fatal> {
    let changed = || lines.iter().flat_map(|line| &line.changes);
    let wanted_by = |classifier: &Classifier<Want>| {
        let mut wanted = false;
        changed().any(|changed| {
            classifier.path(changed.path.as_bytes(), |_| wanted = true);
            wanted
        })
    };
    if changed().count() > FEW || wanted_by(classifier) {
        return Ok(None);
    }
    let mut listing = tree.trunk.list(&rule::settings_files(&plan.rules))?;
    let unread = Gaps::default();
    let named = settings::named(&plan.rules, &listing, tree, &unread);
    if !named.folders.is_empty() && wanted_by(&rule::named_folders(&plan.rules, &folders(&named))) {
        return Ok(None);
    }
    let attributes = Arc::new(Attributes::read(&listing, tree, &unread));
    unread.into_inner().into_iter().for_each(|gap| gaps.add(gap.what, gap.why));
    (listing.entries, listing.wants) = Default::default();
    let (presence, resolved) = Default::default();
    Ok(Some(Placed { listing, presence, named, attributes, resolved }))
}

/// The folders that settings name, by the number of their rule.
fn folders(named: &Named) -> Vec<(u16, Vec<u8>)> {
    named.folders.iter().map(|(rule, folder)| (*rule, folder.clone().into_bytes())).collect()
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
    if which == Which::Touched
        && plan.reserved.is_empty()
        && let Some(placed) = untouched(plan, tree, lines, &classifier, gaps)?
    {
        return Ok(placed);
    }
    let mut listing = gather::list(tree.trunk, lines, &classifier, &mut trunk)?;
    let named = settings::named(&plan.rules, &listing, tree, gaps);
    if !named.folders.is_empty() {
        let classifier = rule::named_folders(&plan.rules, &folders(&named));
        listing.merge(gather::list(tree.trunk, lines, &classifier, &mut trunk)?);
    }
    let presence = gather::presence(&listing, &trunk, lines);
    let attributes = Arc::new(Attributes::read(&listing, tree, gaps));
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
