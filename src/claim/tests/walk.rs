//! One walk over a tree, from what the query captured to an inventory.

use std::{collections::BTreeMap, ops::Range};

use tree_sitter::{Node, Parser as TreeParser, Tree};

use super::{
    Assertion, Inventory, Marked, Rows, Skip, Test, Why,
    language::{Language, Parser},
    likeness::shingles,
    pattern::{Flat, Nodes},
    query::{Compiled, Role, Roles, Unit, roles},
    title::title,
};

/// Most tokens of one check that are kept as text.
const MAX_CHECK_BYTES: usize = 2000;

/// Reads the tests of a text.
pub(super) fn read(language: &Language, parser: &Parser, text: &str) -> Result<Inventory, Why> {
    let tree = parse(parser, text)?;
    let compiled = parser.compiled(language);
    let nodes = Nodes::new(&tree);
    let roles = roles(compiled, &nodes, text)?;
    inventory(language, compiled, &nodes, &roles, text)
}

/// What a tree holds, by the roles of its nodes.
pub(super) fn inventory(
    language: &Language,
    compiled: &Compiled,
    nodes: &Nodes<'_>,
    roles: &Roles<'_>,
    text: &str,
) -> Result<Inventory, Why> {
    let mut walk = Walk::new(language, compiled, roles, text);
    walk.tree(nodes);
    if walk.too_deep {
        return Err(Why::Parser("tests nested more than 64 deep"));
    }
    Ok(walk.finish())
}

pub(super) fn parse(parser: &Parser, text: &str) -> Result<Tree, Why> {
    let mut tree_parser = TreeParser::new();
    let refused = |_| Why::Parser("the grammar does not fit this build of the parser");
    tree_parser.set_language(&parser.grammar).map_err(refused)?;
    tree_parser.parse(text, None).ok_or(Why::Parser("the parser gave up"))
}

/// Deepest nesting of containers and tests.
const MAX_DEPTH: usize = 64;

/// What stands around the node at hand.
enum Around {
    /// Index into the walk's units.
    Unit(usize),
    Body,
    Guard,
    Ignored,
}

/// A test or a container on its way into the inventory.
struct Open {
    is_test: bool,
    title: String,
    computed: bool,
    span: Range<usize>,
    name: Range<usize>,
    /// Titles of those around it.
    containers: Vec<String>,
    parent: Option<usize>,
    skip: Skip,
    focused: bool,
    rows: Option<Rows>,
    /// Its body among the tokens; the whole of it where no body is captured.
    body: Range<usize>,
    assertions: Vec<Assertion>,
    calls: Vec<String>,
}

struct Walk<'a, 't> {
    language: &'a Language,
    compiled: &'a Compiled,
    roles: &'a Roles<'t>,
    text: &'a str,
    /// With the depth at which it was met.
    around: Vec<(u32, Around)>,
    units: Vec<Open>,
    /// All leaves but comments: hash and bytes.
    tokens: Vec<(u64, Range<usize>)>,
    /// Checks whose end was not reached yet: depth, first token, whose.
    checks: Vec<(u32, usize, Option<usize>)>,
    bodies: Vec<(u32, usize, usize)>,
    file_skip: Skip,
    too_deep: bool,
    has_error: bool,
    /// By the number of a kind, where it was asked about.
    comments: Vec<Option<bool>>,
    found: Inventory,
}

impl<'a, 't> Walk<'a, 't> {
    fn new(language: &'a Language, compiled: &'a Compiled, roles: &'a Roles<'t>, text: &'a str) -> Self {
        Self {
            language,
            compiled,
            roles,
            text,
            around: Vec::new(),
            units: Vec::new(),
            tokens: Vec::new(),
            checks: Vec::new(),
            bodies: Vec::new(),
            file_skip: Skip::None,
            too_deep: false,
            has_error: false,
            comments: vec![None; compiled.guards.len()],
            found: Inventory::default(),
        }
    }

    /// All nodes, parents before children, without recursion: how deep a file nests is not ours to say.
    fn tree(&mut self, nodes: &Nodes<'t>) {
        self.has_error = nodes.0.first().is_some_and(|root| root.node.has_error());
        // Where each of those that are around ends.
        let mut open: Vec<u32> = Vec::new();
        for (at, flat) in (0..).zip(&nodes.0) {
            while open.pop_if(|end| *end == at).is_some() {
                self.leave(open.len() as u32);
            }
            self.enter(flat, at, open.len() as u32);
            open.push(flat.end);
        }
        while open.pop().is_some() {
            self.leave(open.len() as u32);
        }
    }

