//! A document with fields: a whole JSON, YAML or TOML file, or the front matter of a text.

use std::{collections::BTreeSet, ops::Range};

use serde_json::Value;
use serde_json_path::JsonPath;

use super::{
    ExtractError,
    document::{Key, Kind, Node, line_at, text},
    json,
    query::to_value,
    toml, yaml,
};

/// Values that one path may match; each is looked up by its place.
const MAX_MATCHES: usize = 5000;

/// One document and where each of its values stands in the file.
#[derive(Clone, Debug)]
pub struct Record {
    root: Node,
    value: Value,
    /// Where the document begins in the file, in bytes; places in `root` count from there.
    from: usize,
}

/// Reads the documents of a file: the form follows from the name's ending, and comments and trailing commas belong to `.jsonc` and
/// `.json5` alone. In YAML, merge keys are put in place. Of any file that is not JSON, YAML or TOML it is
/// the front matter: what stands at the top between two lines `---` (YAML) or `+++` (TOML). Without one there is no document;
/// a YAML file may hold several.
///
/// # Errors
/// The document does not parse; lines count from the top of the file.
pub fn records(name: &[u8], bytes: &[u8]) -> Result<Vec<Record>, ExtractError> {
    let ending = name.rsplit(|byte| *byte == b'.').next().unwrap_or_default().to_ascii_lowercase();
    match ending.as_slice() {
        b"json" => {
            let root = json::parse(bytes)?;
            json::strict(bytes)?;
            Ok(vec![Record::new(root, 0)])
        }
        b"jsonc" => Ok(vec![Record::new(json::parse(bytes)?, 0)]),
        // what JSON5 has beside that is not read, and nothing is said against it
        b"json5" => match json::parse(bytes) {
            Err(ExtractError::Syntax { line, message, .. }) => Err(ExtractError::Read(format!(
                "it is JSON5 beyond JSON with comments, which is not read (line {line}: {message})"
            ))),
            read => Ok(vec![Record::new(read?, 0)]),
        },
        b"toml" => Ok(vec![Record::new(toml::parse(bytes)?, 0)]),
        b"yaml" | b"yml" => {
            Ok(yaml::parse(bytes)?.into_iter().map(|root| Record::new(yaml::merged(root), 0)).collect())
        }
        _ => front_matter(bytes),
    }
}

fn front_matter(bytes: &[u8]) -> Result<Vec<Record>, ExtractError> {
    let (_, mark) = text(bytes)?;
    let mut lines = bytes[mark..].split_inclusive(|byte| *byte == b'\n');
    let Some(first) = lines.next() else { return Ok(Vec::new()) };
    let yaml = match first.trim_ascii_end() {
        b"---" => true,
        b"+++" => false,
        _ => return Ok(Vec::new()),
    };
    let from = mark + first.len();
    let mut to = from;
    let ends = |line: &[u8]| match line.trim_ascii_end() {
        b"---" | b"..." => yaml,
        b"+++" => !yaml,
        _ => false,
    };
    let Some(end) = lines.find_map(|line| {
        let at = to;
        to += line.len();
        ends(line).then_some(at)
    }) else {
        let (format, mark) = if yaml { ("YAML", "---") } else { ("TOML", "+++") };
        let message = format!("the front matter that begins here has no line `{mark}` at its end");
        return Err(ExtractError::Syntax { format, line: 1, message });
    };
    let part = &bytes[from..end];
    let merged = |roots: Vec<Node>| roots.into_iter().map(yaml::merged).collect();
    let roots = if yaml { yaml::parse(part).map(merged) } else { toml::parse(part).map(|root| vec![root]) };
    match roots {
        Ok(roots) => Ok(roots.into_iter().map(|root| Record::new(root, from)).collect()),
        Err(ExtractError::Syntax { format, line, message }) => {
            Err(ExtractError::Syntax { format, line: line + 1, message }) // the mark is one line
        }
        Err(other) => Err(other),
    }
}

impl Record {
    fn new(root: Node, from: usize) -> Self {
        let value = to_value(&root);
        Self { root, value, from }
    }

    /// The document. Of a key that stands twice the last value counts.
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// Where the value at a JSON pointer stands in the file; an empty pointer is the whole document.
    pub fn span(&self, pointer: &str) -> Option<Range<usize>> {
        self.find(pointer).map(|(_, node)| self.place(&node.span))
    }

    /// Where the name of the member at a JSON pointer stands in the file; none where it is the item of a list.
    pub fn key_span(&self, pointer: &str) -> Option<Range<usize>> {
        self.find(pointer)?.0.map(|key| self.place(&key.span))
    }

