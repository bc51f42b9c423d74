//! What happened on GitHub, and so what is to be judged. An event is data that anybody can have a part in: its texts are not trusted, and its
//! commits are names only.

use gix::ObjectId;
use serde::Deserialize;

use super::Repository;

/// What a runner says of the event that started it.
#[derive(Clone, Copy, Debug)]
pub struct Given<'a> {
    /// The kind of event: `GITHUB_EVENT_NAME`.
    pub name: &'a str,
    /// The event itself, JSON: the file that `GITHUB_EVENT_PATH` names.
    pub payload: &'a [u8],
    /// The commit that the run is about: `GITHUB_SHA`.
    pub commit: Option<&'a str>,
    /// The branch or tag that it is about: `GITHUB_REF`.
    pub reference: Option<&'a str>,
    /// The repository, `owner/name`: `GITHUB_REPOSITORY`.
    pub repository: Option<&'a str>,
}

/// An event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Where it happened.
    pub repository: Repository,
    /// The short name of that repository's default branch, where the event tells.
    pub default_branch: Option<String>,
    /// What happened.
    pub trigger: Trigger,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trigger {
    /// Something about a pull request.
    PullRequest(Box<PullRequest>),
    /// A branch was pushed.
    Push {
        /// Where it was before; none where it is new.
        before: Option<ObjectId>,
        /// Where it is now.
        after: ObjectId,
        /// Its short name.
        branch: String,
    },
    /// A merge queue wants to merge.
    MergeGroup {
        /// What the group is merged into.
        base: ObjectId,
        /// What would be merged.
        head: ObjectId,
        /// The short name of the branch that it is merged into.
        target: String,
        /// The last pull request of the group.
        number: Option<u64>,
    },
    /// Nothing in particular: a schedule, or a person who asks. The tree of this commit is judged.
    Tree(ObjectId),
    /// Nothing that leaves anything to judge, and why.
    Nothing(&'static str),
}

/// A pull request as an event tells of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PullRequest {
    /// Its number.
    pub number: u64,
    /// Its last commit.
    pub head: ObjectId,
    /// The short name of its branch.
    pub branch: String,
    /// The short name of the branch that it is to be merged into.
    pub target: String,
    /// The tip of that branch when the event was sent.
    pub base: ObjectId,
    /// It comes from another repository.
    pub is_fork: bool,
    /// Who opened it.
    pub author: String,
    /// The labels that it carried when the event was sent.
    pub labels: Vec<String>,
    /// When something was pushed to it, in seconds since 1970, where the event is about that.
    pub pushed: Option<i64>,
}

/// Why an event can't be judged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EventError {
    /// It is no JSON, or lacks what its kind always has.
    #[error("the event `{name}` makes no sense: {why}")]
    Senseless {
        /// The kind of event.
        name: String,
        /// What is wrong.
        why: String,
    },
    /// A kind that says nothing of what to judge.
    #[error("the event `{0}` says nothing of what to judge")]
    Unknown(String),
}

#[derive(Deserialize)]
struct Payload {
    action: Option<String>,
    repository: Option<RepositoryPart>,
    pull_request: Option<PullPart>,
    merge_group: Option<GroupPart>,
    before: Option<String>,
    after: Option<String>,
    #[serde(rename = "ref")]
    reference: Option<String>,
}

#[derive(Deserialize)]
struct RepositoryPart {
    full_name: String,
    default_branch: Option<String>,
}

#[derive(Deserialize)]
struct PullPart {
    number: u64,
    head: EndPart,
    base: EndPart,
    user: Option<UserPart>,
    #[serde(default)]
    labels: Vec<LabelPart>,
    updated_at: Option<String>,
}

#[derive(Deserialize)]
struct EndPart {
    #[serde(rename = "ref")]
    reference: String,
    sha: String,
    /// None where the fork is gone.
    repo: Option<RepositoryPart>,
}

#[derive(Deserialize)]
struct UserPart {
    login: String,
}

#[derive(Deserialize)]
struct LabelPart {
    name: String,
}

#[derive(Deserialize)]
struct GroupPart {
    base_sha: String,
    head_sha: String,
    base_ref: String,
    head_ref: String,
}

