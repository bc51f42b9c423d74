//! Finding lines of work: one holder each.

use gix::ObjectId;

use super::{
    Ask, Candidate, Found, HeadRef, Pull, Trunk, Worktree, group::Groups, names::Names, newest::History, refs,
    remotes::Remotes,
};
use crate::{
    diag::{Holder, HolderKind},
    error::Fatal,
    report::Skipped,
    source::Git,
};

impl Git {
    /// Who the head is: the branch, tag or commit of this name, else what is checked out in the worktree that the run began in.
    ///
    /// # Errors
    /// There is no such name, or it stands for no commit.
    pub fn head_ref(&self, named: Option<&str>) -> Result<HeadRef, Fatal> {
        let repo = self.repo.to_thread_local();
        if let Some(name) = named {
            refs::can_be_read(&repo)?;
            let commit = Some(self.commit(name)?);
            return Ok(HeadRef {
                reference: super::trunk::reference(&repo, name),
                commit,
                worktree: None,
                number: None,
            });
        }
        Ok(self.current_worktree()?.map_or_else(HeadRef::default, |worktree| HeadRef {
            reference: worktree.branch,
            commit: worktree.head,
            worktree: Some(worktree.name),
            number: None,
        }))
    }

    /// The lines of work beside the trunk and the head, each once: a worktree stands for the branch that it has checked out, a local branch
    /// for its upstream, or for the branch of its name on the remote; the newest state counts.
    ///
    /// # Errors
    /// A glob that does not compile, or references that can't be read at all.
    pub fn lines_of_work(&self, trunk: &Trunk, ask: &Ask) -> Result<Found, Fatal> {
        let repo = self.repo.to_thread_local();
        let remotes = Remotes::of(&repo);
        let branches = refs::all(&repo, &remotes)?;
        let exclude = Names::new(&ask.exclude)?;
        let groups = Groups::new(&branches.all, &remotes, trunk, &exclude);
        let mut search = Search {
            ask,
            wanted: Names::new(&ask.branches)?,
            exclude,
            head: Head::new(ask.head.as_ref(), &groups),
            taken: vec![false; groups.all.len()],
            pulls: vec![None; groups.all.len()],
            groups,
            history: History::of(&repo),
            excluded: 0,
            found: Found { incomplete: branches.incomplete, ..Found::default() },
        };
        search.find_pulls(&remotes);
        if ask.worktrees {
            let worktrees = self.worktrees()?;
            search.found.skipped.extend(worktrees.skipped);
            search.found.incomplete.extend(worktrees.incomplete);
            worktrees.all.into_iter().for_each(|worktree| search.worktree(worktree));
        }
        search.pulls();
        search.branches();
        Ok(search.done())
    }
}

/// What the head leaves out.
struct Head {
    group: Option<usize>,
    /// A commit that no branch is said to be: branches that end with it are the head.
    detached: Option<ObjectId>,
    worktree: Option<String>,
    number: Option<u64>,
}

impl Head {
    fn new(head: Option<&HeadRef>, groups: &Groups<'_>) -> Self {
        let group = head.and_then(|head| groups.find(head.reference.as_deref()?));
        let detached = head.and_then(|head| head.commit).filter(|_| group.is_none());
        let number = head.and_then(|head| head.number);
        Self { group, detached, worktree: head.and_then(|head| head.worktree.clone()), number }
    }
}

struct Search<'a, 'b> {
    ask: &'a Ask,
    wanted: Names,
    exclude: Names,
    head: Head,
    groups: Groups<'b>,
    /// Groups for which a worktree stands.
    taken: Vec<bool>,
    /// The pull request that is made from a group.
    pulls: Vec<Option<&'a Pull>>,
    history: History<'a>,
    excluded: usize,
    found: Found,
}

impl Search<'_, '_> {
    fn worktree(&mut self, worktree: Worktree) {
        if self.head.worktree.as_ref() == Some(&worktree.name) {
            return;
        }
        let group = worktree.branch.as_deref().and_then(|full| self.groups.find(full));
        if group.is_some() && group == self.head.group && self.head.worktree.is_none() {
            return; // the head is a branch, and here it is checked out
        }
        if let Some(at) = group
            && group != self.groups.trunk
        {
            if self.is_excluded(at) {
                self.excluded += usize::from(!std::mem::replace(&mut self.taken[at], true));
                return;
            }
            self.taken[at] = true;
        }
        let tip = match group {
            Some(_) if group == self.groups.trunk => None,
            Some(at) => worktree.head.map(|head| {
                let newest = self.newest(head, at);
                self.pulls[at].map_or(newest, |pull| self.history.newest(newest, [pull.tip]))
            }),
            None => worktree.head,
        };
        let commit = tip.or(worktree.head).map(|commit| commit.to_string());
        let pull = group.and_then(|at| self.pulls[at]);
        let (kind, name) = match pull {
            Some(pull) => (HolderKind::PullRequest, pull.name()),
            None => (HolderKind::Worktree, worktree.name.clone()),
        };
        let (number, branch) = (pull.map(|pull| pull.number), pull.map(|pull| pull.branch.clone()));
        let holder = Holder { kind, name, commit };
        self.found.candidates.push(Candidate { holder, tip, worktree: Some(worktree), number, branch });
    }

