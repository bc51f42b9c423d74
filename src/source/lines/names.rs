//! Branches by name: globs in which `*` crosses `/`.

use globset::{GlobBuilder, GlobSet};

use super::refs::Branch;
use crate::error::Fatal;

/// Globs for names of branches.
pub(super) struct Names {
    set: GlobSet,
}

impl Names {
    /// # Errors
    /// A glob that does not compile.
    pub(super) fn new(globs: &[String]) -> Result<Self, Fatal> {
        let mut set = GlobSet::builder();
        for glob in globs {
            let built = GlobBuilder::new(glob).literal_separator(false).backslash_escape(true).build();
            set.add(built.map_err(|error| bad(glob, error.kind()))?);
        }
        let set = set.build().map_err(|error| bad(&globs.join(" "), error.kind()))?;
        Ok(Self { set })
    }

    /// Which globs match a branch, by the name that it has here or on its remote.
    pub(super) fn which(&self, branch: &Branch) -> Vec<usize> {
        let mut which = self.set.matches(&branch.short);
        which.extend(branch.remote_name.iter().flat_map(|name| self.set.matches(name)));
        which
    }

    /// Whether a name matches that no branch here has.
    pub(super) fn has(&self, name: &str) -> bool {
        self.set.is_match(name)
    }

    pub(super) fn matches(&self, branch: &Branch) -> bool {
        self.set.is_match(&branch.short) || branch.remote_name.as_ref().is_some_and(|name| self.set.is_match(name))
    }
}

fn bad(glob: &str, why: &globset::ErrorKind) -> Fatal {
    Fatal::BranchGlob { glob: glob.to_owned(), why: why.to_string() }
}
