//! Whose a folder is: the proofs of a rule, and how strong they are.

use std::cmp::Reverse;

use foldhash::HashMap;

use super::{
    compile::LazyRegex,
    root::{Manifest, Proof},
};
use crate::{
    diag::{Confidence, parent},
    source::{Entry, EntryKind, Listing},
};

/// How strong a proof is; the smaller one wins. A tool's own files come before contents, contents before manifests, those before names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Strength(u8, u16);

impl Strength {
    pub(super) const CONFIGURED: Self = Self(0, 0);
    pub(super) const MARKED: Self = Self(1, 0);
    pub(super) const UNPROVEN: Self = Self(9, 0);
    /// What a folder has always obeyed says nothing of who runs its files: any tool comes before it.
    const MINED: Self = Self(10, 0);
}

/// How strong the best proof is, and how sure.
pub(super) type Proven = (Strength, Confidence);

/// How many files a sniff reads, newest (last by name) first.
const SNIFFED: usize = 3;

/// The files that a rule would take names from in a folder.
pub(super) struct Claimed<'a> {
    /// In order.
    pub(super) entries: &'a [u32],
    /// Whether those on the trunk take at least so many names, and none twice.
    pub(super) keeps_apart: &'a dyn Fn(u16) -> bool,
}

/// What proofs look at.
pub(super) struct Evidence<'a> {
    pub(super) listing: &'a Listing,
    /// Text of an entry; none where it can't be read (the reader remembers why).
    pub(super) read: &'a (dyn Fn(&Entry) -> Option<String> + Sync),
    /// Whether an entry is there only once some line of work is merged.
    pub(super) tentative: &'a (dyn Fn(u32) -> bool + Sync),
    /// By folder and number of the proof: the manifest there.
    pub(super) manifests: HashMap<(&'a [u8], u8), u32>,
}

impl Evidence<'_> {
    /// The strongest proof that a folder belongs to a tool; none where there is none.
    pub(super) fn strongest(&self, proofs: &[Proof], folder: &str, claimed: &Claimed<'_>) -> Option<Proven> {
        if proofs.is_empty() {
            return Some((Strength::UNPROVEN, Confidence::High));
        }
        let all = (0u8..).zip(proofs).filter_map(|(at, proof)| {
            let strength = self.strength(proof, at, folder, claimed)?;
            Some((strength, Reverse(proof.confidence)))
        });
        let (strength, Reverse(confidence)) = all.min()?;
        let is_sure = confidence == Confidence::High || self.is_named_elsewhere(proofs, folder);
        Some((strength, if is_sure { Confidence::High } else { confidence }))
    }

    /// Whether a manifest somewhere in the repository names the tool, and no folder above has one that could: migrations that lie beside the
    /// code that runs them.
    fn is_named_elsewhere(&self, proofs: &[Proof], folder: &str) -> bool {
        (0u8..).zip(proofs).any(|(at, proof)| {
            let of_proof = |manifest: &Manifest| {
                let mut all = self.manifests.iter().filter(|((_, proof), _)| *proof == at);
                all.any(|(_, entry)| self.fits(manifest, &self.listing.entries[*entry as usize]))
            };
            let names = proof.manifest.as_ref().filter(|manifest| manifest.contains.is_some());
            names.is_some_and(|manifest| self.nearest(folder, at).is_none() && of_proof(manifest))
        })
    }

    /// Whether a manifest says what it has to.
    fn fits(&self, manifest: &Manifest, entry: &Entry) -> bool {
        let asks = manifest.contains.is_some() || manifest.lacks.is_some();
        if entry.kind == EntryKind::Link || !asks {
            return entry.kind != EntryKind::Link;
        }
        (self.read)(entry).is_some_and(|text| {
            manifest.contains.as_ref().is_none_or(|regex| regex.is_match(&text))
                && !manifest.lacks.as_ref().is_some_and(|regex| regex.is_match(&text))
        })
    }

    fn strength(&self, proof: &Proof, at: u8, folder: &str, claimed: &Claimed<'_>) -> Option<Strength> {
        if proof.folder.as_ref().is_some_and(|regex| !regex.is_match(folder)) {
            return None;
        }
        let mut strength = Strength(4, 0);
        if let Some(manifest) = &proof.manifest {
            match self.nearest(folder, at) {
                Some((entry, distance)) => {
                    if !self.fits(manifest, entry) {
                        return None;
                    }
                    if !manifest.may_be_missing() {
                        strength = Strength(3, distance);
                    }
                }
                None if manifest.may_be_missing() => {}
                None => return None,
            }
        }
        let names = || claimed.entries.iter().map(|entry| &self.listing.entries[*entry as usize]);
        if !proof
            .beside
            .iter()
            .all(|regex| names().any(|entry| regex.is_match(&String::from_utf8_lossy(entry.path.file_name()))))
        {
            return None;
        }
        if proof.mined.is_some_and(|least| !(claimed.keeps_apart)(least)) {
            return None;
        }
        // what a line adds can prove something, and not hide what the trunk's own files prove
        let of_trunk = |entry: &&u32| !(self.tentative)(**entry);
        let newest = || claimed.entries.iter().rev();
        if let Some(regex) = &proof.sniff {
            if !self.shows(regex, &mut newest().filter(of_trunk)) && !self.shows(regex, &mut newest()) {
                return None;
            }
            strength = Strength(2, 0);
        }
        if proof.unlike.as_ref().is_some_and(|regex| self.shows(regex, &mut newest().filter(of_trunk))) {
            return None;
        }
        Some(if proof.mined.is_some() { Strength::MINED } else { strength })
    }

    /// Whether a regex stands in one of the first files.
    fn shows(&self, regex: &LazyRegex, entries: &mut dyn Iterator<Item = &u32>) -> bool {
        let files = entries.map(|entry| &self.listing.entries[*entry as usize]);
        files
            .filter(|entry| entry.kind != EntryKind::Link) // never followed
            .take(SNIFFED)
            .filter_map(|entry| (self.read)(entry))
            .any(|text| regex.is_match(&text))
    }

    /// The manifest in the nearest folder above, and how many folders away it is.
    fn nearest(&self, folder: &str, proof: u8) -> Option<(&Entry, u16)> {
        let mut above = folder.as_bytes();
        let mut distance = 0;
        loop {
            let entry = self.manifests.get(&(above, proof)).map(|entry| &self.listing.entries[*entry as usize]);
            if let Some(entry) = entry.filter(|entry| entry.kind != EntryKind::Link) {
                return Some((entry, distance));
            }
            if above.is_empty() {
                return None;
            }
            above = parent(above);
            distance += 1;
        }
    }
}
