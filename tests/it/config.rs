//! The published schema of the configuration says the same as the reader.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::{fs, path::Path};

use gatekeep::config::{ConfigFile, schema};
use serde_json::Value;

const EXAMPLE: &str = r#"
base = "origin/main"
fail-on = "error"

[rules]
"sitemap-urls" = "off"
"supabase-migrations/out-of-order" = "warning"

[namespace.supabase-migrations]
roots = ["supabase", "apps/*/supabase"]
exclude = ["**/fixtures/**"]

[namespace.edge-functions]
include = ["supabase/functions/**"]
quota = 50

[[allow]]
code = "supabase-migrations/duplicate"
paths = ["supabase/migrations/20251111120000_*.sql"]
key = "20251111120000"
reason = "both applied by hand in November"
until = 2027-01-31
"#;

/// TOML as an editor hands it to a JSON Schema: dates are strings.
fn as_json(value: toml::Value) -> Value {
    match value {
        toml::Value::Datetime(date) => Value::String(date.to_string()),
        toml::Value::Array(items) => items.into_iter().map(as_json).collect(),
        toml::Value::Table(table) => table.into_iter().map(|(key, value)| (key, as_json(value))).collect(),
        other => serde_json::to_value(other).unwrap(),
    }
}

/// Whether the schema and the reader accept a text; they have to agree.
fn accepted(text: &str) -> (bool, bool) {
    let validator = jsonschema::options().should_validate_formats(true).build(&schema()).unwrap();
    let value = as_json(toml::Value::Table(toml::from_str(text).unwrap()));
    (validator.is_valid(&value), ConfigFile::parse("gatekeep.toml", text.as_bytes()).is_ok())
}

#[test]
fn the_published_schema_is_fresh() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas/config.schema.json");
    let fresh = format!("{:#}\n", schema());
    if std::env::var_os("GATEKEEP_UPDATE").is_some() {
        fs::write(&path, &fresh).unwrap();
    }
    let published = fs::read_to_string(&path).unwrap();
    assert_eq!(published, fresh, "run the tests again with GATEKEEP_UPDATE=1");
}

#[test]
fn the_example_is_accepted_by_schema_and_reader() {
    assert_eq!(accepted(EXAMPLE), (true, true));
    assert_eq!(accepted(""), (true, true));
}

#[test]
fn what_the_reader_refuses_the_schema_refuses_too() {
    let broken = [
        ("base = \"origin/main\"", "base = \" \""),
        ("fail-on = \"error\"", "fail_on = \"error\""),
        ("fail-on = \"error\"", "fail-on = \"note\""),
        ("\"off\"", "\"of\""),
        ("roots = [\"supabase\", \"apps/*/supabase\"]", "roots = []"),
        ("quota = 50", "quota = -1"),
        ("exclude =", "excludes ="),
        ("[[allow]]", "[[allowed]]"),
        ("paths = [\"supabase/migrations/20251111120000_*.sql\"]", "paths = []"),
        ("reason = \"both applied by hand in November\"", "reason = \"\""),
        ("reason = \"both applied by hand in November\"", ""),
        ("until = 2027-01-31", "until = \"soon\""),
    ];
    for (good, bad) in broken {
        let text = EXAMPLE.replacen(good, bad, 1);
        assert_ne!(text, EXAMPLE, "{good}");
        assert_eq!(accepted(&text), (false, false), "{bad}");
    }
}
