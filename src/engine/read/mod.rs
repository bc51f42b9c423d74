//! The first pass over all items: each file is read once, each name becomes a mark, and what is wrong by itself becomes a fault.

mod kept;
mod taker;

use std::{
    collections::BTreeMap,
    io::{self, Read},
    panic::{AssertUnwindSafe, catch_unwind},
};

use rayon::prelude::*;

use super::{Gaps, PARSED_LIMIT, Plan, STREAMED_LIMIT};
use crate::{
    claim::{
        self, Marks, Namer,
        extract::{
            ExtractError, Found, changelog, document::Node, gzip::gunzip, json, toml, xml, xml::ElementPaths, yaml,
        },
    },
    rule::{
        Claim, Item, Rule, Source,
        judge::{Count, Fault},
    },
    source::{Entry, EntryKind, Listing, Tree},
    suppress::{self, Carried},
};
use taker::Taker;

/// Fewer names of paths than so many are taken before another thread wakes up.
const FEW: usize = 4_000;

/// What a pass goes over.
pub(super) struct Pass<'a> {
    pub(super) plan: &'a Plan<'a>,
    /// What entries are read from.
    pub(super) tree: &'a dyn Tree,
    pub(super) listing: &'a Listing,
    pub(super) items: &'a [Item],
}

/// What a first pass gives.
#[derive(Default)]
pub(super) struct Read1 {
    pub(super) marks: Marks,
    pub(super) faults: Vec<Fault>,
    pub(super) counts: Vec<Count>,
    pub(super) carried: Vec<Carried>,
}

/// Takes names, each with the index of the item that asked for it; none is a restart.
type Sink<'s> = dyn FnMut(Option<(usize, Found<'_>)>) + 's;

