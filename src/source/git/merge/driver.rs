//! Who merges a path: `.gitattributes` says it.

use gix::{
    attrs::{StateRef, search},
    bstr::{BStr, BString, ByteSlice},
    worktree::Stack,
};

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

/// The drivers that the configuration names.
pub(super) struct Drivers {
    /// Those that are programs, sorted.
    programs: Vec<BString>,
    /// The one for paths of which no attribute says anything (`merge.default`).
    default: Option<BString>,
}

impl Drivers {
    pub(super) fn of(repo: &gix::Repository) -> Self {
        let config = repo.config_snapshot();
        let sections = config.plumbing().sections_by_name("merge").into_iter().flatten();
        let names = sections.filter_map(|section| section.header().subsection_name().map(BString::from));
        let mut programs: Vec<BString> = names.filter(|name| !name.is_empty()).collect();
        programs.sort();
        Self { programs, default: config.string("merge.default") }
    }

    /// Whether none is a program.
    pub(super) fn run_nothing(&self) -> bool {
        self.programs.is_empty()
    }

    /// The driver of a path; the text driver where attributes can't be read.
    pub(super) fn driver_of(&self, attributes: &mut Stack, repo: &gix::Repository, path: &[u8]) -> Driver {
        let mut found = search::Outcome::default();
        found.initialize_with_selection(&Default::default(), ["merge"]);
        let Ok(entry) = attributes.at_entry(path.as_bstr(), None, &repo.objects) else { return Driver::Text };
        entry.matching_attributes(&mut found);
        let by_default = self.default.as_ref();
        match found.iter_selected().next().map(|matched| matched.assignment.state) {
            Some(StateRef::Set) => Driver::Text,
            Some(StateRef::Unset) => Driver::Binary,
            Some(StateRef::Value(name)) => self.named(name.as_bstr()),
            Some(StateRef::Unspecified) | None => by_default.map_or(Driver::Text, |name| self.named(name.as_bstr())),
        }
    }

    /// A name that nobody knows means text, as for git.
    fn named(&self, name: &BStr) -> Driver {
        if self.programs.binary_search_by(|driver: &BString| driver.as_bstr().cmp(name)).is_ok() {
            return Driver::Program;
        }
        match name.as_bytes() {
            b"union" => Driver::Union,
            b"binary" => Driver::Binary,
            _ => Driver::Text,
        }
    }
}
