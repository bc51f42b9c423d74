//! Which of several commits is the newest state, and how old it is.

use gix::ObjectId;
use rayon::prelude::*;

/// Commits in order of their history.
pub(super) struct History<'r> {
    repo: &'r gix::Repository,
    graph: Option<gix::commitgraph::Graph>,
}

impl<'r> History<'r> {
    pub(super) fn of(repo: &'r gix::Repository) -> Self {
        Self { repo, graph: repo.commit_graph_if_enabled().ok().flatten() } // a broken one is slower, not wrong
    }

    /// Of some states of one line: the first, or another that goes on from it.
    pub(super) fn newest(&self, first: ObjectId, others: impl IntoIterator<Item = ObjectId>) -> ObjectId {
        others.into_iter().fold(first, |now, other| if self.goes_on(now, other) { other } else { now })
    }

    /// Whether the later commit has the earlier one in its history. Not where that can't be told, as in a shallow clone.
    fn goes_on(&self, earlier: ObjectId, later: ObjectId) -> bool {
        if earlier == later {
            return false;
        }
        let mut walk = self.repo.revision_graph(self.graph.as_ref());
        self.repo
            .merge_base_with_graph(earlier, later, &mut walk)
            .is_ok_and(|base| base.is_some_and(|base| base == earlier))
    }

    /// When commits were made (committer's clock), in seconds since 1970; none of one that can't be read.
    pub(super) fn times(&self, commits: &[ObjectId]) -> Vec<Option<i64>> {
        let in_graph = |id: &ObjectId| {
            let commit = self.graph.as_ref()?.commit_by_id(id)?;
            Some(commit.committer_timestamp() as i64) // 34 bits
        };
        let mut times: Vec<Option<i64>> = commits.iter().map(in_graph).collect();
        let read = |repo: &mut gix::Repository, (id, time): (&ObjectId, &mut Option<i64>)| {
            if time.is_none() {
                *time = repo.find_commit(*id).ok().and_then(|commit| Some(commit.time().ok()?.seconds));
            }
        };
        // the threads are not woken where the graph knows it all
        if times.iter().any(Option::is_none) {
            let repo = self.repo.clone().into_sync();
            let all = commits.par_iter().zip(times.par_iter_mut()).with_min_len(64);
            all.for_each_init(|| repo.to_thread_local(), read);
        }
        times
    }
}
