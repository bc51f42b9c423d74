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
//! | `@site` | what a word of the match is about |
//! | `@NAME` of a table `[words.NAME]` | a word: each capture above whose pattern it matches holds for `@site` (`focus`: for the word itself, where it stands in the site; `known`: for nothing). A match counts where each of its words means something; `@rows` counts where a word says `rows` or the match has no word |
//!
//! Words instead of predicates keep the patterns few. Captures whose names begin with `_` serve the query alone.

use std::{
    collections::{BTreeMap, HashMap},
    ops::Range,
    sync::Arc,
};

use foldhash::fast::RandomState;
use tree_sitter::Node;

use super::{
    Skip, Why,
    language::Language,
    pattern::{Nodes, Patterns, Regexes},
};

/// How much of a word its patterns see, in bytes: a callee can be as long as the file.
const LONGEST_WORD: usize = 300;

/// A query with the meaning of its captures.
pub(super) struct Compiled {
    pub(super) patterns: Patterns,
    meanings: Vec<Meaning>,
    pub(super) guards: Vec<bool>,
    pub(super) computed: Vec<bool>,
}

/// What a name of the query stands for.
enum Meaning {
    Itself(Capture),
    Word(Arc<Words>),
    Nothing,
}

/// A table of words: patterns, and what is captured where one matches.
pub(super) struct Words {
    patterns: Regexes,
    captures: Vec<Capture>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Capture {
    Site,
    /// A word that is as it must be, and says no more.
    Known,
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

#[cfg(test)]
impl Capture {
    /// Whether it leaves a test out, without a condition, or lets it run alone.
    fn marks(self) -> bool {
        matches!(self, Self::Skip(Skip::Unconditional) | Self::Focus)
    }
}

impl Words {
    pub(super) fn new(written: &BTreeMap<String, String>) -> Result<Self, String> {
        let captures = written.keys().map(|name| capture(name)).collect::<Result<_, _>>()?;
        Ok(Self { patterns: Regexes::new(written.values().cloned().collect()), captures })
    }
}

impl Compiled {
    pub(super) fn new(language: &Language, grammar: &tree_sitter::Language) -> Result<Self, String> {
        let patterns = Patterns::new(grammar, &language.query)?;
        let meanings = patterns.names.iter().map(|name| meaning(language, name)).collect::<Result<_, _>>()?;
        let guards = kinds(grammar, &language.guards)?;
        Ok(Self { meanings, guards, computed: kinds(grammar, &language.computed)?, patterns })
    }

    /// What a match captures, its words in plain captures. None where one of the words means nothing.
    fn captures<'t, 'x>(
        &self,
        found: &[(u16, Node<'t>)],
        text: &'x str,
        asked: &mut Asked<'x>,
    ) -> Option<Vec<(Capture, Node<'t>)>> {
        let (mut captures, mut words) = (Vec::new(), Vec::new());
        for (name, node) in found {
            match &self.meanings[usize::from(*name)] {
                Meaning::Itself(capture) => captures.push((*capture, *node)),
                Meaning::Word(table) => words.push((*name, table, *node)),
                Meaning::Nothing => {}
            }
        }
        if words.is_empty() {
            return Some(captures);
        }
        let site = captures.iter().find(|(capture, _)| *capture == Capture::Site).map(|(_, node)| *node);
        let mut has_rows = false;
        for (name, table, node) in words {
            let word = clipped(&text[node.byte_range()]);
            let matched = *asked.entry((name, word)).or_insert_with(|| table.patterns.matches(word));
            if matched == 0 {
                return None;
            }
            let says = table.captures.iter().enumerate().filter(|(at, _)| matched >> at & 1 == 1);
            for (_, capture) in says {
                match *capture {
                    Capture::Rows => has_rows = true,
                    Capture::Focus if site.is_none_or(|site| site.byte_range().contains(&node.start_byte())) => {
                        captures.push((Capture::Focus, node));
                    }
                    capture => captures.push((capture, site.unwrap_or(node))),
                }
            }
        }
        captures.retain(|(capture, _)| has_rows || *capture != Capture::Rows);
        Some(captures)
    }

    /// Takes in a match, if it counts.
    pub(super) fn take<'t, 'x>(
        &self,
        roles: &mut Roles<'t>,
        found: &[(u16, Node<'t>)],
        text: &'x str,
        asked: &mut Asked<'x>,
    ) {
        if let Some(captures) = self.captures(found, text, asked) {
            note(roles, captures);
        }
    }

    /// For each way in which a match can leave a test out, without a condition, or let one run alone: what it demands of words in it. Of each
    /// demand one regex must match.
    #[cfg(test)]
    pub(super) fn marking(&self) -> Vec<Vec<Vec<String>>> {
        let mut ways = Vec::new();
        for (captures, regexes) in self.patterns.demands() {
            let said: Vec<Vec<String>> = regexes.into_iter().map(|regex| vec![regex]).collect();
            let meanings: Vec<&Meaning> = captures.iter().map(|name| &self.meanings[usize::from(*name)]).collect();
            if meanings.iter().any(|meaning| matches!(meaning, Meaning::Itself(capture) if capture.marks())) {
                ways.push(said.clone());
            }
            let tables: Vec<&Arc<Words>> = meanings
                .iter()
                .filter_map(|meaning| if let Meaning::Word(table) = meaning { Some(table) } else { None })
                .collect();
            for marking in &tables {
                let regexes = marking.patterns.written().iter().zip(&marking.captures);
                let marks = regexes.filter(|(_, capture)| capture.marks()).map(|(regex, _)| regex.clone());
                let marks: Vec<String> = marks.collect();
                let others = tables.iter().filter(|table| !Arc::ptr_eq(table, marking));
                let others = others.map(|table| table.patterns.written().to_vec());
                if !marks.is_empty() {
                    ways.push(said.iter().cloned().chain(others).chain([marks]).collect());
                }
            }
        }
        ways
    }

    /// Whether all regexes compile: a scan compiles one when it is first asked.
    #[cfg(test)]
    pub(super) fn check(&self) -> Result<(), String> {
        self.patterns.check()?;
        self.meanings.iter().try_for_each(|meaning| match meaning {
            Meaning::Word(words) => words.patterns.check(),
            Meaning::Itself(_) | Meaning::Nothing => Ok(()),
        })
    }
}

/// The beginning of a word, as far as patterns look.
fn clipped(word: &str) -> &str {
    let end = (0..=word.len().min(LONGEST_WORD)).rev().find(|at| word.is_char_boundary(*at));
    &word[..end.unwrap_or(0)]
}

/// By the number of a kind: whether it is one of these. A kind that only another grammar of the language has is none.
fn kinds(grammar: &tree_sitter::Language, names: &[String]) -> Result<Vec<bool>, String> {
    let mut flags = vec![false; grammar.node_kind_count()];
    for name in names {
        // A keyword may have the name of what it begins.
        let ids = [true, false].map(|named| usize::from(grammar.id_for_node_kind(name, named)));
        if ids == [0, 0] {
            return Err(format!("the grammar has no kind `{name}`"));
        }
        ids.into_iter().filter(|id| *id != 0).for_each(|id| flags[id] = true);
    }
    Ok(flags)
}

fn meaning(language: &Language, name: &str) -> Result<Meaning, String> {
    if name.starts_with('_') {
        return Ok(Meaning::Nothing);
    }
    match language.words.get(name) {
        Some(words) => Ok(Meaning::Word(Arc::clone(words))),
        None => Ok(Meaning::Itself(capture(name)?)),
    }
}

fn capture(name: &str) -> Result<Capture, String> {
    Ok(match name {
        "site" => Capture::Site,
        "known" => Capture::Known,
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
        _ => return Err(format!("no meaning for the capture `@{name}`")),
    })
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

/// What the tables of words said, by the number of the capture and the word: few words make up most of a text.
pub(super) type Asked<'x> = HashMap<(u16, &'x str), u64, RandomState>;

/// Roles by the id of their node.
pub(super) type Roles<'t> = HashMap<usize, Role<'t>, RandomState>;

/// All that the query says of a tree.
pub(super) fn roles<'t>(compiled: &Compiled, nodes: &Nodes<'t>, text: &str) -> Result<Roles<'t>, Why> {
    let (mut roles, mut asked) = (Roles::default(), Asked::default());
    let result = compiled.patterns.find(nodes, text, |found| compiled.take(&mut roles, found, text, &mut asked));
    result.map_err(|_| Why::Parser("nested or repeated beyond what can be searched for tests"))?;
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
            // The first in the text, whichever match comes first.
            Capture::Name if self.name.is_none_or(|name| node.start_byte() < name.start_byte()) => {
                self.name = Some(node)
            }
            Capture::Skip(skip) => self.skip = self.skip.max(skip),
            Capture::Focus if self.focus.as_ref().is_none_or(|focus| node.start_byte() < focus.start) => {
                self.focus = Some(node.byte_range());
            }
            Capture::Rows => self.rows.push(node),
            Capture::Row => self.row += 1,
            _ => {}
        }
    }
}
