//! Links of a chain that come after one that a line of work takes away.
//!
//! Whether a parent ever was there is not asked: it may lie in a folder that is not known to be the tool's. So only what a line takes away
//! itself counts.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use super::{age::Age, forks::Chain};
use crate::{
    claim::Ruling,
    diag::{RepoPath, Severity, Site},
    engine::Gaps,
    rule::judge::Fork,
    text::count::number_of,
};

/// A link, and the id of the parent that it lacks.
type Orphan<'a> = (usize, &'a str);

/// What one parent that is gone leaves behind.
#[derive(Default)]
struct Loss {
    /// The lines that take it away.
    takers: BTreeSet<u32>,
    /// What comes after it, with its line; none is the trunk.
    left: BTreeSet<(usize, Option<u32>)>,
}

/// The ids that a line takes away, each with the link that it was.
type Taken<'a> = BTreeMap<&'a str, usize>;

/// Links, about, that are looked at to hold lines against each other. One that is taken away is rare, and so many are somebody's game.
const MOST: usize = 1_000_000;

/// One finding for each parent that lines take away from others, but for those that forks tell of.
pub(super) fn orphans(chain: &Chain<'_>, forks: &[Fork], gaps: &Gaps) -> Vec<Fork> {
    if !chain.history.needs_parents() {
        return Vec::new();
    }
    let taken: BTreeMap<u32, Taken<'_>> =
        chain.lines().map(|line| (line, taken(chain, line))).filter(|(_, ids)| !ids.is_empty()).collect();
    if taken.is_empty() {
        return Vec::new();
    }
    let told: BTreeSet<&str> = forks.iter().filter_map(|fork| Some(fork.gone.as_ref()?.1.as_str())).collect();
    let losses = losses(chain, &taken, gaps).into_iter().filter(|(parent, _)| !told.contains(parent));
    losses.map(|(parent, loss)| judged(chain, &taken, parent, &loss)).collect()
}

fn taken<'a>(chain: &Chain<'a>, line: u32) -> Taken<'a> {
    let links = || chain.history.links.iter().enumerate();
    let has = |lines: &[u32]| lines.binary_search(&line).is_ok();
    let names = |at: usize| chain.history.links[at].revision.names();
    let kept: BTreeSet<&str> =
        links().filter(|(at, _)| has(&chain.presence(*at).new_of)).flat_map(|(at, _)| names(at)).collect();
    let gone = links().filter(|(at, _)| has(&chain.presence(*at).old_of) && !is_moved(chain, line, *at));
    gone.flat_map(|(at, _)| names(at).map(move |id| (id, at))).filter(|(id, _)| !kept.contains(id)).collect()
}

/// Whether a line may only put a revision where the tool finds it too. Alembic's folders can be several, and not all need be known here. An
/// app of Django has one: its migrations are there as long as they all go together, and then git takes those of others along, or stops.
fn is_moved(chain: &Chain<'_>, line: u32, at: usize) -> bool {
    let changes = &chain.scene.line(line).changes;
    let path = &chain.files[at].1;
    let added = changes.iter().filter(|changed| changed.old.is_none());
    let mut of_name = added.filter(|changed| changed.path.file_name() == path.file_name());
    if chain.history.spans_folders() {
        return of_name.next().is_some();
    }
    let had: Vec<&RepoPath> = (0..chain.files.len())
        .filter(|at| chain.presence(*at).old_of.binary_search(&line).is_ok() || chain.is_on_base(*at))
        .map(|at| &chain.files[at].1)
        .collect();
    let change = |path: &[u8]| {
        let at = changes.binary_search_by(|changed| changed.path.as_bytes().cmp(path)).ok()?;
        Some((changes[at].old.is_some(), changes[at].new.is_some()))
    };
    let all_gone = had.iter().all(|path| change(path.as_bytes()) == Some((true, false)));
    all_gone
        && of_name.any(|changed| {
            let moved = |path: &&RepoPath| [changed.path.parent(), b"/", path.file_name()].concat();
            had.iter().all(|path| change(&moved(path)) == Some((false, true)))
        })
}

