//! CODEOWNERS: who owns what, wherever the file lies.

use std::collections::BTreeSet;

use super::effect::{Effect, Verdict};
use crate::{
    diag::RepoPath,
    rule::{
        change::{Change, File, OwnersFile, Side},
        owners::{CodeOwners, Fault, Ownership, PLACES},
    },
};

/// Most pairs of a path and a line that are looked at.
const LOOKED_AT: usize = 2_000_000;

/// Whether an owners file can lie there.
pub(super) fn is_one(path: &str) -> bool {
    PLACES.contains(&path)
}

/// What the change makes of the owners, told at one of the files that it touches; none at the others, and where the same lines own the same.
///
/// # Errors
/// Which file counts can't be found out, or it can't be read.
pub(super) fn effect(change: &Change<'_>, file: &File) -> std::io::Result<Option<Effect>> {
    let (old, new) = (change.owners(Side::Trunk)?, change.owners(Side::Merged)?);
    let places = [&new, &old].map(|one| one.as_ref().map(|one| one.place));
    let touched = places.into_iter().flatten().find(|place| change.file(&(*place).into()).is_some());
    if touched.is_none_or(|place| place.as_bytes() != file.path.as_bytes()) {
        return Ok(None); // another file counts, or it is told there
    }
    let effect = between(old.as_ref(), new.as_ref());
    let lost = || change.ground.merged_paths().ok().and_then(|paths| lost(old.as_ref()?, new.as_ref()?, paths));
    Ok(match effect {
        Some(Effect { verdict: Verdict::Unclear, .. }) => lost().map(Effect::loosens).or(effect),
        _ => effect,
    })
}

/// The first of the files that had owners and have none once the change is merged, as the end of a sentence. Of a large repository or file it is
/// not looked for.
fn lost(old: &OwnersFile, new: &OwnersFile, paths: &[RepoPath]) -> Option<String> {
    let count = |file: &OwnersFile| file.text.as_deref().map_or(0, |text| lines(text).len());
    if (count(old) + count(new)).saturating_mul(paths.len()) > LOOKED_AT {
        return None;
    }
    let (was, is) = (parsed(old)?, parsed(new)?);
    let is_owned =
        |owners: &CodeOwners, path: &RepoPath| matches!(owners.owners_of(path.as_bytes()), Ownership::Owned { .. });
    let mut gone = paths.iter().filter(|path| is_owned(&was, path) && !is_owned(&is, path));
    let first = gone.next()?;
    Some(match gone.count() {
        0 => format!("nobody owns `{}` any more", first.lossy()),
        more => format!("nobody owns `{}` and {more} more any more", first.lossy()),
    })
}

fn between(old: Option<&OwnersFile>, new: Option<&OwnersFile>) -> Option<Effect> {
    let owned = || old.and_then(parsed).is_some_and(|owners| owners.owns_anything());
    let Some(new) = new else {
        return owned().then(|| Effect::loosens("nobody owns anything any more"));
    };
    let Some(text) = &new.text else {
        return Some(Effect::loosens("a link takes its place, and no link is followed"));
    };
    let Some(owners) = parsed(new) else {
        return Some(Effect::loosens("it is too long to be read, and then nobody owns anything"));
    };
    if !owners.owns_anything() {
        return owned().then(|| Effect::loosens("no line of it owns anything any more"));
    }
    let faults = format!("{}{}", unowned(&owners, new.place), faults(old, &owners, text));
    match old.and_then(|old| old.text.as_deref().map(|text| (old, text))) {
        Some((old, was)) if old.host == new.host && lines(was) == lines(text) => None,
        _ if !owned() => Some(Effect::tightens(format!("files have owners that had none{faults}"))),
        _ => Some(Effect::unclear(format!(
            "who owns what is another matter once this is merged; this run goes by the base's owners{faults}"
        ))),
    }
}

/// That nobody is asked about the file itself, as the end of a sentence.
fn unowned(owners: &CodeOwners, place: &str) -> String {
    match owners.owners_of(place.as_bytes()) {
        Ownership::Owned { .. } => String::new(),
        Ownership::Unowned(_) | Ownership::NoRule => {
            format!("; nobody owns `{place}` itself, so that nobody has to be asked when owners are taken away in it")
        }
    }
}

fn parsed(file: &OwnersFile) -> Option<CodeOwners> {
    CodeOwners::parse(file.host, file.text.as_deref()?).ok()
}

/// What counts of a file: its lines, without blank ones and comments.
fn lines(text: &[u8]) -> Vec<&[u8]> {
    let lines = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    lines.filter(|line| !line.is_empty() && !line.starts_with(b"#")).collect()
}

/// What the first line that was not there before and does not do what it looks like comes to, as the end of a sentence.
fn faults(old: Option<&OwnersFile>, owners: &CodeOwners, text: &[u8]) -> String {
    let known: BTreeSet<&[u8]> = old.and_then(|old| old.text.as_deref()).map(lines).into_iter().flatten().collect();
    let all: Vec<&[u8]> = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).collect();
    let is_new = |fault: &&Fault| all.get(fault.line - 1).is_none_or(|line| !known.contains(line));
    match owners.faults().iter().find(is_new) {
        Some(Fault { line, why }) => format!("; line {line} does not do what it looks like: {why}"),
        None => String::new(),
    }
}
