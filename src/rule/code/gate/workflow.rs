//! Workflows and pipelines that run gatekeep.

use std::io;

use super::{commands::Commands, effect::Effect, texts};
use crate::{
    claim::extract::yaml,
    rule::change::{Change, File},
};

/// Whether a file is a workflow or a pipeline.
pub(super) fn is_one(path: &str) -> bool {
    let is_yaml = path.ends_with(".yml") || path.ends_with(".yaml");
    is_yaml && (path.starts_with(".github/workflows/") || path.starts_with(".github/actions/"))
        || matches!(path, ".gitlab-ci.yml" | "azure-pipelines.yml" | "bitbucket-pipelines.yml" | ".circleci/config.yml")
}

/// What the change makes of a workflow; none where gatekeep does not run in it, or where it is told at the file that it went to.
///
/// # Errors
/// It can't be read.
pub(super) fn effect(change: &Change<'_>, file: &File) -> io::Result<Option<Effect>> {
    let (old, new) = texts(change, file)?;
    if old.is_some() != new.is_some()
        && let Some((from, to)) = moved(change, file.path.parent())?
    {
        let (old, new) = (texts(change, from)?.0, texts(change, to)?.1);
        return Ok(if file.path == to.path { between(old.as_deref(), new.as_deref()) } else { None });
    }
    Ok(between(old.as_deref(), new.as_deref()))
}

/// The workflow of a folder in which gatekeep ran, if the change removes just one, and the one that it adds in its place, if that is just one.
fn moved<'c>(change: &'c Change<'_>, folder: &[u8]) -> io::Result<Option<(&'c File, &'c File)>> {
    let (mut gone, mut come) = (Vec::new(), Vec::new());
    for file in change.files.iter().filter(|file| file.path.parent() == folder && is_one(&file.path.lossy())) {
        let runs = |text: &[u8]| yaml::parse(text).is_ok_and(|all| Commands::of_steps(&all).runs);
        match texts(change, file)? {
            (Some(old), None) if runs(&old) => gone.push(file),
            (None, Some(new)) if runs(&new) => come.push(file),
            _ => {}
        }
    }
    Ok(match (gone.as_slice(), come.as_slice()) {
        ([gone], [come]) => Some((*gone, *come)),
        _ => None,
    })
}

/// What a change of a workflow, or of another file of commands in YAML, does to the gate; none where gatekeep does not run in it.
pub(super) fn between(old: Option<&[u8]>, new: Option<&[u8]>) -> Option<Effect> {
    let read = |text: Option<&[u8]>| yaml::parse(text.unwrap_or_default()).map(|all| Commands::of_steps(&all));
    let old = read(old).unwrap_or_default(); // what no host can read runs nothing
    match read(new) {
        Ok(new) => old.became(&new),
        Err(error) if old.runs => Some(Effect::loosens(format!("gatekeep no longer runs in it: {error}"))),
        Err(_) => None,
    }
}
