//! Which lines of work a scan looks at.

use std::{
    cell::LazyCell,
    path::{Path, PathBuf},
};

use super::{PolicyArgs, names, policy, told::Told, trust};
use crate::{
    config::change::Age,
    diag::{Holder, HolderKind, RepoPath},
    engine::{self, ByCode, ChangeHistory, Fleet, History, TreePast},
    error::Fatal,
    exit::FailOn,
    report::Report,
    rule::{self, change::Signals},
    source::{
        Ask, Folders, Git, Head, HeadRef, Line, Merges, PlainFolder, ReadVersion, Since, Stats, Tree, Trunk, Untracked,
        Version,
    },
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
    /// And every open pull request on GitHub; needs a token in GITHUB_TOKEN or GH_TOKEN
    #[arg(long)]
    pub(super) pull_requests: bool,
    /// All branches and all worktrees and, where a token is there, all open pull requests
    #[arg(long)]
    pub(super) fleet: bool,
    /// Leave out branches whose last commit is older, such as 12h, 30d or 8w [default with --fleet: 30d; `all` for none]
    #[arg(long, value_name = "AGE")]
    pub(super) since: Option<String>,
    /// Merge in memory what two lines both changed, and warn where git would stop
    #[arg(long)]
    pub(super) conflicts: bool,
    /// And the names that are reserved on the remote: what another agent holds is taken
    #[arg(long, value_name = "REMOTE", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub(super) reservations: Option<String>,
    /// Who made the change: the name of a lane in the configuration [default: GATEKEEP_AGENT, and what branch and commits tell]
    #[arg(long, value_name = "NAME")]
    pub(super) agent: Option<String>,
    // the change in the working tree is judged, whatever its base is
    #[arg(skip)]
    pub(super) judges_working_tree: bool,
}

impl FleetArgs {
    /// Whether anything but the tree itself is looked at.
    pub(super) fn any(&self) -> bool {
        self.is_change() || self.is_beside()
    }

    /// Whether other lines of work are looked at.
    fn is_beside(&self) -> bool {
        !self.branches.is_empty() || self.worktrees || self.pull_requests || self.fleet
    }

    /// Whether a change is judged, rather than a tree.
    pub(super) fn is_change(&self) -> bool {
        self.base.is_some() || self.head.is_some() || self.staged || self.judges_working_tree
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

    /// What tells who made the change.
    fn signals(&self, git: &Git, head: Option<&HeadRef>, told: &Told) -> Result<Signals, Fatal> {
        let branch = match (&told.branch, head) {
            (Some(branch), _) => Some(branch.clone()),
            (None, Some(head)) => git.branch_of(head)?,
            (None, None) => None,
        };
        Ok(Signals { agent: self.agent.clone().or_else(agent_named), branch, login: told.login.clone() })
    }

    /// The lines beside it.
    pub(super) fn ask(&self, exclude: Vec<String>) -> Result<Ask, Fatal> {
        let mut branches = self.branches.clone();
        if self.fleet && branches.is_empty() {
            branches.push("*".into());
        }
        let (worktrees, since) = (self.worktrees || self.fleet, self.since()?);
        Ok(Ask { branches, exclude, worktrees, since, pulls: Vec::new(), head: None })
    }

    /// How old the other lines may be.
    fn since(&self) -> Result<Option<Since>, Fatal> {
        let age = self.since.as_deref().or(self.fleet.then_some(FLEET_AGE)).filter(|age| *age != "all");
        age.map(|age| Ok(Since { age: age.to_owned(), oldest: now() - seconds(age)? })).transpose()
    }
}

/// The agent that the environment names.
pub(super) fn agent_named() -> Option<String> {
    std::env::var("GATEKEEP_AGENT").ok().filter(|name| !name.is_empty())
}

/// Now, in seconds since 1970.
pub(super) fn now() -> i64 {
    jiff::Timestamp::now().as_second()
}

/// An age such as `30d` in seconds.
pub(super) fn seconds(age: &str) -> Result<i64, Fatal> {
    Age::parse(age).map(|age| age.seconds).ok_or_else(|| Fatal::BadAge { age: age.to_owned() })
}

/// The trunk as a holder.
pub(super) fn trunk_holder(name: &str, commit: gix::ObjectId) -> Holder {
    Holder { kind: HolderKind::Base, name: name.to_owned(), commit: Some(commit.to_string()) }
}

/// What a scan of lines of work goes by.
pub(super) struct Asked<'a> {
    pub(super) fleet: &'a FleetArgs,
    pub(super) policy: &'a PolicyArgs,
    pub(super) only: &'a [String],
    pub(super) tracked: bool,
    pub(super) told: &'a Told,
}

