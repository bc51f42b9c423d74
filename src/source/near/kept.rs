//! What lines of work changed, remembered in one file beside the git directory. A file that can't be read, or is of another version or trunk,
//! is as good as none.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use gix::ObjectId;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::super::{Changed, EntryKind, Grown, Growth, Place, Version};
use crate::diag::RepoPath;

/// The name of the file.
const FILE: &str = "lines.json";
/// Longest file that is read, in bytes.
const LONGEST: u64 = 64 << 20;

/// What is remembered of all lines.
pub(super) struct Kept {
    trunk: ObjectId,
    tips: BTreeMap<ObjectId, Grown>,
}

#[derive(Serialize, Deserialize)]
struct Document {
    /// gatekeep's own version.
    version: String,
    trunk: String,
    /// By the tip; none of one that the trunk holds.
    tips: BTreeMap<String, Option<Entry>>,
}

#[derive(Serialize, Deserialize)]
struct Entry {
    fork: String,
    crossed: bool,
    own: Vec<String>,
    started: Option<i64>,
    tip_time: i64,
    /// Path, what stands there in the merge base, what stands there at the tip.
    changes: Vec<(String, Option<Blob>, Option<Blob>)>,
}

/// A blob, and whether it is a link.
type Blob = (String, bool);

impl Kept {
    pub(super) fn read(folder: &Path, trunk: ObjectId) -> Self {
        let tips = document(&folder.join(FILE)).filter(|document| id(&document.trunk) == Some(trunk));
        let tips = tips
            .and_then(|document| document.tips.iter().map(|(tip, entry)| Some((id(tip)?, grown(entry)?))).collect());
        Self { trunk, tips: tips.unwrap_or_default() }
    }

    pub(super) fn has(&self, tip: &ObjectId) -> bool {
        self.tips.contains_key(tip)
    }

    pub(super) fn get(&self, tip: &ObjectId) -> Option<Grown> {
        self.tips.get(tip).cloned()
    }

    pub(super) fn add(&mut self, tip: ObjectId, grown: Grown) {
        self.tips.insert(tip, grown);
    }

    /// Writes what is known of these tips. What may be better next time is not remembered.
    pub(super) fn write(&self, folder: &Path, tips: &BTreeSet<ObjectId>) {
        let known = self.tips.iter().filter(|(tip, _)| tips.contains(*tip));
        let entries = known.filter_map(|(tip, grown)| match grown {
            Grown::Merged => Some((tip.to_string(), None)),
            Grown::Line(growth) => Some((tip.to_string(), Some(entry(growth)?))),
            Grown::Unrelated | Grown::Shallow | Grown::Broken(_) => None,
        });
        let version = env!("CARGO_PKG_VERSION").to_owned();
        let document = Document { version, trunk: self.trunk.to_string(), tips: entries.collect() };
        if let Ok(mut bytes) = serde_json::to_vec(&document) {
            bytes.extend(xxh3_64(&bytes).to_le_bytes());
            super::write(folder, FILE, &bytes);
        }
    }
}

fn document(path: &Path) -> Option<Document> {
    let meta = fs::symlink_metadata(path).ok()?;
    if !meta.is_file() || meta.len() > LONGEST {
        return None;
    }
    let bytes = fs::read(path).ok()?;
    let (json, hash) = bytes.split_last_chunk::<8>()?;
    let is_whole = xxh3_64(json) == u64::from_le_bytes(*hash);
    let document: Document = serde_json::from_slice(is_whole.then_some(json)?).ok()?;
    (document.version == env!("CARGO_PKG_VERSION")).then_some(document)
}

fn entry(growth: &Growth) -> Option<Entry> {
    let blob = |version: Option<Version>| match version {
        None => Some(None),
        Some(Version { kind, place: Place::Blob(id) }) => Some(Some((id.to_string(), kind == EntryKind::Link))),
        Some(_) => None,
    };
    let change = |changed: &Changed| {
        let path = std::str::from_utf8(changed.path.as_bytes()).ok()?.to_owned();
        Some((path, blob(changed.old)?, blob(changed.new)?))
    };
    Some(Entry {
        fork: growth.fork.to_string(),
        crossed: growth.crossed,
        own: growth.own.iter().map(ToString::to_string).collect(),
        started: growth.started,
        tip_time: growth.tip_time,
        changes: growth.changes.iter().map(change).collect::<Option<_>>()?,
    })
}

fn grown(entry: &Option<Entry>) -> Option<Grown> {
    let Some(entry) = entry else { return Some(Grown::Merged) };
    let version = |blob: &Option<Blob>| match blob {
        None => Some(None),
        Some((hex, link)) => {
            let kind = if *link { EntryKind::Link } else { EntryKind::File };
            Some(Some(Version { kind, place: Place::Blob(id(hex)?) }))
        }
    };
    let change = |(path, old, new): &(String, Option<Blob>, Option<Blob>)| {
        Some(Changed { path: RepoPath::from(path.as_str()), old: version(old)?, new: version(new)? })
    };
    Some(Grown::Line(Growth {
        fork: id(&entry.fork)?,
        crossed: entry.crossed,
        own: entry.own.iter().map(|hex| id(hex)).collect::<Option<_>>()?,
        started: entry.started,
        tip_time: entry.tip_time,
        changes: entry.changes.iter().map(change).collect::<Option<_>>()?,
    }))
}

fn id(hex: &str) -> Option<ObjectId> {
    ObjectId::from_hex(hex.as_bytes()).ok()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn number(n: u8) -> ObjectId {
        ObjectId::from([n; 20])
    }

    #[test]
    fn what_was_written_comes_back_and_a_broken_file_is_as_good_as_none() {
        let folder = tempfile::tempdir().unwrap();
        let version = |n| Some(Version { kind: EntryKind::Link, place: Place::Blob(number(n)) });
        let changes = vec![
            Changed { path: "a/b".into(), old: None, new: version(7) },
            Changed { path: "c".into(), old: version(8), new: None },
        ];
        let growth =
            Growth { fork: number(1), crossed: true, own: vec![number(2)], started: Some(-5), tip_time: 9, changes };
        let mut kept = Kept::read(folder.path(), number(1));
        kept.add(number(2), Grown::Line(growth.clone()));
        kept.add(number(3), Grown::Merged);
        kept.add(number(4), Grown::Shallow);
        kept.add(number(5), Grown::Merged);
        kept.write(folder.path(), &[2, 3, 4].map(number).into());
        let read = || Kept::read(folder.path(), number(1));
        assert_eq!((read().get(&number(2)), read().get(&number(3))), (Some(Grown::Line(growth)), Some(Grown::Merged)));
        assert!(
            !read().has(&number(4)) && !read().has(&number(5)),
            "what may get better, and what is gone, is not kept"
        );
        assert!(!Kept::read(folder.path(), number(9)).has(&number(2)), "another trunk");
        let mut bytes = fs::read(folder.path().join(FILE)).unwrap();
        bytes[30] ^= 1;
        fs::write(folder.path().join(FILE), bytes).unwrap();
        assert!(!read().has(&number(2)));
    }
}