impl<'a> Pass<'a> {
    pub(super) fn rule(&self, item: &Item) -> &'a Rule {
        &self.plan.rules[usize::from(item.rule)].rule
    }

    pub(super) fn claim(&self, item: &Item) -> &'a Claim {
        &self.rule(item).claims[usize::from(item.claim)]
    }

    /// What a rule says of a claim.
    pub(super) fn of(&self, claim: &claim::Claim) -> &'a Claim {
        &self.plan.rules[usize::from(claim.rule)].rule.claims[usize::from(claim.claim)]
    }

    pub(super) fn entry(&self, item: &Item) -> &'a Entry {
        item.of(self.listing)
    }

    pub(super) fn namer<'i>(&self, item: &'i Item) -> Namer<'i>
    where
        'a: 'i,
    {
        let rule = self.rule(item);
        Namer::new(self.claim(item), item.rule, &item.partition, &item.below, rule.spec.policy.case.is_some())
    }

    /// Reads everything.
    pub(super) fn read(&self, gaps: &Gaps) -> Read1 {
        let mut groups: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (at, item) in self.items.iter().enumerate() {
            if !matches!(self.claim(item).source, Source::Chain(_)) {
                groups.entry(item.entry).or_default().push(at as u32);
            }
        }
        let groups: Vec<Vec<u32>> = groups.into_values().collect();
        let is_path = |group: &Vec<u32>| group.iter().all(|at| self.claim(&self.items[*at as usize]).is_path());
        if groups.len() < FEW && groups.iter().filter(|group| !is_path(group)).take(2).count() < 2 {
            let mut all = Read1::default();
            groups.iter().for_each(|group| self.read_file(group, gaps, &mut all));
            return all;
        }
        let parts: Vec<Read1> = groups
            .par_iter()
            .fold(Read1::default, |mut out, group| {
                self.read_file(group, gaps, &mut out);
                out
            })
            .collect();
        let mut all = Read1::default();
        for part in parts {
            all.marks.append(part.marks);
            all.faults.extend(part.faults);
            all.counts.extend(part.counts);
            all.carried.extend(part.carried);
        }
        all
    }

    /// All items of one file. A panic on the way makes the file incomplete, never the run green.
    fn read_file(&self, group: &[u32], gaps: &Gaps, out: &mut Read1) {
        let entry = self.entry(&self.items[group[0] as usize]);
        let before = (out.marks.mark(), out.faults.len(), out.counts.len());
        let done = catch_unwind(AssertUnwindSafe(|| self.read_items(group, entry, gaps, out)));
        if done.is_err() {
            out.marks.truncate(before.0);
            out.faults.truncate(before.1);
            out.counts.truncate(before.2);
            gaps.add(entry.path.lossy(), "gatekeep itself failed on this file; please report it");
        }
    }

    fn read_items(&self, group: &[u32], entry: &Entry, gaps: &Gaps, out: &mut Read1) {
        let (paths, contents): (Vec<u32>, Vec<u32>) =
            group.iter().partition(|at| self.claim(&self.items[**at as usize]).is_path());
        for at in paths {
            let mut taker = Taker::new(self, at, None);
            taker.found(&path_found(self.claim(&self.items[at as usize]), &self.items[at as usize].below));
            taker.finish(0, out);
        }
        if contents.is_empty() {
            return;
        }
        if entry.kind == EntryKind::Link {
            self.judge_link(entry, gaps);
            return;
        }
        let (streams, texts): (Vec<u32>, Vec<u32>) =
            contents.iter().partition(|at| matches!(self.claim(&self.items[**at as usize]).source, Source::Xml(_)));
        if !texts.is_empty() {
            self.read_text(&texts, entry, gaps, out);
        }
        if !streams.is_empty() {
            self.read_stream(&streams, entry, gaps, out);
        }
    }

    /// A link is never followed. One that stays in the tree leads to a file that is judged by itself.
    fn judge_link(&self, entry: &Entry, gaps: &Gaps) {
        let inside = match self.tree.link_target(entry) {
            Ok(target) => inside(entry.path.parent(), &target).is_some(),
            Err(_) => false,
        };
        if !inside {
            gaps.add(
                entry.path.lossy(),
                "a link that leads out of the tree; links are not followed, so it was not read",
            );
        }
    }

    fn read_text(&self, items: &[u32], entry: &Entry, gaps: &Gaps, out: &mut Read1) {
        let bytes = match self.tree.read(entry, PARSED_LIMIT) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return, // tracked, and deleted on disk
            Err(error) => return gaps.add(entry.path.lossy(), format!("can't be read: {error}")),
        };
        let mut parsed = Parsed::default();
        for at in items {
            let mut taker = Taker::new(self, *at, Some(&bytes));
            let claim = self.claim(&self.items[*at as usize]);
            match extract(claim, &bytes, &mut parsed, &mut |found| taker.found(&found)) {
                Ok(()) => taker.finish(bytes.len() as u64, out),
                Err(error) => gaps.add(entry.path.lossy(), error.to_string()),
            }
        }
        let allowances = suppress::find(&bytes);
        if !allowances.is_empty() {
            out.carried.push(Carried { path: entry.path.clone(), allowances });
        }
    }

    fn read_stream(&self, items: &[u32], entry: &Entry, gaps: &Gaps, out: &mut Read1) {
        let size = self.tree.size(entry).unwrap_or(0);
        if size > STREAMED_LIMIT {
            return gaps
                .add(entry.path.lossy(), format!("larger than {} MiB, so it was not read", STREAMED_LIMIT >> 20));
        }
        let stamp = if size < kept::WORTH_IT { None } else { self.tree.stamp(entry) };
        if stamp.as_ref().is_some_and(|stamp| self.recall(items, stamp, out)) {
            return;
        }
        let mut takers: Vec<Taker<'_>> = items.iter().map(|at| Taker::new(self, *at, None)).collect();
        let done = self.stream(items, entry, &mut |event| match event {
            Some((taker, found)) => takers[taker].found(&found),
            None => takers.iter_mut().for_each(Taker::restart),
        });
        match done {
            Ok(xml::Outcome::Names { bytes, .. }) => {
                if let Some(stamp) = &stamp {
                    takers.iter().for_each(|taker| self.keep(taker, entry, stamp, bytes));
                }
                takers.into_iter().for_each(|taker| taker.finish(bytes, out));
            }
            Ok(xml::Outcome::Template) => {}
            Err(error) => gaps.add(entry.path.lossy(), error.to_string()),
        }
    }

    /// Streams the names of an XML file to the items that ask for them; none is a restart.
    pub(super) fn stream(
        &self,
        items: &[u32],
        entry: &Entry,
        sink: &mut Sink<'_>,
    ) -> Result<xml::Outcome, ExtractError> {
        let mut paths: Vec<&str> = Vec::new();
        let mut owner = Vec::new();
        for (index, at) in items.iter().enumerate() {
            if let Source::Xml(own) = &self.claim(&self.items[*at as usize]).source {
                paths.extend(own.iter().map(String::as_str));
                owner.extend(own.iter().map(|_| index));
            }
        }
        let paths = ElementPaths::new(&paths).map_err(ExtractError::TooLarge)?;
        let compressed = entry.path.as_bytes().ends_with(b".gz");
        let mut open = || -> io::Result<Box<dyn Read>> {
            let file = self.tree.open(entry)?;
            Ok(if compressed { Box::new(gunzip(file, STREAMED_LIMIT)) } else { file })
        };
        xml::extract(&paths, &mut open, &mut |event| match event {
            xml::XmlEvent::Name { path, found } => sink(Some((owner[path], found))),
            xml::XmlEvent::Restart => sink(None),
        })
    }
}

