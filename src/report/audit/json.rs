//! JSON, version 1. The types here are the format; `schemas/audit.schema.json` is their schema.

use std::{
    borrow::Cow,
    io::{self, Write},
};

use base64::{Engine as _, prelude::BASE64_STANDARD as BASE64};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Audit, Brought, Commit, Fate, Outside, OutsideFile, utc};
use crate::{
    diag::{HolderKind, Site},
    report::document::{self, Gap, Omission, Tool},
};

/// Writes an audit as one indented JSON document and a line end.
///
/// # Errors
/// The output can't be written.
pub fn render(audit: &Audit, out: &mut dyn Write) -> io::Result<()> {
    document::write(&Document::from(audit), out)
}

/// The JSON Schema (draft 2020-12) of what [`render`] writes.
pub fn schema() -> serde_json::Value {
    document::schema::<Document<'static>>("gatekeep audit, version 1")
}

/// Which commits of the trunk brought in a collision, and which left a lane.
#[derive(Serialize, JsonSchema)]
struct Document<'a> {
    /// Version of this format.
    #[schemars(extend("const" = 1))]
    schema: u32,
    tool: Tool,
    /// False where something that was asked for could not be looked at.
    complete: bool,
    incomplete: Vec<Gap<'a>>,
    skipped: Vec<Omission<'a>>,
    /// Name of the trunk.
    target: &'a str,
    /// Commit of its tip.
    tip: &'a str,
    /// Commits made before then (UTC) were left out; null where none were.
    since: Option<String>,
    policy: Policy<'a>,
    summary: Summary,
    /// The newest first.
    collisions: Vec<Collision<'a>>,
    /// What was changed outside of lanes, the newest first; empty where the configuration has no lanes.
    outside: Vec<Stray<'a>>,
}

/// Where configuration, rule files and allowances came from.
#[derive(Serialize, JsonSchema)]
struct Policy<'a> {
    #[schemars(extend("enum" = ["base", "built-in"]))]
    from: &'static str,
    commit: Option<&'a str>,
}

/// Counts.
#[derive(Serialize, JsonSchema)]
struct Summary {
    /// Commits of the trunk's own history in that time.
    commits: usize,
    /// Those of them that change a file that some rule wants.
    judged: usize,
    /// Those that brought in a collision.
    colliding: usize,
    /// Different names that collided.
    names: usize,
    /// Those of them that collide today.
    still_there: usize,
}

/// A collision that a commit brought in.
#[derive(Serialize, JsonSchema)]
struct Collision<'a> {
    commit: &'a str,
    /// Its first parent: what it was held against; null of the very first commit.
    parent: Option<&'a str>,
    /// When it was made, in UTC; null where its clock says nothing that a calendar has.
    date: Option<String>,
    subject: &'a str,
    /// The code, `<rule>/<kind>`.
    rule: &'a str,
    #[schemars(extend("enum" = ["error", "warning"]))]
    severity: &'static str,
    namespace: Option<&'a str>,
    partition: Option<&'a str>,
    key: Option<&'a str>,
    /// The places; those that must yield come first.
    #[schemars(length(min = 1))]
    sites: Vec<Place<'a>>,
    /// Whether the trunk's tip has it, wherever its folder was moved; null where that can't be told.
    still_there: Option<bool>,
    /// The later commit that mended it, so that its forerunner had it; null while it is there, and where that was not found out.
    gone_since: Option<Since<'a>>,
}

/// One place, in the state that the commit made.
#[derive(Serialize, JsonSchema)]
struct Place<'a> {
    /// Relative to the repository; where it is not UTF-8 a readable stand-in.
    path: Cow<'a, str>,
    /// The bytes of the path in base64, where it is not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    path_bytes: Option<String>,
    /// Counts from 1; absent where the collision is about the path alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    line: Option<usize>,
    /// Whether the commit brought it; else the trunk had it before.
    brought: bool,
}

