//! One reported problem, owned and free of any output format.

mod fingerprint;
mod path;

pub use fingerprint::fingerprint;
pub use path::RepoPath;
pub(crate) use path::parent;

use std::fmt;

/// How grave a finding is. Ordered: a note is less than a warning is less than an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing; never fails a run by default.
    Note,
    /// Likely a problem, or one that fails loudly by itself.
    Warning,
    /// Breaks, or silently loses something, once merged.
    Error,
}

impl Severity {
    /// The word used in configuration, rule files and every machine format.
    pub fn word(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// How sure the rule is that the finding is true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Confidence {
    /// A guess that a person has to check.
    Low,
    /// True unless the repository is set up in an unusual way.
    Medium,
    /// What the tool itself would say.
    High,
}

impl Confidence {
    /// The word used in machine formats.
    pub fn word(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

/// What kind of line of work holds a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HolderKind {
    /// The tree, index or commit that is judged.
    Head,
    /// The tip of the target.
    Base,
    /// An unmerged local or remote-tracking branch.
    Branch,
    /// An open pull request.
    PullRequest,
    /// A linked worktree with its uncommitted files.
    Worktree,
    /// A name reserved on the remote.
    Reservation,
}

impl HolderKind {
    /// The word used in machine formats.
    pub fn word(self) -> &'static str {
        match self {
            Self::Head => "head",
            Self::Base => "base",
            Self::Branch => "branch",
            Self::PullRequest => "pull-request",
            Self::Worktree => "worktree",
            Self::Reservation => "reservation",
        }
    }
}

/// Whose claim a site is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Holder {
    /// What kind of line of work.
    pub kind: HolderKind,
    /// The branch's short name, `#12` for a pull request, git's id for a worktree, `HEAD` for the head, the base's name as given.
    pub name: String,
    /// The commit that was read, in hexadecimal; none for a working tree or a plain folder.
    pub commit: Option<String>,
}

impl Holder {
    /// The head: what is being judged.
    pub fn head(commit: Option<String>) -> Self {
        Self { kind: HolderKind::Head, name: "HEAD".into(), commit }
    }
}

/// A place in a text. Lines and columns count from 1; columns count Unicode scalar values; the end is exclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// Line of the first character.
    pub line: usize,
    /// Column of the first character.
    pub column: usize,
    /// Line just past the last character.
    pub end_line: usize,
    /// Column just past the last character.
    pub end_column: usize,
}

/// A few lines around a site, so that a report can show them without reading the file again. Bounded in size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snippet {
    /// The lines, joined by `\n`; invalid UTF-8 replaced.
    pub text: String,
    /// Number of the first of them, from 1.
    pub first_line: usize,
    /// The bytes of `text` that the site is about.
    pub mark: std::ops::Range<usize>,
}

/// One place that takes part in a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// The file.
    pub path: RepoPath,
    /// Where in the file; none where the finding is about the path alone.
    pub position: Option<Position>,
    /// The lines around it, where there is a position.
    pub snippet: Option<Snippet>,
    /// Whose file it is.
    pub holder: Holder,
    /// What is particular about this site, in a few words.
    pub note: Option<String>,
}

impl Site {
    /// A site that is about a whole file.
    pub fn path(path: RepoPath, holder: Holder) -> Self {
        Self { path, position: None, snippet: None, holder, note: None }
    }
}

/// Whether a fix may be applied without a person looking at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Safety {
    /// Nothing can have run under the old name yet.
    Safe,
    /// The old name may have been applied somewhere.
    Unsafe,
}

/// One file to rename.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rename {
    /// The path now.
    pub from: RepoPath,
    /// The path after the fix.
    pub to: RepoPath,
}

/// How a finding could be mended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What the fix does, in the imperative.
    pub title: String,
    /// Whether it may be applied unseen.
    pub safety: Safety,
    /// Files to rename, in order.
    pub renames: Vec<Rename>,
}

/// What silenced a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SuppressedBy {
    /// An `[[allow]]` of the configuration.
    Allow,
    /// A `gatekeep: allow` comment in the file.
    Inline,
    /// An entry of `.gatekeep/baseline.json`.
    Baseline,
}

impl SuppressedBy {
    /// The word used in machine formats.
    pub fn word(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Inline => "inline",
            Self::Baseline => "baseline",
        }
    }
}

/// Why a finding does not count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suppression {
    /// Which mechanism.
    pub by: SuppressedBy,
    /// The reason that a person gave; none for a baseline.
    pub reason: Option<String>,
}

/// One reported problem. Sites are never empty; the first is the primary one: the one that must yield.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The code, `<rule>/<kind>`.
    pub code: String,
    /// How grave.
    pub severity: Severity,
    /// How sure.
    pub confidence: Confidence,
    /// The namespace, for findings about names: the rule's id.
    pub namespace: Option<String>,
    /// The partition within which a name must be unique; `.` is the whole repository.
    pub partition: Option<String>,
    /// The name, normalised as the rule compares it.
    pub key: Option<String>,
    /// What is wrong, and the failure that would follow. One paragraph, plain text, not yet escaped for any reader.
    pub message: String,
    /// What to do next.
    pub help: Option<String>,
    /// Where to read more.
    pub docs: Option<String>,
    /// Stable identity: code, namespace, partition, key and paths; never lines or commits.
    pub fingerprint: String,
    /// Set when an allowance or the baseline covers it.
    pub suppressed: Option<Suppression>,
    /// The places.
    pub sites: Vec<Site>,
    /// How many of them, from the first on, have to give way to the others; 0 where nobody does.
    pub yields: usize,
    /// How to mend it.
    pub fix: Option<Fix>,
}

impl Diagnostic {
    /// A finding with no more than its code, severity, message and sites; the rest can be set on the result.
    pub fn new(code: impl Into<String>, severity: Severity, message: impl Into<String>, sites: Vec<Site>) -> Self {
        let mut made = Self {
            code: code.into(),
            severity,
            confidence: Confidence::High,
            namespace: None,
            partition: None,
            key: None,
            message: message.into(),
            help: None,
            docs: None,
            fingerprint: String::new(),
            suppressed: None,
            sites,
            yields: 0,
            fix: None,
        };
        made.seal();
        made
    }

    /// Sets the fingerprint from what identifies the finding. Call it after the last change to code, names or sites.
    pub fn seal(&mut self) {
        self.fingerprint = fingerprint(self);
    }

    /// The rule part of the code.
    pub fn rule(&self) -> &str {
        self.code.split_once('/').map_or(&self.code, |(rule, _)| rule)
    }

    /// The order of a report: gravest first, then code, partition, key, then the sites.
    pub fn order(&self, other: &Self) -> std::cmp::Ordering {
        let sites =
            |d: &Self| d.sites.iter().map(|s| (s.path.clone(), s.position, s.holder.clone())).collect::<Vec<_>>();
        (self.suppressed.is_some().cmp(&other.suppressed.is_some()))
            .then(other.severity.cmp(&self.severity))
            .then_with(|| self.code.cmp(&other.code))
            .then_with(|| self.partition.cmp(&other.partition))
            .then_with(|| self.key.cmp(&other.key))
            .then_with(|| sites(self).cmp(&sites(other)))
            .then_with(|| self.message.cmp(&other.message))
    }
}
