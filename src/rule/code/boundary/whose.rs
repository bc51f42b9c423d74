//! Whose a file is that a change touches: the lanes that own it, else its owner in the base's `CODEOWNERS`.

use std::sync::OnceLock;

use crate::{
    config::Config,
    diag::RepoPath,
    rule::{
        change::{Change, OwnersFile, Said, Side},
        listed::listed,
        owners::{CodeOwners, Ownership},
    },
};

/// The names of the lanes that own a path, in order.
pub(super) fn owning<'c>(config: &'c Config, path: &[u8]) -> Vec<&'c str> {
    let lanes = config.agents.iter().filter(|(_, agent)| agent.owns.matches(path));
    lanes.map(|(name, _)| name.get_ref().as_str()).collect()
}

/// Answers whose a file is; reads `CODEOWNERS` once somebody's answer is not in the lanes.
pub(super) struct Whose<'a> {
    change: &'a Change<'a>,
    owners: OnceLock<Result<Option<(&'static str, CodeOwners)>, String>>,
}

impl<'a> Whose<'a> {
    pub(super) fn new(change: &'a Change<'a>) -> Self {
        Self { change, owners: OnceLock::new() }
    }

    /// Whose it is, as a sentence about "it"; and who that is, to be named in advice.
    pub(super) fn of(&self, path: &RepoPath) -> (String, Option<String>) {
        let lanes = owning(self.change.tables(), path.as_bytes());
        if !lanes.is_empty() {
            let names = listed(lanes.iter().copied());
            return (format!("it belongs to {names}"), Some(names));
        }
        let Ok(Some((place, owners))) = self.owners.get_or_init(|| read(self.change)) else {
            return ("no lane owns it".to_owned(), None);
        };
        match owners.owners_of(path.as_bytes()) {
            Ownership::Owned { owners, line } => {
                let names = listed(owners.iter().map(String::as_str));
                (format!("it belongs to {names} (`{place}`, line {line})"), Some(names))
            }
            Ownership::Unowned(line) => (format!("it belongs to nobody (`{place}`, line {line})"), None),
            Ownership::NoRule => (format!("no lane and no line of `{place}` owns it"), None),
        }
    }

    /// Takes down why owners could not be read, if somebody asked.
    pub(super) fn finish(self, said: &mut Said) {
        if let Some(Err(why)) = self.owners.into_inner() {
            said.gap("who owns the files in CODEOWNERS", why);
        }
    }
}

/// The owners as the base has them: a change to them judges none but the next one.
fn read(change: &Change<'_>) -> Result<Option<(&'static str, CodeOwners)>, String> {
    let found = change.owners(Side::Trunk).map_err(|error| error.to_string())?;
    // a file that is too large for its host owns nothing there, and nothing here
    let owners = |file: OwnersFile| Some((file.place, CodeOwners::parse(file.host, file.text.as_deref()?).ok()?));
    Ok(found.and_then(owners))
}
