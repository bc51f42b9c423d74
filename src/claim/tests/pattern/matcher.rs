//! Looking for patterns in a tree.

use std::cmp::Reverse;

use tree_sitter::Node;

use super::{Item, Nodes, Patterns, Repeat, Shape, flat::ERROR, flat::Flat};

/// How often each node of a tree may be looked at, on average. In 1,966 test files of 18 repositories it is twice, and eight
/// times at most.
const STEPS_PER_NODE: usize = 16;

/// How often more, so that a short file may hold long lists: some hundredths of a second.
const STEPS: usize = 1 << 22;

/// What looking for patterns came to its end with.
#[derive(Debug)]
pub(in super::super) struct TooMuch;

/// One search.
struct Search<'a, 't, F> {
    patterns: &'a Patterns,
    nodes: &'a [Flat<'t>],
    text: &'a str,
    /// The pattern at hand.
    pattern: usize,
    /// Numbers of captures, and of nodes in the list.
    captured: Vec<(u16, u32)>,
    /// The same with nodes, for who is told of a match.
    shown: Vec<(u16, Node<'t>)>,
    /// Matches that wait for larger ones: what `?` leaves out counts only where it can't be had.
    waiting: Vec<Vec<(u16, u32)>>,
    steps_left: usize,
    found: F,
}

/// What is still looked for: children among the rest of their siblings, then what is looked for further up.
#[derive(Clone, Copy)]
struct Rest<'r> {
    items: &'r [Item],
    at: u32,
    end: u32,
    up: Option<&'r Rest<'r>>,
}

impl Patterns {
    /// Tells of all matches: captures and their nodes in the order of the tree.
    ///
    /// Where a part without captures can be had in two places, one match is told of twice. Tree-sitter is silent of the second.
    ///
    /// # Errors
    /// The tree takes more steps than any text that people write.
    pub(in super::super) fn find<'t>(
        &self,
        nodes: &Nodes<'t>,
        text: &str,
        found: impl FnMut(&[(u16, Node<'t>)]),
    ) -> Result<(), TooMuch> {
        let nodes = nodes.0.as_slice();
        let steps_left = STEPS + STEPS_PER_NODE * nodes.len();
        let (captured, shown, waiting) = (Vec::new(), Vec::new(), Vec::new());
        let mut search =
            Search { patterns: self, nodes, text, pattern: 0, captured, shown, waiting, steps_left, found };
        for (at, flat) in nodes.iter().enumerate() {
            for pattern in self.starts.get(usize::from(flat.kind)).map_or(&[][..], Vec::as_slice) {
                search.begin(usize::from(*pattern), at as u32);
            }
            if search.steps_left == 0 {
                return Err(TooMuch);
            }
        }
        Ok(())
    }
}

impl<'t, F: FnMut(&[(u16, Node<'t>)])> Search<'_, 't, F> {
    /// Looks for one pattern whose first node is this one.
    fn begin(&mut self, pattern: usize, at: u32) {
        self.pattern = pattern;
        let patterns = self.patterns;
        let Some((first, others)) = patterns.list[pattern].items.split_first() else { return };
        if !self.take_step() {
            return;
        }
        let (flat, parent) = (self.flat(at), self.flat(self.flat(at).parent));
        let has_siblings = !others.is_empty();
        if first.field != 0 && first.field != flat.field || has_siblings && parent.kind == ERROR {
            return;
        }
        let end = if has_siblings { parent.end } else { flat.end };
        self.enter(first, at, &Rest { items: others, at: flat.end, end, up: None });
        self.tell_of_the_largest();
    }

