//! The graph of one chain: where it ends, and which ids are taken twice.

use std::collections::{BTreeMap, BTreeSet};

use super::Revision;

/// Whether a chain may end in several places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heads {
    /// It may not: Django's apps.
    One,
    /// It may, but no two come after one: Drizzle's snapshots, of which some may be gone.
    OneEach,
    /// Each chain with a base of its own may end once, and one with branch labels as often as it likes: Alembic.
    OneUnlessLabelled,
}

/// What the revisions of one partition come to. Numbers are places in the input; all lists are in ascending order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    /// The connected parts, by their first member.
    pub components: Vec<Component>,
    /// Revisions that share an id, one list for each such id.
    pub duplicates: Vec<Vec<usize>>,
    /// What revisions need and no other is, replaces or has for a label: the revision, and the place among all that it needs.
    pub missing: Vec<(usize, usize)>,
    /// Revisions that come after one and the same, one list for each such parent, whether that is there or not.
    pub siblings: Vec<Vec<usize>>,
}

/// Revisions that are linked with each other. Of revisions that share an id only the first is named as a head or base.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Component {
    /// All revisions, the replaced ones included.
    pub members: Vec<usize>,
    /// Those that nothing comes after. None where the links go round in a circle.
    pub heads: Vec<usize>,
    /// Those that come after nothing.
    pub bases: Vec<usize>,
    /// Whether any of them has a branch label.
    pub labelled: bool,
}

impl Graph {
    /// Links the revisions of one partition.
    pub fn new(revisions: &[Revision]) -> Self {
        let nodes = Nodes::new(revisions);
        let (edges, missing) = nodes.edges();
        let duplicates = nodes.by_id.values().filter(|places| places.len() > 1).cloned().collect::<Vec<_>>();
        Self {
            components: nodes.components(&edges),
            duplicates: sorted(duplicates),
            missing,
            siblings: siblings(revisions),
        }
    }

    /// The sets of heads that are one too many: for each of them one line of work must come after another. Empty for a sound chain.
    pub fn forks(&self, heads: Heads) -> Vec<Vec<usize>> {
        let sets = match heads {
            Heads::One => vec![sorted(self.components.iter().flat_map(|part| part.heads.iter().copied()).collect())],
            Heads::OneEach => self.siblings.clone(),
            Heads::OneUnlessLabelled => {
                self.components.iter().filter(|part| !part.labelled).map(|part| part.heads.clone()).collect()
            }
        };
        sets.into_iter().filter(|set| set.len() > 1).collect()
    }

    /// How many heads there are in all.
    pub fn heads(&self) -> usize {
        self.components.iter().map(|part| part.heads.len()).sum()
    }
}

/// The revisions that share a parent with others.
fn siblings(revisions: &[Revision]) -> Vec<Vec<usize>> {
    let mut by_parent: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (place, revision) in revisions.iter().enumerate() {
        revision.parents.iter().for_each(|parent| by_parent.entry(parent).or_default().push(place));
    }
    sorted(by_parent.into_values().filter(|places| places.len() > 1).collect())
}

fn sorted<T: Ord>(mut list: Vec<T>) -> Vec<T> {
    list.sort_unstable();
    list
}

struct Nodes<'r> {
    revisions: &'r [Revision],
    by_id: BTreeMap<&'r str, Vec<usize>>,
    /// Who replaces an id; the first, if several do.
    replaced: BTreeMap<&'r str, usize>,
}

/// From the revision that comes first to the one that comes after it.
type Edges = BTreeSet<(usize, usize)>;

impl<'r> Nodes<'r> {
    fn new(revisions: &'r [Revision]) -> Self {
        let mut by_id: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        let mut replaced = BTreeMap::new();
        for (place, revision) in revisions.iter().enumerate() {
            by_id.entry(&revision.id).or_default().push(place);
            for old in revision.replaces.iter().filter(|old| **old != revision.id) {
                replaced.entry(old.as_str()).or_insert(place);
            }
        }
        Self { revisions, by_id, replaced }
    }

