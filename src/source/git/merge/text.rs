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

use super::{LONGEST_TEXT, attributes, bench::Tools, driver::Driver};
use crate::{diag::RepoPath, source::Git, text::diff::is_binary};

/// Merges texts in memory. Attributes are read when the first merge asks for them.
pub struct TextMerger {
    repo: gix::ThreadSafeRepository,
    attributes: Option<ObjectId>,
    known: OnceLock<Option<Known>>,
}

struct Known {
    tools: Tools,
    lookup: Mutex<Lookup>,
}

/// Attributes, by the folder of the paths that they are for.
struct Lookup {
    repo: gix::Repository,
    folders: BTreeMap<Vec<u8>, Stack>,
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
            let tools = Tools::new(&self.repo, self.attributes, std::iter::empty()).ok()?;
            let lookup = Mutex::new(Lookup { repo: self.repo.to_thread_local(), folders: BTreeMap::new() });
            Some(Known { tools, lookup })
        });
        let Some(Known { tools, lookup }) = known else { return Driver::Text };
        let mut lookup = lookup.lock().expect("no thread panics while it looks up an attribute");
        let Lookup { repo, folders } = &mut *lookup;
        let stack = folders.entry(path.parent().to_vec()).or_insert_with(|| {
            let of_commit = |commit| attributes::stack(repo, commit, std::iter::once(path.as_bytes())).ok();
            self.attributes.and_then(of_commit).unwrap_or_else(|| tools.blobs.attr_stack.clone())
        });
        tools.driver(stack, repo, path.as_bytes())
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
