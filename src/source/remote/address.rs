//! Which remote is meant, and how git is told.

use super::{Remote, said};
use crate::{
    error::Fatal,
    source::{Git, Trunk},
};

/// What the configuration says of one remote.
struct Known {
    name: String,
    urls: Vec<String>,
    push_urls: Vec<String>,
}

impl Known {
    /// What git is told. Where names are read from one place and pushed to another, both have to be one: the one that is pushed to.
    fn address(&self) -> String {
        match (self.push_urls.first(), self.urls.as_slice()) {
            (Some(push), _) => push.clone(),
            (None, [first, _, ..]) => first.clone(),
            _ => self.name.clone(),
        }
    }
}

impl Git {
    /// The remote of this name or address; without one origin, else the trunk's, else the only one. None where there is no remote at all.
    ///
    /// # Errors
    /// There are several and nothing tells which, or the name is that of none.
    pub fn remote(&self, named: Option<&str>, trunk: Option<&Trunk>) -> Result<Option<Remote>, Fatal> {
        let known = self.known_remotes();
        let of = |name: &str| known.iter().find(|one| one.name == name);
        let of_trunk = || {
            let short = trunk?.reference.as_deref()?.strip_prefix("refs/remotes/")?;
            let fits = |one: &&Known| short.strip_prefix(&one.name).is_some_and(|rest| rest.starts_with('/'));
            known.iter().filter(fits).max_by_key(|one| one.name.len())
        };
        let only = || known.first().filter(|_| known.len() == 1);
        let (name, address) = match named {
            Some(name) => match of(name) {
                Some(one) => (name.to_owned(), one.address()),
                // an address, as git takes it
                None if !name.starts_with('-') && name.contains([':', '/', '\\']) => {
                    (said::without_passwords(name), name.to_owned())
                }
                None => return Err(Fatal::unknown_remote(name, known.iter().map(|one| one.name.as_str()))),
            },
            None if known.is_empty() => return Ok(None),
            None => match of("origin").or_else(of_trunk).or_else(only) {
                Some(one) => (one.name.clone(), one.address()),
                None => return Err(Fatal::SeveralRemotes { names: known.into_iter().map(|one| one.name).collect() }),
            },
        };
        let repo = self.repo.to_thread_local();
        let folder = repo.workdir().unwrap_or_else(|| repo.git_dir()).to_owned();
        let objects = repo.objects.store_ref().path().to_owned();
        let objects = objects.canonicalize().map_err(|source| Fatal::Io { path: objects, source })?;
        let made = Remote::new(name, address, folder, &objects, repo.object_hash());
        made.map(Some).map_err(|source| Fatal::Output { path: std::env::temp_dir(), source })
    }

    /// Who the user says to be.
    pub fn user(&self) -> Option<String> {
        let repo = self.repo.to_thread_local();
        let email = repo.config_snapshot().string("user.email")?;
        String::from_utf8(email.to_vec()).ok().filter(|email| !email.is_empty())
    }

    /// The remotes of the configuration, in order of their names.
    fn known_remotes(&self) -> Vec<Known> {
        let repo = self.repo.to_thread_local();
        let snapshot = repo.config_snapshot();
        let mut all: std::collections::BTreeMap<String, Known> = std::collections::BTreeMap::new();
        for section in snapshot.plumbing().sections_by_name("remote").into_iter().flatten() {
            let Some(name) = section.header().subsection_name() else { continue };
            let name = String::from_utf8_lossy(name).into_owned();
            let text = |key: &str| -> Vec<String> {
                section.body().values(key).iter().map(|value| String::from_utf8_lossy(value).into_owned()).collect()
            };
            let made = || Known { name: name.clone(), urls: Vec::new(), push_urls: Vec::new() };
            let known = all.entry(name.clone()).or_insert_with(made);
            known.urls.extend(text("url"));
            known.push_urls.extend(text("pushurl"));
        }
        all.into_values().filter(|one| !one.urls.is_empty() && !one.name.starts_with('-')).collect()
    }
}
