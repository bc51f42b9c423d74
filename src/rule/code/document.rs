//! Documents that programs read: whether they fit their schema, and whether what they say of a change is so.

mod facts;
mod schema;
#[cfg(test)]
mod tests;

use std::{collections::BTreeSet, io, sync::Arc};

pub use facts::{Facts, TestCounts};

use self::schema::{Fault, Schema};
use super::{Code, CodeRule};
use crate::{
    claim::extract::{
        ExtractError,
        record::{Record, line_of, records},
    },
    config::change::{Document, Fact},
    diag::{Diagnostic, RepoPath, Severity, Site},
    rule::{
        change::{Change, File, Said, Standing},
        place::{at_line, at_span},
    },
};

const INVALID: &str = "document/invalid";
const CONTRADICTED: &str = "document/contradicted";
/// How many faults of one document are told.
const MAX_FAULTS: usize = 20;

/// What the rule says of itself.
pub const RULE: CodeRule = CodeRule {
    id: "document",
    summary: "Documents that programs read",
    why: "A hand-off or a report is read by the next agent and by the program that starts it. A field that is misspelt is a field that is \
          missing, and a report that says more than was done is believed.",
    docs: None,
    codes: &[
        Code {
            code: INVALID,
            severity: Severity::Error,
            summary: "A document fits its schema",
            details: "A file that a `[[document]]` names does not parse, holds a field twice, or does not fit its JSON Schema. JSON, YAML \
                      and TOML are read whole (comments belong to `.jsonc`); of any other file the front matter is. A change is judged by the base's schema, and by its \
                      own where the base has none. References to other documents are not followed: such a schema leaves the report \
                      incomplete.",
            help: "Mend the field, or let a person change the schema first.",
        },
        Code {
            code: CONTRADICTED,
            severity: Severity::Error,
            summary: "What a document says of its change is so",
            details: "A document that a change adds or edits states, at one of the paths under `facts`, another figure than the change \
                      bears out: tests that are added, deleted or skipped, files that are changed, migrations that are added. Files and \
                      migrations may be given as a number or as a list of paths, and all that one JSONPath selects is one list; the document itself and the old side of a move may be \
                      counted or not. A document that states nothing contradicts nothing.",
            help: "Correct the document, or the change.",
        },
    ],
};

/// The facts that the documents of a change could state, so that only those have to be found out.
pub fn wanted(change: &Change<'_>) -> BTreeSet<Fact> {
    let stated = |table: &Document| {
        let is_stated = change.files.iter().any(|file| is_judged(table, file));
        let facts: Vec<Fact> = if is_stated { table.facts.keys().copied().collect() } else { Vec::new() };
        facts
    };
    change.tables().document.iter().flat_map(|table| stated(table.get_ref())).collect()
}

/// Judges the documents that a change adds or edits. Levels are not applied.
pub fn judge(change: &Change<'_>, facts: &Facts) -> Said {
    let mut said = Said::default();
    for table in change.tables().document.iter().map(|table| table.get_ref()) {
        let files: Vec<&File> = change.files.iter().filter(|file| is_judged(table, file)).collect();
        if files.is_empty() {
            continue;
        }
        let schema = schema_of(table, &mut said, |path| schema_for_change(change, path));
        for file in files {
            let site = change.site(&file.path);
            if file.is_link() {
                said.gap(file.path.lossy(), "a symbolic link, which is not followed, stands where a document should");
                continue;
            }
            let bytes = change.after(file).map(Option::unwrap_or_default);
            let Some(read) = look(table, schema.as_ref(), site, bytes, &mut said) else { continue };
            facts::judge(change, table, facts, &read, &mut said);
        }
    }
    said
}

/// Judges all documents of a tree by their schemas. Levels are not applied.
pub fn judge_tree(tree: &Standing<'_>) -> Said {
    let mut said = Said::default();
    for table in tree.tables().document.iter().map(|table| table.get_ref()).filter(|table| table.schema.is_some()) {
        let paths = match tree.files.paths() {
            Ok(paths) => paths,
            Err(why) => {
                said.gap("the documents of `[[document]]`", why);
                continue;
            }
        };
        let files: Vec<&RepoPath> = paths.iter().filter(|path| table.paths.matches(path.as_bytes())).collect();
        if files.is_empty() {
            continue;
        }
        let read = |path: &RepoPath| Ok(tree.files.read(path)?.map(|bytes| (bytes, true)));
        let schema = schema_of(table, &mut said, read);
        for path in files {
            match tree.files.read(path) {
                Ok(None) => {
                    said.gap(path.lossy(), "a symbolic link, which is not followed, stands where a document should")
                }
                Ok(Some(bytes)) => drop(look(table, schema.as_ref(), tree.site(path), Ok(bytes), &mut said)),
                Err(error) => drop(look(table, schema.as_ref(), tree.site(path), Err(error), &mut said)),
            }
        }
    }
    said
}

