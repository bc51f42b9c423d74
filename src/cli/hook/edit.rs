//! Judges what an agent is about to write: as a change of those files alone, by the rules that judge a change, with the lines of work that
//! are near them.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use super::{Args, place};
use crate::{
    cli::{
        PolicyArgs,
        fleet::{self, FleetArgs},
        policy,
    },
    diag::{Diagnostic, Holder, HolderKind, RepoPath, Severity},
    engine::{self, ByCode, Fleet},
    error::Fatal,
    hook::{Answer, Event, Text},
    rule::{self, ActiveRule, What, change::Signals},
    source::{self, Ask, Changed, EntryKind, Git, HeadRef, Line, MemoryTree, Near, PlainFolder, Tree, Trunk, Version},
};

/// Files of one event that are judged, at most.
const MOST: usize = 200;
/// Longest file that an edit is made on, in bytes.
const LONGEST: u64 = 16 << 20;
/// The code rules that judge an edit: the others need to see the whole change.
const CODE: [&str; 2] = ["boundary", "protected"];
/// Lines of work that a warning names.
const NAMED: usize = 5;

/// The answer to an event before a tool runs.
pub(super) fn answer(args: &Args, event: &Event) -> Result<Answer, String> {
    let folder = place::folder(event)?;
    let mut places: BTreeMap<PathBuf, (Git, Vec<Proposed>)> = BTreeMap::new();
    for edit in event.edits.iter().take(MOST) {
        if let Some(placed) = place::find(&folder, &edit.path)? {
            let proposed = Proposed { text: after(&placed.file, &edit.text)?, path: placed.path };
            places.entry(placed.top).or_insert_with(|| (placed.git, Vec::new())).1.push(proposed);
        }
    }
    let mut answer = Answer::default();
    for (top, (git, proposed)) in &places {
        let said = judge(args, git, top, proposed).map_err(|fatal| fatal.to_string())?;
        answer.denied = answer.denied.or(said.denied);
        answer.warned = answer.warned.or(said.warned);
    }
    Ok(answer)
}

/// What a file is to hold.
struct Proposed {
    path: RepoPath,
    /// None where it is to be gone.
    text: Option<Vec<u8>>,
}

/// What the file will hold; where nobody can tell, what it holds now.
fn after(file: &Path, text: &Text) -> Result<Option<Vec<u8>>, String> {
    let now = match fs::symlink_metadata(file) {
        Ok(meta) if meta.is_file() && meta.len() <= LONGEST => {
            Some(fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?)
        }
        Ok(meta) if meta.is_file() => return Err(format!("{} is longer than {} MiB", file.display(), LONGEST >> 20)),
        _ => None,
    };
    Ok(text.after(now.as_deref()).unwrap_or_else(|| Some(now.unwrap_or_default())))
}

fn judge(args: &Args, git: &Git, top: &Path, proposed: &[Proposed]) -> Result<Answer, Fatal> {
    let policy_args = PolicyArgs::default();
    let configured = policy::configured_base(top, &policy_args)?;
    // before a first commit there is nothing that anybody agreed on
    let Some(trunk) = git.trunk(args.base.as_deref().or(configured.as_deref()))? else { return Ok(Answer::default()) };
    let trunk_tree = git.remembered_tree(trunk.commit, fleet::trunk_holder(&trunk.name, trunk.commit))?;
    let policy = policy::read_commit(&trunk_tree, &policy_args, None)?;
    let head_ref = git.head_ref(None)?;
    let contents = Contents::new(proposed);
    let mut head = contents.line(git, &trunk, &head_ref)?;
    let new: Vec<&RepoPath> =
        head.changes.iter().filter(|one| one.old.is_none() && one.new.is_some()).map(|one| &one.path).collect();
    let rules = policy.active(&[])?;
    let wanted = wanted(&rules, &new);
    let branch = git.branch_of(&head_ref)?;
    let ask = Ask { head: Some(head_ref), ..ask(&policy)? };
    let paths: Vec<RepoPath> = proposed.iter().map(|one| one.path.clone()).collect();
    let named: Vec<RepoPath> = if wanted.is_empty() { Vec::new() } else { new.into_iter().cloned().collect() };
    let near = git.near(&trunk, &ask, &paths, &named, 1)?;
    let warned = match (contention(&near, &paths), unknown(&near)) {
        (said, Some(unknown)) if !wanted.is_empty() => {
            Some(said.map_or_else(String::new, |said| said + " ") + &unknown)
        }
        (said, _) => said,
    };
    head.changes = source::compose(near.own, head.changes);

    let only: Vec<String> = CODE.into_iter().map(str::to_owned).chain(wanted).collect();
    let signals = Signals { agent: fleet::agent_named(), branch, login: None };
    let folders: Vec<PlainFolder> = near.worktrees.iter().map(|top| PlainFolder::new(top)).collect();
    let worktrees =
        std::iter::once(&contents.tree as &dyn Tree).chain(folders.iter().map(|folder| folder as &dyn Tree));
    let mut lines = near.lines;
    lines.push(head);
    let mut plan = policy.plan(&trunk_tree, &only)?;
    plan.fleet = Some(Fleet {
        trunk: &trunk_tree,
        target: trunk.name.clone(),
        commit: Some(trunk.commit),
        head: Some(lines.len() - 1),
        lines,
        crossed: BTreeSet::new(),
        is_change: true,
        environment: Vec::new(),
        worktrees: worktrees.collect(),
        history: git,
        by_code: Some(ByCode { signals, approvals: None, history: git, unusable: None, now: fleet::now() }),
        contention: false,
        conflicts: false,
        notes_old: false,
        calls: false,
        incomplete: Vec::new(),
        skipped: Vec::new(),
    });
    let report = engine::run(&plan)?;
    let denied = report.findings.iter().find(|found| found.suppressed.is_none() && stops(found, &paths)).map(reason);
    Ok(Answer { denied, warned })
}

