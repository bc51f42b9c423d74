//! A path inside the repository, as bytes.

use std::{fmt, sync::Arc};

/// A path relative to the top of what is scanned, with `/` between components. Any bytes, never empty, no leading `/`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RepoPath(Arc<[u8]>);

impl RepoPath {
    /// Takes the bytes as they are.
    pub fn new(bytes: &[u8]) -> Self {
        Self(bytes.into())
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The text, with invalid UTF-8 replaced. For people and for formats that know only text.
    pub fn lossy(&self) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(&self.0)
    }

    /// A text that no other path has: invalid UTF-8 is escaped instead of replaced.
    pub(crate) fn exact(&self) -> std::borrow::Cow<'_, str> {
        match std::str::from_utf8(&self.0) {
            Ok(text) => text.into(),
            Err(_) => format!("\0{}", bstr::ByteSlice::escape_bytes(&*self.0)).into(), // NUL: no path begins with it
        }
    }

    /// Whether the bytes are valid UTF-8.
    pub fn is_utf8(&self) -> bool {
        std::str::from_utf8(&self.0).is_ok()
    }

    /// The last component.
    pub fn file_name(&self) -> &[u8] {
        self.0.rsplit(|b| *b == b'/').next().unwrap_or_default()
    }

    /// All but the last component, without the `/`; empty at the top.
    pub fn parent(&self) -> &[u8] {
        parent(&self.0)
    }
}

/// All but the last component of a path, without the `/`; empty at the top.
pub(crate) fn parent(path: &[u8]) -> &[u8] {
    memchr::memrchr(b'/', path).map_or(b"", |at| &path[..at])
}

impl From<&str> for RepoPath {
    fn from(text: &str) -> Self {
        Self::new(text.as_bytes())
    }
}

impl fmt::Debug for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", bstr::BStr::new(&self.0))
    }
}
