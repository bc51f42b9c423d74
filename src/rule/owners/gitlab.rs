//! `CODEOWNERS` as GitLab reads it.
//!
//! Source: [Syntax of CODEOWNERS](https://docs.gitlab.com/user/project/codeowners/reference/) and
//! [Advanced configuration](https://docs.gitlab.com/user/project/codeowners/advanced/), whose examples are in the tests;
//! normalisation as in `ee/lib/gitlab/code_owners/file.rb`; headings as in the table of its `section_parser_spec.rb`.

mod fnmatch;
mod section;
#[cfg(test)]
mod tests;

use bstr::{ByteSlice, ByteVec};

use super::{Fault, Ownership, PATTERN_LIMIT, lines};
use fnmatch::fnmatch;
use section::Heading;

/// Where GitLab looks, in this order. The first one that is there counts.
pub const PLACES: [&str; 3] = ["CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS"];

/// The section of what stands above the first heading.
const DEFAULT_SECTION: &str = "codeowners";

/// The file that counts, given which ones there are; none where there is no such file.
pub fn place(holds: &dyn Fn(&str) -> bool) -> Option<&'static str> {
    PLACES.into_iter().find(|place| holds(place))
}

/// The sections of a file.
#[derive(Clone, Debug)]
pub struct CodeOwners {
    sections: Vec<Section>,
    faults: Vec<Fault>,
}

/// The entries under one name, from all headings with that name.
#[derive(Clone, Debug)]
struct Section {
    name: String,
    entries: Vec<Entry>,
}

#[derive(Clone, Debug)]
struct Entry {
    /// Against the path with a slash before it.
    pattern: Vec<u8>,
    owners: Vec<String>,
    line: usize,
    /// `!`: what matches needs nobody of this section.
    excludes: bool,
}

impl CodeOwners {
    /// Reads a file. What GitLab ignores, or reads as something else, becomes a fault.
    pub fn parse(text: &[u8]) -> Self {
        let default = Section { name: DEFAULT_SECTION.into(), entries: Vec::new() };
        let mut made = Self { sections: vec![default], faults: Vec::new() };
        let mut section = 0;
        let mut default_owners = Vec::new();
        for (line, text) in lines(text) {
            match Heading::parse(text) {
                Some(heading) => {
                    if let Some(why) = heading.fault() {
                        made.faults.push(Fault { line, why });
                    }
                    section = made.section(&heading.name);
                    default_owners = made.owners(heading.owners, line);
                }
                None => made.entry(section, &default_owners, text, line),
            }
        }
        made
    }

    /// Whose this path is. In each section the last entry that matches says it, unless one excludes the path; all those named
    /// have to approve, so all of them own it.
    pub fn owners_of(&self, path: &[u8]) -> Ownership {
        let path = [b"/", path].concat();
        let mut owners: Vec<String> = Vec::new();
        let (mut owned, mut unowned) = (None, None);
        for entry in self.sections.iter().filter_map(|section| section.decides(&path)) {
            let nobody = entry.excludes || entry.owners.is_empty();
            let first = if nobody { &mut unowned } else { &mut owned };
            first.get_or_insert(entry.line);
            let named = if nobody { &[] } else { entry.owners.as_slice() };
            for owner in named {
                if !owners.contains(owner) {
                    owners.push(owner.clone());
                }
            }
        }
        match (owned, unowned) {
            (Some(line), _) => Ownership::Owned { owners, line },
            (None, Some(line)) => Ownership::Unowned(line),
            (None, None) => Ownership::NoRule,
        }
    }

    /// Whether an entry names an owner of anything.
    pub fn owns_anything(&self) -> bool {
        let mut entries = self.sections.iter().flat_map(|section| &section.entries);
        entries.any(|entry| !entry.excludes && !entry.owners.is_empty())
    }

