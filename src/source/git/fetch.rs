//! Brings objects from a remote: by the program `git`, which knows how people have set up their credentials.
//!
//! Nothing of the repository's own code runs, and no reference of the user's is moved: what is fetched hangs on nothing.

use std::{
    io::{self, Write as _},
    process::{Command, Output, Stdio},
};

use base64::{Engine as _, prelude::BASE64_STANDARD as BASE64};
use gix::ObjectId;

use super::Git;
use crate::error::{Fatal, visible};

/// Longest word of git's that a message repeats, in letters.
const QUOTED: usize = 300;

/// Nothing is tidied up or run beside what is asked for, and a server that falls silent is given up.
const SETTINGS: [&str; 6] = [
    "gc.auto=0",
    "maintenance.auto=false",
    "core.hooksPath=/dev/null",
    "protocol.version=2",
    "http.lowSpeedLimit=1000",
    "http.lowSpeedTime=30",
];

/// A remote that objects can be brought from.
pub struct Remote<'g> {
    git: &'g Git,
    /// Its name, such as `origin`.
    name: String,
    /// What says who we are, where the user's own credentials do not do: a setting of git's, and the header of HTTP that it holds.
    header: Option<(String, String)>,
}

impl Git {
    /// A remote of this name; none where it has none.
    pub fn remote(&self, name: &str) -> Option<Remote<'_>> {
        self.remote_url(name)?;
        Some(Remote { git: self, name: name.to_owned(), header: None })
    }

    /// Where a remote is, as the configuration has it: it may hold a password.
    pub fn remote_url(&self, name: &str) -> Option<String> {
        let repo = self.repo.to_thread_local();
        let url = repo.config_snapshot().string(format!("remote.{name}.url").as_str())?;
        Some(String::from_utf8_lossy(&url).into_owned())
    }

    /// The names of all remotes, sorted.
    pub fn remote_names(&self) -> Vec<String> {
        let repo = self.repo.to_thread_local();
        repo.remote_names().iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect()
    }

    /// Whether history ends somewhere because more of it was never fetched.
    pub fn is_shallow(&self) -> bool {
        self.repo.to_thread_local().is_shallow().unwrap_or(true) // one that can't be read is broken: git itself says so
    }
}

