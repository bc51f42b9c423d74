//! Changelogs in SQL: a header in the first line, and each changeset begins with a comment.

use std::{borrow::Cow, ops::Range, sync::LazyLock};

use regex::bytes::{Captures, Regex};

use super::{super::ExtractError, Changeset};

/// Patterns of Liquibase's own parser, for one line.
struct Patterns {
    header: Regex,
    changeset: Regex,
    ignored: Regex,
    dbms: Regex,
    context: Regex,
    context_filter: Regex,
    labels: Regex,
    path: Regex,
    ignore: Regex,
}

static PATTERNS: LazyLock<Patterns> = LazyLock::new(|| {
    let new = |pattern: &str| Regex::new(pattern).expect("the pattern is valid");
    Patterns {
        header: new(r"(?i)^\s*--\s*liquibase\s*formatted"),
        changeset: new(r#"(?i)^\s*--\s*changeset\s+(?<author>"[^"]+"|[^:]+):(?<id>"[^"]+"|\S+)"#),
        ignored: new(r"(?i)^--\s*ignoreLines:(?<count>\w+)\s*$"),
        dbms: new(r"(?i).*dbms:(?<value>[^,][\w!,]+)"),
        context: new(r#"(?i).*context:(?<value>".*?"|\S*)"#),
        context_filter: new(r#"(?i).*contextFilter:(?<value>".*?"|\S*)"#),
        labels: new(r#"(?i).*labels:(?<value>".*?"|\S*)"#),
        path: new(r"(?i).*logicalFilePath:(?<value>\S*)"),
        ignore: new(r"(?i).*ignore:(?<value>\w*)"),
    }
});

/// Whether the first line that is not blank is the header.
pub(super) fn is_one(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let first = bytes.split(|b| *b == b'\n').find(|line| !line.trim_ascii().is_empty());
    first.is_some_and(|line| PATTERNS.header.is_match(line))
}

/// Tells `take` every changeset. Bytes that are no UTF-8 are an error in the lines of changesets only.
pub(super) fn run(bytes: &[u8], take: &mut dyn FnMut(Changeset<'_>)) -> Result<(), ExtractError> {
    let patterns = &*PATTERNS;
    let mut path = None;
    let mut passed_over = Passed::Nothing;
    let mut at = 0;
    for line in bytes.split_inclusive(|b| *b == b'\n') {
        let (start, text) = (at, line.trim_ascii_end());
        at += line.len();
        if passed_over.takes(patterns.ignored.captures(text)) {
            continue;
        }
        let text = text.strip_prefix(b"\xEF\xBB\xBF").filter(|_| start == 0).unwrap_or(text);
        let start = at - line.len() + if start == 0 && line.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
        if path.is_none() && patterns.header.is_match(text) {
            path = value(&patterns.path, text);
        } else if let Some(found) = patterns.changeset.captures(text) {
            let Ok(text) = std::str::from_utf8(text) else { return Err(ExtractError::Encoding(start)) };
            if value(&patterns.ignore, text.as_bytes()).is_some_and(|value| value.eq_ignore_ascii_case("true")) {
                continue;
            }
            let part = |pattern: &Regex| value(pattern, text.as_bytes()).unwrap_or_default();
            let context = Some(part(&patterns.context_filter)).filter(|context| !context.is_empty());
            let (author, _) = group(text, &found, "author");
            let (id, span) = group(text, &found, "id");
            take(Changeset {
                id,
                span: start + span.start..start + span.end,
                author,
                path: value(&patterns.path, text.as_bytes()).or_else(|| path.clone()),
                dbms: part(&patterns.dbms),
                context: context.unwrap_or_else(|| part(&patterns.context)),
                labels: part(&patterns.labels),
            });
        }
    }
    Ok(())
}

/// Lines that Liquibase is told to pass over.
enum Passed {
    Nothing,
    Lines(u64),
    UpToEnd,
}

impl Passed {
    /// Whether a line is one of them, or tells of them.
    fn takes(&mut self, found: Option<Captures<'_>>) -> bool {
        let count = found.as_ref().and_then(|found| std::str::from_utf8(&found["count"]).ok());
        *self = match (&self, count) {
            (Self::UpToEnd, Some("end")) => Self::Nothing,
            (Self::UpToEnd, _) => Self::UpToEnd,
            (Self::Lines(left), _) if *left > 1 => Self::Lines(left - 1),
            (Self::Lines(_), _) => Self::Nothing,
            (Self::Nothing, Some("start")) => Self::UpToEnd,
            (Self::Nothing, Some(count)) => match count.parse() {
                Ok(count) if count > 0 => Self::Lines(count),
                _ => Self::Nothing,
            },
            (Self::Nothing, None) => return false,
        };
        true
    }
}

/// The last value of an attribute, without quotes; none where it is empty.
fn value(pattern: &Regex, line: &[u8]) -> Option<Cow<'static, str>> {
    let found = pattern.captures(line)?;
    let text = String::from_utf8_lossy(&found["value"]).into_owned();
    let plain = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(&text);
    (!plain.is_empty()).then(|| plain.to_owned().into())
}

/// A group without the quotes around it, and where it stands.
fn group<'t>(text: &'t str, found: &Captures<'_>, name: &str) -> (Cow<'t, str>, Range<usize>) {
    let span = found.name(name).map_or(0..0, |group| group.range());
    let raw = text.get(span.clone()).unwrap_or_default();
    match raw.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(plain) => (plain.into(), span.start + 1..span.end - 1),
        None => (raw.into(), span),
    }
}
