//! What the runner of GitHub Actions says in its environment.

use std::{fs, io::Read as _, path::PathBuf};

use crate::{
    cli::github::said,
    error::Fatal,
    forge::{Event, Given},
};

/// Longest event that is read, in bytes; GitHub's own limit is 25 MB.
const LONGEST_EVENT: u64 = 32 << 20;

/// A runner's word on the run.
#[derive(Debug)]
pub(super) struct Runner {
    event_name: String,
    event_path: PathBuf,
    /// Where the step's summary goes.
    pub(super) summary: Option<PathBuf>,
    /// Where its outputs go.
    pub(super) output: Option<PathBuf>,
    /// A folder that is emptied after the job.
    pub(super) temporary: PathBuf,
    /// The page of the run.
    pub(super) page: Option<String>,
}

impl Runner {
    /// # Errors
    /// This is no runner.
    pub(super) fn of_environment() -> Result<Self, Fatal> {
        let needed = |name: &str| {
            said(name).ok_or_else(|| Fatal::Event(format!("{name} is not set, so there is no event to judge")))
        };
        let page = || {
            Some(format!(
                "{}/{}/actions/runs/{}",
                said("GITHUB_SERVER_URL")?,
                said("GITHUB_REPOSITORY")?,
                said("GITHUB_RUN_ID")?
            ))
        };
        Ok(Self {
            event_name: needed("GITHUB_EVENT_NAME")?,
            event_path: needed("GITHUB_EVENT_PATH")?.into(),
            summary: said("GITHUB_STEP_SUMMARY").map(PathBuf::from),
            output: said("GITHUB_OUTPUT").map(PathBuf::from),
            temporary: said("RUNNER_TEMP").map_or_else(std::env::temp_dir, PathBuf::from),
            page: page(),
        })
    }

    /// The event that started the run.
    ///
    /// # Errors
    /// It can't be read, or says nothing of what to judge.
    pub(super) fn event(&self) -> Result<Event, Fatal> {
        let fatal = |source| Fatal::Io { path: self.event_path.clone(), source };
        let mut payload = Vec::new();
        let file = fs::File::open(&self.event_path).map_err(fatal)?;
        file.take(LONGEST_EVENT + 1).read_to_end(&mut payload).map_err(fatal)?;
        if payload.len() as u64 > LONGEST_EVENT {
            return Err(Fatal::Event(format!("the event is longer than {} MiB", LONGEST_EVENT >> 20)));
        }
        let (commit, reference) = (said("GITHUB_SHA"), said("GITHUB_REF"));
        let repository = said("GITHUB_REPOSITORY");
        let given = Given {
            name: &self.event_name,
            payload: &payload,
            commit: commit.as_deref(),
            reference: reference.as_deref(),
            repository: repository.as_deref(),
        };
        Event::read(&given).map_err(|error| Fatal::Event(error.to_string()))
    }
}
