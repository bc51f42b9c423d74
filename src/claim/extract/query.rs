//! Names in a document: what a JSONPath (RFC 9535) matches, and where that stands.

use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap, HashSet},
    ops::Range,
};

use serde_json::{Map, Number, Value};
use serde_json_path::{JsonPath, NormalizedPath, PathElement};

use super::{
    Found,
    document::{Key, Kind, Node},
};

/// Members from which on an object is looked up by a table.
const WIDE: usize = 16;

/// What of a match is the name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Take {
    /// The value itself: a string, number or truth value. Others are no names.
    Value,
    /// The name of the member that holds it. What an array holds has none.
    Name,
}

/// A compiled query.
#[derive(Clone, Debug)]
pub struct Query {
    path: JsonPath,
    take: Take,
    fields: Vec<(String, Query)>,
    /// The field that names a match which is no scalar.
    named_by: Option<usize>,
}

impl Query {
    /// Compiles a query; each field is evaluated on the value that `path` matched. The error is the JSONPath parser's, on one line.
    pub fn new(path: &str, take: Take, fields: Vec<(String, Self)>) -> Result<Self, String> {
        let path = JsonPath::parse(path).map_err(|error| {
            let place = error.position() + 1;
            format!("`{path}` is no JSONPath at character {place}: {}", error.message().replace('\n', " "))
        })?;
        Ok(Self { path, take, fields, named_by: None })
    }

    /// Lets this field name a match that is an object or array: those have no name of their own.
    #[must_use]
    pub fn named_by(mut self, field: &str) -> Self {
        self.named_by = self.fields.iter().position(|(name, _)| name == field);
        self
    }

    /// Tells `sink` every name, in the order of the file; one that its object holds twice, together with the last. A field that matches nothing, or no scalar, is left out.
    pub fn run(&self, node: &Node, sink: &mut dyn FnMut(Found<'_>)) {
        let value = to_value(node);
        let mut walker = Walker::default();
        let mut matches: Vec<Match<'_, '_>> = Vec::new();
        for located in self.path.query_located(&value).iter() {
            if let Some((key, node)) = walker.walk(node, located.location()) {
                matches.push(Match { key, node, value: located.node() });
            }
        }
        matches.sort_by_key(|found| found.node.span.start);
        // A path may match one value twice, as a union does; it is one name all the same.
        matches.dedup_by(|b, a| std::ptr::eq(a.node, b.node));
        for found in &matches {
            if let Some((key, span)) = self.name(found, &mut walker) {
                // Of a name that one object holds twice, readers take the last; that it was taken twice is what is looked for.
                if self.take == Take::Name {
                    for twin in walker.twins(found) {
                        sink(Found { key: twin.text.as_str().into(), span: twin.span.clone(), fields: Vec::new() });
                    }
                }
                let fields = self.fields.iter().filter_map(|(name, field)| field.field(name, found, &mut walker));
                sink(Found { key, span, fields: fields.collect() });
            }
        }
    }

    fn name<'n>(&self, found: &Match<'n, '_>, walker: &mut Walker<'n>) -> Option<(Cow<'n, str>, Range<usize>)> {
        match self.take {
            Take::Value => match found.node.scalar() {
                Some(text) => Some((text, found.node.span.clone())),
                None => self.fields.get(self.named_by?)?.1.first(found, walker),
            },
            Take::Name => found.key.map(|key| (Cow::Borrowed(key.text.as_str()), key.span.clone())),
        }
    }

    /// The first match on a value that was matched, under this field's name.
    fn field<'n>(
        &self,
        name: &'n str,
        within: &Match<'n, '_>,
        walker: &mut Walker<'n>,
    ) -> Option<(&'n str, Cow<'n, str>)> {
        self.first(within, walker).map(|(text, _)| (name, text))
    }

    /// The first match on a value that was matched, and where it stands.
    fn first<'n>(&self, within: &Match<'n, '_>, walker: &mut Walker<'n>) -> Option<(Cow<'n, str>, Range<usize>)> {
        let all = self.path.query_located(within.value);
        let first = all.first()?;
        let (key, node) = walker.walk(within.node, first.location())?;
        self.name(&Match { key, node, value: first.node() }, walker)
    }
}

