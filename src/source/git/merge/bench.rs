//! What merges need, made once, and one copy of it for each thread.

use gix::{
    ObjectId,
    merge::{blob::pipeline::Mode, plumbing},
    odb::memory::Storage,
};

use super::{
    LONGEST_TEXT, Outcome, attributes,
    driver::{Driver, Drivers},
    side::Sides,
    stop::{Stop, Stops},
};
use crate::source::Line;

/// Bytes of decoded objects that a thread remembers.
const REMEMBERED: usize = 16 << 20;

/// What all threads share.
pub(super) struct Tools {
    pub(super) repo: gix::ThreadSafeRepository,
    pub(super) blobs: plumbing::blob::Platform,
    diff: gix::diff::blob::Platform,
    options: plumbing::commit::Options,
    graph: Option<gix::commitgraph::Graph>,
    drivers: Drivers,
}

impl Tools {
    /// Makes them for merges of these paths. The attributes are those of a commit, or of the working tree.
    pub(super) fn new<'p>(
        repo: &gix::ThreadSafeRepository,
        attributes: Option<ObjectId>,
        paths: impl Iterator<Item = &'p [u8]>,
    ) -> gix::Result<Self> {
        let local = repo.to_thread_local();
        let given = local.merge_resource_cache(Default::default())?;
        let stack = match attributes {
            Some(commit) => attributes::stack(&local, commit, paths)?,
            None => given.attr_stack.clone(),
        };
        let mut filter = given.filter;
        filter.filter.options_mut().drivers.clear();
        filter.options.large_file_threshold_bytes = LONGEST_TEXT;
        // without drivers, and blobs as they are stored: no program can run
        let blobs = plumbing::blob::Platform::new(filter, Mode::ToGit, stack.clone(), Vec::new(), given.options);
        let stored = gix::diff::blob::pipeline::Mode::ToGit;
        let mut diff = gix::diff::resource_cache(&local, stored, stack, Default::default())?;
        diff.filter.worktree_filter.options_mut().drivers.clear();
        diff.filter.options.large_file_threshold_bytes = LONGEST_TEXT;
        let graph = local.commit_graph_if_enabled().unwrap_or_default();
        Ok(Self { repo: repo.clone(), blobs, diff, options: options(&local)?, graph, drivers: Drivers::of(&local) })
    }
}

/// git's own, whatever is configured: histogram diffs (merge-ort), renames but no copies.
fn options(repo: &gix::Repository) -> gix::Result<plumbing::commit::Options> {
    let mut tree: plumbing::tree::Options = repo.tree_merge_options()?.into();
    tree.blob_merge.text.diff_algorithm = gix::diff::blob::Algorithm::Histogram;
    tree.blob_merge.text.conflict = Default::default();
    if let Some(rewrites) = &mut tree.rewrites {
        rewrites.copies = None;
    }
    Ok(plumbing::commit::Options { allow_missing_merge_base: false, tree_merge: tree, use_first_merge_base: false })
}

/// What one thread works with.
pub(super) struct Bench<'a> {
    tools: &'a Tools,
    sides: &'a Sides,
    repo: gix::Repository,
    blobs: plumbing::blob::Platform,
    diff: gix::diff::blob::Platform,
}

impl<'a> Bench<'a> {
    pub(super) fn new(tools: &'a Tools, sides: &'a Sides) -> Self {
        let mut repo = tools.repo.to_thread_local().with_object_memory();
        repo.object_cache_size_if_unset(REMEMBERED);
        repo.objects.set_object_memory(sides.objects.clone());
        Self { tools, sides, repo, blobs: tools.blobs.clone(), diff: tools.diff.clone() }
    }

    /// Merges two lines; none where one of them could not be made ready.
    pub(super) fn meet(&mut self, lines: &[Line], a: u32, b: u32) -> Option<Outcome> {
        let (ours, theirs) = (self.sides.commit(a)?, self.sides.commit(b)?);
        let outcome = self.merge(ours, theirs).map(|stops| match stops {
            None => Outcome::Unrelated,
            Some(Stops { mut stops, mut unknown }) => {
                let concerns = |stop: &Stop| [a, b].iter().all(|line| stop.concerns(&lines[*line as usize]));
                stops.retain(concerns);
                unknown.retain(concerns);
                let before = stops.len();
                stops.retain(|stop| !self.is_driven(stop.path.as_bytes()));
                Outcome::Merged { driven: before - stops.len(), stops, unknown }
            }
        });
        self.forget();
        Some(outcome.unwrap_or_else(|error| Outcome::Failed(error.to_string())))
    }

    /// Where git stops; none for two commits without a common ancestor.
    fn merge(&mut self, ours: ObjectId, theirs: ObjectId) -> gix::Result<Option<Stops>> {
        let repo = &self.repo;
        let mut graph = repo.revision_graph(self.tools.graph.as_ref());
        let outcome = plumbing::commit(
            ours,
            theirs,
            Default::default(),
            &mut graph,
            &mut self.diff,
            &mut self.blobs,
            repo,
            &mut |id| id.to_hex().to_string(),
            self.tools.options.clone(),
        );
        let outcome = match outcome {
            Ok(outcome) => outcome,
            Err(error) => {
                let related = gix::revision::plumbing::merge_base(ours, &[theirs], &mut graph)?.is_some();
                return if related { Err(error) } else { Ok(None) };
            }
        };
        let is_long = |id: &gix::oid| repo.find_header(id).is_ok_and(|header| header.size() > LONGEST_TEXT);
        Ok(Some(Stops::of(&outcome.tree_merge.conflicts, is_long)))
    }

    fn is_driven(&mut self, path: &[u8]) -> bool {
        let drivers = &self.tools.drivers;
        !drivers.run_nothing() && drivers.driver_of(&mut self.blobs.attr_stack, &self.repo, path) == Driver::Program
    }

    /// Drops what the last merge left behind, so that memory does not grow with the number of pairs.
    fn forget(&mut self) {
        self.diff.clear_resource_cache_keep_allocation();
        let kept = &self.sides.objects;
        if self.repo.objects.num_objects_in_memory() > kept.len() {
            let mut objects: Storage = self.repo.objects.take_object_memory().unwrap_or_default();
            objects.retain(|id, _| kept.contains_key(id));
            self.repo.objects.set_object_memory(objects);
        }
    }
}
