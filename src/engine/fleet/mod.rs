//! Several lines of work, judged together against the tip of the trunk.
//!
//! Nothing is merged to find what collides: of each line only what it changes counts, and what changes is grouped by name. Cost follows the
//! changes and the trunk's namespaces that they touch.

mod age;
mod arithmetic;
mod bands;
mod change;
mod contention;
mod forks;
mod frozen;
mod gather;
mod heads;
mod lax;
mod order;
mod orphans;
mod placed;
mod reserved;
mod scene;
mod taken;
mod twins;
mod verdict;
mod versions;
mod worth;

pub use reserved::Reserved;
pub use scene::History;
pub(super) use scene::trunk as trunk_holder;
pub use taken::{Holders, Home, Names, Taken, names};
pub(super) use versions::Versions;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use super::{Gaps, Plan, attributes, chains, environment, locate, read, settings, sniff};
use crate::{
    diag::{Diagnostic, Holder, RepoPath},
    error::Fatal,
    report::{Incomplete, Skipped},
    rule::{
        Item, Source,
        code::contention::MergeText,
        judge,
        spec::{ChainSpec, Group},
    },
    source::{Line, Listing, Tree},
    threads,
};
use gather::Presence;
use scene::{Landed, Scene};

/// What is judged together.
pub struct Fleet<'a> {
    /// The tree at the trunk's tip; reads all of git's blobs too.
    pub trunk: &'a dyn Tree,
    /// The trunk's name, as given.
    pub target: String,
    /// Its commit; none before the first one.
    pub commit: Option<gix::ObjectId>,
    /// The lines of work, the head among them.
    pub lines: Vec<Line>,
    /// Those that have several best merge bases with the trunk: what git makes of a text of theirs is not known from one base.
    pub crossed: BTreeSet<u32>,
    /// Which of them is the change that is judged.
    pub head: Option<usize>,
    /// Whether a change is judged, even one that can't be looked at.
    pub is_change: bool,
    /// The working trees that [`Place::Worktree`](crate::source::Place) counts.
    pub worktrees: Vec<&'a dyn Tree>,
    /// All worktrees whose ports, databases and project names are held against each other.
    pub environment: Vec<(Holder, &'a dyn Tree)>,
    /// What the history tells of two lines.
    pub history: &'a dyn History,
    /// What the code rules that judge changes need; none where they don't run.
    pub by_code: Option<super::ByCode<'a>>,
    /// Whether what lines do to one file is judged.
    pub contention: bool,
    /// Whether lines that change one file are merged in memory.
    pub conflicts: bool,
    /// Old collisions are worth a note, where the change touches their namespace.
    pub notes_old: bool,
    /// Whether what comes too late is held against the calls that tell a tool to take it.
    pub calls: bool,
    /// Lines of work that could not be looked at.
    pub incomplete: Vec<Incomplete>,
    /// Lines of work that were left out by choice.
    pub skipped: Vec<Skipped>,
}

/// What was found between lines.
pub(super) struct Judged {
    pub(super) findings: Vec<Diagnostic>,
    pub(super) skipped: Vec<Skipped>,
    /// The trunk's files, for the allowances in them.
    pub(super) trunk: Listing,
    /// The migrations that the head adds: the files of each.
    pub(super) migrations: Vec<Vec<RepoPath>>,
    pub(super) files: usize,
}

/// More changes than so many are worth a second thread.
const MANY: usize = 2_000;

/// Judges the lines of a fleet: what takes a name, and what is contended.
pub(super) fn judge(plan: &Plan<'_>, fleet: &Fleet<'_>, gaps: &Gaps) -> Result<Judged, Fatal> {
    let tree = Versions { trunk: fleet.trunk, worktrees: &fleet.worktrees };
    let placed = placed::placed(plan, &tree, &fleet.lines, placed::Which::Touched, gaps)?;
    let attributes = Arc::clone(&placed.attributes);
    let merge = |path: &RepoPath, base: &[u8], ours: &[u8], theirs: &[u8]| {
        fleet.history.merge_text(fleet.commit, path, [base, ours, theirs])
    };
    let by_name = || by_name(plan, fleet, &tree, placed, &merge, gaps);
    let by_file = || contended(plan, fleet, &tree, &attributes, &merge, gaps);
    let (judged, (findings, skipped)) =
        threads::join(fleet.lines.iter().map(|line| line.changes.len()).sum::<usize>() < MANY, by_name, by_file);
    let mut judged = judged?;
    judged.findings.extend(findings);
    judged.skipped.extend(skipped);
    Ok(judged)
}

