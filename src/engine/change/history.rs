//! What history tells of a change.

mod search;

use gix::ObjectId;

use crate::{
    diag::RepoPath,
    report::Incomplete,
    rule::change::{HORIZON, HORIZON_AGE, Past},
    source::{Changed, Commit, End, Folders, Git, Step, Version},
};
use search::Search;

/// What only the history of the repository tells of a change.
pub trait ChangeHistory: Send + Sync {
    /// What stands at a path in a commit.
    ///
    /// # Errors
    /// It can't be read: a text for people.
    fn at(&self, commit: ObjectId, path: &RepoPath) -> Result<Option<Version>, String>;

    /// Whether a commit has a file at a path, or a folder.
    ///
    /// # Errors
    /// It can't be read: a text for people.
    fn holds(&self, commit: ObjectId, path: &RepoPath) -> Result<bool, String>;

    /// What commits say of themselves, each before its parents.
    ///
    /// # Errors
    /// One of them can't be read.
    fn said(&self, commits: &[ObjectId]) -> Result<Vec<Commit>, String>;

    /// What a commit did against its first parent.
    ///
    /// # Errors
    /// A tree can't be read.
    fn done_by(&self, commit: &Commit) -> Result<Vec<Changed>, String>;

    /// As [`Ground::given_up`](crate::rule::change::Ground::given_up), from a merge base. `now` is in seconds since 1970.
    fn given_up(&self, fork: ObjectId, files: &[Restored<'_>], now: i64) -> Past;

    /// When the last of the trunk's commits that touched each of these sorted paths was made; none where all are older than `oldest`.
    ///
    /// # Errors
    /// History can't be read so far back.
    fn last_touched(&self, trunk: ObjectId, paths: &[RepoPath], oldest: i64) -> Result<Vec<Option<i64>>, String>;
}

/// A file whose version may be one that the base gave up.
#[derive(Clone, Copy, Debug)]
pub struct Restored<'a> {
    /// Its number among the files of the change.
    pub file: usize,
    /// Its path.
    pub path: &'a RepoPath,
    /// What the head holds there; none where it removes the file.
    pub after: Option<Version>,
    /// Whether the change adds the path.
    pub is_new: bool,
}

impl ChangeHistory for Git {
    fn at(&self, commit: ObjectId, path: &RepoPath) -> Result<Option<Version>, String> {
        Self::at(self, commit, path.as_bytes()).map_err(|fatal| fatal.to_string())
    }

    fn holds(&self, commit: ObjectId, path: &RepoPath) -> Result<bool, String> {
        let entries = self.entries_at(commit, path.parent()).map_err(|fatal| fatal.to_string())?;
        Ok(entries.iter().any(|(name, _)| name == path.file_name()))
    }

    fn said(&self, commits: &[ObjectId]) -> Result<Vec<Commit>, String> {
        Self::said(self, commits)
    }

    fn done_by(&self, commit: &Commit) -> Result<Vec<Changed>, String> {
        let step = Step { commit: commit.id, parent: commit.parents.first().copied(), time: commit.time };
        self.comparison(Folders::All).changes(&step)
    }

    fn given_up(&self, fork: ObjectId, files: &[Restored<'_>], now: i64) -> Past {
        let mut past = Past::default();
        let oldest = now.saturating_sub(HORIZON_AGE);
        let walked = match self.recent_steps(fork, Some(oldest), HORIZON) {
            Ok(walked) => walked,
            Err(fatal) => {
                past.incomplete.push(gap(fatal.to_string()));
                return past;
            }
        };
        let mut search = Search::new(self, files);
        let traced = search.run(&walked.steps);
        let is_open = search.found.len() < files.len();
        past.versions = search.found.into_values().collect();
        match (walked.end, traced) {
            (_, Err(why)) | (End::Broken(_, why), _) => past.incomplete.push(gap(why)),
            (End::Shallow(..), _) if is_open => {
                let why = "this clone is shallow, so that nobody knows what stood in these files before. `git fetch \
                           --unshallow --filter=blob:none` brings the history; on GitHub Actions, `fetch-depth: 0` does";
                past.incomplete.push(gap(why.into()));
            }
            _ => {}
        }
        past
    }

    fn last_touched(&self, trunk: ObjectId, paths: &[RepoPath], oldest: i64) -> Result<Vec<Option<i64>>, String> {
        let walked = self.steps(trunk, Some(oldest)).map_err(|fatal| fatal.to_string())?;
        let named: Vec<&RepoPath> = paths.iter().collect();
        let mut times = vec![None; paths.len()];
        self.trace(&walked.steps, &named, |step, touched| {
            for touch in touched {
                times[touch.path].get_or_insert(step.time);
            }
            times.iter().any(Option::is_none)
        })?;
        match walked.end {
            End::Broken(_, why) => Err(why),
            End::Shallow(_, time) if time >= oldest && times.iter().any(Option::is_none) => {
                Err("this clone is shallow, so that nobody knows how old these files are; fetch the history".into())
            }
            _ => Ok(times),
        }
    }
}

/// What the base's history could not tell.
fn gap(why: String) -> Incomplete {
    Incomplete { what: "what the base's history gave up (revert/restored)".into(), why }
}
