//! The services of a project: what its files say together.

use std::collections::BTreeMap;

use super::{
    super::{
        document::{Key, Kind, Node},
        dotenv::Variables,
    },
    File, list,
};

/// How many services can extend one another, and how deep members can be merged.
const DEEPEST: usize = 8;

/// A service as all files of the project make it.
#[derive(Default)]
pub(super) struct Service<'n> {
    /// With the file that each stands in. Those of later files come on top, unless they are marked to stand alone.
    pub(super) ports: Vec<(usize, &'n Node)>,
    pub(super) container: Option<(usize, &'n Node)>,
    profiles: Vec<&'n Node>,
    network: Option<&'n Node>,
}

impl<'n> Service<'n> {
    /// Whether `up` starts it: it has no profile, or one that is active.
    pub(super) fn runs(&self, active: &[&str], variables: &Variables) -> bool {
        let mut profiles = self.profiles.iter().filter_map(|node| text(node, variables));
        self.profiles.is_empty() || active.contains(&"*") || profiles.any(|one| active.contains(&one.as_str()))
    }

    pub(super) fn is_on_the_host(&self, variables: &Variables) -> bool {
        self.network.and_then(|node| text(node, variables)).is_some_and(|network| network == "host")
    }

    /// Takes in what one file says of the service (`override/merge.go`: lists are appended, other values replaced).
    fn take(&mut self, at: usize, file: &'n File<'_>, node: &'n Node) {
        if let Some((key, ports)) = member(node, "ports") {
            let tag = tag(file.bytes, key);
            if tag.is_some() {
                self.ports.clear();
            }
            if tag != Some("!reset") {
                self.ports.extend(list(ports).map(|port| (at, port)));
            }
        }
        if let Some((key, profiles)) = member(node, "profiles") {
            let tag = tag(file.bytes, key);
            if tag.is_some() {
                self.profiles.clear();
            }
            if tag != Some("!reset") {
                self.profiles.extend(list(profiles));
            }
        }
        if let Some((key, name)) = member(node, "container_name") {
            self.container = (tag(file.bytes, key) != Some("!reset")).then_some((at, name));
        }
        if let Some((key, mode)) = member(node, "network_mode") {
            self.network = (tag(file.bytes, key) != Some("!reset")).then_some(mode);
        }
    }
}

/// The services of all files, in order of their names.
pub(super) fn services<'n>(files: &[&'n File<'_>]) -> BTreeMap<&'n str, Service<'n>> {
    let mut all: BTreeMap<&str, Service<'_>> = BTreeMap::new();
    for (at, file) in files.iter().enumerate() {
        let own = || file.documents.iter().flat_map(|document| members(document, "services"));
        let by_name: BTreeMap<&str, &Node> = own().map(|(key, node)| (key.text.as_str(), node)).collect();
        for (key, node) in own() {
            match tag(file.bytes, key) {
                Some("!reset") => {
                    all.remove(key.text.as_str());
                    continue;
                }
                Some(_) => {
                    all.remove(key.text.as_str());
                }
                None => {}
            }
            let service = all.entry(&key.text).or_default();
            for node in extended(&by_name, node) {
                service.take(at, file, node);
            }
        }
    }
    all
}

/// A service and those of the same file that it extends, the first of them first. One of another file adds what is not known here.
fn extended<'n>(by_name: &BTreeMap<&'n str, &'n Node>, node: &'n Node) -> Vec<&'n Node> {
    let mut chain = vec![node];
    while let Some((_, extends)) = member(chain[chain.len() - 1], "extends")
        && member(extends, "file").is_none()
        && chain.len() < DEEPEST
    {
        let name = member(extends, "service").map_or(extends, |(_, node)| node).scalar();
        let Some(base) = name.and_then(|name| by_name.get(&*name)) else { break };
        chain.push(base);
    }
    chain.reverse();
    chain
}

/// The member of this name, also one that `<<` brings in; its own goes first.
pub(super) fn member<'n>(node: &'n Node, name: &str) -> Option<(&'n Key, &'n Node)> {
    at_depth(node, name, 0)
}

fn at_depth<'n>(node: &'n Node, name: &str, depth: usize) -> Option<(&'n Key, &'n Node)> {
    let Kind::Object(members) = &node.kind else { return None };
    if let Some((key, node)) = members.iter().rev().find(|(key, _)| key.text == name) {
        return Some((key, node));
    }
    if depth == DEEPEST {
        return None;
    }
    let merged = members.iter().filter(|(key, _)| key.text == "<<").flat_map(|(_, node)| list(node));
    merged.filter_map(|node| at_depth(node, name, depth + 1)).next()
}

/// The members of a member.
pub(super) fn members<'n>(node: &'n Node, name: &str) -> impl Iterator<Item = (&'n Key, &'n Node)> + use<'n> {
    let inner = member(node, name).map(|(_, node)| node);
    let members = inner.map_or(&[][..], |inner| match &inner.kind {
        Kind::Object(members) => members,
        _ => &[],
    });
    members.iter().filter(|(key, _)| key.text != "<<").map(|(key, node)| (key, node))
}

/// The text of a scalar, its references resolved.
pub(super) fn text(node: &Node, variables: &Variables) -> Option<String> {
    node.scalar().map(|text| variables.expand(&text))
}

/// `!reset` or `!override` before the value of a key (`loader/reset.go`). The tree of values knows no tags, so the text is asked.
fn tag<'t>(bytes: &'t [u8], key: &Key) -> Option<&'t str> {
    let rest = bytes.get(key.span.end..)?;
    let line = &rest[..memchr::memchr(b'\n', rest).unwrap_or(rest.len())];
    let line = std::str::from_utf8(line).ok()?.trim_start_matches(['"', '\'', ' ', '\t']).strip_prefix(':')?;
    let word = line.split_ascii_whitespace().find(|word| !word.starts_with('&'))?;
    ["!reset", "!override"].into_iter().find(|tag| *tag == word)
}
