//! From what an extractor found to a name as the rule compares it.

use std::{borrow::Cow, ops::Range};

use xxhash_rust::xxh3::{Xxh3, xxh3_64_with_seed};

use super::{
    extract::Found,
    normalize::{Compare, UrlSite},
};
use crate::rule;

/// A name, its templates filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Name<'a> {
    /// As it stands in the file.
    pub(crate) raw: Cow<'a, str>,
    /// As the rule compares it.
    pub(crate) key: Cow<'a, str>,
    /// What counts as one claimant; none where each place is one.
    pub(crate) unit: Option<Cow<'a, str>>,
    pub(crate) variant: Option<Cow<'a, str>>,
    /// Splits the partition.
    pub(crate) group: Option<Cow<'a, str>>,
    /// How far the claim reaches; none where everywhere.
    pub(crate) reach: Option<Cow<'a, str>>,
    pub(crate) span: Range<usize>,
}

impl<'a> Name<'a> {
    /// A name that stands in no file yet.
    pub(crate) fn bare(raw: &'a str, key: &'a str) -> Self {
        let (raw, key) = (Cow::Borrowed(raw), Cow::Borrowed(key));
        Self { raw, key, unit: None, variant: None, group: None, reach: None, span: 0..0 }
    }
}

/// Fills in the templates of one claim for one file.
pub(crate) struct Namer<'a> {
    claim: &'a rule::Claim,
    /// The path below the root.
    below: &'a str,
    seed: u64,
    fold_case: bool,
    /// A name is no more than what the extractor found.
    bare: bool,
}

impl<'a> Namer<'a> {
    pub(crate) fn new(claim: &'a rule::Claim, rule: u16, partition: &str, below: &'a str, fold_case: bool) -> Self {
        let mut hash = Xxh3::new();
        for part in [&rule.to_le_bytes()[..], partition.as_bytes(), claim.space.as_bytes()] {
            hash.update(&(part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        let templates = [&claim.unit, &claim.unit_default, &claim.variant, &claim.partition, &claim.reach];
        let bare = claim.key == rule::Template::key() && templates.iter().all(|template| template.is_none());
        let bare = bare && claim.only.is_none();
        Self { claim, below, seed: hash.digest(), fold_case, bare }
    }

    /// The hash of a name that is no more than what the extractor found: the quick way for a million of them. None where the whole name has
    /// to be made, or is no key.
    pub(crate) fn bare_hash(&self, found: &Found<'_>, site: &mut UrlSite) -> Option<u64> {
        if !self.bare || self.fold_case {
            return None;
        }
        let key = match self.claim.compare {
            Compare::Url => site.normalize(&found.key)?,
            other => other.normalize(&found.key)?,
        };
        Some(xxh3_64_with_seed(key.as_bytes(), self.seed))
    }

    /// The name; none where a part is missing, the text is no key for the rule's comparison, or not one that is meant.
    pub(crate) fn name<'f>(&'f self, found: &'f Found<'f>) -> Option<Name<'f>> {
        let part = |name: &str| self.part(found, name);
        let raw = self.claim.key.fill(part)?;
        let key = match self.claim.compare.normalize(&raw)? {
            Cow::Borrowed(text) if text.len() == raw.len() => raw.clone(),
            normal => Cow::Owned(normal.into_owned()),
        };
        if self.claim.only.as_ref().is_some_and(|only| !only.is_match(&key)) {
            return None;
        }
        let fill = |template: &'f Option<rule::Template>| template.as_ref().and_then(|template| template.fill(part));
        let unit = fill(&self.claim.unit).or_else(|| fill(&self.claim.unit_default)).map(without_dots);
        Some(Name {
            unit,
            variant: fill(&self.claim.variant),
            group: fill(&self.claim.partition),
            reach: fill(&self.claim.reach),
            span: found.span.clone(),
            raw,
            key,
        })
    }

    fn part<'f>(&'f self, found: &'f Found<'f>, name: &str) -> Option<Cow<'f, str>> {
        if let Some((_, text)) = found.fields.iter().find(|(field, _)| *field == name) {
            return Some(Cow::Borrowed(text));
        }
        match name {
            "key" => Some(Cow::Borrowed(&found.key)),
            "file" => Some(Cow::Borrowed(self.below)),
            "folder" => Some(Cow::Borrowed(self.below.rsplit_once('/').map_or("", |(folder, _)| folder))),
            "stem" => {
                let file = self.below.rsplit('/').next().unwrap_or_default();
                Some(Cow::Borrowed(file.split_once('.').map_or(file, |(stem, _)| stem)))
            }
            _ => None,
        }
    }

    /// The hash of all that has to be equal for a collision.
    pub(crate) fn hash(&self, name: &Name<'_>) -> u64 {
        let mut seed = self.seed;
        for part in [&name.group, &name.variant].into_iter().flatten() {
            seed = xxh3_64_with_seed(part.as_bytes(), seed);
        }
        if self.fold_case {
            return xxh3_64_with_seed(name.key.to_lowercase().as_bytes(), seed);
        }
        xxh3_64_with_seed(name.key.as_bytes(), seed)
    }
}

/// The text with `./` and `x/../` taken out, where it is a path with such parts.
fn without_dots(text: Cow<'_, str>) -> Cow<'_, str> {
    if !text.split('/').any(|part| part == "." || part == "..") {
        return text;
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in text.split('/') {
        match part {
            "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    Cow::Owned(parts.join("/"))
}
