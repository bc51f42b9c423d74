//! Tree-sitter's own matcher judges ours: in the examples of `rules/tests/`, and in texts that are cut out of them.

use std::collections::BTreeSet;

use proptest::{prelude::*, test_runner::TestRunner};
use tree_sitter::{Node, Query, QueryCursor, StreamingIterator, Tree};

use super::{
    super::{
        language::Language,
        query::{Compiled, Roles, roles},
        walk,
        written::{FILES, File, parse},
    },
    Nodes, Patterns,
};

/// A grammar with both matchers, and texts that are written for it.
struct Subject {
    name: String,
    language: Language,
    parser: usize,
    ours: Compiled,
    theirs: Query,
    texts: Vec<String>,
}

/// A match: names of captures, kinds and places of their nodes.
type Match = Vec<(String, String, usize, usize)>;

fn subjects() -> Vec<Subject> {
    let mut subjects = Vec::new();
    for File { name: file, text, .. } in FILES {
        let read = || parse(text).unwrap_or_else(|error| panic!("{file}: {error}"));
        let texts: Vec<String> = read().example.iter().map(|example| example.text.clone()).collect();
        let language = || Language::new(read()).unwrap_or_else(|error| panic!("{file}: {error}"));
        let mut met = BTreeSet::new();
        for (at, parser) in language().parsers().iter().enumerate() {
            if !met.insert(format!("{:?}", parser.grammar)) {
                continue; // the same grammar for another extension
            }
            let language = language();
            let ours = Compiled::new(&language, &parser.grammar).unwrap_or_else(|error| panic!("{file}: {error}"));
            let theirs = Query::new(&parser.grammar, &language.query).unwrap_or_else(|error| panic!("{file}: {error}"));
            let name = format!("{file} {at}");
            subjects.push(Subject { name, language, parser: at, ours, theirs, texts: texts.clone() });
        }
    }
    assert!(subjects.len() >= 14);
    subjects
}

impl Subject {
    /// Panics where the two matchers differ in what they say of a text.
    fn judge(&self, text: &str) {
        let parser = &self.language.parsers()[self.parser];
        let tree = walk::parse(parser, text).expect("it parses");
        let nodes = Nodes::new(&tree);
        let (mut ours, mut theirs) = (BTreeSet::new(), BTreeSet::new());
        let result = self.ours.patterns.find(&nodes, text, |found| {
            ours.insert(named(found, |at| &self.ours.patterns.names[usize::from(at)]));
        });
        result.expect("few steps");
        let mut their_roles = Roles::default();
        if !ask(&self.theirs, &self.ours.patterns.names, &tree, text, |found| {
            theirs.insert(named(found, |at| &self.ours.patterns.names[usize::from(at)]));
            self.ours.take(&mut their_roles, found, text, &mut Default::default());
        }) {
            return; // more matches at a time than tree-sitter can hold: it says nothing then
        }
        let only = |a: &BTreeSet<Match>, b: &BTreeSet<Match>| a.difference(b).cloned().collect::<Vec<_>>();
        let (more, less) = (only(&ours, &theirs), only(&theirs, &ours));
        assert!(more.is_empty() && less.is_empty(), "{}: {more:#?} too much, {less:#?} missing, in\n{text}", self.name);
        let our_roles = roles(&self.ours, &nodes, text).expect("few steps");
        let read = |roles: &Roles<'_>| walk::inventory(&self.language, &self.ours, &nodes, roles, text);
        assert_eq!(format!("{:?}", read(&our_roles)), format!("{:?}", read(&their_roles)), "{}, in\n{text}", self.name);
    }
}

/// Tells of the matches that tree-sitter finds. No: there were too many at a time.
fn ask<'t>(
    query: &Query,
    names: &[String],
    tree: &'t Tree,
    text: &str,
    mut tell: impl FnMut(&[(u16, Node<'t>)]),
) -> bool {
    let our_name = |name: &&str| names.iter().position(|known| known == name).expect("known") as u16;
    let names: Vec<u16> = query.capture_names().iter().map(our_name).collect();
    let mut cursor = QueryCursor::new();
    cursor.set_match_limit(1 << 11);
    let mut matches = cursor.matches(query, tree.root_node(), text.as_bytes());
    while let Some(found) = matches.next() {
        let found = found.captures().iter().map(|one| (names[one.index as usize], one.node));
        tell(&found.collect::<Vec<_>>());
    }
    drop(matches);
    !cursor.did_exceed_match_limit()
}

fn named<'a>(found: &[(u16, Node<'_>)], name: impl Fn(u16) -> &'a String) -> Match {
    let plain =
        |at: u16, node: Node<'_>| (name(at).clone(), node.kind().to_owned(), node.start_byte(), node.end_byte());
    found.iter().map(|(at, node)| plain(*at, *node)).collect()
}