impl Event {
    /// Reads an event.
    ///
    /// # Errors
    /// It makes no sense, or is of a kind that says nothing of what to judge.
    pub fn read(given: &Given<'_>) -> Result<Self, EventError> {
        let senseless = |why: String| EventError::Senseless { name: given.name.to_owned(), why };
        let payload: Payload = serde_json::from_slice(given.payload).map_err(|error| senseless(error.to_string()))?;
        let named = given.repository.or(payload.repository.as_ref().map(|one| one.full_name.as_str()));
        let repository = named.and_then(Repository::parse).ok_or_else(|| senseless("it names no repository".into()))?;
        let default_branch = payload.repository.as_ref().and_then(|one| one.default_branch.clone());
        Ok(Self { repository, default_branch, trigger: trigger(given, payload).map_err(|why| why.named(given.name))? })
    }
}

/// Why there is no trigger.
enum Lacking {
    Sense(String),
    Kind,
}

impl Lacking {
    fn named(self, name: &str) -> EventError {
        match self {
            Self::Sense(why) => EventError::Senseless { name: name.to_owned(), why },
            Self::Kind => EventError::Unknown(name.to_owned()),
        }
    }
}

fn trigger(given: &Given<'_>, payload: Payload) -> Result<Trigger, Lacking> {
    // reviews, labels and comments on lines tell of a pull request too
    if let Some(pull) = payload.pull_request {
        return match payload.action.as_deref() {
            Some("closed") => Ok(Trigger::Nothing("the pull request is closed")),
            action => pull_request(pull, action).map(|pull| Trigger::PullRequest(Box::new(pull))),
        };
    }
    match given.name {
        "merge_group" => group(payload.merge_group.ok_or_else(|| lacks("merge_group"))?),
        "push" => push(payload),
        "schedule" | "workflow_dispatch" | "repository_dispatch" => {
            Ok(Trigger::Tree(id(given.commit.ok_or_else(|| lacks("GITHUB_SHA"))?)?))
        }
        _ => Err(Lacking::Kind),
    }
}

fn pull_request(pull: PullPart, action: Option<&str>) -> Result<PullRequest, Lacking> {
    let own = pull.base.repo.as_ref().map(|repo| repo.full_name.as_str());
    let is_pushed = matches!(action, Some("opened" | "synchronize"));
    let pushed = pull.updated_at.as_deref().filter(|_| is_pushed).and_then(|time| time.parse::<jiff::Timestamp>().ok());
    Ok(PullRequest {
        number: pull.number,
        head: id(&pull.head.sha)?,
        branch: pull.head.reference,
        target: pull.base.reference,
        base: id(&pull.base.sha)?,
        is_fork: pull.head.repo.as_ref().map(|repo| repo.full_name.as_str()) != own,
        author: pull.user.map_or_else(String::new, |user| user.login),
        labels: pull.labels.into_iter().map(|label| label.name).collect(),
        pushed: pushed.map(|time| time.as_second()),
    })
}

fn push(payload: Payload) -> Result<Trigger, Lacking> {
    let reference = payload.reference.ok_or_else(|| lacks("ref"))?;
    let Some(branch) = reference.strip_prefix("refs/heads/") else {
        return Ok(Trigger::Nothing("it is a tag, and no branch, that was pushed"));
    };
    let after = id(&payload.after.ok_or_else(|| lacks("after"))?)?;
    if after.is_null() {
        return Ok(Trigger::Nothing("the branch was deleted"));
    }
    let before = id(&payload.before.ok_or_else(|| lacks("before"))?)?;
    Ok(Trigger::Push { before: (!before.is_null()).then_some(before), after, branch: branch.to_owned() })
}

fn group(group: GroupPart) -> Result<Trigger, Lacking> {
    let short = |name: &str| name.strip_prefix("refs/heads/").unwrap_or(name).to_owned();
    // `refs/heads/gh-readonly-queue/main/pr-104-<oid>`
    let last = group.head_ref.rsplit('/').next().and_then(|name| name.strip_prefix("pr-")?.split('-').next());
    Ok(Trigger::MergeGroup {
        base: id(&group.base_sha)?,
        head: id(&group.head_sha)?,
        target: short(&group.base_ref),
        number: last.and_then(|number| number.parse().ok()),
    })
}

