//! From a plan to a report: list, resolve, read, judge, suppress, report.

mod attributes;
pub mod audit;
mod chains;
mod change;
pub mod environment;
pub mod example;
mod fleet;
pub mod free;
pub mod learned;
mod locate;
mod read;
mod settings;
mod survey;

pub use change::{ByCode, ChangeHistory};
pub use fleet::{Fleet, History, Holders, Home, Names, Reserved, Taken, names};
pub(crate) use read::path_found;
pub use survey::{Namespace, survey};

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex},
};

use crate::{
    claim::{Marks, collide},
    config::{ConfigFile, KnownCodes, Levels},
    diag::{Diagnostic, HolderKind, RepoPath, Site},
    error::Fatal,
    report::{Incomplete, PolicyFrom, Report, Skipped},
    rule::{self, ActiveRule, Item, Rule, Scope, judge},
    source::{Entry, Listing, Place, Tree},
    suppress::{self, Baseline, Carried},
    threads,
};

/// Longest text that is parsed as a whole, in bytes.
pub(crate) const PARSED_LIMIT: u64 = 16 << 20;
/// Longest text that is read only for allowances in it, in bytes.
const COMMENTED_LIMIT: u64 = 1 << 20;
/// Longest text that is read as a stream, in bytes; also the most that a compressed one may inflate to.
pub(crate) const STREAMED_LIMIT: u64 = 256 << 20;

/// All that a run is told.
pub struct Plan<'a> {
    /// The tree that is judged by itself or, where the fleet has a change as its head, the trunk's, from which the policy comes.
    pub tree: &'a dyn Tree,
    /// Lines of work that are judged together.
    pub fleet: Option<Fleet<'a>>,
    /// The rules that run.
    pub rules: Vec<ActiveRule>,
    /// The ids of the code rules that run.
    pub code: Vec<&'static str>,
    /// All ids and codes that there are, those of rules that don't run included.
    pub known: KnownCodes,
    /// Severities as configured and asked for.
    pub levels: Levels,
    /// The configuration, for its allowances.
    pub config: Option<ConfigFile>,
    /// Findings that are known already.
    pub baseline: Option<Baseline>,
    /// Where configuration and rules came from.
    pub policy: PolicyFrom,
    /// The commit that they were read from, in hexadecimal.
    pub policy_commit: Option<String>,
    /// Whether only some rules were asked for, so that an unused allowance proves nothing.
    pub partial: bool,
    /// The day on which allowances end.
    pub today: jiff::civil::Date,
    /// Now, in seconds since 1970.
    pub now: i64,
    /// The history behind the tree; none where it has none.
    pub past: Option<TreePast<'a>>,
    /// Names that are held on the remote, by lines of the fleet.
    pub reserved: Vec<Reserved>,
}

/// The history behind a tree.
pub struct TreePast<'a> {
    /// What it tells.
    pub history: &'a dyn ChangeHistory,
    /// The commit that is checked out.
    pub commit: gix::ObjectId,
}

impl<'a> Plan<'a> {
    /// All of these rules as they are, without any configuration.
    pub fn plain(tree: &'a dyn Tree, rules: &[Arc<Rule>]) -> Self {
        Self {
            tree,
            fleet: None,
            rules: rules.iter().map(|rule| ActiveRule { rule: Arc::clone(rule), scope: Scope::default() }).collect(),
            code: Vec::new(),
            known: rule::known(rules),
            levels: Levels::default(),
            config: None,
            baseline: None,
            policy: PolicyFrom::BuiltIn,
            policy_commit: None,
            partial: false,
            today: jiff::civil::date(2026, 1, 1),
            now: 1_767_225_600,
            past: None,
            reserved: Vec::new(),
        }
    }
}

/// Judges a tree by itself, and lines of work together.
///
/// # Errors
/// Only what makes the whole tree unusable; all else is in the report.
pub fn run(plan: &Plan<'_>) -> Result<Report, Fatal> {
    run_with(plan, |_, _| {})
}

