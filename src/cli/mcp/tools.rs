//! The four questions.

use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};

use crate::{
    cli::{
        PolicyArgs,
        fleet::{self, Asked, FleetArgs},
        hook,
        names::{self, Format, NamesArgs},
        next, policy,
        told::Told,
    },
    diag::Severity,
    error::Fatal,
    exit::FailOn,
    forge::markdown_of,
    report::{RenderOptions, escape::terminal, human::HumanOptions},
    source::Git,
};

/// Longest answer to a scan, in bytes.
const LONGEST: usize = 24_000;

/// An answer, for the model and for programs.
pub(super) struct Said {
    pub(super) text: String,
    pub(super) value: Value,
}

/// A tool.
pub(super) struct Described {
    pub(super) name: &'static str,
    pub(super) description: &'static str,
    pub(super) schema: fn() -> Value,
    pub(super) answer: fn(&Value) -> Result<Said, String>,
}

/// All tools.
pub(super) const ALL: &[Described] = &[
    Described {
        name: "name_is_free",
        description: "Is a name free: a migration version, a function, a decision record's number? Looks at the trunk, every branch, \
                      every worktree and what is reserved.",
        schema: || {
            schema(
                &[NAMESPACE, ("name", "The name, such as 20260428000000 or 0004", "string"), ROOT],
                &["namespace", "name"],
            )
        },
        answer: is_free,
    },
    Described {
        name: "next_name",
        description: "The next free name, and with a slug the path of the file that takes it.",
        schema: || {
            let slug = ("slug", "The rest of the file's name, such as add_users", "string");
            schema(&[NAMESPACE, slug, ROOT, ("count", "How many names", "integer")], &["namespace"])
        },
        answer: next_name,
    },
    Described {
        name: "may_touch",
        description: "May this agent edit, make or delete a file: does it lie in its lane, and does nobody else hold its name?",
        schema: || schema(&[("path", "The file, absolute or below the folder of the server", "string")], &["path"]),
        answer: may_touch,
    },
    Described {
        name: "scan_change",
        description: "What would stop this change from being merged: taken names, deleted tests, files outside the lane, and the rest. \
                      Uncommitted work counts.",
        schema: || schema(&[("base", "What it is to be merged into; by default the trunk", "string")], &[]),
        answer: scan_change,
    },
];