    fn flat(&self, at: u32) -> &Flat<'t> {
        &self.nodes[at as usize]
    }

    /// Whether one more node may be looked at.
    fn take_step(&mut self) -> bool {
        self.take_steps(1)
    }

    fn take_steps(&mut self, count: usize) -> bool {
        self.steps_left = self.steps_left.saturating_sub(count);
        self.steps_left > 0
    }

    /// Looks for all that is left.
    fn go_on(&mut self, rest: &Rest<'_>) {
        let Some((item, items)) = rest.items.split_first() else {
            return match rest.up {
                Some(up) => self.go_on(up),
                None if self.patterns.list[self.pattern].varies => self.waiting.push(self.captured.clone()),
                None => self.tell(),
            };
        };
        let after = Rest { items, ..*rest };
        match item.repeat {
            Repeat::Once => self.scan(item, &after),
            Repeat::Maybe => {
                self.scan(item, &after);
                self.go_on(&after);
            }
            Repeat::Any => self.run(item, &after),
        }
    }

    /// Tries a child at each place where it can stand.
    fn scan(&mut self, item: &Item, after: &Rest<'_>) {
        let mut at = after.at;
        while at < after.end && self.take_step() {
            let (next, named) = (self.flat(at).end, self.flat(at).named);
            let fits = item.field == 0 || item.field == self.flat(at).field;
            if fits && (!item.last || self.is_last(next, after.end)) {
                self.enter(item, at, &Rest { at: next, ..*after });
            }
            if item.immediate && named {
                break;
            }
            at = next;
        }
    }

    /// Whether no named sibling follows.
    fn is_last(&mut self, mut at: u32, end: u32) -> bool {
        while at < end && self.take_step() {
            if self.flat(at).named {
                return false;
            }
            at = self.flat(at).end;
        }
        true
    }

    /// Takes none, then one more each time, as many as stand in a row.
    fn run(&mut self, item: &Item, after: &Rest<'_>) {
        let (mut at, mut has_one) = (after.at, false);
        self.go_on(after);
        while at < after.end && self.take_step() {
            let flat = self.flat(at);
            let (next, named) = (flat.end, flat.named);
            if item.nodes.iter().any(|shape| shape.kind.is(flat.kind, named)) {
                has_one = true;
                self.go_on(&Rest { at: next, ..*after });
            } else if named || has_one {
                break;
            }
            at = next;
        }
    }

    /// Looks into a node, then for what is left.
    fn enter(&mut self, item: &Item, at: u32, rest: &Rest<'_>) {
        for shape in &item.nodes {
            if !self.fits(shape, at) {
                continue;
            }
            let count = self.captured.len();
            self.captured.extend(shape.captures.iter().chain(&item.captures).map(|capture| (*capture, at)));
            match shape.children.as_slice() {
                [] => self.go_on(rest),
                items => self.go_on(&Rest { items, at: at + 1, end: self.flat(at).end, up: Some(rest) }),
            }
            self.captured.truncate(count);
        }
    }

    fn fits(&self, shape: &Shape, at: u32) -> bool {
        let flat = self.flat(at);
        let lacks = |field: &u16| flat.node.child_by_field_id(*field).is_none();
        shape.kind.is(flat.kind, flat.named) && shape.without.iter().all(lacks)
    }

    /// All is found: tells of it, if the captures say what they must.
    fn tell(&mut self) {
        let patterns = self.patterns;
        self.shown.clear();
        self.shown.extend(self.captured.iter().map(|(capture, at)| (*capture, self.nodes[*at as usize].node)));
        let holds = patterns.list[self.pattern].predicates.iter().all(|predicate| {
            let mut about = self.shown.iter().filter(|(capture, _)| *capture == predicate.capture);
            about.all(|(_, node)| predicate.holds(&self.text[node.byte_range()]))
        });
        if holds {
            (self.found)(&self.shown);
        }
    }

    /// Tells of what waits, but of nothing whose captures are a part of another one's.
    fn tell_of_the_largest(&mut self) {
        let mut waiting = std::mem::take(&mut self.waiting);
        waiting.sort_by_key(|captured| Reverse(captured.len()));
        let mut largest: Vec<Vec<(u16, u32)>> = Vec::new();
        for captured in waiting {
            let mut larger = largest.iter();
            if self.take_steps(larger.len()) && !larger.any(|other| captured.iter().all(|one| other.contains(one))) {
                self.captured.clone_from(&captured);
                self.tell();
                largest.push(captured);
            }
        }
        self.captured.clear();
    }
}
