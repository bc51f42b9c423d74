//! Commits that were met so far, each read once: from the commit-graph where there is one, else from its object.

use std::{fs, io::Read as _, ops::Range, path::Path};

use foldhash::{HashMap, HashMapExt, HashSet};
use gix::{ObjectId, commitgraph::Position};

use crate::{
    source::git::{
        Git,
        objects::Unread,
        reader::{CommitFacts, Lent},
    },
    threads,
};

/// A commit's number in [`Commits`].
pub(super) type Number = u32;

/// In which order commits are visited: no commit comes before one that descends from it. Generations are sure of that, clocks
/// are not; see [`Trunk::settle`](super::trunk::Trunk::settle).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Rank {
    /// Longest way to a root; [`NO_GENERATION`] where no commit-graph says.
    pub(super) generation: u32,
    /// Committer's clock.
    pub(super) time: i64,
}

/// No commit-graph says it. Such a commit never has a descendant in the commit-graph, so it goes first.
pub(super) const NO_GENERATION: u32 = u32::MAX;

/// How far tips are read ahead: lines are short, and where they left the trunk is needed too.
const AHEAD: usize = 3;

pub(super) struct Commit {
    pub(super) id: ObjectId,
    pub(super) tree: ObjectId,
    pub(super) rank: Rank,
    /// Whether a shallow clone ends here, so that nobody knows the parents.
    pub(super) cut: bool,
    parents: Parents,
}

enum Parents {
    /// At this place of the commit-graph.
    Graph(Position),
    /// Ids in [`Commits::unmet`].
    Unmet(Range<u32>),
    /// Numbers in [`Commits::edges`].
    Met(Range<u32>),
}

/// Commits that somebody gave other parents by hand, as git allowed before `git replace`.
fn grafts(file: &Path) -> HashSet<ObjectId> {
    let mut text = Vec::new();
    let read = fs::File::open(file).and_then(|file| file.take(LARGEST_GRAFTS).read_to_end(&mut text));
    let lines = text.split(|b| *b == b'\n').filter(|_| read.is_ok());
    lines.filter_map(|line| ObjectId::from_hex(line.split(|b| *b == b' ').next()?).ok()).collect()
}

/// Bytes that are read of a file of grafts.
const LARGEST_GRAFTS: u64 = 16 << 20;

pub(super) struct Commits<'g> {
    git: &'g Git,
    reader: Lent<'g>,
    graph: Option<gix::commitgraph::Graph>,
    /// Where history is cut off: nobody knows the parents of these.
    cut: HashSet<ObjectId>,
    all: Vec<Commit>,
    numbers: HashMap<ObjectId, Number>,
    /// What was asked for and can't be read: asking git again takes long.
    unread: HashMap<ObjectId, Unread>,
    unmet: Vec<ObjectId>,
    edges: Vec<Number>,
    /// Whether a commit claims to be older than one of its parents.
    skewed: bool,
}

impl<'g> Commits<'g> {
    pub(super) fn new(git: &'g Git) -> Self {
        let repo = git.repo.to_thread_local();
        let mut cut: HashSet<ObjectId> = grafts(&repo.common_dir().join("info/grafts"));
        cut.extend(repo.shallow_commits().ok().flatten().iter().flat_map(|all| all.iter().copied()));
        // git passes over the graph then too: it was written when there was more history, or less
        let graph = cut.is_empty().then(|| repo.commit_graph_if_enabled().ok().flatten()).flatten();
        Self {
            git,
            reader: git.reader(),
            graph,
            cut,
            all: Vec::new(),
            numbers: HashMap::new(),
            unread: HashMap::new(),
            unmet: Vec::new(),
            edges: Vec::new(),
            skewed: false,
        }
    }

