//! Who changed what outside their lane, by the signs that history keeps: the branch that a merge names, authors, and trailers.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use super::{Asked, StepGaps, commit, threads::each};
use crate::{
    config::Config,
    diag::{RepoPath, Severity},
    engine::Plan,
    report::{Incomplete, audit::Outside},
    rule::{
        change::Signals,
        code::boundary::{self, OUTSIDE, Part, Strayed, Who, lanes_of},
    },
    source::{Arrivals, Commit, Comparison, Folders, Git, Step},
};

/// What lay outside of lanes, the newest commit first, then by lane; none where there are no lanes, or nobody asks.
pub(super) fn find(plan: &Plan<'_>, asked: &Asked<'_>, steps: &[Step], gaps: &StepGaps) -> Option<Vec<Outside>> {
    let config = &plan.config.as_ref()?.config;
    let is_asked = plan.code.contains(&boundary::RULE.id) && plan.levels.apply(OUTSIDE, Severity::Error).is_some();
    if config.agents.is_empty() || !is_asked {
        return None;
    }
    let judged = each(
        steps.len(),
        || Judge::new(asked.git, config),
        |judge, at| {
            let gap = |why: String| {
                gaps.add(at, Incomplete { what: "who changed what".into(), why });
                Vec::new()
            };
            // a panic makes the commit a gap, never the audit clean
            match catch_unwind(AssertUnwindSafe(|| judge.step(&steps[at]))) {
                Ok(strayed) => strayed.unwrap_or_else(gap),
                Err(_) => gap("gatekeep itself failed on it; please report it".into()),
            }
        },
    );
    let mut outside = Vec::new();
    for (step, strayed) in steps.iter().zip(judged).filter(|(_, strayed)| !strayed.is_empty()) {
        let commit = Arc::new(commit(asked.git, step));
        outside.extend(strayed.into_iter().map(|Strayed { agent, sign, files }| Outside {
            commit: Arc::clone(&commit),
            agent,
            by: sign.words(),
            files,
        }));
    }
    Some(outside)
}

/// Judges steps, for one thread.
struct Judge<'a> {
    git: &'a Git,
    config: &'a Config,
    /// Whether a lane is known by what commits say.
    by_commits: bool,
    arrivals: Arrivals<'a>,
    comparison: Comparison<'a, 'a>,
}

impl<'a> Judge<'a> {
    fn new(git: &'a Git, config: &'a Config) -> Self {
        let mut lanes = config.agents.values();
        let by_commits = lanes.any(|lane| !(lane.authors.is_empty() && lane.trailers.is_empty()));
        Self { git, config, by_commits, arrivals: git.arrivals(), comparison: git.comparison(Folders::All) }
    }

    /// What a step did outside of lanes. Before the very first commit nothing was anybody's, so it strays from nothing.
    fn step(&mut self, step: &Step) -> Result<Vec<Strayed>, String> {
        if step.parent.is_none() {
            return Ok(Vec::new());
        }
        let parts = self.parts(step)?;
        if parts.is_empty() {
            return Ok(Vec::new());
        }
        let paths = self.paths(step)?;
        Ok(boundary::strayed(self.config, &paths, &parts))
    }

    /// Who made which part of a step, without those whom no lane claims.
    fn parts(&mut self, step: &Step) -> Result<Vec<Part<'a>>, String> {
        let mut parts = Vec::new();
        for commit in self.git.said(&[step.commit])? {
            for branch in commit.merged_branches() {
                parts.push(Part { who: self.who(Some(branch), &[]), paths: None });
            }
            if !self.by_commits {
                continue;
            }
            if commit.parents.len() < 2 {
                parts.push(Part { who: self.who(None, &helped(&commit)), paths: None });
            } else {
                let own = self.arrivals.of(step)?;
                for commit in self.git.said(&own)? {
                    parts.extend(self.part(&commit)?);
                }
            }
        }
        parts.retain(|part| part.who.lanes().len() > 0);
        Ok(parts)
    }

    fn who(&self, branch: Option<String>, commits: &[Commit]) -> Who<'a> {
        lanes_of(&Signals { branch, ..Signals::default() }, commits, self.config)
    }

    /// What one of a merge's commits did, if a lane claims it. One that takes in the trunk did nothing of its own.
    fn part(&mut self, commit: &Commit) -> Result<Option<Part<'a>>, String> {
        let who = self.who(None, std::slice::from_ref(commit));
        if commit.parents.len() > 1 || who.lanes().len() == 0 {
            return Ok(None);
        }
        let step = Step { commit: commit.id, parent: commit.parents.first().copied(), time: commit.time };
        Ok(Some(Part { who, paths: Some(self.paths(&step)?) }))
    }

    fn paths(&mut self, step: &Step) -> Result<Vec<RepoPath>, String> {
        Ok(self.comparison.changes(step)?.into_iter().map(|changed| changed.path).collect())
    }
}

/// A commit, and once more as if each who helped had written it: a squash keeps its authors that way.
fn helped(commit: &Commit) -> Vec<Commit> {
    let as_if = |(name, email): (&str, &str)| Commit {
        author: name.to_owned(),
        email: email.to_owned(),
        message: String::new(),
        ..commit.clone()
    };
    std::iter::once(commit.clone()).chain(commit.co_authors().map(as_if)).collect()
}
