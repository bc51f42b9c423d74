//! Which commits came to the trunk with each step of its own history.

use std::collections::BTreeSet;

use gix::ObjectId;

use super::{
    branch,
    commits::{Commits, Number},
    trunk::Trunk,
};
use crate::source::{Git, Step};

/// Tells which commits a merge brought, for one thread; what was read for one merge serves the next.
pub struct Arrivals<'g> {
    git: &'g Git,
    commits: Commits<'g>,
}

impl Git {
    /// Tells which commits merges brought, for one thread.
    pub fn arrivals(&self) -> Arrivals<'_> {
        Arrivals { git: self, commits: Commits::new(self) }
    }
}

impl Arrivals<'_> {
    /// The commits that can be reached from a merge's other parents and not from its first, sorted by id, without the merge itself. Empty
    /// for a commit that is no merge.
    ///
    /// # Errors
    /// History can't be read, or a shallow clone ends among them: a text for people.
    pub fn of(&mut self, step: &Step) -> Result<Vec<ObjectId>, String> {
        let commits = &mut self.commits;
        let commit = commits.find(step.commit)?;
        let edges = commits.meet_parents(commit)?;
        let parents: Vec<Number> = edges.map(|edge| commits.parent(edge)).collect();
        let Some((first, others)) = parents.split_first().filter(|(_, others)| !others.is_empty()) else {
            return Ok(Vec::new());
        };
        let tips: Vec<Result<Number, String>> = others.iter().map(|tip| Ok(*tip)).collect();
        let mut trunk = Trunk::new(commits, *first);
        let branches = branch::walk(commits, &mut trunk, &tips);
        self.git.counters.commits(trunk.visited);
        if let Some(why) = trunk.broken {
            return Err(why);
        }
        let mut own = BTreeSet::new();
        for branch in branches {
            let branch = branch?;
            if branch.cut {
                return Err("this shallow clone ends among the commits that it brought; `git fetch --unshallow` \
                            brings the rest"
                    .into());
            }
            own.extend(branch.own.iter().map(|commit| commits.get(*commit).id));
        }
        Ok(own.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::source::git::testing::TestRepo;

    fn commit(repo: &TestRepo, message: &str) {
        repo.git(&["commit", "--quiet", "--allow-empty", "-m", message]);
    }

    /// A trunk with a plain commit, a merge, an octopus, and a merge of a branch that had taken in the trunk.
    fn history() -> TestRepo {
        let repo = TestRepo::new(&[]);
        commit(&repo, "begin");
        for name in ["a", "b", "c"] {
            repo.git(&["checkout", "--quiet", "-b", name, "main"]);
            commit(&repo, &format!("{name} 1"));
            commit(&repo, &format!("{name} 2"));
        }
        repo.git(&["checkout", "--quiet", "main"]);
        commit(&repo, "plain");
        repo.git(&["merge", "--quiet", "--no-ff", "--no-edit", "a"]);
        repo.git(&["merge", "--quiet", "--no-ff", "--no-edit", "b", "c"]);
        repo.git(&["checkout", "--quiet", "a"]);
        repo.git(&["merge", "--quiet", "--no-ff", "-m", "take in", "main"]);
        commit(&repo, "a 3");
        repo.git(&["checkout", "--quiet", "main"]);
        commit(&repo, "another");
        repo.git(&["merge", "--quiet", "--no-ff", "--no-edit", "a"]);
        repo
    }

    #[test]
    fn each_step_brings_what_git_says() {
        let repo = history();
        let git = repo.open();
        let mut arrivals = git.arrivals();
        let mut merges = 0;
        for step in git.steps(git.commit("main").unwrap(), None).unwrap().steps {
            let asked = [format!("{}^@", step.commit), format!("^{}^1", step.commit)];
            let expected: Vec<ObjectId> = match step.parent {
                Some(_) => {
                    repo.git(&["rev-list", &asked[0], &asked[1]]).lines().map(|id| id.parse().unwrap()).collect()
                }
                None => Vec::new(),
            };
            merges += usize::from(!expected.is_empty());
            assert_eq!(
                arrivals.of(&step).unwrap(),
                expected.into_iter().collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>()
            );
        }
        assert_eq!(merges, 3);
    }

    #[test]
    fn what_a_shallow_clone_does_not_hold_is_said() {
        let repo = history();
        let url = format!("file://{}", repo.top().display());
        let shallow = repo.beside("shallow");
        repo.git(&["clone", "--quiet", "--depth", "2", &url, shallow.to_str().unwrap()]);
        let git = Git::open(&shallow).unwrap().unwrap();
        let steps = git.steps(git.commit("HEAD").unwrap(), None).unwrap().steps;
        let why = git.arrivals().of(&steps[0]).unwrap_err();
        assert!(why.contains("git fetch --unshallow"), "{why}");
    }
}
