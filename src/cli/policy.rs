//! What a run goes by: configuration, rule files, baseline and levels, from the tree that is scanned.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use super::PolicyArgs;
use crate::{
    config::{self, ConfigFile, KnownCodes, Level, Levels, nearest},
    engine::Plan,
    error::Fatal,
    report::PolicyFrom,
    rule::{self, ActiveRule, Rule, Scope},
    source::{Entry, EntryKind, Tree},
    suppress::{BASELINE_PATH, Baseline},
};

/// Longest file of a policy, in bytes.
pub(super) const POLICY_LIMIT: u64 = 16 << 20;

/// The trunk that a working tree's configuration names.
pub(super) fn configured_base(top: &Path, args: &PolicyArgs) -> Result<Option<String>, Fatal> {
    if args.no_config {
        return Ok(None);
    }
    let config = match &args.config {
        Some(file) => {
            let bytes = fs::read(file).map_err(|source| Fatal::Io { path: file.clone(), source })?;
            Some(ConfigFile::parse(&file.to_string_lossy(), &bytes)?)
        }
        None => config::discover(|path| plain_file(top, path))?,
    };
    Ok(config.and_then(|config| config.config.base))
}

/// Folder of a repository's own rule files.
const OWN_RULES: &str = ".gatekeep/rules";
/// Folders of a policy. A link in the place of one would put the policy where nobody looks.
const FOLDERS: [&str; 2] = [".gatekeep", OWN_RULES];

/// What a run goes by.
pub(super) struct Policy {
    pub(super) rules: Vec<Arc<Rule>>,
    pub(super) known: KnownCodes,
    pub(super) levels: Levels,
    pub(super) config: Option<ConfigFile>,
    pub(super) baseline: Option<Baseline>,
    pub(super) from: PolicyFrom,
    /// The commit that it was read from.
    pub(super) commit: Option<String>,
}

/// Reads what the working tree at `top` says. Without `examples` those of built-in rules are left out.
pub(super) fn read(top: &Path, args: &PolicyArgs, examples: bool) -> Result<Policy, Fatal> {
    let own = if args.no_config { Vec::new() } else { own_rules(top)? };
    from_files(own, &|path| plain_file(top, path), args, None, examples, PolicyFrom::WorkingTree)
}

/// A configuration that the command line names and that lies in the repository, as a commit holds it.
pub(super) struct Inside {
    /// Its path in the repository.
    pub(super) path: String,
    /// Its bytes; none where the commit holds no such file.
    pub(super) bytes: Option<Vec<u8>>,
}

/// Whether a path of the repository is a part of its policy.
pub(super) fn is_part(path: &str) -> bool {
    config::NAMES.contains(&path)
        || path == BASELINE_PATH
        || FOLDERS.contains(&path)
        || path.strip_prefix(OWN_RULES).is_some_and(|rest| rest.starts_with('/'))
}

/// Reads what a commit says: the trunk's word on a change, which can't be loosened by the change.
pub(super) fn read_commit(tree: &dyn Tree, args: &PolicyArgs, inside: Option<&Inside>) -> Result<Policy, Fatal> {
    let listing = tree.list(&rule::policy_files())?;
    let bytes = |entry: &Entry| {
        let fatal = |source| Fatal::Io { path: entry.path.lossy().into_owned().into(), source };
        if entry.kind != EntryKind::File {
            return Err(Fatal::NoPolicyFile { path: entry.path.lossy().into_owned() });
        }
        tree.read(entry, POLICY_LIMIT).map_err(fatal)
    };
    let is_at = |entry: &Entry, places: &[&str]| places.iter().any(|place| entry.path.as_bytes() == place.as_bytes());
    let mut own = Vec::new();
    if !args.no_config {
        let mut in_place = listing.entries.iter().filter(|entry| is_at(entry, &FOLDERS));
        if let Some(link) = in_place.find(|entry| entry.kind == EntryKind::Link) {
            return Err(Fatal::NoPolicyFile { path: link.path.lossy().into_owned() });
        }
        let below = |entry: &&Entry| {
            entry.path.as_bytes().strip_prefix(OWN_RULES.as_bytes()).is_some_and(|rest| !rest.is_empty())
        };
        for entry in listing.entries.iter().filter(below) {
            own.push((entry.path.lossy().into_owned(), bytes(entry)?));
        }
    }
    let file = |path: &str| {
        listing.entries.iter().find(|entry| entry.path.as_bytes() == path.as_bytes()).map(bytes).transpose()
    };
    let mut policy = from_files(own, &file, args, inside, false, PolicyFrom::Base)?;
    policy.commit = tree.holder().commit.filter(|_| policy.from == PolicyFrom::Base);
    Ok(policy)
}

