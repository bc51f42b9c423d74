//! Where the configuration of a repository is.

use super::ConfigFile;
use crate::error::Fatal;

/// The paths at which a repository may hold its configuration, of which only one may exist.
pub const NAMES: [&str; 2] = ["gatekeep.toml", ".gatekeep/config.toml"];

/// Finds and reads the configuration. `read` gives the bytes of a path of the repository, and none where there is no such
/// file.
///
/// # Errors
/// What `read` says; [`Fatal::TwoConfigs`] where both exist; [`Fatal::Config`] for one that can't be used.
pub fn discover(mut read: impl FnMut(&str) -> Result<Option<Vec<u8>>, Fatal>) -> Result<Option<ConfigFile>, Fatal> {
    let [first, second] = NAMES;
    match (read(first)?, read(second)?) {
        (Some(_), Some(_)) => Err(Fatal::TwoConfigs { first: first.into(), second: second.into() }),
        (Some(bytes), None) => ConfigFile::parse(first, &bytes).map(Some),
        (None, Some(bytes)) => ConfigFile::parse(second, &bytes).map(Some),
        (None, None) => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn found(present: &[&str]) -> Result<Option<String>, Fatal> {
        let read = |path: &str| Ok(present.contains(&path).then(|| b"base = 'main'\n".to_vec()));
        Ok(discover(read)?.map(|found| found.file))
    }

    #[test]
    fn either_name_will_do_but_not_both() {
        assert_eq!(found(&[]).unwrap(), None);
        for name in NAMES {
            assert_eq!(found(&[name]).unwrap().as_deref(), Some(name));
        }
        let both = found(&NAMES).unwrap_err().plain();
        assert!(NAMES.iter().all(|name| both.contains(name)), "{both}");
    }

    #[test]
    fn a_file_that_can_not_be_read_is_not_taken_for_none() {
        let fails = |path: &str| Err(Fatal::Git(path.into()));
        assert!(matches!(discover(fails), Err(Fatal::Git(_))));
    }
}
