//! Commits that were met so far, each read once: from the commit-graph where there is one, else from its object.

use std::ops::Range;

use foldhash::{HashMap, HashMapExt, HashSet};
use gix::{ObjectId, commitgraph::Position};

use crate::source::git::{
    Git,
    objects::Unread,
    reader::{CommitFacts, Lent},
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

pub(super) struct Commits<'g> {
    git: &'g Git,
    reader: Lent<'g>,
    graph: Option<gix::commitgraph::Graph>,
    shallow: HashSet<ObjectId>,
    all: Vec<Commit>,
    numbers: HashMap<ObjectId, Result<Number, Unread>>,
    unmet: Vec<ObjectId>,
    edges: Vec<Number>,
    /// Whether a commit claims to be older than one of its parents.
    skewed: bool,
}

impl<'g> Commits<'g> {
    pub(super) fn new(git: &'g Git) -> Self {
        let repo = git.repo.to_thread_local();
        let shallow: HashSet<ObjectId> =
            repo.shallow_commits().ok().flatten().iter().flat_map(|all| all.iter().copied()).collect();
        // git passes over the graph of a shallow clone too: it was written when there was more history, or less
        let graph = shallow.is_empty().then(|| repo.commit_graph_if_enabled().ok().flatten()).flatten();
        Self {
            git,
            reader: git.reader(),
            graph,
            shallow,
            all: Vec::new(),
            numbers: HashMap::new(),
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
            return known.clone().map_err(|unread| self.git.explain(&id, &unread));
        }
        let position = self.graph.as_ref().and_then(|graph| graph.lookup(id));
        let made = match position {
            Some(position) => Ok(self.from_graph(id, position)),
            None => self.reader.commit(&id).map(|facts| self.from_object(id, facts)),
        };
        let number = made.map(|commit| {
            self.all.push(commit);
            self.all.len() as Number - 1
        });
        self.numbers.insert(id, number.clone());
        number.map_err(|unread| self.git.explain(&id, &unread))
    }

    fn from_graph(&self, id: ObjectId, position: Position) -> Commit {
        let graph = self.graph.as_ref().expect("a position comes from the graph");
        let commit = graph.commit_at(position);
        let generation = match commit.generation() {
            0 => NO_GENERATION, // written by a git of before 2018
            generation => generation,
        };
        let rank = Rank { generation, time: commit.committer_timestamp() as i64 }; // 34 bits
        Commit { id, tree: commit.root_tree_id().to_owned(), rank, cut: false, parents: Parents::Graph(position) }
    }

    fn from_object(&mut self, id: ObjectId, facts: CommitFacts) -> Commit {
        let cut = self.shallow.contains(&id);
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
