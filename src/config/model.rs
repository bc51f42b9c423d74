//! What `gatekeep.toml` says, word for word.

use std::{collections::BTreeMap, fmt};

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, de};
use toml::{Spanned, value::Datetime};

use super::{
    Globs, Level,
    change::{Age, Agent, Approval, Budget, Companion, Document, Lanes, Protected},
};
use crate::exit::FailOn;

// TOML has no null: `with` and `skip_serializing_if` keep it out of the schema.

/// Configuration of gatekeep. Nothing in it is needed to start.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
#[schemars(title = "gatekeep.toml")]
pub struct Config {
    /// The trunk against which changes are judged: a branch, tag or commit, such as `origin/main`.
    #[serde(deserialize_with = "some_text")]
    #[schemars(with = "String", regex(pattern = r"\S"), skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// The least severity that fails a run. Default: `error`.
    #[schemars(with = "FailOn")]
    pub fail_on: Option<FailOn>,
    /// How grave a rule, or one of its codes, is. A code beats its rule.
    #[schemars(with = "BTreeMap<String, Level>")]
    pub rules: BTreeMap<Spanned<String>, Level>,
    /// What the repository knows better than a rule, by the id of the rule.
    #[schemars(with = "BTreeMap<String, Namespace>")]
    pub namespace: BTreeMap<Spanned<String>, Namespace>,
    /// What counts as a line of work.
    pub fleet: FleetConfig,
    /// What holds for all lanes.
    pub lanes: Lanes,
    /// Lanes, by the names of their agents.
    #[schemars(with = "BTreeMap<String, Agent>")]
    pub agents: BTreeMap<Spanned<String>, Agent>,
    /// Files that a change may only touch in some ways.
    #[schemars(with = "Vec<Protected>")]
    pub protected: Vec<Spanned<Protected>>,
    /// What needs a person's word before it is merged.
    #[schemars(with = "Vec<Approval>")]
    pub approval: Vec<Spanned<Approval>>,
    /// Files that change together.
    #[schemars(with = "Vec<Companion>")]
    pub companion: Vec<Spanned<Companion>>,
    /// Documents that programs read.
    #[schemars(with = "Vec<Document>")]
    pub document: Vec<Spanned<Document>>,
    /// How much one change may touch, or how large files may grow.
    #[schemars(with = "Vec<Budget>")]
    pub budget: Vec<Spanned<Budget>>,
    /// Findings that are known and meant.
    pub allow: Vec<Allow>,
}

/// What counts as a line of work.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct FleetConfig {
    /// Branches that are never merged into the trunk, such as release lines; `*` crosses `/`, and a remote's name is optional.
    pub exclude: Vec<String>,
    /// Pull requests that are drafts count too: what they hold is theirs once they are ready.
    pub drafts: bool,
    /// Pull requests that nobody touched for so long, such as `90d`, don't count. Default: all do.
    #[schemars(with = "String", skip_serializing_if = "Option::is_none")]
    pub stale: Option<Age>,
}

impl Default for FleetConfig {
    fn default() -> Self {
        Self { exclude: Vec::new(), drafts: true, stale: None }
    }
}

/// What the repository knows better than the rule of one namespace.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Namespace {
    /// The folders in which the namespace lives. Default: found by the rule's marker.
    #[serde(deserialize_with = "some_globs")]
    #[schemars(with = "Globs", extend("minItems" = 1))]
    pub roots: Option<Globs>,
    /// Files that take no names.
    pub exclude: Globs,
    /// Files that take names although they lie where nobody looks: vendored, in a fixture or a build folder.
    #[serde(deserialize_with = "some_globs")]
    #[schemars(with = "Globs", extend("minItems" = 1))]
    pub include: Option<Globs>,
    /// Most names in one partition. Default: what the rule says.
    #[schemars(with = "u64", skip_serializing_if = "Option::is_none")]
    pub quota: Option<u64>,
}

/// A finding that is known and meant.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Allow {
    /// The code of the finding, or the id of a rule for all of its codes.
    #[schemars(with = "String")]
    pub code: Spanned<String>,
    /// Where it is allowed: the path of each site of the finding has to match one of these.
    #[serde(deserialize_with = "globs")]
    #[schemars(extend("minItems" = 1))]
    pub paths: Globs,
    /// The only name for which it is allowed, as the report shows it. Default: every name.
    #[serde(default)]
    #[schemars(with = "String", skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Why it is meant.
    #[serde(deserialize_with = "text")]
    #[schemars(regex(pattern = r"\S"))]
    pub reason: String,
    /// The last day on which it is allowed. Default: for ever.
    #[serde(default, deserialize_with = "date")]
    #[schemars(with = "String", extend("format" = "date"), skip_serializing_if = "Option::is_none")]
    pub until: Option<Date>,
}

/// A text that is not blank.
fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    deserializer.deserialize_str(TextVisitor)
}

fn some_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    text(deserializer).map(Some)
}

struct TextVisitor;

impl de::Visitor<'_> for TextVisitor {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text that is not blank")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<String, E> {
        if text.trim().is_empty() {
            return Err(E::custom("the text is blank"));
        }
        Ok(text.to_owned())
    }
}

/// A list of at least one pattern. An empty one would silently match nothing.
pub(super) fn globs<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Globs, D::Error> {
    let globs = Globs::deserialize(deserializer)?;
    if globs.is_empty() {
        return Err(de::Error::custom("the list is empty, so that nothing would match"));
    }
    Ok(globs)
}

pub(super) fn some_globs<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Globs>, D::Error> {
    globs(deserializer).map(Some)
}

/// A TOML date without a time.
fn date<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Date>, D::Error> {
    let written = Datetime::deserialize(deserializer)?;
    let day = written.date.filter(|_| written.time.is_none() && written.offset.is_none());
    day.and_then(|day| Date::new(day.year.try_into().ok()?, day.month.try_into().ok()?, day.day.try_into().ok()?).ok())
        .map(Some)
        .ok_or_else(|| de::Error::custom("expected a date without a time, such as 2027-01-31"))
}
