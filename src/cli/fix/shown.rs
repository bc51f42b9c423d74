//! What is said of a plan.

use serde_json::{Value, json};

use super::{
    Args,
    plan::{Left, Mended, Plan},
};
use crate::{
    cli::names::Format,
    diag::{RepoPath, Safety},
    fix::{self, Touched},
    report::escape,
};

/// What goes to standard output.
pub(super) fn shown(args: &Args, plan: &Plan) -> String {
    match (args.format, args.dry_run) {
        (Format::Json, dry_run) => format!("{:#}\n", document(plan, dry_run)),
        (Format::Human, true) => fix::patch(&plan.touched),
        (Format::Human, false) => {
            let mut lines: Vec<String> = plan.touched.iter().map(done).collect();
            lines.extend(rest(plan));
            if !plan.touched.is_empty() {
                lines.push("next: `git add --all`, and commit".into());
            }
            if lines.is_empty() {
                lines.push("nothing collides".into());
            }
            lines.iter().map(|line| format!("{}\n", escape::terminal(line))).collect()
        }
    }
}

fn done(one: &Touched) -> String {
    let (from, to) = (one.from.lossy(), one.to.lossy());
    match (one.is_renamed(), one.is_edited()) {
        (true, false) => format!("renamed {from} → {to}"),
        (true, true) => format!("renamed {from} → {to}, and edited it"),
        (false, _) => format!("edited {from}"),
    }
}

/// What was left alone, and what is left to do.
pub(super) fn rest(plan: &Plan) -> Vec<String> {
    let then = plan.mended.iter().flat_map(|mended| &mended.then).map(|then| format!("then: {then}"));
    let left = plan.left.iter().map(|left| {
        let place = if left.partition == "." { String::new() } else { format!(" in {}", left.partition) };
        format!("left alone: {} `{}`{place} ({}): {}", left.code, left.key, paths(left), left.why)
    });
    then.chain(left).collect()
}

fn paths(left: &Left) -> String {
    let all: Vec<_> = left.paths.iter().map(|path| path.lossy()).collect();
    all.join(", ")
}

fn document(plan: &Plan, dry_run: bool) -> Value {
    json!({
        "dry_run": dry_run,
        "fixes": plan.mended.iter().map(|mended| fix(plan, mended)).collect::<Vec<_>>(),
        "left": plan.left.iter().map(|left| json!({
            "rule": left.code,
            "partition": left.partition,
            "key": left.key,
            "paths": left.paths.iter().map(text).collect::<Vec<_>>(),
            "why": left.why,
        })).collect::<Vec<_>>(),
    })
}

fn fix(plan: &Plan, mended: &Mended) -> Value {
    let of = |wanted: fn(&Touched) -> bool| {
        plan.touched.iter().filter(move |one| mended.files.contains(&one.from) && wanted(one))
    };
    let safety = if mended.safety == Safety::Safe { "safe" } else { "unsafe" };
    let rename = |one: &Touched| json!({ "from": text(&one.from), "to": text(&one.to) });
    json!({
        "rule": mended.rule,
        "partition": mended.partition,
        "keys": mended.keys,
        "title": mended.title,
        "safety": safety,
        "renames": of(Touched::is_renamed).map(rename).collect::<Vec<_>>(),
        "edits": of(Touched::is_edited).map(|one| json!({ "path": text(&one.to) })).collect::<Vec<_>>(),
        "then": mended.then,
    })
}

fn text(path: &RepoPath) -> String {
    path.lossy().into_owned()
}
