//! Changelogs in YAML and JSON: one list of things, of which some are changesets.

use std::borrow::Cow;

use super::{
    super::document::{Kind, Node},
    Changeset, ROOT,
};

/// Tells `take` every changeset of a document.
pub(super) fn run<'n>(document: &'n Node, take: &mut dyn FnMut(Changeset<'n>)) {
    let Some(Node { kind: Kind::Array(things), .. }) = member(document, ROOT) else { return };
    let path = things.iter().find_map(|thing| text(thing, "logicalFilePath"));
    for changeset in things.iter().filter_map(|thing| member(thing, "changeSet")) {
        let Some(id) = member(changeset, "id") else { continue };
        if text(changeset, "ignore").is_some_and(|value| value.eq_ignore_ascii_case("true")) {
            continue;
        }
        let part = |name: &str| text(changeset, name).unwrap_or_default();
        let context = text(changeset, "contextFilter").filter(|context| !context.trim().is_empty());
        take(Changeset {
            id: id.scalar().unwrap_or_default(),
            span: id.span.clone(),
            author: part("author"),
            path: text(changeset, "logicalFilePath").or_else(|| path.clone()),
            dbms: part("dbms"),
            context: context.unwrap_or_else(|| part("context")),
            labels: part("labels"),
        });
    }
}

/// A member of an object; the last of its name.
fn member<'n>(node: &'n Node, name: &str) -> Option<&'n Node> {
    let Kind::Object(members) = &node.kind else { return None };
    members.iter().rev().find(|(key, _)| key.text == name).map(|(_, value)| value)
}

fn text<'n>(node: &'n Node, name: &str) -> Option<Cow<'n, str>> {
    member(node, name)?.scalar()
}
