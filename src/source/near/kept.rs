//! What lines of work changed, remembered in one file beside the git directory. A file that can't be read, or is of another version or trunk,
//! is as good as none.

use std::{
    borrow::Cow,
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

/// What is remembered of all lines, as it stands in the file: most of it nobody asks for.
pub(super) struct Kept<'f> {
    trunk: ObjectId,
    old: BTreeMap<ObjectId, Option<Entry<'f>>>,
    new: BTreeMap<ObjectId, Grown>,
}

#[derive(Serialize, Deserialize)]
struct Document<'f> {
    /// gatekeep's own version.
    #[serde(borrow)]
    version: Text<'f>,
    #[serde(borrow)]
    trunk: Text<'f>,
    /// By the tip; none of one that the trunk holds.
    #[serde(borrow)]
    tips: BTreeMap<Text<'f>, Option<Entry<'f>>>,
}

#[derive(Clone, Serialize, Deserialize)]
struct Entry<'f> {
    #[serde(borrow)]
    fork: Text<'f>,
    crossed: bool,
    #[serde(borrow)]
    own: Vec<Text<'f>>,
    started: Option<i64>,
    tip_time: i64,
    /// Path, what stands there in the merge base, what stands there at the tip.
    #[serde(borrow)]
    changes: Vec<(Text<'f>, Option<Blob<'f>>, Option<Blob<'f>>)>,
}

/// A blob, and whether it is a link.
type Blob<'f> = (Text<'f>, bool);

/// A text that stays where it was read, if it can.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
struct Text<'f>(#[serde(borrow)] Cow<'f, str>);

impl<'f> Kept<'f> {
    /// What a file holds, if it is of this trunk.
    pub(super) fn of(file: &'f [u8], trunk: ObjectId) -> Self {
        let document = document(file).filter(|document| id(&document.trunk) == Some(trunk));
        let old = document.and_then(|document| {
            document.tips.into_iter().map(|(tip, entry)| Some((id(&tip)?, entry))).collect::<Option<_>>()
        });
        Self { trunk, old: old.unwrap_or_default(), new: BTreeMap::new() }
    }

    pub(super) fn has(&self, tip: &ObjectId) -> bool {
        self.old.contains_key(tip) || self.new.contains_key(tip)
    }

    /// What is known of a tip, its changes as far as they are near.
    pub(super) fn get(&self, tip: &ObjectId, near: &dyn Fn(&RepoPath) -> bool) -> Option<Grown> {
        if let Some(grown) = self.new.get(tip) {
            let mut grown = grown.clone();
            if let Grown::Line(growth) = &mut grown {
                growth.changes.retain(|changed| near(&changed.path));
            }
            return Some(grown);
        }
        let entry = self.old.get(tip)?;
        Some(grown(entry, near).unwrap_or_else(|| Grown::Broken(format!("`{FILE}` makes no sense"))))
    }

    pub(super) fn add(&mut self, tip: ObjectId, grown: Grown) {
        self.new.insert(tip, grown);
    }

    /// Writes what is known of these tips. What may be better next time is not remembered.
    pub(super) fn write(&self, folder: &Path, tips: &BTreeSet<ObjectId>) {
        let old = self.old.iter().filter(|(tip, _)| tips.contains(*tip));
        let old = old.map(|(tip, entry)| (Text::from(tip.to_string()), entry.clone()));
        let new = self.new.iter().filter(|(tip, _)| tips.contains(*tip));
        let new = new.filter_map(|(tip, grown)| match grown {
            Grown::Merged => Some((tip.to_string().into(), None)),
            Grown::Line(growth) => Some((tip.to_string().into(), Some(entry(growth)?))),
            Grown::Unrelated | Grown::Shallow | Grown::Broken(_) => None,
        });
        let version = Text(Cow::Borrowed(env!("CARGO_PKG_VERSION")));
        let document = Document { version, trunk: self.trunk.to_string().into(), tips: old.chain(new).collect() };
        if let Ok(mut bytes) = serde_json::to_vec(&document) {
            bytes.extend(xxh3_64(&bytes).to_le_bytes());
            super::write(folder, FILE, &bytes);
        }
    }
}

impl From<String> for Text<'_> {
    fn from(text: String) -> Self {
        Self(Cow::Owned(text))
    }
}

/// The bytes of the file beside the git directory; none where there is none.
pub(super) fn read(folder: &Path) -> Vec<u8> {
    let path = folder.join(FILE);
    let is_usable = fs::symlink_metadata(&path).is_ok_and(|meta| meta.is_file() && meta.len() <= LONGEST);
    if is_usable { fs::read(path).unwrap_or_default() } else { Vec::new() }
}

