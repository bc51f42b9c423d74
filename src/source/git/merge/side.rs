//! One side of a merge: a commit, made in memory where a line has work that is not committed.

use std::collections::BTreeSet;

use gix::{
    ObjectId,
    bstr::{BString, ByteSlice},
    objs::tree::EntryKind as Mode,
    odb::memory::Storage,
};

use super::{bench::Tools, store::Store};
use crate::{
    diag::HolderKind,
    report::Incomplete,
    source::{Changed, EntryKind, Line, Place, ReadVersion, Version},
};

/// The commits of all lines that are merged.
pub(super) struct Sides {
    /// By line; none for one that is in no pair, or that could not be made.
    commits: Vec<Option<ObjectId>>,
    /// What was made in memory.
    pub(super) objects: Storage,
}

impl Sides {
    pub(super) fn commit(&self, line: u32) -> Option<ObjectId> {
        self.commits.get(line as usize).copied().flatten()
    }
}

impl Tools {
    /// Makes the lines of these pairs ready.
    pub(super) fn sides(
        &self,
        lines: &[Line],
        pairs: &[(u32, u32)],
        read: &ReadVersion<'_>,
        incomplete: &mut Vec<Incomplete>,
    ) -> Sides {
        let mut repo = self.repo.to_thread_local().with_object_memory();
        let mut store = Store::new(self);
        let mut commits = vec![None; lines.len()];
        let wanted: BTreeSet<u32> = pairs.iter().flat_map(|(a, b)| [*a, *b]).collect();
        for at in wanted {
            let Some(line) = lines.get(at as usize) else { continue };
            commits[at as usize] = match line.tip {
                Some(tip) if !has_loose_work(line) => Some(tip),
                _ => match made(&repo, &mut store, line, read) {
                    Ok(commit) => Some(commit),
                    Err(why) => {
                        incomplete.push(Incomplete { what: format!("merges with {}", line.holder.name), why });
                        None
                    }
                },
            };
        }
        Sides { commits, objects: repo.objects.take_object_memory().unwrap_or_default() }
    }
}

/// A commit in memory, on top of the last one, that holds all that the line changes.
fn made(repo: &gix::Repository, store: &mut Store, line: &Line, read: &ReadVersion<'_>) -> Result<ObjectId, String> {
    let said = |error: gix::Error| error.to_string();
    let tree = |commit: ObjectId| repo.find_commit(commit).and_then(|commit| commit.tree());
    let fork = line.fork.map(tree).transpose().map_err(said)?;
    let tip = line.tip.map(tree).transpose().map_err(said)?;
    let mut editor = fork.as_ref().unwrap_or(&repo.empty_tree()).edit().map_err(said)?;
    for changed in &line.changes {
        let path: BString = changed.path.as_bytes().into();
        let at = |why: String| format!("{}: {why}", changed.path.lossy());
        let Some(version) = &changed.new else {
            editor.remove(&path).map_err(|error| at(error.to_string()))?;
            continue;
        };
        let id = match version.place {
            Place::Blob(id) => id,
            Place::Disk | Place::Worktree(_) => {
                let mut bytes = read(changed, version).map_err(|error| at(error.to_string()))?;
                if version.kind == EntryKind::File {
                    bytes = store
                        .stored(repo, tip.as_ref(), path.as_bstr(), bytes)
                        .map_err(|error| at(error.to_string()))?;
                }
                repo.write_blob(bytes).map_err(said)?.detach()
            }
        };
        let mode = mode(version, path.as_bstr(), [&tip, &fork]);
        editor.upsert(&path, mode, id).map_err(|error| at(error.to_string()))?;
    }
    let tree = editor.write().map_err(said)?.detach();
    let nobody = gix::actor::Signature { name: "gatekeep".into(), ..Default::default() };
    let commit = gix::objs::Commit {
        tree,
        parents: line.tip.into_iter().collect(),
        author: nobody.clone(),
        committer: nobody,
        encoding: None,
        message: "not committed yet".into(),
        extra_headers: Vec::new(),
    };
    repo.write_object(&commit).map(gix::Id::detach).map_err(said)
}

/// Whether a line may hold more than its last commit.
fn has_loose_work(line: &Line) -> bool {
    let loose = |changed: &Changed| changed.new.is_some_and(|new| !matches!(new.place, Place::Blob(_)));
    match line.holder.kind {
        HolderKind::Worktree => true,
        HolderKind::Head => line.holder.commit.is_none() || line.changes.iter().any(loose),
        _ => line.changes.iter().any(loose),
    }
}

/// The mode of a file: a version does not say whether it is executable, so the last commit does.
fn mode(version: &Version, path: &gix::bstr::BStr, trees: [&Option<gix::Tree<'_>>; 2]) -> Mode {
    if version.kind == EntryKind::Link {
        return Mode::Link;
    }
    let known = trees.into_iter().flatten().find_map(|tree| {
        let entry = tree.lookup_entry(path.split_str("/")).ok().flatten()?;
        Some(entry.mode().kind()).filter(|kind| matches!(kind, Mode::Blob | Mode::BlobExecutable))
    });
    known.unwrap_or(Mode::Blob)
}