/// What a run goes by where no policy of the repository can be used: the built-in rules, and what the command line says of them.
pub(super) fn built_in(args: &PolicyArgs) -> Result<Policy, Fatal> {
    from_files(
        Vec::new(),
        &|_| Ok(None),
        &PolicyArgs { config: None, ..args.clone() },
        None,
        false,
        PolicyFrom::BuiltIn,
    )
}

/// Gives the bytes of a file of the repository; none where there is no such file.
type ReadFile<'a> = dyn Fn(&str) -> Result<Option<Vec<u8>>, Fatal> + 'a;

fn from_files(
    own: Vec<(String, Vec<u8>)>,
    file: &ReadFile<'_>,
    args: &PolicyArgs,
    inside: Option<&Inside>,
    examples: bool,
    from: PolicyFrom,
) -> Result<Policy, Fatal> {
    let rules = rule::load(&own, examples)?;
    let known = rule::known(&rules);
    let config = match (&args.config, args.no_config) {
        (_, true) => None,
        (Some(_), false) if inside.is_some() => {
            let inside = inside.filter(|inside| inside.bytes.is_some());
            inside
                .map(|inside| ConfigFile::parse(&inside.path, inside.bytes.as_deref().unwrap_or_default()))
                .transpose()?
        }
        (Some(file), false) => {
            let bytes = fs::read(file).map_err(|source| Fatal::Io { path: file.clone(), source })?;
            Some(ConfigFile::parse(&file.to_string_lossy(), &bytes)?)
        }
        (None, false) => config::discover(file)?,
    };
    if let Some(config) = &config {
        config.check(&known)?;
    }
    let baseline = match args.no_config {
        true => None,
        false => file(BASELINE_PATH)?.map(|bytes| Baseline::read(BASELINE_PATH, &bytes)).transpose()?,
    };
    let levels = levels(args, config.as_ref(), &known)?;
    let nothing = config.is_none() && own.is_empty() && baseline.is_none();
    let from = if nothing { PolicyFrom::BuiltIn } else { from };
    Ok(Policy { rules, known, levels, config, baseline, from, commit: None })
}

/// Bytes of a regular file; none where there is no such file. A link is not followed: what it leads to is nobody's policy.
fn plain_file(top: &Path, below: impl AsRef<Path>) -> Result<Option<Vec<u8>>, Fatal> {
    let path = &top.join(&below);
    let fatal = |source| Fatal::Io { path: path.clone(), source };
    match fs::symlink_metadata(path) {
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(None),
        Err(error) => Err(fatal(error)),
        Ok(meta) if !meta.is_file() => Err(Fatal::NoPolicyFile { path: below.as_ref().to_string_lossy().into_owned() }),
        Ok(_) => fs::read(path).map(Some).map_err(fatal),
    }
}

/// Names and bytes of a repository's own rule files, in order of their names.
fn own_rules(top: &Path) -> Result<Vec<(String, Vec<u8>)>, Fatal> {
    for place in FOLDERS {
        match fs::symlink_metadata(top.join(place)) {
            Ok(meta) if meta.is_symlink() => return Err(Fatal::NoPolicyFile { path: place.into() }),
            Ok(meta) if meta.is_dir() => {}
            _ => return Ok(Vec::new()),
        }
    }
    let folder = top.join(OWN_RULES);
    let mut files = Vec::new();
    for entry in walkdir::WalkDir::new(&folder).sort_by_file_name() {
        let entry = entry.map_err(|error| Fatal::Io {
            path: error.path().unwrap_or(&folder).to_owned(),
            source: error.into_io_error().unwrap_or_else(|| io::Error::other("a loop of folders")),
        })?;
        if entry.file_type().is_dir() || entry.path().extension().is_none_or(|end| end != "toml") {
            continue;
        }
        let below = entry.path().strip_prefix(top).unwrap_or(entry.path());
        if let Some(bytes) = plain_file(top, below)? {
            files.push((below.to_string_lossy().replace('\\', "/"), bytes));
        }
    }
    Ok(files)
}

