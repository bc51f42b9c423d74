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
    source::Tree,
    suppress::{BASELINE_PATH, Baseline},
};

/// Folder of a repository's own rule files.
pub(super) const OWN_RULES: &str = ".gatekeep/rules";

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

/// Reads what the tree at `top` says. Without `examples` those of built-in rules are left out.
pub(super) fn read(top: &Path, args: &PolicyArgs, examples: bool) -> Result<Policy, Fatal> {
    let own = if args.no_config { Vec::new() } else { own_rules(top)? };
    let rules = rule::load(&own, examples)?;
    let known = rule::known(&rules);
    let config = match (&args.config, args.no_config) {
        (_, true) => None,
        (Some(file), false) => {
            let bytes = fs::read(file).map_err(|source| Fatal::Io { path: file.clone(), source })?;
            Some(ConfigFile::parse(&file.to_string_lossy(), &bytes)?)
        }
        (None, false) => config::discover(|path| plain_file(&top.join(path)))?,
    };
    if let Some(config) = &config {
        config.check(&known)?;
    }
    let baseline = match args.no_config {
        true => None,
        false => {
            plain_file(&top.join(BASELINE_PATH))?.map(|bytes| Baseline::read(BASELINE_PATH, &bytes)).transpose()?
        }
    };
    let levels = levels(args, config.as_ref(), &known)?;
    let nothing = config.is_none() && own.is_empty() && baseline.is_none();
    let from = if nothing { PolicyFrom::BuiltIn } else { PolicyFrom::WorkingTree };
    Ok(Policy { rules, known, levels, config, baseline, from, commit: None })
}

/// Bytes of a regular file; none where there is no such file. A link is not followed: what it leads to is nobody's policy.
fn plain_file(path: &Path) -> Result<Option<Vec<u8>>, Fatal> {
    let fatal = |source| Fatal::Io { path: path.to_owned(), source };
    match fs::symlink_metadata(path) {
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(None),
        Err(error) => Err(fatal(error)),
        Ok(meta) if !meta.is_file() => Err(fatal(io::Error::other("not a regular file"))),
        Ok(_) => fs::read(path).map(Some).map_err(fatal),
    }
}

/// Names and bytes of a repository's own rule files, in order of their names.
fn own_rules(top: &Path) -> Result<Vec<(String, Vec<u8>)>, Fatal> {
    let folder = top.join(OWN_RULES);
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
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
        if let Some(bytes) = plain_file(entry.path())? {
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
    fn active(&self, only: &[String]) -> Result<Vec<ActiveRule>, Fatal> {
        if let Some(word) = only.iter().find(|word| !self.rules.iter().any(|rule| rule.id() == word.as_str())) {
            let near = nearest(word, self.rules.iter().map(|rule| rule.id()));
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
        Ok(Plan {
            tree,
            fleet: None,
            rules: self.active(only)?,
            known: self.known,
            levels: self.levels,
            baseline: self.baseline,
            policy: self.from,
            policy_commit: self.commit,
            partial: !only.is_empty(),
            today: today(),
            config: self.config,
        })
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