fn losses<'a>(chain: &Chain<'a>, taken: &BTreeMap<u32, Taken<'a>>, gaps: &Gaps) -> BTreeMap<&'a str, Loss> {
    let before = chain.orphans(&[]);
    let new = |lines: &[u32]| -> BTreeSet<Orphan<'a>> { chain.orphans(lines).difference(&before).copied().collect() };
    let is_judged = |line: u32| chain.scene.head.is_none_or(|head| head == line);
    let mut losses: BTreeMap<&str, Loss> = BTreeMap::new();
    let mut own: BTreeMap<u32, BTreeSet<Orphan<'a>>> = BTreeMap::new();
    let (mut looked_at, mut left_out) = (0, 0usize);
    for (taker, ids) in taken {
        let alone = new(&[*taker]);
        let mut tell = |orphans: &BTreeSet<Orphan<'a>>, other: Option<u32>| {
            for (at, parent) in orphans.iter().filter(|(_, parent)| ids.contains_key(parent)) {
                let loss = losses.entry(*parent).or_default();
                loss.takers.insert(*taker);
                loss.left.insert((*at, if chain.is_on_base(*at) { None } else { other.or(Some(*taker)) }));
            }
        };
        if is_judged(*taker) {
            tell(&alone, None);
        }
        for line in chain.lines().filter(|line| line != taker && (is_judged(*taker) || is_judged(*line))) {
            if !builds_on(chain, line, ids)
                || chain.scene.is_behind(line, *taker)
                || chain.scene.is_behind(*taker, line)
            {
                continue;
            }
            looked_at += chain.files.len();
            if looked_at > MOST {
                left_out += 1;
                continue;
            }
            let own = own.entry(line).or_insert_with(|| new(&[line]));
            let together = new(&[*taker, line]);
            tell(&together.into_iter().filter(|one| !alone.contains(one) && !own.contains(one)).collect(), Some(line));
        }
    }
    if left_out > 0 {
        let pairs = number_of(left_out, "pair");
        gaps.add(
            format!("the migrations in {}", chain.history.partition),
            format!("so many lines of work take one away or go on from it that {pairs} of them were not held against each other"),
        );
    }
    losses
}

/// Whether a line brings something that needs one of these.
fn builds_on(chain: &Chain<'_>, line: u32, ids: &Taken<'_>) -> bool {
    chain.history.links.iter().enumerate().any(|(at, link)| {
        chain.presence(at).new_of.binary_search(&line).is_ok()
            && link.revision.needs().any(|needed| ids.contains_key(needed))
    })
}

/// The finding about a parent that is gone: whose line is the older one keeps its place.
fn judged(chain: &Chain<'_>, taken: &BTreeMap<u32, Taken<'_>>, parent: &str, loss: &Loss) -> Fork {
    let scene = chain.scene;
    let part = |at: usize, line: Option<u32>, takes: bool| {
        let place = scene.listing.entries[chain.files[at].0 as usize].place;
        let age = line.map_or(Age::Base, |line| Age::of(scene.line(line), place));
        let mut site = chain.history.links[at].site.clone();
        site.holder = line.map_or_else(|| scene.target.clone(), |line| scene.line(line).holder.clone());
        let mut id = chain.history.links[at].revision.id.clone();
        if takes {
            site = Site::path(site.path, site.holder); // nothing stands there any more
            site.note = Some(format!("`{parent}` is taken away"));
            parent.clone_into(&mut id);
        }
        (age, takes, line, (id, site))
    };
    let mut parts: Vec<_> = loss.takers.iter().map(|line| part(taken[line][parent], Some(*line), true)).collect();
    parts.extend(loss.left.iter().map(|(at, line)| part(*at, *line, false)));
    parts.sort_by(|a, b| (a.0, a.1, &a.3.1.path).cmp(&(b.0, b.1, &b.3.1.path)));
    let (first_age, first_takes, first_line, first) = parts[0].clone();
    // those that have to yield come next
    parts[1..].sort_by_key(|(_, takes, ..)| *takes == first_takes);
    let yields = |part: &(Age<'_>, bool, Option<u32>, (String, Site))| part.1 != first_takes && part.2 == scene.head;
    let next = parts.iter().find(|part| part.1 != first_takes).map_or(first_age, |part| part.0);
    let orphan = loss.left.first().map_or("", |(at, _)| chain.history.links[*at].revision.id.as_str());
    let group = loss.left.first().and_then(|(at, _)| chain.history.links[*at].revision.group.clone());
    Fork {
        rule: chain.history.rule,
        partition: Arc::clone(&chain.history.partition),
        name: group.unwrap_or_default(),
        cap: (scene.head.is_some() && !parts.iter().any(yields)).then_some(Severity::Note),
        ruling: Some(Ruling::Keeps {
            keeper: first.1.holder,
            because: first_age.decided_against(next).to_string(),
            itself: parts.iter().all(|part| part.2 == first_line),
            apart: false,
        }),
        heads: parts.into_iter().map(|(.., head)| head).collect(),
        gone: Some((orphan.to_owned(), parent.to_owned())),
    }
}