fn document(file: &[u8]) -> Option<Document<'_>> {
    let (json, hash) = file.split_last_chunk::<8>()?;
    let is_whole = xxh3_64(json) == u64::from_le_bytes(*hash);
    let document: Document<'_> = serde_json::from_slice(is_whole.then_some(json)?).ok()?;
    (document.version.0 == env!("CARGO_PKG_VERSION")).then_some(document)
}

fn entry(growth: &Growth) -> Option<Entry<'_>> {
    let blob = |version: Option<Version>| match version {
        None => Some(None),
        Some(Version { kind, place: Place::Blob(id) }) => {
            Some(Some((Text::from(id.to_string()), kind == EntryKind::Link)))
        }
        Some(_) => None,
    };
    let change = |changed: &'_ Changed| {
        let path = std::str::from_utf8(changed.path.as_bytes()).ok()?.to_owned();
        Some((path.into(), blob(changed.old)?, blob(changed.new)?))
    };
    Some(Entry {
        fork: growth.fork.to_string().into(),
        crossed: growth.crossed,
        own: growth.own.iter().map(|id| id.to_string().into()).collect(),
        started: growth.started,
        tip_time: growth.tip_time,
        changes: growth.changes.iter().map(change).collect::<Option<_>>()?,
    })
}

fn grown(entry: &Option<Entry<'_>>, near: &dyn Fn(&RepoPath) -> bool) -> Option<Grown> {
    let Some(entry) = entry else { return Some(Grown::Merged) };
    let version = |blob: &Option<Blob<'_>>| match blob {
        None => Some(None),
        Some((hex, link)) => {
            let kind = if *link { EntryKind::Link } else { EntryKind::File };
            Some(Some(Version { kind, place: Place::Blob(id(hex)?) }))
        }
    };
    let mut changes = Vec::new();
    for (path, old, new) in &entry.changes {
        let path = RepoPath::from(&*path.0);
        if near(&path) {
            changes.push(Changed { path, old: version(old)?, new: version(new)? });
        }
    }
    Some(Grown::Line(Growth {
        fork: id(&entry.fork)?,
        crossed: entry.crossed,
        own: entry.own.iter().map(id).collect::<Option<_>>()?,
        started: entry.started,
        tip_time: entry.tip_time,
        changes,
    }))
}

fn id(hex: &Text<'_>) -> Option<ObjectId> {
    ObjectId::from_hex(hex.0.as_bytes()).ok()
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
            Changed { path: "a/\"b\"".into(), old: None, new: version(7) },
            Changed { path: "c".into(), old: version(8), new: None },
        ];
        let growth =
            Growth { fork: number(1), crossed: true, own: vec![number(2)], started: Some(-5), tip_time: 9, changes };
        let mut kept = Kept::of(&[], number(1));
        kept.add(number(2), Grown::Line(growth.clone()));
        kept.add(number(3), Grown::Merged);
        kept.add(number(4), Grown::Shallow);
        kept.add(number(5), Grown::Merged);
        kept.write(folder.path(), &[2, 3, 4].map(number).into());
        let file = read(folder.path());
        let mut kept = Kept::of(&file, number(1));
        let all = |kept: &Kept<'_>, n| kept.get(&number(n), &|_| true);
        assert_eq!((all(&kept, 2), all(&kept, 3)), (Some(Grown::Line(growth.clone())), Some(Grown::Merged)));
        assert!(!kept.has(&number(4)) && !kept.has(&number(5)), "what may get better, and what is gone, is not kept");
        let near = Growth { changes: growth.changes[1..].to_vec(), ..growth.clone() };
        let is_near = |path: &RepoPath| path.as_bytes() == b"c";
        assert_eq!(kept.get(&number(2), &is_near), Some(Grown::Line(near.clone())));
        assert!(!Kept::of(&file, number(9)).has(&number(2)), "another trunk");

        kept.add(number(6), Grown::Line(growth.clone()));
        assert_eq!(kept.get(&number(6), &is_near), Some(Grown::Line(near)));
        kept.write(folder.path(), &[2, 6].map(number).into());
        let file = read(folder.path());
        let kept = Kept::of(&file, number(1));
        assert_eq!([2, 6].map(|n| all(&kept, n)), [(); 2].map(|()| Some(Grown::Line(growth.clone()))));
        assert!(!kept.has(&number(3)));
        let mut bytes = fs::read(folder.path().join(FILE)).unwrap();
        bytes[30] ^= 1;
        fs::write(folder.path().join(FILE), bytes).unwrap();
        assert!(!Kept::of(&read(folder.path()), number(1)).has(&number(2)));
    }
}
