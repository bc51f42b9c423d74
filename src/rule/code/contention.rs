//! What lines of work do to one file: edits that git has to merge, and merges that break it in silence.

mod duplicate_key;
mod lock_files;

mod paths;
mod same_file;
#[cfg(test)]
mod tests;

pub use duplicate_key::{Keys, MergeText, Trunk, duplicate_keys};
pub use paths::{Contended, Pairs, contended, pairs};
pub use same_file::same_file;

use super::{Code, CodeRule};
use crate::{
    diag::{RepoPath, Severity},
    source::{Line, ReadVersion},
};

const SAME_FILE: &str = "contention/same-file";
const DUPLICATE_KEY: &str = "contention/duplicate-key";

/// What the rule says of itself.
pub const RULE: CodeRule = CodeRule {
    id: "contention",
    summary: "Two lines of work on one file",
    why: "Whoever merges second has to solve the conflict, or does not notice that there was one: git merges two edits that \
          lie apart, and what it makes of them may be no valid file any more.",
    docs: None,
    codes: &[
        Code {
            code: SAME_FILE,
            severity: Severity::Note,
            summary: "One file, one line of work",
            details: "A path that two lines of work change to different contents. git merges them if their edits lie apart; \
                      with `--conflicts` it is tried, and a merge that git would stop is a warning. Branches that build on \
                      each other, equal contents, lock files, and files that `.gitattributes` calls generated or vendored \
                      are none.",
            help: "Let one of them land first and rebase the other one, or split the file.",
        },
        Code {
            code: DUPLICATE_KEY,
            severity: Severity::Error,
            summary: "A merge leaves no key twice",
            details: "Two lines of work each add one key at another place of a TOML, YAML, JSON or gettext file. git merges \
                      that without a word, and the file has the key twice: readers refuse it, or lose one of the values in \
                      silence. The trunk counts as one of the lines where it has moved on.",
            help: "Make one entry of the two, or rename one, before the second one is merged.",
        },
    ],
};

/// All lines of work of a run, and what the rule needs to know of them.
#[derive(Clone, Copy)]
pub struct Fleet<'a> {
    /// The lines.
    pub lines: &'a [Line],
    /// By line: how old it is; the smaller number keeps what both want. As long as `lines`.
    pub rank: &'a [u32],
    /// The change that is judged, if there is one: findings in which it has no part are left out.
    pub head: Option<u32>,
    /// Whether a file is generated or vendored.
    pub left_out: &'a (dyn Fn(&RepoPath) -> bool + Sync),
    /// Reads what stands at a path of a line.
    pub read: &'a ReadVersion<'a>,
}

impl Fleet<'_> {
    fn rank(&self, line: u32) -> u32 {
        self.rank.get(line as usize).copied().unwrap_or(u32::MAX)
    }

    fn name(&self, line: u32) -> &str {
        &self.lines[line as usize].holder.name
    }
}