    fn enter(&mut self, flat: &Flat<'t>, at: u32, depth: u32) {
        let node = flat.node;
        if self.has_error && self.found.broken.is_none() && (node.is_error() || node.is_missing()) {
            self.found.broken = Some(node.start_position().row + 1);
        }
        if self.compiled.guards.get(usize::from(flat.kind)) == Some(&true) {
            self.around.push((depth, Around::Guard));
        }
        if let Some(role) = self.roles.get(&node.id()) {
            self.take(role, node, depth);
        }
        let is_leaf = flat.end == at + 1;
        if is_leaf && !node.is_extra() && !self.is_comment(flat) {
            let range = node.byte_range();
            let word = self.text[range.clone()].trim();
            if !word.is_empty() {
                self.tokens.push((xxhash_rust::xxh3::xxh3_64(word.as_bytes()), range));
            }
        }
    }

    /// Whether a node is a comment by its kind.
    fn is_comment(&mut self, flat: &Flat<'t>) -> bool {
        let look = || flat.node.kind().contains("comment");
        // What doesn't parse has a kind beyond all others.
        let Some(known) = self.comments.get_mut(usize::from(flat.kind)) else { return look() };
        *known.get_or_insert_with(look)
    }

    fn take(&mut self, role: &Role<'t>, node: Node<'t>, depth: u32) {
        if role.ignore {
            self.around.push((depth, Around::Ignored));
        }
        let depth_of_units = self.innermost().map_or(0, |unit| self.units[unit].containers.len());
        self.too_deep |= depth_of_units >= MAX_DEPTH;
        if let Some(unit) = &role.unit
            && !self.too_deep
            && !(unit.is_test && self.around.iter().any(|(_, around)| matches!(around, Around::Ignored)))
        {
            self.open(unit, node);
            self.around.push((depth, Around::Unit(self.units.len() - 1)));
        }
        if role.body {
            if let Some(unit) = self.innermost() {
                self.bodies.push((depth, unit, self.tokens.len()));
            }
            self.around.push((depth, Around::Body));
        }
        let holder = self.innermost();
        if role.skip != Skip::None {
            self.skip(role.skip, holder);
        }
        if role.focus {
            self.focus(holder, node.byte_range());
        }
        if let (Some(unit), true) = (holder, role.rows.is_some() || role.row) {
            let more = role.rows.map_or(Rows::Counted(1), rows);
            self.units[unit].add_rows(more, role.row);
        }
        if role.assert && self.checks.is_empty() {
            self.checks.push((depth, self.tokens.len(), self.innermost_test()));
        }
        if role.call
            && let Some(unit) = self.innermost_test()
        {
            self.units[unit].calls.push(self.text[node.byte_range()].to_owned());
        }
        if role.import {
            self.found.imports.extend(words(&self.text[node.byte_range()]));
        }
    }

    fn leave(&mut self, depth: u32) {
        while self.around.last().is_some_and(|(at, _)| *at == depth) {
            if let Some((_, Around::Unit(unit))) = self.around.pop()
                && self.units[unit].body.end == usize::MAX
            {
                self.units[unit].body.end = self.tokens.len();
            }
        }
        while let Some(&(at, unit, start)) = self.bodies.last()
            && at == depth
        {
            self.bodies.pop();
            self.units[unit].body = start..self.tokens.len();
        }
        if let Some(&(at, start, holder)) = self.checks.last()
            && at == depth
        {
            self.checks.pop();
            let check = self.check(start);
            holder.map_or(&mut self.found.helpers, |unit| &mut self.units[unit].assertions).push(check);
        }
    }

    fn open(&mut self, unit: &Unit<'t>, node: Node<'t>) {
        let parent = self.innermost();
        let name = unit.name.map_or(node.start_byte()..node.start_byte(), |name| name.byte_range());
        let mut containers = parent.map_or_else(Vec::new, |at| self.units[at].containers.clone());
        containers.extend(parent.map(|at| self.units[at].title.clone()));
        self.units.push(Open {
            is_test: unit.is_test,
            title: title(&self.text[name.clone()]),
            computed: unit.name.is_none_or(|name| self.computed(name)),
            span: node.byte_range(),
            name,
            containers,
            parent,
            skip: unit.skip,
            focused: false,
            rows: None,
            body: self.tokens.len()..usize::MAX,
            assertions: Vec::new(),
            calls: Vec::new(),
        });
        let at = self.units.len() - 1;
        if let Some(focus) = &unit.focus {
            self.focus(Some(at), focus.clone());
        }
        unit.rows.iter().for_each(|node| self.units[at].add_rows(rows(*node), false));
        (0..unit.row).for_each(|_| self.units[at].add_rows(Rows::Counted(1), true));
    }

    /// Notes what says that something does not run. In a helper it says nothing of the file.
    fn skip(&mut self, skip: Skip, holder: Option<usize>) {
        let guarded = self.guarded();
        let slot = match holder {
            Some(unit) => &mut self.units[unit].skip,
            None if guarded => return,
            None => &mut self.file_skip,
        };
        *slot = (*slot).max(if guarded { Skip::Conditional } else { skip });
    }