/// A run that shows all names to somebody before those without a twin are dropped.
fn run_with(plan: &Plan<'_>, see: impl FnOnce(&read::Pass<'_>, &Marks) + Send) -> Result<Report, Fatal> {
    let gaps = Gaps::default();
    let change = plan.fleet.as_ref().and_then(|fleet| Some(&fleet.lines[fleet.head?]));
    let by_itself = || match plan.fleet.as_ref().is_some_and(|fleet| fleet.is_change) {
        false => {
            let mut found = judge_tree(plan, &gaps, &|_| true, see)?;
            let (findings, skipped) = change::standing(plan, &gaps);
            found.findings.extend(findings);
            found.skipped.extend(skipped);
            Ok(found)
        }
        true => Ok(Found::default()),
    };
    // what is judged at one time asks the other nothing, and each has stretches that keep one thread busy alone
    let (by_itself, together) = match &plan.fleet {
        Some(fleet) if !fleet.is_change => {
            let (one, other) = rayon::join(by_itself, || fleet::judge(plan, fleet, &gaps));
            (one, Some((fleet, other.map(|judged| (judged, ByCodeSaid::default())))))
        }
        Some(fleet) => (by_itself(), Some((fleet, judge_change(plan, fleet, &gaps)))),
        None => (by_itself(), None),
    };
    let mut found: Found = by_itself?;
    if let Some((fleet, judged)) = together {
        let (judged, (findings, skipped)) = judged?;
        // a comment in a file allows nothing to what a line of work brings in
        let old: Vec<Diagnostic> =
            judged.findings.iter().filter(|one| !one.sites.iter().any(is_brought_in)).cloned().collect();
        carry(fleet.trunk, &judged.trunk, &old, &mut found.carried);
        found.findings.extend(judged.findings.into_iter().chain(findings));
        found.skipped.extend(judged.skipped.into_iter().chain(skipped));
        found.files += judged.files;
    }
    let incomplete = gaps.into_inner();
    suppress(plan, found.carried, incomplete.is_empty(), &mut found.findings);
    let commit = |id: Option<gix::ObjectId>| id.map(|id| id.to_string());
    let fleet = plan.fleet.as_ref();
    let mut report = Report {
        target: fleet.map(|fleet| fleet.target.clone()),
        base: fleet.and_then(|fleet| commit(change.map_or(fleet.commit, |line| line.fork))),
        head: change.map_or_else(|| plan.tree.holder().commit, |line| commit(line.tip)),
        policy: plan.policy,
        policy_commit: plan.policy_commit.clone(),
        incomplete,
        skipped: found.skipped,
        findings: found.findings,
        files: found.files,
        holders: fleet.map_or(1, |fleet| fleet.lines.len() + 1),
    };
    report.sort();
    Ok(report)
}

/// What code rules found, and what was left out.
type ByCodeSaid = (Vec<Diagnostic>, Vec<Skipped>);

/// Judges a change by names and by code, at one time unless one waits for what the other finds out.
fn judge_change(plan: &Plan<'_>, fleet: &Fleet<'_>, gaps: &Gaps) -> Result<(fleet::Judged, ByCodeSaid), Fatal> {
    let by_name = || fleet::judge(plan, fleet, gaps);
    if change::asks_for_migrations(plan) {
        let judged = by_name()?;
        let migrations = (!plan.partial).then_some(judged.migrations.as_slice());
        let said = change::judge(plan, fleet, migrations, gaps);
        return Ok((judged, said));
    }
    let by_code = || change::judge(plan, fleet, None, gaps);
    let (judged, said) = threads::join(plan.code.is_empty(), by_name, by_code);
    Ok((judged?, said))
}

/// Whether a line of work brings a site in.
fn is_brought_in(site: &Site) -> bool {
    site.holder.kind != HolderKind::Base
}

/// What judgement gives before anything is silenced.
#[derive(Default)]
struct Found {
    findings: Vec<Diagnostic>,
    skipped: Vec<Skipped>,
    carried: Vec<Carried>,
    files: usize,
}

