//! The changesets of a Liquibase changelog, in any of its formats: XML, YAML, JSON, and SQL with a header.
//!
//! The text itself says that it is a changelog, and in which format. Any other text has no changesets.

mod sql;
mod tree;
mod xml;

use std::{borrow::Cow, ops::Range};

use memchr::memmem;

use super::{ExtractError, Found, json, yaml};

/// What the root of every changelog that is a document is called.
const ROOT: &str = "databaseChangeLog";

/// The parts of a changeset, beside its id, which is the key.
pub const PARTS: [&str; 5] = ["author", "path", "dbms", "context", "labels"];

/// What a changeset says of itself, as it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Changeset<'a> {
    id: Cow<'a, str>,
    /// Where the id stands.
    span: Range<usize>,
    author: Cow<'a, str>,
    /// The logical file path, its own or that of the changelog; none where the real path counts.
    path: Option<Cow<'a, str>>,
    dbms: Cow<'a, str>,
    context: Cow<'a, str>,
    labels: Cow<'a, str>,
}

impl<'a> Changeset<'a> {
    /// As a name. Databases are a set: their order is no part of it.
    fn found(self) -> Option<Found<'a>> {
        if self.id.trim().is_empty() {
            return None; // Liquibase refuses it, whatever else there is
        }
        let mut databases: Vec<&str> = self.dbms.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
        databases.sort_unstable();
        let mut fields: Vec<(&'static str, Cow<'a, str>)> = vec![("author", self.author)];
        if let Some(path) = self.path.filter(|path| !path.trim().is_empty()) {
            fields.push(("path", without_start(&path).into()));
        }
        fields.push(("dbms", databases.join(",").into()));
        fields.extend([("context", trimmed(&self.context)), ("labels", trimmed(&self.labels))]);
        Some(Found { key: self.id, span: self.span, fields })
    }
}

fn trimmed<'a>(text: &str) -> Cow<'a, str> {
    Cow::Owned(text.trim().to_owned())
}

/// A logical path as Liquibase compares it.
fn without_start(path: &str) -> String {
    let path = path.trim().replace('\\', "/");
    path.strip_prefix('/').map_or(path.clone(), str::to_owned)
}

/// Tells `sink` every changeset that is not ignored, in the order of the file. A text that is no changelog has none.
///
/// # Errors
/// Those of the text's format.
pub fn run(bytes: &[u8], sink: &mut dyn FnMut(Found<'_>)) -> Result<(), ExtractError> {
    if sql::is_one(bytes) {
        return sql::run(bytes, &mut |one| one.found().into_iter().for_each(&mut *sink));
    }
    if memmem::find(bytes, ROOT.as_bytes()).is_none() {
        return Ok(());
    }
    let mut take = |one: Changeset<'_>| one.found().into_iter().for_each(&mut *sink);
    match first(bytes) {
        Some(b'<') => xml::run(bytes, &mut take),
        Some(b'{') => {
            tree::run(&json::parse(bytes)?, &mut take);
            Ok(())
        }
        _ if begins_a_line(bytes) => {
            yaml::parse(bytes)?.iter().for_each(|document| tree::run(document, &mut take));
            Ok(())
        }
        _ => Ok(()),
    }
}

/// The first byte that is no blank.
fn first(bytes: &[u8]) -> Option<u8> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    bytes.iter().copied().find(|b| !b.is_ascii_whitespace())
}

