//! Drizzle before 1.0: the journal, one snapshot of the whole schema for each migration, and the SQL.

use std::collections::BTreeSet;

use regex::Regex;
use serde::Deserialize;

use super::{
    Chained,
    json::{Json, merged},
    text, with,
};
use crate::{
    diag::{RepoPath, parent},
    fix::{Draft, in_folder},
};

const JOURNAL: &str = "_journal.json";
/// What is left to a person who can't be helped here.
const AGAIN: &str = "take the migration back, merge the base, and run `drizzle-kit generate` again";

#[derive(Deserialize)]
struct Journal {
    entries: Vec<Entry>,
}

#[derive(Clone, Deserialize)]
struct Entry {
    idx: u64,
    when: u64,
    tag: String,
}

/// Gives the change's migrations the next numbers and later times, and lets their snapshots come after the base's last one.
pub(super) fn rechain(draft: &mut Draft<'_>, chained: &Chained<'_>) -> Result<Vec<String>, String> {
    let journal = chained.base.iter().find(|(path, _)| path.as_bytes().ends_with(JOURNAL.as_bytes()));
    let (path, bytes) = journal.ok_or_else(|| format!("the base has no journal: {AGAIN}"))?;
    let (meta, base) = (path.parent().to_vec(), entries(path, bytes)?);
    let before = text(draft, path)?;
    let all = entries(path, before.as_bytes())?;
    let known: BTreeSet<(&str, u64)> = base.iter().map(|entry| (entry.tag.as_str(), entry.when)).collect();
    let own: Vec<&Entry> = all.iter().filter(|entry| !known.contains(&(entry.tag.as_str(), entry.when))).collect();
    let last = base.iter().max_by_key(|entry| entry.idx).ok_or("the base's journal is empty")?;
    let newest = base.iter().map(|entry| entry.when).max().unwrap_or_default();
    let theirs = of_base(chained, &snapshot(&meta, &last.tag))?;
    let theirs_id = theirs.text("id").ok_or("the base's last snapshot has no id")?.to_owned();

    let mut fork: Option<Json> = None;
    let (mut idx, mut when, mut places) = (last.idx, newest, Vec::new());
    for entry in own {
        (idx, when) = (idx + 1, entry.when.max(when + 1));
        let tag = renumbered(&entry.tag, idx);
        places.extend(in_journal(&before, entry, (idx, when, &tag)).ok_or_else(|| {
            format!("the entry `{}` of `{}` can't be told from others: {AGAIN}", entry.tag, path.lossy())
        })?);
        let from = snapshot(&meta, &entry.tag);
        let mut mine = Json::parse(&text(draft, &from)?).map_err(|why| format!("`{}`: {why}", from.lossy()))?;
        if snapshots(chained).any(|one| one.text("id") == mine.text("id")) {
            return Err(format!("the snapshot of `{}` is lost: {AGAIN}", entry.tag));
        }
        if fork.is_none() {
            fork = Some(of_id(chained, mine.text("prevId").unwrap_or_default())?);
            mine.set("prevId", &theirs_id);
        }
        let was = fork.as_ref().expect("it was just found");
        let joined = merged(was, &mine, &theirs, &["id", "prevId"]);
        let joined = joined.map_err(|what| format!("the base and `{}` both change `{what}`: {AGAIN}", entry.tag))?;
        draft.edit(&from, joined.pretty() + "\n");
        let to = snapshot(&meta, &tag);
        let sql = |tag: &str| in_folder(parent(&meta), &format!("{tag}.sql"));
        if tag != entry.tag {
            draft.rename(&from, &to)?;
            draft.rename(&sql(&entry.tag), &sql(&tag))?;
        }
    }
    let places = places.iter().map(|(place, word)| (place.clone(), word.as_str())).collect();
    draft.edit(path, with(&before, places));
    Ok(vec![format!("where git stops at `{}`, keep the entries of both, the base's first", path.lossy())])
}

fn entries(path: &RepoPath, bytes: &[u8]) -> Result<Vec<Entry>, String> {
    let journal: Result<Journal, _> = serde_json::from_slice(bytes);
    journal.map(|journal| journal.entries).map_err(|error| format!("`{}`: {error}", path.lossy()))
}

/// The number, or time, that a tag begins with.
fn prefix(tag: &str) -> &str {
    tag.split('_').next().unwrap_or_default()
}

fn snapshot(meta: &[u8], tag: &str) -> RepoPath {
    in_folder(meta, &format!("{}_snapshot.json", prefix(tag)))
}

/// A tag with another number; one that begins with a time keeps it.
fn renumbered(tag: &str, idx: u64) -> String {
    let old = prefix(tag);
    match !old.is_empty() && old.len() <= 6 && old.bytes().all(|byte| byte.is_ascii_digit()) {
        true => format!("{idx:0>width$}{}", &tag[old.len()..], width = old.len()),
        false => tag.to_owned(),
    }
}

/// All snapshots of the base, and what else is JSON there.
fn snapshots(chained: &Chained<'_>) -> impl Iterator<Item = Json> {
    chained.base.iter().filter_map(|(_, bytes)| Json::parse(&String::from_utf8_lossy(bytes)).ok())
}

/// The base's snapshot at a path.
fn of_base(chained: &Chained<'_>, path: &RepoPath) -> Result<Json, String> {
    let found = chained.base.iter().find(|(known, _)| known == path);
    let (_, bytes) = found.ok_or_else(|| format!("the base has no `{}`: {AGAIN}", path.lossy()))?;
    Json::parse(&String::from_utf8_lossy(bytes)).map_err(|why| format!("`{}`: {why}", path.lossy()))
}