/// Judges one tree by itself: those items in it that are to be kept.
fn judge_tree(
    plan: &Plan<'_>,
    gaps: &Gaps,
    keep: &dyn Fn(&Item) -> bool,
    see: impl FnOnce(&read::Pass<'_>, &Marks),
) -> Result<Found, Fatal> {
    let mut listing = plan.tree.list(&rule::classifier(&plan.rules))?;
    let named = settings::named(&plan.rules, &listing, plan.tree, gaps);
    if !named.folders.is_empty() {
        let wanted: Vec<(u16, Vec<u8>)> =
            named.folders.iter().map(|(rule, folder)| (*rule, folder.clone().into_bytes())).collect();
        listing.merge(plan.tree.list(&rule::named_folders(&plan.rules, &wanted))?);
    }
    let attributes = attributes::Attributes::read(&listing, plan.tree, gaps);
    let seen = Mutex::default();
    let facts = rule::Facts {
        left_out: &|entry, generated| attributes.leaves_out(&entry.path, generated),
        read: &|entry: &Entry| sniff(plan.tree, entry, &seen, gaps),
        named: &named,
        tentative: &|_| false,
        judged: None,
    };
    let mut resolved = rule::resolve(&plan.rules, &listing, &facts);

    let unseen = |at: usize| {
        let between = plan.rules[at].rule.is_between_worktrees();
        !between && !resolved.items.iter().any(|item| usize::from(item.rule) == at)
    };
    for (_, active) in plan.rules.iter().enumerate().filter(|(at, active)| active.scope.has_roots() && unseen(*at)) {
        let why = "its `roots` hold no file that takes a name; mend them, or take the table out";
        gaps.add(format!("[namespace.{}]", active.rule.id()), why);
    }
    resolved.items.retain(keep);
    let pass = read::Pass { plan, tree: plan.tree, listing: &listing, items: &resolved.items };
    let read = pass.read(gaps);
    see(&pass, &read.marks);
    let claims = locate::claims(&pass, read.marks.colliding(), gaps);
    let mut judged = judge::Judged {
        faults: read.faults,
        collisions: collide(claims),
        strays: resolved.strays(&plan.rules, &listing, &|_| true),
        counts: read.counts,
        ..judge::Judged::default()
    };
    let unclear = chains::judge(&pass, gaps, &mut judged);
    let ground = judge::Ground {
        rules: &plan.rules,
        listing: &listing,
        items: &resolved.items,
        levels: &plan.levels,
        holder: plan.tree.holder(),
        is_reserved: &|_, _, _, _| false,
    };
    let findings = judge::judge(&ground, &judged);
    let files = resolved.items.iter().map(|item| item.entry).collect::<BTreeSet<u32>>().len();
    std::mem::take(&mut listing.incomplete).into_iter().for_each(|gap| gaps.add(gap.what, gap.why));
    let mut carried = read.carried;
    carry(plan.tree, &listing, &findings, &mut carried);
    Ok(Found { findings, skipped: [std::mem::take(&mut listing.skipped), unclear].concat(), carried, files })
}

/// What could not be looked at, gathered from all threads.
#[derive(Debug, Default)]
pub(crate) struct Gaps(Mutex<Vec<Incomplete>>);

impl Gaps {
    pub(crate) fn add(&self, what: impl Into<String>, why: impl Into<String>) {
        let gap = Incomplete { what: what.into(), why: why.into() };
        self.0.lock().expect("no thread panics while it holds the list").push(gap);
    }

    pub(crate) fn into_inner(self) -> Vec<Incomplete> {
        self.0.into_inner().expect("no thread panics while it holds the list")
    }
}

/// How much of a file is read to find out whose it is.
const SNIFFED_BYTES: usize = 64 << 10;

/// The beginnings of files, by path and place; none where one can't be read.
type Sniffed = BTreeMap<(RepoPath, Place), Option<String>>;

/// The beginning of a file, read once for all rules that ask.
fn sniff(tree: &dyn Tree, entry: &Entry, seen: &Mutex<Sniffed>, gaps: &Gaps) -> Option<String> {
    let mut seen = seen.lock().expect("no thread panics while it holds the map");
    let key = (entry.path.clone(), entry.place);
    if let Some(text) = seen.get(&key) {
        return text.clone();
    }
    let text = match tree.read_at(entry, 0, SNIFFED_BYTES) {
        Ok(bytes) => Some(String::from_utf8_lossy(&bytes).into_owned()),
        Err(error) => {
            gaps.add(entry.path.lossy(), format!("can't be read: {error}"));
            None
        }
    };
    seen.insert(key, text.clone());
    text
}

/// Reads files with a finding for allowances of their own.
fn carry(tree: &dyn Tree, listing: &Listing, findings: &[Diagnostic], carried: &mut Vec<Carried>) {
    let read: BTreeSet<_> = carried.iter().map(|one| one.path.clone()).collect();
    let paths: BTreeSet<_> = findings.iter().flat_map(|found| &found.sites).map(|site| site.path.clone()).collect();
    for path in paths.difference(&read) {
        let Ok(at) = listing.entries.binary_search_by(|entry| entry.path.cmp(path)) else { continue };
        // one that can't be read, or is too long for a person's comment, carries no allowance: the finding stands
        if let Ok(bytes) = tree.read(&listing.entries[at], COMMENTED_LIMIT) {
            carried.push(Carried { path: path.clone(), allowances: suppress::find(&bytes) });
        }
    }
}

/// Applies allowances and baseline.
fn suppress(plan: &Plan<'_>, mut carried: Vec<Carried>, complete: bool, findings: &mut Vec<Diagnostic>) {
    carried.retain(|one| !one.allowances.is_empty());
    let ran = |code: &str| {
        let rule = plan.rules.iter().find(|active| code.split('/').next() == Some(active.rule.id()));
        let between = plan.fleet.as_ref().is_some_and(|fleet| fleet.environment.len() > 1);
        let is_asked_for =
            |rule: &Rule| plan.levels.asked_for(code).is_some() || !rule.asked_for().iter().any(|other| other == code);
        rule.map_or(!plan.partial, |active| {
            (between || !active.rule.is_between_worktrees()) && is_asked_for(&active.rule)
        })
    };
    let run = suppress::Run {
        policy: plan.tree.holder(),
        head: plan.tree.holder(),
        known: &plan.known,
        judged: &|code| complete && ran(code),
        introduced: &|site| match site.holder.kind {
            HolderKind::Base => false,
            HolderKind::Head => plan.fleet.as_ref().is_some_and(|fleet| fleet.head.is_some()),
            _ => true,
        },
        today: plan.today,
    };
    suppress::apply(&run, plan.config.as_ref(), &carried, plan.baseline.as_ref(), &plan.levels, findings);
}

impl Item {
    /// The file that the item is about.
    pub(crate) fn of<'l>(&self, listing: &'l Listing) -> &'l Entry {
        &listing.entries[self.entry as usize]
    }
}

/// Says in a report that only some rules ran.
pub fn only(rules: &[String]) -> Skipped {
    Skipped { what: format!("all rules but {} (--only)", rules.join(", ")), count: None }
}
