//! Which commits change a file that some rule wants.
//!
//! Where the judged tools' own settings name folders, a path alone does not tell: so all settings of the time in question are read first.

use std::collections::{BTreeMap, BTreeSet};

use super::{StepGaps, threads::each};
use crate::{
    diag::{Holder, RepoPath},
    engine::{Gaps, Plan, settings},
    report::Incomplete,
    rule::{self, ActiveRule, Named, Want, What, select::Classifier},
    source::{Changed, Entry, Folders, Git, Listing, Place, Step, Tree},
};

/// Neighbours in history that one thread compares with one cache.
const TOGETHER: usize = 32;
/// More folders than these, named at some time, are not told apart: every change counts.
const MOST_NAMED: usize = 1024;

/// The commits that are to be judged.
pub(super) struct Wanted {
    /// What the rules want; none where that can't be told from paths.
    classifier: Option<Classifier<Want>>,
    /// Their indices, ascending.
    pub(super) steps: Vec<usize>,
}

impl Wanted {
    pub(super) fn folders(&self) -> Folders<'_> {
        self.classifier.as_ref().map_or(Folders::All, Folders::Wanted)
    }
}

/// Finds them. What can't be compared is a gap.
pub(super) fn find(plan: &Plan<'_>, git: &Git, steps: &[Step], gaps: &StepGaps) -> Wanted {
    let classifier = rule::classifier(&plan.rules);
    let look = compare(git, steps, &classifier, gaps);
    let mut wanted = look.wanted;
    let read = Gaps::default();
    let settings = Settings::read(plan, git, &look.settings, steps.last(), &classifier, &read);
    read.into_inner().into_iter().for_each(|gap| gaps.add(steps.len(), gap));
    wanted.extend(look.settings.iter().filter(|(_, change)| settings.differ(change)).map(|(at, _)| *at));
    let named = settings.folders();
    if named.len() > MOST_NAMED {
        return Wanted { classifier: None, steps: (0..steps.len()).collect() };
    }
    if !named.is_empty() {
        wanted.extend(compare(git, steps, &rule::named_folders(&plan.rules, &named), gaps).wanted);
    }
    let classifier = rule::classifier_with_named(&plan.rules, &named);
    Wanted { classifier: Some(classifier), steps: wanted.into_iter().collect() }
}

/// What commits change.
#[derive(Default)]
struct Look {
    wanted: BTreeSet<usize>,
    /// What became of the tools' own settings that may name folders, with the index of the commit.
    settings: Vec<(usize, Change)>,
}

/// What a commit made of one file, for one rule.
struct Change {
    want: Want,
    path: RepoPath,
    old: Option<Place>,
    new: Option<Place>,
}

fn compare(git: &Git, steps: &[Step], classifier: &Classifier<Want>, gaps: &StepGaps) -> Look {
    let parts = each(
        steps.len().div_ceil(TOGETHER),
        || (git.comparison(Folders::Wanted(classifier)), classifier.walk()),
        |(comparison, walk), part| {
            let mut look = Look::default();
            for at in (part * TOGETHER..steps.len()).take(TOGETHER) {
                let changes = comparison.changes(&steps[at]).unwrap_or_else(|why| {
                    gaps.add(at, Incomplete { what: "what was changed".into(), why });
                    Vec::new()
                });
                for changed in &changes {
                    walk.path(changed.path.as_bytes(), |want| look.take(at, changed, want));
                }
            }
            look
        },
    );
    parts.into_iter().fold(Look::default(), |mut all, part| {
        all.wanted.extend(part.wanted);
        all.settings.extend(part.settings);
        all
    })
}

impl Look {
    fn take(&mut self, at: usize, changed: &Changed, want: Want) {
        let is_wanted = match want.what {
            What::Claim(_) | What::Text(_) | What::Manifest(_) => true,
            What::Marker(_) => changed.old.is_none() || changed.new.is_none(),
            // attributes count once they are merged, and what takes no name collides with nothing
            What::Attributes
            | What::Malformed(_)
            | What::Unclaimed(_)
            | What::Ignored(_)
            | What::Beside(_)
            | What::Lax(_) => false,
            What::From(_) => {
                let place = |version: Option<crate::source::Version>| version.map(|version| version.place);
                let (old, new) = (place(changed.old), place(changed.new));
                self.settings.push((at, Change { want, path: changed.path.clone(), old, new }));
                false
            }
        };
        if is_wanted {
            self.wanted.insert(at);
        }
    }
}

/// What the tools' own settings named at any time.
struct Settings(BTreeMap<(Want, RepoPath, Place), Named>);

impl Settings {
    /// Reads those that some commit changed, and those that were there before the oldest one.
    fn read(
        plan: &Plan<'_>,
        git: &Git,
        changes: &[(usize, Change)],
        oldest: Option<&Step>,
        classifier: &Classifier<Want>,
        gaps: &Gaps,
    ) -> Self {
        let mut files: BTreeSet<(Want, RepoPath, Place)> = BTreeSet::new();
        for (_, change) in changes {
            files.extend([change.old, change.new].iter().flatten().map(|at| (change.want, change.path.clone(), *at)));
        }
        // where that tree can't be read, so can't the step, which says why
        let before = oldest.and_then(|oldest| git.tree(oldest.parent?, Holder::head(None)).ok()?.list(classifier).ok());
        for listing in before.iter().filter(|_| plan.rules.iter().any(|active| active.rule.reads_settings())) {
            for hit in listing.hits().filter(|hit| matches!(hit.want.what, What::From(_))) {
                let entry = &listing.entries[hit.entry as usize];
                files.insert((hit.want, entry.path.clone(), entry.place));
            }
        }
        let files: Vec<_> = files.into_iter().collect();
        let tree = git.empty_tree(Holder::head(None));
        let named = each(files.len(), || (), |(), at| named(&plan.rules, &tree, &files[at], gaps));
        Self(files.into_iter().zip(named).collect())
    }

    /// Whether a change makes a tool look elsewhere.
    fn differ(&self, change: &Change) -> bool {
        let of =
            |place: Option<Place>| self.0.get(&(change.want, change.path.clone(), place?)).filter(|it| !it.is_empty());
        of(change.old) != of(change.new)
    }

    fn folders(&self) -> Vec<(u16, Vec<u8>)> {
        let all: BTreeSet<_> = self.0.values().flat_map(|named| &named.folders).collect();
        all.into_iter().map(|(rule, folder)| (*rule, folder.clone().into_bytes())).collect()
    }
}

fn named(rules: &[ActiveRule], tree: &dyn Tree, (want, path, place): &(Want, RepoPath, Place), gaps: &Gaps) -> Named {
    let entry = Entry { path: path.clone(), kind: crate::source::EntryKind::File, place: *place };
    let mut listing = Listing::default();
    listing.push(entry, [*want].into());
    settings::named(rules, &listing, tree, gaps)
}
