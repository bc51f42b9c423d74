//! Builds the tree from the parser's events, with a stack of its own.

use std::{collections::BTreeMap, ops::Range};

use saphyr_parser::{ScalarStyle, Span, Tag};

use super::{
    super::{
        ExtractError,
        document::{Key, Kind, MAX_DEPTH, Node, too_deep},
    },
    place::Places,
    scalar,
};

/// Bytes, about, that all aliases of a file together may expand to.
const MAX_EXPANDED: usize = 16 * 1024 * 1024;
/// What a value costs beside its text.
const NODE_COST: usize = 64;

pub(super) struct Builder<'t> {
    pub(super) documents: Vec<Node>,
    places: Places<'t>,
    open: Vec<Open>,
    anchors: BTreeMap<usize, Built>,
    expanded: usize,
}

/// A collection that is not closed yet.
struct Open {
    anchor: usize,
    start: usize,
    content: Content,
    cost: usize,
    height: usize,
}

enum Content {
    Items(Vec<Node>),
    /// And the key whose value comes next.
    Members(Vec<(Key, Node)>, Option<Key>),
}

/// A value, how much a copy of it costs, and how deep it goes.
#[derive(Clone)]
struct Built {
    node: Node,
    cost: usize,
    height: usize,
}

impl<'t> Builder<'t> {
    pub(super) fn new(places: Places<'t>) -> Self {
        Self { documents: Vec::new(), places, open: Vec::new(), anchors: BTreeMap::new(), expanded: 0 }
    }

    pub(super) fn scalar(
        &mut self,
        value: &str,
        style: ScalarStyle,
        tag: Option<&Tag>,
        anchor: usize,
        span: &Span,
    ) -> Result<(), ExtractError> {
        let span = self.places.scalar(span, style);
        // A key is its text, whatever kind of scalar that would be.
        if self.awaits_key() && anchor == 0 {
            self.put_key(Key { text: value.to_owned(), span }, value.len());
            return Ok(());
        }
        let node = Node { span, kind: scalar::kind(value, style, tag) };
        self.put(Built { node, cost: NODE_COST + value.len(), height: 1 }, anchor)
    }

    pub(super) fn open(&mut self, mapping: bool, anchor: usize, span: &Span) -> Result<(), ExtractError> {
        if self.open.len() == MAX_DEPTH {
            return Err(too_deep());
        }
        let start = self.places.of(span).start;
        let content = if mapping { Content::Members(Vec::new(), None) } else { Content::Items(Vec::new()) };
        self.open.push(Open { anchor, start, content, cost: NODE_COST, height: 1 });
        Ok(())
    }

    pub(super) fn close(&mut self, span: &Span) -> Result<(), ExtractError> {
        let Some(done) = self.open.pop() else { return Ok(()) };
        let span = done.start..self.places.of(span).end.max(done.start);
        let kind = match done.content {
            Content::Members(members, _) => Kind::Object(members),
            Content::Items(items) => Kind::Array(items),
        };
        self.put(Built { node: Node { span, kind }, cost: done.cost, height: done.height }, done.anchor)
    }

    pub(super) fn alias(&mut self, anchor: usize, line: usize) -> Result<(), ExtractError> {
        let Some(built) = self.anchors.get(&anchor) else {
            let message = "an alias stands inside its own anchor".to_owned();
            return Err(ExtractError::Syntax { format: "YAML", line, message });
        };
        self.expanded += built.cost;
        if self.expanded > MAX_EXPANDED {
            return Err(ExtractError::TooLarge(format!("aliases expand to more than {MAX_EXPANDED} bytes")));
        }
        self.put(built.clone(), 0)
    }

    pub(super) fn end_document(&mut self) {
        self.anchors.clear();
    }

    fn awaits_key(&self) -> bool {
        matches!(self.open.last(), Some(Open { content: Content::Members(_, None), .. }))
    }

    fn put_key(&mut self, name: Key, cost: usize) {
        if let Some(Open { content: Content::Members(_, key), cost: sum, .. }) = self.open.last_mut() {
            *sum += cost;
            *key = Some(name);
        }
    }

    fn put(&mut self, built: Built, anchor: usize) -> Result<(), ExtractError> {
        if self.open.len() + built.height > MAX_DEPTH + 1 {
            return Err(too_deep());
        }
        if anchor != 0 {
            self.anchors.insert(anchor, built.clone());
        }
        if self.awaits_key() {
            let text = built.node.scalar().unwrap_or_default().into_owned();
            self.put_key(Key { text, span: built.node.span }, built.cost);
            return Ok(());
        }
        let Some(open) = self.open.last_mut() else {
            self.documents.push(built.node);
            return Ok(());
        };
        open.cost += built.cost;
        open.height = open.height.max(built.height + 1);
        match &mut open.content {
            Content::Items(items) => items.push(built.node),
            Content::Members(members, key) => {
                let none = Key { text: String::new(), span: Range::default() };
                members.push((key.take().unwrap_or(none), built.node));
            }
        }
        Ok(())
    }
}
