//! Where a new file was before, if it moved and was edited on the way.

use std::{io, sync::Arc};

use crate::{
    rule::change::{Change, File},
    source::EntryKind,
    text::diff::counts,
};

use super::line_count;

/// Most removed files that one new file is held against.
const MOST: usize = 100;

/// The files of a set that the change takes away, and that went nowhere as they were.
pub(super) struct Origins<'a> {
    free: Vec<&'a File>,
}

impl<'a> Origins<'a> {
    pub(super) fn new(files: &[&'a File]) -> Self {
        let is_file = |file: &File| file.trunk.is_some_and(|version| version.kind == EntryKind::File);
        let free = files.iter().copied().filter(|file| file.is_removed() && file.to.is_none() && is_file(file));
        Self { free: free.collect() }
    }

    /// What a new file was on the trunk: of those that are gone the one that shares most of its lines, and at least half of them; else one of
    /// its name. Each file is the origin of one.
    pub(super) fn take(&mut self, change: &Change<'_>, new: &File, text: &[u8]) -> io::Result<Option<Arc<[u8]>>> {
        let is_named = |file: &File| file.path.file_name() == new.path.file_name();
        self.free.sort_by_key(|file| (!is_named(file), &file.path));
        if self.free.len() > MOST && !is_named(self.free[0]) {
            return Err(io::Error::other(format!("more than {MOST} files are removed, any of which it may have been")));
        }
        let length = line_count(text);
        let mut best: Option<(u64, usize, Arc<[u8]>)> = None;
        for (at, file) in self.free.iter().enumerate().take(MOST) {
            let Some(old) = change.trunk(file)? else { continue };
            let shared = counts(&old, text).map_or(0, |counts| length.saturating_sub(counts.added));
            let is_it = is_named(file) || shared > 0 && 2 * shared >= length;
            if is_it && best.as_ref().is_none_or(|(most, ..)| shared > *most) {
                best = Some((shared, at, old));
            }
        }
        Ok(best.map(|(_, at, old)| {
            self.free.remove(at);
            old
        }))
    }
}
