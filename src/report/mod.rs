//! The finished report, and one pure renderer a format.

pub mod audit;
mod document;
pub mod escape;
mod gap;
pub mod github;
pub mod gitlab;
pub mod html;
pub mod human;
pub mod json;
pub mod junit;
mod link;
pub mod markdown;
mod pairs;
pub mod rdjson;
pub mod sarif;
pub(crate) mod shell;
mod text;
mod words;

pub(crate) use words::holder as holder_named;

use std::io::{self, Write};

use crate::{
    diag::{Diagnostic, Severity},
    exit::FailOn,
};

/// Something that could not be looked at. A run with one of these ends with 3, not 0.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Incomplete {
    /// The file, rule or source, as a person would name it.
    pub what: String,
    /// Why, and what to do about it.
    pub why: String,
}

/// Something that was left out by choice. Does not make a report incomplete.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Skipped {
    /// What kind of thing.
    pub what: String,
    /// How many, where that is known.
    pub count: Option<usize>,
}

/// Where configuration, rule files, allowances and baseline came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PolicyFrom {
    /// The tip of the target.
    Base,
    /// The tree that is scanned.
    WorkingTree,
    /// No configuration anywhere: the defaults that are built in.
    BuiltIn,
}

impl PolicyFrom {
    /// The word used in machine formats.
    pub fn word(self) -> &'static str {
        match self {
            Self::Base => "base",
            Self::WorkingTree => "working-tree",
            Self::BuiltIn => "built-in",
        }
    }
}

/// All that a run found out, in total order. Renderers only read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Name of the trunk that was judged against, if any.
    pub target: Option<String>,
    /// Commit of the merge base, if any, in hexadecimal.
    pub base: Option<String>,
    /// Commit of the head, in hexadecimal; none without git or before a first commit.
    pub head: Option<String>,
    /// Where the policy came from.
    pub policy: PolicyFrom,
    /// Its commit, where it was read from one.
    pub policy_commit: Option<String>,
    /// What could not be looked at.
    pub incomplete: Vec<Incomplete>,
    /// What was left out by choice.
    pub skipped: Vec<Skipped>,
    /// What was found, suppressed findings included.
    pub findings: Vec<Diagnostic>,
    /// How many files took a name or were read.
    pub files: usize,
    /// How many holders were compared, the head included.
    pub holders: usize,
}

#[cfg(test)]
impl Report {
    /// A report that says nothing, for tests to fill.
    pub(crate) fn empty() -> Self {
        Self {
            target: None,
            base: None,
            head: None,
            policy: PolicyFrom::BuiltIn,
            policy_commit: None,
            incomplete: Vec::new(),
            skipped: Vec::new(),
            findings: Vec::new(),
            files: 0,
            holders: 0,
        }
    }
}

impl Report {
    /// Whether all that was asked for was looked at.
    pub fn complete(&self) -> bool {
        self.incomplete.is_empty()
    }

    /// How many unsuppressed findings have exactly this severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|f| f.suppressed.is_none() && f.severity == severity).count()
    }

    /// How many findings an allowance or the baseline covers.
    pub fn suppressed(&self) -> usize {
        self.findings.iter().filter(|f| f.suppressed.is_some()).count()
    }

    /// Puts findings, gaps and omissions in their total order. Equal input in any order gives equal output.
    pub fn sort(&mut self) {
        self.findings.sort_by(Diagnostic::order);
        self.incomplete.sort();
        self.incomplete.dedup();
        self.skipped.sort();
    }
}

/// What a report can be rendered as. Adding one is one file and one arm in [`Format::render`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, clap::ValueEnum)]
pub enum Format {
    /// Text for people at a terminal
    Human,
    /// The documented JSON, version 1
    Json,
    /// SARIF 2.1.0, for GitHub code scanning and editors
    Sarif,
    /// Workflow commands, which GitHub shows as annotations
    Github,
    /// JUnit XML, for the test reports of Jenkins, GitLab and others
    Junit,
    /// GitLab's Code Quality report
    Gitlab,
    /// reviewdog's diagnostic format
    Rdjson,
    /// Markdown for a step summary or a comment, at most 1 MiB
    Markdown,
    /// One page for a browser, which loads nothing and runs nothing
    Html,
}

/// What renderers may be told beside the report.
#[derive(Clone, Debug, Default)]
pub struct RenderOptions {
    /// How text for people looks.
    pub human: human::HumanOptions,
    /// Gaps do not fail the run.
    pub allow_incomplete: bool,
    /// What fails the run: a report can say how it ends, but never decides it.
    pub fail_on: FailOn,
}

impl Format {
    /// Writes a report in this format. Fails only where the output can't be written.
    pub fn render(self, report: &Report, options: &RenderOptions, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::Human => human::render(report, options, out),
            Self::Json => json::render(report, out),
            Self::Sarif => sarif::render(report, options.allow_incomplete, out),
            Self::Github => github::render(report, options.allow_incomplete, out),
            Self::Junit => junit::render(report, options, out),
            Self::Gitlab => gitlab::render(report, options.allow_incomplete, out),
            Self::Rdjson => rdjson::render(report, options.allow_incomplete, out),
            Self::Markdown => markdown::render(report, options, markdown::STEP_SUMMARY, out),
            Self::Html => html::render(report, options.allow_incomplete, out),
        }
    }
}
