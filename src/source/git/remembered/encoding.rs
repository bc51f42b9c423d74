//! A listing as bytes.

use std::sync::Arc;

use foldhash::{HashMap, HashMapExt};
use gix::ObjectId;
use xxhash_rust::xxh3::xxh3_64;

use crate::{
    diag::RepoPath,
    rule::{Want, What},
    source::{Entry, EntryKind, Listing, Place, Wants},
};

/// First bytes of a file; another number for another layout.
const MAGIC: &[u8] = b"gatekeep listing 3\n";

/// Bytes that an entry takes at least.
const SHORTEST: usize = 10;

/// The bytes of a listing: how many different lists of wants there are, each with its length, then the entries, each with its blob, if it
/// has one, and the number of its list. Numbers are little-endian; a hash of all before it stands at the end.
pub(in crate::source) fn encode(listing: &Listing) -> Vec<u8> {
    let (mut lists, mut entries) = (Vec::new(), Vec::new());
    let mut known: HashMap<&Wants, u32> = HashMap::new();
    for (entry, wants) in listing.entries.iter().zip(&listing.wants) {
        let id = match &entry.place {
            Place::Blob(id) => id.as_slice(),
            Place::Disk => &[],
            Place::Worktree(_) => continue,
        };
        let next = known.len() as u32;
        let number = *known.entry(wants).or_insert_with(|| {
            lists.extend((wants.len() as u32).to_le_bytes());
            for want in &**wants {
                let (what, number) = split(want.what);
                lists.extend(want.rule.to_le_bytes());
                lists.extend([what, number]);
            }
            next
        });
        entries.push(u8::from(entry.kind == EntryKind::Link));
        entries.push(id.len() as u8);
        entries.extend_from_slice(id);
        entries.extend(number.to_le_bytes());
        entries.extend((entry.path.as_bytes().len() as u32).to_le_bytes());
        entries.extend_from_slice(entry.path.as_bytes());
    }
    let bytes = [MAGIC, &(known.len() as u32).to_le_bytes(), &lists, &entries].concat();
    let hash = xxh3_64(&bytes);
    [bytes.as_slice(), &hash.to_le_bytes()].concat()
}

/// The listing that these bytes are of; none where they are not as they were written. Its paths stay where they stand.
pub(in crate::source) fn decode(bytes: &Arc<[u8]>) -> Option<Listing> {
    let (body, hash) = bytes.split_last_chunk::<8>()?;
    if xxh3_64(body) != u64::from_le_bytes(*hash) {
        return None;
    }
    let mut rest = Rest(body.strip_prefix(MAGIC)?);
    let mut lists: Vec<Wants> = Vec::new();
    for _ in 0..rest.number()? {
        let count = rest.number()?.checked_mul(4)?;
        lists.push(rest.take(count)?.chunks_exact(4).map(want).collect::<Option<_>>()?);
    }
    let mut listing = Listing::default();
    // enough for any: what is not filled is never touched
    listing.entries.reserve(rest.0.len() / SHORTEST);
    listing.wants.reserve(rest.0.len() / SHORTEST);
    while !rest.0.is_empty() {
        let [kind, length] = rest.array()?;
        let kind = if kind == 0 { EntryKind::File } else { EntryKind::Link };
        let place = match rest.take(usize::from(length))? {
            [] => Place::Disk,
            id => Place::Blob(ObjectId::try_from(id).ok()?),
        };
        let wants = Arc::clone(lists.get(rest.number()?)?);
        let length = rest.number()?;
        let start = body.len() - rest.0.len();
        rest.take(length)?;
        let path = RepoPath::part(bytes, start..start + length);
        listing.push(Entry { path, kind, place }, wants);
    }
    Some(listing)
}

/// Bytes that are not read yet.
struct Rest<'b>(&'b [u8]);

impl<'b> Rest<'b> {
    fn take(&mut self, count: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<usize> {
        Some(u32::from_le_bytes(self.array()?) as usize)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*taken)
    }
}

fn want(bytes: &[u8]) -> Option<Want> {
    let [low, high, what, number] = bytes.try_into().ok()?;
    Some(Want { rule: u16::from_le_bytes([low, high]), what: joined(what, number)? })
}

fn split(what: What) -> (u8, u8) {
    match what {
        What::Attributes => (0, 0),
        What::Marker(at) => (1, at),
        What::From(at) => (2, at),
        What::Manifest(at) => (3, at),
        What::Claim(at) => (4, at),
        What::Text(at) => (5, at),
        What::Malformed(at) => (6, at),
        What::Unclaimed(at) => (7, at),
        What::Ignored(at) => (8, at),
        What::Beside(at) => (9, at),
        What::Lax(at) => (10, at),
    }
}

fn joined(what: u8, at: u8) -> Option<What> {
    Some(match what {
        0 => What::Attributes,
        1 => What::Marker(at),
        2 => What::From(at),
        3 => What::Manifest(at),
        4 => What::Claim(at),
        5 => What::Text(at),
        6 => What::Malformed(at),
        7 => What::Unclaimed(at),
        8 => What::Ignored(at),
        9 => What::Beside(at),
        10 => What::Lax(at),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn a_listing_comes_back_as_it_was_and_a_broken_one_not_at_all() {
        let mut listing = Listing::default();
        let wants = [Want { rule: 3, what: What::Text(2) }, Want { rule: Want::NO_RULE, what: What::Attributes }];
        let id = ObjectId::from_hex(b"0123456789012345678901234567890123456789").unwrap();
        let blob = Place::Blob(id);
        let all =
            [("a/\u{fc}\n", EntryKind::File, blob), ("b", EntryKind::Link, blob), ("c", EntryKind::File, Place::Disk)];
        for (path, kind, place) in all {
            listing.push(Entry { path: path.into(), kind, place }, wants.into());
        }
        listing.sort();
        let bytes = encode(&listing);
        let decode = |bytes: &[u8]| decode(&bytes.into());
        let back = decode(&bytes).unwrap();
        assert_eq!((&back.entries, &back.wants), (&listing.entries, &listing.wants));
        for at in 0..bytes.len() {
            let mut broken = bytes.clone();
            broken[at] ^= 1;
            assert!(decode(&broken).is_none() && decode(&bytes[..at]).is_none(), "{at}");
        }
    }
}
