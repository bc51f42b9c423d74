//! JSON, version 1: the contract that scripts and CI depend on.
//!
//! The types here are the format. They stand apart from the internal ones, so that those can change without it.

use std::{
    borrow::Cow,
    io::{self, Write},
};

use base64::{Engine as _, prelude::BASE64_STANDARD as BASE64};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    Report,
    document::{self, Gap, Omission, Tool},
    words,
};
use crate::diag::{Diagnostic, Fix, Holder, RepoPath, Severity, Site, Suppression};

/// Writes a report as one indented JSON document and a line end.
pub fn render(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    document::write(&Document::from(report), out)
}

/// The JSON Schema (draft 2020-12) of what [`render`] writes.
pub fn schema() -> serde_json::Value {
    document::schema::<Document<'static>>("gatekeep report, version 1")
}

/// All that a run found out.
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
    /// Name of the trunk that was judged against.
    target: Option<&'a str>,
    /// Commit of the merge base.
    base: Option<&'a str>,
    /// Commit of the head.
    head: Option<&'a str>,
    policy: Policy<'a>,
    summary: Summary,
    findings: Vec<Finding<'a>>,
}

/// Where configuration, rule files, allowances and baseline came from.
#[derive(Serialize, JsonSchema)]
struct Policy<'a> {
    #[schemars(extend("enum" = ["base", "working-tree", "built-in"]))]
    from: &'static str,
    commit: Option<&'a str>,
}

/// Counts. Suppressed findings count only as such.
#[derive(Serialize, JsonSchema)]
struct Summary {
    error: usize,
    warning: usize,
    note: usize,
    suppressed: usize,
    files: usize,
    holders: usize,
}

/// One reported problem.
#[derive(Serialize, JsonSchema)]
struct Finding<'a> {
    /// The code, `<rule>/<kind>`.
    rule: &'a str,
    #[schemars(extend("enum" = ["error", "warning", "note"]))]
    severity: &'static str,
    #[schemars(extend("enum" = ["high", "medium", "low"]))]
    confidence: &'static str,
    namespace: Option<&'a str>,
    partition: Option<&'a str>,
    key: Option<&'a str>,
    message: &'a str,
    help: Option<&'a str>,
    docs: Option<&'a str>,
    /// Stable identity: never depends on lines or commits.
    fingerprint: &'a str,
    suppressed: Option<Silence<'a>>,
    /// The places. The first is the one that must yield.
    #[schemars(length(min = 1))]
    sites: Vec<Place<'a>>,
    fix: Option<Mend<'a>>,
}

/// Why a finding does not count.
#[derive(Serialize, JsonSchema)]
struct Silence<'a> {
    #[schemars(extend("enum" = ["allow", "inline", "baseline"]))]
    by: &'static str,
    reason: Option<&'a str>,
}

/// One place. Lines and columns count from 1, columns in Unicode scalar values, the end is exclusive; they are absent where
/// the finding is about the path alone.
#[derive(Serialize, JsonSchema)]
struct Place<'a> {
    /// Relative to the repository; where it is not UTF-8 a readable stand-in.
    path: Cow<'a, str>,
    /// The bytes of the path in base64, where it is not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    path_bytes: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    column: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    end_line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    end_column: Option<usize>,
    holder: Claimant<'a>,
    note: Option<&'a str>,
}

/// Whose file it is.
#[derive(Serialize, JsonSchema)]
struct Claimant<'a> {
    #[schemars(extend("enum" = ["head", "base", "branch", "pull-request", "worktree", "reservation"]))]
    kind: &'static str,
    name: &'a str,
    commit: Option<&'a str>,
}

/// How a finding could be mended.
#[derive(Serialize, JsonSchema)]
struct Mend<'a> {
    title: &'a str,
    #[schemars(extend("enum" = ["safe", "unsafe"]))]
    safety: &'static str,
    renames: Vec<Move<'a>>,
    /// Always empty in this version.
    edits: Vec<Edit>,
}

/// One file to rename.
#[derive(Serialize, JsonSchema)]
struct Move<'a> {
    from: Cow<'a, str>,
    /// The bytes of `from` in base64, where it is not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    from_bytes: Option<String>,
    to: Cow<'a, str>,
    /// The bytes of `to` in base64, where it is not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    to_bytes: Option<String>,
}

/// Reserved for replacements inside a file.
#[derive(Serialize, JsonSchema)]
struct Edit {}

impl<'a> From<&'a Report> for Document<'a> {
    fn from(report: &'a Report) -> Self {
        Self {
            schema: 1,
            tool: Tool::THIS,
            complete: report.complete(),
            incomplete: report.incomplete.iter().map(Gap::from).collect(),
            skipped: report.skipped.iter().map(Omission::from).collect(),
            target: report.target.as_deref(),
            base: report.base.as_deref(),
            head: report.head.as_deref(),
            policy: Policy { from: report.policy.word(), commit: report.policy_commit.as_deref() },
            summary: Summary {
                error: report.count(Severity::Error),
                warning: report.count(Severity::Warning),
                note: report.count(Severity::Note),
                suppressed: report.suppressed(),
                files: report.files,
                holders: report.holders,
            },
            findings: report.findings.iter().map(Finding::from).collect(),
        }
    }
}

impl<'a> From<&'a Diagnostic> for Finding<'a> {
    fn from(found: &'a Diagnostic) -> Self {
        Self {
            rule: &found.code,
            severity: found.severity.word(),
            confidence: found.confidence.word(),
            namespace: found.namespace.as_deref(),
            partition: found.partition.as_deref(),
            key: found.key.as_deref(),
            message: &found.message,
            help: found.help.as_deref(),
            docs: found.docs.as_deref(),
            fingerprint: &found.fingerprint,
            suppressed: found.suppressed.as_ref().map(Silence::from),
            sites: found.sites.iter().map(Place::from).collect(),
            fix: found.fix.as_ref().map(Mend::from),
        }
    }
}

impl<'a> From<&'a Suppression> for Silence<'a> {
    fn from(suppression: &'a Suppression) -> Self {
        Self { by: suppression.by.word(), reason: suppression.reason.as_deref() }
    }
}

impl<'a> From<&'a Site> for Place<'a> {
    fn from(site: &'a Site) -> Self {
        let at = site.position;
        Self {
            path: site.path.lossy(),
            path_bytes: bytes(&site.path),
            line: at.map(|p| p.line),
            column: at.map(|p| p.column),
            end_line: at.map(|p| p.end_line),
            end_column: at.map(|p| p.end_column),
            holder: Claimant::from(&site.holder),
            note: site.note.as_deref(),
        }
    }
}

impl<'a> From<&'a Holder> for Claimant<'a> {
    fn from(holder: &'a Holder) -> Self {
        Self { kind: holder.kind.word(), name: &holder.name, commit: holder.commit.as_deref() }
    }
}

impl<'a> From<&'a Fix> for Mend<'a> {
    fn from(fix: &'a Fix) -> Self {
        let renames = fix.renames.iter().map(|rename| Move {
            from: rename.from.lossy(),
            from_bytes: bytes(&rename.from),
            to: rename.to.lossy(),
            to_bytes: bytes(&rename.to),
        });
        Self { title: &fix.title, safety: words::safety(fix.safety), renames: renames.collect(), edits: Vec::new() }
    }
}

fn bytes(path: &RepoPath) -> Option<String> {
    (!path.is_utf8()).then(|| BASE64.encode(path.as_bytes()))
}
