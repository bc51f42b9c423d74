//! Merges of single texts, as git would do them for a path.

use std::{
    collections::BTreeMap,
    sync::{Mutex, OnceLock},
};

use gix::{
    ObjectId,
    diff::blob::{Algorithm, InternedInput},
    merge::blob::{Resolution, builtin_driver::text},
    worktree::Stack,
};

use super::{
    LONGEST_TEXT, attributes,
    driver::{Driver, Drivers},
};
use crate::{diag::RepoPath, source::Git, text::diff::is_binary};

/// Merges texts in memory. Attributes are read when the first merge asks for them.
pub struct TextMerger {
    repo: gix::ThreadSafeRepository,
    attributes: Option<ObjectId>,
    known: OnceLock<Known>,
}

struct Known {
    drivers: Drivers,
    lookup: Mutex<Lookup>,
}

/// Attributes, by the folder of the paths that they are for.
struct Lookup {
    repo: gix::Repository,
    folders: BTreeMap<Vec<u8>, Option<Stack>>,
}

impl Git {
    /// The merges of single texts of this repository; the attributes are those of the first commit that was asked for.
    pub fn merger(&self, attributes: Option<ObjectId>) -> &TextMerger {
        self.merger.get_or_init(|| self.text_merger(attributes))
    }

    /// Merges of single texts. `attributes` is the commit whose `.gitattributes` count: the tip of the trunk.
    pub fn text_merger(&self, attributes: Option<ObjectId>) -> TextMerger {
        TextMerger { repo: self.repo.clone(), attributes, known: OnceLock::new() }
    }
}

impl TextMerger {
    /// The text that git makes of two versions of a file; none where it would stop, where a program would merge it, or
    /// where a text is longer than 16 MiB.
    pub fn merge(&self, path: &RepoPath, base: &[u8], ours: &[u8], theirs: &[u8]) -> Option<Vec<u8>> {
        if [base, ours, theirs].iter().any(|text| text.len() as u64 > LONGEST_TEXT || is_binary(text)) {
            return None;
        }
        match self.driver(path) {
            Driver::Text => merged(base, ours, theirs, text::Conflict::default()),
            Driver::Union => merged(base, ours, theirs, text::Conflict::ResolveWithUnion),
            Driver::Binary | Driver::Program => None,
        }
    }

    fn driver(&self, path: &RepoPath) -> Driver {
        let known = self.known.get_or_init(|| {
            let repo = self.repo.to_thread_local();
            Known { drivers: Drivers::of(&repo), lookup: Mutex::new(Lookup { repo, folders: BTreeMap::new() }) }
        });
        let mut lookup = known.lookup.lock().expect("no thread panics while it looks up an attribute");
        let Lookup { repo, folders } = &mut *lookup;
        let stack = folders.entry(path.parent().to_vec()).or_insert_with(|| {
            let paths = || std::iter::once(path.as_bytes());
            let of_commit = |commit| attributes::stack(repo, commit, paths()).ok();
            self.attributes.and_then(of_commit).or_else(|| attributes::of_index(repo).ok())
        });
        match stack {
            Some(stack) => known.drivers.driver_of(stack, repo, path.as_bytes()),
            None => Driver::Text,
        }
    }
}

/// The text that git makes of a base and two versions of it where no attribute says otherwise; none where it would stop.
pub fn merge_plain_text([base, ours, theirs]: [&[u8]; 3]) -> Option<Vec<u8>> {
    merged(base, ours, theirs, text::Conflict::default())
}

/// A merge line by line; none where both edit the same lines.
fn merged(base: &[u8], ours: &[u8], theirs: &[u8], conflict: text::Conflict) -> Option<Vec<u8>> {
    let mut input = InternedInput::new(&b""[..], &b""[..]);
    let mut out = Vec::new();
    let merge = text::Merge::new(&mut input, ours, base, theirs, Algorithm::Histogram);
    match merge.run(&mut out, text::Labels::default(), conflict) {
        Resolution::Complete | Resolution::CompleteWithAutoResolvedConflict => Some(out),
        Resolution::Conflict => None,
    }
}