impl Remote<'_> {
    /// With a token for one server, such as `https://github.com`, where what the user has set up does not do. No other server sees it.
    #[must_use]
    pub fn with_token(mut self, server: &str, token: &str) -> Self {
        let server = server.trim_end_matches('/');
        let is_there = |url: String| url.strip_prefix(server).is_some_and(|rest| rest.starts_with('/'));
        if server.starts_with("https://") && self.git.remote_url(&self.name).is_some_and(is_there) {
            let word = BASE64.encode(format!("x-access-token:{token}"));
            self.header = Some((format!("http.{server}/.extraheader"), format!("AUTHORIZATION: basic {word}")));
        }
        self
    }

    /// Brings the histories of commits, given by id or by full name, whole but without the contents of files where the clone is a partial or
    /// shallow one: an ordinary clone gets all of it, and stays ordinary.
    ///
    /// # Errors
    /// git says no.
    pub fn histories(&self, wanted: &[String]) -> Result<(), Fatal> {
        let mut options = vec!["--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--quiet"];
        let shallow = self.git.is_shallow();
        if shallow {
            options.push("--unshallow");
        }
        if shallow || self.git.is_partial() {
            options.push("--filter=blob:none");
        }
        self.fetch(&[], &options, wanted)
    }

    /// Brings these blobs, all at once.
    ///
    /// # Errors
    /// git says no.
    pub fn blobs(&self, wanted: &[ObjectId]) -> Result<(), Fatal> {
        let wanted: Vec<String> = wanted.iter().map(ToString::to_string).collect();
        // what is here already says nothing about blobs, so nobody is asked about it
        let options =
            ["--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--quiet", "--filter=blob:none"];
        self.fetch(&["-c", "fetch.negotiationAlgorithm=noop"], &options, &wanted)
    }

    /// Where a branch or tag of the remote is now; none where it has no such one.
    ///
    /// # Errors
    /// git says no.
    pub fn tip(&self, reference: &str) -> Result<Option<ObjectId>, Fatal> {
        let output = self.tried(&["ls-remote", "--quiet", "--", &self.name, reference], b"")?;
        let lines = String::from_utf8_lossy(&output.stdout).into_owned();
        let named = lines.lines().filter_map(|line| line.split_once('\t')).find(|(_, name)| *name == reference);
        Ok(named.and_then(|(id, _)| ObjectId::from_hex(id.as_bytes()).ok()))
    }

    fn fetch(&self, before: &[&str], options: &[&str], wanted: &[String]) -> Result<(), Fatal> {
        let mut args = before.to_vec();
        args.push("fetch");
        args.extend(options);
        args.extend(["--stdin", "--", &self.name]);
        let mut input = wanted.join("\n");
        input.push('\n');
        self.tried(&args, input.as_bytes()).map(|_| ())
    }

    /// Runs git as the user, then with the token.
    fn tried(&self, args: &[&str], input: &[u8]) -> Result<Output, Fatal> {
        let mut output = self.run(args, input, None)?;
        if let Some(header) = self.header.as_ref().filter(|_| !output.status.success()) {
            output = self.run(args, input, Some(header))?;
        }
        if output.status.success() {
            return Ok(output);
        }
        let said = String::from_utf8_lossy(&output.stderr);
        Err(Fatal::Remote { name: self.name.clone(), why: self.quoted(&said) })
    }

    fn run(&self, args: &[&str], input: &[u8], header: Option<&(String, String)>) -> Result<Output, Fatal> {
        let repo = self.git.repo.to_thread_local();
        let fatal = |source: io::Error| match source.kind() {
            io::ErrorKind::NotFound => Fatal::NoGit,
            _ => Fatal::Io { path: "git".into(), source },
        };
        let mut command = Command::new("git");
        command.arg("--git-dir").arg(repo.git_dir());
        for setting in SETTINGS {
            command.args(["-c", setting]);
        }
        // what is missing is asked for in one go, and never one by one behind our back
        command.env("GIT_TERMINAL_PROMPT", "0").env("GIT_NO_LAZY_FETCH", "1").env("LC_ALL", "C");
        if let Some((key, header)) = header {
            // an empty one takes back those of the configuration: two of them are refused
            let settings = [(key, ""), (key, header.as_str())];
            command.env("GIT_CONFIG_COUNT", settings.len().to_string());
            for (at, (key, value)) in settings.iter().enumerate() {
                command.env(format!("GIT_CONFIG_KEY_{at}"), key).env(format!("GIT_CONFIG_VALUE_{at}"), value);
            }
        }
        command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(fatal)?;
        if let Some(mut pipe) = child.stdin.take() {
            let _ = pipe.write_all(input); // one that has ended already says why itself
        }
        child.wait_with_output().map_err(fatal)
    }

    /// git's word on it: its last lines, without what is secret in an address.
    fn quoted(&self, said: &str) -> String {
        let line = said.lines().rev().find(|line| line.starts_with("fatal:") || line.starts_with("error:"));
        let line = line.or_else(|| said.lines().last()).unwrap_or("it does not say why");
        let mut text = without_secrets(line);
        if let Some((_, header)) = &self.header {
            let secret = header.rsplit(' ').next().unwrap_or(header);
            text = text.replace(secret, "***");
        }
        let short: String = text.chars().take(QUOTED).collect();
        visible(&short).into_owned()
    }
}

/// A text without the user and password of the addresses in it.
fn without_secrets(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("://") {
        let (before, after) = rest.split_at(at + 3);
        shown.push_str(before);
        let end = after.find(['/', '\'', '"', ' ']).unwrap_or(after.len());
        rest = after[..end].rfind('@').map_or(after, |at| &after[at + 1..]);
    }
    shown.push_str(rest);
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_shown_without_its_password() {
        let said = "fatal: unable to access 'https://me:s3cret@github.com/a/b/': 403, see https://docs/@x";
        assert_eq!(
            without_secrets(said),
            "fatal: unable to access 'https://github.com/a/b/': 403, see https://docs/@x"
        );
        assert_eq!(without_secrets("ssh://git@host:22/x"), "ssh://host:22/x");
        assert_eq!(without_secrets("nothing"), "nothing");
    }
}
