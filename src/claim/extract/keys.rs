//! The keys of a document: which there are, and which stand twice in one mapping.
//!
//! A key is known by the names from the root to it. Elements of an array count as one, so that a key keeps its id when an
//! element is put before it; whether it stands twice is asked of each mapping by itself.

mod po;
mod toml;

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
};

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::{
    ExtractError,
    document::{Kind, Node},
    json, yaml,
};

/// Longest path of a key that is spelled out, in characters.
const LONGEST_PATH: usize = 200;

/// A format whose keys must not stand twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// JSON, with comments or without.
    Json,
    /// YAML, any number of documents.
    Yaml,
    /// TOML.
    Toml,
    /// Translations of GNU gettext.
    Po,
}

impl Format {
    /// The format of a file with this name (without its folder), if it is one of them.
    pub fn of(name: &[u8]) -> Option<Self> {
        let name = std::str::from_utf8(name).ok()?;
        match name {
            "Cargo.lock" | "poetry.lock" | "uv.lock" | "pdm.lock" | "pylock.toml" | "Pipfile" => {
                return Some(Self::Toml);
            }
            "composer.lock" | "Pipfile.lock" | "flake.lock" | "deno.lock" | "bun.lock" => return Some(Self::Json),
            "pubspec.lock" | "Podfile.lock" | "Chart.lock" => return Some(Self::Yaml),
            _ => {}
        }
        match name.rsplit_once('.')?.1 {
            "json" | "jsonc" | "arb" | "webmanifest" | "xcstrings" | "code-workspace" => Some(Self::Json),
            "yaml" | "yml" => Some(Self::Yaml),
            "toml" => Some(Self::Toml),
            "po" => Some(Self::Po),
            _ => None,
        }
    }
}

/// A key, wherever it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyAt {
    /// What the key is known by.
    pub id: u64,
    /// The bytes of the file that it stands in.
    pub span: Range<usize>,
}

/// A key that its mapping has already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repeat {
    /// What the key is known by, as in [`KeyAt`].
    pub id: u64,
    /// The names from the root to it, as a person writes them: `functions.hello`, `jobs."a b".steps[2].env`.
    pub path: String,
    /// The bytes of the file that the later one stands in.
    pub span: Range<usize>,
    /// Whether both have one and the same value. Known of JSON and YAML only.
    pub same_value: bool,
}

/// All keys of a document, in the order of the file as far as the format has one.
///
/// # Errors
/// The text does not parse, or is nested too deep.
pub fn keys(format: Format, bytes: &[u8]) -> Result<Vec<KeyAt>, ExtractError> {
    let mut found = Vec::new();
    match format {
        Format::Toml => return toml::keys(bytes),
        Format::Po => return po::keys(bytes),
        Format::Json | Format::Yaml => documents(format, bytes)?.iter().for_each(|root| {
            Walk { format, path: Vec::new(), visit: &mut |key, _, _| found.push(key) }.node(root, 0);
        }),
    }
    Ok(found)
}

/// The keys that stand twice in one mapping; one entry for each time beyond the first.
///
/// # Errors
/// The text does not parse for another reason, or is nested too deep.
pub fn repeats(format: Format, bytes: &[u8]) -> Result<Vec<Repeat>, ExtractError> {
    let mut found: Vec<Repeat> = Vec::new();
    let mut seen = HashSet::new(); // what an alias stands for is there many times
    match format {
        Format::Toml => return toml::repeats(bytes),
        Format::Po => return po::repeats(bytes),
        Format::Json | Format::Yaml => documents(format, bytes)?.iter().for_each(|root| {
            let visit = &mut |key: KeyAt, path: &[Step<'_>], earlier: Option<bool>| {
                if let Some(same_value) = earlier
                    && seen.insert(key.span.start)
                {
                    found.push(Repeat { id: key.id, path: spelled(path), span: key.span, same_value });
                }
            };
            Walk { format, path: Vec::new(), visit }.node(root, 0);
        }),
    }
    Ok(found)
}

fn documents(format: Format, bytes: &[u8]) -> Result<Vec<Node>, ExtractError> {
    if format == Format::Json { json::parse(bytes).map(|root| vec![root]) } else { yaml::parse(bytes) }
}

