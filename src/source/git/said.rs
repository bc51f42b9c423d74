//! What commits say of themselves: who made them, and what they wrote about it.

use std::collections::{BTreeMap, BinaryHeap};

use gix::ObjectId;

use super::{Git, steps::subject};

/// Longest message that is kept, in bytes.
const LONGEST: usize = 64 << 10;

/// A commit, with what it says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// Its id.
    pub id: ObjectId,
    /// Its parents, in order.
    pub parents: Vec<ObjectId>,
    /// When it was made (committer's clock), in seconds since 1970.
    pub time: i64,
    /// The author's name; invalid UTF-8 replaced.
    pub author: String,
    /// The author's e-mail address.
    pub email: String,
    /// What was written about it, at most 64 KiB of it.
    pub message: String,
}

impl Commit {
    /// The lines `Key: value` in the last paragraph of the message, as git's trailers are.
    pub fn trailers(&self) -> impl Iterator<Item = &str> {
        let last =
            self.message.trim_end().rsplit("\n\n").next().filter(|last| last.len() < self.message.trim_end().len());
        last.unwrap_or_default().lines().map(str::trim).filter(|line| {
            let key = line.split_once(": ").map(|(key, _)| key);
            key.is_some_and(|key| {
                !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            })
        })
    }

    /// Who helped: the name and the address in each of its `Co-authored-by` lines.
    pub fn co_authors(&self) -> impl Iterator<Item = (&str, &str)> {
        self.trailers().filter_map(|line| {
            let (key, value) = line.split_once(':')?;
            let (name, rest) = value.split_once('<')?;
            let (email, _) = rest.split_once('>')?;
            key.eq_ignore_ascii_case("co-authored-by").then(|| (name.trim(), email.trim()))
        })
    }

    /// The first paragraph of the message as one line, at most `limit` characters of it.
    pub fn subject(&self, limit: usize) -> String {
        subject(self.message.as_bytes(), limit)
    }
}

impl Git {
    /// Reads commits and puts them in order: each before its parents, else the newest first.
    ///
    /// # Errors
    /// One of them can't be read: a text for people.
    pub fn said(&self, ids: &[ObjectId]) -> Result<Vec<Commit>, String> {
        let mut reader = self.reader();
        let mut all: BTreeMap<ObjectId, Commit> = BTreeMap::new();
        for id in ids {
            let bytes = reader.raw_commit(id).map_err(|unread| self.explain(id, &unread))?;
            let facts = reader.commit(id).map_err(|unread| self.explain(id, &unread))?;
            let (author, email, message) = parts(&bytes);
            let (parents, time) = (facts.parents, facts.time);
            all.insert(*id, Commit { id: *id, parents, time, author, email, message });
        }
        Ok(in_order(all))
    }
}

/// Author, e-mail address and message of a commit.
fn parts(bytes: &[u8]) -> (String, String, String) {
    let end = bytes.windows(2).position(|end| end == b"\n\n").unwrap_or(bytes.len());
    let (head, message) = (&bytes[..end], bytes.get(end + 2..).unwrap_or_default());
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let line = head.split(|byte| *byte == b'\n').find_map(|line| line.strip_prefix(b"author ")).unwrap_or_default();
    let open = memchr::memchr(b'<', line).unwrap_or(line.len());
    let close = memchr::memchr(b'>', line).filter(|close| *close > open).unwrap_or(line.len());
    let email = if close < line.len() { line.get(open + 1..close).unwrap_or_default() } else { b"" };
    (text(line[..open].trim_ascii()), text(email.trim_ascii()), text(&message[..message.len().min(LONGEST)]))
}

/// Each commit before its parents; of those that could come next the newest, then the one with the greater id.
fn in_order(mut all: BTreeMap<ObjectId, Commit>) -> Vec<Commit> {
    let mut children: BTreeMap<ObjectId, usize> = BTreeMap::new();
    for parent in all.values().flat_map(|commit| &commit.parents) {
        *children.entry(*parent).or_default() += 1;
    }
    let mut next: BinaryHeap<(i64, ObjectId)> = all
        .values()
        .filter(|commit| !children.contains_key(&commit.id))
        .map(|commit| (commit.time, commit.id))
        .collect();
    let mut ordered = Vec::with_capacity(all.len());
    while let Some((_, id)) = next.pop() {
        let Some(commit) = all.remove(&id) else { continue };
        for parent in &commit.parents {
            let Some(left) = children.get_mut(parent) else { continue };
            *left -= 1;
            if let Some(parent) = all.get(parent).filter(|_| *left == 0) {
                next.push((parent.time, parent.id));
            }
        }
        ordered.push(commit);
    }
    ordered
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::source::git::testing::TestRepo;

    #[test]
    fn commits_say_who_made_them_and_come_before_their_parents() {
        let repo = TestRepo::new(&[]);
        let commit = |n: usize| {
            let message = format!("step {n}\n\nbody\n\nAgent: ps{n}\nnot one\n");
            repo.git(&["commit", "--quiet", "--allow-empty", "-m", &message]);
            repo.git(&["rev-parse", "HEAD"]).trim().parse().unwrap()
        };
        let ids: Vec<ObjectId> = (0..4).map(commit).collect();
        let git = repo.open();
        let mut shuffled = ids.clone();
        shuffled.swap(0, 2);
        let said = git.said(&shuffled).unwrap();
        assert_eq!(said.iter().map(|one| one.id).collect::<Vec<_>>(), ids.iter().rev().copied().collect::<Vec<_>>());
        assert_eq!(said[0].subject(80), "step 3");
        assert_eq!(said[0].trailers().collect::<Vec<_>>(), ["Agent: ps3"]);
        assert!(said[0].email.contains('@') && !said[0].author.is_empty());
    }

    #[test]
    fn a_subject_is_no_trailer_and_broken_commits_are_only_poor() {
        let commit = |message: &str| Commit {
            id: ObjectId::null(gix::hash::Kind::Sha1),
            parents: vec![],
            time: 0,
            author: String::new(),
            email: String::new(),
            message: message.into(),
        };
        assert_eq!(commit("fix: a\n").trailers().count(), 0);
        assert_eq!(commit("fix\n\nAgent: x\nCo-authored-by: y <z>\n").trailers().count(), 2);
        let helped = commit("fix\n\nCo-Authored-By: A b <a@b>\nCo-authored-by: none\nReviewed-by: c <c@d>\n");
        assert_eq!(helped.co_authors().collect::<Vec<_>>(), [("A b", "a@b")]);
        assert_eq!(parts(b"tree x\nauthor > < 1\n\nm"), (">".into(), String::new(), "m".into()));
        assert_eq!(parts(b""), Default::default());
    }
}
