//! A small world of commits, so that stacks, clocks and worktrees can be judged without git.

mod arithmetic;
mod change;
mod forks;
mod order;
mod orphans;
mod properties;

use std::{
    collections::{BTreeMap, BTreeSet},
    io::{self, Cursor, Read},
    sync::Arc,
};

use gix::ObjectId;

use super::{Fleet, History};
use crate::{
    diag::{Diagnostic, Holder, HolderKind, RepoPath},
    engine::{Plan, run},
    error::Fatal,
    report::Report,
    rule::{self, Rule, Want, select::Classifier},
    source::{Changed, Counters, Entry, EntryKind, Line, Listing, MemoryTree, Place, Tree, Version},
};

type Files = BTreeMap<String, String>;

/// What a commit or an uncommitted edit does: a text, or none for a removal.
type Edits<'e> = [(&'e str, Option<&'e str>)];

struct Commit {
    files: Files,
    /// With itself.
    ancestors: BTreeSet<String>,
}

/// Commits by name, the trunk, and lines of work.
struct World {
    rules: Vec<Arc<Rule>>,
    commits: BTreeMap<String, Commit>,
    trunk: String,
    lines: Vec<(Line, Files)>,
    head: Option<String>,
    notes_old: bool,
    /// No commit can be read any more.
    is_broken: bool,
}

fn id(commit: &str) -> ObjectId {
    gix::objs::compute_hash(gix::hash::Kind::Sha1, gix::objs::Kind::Commit, commit.as_bytes()).expect("a hash")
}

fn blob(text: &str) -> ObjectId {
    gix::objs::compute_hash(gix::hash::Kind::Sha1, gix::objs::Kind::Blob, text.as_bytes()).expect("a hash")
}

fn edited(files: &Files, edits: &Edits<'_>) -> Files {
    let mut files = files.clone();
    for (path, text) in edits {
        match text {
            Some(text) => _ = files.insert((*path).to_owned(), (*text).to_owned()),
            None => assert!(files.remove(*path).is_some(), "{path} is not there"),
        }
    }
    files
}

/// The built-in rules of these ids.
fn builtin(ids: &[&str]) -> Vec<Arc<Rule>> {
    let rules = rule::load(&[], false).expect("the built-in rules");
    let rules: Vec<_> = rules.into_iter().filter(|rule| ids.contains(&rule.id())).collect();
    assert_eq!(rules.len(), ids.len());
    rules
}

impl World {
    /// A trunk with one commit, `root`.
    fn new(rules: Vec<Arc<Rule>>, files: &[(&str, &str)]) -> Self {
        let files = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        let root = Commit { files, ancestors: ["root".to_owned()].into() };
        let commits = [("root".to_owned(), root)].into();
        Self { rules, commits, trunk: "root".into(), lines: Vec::new(), head: None, notes_old: false, is_broken: false }
    }

    fn commit(&mut self, name: &str, parent: &str, edits: &Edits<'_>) -> &mut Self {
        let parent = &self.commits[parent];
        let mut ancestors = parent.ancestors.clone();
        ancestors.insert(name.to_owned());
        let made = Commit { files: edited(&parent.files, edits), ancestors };
        self.commits.insert(name.to_owned(), made);
        self
    }

    /// The trunk goes on from its tip.
    fn trunk_commit(&mut self, name: &str, edits: &Edits<'_>) -> &mut Self {
        self.commit(name, &self.trunk.clone(), edits);
        name.clone_into(&mut self.trunk);
        self
    }

    /// A line of work at a commit, with what is not committed yet. Judged against the trunk as it is when all is judged.
    fn line(
        &mut self,
        kind: HolderKind,
        name: &str,
        tip: &str,
        started: Option<i64>,
        uncommitted: &Edits<'_>,
    ) -> &mut Self {
        let holder = Holder { kind, name: name.to_owned(), commit: None };
        let branch = (kind == HolderKind::Branch || kind == HolderKind::Worktree).then(|| name.to_owned());
        let number = name.strip_prefix('#').and_then(|number| number.parse().ok());
        let (tip_id, changes) = (Some(id(tip)), Vec::new());
        let line = Line { holder, branch, number, tip: tip_id, fork: None, own: Vec::new(), started, changes };
        let files = edited(&self.commits[tip].files, uncommitted);
        self.lines.push((line, files));
        self
    }

    /// A branch whose first commit has this time.
    fn branch(&mut self, name: &str, tip: &str, started: i64) -> &mut Self {
        self.line(HolderKind::Branch, name, tip, Some(started), &[])
    }

    /// A branch with one commit of its own on the trunk's first.
    fn simple(&mut self, name: &str, started: i64, edits: &Edits<'_>) -> &mut Self {
        self.commit(name, "root", edits).branch(name, name, started)
    }

    fn head(&mut self, name: &str) -> &mut Self {
        self.head = Some(name.to_owned());
        self
    }

    /// Each finding as `severity kind key: holder path, …`, the sites as they come.
    fn says(&self) -> Vec<String> {
        self.findings().iter().map(said).collect()
    }

    fn findings(&self) -> Vec<Diagnostic> {
        let report = self.report();
        assert_eq!(report.incomplete, []);
        report.findings
    }

