//! Patterns over syntax trees: the part of tree-sitter's query language that `rules/tests/` is written in.
//!
//! `tree_sitter::Query` analyses every pattern against all states of the grammar, which takes tens of milliseconds for one
//! language: more than the rest of a scan. Here a text is only read, in microseconds, and the tree is asked as it is.
//!
//! | written | is |
//! | --- | --- |
//! | `(kind …)` `(_ …)` `"token"` | a node of that kind with such children; any named node; a token |
//! | `field: …` `!field` | a child in that field; no child in it |
//! | `[… …]` | one of these nodes |
//! | `… @name` | captured |
//! | `…?` | once, or not at all; a match whose captures are a part of another one's counts no more |
//! | `. […]* .` | any number, one right after the other, between two others |
//! | `. …` `… .)` | no named node stands between, or before, or after |
//! | `(… …)` with a node in front | siblings |
//! | `(#eq? @name "…")` `(#match? @name "…")` `(#not-match? @name "…")` | what the text of a capture must be |
//!
//! Each means what it means to tree-sitter, whose own matcher judges this one in the tests. What has a meaning of its own there
//! and stands in no file (a quantifier beside an anchor, supertypes, `+`, a bare `_`) is refused.

mod flat;
mod matcher;
#[cfg(test)]
mod oracle;
mod parse;
mod reader;
mod regexes;

pub(super) use {
    flat::{Flat, Nodes},
    regexes::Regexes,
};

/// All patterns of a text, for one grammar.
pub(super) struct Patterns {
    list: Vec<Pattern>,
    /// By the number of a kind: which patterns can begin at a node of that kind.
    starts: Vec<Vec<u16>>,
    /// Names of captures, by their number.
    pub(super) names: Vec<String>,
}

/// Siblings that are looked for, and what their captures must say.
struct Pattern {
    items: Vec<Item>,
    predicates: Vec<Predicate>,
    /// Whether a `?` is in it, so that one match can be a part of another one.
    varies: bool,
}

/// A child that is looked for among its siblings.
struct Item {
    /// Zero: whatever its field.
    field: u16,
    /// An anchor stands in front.
    immediate: bool,
    /// An anchor stands behind, and nothing more.
    last: bool,
    repeat: Repeat,
    /// What it may be.
    nodes: Vec<Shape>,
    captures: Vec<u16>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Repeat {
    Once,
    Maybe,
    Any,
}

/// What a node must look like.
struct Shape {
    kind: Kind,
    /// Fields that it must not have.
    without: Vec<u16>,
    children: Vec<Item>,
    captures: Vec<u16>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    AnyNamed,
    Is(u16),
}

struct Predicate {
    capture: u16,
    says: Says,
}

enum Says {
    Equal(String),
    Match(Regexes),
    NoMatch(Regexes),
}

impl Patterns {
    /// Reads the patterns of a text.
    ///
    /// # Errors
    /// What is wrong with the text, or isn't known to the grammar, for a person to read.
    pub(super) fn new(grammar: &tree_sitter::Language, text: &str) -> Result<Self, String> {
        let (list, names) = parse::patterns(grammar, text)?;
        let mut starts = vec![Vec::new(); grammar.node_kind_count()];
        for (at, pattern) in list.iter().enumerate() {
            for shape in pattern.items.first().map_or(&[][..], |item| &item.nodes) {
                match shape.kind {
                    Kind::Is(kind) => starts[usize::from(kind)].push(at as u16),
                    Kind::AnyNamed => {
                        return Err("a pattern begins with `(_)`, so that every node would be asked".into());
                    }
                }
            }
        }
        starts.iter_mut().for_each(Vec::dedup);
        Ok(Self { list, starts, names })
    }

    /// Of each pattern: its captures by their numbers, and of each capture that must be or match something, the regex.
    #[cfg(test)]
    pub(super) fn demands(&self) -> Vec<(Vec<u16>, Vec<String>)> {
        let demand = |predicate: &Predicate| match &predicate.says {
            Says::Equal(text) => vec![regex::escape(text)],
            Says::Match(regexes) => regexes.written().to_vec(),
            Says::NoMatch(_) => Vec::new(),
        };
        let of = |pattern: &Pattern| {
            let captures = pattern.items.iter().flat_map(Item::all_captures).collect();
            (captures, pattern.predicates.iter().flat_map(demand).collect())
        };
        self.list.iter().map(of).collect()
    }

    /// Whether all regexes compile: a scan compiles one when it is first asked.
    #[cfg(test)]
    pub(super) fn check(&self) -> Result<(), String> {
        let mut all = self.list.iter().flat_map(|pattern| &pattern.predicates);
        all.try_for_each(|predicate| match &predicate.says {
            Says::Equal(_) => Ok(()),
            Says::Match(regexes) | Says::NoMatch(regexes) => regexes.check(),
        })
    }
}

#[cfg(test)]
impl Item {
    fn all_captures(&self) -> Vec<u16> {
        let inside = |shape: &Shape| {
            let children = shape.children.iter().flat_map(Self::all_captures);
            children.chain(shape.captures.iter().copied()).collect::<Vec<u16>>()
        };
        self.nodes.iter().flat_map(inside).chain(self.captures.iter().copied()).collect()
    }
}

impl Kind {
    fn is(self, kind: u16, named: bool) -> bool {
        match self {
            Self::Is(wanted) => wanted == kind,
            // Tree-sitter's wildcards leave out what does not parse.
            Self::AnyNamed => named && kind != flat::ERROR,
        }
    }
}

impl Predicate {
    fn holds(&self, text: &str) -> bool {
        match &self.says {
            Says::Equal(wanted) => text == wanted,
            Says::Match(regexes) => regexes.any(text),
            Says::NoMatch(regexes) => !regexes.any(text),
        }
    }
}
