//! The open pull requests of a repository.

use gix::ObjectId;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Beside, Client, Failure, Repository};

/// An open pull request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenPull {
    /// Its number.
    pub number: u64,
    /// Its last commit.
    pub head: ObjectId,
    /// The short name of its branch, in the repository that it comes from.
    pub branch: String,
    /// It comes from another repository, so that its branch is none of this one.
    pub is_fork: bool,
    /// The short name of the branch that it is to be merged into.
    pub target: String,
    /// Its author calls it a draft.
    pub is_draft: bool,
    /// When anything last happened to it, in seconds since 1970.
    pub updated: i64,
    /// Who opened it; empty where that account is gone.
    pub author: String,
    /// The last verdict that a check run on its head gave, where that was asked for and there is one.
    pub verdict: Option<Verdict>,
}

/// What a check run says that this token wrote earlier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The number of the check run.
    pub id: u64,
    /// What it was told to remember: a digest of what was found.
    pub external_id: String,
    /// Whether it is finished.
    pub is_completed: bool,
}

impl Verdict {
    /// Whether it was given while its pull request had to do with the others just as this digest of [`Beside`] says. Never where
    /// nothing is known of that, now or then.
    pub fn is_of(&self, beside: &str) -> bool {
        let is_known = beside != Beside::UNKNOWN;
        is_known && self.is_completed && self.external_id.rsplit(':').next() == Some(beside)
    }
}

/// Pull requests of one answer; one answer holds 100 at most.
const PAGE: usize = 100;
/// Pages that are asked for at most: more pull requests than GitHub recommends for ten branches.
const PAGES: usize = 100;

pub(super) const QUERY: &str = "\
query($owner: String!, $name: String!, $page: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    pullRequests(states: OPEN, first: $page, after: $after, orderBy: {field: CREATED_AT, direction: ASC}) {
      totalCount
      pageInfo { hasNextPage endCursor }
      nodes {
        number isDraft isCrossRepository updatedAt headRefName headRefOid baseRefName
        author { login }
      }
    }
  }
}";

/// The same with the check runs of one name on the heads. All of them: the latest may be the job of a workflow that has the same name, and ends
/// after what is written in it.
pub(super) const QUERY_WITH_CHECKS: &str = "\
query($owner: String!, $name: String!, $page: Int!, $after: String, $check: String!) {
  repository(owner: $owner, name: $name) {
    pullRequests(states: OPEN, first: $page, after: $after, orderBy: {field: CREATED_AT, direction: ASC}) {
      totalCount
      pageInfo { hasNextPage endCursor }
      nodes {
        number isDraft isCrossRepository updatedAt headRefName headRefOid baseRefName
        author { login }
        commits(last: 1) { nodes { commit { oid checkSuites(first: 3, filterBy: {checkName: $check}) { nodes {
          checkRuns(first: 50, filterBy: {checkName: $check, checkType: ALL}) { nodes { databaseId externalId status } }
        } } } } }
      }
    }
  }
}";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    total_count: usize,
    page_info: PageInfo,
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PageInfo {
    has_next_page: bool,
    end_cursor: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Node {
    number: u64,
    is_draft: bool,
    is_cross_repository: bool,
    updated_at: String,
    head_ref_name: String,
    head_ref_oid: String,
    base_ref_name: String,
    author: Option<Author>,
    #[serde(default)]
    commits: Value,
}

#[derive(Deserialize)]
struct Author {
    login: String,
}

impl Client {
    /// All open pull requests by their numbers, ascending; with the name of a check, what it said last of each.
    ///
    /// # Errors
    /// GitHub did not tell all of them: a part is never taken for the whole.
    pub fn open_pulls(&self, repository: &Repository, check: Option<&str>) -> Result<Vec<OpenPull>, Failure> {
        let mut pulls: Vec<OpenPull> = Vec::new();
        let mut after = Value::Null;
        for _ in 0..PAGES {
            let mut variables =
                json!({ "owner": repository.owner, "name": repository.name, "page": PAGE, "after": after });
            if let Some(check) = check {
                variables["check"] = check.into();
            }
            let mut data = self.ask(if check.is_some() { QUERY_WITH_CHECKS } else { QUERY }, &variables)?;
            let connection = data["repository"]["pullRequests"].take();
            let answer: Answer =
                serde_json::from_value(connection).map_err(|error| Failure::Senseless(error.to_string()))?;
            for node in answer.nodes {
                pulls.push(node.open()?);
            }
            if !answer.page_info.has_next_page {
                pulls.sort_by_key(|pull| pull.number);
                pulls.dedup_by_key(|pull| pull.number);
                return match answer.total_count.saturating_sub(pulls.len()) {
                    0 => Ok(pulls),
                    lacking => {
                        Err(Failure::Senseless(format!("it lacks {lacking} of {} pull requests", answer.total_count)))
                    }
                };
            }
            after = answer.page_info.end_cursor.map_or(Value::Null, Value::from);
            if after.is_null() {
                return Err(Failure::Senseless("there is a next page, and nothing tells where".into()));
            }
        }
        Err(Failure::Senseless(format!("more than {} open pull requests", PAGE * PAGES)))
    }
}

impl Node {
    fn open(self) -> Result<OpenPull, Failure> {
        let head = ObjectId::from_hex(self.head_ref_oid.as_bytes())
            .map_err(|_| Failure::Senseless(format!("pull request {} has no head", self.number)))?;
        let updated: jiff::Timestamp = self.updated_at.parse().map_err(|_| {
            Failure::Senseless(format!("nothing tells when pull request {} was last touched", self.number))
        })?;
        Ok(OpenPull {
            number: self.number,
            head,
            branch: self.head_ref_name,
            is_fork: self.is_cross_repository,
            target: self.base_ref_name,
            is_draft: self.is_draft,
            updated: updated.as_second(),
            author: self.author.map_or_else(String::new, |author| author.login),
            verdict: verdict(&self.commits),
        })
    }
}

fn verdict(commits: &Value) -> Option<Verdict> {
    let suites = commits["nodes"].as_array()?.last()?["commit"]["checkSuites"]["nodes"].as_array()?;
    let runs = suites.iter().filter_map(|suite| suite["checkRuns"]["nodes"].as_array()).flatten();
    let runs = runs.filter_map(|run| {
        let external_id = run["externalId"].as_str().unwrap_or_default().to_owned();
        Some(Verdict { id: run["databaseId"].as_u64()?, external_id, is_completed: run["status"] == "COMPLETED" })
    });
    // the job of a workflow may carry our name too; only what we wrote remembers a digest of ours
    runs.filter(|run| run.external_id.starts_with(super::checks::EXTERNAL)).max_by_key(|run| run.id)
}