/// A document that was read.
struct Read {
    site: Site,
    bytes: Arc<[u8]>,
    records: Vec<Record>,
}

fn is_judged(table: &Document, file: &File) -> bool {
    !file.is_removed() && table.paths.matches(file.path.as_bytes())
}

/// The base's version of a schema, which a person may trust; where it has none, the change's own.
fn schema_for_change(change: &Change<'_>, path: &RepoPath) -> io::Result<Option<(Arc<[u8]>, bool)>> {
    let Some(file) = change.file(path) else { return Ok(change.ground.on_trunk(path)?.map(|bytes| (bytes, true))) };
    if let Some(bytes) = change.trunk(file)? {
        return Ok(Some((bytes, true)));
    }
    Ok(if file.is_link() { None } else { change.after(file)?.map(|bytes| (bytes, false)) })
}

/// The schema of a table, ready to judge by; none where there is none, or it can't be had: then it is a gap.
fn schema_of(
    table: &Document,
    said: &mut Said,
    read: impl FnOnce(&RepoPath) -> io::Result<Option<(Arc<[u8]>, bool)>>,
) -> Option<Schema> {
    let path = table.schema.as_deref()?;
    let made = match read(&path.into()) {
        Ok(Some((bytes, trusted))) => Schema::compile(path, &bytes, trusted),
        Ok(None) => Err("no such file: the documents that follow it are not judged".to_owned()),
        Err(error) => Err(format!("the schema can't be read: {error}")),
    };
    made.map_err(|why| said.gap(path, why)).ok()
}

/// Reads a document and judges it by its schema; none where it can't be read.
fn look(
    table: &Document,
    schema: Option<&Schema>,
    site: Site,
    bytes: io::Result<Arc<[u8]>>,
    said: &mut Said,
) -> Option<Read> {
    let path = site.path.clone();
    let bytes = match bytes {
        Ok(bytes) => bytes,
        Err(error) => {
            said.gap(path.lossy(), format!("the document can't be read: {error}"));
            return None;
        }
    };
    let records = match records(path.file_name(), &bytes) {
        Ok(records) => records,
        Err(error @ (ExtractError::TooLarge(_) | ExtractError::Read(_))) => {
            said.gap(path.lossy(), error.to_string());
            return None;
        }
        Err(error) => {
            said.findings.push(unreadable(site, &bytes, &error));
            return None;
        }
    };
    if records.is_empty() && table.schema.is_some() {
        said.findings.push(empty(site, table));
        return None;
    }
    let read = Read { site, bytes, records };
    for record in &read.records {
        let mut faults: Vec<Fault> = record.repeated(MAX_FAULTS).into_iter().map(Fault::repeated).collect();
        if let Some(schema) = schema {
            match schema.faults(record, read.bytes.len(), MAX_FAULTS) {
                Ok(found) => faults.extend(found),
                Err(why) => said.gap(path.lossy(), why),
            }
        }
        faults.sort_by(|a, b| (a.span.start, &a.pointer).cmp(&(b.span.start, &b.pointer)));
        let found = faults.iter().take(MAX_FAULTS).map(|fault| invalid(&read, table, fault));
        said.findings.extend(found);
    }
    Some(read)
}

fn invalid(read: &Read, table: &Document, fault: &Fault) -> Diagnostic {
    let path = read.site.path.lossy();
    let message = match table.schema.as_deref().filter(|_| !fault.is_repeated) {
        Some(schema) => format!(
            "`{path}` does not fit `{schema}` at {}: {}. A program that reads the document stops there, or takes it for something else.",
            fault.field(),
            fault.said
        ),
        None => format!("`{path}` holds {} twice, and readers differ in which of the two they take.", fault.field()),
    };
    let mut site = read.site.clone();
    at_span(&mut site, &read.bytes, fault.span.clone());
    finding(INVALID, message, site, Some(&fault.pointer))
}

fn unreadable(mut site: Site, bytes: &[u8], error: &ExtractError) -> Diagnostic {
    if let Some(line) = line_of(error, bytes) {
        at_line(&mut site, bytes, line);
    }
    let message =
        format!("`{}` is a document by `[[document]]`, and no program can read it: {error}.", site.path.lossy());
    finding(INVALID, message, site, None)
}

fn empty(site: Site, table: &Document) -> Diagnostic {
    let schema = table.schema.as_deref().unwrap_or_default();
    let message = format!(
        "`{}` is a document by `[[document]]`, and holds none of the fields of `{schema}`: it is empty, or its text has no front matter \
         between two lines `---` at the top.",
        site.path.lossy()
    );
    finding(INVALID, message, site, None)
}

fn finding(code: &str, message: String, site: Site, key: Option<&str>) -> Diagnostic {
    let mut found = Diagnostic::new(code, Severity::Error, message, vec![site]);
    found.key = key.map(str::to_owned);
    found.help = RULE.codes.iter().find(|known| known.code == code).map(|known| known.help.to_owned());
    found.seal();
    found
}
