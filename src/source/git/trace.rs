//! What commits did to a few paths.

use std::sync::Arc;

use foldhash::{HashMap, HashSet};
use gix::{ObjectId, oid};

use super::{
    Git,
    reader::Reader,
    steps::Step,
    tree::{Entries, Mode},
};
use crate::{diag::RepoPath, source::Version};

/// What one commit did to one of the paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touch {
    /// Index into the list of paths.
    pub path: usize,
    /// What stood there before it.
    pub old: Option<Version>,
    /// What stands there since.
    pub new: Option<Version>,
}

impl Git {
    /// Tells for each step, in their order, what it did to these sorted paths, until `see` has seen enough and says so by `false`. Folders
    /// that hold none of the paths are not read.
    ///
    /// # Errors
    /// A commit or tree can't be read: a text for people.
    pub fn trace(
        &self,
        steps: &[Step],
        paths: &[&RepoPath],
        mut see: impl FnMut(&Step, &[Touch]) -> bool,
    ) -> Result<(), String> {
        let mut reader = self.reader();
        let numbered: Vec<(usize, &[u8])> = paths.iter().map(|path| path.as_bytes()).enumerate().collect();
        for step in steps {
            let mut top = |id: ObjectId| match reader.commit(&id) {
                Ok(facts) => Ok(facts.tree),
                Err(unread) => Err(self.explain(&id, &unread)),
            };
            let (old, new) = (step.parent.map(&mut top).transpose()?, top(step.commit)?);
            let mut touched = Vec::new();
            compare(&mut reader, old.as_deref(), Some(&new), &numbered, &mut touched)?;
            if !see(step, &touched) {
                break;
            }
        }
        Ok(())
    }
}

/// Compares what two folders hold at these paths, which are relative to them.
fn compare(
    reader: &mut Reader,
    old: Option<&oid>,
    new: Option<&oid>,
    paths: &[(usize, &[u8])],
    touched: &mut Vec<Touch>,
) -> Result<(), String> {
    if old == new {
        return Ok(());
    }
    let mut read =
        |id: Option<&oid>| id.map(|id| reader.tree(id).map_err(|unread| reader.explain(id, &unread))).transpose();
    let (before, after) = (read(old)?, read(new)?);
    let hash = old.or(new).map_or(gix::hash::Kind::Sha1, oid::kind);
    let named = |bytes: &Option<Arc<Vec<u8>>>| -> HashMap<Vec<u8>, (Mode, ObjectId)> {
        let wanted: HashSet<&[u8]> = paths.iter().map(|(_, path)| first(path)).collect();
        let entries = bytes.iter().flat_map(|bytes| Entries::new(bytes, hash));
        let wanted = entries.filter(|entry| wanted.contains(entry.name));
        wanted.map(|entry| (entry.name.to_vec(), (entry.mode, entry.id.to_owned()))).collect()
    };
    let (before, after) = (named(&before), named(&after));
    for group in paths.chunk_by(|(_, a), (_, b)| first(a) == first(b)) {
        let name = first(group[0].1);
        let (was, is) = (before.get(name).copied(), after.get(name).copied());
        if was == is {
            continue;
        }
        let below: Vec<(usize, &[u8])> =
            group.iter().filter_map(|(at, path)| Some((*at, path.get(name.len() + 1..)?))).collect();
        for (at, _) in group.iter().filter(|(_, path)| path.len() == name.len()) {
            let version = |one: &Option<(Mode, ObjectId)>| {
                let (mode, id) = one.as_ref()?;
                Some(Version { kind: mode.kind()?, place: crate::source::Place::Blob(*id) })
            };
            let (old, new) = (version(&was), version(&is));
            if old != new {
                touched.push(Touch { path: *at, old, new });
            }
        }
        if !below.is_empty() {
            let folder =
                |one: Option<(Mode, ObjectId)>| one.filter(|(mode, _)| *mode == Mode::Folder).map(|(_, id)| id);
            compare(reader, folder(was).as_deref(), folder(is).as_deref(), &below, touched)?;
        }
    }
    Ok(())
}

/// The first component of a path.
fn first(path: &[u8]) -> &[u8] {
    &path[..memchr::memchr(b'/', path).unwrap_or(path.len())]
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::source::git::testing::TestRepo;

    /// What git itself says that each commit did to the paths, newest first.
    fn by_git(repo: &TestRepo, paths: &[&str]) -> Vec<Vec<String>> {
        let log = repo.git(
            &[&["log", "--first-parent", "-m", "--format=%x00", "--name-only", "--no-renames", "--"], paths].concat(),
        );
        let lists = log.split('\0').skip(1);
        lists.map(|names| names.lines().filter(|name| !name.is_empty()).map(String::from).collect()).collect()
    }

    #[test]
    fn each_commit_does_to_the_paths_what_git_says() {
        let repo = TestRepo::new(&[]);
        repo.grow(40);
        let git = repo.open();
        let all = ["wide", "wide/folder0/a.txt", "wide/folder0/b.txt", "wide/n003.txt", "wide/n010.txt", "wider/x"];
        let paths: Vec<RepoPath> = all.iter().map(|path| (*path).into()).collect();
        let steps = git.steps(git.commit("main").unwrap(), None).unwrap().steps;
        let mut seen = Vec::new();
        let named: Vec<&RepoPath> = paths.iter().collect();
        git.trace(&steps, &named, |_, touched| {
            if !touched.is_empty() {
                seen.push(touched.iter().map(|touch| all[touch.path].to_owned()).collect::<Vec<_>>());
            }
            true
        })
        .unwrap();
        assert_eq!(seen, by_git(&repo, &all[1..]));
        assert!(seen.len() > 30 && seen.iter().any(|names| names.len() > 1));
    }

    #[test]
    fn a_file_can_become_a_folder_and_who_has_seen_enough_stops() {
        let repo = TestRepo::new(&[]);
        let step = |script: &[&[&str]]| script.iter().for_each(|args| drop(repo.git(args)));
        std::fs::write(repo.top().join("a"), "1").unwrap();
        step(&[&["add", "."], &["commit", "-qm", "file"]]);
        std::fs::remove_file(repo.top().join("a")).unwrap();
        std::fs::create_dir(repo.top().join("a")).unwrap();
        std::fs::write(repo.top().join("a/b"), "1").unwrap();
        step(&[&["add", "-A"], &["commit", "-qm", "folder"]]);
        let git = repo.open();
        let paths: [RepoPath; 2] = ["a".into(), "a/b".into()];
        let steps = git.steps(git.commit("main").unwrap(), None).unwrap().steps;
        let mut seen = Vec::new();
        git.trace(&steps, &[&paths[0], &paths[1]], |_, touched| {
            seen.extend(touched.iter().map(|touch| (touch.path, touch.old.is_some(), touch.new.is_some())));
            false
        })
        .unwrap();
        assert_eq!(seen, [(0, true, false), (1, false, true)]);
    }
}
