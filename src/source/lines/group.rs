//! Which branches are one line of work.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    names::Names,
    refs::{Branch, LOCAL, REMOTE},
    remotes::Remotes,
    trunk::Trunk,
};

/// Branches that are one line of work.
pub(super) struct Group<'b> {
    /// The first gives its name: the local branch if there is one, else origin's, else that of the first remote.
    pub(super) branches: Vec<&'b Branch>,
}

/// All branches as lines of work.
pub(super) struct Groups<'b> {
    pub(super) all: Vec<Group<'b>>,
    /// Index of a branch's group, by its whole name.
    of: BTreeMap<&'b str, usize>,
    /// Index of the trunk's own group.
    pub(super) trunk: Option<usize>,
}

impl<'b> Groups<'b> {
    /// Which group a branch belongs to.
    pub(super) fn find(&self, full: &str) -> Option<usize> {
        self.of.get(full).copied()
    }

    pub(super) fn new(branches: &'b [Branch], remotes: &Remotes, trunk: &Trunk, exclude: &Names) -> Self {
        let by_name: BTreeMap<&str, &Branch> = branches.iter().map(|branch| (branch.full.as_str(), branch)).collect();
        let mut followers: BTreeMap<&str, usize> = BTreeMap::new();
        for upstream in branches.iter().filter_map(|branch| branch.upstream.as_deref()) {
            *followers.entry(upstream).or_default() += 1;
        }
        let twins = Twins { by_name: &by_name, followers: &followers, remotes, trunk, exclude };
        let mut groups = Self { all: Vec::new(), of: BTreeMap::new(), trunk: None };
        let mut named: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for local in branches.iter().filter(|branch| branch.remote_name.is_none()) {
            let members = std::iter::once(local).chain(twins.of(local)).collect();
            let at = groups.push(members);
            named.entry(&local.short).or_default().push(at);
        }
        let mut rest: Vec<&Branch> = branches
            .iter()
            .filter(|branch| branch.remote_name.is_some() && !groups.of.contains_key(branch.full.as_str()))
            .collect();
        rest.sort_by_key(|branch| !branch.short.starts_with("origin/"));
        for branch in rest {
            let namesakes = named.entry(branch.remote_name.as_deref().unwrap_or_default()).or_default();
            let same = |at: &&usize| groups.all[**at].branches.iter().any(|other| other.commit == branch.commit);
            match namesakes.iter().find(same) {
                Some(at) => groups.add(*at, branch),
                None => namesakes.push(groups.push(vec![branch])),
            }
        }
        groups.trunk = trunk.reference.as_deref().and_then(|full| groups.find(full));
        groups
    }

    fn push(&mut self, branches: Vec<&'b Branch>) -> usize {
        self.all.push(Group { branches: Vec::new() });
        let at = self.all.len() - 1;
        branches.into_iter().for_each(|branch| self.add(at, branch));
        at
    }

    fn add(&mut self, at: usize, branch: &'b Branch) {
        self.all[at].branches.push(branch);
        self.of.insert(&branch.full, at);
    }
}

/// Finds what a local branch stands for.
struct Twins<'a, 'b> {
    by_name: &'a BTreeMap<&'b str, &'b Branch>,
    /// How many local branches have which upstream.
    followers: &'a BTreeMap<&'b str, usize>,
    remotes: &'a Remotes,
    trunk: &'a Trunk,
    exclude: &'a Names,
}

impl<'b> Twins<'_, 'b> {
    /// Remote-tracking branches that are the same line of work as a local one.
    fn of(&self, local: &Branch) -> Vec<&'b Branch> {
        let trunk = self.trunk.reference.as_deref().unwrap_or_default();
        let mut names: BTreeSet<String> = self.remotes.namesakes(&local.short).into_iter().collect();
        if local.full == trunk {
            names.extend(local.upstream.clone());
        } else if self.trunk_there() == Some(&local.short) {
            names.insert(trunk.to_owned());
        } else {
            names.remove(trunk);
        }
        let twins: Vec<&Branch> = names.iter().filter_map(|name| self.by_name.get(name.as_str()).copied()).collect();
        if twins.is_empty() { self.upstream(local).into_iter().collect() } else { twins }
    }

    /// The trunk's name on its remote.
    fn trunk_there(&self) -> Option<&str> {
        let short = self.trunk.reference.as_deref()?.strip_prefix(REMOTE)?;
        Some(self.remotes.name_there(short))
    }

    /// The upstream under another name, unless it is rather what the branch started from: the trunk, a line that is left out, another
    /// local branch's own, or that of several.
    fn upstream(&self, local: &Branch) -> Option<&'b Branch> {
        let full = local.upstream.as_deref()?;
        let upstream = *self.by_name.get(full)?;
        let there = format!("{LOCAL}{}", upstream.remote_name.as_deref()?);
        let is_start = self.trunk.reference.as_deref() == Some(full)
            || self.exclude.matches(upstream)
            || self.by_name.contains_key(there.as_str())
            || self.followers.get(full).is_some_and(|followers| *followers > 1);
        (!is_start).then_some(upstream)
    }
}
