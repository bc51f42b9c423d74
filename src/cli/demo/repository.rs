//! The throwaway repository: built by git, cut off from all configuration of the machine.

use std::{
    fmt::Write as _,
    io::{self, Write as _},
    path::Path,
    process::{Command, Output, Stdio},
};

use super::story::{BRANCHES, TRUNK};
use crate::error::Fatal;

/// 28 April 2026, midnight in UTC.
const DAY: u64 = 1_777_334_400;
const WHO: &str = "Agent <agent@example.org>";

/// A repository with its trunk checked out.
pub(super) struct Repository<'a> {
    top: &'a Path,
}

impl<'a> Repository<'a> {
    /// Makes the trunk and all branches in an empty folder.
    pub(super) fn make(top: &'a Path) -> Result<Self, Fatal> {
        let made = Self { top };
        made.git(&["init", "--quiet", "."], b"")?;
        made.git(&["symbolic-ref", "HEAD", "refs/heads/main"], b"")?; // `init --initial-branch` needs git 2.28
        made.git(&["fast-import", "--quiet"], history().as_bytes())?;
        made.git(&["reset", "--quiet", "--hard"], b"")?;
        Ok(made)
    }

    /// The folder.
    pub(super) fn top(&self) -> &'a Path {
        self.top
    }

    /// Merges a branch into the trunk.
    pub(super) fn merge(&self, branch: &str) -> Result<(), Fatal> {
        let message = format!("Merge branch '{branch}'");
        self.git(&["merge", "--quiet", "--no-ff", "-m", &message, branch], b"")
    }

    fn git(&self, args: &[&str], input: &[u8]) -> Result<(), Fatal> {
        let output = self.output(args, input).map_err(|source| match source.kind() {
            io::ErrorKind::NotFound => Fatal::NoGit,
            _ => Fatal::Io { path: "git".into(), source },
        })?;
        if output.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        Err(Fatal::Git(format!("`git {}` failed: {said}", args.first().unwrap_or(&""))))
    }

    fn output(&self, args: &[&str], input: &[u8]) -> io::Result<Output> {
        let mut command = Command::new("git");
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("GIT_")) {
            command.env_remove(name);
        }
        command.current_dir(self.top).args(["-c", "gc.auto=0", "-c", "maintenance.auto=false"]).args(args);
        command.envs([("GIT_CONFIG_GLOBAL", "/dev/null"), ("GIT_CONFIG_NOSYSTEM", "1"), ("LC_ALL", "C")]);
        command.envs([("HOME", self.top), ("XDG_CONFIG_HOME", self.top)]); // for a git that knows no GIT_CONFIG_GLOBAL
        for who in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{who}_NAME"), "Agent").env(format!("GIT_{who}_EMAIL"), "agent@example.org");
            command.env(format!("GIT_{who}_DATE"), format!("{} +0000", DAY + 3600));
        }
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
        if let Some(mut stdin) = child.stdin.take() {
            stdin.write_all(input)?;
        }
        child.wait_with_output()
    }
}

/// Trunk and branches as a stream for `git fast-import`.
fn history() -> String {
    let mut stream = String::new();
    commit(&mut stream, "main", "Start", 0, TRUNK);
    for (minute, branch) in (1..).zip(BRANCHES) {
        commit(&mut stream, branch.name, branch.subject, minute, &[(branch.path, branch.text)]);
    }
    stream
}

fn commit(stream: &mut String, branch: &str, subject: &str, minute: u64, files: &[(&str, &str)]) {
    let time = DAY + 60 * minute;
    let mut line = |words: String| {
        let _ = writeln!(stream, "{words}"); // a String takes all
    };
    line(format!("commit refs/heads/{branch}"));
    if minute == 0 {
        line("mark :1".into());
    }
    line(format!("committer {WHO} {time} +0000"));
    line(format!("data {}\n{subject}", subject.len()));
    if minute > 0 {
        line("from :1".into());
    }
    for (path, text) in files {
        line(format!("M 100644 inline {path}\ndata {}\n{text}", text.len()));
    }
}
