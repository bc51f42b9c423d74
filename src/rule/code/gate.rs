//! `gate/changed`: what a change does to the gate that judges it.
//!
//! Policy is read from the base, so nothing here loosens this run. But once merged it counts for every run that follows: somebody has to see it.

mod allowance;
mod attributes;
mod baseline;
mod claude;
mod commands;
mod config;
mod differences;
mod effect;
mod hooks;
mod lanes;
mod levels;
mod owners;
mod tables;
mod workflow;

use super::{Code, CodeRule};
use crate::{
    config::{NAMES, change::Document},
    diag::{Confidence, Diagnostic, Position, RepoPath, Severity},
    rule::change::{Change, File, Said},
    suppress::BASELINE_PATH,
    threads,
};
use effect::{Effect, Verdict};

const CHANGED: &str = "gate/changed";

/// Folder of a repository's own rule files.
const RULES: &str = ".gatekeep/rules/";
/// Folders of the policy, in the places of which a link or a file can be put.
const FOLDERS: [&str; 2] = [".gatekeep", ".gatekeep/rules"];

/// Fewer files are looked at on one thread.
const FEW: usize = 8;

/// What the rule says of itself.
pub const RULE: CodeRule = CodeRule {
    id: "gate",
    summary: "The gate is not loosened in passing",
    why: "An agent that can't satisfy a check can still edit the check: an allowance, a severity, a workflow step, a hook. The \
          change is judged by the base's policy all the same, and the next one is not.",
    docs: None,
    codes: &[Code {
        code: CHANGED,
        severity: Severity::Error,
        summary: "A change to the gate is seen",
        details: "The change touches what judges it: the configuration, rule files, the baseline, CODEOWNERS, a workflow or a hook \
                  that runs gatekeep, `deny`, `ask` and `disableAllHooks` in Claude's settings, `linguist-vendored` and \
                  `linguist-generated` in `.gitattributes`, the schema of a `[[document]]`, or an allowance in a comment. It is \
                  an error where that loosens the gate, a warning where it can't be told, and a note where it tightens. None of \
                  it counts for this run: policy comes from the base. The configuration is compared key by key, and an entry of \
                  a table such as `[[budget]]` with the one that it came from, wherever it stands in the file. Gone is gone: a \
                  pattern that takes in what the old one did is no loss, and one that only looks alike is. Of CODEOWNERS \
                  it is told too where nobody owns the file itself.",
        help: "Put it back, or give it a change of its own that a person reviews.",
    }],
};

/// Judges a change.
pub fn judge(change: &Change<'_>) -> Said {
    let mut said = Said::default();
    if let Some(why) = change.unusable
        && let Some(file) = change.files.iter().find(|file| is_policy(change, &file.path.lossy()))
    {
        let why = format!("once merged, no policy can be read: {why}");
        said.findings.push(finding(change, file, Effect::loosens(why)));
    }
    let each = threads::map(change.files, FEW, |file| of_file(change, file));
    each.into_iter().for_each(|of_file| said.extend(of_file));
    said
}

/// What one file of the change does to the gate.
fn of_file(change: &Change<'_>, file: &File) -> Said {
    let mut said = Said::default();
    let found = effect(change, file).and_then(|effect| {
        said.findings.extend(effect.map(|effect| finding(change, file, effect)));
        allowance::added(change, file)
    });
    match found {
        Ok(allowances) => said.findings.extend(allowances),
        Err(error) => {
            let why = format!("can't be read, so nobody knows what it does to the gate: {error}");
            said.gap(file.path.lossy(), why);
        }
    }
    said
}

/// What a file of the change does to the gate; none where it is no part of it, or where another finding tells.
fn effect(change: &Change<'_>, file: &File) -> std::io::Result<Option<Effect>> {
    let path = &*file.path.lossy();
    if is_policy(change, path) {
        return if change.unusable.is_some() { Ok(None) } else { policy(change, file, path) };
    }
    if owners::is_one(path) {
        return owners::effect(change, file);
    }
    if workflow::is_one(path) {
        return workflow::effect(change, file);
    }
    let of_attributes = attributes::is_one(path);
    if !of_attributes && !hooks::is_one(path) {
        return schema(change, file, path);
    }
    let (old, new) = texts(change, file)?;
    let (old, new) = (old.as_deref(), new.as_deref());
    Ok(if of_attributes { attributes::effect(old, new) } else { hooks::effect(path, old, new) })
}