/// A report, what it cost, what fails it as configured, and the top folder.
pub(super) type Done = (Report, Stats, Option<FailOn>, PathBuf);

/// The code rule that wants to know of every changed file.
const CONTENTION: &str = "contention";

/// Judges a change, or lines of work.
pub(super) fn judge(git: &Git, start: &Path, args: &Asked<'_>) -> Result<Done, Fatal> {
    let top = git.top()?;
    let is_change = args.fleet.is_change();
    let trunk = trunk(args, git, top.as_deref())?;
    let trunk_tree: Box<dyn Tree + '_> = match &trunk {
        Some(trunk) => Box::new(git.remembered_tree(trunk.commit, trunk_holder(&trunk.name, trunk.commit))?),
        None => Box::new(git.empty_tree(Holder::head(None))),
    };
    let working = match (&top, is_change || args.told.lines_alone) {
        (Some(_), false) => git.working_tree(if args.tracked { Untracked::LeftOut } else { Untracked::Included }),
        _ => None,
    };
    let policy = match (&working, &top) {
        (Some(_), Some(top)) => policy::read(top, args.policy, false)?,
        _ => trust::of_base(git, trunk.as_ref(), top.as_deref(), &*trunk_tree, args)?,
    };
    let configured = policy.config.as_ref().map(|config| config.config.fleet.clone()).unwrap_or_default();
    let rules = policy.active(args.only)?;
    let classifier = LazyCell::new(|| rule::classifier(&rules));
    let named_by_settings = rules.iter().any(|active| active.rule.reads_settings());
    let contention = policy.runs(CONTENTION, args.only);
    let by_code = is_change && rule::code::change_rules().iter().any(|one| policy.runs(one.rule.id, args.only));
    // the change that adopts gatekeep brings its lanes with it: none of them is known yet
    if !is_change || policy.config.is_some() {
        policy.check_agent(args.fleet.agent.as_deref())?;
    }
    let folders = match named_by_settings || contention || by_code {
        true => Folders::All,
        false => Folders::Wanted(&classifier),
    };
    let (pulls, left_out) = args.told.lines_of_work(&configured, args.fleet.since()?, now());
    let ask = Ask { pulls, ..args.fleet.ask(configured.exclude)? };
    let mut work = git.work(trunk.as_ref(), args.fleet.head(top.is_none()), ask, folders)?;
    args.told.mark_head(&mut work);
    work.skipped.extend(left_out);
    let unusable = if is_change { trust::unusable(git, top.as_deref(), args, &work) } else { None };
    let reserved = match &args.fleet.reservations {
        Some(remote) => {
            let signals = args.fleet.signals(git, work.head_ref.as_ref(), args.told)?;
            let known = names::Known { git, trunk: trunk.as_ref(), config: policy.config.as_ref(), signals };
            known.reserved(Some(remote.as_str()).filter(|remote| !remote.is_empty()), &mut work)?
        }
        None => Vec::new(),
    };
    let tree: &dyn Tree = match &working {
        Some(tree) => tree,
        None => &*trunk_tree,
    };
    let worktrees: Vec<PlainFolder> = work.worktrees.iter().map(|top| PlainFolder::new(top)).collect();
    let machine = match args.fleet.worktrees || args.fleet.fleet {
        true => git.checkouts()?,
        false => Vec::new(),
    };
    let by_code = match is_change {
        true => Some(ByCode {
            signals: args.fleet.signals(git, work.head_ref.as_ref(), args.told)?,
            approvals: args.told.approvals.as_ref(),
            history: git,
            unusable,
            now: now(),
        }),
        false => None,
    };
    let checked_out = if is_change { None } else { git.head_ref(None)?.commit };
    let past = checked_out.map(|commit| TreePast { history: git as &dyn ChangeHistory, commit });
    let mut plan = policy.plan(tree, args.only)?;
    plan.past = past;
    plan.reserved = reserved;
    let unborn = "HEAD".to_owned();
    plan.fleet = Some(Fleet {
        trunk: &*trunk_tree,
        target: trunk.as_ref().map_or(unborn, |trunk| trunk.name.clone()),
        commit: trunk.as_ref().map(|trunk| trunk.commit),
        lines: work.lines,
        crossed: work.crossed,
        head: work.head,
        is_change,
        environment: machine.iter().map(|(holder, tree)| (holder.clone(), tree as &dyn Tree)).collect(),
        worktrees: worktrees.iter().map(|folder| folder as &dyn Tree).collect(),
        history: git,
        by_code,
        contention,
        conflicts: args.fleet.conflicts,
        notes_old: args.fleet.staged,
        calls: true,
        incomplete: [work.incomplete, args.told.incomplete.clone()].concat(),
        skipped: [work.skipped, args.told.skipped.clone()].concat(),
    });
    let report = engine::run(&plan)?;
    let mut stats = git.counters().now();
    working.iter().for_each(|tree| stats += tree.counters().now());
    let top = top.unwrap_or_else(|| start.to_owned());
    Ok((report, stats, fail_on(&plan), top))
}