    /// The revision that stands for an id: the first of that id, or what replaces it in the end.
    fn resolve(&self, id: &str) -> Option<usize> {
        let mut id = id;
        let mut passed = BTreeSet::new();
        while let Some(place) = self.replaced.get(id) {
            if !passed.insert(*place) {
                break; // replaced in a circle: each stands for itself
            }
            id = &self.revisions[*place].id;
        }
        self.by_id.get(id).and_then(|places| places.first().copied())
    }

    fn edges(&self) -> (Edges, Vec<(usize, usize)>) {
        let (mut edges, mut missing) = (Edges::new(), Vec::new());
        for (place, revision) in self.revisions.iter().enumerate() {
            let Some(own) = self.resolve(&revision.id) else { continue };
            for (number, parent) in revision.parents.iter().enumerate() {
                match self.resolve(parent) {
                    Some(parent) => _ = edges.insert((parent, own)),
                    None => missing.push((place, number)),
                }
            }
            let is_label = |name: &String| self.revisions.iter().any(|other| other.labels.contains(name));
            let depends = revision.depends.iter().enumerate();
            let lacking = depends.filter(|(_, name)| self.resolve(name).is_none() && !is_label(name));
            missing.extend(lacking.map(|(number, _)| (place, revision.parents.len() + number)));
            edges.extend(revision.run_before.iter().filter_map(|after| Some((own, self.resolve(after)?))));
        }
        // A squashed migration's own inner links.
        edges.retain(|(before, after)| before != after);
        (edges, missing)
    }

    fn components(&self, edges: &Edges) -> Vec<Component> {
        let mut parts = Parts::new(self.revisions.len());
        for (before, after) in edges {
            parts.join(*before, *after);
        }
        let standing: Vec<_> = self.revisions.iter().map(|revision| self.resolve(&revision.id)).collect();
        for (place, stands) in standing.iter().enumerate() {
            parts.join(place, stands.unwrap_or(place));
        }
        let befores: BTreeSet<_> = edges.iter().map(|(before, _)| *before).collect();
        let afters: BTreeSet<_> = edges.iter().map(|(_, after)| *after).collect();
        let mut found: BTreeMap<usize, Component> = BTreeMap::new();
        for (place, revision) in self.revisions.iter().enumerate() {
            let part = found.entry(parts.first(place)).or_default();
            part.members.push(place);
            part.labelled |= !revision.labels.is_empty();
            if standing[place] == Some(place) {
                if !befores.contains(&place) {
                    part.heads.push(place);
                }
                if !afters.contains(&place) {
                    part.bases.push(place);
                }
            }
        }
        found.into_values().collect()
    }
}

/// Disjoint sets; each is named by its smallest member.
struct Parts(Vec<usize>);

impl Parts {
    fn new(count: usize) -> Self {
        Self((0..count).collect())
    }