/// What a part of the policy does to the gate.
fn policy(change: &Change<'_>, file: &File, path: &str) -> std::io::Result<Option<Effect>> {
    if file.is_link() {
        return Ok(Some(Effect::loosens("a link takes its place, and no link is followed")));
    }
    if is_config(change, path) {
        return config::effect(change, file);
    }
    let (old, new) = texts(change, file)?;
    let (old, new) = (old.as_deref(), new.as_deref());
    Ok(match path {
        BASELINE_PATH => baseline::effect(old, new),
        _ if FOLDERS.contains(&path) => None, // what was in the folder is told of by itself
        _ => rule_file(file, path, old, new),
    })
}

type Text = Option<std::sync::Arc<[u8]>>;

/// What stands on the trunk, and what the merge would hold; nothing where that is a link, which no reader follows.
fn texts(change: &Change<'_>, file: &File) -> std::io::Result<(Text, Text)> {
    let old = if file.was_link() { None } else { change.trunk(file)? };
    let new = if file.is_link() { None } else { change.merged(file)? };
    Ok((old, new))
}

/// Whether a path is a configuration, or the one by which this run goes.
fn is_config(change: &Change<'_>, path: &str) -> bool {
    NAMES.contains(&path) || change.config.is_some_and(|config| config.file == path)
}

/// Whether a path is a part of the policy.
fn is_policy(change: &Change<'_>, path: &str) -> bool {
    let is_rule = path.starts_with(RULES) && path.ends_with(".toml");
    is_config(change, path) || path == BASELINE_PATH || is_rule || FOLDERS.contains(&path)
}

fn rule_file(file: &File, path: &str, old: Option<&[u8]>, new: Option<&[u8]>) -> Option<Effect> {
    let is_rule =
        |path: &RepoPath| path.as_bytes().starts_with(RULES.as_bytes()) && path.as_bytes().ends_with(b".toml");
    if [&file.from, &file.to].into_iter().flatten().any(is_rule) {
        return None; // the same rule under another name
    }
    let parse = |text| crate::rule::parse_own(path, text);
    Some(match (old, new) {
        (None, None) => return None,
        (Some(_), None) => Effect::loosens("the rule is gone"),
        (old, Some(new)) => match (old.map(parse), parse(new)) {
            (_, Err(fatal)) => Effect::loosens(format!("once merged it can't be used: {fatal}")),
            (None, Ok(_)) => Effect::tightens("a new rule"),
            (Some(Ok(old)), Ok(new)) if new.severity < old.severity => Effect::loosens("its findings are less grave"),
            (Some(_), Ok(_)) => Effect::unclear("the rule is another one now"),
        },
    })
}

/// A schema that documents follow: those of later changes are judged by the new one.
fn schema(change: &Change<'_>, file: &File, path: &str) -> std::io::Result<Option<Effect>> {
    let names = |table: &toml::Spanned<Document>| table.get_ref().schema.as_deref() == Some(path);
    if !change.tables().document.iter().any(names) {
        return Ok(None);
    }
    Ok(match texts(change, file)? {
        (None, None) => None,
        (None, Some(_)) => Some(Effect::tightens("documents follow a schema that was not there")),
        (Some(_), None) => Some(Effect::loosens("the schema that documents follow is gone")),
        (Some(_), Some(_)) => Some(Effect::unclear("the schema that documents follow is another one now")),
    })
}

fn finding(change: &Change<'_>, file: &File, effect: Effect) -> Diagnostic {
    let path = file.path.lossy();
    let does = match effect.verdict {
        Verdict::Loosens => "loosens the gate",
        Verdict::Unclear => "changes the gate",
        Verdict::Tightens => "tightens the gate",
    };
    let message = format!(
        "`{path}` {does}: {}. This run goes by what `{}` holds; once merged, it counts",
        effect.why, change.base.name
    );
    make(change, &file.path, effect.verdict, None, message)
}

/// A finding about one file.
fn make(change: &Change<'_>, path: &RepoPath, verdict: Verdict, at: Option<Position>, message: String) -> Diagnostic {
    let mut site = change.site(path);
    site.position = at;
    let mut found = Diagnostic::new(CHANGED, verdict.severity(), message, vec![site]);
    found.confidence = if verdict == Verdict::Unclear { Confidence::Medium } else { Confidence::High };
    found.help = Some(RULE.codes[0].help.to_owned());
    found
}

#[cfg(test)]
mod tests;
