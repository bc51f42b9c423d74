//! Message ids of GNU gettext's translations.

use std::{collections::HashSet, ops::Range};

use super::{
    super::{
        ExtractError,
        document::{shifted, text},
    },
    KeyAt, Repeat, Step, child, spelled,
};

pub(super) fn keys(bytes: &[u8]) -> Result<Vec<KeyAt>, ExtractError> {
    Ok(messages(bytes)?.into_iter().map(|message| KeyAt { id: message.key(), span: message.span }).collect())
}

pub(super) fn repeats(bytes: &[u8]) -> Result<Vec<Repeat>, ExtractError> {
    let mut taken = HashSet::new();
    let again = messages(bytes)?.into_iter().filter(|message| !taken.insert(message.key()));
    Ok(again
        .map(|message| Repeat { id: message.key(), path: message.path(), span: message.span, same_value: false })
        .collect())
}

/// What a translation is looked up by.
#[derive(Default)]
struct Message {
    context: Option<String>,
    id: String,
    /// Of the line with `msgid`, without its end.
    span: Range<usize>,
}

impl Message {
    fn key(&self) -> u64 {
        // a context of no letters is not the same as none
        let context = self.context.as_ref().map_or(0, |context| child(1, context));
        child(context, &self.id)
    }

    fn path(&self) -> String {
        let steps: Vec<Step<'_>> = self.context.iter().chain([&self.id]).map(|name| Step::Name(name)).collect();
        spelled(&steps)
    }
}

/// All messages but the header and the obsolete ones, which are comments.
fn messages(bytes: &[u8]) -> Result<Vec<Message>, ExtractError> {
    let (text, mark) = text(bytes)?;
    let (mut found, mut context): (Vec<Message>, Option<String>) = (Vec::new(), None);
    let mut word = ""; // that the next string belongs to
    let mut at = 0;
    for raw in text.split_inclusive('\n') {
        let start = at;
        at += raw.len();
        let line = raw.trim();
        let rest = if line.starts_with('"') { line } else { line.find('"').map_or("", |quote| &line[quote..]) };
        if !line.starts_with('"') {
            word = line.split([' ', '\t', '"']).next().unwrap_or_default();
        }
        let Some(string) = rest.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else { continue };
        match word {
            "msgctxt" => context.get_or_insert_default().push_str(string),
            "msgid" => {
                if !line.starts_with('"') {
                    let span = shifted(start..start + raw.trim_end().len(), mark);
                    found.push(Message { context: context.take(), id: String::new(), span });
                }
                if let Some(message) = found.last_mut() {
                    message.id.push_str(string);
                }
            }
            _ => {}
        }
    }
    found.retain(|message| message.context.is_some() || !message.id.is_empty());
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::super::{Format, tests::paths};

    #[test]
    fn messages_stand_once() {
        let text = "msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\n#: a.py:1\nmsgid \"Save\"\nmsgstr \"Sichern\"\n\n\
            msgctxt \"menu\"\nmsgid \"Save\"\nmsgstr \"Speichern\"\n\nmsgid \"\"\n\"two \"\n\"lines\"\nmsgstr \"x\"\n\n#~ msgid \"Save\"\n#~ msgstr \"\"\n\n";
        assert_eq!(paths(Format::Po, text), [""; 0]);
        let twice = format!(
            "{text}msgid \"Save\"\nmsgid_plural \"Saves\"\nmsgstr[0] \"x\"\n\nmsgid \"two lines\"\nmsgstr \"\"\n"
        );
        assert_eq!(paths(Format::Po, &twice), ["Save@msgid \"Save\"", "\"two lines\"@msgid \"two lines\""]);
    }
}
