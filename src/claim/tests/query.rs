//! What a query captures, by node.
//!
//! | capture | the node is |
//! | --- | --- |
//! | `@test` `@container` | a test; what groups tests |
//! | `@name` | its title or function name; in one match with `@test` or `@container` |
//! | `@body` | its body: a skip right in it holds always, one under a guard holds sometimes |
//! | `@skip` `@skip.if` `@focus` | says that a test does not run, runs sometimes, runs alone. With `@test` or `@container` in one match it is about that one, else about the innermost one around it, else about the file |
//! | `@rows` `@row` | a list of cases; one case |
//! | `@assert` | a check |
//! | `@call` | a called name |
//! | `@import` | an import |
//! | `@ignore` | holds no tests, whatever it looks like |
//!
//! Captures whose names begin with `_` serve the query alone.

use std::{collections::HashMap, ops::Range};

use foldhash::fast::RandomState;
use tree_sitter::{Node, Query, QueryCursor, StreamingIterator, Tree};

use super::{Skip, Why, language::Language};

/// Most matches that a query may be in the middle of at one time.
const MATCH_LIMIT: u32 = 1 << 11;

/// A query with the meaning of its captures.
pub(super) struct Compiled {
    query: Query,
    meanings: Vec<Option<Capture>>,
    pub(super) guards: Vec<bool>,
    pub(super) computed: Vec<bool>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Capture {
    Test,
    Container,
    Name,
    Body,
    Skip(Skip),
    Focus,
    Rows,
    Row,
    Assert,
    Call,
    Import,
    Ignore,
}

impl Compiled {
    pub(super) fn new(language: &Language, grammar: &tree_sitter::Language) -> Result<Self, String> {
        let query = Query::new(grammar, &language.query).map_err(|error| error.to_string())?;
        let meanings = query.capture_names().iter().map(|name| meaning(name)).collect::<Result<_, _>>()?;
        let guards = kinds(grammar, &language.guards)?;
        Ok(Self { meanings, guards, computed: kinds(grammar, &language.computed)?, query })
    }
}

/// By the number of a kind: whether it is one of these. A kind that only another grammar of the language has is none.
fn kinds(grammar: &tree_sitter::Language, names: &[String]) -> Result<Vec<bool>, String> {
    let mut flags = vec![false; grammar.node_kind_count()];
    for name in names {
        let mut known = false;
        for (id, flag) in flags.iter_mut().enumerate() {
            if grammar.node_kind_for_id(id as u16) == Some(name) {
                (*flag, known) = (true, true);
            }
        }
        if !known {
            return Err(format!("the grammar has no kind `{name}`"));
        }
    }
    Ok(flags)
}

fn meaning(name: &str) -> Result<Option<Capture>, String> {
    Ok(Some(match name {
        "test" => Capture::Test,
        "container" => Capture::Container,
        "name" => Capture::Name,
        "body" => Capture::Body,
        "skip" => Capture::Skip(Skip::Unconditional),
        "skip.if" => Capture::Skip(Skip::Conditional),
        "focus" => Capture::Focus,
        "rows" => Capture::Rows,
        "row" => Capture::Row,
        "assert" => Capture::Assert,
        "call" => Capture::Call,
        "import" => Capture::Import,
        "ignore" => Capture::Ignore,
        _ if name.starts_with('_') => return Ok(None),
        _ => return Err(format!("no meaning for the capture `@{name}`")),
    }))
}

/// What is known of one node.
#[derive(Default)]
pub(super) struct Role<'t> {
    pub(super) unit: Option<Unit<'t>>,
    pub(super) body: bool,
    pub(super) skip: Skip,
    pub(super) focus: bool,
    /// Cases in a list, where it is one.
    pub(super) rows: Option<Node<'t>>,
    pub(super) row: bool,
    pub(super) assert: bool,
    pub(super) call: bool,
    pub(super) import: bool,
    pub(super) ignore: bool,
}

/// A test or a container, with what stood in one match with it.
pub(super) struct Unit<'t> {
    pub(super) is_test: bool,
    pub(super) name: Option<Node<'t>>,
    pub(super) skip: Skip,
    pub(super) focus: Option<Range<usize>>,
    pub(super) rows: Vec<Node<'t>>,
    pub(super) row: usize,
}

/// Roles by the id of their node.
pub(super) type Roles<'t> = HashMap<usize, Role<'t>, RandomState>;

/// All that the query says of a tree.
pub(super) fn roles<'t>(compiled: &Compiled, tree: &'t Tree, text: &str) -> Result<Roles<'t>, Why> {
    let mut roles = Roles::default();
    let mut cursor = QueryCursor::new();
    cursor.set_match_limit(MATCH_LIMIT);
    let mut matches = cursor.matches(&compiled.query, tree.root_node(), text.as_bytes());
    while let Some(found) = matches.next() {
        let captures = found.captures();
        let captures = captures.iter().filter_map(|one| Some((compiled.meanings[one.index as usize]?, one.node)));
        note(&mut roles, captures.collect());
    }
    drop(matches);
    if cursor.did_exceed_match_limit() {
        return Err(Why::Parser("nested or repeated beyond what can be searched for tests"));
    }
    Ok(roles)
}

/// Takes in one match.
fn note<'t>(roles: &mut Roles<'t>, captures: Vec<(Capture, Node<'t>)>) {
    let unit = captures.iter().find(|(capture, _)| matches!(capture, Capture::Test | Capture::Container)).copied();
    if let Some((capture, node)) = unit {
        let role = roles.entry(node.id()).or_default();
        let is_test = capture == Capture::Test;
        let unit = role.unit.get_or_insert_with(|| Unit::new(is_test));
        unit.is_test |= is_test;
        captures.iter().for_each(|(capture, node)| unit.take(*capture, *node));
    }
    for (capture, node) in captures {
        let role = roles.entry(node.id()).or_default();
        match capture {
            Capture::Skip(skip) if unit.is_none() => role.skip = role.skip.max(skip),
            Capture::Focus if unit.is_none() => role.focus = true,
            Capture::Rows if unit.is_none() => role.rows = Some(node),
            Capture::Row if unit.is_none() => role.row = true,
            Capture::Body => role.body = true,
            Capture::Assert => role.assert = true,
            Capture::Call => role.call = true,
            Capture::Import => role.import = true,
            Capture::Ignore => role.ignore = true,
            _ => {}
        }
    }
}

impl<'t> Unit<'t> {
    fn new(is_test: bool) -> Self {
        Self { is_test, name: None, skip: Skip::None, focus: None, rows: Vec::new(), row: 0 }
    }

    fn take(&mut self, capture: Capture, node: Node<'t>) {
        match capture {
            Capture::Name => self.name = Some(node),
            Capture::Skip(skip) => self.skip = self.skip.max(skip),
            Capture::Focus => self.focus = Some(node.byte_range()),
            Capture::Rows => self.rows.push(node),
            Capture::Row => self.row += 1,
            _ => {}
        }
    }
}