    /// The lines of which GitLab ignores something, or that it reads otherwise than they look, in order.
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }

    /// The section of a name, made if there is none; case does not count.
    fn section(&mut self, name: &str) -> usize {
        let is_it = |(at, section): (usize, &Section)| {
            let same = if at == 0 { section.name == name } else { section.name.to_lowercase() == name.to_lowercase() };
            same.then_some(at)
        };
        self.sections.iter().enumerate().find_map(is_it).unwrap_or_else(|| {
            self.sections.push(Section { name: name.to_owned(), entries: Vec::new() });
            self.sections.len() - 1
        })
    }

    fn entry(&mut self, section: usize, default_owners: &[String], text: &[u8], line: usize) {
        if text.strip_prefix(b"^").unwrap_or(text).starts_with(b"[") {
            let why = "the heading is not closed, so that the line is read as a path".to_owned();
            self.faults.push(Fault { line, why });
        }
        let (path, owners) = split(text);
        let excluded = path.strip_prefix(b"!");
        if path.len() > PATTERN_LIMIT {
            let why = "the pattern is longer than any path".to_owned();
            return self.faults.push(Fault { line, why });
        }
        let owners = match (excluded, owners.is_empty()) {
            (Some(_), _) => Vec::new(),
            (None, true) => default_owners.to_vec(),
            (None, false) => self.owners(owners, line),
        };
        let pattern = normalized(excluded.unwrap_or(path));
        self.sections[section].entries.push(Entry { pattern, owners, line, excludes: excluded.is_some() });
    }

    /// The owners in a text; other words are ignored.
    fn owners(&mut self, text: &[u8], line: usize) -> Vec<String> {
        let mut owners: Vec<String> = Vec::new();
        let mut ignored = 0;
        for word in text.fields() {
            match word.to_str().ok().filter(|word| is_owner(word)) {
                Some(owner) if owners.iter().any(|known| known == owner) => {}
                Some(owner) => owners.push(owner.to_owned()),
                None => ignored += 1,
            }
        }
        if ignored > 0 {
            let why = format!("{ignored} of its words are no user, group, role or address, and are ignored");
            self.faults.push(Fault { line, why });
        }
        owners
    }
}

impl Section {
    /// The entry that speaks for this path: one that excludes it, wherever it stands, or the last one that matches.
    fn decides(&self, path: &[u8]) -> Option<&Entry> {
        let mut matching = self.entries.iter().rev().filter(|entry| fnmatch(&entry.pattern, path));
        let last = matching.next()?;
        if last.excludes { Some(last) } else { matching.find(|entry| entry.excludes).or(Some(last)) }
    }
}

/// The path of a line and what stands behind it: up to the first blank without a backslash before it.
fn split(text: &[u8]) -> (&[u8], &[u8]) {
    let is_end = |at: &usize| text[*at].is_ascii_whitespace() && text[at.saturating_sub(1)] != b'\\';
    let end = (1..text.len()).find(is_end).unwrap_or(text.len());
    (&text[..end], text[end..].trim_start())
}

/// The pattern for `fnmatch`: every path without a leading slash floats, a folder holds all that is below it, and a lone star
/// is everything.
fn normalized(path: &[u8]) -> Vec<u8> {
    let path = if path.starts_with(b"\\#") { &path[1..] } else { path };
    let mut plain = Vec::with_capacity(path.len() + 8);
    let mut rest = path;
    while let Some((first, after)) = rest.split_first() {
        let blanks = after.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        if *first == b'\\' && blanks > 0 {
            plain.push(b' ');
            rest = &after[blanks..];
        } else {
            plain.push(*first);
            rest = after;
        }
    }
    if plain == b"*" {
        return b"/**/*".to_vec();
    }
    if !plain.starts_with(b"/") {
        plain.insert_str(0, "/**/");
    }
    if plain.ends_with(b"/") {
        plain.push_str("**/*");
    }
    plain
}

/// Whether this names an owner: `@user`, `@group/sub`, `@@role`, or an address.
fn is_owner(text: &str) -> bool {
    let of = |text: &str, more: &[u8]| text.bytes().all(|b| b.is_ascii_alphanumeric() || more.contains(&b));
    if let Some(name) = text.strip_prefix('@') {
        let name = name.strip_prefix('@').unwrap_or(name);
        return name.split('/').all(|part| !part.is_empty() && of(part, b"_.-"));
    }
    text.split_once('@').is_some_and(|(local, domain)| {
        !local.is_empty() && domain.contains(|c: char| c.is_ascii_alphanumeric()) && !domain.contains('@')
    })
}
