//! What becomes of which file, before anything is written.

use std::collections::{BTreeMap, BTreeSet};

use crate::diag::RepoPath;

/// The working tree, as far as a fix looks at it. Links are never followed.
pub trait Disk {
    /// The bytes of a regular file; none where nothing stands there.
    ///
    /// # Errors
    /// Why it can't be read, in words.
    fn read(&self, path: &RepoPath) -> Result<Option<Vec<u8>>, String>;

    /// The files of a folder, in order of their paths: those in it or, if `deep`, all below it.
    ///
    /// # Errors
    /// Why it can't be listed, in words.
    fn list(&self, folder: &[u8], deep: bool) -> Result<Vec<RepoPath>, String>;
}

/// One file that a fix renames, edits, or both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Touched {
    /// The path now.
    pub from: RepoPath,
    /// The path afterwards.
    pub to: RepoPath,
    /// What it holds now.
    pub before: Vec<u8>,
    /// What it will hold.
    pub after: Vec<u8>,
}

impl Touched {
    /// Whether the content changes.
    pub fn is_edited(&self) -> bool {
        self.before != self.after
    }

    /// Whether the path changes.
    pub fn is_renamed(&self) -> bool {
        self.from != self.to
    }
}

/// A plan in the making. All paths are those of now.
#[derive(Clone)]
pub struct Draft<'a> {
    disk: &'a dyn Disk,
    before: BTreeMap<RepoPath, Vec<u8>>,
    after: BTreeMap<RepoPath, Vec<u8>>,
    moved: BTreeMap<RepoPath, RepoPath>,
}

impl<'a> Draft<'a> {
    /// A plan that changes nothing yet.
    pub fn new(disk: &'a dyn Disk) -> Self {
        Self { disk, before: BTreeMap::new(), after: BTreeMap::new(), moved: BTreeMap::new() }
    }

    /// The working tree.
    pub fn disk(&self) -> &'a dyn Disk {
        self.disk
    }

    /// What a file will hold, if it is UTF-8; none where nothing stands there.
    pub(crate) fn text(&mut self, path: &RepoPath) -> Result<Option<String>, String> {
        if let Some(bytes) = self.after.get(path) {
            return Ok(String::from_utf8(bytes.clone()).ok());
        }
        if !self.before.contains_key(path) {
            let Some(bytes) = self.disk.read(path)? else { return Ok(None) };
            self.before.insert(path.clone(), bytes);
        }
        Ok(self.before.get(path).and_then(|bytes| String::from_utf8(bytes.clone()).ok()))
    }

    /// Lets a file that was read hold this.
    pub(crate) fn edit(&mut self, path: &RepoPath, text: String) {
        self.after.insert(path.clone(), text.into_bytes());
    }

    /// Gives a file another path.
    pub(crate) fn rename(&mut self, from: &RepoPath, to: &RepoPath) -> Result<(), String> {
        if !self.before.contains_key(from) {
            let bytes = self.disk.read(from)?.ok_or_else(|| format!("`{}` is gone", from.lossy()))?;
            self.before.insert(from.clone(), bytes);
        }
        self.moved.insert(from.clone(), to.clone());
        Ok(())
    }

    /// Whether a file gets another path.
    pub fn is_moved(&self, path: &RepoPath) -> bool {
        self.moved.contains_key(path)
    }

    /// The files that change so far.
    pub fn changed(&self) -> BTreeSet<RepoPath> {
        let is_edited = |(path, after): &(&RepoPath, &Vec<u8>)| self.before.get(path) != Some(after);
        let edited = self.after.iter().filter(is_edited).map(|(path, _)| path);
        self.moved.keys().chain(edited).cloned().collect()
    }

    /// The path that a file will have.
    pub(crate) fn path_of<'p>(&'p self, path: &'p RepoPath) -> &'p RepoPath {
        self.moved.get(path).unwrap_or(path)
    }

    /// Which files of a folder there will be.
    pub(crate) fn folder(&self, folder: &[u8]) -> Result<Vec<RepoPath>, String> {
        self.disk.list(folder, false)
    }

    /// All that changes, in order of the paths.
    ///
    /// # Errors
    /// Two files would get one path, or one that stays has it.
    pub fn finish(self) -> Result<Vec<Touched>, String> {
        let mut targets: BTreeSet<&RepoPath> = BTreeSet::new();
        for (from, to) in &self.moved {
            let is_free = self.moved.contains_key(to) || self.disk.read(to)?.is_none();
            if !targets.insert(to) || !is_free && from != to {
                return Err(format!("`{}` is there already", to.lossy()));
            }
        }
        let mut all = Vec::new();
        for (from, before) in &self.before {
            let after = self.after.get(from).unwrap_or(before);
            let touched = Touched {
                from: from.clone(),
                to: self.path_of(from).clone(),
                before: before.clone(),
                after: after.clone(),
            };
            if touched.is_edited() || touched.is_renamed() {
                all.push(touched);
            }
        }
        Ok(all)
    }
}

