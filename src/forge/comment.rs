//! The one comment on a pull request: found by its mark, kept up to date, taken away when there is nothing to say.

use serde_json::{Value, json};

use super::{Client, Failure, Repository, checks::Written, client::Method};

/// What the comment begins with. Nobody sees it, and anybody can write it: only one of our own is taken for ours.
pub const MARKER: &str = "<!-- gatekeep -->";
/// Answers of 100 comments that are looked through.
const PAGES: usize = 30;

pub(super) const QUERY: &str = "\
query($owner: String!, $name: String!, $number: Int!, $before: String) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      comments(last: 100, before: $before) {
        pageInfo { hasPreviousPage startCursor }
        nodes { databaseId viewerDidAuthor isMinimized body }
      }
    }
  }
}";

/// The comment of one pull request.
#[derive(Clone, Copy)]
pub struct Comment<'a> {
    /// Who is asked.
    pub client: &'a Client,
    /// Where the pull request is.
    pub repository: &'a Repository,
    /// Its number.
    pub number: u64,
}

/// A comment that is there.
struct Found {
    id: u64,
    body: String,
}

impl Comment<'_> {
    /// Lets the comment say this, Markdown; with no text it is taken away. None where nothing had to be done.
    ///
    /// # Errors
    /// What it says now is not this.
    pub fn say(&self, text: Option<&str>) -> Result<Option<Written>, Failure> {
        let body = text.map(|text| format!("{MARKER}\n{text}"));
        match (self.find()?, body) {
            (None, None) => Ok(None),
            (Some(found), None) => self.remove(&found).map(|()| Some(Written::Updated)),
            (Some(found), Some(body)) if found.body.trim() == body.trim() => Ok(Some(Written::AlreadyThere)),
            (Some(found), Some(body)) => self.update(&found, &body).map(|()| Some(Written::Updated)),
            (None, Some(body)) => self.create(&body).map(Some),
        }
    }

    fn find(&self) -> Result<Option<Found>, Failure> {
        let mut before = Value::Null;
        for _ in 0..PAGES {
            let variables = json!({
                "owner": self.repository.owner, "name": self.repository.name, "number": self.number, "before": before,
            });
            let data = self.client.ask(QUERY, &variables)?;
            let comments = &data["repository"]["pullRequest"]["comments"];
            let Some(nodes) = comments["nodes"].as_array() else {
                return Err(Failure::Senseless(format!(
                    "it tells nothing of the comments on pull request {}",
                    self.number
                )));
            };
            let is_ours = |node: &&Value| {
                node["viewerDidAuthor"] == true
                    && node["isMinimized"] != true
                    && node["body"].as_str().is_some_and(|body| body.starts_with(MARKER))
            };
            let ours = nodes.iter().rev().find(is_ours);
            if let Some((id, body)) = ours.and_then(|node| Some((node["databaseId"].as_u64()?, node["body"].as_str()?)))
            {
                return Ok(Some(Found { id, body: body.replace("\r\n", "\n") }));
            }
            if comments["pageInfo"]["hasPreviousPage"] != true {
                return Ok(None);
            }
            before = comments["pageInfo"]["startCursor"].clone();
        }
        Err(Failure::Senseless(format!("pull request {} has more than {} comments", self.number, PAGES * 100)))
    }

    fn create(&self, body: &str) -> Result<Written, Failure> {
        let route = self.repository.route(&format!("issues/{}/comments", self.number));
        let body = json!({ "body": body });
        match self.client.write(Method::Post, &route, &body) {
            Ok(_) => Ok(Written::Created),
            Err(failure) if failure.is_uncertain() => match self.find()? {
                Some(_) => Ok(Written::Created), // it was carried out
                None => self.client.write(Method::Post, &route, &body).map(|_| Written::Created),
            },
            Err(failure) => Err(failure),
        }
    }

    /// To write the same twice changes nothing, so that it is tried once more.
    fn update(&self, found: &Found, body: &str) -> Result<(), Failure> {
        let route = self.repository.route(&format!("issues/comments/{}", found.id));
        let body = json!({ "body": body });
        match self.client.write(Method::Patch, &route, &body) {
            Err(failure) if failure.is_uncertain() => self.client.write(Method::Patch, &route, &body).map(|_| ()),
            done => done.map(|_| ()),
        }
    }

    fn remove(&self, found: &Found) -> Result<(), Failure> {
        let route = self.repository.route(&format!("issues/comments/{}", found.id));
        let remove = || self.client.write(Method::Delete, &route, &Value::Null);
        match remove().or_else(|failure| if failure.is_uncertain() { remove() } else { Err(failure) }) {
            Err(Failure::Denied { status: 404, .. }) => Ok(()), // somebody was quicker, or the first attempt was carried out
            done => done.map(|_| ()),
        }
    }
}