fn id(hex: &str) -> Result<ObjectId, Lacking> {
    ObjectId::from_hex(hex.as_bytes()).map_err(|_| Lacking::Sense(format!("`{}` is no commit", hex.escape_debug())))
}

fn lacks(what: &str) -> Lacking {
    Lacking::Sense(format!("`{what}` is missing"))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    const A: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
    const B: &str = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";
    const NONE: &str = "0000000000000000000000000000000000000000";

    fn read(name: &str, payload: &Value) -> Result<Trigger, EventError> {
        let bytes = payload.to_string();
        let given = Given {
            name,
            payload: bytes.as_bytes(),
            commit: Some(A),
            reference: Some("refs/heads/main"),
            repository: Some("acme/demo"),
        };
        Event::read(&given).map(|event| event.trigger)
    }

    fn pull(action: &str, fork: &Value) -> Value {
        json!({ "action": action, "number": 7, "pull_request": {
            "number": 7, "labels": [{ "name": "x" }], "user": { "login": "ann" }, "updated_at": "2026-01-02T03:04:05Z",
            "head": { "ref": "agent/x", "sha": A, "repo": fork },
            "base": { "ref": "main", "sha": B, "repo": { "full_name": "acme/demo" } } } })
    }

    fn id(hex: &str) -> ObjectId {
        ObjectId::from_hex(hex.as_bytes()).expect("hexadecimal")
    }

    #[test]
    fn a_pull_request_is_judged_by_its_own_head() {
        let Ok(Trigger::PullRequest(own)) =
            read("pull_request", &pull("synchronize", &json!({ "full_name": "acme/demo" })))
        else {
            panic!("it is one");
        };
        assert_eq!((own.number, own.head, own.base, own.is_fork), (7, id(A), id(B), false));
        assert_eq!((own.pushed, own.labels.as_slice()), (Some(1_767_323_045), ["x".to_owned()].as_slice()));
        let Ok(Trigger::PullRequest(labelled)) = read("pull_request_target", &pull("labeled", &Value::Null)) else {
            panic!("it is one");
        };
        assert!(labelled.is_fork && labelled.pushed.is_none(), "the fork is gone, and a label is no push");
        assert!(matches!(read("pull_request_review", &pull("submitted", &Value::Null)), Ok(Trigger::PullRequest(_))));
        assert!(matches!(read("pull_request", &pull("closed", &Value::Null)), Ok(Trigger::Nothing(_))));
    }

    #[test]
    fn a_push_is_judged_from_where_the_branch_was() {
        let push = |before: &str, after: &str, name: &str| {
            read("push", &json!({ "before": before, "after": after, "ref": name }))
        };
        let main = "main".to_owned();
        let expected = Trigger::Push { before: Some(id(B)), after: id(A), branch: main.clone() };
        assert_eq!(push(B, A, "refs/heads/main"), Ok(expected));
        assert_eq!(push(NONE, A, "refs/heads/main"), Ok(Trigger::Push { before: None, after: id(A), branch: main }));
        assert!(matches!(push(B, NONE, "refs/heads/x"), Ok(Trigger::Nothing(_))));
        assert!(matches!(push(B, A, "refs/tags/v1"), Ok(Trigger::Nothing(_))));
    }

    #[test]
    fn a_merge_group_names_its_last_pull_request() {
        let group = json!({ "merge_group": { "base_sha": B, "head_sha": A, "base_ref": "refs/heads/main",
            "head_ref": format!("refs/heads/gh-readonly-queue/main/pr-104-{B}") } });
        let expected = Trigger::MergeGroup { base: id(B), head: id(A), target: "main".into(), number: Some(104) };
        assert_eq!(read("merge_group", &group), Ok(expected));
    }

    #[test]
    fn what_says_nothing_is_no_pass() {
        assert_eq!(read("schedule", &json!({})), Ok(Trigger::Tree(id(A))));
        assert_eq!(read("issues", &json!({})), Err(EventError::Unknown("issues".into())));
        for (name, payload) in [
            ("push", json!({})),
            ("merge_group", json!({})),
            ("push", json!([])),
            ("pull_request", json!({ "pull_request": {} })),
        ] {
            assert!(matches!(read(name, &payload), Err(EventError::Senseless { .. })), "{name} {payload}");
        }
    }
}
