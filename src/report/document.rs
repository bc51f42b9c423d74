//! What the JSON documents share.

use std::io::{self, Write};

use schemars::JsonSchema;
use serde::Serialize;

use super::{Incomplete, Skipped};

/// The program that wrote it.
#[derive(Serialize, JsonSchema)]
pub(in crate::report) struct Tool {
    name: &'static str,
    version: &'static str,
}

impl Tool {
    pub(in crate::report) const THIS: Self = Self { name: "gatekeep", version: env!("CARGO_PKG_VERSION") };
}

/// Something that could not be looked at.
#[derive(Serialize, JsonSchema)]
pub(in crate::report) struct Gap<'a> {
    what: &'a str,
    why: &'a str,
}

impl<'a> From<&'a Incomplete> for Gap<'a> {
    fn from(gap: &'a Incomplete) -> Self {
        Self { what: &gap.what, why: &gap.why }
    }
}

/// Something that was left out by choice.
#[derive(Serialize, JsonSchema)]
pub(in crate::report) struct Omission<'a> {
    what: &'a str,
    count: Option<usize>,
}

impl<'a> From<&'a Skipped> for Omission<'a> {
    fn from(left: &'a Skipped) -> Self {
        Self { what: &left.what, count: left.count }
    }
}

/// Writes one indented JSON document and a line end.
pub(in crate::report) fn write(document: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    let mut text = serde_json::to_string_pretty(document)?;
    // A `#` stands only inside strings. Broken up this way no line is a workflow command, and the value is the same.
    if text.contains("##[") {
        text = text.replace("##[", "#\\u0023[");
    }
    out.write_all(text.as_bytes())?;
    out.write_all(b"\n")
}

/// The JSON Schema (draft 2020-12) of what [`write`] writes.
pub(in crate::report) fn schema<T: JsonSchema>(title: &str) -> serde_json::Value {
    let settings = schemars::generate::SchemaSettings::draft2020_12().for_serialize();
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    schema.insert("title".into(), title.into());
    schema.into()
}
