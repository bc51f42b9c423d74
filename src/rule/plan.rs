//! Which paths a set of rules wants, and what for.

use std::{collections::BTreeSet, sync::Arc};

use super::{
    compile::Body,
    head::Rule,
    root::Kind,
    select::{Classifier, Dir, Excludes, Pattern, dirs_match},
};

/// Of more changed paths than so many it is not asked in which roots each lies: a look at all roots costs less.
const MOST_CHANGED: usize = 500;
/// More roots than so many are found by the globs that name them.
const MOST_ROOTS: usize = 50;

/// Who wants a path, and as what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Want {
    /// Index of the rule; [`Want::NO_RULE`] for what all rules share.
    pub rule: u16,
    /// What the path is to it.
    pub what: What,
}

impl Want {
    /// Stands for all rules.
    pub const NO_RULE: u16 = u16::MAX;
}

/// What a path is to a rule. The number is an index into the rule's own list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum What {
    /// `.gitattributes`: which files are vendored or generated.
    Attributes,
    /// A file that marks a root, or a folder that is none.
    Marker(u8),
    /// A configuration of the tool that may name folders.
    From(u8),
    /// A file that may prove whose a folder is.
    Manifest(u8),
    /// A file that may take names.
    Claim(u8),
    /// The same, where the whole text is read: whether the file is there need not be asked before.
    Text(u8),
    /// The same, and also where git ignores the file.
    Ignored(u8),
    /// A file that says how those of this claim are to be read; also where git ignores it.
    Beside(u8),
    /// A file that is malformed unless it takes a name.
    Malformed(u8),
    /// A file that is unclaimed unless it takes a name.
    Unclaimed(u8),
    /// A file that may tell the tool to take late names.
    Lax(u8),
}

impl What {
    /// Whether the file counts even where git ignores it.
    pub(crate) fn counts_ignored(self) -> bool {
        matches!(self, Self::Ignored(_) | Self::Beside(_))
    }

    /// Whether the file is read as a whole, so that its absence is found out then.
    pub(crate) fn is_text(self) -> bool {
        matches!(self, Self::Text(_) | Self::Ignored(_) | Self::Beside(_))
    }
}

/// A rule, and what the repository's configuration knows better.
#[derive(Clone, Debug)]
pub struct ActiveRule {
    /// The rule.
    pub rule: Arc<Rule>,
    /// What the configuration says of its namespace.
    pub scope: Scope,
}

impl ActiveRule {
    /// The configured roots in which some paths lie, each by its name; none where a few names don't tell the same as the globs.
    fn near_roots<'p>(&self, paths: impl Iterator<Item = &'p [u8]>) -> Option<Vec<Pattern>> {
        let Self { rule, scope } = self;
        if !scope.has_roots() || rule.is_connected() {
            return None;
        }
        let overlap = |dirs: &[Dir]| overlap(dirs, rule.folders());
        let with_overlap = |root: &Pattern| {
            let dirs = root.components();
            let overlap = overlap(&dirs);
            (dirs, overlap)
        };
        let roots: Vec<(Vec<Dir>, usize)> = scope.roots.iter().map(with_overlap).collect();
        let mut near: BTreeSet<(Vec<&[u8]>, usize)> = BTreeSet::new();
        for (count, path) in paths.enumerate() {
            let mut parts: Vec<&[u8]> = path.split(|byte| *byte == b'/').collect();
            while parts.pop().is_some() {
                let here = roots.iter().filter(|(root, _)| dirs_match(root, &parts));
                near.extend(here.map(|(_, overlap)| (parts.clone(), *overlap)));
            }
            if count >= MOST_CHANGED || near.len() > MOST_ROOTS {
                return None;
            }
        }
        let by_name = |(root, of_glob): &(Vec<&[u8]>, usize)| {
            let name = Pattern::literal(root)?;
            // wildcards don't enter folders that are excluded by default, but names do; and a name may end as the rule's own folders do
            let is_entered = !rule.excludes().leave_out(&[&root.join(&b'/'), b"/".as_slice()].concat());
            (is_entered && overlap(&name.components()) == *of_glob).then_some(name)
        };
        near.iter().map(by_name).collect()
    }
}

