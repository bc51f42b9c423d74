//! Merge keys: members that a mapping takes over from others.

use std::collections::BTreeSet;

use super::super::document::{Key, Kind, Node};

/// The member whose value is merged into its mapping.
const MERGE: &str = "<<";

/// The same document as readers see it that know merge keys: a mapping holds what it names under `<<`, one mapping or a list of them, but
/// for what it says itself; of several the first counts. Anything else under `<<` is a member like any other.
pub fn merged(node: Node) -> Node {
    let Node { span, kind } = node;
    let kind = match kind {
        Kind::Object(members) => Kind::Object(with_merged(members)),
        Kind::Array(items) => Kind::Array(items.into_iter().map(merged).collect()),
        scalar => scalar,
    };
    Node { span, kind }
}

fn with_merged(members: Vec<(Key, Node)>) -> Vec<(Key, Node)> {
    let (mut own, mut others) = (Vec::with_capacity(members.len()), Vec::new());
    for (key, node) in members {
        let node = merged(node);
        let is_merge = key.text == MERGE
            && match &node.kind {
                Kind::Object(_) => true,
                Kind::Array(items) => items.iter().all(|item| matches!(item.kind, Kind::Object(_))),
                _ => false,
            };
        if !is_merge {
            own.push((key, node));
            continue;
        }
        match node.kind {
            Kind::Object(members) => others.extend(members),
            Kind::Array(items) => others.extend(items.into_iter().flat_map(|item| match item.kind {
                Kind::Object(members) => members,
                _ => Vec::new(),
            })),
            _ => {}
        }
    }
    let mut known: BTreeSet<String> = own.iter().map(|(key, _)| key.text.clone()).collect();
    own.extend(others.into_iter().filter(|(key, _)| known.insert(key.text.clone())));
    own
}

#[cfg(test)]
mod tests {
    use super::{super::parse, *};

    /// `key=value` of the last member of a document's top.
    fn last(text: &str) -> Vec<String> {
        let node = parse(text.as_bytes()).expect("valid").remove(0);
        let Kind::Object(members) = merged(node).kind else { panic!("a mapping") };
        let Some((_, Node { kind: Kind::Object(members), .. })) = members.into_iter().next_back() else {
            panic!("a mapping")
        };
        let mut all: Vec<String> =
            members.iter().map(|(key, node)| format!("{}={}", key.text, node.scalar().unwrap_or_default())).collect();
        all.sort();
        all
    }

    #[test]
    fn a_mapping_holds_what_it_takes_over() {
        let base = "a: &a {x: 1, y: 2}\nb: &b {y: 3, z: 4}\n";
        for (text, expected) in [
            ("c: {<<: *a, y: 9}", ["x=1", "y=9"].as_slice()),
            ("c: {y: 9, <<: *a}", &["x=1", "y=9"]),
            ("c: {<<: [*b, *a]}", &["x=1", "y=3", "z=4"]),
            ("d: &d {<<: *a, w: 0}\ne: {<<: *d}", &["w=0", "x=1", "y=2"]),
            ("c: {<<: 5}", &["<<=5"]),
        ] {
            assert_eq!(last(&format!("{base}{text}\n")), expected, "{text}");
        }
    }
}
