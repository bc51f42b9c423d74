//! Lines of work, made by git alone.

use std::collections::BTreeSet;

use gatekeep::{
    diag::{Holder, HolderKind},
    source::{Changed, EntryKind, Line, Place, Version},
};

use super::Repo;

impl Repo {
    /// The line of work that a branch is, as git sees it.
    pub(crate) fn line(&self, trunk: &str, branch: &str) -> Line {
        let tip = self.git(&["rev-parse", branch]).trim().to_owned();
        let fork = self.git(&["merge-base", trunk, branch]).trim().to_owned();
        let raw = self.git(&["diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", &fork, &tip]);
        let mut changes = Vec::new();
        let mut fields = raw.split('\0');
        while let (Some(meta), Some(path)) = (fields.next(), fields.next()) {
            let words: Vec<&str> = meta.trim_start_matches(':').split(' ').collect();
            let version = |mode: &str, id: &str| {
                let kind = if mode == "120000" { EntryKind::Link } else { EntryKind::File };
                let place = Place::Blob(id.parse().expect("an id"));
                (mode != "000000").then_some(Version { kind, place })
            };
            changes.push(Changed {
                path: path.into(),
                old: version(words[0], words[2]),
                new: version(words[1], words[3]),
            });
        }
        changes.sort_by(|a, b| a.path.cmp(&b.path));
        let id = |text: &str| text.parse().expect("an id");
        Line {
            holder: Holder { kind: HolderKind::Branch, name: branch.to_owned(), commit: Some(tip.clone()) },
            branch: Some(branch.to_owned()),
            number: None,
            tip: Some(id(&tip)),
            fork: Some(id(&fork)),
            own: self
                .git(&["rev-list", &tip, &format!("^{fork}")])
                .lines()
                .map(id)
                .collect::<BTreeSet<_>>()
                .into_iter()
                .collect(),
            started: None,
            changes,
        }
    }
}

impl Repo {
    /// The one file of what git makes of two commits; none where it stops.
    pub(crate) fn merges_clean(&self, ours: &str, theirs: &str) -> Option<String> {
        let mut command = std::process::Command::new("git");
        command.args(["merge-tree", "--write-tree", "--name-only", "--no-messages", ours, theirs]);
        let output = command.current_dir(self.top()).output().expect("git is there");
        let tree = String::from_utf8(output.stdout).expect("UTF-8");
        let tree = output.status.success().then(|| tree.trim().to_owned())?;
        let id = self.git(&["ls-tree", "--format=%(objectname)", &tree]);
        Some(self.git(&["cat-file", "blob", id.trim()]))
    }
}