/// What a configuration says of a namespace.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// Globs of root folders; with one, no other root counts.
    pub(crate) roots: Vec<Pattern>,
    pub(crate) exclude: Vec<Pattern>,
    pub(crate) include: Vec<Pattern>,
    /// At most so many keys a partition.
    pub(crate) quota: Option<u64>,
}

impl Scope {
    /// Understands the globs of a `[namespace.*]` table.
    ///
    /// # Errors
    /// A glob that can't be understood.
    pub fn new(
        roots: &[String],
        exclude: &[String],
        include: &[String],
        quota: Option<u64>,
    ) -> Result<Self, super::select::BadGlob> {
        let parse = |globs: &[String]| -> Result<Vec<Pattern>, super::select::BadGlob> {
            let mut all = Vec::new();
            for glob in globs {
                all.extend(Pattern::parse(glob.trim_end_matches('/'))?);
            }
            Ok(all)
        };
        let roots = roots.iter().filter(|root| *root != ".").cloned().collect::<Vec<_>>();
        Ok(Self { roots: parse(&roots)?, exclude: parse(exclude)?, include: parse(include)?, quota })
    }

    /// Whether the configuration says where the namespace lives.
    pub(crate) fn has_roots(&self) -> bool {
        !self.roots.is_empty()
    }

    /// Whether the configuration keeps a path out of the namespace.
    pub(crate) fn leaves_out(&self, path: &[u8], excludes: Excludes) -> bool {
        let hit = |patterns: &[Pattern]| patterns.iter().any(|pattern| pattern.matches(path));
        hit(&self.exclude) || (!self.include.is_empty() && excludes.leave_out(path) && !hit(&self.include))
    }
}

/// The classifier of all paths that these rules want of one tree. Those between worktrees want none.
pub fn classifier(rules: &[ActiveRule]) -> Classifier<Want> {
    classifier_of(rules, |rule| !rule.is_between_worktrees())
}

/// The classifier of those paths that these rules want of one tree and that have a say in what becomes of some changed ones: of a namespace
/// whose roots are configured, what lies in the same ones.
pub(crate) fn classifier_near<'p>(
    rules: &[ActiveRule],
    changed: impl Iterator<Item = &'p [u8]> + Clone,
) -> Classifier<Want> {
    let runners = rules.iter().filter(|active| active.rule.is_runner()).count();
    let mut classifier = with_attributes();
    for (at, active) in rules.iter().enumerate().filter(|(_, active)| !active.rule.is_between_worktrees()) {
        let is_alone = !active.rule.is_runner() || runners == 1; // another runner might want what lies in the other roots
        let near = if is_alone { active.near_roots(changed.clone()) } else { None };
        match near {
            Some(roots) if roots.is_empty() => {}
            Some(roots) => add_rule(&mut classifier, at as u16, active, &roots, |_| true),
            None => add_rule(&mut classifier, at as u16, active, &active.scope.roots, |_| true),
        }
    }
    classifier
}

/// The classifier of all paths that the rules between worktrees want of each.
pub(crate) fn between_worktrees(rules: &[ActiveRule]) -> Classifier<Want> {
    classifier_of(rules, Rule::is_between_worktrees)
}

fn classifier_of(rules: &[ActiveRule], wanted: impl Fn(&Rule) -> bool) -> Classifier<Want> {
    let mut classifier = with_attributes();
    for (at, active) in rules.iter().enumerate().filter(|(_, active)| wanted(&active.rule)) {
        add_rule(&mut classifier, at as u16, active, &active.scope.roots, |_| true);
    }
    classifier
}

