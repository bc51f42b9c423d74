//! Changes made of texts, for the tests of rules.

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    sync::Arc,
};

use gix::ObjectId;

use super::{Change, File, GivenUp, Ground, Past, Signals, file::find_moves};
use crate::{
    config::ConfigFile,
    diag::{Holder, HolderKind, RepoPath},
    report::Incomplete,
    source::{Changed, Commit, EntryKind, Place, Version},
};

/// A change that a test makes up.
pub struct Made {
    texts: BTreeMap<ObjectId, Arc<[u8]>>,
    files: Vec<File>,
    trunk: BTreeMap<RepoPath, Version>,
    paths: Vec<RepoPath>,
    config: Option<ConfigFile>,
    /// Why its policy can't be used.
    pub unusable: Option<String>,
    /// The migrations that it adds.
    pub migrations: Vec<Vec<RepoPath>>,
    /// Who made it.
    pub signals: Signals,
    /// The commits of the change, newest first.
    pub commits: Vec<Commit>,
    /// What each of them did.
    pub done: BTreeMap<ObjectId, Vec<Changed>>,
    /// What the base gave up.
    pub past: Vec<GivenUp>,
    /// What of the past could not be seen.
    pub unseen: Vec<Incomplete>,
    /// When the base's files were last touched.
    pub touched: BTreeMap<RepoPath, i64>,
    /// Now.
    pub now: i64,
}

impl Made {
    /// A change from the files of the merge base, which are the trunk's too, to those of the head.
    pub fn new(before: &[(&str, &str)], after: &[(&str, &str)]) -> Self {
        Self::with_trunk(before, before, after)
    }

    /// A change whose trunk has moved on.
    pub fn with_trunk(before: &[(&str, &str)], trunk: &[(&str, &str)], after: &[(&str, &str)]) -> Self {
        Self::of_trees([before, trunk, after])
    }

    /// A change of files that need not be text.
    pub fn of_bytes(before: &[(&str, &[u8])], after: &[(&str, &[u8])]) -> Self {
        Self::of_trees([before, before, after])
    }

    fn of_trees<B: AsRef<[u8]>>(trees: [&[(&str, B)]; 3]) -> Self {
        let mut texts = BTreeMap::new();
        let [before, trunk, after] = trees.map(|files| -> BTreeMap<RepoPath, Version> {
            files.iter().map(|(path, text)| ((*path).into(), put(&mut texts, text.as_ref()))).collect()
        });
        let all: BTreeSet<&RepoPath> = before.keys().chain(after.keys()).collect();
        let file = |path: &RepoPath| {
            let at = |tree: &BTreeMap<RepoPath, Version>| tree.get(path).copied();
            let (from, to) = (None, None);
            File { path: path.clone(), before: at(&before), trunk: at(&trunk), after: at(&after), from, to }
        };
        let mut files: Vec<File> = all.into_iter().map(file).filter(|file| file.before != file.after).collect();
        find_moves(&mut files);
        let mut paths: BTreeSet<RepoPath> = trunk.keys().cloned().collect();
        for file in &files {
            match file.after {
                Some(_) => paths.insert(file.path.clone()),
                None => paths.remove(&file.path),
            };
        }
        Self {
            texts,
            files,
            trunk,
            paths: paths.into_iter().collect(),
            config: None,
            unusable: None,
            migrations: Vec::new(),
            signals: Signals::default(),
            commits: Vec::new(),
            done: BTreeMap::new(),
            past: Vec::new(),
            unseen: Vec::new(),
            touched: BTreeMap::new(),
            now: 0,
        }
    }

    /// The same, by this configuration.
    #[must_use]
    pub fn by(mut self, config: &str) -> Self {
        let read = ConfigFile::parse("gatekeep.toml", config.as_bytes());
        self.config = Some(read.unwrap_or_else(|fatal| panic!("{}", fatal.plain())));
        self
    }

    /// Lets the configuration be one that the command line named.
    pub fn named(&mut self, path: &str) {
        self.config.as_mut().expect("it has one").file = path.to_owned();
    }

    /// The same, with a symbolic link at this path of the head.
    #[must_use]
    pub fn linking(mut self, path: &str) -> Self {
        for file in self.files.iter_mut().filter(|file| file.path == path.into()) {
            file.after.iter_mut().for_each(|version| version.kind = EntryKind::Link);
        }
        self
    }

    /// The same, on this branch.
    #[must_use]
    pub fn on(mut self, branch: &str) -> Self {
        self.signals.branch = Some(branch.to_owned());
        self
    }

    /// A version with this text, for what [`Made::past`] and [`Made::done`] tell.
    pub fn version(text: &str) -> Version {
        put(&mut BTreeMap::new(), text.as_bytes())
    }

    /// The change as rules see it.
    pub fn change(&self) -> Change<'_> {
        Change {
            head: Holder::head(None),
            base: Holder { kind: HolderKind::Base, name: "main".into(), commit: None },
            files: &self.files,
            config: self.config.as_ref(),
            migrations: Some(&self.migrations),
            unusable: self.unusable.as_deref(),
            signals: self.signals.clone(),
            approvals: None,
            ground: self,
        }
    }
}

/// Stands for a text, as its blob would.
fn put(texts: &mut BTreeMap<ObjectId, Arc<[u8]>>, text: &[u8]) -> Version {
    let hash = xxhash_rust::xxh3::xxh3_128(text).to_be_bytes();
    let mut id = [0; 20];
    id[..16].copy_from_slice(&hash);
    let id = ObjectId::from(id);
    texts.insert(id, text.into());
    Version { kind: EntryKind::File, place: Place::Blob(id) }
}

impl Ground for Made {
    fn read(&self, _: &RepoPath, version: &Version) -> io::Result<Arc<[u8]>> {
        let Place::Blob(id) = version.place else { return Err(io::ErrorKind::NotFound.into()) };
        self.texts.get(&id).cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn merge(&self, _: &RepoPath, texts: [&[u8]; 3]) -> Option<Vec<u8>> {
        crate::source::merge_plain_text(texts)
    }

    fn merged_paths(&self) -> Result<&[RepoPath], String> {
        Ok(&self.paths)
    }

    fn trunk_holds(&self, path: &RepoPath) -> Result<bool, String> {
        let is_in = |held: &RepoPath| {
            let rest = held.as_bytes().strip_prefix(path.as_bytes());
            rest.is_some_and(|rest| matches!(rest.first(), None | Some(b'/')))
        };
        Ok(self.trunk.keys().any(is_in))
    }

    fn on_trunk(&self, path: &RepoPath) -> io::Result<Option<Arc<[u8]>>> {
        self.trunk.get(path).map(|version| self.read(path, version)).transpose()
    }

    fn commits(&self) -> Result<&[Commit], String> {
        Ok(&self.commits)
    }

    fn done_by(&self, commit: &Commit) -> Result<Vec<Changed>, String> {
        Ok(self.done.get(&commit.id).cloned().unwrap_or_default())
    }

    fn given_up(&self, files: &[usize]) -> Past {
        let versions = self.past.iter().filter(|one| files.contains(&one.file)).cloned().collect();
        Past { versions, incomplete: self.unseen.clone() }
    }

    fn last_touched(&self, paths: &[RepoPath], oldest: i64) -> Result<Vec<Option<i64>>, String> {
        let one = |path| self.touched.get(path).copied().filter(|time| *time >= oldest);
        Ok(paths.iter().map(one).collect())
    }

    fn now(&self) -> i64 {
        self.now
    }
}
