//! Which paths several lines change, and which of those lines are really in each other's way.

use foldhash::{HashMap, HashMapExt as _, HashSet, HashSetExt as _};
use gix::ObjectId;

use super::{Fleet, lock_files::is_lock_file};
use crate::{
    diag::RepoPath,
    report::{Incomplete, Skipped},
    source::{Changed, EntryKind, Place, Version},
};

/// One path that several lines change to different contents.
#[derive(Clone, Debug)]
pub struct Contended<'a> {
    /// The path.
    pub path: &'a RepoPath,
    /// The lines in each other's way, the oldest first, each with what it does to the path. At least two.
    pub holders: Vec<(u32, &'a Changed)>,
    /// What stands there for each of them before and after.
    states: Vec<(Content, Content)>,
}

/// What stands at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Content {
    Nothing,
    File(ObjectId),
    Link(ObjectId),
    /// Could not be read; unlike all others.
    Unknown(u32),
}

impl Contended<'_> {
    /// Whether two holders (places in `holders`) are in each other's way.
    pub(super) fn contend(&self, a: usize, b: usize) -> bool {
        contend(self.states[a], self.states[b])
    }
}

/// Not where both end with one content, nor where one began with what the other made: that has landed already.
fn contend(a: (Content, Content), b: (Content, Content)) -> bool {
    a.1 != b.1 && a.1 != b.0 && b.1 != a.0
}

/// All paths that are contended, sorted. Takes time linear in the changes of all lines. Lock files and what is generated
/// or vendored are left out, and counted.
pub fn contended<'a>(fleet: &Fleet<'a>) -> (Vec<Contended<'a>>, Vec<Skipped>) {
    let mut grouped = grouped(fleet, 2, |_| true);
    let before = grouped.len();
    grouped.retain(|(path, _)| !is_lock_file(path.file_name()) && !(fleet.left_out)(path));
    let mut skipped = Vec::new();
    if grouped.len() < before {
        let what = "lock files, generated and vendored files that several branches change".into();
        skipped.push(Skipped { what, count: Some(before - grouped.len()) });
    }
    let above = Stacks::of(fleet);
    let mut seen = Stamps::new(fleet.lines.len());
    let reduced = grouped.into_iter().filter_map(|(path, group)| {
        let group = above.tops(group, &mut seen);
        Contended::of(fleet, path, group)
    });
    (reduced.collect(), skipped)
}

/// The changes of each path that matters and that at least so many lines change, the oldest line first; sorted by path. With
/// a head, of the paths that it changes.
pub(super) fn grouped<'a>(
    fleet: &Fleet<'a>,
    least: u32,
    matters: impl Fn(&RepoPath) -> bool,
) -> Vec<(&'a RepoPath, Vec<(u32, &'a Changed)>)> {
    let mut counts: HashMap<&[u8], u32> = HashMap::new();
    let heads = fleet.head.and_then(|head| fleet.lines.get(head as usize));
    if let Some(head) = heads {
        counts.extend(head.changes.iter().map(|changed| (changed.path.as_bytes(), 0)));
    }
    let lines = fleet.lines.iter().enumerate();
    let all = lines.flat_map(|(at, line)| line.changes.iter().map(move |one| (at as u32, one)));
    let all: Vec<(u32, &Changed)> =
        all.filter(|(_, changed)| changed.old != changed.new && matters(&changed.path)).collect();
    for (_, changed) in &all {
        match counts.get_mut(changed.path.as_bytes()) {
            Some(count) => *count += 1,
            None if heads.is_none() => {
                counts.insert(changed.path.as_bytes(), 1);
            }
            None => {}
        }
    }
    let mut shared = all;
    shared.retain(|(_, changed)| counts.get(changed.path.as_bytes()).is_some_and(|count| *count >= least));
    shared.sort_by(|(a, one), (b, other)| {
        one.path.cmp(&other.path).then_with(|| (fleet.rank(*a), a).cmp(&(fleet.rank(*b), b)))
    });
    shared
        .chunk_by(|(_, one), (_, other)| one.path == other.path)
        .map(|group| (&group[0].1.path, group.to_vec()))
        .collect()
}

/// Which lines build on which.
pub(super) struct Stacks {
    /// By line: those that hold all of its commits and more.
    above: Vec<Vec<u32>>,
}

/// Which lines were met in the group at hand.
pub(super) struct Stamps {
    group: u32,
    by_line: Vec<u32>,
}

impl Stamps {
    pub(super) fn new(lines: usize) -> Self {
        Self { group: 0, by_line: vec![0; lines] }
    }
}

impl Stacks {
    pub(super) fn of(fleet: &Fleet<'_>) -> Self {
        let mut tips: HashMap<ObjectId, Vec<u32>> = HashMap::new();
        for (at, line) in fleet.lines.iter().enumerate() {
            if let Some(tip) = line.tip {
                tips.entry(tip).or_default().push(at as u32);
            }
        }
        let mut above = vec![Vec::new(); fleet.lines.len()];
        for (at, line) in fleet.lines.iter().enumerate() {
            for below in line.own.iter().filter(|own| Some(**own) != line.tip).filter_map(|own| tips.get(own)).flatten()
            {
                above[*below as usize].push(at as u32);
            }
        }
        Self { above }
    }