/// The classifier of the settings that say where the names of some rules lie, and of what all rules share.
pub(crate) fn settings_files(rules: &[ActiveRule]) -> Classifier<Want> {
    let mut classifier = with_attributes();
    let reads = |rule: &Rule| rule.reads_settings() && !rule.is_between_worktrees();
    for (at, active) in rules.iter().enumerate().filter(|(_, active)| reads(&active.rule)) {
        let is_setting = |what| matches!(what, What::From(_));
        add_rule(&mut classifier, at as u16, active, &active.scope.roots, is_setting);
    }
    classifier
}

/// The classifier of what all rules share.
fn with_attributes() -> Classifier<Want> {
    let mut classifier = Classifier::default();
    for pattern in good("**/.gitattributes") {
        classifier.add_in_passing(pattern, Want { rule: Want::NO_RULE, what: What::Attributes }, Excludes::Foreign);
    }
    classifier
}

/// The classifier of the files that may tell the tools of some rules to take late names.
pub(crate) fn lax_files(rules: &[ActiveRule], wanted: &BTreeSet<u16>) -> Classifier<Want> {
    let mut classifier = Classifier::default();
    for at in wanted {
        let ActiveRule { rule, .. } = &rules[usize::from(*at)];
        for (index, lax) in rule.root.lax.iter().enumerate() {
            for file in &lax.files {
                classifier.add(file.clone(), Want { rule: *at, what: What::Lax(index as u8) }, rule.excludes());
            }
        }
    }
    classifier
}

/// The classifier of the files that a repository's policy is made of.
pub(crate) fn policy_files() -> Classifier<Want> {
    let mut classifier = Classifier::default();
    let files = ["gatekeep.toml", ".gatekeep/config.toml", ".gatekeep/baseline.json", ".gatekeep/rules/**/*.toml"];
    let in_place_of_folders = [".gatekeep", ".gatekeep/rules"];
    for glob in files.into_iter().chain(in_place_of_folders) {
        for pattern in good(glob) {
            classifier.add(pattern, Want { rule: Want::NO_RULE, what: What::Attributes }, Excludes::Nothing);
        }
    }
    classifier
}

/// The classifier of all files.
pub(crate) fn all_files() -> Classifier<Want> {
    let mut classifier = Classifier::default();
    for pattern in good("**") {
        classifier.add(pattern, Want { rule: Want::NO_RULE, what: What::Attributes }, Excludes::Nothing);
    }
    classifier
}

/// A glob of our own: one that could not be parsed would be files that nobody looks at.
fn good(glob: &str) -> Vec<Pattern> {
    Pattern::parse(glob).expect("our own globs parse: a test holds those of the index against the rules")
}

/// Adds what a rule wants, below these roots if there are any.
fn add_rule(
    classifier: &mut Classifier<Want>,
    at: u16,
    active: &ActiveRule,
    roots: &[Pattern],
    keep: impl Fn(What) -> bool,
) {
    let ActiveRule { rule, scope } = active;
    let excludes = if scope.include.is_empty() { rule.excludes() } else { Excludes::Nothing };
    let mut add = |pattern: Pattern, what: What| classifier.add(pattern, Want { rule: at, what }, excludes);
    match rule.wants().filter(|_| roots.is_empty()) {
        Some(known) => {
            for (what, glob) in known.iter().filter(|(what, _)| keep(*what)) {
                good(glob).into_iter().for_each(|pattern| add(pattern, *what));
            }
        }
        None => wanted(rule, roots)
            .into_iter()
            .filter(|(what, _)| keep(*what))
            .for_each(|(what, pattern)| add(pattern, what)),
    }
}