/// The base's snapshot with an id; an empty one where nothing came before.
fn of_id(chained: &Chained<'_>, id: &str) -> Result<Json, String> {
    if id.bytes().all(|byte| matches!(byte, b'0' | b'-')) {
        return Ok(Json::Object(Vec::new()));
    }
    let found = snapshots(chained).find(|one| one.text("id") == Some(id));
    found.ok_or_else(|| format!("the base has no snapshot `{id}`, which the change comes after: {AGAIN}"))
}

/// A part of a text, and what is to stand there.
type Place = (std::ops::Range<usize>, String);

/// Where an entry's number, time and tag stand, and what is to stand there.
fn in_journal(text: &str, entry: &Entry, (idx, when, tag): (u64, u64, &str)) -> Option<Vec<Place>> {
    let member = |name: &str, value: &str| Regex::new(&format!(r#""{name}"\s*:\s*({value})\b?"#)).ok();
    let object = Regex::new(r"\{[^{}]*\}").ok()?;
    let tag_of = Regex::new(&format!(r#""tag"\s*:\s*"({})""#, regex::escape(&entry.tag))).ok()?;
    let (idx_of, when_of) = (member("idx", &entry.idx.to_string())?, member("when", &entry.when.to_string())?);
    let mut found = object.find_iter(text).filter_map(|object| {
        let place = |of: &Regex| {
            of.captures(object.as_str())?
                .get(1)
                .map(|group| object.start() + group.start()..object.start() + group.end())
        };
        Some(vec![
            (place(&idx_of)?, idx.to_string()),
            (place(&when_of)?, when.to_string()),
            (place(&tag_of)?, tag.to_owned()),
        ])
    });
    let only = found.next()?;
    found.next().is_none().then_some(only)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::fix::draft::testing::{Memory, shown};

    fn snapshot(id: &str, prev: &str, tables: &[&str]) -> String {
        let tables: Vec<String> = tables.iter().map(|name| format!("\"{name}\": {{\"name\": \"{name}\"}}")).collect();
        format!(
            "{{\"version\": \"6\", \"tables\": {{{}}}, \"id\": \"{id}\", \"prevId\": \"{prev}\"}}",
            tables.join(", ")
        )
    }

    fn journal(entries: &[(u64, u64, &str)]) -> String {
        let entries: Vec<String> = entries.iter().map(|(idx, when, tag)| format!("    {{\"idx\": {idx}, \"version\": \"6\", \"when\": {when}, \"tag\": \"{tag}\", \"breakpoints\": true}}")).collect();
        format!("{{\n  \"entries\": [\n{}\n  ]\n}}\n", entries.join(",\n"))
    }

    fn after(theirs: &str, mine: &str) -> Result<Vec<String>, String> {
        const ZERO: &str = "00000000-0000-0000-0000-000000000000";
        let base: Vec<(RepoPath, Vec<u8>)> = [
            ("d/meta/_journal.json", journal(&[(0, 100, "0000_a"), (1, 300, "0001_theirs")])),
            ("d/meta/0000_snapshot.json", snapshot("s0", ZERO, &["a"])),
            ("d/meta/0001_snapshot.json", theirs.to_owned()),
        ]
        .into_iter()
        .map(|(path, text)| (path.into(), text.into_bytes()))
        .collect();
        let journal = journal(&[(0, 100, "0000_a"), (1, 200, "0001_mine")]);
        let disk = Memory::new(&[
            ("d/meta/_journal.json", journal.as_str()),
            ("d/meta/0001_snapshot.json", mine),
            ("d/0001_mine.sql", "create"),
        ]);
        let mut draft = Draft::new(&disk);
        rechain(&mut draft, &Chained { base: &base, own: &[], changed: &[], label: "" })?;
        Ok(shown(draft))
    }

    #[test]
    fn number_time_and_snapshot_come_after_the_base() {
        let got = after(&snapshot("s1", "s0", &["a", "theirs"]), &snapshot("m1", "s0", &["a", "mine"])).unwrap();
        assert_eq!(got[0], "d/0001_mine.sql -> d/0002_mine.sql");
        assert!(got[1].starts_with("d/meta/0001_snapshot.json -> d/meta/0002_snapshot.json: "), "{got:?}");
        let text = got[1].split(": ").skip(1).collect::<Vec<_>>().join(": ");
        let made: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!((&made["id"], &made["prevId"]), (&"m1".into(), &"s1".into()));
        assert_eq!(made["tables"].as_object().unwrap().len(), 3);
        assert_eq!(got[2], format!("d/meta/_journal.json: {}", journal(&[(0, 100, "0000_a"), (2, 301, "0002_mine")])));
    }

    #[test]
    fn what_both_change_is_left_for_a_person() {
        let mine = snapshot("m1", "s0", &["a"]).replace("\"name\": \"a\"", "\"name\": \"b\"");
        let theirs = snapshot("s1", "s0", &["a"]).replace("\"name\": \"a\"", "\"name\": \"c\"");
        assert!(after(&theirs, &mine).unwrap_err().contains("both change `tables.a.name`"));
        assert!(after(&snapshot("s1", "s0", &["a"]), &snapshot("s1", "s0", &["a"])).unwrap_err().contains("lost"));
    }
}
