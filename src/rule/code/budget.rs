//! How much one change may touch, and how large files may grow.

mod change;
mod origin;
mod set;
#[cfg(test)]
mod tests;

pub use self::{change::judge, set::judge_tree};

use super::{Code, CodeRule};
use crate::{
    diag::{Diagnostic, Severity, Site},
    text::count::number_of,
};

const EXCEEDED: &str = "budget/exceeded";
/// How many files are listed as sites of what all of them together exceed.
const MAX_SITES: usize = 20;

/// What the rule says of itself.
pub const RULE: CodeRule = CodeRule {
    id: "budget",
    summary: "How much one change may touch, and how large files may grow",
    why: "A change of two hundred files is merged unread. A memory file that every agent appends to fills the context of each of them, and \
          what nobody has touched for a year is believed all the same.",
    docs: None,
    codes: &[Code {
        code: EXCEEDED,
        severity: Severity::Error,
        summary: "A change and its files stay within their budget",
        details: "By a `[[budget]]`: a change touches more `files`, or adds and removes more `lines`, than it may; or a file of `paths` has \
                  more `bytes` or `lines`, or there are more of them than `count`. A file that moves is one file, and binary files have no \
                  lines. What the base already exceeds, and the change does not make worse, passes, also where the file moves within the set: a \
                  removed file counts as the same one that has its name in another folder, or half of its lines. `age` is judged where a tree is looked \
                  at by itself, as no change makes a file older.",
        help: "Split the change, or shorten the file.",
    }],
};

/// One limit that is exceeded.
struct Excess<'a> {
    /// What is limited: `files`, `lines`, `bytes`, `count`, `age`.
    what: &'a str,
    message: String,
    sites: Vec<Site>,
    help: &'a str,
}

impl Excess<'_> {
    fn finding(mut self) -> Diagnostic {
        let count = self.sites.len();
        if count > MAX_SITES {
            self.sites.truncate(MAX_SITES);
            self.message.push_str(&format!(" {MAX_SITES} of {} are listed.", number_of(count, "file")));
        }
        let mut found = Diagnostic::new(EXCEEDED, Severity::Error, self.message, self.sites);
        found.key = Some(self.what.to_owned());
        found.help = Some(self.help.to_owned());
        found.seal();
        found
    }
}

/// The lines of a text; a last one without an end counts.
fn line_count(text: &[u8]) -> u64 {
    let ends = memchr::memchr_iter(b'\n', text).count() as u64;
    ends + u64::from(text.last().is_some_and(|last| *last != b'\n'))
}
