//! A JSON Schema, and what of a document does not fit it.

use std::{collections::HashMap, ops::Range};

use jsonschema::{PatternOptions, ValidationError, Validator, error::ValidationErrorKind};
use serde_json::Value;

use crate::{
    claim::extract::record::{Record, escaped, records},
    rule::place::shortened,
};

/// Memory that one compiled pattern of a schema may take, in bytes.
const PATTERN_LIMIT: usize = 1 << 20;
/// Steps, about, that a schema which the change itself brings may cost: its parts times the bytes of the document.
const MOST_STEPS: u64 = 1 << 30;
/// Parts of such a schema inside each other, references followed.
const MAX_DEPTH: usize = 256;
/// Characters of the validator's words that a message repeats.
const SHOWN: usize = 200;

/// A compiled schema.
pub(super) struct Schema {
    validator: Validator,
    /// How many parts it has, each counted as often as it is referred to; none where that does not matter.
    parts: Option<u64>,
}

/// One thing in a document that is not as it should be.
pub(super) struct Fault {
    /// The JSON pointer of the field: of one that is missing, where it should be.
    pub(super) pointer: String,
    /// Where that is in the file: of a missing field, its object.
    pub(super) span: Range<usize>,
    /// What is wrong, a sentence without its end; nothing where it stands twice.
    pub(super) said: String,
    /// Whether a field stands there twice, which no schema has to forbid.
    pub(super) is_repeated: bool,
}

impl Schema {
    /// Makes a schema ready. `trusted` says that the change did not bring it. The error says what stands in the way.
    pub(super) fn compile(path: &str, bytes: &[u8], trusted: bool) -> Result<Self, String> {
        let name = path.rsplit('/').next().unwrap_or_default().as_bytes();
        let read = records(name, bytes).map_err(|error| format!("the schema can't be read: {error}"))?;
        let schema = read.first().ok_or("the schema holds nothing")?.value();
        let parts = if trusted { None } else { Some(Parts { root: schema, known: HashMap::new() }.count(schema, 0)?) };
        let patterns = PatternOptions::regex().size_limit(PATTERN_LIMIT).dfa_size_limit(PATTERN_LIMIT);
        let built = jsonschema::options().offline().with_pattern_options(patterns).build(schema);
        let validator = built.map_err(|error| {
            let told = shortened(&error.to_string(), SHOWN);
            match error.kind() {
                ValidationErrorKind::Referencing(_) => {
                    format!("the schema refers to something outside of itself, which is not looked up: {told}")
                }
                _ => format!("no schema that can be judged by: {told}"),
            }
        })?;
        Ok(Self { validator, parts })
    }

    /// What does not fit, at most `limit`. The error says why that can't be told.
    pub(super) fn faults(&self, record: &Record, size: usize, limit: usize) -> Result<Vec<Fault>, String> {
        if self.parts.is_some_and(|parts| parts.saturating_mul(size as u64) > MOST_STEPS) {
            return Err("the schema that the change brings is too large to judge this document by".into());
        }
        let errors = self.validator.iter_errors(record.value()).take(limit);
        Ok(errors.flat_map(|error| Fault::of(&error, record)).collect())
    }
}

impl Fault {
    /// A name that stands twice in one object.
    pub(super) fn repeated((span, pointer): (Range<usize>, String)) -> Self {
        Self { pointer, span, said: String::new(), is_repeated: true }
    }

    /// The field, as people write it.
    pub(super) fn field(&self) -> String {
        let mut field = String::new();
        for part in self.pointer.split('/').skip(1) {
            let name = part.replace("~1", "/").replace("~0", "~");
            if name.bytes().all(|byte| byte.is_ascii_digit()) {
                field.push_str(&format!("[{name}]"));
            } else {
                field.push_str(if field.is_empty() { "" } else { "." });
                field.push_str(&name);
            }
        }
        if field.is_empty() { "its top".to_owned() } else { format!("`{}`", shortened(&field, SHOWN)) }
    }

    fn of(error: &ValidationError<'_>, record: &Record) -> Vec<Self> {
        let at = error.instance_path().as_str();
        let whole = || record.span(at).unwrap_or_default();
        let one = |pointer: String, span: Range<usize>, said: String| Self { pointer, span, said, is_repeated: false };
        match error.kind() {
            ValidationErrorKind::AdditionalProperties { unexpected }
            | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
                let faults = unexpected.iter().map(|name| {
                    let pointer = format!("{at}/{}", escaped(name));
                    let span = record.key_span(&pointer).unwrap_or_else(whole);
                    one(pointer, span, "it is no field that belongs here".into())
                });
                faults.collect()
            }
            ValidationErrorKind::Required { property } => {
                let name = property.as_str().unwrap_or_default();
                vec![one(format!("{at}/{}", escaped(name)), whole(), "it is missing".into())]
            }
            _ => {
                let told = error.to_string();
                // the value is in the file; a long one would drown what is said of it
                let told = if told.len() > SHOWN { error.masked_with("the value").to_string() } else { told };
                vec![one(at.to_owned(), whole(), shortened(&told, SHOWN))]
            }
        }
    }
}

/// Counts what a schema would cost that may be made to cost much.
struct Parts<'s> {
    root: &'s Value,
    known: HashMap<*const Value, Option<u64>>,
}

impl<'s> Parts<'s> {
    fn count(&mut self, part: &'s Value, depth: usize) -> Result<u64, String> {
        const CIRCLE: &str = "the schema is new in this change and refers to itself; let it land first, by itself";
        if depth > MAX_DEPTH {
            return Err(CIRCLE.into());
        }
        let mut sum = 1u64;
        match part {
            Value::Array(items) => {
                for item in items {
                    sum = sum.saturating_add(self.count(item, depth + 1)?);
                }
            }
            Value::Object(members) => {
                match self.known.get(&std::ptr::from_ref(part)) {
                    Some(Some(known)) => return Ok(*known),
                    Some(None) => return Err(CIRCLE.into()),
                    None => self.known.insert(std::ptr::from_ref(part), None),
                };
                for (name, member) in members {
                    let target = match (name.as_str(), member) {
                        ("$ref" | "$dynamicRef" | "$recursiveRef", Value::String(to)) => Some(self.target(to)?),
                        _ => None,
                    };
                    sum = sum.saturating_add(self.count(target.unwrap_or(member), depth + 1)?);
                }
                self.known.insert(std::ptr::from_ref(part), Some(sum));
            }
            _ => {}
        }
        Ok(sum)
    }

    fn target(&self, to: &str) -> Result<&'s Value, String> {
        let found = to.strip_prefix('#').filter(|pointer| pointer.is_empty() || pointer.starts_with('/'));
        found.and_then(|pointer| self.root.pointer(pointer)).ok_or_else(|| {
            format!("the schema is new in this change, and its reference `{}` leads out of it", shortened(to, SHOWN))
        })
    }
}
