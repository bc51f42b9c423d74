//! Whether a file on disk is still what the index says.

use std::{fs, io::Read, path::Path, sync::atomic::AtomicBool};

use gix::objs::{Kind, tree::EntryKind as Mode};

use super::known::Known;
use crate::source::{Counters, folder, index::Stat, path};

/// Larger files count as changed once they look different from outside.
const HASHED: u64 = 512 << 20;
/// Larger files are not tried with their line ends made `\n`.
const CONVERTED: u64 = 16 << 20;
/// git-lfs promises that its pointers are smaller.
const POINTER: u64 = 1024;

/// How a worktree is compared with its index.
pub(super) struct Disk<'a> {
    repo: &'a gix::ThreadSafeRepository,
    top: &'a Path,
    counters: &'a Counters,
    /// When the index was written. A file that was changed no earlier can have been changed behind its back.
    written: (u32, u32),
    hash: gix::hash::Kind,
    run_bit: bool,
    links: bool,
    trust_changed: bool,
    minimal: bool,
}

impl<'a> Disk<'a> {
    pub(super) fn new(
        shared: &'a gix::ThreadSafeRepository,
        repo: &gix::Repository,
        top: &'a Path,
        written: (u32, u32),
        counters: &'a Counters,
    ) -> Self {
        let config = repo.config_snapshot();
        let is_on = |key: &'static str| config.boolean(key).unwrap_or(true);
        Self {
            repo: shared,
            top,
            counters,
            written,
            hash: repo.object_hash(),
            run_bit: cfg!(unix) && is_on("core.fileMode"),
            links: is_on("core.symlinks"),
            trust_changed: is_on("core.trustCTime"),
            minimal: config.string("core.checkStat").is_some_and(|value| value == "minimal"),
        }
    }

    /// Whether what is on disk at the path of an entry is surely the entry, without a look into it.
    pub(super) fn is_surely(&self, known: &Known<'_>, meta: &fs::Metadata) -> bool {
        self.has_same_mode(known, meta) && self.looks_same(&known.stat, meta) && !self.is_racy(&known.stat)
    }

    /// Whether what is on disk at the path of an entry is something else than the entry. A file that can't be asked for counts as changed.
    pub(super) fn differs(&self, known: &Known<'_>) -> bool {
        let file = path::below(self.top, &known.path);
        self.counters.lstat();
        let Ok(meta) = fs::symlink_metadata(&file) else { return true };
        !self.has_same_mode(known, &meta)
            || !(self.is_surely(known, &meta) || self.has_same_content(known, &file, &meta))
    }

    fn has_same_mode(&self, known: &Known<'_>, meta: &fs::Metadata) -> bool {
        if known.leaf.mode == Mode::Link {
            return meta.is_symlink() || !self.links && meta.is_file();
        }
        meta.is_file() && (!self.run_bit || is_executable(meta) == (known.leaf.mode == Mode::BlobExecutable))
    }

    fn looks_same(&self, stat: &Stat, meta: &fs::Metadata) -> bool {
        let now = stat_of(meta);
        let is_same = |then: (u32, u32), now: (u32, u32)| {
            then.0 == now.0 && (self.minimal || then.1 == 0 || now.1 == 0 || then.1 == now.1) // some tools write no nanoseconds
        };
        let trusts_changed = self.trust_changed && !self.minimal && cfg!(unix);
        stat.size == now.size
            && is_same(stat.modified, now.modified)
            && (!trusts_changed || is_same(stat.changed, now.changed))
    }

    /// Whether the file can have been changed after it was looked at and still look the same.
    fn is_racy(&self, stat: &Stat) -> bool {
        let (then, written) = (stat.modified, self.written);
        if then.1 == 0 || written.1 == 0 { then.0 >= written.0 } else { then >= written }
    }

    fn has_same_content(&self, known: &Known<'_>, file: &Path, meta: &fs::Metadata) -> bool {
        if meta.is_symlink() {
            return folder::link_target(file).is_ok_and(|target| self.is_blob(known, &target));
        }
        if meta.len() > HASHED {
            return false;
        }
        if meta.len() > CONVERTED {
            return self.is_streamed(known, file, meta.len());
        }
        let Ok(bytes) = folder::read(file, CONVERTED, self.counters) else { return false };
        if self.is_blob(known, &bytes) || without_cr(&bytes).is_some_and(|text| self.is_blob(known, &text)) {
            return true;
        }
        self.looks_same(&known.stat, meta) && self.is_fetched(known, meta.len())
    }

    fn is_blob(&self, known: &Known<'_>, bytes: &[u8]) -> bool {
        gix::objs::compute_hash(self.hash, Kind::Blob, bytes).is_ok_and(|id| known.leaf.id == id)
    }

    fn is_streamed(&self, known: &Known<'_>, file: &Path, length: u64) -> bool {
        let Ok(stream) = folder::open(file, self.counters) else { return false };
        let mut stream = stream.take(length);
        let never = AtomicBool::new(false);
        let hashed = gix::objs::compute_stream_hash(
            self.hash,
            Kind::Blob,
            &mut stream,
            length,
            &mut gix::progress::Discard,
            &never,
        );
        hashed.is_ok_and(|id| known.leaf.id == id)
    }

    /// Whether the index has only git-lfs' pointer to a file of this size, which looks as it did.
    fn is_fetched(&self, known: &Known<'_>, length: u64) -> bool {
        let repo = self.repo.to_thread_local();
        if repo.find_header(known.leaf.id).map_or(u64::MAX, |header| header.size()) > POINTER {
            return false;
        }
        self.counters.blob();
        let Ok(pointer) = repo.find_object(known.leaf.id) else { return false };
        pointer.data.starts_with(b"version https://git-lfs.github.com/spec/")
            && pointer.data.split(|byte| *byte == b'\n').any(|line| line == format!("size {length}").as_bytes())
    }
}

/// A text with `\r\n` made `\n`; none where there is nothing to make.
fn without_cr(bytes: &[u8]) -> Option<Vec<u8>> {
    memchr::memmem::find(bytes, b"\r\n")?;
    let mut text = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(at) = memchr::memmem::find(rest, b"\r\n") {
        text.extend_from_slice(&rest[..at]);
        rest = &rest[at + 1..];
    }
    text.extend_from_slice(rest);
    Some(text)
}

#[cfg(unix)]
fn is_executable(meta: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    meta.permissions().mode() & 0o100 != 0
}

#[cfg(not(unix))]
fn is_executable(_: &fs::Metadata) -> bool {
    false
}

/// What a file looks like, cut to 32 bits as the index does it.
#[cfg(unix)]
fn stat_of(meta: &fs::Metadata) -> Stat {
    use std::os::unix::fs::MetadataExt;
    Stat {
        changed: (meta.ctime() as u32, meta.ctime_nsec() as u32),
        modified: (meta.mtime() as u32, meta.mtime_nsec() as u32),
        size: meta.len() as u32,
    }
}

/// What a file looks like, cut to 32 bits as the index does it.
#[cfg(not(unix))]
fn stat_of(meta: &fs::Metadata) -> Stat {
    let since =
        meta.modified().ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok()).unwrap_or_default();
    Stat { changed: (0, 0), modified: (since.as_secs() as u32, since.subsec_nanos()), size: meta.len() as u32 }
}
