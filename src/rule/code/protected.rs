//! Files that a change may only touch in some ways: not remove, not empty, or only append to.

#[cfg(test)]
mod tests;

use std::{io, sync::Arc};

use super::{Code, CodeRule};
use crate::{
    diag::{Diagnostic, Severity},
    rule::{
        change::{Change, File, Said},
        place::{at_line, quoted, restore},
    },
    source::EntryKind,
    text::diff::without_end,
};

const REMOVED: &str = "protected/removed";
const EMPTIED: &str = "protected/emptied";
const REWRITTEN: &str = "protected/rewritten";

/// What the rule says of itself.
pub const RULE: CodeRule = CodeRule {
    id: "protected",
    summary: "Files that a change may only touch in some ways",
    why: "A log, a roadmap or a workflow is worth something because it stays. An agent that tidies up, or that starts from an \
          old copy, takes away what others wrote there, and the diff of a long change hides it.",
    docs: None,
    codes: &[
        Code {
            code: REMOVED,
            severity: Severity::Error,
            summary: "A protected file stays",
            details: "A change removes a file that `[[protected]]` calls `not-deleted` or `append-only`, moves it away, or puts \
                      a link in its place. A file that the trunk has removed in the meantime is none.",
            help: "Put the file back, or let a person change `[[protected]]` first.",
        },
        Code {
            code: EMPTIED,
            severity: Severity::Error,
            summary: "A protected file keeps some content",
            details: "A change leaves nothing but blanks in a file that `[[protected]]` calls `not-empty`. To remove the file is \
                      allowed, unless it is `not-deleted` too: a file that is gone is seen, an empty one looks as if all were well.",
            help: "Put the content back, or remove the file.",
        },
        Code {
            code: REWRITTEN,
            severity: Severity::Error,
            summary: "What stands in an append-only file stays",
            details: "After the merge, a file that `[[protected]]` calls `append-only` would not begin with the lines that the \
                      trunk holds. What the trunk itself did since the change began is not held against the change. A final \
                      line end makes no difference, nor does the kind of line ends.",
            help: "Put back what stands there, and add below it.",
        },
    ],
};

type Text = Arc<[u8]>;

/// What the tables that match one file ask for together.
#[derive(Default)]
struct Asked {
    append_only: bool,
    not_empty: bool,
    not_deleted: bool,
}

/// Judges what a change does to protected files. Of a file that several tables name, all of them count together. Levels are not applied.
pub fn judge(change: &Change<'_>) -> Said {
    let mut said = Said::default();
    for file in change.files.iter().filter(|file| !file.is_added()) {
        let mut all = Asked::default();
        for table in change.tables().protected.iter().map(|table| table.get_ref()) {
            if table.paths.matches(file.path.as_bytes()) {
                all.append_only |= table.append_only;
                all.not_empty |= table.not_empty;
                all.not_deleted |= table.not_deleted;
            }
        }
        match look(change, file, &all) {
            Ok(found) => said.findings.extend(found),
            Err(error) => said
                .gap(file.path.lossy(), format!("whether the file is as protected as `[[protected]]` asks: {error}")),
        }
    }
    said
}

/// What is wrong with one file; the gravest thing alone.
fn look(change: &Change<'_>, file: &File, asked: &Asked) -> io::Result<Option<Diagnostic>> {
    let stays = asked.not_deleted || asked.append_only;
    if let Some(found) = stays.then(|| removed(change, file)).flatten() {
        return Ok(Some(found));
    }
    if file.is_removed() || !(asked.not_empty || asked.append_only) {
        return Ok(None);
    }
    let (Some(before), Some(after)) = (change.before(file)?, change.after(file)?) else { return Ok(None) };
    let sides = sides(change, file, [&before, &after])?;
    if asked.not_empty && is_blank(&sides.1) && !is_blank(&sides.0) {
        return Ok(Some(emptied(change, file)));
    }
    Ok(asked.append_only.then(|| rewritten(change, file, &sides, [&before, &after])).flatten())
}

