//! Tree-sitter's own matcher judges ours: in the examples of `rules/tests/`, and in texts that are cut out of them.

use std::collections::BTreeSet;

use proptest::{prelude::*, test_runner::TestRunner};
use tree_sitter::{Node, Query, QueryCursor, StreamingIterator, Tree};

use super::{
    super::{
        language::{FILES, File, Language, parse},
        query::{Compiled, Roles, roles},
        walk,
    },
    Nodes,
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
        if !self.ask_them(&tree, text, |found| {
            theirs.insert(named(found, |at| &self.ours.patterns.names[usize::from(at)]));
            self.ours.take(&mut their_roles, found, text);
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

    /// Tells of the matches that tree-sitter finds. No: there were too many at a time.
    fn ask_them<'t>(&self, tree: &'t Tree, text: &str, mut tell: impl FnMut(&[(u16, Node<'t>)])) -> bool {
        let our_name = |name: &&str| self.ours.patterns.names.iter().position(|known| known == name);
        let names: Vec<u16> =
            self.theirs.capture_names().iter().map(|name| our_name(name).expect("known") as u16).collect();
        let mut cursor = QueryCursor::new();
        cursor.set_match_limit(1 << 11);
        let mut matches = cursor.matches(&self.theirs, tree.root_node(), text.as_bytes());
        while let Some(found) = matches.next() {
            let found = found.captures().iter().map(|one| (names[one.index as usize], one.node));
            tell(&found.collect::<Vec<_>>());
        }
        drop(matches);
        !cursor.did_exceed_match_limit()
    }
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
