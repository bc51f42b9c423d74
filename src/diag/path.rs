//! A path inside the repository, as bytes.

use std::{cmp::Ordering, fmt, hash, ops::Range, sync::Arc};

/// A path relative to the top of what is scanned, with `/` between components. Any bytes, never empty, no leading `/`.
#[derive(Clone)]
pub struct RepoPath {
    /// Its own bytes, or those of a whole list that it stands in.
    list: Arc<[u8]>,
    start: u32,
    end: u32,
}

/// More than any path has.
fn narrow(offset: usize) -> u32 {
    u32::try_from(offset).expect("no path, and no list of them that is kept, has 4 GiB")
}

impl RepoPath {
    /// Takes the bytes as they are.
    pub fn new(bytes: &[u8]) -> Self {
        Self { list: bytes.into(), start: 0, end: narrow(bytes.len()) }
    }

    /// A part of a longer text, which stays there as long as the path does: what many paths share is not copied for each.
    pub(crate) fn part(list: &Arc<[u8]>, at: Range<usize>) -> Self {
        Self { list: Arc::clone(list), start: narrow(at.start), end: narrow(at.end) }
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.list[self.start as usize..self.end as usize]
    }

    /// The text, with invalid UTF-8 replaced. For people and for formats that know only text.
    pub fn lossy(&self) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(self.as_bytes())
    }

    /// A text that no other path has: invalid UTF-8 is escaped instead of replaced.
    pub(crate) fn exact(&self) -> std::borrow::Cow<'_, str> {
        match std::str::from_utf8(self.as_bytes()) {
            Ok(text) => text.into(),
            Err(_) => format!("\0{}", bstr::ByteSlice::escape_bytes(self.as_bytes())).into(), // NUL: no path begins with it
        }
    }

    /// Whether the bytes are valid UTF-8.
    pub fn is_utf8(&self) -> bool {
        std::str::from_utf8(self.as_bytes()).is_ok()
    }

    /// The last component.
    pub fn file_name(&self) -> &[u8] {
        self.as_bytes().rsplit(|b| *b == b'/').next().unwrap_or_default()
    }

    /// All but the last component, without the `/`; empty at the top.
    pub fn parent(&self) -> &[u8] {
        parent(self.as_bytes())
    }
}

/// All but the last component of a path, without the `/`; empty at the top.
pub(crate) fn parent(path: &[u8]) -> &[u8] {
    memchr::memrchr(b'/', path).map_or(b"", |at| &path[..at])
}

impl PartialEq for RepoPath {
    fn eq(&self, other: &Self) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl Eq for RepoPath {}

impl PartialOrd for RepoPath {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for RepoPath {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_bytes().cmp(other.as_bytes())
    }
}

impl hash::Hash for RepoPath {
    fn hash<H: hash::Hasher>(&self, state: &mut H) {
        self.as_bytes().hash(state);
    }
}

impl From<&str> for RepoPath {
    fn from(text: &str) -> Self {
        Self::new(text.as_bytes())
    }
}

impl fmt::Debug for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", bstr::BStr::new(self.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_list_is_the_path_that_stands_there() {
        let list: Arc<[u8]> = b"a/b\0c"[..].into();
        let part = RepoPath::part(&list, 0..3);
        assert_eq!(part, "a/b".into());
        assert!(part < RepoPath::part(&list, 4..5) && part.parent() == b"a" && part.file_name() == b"b");
        assert!(std::collections::HashSet::from([part]).contains(&RepoPath::from("a/b")));
    }
}