    pub(super) fn get(&self, commit: Number) -> &Commit {
        &self.all[commit as usize]
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether the clock of some commit that was met can't be trusted.
    pub(super) fn is_skewed(&self) -> bool {
        self.skewed
    }

    /// The number of a commit. An error is a text for people.
    pub(super) fn find(&mut self, id: ObjectId) -> Result<Number, String> {
        if let Some(known) = self.numbers.get(&id) {
            return Ok(*known);
        }
        let position = self.graph.as_ref().and_then(|graph| graph.lookup(id));
        if let Some(position) = position {
            let commit = self.in_graph(id, position);
            return Ok(self.add(commit));
        }
        if let Some(unread) = self.unread.get(&id) {
            return Err(self.git.explain(&id, unread));
        }
        let facts = self.reader.commit(&id);
        self.take(id, facts)
    }

    /// Takes in what an object was read for.
    fn take(&mut self, id: ObjectId, facts: Result<CommitFacts, Unread>) -> Result<Number, String> {
        match facts {
            Ok(facts) => {
                let commit = self.in_object(id, facts);
                Ok(self.add(commit))
            }
            Err(unread) => {
                let why = self.git.explain(&id, &unread);
                self.unread.insert(id, unread);
                Err(why)
            }
        }
    }

    fn add(&mut self, commit: Commit) -> Number {
        let number = self.all.len() as Number;
        self.numbers.insert(commit.id, number);
        self.all.push(commit);
        number
    }

    /// Reads the tips of lines and the commits next to them on all threads, unless the commit-graph knows them. What comes behind
    /// them is found one after the other.
    pub(super) fn read_ahead(&mut self, tips: &[ObjectId]) {
        let mut ids: Vec<ObjectId> = tips.to_vec();
        for _ in 0..AHEAD {
            ids.sort_unstable();
            ids.dedup();
            ids.retain(|id| {
                !self.numbers.contains_key(id)
                    && !self.unread.contains_key(id)
                    && self.graph.as_ref().is_none_or(|graph| graph.lookup(id).is_none())
            });
            let git = self.git;
            let read: Vec<Result<CommitFacts, Unread>> = threads::flat_map_chunks(&ids, 64, |ids| {
                let mut reader = git.reader();
                ids.iter().map(|id| reader.commit(id)).collect()
            });
            let seen = ids.iter().zip(&read).filter(|(id, _)| !self.cut.contains(*id));
            let next = seen.filter_map(|(_, facts)| Some(facts.as_ref().ok()?.parents.clone())).flatten().collect();
            for (id, facts) in std::mem::replace(&mut ids, next).into_iter().zip(read) {
                let _ = self.take(id, facts); // whoever needs it is told
            }
        }
    }

    fn in_graph(&self, id: ObjectId, position: Position) -> Commit {
        let graph = self.graph.as_ref().expect("a position comes from the graph");
        let commit = graph.commit_at(position);
        let generation = match commit.generation() {
            0 => NO_GENERATION, // written by a git of before 2018
            generation => generation,
        };
        let rank = Rank { generation, time: commit.committer_timestamp() as i64 }; // 34 bits
        Commit { id, tree: commit.root_tree_id().to_owned(), rank, cut: false, parents: Parents::Graph(position) }
    }

    fn in_object(&mut self, id: ObjectId, facts: CommitFacts) -> Commit {
        let cut = self.cut.contains(&id);
        let start = self.unmet.len() as u32;
        if !cut {
            self.unmet.extend(facts.parents);
        }
        let parents = Parents::Unmet(start..self.unmet.len() as u32);
        let rank = Rank { generation: NO_GENERATION, time: facts.time };
        Commit { id, tree: facts.tree, rank, cut, parents }
    }

    /// Looks up the parents of a commit; none beyond the end of a shallow clone. An error is a text for people.
    pub(super) fn meet_parents(&mut self, commit: Number) -> Result<Range<u32>, String> {
        let ids: Vec<ObjectId> = match &self.get(commit).parents {
            Parents::Met(edges) => return Ok(edges.clone()),
            Parents::Unmet(ids) => self.unmet[ids.start as usize..ids.end as usize].to_vec(),
            Parents::Graph(position) => self.graph_parents(*position).map_err(|why| {
                format!("the commit-graph can't be read: {why}; `git commit-graph write --reachable` makes it anew")
            })?,
        };
        let numbers = ids.into_iter().map(|id| self.find(id)).collect::<Result<Vec<Number>, String>>()?;
        let rank = self.get(commit).rank;
        self.skewed |= numbers.iter().any(|parent| self.get(*parent).rank > rank);
        let start = self.edges.len() as u32;
        self.edges.extend(numbers);
        let edges = start..self.edges.len() as u32;
        self.all[commit as usize].parents = Parents::Met(edges.clone());
        Ok(edges)
    }

    fn graph_parents(&self, position: Position) -> Result<Vec<ObjectId>, gix::Error> {
        let graph = self.graph.as_ref().expect("a position comes from the graph");
        let parents = graph.commit_at(position).iter_parents();
        parents.map(|parent| Ok(graph.id_at(parent?).to_owned())).collect()
    }

    /// What [`Commits::meet_parents`] gave a range of.
    pub(super) fn parent(&self, edge: u32) -> Number {
        self.edges[edge as usize]
    }

    /// The parents of a commit, as far as they were looked up.
    pub(super) fn parents(&self, commit: Number) -> &[Number] {
        match &self.get(commit).parents {
            Parents::Met(edges) => &self.edges[edges.start as usize..edges.end as usize],
            Parents::Unmet(_) | Parents::Graph(_) => &[],
        }
    }
}
