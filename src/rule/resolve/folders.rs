//! The folders of a listing, by number: what is asked of each file's folder is asked often.

use foldhash::{HashMap, HashMapExt};

use crate::{diag::parent, source::Listing};

/// In which folder each entry of a listing lies.
pub(super) struct Folders<'l> {
    /// By entry.
    of: Vec<u32>,
    /// By number.
    paths: Vec<&'l [u8]>,
}

impl<'l> Folders<'l> {
    pub(super) fn new(listing: &'l Listing) -> Self {
        let mut folders = Self { of: Vec::with_capacity(listing.entries.len()), paths: Vec::new() };
        let mut known: HashMap<&'l [u8], u32> = HashMap::new();
        let mut last: Option<(&[u8], u32)> = None;
        for entry in &listing.entries {
            let folder = parent(entry.path.as_bytes());
            let number = match last {
                Some((same, number)) if same == folder => number, // neighbours in sorted order mostly share it
                _ => *known.entry(folder).or_insert_with(|| {
                    folders.paths.push(folder);
                    folders.paths.len() as u32 - 1
                }),
            };
            last = Some((folder, number));
            folders.of.push(number);
        }
        folders
    }

    /// The number of an entry's folder.
    pub(super) fn of(&self, entry: u32) -> u32 {
        self.of[entry as usize]
    }

    pub(super) fn path(&self, folder: u32) -> &'l [u8] {
        self.paths[folder as usize]
    }

    pub(super) fn len(&self) -> usize {
        self.paths.len()
    }
}
