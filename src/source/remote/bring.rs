//! Brings objects into a repository that lacks them. No reference is moved: what is brought hangs on nothing.

use std::{path::PathBuf, time::Duration};

use base64::{Engine as _, prelude::BASE64_STANDARD as BASE64};
use gix::ObjectId;

use super::{Failed, NO_NEGOTIATION, program::Program};
use crate::{error::Fatal, source::Git};

/// How long one call of git may take: a whole history comes over a slow line.
const LIMIT: Duration = Duration::from_secs(600);

/// A remote that objects are brought from.
pub struct Supply<'g> {
    git: &'g Git,
    /// The name of the remote.
    name: String,
    program: Program,
    /// What says who we are, where the user's own credentials do not do: a setting of git's, and the header of HTTP that it holds.
    header: Option<(String, String)>,
}

impl Git {
    /// The remote of this name as something to bring objects from; none where it has none.
    pub fn supply(&self, name: &str) -> Option<Supply<'_>> {
        self.remote_url(name)?;
        let repo = self.repo.to_thread_local();
        let folder: PathBuf = repo.workdir().unwrap_or_else(|| repo.git_dir()).to_owned();
        let program = Program { folder, objects: None, secret: None, limit: LIMIT };
        Some(Supply { git: self, name: name.to_owned(), program, header: None })
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

impl Supply<'_> {
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
        let mut options = Vec::new();
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
        self.fetch(&["-c", NO_NEGOTIATION], &["--filter=blob:none"], &wanted)
    }

    /// Where a branch or tag of the remote is now; none where it has no such one.
    ///
    /// # Errors
    /// git says no.
    pub fn tip(&self, reference: &str) -> Result<Option<ObjectId>, Fatal> {
        let output = self.run(&["ls-remote", "--quiet", "--", &self.name, reference], "")?;
        let lines = String::from_utf8_lossy(&output).into_owned();
        let named = lines.lines().filter_map(|line| line.split_once('\t')).find(|(_, name)| *name == reference);
        Ok(named.and_then(|(id, _)| ObjectId::from_hex(id.as_bytes()).ok()))
    }

    fn fetch(&self, settings: &[&str], options: &[&str], wanted: &[String]) -> Result<(), Fatal> {
        let plain = ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--refmap="];
        let args = [settings, &plain, options, &["--stdin", "--", &self.name]].concat();
        self.run(&args, &format!("{}\n", wanted.join("\n"))).map(|_| ())
    }

    /// Runs git as the user, then with the token.
    fn run(&self, args: &[&str], input: &str) -> Result<Vec<u8>, Fatal> {
        let fatal = |failed: Failed| Fatal::Remote { name: self.name.clone(), why: failed.why };
        match (self.program.output(args, input), &self.header) {
            (Err(_), Some(header)) => {
                let with_token = Program { secret: Some(header.clone()), ..self.program.clone() };
                with_token.output(args, input).map_err(fatal)
            }
            (output, _) => output.map_err(fatal),
        }
    }
}