    fn first(&mut self, mut of: usize) -> usize {
        while self.0[of] != of {
            self.0[of] = self.0[self.0[of]];
            of = self.0[of];
        }
        of
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.first(a), self.first(b));
        self.0[a.max(b)] = a.min(b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `id < parents, = replaced, > runs before, @ depends, # labels`.
    fn graph(lines: &[&str]) -> Graph {
        let revisions: Vec<_> = lines
            .iter()
            .map(|line| {
                let mut words = line.split(' ');
                let mut made = Revision { id: words.next().unwrap_or_default().to_owned(), ..Revision::default() };
                for word in words {
                    let (kind, name) = word.split_at(1);
                    let list = match kind {
                        "<" => &mut made.parents,
                        "=" => &mut made.replaces,
                        ">" => &mut made.run_before,
                        "@" => &mut made.depends,
                        _ => &mut made.labels,
                    };
                    list.push(name.to_owned());
                }
                made
            })
            .collect();
        Graph::new(&revisions)
    }

    #[test]
    fn a_line_and_a_merge_end_once() {
        for lines in [&["a", "b <a", "c <b"][..], &["a", "b <a", "c <a", "d <b <c"], &[]] {
            let graph = graph(lines);
            assert!(
                graph.forks(Heads::One).is_empty() && graph.forks(Heads::OneUnlessLabelled).is_empty(),
                "{lines:?}"
            );
        }
    }

    #[test]
    fn two_children_of_one_parent_fork() {
        let graph = graph(&["a", "b <a", "c <a", "d <c"]);
        assert_eq!(graph.forks(Heads::One), [[1, 3]]);
        assert_eq!(graph.forks(Heads::OneUnlessLabelled), [[1, 3]]);
        assert_eq!((graph.heads(), &graph.components[0].bases), (2, &vec![0]));
    }

    #[test]
    fn labels_and_bases_of_their_own_are_alembics() {
        let labelled = graph(&["a", "b <a #expand", "c <a #contract"]);
        assert_eq!(labelled.forks(Heads::OneUnlessLabelled), [[0; 0]; 0]);
        assert_eq!(labelled.forks(Heads::One), [[1, 2]]);
        let two_bases = graph(&["a", "x", "b <a", "y <x"]);
        assert_eq!(two_bases.components.len(), 2);
        assert_eq!(two_bases.forks(Heads::OneUnlessLabelled), [[0; 0]; 0]);
        assert_eq!(two_bases.forks(Heads::One), [[2, 3]]);
        assert_eq!(graph(&["a", "b <a", "c <a", "x #l", "y <x"]).forks(Heads::OneUnlessLabelled), [[1, 2]]);
    }

    #[test]
    fn a_squash_takes_the_place_of_what_it_replaces() {
        let squash = graph(&["1", "2 <1", "3 <2", "s =1 =2", "4 <3"]);
        assert_eq!(squash.forks(Heads::One), [[0; 0]; 0]);
        assert_eq!(squash.components[0].heads, [4]);
        let again = graph(&["s =1 =2", "t =s =3", "4 <3", "5 <4 <2"]);
        assert_eq!((again.forks(Heads::One), again.missing), (vec![], vec![]));
        assert_eq!(graph(&["s =1", "2 <1", "3 <s"]).forks(Heads::One), [[1, 2]]);
        assert_eq!(graph(&["a =b", "b =a"]).components.iter().map(|c| c.members.len()).sum::<usize>(), 2);
    }

    #[test]
    fn run_before_makes_a_leaf_an_inner_node() {
        assert_eq!(graph(&["1", "2 <1", "3 <1 >2"]).forks(Heads::One), [[0; 0]; 0]);
    }

    #[test]
    fn ids_taken_twice_and_parents_gone() {
        let graph = graph(&["a", "b <a", "b <a", "c <gone <b"]);
        assert_eq!(graph.duplicates, [[1, 2]]);
        assert_eq!(graph.missing, [(3, 0)]);
        assert_eq!(graph.components.len(), 1);
        assert_eq!(graph.components[0].heads, [3]);
    }

    #[test]
    fn what_is_depended_on_has_to_be_there_and_stays_a_head() {
        let lines = ["a", "b <a", "x @b @gone", "y @l", "z #l"];
        let graph = graph(&lines);
        assert_eq!(graph.missing, [(2, 1)]);
        assert_eq!((graph.heads(), graph.components.len()), (4, 4));
    }

    #[test]
    fn of_siblings_there_is_one_too_many_whatever_is_gone() {
        let two = graph(&["b <a", "c <b", "d <b", "z <y", "e <d"]);
        assert_eq!(two.forks(Heads::OneEach), [[1, 2]]);
        assert_eq!(graph(&["b <0", "c <0"]).forks(Heads::OneEach), [[0, 1]]);
        assert_eq!(graph(&["b <0", "c <b", "z <y"]).forks(Heads::OneEach), [[0; 0]; 0]);
    }

    #[test]
    fn circles_end_the_search() {
        let circle = graph(&["a <b", "b <a", "c <c"]);
        assert_eq!(circle.components[0].heads, [0; 0]);
        assert_eq!(circle.components[1].heads, [2]);
    }
}
