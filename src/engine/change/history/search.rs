//! Which commits replaced the versions that a change puts back, under whatever path they stood then.

use std::collections::BTreeMap;

use gix::ObjectId;

use super::Restored;
use crate::{
    diag::RepoPath,
    rule::change::GivenUp,
    source::{Changed, Folders, Git, Place, Step, Touch, Version},
};

/// A path that one of the files had, before a commit moved it away.
#[derive(Clone)]
struct Trail {
    path: RepoPath,
    /// Index into the files.
    file: usize,
    /// The first step, of those from the newest to the oldest, before which the file stood there.
    from: usize,
}

pub(super) struct Search<'a> {
    git: &'a Git,
    files: &'a [Restored<'a>],
    /// The file that the change adds with a version: perhaps one that it moves and puts back at once.
    added: BTreeMap<Version, usize>,
    /// By the file's number.
    pub(super) found: BTreeMap<usize, GivenUp>,
}

impl<'a> Search<'a> {
    pub(super) fn new(git: &'a Git, files: &'a [Restored<'a>]) -> Self {
        let new = files.iter().enumerate().filter(|(_, file)| file.is_new);
        let added = new.filter_map(|(at, file)| Some((file.after.filter(holds_text)?, at))).collect();
        Self { git, files, added, found: BTreeMap::new() }
    }

    /// Goes back over the steps, and again over the older ones for each path that a file had before it was moved.
    pub(super) fn run(&mut self, steps: &[Step]) -> Result<(), String> {
        let all = self.files.iter().enumerate();
        let mut trails: Vec<Trail> = all.map(|(file, one)| Trail { path: one.path.clone(), file, from: 0 }).collect();
        while !trails.is_empty() {
            trails = self.follow(steps, &trails)?;
        }
        Ok(())
    }

    /// Follows trails to their ends, and gives those that go on under another path.
    fn follow(&mut self, steps: &[Step], trails: &[Trail]) -> Result<Vec<Trail>, String> {
        let first = trails.iter().map(|trail| trail.from).min().unwrap_or_default();
        let mut trails = trails.to_vec();
        trails.sort_by(|a, b| a.path.cmp(&b.path));
        let paths: Vec<&RepoPath> = trails.iter().map(|trail| &trail.path).collect();
        let (git, mut at, mut next) = (self.git, first, Vec::new());
        let mut failed = None;
        git.trace(&steps[first..], &paths, |step, touched| {
            let mut moved = None;
            for touch in touched.iter().filter(|touch| trails[touch.path].from <= at) {
                let trail = &trails[touch.path];
                self.see(trail, step, touch);
                let (None, Some(new)) = (touch.old, touch.new) else { continue };
                if self.files[trail.file].after.is_none() || self.found.contains_key(&self.files[trail.file].file) {
                    continue; // it is known, or has no version to be put back
                }
                let changes = moved.get_or_insert_with(|| git.comparison(Folders::All).changes(step));
                match changes {
                    Ok(changes) => next.extend(self.origin(changes, trail, step, new, at)),
                    Err(why) => failed = Some(why.clone()),
                }
            }
            at += 1;
            failed.is_none() && self.found.len() < self.files.len()
        })?;
        failed.map_or(Ok(next), Err)
    }

    /// Whether a step replaced the version that is put back.
    fn see(&mut self, trail: &Trail, step: &Step, touch: &Touch) {
        let own = &self.files[trail.file];
        if touch.old == own.after && touch.new != own.after {
            self.tell(trail.file, step, touch.new);
        }
        // the change takes the path away, and puts what once stood there somewhere else
        let elsewhere = touch.old.filter(|_| own.after.is_none()).and_then(|old| self.added.get(&old).copied());
        if let Some(file) = elsewhere.filter(|_| touch.new.is_some() && touch.new != touch.old) {
            self.tell(file, step, touch.new);
        }
    }

    fn tell(&mut self, at: usize, step: &Step, new: Option<Version>) {
        let file = self.files[at].file;
        self.found.entry(file).or_insert_with(|| {
            let subject = self.git.subject(step.commit, 80);
            GivenUp { file, new, by: step.commit, time: step.time, subject }
        });
    }

    /// Where a file that a step brings was before it: where its content stood, or the version that is put back, else at the one path of its
    /// name that the step removes. A step that replaces the version on the way is the one that is undone.
    fn origin(&mut self, changes: &[Changed], trail: &Trail, step: &Step, new: Version, at: usize) -> Option<Trail> {
        let own = self.files[trail.file].after;
        let gone: Vec<&Changed> = changes.iter().filter(|changed| changed.new.is_none()).collect();
        let holding = |version: Option<Version>| gone.iter().find(|changed| changed.old == version);
        let named = || {
            let mut named = gone.iter().filter(|changed| changed.path.file_name() == trail.path.file_name());
            named.next().filter(|_| named.next().is_none())
        };
        let origin = holding(Some(new))
            .or_else(|| holding(own).filter(|_| own.as_ref().is_some_and(holds_text)))
            .or_else(named)?;
        if origin.old != Some(new) && origin.old == own {
            self.tell(trail.file, step, Some(new));
        }
        Some(Trail { path: origin.path.clone(), file: trail.file, from: at + 1 })
    }
}

/// Whether there is something in a version: what is empty is nobody's in particular.
fn holds_text(version: &Version) -> bool {
    !matches!(version.place, Place::Blob(id) if id == ObjectId::empty_blob(id.kind()))
}
