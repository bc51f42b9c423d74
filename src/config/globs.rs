//! Lists of path patterns, compiled while the file that holds them is read, so that a bad one has its place.

use std::{borrow::Cow, fmt};

use globset::{Candidate, Glob, GlobBuilder, GlobSet};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, de};

/// Longest pattern, in bytes.
const PATTERN_LIMIT: usize = 1024;

/// Most patterns in one list.
const LIST_LIMIT: usize = 1000;

/// A list of path patterns. `*` and `?` stay within one component of a path, `**` crosses `/`; case counts.
#[derive(Clone, Debug, Default)]
pub struct Globs {
    set: GlobSet,
    written: Vec<String>,
}

impl Globs {
    /// Whether a pattern matches the whole of this path, which is relative to the repository.
    pub fn matches(&self, path: &[u8]) -> bool {
        self.set.is_match_candidate(&Candidate::from_bytes(path))
    }

    /// The patterns as they were written.
    pub fn written(&self) -> &[String] {
        &self.written
    }

    /// Whether there is no pattern, so that nothing matches.
    pub fn is_empty(&self) -> bool {
        self.written.is_empty()
    }

    /// Compiles patterns.
    ///
    /// # Errors
    /// What is wrong with the first bad one, for a person to read.
    pub fn new(patterns: &[&str]) -> Result<Self, String> {
        Self::of(patterns.iter().map(|text| compile(text)).collect::<Result<_, _>>()?)
    }

    fn of(globs: Vec<Glob>) -> Result<Self, String> {
        if globs.len() > LIST_LIMIT {
            return Err(format!("more than {LIST_LIMIT} patterns"));
        }
        let set = GlobSet::new(&globs).map_err(|error| error.to_string())?;
        Ok(Self { set, written: globs.iter().map(|glob| glob.glob().to_owned()).collect() })
    }
}

/// Compiles one pattern; what can't match any path of a repository is refused.
fn compile(text: &str) -> Result<Glob, String> {
    let refuse = |why: &str| Err(format!("the pattern {why}"));
    if text.trim().is_empty() {
        return refuse("is blank");
    }
    if text.len() > PATTERN_LIMIT {
        return refuse(&format!("is longer than {PATTERN_LIMIT} bytes"));
    }
    if text.starts_with('!') {
        return refuse("begins with `!`, which does not negate here; begin with `\\!` for a name that does");
    }
    if text.starts_with('/') || text.split('/').any(|part| part == "..") || (text.starts_with("./")) {
        return refuse("can't match: paths are relative to the repository, without a leading `/` or `./`, or `..`");
    }
    if text.ends_with('/') {
        return refuse("ends in `/`: a folder is named without it, and `folder/**` is all that is in it");
    }
    // The same meaning on every system: without this, `\` escapes on some and separates on others.
    let glob = GlobBuilder::new(text).literal_separator(true).backslash_escape(true).build();
    glob.map_err(|error| format!("the pattern does not compile: {}", error.kind()))
}

impl<'de> Deserialize<'de> for Globs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let patterns = Vec::<Pattern>::deserialize(deserializer)?;
        Self::of(patterns.into_iter().map(|pattern| pattern.0).collect()).map_err(de::Error::custom)
    }
}

/// One pattern. It is compiled inside the deserializer, which knows the place only there.
struct Pattern(Glob);

impl<'de> Deserialize<'de> for Pattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(PatternVisitor)
    }
}

struct PatternVisitor;

impl de::Visitor<'_> for PatternVisitor {
    type Value = Pattern;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a path pattern")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Pattern, E> {
        compile(text).map(Pattern).map_err(E::custom)
    }
}

impl JsonSchema for Globs {
    fn schema_name() -> Cow<'static, str> {
        "Globs".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "Path patterns, relative to the repository. `*` stays within one component, `**` crosses `/`.",
            "type": "array",
            "maxItems": LIST_LIMIT,
            "items": { "type": "string", "minLength": 1, "maxLength": PATTERN_LIMIT },
        })
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn matches(pattern: &str, path: &[u8]) -> bool {
        Globs::new(&[pattern]).unwrap().matches(path)
    }

    #[test]
    fn one_star_stays_in_a_folder_and_two_cross() {
        assert!(matches("apps/*/supabase", b"apps/web/supabase"));
        assert!(!matches("apps/*/supabase", b"apps/web/admin/supabase"));
        assert!(matches("**/fixtures/**", b"a/fixtures/b/c.sql") && matches("**/fixtures/**", b"fixtures/c.sql"));
        assert!(!matches("*.sql", b"a/b.sql") && matches("**", b"a/b.sql"));
        assert!(matches("*.{sql,go}", b"a.go") && !matches("*.SQL", b"a.sql"));
        assert!(matches("a\\*b", b"a*b") && !matches("a\\*b", b"axb"));
    }

    #[test]
    fn paths_are_bytes_and_may_hold_line_ends() {
        assert!(matches("db/*.sql", b"db/\xff\xfe.sql"));
        assert!(matches("db/*.sql", b"db/a\n::error::b.sql"));
        assert!(!Globs::default().matches(b"a"));
    }

    #[test]
    fn what_can_not_match_is_refused() {
        let long = "x".repeat(2000);
        for bad in ["", "  ", "/a", "./a", "a/../b", "a/", "!a", "a[", "{a", long.as_str()] {
            assert!(Globs::new(&[bad]).is_err(), "{bad}");
        }
        assert!(Globs::new(&["a"; LIST_LIMIT + 1]).is_err());
        assert!(Globs::new(&["\\!a", ".", "..a/b"]).is_ok());
    }
}
