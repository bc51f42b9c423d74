//! From a file on disk to the bytes that git would store for it.

use std::io::Read;

use gix::{
    bstr::BStr,
    filter::plumbing::pipeline::{CrlfRoundTripCheck, convert::ToGitOutcome},
    objs::Find,
};

use super::bench::Tools;

/// Line ends, encodings and `$Id$` as `.gitattributes` and the configuration ask for; no filter of theirs runs, since
/// those are programs.
pub(super) struct Store {
    filter: gix::filter::plumbing::Pipeline,
    attributes: gix::worktree::Stack,
}

impl Store {
    pub(super) fn new(tools: &Tools) -> Self {
        let mut filter = tools.blobs.filter.filter.clone();
        filter.options_mut().crlf_roundtrip_check = CrlfRoundTripCheck::Skip;
        Self { filter, attributes: tools.blobs.attr_stack.clone() }
    }

    /// What git would store. `tip` is the tree of the last commit.
    pub(super) fn stored(
        &mut self,
        repo: &gix::Repository,
        tip: Option<&gix::Tree<'_>>,
        path: &BStr,
        bytes: Vec<u8>,
    ) -> gix::Result<Vec<u8>> {
        let entry = self.attributes.at_entry(path, None, &repo.objects).map_err(gix::Error::from_error)?;
        // git leaves CRLF alone where what is stored already has it
        let mut tracked = |buffer: &mut Vec<u8>| {
            let entry = tip.and_then(|tree| tree.lookup_entry(path.split(|byte| *byte == b'/')).ok().flatten());
            entry.map_or(Ok(None), |entry| Ok(repo.objects.try_find(&entry.object_id(), buffer)?.map(|_| ())))
        };
        let converted = self.filter.convert_to_git(
            bytes.as_slice(),
            &gix::path::from_bstr(path)?,
            &mut |_, found| {
                entry.matching_attributes(found);
            },
            &mut tracked,
        )?;
        Ok(match converted {
            ToGitOutcome::Unchanged(_) => bytes,
            ToGitOutcome::Buffer(buffer) => buffer.to_vec(),
            ToGitOutcome::Process(mut stream) => {
                let mut read = Vec::new();
                stream.read_to_end(&mut read).map_err(gix::Error::from_error)?;
                read
            }
        })
    }
}