#[test]
fn both_find_the_same_in_the_examples() {
    for subject in subjects() {
        subject.texts.iter().for_each(|text| subject.judge(text));
        subject.judge(&subject.texts.concat());
    }
}

/// Up to the character that begins here or before.
fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// A text whose parts from here to there are replaced by a part of another one.
fn grafted(text: &str, other: &str, places: [usize; 4]) -> String {
    let [from, to, start, end] = places;
    let (from, to) = (floor(text, from.min(to) % (text.len() + 1)), floor(text, from.max(to) % (text.len() + 1)));
    let (start, end) = (floor(other, start % (other.len() + 1)), floor(other, end % (other.len() + 1)));
    let (from, to) = (from.min(to), from.max(to));
    format!("{}{}{}", &text[..from], &other[start.min(end)..start.max(end)], &text[to..])
}

#[test]
fn both_find_the_same_in_what_no_person_writes() {
    let subjects = subjects();
    let config = ProptestConfig { failure_persistence: None, cases: CASES, ..ProptestConfig::default() };
    let strategy = (0..subjects.len(), any::<[prop::sample::Index; 2]>(), any::<[u16; 4]>());
    let result = TestRunner::new(config).run(&strategy, |(subject, [text, other], places)| {
        let subject = &subjects[subject];
        let (text, other) = (text.get(&subject.texts), other.get(&subject.texts));
        subject.judge(&grafted(text, other, places.map(usize::from)));
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
}

/// How many texts are made; each takes some milliseconds.
const CASES: u32 = 400;

/// Patterns that no file holds today, for the grammar of JavaScript.
const OTHERS: &[&str] = &[
    "(arguments (_) @a . (_) @b)",
    "(arguments (_) @a (_) @b)",
    "(arguments (string) @a .) @all",
    "(arguments . (_) @only .)",
    "(arguments \"(\" . (_) @first)",
    "(arguments (_)? @a (arrow_function) @b)",
    "(arguments (string)? @a (_) @b)",
    "(arguments [(string) @s (arrow_function body: (_) @b)] @x)",
    "(arguments (arrow_function body: (statement_block (expression_statement) @last .)))",
    "(statement_block (expression_statement) @a . (expression_statement) @b)",
    "(statement_block . (expression_statement (call_expression function: (_) @f)))",
    "((expression_statement) @a . (expression_statement) @b)",
    "((import_statement) @a . (expression_statement) . (_) @b)",
    "((import_statement) @a . [(comment) (import_statement)]* . (expression_statement) @b)",
    "((expression_statement) @a . [(comment)]* . (expression_statement (call_expression function: (_) @f)) @b)",
    "(call_expression function: (member_expression object: (_)? @o property: (_) @p)) @c",
    "(call_expression function: (_) @f !arguments)",
    "(arrow_function !parameter body: (_) @b)",
    "(pair key: (_) @k value: [(true) (string)] @v)",
    "[(string) (number)] @x",
    "(string (string_fragment) @s (#match? @s \"^[a-m]\") (#not-match? @s \"e$\"))",
    "(call_expression function: (identifier) @f (#eq? @f \"it\")) @c",
];

#[test]
fn both_mean_the_same_by_what_may_be_written() {
    let subject = subjects().into_iter().find(|subject| subject.name == "javascript.toml 0").expect("the first");
    let grammar = &subject.language.parsers()[subject.parser].grammar;
    let text = subject.texts.concat();
    let mut found = 0;
    for written in OTHERS {
        let ours = Patterns::new(grammar, written).unwrap_or_else(|error| panic!("{written}: {error}"));
        let query = Query::new(grammar, written).unwrap_or_else(|error| panic!("{written}: {error}"));
        for text in subject.texts.iter().chain([&text]) {
            let tree = walk::parse(&subject.language.parsers()[subject.parser], text).expect("it parses");
            let (mut our_matches, mut their_matches) = (BTreeSet::new(), BTreeSet::new());
            let result = ours.find(&Nodes::new(&tree), text, |found| {
                our_matches.insert(named(found, |at| &ours.names[usize::from(at)]));
            });
            result.expect("few steps");
            assert!(ask(&query, &ours.names, &tree, text, |found| {
                their_matches.insert(named(found, |at| &ours.names[usize::from(at)]));
            }));
            assert_eq!(our_matches, their_matches, "{written}, in\n{text}");
            found += our_matches.len();
        }
    }
    assert!(found > 1000, "{found}");
}