/// What one agent changed outside its lane, in one commit.
#[derive(Serialize, JsonSchema)]
struct Stray<'a> {
    commit: &'a str,
    /// Its first parent.
    parent: Option<&'a str>,
    /// When it was made, in UTC; null where its clock says nothing that a calendar has.
    date: Option<String>,
    subject: &'a str,
    /// The name of the lane.
    agent: &'a str,
    /// What points to the lane, in words.
    by: &'a str,
    #[schemars(length(min = 1))]
    files: Vec<StrayFile<'a>>,
}

/// A file outside a lane.
#[derive(Serialize, JsonSchema)]
struct StrayFile<'a> {
    /// Relative to the repository; where it is not UTF-8 a readable stand-in.
    path: Cow<'a, str>,
    /// The bytes of the path in base64, where it is not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    path_bytes: Option<String>,
    /// Whether the lane has it under `never`.
    never: bool,
    /// The lanes that own it.
    owners: &'a [String],
}

/// A later commit.
#[derive(Serialize, JsonSchema)]
struct Since<'a> {
    commit: &'a str,
    date: Option<String>,
    subject: &'a str,
}

impl<'a> From<&'a Audit> for Document<'a> {
    fn from(audit: &'a Audit) -> Self {
        Self {
            schema: 1,
            tool: Tool::THIS,
            complete: audit.complete(),
            incomplete: audit.incomplete.iter().map(Gap::from).collect(),
            skipped: audit.skipped.iter().map(Omission::from).collect(),
            target: &audit.target,
            tip: &audit.tip,
            since: audit.oldest.and_then(date),
            policy: Policy { from: audit.policy.word(), commit: audit.policy_commit.as_deref() },
            summary: Summary {
                commits: audit.commits,
                judged: audit.judged,
                colliding: audit.colliding(),
                names: audit.names(),
                still_there: audit.still_there(),
            },
            collisions: audit.collisions.iter().map(Collision::from).collect(),
            outside: audit.outside.iter().flatten().map(Stray::from).collect(),
        }
    }
}

impl<'a> From<&'a Brought> for Collision<'a> {
    fn from(Brought { commit, found, fate }: &'a Brought) -> Self {
        Self {
            commit: &commit.id,
            parent: commit.parent.as_deref(),
            date: date(commit.time),
            subject: &commit.subject,
            rule: &found.code,
            severity: found.severity.word(),
            namespace: found.namespace.as_deref(),
            partition: found.partition.as_deref(),
            key: found.key.as_deref(),
            sites: found.sites.iter().map(Place::from).collect(),
            still_there: match fate {
                Fate::StillThere => Some(true),
                Fate::Gone(_) => Some(false),
                Fate::Unknown => None,
            },
            gone_since: match fate {
                Fate::Gone(since) => since.as_deref().map(Since::from),
                Fate::StillThere | Fate::Unknown => None,
            },
        }
    }
}

impl<'a> From<&'a Site> for Place<'a> {
    fn from(site: &'a Site) -> Self {
        Self {
            path: site.path.lossy(),
            path_bytes: (!site.path.is_utf8()).then(|| BASE64.encode(site.path.as_bytes())),
            line: site.position.map(|at| at.line),
            brought: site.holder.kind == HolderKind::Head,
        }
    }
}

impl<'a> From<&'a Outside> for Stray<'a> {
    fn from(Outside { commit, agent, by, files }: &'a Outside) -> Self {
        Self {
            commit: &commit.id,
            parent: commit.parent.as_deref(),
            date: date(commit.time),
            subject: &commit.subject,
            agent,
            by,
            files: files.iter().map(StrayFile::from).collect(),
        }
    }
}

impl<'a> From<&'a OutsideFile> for StrayFile<'a> {
    fn from(OutsideFile { path, never, owners }: &'a OutsideFile) -> Self {
        Self {
            path: path.lossy(),
            path_bytes: (!path.is_utf8()).then(|| BASE64.encode(path.as_bytes())),
            never: *never,
            owners,
        }
    }
}

impl<'a> From<&'a Commit> for Since<'a> {
    fn from(commit: &'a Commit) -> Self {
        Self { commit: &commit.id, date: date(commit.time), subject: &commit.subject }
    }
}

fn date(time: i64) -> Option<String> {
    utc(time).map(|at| format!("{at}Z"))
}