/// The documents of one text, each parsed at most once for all claims.
#[derive(Default)]
pub(super) struct Parsed {
    json: Option<Node>,
    yaml: Option<Vec<Node>>,
    toml: Option<Node>,
}

/// Names in a text that is at hand.
pub(super) fn extract(
    claim: &Claim,
    bytes: &[u8],
    parsed: &mut Parsed,
    sink: &mut dyn FnMut(Found<'_>),
) -> Result<(), ExtractError> {
    match &claim.source {
        Source::Line(line) => match line.get() {
            Ok(pattern) => pattern.run(bytes, sink),
            Err(why) => Err(ExtractError::TooLarge(why.clone())),
        },
        Source::Json(query) => {
            if parsed.json.is_none() {
                parsed.json = Some(json::parse(bytes)?);
            }
            parsed.json.iter().for_each(|node| query.run(node, sink));
            Ok(())
        }
        Source::Yaml(query) => {
            if parsed.yaml.is_none() {
                parsed.yaml = Some(yaml::parse(bytes)?);
            }
            parsed.yaml.iter().flatten().for_each(|node| query.run(node, sink));
            Ok(())
        }
        Source::Toml(query) => {
            if parsed.toml.is_none() {
                parsed.toml = Some(toml::parse(bytes)?);
            }
            parsed.toml.iter().for_each(|node| query.run(node, sink));
            Ok(())
        }
        Source::Changelog => changelog::run(bytes, sink),
        // those between worktrees need the files beside them, see `environment`
        Source::Path(_) | Source::Xml(_) | Source::Chain(_) | Source::Dotenv(_) | Source::Compose(_) => Ok(()),
    }
}

/// The parts of a path that a claim's regex found.
pub(crate) fn path_found<'t>(claim: &'t Claim, below: &'t str) -> Found<'t> {
    let mut found = Found { key: "".into(), span: 0..0, fields: Vec::new() };
    if let Source::Path(regex) = &claim.source
        && let Some(groups) = regex.captures(below)
    {
        for name in regex.names() {
            if let Some(part) = groups.name(name) {
                found.fields.push((name, part.as_str().into()));
            }
        }
        if let Some(key) = groups.name("key") {
            found.key = key.as_str().into();
        }
    }
    found
}

/// Where a link's target lies in the tree, taken from the link's folder; none where it leads out of it.
pub(super) fn inside(folder: &[u8], target: &[u8]) -> Option<Vec<u8>> {
    if target.starts_with(b"/") || target.get(1) == Some(&b':') {
        return None;
    }
    let mut parts: Vec<&[u8]> = folder.split(|b| *b == b'/').filter(|part| !part.is_empty()).collect();
    for part in target.split(|b| *b == b'/') {
        match part {
            b"" | b"." => {}
            b".." => {
                parts.pop()?;
            }
            _ => parts.push(part),
        }
    }
    Some(parts.join(&b'/'))
}

#[cfg(test)]
mod tests {
    use super::inside;

    #[test]
    fn links_that_leave_the_tree_are_seen() {
        assert_eq!(inside(b"public", b"../build/./sitemap.xml").as_deref(), Some(&b"build/sitemap.xml"[..]));
        assert_eq!(inside(b"", b"b").as_deref(), Some(&b"b"[..]));
        assert_eq!(inside(b"public", b"../../etc/passwd"), None);
        assert_eq!(inside(b"", b"/etc/passwd"), None);
        assert_eq!(inside(b"", b"b/../../c"), None);
    }
}