    /// A group without the lines that another one of it builds on. What is not committed is nobody else's.
    pub(super) fn tops<'a>(&self, group: Vec<(u32, &'a Changed)>, seen: &mut Stamps) -> Vec<(u32, &'a Changed)> {
        seen.group += 1;
        group.iter().for_each(|(line, _)| seen.by_line[*line as usize] = seen.group);
        let is_below = |(line, changed): &(u32, &Changed)| {
            let committed = changed.new.is_none_or(|new| matches!(new.place, Place::Blob(_)));
            committed && self.above[*line as usize].iter().any(|top| seen.by_line[*top as usize] == seen.group)
        };
        group.into_iter().filter(|one| !is_below(one)).collect()
    }
}

impl<'a> Contended<'a> {
    /// Those of a group that are in somebody's way; none where nobody is.
    fn of(fleet: &Fleet<'_>, path: &'a RepoPath, mut group: Vec<(u32, &'a Changed)>) -> Option<Self> {
        if group.len() < 2 {
            return None; // and nothing is read
        }
        let mut states: Vec<(Content, Content)> = group
            .iter()
            .map(|(line, changed)| {
                let content = |version| content(fleet, *line, changed, version);
                (content(changed.old), content(changed.new))
            })
            .collect();
        let changes: Vec<bool> = states.iter().map(|(before, after)| before != after).collect();
        retain(&mut group, &changes);
        retain(&mut states, &changes);
        let keep: Vec<bool> = match fleet.head {
            Some(head) => {
                let own = states[group.iter().position(|(line, _)| *line == head)?];
                let mut keep: Vec<bool> = states.iter().map(|state| contend(own, *state)).collect();
                let any = keep.contains(&true);
                group.iter().zip(&mut keep).for_each(|((line, _), keep)| *keep |= any && *line == head);
                keep
            }
            None => {
                let counts = Counts::of(&states);
                states.iter().map(|state| counts.contending(*state) > 0).collect()
            }
        };
        retain(&mut group, &keep);
        retain(&mut states, &keep);
        (group.len() >= 2).then_some(Self { path, holders: group, states })
    }
}

fn retain<T>(list: &mut Vec<T>, keep: &[bool]) {
    let mut keep = keep.iter();
    list.retain(|_| *keep.next().expect("the lists are equally long"));
}

/// How many holders have which content, so that nobody is compared with everybody.
struct Counts {
    all: usize,
    before: HashMap<Content, usize>,
    after: HashMap<Content, usize>,
    swapped: HashMap<(Content, Content), usize>,
}

impl Counts {
    fn of(states: &[(Content, Content)]) -> Self {
        let mut counts =
            Self { all: states.len(), before: HashMap::new(), after: HashMap::new(), swapped: HashMap::new() };
        for (before, after) in states {
            *counts.before.entry(*before).or_default() += 1;
            *counts.after.entry(*after).or_default() += 1;
            *counts.swapped.entry((*after, *before)).or_default() += 1;
        }
        counts
    }

    /// With how many others a holder contends, see [`contend`]. Nobody's content is the same before and after.
    fn contending(&self, (before, after): (Content, Content)) -> usize {
        let count = |counts: &HashMap<Content, usize>, content| counts.get(&content).copied().unwrap_or_default();
        let none = count(&self.after, after) + count(&self.before, after) + count(&self.after, before);
        self.all + self.swapped.get(&(before, after)).copied().unwrap_or_default() - none
    }
}

/// What stands there. Files on disk are read for it.
pub(super) fn content(fleet: &Fleet<'_>, line: u32, changed: &Changed, version: Option<Version>) -> Content {
    let Some(version) = version else { return Content::Nothing };
    let made = match version.kind {
        EntryKind::File => Content::File,
        EntryKind::Link => Content::Link,
    };
    if let Place::Blob(id) = version.place {
        return made(id);
    }
    let bytes = (fleet.read)(changed, &version).ok();
    let id = bytes.and_then(|bytes| gix::objs::compute_hash(gix::hash::Kind::Sha1, gix::objs::Kind::Blob, &bytes).ok());
    id.map_or(Content::Unknown(line), made)
}

/// Pairs of lines to be merged.
#[derive(Debug, Default)]
pub struct Pairs {
    /// Indexes of the lines, the smaller one first; sorted, each pair once.
    pub pairs: Vec<(u32, u32)>,
    /// What was left out because there are too many.
    pub incomplete: Vec<Incomplete>,
}

/// All pairs of lines that contend for some path; with a head, the pairs that it is in. Paths with few holders come first
/// where there are more pairs than `limit`.
pub fn pairs(fleet: &Fleet<'_>, contended: &[Contended<'_>], limit: usize) -> Pairs {
    let mut order: Vec<&Contended<'_>> = contended.iter().collect();
    order.sort_by_key(|one| one.holders.len()); // stable: paths of equally many stay sorted
    let mut chosen: HashSet<(u32, u32)> = HashSet::new();
    let mut left = 0;
    for one in order {
        for (b, (later, _)) in one.holders.iter().enumerate() {
            for (a, (line, _)) in one.holders[..b].iter().enumerate() {
                let asked = fleet.head.is_none_or(|head| *line == head || *later == head);
                if !asked || !one.contend(a, b) {
                    continue;
                }
                let pair = ((*line).min(*later), (*line).max(*later));
                if chosen.len() < limit {
                    chosen.insert(pair);
                } else if !chosen.contains(&pair) {
                    left += 1;
                }
            }
        }
    }
    let mut pairs: Vec<(u32, u32)> = chosen.into_iter().collect();
    pairs.sort_unstable();
    let incomplete = (left > 0).then(|| Incomplete {
        what: format!("merges of up to {left} more pairs of branches that change one file"),
        why: format!("at most {limit} pairs are merged in one run; name fewer branches"),
    });
    Pairs { pairs, incomplete: incomplete.into_iter().collect() }
}
