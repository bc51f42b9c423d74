//! Which lines of work a scan looks at.

use crate::{
    diag::{Holder, HolderKind, RepoPath},
    engine::History,
    error::Fatal,
    source::{Ask, Git, Head, Since},
};

/// How old the branches of a fleet may be, unless said otherwise.
const FLEET_AGE: &str = "30d";

// Which lines of work are judged. A doc comment would become the help of the command.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Lines of work")]
pub(super) struct FleetArgs {
    /// Judge the change since this branch, tag or commit, and hold it against its tip
    #[arg(long, value_name = "REF")]
    pub(super) base: Option<String>,
    /// Judge this commit instead of the working tree; needs no checkout
    #[arg(long, value_name = "REF")]
    pub(super) head: Option<String>,
    /// Judge the index: exactly what the next commit will hold
    #[arg(long, conflicts_with = "head")]
    pub(super) staged: bool,
    /// And every unmerged branch that matches, local or remote-tracking; repeats; `*` crosses `/`
    #[arg(long, value_name = "GLOB")]
    pub(super) branches: Vec<String>,
    /// And every linked worktree, with its uncommitted and untracked files
    #[arg(long)]
    pub(super) worktrees: bool,
    /// All branches and all worktrees
    #[arg(long)]
    pub(super) fleet: bool,
    /// Leave out branches whose last commit is older, such as 12h, 30d or 8w [default with --fleet: 30d; `all` for none]
    #[arg(long, value_name = "AGE")]
    pub(super) since: Option<String>,
    /// Merge in memory what two lines both changed, and warn where git would stop
    #[arg(long)]
    pub(super) conflicts: bool,
}

impl FleetArgs {
    /// Whether anything but the tree itself is looked at.
    pub(super) fn any(&self) -> bool {
        self.is_change() || !self.branches.is_empty() || self.worktrees || self.fleet
    }

    /// Whether a change is judged, rather than a tree.
    pub(super) fn is_change(&self) -> bool {
        self.base.is_some() || self.head.is_some() || self.staged
    }

    /// What the change is.
    pub(super) fn head(&self, bare: bool) -> Head<'_> {
        match &self.head {
            Some(name) => Head::Commit(name),
            None if self.staged => Head::Index,
            None if self.is_change() && bare => Head::Commit("HEAD"),
            None if self.is_change() => Head::WorkingTree,
            None => Head::Nothing,
        }
    }

    /// The lines beside it.
    pub(super) fn ask(&self, exclude: Vec<String>) -> Result<Ask, Fatal> {
        let mut branches = self.branches.clone();
        if self.fleet && branches.is_empty() {
            branches.push("*".into());
        }
        let age = self.since.as_deref().or(self.fleet.then_some(FLEET_AGE)).filter(|age| *age != "all");
        let since = age.map(|age| Ok(Since { age: age.to_owned(), oldest: now() - seconds(age)? })).transpose()?;
        Ok(Ask { branches, exclude, worktrees: self.worktrees || self.fleet, since, head: None })
    }
}

/// Now, in seconds since 1970.
pub(super) fn now() -> i64 {
    jiff::Timestamp::now().as_second()
}

/// An age such as `30d` in seconds.
pub(super) fn seconds(age: &str) -> Result<i64, Fatal> {
    let bad = || Fatal::BadAge { age: age.to_owned() };
    let unit = age.chars().last().ok_or_else(bad)?;
    let count: i64 = age[..age.len() - unit.len_utf8()].parse().map_err(|_| bad())?;
    let seconds = match unit {
        'm' => 60,
        'h' => 3600,
        'd' => 86_400,
        'w' => 7 * 86_400,
        'y' => 365 * 86_400,
        _ => return Err(bad()),
    };
    (count >= 0).then(|| count.checked_mul(seconds)).flatten().ok_or_else(bad)
}

/// The trunk as a holder.
pub(super) fn trunk_holder(name: &str, commit: gix::ObjectId) -> Holder {
    Holder { kind: HolderKind::Base, name: name.to_owned(), commit: Some(commit.to_string()) }
}

impl History for Git {
    fn merge_base(&self, a: gix::ObjectId, b: gix::ObjectId) -> Option<gix::ObjectId> {
        Self::merge_base(self, a, b).ok().flatten()
    }

    fn has(&self, commit: gix::ObjectId, path: &RepoPath) -> bool {
        self.at(commit, path.as_bytes()).is_ok_and(|found| found.is_some())
    }
}
