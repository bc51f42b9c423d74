//! Real repositories, and the real program, both cut off from the machine around them.

mod lines;

use std::{
    ffi::OsStr,
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    time::Duration,
};

use serde_json::Value;
use tempfile::TempDir;

/// A rule that every `.seen` file breaks together: its one finding lists all files that a scan looks at.
pub(crate) const SEEN: &str = r#"
schema   = 1
id       = "seen"
summary  = "No file ends with .seen"
severity = "error"

[[claim]]
files = ["**/*.seen"]
path  = '(?:.*/)?[^/]*\.seen'
key   = "all"

[policy]
unique = true
"#;

/// A folder with a repository in it, removed at the end.
pub(crate) struct Repo {
    outer: TempDir,
}

impl Repo {
    /// A repository without a commit.
    pub(crate) fn new() -> Self {
        let made = Self::plain();
        made.git(&["init", "--quiet", "--initial-branch=main"]);
        made
    }

    /// A folder without git.
    pub(crate) fn plain() -> Self {
        let outer = tempfile::tempdir().expect("temporary folders can be made");
        for name in ["repo", "home", "temp"] {
            fs::create_dir(outer.path().join(name)).expect("the folder is new");
        }
        Self { outer }
    }

    /// The top of the repository.
    pub(crate) fn top(&self) -> PathBuf {
        self.outer.path().join("repo")
    }

    /// A path beside the repository.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.outer.path().join(name)
    }

    /// Writes a file, and the folders above it.
    pub(crate) fn write(&self, path: impl AsRef<Path>, text: impl AsRef<[u8]>) -> &Self {
        let path = self.top().join(path);
        fs::create_dir_all(path.parent().expect("a file lies in a folder")).expect("the folders can be made");
        fs::write(path, text).expect("the file can be written");
        self
    }

    /// Writes empty files.
    pub(crate) fn files(&self, paths: &[&str]) -> &Self {
        paths.iter().for_each(|path| {
            self.write(path, "");
        });
        self
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.top().join(path)).expect("the file can be read")
    }

    pub(crate) fn remove(&self, path: &str) -> &Self {
        fs::remove_file(self.top().join(path)).expect("the file can be removed");
        self
    }

    /// Two migrations that take one version.
    pub(crate) fn collision(&self) -> &Self {
        self.files(&["supabase/config.toml", "supabase/migrations/1_a.sql", "supabase/migrations/1_b.sql"])
    }

    /// Commits all that is there.
    pub(crate) fn commit(&self) -> &Self {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message=m"]);
        self
    }

    /// Runs git in the repository, which has to succeed; what it printed.
    pub(crate) fn git(&self, args: &[&str]) -> String {
        self.git_in(&self.top(), args, &[])
    }

    pub(crate) fn git_in(&self, folder: &Path, args: &[&str], env: &[(&str, &OsStr)]) -> String {
        let output =
            self.git_command(args).current_dir(folder).envs(env.iter().copied()).output().expect("git is there");
        assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// git at the top of the repository, for what has to fail.
    pub(crate) fn git_command(&self, args: &[&str]) -> Command {
        let mut command = Command::new("git");
        command.args(args).current_dir(self.top()).env_clear().envs(self.environment());
        command
    }

    /// Puts entries into the index without a file.
    pub(crate) fn enter(&self, entries: &str) {
        let mut command = self.git_command(&["update-index", "--index-info"]);
        let mut git = command.stdin(Stdio::piped()).spawn().expect("git is there");
        git.stdin.take().expect("it is piped").write_all(entries.as_bytes()).expect("git reads it");
        assert!(git.wait().expect("it ends").success());
    }

    /// The program at the top of the repository, for what a [`Run`] can't do.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gatekeep"));
        command.args(args).current_dir(self.top()).env_clear().envs(self.environment());
        command
    }

    /// Runs the program at the top of the repository.
    pub(crate) fn run(&self, args: &[&str]) -> Run {
        self.run_in(&self.top(), args)
    }

    pub(crate) fn run_in(&self, folder: &Path, args: &[&str]) -> Run {
        self.run_with(folder, args, &[])
    }

    pub(crate) fn run_with(&self, folder: &Path, args: &[&str], env: &[(&str, &OsStr)]) -> Run {
        let mut command = assert_cmd::Command::new(env!("CARGO_BIN_EXE_gatekeep"));
        command.args(args).current_dir(folder).env_clear().envs(self.environment()).envs(env.iter().copied());
        Run::of(&command.timeout(Duration::from_secs(60)).output().expect("the program runs"))
    }

    /// The files that a scan looks at, in order of their paths.
    pub(crate) fn seen(&self, args: &[&str]) -> Vec<String> {
        self.seen_in(&self.top(), args)
    }

    pub(crate) fn seen_in(&self, folder: &Path, args: &[&str]) -> Vec<String> {
        self.seen_with(folder, args, &[])
    }

    pub(crate) fn seen_with(&self, folder: &Path, args: &[&str], env: &[(&str, &OsStr)]) -> Vec<String> {
        let args = [&["scan", "--only", "seen", "--format", "json"], args].concat();
        let report = self.run_with(folder, &args, env).json();
        let findings = report["findings"].as_array().expect("findings is a list");
        let sites = findings.iter().flat_map(|found| found["sites"].as_array().expect("sites is a list"));
        let mut paths: Vec<String> = sites.map(|site| site["path"].as_str().expect("a path").to_owned()).collect();
        paths.sort();
        paths
    }

    fn environment(&self) -> Vec<(&'static str, std::ffi::OsString)> {
        let mut env: Vec<(&'static str, std::ffi::OsString)> = vec![
            ("HOME", self.beside("home").into()),
            ("TMPDIR", self.beside("temp").into()),
            ("GIT_CONFIG_GLOBAL", "/dev/null".into()),
            ("GIT_CONFIG_SYSTEM", "/dev/null".into()),
            ("NO_COLOR", "1".into()),
        ];
        for name in ["PATH", "SYSTEMROOT", "LLVM_PROFILE_FILE"] {
            env.extend(std::env::var_os(name).map(|value| (name, value)));
        }
        for who in [["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL"], ["GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"]] {
            env.extend([(who[0], "Test".into()), (who[1], "test@example.org".into())]);
        }
        env
    }
}

/// How a run of the program went.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Run {
    pub(crate) fn of(output: &Output) -> Self {
        Self {
            status: output.status.code().expect("the program was not killed"),
            stdout: String::from_utf8(output.stdout.clone()).expect("output is UTF-8"),
            stderr: String::from_utf8(output.stderr.clone()).expect("output is UTF-8"),
        }
    }

    /// Asserts the exit status.
    #[track_caller]
    pub(crate) fn exits(self, status: i32) -> Self {
        assert_eq!(self.status, status, "stdout: {}\nstderr: {}", self.stdout, self.stderr);
        self
    }

    /// The JSON report.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Codes of the findings of a JSON report that nothing silences.
    #[track_caller]
    pub(crate) fn codes(&self) -> Vec<String> {
        let report = self.json();
        let findings = report["findings"].as_array().expect("findings is a list");
        let open = findings.iter().filter(|found| found["suppressed"].is_null());
        open.map(|found| found["rule"].as_str().expect("a code").to_owned()).collect()
    }
}
