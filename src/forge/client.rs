//! Calls of GitHub's two interfaces, through octocrab, on the thread that asks.

use std::{
    sync::Once,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use octocrab::Octocrab;
use reqwest::header::HeaderMap;
use serde_json::{Value, json};

use super::failure::{Failure, quoted};

/// Where GitHub is: `https://api.github.com`, or a server of one's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// The base of the REST interface, without a slash at its end.
    pub rest: String,
    /// The GraphQL interface, which ends with `/graphql`.
    pub graphql: String,
}

impl Address {
    /// The address that a runner gives; GitHub's own where it gives none. A server of one's own that names REST alone has GraphQL beside it.
    pub fn new(rest: Option<&str>, graphql: Option<&str>) -> Self {
        let rest = rest.unwrap_or("https://api.github.com").trim_end_matches('/').to_owned();
        let beside = || format!("{}/graphql", rest.strip_suffix("/v3").unwrap_or(&rest));
        let graphql = graphql.map_or_else(beside, |url| url.trim_end_matches('/').to_owned());
        Self { rest, graphql }
    }
}

/// A repository on GitHub.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repository {
    /// The person or organisation that it belongs to.
    pub owner: String,
    /// Its name.
    pub name: String,
}

impl Repository {
    /// Reads `owner/name`; none where it is no such thing.
    pub fn parse(text: &str) -> Option<Self> {
        let is_plain = |part: &str| {
            !part.is_empty()
                && !part.starts_with('.')
                && part.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
        };
        let (owner, name) = text.split_once('/')?;
        (is_plain(owner) && is_plain(name)).then(|| Self { owner: owner.to_owned(), name: name.to_owned() })
    }

    /// A path of the REST interface below the repository.
    pub(super) fn route(&self, rest: &str) -> String {
        format!("/repos/{}/{}/{rest}", self.owner, self.name)
    }
}

/// How long somebody waits for GitHub.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// How often a read is tried.
    pub tries: u32,
    /// The wait after the first failure; it doubles with each further one.
    pub pause: Duration,
    /// The longest wait that GitHub may ask for.
    pub longest: Duration,
    /// For one connection.
    pub connect: Duration,
    /// For one answer.
    pub answer: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self { tries: 4, pause: seconds(1), longest: seconds(90), connect: seconds(10), answer: seconds(30) }
    }
}

/// Talks to one GitHub with one token.
pub struct Client {
    runtime: tokio::runtime::Runtime,
    rest: Octocrab,
    graphql: Octocrab,
    host: String,
    token: String,
    patience: Patience,
}

/// What is asked of the REST interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    Get,
    Post,
    Patch,
    Delete,
}

