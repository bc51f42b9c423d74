//! A trunk with a past: days are those of January 2026, at noon.

use std::{
    ffi::OsStr,
    time::{SystemTime, UNIX_EPOCH},
};

use crate::support::{Repo, Run};

/// The first migration of a Django app.
pub(super) const DJANGO: &str =
    "from django.db import migrations\n\n\nclass Migration(migrations.Migration):\n    dependencies = []\n";

/// A migration of the app `shop` that comes after others.
pub(super) fn migration(after: &[&str]) -> String {
    let pairs: Vec<String> = after.iter().map(|name| format!("(\"shop\", \"{name}\")")).collect();
    DJANGO.replace("[]", &format!("[{}]", pairs.join(", ")))
}

/// Noon of New Year's Eve before, in seconds since 1970.
const NOON: u64 = 1_767_182_400;

pub(super) fn noon(day: u64) -> u64 {
    NOON + day * 86_400
}

pub(super) struct Past {
    pub(super) repo: Repo,
}

impl Past {
    pub(super) fn new() -> Self {
        Self { repo: Repo::new() }
    }

    pub(super) fn write(&self, path: &str, text: &str) -> &Self {
        self.repo.write(path, text);
        self
    }

    pub(super) fn git(&self, args: &[&str]) -> String {
        self.repo.git(args)
    }

    /// git on a day.
    pub(super) fn on(&self, day: u64, args: &[&str]) {
        self.at(noon(day), args);
    }

    /// git at a time.
    pub(super) fn at(&self, time: u64, args: &[&str]) {
        let time = format!("@{time} +0000");
        let clocks = ["GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"].map(|name| (name, OsStr::new(&time)));
        self.repo.git_in(&self.repo.top(), args, &clocks);
    }

    /// Commits all that is there; the commit's id.
    pub(super) fn commit(&self, day: u64, message: &str) -> String {
        self.git(&["add", "--all"]);
        self.on(day, &["commit", "--quiet", "--allow-empty", "--message", message]);
        self.head()
    }

    /// Begins a branch at the trunk.
    pub(super) fn branch(&self, name: &str) -> &Self {
        self.git(&["checkout", "--quiet", "-b", name, "main"]);
        self
    }

    /// Merges branches into the trunk; the merge commit's id.
    pub(super) fn merge(&self, day: u64, branches: &[&str]) -> String {
        self.merge_into("main", day, branches)
    }

    pub(super) fn merge_into(&self, branch: &str, day: u64, others: &[&str]) -> String {
        self.git(&["checkout", "--quiet", branch]);
        let message = format!("Merge {}", others.join(", "));
        self.on(day, &[&["merge", "--quiet", "--no-ff", "--message", &message], others].concat());
        self.head()
    }

    fn head(&self) -> String {
        self.git(&["rev-parse", "HEAD"]).trim().to_owned()
    }

    /// The age that a day's midnight has.
    pub(super) fn since(&self, day: u64) -> String {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("it is after 1970").as_secs();
        format!("{}m", (now - (noon(day) - 43_200)) / 60)
    }

    /// An audit of the whole history.
    pub(super) fn audit(&self, args: &[&str]) -> Run {
        self.repo.run(&[&["audit", "--since", "all"], args].concat())
    }
}
