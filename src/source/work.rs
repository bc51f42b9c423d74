//! The lines of work of one run, with all that each of them changes.

use std::{collections::BTreeSet, path::PathBuf};

use super::{
    Ask, Changed, Git, Grown, Growth, HeadRef, Line, Trunk, Untracked, WorkingTree, Worktree,
    git::Folders,
    lines::{Candidate, compose},
};
use crate::{
    diag::{Holder, HolderKind},
    error::Fatal,
    report::{Incomplete, Skipped},
    threads,
};

/// What the change is that a run judges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Head<'a> {
    /// None: lines of work are held against the trunk and each other.
    Nothing,
    /// A branch, tag or commit.
    Commit(&'a str),
    /// The index: what the next commit will hold.
    Index,
    /// The working tree, with what is uncommitted in it.
    WorkingTree,
}

/// Lines of work, and what they are read from.
#[derive(Debug, Default)]
pub struct Work {
    /// The lines; the head, if there is one, among them.
    pub lines: Vec<Line>,
    /// Which of them is the head.
    pub head: Option<usize>,
    /// What the head is called, where one is asked for.
    pub head_ref: Option<HeadRef>,
    /// The top folders of the worktrees, by the number in [`Place::Worktree`](super::Place::Worktree).
    pub worktrees: Vec<PathBuf>,
    /// Those of the lines that have several best merge bases with the trunk.
    pub crossed: BTreeSet<u32>,
    /// What could not be looked at.
    pub incomplete: Vec<Incomplete>,
    /// What was left out by choice.
    pub skipped: Vec<Skipped>,
}

/// One line on its way.
struct Started {
    candidate: Candidate,
    branch: Option<String>,
    is_head: bool,
    from_index: bool,
}

impl Started {
    /// A line that is not the head.
    fn beside(candidate: Candidate) -> Self {
        let branch = match candidate.holder.kind {
            HolderKind::Branch => Some(candidate.holder.name.clone()),
            HolderKind::PullRequest => candidate.branch.clone(),
            _ => candidate.worktree.as_ref().and_then(|worktree| worktree.branch.as_deref()).map(short),
        };
        Self { candidate, branch, is_head: false, from_index: false }
    }
}

impl Git {
    /// The top folder of the working tree, links resolved; none of a bare repository.
    ///
    /// # Errors
    /// The folder is gone.
    pub fn top(&self) -> Result<Option<PathBuf>, Fatal> {
        let top = self.repo.work_dir();
        top.map(|top| top.canonicalize().map_err(|source| Fatal::Io { path: top.to_owned(), source })).transpose()
    }

    /// The working tree, as [`WorkingTree::discover`] finds it; none of a bare repository.
    pub fn working_tree(&self, untracked: Untracked) -> Option<WorkingTree> {
        WorkingTree::of(self.repo.clone(), untracked)
    }

    /// The name of the head's branch, without a remote's; none where it is no branch.
    ///
    /// # Errors
    /// The branches can't be read.
    pub fn branch_of(&self, head: &HeadRef) -> Result<Option<String>, Fatal> {
        if let Some(name) = head.branch_name(&self.repo.to_thread_local()) {
            return Ok(Some(name));
        }
        // no branch is checked out, as on most CI machines: the only one that points here is meant
        let all = self.branches()?.all;
        let here = all.into_iter().filter(|branch| Some(branch.commit) == head.commit);
        let names: BTreeSet<String> = here.map(|branch| branch.remote_name.unwrap_or(branch.short)).collect();
        Ok(names.first().filter(|_| names.len() == 1).cloned())
    }

    /// All worktrees, whatever is checked out in them; the one that the run began in is the head's.
    ///
    /// # Errors
    /// git's list of them, or one of them, can't be read.
    pub fn checkouts(&self) -> Result<Vec<(Holder, WorkingTree)>, Fatal> {
        let mut all = Vec::new();
        for worktree in self.worktrees()?.all {
            let commit = worktree.head.map(|id| id.to_string());
            let holder = Holder { kind: HolderKind::Worktree, name: worktree.name, commit };
            let tree = match worktree.is_current {
                true => self.working_tree(Untracked::Included),
                false => WorkingTree::open(&worktree.path, Untracked::Included)?,
            };
            all.extend(tree.map(|tree| (holder, tree)));
        }
        Ok(all)
    }

