//! What goes over the network by the program git: objects that a clone lacks, and the references that stand for reserved names.

mod address;
mod bring;
mod private;
mod program;
mod push;
mod said;

pub use bring::Supply;
pub use push::{Pushed, Update};

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

use gix::{
    ObjectId,
    objs::{Find, Kind, Write},
    odb::Header,
};

use crate::reserve::{FOLDER, LONGEST};
use private::Private;
use program::Program;

/// How long one call of git may take.
const LIMIT: Duration = Duration::from_secs(60);
/// What is here already says nothing about what is wanted, so nobody is asked about it.
const NO_NEGOTIATION: &str = "fetch.negotiationAlgorithm=noop";
/// The most references that are looked at.
const MOST: usize = 100_000;

/// A remote that all who share a repository can reach.
#[derive(Debug)]
pub struct Remote {
    /// Its name, or its address without a password.
    pub name: String,
    /// What git is told.
    address: String,
    program: Program,
    /// Where new objects are.
    objects: PathBuf,
    hash: gix::hash::Kind,
    /// Holds new objects, and is removed at the end.
    _private: Private,
}

/// Why a remote could not be asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failed {
    /// In git's words.
    pub why: String,
    /// It may do in a moment.
    pub may_pass: bool,
}

impl Failed {
    fn for_good(why: impl Into<String>) -> Self {
        Self { why: why.into(), may_pass: false }
    }

    fn for_now(why: impl Into<String>) -> Self {
        Self { why: why.into(), may_pass: true }
    }

    fn io(error: &io::Error) -> Self {
        Self::for_good(format!("a temporary folder can't be used: {error}"))
    }
}

impl Remote {
    /// `folder` is where git runs, `objects` the repository's own store.
    fn new(name: String, address: String, folder: PathBuf, objects: &Path, hash: gix::hash::Kind) -> io::Result<Self> {
        let private = Private::new()?;
        let own = private.path().join("objects");
        fs::create_dir_all(own.join("info"))?;
        let mut alternates = super::path::from_system(objects);
        alternates.push(b'\n');
        fs::write(own.join("info/alternates"), alternates)?;
        let program = Program { folder, objects: Some(own.clone()), secret: None, limit: LIMIT };
        let objects = own;
        Ok(Self { name, address, program, objects, hash, _private: private })
    }

    /// All reserved names, by the last part of their references, each with its object.
    ///
    /// # Errors
    /// The remote can't be reached, or does not answer.
    pub fn list(&self) -> Result<BTreeMap<String, ObjectId>, Failed> {
        let pattern = format!("{FOLDER}*");
        let listed = self.program.output(&["ls-remote", "--refs", &self.address, &pattern], "")?;
        let text = String::from_utf8_lossy(&listed);
        let one = |line: &str| {
            let (id, name) = line.split_once('\t')?;
            let last = name.strip_prefix(FOLDER).filter(|last| is_reference(last))?;
            Some((last.to_owned(), ObjectId::from_hex(id.as_bytes()).ok()?))
        };
        let all: BTreeMap<String, ObjectId> = text.lines().filter_map(one).collect();
        if all.len() > MOST {
            return Err(Failed::for_good(format!("it holds {} reservations; at most {MOST} are looked at", all.len())));
        }
        Ok(all)
    }

    /// The bytes of commits on the remote; none of what is no commit, or too long for a reservation.
    ///
    /// # Errors
    /// The remote can't be reached, or lacks one of them by now.
    pub fn read(&self, objects: &[ObjectId]) -> Result<BTreeMap<ObjectId, Option<Vec<u8>>>, Failed> {
        if objects.is_empty() {
            return Ok(BTreeMap::new());
        }
        let wanted: String = objects.iter().map(|id| format!("{id}\n")).collect();
        let args = [
            "-c",
            NO_NEGOTIATION,
            "fetch",
            "--quiet",
            "--no-tags",
            "--no-write-fetch-head",
            "--no-recurse-submodules",
            "--refmap=",
            "--stdin",
        ];
        self.program.output(&[&args[..], &[&self.address]].concat(), &wanted)?;
        let store = gix::odb::at(&self.objects, self.hash).map_err(|error| Failed::io(&error))?;
        let mut buffer = Vec::new();
        let mut read = |id: &ObjectId| {
            let is_fit = |header: gix::odb::find::Header| header.kind() == Kind::Commit && header.size() <= LONGEST;
            match store.try_header(id) {
                Ok(Some(header)) if is_fit(header) => match store.try_find(id, &mut buffer) {
                    Ok(Some(object)) => Ok(Some(object.data.to_vec())),
                    _ => Ok(None),
                },
                Ok(Some(_)) => Ok(None),
                _ => Err(Failed::for_now(format!("it did not send {id}"))),
            }
        };
        objects.iter().map(|id| Ok((*id, read(id)?))).collect()
    }

    /// The id of the tree without files, by which a commit is written.
    pub fn empty_tree(&self) -> String {
        ObjectId::empty_tree(self.hash).to_string()
    }

    /// Makes a commit that can be pushed. Nothing of it is left behind.
    ///
    /// # Errors
    /// The temporary folder can't be written to.
    pub fn keep(&self, commit: &[u8]) -> Result<ObjectId, Failed> {
        let store = gix::odb::loose::Store::at(&self.objects, self.hash);
        let write = |kind, bytes: &[u8]| {
            store.write_buf(kind, bytes).map_err(|error| Failed::for_good(format!("can't write an object: {error}")))
        };
        write(Kind::Tree, b"")?;
        write(Kind::Commit, commit)
    }
}

/// Whether the last part of a name can be that of a reservation: others don't count, and are never touched.
fn is_reference(last: &str) -> bool {
    last.len() == 32 && last.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}