/// Whether a finding stops an edit: an error of its own, or a name that somebody else holds already. Who would keep it in the end does not
/// matter before the file is there.
fn stops(found: &Diagnostic, paths: &[RepoPath]) -> bool {
    let mut own = found.sites.iter().filter(|site| site.holder.kind == HolderKind::Head && paths.contains(&site.path));
    if own.next().is_none() {
        return false;
    }
    let is_first = found.sites.first().is_some_and(|site| site.holder.kind == HolderKind::Head);
    let is_held = found.code.ends_with("/duplicate")
        && found.sites.iter().any(|site| site.holder.kind != HolderKind::Head && !paths.contains(&site.path));
    is_held || found.severity == Severity::Error && is_first
}

/// What an agent is told: what is wrong, and what it can do instead.
fn reason(found: &Diagnostic) -> String {
    let mut text = format!("{} [{}]", found.message, found.code);
    let is_taken = found.code.ends_with("/duplicate");
    if let Some(help) = found.help.as_ref().filter(|_| !is_taken) {
        text.push_str(&format!(" {help}"));
    }
    let own =
        |from: &RepoPath| found.sites.iter().any(|site| site.holder.kind == HolderKind::Head && site.path == *from);
    let renames = found.fix.iter().flat_map(|fix| &fix.renames);
    let free: Vec<String> = renames.filter(|one| own(&one.from)).map(|one| format!("`{}`", one.to.lossy())).collect();
    match (free.is_empty(), is_taken) {
        (false, _) => text.push_str(&format!(" Free: {}.", free.join(", "))),
        (true, true) => {
            let rule = found.code.split('/').next().unwrap_or_default();
            text.push_str(&format!(" `gatekeep next {rule} --name NAME` prints one that is free."));
        }
        (true, false) => {}
    }
    text
}

/// Other lines that change one of the files too.
fn contention(near: &Near, paths: &[RepoPath]) -> Option<String> {
    let mut said = Vec::new();
    for path in paths {
        let touches = |line: &&Line| line.changes.binary_search_by(|changed| changed.path.cmp(path)).is_ok();
        let names: Vec<String> = near.lines.iter().filter(touches).map(|line| name(&line.holder)).collect();
        if !names.is_empty() {
            let more = names.len().saturating_sub(NAMED);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let names = names[..names.len().min(NAMED)].join(", ");
            said.push(format!(
                "{} is being changed by {names}{more} too: keep the edit small, or agree on who makes it.",
                path.lossy()
            ));
        }
    }
    (!said.is_empty()).then(|| said.join(" "))
}

/// Lines that may hold a name too.
fn unknown(near: &Near) -> Option<String> {
    let names: Vec<String> = near.unknown.iter().take(NAMED).map(|name| format!("`{name}`")).collect();
    (!names.is_empty()).then(|| {
        format!(
            "gatekeep could not look at {}, which may hold the name too: `gatekeep scan --fleet` says why.",
            names.join(", ")
        )
    })
}

fn name(holder: &Holder) -> String {
    match holder.kind {
        HolderKind::Worktree => format!("worktree `{}`", holder.name),
        _ => format!("`{}`", holder.name),
    }
}

/// The ids of the rules that may take a name from one of these paths.
fn wanted(rules: &[ActiveRule], paths: &[&RepoPath]) -> BTreeSet<String> {
    let classifier = rule::classifier(rules);
    let mut wanted = BTreeSet::new();
    for path in paths {
        classifier.path(path.as_bytes(), |want| {
            if matches!(want.what, What::Claim(_) | What::Text(_))
                && let Some(active) = rules.get(usize::from(want.rule))
            {
                wanted.insert(active.rule.id().to_owned());
            }
        });
    }
    wanted
}

/// All lines of work that a fleet has.
fn ask(policy: &policy::Policy) -> Result<Ask, Fatal> {
    let exclude = policy.config.as_ref().map_or_else(Vec::new, |file| file.config.fleet.exclude.clone());
    FleetArgs { fleet: true, ..FleetArgs::default() }.ask(exclude)
}

/// The files of an event in memory: the first worktree of the run.
struct Contents {
    tree: MemoryTree,
    changes: BTreeMap<RepoPath, Option<Version>>,
}

impl Contents {
    fn new(proposed: &[Proposed]) -> Self {
        let mut tree = MemoryTree::default();
        let mut changes = BTreeMap::new();
        for one in proposed {
            let place = one.text.as_ref().map(|text| tree.put(one.path.clone(), text));
            changes.insert(one.path.clone(), place.map(|place| Version { kind: EntryKind::File, place }));
        }
        Self { tree, changes }
    }

    /// The change that these files would be.
    fn line(&self, git: &Git, trunk: &Trunk, head: &HeadRef) -> Result<Line, Fatal> {
        let fork = match head.commit {
            Some(commit) => git.merge_base(trunk.commit, commit)?,
            None => None,
        };
        let mut changes = Vec::new();
        for (path, new) in &self.changes {
            let old = fork.map(|fork| git.at(fork, path.as_bytes())).transpose()?.flatten();
            changes.push(Changed { path: path.clone(), old, new: *new });
        }
        Ok(Line {
            holder: Holder::head(head.commit.map(|id| id.to_string())),
            branch: head.reference.as_deref().and_then(|name| name.strip_prefix("refs/heads/")).map(str::to_owned),
            number: None,
            tip: head.commit,
            fork,
            own: Vec::new(),
            started: None,
            changes,
        })
    }
}
