//! The element paths that are asked for, as a small automaton.

use super::{is_name_byte, starts_name};

/// A set of element paths such as `urlset/url/loc`, by local name from the root.
#[derive(Clone, Debug)]
pub struct ElementPaths {
    nodes: Vec<Node>,
}

#[derive(Clone, Debug, Default)]
struct Node {
    children: Vec<(Box<[u8]>, usize)>,
    path: Option<usize>,
}

/// Where an element stands in the automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct State(usize);

impl State {
    /// Above the root.
    pub(super) const START: Self = Self(0);
    /// No path leads here or on from here.
    pub(super) const DEAD: Self = Self(usize::MAX);
}

impl ElementPaths {
    /// Compiles the paths; events name them by their index. The error says which path is none, in a few words.
    pub fn new<S: AsRef<str>>(paths: &[S]) -> Result<Self, String> {
        let mut made = Self { nodes: vec![Node::default()] };
        for (index, path) in paths.iter().enumerate() {
            let path = path.as_ref();
            let mut at = 0;
            for name in path.split('/') {
                let bytes = name.as_bytes();
                let valid = bytes.first().is_some_and(|b| starts_name(*b));
                if !valid || !bytes.iter().all(|b| is_name_byte(*b) && *b != b':') {
                    return Err(format!("`{path}` is no element path: `{name}` is no local name"));
                }
                at = made.enter(at, bytes);
            }
            if made.nodes[at].path.replace(index).is_some() {
                return Err(format!("the element path `{path}` is given twice"));
            }
        }
        Ok(made)
    }

    fn enter(&mut self, at: usize, name: &[u8]) -> usize {
        if let Some(known) = self.child(State(at), name).known() {
            return known;
        }
        let new = self.nodes.len();
        self.nodes.push(Node::default());
        self.nodes[at].children.push((name.into(), new));
        new
    }

    /// The state of an element with this local name whose parent has `state`.
    pub(super) fn child(&self, state: State, name: &[u8]) -> State {
        let Some(node) = self.nodes.get(state.0) else { return State::DEAD };
        node.children.iter().find(|(own, _)| **own == *name).map_or(State::DEAD, |(_, next)| State(*next))
    }

    /// Which path ends at this state.
    pub(super) fn path(&self, state: State) -> Option<usize> {
        self.nodes.get(state.0)?.path
    }
}

impl State {
    fn known(self) -> Option<usize> {
        (self != Self::DEAD).then_some(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walks_several_paths_at_once() {
        let paths = ElementPaths::new(&["urlset/url/loc", "sitemapindex/sitemap/loc", "urlset/url"]).expect("paths");
        let walk = |names: &[&str]| names.iter().fold(State::START, |state, name| paths.child(state, name.as_bytes()));
        assert_eq!(paths.path(walk(&["urlset", "url", "loc"])), Some(0));
        assert_eq!(paths.path(walk(&["sitemapindex", "sitemap", "loc"])), Some(1));
        assert_eq!(paths.path(walk(&["urlset", "url"])), Some(2));
        assert_eq!(paths.path(walk(&["urlset"])), None);
        assert_eq!(walk(&["urlset", "sitemap", "loc"]), State::DEAD);
    }

    #[test]
    fn refuses_what_is_no_path() {
        for path in ["", "/a", "a/", "a//b", "image:loc", "a b", "1a"] {
            assert!(ElementPaths::new(&[path]).is_err(), "{path}");
        }
        assert!(ElementPaths::new(&["a/b", "a/b"]).is_err());
    }
}
