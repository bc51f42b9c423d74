//! Changelogs in XML: the attributes of the elements `changeSet` right below the root.

use std::{borrow::Cow, ops::Range};

use quick_xml::{
    Reader,
    events::{BytesStart, Event},
};

use super::{
    super::{
        ExtractError,
        document::{line_at, shifted, text},
    },
    Changeset, ROOT,
};

/// Tells `take` every changeset; none where the root is another.
pub(super) fn run(bytes: &[u8], take: &mut dyn FnMut(Changeset<'_>)) -> Result<(), ExtractError> {
    let (text, mark) = text(bytes)?;
    let mut reader = Reader::from_str(text);
    let mut path = None;
    let mut depth = 0_usize;
    loop {
        let event = reader.read_event().map_err(|error| syntax(text, reader.error_position(), error.to_string()))?;
        let (start, opens) = match &event {
            Event::Start(start) => (start, true),
            Event::Empty(start) => (start, false),
            Event::End(_) => {
                depth = depth.saturating_sub(1);
                continue;
            }
            Event::Eof if depth > 0 => {
                return Err(syntax(text, text.len() as u64, "an element is not closed".to_owned()));
            }
            Event::Eof => return Ok(()),
            _ => continue,
        };
        match (depth, start.local_name().as_ref()) {
            (0, name) if name != ROOT => return Ok(()),
            (0, _) => path = attribute(text, start, "logicalFilePath").map(|(value, _)| value.into_owned()),
            (1, "changeSet") => {
                if let Some(mut changeset) = changeset(text, start) {
                    changeset.path = changeset.path.or_else(|| path.clone().map(Cow::Owned));
                    changeset.span = shifted(changeset.span, mark);
                    take(changeset);
                }
            }
            _ => {}
        }
        depth += usize::from(opens);
    }
}

fn syntax(text: &str, at: u64, message: String) -> ExtractError {
    ExtractError::Syntax { format: "XML", line: line_at(text, usize::try_from(at).unwrap_or(text.len())), message }
}

fn changeset<'t>(text: &'t str, start: &BytesStart<'t>) -> Option<Changeset<'t>> {
    let value = |name: &str| attribute(text, start, name).map(|(value, _)| value);
    if value("ignore").is_some_and(|value| value.trim().eq_ignore_ascii_case("true")) {
        return None;
    }
    let (id, span) = attribute(text, start, "id")?;
    let context = value("contextFilter").filter(|context| !context.trim().is_empty());
    Some(Changeset {
        id,
        span,
        author: value("author").unwrap_or_default(),
        path: value("logicalFilePath"),
        dbms: value("dbms").unwrap_or_default(),
        context: context.or_else(|| value("context")).unwrap_or_default(),
        labels: value("labels").unwrap_or_default(),
    })
}

/// The value of an attribute, and where it stands. References that are not the standard's own stay as they are written.
fn attribute<'t>(text: &'t str, start: &BytesStart<'t>, name: &str) -> Option<(Cow<'t, str>, Range<usize>)> {
    let found = start.attributes().with_checks(false).flatten().find(|one| one.key.as_ref() == name)?;
    let Cow::Borrowed(raw) = found.value else { return None };
    let at = (raw.as_ptr() as usize).checked_sub(text.as_ptr() as usize)?;
    let span = at..at + raw.len();
    let raw = text.get(span.clone())?;
    Some((quick_xml::escape::unescape(raw).unwrap_or(Cow::Borrowed(raw)), span))
}