    /// Finds the branches that pull requests are made from, and the head's own.
    fn find_pulls(&mut self, remotes: &Remotes) {
        let mut pulls: Vec<&Pull> = self.ask.pulls.iter().collect();
        pulls.sort_by_key(|pull| pull.number);
        for pull in pulls {
            let is_own = self.head.number == Some(pull.number) || self.head.detached == Some(pull.tip);
            let group = if pull.is_fork { None } else { self.group_of(pull, remotes) };
            if is_own || group.is_some() && group == self.head.group {
                self.found.head_number = self.found.head_number.or(Some(pull.number));
            }
            if let Some(at) = group.filter(|at| Some(*at) != self.groups.trunk) {
                self.pulls[at].get_or_insert(pull); // of two pull requests from one branch the older one stands for it
            }
        }
    }

    fn group_of(&self, pull: &Pull, remotes: &Remotes) -> Option<usize> {
        let there = remotes.namesakes(&pull.branch);
        let here = format!("{}{}", refs::LOCAL, pull.branch);
        there.iter().find_map(|name| self.groups.find(name)).or_else(|| self.groups.find(&here))
    }

    /// The pull requests that no worktree stands for.
    fn pulls(&mut self) {
        for pull in &self.ask.pulls {
            let group = self.pulls.iter().position(|of| of.is_some_and(|of| of.number == pull.number));
            let is_own = self.found.head_number == Some(pull.number) || group.is_some() && group == self.head.group;
            if is_own || group.is_some_and(|at| self.taken[at]) {
                continue;
            }
            let tip = match group {
                Some(at) => {
                    self.taken[at] = true;
                    self.newest(pull.tip, at)
                }
                None => pull.tip,
            };
            if group.map_or_else(|| !pull.is_fork && self.exclude.has(&pull.branch), |at| self.is_excluded(at)) {
                self.excluded += 1;
                continue;
            }
            let holder = Holder { kind: HolderKind::PullRequest, name: pull.name(), commit: Some(tip.to_string()) };
            let branch = Some(pull.branch.clone());
            self.found.candidates.push(Candidate {
                holder,
                tip: Some(tip),
                worktree: None,
                number: Some(pull.number),
                branch,
            });
        }
    }

    fn branches(&mut self) {
        let mut hits = vec![false; self.ask.branches.len()];
        let mut tips = Vec::new();
        for at in 0..self.groups.all.len() {
            let which: Vec<usize> =
                self.groups.all[at].branches.iter().flat_map(|branch| self.wanted.which(branch)).collect();
            which.iter().for_each(|glob| hits[*glob] = true);
            let is_own = Some(at) == self.groups.trunk || Some(at) == self.head.group || self.is_detached_head(at);
            if which.is_empty() || is_own || self.taken[at] {
                continue;
            }
            if self.is_excluded(at) {
                self.excluded += 1;
            } else {
                tips.push((at, self.newest(self.groups.all[at].branches[0].commit, at)));
            }
        }
        for (glob, _) in self.ask.branches.iter().zip(hits).filter(|(_, hit)| !hit) {
            self.found.skipped.push(Skipped { what: format!("branches that match `{glob}`"), count: Some(0) });
        }
        self.drop_old(&mut tips);
        for (at, tip) in tips {
            let holder = Holder { kind: HolderKind::Branch, name: self.name(at), commit: Some(tip.to_string()) };
            self.found.candidates.push(Candidate {
                holder,
                tip: Some(tip),
                worktree: None,
                number: None,
                branch: None,
            });
        }
    }

    fn drop_old(&mut self, tips: &mut Vec<(usize, ObjectId)>) {
        let Some(since) = &self.ask.since else { return };
        let commits: Vec<ObjectId> = tips.iter().map(|(_, tip)| *tip).collect();
        let mut times = self.history.times(&commits).into_iter();
        let before = tips.len();
        tips.retain(|_| times.next().flatten().is_none_or(|time| time >= since.oldest));
        if tips.len() < before {
            let what = format!("branches older than {}", since.age);
            self.found.skipped.push(Skipped { what, count: Some(before - tips.len()) });
        }
    }

    fn newest(&self, first: ObjectId, group: usize) -> ObjectId {
        self.history.newest(first, self.groups.all[group].branches.iter().map(|branch| branch.commit))
    }

    fn is_excluded(&self, group: usize) -> bool {
        self.groups.all[group].branches.iter().any(|branch| self.exclude.matches(branch))
    }

    fn is_detached_head(&self, group: usize) -> bool {
        self.head
            .detached
            .is_some_and(|head| self.groups.all[group].branches.iter().any(|branch| branch.commit == head))
    }

    /// The short name; with `heads/` or `remotes/` before it where a local and a remote-tracking branch have the same one, as git does it.
    fn name(&self, group: usize) -> String {
        let branch = self.groups.all[group].branches[0];
        let (local, remote) = (format!("{}{}", refs::LOCAL, branch.short), format!("{}{}", refs::REMOTE, branch.short));
        let is_ambiguous = self.groups.find(&local).is_some() && self.groups.find(&remote).is_some();
        if is_ambiguous { branch.full["refs/".len()..].to_owned() } else { branch.short.clone() }
    }

    fn done(mut self) -> Found {
        if self.excluded > 0 {
            self.found.skipped.push(Skipped { what: "excluded branches".into(), count: Some(self.excluded) });
        }
        let key = |one: &Candidate| (one.holder.kind, one.holder.name.clone());
        self.found.candidates.sort_by_key(key);
        self.found.skipped.sort();
        self.found
    }
}
