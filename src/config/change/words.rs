//! Words of the configuration that are understood while it is read, so that a bad one has its place.

use std::{borrow::Cow, fmt, marker::PhantomData};

use globset::GlobBuilder;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, de};
use serde_json_path::JsonPath;

/// Longest expression, in bytes.
const LONGEST: usize = 1024;
/// Most memory that one compiled expression may take, in bytes.
const COMPILED_LIMIT: usize = 1 << 20;

/// What a document can state of the change that holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Fact {
    /// How many tests the change adds.
    TestsAdded,
    /// How many tests are gone, after those that moved are found again.
    TestsDeleted,
    /// How many tests the change skips that ran before.
    TestsSkipped,
    /// How many files it changes, or which.
    FilesChanged,
    /// How many migrations it adds, or which.
    MigrationsAdded,
}

impl Fact {
    /// The word in the configuration.
    pub fn word(self) -> &'static str {
        match self {
            Self::TestsAdded => "tests-added",
            Self::TestsDeleted => "tests-deleted",
            Self::TestsSkipped => "tests-skipped",
            Self::FilesChanged => "files-changed",
            Self::MigrationsAdded => "migrations-added",
        }
    }
}

/// A regular expression that looks for something in a text.
#[derive(Clone, Debug)]
pub struct Found(pub regex::bytes::Regex);

impl Found {
    /// Compiles an expression.
    ///
    /// # Errors
    /// What is wrong with it, on one line.
    pub fn new(text: &str) -> Result<Self, String> {
        if text.trim().is_empty() {
            return Err("the expression is blank".into());
        }
        if text.len() > LONGEST {
            return Err(format!("the expression is longer than {LONGEST} bytes"));
        }
        let built = regex::bytes::RegexBuilder::new(text).size_limit(COMPILED_LIMIT).build();
        let regex = built.map_err(|error| {
            let said = error.to_string();
            let last = said.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
            format!("the expression does not compile: {last}")
        })?;
        match regex.is_match(b"") {
            true => Err("the expression finds the empty text, so that every change would be meant".into()),
            false => Ok(Self(regex)),
        }
    }
}

/// A JSONPath (RFC 9535) into a document.
#[derive(Clone, Debug)]
pub struct Query {
    /// The path.
    pub path: JsonPath,
    /// As it was written.
    pub written: String,
}

/// How long ago something may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Age {
    /// In seconds.
    pub seconds: i64,
    /// As it was written, such as `90d`.
    pub written: String,
}

impl Age {
    /// Reads a number and a unit: `m`, `h`, `d`, `w` or `y`.
    pub fn parse(written: &str) -> Option<Self> {
        let unit = written.chars().last()?;
        let count: i64 = written[..written.len() - unit.len_utf8()].parse().ok()?;
        let seconds = match unit {
            'm' => 60,
            'h' => 3600,
            'd' => 86_400,
            'w' => 7 * 86_400,
            'y' => 365 * 86_400,
            _ => return None,
        };
        let seconds = (count >= 0).then(|| count.checked_mul(seconds)).flatten()?;
        Some(Self { seconds, written: written.to_owned() })
    }
}

/// Reads a text and makes something of it, so that what is wrong with it has its place.
struct Made<T>(&'static str, fn(&str) -> Result<T, String>);

impl<T> de::Visitor<'_> for Made<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        (self.1)(text).map_err(E::custom)
    }
}

impl<'de> Deserialize<'de> for Found {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(Made("a regular expression", Self::new))
    }
}

impl<'de> Deserialize<'de> for Query {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let query = |text: &str| match JsonPath::parse(text) {
            Ok(path) => Ok(Self { path, written: text.to_owned() }),
            Err(error) => Err(format!("no JSONPath at character {}: {}", error.position() + 1, error.message())),
        };
        deserializer.deserialize_str(Made("a JSONPath", query))
    }
}

impl<'de> Deserialize<'de> for Age {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let age = |text: &str| Self::parse(text).ok_or_else(|| "expected an age such as 12h, 30d or 8w".to_owned());
        deserializer.deserialize_str(Made("an age such as 30d", age))
    }
}

/// What a word of a list has to be.
pub(super) trait Word {
    /// Says what is wrong with a text.
    fn check(text: &str) -> Result<(), String>;
}

/// A word that tells whose a change is.
pub(super) struct Sign;

/// A glob of branches; `*` crosses `/`.
pub(super) struct Branch;

/// A line at the end of a commit's message: `Key: value`.
pub(super) struct Trailer;

impl Word for Sign {
    fn check(text: &str) -> Result<(), String> {
        if text.trim().is_empty() { Err("the text is blank".into()) } else { Ok(()) }
    }
}

impl Word for Branch {
    fn check(text: &str) -> Result<(), String> {
        Sign::check(text)?;
        let glob = GlobBuilder::new(text).literal_separator(false).backslash_escape(true).build();
        glob.map(drop).map_err(|error| format!("the branch does not compile: {}", error.kind()))
    }
}

impl Word for Trailer {
    fn check(text: &str) -> Result<(), String> {
        Sign::check(text)?;
        match text.split_once(':') {
            Some((key, _)) if !key.trim().is_empty() => Ok(()),
            _ => Err("a trailer is `Key: value`, as in the last lines of a commit's message".into()),
        }
    }
}

struct Checked<W>(String, PhantomData<W>);

impl<'de, W: Word> Deserialize<'de> for Checked<W> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let checked = |text: &str| W::check(text).map(|()| Self(text.to_owned(), PhantomData));
        deserializer.deserialize_str(Made("a text", checked))
    }
}

/// A list of words, each of which is looked at where it stands, so that a bad one has its place.
pub(super) fn texts<'de, D: Deserializer<'de>, W: Word>(deserializer: D) -> Result<Vec<String>, D::Error> {
    Ok(Vec::<Checked<W>>::deserialize(deserializer)?.into_iter().map(|word| word.0).collect())
}

impl JsonSchema for Found {
    fn schema_name() -> Cow<'static, str> {
        "Found".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "description": "A regular expression.", "type": "string", "pattern": r"\S", "maxLength": LONGEST })
    }
}

impl JsonSchema for Query {
    fn schema_name() -> Cow<'static, str> {
        "Query".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "description": "A JSONPath (RFC 9535).", "type": "string", "pattern": r"^\$" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expression_finds_something_or_is_refused() {
        assert!(Found::new(r"(?i)\bdrop\s+table\b").is_ok_and(|found| found.0.is_match(b"DROP  TABLE x")));
        for bad in ["", " ", "a*", "(", "(?<x", &"x".repeat(2000), r"(?:\w{1000}){1000}"] {
            let why = Found::new(bad).err().unwrap_or_default();
            assert!(!why.is_empty() && !why.contains('\n'), "{bad:.20}: {why}");
        }
    }

    #[test]
    fn an_age_is_a_number_and_a_unit() {
        assert_eq!(Age::parse("90d").map(|age| age.seconds), Some(90 * 86_400));
        for bad in ["", "d", "90", "-1d", "9ä", "1 d", "99999999999999999d"] {
            assert_eq!(Age::parse(bad), None, "{bad}");
        }
    }
}
