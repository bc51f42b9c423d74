//! Chains of revisions: all files of a partition are read, and its graph is judged as a whole.

use std::{
    collections::{BTreeMap, BTreeSet},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use rayon::prelude::*;

use super::{Gaps, PARSED_LIMIT, read::Pass};
use crate::{
    claim::{
        Claim, Collision, Kind,
        chain::{
            Parsed, Revision, alembic, django, drizzle,
            graph::{Graph, Heads},
        },
    },
    diag::{Site, parent},
    report::Skipped,
    rule::{
        Item, Source,
        judge::{Fork, Judged},
        spec::ChainSpec,
    },
    source::EntryKind,
    text, threads,
};

/// One revision and its file.
pub(super) struct Link {
    pub(super) item: u32,
    pub(super) revision: Revision,
    pub(super) site: Site,
}

/// A file that was read.
enum Read {
    Plain(Parsed<Revision>, Vec<u8>),
    Django(Parsed<django::Migration>, Vec<u8>),
}

/// Judges all chains. Gives what could not be judged because it is computed in code.
pub(super) fn judge(pass: &Pass<'_>, gaps: &Gaps, judged: &mut Judged) -> Vec<Skipped> {
    let mut skipped = Vec::new();
    for history in histories(pass, gaps, &|_| true) {
        match history.unclear.first() {
            Some(_) => skipped.push(history.skipped(None)),
            None => judge_one(&history, pass, judged),
        }
    }
    skipped
}

/// Reads all chains, those that lie in several folders as one. Of files that can't be understood only those that count are kept in mind.
pub(super) fn histories(pass: &Pass<'_>, gaps: &Gaps, counts: &dyn Fn(u32) -> bool) -> Vec<History> {
    let mut partitions: BTreeMap<(u16, Arc<str>), Vec<u32>> = BTreeMap::new();
    for (at, item) in pass.items.iter().enumerate() {
        if matches!(pass.claim(item).source, Source::Chain(_)) {
            partitions.entry((item.rule, Arc::clone(&item.partition))).or_default().push(at as u32);
        }
    }
    let partitions: Vec<_> = partitions.into_iter().collect();
    let read = threads::map(&partitions, 2, |((_, partition), items)| links(pass, partition, items, gaps));
    let mut histories: Vec<History> = Vec::new();
    for (((rule, partition), items), links) in partitions.iter().zip(read) {
        let Source::Chain(kind) = pass.claim(&pass.items[items[0] as usize]).source else { continue };
        let Some(Links { links, mut unclear }) = links else { continue };
        unclear.retain(|one| counts(one.entry));
        if !links.is_empty() || !unclear.is_empty() {
            histories.push(History { rule: *rule, partition: Arc::clone(partition), kind, links, unclear });
        }
    }
    joined(histories)
}

/// Heads of which some are one too many. Numbers are those of links.
pub(super) struct Forked {
    pub(super) heads: Vec<usize>,
    pub(super) members: BTreeSet<usize>,
}

/// The revisions of one partition.
pub(super) struct History {
    pub(super) rule: u16,
    pub(super) partition: Arc<str>,
    kind: ChainSpec,
    pub(super) links: Vec<Link>,
    /// Files of which the text does not tell which link they are.
    pub(super) unclear: Vec<Unclear>,
}

/// A file that can't be understood.
pub(super) struct Unclear {
    pub(super) entry: u32,
    pub(super) why: String,
}

impl History {
    /// Says that the chain is not judged, as far as one line of work goes or at all.
    pub(super) fn skipped(&self, of: Option<&Unclear>) -> Skipped {
        let why = of.or(self.unclear.first()).map_or("", |unclear| unclear.why.as_str());
        let count = self.links.len() + self.unclear.len();
        Skipped { what: format!("the migrations in {}: {why}", self.partition), count: Some(count) }
    }

    /// The claims of all ids.
    pub(super) fn claims(&self, pass: &Pass<'_>) -> Vec<Claim> {
        self.links.iter().map(|link| claim(pass, &self.partition, link)).collect()
    }

    /// The heads of which some are one too many, if the chain is made of these links, each with all links that hang together with them.
    pub(super) fn forks(&self, of: &[usize]) -> Vec<Forked> {
        let of = if self.heads() == Heads::OneEach { self.files(of) } else { of.to_vec() };
        let revisions: Vec<Revision> = of.iter().map(|at| self.links[*at].revision.clone()).collect();
        let graph = Graph::new(&revisions);
        let forks = graph.forks(self.heads()).into_iter().map(|heads| {
            let parts = graph.components.iter().filter(|part| part.heads.iter().any(|head| heads.contains(head)));
            let mut members: BTreeSet<usize> = parts.flat_map(|part| &part.members).map(|at| of[*at]).collect();
            let heads: Vec<usize> = heads.into_iter().map(|at| of[at]).collect();
            if self.heads() == Heads::OneEach {
                members = heads.iter().copied().collect();
            }
            Forked { heads, members }
        });
        forks.collect()
    }

    /// These links, one for each file: of two versions that lines make of it git merges nothing, so they never stand side by side.
    fn files(&self, of: &[usize]) -> Vec<usize> {
        let mut seen = BTreeSet::new();
        of.iter().copied().filter(|at| seen.insert(&self.links[*at].site.path)).collect()
    }

    /// Whether the tool finds a revision in whatever of its folders it lies.
    pub(super) fn spans_folders(&self) -> bool {
        self.kind == ChainSpec::Alembic
    }

    /// Whether a revision has to be there for another one to come after it.
    pub(super) fn needs_parents(&self) -> bool {
        self.heads() != Heads::OneEach
    }

    /// The links that need one that is not there, if the chain is made of these links, and the name of that one.
    pub(super) fn orphans(&self, of: &[usize]) -> BTreeSet<(usize, &str)> {
        let revisions: Vec<Revision> = of.iter().map(|at| self.links[*at].revision.clone()).collect();
        let missing = Graph::new(&revisions).missing.into_iter();
        let named =
            missing.filter_map(|(link, needed)| Some((of[link], self.links[of[link]].revision.needs().nth(needed)?)));
        named.collect()
    }

    /// All heads of the chain that is made of these links.
    pub(super) fn ends(&self, of: &[usize]) -> Vec<usize> {
        let revisions: Vec<Revision> = of.iter().map(|at| self.links[*at].revision.clone()).collect();
        Graph::new(&revisions).components.into_iter().flat_map(|part| part.heads).map(|at| of[at]).collect()
    }

    fn heads(&self) -> Heads {
        match self.kind {
            ChainSpec::Django => Heads::One,
            ChainSpec::Alembic => Heads::OneUnlessLabelled,
            ChainSpec::Drizzle => Heads::OneEach,
        }
    }
}

/// One history can lie in several folders (Alembic's `version_locations` and `recursive_version_locations`): where a revision comes after
/// one that only one other folder has, or depends on it, the two are joined under the name of the first.
fn joined(mut histories: Vec<History>) -> Vec<History> {
    loop {
        let mut owners: BTreeMap<(u16, &str), Vec<usize>> = BTreeMap::new();
        for (at, history) in histories.iter().enumerate().filter(|(_, history)| history.kind == ChainSpec::Alembic) {
            let ids: BTreeSet<&str> = history.links.iter().map(|link| link.revision.id.as_str()).collect();
            ids.into_iter().for_each(|id| owners.entry((history.rule, id)).or_default().push(at));
        }
        let pair = histories.iter().enumerate().find_map(|(at, history)| {
            let needed = history.links.iter().flat_map(|link| link.revision.needs());
            let elsewhere = needed.filter_map(|id| match owners.get(&(history.rule, id))?.as_slice() {
                [one] if *one != at => Some(*one),
                _ => None,
            });
            elsewhere.map(|other| (at.min(other), at.max(other))).next()
        });
        let Some((first, second)) = pair else { return histories };
        let taken = histories.remove(second);
        histories[first].links.extend(taken.links);
        histories[first].unclear.extend(taken.unclear);
    }
}

fn judge_one(history: &History, pass: &Pass<'_>, judged: &mut Judged) {
    let History { rule, partition, links, .. } = history;
    let rule = *rule;
    let revisions: Vec<Revision> = links.iter().map(|link| link.revision.clone()).collect();
    let graph = Graph::new(&revisions);
    let policy = &pass.rule(&pass.items[links[0].item as usize]).spec.policy;
    if policy.one_head {
        for fork in graph.forks(history.heads()) {
            let mut heads: Vec<(String, Site)> =
                fork.iter().map(|at| (links[*at].revision.id.clone(), links[*at].site.clone())).collect();
            heads.sort_by(|a, b| (&a.1.path, &a.0).cmp(&(&b.1.path, &b.0)));
            let name = links[fork[0]].revision.group.clone().unwrap_or_default();
            judged.forks.push(Fork {
                rule,
                partition: Arc::clone(partition),
                name,
                heads,
                cap: None,
                ruling: None,
                gone: None,
            });
        }
    }
    for twins in graph.duplicates {
        let claims: Vec<Claim> = twins.iter().map(|at| claim(pass, partition, &links[*at])).collect();
        judged.collisions.push(Collision {
            rule,
            partition: Arc::clone(partition),
            space: "".into(),
            key: claims[0].key.clone(),
            kind: Kind::Same,
            claims,
            keepers: 1,
            cap: None,
            ruling: None,
        });
    }
}

fn claim(pass: &Pass<'_>, partition: &Arc<str>, link: &Link) -> Claim {
    let item = &pass.items[link.item as usize];
    Claim {
        rule: item.rule,
        claim: item.claim,
        entry: item.entry,
        partition: Arc::clone(partition),
        space: "".into(),
        key: link.revision.id.clone(),
        unit: link.site.path.exact().into_owned(),
        placed: false,
        apart: false,
        variant: String::new(),
        reach: String::new(),
        site: link.site.clone(),
    }
}

/// The files of one partition.
struct Links {
    links: Vec<Link>,
    unclear: Vec<Unclear>,
}

/// The links of one partition; none where one of its files can't be read.
fn links(pass: &Pass<'_>, partition: &str, items: &[u32], gaps: &Gaps) -> Option<Links> {
    let read: Vec<(u32, Read)> = items.par_iter().filter_map(|at| Some((*at, read(pass, *at, gaps)?))).collect();
    if read.len() < items.len() {
        return None; // said under `incomplete`
    }
    let folder = parent(partition.as_bytes());
    let app = String::from_utf8_lossy(folder).rsplit('/').next().unwrap_or_default().to_owned();
    let (mut links, mut unclear, mut django) = (Vec::new(), Vec::new(), Vec::new());
    for (at, file) in read {
        match file {
            Read::Plain(Parsed::NotOne, _) | Read::Django(Parsed::NotOne, _) => {}
            Read::Plain(Parsed::Unclear(why), _) | Read::Django(Parsed::Unclear(why), _) => {
                unclear.push(Unclear { entry: pass.items[at as usize].entry, why });
            }
            Read::Plain(Parsed::Revision(revision), bytes) => links.push(link(pass, at, revision, &bytes)),
            Read::Django(Parsed::Revision(migration), bytes) => django.push((at, migration, bytes)),
        }
    }
    if !django.is_empty() {
        let migrations: Vec<django::Migration> = django.iter().map(|(_, migration, _)| migration.clone()).collect();
        let label = django::app_label(&app, &migrations);
        links.extend(
            django.into_iter().map(|(at, migration, bytes)| link(pass, at, migration.revision(&label), &bytes)),
        );
    }
    Some(Links { links, unclear })
}

fn link(pass: &Pass<'_>, at: u32, revision: Revision, bytes: &[u8]) -> Link {
    let entry = pass.entry(&pass.items[at as usize]);
    let located = text::locate(bytes, revision.id_span.clone());
    let mut site = Site::path(entry.path.clone(), pass.tree.holder());
    site.position = Some(located.position);
    site.snippet = Some(located.snippet);
    Link { item: at, revision, site }
}

/// Reads and parses one file. A panic on the way makes it incomplete.
fn read(pass: &Pass<'_>, at: u32, gaps: &Gaps) -> Option<Read> {
    let item: &Item = &pass.items[at as usize];
    let entry = pass.entry(item);
    if entry.kind == EntryKind::Link {
        gaps.add(entry.path.lossy(), "a link; links are not followed, so this revision was not read");
        return None;
    }
    let bytes = match pass.tree.read(entry, PARSED_LIMIT) {
        Ok(bytes) => bytes,
        Err(error) => {
            gaps.add(entry.path.lossy(), format!("can't be read: {error}"));
            return None;
        }
    };
    let file = String::from_utf8_lossy(entry.path.file_name()).into_owned();
    let module = file.strip_suffix(".py").unwrap_or(&file);
    let parsed = catch_unwind(AssertUnwindSafe(|| match pass.claim(item).source {
        Source::Chain(ChainSpec::Django) => Read::Django(django::parse(module, &bytes), bytes.clone()),
        Source::Chain(ChainSpec::Drizzle) => Read::Plain(drizzle::parse(&bytes), bytes.clone()),
        _ => Read::Plain(alembic::parse(module, &bytes), bytes.clone()),
    }));
    match parsed {
        // what is no program can't be computed: the file is broken
        Ok(Read::Plain(Parsed::Unclear(why), _)) if pass.claim(item).source.is_data() => {
            gaps.add(entry.path.lossy(), why);
            None
        }
        Ok(read) => Some(read),
        Err(_) => {
            gaps.add(entry.path.lossy(), "gatekeep itself failed on this file; please report it");
            None
        }
    }
}
