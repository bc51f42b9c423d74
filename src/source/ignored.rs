//! What git ignores, asked only of the few untracked paths that somebody wants.

use std::{
    path::Path,
    sync::{Arc, OnceLock},
};

use ignore::{
    Match,
    gitignore::{Gitignore, GitignoreBuilder},
};

use super::path;

/// The ignore files that hold for the whole repository, strongest first: `.git/info/exclude`, then the user's own.
pub(super) struct Everywhere(Vec<Gitignore>);

impl Everywhere {
    pub(super) fn of(repo: &gix::Repository) -> Self {
        let own = repo.config_snapshot().trusted_path("core.excludesFile").ok().flatten();
        let home = || {
            let config =
                std::env::var_os("XDG_CONFIG_HOME").filter(|value| !value.is_empty()).map(std::path::PathBuf::from);
            let config = config.or_else(|| std::env::home_dir().map(|home| home.join(".config")));
            config.map(|folder| folder.join("git/ignore"))
        };
        let files = [Some(repo.common_dir().join("info/exclude")), own.or_else(home)];
        Self(files.into_iter().flatten().filter(|file| file.is_file()).map(|file| read(Path::new(""), &file)).collect())
    }
}

/// A pattern that does not parse is one that git passes over too.
fn read(folder: &Path, file: &Path) -> Gitignore {
    let mut builder = GitignoreBuilder::new(folder);
    builder.add(file);
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

/// A folder of the working tree, with what is ignored in it worked out at the first question.
pub(super) struct FolderNode {
    above: Option<Arc<FolderNode>>,
    /// Relative to the top, without a `/` at the end; empty for the top.
    path: Box<[u8]>,
    has_file: OnceLock<()>,
    rules: OnceLock<Gitignore>,
    ignored: OnceLock<bool>,
}

impl FolderNode {
    pub(super) fn top() -> Arc<Self> {
        Arc::new(Self::new(None, b""))
    }

    pub(super) fn child(self: &Arc<Self>, path: &[u8]) -> Arc<Self> {
        Arc::new(Self::new(Some(Arc::clone(self)), path))
    }

    fn new(above: Option<Arc<Self>>, path: &[u8]) -> Self {
        Self { above, path: path.into(), has_file: OnceLock::new(), rules: OnceLock::new(), ignored: OnceLock::new() }
    }

    pub(super) fn path(&self) -> &[u8] {
        &self.path
    }

    /// Says that the folder holds a `.gitignore`.
    pub(super) fn has_ignore_file(&self) {
        let _ = self.has_file.set(()); // saying it twice changes nothing
    }

    /// Whether git would ignore this path inside the folder, were it untracked.
    pub(super) fn ignores(&self, at: &[u8], is_dir: bool, top: &Path, everywhere: &Everywhere) -> bool {
        self.is_ignored(top, everywhere) || self.matches(at, is_dir, top, everywhere)
    }

    fn is_ignored(&self, top: &Path, everywhere: &Everywhere) -> bool {
        let Some(above) = &self.above else { return false };
        *self
            .ignored
            .get_or_init(|| above.is_ignored(top, everywhere) || above.matches(&self.path, true, top, everywhere))
    }

    /// The nearest ignore file that has a word on the path decides.
    fn matches(&self, at: &[u8], is_dir: bool, top: &Path, everywhere: &Everywhere) -> bool {
        let mut folder = Some(self);
        while let Some(node) = folder {
            if node.has_file.get().is_some() {
                let rules =
                    node.rules.get_or_init(|| read(Path::new(""), &path::below(top, &node.path).join(".gitignore")));
                let below = if node.path.is_empty() { at } else { &at[node.path.len() + 1..] };
                match rules.matched(path::to_system(below), is_dir) {
                    Match::Ignore(_) => return true,
                    Match::Whitelist(_) => return false,
                    Match::None => {}
                }
            }
            folder = node.above.as_deref();
        }
        for rules in &everywhere.0 {
            match rules.matched(path::to_system(at), is_dir) {
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
                Match::None => {}
            }
        }
        false
    }
}
