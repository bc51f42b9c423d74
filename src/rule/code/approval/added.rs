//! What a change adds to a file, as expressions see it.

use std::{io, ops::Range};

use crate::{
    config::change::Found,
    diag::RepoPath,
    text::{
        diff::{added_lines, is_binary},
        same_length,
        sql::Sql,
    },
};

/// The first place of a file where something is added that an expression finds.
pub(super) struct Hit {
    pub(super) span: Range<usize>,
}

/// Looks for it. Bytes that are no part of a character count as one of their own, so that none hides what stands beside it.
///
/// # Errors
/// The file is no text, so that nobody can tell what it adds.
pub(super) fn hit(path: &RepoPath, before: Option<&[u8]>, after: &[u8], wanted: &[Found]) -> io::Result<Option<Hit>> {
    let first = |at: usize, text: &[u8]| {
        let found = wanted.iter().filter_map(|wanted| wanted.0.find(text)).min_by_key(|found| found.start());
        found.map(|found| Hit { span: at + found.start()..at + found.end() })
    };
    if is_sql(path) {
        let no_text = || io::Error::other("it should be SQL, and is no text in UTF-8");
        let new = Sql::read(after).ok_or_else(no_text)?;
        let old = before.and_then(Sql::read);
        let statements = match &old {
            Some(old) => new.added_to(old),
            None => new.statements().collect(),
        };
        return Ok(statements.into_iter().find_map(|statement| first(statement.at, statement.code.as_bytes())));
    }
    if before == Some(after) {
        return Ok(None);
    }
    let before = before.filter(|before| !is_binary(before)).unwrap_or_default();
    let no_text = || io::Error::other("it is no text. Where it can do no harm, name the files more closely in `paths`");
    let lines = added_lines(before, after).ok_or_else(no_text)?;
    Ok(lines.into_iter().find_map(|span| first(span.start, &same_length(&after[span]))))
}

/// Whether a file's name says that it is SQL.
fn is_sql(path: &RepoPath) -> bool {
    let ending = path.file_name().rsplit(|byte| *byte == b'.').next().unwrap_or_default().to_ascii_lowercase();
    matches!(ending.as_slice(), b"sql" | b"psql" | b"pgsql" | b"plsql" | b"mysql" | b"ddl")
}
