//! What the configuration says of remotes, and of which branch of theirs a local one stands for.

use std::collections::BTreeMap;

use bstr::{BString, ByteSlice};

use super::{
    refs::{LOCAL, REMOTE},
    text,
};

/// Remotes, and the upstream of each branch.
#[derive(Debug, Default)]
pub(super) struct Remotes {
    /// What is fetched from each remote, and where it goes: pairs of patterns.
    fetch: BTreeMap<String, Vec<(BString, BString)>>,
    branches: BTreeMap<String, Configured>,
    push_default: Option<String>,
}

/// What the configuration says of one branch.
#[derive(Debug, Default)]
struct Configured {
    remote: Option<String>,
    merge: Option<BString>,
    push_remote: Option<String>,
}

impl Remotes {
    pub(super) fn of(repo: &gix::Repository) -> Self {
        let snapshot = repo.config_snapshot();
        let config = snapshot.plumbing();
        let mut remotes =
            Self { push_default: config.string("remote.pushDefault").map(|name| text(&name)), ..Self::default() };
        for section in config.sections_by_name("remote").into_iter().flatten() {
            let Some(name) = section.header().subsection_name() else { continue };
            let specs = remotes.fetch.entry(text(name)).or_default();
            specs.extend(section.body().values("fetch").iter().filter_map(|spec| pair(spec)));
        }
        for section in config.sections_by_name("branch").into_iter().flatten() {
            let Some(name) = section.header().subsection_name() else { continue };
            let branch = remotes.branches.entry(text(name)).or_default();
            branch.remote = section.value("remote").map(|name| text(&name)).or(branch.remote.take());
            branch.push_remote = section.value("pushRemote").map(|name| text(&name)).or(branch.push_remote.take());
            branch.merge = section.value("merge").or(branch.merge.take());
        }
        remotes
    }

    /// The remote-tracking branch that a local one has as its upstream. None for one of another local branch, or of a remote that is only
    /// an address.
    pub(super) fn upstream(&self, local: &str) -> Option<String> {
        let configured = self.branches.get(local)?;
        self.tracking(configured.remote.as_deref()?, configured.merge.as_ref()?.as_bstr())
    }

    /// The remote-tracking branches of a local one's own name: where it is pulled from, and where it is pushed to. Origin's where the
    /// configuration says nothing.
    pub(super) fn namesakes(&self, local: &str) -> Vec<String> {
        let configured = self.branches.get(local);
        let pulled = configured.and_then(|branch| branch.remote.as_deref());
        let pushed = configured.and_then(|branch| branch.push_remote.as_deref()).or(self.push_default.as_deref());
        let remotes: Vec<&str> = match (pulled.filter(|remote| *remote != "."), pushed) {
            (None, None) => self.usual().into_iter().collect(),
            (pulled, pushed) => {
                [pushed, pulled.filter(|remote| pushed != Some(*remote))].into_iter().flatten().collect()
            }
        };
        let there = format!("{LOCAL}{local}");
        remotes.into_iter().filter_map(|remote| self.tracking(remote, there.as_bytes().as_bstr())).collect()
    }

    /// The remote that git takes where nothing is configured: origin, or the only one.
    fn usual(&self) -> Option<&str> {
        match self.fetch.keys().next() {
            Some(only) if self.fetch.len() == 1 => Some(only),
            _ => Some("origin"),
        }
    }

    /// Where a remote's branch is kept here.
    fn tracking(&self, remote: &str, there: &bstr::BStr) -> Option<String> {
        let specs = self.fetch.get(remote)?;
        let here = specs.iter().find_map(|(from, to)| map(there, from, to))?;
        here.starts_with_str(REMOTE).then(|| text(&here))
    }

    /// The name that a remote-tracking branch has on its remote.
    pub(super) fn name_there<'a>(&self, short: &'a str) -> &'a str {
        let known = self.fetch.keys().filter_map(|remote| short.strip_prefix(remote.as_str())?.strip_prefix('/'));
        let named = known.min_by_key(|rest| rest.len()); // the longest name of a remote
        named.or_else(|| short.split_once('/').map(|(_, rest)| rest)).unwrap_or(short)
    }
}

/// Where a refspec takes things from, and where to.
fn pair(spec: &[u8]) -> Option<(BString, BString)> {
    let spec = spec.strip_prefix(b"+").unwrap_or(spec);
    let (from, to) = spec.split_once_str(":")?;
    Some((from.into(), to.into()))
}

/// The name that a pair of patterns, each with at most one `*`, gives to another.
fn map(name: &[u8], from: &[u8], to: &[u8]) -> Option<BString> {
    let Some((before, after)) = from.split_once_str("*") else { return (name == from).then(|| to.into()) };
    let middle = name.strip_prefix(before)?.strip_suffix(after)?;
    let (start, end) = to.split_once_str("*")?;
    Some([start, middle, end].concat().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refspec_gives_names() {
        let (from, to) = pair(b"+refs/heads/*:refs/remotes/origin/*").expect("it has two sides");
        assert_eq!(map(b"refs/heads/a/b", &from, &to), Some("refs/remotes/origin/a/b".into()));
        assert_eq!(map(b"refs/tags/a", &from, &to), None);
        assert_eq!(map(b"refs/heads/main", b"refs/heads/main", b"refs/remotes/o/m"), Some("refs/remotes/o/m".into()));
        assert_eq!(pair(b"refs/heads/main"), None);
        assert_eq!(map(b"a", b"a*a", b"x*"), None); // nothing is left for the star
    }

    #[test]
    fn the_longest_remote_is_the_one_meant() {
        let mut remotes = Remotes::default();
        assert_eq!(remotes.name_there("origin/agent/x"), "agent/x");
        assert_eq!(remotes.name_there("git-svn"), "git-svn");
        for name in ["team", "team/a"] {
            remotes.fetch.insert(name.into(), Vec::new());
        }
        assert_eq!(remotes.name_there("team/a/x"), "x");
        assert_eq!(remotes.name_there("team/ab/x"), "ab/x");
    }
}