/// What lines do to one file, levels applied, and what was left out.
fn contended(
    plan: &Plan<'_>,
    fleet: &Fleet<'_>,
    tree: &dyn Tree,
    attributes: &attributes::Attributes,
    merge: &MergeText<'_>,
    gaps: &Gaps,
) -> (Vec<Diagnostic>, Vec<Skipped>) {
    let mut skipped = Vec::new();
    if !fleet.contention {
        return (Vec::new(), skipped);
    }
    let left_out = |path: &RepoPath| attributes.leaves_out(path, false);
    let found = contention::judge(fleet, tree, &left_out, merge, gaps, &mut skipped);
    let with_level = |mut found: Diagnostic| {
        found.severity = plan.levels.apply(&found.code, found.severity)?;
        Some(found)
    };
    (found.into_iter().filter_map(with_level).collect(), skipped)
}

/// Judges what takes a name.
fn by_name(
    plan: &Plan<'_>,
    fleet: &Fleet<'_>,
    tree: &Versions<'_>,
    placed: placed::Placed,
    merge: &MergeText<'_>,
    gaps: &Gaps,
) -> Result<Judged, Fatal> {
    let placed::Placed { mut listing, mut presence, named, attributes, resolved } = placed;
    let strays = fleet.head.map_or_else(Vec::new, |head| {
        change::strays(plan, &resolved, &listing, &presence, (head as u32, &fleet.lines[head]))
    });
    let items = touched(plan, resolved.items, &presence);
    let stand_ins = reserved::stand_ins(&plan.reserved, &mut listing, &mut presence);
    let pass = read::Pass { plan, tree, listing: &listing, items: &items };
    let read = pass.read(gaps);

    let scene = Scene {
        lines: &fleet.lines,
        crossed: &fleet.crossed,
        head: fleet.head.map(|head| head as u32),
        notes_old: fleet.notes_old,
        target: scene::trunk(&fleet.target, fleet.commit),
        listing: &listing,
        presence: &presence,
        history: fleet.history,
        gaps,
        landed: landed(&pass, &presence),
        related: std::cell::RefCell::default(),
        rules: &plan.rules,
        reserved: &plan.reserved,
    };
    let histories = chains::histories(&pass, gaps, &|entry| {
        let presence = &presence[entry as usize];
        presence.base || !presence.new_of.is_empty()
    });
    let mut claims = locate::claims(&pass, worth::a_look(&scene, &pass, &read.marks), gaps);
    twins::mark(&scene, &pass, merge, &mut claims, gaps);
    reserved::add(&pass, &scene, &stand_ins, &mut claims);
    claims.extend(histories.iter().flat_map(|history| history.claims(&pass)));
    let ordered = order::path_claims(&pass);
    let (mut forks, mut unclear) = (Vec::new(), Vec::new());
    for history in &histories {
        if pass.plan.rules[usize::from(history.rule)].rule.spec.policy.one_head {
            forks.extend(forks::forks(&scene, &pass, history, &mut unclear, gaps));
        }
    }
    let mut machine = environment::judge(&plan.rules, &fleet.environment);
    let mut collisions = arithmetic::collisions(&scene, claims);
    collisions.append(&mut machine.collisions);
    let mut late = order::late(&scene, &pass, &ordered, &named);
    if fleet.calls {
        lax::mark(plan, fleet, tree, &attributes, &mut late)?;
    }
    let judged = judge::Judged {
        collisions,
        forks,
        late,
        frozen: frozen::frozen(&scene, &pass, &ordered),
        strayed: bands::outside(plan, fleet, &scene, &pass, gaps),
        ..change::of_head(&scene, &pass, read.faults, strays, read.counts)
    };
    let holder = fleet.head.map_or_else(|| fleet.trunk.holder(), |head| fleet.lines[head].holder.clone());
    let ground = judge::Ground {
        rules: &plan.rules,
        listing: &listing,
        items: &items,
        levels: &plan.levels,
        holder,
        is_reserved: &|rule, partition, space, name| {
            let id = plan.rules[usize::from(rule)].rule.id();
            plan.reserved.iter().any(|one| {
                (one.namespace.as_str(), one.partition.as_str(), one.space.as_str(), one.name.as_str())
                    == (id, partition, space, name)
            })
        },
    };
    let findings = judge::judge(&ground, &judged);
    let files = items.iter().map(|item| item.entry).collect::<BTreeSet<_>>().len() + machine.files;
    let migrations = fleet.head.filter(|_| fleet.by_code.is_some()).map(|head| added(&pass, &fleet.lines[head]));
    let migrations = migrations.unwrap_or_default();
    let skipped = [std::mem::take(&mut listing.skipped), unclear, fleet.skipped.clone(), machine.skipped].concat();
    let skipped = skipped.into_iter().chain(reserved::not_judged(plan)).collect();
    fleet.incomplete.iter().chain(&machine.incomplete).for_each(|gap| gaps.add(gap.what.clone(), gap.why.clone()));
    std::mem::take(&mut listing.incomplete).into_iter().for_each(|gap| gaps.add(gap.what, gap.why));
    let mut number = 0;
    listing.entries.retain(|_| {
        number += 1;
        presence[number - 1].base
    });
    Ok(Judged {
        findings,
        skipped,
        files,
        migrations,
        trunk: Listing { entries: listing.entries, ..Listing::default() },
    })
}