    /// The values that a JSONPath matches, each with where it stands in the file, in the order of the document.
    ///
    /// # Errors
    /// They are more than 5,000.
    pub fn query(&self, path: &JsonPath) -> Result<Vec<(Range<usize>, &Value)>, ExtractError> {
        let located = path.query_located(&self.value);
        if located.len() > MAX_MATCHES {
            return Err(ExtractError::TooLarge(format!("`{path}` matches more than {MAX_MATCHES} values")));
        }
        let mut found: Vec<(Range<usize>, &Value)> = located
            .iter()
            .filter_map(|one| Some((self.span(&one.location().to_json_pointer())?, one.node())))
            .collect();
        found.sort_by_key(|(span, _)| (span.start, span.end));
        found.dedup_by(|a, b| a.0 == b.0 && std::ptr::eq(a.1, b.1));
        Ok(found)
    }

    /// The names that stand twice in one object: where the second one is, and its JSON pointer. At most `limit`.
    pub fn repeated(&self, limit: usize) -> Vec<(Range<usize>, String)> {
        let mut found = Vec::new();
        self.look(&self.root, &mut String::new(), limit, &mut found);
        found
    }

    fn look(&self, node: &Node, pointer: &mut String, limit: usize, found: &mut Vec<(Range<usize>, String)>) {
        let length = pointer.len();
        match &node.kind {
            Kind::Object(members) => {
                let mut seen = BTreeSet::new();
                for (key, member) in members {
                    pointer.push('/');
                    pointer.push_str(&escaped(&key.text));
                    if !seen.insert(key.text.as_str()) && found.len() < limit {
                        found.push((self.place(&key.span), pointer.clone()));
                    }
                    self.look(member, pointer, limit, found);
                    pointer.truncate(length);
                }
            }
            Kind::Array(items) => {
                for (at, item) in items.iter().enumerate() {
                    pointer.push_str(&format!("/{at}"));
                    self.look(item, pointer, limit, found);
                    pointer.truncate(length);
                }
            }
            Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::String(_) => {}
        }
    }

    fn find(&self, pointer: &str) -> Option<(Option<&Key>, &Node)> {
        let (mut key, mut node) = (None, &self.root);
        for part in pointer.split('/').skip(1) {
            let name = part.replace("~1", "/").replace("~0", "~");
            (key, node) = match &node.kind {
                Kind::Object(members) => {
                    let (key, value) = members.iter().rev().find(|(key, _)| key.text == name)?;
                    (Some(key), value)
                }
                Kind::Array(items) => (None, items.get(name.parse::<usize>().ok()?)?),
                _ => return None,
            };
        }
        Some((key, node))
    }

    fn place(&self, span: &Range<usize>) -> Range<usize> {
        span.start + self.from..span.end + self.from
    }
}

