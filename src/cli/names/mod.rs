//! What the commands about names share: which names are taken, where, and who asks.

mod agent;
mod homes;
mod remote;
mod reserved;

pub(super) use agent::Agent;
pub(super) use homes::{choose, shown};
pub(super) use remote::{Reach, board, failed, pause, random, reach};
pub(super) use reserved::Known;

use std::path::PathBuf;

use super::{PolicyArgs, fleet, github::GitHub, policy, scan, told::Told};
use crate::{
    config::{ConfigFile, nearest},
    diag::Holder,
    engine::{self, Holders, Names},
    error::{Fatal, visible},
    report::Incomplete,
    reserve::Board,
    rule::{self, ActiveRule},
    source::{Ask, Changed, Folders, Git, Head, PlainFolder, Tree, Trunk, Work},
};

// Where names are looked for. A doc comment would become the help of the command.
#[derive(Clone, Debug, Default, clap::Args)]
pub(super) struct NamesArgs {
    /// The folder in which the namespace lives, where it lives in several
    #[arg(long, value_name = "FOLDER")]
    pub(super) root: Option<String>,
    /// The rest of the file's name; then the whole path is printed
    #[arg(long, value_name = "SLUG")]
    pub(super) name: Option<String>,
    /// Who asks [default: GATEKEEP_AGENT, else the lane of the branch, else the branch, else the user]; a lane's keys lie in its band
    #[arg(long, value_name = "NAME")]
    pub(super) agent: Option<String>,
    /// What is merged into in the end [default: as configured, else origin's main branch, else the local one]
    #[arg(long, value_name = "REF")]
    pub(super) base: Option<String>,
    /// The remote on which names are reserved [default: origin, else that of the base, else the only one]
    #[arg(long, value_name = "REMOTE")]
    pub(super) remote: Option<String>,
    /// Read this configuration instead of gatekeep.toml
    #[arg(long, value_name = "FILE", conflicts_with = "no_config", help_heading = "Policy")]
    pub(super) config: Option<PathBuf>,
    /// Read no configuration and no rule files of the repository
    #[arg(long, help_heading = "Policy")]
    pub(super) no_config: bool,
}

/// How names are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Format {
    /// The key or, with --name, the path.
    Human,
    /// An object with namespace, root, key and path, each on a line of its own.
    Json,
}

/// What was found.
pub(super) struct Looked {
    pub(super) rule: ActiveRule,
    pub(super) names: Names,
    pub(super) agent: Agent,
    pub(super) git: Option<Git>,
    pub(super) trunk: Option<Trunk>,
    pub(super) gaps: Vec<Incomplete>,
    /// What the working tree adds, changes and removes.
    pub(super) changed: Vec<Changed>,
}

/// Where the commands look: the repository, its trunk and its policy.
pub(super) struct Ground {
    pub(super) git: Option<Git>,
    pub(super) trunk: Option<Trunk>,
    here: PathBuf,
}

impl Ground {
    /// Finds the repository with its trunk, or the plain folder.
    pub(super) fn find(args: &NamesArgs) -> Result<Self, Fatal> {
        let found = Self::anywhere(args)?;
        if let (Some(git), None) = (&found.git, &found.trunk)
            && git.head_ref(None)?.commit.is_some()
        {
            return Err(Fatal::NoTrunk);
        }
        Ok(found)
    }

    /// The same, where no trunk is needed.
    pub(super) fn anywhere(args: &NamesArgs) -> Result<Self, Fatal> {
        let here = policy::here()?;
        let Some(git) = Git::discover(&here)? else {
            return match &args.base {
                Some(_) => Err(Fatal::NoRepository { path: here }),
                None => Ok(Self { git: None, trunk: None, here }),
            };
        };
        let configured = match (&args.base, git.top()?) {
            (None, Some(top)) => policy::configured_base(&top, &args.policy())?,
            _ => None,
        };
        let trunk = git.trunk(args.base.as_deref().or(configured.as_deref()))?;
        Ok(Self { git: Some(git), trunk, here })
    }