/// The items of those namespaces that some line has to do with. One Alembic history can lie in several: all of its rule's count.
fn touched(plan: &Plan<'_>, mut items: Vec<Item>, presence: &[Presence]) -> Vec<Item> {
    let place = |item: &Item| {
        let rule = &plan.rules[usize::from(item.rule)].rule;
        let joins = matches!(rule.claims[usize::from(item.claim)].source, Source::Chain(ChainSpec::Alembic));
        (item.rule, if joins { "".into() } else { item.partition.clone() })
    };
    let wanted: BTreeSet<_> =
        items.iter().filter(|item| presence[item.entry as usize].is_touched()).map(&place).collect();
    items.retain(|item| wanted.contains(&place(item)));
    items
}

/// The migrations that a line adds: the files of each, in the order of their paths.
fn added(pass: &read::Pass<'_>, line: &Line) -> Vec<Vec<RepoPath>> {
    let mut units: BTreeMap<_, BTreeSet<RepoPath>> = BTreeMap::new();
    for (at, item) in (0u32..).zip(pass.items) {
        let path = &pass.entry(item).path;
        let changed = line.changes.binary_search_by(|changed| changed.path.cmp(path)).map(|at| &line.changes[at]);
        let is_new = changed.is_ok_and(|changed| changed.old.is_none() && changed.new.is_some());
        if !is_new || pass.rule(item).spec.group != Some(Group::Migrations) {
            continue;
        }
        let of_path = if pass.claim(item).is_path() { locate::of_path(pass, at) } else { None };
        let unit = of_path.map_or_else(|| path.lossy().into_owned(), |claim| claim.unit.to_string());
        units.entry((item.partition.clone(), unit)).or_default().insert(path.clone());
    }
    let mut groups: Vec<Vec<RepoPath>> = units.into_values().map(|paths| paths.into_iter().collect()).collect();
    groups.sort();
    groups.dedup(); // two rules may see one file
    groups
}

/// Which contents the trunk holds in which namespace.
fn landed(pass: &read::Pass<'_>, presence: &[Presence]) -> Landed {
    let mut landed = Landed::new();
    // functions and pages begin as copies of each other; a migration that is the same is the same
    let counts = |item: &&Item| {
        let is_migration = pass.rule(item).spec.group == Some(Group::Migrations);
        is_migration && presence[item.entry as usize].base && pass.claim(item).is_path()
    };
    for item in pass.items.iter().filter(counts) {
        let entry = pass.entry(item);
        if let crate::source::Place::Blob(id) = entry.place {
            landed.entry((item.rule, id)).or_default().push((item.partition.clone(), entry.path.clone()));
        }
    }
    landed
}

#[cfg(test)]
mod tests;