type Property = (&'static str, &'static str, &'static str);

const NAMESPACE: Property = ("namespace", "The id of the rule, such as supabase-migrations or adr-numbers", "string");
const ROOT: Property = ("root", "The folder in which the namespace lives, where there are several", "string");

fn schema(properties: &[Property], required: &[&str]) -> Value {
    let property = |(name, description, kind): &Property| {
        ((*name).to_owned(), json!({ "type": kind, "description": description }))
    };
    let properties: serde_json::Map<String, Value> = properties.iter().map(property).collect();
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

fn read<T: DeserializeOwned>(arguments: &Value) -> Result<T, String> {
    T::deserialize(arguments).map_err(|error| format!("the arguments don't fit: {error}"))
}

fn plain(fatal: Fatal) -> String {
    fatal.plain().trim_end().to_owned()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Names {
    namespace: String,
    name: Option<String>,
    slug: Option<String>,
    root: Option<String>,
    count: Option<u16>,
}

fn is_free(arguments: &Value) -> Result<Said, String> {
    let asked: Names = read(arguments)?;
    let name = asked.name.ok_or("`name` is missing")?;
    let args = NamesArgs { root: asked.root, ..NamesArgs::default() };
    let mut looked = names::look(&asked.namespace, &args).map_err(plain)?;
    let home = names::choose("next", &looked.rule.rule, &looked.names, args.root.as_deref()).map_err(plain)?.clone();
    let board = names::board_or_gap(&mut looked, &args).map_err(plain)?;
    let holders = next::holders(&looked, &home, &board, &name)?;
    let gaps: Vec<String> = looked.gaps.iter().map(|gap| format!("{}: {}", gap.what, gap.why)).collect();
    let is_free = holders.is_empty();
    let mut text = match (is_free, gaps.is_empty()) {
        (true, true) => format!("`{name}` is free."),
        (true, false) => format!("Nobody who could be looked at has `{name}`."),
        (false, _) => format!("`{name}` is taken by {}.", holders.join(", ")),
    };
    gaps.iter().for_each(|gap| text.push_str(&format!("\nCould not be looked at: {gap}")));
    let value = json!({ "free": is_free && gaps.is_empty(), "holders": holders, "incomplete": gaps });
    Ok(Said { text: lines(&text), value })
}

fn next_name(arguments: &Value) -> Result<Said, String> {
    let asked: Names = read(arguments)?;
    let names = NamesArgs { root: asked.root, name: asked.slug, ..NamesArgs::default() };
    let count = asked.count.unwrap_or(1).clamp(1, 100);
    let namespace = asked.namespace;
    let args = next::Args { namespace, count, offline: false, format: Format::Json, allow_incomplete: false, names };
    let found = next::look(&args).map_err(plain)?;
    let with_path = args.names.name.is_some();
    let one = |free: &crate::engine::free::Free| {
        next::json(&args.namespace, &found.home, &free.raw, with_path.then_some(free.path.as_str()))
    };
    let gaps: Vec<String> = found.gaps.iter().map(|gap| format!("{}: {}", gap.what, gap.why)).collect();
    let shown = found.free.iter().map(|free| if with_path { free.path.clone() } else { free.raw.clone() });
    let mut text = shown.collect::<Vec<_>>().join("\n");
    gaps.iter()
        .for_each(|gap| text.push_str(&format!("\nCould not be looked at, so that somebody there may have it: {gap}")));
    let value = json!({ "names": found.free.iter().map(one).collect::<Vec<_>>(), "incomplete": gaps });
    Ok(Said { text: lines(&text), value })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Touch {
    path: String,
}

fn may_touch(arguments: &Value) -> Result<Said, String> {
    let asked: Touch = read(arguments)?;
    let answer = hook::touch(&asked.path)?;
    let may = answer.denied.is_none();
    let mut text = match &answer.denied {
        Some(why) => format!("No: {why}"),
        None => "Nothing stands against it.".to_owned(),
    };
    answer.warned.iter().for_each(|warned| text.push_str(&format!("\n{warned}")));
    let value = json!({ "may": may, "why": answer.denied, "warning": answer.warned });
    Ok(Said { text: lines(&text), value })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Scan {
    base: Option<String>,
}

fn scan_change(arguments: &Value) -> Result<Said, String> {
    let asked: Scan = read(arguments)?;
    let here = policy::here().map_err(plain)?;
    let git = Git::discover(&here).map_err(plain)?.ok_or_else(|| plain(Fatal::NoRepository { path: here.clone() }))?;
    let (told, policy) = (Told::default(), PolicyArgs::default());
    let scan = FleetArgs { base: asked.base, fleet: true, judges_working_tree: true, ..FleetArgs::default() };
    let judged =
        fleet::judge(&git, &here, &Asked { fleet: &scan, policy: &policy, only: &[], tracked: false, told: &told });
    let (report, _, fail_on, _) = judged.map_err(plain)?;
    let options = RenderOptions {
        human: HumanOptions::default(),
        allow_incomplete: false,
        fail_on: fail_on.unwrap_or(FailOn::Error),
    };
    let value = json!({
        "errors": report.count(Severity::Error), "warnings": report.count(Severity::Warning), "notes": report.count(Severity::Note),
        "complete": report.complete(),
    });
    Ok(Said { text: markdown_of(&report, &options, LONGEST), value })
}

/// Somebody else's names in lines of our own.
fn lines(text: &str) -> String {
    text.lines().map(terminal).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_takes_what_its_schema_says_and_nothing_else() {
        for tool in ALL {
            let schema = (tool.schema)();
            let validator = jsonschema::validator_for(&schema).expect("a schema");
            assert!(!validator.is_valid(&json!({ "nonsense": 1 })), "{}", tool.name);
            let refused = (tool.answer)(&json!({ "nonsense": 1 }));
            assert!(refused.is_err_and(|why| why.contains("nonsense")), "{}", tool.name);
        }
    }
}