impl Client {
    /// A client. Proxies are taken from `HTTPS_PROXY` and its like.
    ///
    /// # Errors
    /// The address or the token can't be used.
    pub fn new(address: &Address, token: &str, patience: Patience) -> Result<Self, Failure> {
        static CRYPTO: Once = Once::new();
        // an error says that somebody chose one already
        CRYPTO.call_once(|| _ = rustls::crypto::ring::default_provider().install_default());
        let unusable = |error: &dyn std::fmt::Display| Failure::Unusable(quoted(&error.to_string(), token));
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| unusable(&error))?;
        let http = reqwest::Client::builder()
            .user_agent(concat!("gatekeep/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(patience.connect)
            .timeout(patience.answer)
            .build()
            .map_err(|error| unusable(&error))?;
        let graphql = address.graphql.strip_suffix("/graphql").ok_or_else(|| {
            Failure::Unusable(format!("`{}` does not end with /graphql", quoted(&address.graphql, token)))
        })?;
        let entered = runtime.enter(); // octocrab starts a task
        let build = |base: &str| {
            let builder = Octocrab::builder().base_uri(base).map_err(|error| unusable(&error))?;
            builder.personal_token(token.to_owned()).build_with_reqwest(http.clone()).map_err(|error| unusable(&error))
        };
        let (rest, graphql) = (build(&address.rest)?, build(graphql)?);
        drop(entered);
        let host = address.rest.split("://").nth(1).unwrap_or(&address.rest);
        let host = quoted(host.split('/').next().unwrap_or(host), token);
        Ok(Self { runtime, rest, graphql, host, token: token.to_owned(), patience })
    }

    /// Reads from the REST interface, and tries again where that can help.
    pub(super) fn get(&self, route: &str) -> Result<Value, Failure> {
        self.patiently(|| self.rest(Method::Get, route, &Value::Null))
    }

    /// Writes through the REST interface, once: whether an attempt without an answer was carried out is for the caller to find out. Only where
    /// GitHub says that it was not, and when to come back, it is tried again.
    pub(super) fn write(&self, method: Method, route: &str, body: &Value) -> Result<Value, Failure> {
        match self.rest(method, route, body) {
            Err(Attempt { failure: Failure::Limited { .. }, wait: Some(wait) }) if wait <= self.patience.longest => {
                std::thread::sleep(wait);
                self.rest(method, route, body).map_err(|attempt| attempt.failure)
            }
            answer => answer.map_err(|attempt| attempt.failure),
        }
    }

    /// Asks the GraphQL interface. What it answers beside errors counts: `data` may lack what the token may not see.
    pub(super) fn ask(&self, query: &str, variables: &Value) -> Result<Value, Failure> {
        let body = json!({ "query": query, "variables": variables });
        self.patiently(|| {
            let (headers, text) = self.post_query(&body).map_err(|error| self.attempt(&error))?;
            let senseless = |error: serde_json::Error| Failure::Senseless(quoted(&error.to_string(), &self.token));
            let mut answer: Value = serde_json::from_str(&text).map_err(senseless)?;
            let data = answer["data"].take();
            match answer["errors"].as_array().and_then(|errors| errors.first()) {
                Some(first) if data.is_null() => Err(self.graphql_error(first, &headers)),
                _ if data.is_null() => Err(Failure::Senseless("it holds no data".into()).into()),
                _ => Ok(data),
            }
        })
    }

    /// The headers of an answer tell how long to wait, and come with a status of 200 too.
    fn post_query(&self, body: &Value) -> octocrab::Result<(HeaderMap, String)> {
        self.runtime.block_on(async {
            let answer = octocrab::map_github_error(self.graphql._post("/graphql", Some(body)).await?).await?;
            let headers = answer.headers().clone();
            Ok((headers, self.graphql.body_to_string(answer).await?))
        })
    }

    fn graphql_error(&self, error: &Value, headers: &HeaderMap) -> Attempt {
        let why = quoted(error["message"].as_str().unwrap_or("an error without a message"), &self.token);
        match error["type"].as_str() {
            Some("RATE_LIMITED") => Attempt::limited(asked_to_wait(headers).unwrap_or(A_MINUTE)),
            Some("FORBIDDEN" | "INSUFFICIENT_SCOPES") => Failure::Denied { status: 403, why }.into(),
            Some("NOT_FOUND") => Failure::Denied { status: 404, why }.into(),
            _ => Failure::Refused { status: 200, why }.into(),
        }
    }

    fn rest(&self, method: Method, route: &str, body: &Value) -> Result<Value, Attempt> {
        let answer = self.runtime.block_on(async {
            match method {
                Method::Get => self.rest.get::<Value, _, ()>(route, None).await,
                Method::Post => self.rest.post::<_, Value>(route, Some(body)).await,
                Method::Patch => self.rest.patch::<Value, _, _>(route, Some(body)).await,
                // the answer is empty, which is no JSON
                Method::Delete => {
                    let answer = self.rest._delete(route, None::<&()>).await?;
                    octocrab::map_github_error(answer).await.map(|_| Value::Null)
                }
            }
        });
        answer.map_err(|error| self.attempt(&error))
    }

    fn patiently(&self, mut ask: impl FnMut() -> Result<Value, Attempt>) -> Result<Value, Failure> {
        let mut pause = self.patience.pause;
        let mut tries = 1;
        loop {
            let attempt = match ask() {
                Ok(answer) => return Ok(answer),
                Err(attempt) => attempt,
            };
            let wait = attempt.wait.or_else(|| attempt.failure.is_uncertain().then_some(pause));
            match wait.filter(|wait| *wait <= self.patience.longest && tries < self.patience.tries) {
                Some(wait) => std::thread::sleep(wait),
                None => return Err(attempt.failure),
            }
            pause *= 2;
            tries += 1;
        }
    }

    /// What went wrong, and how long to wait before it can go right.
    fn attempt(&self, error: &octocrab::Error) -> Attempt {
        let octocrab::Error::GitHub { source, .. } = error else {
            return match error {
                octocrab::Error::Serde { .. } | octocrab::Error::Json { .. } => {
                    Failure::Senseless(quoted(&error.to_string(), &self.token)).into()
                }
                _ => Failure::Unreachable { host: self.host.clone(), why: self.innermost(error) }.into(),
            };
        };
        let status = source.status_code.as_u16();
        let why = quoted(&source.message, &self.token);
        match (status, source.headers.as_ref().and_then(asked_to_wait)) {
            (403 | 429, Some(seconds)) => Attempt::limited(seconds),
            (429, None) => Attempt::limited(A_MINUTE),
            (403, None) if why.to_lowercase().contains("rate limit") => Attempt::limited(A_MINUTE),
            (401 | 403 | 404, None) => Failure::Denied { status, why }.into(),
            (500.., _) => Failure::Broken { host: self.host.clone(), status }.into(),
            _ => Failure::Refused { status, why }.into(),
        }
    }

    /// The reason below all that wraps it.
    fn innermost(&self, error: &dyn std::error::Error) -> String {
        let mut inner = error;
        while let Some(below) = inner.source() {
            inner = below;
        }
        quoted(&inner.to_string(), &self.token)
    }
}

/// A failure, and how long GitHub asks to wait.
struct Attempt {
    failure: Failure,
    wait: Option<Duration>,
}

/// How long to wait, in seconds, where GitHub speaks of a limit and does not say.
const A_MINUTE: u64 = 60;

impl Attempt {
    fn limited(seconds: u64) -> Self {
        Self { failure: Failure::Limited { seconds }, wait: Some(Duration::from_secs(seconds)) }
    }
}

/// How long GitHub asks to wait, in seconds: until when it says, or until there are requests again.
fn asked_to_wait(headers: &HeaderMap) -> Option<u64> {
    let header = |name: &str| headers.get(name)?.to_str().ok()?.trim().parse::<u64>().ok();
    header("retry-after").or_else(|| {
        let reset = header("x-ratelimit-reset").filter(|_| header("x-ratelimit-remaining") == Some(0))?;
        Some(reset.saturating_sub(now()).max(1))
    })
}

impl From<Failure> for Attempt {
    fn from(failure: Failure) -> Self {
        Self { failure, wait: None }
    }
}

/// Now, in seconds since 1970.
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_of_ones_own_has_graphql_beside_rest() {
        let of = |rest, graphql| Address::new(rest, graphql).graphql;
        assert_eq!(of(None, None), "https://api.github.com/graphql");
        assert_eq!(of(Some("https://ghe.example/api/v3/"), None), "https://ghe.example/api/graphql");
        assert_eq!(of(Some("https://ghe.example/api/v3"), Some("https://q/graphql")), "https://q/graphql");
    }

    #[test]
    fn a_repository_is_two_plain_names() {
        assert_eq!(
            Repository::parse("acme/demo.js").map(|one| one.route("pulls")),
            Some("/repos/acme/demo.js/pulls".into())
        );
        for bad in ["acme", "acme/", "/demo", "a/b/c", "a/..", "a b/c", "a/b?x"] {
            assert_eq!(Repository::parse(bad), None, "{bad}");
        }
    }
}
