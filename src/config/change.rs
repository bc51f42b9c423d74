//! What `gatekeep.toml` says of changes: whose work is where, what is protected, and what needs a person's word.

mod check;
mod words;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;

use super::{
    Globs,
    model::{globs, some_globs},
};
pub(super) use check::mistakes;
pub use words::{Age, Fact, Found, Query};

/// What is said of changes that no lane claims.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Unmatched {
    /// Nothing.
    #[default]
    Allow,
    /// It is a warning.
    Warning,
    /// It is an error.
    Error,
}

/// What holds for all lanes.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Lanes {
    /// What a change that no lane claims is.
    pub unmatched: Unmatched,
}

/// A lane: who works in it, and which files are theirs.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Agent {
    /// The branches on which this agent works; `*` crosses `/`.
    #[serde(deserialize_with = "words::texts::<_, words::Branch>")]
    #[schemars(inner(regex(pattern = r"\S")))]
    pub branches: Vec<String>,
    /// Who opens its pull requests.
    #[serde(deserialize_with = "words::texts::<_, words::Sign>")]
    #[schemars(inner(regex(pattern = r"\S")))]
    pub logins: Vec<String>,
    /// Who writes its commits: a name or an e-mail address; `*` stands for anything.
    #[serde(deserialize_with = "words::texts::<_, words::Sign>")]
    #[schemars(inner(regex(pattern = r"\S")))]
    pub authors: Vec<String>,
    /// A line at the end of its commits' messages, such as `Agent: ps3`.
    #[serde(deserialize_with = "words::texts::<_, words::Trailer>")]
    #[schemars(inner(regex(pattern = ":")))]
    pub trailers: Vec<String>,
    /// The files that are its own.
    pub owns: Globs,
    /// Files of nobody or of others that it may change all the same.
    pub may_touch: Globs,
    /// Files that it must not change, whatever else is said.
    pub never: Globs,
    /// Keys that it may take, by the rule's id: `first..last`, with a `?` for any digit at its place.
    #[schemars(with = "BTreeMap<String, String>")]
    pub bands: BTreeMap<Spanned<String>, Spanned<String>>,
}

/// Files that a change may only touch in some ways.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Protected {
    /// The files.
    #[serde(deserialize_with = "globs")]
    #[schemars(extend("minItems" = 1))]
    pub paths: Globs,
    /// What stands there stays, and more may follow it.
    #[serde(default)]
    pub append_only: bool,
    /// They may be removed, but not emptied.
    #[serde(default)]
    pub not_empty: bool,
    /// They may not be removed.
    #[serde(default)]
    pub not_deleted: bool,
}

/// What needs a person's word before it is merged.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Approval {
    /// How risky it is: read-only, external-read, write, exec, destructive, or a name of your own.
    #[schemars(regex(pattern = r"\S"))]
    pub tier: String,
    /// The files for which it holds. Default: all.
    #[serde(default, deserialize_with = "globs")]
    #[schemars(extend("minItems" = 1))]
    pub paths: Globs,
    /// Regular expressions: only a change that adds what one of them finds is meant. SQL is read as SQL. Default: every change.
    #[serde(default)]
    pub added: Vec<Found>,
    /// Whose word it takes.
    #[schemars(with = "Needs")]
    pub needs: Spanned<Needs>,
}

/// Whose word a change takes: nothing that the change itself can write.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Needs {
    /// A label that a person other than the author set after the last push.
    #[schemars(with = "String", skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// An approving review of the last push by one of these users or teams: `@name`, `@org/team`.
    pub review_from: Vec<String>,
}

/// Files that change together.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Companion {
    /// When one of these is added or changed …
    #[serde(deserialize_with = "globs")]
    #[schemars(extend("minItems" = 1))]
    pub when: Globs,
    /// … for each of these patterns a file has to be.
    #[serde(default)]
    pub need: Globs,
    /// … or a file for one of these.
    #[serde(default)]
    pub one_of: Globs,
}

/// Documents that programs read: JSON, YAML, TOML, or the front matter of Markdown.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Document {
    /// The files.
    #[serde(deserialize_with = "globs")]
    #[schemars(extend("minItems" = 1))]
    pub paths: Globs,
    /// The JSON Schema that they follow: a path of the repository.
    #[serde(default)]
    #[schemars(with = "String", skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
    /// What a document states of the change that holds it, each as a JSONPath into the document.
    #[serde(default)]
    pub facts: BTreeMap<Fact, Query>,
}

/// How much one change may touch, or how large files may grow.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Budget {
    /// The lanes for which it holds. Default: every change.
    #[schemars(with = "Vec<String>")]
    pub agents: Vec<Spanned<String>>,
    /// The files that are counted. Default: all that the change touches.
    #[serde(deserialize_with = "some_globs")]
    #[schemars(with = "Globs", extend("minItems" = 1))]
    pub paths: Option<Globs>,
    /// Files that one change may touch.
    #[schemars(with = "u64", skip_serializing_if = "Option::is_none")]
    pub files: Option<u64>,
    /// With `paths`: lines of each file. Else: lines that one change may add and remove.
    #[schemars(with = "u64", skip_serializing_if = "Option::is_none")]
    pub lines: Option<u64>,
    /// Bytes of each file. Needs `paths`.
    #[schemars(with = "u64", skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// Files in the whole set. Needs `paths`.
    #[schemars(with = "u64", skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// How long ago a file may last have been touched, such as `90d`. Needs `paths`.
    #[schemars(with = "String", skip_serializing_if = "Option::is_none")]
    pub age: Option<Age>,
}