    fn report(&self) -> Report {
        let named = |commit: &ObjectId| self.commits.iter().find(|(name, _)| id(name) == *commit).map(|(name, _)| name);
        let mut blobs = tree(&self.commits[&self.trunk].files);
        self.commits.values().flat_map(|commit| commit.files.values()).for_each(|text| {
            blobs.remember(text.as_bytes());
        });
        let mut lines = Vec::new();
        let mut disks = Vec::new();
        for (number, (line, files)) in self.lines.iter().enumerate() {
            let mut line = line.clone();
            let tip = &self.commits[line.tip.as_ref().and_then(named).expect("a commit")];
            let fork = self.merge_base(&tip.ancestors, &self.commits[&self.trunk].ancestors).expect("one history");
            line.fork = Some(id(fork));
            let mut own: Vec<_> =
                tip.ancestors.difference(&self.commits[&self.trunk].ancestors).map(|one| id(one)).collect();
            own.sort_unstable();
            line.own = own;
            line.changes = changes(&self.commits[fork].files, &tip.files, files, number as u16);
            if self.head.as_ref() == Some(&line.holder.name) {
                line.holder = Holder::head(None);
            }
            lines.push(line);
            disks.push(Disk { files: files.clone(), counters: Counters::default() });
        }
        let head = lines.iter().position(|line| line.holder.kind == HolderKind::Head);
        assert_eq!(head.is_some(), self.head.is_some());
        let nothing = MemoryTree::default();
        let mut plan = Plan::plain(&nothing, &self.rules);
        plan.fleet = Some(Fleet {
            trunk: &blobs,
            target: "main".into(),
            commit: Some(id(&self.trunk)),
            lines,
            crossed: std::collections::BTreeSet::new(),
            is_change: head.is_some(),
            head,
            environment: Vec::new(),
            by_code: None,
            contention: false,
            conflicts: false,
            incomplete: Vec::new(),
            skipped: Vec::new(),
            worktrees: disks.iter().map(|disk| disk as &dyn Tree).collect(),
            history: self,
            notes_old: self.notes_old,
            calls: true,
        });
        run(&plan).expect("it runs")
    }

    fn merge_base<'n>(&self, a: &'n BTreeSet<String>, b: &'n BTreeSet<String>) -> Option<&'n str> {
        let common = a.intersection(b).max_by_key(|name| self.commits[*name].ancestors.len());
        common.map(String::as_str)
    }
}

fn said(found: &Diagnostic) -> String {
    let sites: Vec<String> =
        found.sites.iter().map(|site| format!("{} {}", site.holder.name, site.path.lossy())).collect();
    let (_, kind) = found.code.split_once('/').expect("a code");
    format!("{} {kind} {}: {}", found.severity, found.key.as_deref().unwrap_or_default(), sites.join(", "))
}

fn tree(files: &Files) -> MemoryTree {
    MemoryTree::new(files.iter().map(|(path, text)| (path.as_bytes(), text.as_bytes())))
}

/// From a merge base to a commit and what is not committed in the worktree of this number.
fn changes(old: &Files, tip: &Files, new: &Files, number: u16) -> Vec<Changed> {
    let paths: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let file = |place| Version { kind: EntryKind::File, place };
    let change = |path: &&String| {
        let before = old.get(*path).map(|text| file(Place::Blob(blob(text))));
        let committed = tip.get(*path) == new.get(*path);
        let after = new.get(*path).map(|text| match committed {
            true => file(Place::Blob(blob(text))),
            false => file(Place::Worktree(number)),
        });
        (before != after).then(|| Changed { path: RepoPath::new(path.as_bytes()), old: before, new: after })
    };
    paths.iter().filter_map(change).collect()
}

impl History for World {
    fn merge_text(&self, _: Option<ObjectId>, _: &RepoPath, texts: [&[u8]; 3]) -> Option<Vec<u8>> {
        crate::source::merge_plain_text(texts)
    }

    fn merges(
        &self,
        _: &[crate::source::Line],
        _: &[(u32, u32)],
        _: Option<ObjectId>,
        _: &crate::source::ReadVersion<'_>,
    ) -> crate::source::Merges {
        crate::source::Merges::default()
    }

    fn merge_base(&self, a: ObjectId, b: ObjectId) -> Result<Option<ObjectId>, String> {
        let of = |wanted: ObjectId| {
            let commit = self.commits.iter().find(|(name, _)| id(name) == wanted).map(|(_, commit)| commit);
            commit.ok_or_else(|| format!("no commit {wanted}"))
        };
        if self.is_broken {
            return Err("no history".into());
        }
        Ok(World::merge_base(self, &of(a)?.ancestors, &of(b)?.ancestors).map(id))
    }

    fn at(&self, commit: ObjectId, path: &RepoPath) -> Result<Option<Version>, String> {
        let found = self.commits.iter().find(|(name, _)| id(name) == commit && !self.is_broken);
        let (_, commit) = found.ok_or_else(|| format!("no commit {commit}"))?;
        let text = commit.files.get(&*path.lossy());
        Ok(text.map(|text| Version { kind: EntryKind::File, place: Place::Blob(blob(text)) }))
    }
}

/// A worktree: texts by path.
struct Disk {
    files: Files,
    counters: Counters,
}

impl Tree for Disk {
    fn list(&self, _: &Classifier<Want>) -> Result<Listing, Fatal> {
        Ok(Listing::default())
    }

    fn open(&self, entry: &Entry) -> io::Result<Box<dyn Read + Send>> {
        let text = self.files.get(&*entry.path.lossy()).ok_or(io::ErrorKind::NotFound)?;
        Ok(Box::new(Cursor::new(text.clone().into_bytes())))
    }

    fn size(&self, _: &Entry) -> Option<u64> {
        None
    }

    fn link_target(&self, _: &Entry) -> io::Result<Vec<u8>> {
        Err(io::ErrorKind::NotFound.into())
    }

    fn holder(&self) -> Holder {
        Holder::head(None)
    }

    fn counters(&self) -> &Counters {
        &self.counters
    }
}
