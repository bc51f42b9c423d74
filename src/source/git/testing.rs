//! Real repositories for tests, cut off from the machine around them.

use std::{
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use gix::ObjectId;

use super::Git;

/// A repository, removed at the end.
pub(super) struct TestRepo {
    outer: tempfile::TempDir,
}

impl TestRepo {
    pub(super) fn new(args: &[&str]) -> Self {
        let outer = tempfile::tempdir().expect("temporary folders can be made");
        std::fs::create_dir(outer.path().join("repo")).expect("the folder is new");
        let made = Self { outer };
        made.git(&[&["init", "--quiet", "--initial-branch=main"], args].concat());
        made
    }

    pub(super) fn top(&self) -> PathBuf {
        self.beside("repo")
    }

    pub(super) fn beside(&self, name: &str) -> PathBuf {
        self.outer.path().join(name)
    }

    pub(super) fn open(&self) -> Git {
        Git::open(&self.top()).expect("it can be opened").expect("it is there")
    }

    pub(super) fn git(&self, args: &[&str]) -> String {
        self.git_in(&self.top(), args, b"")
    }

    pub(super) fn git_in(&self, folder: &Path, args: &[&str], input: &[u8]) -> String {
        let mut command = Command::new("git");
        command.args(args).current_dir(folder).env("GIT_CONFIG_GLOBAL", "/dev/null").env("HOME", self.outer.path());
        for who in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{who}_NAME"), "Test").env(format!("GIT_{who}_EMAIL"), "test@example.org");
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("git is there");
        let mut stdin = child.stdin.take().expect("it is a pipe");
        let input = input.to_vec();
        let feeder = std::thread::spawn(move || stdin.write_all(&input));
        let output = child.wait_with_output().expect("git ends");
        let _ = feeder.join(); // git need not read all of it
        assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Commits a history in which a few files and folders grow line by line, so that it packs into long chains of deltas.
    pub(super) fn grow(&self, commits: usize) {
        let mut stream = String::new();
        let blob = |text: &str| format!("data {}\n{text}\n", text.len());
        for commit in 0..commits {
            let date = 1_700_000_000 + commit * 60;
            stream += &format!("commit refs/heads/main\nmark :{}\ncommitter T <t@e> {date} +0000\n", commit + 1);
            stream += &blob("message");
            let lines: String =
                (0..200).map(|line| format!("line {line} of {}\n", commit.saturating_sub(line))).collect();
            for file in 0..3 {
                stream += &format!("M 100644 inline wide/folder{file}/a.txt\n{}", blob(&format!("{lines}{file}")));
            }
            for file in 0..60.min(commit * 7 + 1) {
                let text = if file % 7 == commit % 7 { commit } else { file };
                stream += &format!("M 100644 inline wide/n{file:03}.txt\n{}", blob(&format!("{text}")));
            }
        }
        self.git_in(&self.top(), &["fast-import", "--quiet"], stream.as_bytes());
    }

    pub(super) fn objects(&self) -> Vec<ObjectId> {
        let all = self.git(&["cat-file", "--batch-check=%(objectname)", "--batch-all-objects"]);
        all.lines().map(|id| id.parse().expect("git prints ids")).collect()
    }

    /// Ends with `.pack` or `.idx`.
    pub(super) fn packs(&self, ending: &str) -> Vec<PathBuf> {
        let folder = std::fs::read_dir(self.top().join(".git/objects/pack")).expect("it is there");
        let mut paths: Vec<PathBuf> = folder.flatten().map(|entry| entry.path()).collect();
        paths.retain(|path| path.to_string_lossy().ends_with(ending));
        paths.sort();
        paths
    }
}
