//! The trunk's own history: what each commit brought to it, against its first parent.

use foldhash::{HashSet, HashSetExt};
use gix::ObjectId;

use super::{
    Git,
    reader::Lent,
    tree::{self, Folders, Gate},
};
use crate::{error::Fatal, source::Changed};

/// So many commits in a row that are too old end the walk: a clock that was wrong once does not.
const OLD_IN_A_ROW: usize = 64;

/// One commit of the trunk's own history: a merge, the squash of a pull request, or a plain commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The commit.
    pub commit: ObjectId,
    /// What the trunk was before it; none of the very first commit.
    pub parent: Option<ObjectId>,
    /// When it was made (committer's clock), in seconds since 1970.
    pub time: i64,
}

/// Where a walk back ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// All that is left is too old, or there is nothing left.
    Reached,
    /// A shallow clone ends at this commit, made at this time, so that nobody knows what it changed.
    Shallow(ObjectId, i64),
    /// This commit can't be read: a text for people.
    Broken(ObjectId, String),
}

/// The trunk's own history, newest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Steps {
    /// Commits that are not too old. One at which a shallow clone ends is not among them.
    pub steps: Vec<Step>,
    /// Where they end.
    pub end: End,
}

impl Git {
    /// The commits of the trunk, each the first parent of the one before, that were made at `oldest` (seconds since 1970) or later.
    ///
    /// # Errors
    /// The tip can't be read.
    pub fn steps(&self, tip: ObjectId, oldest: Option<i64>) -> Result<Steps, Fatal> {
        self.recent_steps(tip, oldest, usize::MAX)
    }

    /// The same, at most so many of them.
    ///
    /// # Errors
    /// The tip can't be read.
    pub fn recent_steps(&self, tip: ObjectId, oldest: Option<i64>, most: usize) -> Result<Steps, Fatal> {
        let repo = self.repo.to_thread_local();
        let shallow: HashSet<ObjectId> =
            repo.shallow_commits().ok().flatten().iter().flat_map(|all| all.iter().copied()).collect();
        let mut reader = self.reader();
        let mut facts = reader.commit(&tip).map_err(|unread| self.fatal(&tip, &unread))?;
        let mut walk = Steps { steps: Vec::new(), end: End::Reached };
        let mut met = HashSet::new(); // a replaced commit could lead in circles
        let (mut commit, mut old, mut visited) = (tip, 0, 0);
        while walk.steps.len() < most && met.insert(commit) {
            visited += 1;
            if shallow.contains(&commit) {
                walk.end = End::Shallow(commit, facts.time);
                break;
            }
            let parent = facts.parents.first().copied();
            let step = Step { commit, parent, time: facts.time };
            if oldest.is_none_or(|oldest| step.time >= oldest) {
                walk.steps.push(step);
                old = 0;
            } else {
                old += 1;
            }
            let Some(parent) = parent.filter(|_| old < OLD_IN_A_ROW) else { break };
            facts = match reader.commit(&parent) {
                Ok(facts) => facts,
                Err(unread) => {
                    walk.end = End::Broken(parent, self.explain(&parent, &unread));
                    break;
                }
            };
            commit = parent;
        }
        self.counters.commits(visited);
        Ok(walk)
    }

    /// The first paragraph of a commit's message as one line, at most `limit` characters of it; empty where it has none or can't be read.
    pub fn subject(&self, commit: ObjectId, limit: usize) -> String {
        subject(&self.reader().message(&commit), limit)
    }

    /// Compares commits with their first parents, for one thread.
    pub fn comparison<'g, 'c>(&'g self, folders: Folders<'c>) -> Comparison<'g, 'c> {
        Comparison { git: self, reader: self.reader(), gate: Gate::new(folders) }
    }
}

/// Compares commits with their first parents; neighbours share what was read.
pub struct Comparison<'g, 'c> {
    git: &'g Git,
    reader: Lent<'g>,
    gate: Gate<'c>,
}

impl Comparison<'_, '_> {
    /// What a step changed, sorted by path.
    ///
    /// # Errors
    /// A commit or tree that can't be read: a text for people.
    pub fn changes(&mut self, step: &Step) -> Result<Vec<Changed>, String> {
        let mut top = |id: ObjectId| match self.reader.commit(&id) {
            Ok(facts) => Ok(facts.tree),
            Err(unread) => Err(self.git.explain(&id, &unread)),
        };
        let (old, new) = (step.parent.map(&mut top).transpose()?, top(step.commit)?);
        tree::diff(&mut self.reader, &mut self.gate, old, Some(new))
    }
}

/// As git's `%s`: the lines before the first empty one, joined by blanks.
pub(super) fn subject(message: &[u8], limit: usize) -> String {
    let most = 4 * limit; // bytes; no character is longer
    let mut subject: Vec<u8> = Vec::new();
    let lines = message.split(|b| *b == b'\n').map(|line| line.trim_ascii_end()).skip_while(|line| line.is_empty());
    for line in lines.take_while(|line| !line.is_empty()) {
        if !subject.is_empty() {
            subject.push(b' ');
        }
        subject.extend_from_slice(&line[..line.len().min(most + 1)]);
        if subject.len() > most {
            break;
        }
    }
    let text = String::from_utf8_lossy(&subject);
    match text.char_indices().nth(limit) {
        Some(_) => text.chars().take(limit.saturating_sub(1)).chain(['…']).collect(),
        None => text.into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::subject;

    #[test]
    fn a_subject_is_the_first_paragraph_on_one_line() {
        assert_eq!(subject(b"\n  \nMerge branch\r\n'x' \n\nbody\n", 80), "Merge branch 'x'");
        assert_eq!(subject(b"", 80), "");
        assert_eq!(subject(b"caf\xe9\x1b[31m", 80), "caf\u{fffd}\x1b[31m");
    }

    #[test]
    fn a_long_subject_is_cut_between_characters() {
        assert_eq!(subject("äöü".as_bytes(), 3), "äöü");
        assert_eq!(subject("äöüß".as_bytes(), 3), "äö…");
        assert_eq!(subject(&b"word\n".repeat(1 << 20), 8), "word wo…");
        assert_eq!(subject(&b"x".repeat(1 << 20), 4), "xxx…");
    }
}
