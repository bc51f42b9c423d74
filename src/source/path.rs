//! Between paths of the repository (bytes, `/`) and paths of the system.

use std::{
    borrow::Cow,
    ffi::OsStr,
    path::{Path, PathBuf},
};

use bstr::{ByteSlice, ByteVec};

/// A path of the repository, as the system wants it. Exact on Unix; invalid UTF-8 is replaced on Windows, which has no such names.
pub(crate) fn to_system(path: &[u8]) -> Cow<'_, Path> {
    path.to_path_lossy()
}

/// A path of the system, as the repository has it.
pub(crate) fn from_system(path: &Path) -> Vec<u8> {
    let bytes = Vec::from_path_lossy(path).into_owned();
    if cfg!(windows) { bytes.replace(b"\\", b"/") } else { bytes }
}

/// A name of the system, as the repository has it.
pub(super) fn name_from_system(name: &OsStr) -> Vec<u8> {
    Vec::from_os_str_lossy(name).into_owned()
}

/// A path of the repository below a folder of the system.
pub(super) fn below(top: &Path, path: &[u8]) -> PathBuf {
    top.join(to_system(path))
}