/// Whether the root's name begins a line, as in YAML it has to.
fn begins_a_line(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    bytes.split(|b| *b == b'\n').any(|line| {
        let line = line.strip_prefix(b"\"").or_else(|| line.strip_prefix(b"'")).unwrap_or(line);
        line.starts_with(ROOT.as_bytes()) && memchr::memchr(b':', line).is_some()
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// `id@place author|path|dbms|context|labels`, and whether the text could be read.
    fn all(text: &str) -> (Vec<String>, bool) {
        let mut out = Vec::new();
        let done = run(text.as_bytes(), &mut |found| {
            let part = |name: &str| {
                let field = found.fields.iter().find(|(field, _)| *field == name);
                field.map_or("-", |(_, text)| text).to_owned()
            };
            let parts: Vec<String> = PARTS.iter().map(|name| part(name)).collect();
            out.push(format!("{}@{} {}", found.key, &text[found.span.clone()], parts.join("|")));
        });
        (out, done.is_ok())
    }

    fn found(text: &str) -> Vec<String> {
        let (found, is_read) = all(text);
        assert!(is_read, "{text}");
        found
    }

    #[test]
    fn one_changeset_in_each_format() {
        let want = ["1@1 bob|-|h2,mysql|test|x"];
        for text in [
            "<?xml version=\"1.0\"?>\n<databaseChangeLog xmlns=\"u\"><!-- <changeSet id=\"0\" author=\"bob\"/> -->\n<changeSet author='bob' id='1' dbms='mysql, h2' context='test' labels=' x'><sql>a</sql></changeSet></databaseChangeLog>",
            "\u{FEFF}<lb:databaseChangeLog xmlns:lb=\"u\"><lb:changeSet id=\"1\" author=\"bob\" dbms=\"h2,mysql\" contextFilter=\"test\" labels=\"x\"/></lb:databaseChangeLog>",
            "# c\ndatabaseChangeLog:\n  - changeSet:\n      id: 1\n      author: bob\n      dbms: mysql,h2\n      context: test\n      labels: x\n",
            "{\"databaseChangeLog\": [{\"changeSet\": {\"id\": \"1\", \"author\": \"bob\", \"dbms\": \"mysql,h2\", \"contextFilter\": \"test\", \"labels\": \"x\"}}]}",
            "--liquibase formatted sql\n\n--changeset bob:1 dbms:mysql,h2 context:test labels:x\nselect 1;\n",
            "\n -- LIQUIBASE FORMATTED SQL\r\n-- Changeset \"bob\":1 labels:\"x\" contextFilter:\"test\" dbms:h2,mysql splitStatements:false\r\nselect 1;\n",
        ] {
            assert_eq!(found(text), want, "{text}");
        }
    }

    #[test]
    fn a_logical_path_is_the_changesets_own_or_the_changelogs() {
        let want = ["1@1 b|l.xml||| ".trim_end(), "2@2 b|a/own|||"];
        for text in [
            "<databaseChangeLog logicalFilePath=\"/l.xml\"><changeSet id=\"1\" author=\"b\"/><changeSet id=\"2\" author=\"b\" logicalFilePath=\"a\\own\"/></databaseChangeLog>",
            "databaseChangeLog:\n- logicalFilePath: l.xml\n- changeSet: {id: 1, author: b}\n- changeSet: {id: 2, author: b, logicalFilePath: a/own}\n",
            "{\"databaseChangeLog\": [{\"logicalFilePath\": \"l.xml\"}, {\"changeSet\": {\"id\": 1, \"author\": \"b\"}}, {\"changeSet\": {\"id\": 2, \"author\": \"b\", \"logicalFilePath\": \"/a/own\"}}]}",
            "--liquibase formatted sql logicalFilePath:l.xml\n--changeset b:1\n--changeset b:2 logicalFilePath:a/own\n",
        ] {
            assert_eq!(found(text), want, "{text}");
        }
    }

    #[test]
    fn what_is_ignored_or_no_changelog_has_none() {
        for text in [
            "",
            "<project><changeSet id=\"1\" author=\"databaseChangeLog\"/></project>",
            "<databaseChangeLog><changeSet id=\"1\" author=\"b\" ignore=\"true\"/><rollback><changeSet id=\"2\" author=\"b\"/></rollback></databaseChangeLog>",
            "databaseChangeLog:\n- changeSet: {id: 1, author: b, ignore: true}\n- include: {file: x}\n",
            "databaseChangeLog:\n",
            "create table databaseChangeLog (x text); -- : [",
            "--changeset b:1\nselect 1; -- liquibase formatted sql\n",
            "--liquibase formatted sql\n--changeset b:1 ignore:true\n--ignoreLines:start\n--changeset b:2\n--ignoreLines:end\n--ignoreLines:1\n--changeset b:3\n-changeset b:4\n--changeset b: 5\n",
            "{\"databaseChangeLog\": {\"changeSet\": 1}}",
        ] {
            assert_eq!(found(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn a_changelog_that_can_not_be_read_is_an_error() {
        for text in ["<databaseChangeLog><changeSet id=\"1\">", "databaseChangeLog: [", "{\"databaseChangeLog\": [}"] {
            assert!(!all(text).1, "{text}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn no_text_makes_a_reader_panic(
            text in "(<databaseChangeLog|databaseChangeLog:\n|\\{\"databaseChangeLog\":|--liquibase formatted sql\n)(<changeSet |id=|'é'|\"1&lt;\"|>|/>|</changeSet>|- changeSet:|\n|  id: é|--changeset |a:b|\"|dbms:|&|<!--|\\[|\\{|\\}){0,24}"
        ) {
            let _ = all(&text);
        }
    }
}
