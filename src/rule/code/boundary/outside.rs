//! `boundary/outside`: one finding for each path.

use std::sync::Arc;

use super::{
    OUTSIDE,
    verdict::Verdict,
    who::{Lane, Sign, Who},
    whose::Whose,
};
use crate::{
    diag::{Diagnostic, Severity},
    report::{Skipped, shell},
    rule::{
        change::{Change, File, Said},
        owners::claude::{Effect, Fences, PLACE},
    },
    source::Commit,
};

/// The settings of Claude Code, and what tells whether it made the change.
pub(super) struct Fenced<'a> {
    pub(super) fences: &'a Read,
    pub(super) commits: &'a [Commit],
}

/// The fences, with the text that they stand in.
#[derive(Default)]
pub(super) struct Read {
    fences: Fences,
    text: Arc<[u8]>,
}

impl Read {
    pub(super) fn is_empty(&self) -> bool {
        self.fences.is_empty()
    }
}

/// The fences on the base. Settings that Claude Code can't read fence in nothing there, and nothing here.
pub(super) fn fences(change: &Change<'_>, said: &mut Said) -> Read {
    if change.files.is_empty() {
        return Read::default();
    }
    let text = match change.trunk_at(&PLACE.into()) {
        Ok(Some(text)) => text,
        Ok(None) => return Read::default(),
        Err(error) => {
            said.gap(PLACE, error.to_string());
            return Read::default();
        }
    };
    match Fences::parse(&text) {
        Ok(fences) => Read { fences, text },
        Err(error) => {
            said.skipped.push(Skipped { what: format!("fences of `{PLACE}` on the base: {error}"), count: None });
            Read::default()
        }
    }
}

/// Judges each file of the change that is not on the trunk already.
pub(super) fn outside(change: &Change<'_>, who: &Who<'_>, fenced: &Fenced<'_>, said: &mut Said) {
    let whose = Whose::new(change);
    for file in change.files.iter().filter(|file| file.after != file.trunk) {
        let path = file.path.as_bytes();
        let verdicts: Vec<Verdict> = who.lanes.iter().map(|(lane, _)| lane.verdict(path)).collect();
        let found = if verdicts.iter().any(|verdict| matches!(verdict, Verdict::Outside | Verdict::Never)) {
            Some(of_lanes(change, file, who, &verdicts, &whose))
        } else if verdicts.contains(&Verdict::Inside) {
            None // the configuration outweighs the settings of one tool
        } else {
            of_fence(change, file, who, fenced)
        };
        said.findings.extend(found);
    }
    whose.finish(said);
}

fn of_lanes(change: &Change<'_>, file: &File, who: &Who<'_>, verdicts: &[Verdict], whose: &Whose<'_>) -> Diagnostic {
    let (owned, owner) = whose.of(&file.path);
    let broken = who.lanes.iter().zip(verdicts);
    let mut broken = broken.filter(|(_, verdict)| matches!(verdict, Verdict::Outside | Verdict::Never)).peekable();
    let first = broken.peek().map_or("", |((lane, _), _)| lane.name);
    let why: Vec<String> = broken.map(|((lane, sign), verdict)| why(lane, sign, *verdict)).collect();
    let message = format!("this change {}, {}; {owned}", deed(file), why.join(", and "));
    let mut found = Diagnostic::new(OUTSIDE, Severity::Error, message, vec![change.site(&file.path)]);
    found.help = Some(help(change, file, first, owner.as_deref()));
    found
}

/// How a lane is left, as a clause about the path.
fn why(lane: &Lane<'_>, sign: &Sign, verdict: Verdict) -> String {
    let by = format!("`{}` (by {})", lane.name, sign.words());
    match verdict {
        Verdict::Never => format!("which {by} must `never` change"),
        _ => format!("which lies outside the lane of {by}"),
    }
}

/// What the change does to the path.
fn deed(file: &File) -> String {
    let path = file.path.lossy();
    match (&file.from, &file.to) {
        (Some(from), _) => format!("moves `{}` to `{path}`", from.lossy()),
        (_, Some(to)) => format!("moves `{path}` away, to `{}`", to.lossy()),
        _ if file.is_added() => format!("adds `{path}`"),
        _ if file.is_removed() => format!("removes `{path}`"),
        _ => format!("edits `{path}`"),
    }
}

fn help(change: &Change<'_>, file: &File, lane: &str, owner: Option<&str>) -> String {
    let base = &change.base.name;
    let back = file.trunk.and_then(|_| {
        let words = [shell::word(base.as_bytes())?, shell::word(file.path.as_bytes())?];
        Some(format!(" (`git checkout {} -- {}`)", words[0], words[1]))
    });
    let back = back.unwrap_or_default();
    let leave = owner.map_or(String::new(), |owner| format!(" and leave it to {owner}"));
    format!("take it out of this change{back}{leave}, or have it added to `may-touch` of `[agents.{lane}]` on `{base}`")
}

/// What the settings of Claude Code say, where no lane speaks of the path.
fn of_fence(change: &Change<'_>, file: &File, who: &Who<'_>, fenced: &Fenced<'_>) -> Option<Diagnostic> {
    let Read { fences, text } = fenced.fences;
    let fence = fences.on(file.path.as_bytes())?;
    let by_agent = match who.lanes.first() {
        Some((lane, sign)) => Some(format!("`{}` made it, by {}", lane.name, sign.words())),
        None => fenced.commits.iter().any(is_of_claude).then(|| "a commit was written with Claude Code".to_owned()),
    };
    let severity = match (fence.effect, &by_agent) {
        (Effect::Deny, Some(_)) => Severity::Error,
        (Effect::Deny, None) | (Effect::Ask, Some(_)) => Severity::Note,
        (Effect::Ask, None) => return None,
    };
    let line = 1 + memchr::memchr_iter(b'\n', &text[..fence.span.start]).count();
    let says = match fence.effect {
        Effect::Deny => "denies to agents",
        Effect::Ask => "lets an agent change only once a person has agreed",
    };
    let by = by_agent.map_or(String::new(), |by| format!("; {by}"));
    let rule = &fence.rule;
    let message = format!("this change {}, which `{rule}` in `{PLACE}` (line {line}) {says}{by}", deed(file));
    let mut found = Diagnostic::new(OUTSIDE, severity, message, vec![change.site(&file.path)]);
    found.help = Some(match severity {
        Severity::Error => "take it out of this change, and let a person make it".to_owned(),
        _ => "look whether a person made, or agreed to, this part of the change".to_owned(),
    });
    Some(found)
}

/// Whether Claude Code signed the commit.
fn is_of_claude(commit: &Commit) -> bool {
    let signed = |line: &str| {
        let (key, value) = line.split_once(':').unwrap_or_default();
        key.eq_ignore_ascii_case("co-authored-by") && value.to_ascii_lowercase().contains("<noreply@anthropic.com>")
    };
    commit.email.eq_ignore_ascii_case("noreply@anthropic.com") || commit.trailers().any(signed)
}
