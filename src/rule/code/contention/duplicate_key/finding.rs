//! What is said of one key.

use std::collections::BTreeSet;

use super::{
    super::{DUPLICATE_KEY, RULE},
    file::{Document, File, Side},
};
use crate::{
    claim::extract::keys::{Format, keys},
    diag::{Diagnostic, Holder, Severity, Site},
    rule::listed::listed,
    text::locate,
};

/// How many holders of one key are listed as sites.
const MAX_SITES: usize = 20;

/// Who has a part in a key that stands twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Party {
    /// It never yields.
    Trunk,
    /// By its place in the list of sides: the oldest first.
    Side(usize),
}

/// A key that stands twice in some merge.
pub(super) struct Found {
    pub(super) path: String,
    pub(super) parties: BTreeSet<Party>,
    /// Whether the values were one in all merges.
    pub(super) same_value: bool,
}

impl Found {
    pub(super) fn new(path: String) -> Self {
        Self { path, parties: BTreeSet::new(), same_value: true }
    }
}

impl File<'_> {
    pub(super) fn finding(&self, id: u64, found: &Found, sides: &[Side], trunk: Option<&Document>) -> Diagnostic {
        let mut parties: Vec<Party> = found.parties.iter().copied().collect();
        parties.sort_by_key(|party| match party {
            Party::Trunk => (0, 0, 0),
            Party::Side(at) => (1, self.fleet.rank(sides[*at].line), sides[*at].line),
        });
        let holders: Vec<&Holder> = parties.iter().filter_map(|party| self.holder(*party, sides)).collect();
        let names = listed(holders.iter().map(|holder| holder.name.as_str()));
        let path = self.job.path.lossy();
        let same = if found.same_value { " with one and the same value" } else { "" };
        let mut message = format!(
            "`{}` would stand twice in `{path}`{same}: {names} each add it at another place, and git merges that without a \
             word. {}",
            found.path,
            readers(self.job.format)
        );
        let head = |party: &Party| matches!(party, Party::Side(at) if Some(sides[*at].line) == self.fleet.head);
        let severity = match parties.first() {
            Some(keeper) if head(keeper) => Severity::Note, // the others have to yield
            // whoever takes the last one takes the right one
            _ if found.same_value && self.job.format == Format::Json => Severity::Warning,
            _ => Severity::Error,
        };
        parties.reverse(); // those that have to yield come first
        let count = parties.len();
        parties.sort_by_key(|party| !head(party)); // stable
        parties.truncate(MAX_SITES);
        if parties.len() < count {
            message.push_str(&format!(" {} of {count} are listed.", parties.len()));
        }
        let first = sides.first().map(|side| &*side.old);
        let sites = parties.iter().filter_map(|party| match party {
            Party::Trunk => Some(self.site(id, trunk?, first, self.holder(*party, sides)?)),
            Party::Side(at) => Some(self.site(id, &sides[*at].new, Some(&sides[*at].old), self.holder(*party, sides)?)),
        });
        let mut made = Diagnostic::new(DUPLICATE_KEY, severity, message, sites.collect());
        made.namespace = Some(RULE.id.to_owned());
        made.partition = Some(path.into_owned());
        made.key = Some(found.path.clone());
        made.help = RULE.codes.iter().find(|code| code.code == DUPLICATE_KEY).map(|code| code.help.to_owned());
        made.seal();
        made
    }

    fn holder<'s>(&'s self, party: Party, sides: &[Side]) -> Option<&'s Holder> {
        match party {
            Party::Side(at) => Some(&self.fleet.lines[sides[at].line as usize].holder),
            Party::Trunk => self.trunk.map(|trunk| &trunk.holder),
        }
    }

    /// The key in a holder's own version of the file: the first one that its base does not have in the same words.
    fn site(&self, id: u64, own: &Document, base: Option<&Document>, holder: &Holder) -> Site {
        let mut site = Site::path(self.job.path.clone(), holder.clone());
        let spans = |document: &Document| {
            let found = keys(self.job.format, &document.bytes).unwrap_or_default();
            found.into_iter().filter(|key| key.id == id).map(|key| key.span).collect::<Vec<_>>()
        };
        let line = |document: &Document, at: usize| {
            let start = memchr::memrchr(b'\n', &document.bytes[..at]).map_or(0, |at| at + 1);
            let end = memchr::memchr(b'\n', &document.bytes[at..]).map_or(document.bytes.len(), |end| at + end);
            document.bytes[start..end].to_vec()
        };
        let known: Vec<Vec<u8>> =
            base.map(|base| spans(base).into_iter().map(|span| line(base, span.start)).collect()).unwrap_or_default();
        let mut all = spans(own);
        let at = all.iter().position(|span| !known.contains(&line(own, span.start)));
        if !all.is_empty() {
            let located = locate(&own.bytes, all.swap_remove(at.unwrap_or(0)));
            site.position = Some(located.position);
            site.snippet = Some(located.snippet);
        }
        site
    }
}

/// What readers of a format do with a key that stands twice. Tried with each of them.
fn readers(format: Format) -> &'static str {
    match format {
        Format::Toml => {
            "TOML has no room for that: cargo, wrangler, Python's tomllib and every other reader refuse the file."
        }
        Format::Yaml => {
            "js-yaml, yaml, Docker Compose and GitHub Actions refuse the file; PyYAML and Ansible take the last value, and the \
             other one is lost."
        }
        Format::Json => {
            "JSON.parse, Python's json and readers of JSONC take the last value in silence, and the other one is lost."
        }
        Format::Po => "msgfmt refuses the file: duplicate message definition.",
    }
}
