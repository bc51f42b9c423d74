//! What people said of a pull request: labels with who set them and when, reviews with what they are of.

use serde_json::{Value, json};

use super::{Client, Failure, Repository};
use crate::rule::code::approval::{Approvals, Label, Review};

/// Things that happened to labels which are looked at, the last ones.
const LABELLED: u32 = 100;

pub(super) const QUERY: &str = "\
query($owner: String!, $name: String!, $number: Int!, $last: Int!) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      author { login }
      headRefOid
      headRefName
      labels(first: 100) { nodes { name } }
      timelineItems(last: $last, itemTypes: [LABELED_EVENT]) { nodes { ... on LabeledEvent {
        createdAt actor { __typename login } label { name }
      } } }
      pushes: timelineItems(last: 1, itemTypes: [HEAD_REF_FORCE_PUSHED_EVENT]) { nodes { ... on HeadRefForcePushedEvent {
        createdAt
      } } }
      commits(last: 1) { nodes { commit { oid checkSuites(first: 100) { nodes { createdAt branch { name } } } } } }
      latestReviews(first: 100) { nodes {
        state author { __typename login } commit { oid } onBehalfOf(first: 10) { nodes { combinedSlug } }
      } }
    }
  }
}";

/// What people said of a pull request. `pushed`: when an event says that something was pushed, in seconds since 1970.
///
/// # Errors
/// GitHub did not tell.
pub fn approvals(
    client: &Client,
    repository: &Repository,
    number: u64,
    pushed: Option<i64>,
) -> Result<Approvals, Failure> {
    let variables = json!({ "owner": repository.owner, "name": repository.name, "number": number, "last": LABELLED });
    let data = client.ask(QUERY, &variables)?;
    let pull = &data["repository"]["pullRequest"];
    if pull.is_null() {
        return Err(Failure::Senseless(format!("there is no pull request {number}")));
    }
    Ok(read(pull, pushed))
}

fn read(pull: &Value, pushed: Option<i64>) -> Approvals {
    let head = pull["headRefOid"].as_str().unwrap_or_default();
    let events: Vec<&Value> = nodes(&pull["timelineItems"]).collect();
    let label = |node: &Value| {
        let name = node["name"].as_str()?.to_owned();
        let set = events.iter().rev().find(|event| event["label"]["name"] == node["name"]);
        let by = set.and_then(|event| event["actor"]["login"].as_str()).map(str::to_owned);
        let is_bot = set.is_some_and(|event| is_bot(&event["actor"]));
        Some(Label { name, by, is_bot, time: set.and_then(|event| time(&event["createdAt"])) })
    };
    let review = |node: &Value| {
        let teams = nodes(&node["onBehalfOf"]).filter_map(|team| team["combinedSlug"].as_str()).map(str::to_owned);
        Some(Review {
            by: node["author"]["login"].as_str()?.to_owned(),
            is_bot: is_bot(&node["author"]),
            teams: teams.collect(),
            approves: node["state"] == "APPROVED",
            is_of_last_push: !head.is_empty() && node["commit"]["oid"] == head,
        })
    };
    Approvals {
        author: pull["author"]["login"].as_str().unwrap_or_default().to_owned(),
        pushed: last_push(pull, head).max(pushed),
        labels: nodes(&pull["labels"]).filter_map(label).collect(),
        reviews: nodes(&pull["latestReviews"]).filter_map(review).collect(),
    }
}

/// When something was last pushed: GitHub no longer tells it of a commit, but checks begin with a push, and the clock is the server's. None
/// where nothing tells.
fn last_push(pull: &Value, head: &str) -> Option<i64> {
    let commit = nodes(&pull["commits"]).map(|node| &node["commit"]).find(|commit| commit["oid"] == head);
    // the same commit may have been pushed to another branch before
    let here = |suite: &&Value| suite["branch"]["name"].is_null() || suite["branch"]["name"] == pull["headRefName"];
    let checked = commit.and_then(|commit| {
        nodes(&commit["checkSuites"]).filter(here).filter_map(|suite| time(&suite["createdAt"])).min()
    });
    let forced = nodes(&pull["pushes"]).filter_map(|event| time(&event["createdAt"])).max();
    checked.map(|checked| forced.map_or(checked, |forced| forced.max(checked)))
}

fn nodes(connection: &Value) -> impl Iterator<Item = &Value> {
    connection["nodes"].as_array().into_iter().flatten()
}

fn is_bot(actor: &Value) -> bool {
    actor["__typename"] == "Bot" || actor["login"].as_str().is_some_and(|login| login.ends_with("[bot]"))
}

fn time(value: &Value) -> Option<i64> {
    Some(value.as_str()?.parse::<jiff::Timestamp>().ok()?.as_second())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pull() -> Value {
        json!({
            "author": { "login": "ann" }, "headRefOid": "aa", "headRefName": "x",
            "labels": { "nodes": [{ "name": "ok" }, { "name": "old" }] },
            "timelineItems": { "nodes": [
                { "createdAt": "2026-01-01T00:00:00Z", "actor": { "__typename": "Bot", "login": "robot" }, "label": { "name": "ok" } },
                { "createdAt": "2026-01-03T00:00:00Z", "actor": { "__typename": "User", "login": "bob" }, "label": { "name": "ok" } },
            ] },
            "pushes": { "nodes": [] },
            "commits": { "nodes": [{ "commit": { "oid": "aa", "checkSuites": { "nodes": [
                { "createdAt": "2026-01-02T00:00:09Z", "branch": { "name": "x" } },
                { "createdAt": "2026-01-02T00:00:00Z", "branch": { "name": "x" } },
                { "createdAt": "2026-01-01T00:00:00Z", "branch": { "name": "y" } }] } } }] },
            "latestReviews": { "nodes": [
                { "state": "APPROVED", "author": { "__typename": "User", "login": "eve" }, "commit": { "oid": "bb" },
                  "onBehalfOf": { "nodes": [{ "combinedSlug": "acme/dba" }] } }] },
        })
    }

    #[test]
    fn the_last_to_set_a_label_counts_and_what_nobody_saw_set_has_no_setter() {
        let said = read(&pull(), None);
        let [ok, old] = said.labels.as_slice() else { panic!("two labels") };
        assert_eq!((ok.by.as_deref(), ok.is_bot, ok.time), (Some("bob"), false, Some(1_767_398_400)));
        assert_eq!((old.by.as_deref(), old.time), (None, None));
    }

    #[test]
    fn the_first_check_of_the_head_tells_of_the_push_and_a_later_word_counts_more() {
        let noon = 1_767_312_000;
        assert_eq!(read(&pull(), None).pushed, Some(noon));
        assert_eq!(read(&pull(), Some(noon + 5)).pushed, Some(noon + 5));
        let mut other = pull();
        other["headRefOid"] = "bb".into();
        assert_eq!(read(&other, None).pushed, None, "another commit's checks say nothing");
        other["pushes"]["nodes"] = json!([{ "createdAt": "2026-01-04T00:00:00Z" }]);
        assert_eq!(read(&other, None).pushed, None, "what was pushed after a forced push is unknown");
    }

    #[test]
    fn a_review_is_of_the_commit_that_it_names() {
        let said = read(&pull(), None);
        assert_eq!(
            (said.reviews[0].teams.as_slice(), said.reviews[0].is_of_last_push),
            (["acme/dba".to_owned()].as_slice(), false)
        );
    }
}
