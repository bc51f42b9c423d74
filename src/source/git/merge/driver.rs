//! Who merges a path: `.gitattributes` says it.

use gix::{
    attrs::{StateRef, search},
    bstr::{BStr, BString, ByteSlice},
    worktree::Stack,
};

use super::bench::Tools;

/// How git would merge a file of some path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Driver {
    /// Line by line; stops where both edit the same ones.
    Text,
    /// Line by line; takes both where both edit the same ones.
    Union,
    /// Not at all; stops where both edit it.
    Binary,
    /// A program that the configuration names. It is never run.
    Program,
}

impl Tools {
    /// The driver of a path; the text driver where attributes can't be read.
    pub(super) fn driver(&self, attributes: &mut Stack, repo: &gix::Repository, path: &[u8]) -> Driver {
        let mut found = search::Outcome::default();
        found.initialize_with_selection(&Default::default(), ["merge"]);
        let Ok(entry) = attributes.at_entry(path.as_bstr(), None, &repo.objects) else { return Driver::Text };
        entry.matching_attributes(&mut found);
        let by_default = self.blobs.options.default_driver.as_ref();
        match found.iter_selected().next().map(|matched| matched.assignment.state) {
            Some(StateRef::Set) => Driver::Text,
            Some(StateRef::Unset) => Driver::Binary,
            Some(StateRef::Value(name)) => self.named(name.as_bstr()),
            Some(StateRef::Unspecified) | None => by_default.map_or(Driver::Text, |name| self.named(name.as_bstr())),
        }
    }

    /// A name that nobody knows means text, as for git.
    fn named(&self, name: &BStr) -> Driver {
        if self.drivers.binary_search_by(|driver: &BString| driver.as_bstr().cmp(name)).is_ok() {
            return Driver::Program;
        }
        match name.as_bytes() {
            b"union" => Driver::Union,
            b"binary" => Driver::Binary,
            _ => Driver::Text,
        }
    }
}