    /// The tree at the trunk's tip; without git the folder as it is.
    fn tree(&self) -> Result<Box<dyn Tree + '_>, Fatal> {
        match (&self.git, &self.trunk) {
            (None, _) => Ok(scan::open(&self.here, false)?.0),
            (Some(git), Some(trunk)) => {
                let holder = fleet::trunk_holder(&trunk.name, trunk.commit);
                Ok(Box::new(git.remembered_tree(trunk.commit, holder)?))
            }
            (Some(git), None) => Ok(Box::new(git.empty_tree(Holder::head(None)))),
        }
    }

    /// The trunk's policy or, where it has none, that of the working tree.
    fn policy(&self, tree: &dyn Tree, args: &NamesArgs) -> Result<policy::Policy, Fatal> {
        let args = args.policy();
        if self.trunk.is_some() {
            let policy = policy::read_commit(tree, &args, None)?;
            if policy.from != crate::report::PolicyFrom::BuiltIn {
                return Ok(policy);
            }
        }
        match self.git.as_ref().map_or(Ok(Some(self.here.clone())), Git::top)? {
            Some(top) => policy::read(&top, &args, false),
            None => policy::built_in(&args),
        }
    }

    /// Which names of some namespaces the trunk has.
    pub(super) fn merged(&self, namespaces: &[&str], args: &NamesArgs) -> Result<Vec<(String, Names)>, Fatal> {
        let tree = self.tree()?;
        let plan = self.policy(&*tree, args)?.plan(&*tree, &[])?;
        let holders = Holders { trunk: &*tree, lines: &[], head: None, worktrees: &[] };
        let known = plan.rules.iter().enumerate().filter(|(_, active)| namespaces.contains(&active.rule.id()));
        let known: Vec<(usize, String)> = known.map(|(at, active)| (at, active.rule.id().to_owned())).collect();
        known.into_iter().map(|(at, id)| Ok((id, engine::names(&plan, at as u16, &holders)?))).collect()
    }

    /// Who asks.
    pub(super) fn agent(&self, namespace: &str, args: &NamesArgs) -> Result<Agent, Fatal> {
        let tree = self.tree()?;
        let policy = self.policy(&*tree, args)?;
        agent::agent(args.agent.as_deref(), policy.config.as_ref(), namespace, self)
    }

    /// What a word may be as a name, as the claims of a rule compare it.
    pub(super) fn spellings(&self, namespace: &str, word: &str, args: &NamesArgs) -> Result<Vec<String>, Fatal> {
        let tree = self.tree()?;
        let policy = self.policy(&*tree, args)?;
        let rule = policy.rules.iter().find(|rule| rule.id() == namespace);
        let compared = rule.into_iter().flat_map(|rule| &rule.claims);
        Ok(compared.filter_map(|claim| Some(claim.compare.normalize(word)?.into_owned())).collect())
    }
}

impl NamesArgs {
    fn policy(&self) -> PolicyArgs {
        PolicyArgs { config: self.config.clone(), no_config: self.no_config, ..PolicyArgs::default() }
    }
}

/// Looks at all names of a namespace that anybody here has: on the trunk, on every branch whatever its age, in every worktree.
pub(super) fn look(namespace: &str, args: &NamesArgs) -> Result<Looked, Fatal> {
    let ground = Ground::find(args)?;
    let mut looked = ground.taken(namespace, args)?;
    (looked.git, looked.trunk) = (ground.git, ground.trunk);
    Ok(looked)
}

