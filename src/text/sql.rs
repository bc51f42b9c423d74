//! SQL down to what runs: comments and the texts that are data become blanks, so that a pattern sees neither.

mod lexer;
mod likeness;
mod reader;
mod statement;
#[cfg(test)]
mod tests;

use std::{collections::BTreeMap, ops::Range};

use lexer::Dialect;
use reader::Reader;

use super::same_length;

const BYTE_ORDER_MARK: &[u8] = "\u{FEFF}".as_bytes();

/// A text in which only what runs is left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sql {
    /// As long as the file, so that an offset here is an offset there.
    code: String,
    /// Where the statements stand, each up to and with its `;`.
    statements: Vec<Range<usize>>,
}

/// One statement: a range of the file, and what of it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement<'a> {
    /// Where it begins in the file, in bytes.
    pub at: usize,
    /// What runs.
    pub code: &'a str,
}

impl Sql {
    /// Reads a file; none where it is no text (it holds a NUL byte, as UTF-16 does).
    ///
    /// What counts as code: all outside comments and quotes; bodies between dollar signs or quotes behind `do`, `as` or a
    /// language; what `execute`, `exec`, `dblink`, `cron.schedule` or MySQL's `prepare … from` runs, together with the texts that are assigned to a
    /// variable named there; what psql's `\gexec` runs; and the comments that MySQL executes. Where it can't be told whether `\'` ends a
    /// text, whether `q'[` begins one of Oracle's, whether `#` begins a comment of MySQL or `[` a name of Transact-SQL, both are taken for
    /// true and what runs in either reading counts.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        if memchr::memchr(0, bytes).is_some() {
            return None;
        }
        let mut text = same_length(bytes);
        if text.starts_with(BYTE_ORDER_MARK) {
            text[..BYTE_ORDER_MARK.len()].fill(b' ');
        }
        let plain = Dialect::default();
        let mut reader = Reader::run(&text, plain);
        if reader.backtick {
            reader = Reader::run(&text, Dialect { mysql: true, backslash: true, ..plain });
        } else {
            let holds = |part: &[u8]| memchr::memmem::find(&text, part).is_some();
            let backslash = holds(b"\\'").then_some(Dialect { backslash: true, ..plain });
            let oracle = (holds(b"q'") || holds(b"Q'")).then_some(Dialect { oracle: true, ..plain });
            let hash = holds(b"#").then_some(Dialect { hash: true, ..plain });
            let brackets = reader.bracketed.then_some(Dialect { brackets: true, ..plain });
            for dialect in [backslash, oracle, hash, brackets].into_iter().flatten() {
                reader.add(&Reader::run(&text, dialect));
            }
        }
        // only whole characters were blanked, but where two readings meet they may be cut
        let code = String::from_utf8(same_length(&reader.code)).ok()?;
        let statements = split(&code);
        Some(Self { code, statements })
    }

    /// The statements, in the order of the file; none of them is blank.
    pub fn statements(&self) -> impl Iterator<Item = Statement<'_>> {
        self.statements.iter().map(|range| Statement { at: range.start, code: &self.code[range.clone()] })
    }

    /// The statements that another version of the file does not have. One that stands there twice may stand here twice;
    /// blanks, comments and the case of keywords make no difference.
    pub fn added_to(&self, old: &Self) -> Vec<Statement<'_>> {
        let mut known: BTreeMap<String, usize> = BTreeMap::new();
        for statement in old.statements() {
            *known.entry(likeness::of(statement.code)).or_default() += 1;
        }
        let mut is_known = |statement: &Statement<'_>| {
            let left = known.get_mut(&likeness::of(statement.code)).filter(|left| **left > 0);
            left.map(|left| *left -= 1).is_some()
        };
        self.statements().filter(|statement| !is_known(statement)).collect()
    }
}

fn split(code: &str) -> Vec<Range<usize>> {
    let mut statements = Vec::new();
    let mut at = 0;
    for part in code.split_inclusive(';') {
        let start = at + part.len() - part.trim_start().len();
        at += part.len();
        if start < at && part.trim() != ";" {
            statements.push(start..at);
        }
    }
    statements
}