/// The id of a key below another one; 0 is the root's.
fn child(parent: u64, name: &str) -> u64 {
    xxh3_64_with_seed(name.as_bytes(), parent)
}

/// The id of whatever stands in an array.
fn element(array: u64) -> u64 {
    xxh3_64_with_seed(&[], !array)
}

/// One step from the root of a document to a key.
#[derive(Clone, Copy)]
enum Step<'n> {
    Name(&'n str),
    Index(usize),
}

/// A path as a person writes it. Cut off where it is very long.
fn spelled<'n>(path: impl IntoIterator<Item = &'n Step<'n>>) -> String {
    let mut text = String::new();
    for step in path {
        match step {
            Step::Index(at) => text.push_str(&format!("[{at}]")),
            Step::Name(name) => {
                if !text.is_empty() {
                    text.push('.');
                }
                let bare = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "-_$@/:".contains(c));
                if bare { text.push_str(name) } else { text.push_str(&format!("{name:?}")) }
            }
        }
        if text.len() > LONGEST_PATH {
            let end = text.char_indices().nth(LONGEST_PATH).map_or(text.len(), |(at, _)| at);
            text.truncate(end);
            text.push('…');
            break;
        }
    }
    text
}

/// Is given a key, the path to it, and, where its mapping has it already, whether with the same value.
type Visit<'n, 'v> = dyn FnMut(KeyAt, &[Step<'n>], Option<bool>) + 'v;

/// Visits all keys of a tree. Parsers bound its depth.
struct Walk<'n, 'v> {
    format: Format,
    path: Vec<Step<'n>>,
    visit: &'v mut Visit<'n, 'v>,
}

impl<'n> Walk<'n, '_> {
    fn node(&mut self, node: &'n Node, id: u64) {
        match &node.kind {
            Kind::Array(items) => {
                for (at, item) in items.iter().enumerate() {
                    self.path.push(Step::Index(at));
                    self.node(item, element(id));
                    self.path.pop();
                }
            }
            Kind::Object(members) => {
                let mut taken: HashMap<&str, &Node> = HashMap::with_capacity(members.len());
                for (key, value) in members {
                    let id = child(id, &key.text);
                    self.path.push(Step::Name(&key.text));
                    if self.counts(&key.text) {
                        let earlier = taken.insert(&key.text, value).map(|earlier| same(earlier, value));
                        (self.visit)(KeyAt { id, span: key.span.clone() }, &self.path, earlier);
                    }
                    self.node(value, id);
                    self.path.pop();
                }
            }
            _ => {}
        }
    }

    /// Merge keys and comments may stand many times; a key that is no scalar has no text.
    fn counts(&self, name: &str) -> bool {
        !matches!((self.format, name), (Format::Yaml, "<<" | "") | (Format::Json, "//"))
    }
}

/// Whether two values are one, wherever they stand.
fn same(a: &Node, b: &Node) -> bool {
    match (&a.kind, &b.kind) {
        (Kind::Array(a), Kind::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Kind::Object(a), Kind::Object(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|((key, a), (other, b))| key.text == other.text && same(a, b))
        }
        (a, b) => a == b,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn paths(format: Format, text: &str) -> Vec<String> {
        let found = repeats(format, text.as_bytes()).expect("it parses");
        found.into_iter().map(|one| format!("{}@{}", one.path, &text[one.span])).collect()
    }

    #[test]
    fn a_key_may_stand_in_many_mappings() {
        assert_eq!(paths(Format::Json, r#"{"a": {"x": 1}, "b": {"x": 1}, "c": [{"x": 1}, {"x": 2}]}"#), [""; 0]);
        assert_eq!(paths(Format::Yaml, "a: {x: 1}\nb: {x: 1}\n---\na: 1\n"), [""; 0]);
    }

    #[test]
    fn each_repetition_is_found_with_its_path() {
        let json =
            r#"{"a b": {"x": 1, "x": 2, "\u0078": 3}, "l": [0, {"k": 1, "k": 2}], "": 1, "": 2, "//": 1, "//": 2}"#;
        assert_eq!(paths(Format::Json, json), ["\"a b\".x@x", "\"a b\".x@\\u0078", "l[1].k@k", "\"\"@"]);
        let yaml = "services:\n  web: 1\n  db: 2\n  'web': 3\na: &a {<<: 1, <<: 2, x: 1, x: 2}\nb: *a\n";
        assert_eq!(paths(Format::Yaml, yaml), ["services.web@web", "a.x@x"]);
    }

    #[test]
    fn a_repeated_value_is_known() {
        let text = r#"{"a": {"x": [1, "y"]}, "a": { "x": [1,"y"] }, "b": [{"x": 1}], "b": [{"y": 1}]}"#;
        let found = repeats(Format::Json, text.as_bytes()).expect("it parses");
        assert_eq!(found.iter().map(|one| one.same_value).collect::<Vec<_>>(), [true, false]);
    }

    #[test]
    fn a_long_path_is_cut() {
        let text = format!("{{\"{0}\": 1, \"{0}\": 2}}", "é".repeat(5000));
        let path = repeats(Format::Json, text.as_bytes()).expect("it parses").remove(0).path;
        assert_eq!(path.chars().count(), LONGEST_PATH + 1);
        assert!(path.ends_with('…'));
    }

    #[test]
    fn elements_of_an_array_are_one() {
        let ids = |text: &str| -> Vec<u64> {
            keys(Format::Json, text.as_bytes()).expect("it parses").into_iter().map(|key| key.id).collect()
        };
        assert_eq!(ids(r#"[{"x": 1}]"#), ids(r#"[0, {"x": 1}]"#));
        assert_ne!(ids(r#"[{"x": 1}]"#), ids(r#"{"x": 1}"#));
        assert_ne!(ids(r#"{"a": {"b": 1}}"#)[1], ids(r#"{"a": 1, "b": 1}"#)[1]);
    }

    #[test]
    fn names_of_files_give_the_format_away() {
        for (name, format) in [
            ("wrangler.toml", Some(Format::Toml)),
            ("tsconfig.base.json", Some(Format::Json)),
            ("docker-compose.yml", Some(Format::Yaml)),
            ("Cargo.lock", Some(Format::Toml)),
            ("yarn.lock", None),
            ("de.po", Some(Format::Po)),
            ("json", None),
            ("a.TOML", None),
        ] {
            assert_eq!(Format::of(name.as_bytes()), format, "{name}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "([-?:,{}#&*'\"=.a-c\\\\ \n]|\\[|\\]|: |- |\\[\\[|\\]\\]|---\n|&a |\\*a|msgid \"a\"\n|msgctxt ){0,24}") {
            for format in [Format::Json, Format::Yaml, Format::Toml, Format::Po] {
                for found in keys(format, text.as_bytes()).into_iter().flatten() {
                    let _ = &text[found.span];
                }
                for found in repeats(format, text.as_bytes()).into_iter().flatten() {
                    let _ = &text[found.span];
                }
            }
        }

        #[test]
        fn what_another_reader_refuses_is_repeated(text in "((a|b|\"a\"|a\\.b|c)( = 1\n| = \\{a = 1\\}\n| = \\[\\]\n)|\\[(a|b|a\\.b|c)\\]\n|\\[\\[(a|c)\\]\\]\n){0,6}") {
            let refused = text.parse::<::toml::Table>().is_err();
            let found = repeats(Format::Toml, text.as_bytes()).expect("nothing else is wrong");
            proptest::prop_assert_eq!(!found.is_empty(), refused, "{:?}", found);
        }

        #[test]
        fn serde_keeps_as_many_keys_as_are_not_repeated(text in "\\{(\"[ab]\": (1|\\{\"[ab]\": 1, \"[ab]\": 2\\}), ){0,4}\"z\": 0\\}") {
            fn count(value: &serde_json::Value) -> usize {
                value.as_object().map_or(0, |members| members.len() + members.values().map(count).sum::<usize>())
            }
            let all = keys(Format::Json, text.as_bytes()).expect("it parses").len();
            let twice = repeats(Format::Json, text.as_bytes()).expect("it parses").len();
            let kept = count(&serde_json::from_str(&text).expect("it parses"));
            // a repeated key takes its own members with it
            proptest::prop_assert!(all - twice >= kept);
            proptest::prop_assert_eq!(twice == 0, all == kept);
        }
    }
}