impl Ground {
    /// A rule, the names that are taken, who asks, and what could not be looked at. Where it was looked for is not in it yet.
    fn taken(&self, namespace: &str, args: &NamesArgs) -> Result<Looked, Fatal> {
        let tree = self.tree()?;
        let policy = self.policy(&*tree, args)?;
        let rules = policy.active(&[])?;
        let at = rules.iter().position(|active| active.rule.id() == namespace);
        let at = at.ok_or_else(|| unknown(namespace, &policy))?;
        let agent = agent::agent(args.agent.as_deref(), policy.config.as_ref(), namespace, self)?;
        let work = self.work(&rules, policy.config.as_ref())?;
        let worktrees: Vec<PlainFolder> = work.worktrees.iter().map(|top| PlainFolder::new(top)).collect();
        let worktrees: Vec<&dyn Tree> = worktrees.iter().map(|folder| folder as &dyn Tree).collect();
        let plan = policy.plan(&*tree, &[])?;
        let holders = Holders { trunk: &*tree, lines: &work.lines, head: work.head, worktrees: &worktrees };
        let mut names = engine::names(&plan, at as u16, &holders)?;
        let gaps = [work.incomplete, std::mem::take(&mut names.incomplete)].concat();
        let changed = work.head.map(|head| work.lines[head].changes.clone()).unwrap_or_default();
        Ok(Looked { rule: rules[at].clone(), names, agent, git: None, trunk: None, gaps, changed })
    }

    /// The working tree and all lines of work beside it, but those that are left out as configured.
    fn work(&self, rules: &[ActiveRule], config: Option<&ConfigFile>) -> Result<Work, Fatal> {
        let Some(git) = &self.git else { return Ok(Work::default()) };
        let classifier = rule::classifier(rules);
        let named_by_settings = rules.iter().any(|active| active.rule.reads_settings());
        let folders = if named_by_settings { Folders::All } else { Folders::Wanted(&classifier) };
        let head = if git.top()?.is_some() { Head::WorkingTree } else { Head::Nothing };
        let told = match GitHub::of(git).filter(|github| github.token.is_some()) {
            Some(github) => Told::of_pulls(git, Some(&github), false),
            None => Told::default(),
        };
        let fleet = config.map(|config| config.config.fleet.clone()).unwrap_or_default();
        let target = self.trunk.as_ref().and_then(|trunk| git.trunk_branch(trunk)).unwrap_or_default();
        let told = Told { target, ..told };
        let (pulls, _) = told.lines_of_work(&fleet, None, fleet::now());
        let ask = Ask { branches: vec!["*".into()], exclude: fleet.exclude, worktrees: true, pulls, ..Ask::default() };
        let mut work = git.work(self.trunk.as_ref(), head, ask, folders)?;
        work.incomplete.extend(told.incomplete);
        Ok(work)
    }
}

/// What is said of a namespace that no rule has, or none that runs.
fn unknown(namespace: &str, policy: &policy::Policy) -> Fatal {
    let ids = || policy.rules.iter().map(|rule| rule.id());
    if !ids().any(|id| id == namespace) {
        return Fatal::unknown_code(namespace, nearest(namespace, ids()));
    }
    Fatal::NoNext {
        namespace: namespace.to_owned(),
        why: "the rule is off".into(),
        help: format!("take `\"{}\" = \"off\"` out of gatekeep.toml, on the base", visible(namespace)),
    }
}

/// What is reserved; a remote that does not tell is a gap.
pub(super) fn board_or_gap(looked: &mut Looked, args: &NamesArgs) -> Result<Board, Fatal> {
    Ok(board(looked, args)?.unwrap_or_else(|failed| {
        let what = "which names are reserved".to_owned();
        looked.gaps.push(Incomplete { what, why: format!("{}; `--offline` does without", failed.why) });
        Board::default()
    }))
}

/// What could not be looked at, on standard error.
pub(super) fn say_gaps(gaps: &[Incomplete]) {
    for gap in gaps {
        say(&format!("could not be looked at: {}: {}", gap.what, gap.why));
    }
}

/// Lines on standard error.
pub(super) fn say_lines(lines: &[String]) {
    lines.iter().for_each(|line| say(line));
}

/// A line on standard error.
pub(super) fn say(text: &str) {
    use std::io::Write as _;
    let _ = writeln!(std::io::stderr().lock(), "{}", visible(text)); // nowhere to complain to
}