/// A value that a path matched, in both shapes.
struct Match<'n, 'v> {
    key: Option<&'n Key>,
    node: &'n Node,
    value: &'v Value,
}

/// The shape that paths are evaluated on. Of a key given twice the last counts, as for nearly every reader.
pub(super) fn to_value(node: &Node) -> Value {
    match &node.kind {
        Kind::Null => Value::Null,
        Kind::Bool(value) => Value::Bool(*value),
        Kind::Number(text) => number(text),
        Kind::String(text) => Value::String(text.clone()),
        Kind::Array(items) => Value::Array(items.iter().map(to_value).collect()),
        Kind::Object(members) => {
            let members = members.iter().map(|(key, node)| (key.text.clone(), to_value(node)));
            Value::Object(members.collect::<Map<_, _>>())
        }
    }
}

fn number(text: &str) -> Value {
    let whole = text.parse::<i64>().map(Number::from).or_else(|_| text.parse::<u64>().map(Number::from));
    let number = whole.ok().or_else(|| text.parse::<f64>().ok().and_then(Number::from_f64));
    number.map_or_else(|| Value::String(text.to_owned()), Value::Number)
}

/// Finds what a location leads to.
#[derive(Default)]
struct Walker<'n> {
    /// The members of wide objects by name, for the objects that were walked through.
    tables: HashMap<*const Node, HashMap<&'n str, usize>>,
    /// The keys that an object holds again further on, by the node of the last one.
    twins: HashMap<*const Node, Vec<&'n Key>>,
    /// Objects whose twins are known.
    seen: HashSet<*const Node>,
}

impl<'n> Walker<'n> {
    fn walk(&mut self, mut node: &'n Node, location: &NormalizedPath<'_>) -> Option<(Option<&'n Key>, &'n Node)> {
        let mut name = None;
        for element in location.iter() {
            match (element, &node.kind) {
                (PathElement::Index(index), Kind::Array(items)) => (name, node) = (None, items.get(*index)?),
                (PathElement::Name(text), Kind::Object(members)) => {
                    self.find_twins(node, members);
                    let (key, value) = self.member(node, members, text)?;
                    (name, node) = (Some(key), value);
                }
                _ => return None,
            }
        }
        Some((name, node))
    }

    fn find_twins(&mut self, node: &'n Node, members: &'n [(Key, Node)]) {
        if !self.seen.insert(std::ptr::from_ref(node)) {
            return;
        }
        let mut by_name: BTreeMap<&str, Vec<&'n (Key, Node)>> = BTreeMap::new();
        members.iter().for_each(|member| by_name.entry(&member.0.text).or_default().push(member));
        for same in by_name.into_values().filter(|same| same.len() > 1) {
            if let Some(((_, last), others)) = same.split_last().map(|(last, others)| (*last, others)) {
                self.twins.insert(std::ptr::from_ref(last), others.iter().map(|(key, _)| key).collect());
            }
        }
    }

