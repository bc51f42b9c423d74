//! What needs a person's word before it is merged.

mod added;
#[cfg(test)]
mod tests;
mod word;

use std::io;

pub use word::{Approvals, Label, Review};

use self::{
    added::{Hit, hit},
    word::Word,
};
use super::{Code, CodeRule};
use crate::{
    config::change::Approval,
    diag::{Confidence, Diagnostic, Severity, Site},
    rule::{
        change::{Change, File, Said},
        place::{at_span, paths_listed, quoted},
    },
    text::count::number_of,
};

const MISSING: &str = "approval/missing";
/// How many files that need a word are listed as sites.
const MAX_SITES: usize = 20;

/// What the rule says of itself.
pub const RULE: CodeRule = CodeRule {
    id: "approval",
    summary: "What needs a person's word",
    why: "Some changes can't be taken back: a dropped table is gone, whoever wrote the statement. An agent that is sure of itself merges \
          them like any other.",
    docs: None,
    codes: &[Code {
        code: MISSING,
        severity: Severity::Error,
        summary: "A person has agreed to it",
        details: "A change touches files of an `[[approval]]`, or adds to them what one of its `added` expressions finds, and nobody has \
                  agreed. SQL is read as SQL: an expression sees what runs, one whole statement at a time, neither comments nor texts, \
                  but bodies between `$$` and what EXECUTE runs; of any other file it sees each added line. A label counts when a \
                  person other than the author set it after the last push, a review when it approves what was pushed last. Where there \
                  is no pull request, nobody can have agreed. Who set a label can't always be told: then it counts, and a note says so.",
        help: "Ask for the label or the review; nothing in the change itself can stand for it.",
    }],
};

/// Says what needs a person's word that is not there: one finding for each table. `approvals` is what people said on the pull request;
/// none where there is none, or it can't be reached. Levels are not applied.
pub fn judge(change: &Change<'_>, approvals: Option<&Approvals>) -> Said {
    let mut said = Said::default();
    for table in change.tables().approval.iter().map(|table| table.get_ref()) {
        let word = Word::of(table.needs.get_ref(), approvals);
        if word == Word::Given {
            continue;
        }
        let mut sites = Vec::new();
        let asked = change.files.iter().filter(|file| is_asked(table, file));
        for file in asked {
            match look(change, table, file) {
                Ok(Some(found)) => sites.push(found),
                Ok(None) => {}
                Err(error) => {
                    said.gap(file.path.lossy(), format!("whether it needs a person's word (`{}`): {error}", table.tier))
                }
            }
        }
        if !sites.is_empty() {
            said.findings.push(finding(table, &word, sites));
        }
    }
    said
}

fn is_asked(table: &Approval, file: &File) -> bool {
    table.paths.is_empty() || table.paths.matches(file.path.as_bytes())
}

/// Where a file needs a word, and what is said of it.
struct Place {
    site: Site,
    /// The text that was found.
    text: Option<String>,
}

/// Where one file needs a word; none where it does not.
fn look(change: &Change<'_>, table: &Approval, file: &File) -> io::Result<Option<Place>> {
    let mut site = change.site(&file.path);
    if table.added.is_empty() {
        let deed = if file.is_removed() {
            "removed"
        } else if file.is_added() {
            "added"
        } else {
            "changed"
        };
        site.note = Some(deed.to_owned());
        return Ok(Some(Place { site, text: None }));
    }
    if file.is_removed() {
        return Ok(None);
    }
    if file.is_link() {
        return Err(io::Error::other("it is a symbolic link, which is not followed"));
    }
    let Some(after) = change.after(file)? else { return Ok(None) };
    // What came from a place that needs no word for it is new here.
    let from = file.from.as_ref().filter(|from| table.paths.is_empty() || table.paths.matches(from.as_bytes()));
    let before = if from.is_some() { Some(after.clone()) } else { change.before(file)? };
    let Some(Hit { span }) = hit(&file.path, before.as_deref(), &after, &table.added)? else { return Ok(None) };
    let text = quoted(&after[span.clone()]);
    at_span(&mut site, &after, span);
    Ok(Some(Place { site, text: Some(text) }))
}

fn finding(table: &Approval, word: &Word, places: Vec<Place>) -> Diagnostic {
    let count = places.len();
    let paths = paths_listed(places.iter().map(|place| &place.site.path));
    let text = places[0].text.as_deref();
    let deed = match text {
        Some(text) if count == 1 => format!("adds {text} to {paths}"),
        Some(text) => format!("adds {text} and the like to {paths}"),
        None => format!("touches {paths}"),
    };
    let wanted = word::wanted(table.needs.get_ref());
    let (severity, confidence, lacks) = match word {
        Word::Unknown => (
            Severity::Note,
            Confidence::Low,
            format!(
                "{wanted} is there, but nobody can tell here who gave it and when: it is taken for a person's word."
            ),
        ),
        Word::Lacking(why) => (
            Severity::Error,
            Confidence::High,
            format!(
                "That is `{}`, and needs {wanted} before it is merged: {why}. Merged as it is, it happens without anybody's word.",
                table.tier
            ),
        ),
        Word::Given => (Severity::Note, Confidence::High, String::new()),
    };
    let mut message = match word {
        Word::Unknown => format!("This change {deed}. That is `{}`: {lacks}", table.tier),
        _ => format!("This change {deed}. {lacks}"),
    };
    if count > MAX_SITES {
        message.push_str(&format!(" {MAX_SITES} of {} are listed.", number_of(count, "file")));
    }
    let sites = places.into_iter().take(MAX_SITES).map(|place| place.site).collect();
    let mut found = Diagnostic::new(MISSING, severity, message, sites);
    found.confidence = confidence;
    found.key = Some(table.tier.clone());
    found.help = Some(word::help(table.needs.get_ref()));
    found.seal();
    found
}