    /// Gathers the head and the lines that are asked for, each against its merge base with the trunk.
    ///
    /// # Errors
    /// An unknown name, a glob that does not compile, a trunk that can't be read.
    pub fn work(&self, trunk: Option<&Trunk>, head: Head<'_>, ask: Ask, folders: Folders<'_>) -> Result<Work, Fatal> {
        let mut work = Work::default();
        let mut started = Vec::new();
        let head_ref = match head {
            Head::Nothing => None,
            Head::Commit(name) => Some(self.head_ref(Some(name))?),
            Head::Index | Head::WorkingTree => Some(self.head_ref(None)?),
        };
        work.head_ref.clone_from(&head_ref);
        let mut number = head_ref.as_ref().and_then(|head| head.number);
        if let Some(trunk) = trunk.filter(|_| !ask.branches.is_empty() || ask.worktrees || !ask.pulls.is_empty()) {
            let found = self.lines_of_work(trunk, &Ask { head: head_ref.clone(), ..ask })?;
            number = number.or(found.head_number);
            work.incomplete = found.incomplete;
            work.skipped = found.skipped;
            started.extend(found.candidates.into_iter().map(Started::beside));
        }
        if let Some(head_ref) = head_ref {
            started.push(self.head(head, HeadRef { number, ..head_ref })?);
        }
        let tips: Vec<_> = started.iter().filter_map(|one| one.candidate.tip).collect();
        let mut grown = match trunk {
            Some(trunk) => self.grown(trunk.commit, &tips, folders)?,
            None => Vec::new(),
        }
        .into_iter();
        let mut unrelated = 0;
        let mut kept: Vec<(Started, Option<Growth>)> = Vec::new();
        for one in started {
            let growth = if one.candidate.tip.is_some() { grown.next() } else { None };
            let name = &one.candidate.holder.name;
            let against = trunk.map_or("the trunk", |trunk| &trunk.name);
            match growth {
                Some(Grown::Line(growth)) => kept.push((one, Some(growth))),
                Some(Grown::Merged) if one.candidate.worktree.is_none() && !one.is_head => {}
                None | Some(Grown::Merged) => kept.push((one, None)),
                Some(Grown::Unrelated) if !one.is_head => unrelated += 1,
                Some(Grown::Unrelated) => work.incomplete.push(Incomplete {
                    what: name.clone(),
                    why: format!("it has no commit in common with {against}, so nothing tells what it changes"),
                }),
                Some(Grown::Shallow) => work.incomplete.push(shallow(name, against)),
                Some(Grown::Broken(why)) => work.incomplete.push(Incomplete { what: name.clone(), why }),
            }
        }
        if unrelated > 0 {
            work.skipped.push(Skipped {
                what: "branches without a commit in common with the trunk".into(),
                count: Some(unrelated),
            });
        }
        self.finish(kept, folders, &mut work)?;
        Ok(work)
    }

    /// The head as a line.
    fn head(&self, head: Head<'_>, of: HeadRef) -> Result<Started, Fatal> {
        let worktree = match head {
            Head::WorkingTree => self.current_worktree()?,
            _ => None,
        };
        let mut holder = Holder::head(of.commit.map(|id| id.to_string()));
        if let Head::Commit(name) = head {
            name.clone_into(&mut holder.name);
        }
        let candidate = Candidate { holder, tip: of.commit, worktree, number: of.number, branch: None };
        let branch = of.reference.as_deref().map(short);
        Ok(Started { candidate, branch, is_head: true, from_index: head == Head::Index })
    }

    /// Adds what is uncommitted, all worktrees at once.
    fn finish(&self, kept: Vec<(Started, Option<Growth>)>, folders: Folders<'_>, work: &mut Work) -> Result<(), Fatal> {
        let numbered: Vec<(Started, Option<Growth>, Option<u16>)> = kept
            .into_iter()
            .map(|(one, growth)| {
                let number = one.candidate.worktree.as_ref().map(|worktree| {
                    work.worktrees.push(worktree.path.clone());
                    (work.worktrees.len() - 1) as u16
                });
                (one, growth, number)
            })
            .collect();
        let of = |(one, _, number): &(Started, Option<Growth>, Option<u16>)| match (&one.candidate.worktree, number) {
            (Some(worktree), Some(number)) => self.on_disk(worktree, *number, folders),
            _ if one.from_index => {
                let staged = self.staged(folders)?;
                Ok((staged.changes, staged.incomplete))
            }
            _ => Ok(Extra::default()),
        };
        let uncommitted: Vec<Result<Extra, Fatal>> = threads::map(&numbered, 2, of);
        for ((one, growth, _), extra) in numbered.into_iter().zip(uncommitted) {
            let (changes, incomplete) = extra?;
            work.incomplete.extend(incomplete);
            let is_head = one.is_head;
            let crossed = growth.as_ref().is_some_and(|growth| growth.crossed);
            let line = line(one, growth, changes);
            if is_head {
                work.head = Some(work.lines.len());
            } else if line.changes.is_empty() {
                continue;
            }
            if crossed {
                work.crossed.insert(work.lines.len() as u32);
            }
            work.lines.push(line);
        }
        Ok(())
    }

    fn on_disk(&self, worktree: &Worktree, number: u16, folders: Folders<'_>) -> Result<Extra, Fatal> {
        let uncommitted = self.uncommitted(worktree, number, folders)?;
        Ok((uncommitted.changes, uncommitted.incomplete))
    }
}

/// What is uncommitted, and what of it could not be looked at.
type Extra = (Vec<Changed>, Vec<Incomplete>);

fn line(started: Started, growth: Option<Growth>, uncommitted: Vec<Changed>) -> Line {
    let Started { candidate: Candidate { holder, tip, number, .. }, branch, .. } = started;
    match growth {
        Some(growth) => Line {
            holder,
            branch,
            number,
            tip,
            fork: Some(growth.fork),
            own: growth.own,
            started: growth.started,
            changes: compose(growth.changes, uncommitted),
        },
        None => Line { holder, branch, number, tip, fork: tip, own: Vec::new(), started: None, changes: uncommitted },
    }
}

/// The short name of a branch.
fn short(reference: &str) -> String {
    ["refs/heads/", "refs/remotes/", "refs/tags/"]
        .iter()
        .find_map(|prefix| reference.strip_prefix(prefix))
        .unwrap_or(reference)
        .to_owned()
}

fn shallow(name: &str, against: &str) -> Incomplete {
    let why = format!(
        "no merge base with {against}: this is a shallow clone. `git fetch --unshallow --filter=blob:none` brings the history without the files; on GitHub Actions, `fetch-depth: 0` does"
    );
    Incomplete { what: name.to_owned(), why }
}