    /// The keys of the same name before a match in its object.
    fn twins(&self, found: &Match<'n, '_>) -> Vec<&'n Key> {
        self.twins.get(&std::ptr::from_ref(found.node)).cloned().unwrap_or_default()
    }

    fn member(&mut self, node: &'n Node, members: &'n [(Key, Node)], name: &str) -> Option<&'n (Key, Node)> {
        if members.len() < WIDE {
            return members.iter().rev().find(|(key, _)| key.text == name);
        }
        let table = self.tables.entry(std::ptr::from_ref(node)).or_insert_with(|| {
            members.iter().enumerate().map(|(place, (key, _))| (key.text.as_str(), place)).collect()
        });
        members.get(*table.get(name)?)
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::{super::json, *};

    #[test]
    fn an_object_is_named_by_a_field_and_stands_where_that_does() {
        let text = r#"[{"at": 5, "tag": "a"}, {"tag": "b"}, 7]"#;
        let field = |name: &str, path: &str| (name.to_owned(), Query::new(path, Take::Value, vec![]).expect("valid"));
        let fields = vec![field("at", "$.at"), field("tag", "$.tag")];
        let query = Query::new("$[*]", Take::Value, fields).expect("valid").named_by("at");
        let mut out = Vec::new();
        query.run(&json::parse(text.as_bytes()).expect("valid"), &mut |found| {
            out.push((found.key.into_owned(), found.span.start, found.fields.len()));
        });
        assert_eq!(out, [("5".to_owned(), 8, 2), ("7".to_owned(), 38, 0)]);
    }

    fn run(path: &str, take: Take, fields: &[(&str, &str)], text: &str) -> Vec<String> {
        let fields = fields
            .iter()
            .map(|(name, path)| ((*name).to_owned(), Query::new(path, Take::Value, Vec::new()).expect("a valid path")));
        let query = Query::new(path, take, fields.collect()).expect("a valid path");
        let mut out = Vec::new();
        query.run(&json::parse(text.as_bytes()).expect("valid JSON"), &mut |found| {
            let fields: String = found.fields.iter().map(|(name, value)| format!(" {name}={value}")).collect();
            out.push(format!("{}@{}{fields}", found.key, &text[found.span]));
        });
        out
    }

    #[test]
    fn a_name_given_twice_is_found_twice() {
        let text = r#"{"x": {"E1": {"a": 1}, "E2": 1, "E1": {"a": 2}}}"#;
        assert_eq!(run("$.x.*", Take::Name, &[], text), ["E2@E2", "E1@E1", "E1@E1"]);
    }

    #[test]
    fn values_and_their_fields() {
        let text = r#"{"b": [{"id": "x\u0041", "port": 8080, "on": true}, {"id": 12345678901234567890123}, {"id": null}], "a": {"id": "z"}}"#;
        assert_eq!(
            run("$..id", Take::Value, &[], text),
            [r"xA@x\u0041", "12345678901234567890123@12345678901234567890123", "z@z"]
        );
        assert_eq!(run("$.b[?@.on].port", Take::Value, &[("self", "$")], text), ["8080@8080 self=8080"]);
        assert_eq!(run("$.a.id", Take::Name, &[("v", "$")], text), ["id@id v=z"]);
    }

    #[test]
    fn names_of_members() {
        let text = r#"{"functions": {"b": {"entry": "x"}, "a": {}, "c": 1}, "list": [1]}"#;
        assert_eq!(run("$.functions.*", Take::Name, &[("entry", "$.entry")], text), ["b@b entry=x", "a@a", "c@c"]);
        assert_eq!(run("$.list[*]", Take::Name, &[], text), [""; 0]);
        assert_eq!(run("$", Take::Name, &[], text), [""; 0]);
    }

    #[test]
    fn one_value_is_one_name() {
        assert_eq!(run("$['a','a']", Take::Value, &[], r#"{"a": "x"}"#), ["x@x"]);
        assert_eq!(run("$.*", Take::Value, &[], r#"{"a": "x", "b": "y", "a": "z"}"#), ["y@y", "z@z"]);
    }

    #[test]
    fn a_wrong_path_says_where() {
        let error = Query::new("$.a[", Take::Value, Vec::new()).expect_err("no path");
        assert!(error.contains("`$.a[`") && !error.contains('\n'), "{error}");
    }

    #[test]
    fn large_files_take_no_quadratic_time() {
        let rows: Vec<_> = (0..40_000).map(|i| format!("\"k{i}\": {{\"id\": \"{i}\"}}")).collect();
        let node = json::parse(format!("{{{}}}", rows.join(",")).as_bytes()).expect("valid JSON");
        let query = Query::new("$.*.id", Take::Value, Vec::new()).expect("a valid path");
        let (start, mut count) = (Instant::now(), 0);
        query.run(&node, &mut |_| count += 1);
        assert_eq!(count, 40_000);
        assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    }
}