fn levels(args: &PolicyArgs, config: Option<&ConfigFile>, known: &KnownCodes) -> Result<Levels, Fatal> {
    let flags = [(&args.allow, Level::Off), (&args.warn, Level::Warning), (&args.deny, Level::Error)];
    let flags: Vec<(&str, Level)> =
        flags.iter().flat_map(|(words, level)| words.iter().map(|word| (word.as_str(), *level))).collect();
    if let Some((word, _)) = flags.iter().find(|(word, _)| !known.contains(word)) {
        return Err(Fatal::unknown_code(word, known.nearest(word)));
    }
    let configured = config.into_iter().flat_map(|config| &config.config.rules);
    Ok(Levels::new(configured.map(|(word, level)| (word.get_ref().as_str(), *level)), flags))
}

impl Policy {
    /// The rules that run: not turned off and, with `only`, among those.
    pub(super) fn active(&self, only: &[String]) -> Result<Vec<ActiveRule>, Fatal> {
        let ids = || self.rules.iter().map(|rule| rule.id()).chain(rule::code_rules().iter().map(|rule| rule.id));
        if let Some(word) = only.iter().find(|word| !ids().any(|id| id == word.as_str())) {
            let near = nearest(word, ids());
            return Err(Fatal::unknown_code(word, near));
        }
        let runs = |rule: &&Arc<Rule>| {
            (only.is_empty() || only.iter().any(|id| id == rule.id())) && !self.levels.rule_is_off(rule.id())
        };
        self.rules
            .iter()
            .filter(runs)
            .map(|rule| Ok(ActiveRule { rule: Arc::clone(rule), scope: self.scope(rule)? }))
            .collect()
    }

    /// A run over a tree by this policy. `only` are the rules that run, or none for all.
    pub(super) fn plan<'t>(self, tree: &'t dyn Tree, only: &[String]) -> Result<Plan<'t>, Fatal> {
        let ran = rule::code_rules().iter().map(|rule| rule.id).filter(|id| self.runs(id, only));
        Ok(Plan {
            tree,
            fleet: None,
            rules: self.active(only)?,
            code: ran.collect(),
            known: self.known,
            levels: self.levels,
            baseline: self.baseline,
            policy: self.from,
            policy_commit: self.commit,
            partial: !only.is_empty(),
            today: today(),
            now: super::fleet::now(),
            past: None,
            reserved: Vec::new(),
            config: self.config,
        })
    }

    /// Checks that a lane has the name that was given to the agent.
    pub(super) fn check_agent(&self, agent: Option<&str>) -> Result<(), Fatal> {
        let agents = || self.config.iter().flat_map(|config| config.config.agents.keys());
        let names = || agents().map(|name| name.get_ref().as_str());
        match agent.filter(|agent| !names().any(|name| name == *agent)) {
            Some(agent) => Err(Fatal::unknown_agent(agent, nearest(agent, names()))),
            None => Ok(()),
        }
    }

    /// Whether a code rule runs.
    pub(super) fn runs(&self, rule: &str, only: &[String]) -> bool {
        (only.is_empty() || only.iter().any(|id| id == rule)) && !self.levels.rule_is_off(rule)
    }

    fn scope(&self, rule: &Rule) -> Result<Scope, Fatal> {
        let Some(config) = &self.config else { return Ok(Scope::default()) };
        let Some((_, names)) = config.config.namespace.iter().find(|(id, _)| id.get_ref() == rule.id()) else {
            return Ok(Scope::default());
        };
        let written =
            |globs: &Option<config::Globs>| globs.as_ref().map_or_else(Vec::new, |globs| globs.written().to_vec());
        Scope::new(&written(&names.roots), names.exclude.written(), &written(&names.include), names.quota)
            .map_err(|bad| config.misplaced(&bad.glob, &bad.to_string()))
    }
}

/// Allowances end with the day in UTC, wherever the run is.
fn today() -> jiff::civil::Date {
    jiff::tz::Offset::UTC.to_datetime(jiff::Timestamp::now()).date()
}

/// The current folder, as the system names it.
pub(super) fn here() -> Result<PathBuf, Fatal> {
    let path = std::env::current_dir().map_err(|source| Fatal::Io { path: ".".into(), source })?;
    path.canonicalize().map_err(|source| Fatal::Io { path, source })
}