#[cfg(test)]
pub(crate) mod testing {
    use super::*;

    /// A working tree in memory.
    #[derive(Default)]
    pub(crate) struct Memory(pub(crate) BTreeMap<RepoPath, Vec<u8>>);

    impl Memory {
        pub(crate) fn new(files: &[(&str, &str)]) -> Self {
            Self(files.iter().map(|(path, text)| ((*path).into(), text.as_bytes().to_vec())).collect())
        }
    }

    impl Disk for Memory {
        fn read(&self, path: &RepoPath) -> Result<Option<Vec<u8>>, String> {
            Ok(self.0.get(path).cloned())
        }

        fn list(&self, folder: &[u8], deep: bool) -> Result<Vec<RepoPath>, String> {
            let is_in = |path: &&RepoPath| {
                let below = match folder {
                    [] => Some(path.as_bytes()),
                    _ => path.as_bytes().strip_prefix(folder).and_then(|rest| rest.strip_prefix(b"/")),
                };
                below.is_some_and(|below| deep || !below.contains(&b'/'))
            };
            Ok(self.0.keys().filter(is_in).cloned().collect())
        }
    }

    /// What a plan does, a line for each file: `from -> to` and the new content where it is another.
    pub(crate) fn shown(draft: Draft<'_>) -> Vec<String> {
        let touched = draft.finish().expect("no two files get one path");
        let line = |one: Touched| {
            let name = match one.is_renamed() {
                true => format!("{} -> {}", one.from.lossy(), one.to.lossy()),
                false => one.from.lossy().into_owned(),
            };
            match one.is_edited() {
                true => format!("{name}: {}", String::from_utf8_lossy(&one.after)),
                false => name,
            }
        };
        touched.into_iter().map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::{
        testing::{Memory, shown},
        *,
    };

    #[test]
    fn two_files_may_swap_their_names_and_none_takes_one_that_stays() {
        let disk = Memory::new(&[("a", "1"), ("b", "2"), ("c", "3")]);
        let mut draft = Draft::new(&disk);
        draft.rename(&"a".into(), &"b".into()).unwrap();
        assert!(draft.clone().finish().is_err(), "b stays");
        draft.rename(&"b".into(), &"a".into()).unwrap();
        assert_eq!(shown(draft.clone()), ["a -> b", "b -> a"]);
        draft.rename(&"c".into(), &"a".into()).unwrap();
        assert!(draft.finish().is_err(), "two would be a");
    }

    #[test]
    fn edits_add_up_and_what_comes_out_as_it_was_is_no_change() {
        let disk = Memory::new(&[("a", "1")]);
        let mut draft = Draft::new(&disk);
        let text = draft.text(&"a".into()).unwrap().unwrap();
        draft.edit(&"a".into(), text + "2");
        let text = draft.text(&"a".into()).unwrap().unwrap();
        draft.edit(&"a".into(), text + "3");
        assert_eq!(shown(draft.clone()), ["a: 123"]);
        draft.edit(&"a".into(), "1".into());
        assert_eq!(draft.finish().unwrap(), []);
        assert_eq!(Draft::new(&disk).text(&"gone".into()).unwrap(), None);
    }
}