/// What fails a run, as configured.
pub(super) fn fail_on(plan: &engine::Plan<'_>) -> Option<FailOn> {
    plan.config.as_ref().and_then(|config| config.config.fail_on)
}

/// The short name that the trunk's branch has on its remote: what pull requests call their base.
pub(super) fn target(git: &Git, fleet: &FleetArgs, policy: &PolicyArgs) -> Result<String, Fatal> {
    let (told, top) = (Told::default(), git.top()?);
    let trunk = trunk(&Asked { fleet, policy, only: &[], tracked: false, told: &told }, git, top.as_deref())?;
    // nothing is merged into a bare commit: it is one of the usual trunk's
    let trunk = match trunk {
        Some(trunk) if trunk.reference.is_none() => git.trunk(None)?.or(Some(trunk)),
        named => named,
    };
    Ok(trunk.map(|trunk| git.trunk_branch(&trunk).unwrap_or(trunk.name)).unwrap_or_default())
}

/// What lines of work are held against. The index alone is held against HEAD.
fn trunk(args: &Asked<'_>, git: &Git, top: Option<&Path>) -> Result<Option<Trunk>, Fatal> {
    if let Some(trunk) = &args.told.trunk {
        return Ok(Some(trunk.clone()));
    }
    if args.fleet.staged && args.fleet.base.is_none() && !args.fleet.is_beside() {
        return if git.head_ref(None)?.commit.is_some() { git.trunk(Some("HEAD")) } else { Ok(None) };
    }
    let configured = match (&args.fleet.base, top) {
        (None, Some(top)) => policy::configured_base(top, args.policy)?,
        _ => None,
    };
    git.trunk(args.fleet.base.as_deref().or(configured.as_deref()))?.ok_or(Fatal::NoTrunk).map(Some)
}

impl History for Git {
    fn merge_text(
        &self,
        trunk: Option<gix::ObjectId>,
        path: &RepoPath,
        [base, ours, theirs]: [&[u8]; 3],
    ) -> Option<Vec<u8>> {
        self.merger(trunk).merge(path, base, ours, theirs)
    }

    fn merges(
        &self,
        lines: &[Line],
        pairs: &[(u32, u32)],
        trunk: Option<gix::ObjectId>,
        read: &ReadVersion<'_>,
    ) -> Merges {
        Self::merges(self, lines, pairs, trunk, read)
    }

    fn merge_base(&self, a: gix::ObjectId, b: gix::ObjectId) -> Result<Option<gix::ObjectId>, String> {
        Self::merge_base(self, a, b).map_err(|error| error.to_string())
    }

    fn at(&self, commit: gix::ObjectId, path: &RepoPath) -> Result<Option<Version>, String> {
        Self::at(self, commit, path.as_bytes()).map_err(|error| error.to_string())
    }
}
