//! Where GitHub is, for this repository and this run.

use super::told::Told;
use crate::{
    error::Fatal,
    forge::{Address, Client, Failure, OpenPull, Patience, Repository},
    report::{Incomplete, Skipped},
    source::{Git, Supply},
};

/// The name of GitHub's own server.
const PUBLIC: &str = "https://github.com";
/// What a report calls the pull requests.
const PULLS: &str = "the open pull requests";
/// Why nobody was asked.
pub(super) const NO_TOKEN: &str = "no token in GITHUB_TOKEN or GH_TOKEN";

/// The repository's place on GitHub.
#[derive(Clone, Debug)]
pub(super) struct GitHub {
    pub(super) repository: Repository,
    pub(super) address: Address,
    /// The server's page for people, such as `https://github.com`.
    pub(super) server: String,
    /// The name of git's remote that is it.
    pub(super) remote: Option<String>,
    pub(super) token: Option<String>,
}

/// A variable of the environment that says something.
pub(super) fn said(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

impl GitHub {
    /// Where the environment says that it is, or a remote. None where the repository is not on GitHub, as far as anything tells.
    pub(super) fn of(git: &Git) -> Option<Self> {
        if let Some(repository) = said("GITHUB_REPOSITORY").and_then(|name| Repository::parse(&name)) {
            return Some(Self::named(git, repository));
        }
        let server = server();
        let (remote, repository) = remotes(git, &server).into_iter().find_map(|(name, there)| Some((name, there?)))?;
        Some(Self::at(server, repository, Some(remote)))
    }

    /// A repository that somebody names, on the server of the environment.
    pub(super) fn named(git: &Git, repository: Repository) -> Self {
        let server = server();
        let remotes = remotes(git, &server);
        let there = remotes.iter().find(|(_, there)| there.as_ref() == Some(&repository));
        // the checkout of a workflow has one remote, whatever its address looks like
        let remote = there.or_else(|| remotes.first()).map(|(name, _)| name.clone());
        Self::at(server, repository, remote)
    }

    fn at(server: String, repository: Repository, remote: Option<String>) -> Self {
        let beside = (server != PUBLIC).then(|| format!("{server}/api/v3"));
        let rest = said("GITHUB_API_URL").or(beside);
        let address = Address::new(rest.as_deref(), said("GITHUB_GRAPHQL_URL").as_deref());
        let token = said("GITHUB_TOKEN").or_else(|| said("GH_TOKEN"));
        Self { repository, address, server, remote, token }
    }

    /// Somebody to ask; none without a token.
    pub(super) fn client(&self) -> Option<Result<Client, Failure>> {
        let token = self.token.as_deref()?;
        Some(Client::new(&self.address, token, Patience::default()))
    }

    /// Where objects come from.
    pub(super) fn remote<'g>(&self, git: &'g Git) -> Option<Supply<'g>> {
        let remote = git.supply(self.remote.as_deref()?)?;
        Some(match &self.token {
            Some(token) => remote.with_token(&self.server, token),
            None => remote,
        })
    }

    /// Brings the histories of commits that are not here.
    pub(super) fn bring(&self, git: &Git, pulls: &[OpenPull]) -> Result<(), Fatal> {
        let lacking: Vec<&OpenPull> = pulls.iter().filter(|pull| !git.has(&pull.head)).collect();
        let Some(remote) = self.remote(git).filter(|_| !lacking.is_empty()) else { return Ok(()) };
        let by_id: Vec<String> = lacking.iter().map(|pull| pull.head.to_string()).collect();
        // a server may give only what has a name
        remote.histories(&by_id).or_else(|_| {
            let by_name: Vec<String> = lacking.iter().map(|pull| format!("refs/pull/{}/head", pull.number)).collect();
            remote.histories(&by_name)
        })
    }
}

/// The server's page for people.
fn server() -> String {
    let server = said("GITHUB_SERVER_URL").or_else(|| said("GH_HOST").map(|host| format!("https://{host}")));
    server.unwrap_or_else(|| PUBLIC.to_owned()).trim_end_matches('/').to_owned()
}

/// The remotes, `origin` first, each with the repository on the server that it is, if it is one.
fn remotes(git: &Git, server: &str) -> Vec<(String, Option<Repository>)> {
    let host = server.split("://").nth(1).unwrap_or(server);
    let mut names = git.remote_names();
    names.sort_by_key(|name| name != "origin");
    names.into_iter().map(|name| (name.clone(), git.remote_url(&name).and_then(|url| on(host, &url)))).collect()
}

/// Which repository an address of git means, if it is one on this server.
fn on(host: &str, url: &str) -> Option<Repository> {
    let rest = match url.split_once("://") {
        Some((_, rest)) => rest.split_once('/')?,
        None => url.split_once(':')?,
    };
    let server = rest.0.rsplit('@').next()?.split(':').next()?;
    let path = rest.1.trim_matches('/');
    server.eq_ignore_ascii_case(host).then(|| Repository::parse(path.strip_suffix(".git").unwrap_or(path))).flatten()
}

impl Told {
    /// What a scan asks GitHub. `by_hand`: the pull requests were asked for, so that it matters when nobody tells.
    pub(super) fn of_pulls(git: &Git, github: Option<&GitHub>, by_hand: bool) -> Self {
        let mut told = Self::default();
        let why = match github.map(|github| (github, github.client())) {
            None => "no remote of this repository is on GitHub",
            Some((_, None)) => NO_TOKEN,
            Some((github, Some(client))) => {
                told.ask(git, github, client.and_then(|client| client.open_pulls(&github.repository, None)));
                return told;
            }
        };
        told.unasked(why, by_hand);
        told
    }

    /// Says that nobody was asked for the pull requests.
    pub(super) fn unasked(&mut self, why: &str, by_hand: bool) {
        match by_hand {
            true => self.incomplete.push(Incomplete { what: PULLS.into(), why: why.into() }),
            false => self.skipped.push(Skipped { what: format!("{PULLS} ({why})"), count: None }),
        }
    }

    /// Takes in what GitHub tells of the pull requests, and brings what they are made of.
    pub(super) fn ask(&mut self, git: &Git, github: &GitHub, answer: Result<Vec<OpenPull>, Failure>) {
        let gap = |why: String| Incomplete { what: PULLS.into(), why };
        match answer {
            Err(failure) => self.incomplete.push(gap(failure.to_string())),
            Ok(pulls) => {
                self.incomplete.extend(github.bring(git, &pulls).err().map(|fatal| gap(fatal.to_string())));
                self.pulls = pulls;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remote_is_on_github_however_its_address_is_written() {
        let of = |url| on("github.com", url).map(|one| format!("{}/{}", one.owner, one.name));
        for url in [
            "https://github.com/acme/demo.git",
            "https://x:secret@github.com/acme/demo",
            "git@github.com:acme/demo.git",
            "ssh://git@github.com:22/acme/demo.git/",
            "git://GitHub.com/acme/demo",
        ] {
            assert_eq!(of(url).as_deref(), Some("acme/demo"), "{url}");
        }
        for url in [
            "https://gitlab.com/acme/demo",
            "/srv/github.com/acme/demo",
            "https://github.com.evil.org/a/b",
            "https://github.com/a",
        ] {
            assert_eq!(of(url), None, "{url}");
        }
    }
}