/// All files that a rule wants, and what they are to it; of files below its root only those below configured ones, where there are any.
pub(super) fn wanted(rule: &Body, roots: &[Pattern]) -> Vec<(What, Pattern)> {
    let mut all = Vec::new();
    let anywhere = !matches!(rule.root.kind, Kind::Repository);
    match &rule.root.kind {
        _ if !roots.is_empty() => {} // where it lives is said already
        Kind::Repository => {}
        Kind::Marked { markers, .. } => {
            for (index, marker) in markers.iter().enumerate() {
                all.push((What::Marker(index as u8), marker.pattern.below(None)));
            }
        }
        Kind::Any { proofs, foreign, .. } => {
            for (index, marker) in foreign.iter().enumerate() {
                all.push((What::Marker(index as u8), marker.pattern.below(None)));
            }
            for (index, proof) in proofs.iter().enumerate() {
                if let Some(manifest) = &proof.manifest {
                    all.push((What::Manifest(index as u8), manifest.file.below(None)));
                }
            }
        }
    }
    for (index, from) in rule.root.from.iter().enumerate().filter(|_| roots.is_empty()) {
        all.extend(from.files.iter().map(|file| (What::From(index as u8), file.clone())));
    }
    for (index, claim) in rule.claims.iter().enumerate() {
        all.extend(claim.beside().into_iter().map(|file| (What::Beside(index as u8), file)));
    }
    for (what, files, folders) in wanted_files(rule) {
        for file in files {
            if roots.is_empty() {
                all.push((what, if anywhere { file.below(None) } else { file.clone() }));
            } else {
                all.extend(below_roots(roots, file, folders).into_iter().map(|pattern| (what, pattern)));
            }
        }
    }
    all
}

/// Files of claims and shapes below the root, each with the literal folders that a configured root may already hold.
fn wanted_files(rule: &Body) -> Vec<(What, &[Pattern], &[String])> {
    let main = rule.folders();
    let mut all: Vec<(What, &[Pattern], &[String])> = Vec::new();
    for (index, claim) in rule.claims.iter().enumerate() {
        let what = match (claim.ignored, claim.is_text()) {
            (true, _) => What::Ignored(index as u8),
            (false, true) => What::Text(index as u8),
            (false, false) => What::Claim(index as u8),
        };
        all.push((what, &claim.files, main));
    }
    for (index, shape) in rule.malformed.iter().enumerate() {
        all.push((What::Malformed(index as u8), &shape.files, main));
    }
    for (index, shape) in rule.unclaimed.iter().enumerate() {
        all.push((What::Unclaimed(index as u8), &shape.files, main));
    }
    all
}

/// The pattern of a file below configured roots. A configured root may name the root itself, or any folder on the way to the files.
fn below_roots(roots: &[Pattern], file: &Pattern, folders: &[String]) -> Vec<Pattern> {
    let mut all = Vec::new();
    for root in roots {
        let parts = root.components();
        let overlap = overlap(&parts, folders);
        all.push(file.under(&parts[..parts.len() - overlap]));
        if overlap == 0 && !folders.is_empty() {
            all.extend(file.without(folders).map(|short| short.under(&parts)));
        }
    }
    all
}

/// How many of the literal folders a configured root already holds at its end.
pub(super) fn overlap(root: &[Dir], folders: &[String]) -> usize {
    (1..=folders.len().min(root.len()))
        .rev()
        .find(|count| root[root.len() - count..].iter().zip(folders).all(|(dir, folder)| dir.is_named(folder)))
        .unwrap_or(0)
}

/// Patterns for folders that a tool's configuration named, for a second look at the tree.
pub(crate) fn named_folders(rules: &[ActiveRule], named: &[(u16, Vec<u8>)]) -> Classifier<Want> {
    let mut classifier = Classifier::default();
    add_named(&mut classifier, rules, named);
    classifier
}

/// The classifier of all paths that these rules want, those in folders that a tool's configuration named among them.
pub(crate) fn classifier_with_named(rules: &[ActiveRule], named: &[(u16, Vec<u8>)]) -> Classifier<Want> {
    let mut classifier = classifier(rules);
    add_named(&mut classifier, rules, named);
    classifier
}

fn add_named(classifier: &mut Classifier<Want>, rules: &[ActiveRule], named: &[(u16, Vec<u8>)]) {
    for (at, folder) in named {
        let rule = &rules[usize::from(*at)].rule;
        for (what, files, folders) in wanted_files(rule) {
            for file in files {
                let short = file.without(folders).unwrap_or_else(|| file.clone());
                classifier.add(short.below(Some(folder)), Want { rule: *at, what }, rule.excludes());
            }
        }
    }
}