/// What the merge would hold, and what it is held against: the trunk's version. Where git would stop, somebody will have to choose, and the
/// change is judged by what it did itself.
fn sides(change: &Change<'_>, file: &File, [before, after]: [&Text; 2]) -> io::Result<(Text, Text)> {
    if file.trunk != file.before
        && let Some(trunk) = change.trunk(file)?
    {
        if file.trunk == file.after {
            return Ok((trunk, after.clone()));
        }
        if let Some(merged) = change.ground.merge(&file.path, [before, &trunk, after]) {
            return Ok((trunk, merged.into()));
        }
    }
    Ok((before.clone(), after.clone()))
}

fn removed(change: &Change<'_>, file: &File) -> Option<Diagnostic> {
    let was_link = file.before.is_some_and(|version| version.kind == EntryKind::Link);
    let replaced = file.is_link() && !was_link;
    if file.trunk.is_none() || !(file.is_removed() || replaced) {
        return None;
    }
    let path = file.path.lossy();
    let deed = match (&file.to, replaced) {
        (_, true) => "puts a symbolic link in its place".to_owned(),
        (Some(to), _) => format!("moves it to `{}`", to.lossy()),
        (None, _) => "removes it".to_owned(),
    };
    let message = format!(
        "`{path}` is protected by `[[protected]]`, and this change {deed}. Once merged, `{}` has the file no more.",
        change.base.name
    );
    Some(finding(change, file, REMOVED, message))
}

fn emptied(change: &Change<'_>, file: &File) -> Diagnostic {
    let message = format!(
        "`{}` is `not-empty` by `[[protected]]`, and this change leaves nothing in it: what reads the file goes on as if all were well, and \
         does nothing.",
        file.path.lossy()
    );
    finding(change, file, EMPTIED, message)
}

fn rewritten(
    change: &Change<'_>,
    file: &File,
    (held, merged): &(Text, Text),
    [before, after]: [&Text; 2],
) -> Option<Diagnostic> {
    let (number, line) = first_lost(held, merged)?;
    let message = format!(
        "`{}` is `append-only` by `[[protected]]`, and this change does not leave what stands there: line {number} of `{}` is lost or \
         changed, {}.",
        file.path.lossy(),
        change.base.name,
        quoted(line)
    );
    let mut found = finding(change, file, REWRITTEN, message);
    // its place in the head's own version, which may lack what the trunk added
    if let Some((number, _)) = first_lost(before, after)
        && let Some(site) = found.sites.first_mut()
    {
        at_line(site, after, number);
    }
    Some(found)
}

fn finding(change: &Change<'_>, file: &File, code: &str, message: String) -> Diagnostic {
    let mut found = Diagnostic::new(code, Severity::Error, message, vec![change.site(&file.path)]);
    let help = RULE.codes.iter().find(|known| known.code == code).map_or("", |known| known.help);
    found.help = Some(match restore(&change.base.name, [&file.path]) {
        Some(command) => format!("{help} `{command}` brings the file back as it is there."),
        None => help.to_owned(),
    });
    found
}

/// The first line of one text that another does not have at the same place, and its number from 1. The end of the last line is no part of it.
fn first_lost<'t>(old: &'t [u8], new: &[u8]) -> Option<(usize, &'t [u8])> {
    if old.is_empty() {
        return None;
    }
    let lines = |text: &'t [u8]| text.split_inclusive(|byte| *byte == b'\n').map(without_end);
    let mut others = new.split_inclusive(|byte| *byte == b'\n').map(without_end);
    let mut numbered = lines(old).enumerate();
    numbered.find(|(_, line)| others.next() != Some(line)).map(|(at, line)| (at + 1, line))
}

/// Whether a text holds nothing but blanks.
fn is_blank(text: &[u8]) -> bool {
    let text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
    text.iter().all(u8::is_ascii_whitespace)
}
