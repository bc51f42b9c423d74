//! Check runs: a verdict on a commit, with annotations on the lines of a pull request.

use serde_json::{Value, json};

use super::{Client, Failure, Repository, client::Method};

/// Annotations that one request takes.
const BATCH: usize = 50;
/// Longest summary and longest text of a check run, in letters; GitHub counts both so.
pub(super) const LONGEST: usize = 65_535;
/// Longest message of an annotation, in bytes.
const LONGEST_MESSAGE: usize = 64 << 10;
/// Longest title of an annotation, in letters.
const LONGEST_TITLE: usize = 255;
/// What the external id of a check run of ours begins with.
pub(super) const EXTERNAL: &str = "gatekeep:";

/// How a check run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conclusion {
    /// Nothing to fail on, and all was looked at.
    Success,
    /// Something to fail on.
    Failure,
    /// Something could not be looked at: this is no pass, and somebody has to act.
    ActionRequired,
}

impl Conclusion {
    fn word(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Failure => "failure",
            Self::ActionRequired => "action_required",
        }
    }
}

/// A remark on lines of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Annotation {
    /// The path in the repository.
    pub path: String,
    /// The first line, from 1.
    pub start_line: usize,
    /// The last line.
    pub end_line: usize,
    /// The columns, from 1, where both are on one line.
    pub columns: Option<(usize, usize)>,
    /// `failure`, `warning` or `notice`.
    pub level: &'static str,
    /// In one line.
    pub title: String,
    /// What is wrong, and what to do.
    pub message: String,
}

/// A check run that is to stand on a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// Its name; there is one of a name on a commit.
    pub name: String,
    /// The commit, in hexadecimal.
    pub head: String,
    /// How it ends.
    pub conclusion: Conclusion,
    /// In one line.
    pub title: String,
    /// Markdown.
    pub summary: String,
    /// All annotations.
    pub annotations: Vec<Annotation>,
    /// A page with more, such as that of the run.
    pub details: Option<String>,
    /// A digest of what was found: equal digests, equal verdicts.
    pub digest: String,
    /// A digest of what its pull request has in common with the others, see [`Verdict::is_of`](super::Verdict::is_of).
    pub beside: String,
}

/// What was done about a check run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// There was none.
    Created,
    /// There was one, and it said something else.
    Updated,
    /// It says so already.
    AlreadyThere,
}

impl Check {
    /// What the check run remembers.
    pub fn external_id(&self) -> String {
        format!("{EXTERNAL}{}:{}", self.digest, self.beside)
    }

    /// Puts the check run on its commit, unless the newest of ours there says the same. It is a new run each time: the newest of a name counts,
    /// and annotations of one that is there could not be taken back.
    ///
    /// # Errors
    /// It is not there, or not whole.
    pub fn write(&self, client: &Client, repository: &Repository) -> Result<Written, Failure> {
        match self.find(client, repository)? {
            Some((_, true)) => Ok(Written::AlreadyThere),
            found => {
                self.renew(client, repository)?;
                Ok(if found.is_some() { Written::Updated } else { Written::Created })
            }
        }
    }

    /// An attempt without an answer is not repeated before looking whether it was carried out.
    fn renew(&self, client: &Client, repository: &Repository) -> Result<(), Failure> {
        let mut batches = self.annotations.chunks(BATCH);
        let id = self.create(client, repository, batches.next().unwrap_or_default())?;
        let route = repository.route(&format!("check-runs/{id}"));
        for batch in batches {
            // adds to those that are there: one without an answer may have been carried out, and is not repeated
            client.write(Method::Patch, &route, &json!({ "output": self.output(batch) }))?;
        }
        Ok(())
    }

    /// The newest check run of this name of ours on the commit, and whether it says the same.
    fn find(&self, client: &Client, repository: &Repository) -> Result<Option<(u64, bool)>, Failure> {
        let name: String = self
            .name
            .bytes()
            .map(|b| if b.is_ascii_alphanumeric() { (b as char).to_string() } else { format!("%{b:02X}") })
            .collect();
        let route =
            repository.route(&format!("commits/{}/check-runs?check_name={name}&filter=all&per_page=100", self.head));
        let answer = client.get(&route)?;
        let runs = answer["check_runs"].as_array().into_iter().flatten();
        let ours = runs.filter(|run| run["external_id"].as_str().is_some_and(|id| id.starts_with(EXTERNAL)));
        let newest = ours.filter_map(|run| Some((run["id"].as_u64()?, run))).max_by_key(|(id, _)| *id);
        Ok(newest.map(|(id, run)| (id, run["external_id"] == self.external_id() && run["status"] == "completed")))
    }

    fn create(&self, client: &Client, repository: &Repository, first: &[Annotation]) -> Result<u64, Failure> {
        let body = self.body(first);
        let mut tries = 0;
        loop {
            tries += 1;
            let failure = match client.write(Method::Post, &repository.route("check-runs"), &body) {
                Ok(made) => {
                    return made["id"].as_u64().ok_or_else(|| Failure::Senseless("it names no check run".into()));
                }
                Err(failure) => failure,
            };
            if !failure.is_uncertain() {
                return Err(failure);
            }
            match self.find(client, repository)? {
                Some((id, true)) => return Ok(id), // it was carried out
                _ if tries < 2 => {}
                _ => return Err(failure),
            }
        }
    }

    fn body(&self, annotations: &[Annotation]) -> Value {
        let mut body = json!({
            "name": self.name,
            "head_sha": self.head,
            "status": "completed",
            "conclusion": self.conclusion.word(),
            "external_id": self.external_id(),
            "output": self.output(annotations),
        });
        if let Some(details) = &self.details {
            body["details_url"] = details.as_str().into();
        }
        body
    }

    fn output(&self, annotations: &[Annotation]) -> Value {
        let annotations: Vec<Value> = annotations.iter().map(Annotation::value).collect();
        json!({ "title": cut(&self.title, LONGEST_TITLE), "summary": cut(&self.summary, LONGEST), "annotations": annotations })
    }
}

impl Annotation {
    fn value(&self) -> Value {
        let mut message = self.message.clone();
        let end = message.floor_char_boundary(LONGEST_MESSAGE);
        message.truncate(end);
        let mut value = json!({
            "path": self.path,
            "start_line": self.start_line,
            "end_line": self.end_line,
            "annotation_level": self.level,
            "title": cut(&self.title, LONGEST_TITLE),
            "message": message,
        });
        if let Some((start, end)) = self.columns.filter(|_| self.start_line == self.end_line) {
            value["start_column"] = start.into();
            value["end_column"] = end.into();
        }
        value
    }
}

/// The first letters of a text.
pub(super) fn cut(text: &str, letters: usize) -> String {
    text.chars().take(letters).collect()
}