    fn focus(&mut self, unit: Option<usize>, at: Range<usize>) {
        let titles = unit.map_or_else(Vec::new, |unit| {
            self.units[unit].focused = true;
            let unit = &self.units[unit];
            unit.containers.iter().chain([&unit.title]).cloned().collect()
        });
        self.found.focus.push(Marked { titles, at });
    }

    /// Whether a title depends on code: a part of it does, or it is no literal and no plain name.
    fn computed(&self, name: Node<'t>) -> bool {
        let flagged = |node: Node<'_>| self.compiled.computed.get(node.kind_id() as usize) == Some(&true);
        let mut cursor = name.walk();
        flagged(name) || name.children(&mut cursor).any(flagged)
    }

    fn innermost(&self) -> Option<usize> {
        self.around.iter().rev().find_map(|(_, around)| match around {
            Around::Unit(unit) => Some(*unit),
            _ => None,
        })
    }

    fn innermost_test(&self) -> Option<usize> {
        let mut at = self.innermost();
        while let Some(unit) = at.filter(|unit| !self.units[*unit].is_test) {
            at = self.units[unit].parent;
        }
        at
    }

    /// Whether something between here and the body, or the test itself, decides if this place is reached.
    fn guarded(&self) -> bool {
        let mut nearer =
            self.around.iter().rev().take_while(|(_, around)| !matches!(around, Around::Unit(_) | Around::Body));
        nearer.any(|(_, around)| matches!(around, Around::Guard))
    }

    fn check(&self, start: usize) -> Assertion {
        let mut text = String::new();
        for (_, range) in &self.tokens[start..] {
            if text.len() + range.len() > MAX_CHECK_BYTES {
                break;
            }
            text.push_str(if text.is_empty() { "" } else { " " });
            text.push_str(self.text[range.clone()].trim());
        }
        let vacuous = self.language.vacuous.any(&text);
        Assertion { text, vacuous }
    }

    fn finish(mut self) -> Inventory {
        if self.found.broken.is_none() && self.has_error {
            self.found.broken = Some(1);
        }
        let mut seen: BTreeMap<(Vec<String>, String), usize> = BTreeMap::new();
        let states: Vec<(Skip, bool)> = (0..self.units.len()).map(|at| self.state(at)).collect();
        for (open, (skip, focused)) in std::mem::take(&mut self.units).into_iter().zip(states) {
            if !open.is_test {
                continue;
            }
            let body = open.body.start..open.body.end.min(self.tokens.len());
            let tokens: Vec<u64> = self.tokens[body].iter().map(|(hash, _)| *hash).collect();
            let ordinal = seen.entry((open.containers.clone(), open.title.clone())).or_default();
            let mut calls = open.calls;
            calls.sort_unstable();
            calls.dedup();
            self.found.tests.push(Test {
                containers: open.containers,
                title: open.title,
                ordinal: *ordinal,
                computed: open.computed,
                span: open.span,
                name: open.name,
                shingles: shingles(&tokens),
                skip,
                focused,
                rows: open.rows,
                assertions: open.assertions,
                calls,
            });
            *ordinal += 1;
        }
        self.found.imports.sort_unstable();
        self.found.imports.dedup();
        self.found
    }

    /// What a unit and all around it say of whether it runs.
    fn state(&self, at: usize) -> (Skip, bool) {
        let (mut skip, mut focused) = (self.file_skip, false);
        let mut next = Some(at);
        while let Some(unit) = next.map(|at| &self.units[at]) {
            skip = skip.max(unit.skip);
            focused |= unit.focused;
            next = unit.parent;
        }
        (skip, focused)
    }
}

impl Open {
    /// Lists of cases: the longest counts. Single cases add up.
    fn add_rows(&mut self, more: Rows, single: bool) {
        self.rows = Some(match (self.rows, more) {
            (None, more) => more,
            (Some(Rows::Counted(a)), Rows::Counted(b)) => Rows::Counted(if single { a + b } else { a.max(b) }),
            _ => Rows::Unknown,
        });
    }
}

/// How many cases a node lists.
fn rows(node: Node<'_>) -> Rows {
    const LISTS: [&str; 6] = ["list", "tuple", "array", "literal_value", "set", "element_value_array_initializer"];
    if !LISTS.contains(&node.kind()) {
        return Rows::Unknown;
    }
    let mut cursor = node.walk();
    Rows::Counted(node.named_children(&mut cursor).filter(|child| !child.is_extra()).count())
}

/// The words of an import: names, and the parts of dotted names and paths.
fn words(text: &str) -> impl Iterator<Item = String> {
    let parts = text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-'));
    parts.filter(|word| word.len() > 1).map(str::to_owned)
}