/// A name as a part of a JSON pointer.
pub fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// The line on which a document that does not parse stops making sense, from 1; none where that is not known.
pub fn line_of(error: &ExtractError, bytes: &[u8]) -> Option<usize> {
    match error {
        ExtractError::Syntax { line, .. } => Some(*line),
        ExtractError::Encoding(at) => Some(line_at(&String::from_utf8_lossy(&bytes[..*at]), usize::MAX)),
        ExtractError::TooLarge(_) | ExtractError::Read(_) => None,
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use serde_json::json;

    use super::*;

    fn one(name: &str, text: &str) -> Record {
        let mut all = records(name.as_bytes(), text.as_bytes()).unwrap();
        assert_eq!(all.len(), 1, "{text}");
        all.remove(0)
    }

    #[test]
    fn each_form_is_read_and_knows_its_places() {
        let value = json!({"agent": "ps3", "files": ["a", "b"], "n": 7});
        for (name, text) in [
            ("a.jsonc", "{\"agent\": \"ps3\", // x\n \"files\": [\"a\", \"b\"], \"n\": 7}"),
            ("a.yaml", "agent: ps3\nfiles: [a, b]\nn: 7\n"),
            ("a.toml", "agent = \"ps3\"\nfiles = [\"a\", \"b\"]\nn = 7\n"),
            ("a.md", "---\nagent: ps3\nfiles:\n- a\n- b\nn: 7\n---\n# done: yes\n"),
            ("a.mdx", "\u{FEFF}--- \r\nagent: ps3\r\nfiles: [a, b]\r\nn: 7\r\n...\r\n"),
            ("README", "+++\nagent = 'ps3'\nfiles = ['a', 'b']\nn = 7\n+++\ntext"),
        ] {
            let record = one(name, text);
            assert_eq!(*record.value(), value, "{text}");
            for (pointer, written) in [("/agent", "ps3"), ("/files/1", "b"), ("/n", "7")] {
                assert_eq!(&text[record.span(pointer).unwrap()], written, "{text}");
            }
            assert_eq!(&text[record.key_span("/files").unwrap()], "files");
            assert_eq!(record.key_span("/files/0"), None);
            assert!(record.span("").is_some() && record.span("/files/2").is_none() && record.span("/x").is_none());
            let path = JsonPath::parse("$.files[*]").unwrap();
            let found: Vec<&str> = record.query(&path).unwrap().into_iter().map(|(span, _)| &text[span]).collect();
            assert_eq!(found, ["a", "b"]);
        }
    }

    #[test]
    fn comments_and_trailing_commas_belong_to_jsonc() {
        for text in ["{\n\"a\": 1, // x\n\"b\": 2}", "{\n\"a\": [1,]}", "{\n\"a\": /* x */ 1}", "{\"a\": 1,\n}"] {
            let refused = records(b"a.json", text.as_bytes());
            assert!(
                matches!(refused, Err(ExtractError::Syntax { format: "JSON", line: 2, .. })),
                "{text}: {refused:?}"
            );
            assert!(records(b"a.jsonc", text.as_bytes()).is_ok() && records(b"a.json5", text.as_bytes()).is_ok());
        }
        assert!(records(b"a.json", "\u{FEFF}{\"a\": [1.5e300, \"\\ud83d\\ude00\"]}\n".as_bytes()).is_ok());
        assert!(records(b"a.json", format!("{}{}", "[".repeat(128), "]".repeat(128)).as_bytes()).is_ok());
        assert!(matches!(records(b"a.json5", b"{a: 1}"), Err(ExtractError::Read(_))));
    }

    #[test]
    fn merge_keys_are_put_in_place() {
        let text = "base: &b {agent: ps3, n: 1}\nown:\n  <<: *b\n  n: 2\n";
        for (name, text) in [("a.yaml", text.to_owned()), ("a.md", format!("---\n{text}---\n"))] {
            let record = one(name, &text);
            assert_eq!(record.value()["own"], json!({"agent": "ps3", "n": 2}));
            assert_eq!(record.repeated(9), []);
            assert_eq!(&text[record.span("/own/agent").unwrap()], "ps3");
        }
    }

    #[test]
    fn more_matches_than_are_looked_up_are_told() {
        let record = |count: usize| one("a.json", &format!("[{}]", vec!["1"; count].join(",")));
        let path = JsonPath::parse("$[*]").unwrap();
        assert_eq!(record(MAX_MATCHES).query(&path).unwrap().len(), MAX_MATCHES);
        assert!(matches!(record(MAX_MATCHES + 1).query(&path), Err(ExtractError::TooLarge(_))));
    }

    #[test]
    fn a_text_without_front_matter_holds_no_document() {
        for text in ["", "# title\n", "\n---\na: 1\n---\n", "----\na: 1\n----\n", "---\n# nothing\n---\n"] {
            assert!(records(b"a.md", text.as_bytes()).unwrap().is_empty(), "{text}");
        }
        assert_eq!(records(b"a.yml", b"a: 1\n---\na: 2\n").unwrap().len(), 2);
    }

    #[test]
    fn what_does_not_parse_says_where() {
        let line = |name: &str, text: &[u8]| line_of(&records(name.as_bytes(), text).unwrap_err(), text);
        assert_eq!(line("a.md", b"---\nagent: x\nb: c: d\n---\n"), Some(3));
        assert_eq!(line("a.md", b"---\nagent: x\n"), Some(1));
        assert_eq!(line("a.md", b"+++\nx\n+++\n"), Some(2));
        assert_eq!(line("a.json", b"{\n\"a\": }"), Some(2));
        assert_eq!(line("a.md", b"a\nb\xFF"), Some(2));
        assert_eq!(line("a.json", "[".repeat(1000).as_bytes()), None);
    }

    #[test]
    fn names_with_slashes_and_names_given_twice() {
        let text = "{\"a/b\": {\"~\": 1}, \"x\": [{\"k\": 1, \"k\": 2}]}";
        let record = one("a.json", text);
        assert_eq!(&text[record.span("/a~1b/~0").unwrap()], "1");
        assert_eq!(&text[record.span("/x/0/k").unwrap()], "2");
        let repeated = record.repeated(9);
        assert_eq!(repeated.len(), 1);
        assert_eq!((&text[repeated[0].0.clone()], repeated[0].1.as_str()), ("k", "/x/0/k"));
        assert_eq!(one("a.yaml", "a: 1\nb: {c: 1, a: 2}\n").repeated(9), []);
        assert_eq!(escaped("a/b~"), "a~1b~0");
    }
}
