//! Markup that repeats from record to record: the scanner understands it once, and then only compares bytes.
//!
//! Between the text of one element and the text of the next stands the same markup in every record, such as
//! `</loc>\n  <lastmod>`. Where it led from one place in the document back to a place with the same open elements, equal
//! bytes lead there again.

use super::paths::State;

/// Kinds of markup remembered for one document.
const MAX_LINKS: usize = 16;
/// Bytes of one of them.
const MAX_LENGTH: usize = 512;

/// What is known of one document so far.
#[derive(Default)]
pub(super) struct Repeats {
    /// The open elements around all that is remembered.
    around: Option<Around>,
    leaves: Vec<Leaf>,
    links: Vec<Link>,
}

struct Around {
    names: Vec<u8>,
    open: Vec<(usize, State)>,
}

/// An element that holds only text, and has no attributes.
struct Leaf {
    name: Vec<u8>,
    path: Option<usize>,
}

/// The markup from the end of one leaf's text to the start of the next one's.
struct Link {
    from: usize,
    bytes: Vec<u8>,
    to: usize,
    /// The link that came after this one the last time.
    next: usize,
}

impl Repeats {
    /// The number of a leaf among the given open elements; none if it is not to be remembered.
    pub(super) fn leaf(
        &mut self,
        names: &[u8],
        open: &[(usize, State)],
        name: &[u8],
        path: Option<usize>,
    ) -> Option<usize> {
        let around = self.around.get_or_insert_with(|| Around { names: names.to_vec(), open: open.to_vec() });
        if around.names != names || around.open != open {
            return None;
        }
        if let Some(at) = self.leaves.iter().position(|leaf| leaf.name == name) {
            return Some(at);
        }
        if self.leaves.len() == MAX_LINKS {
            return None;
        }
        self.leaves.push(Leaf { name: name.to_vec(), path });
        Some(self.leaves.len() - 1)
    }

    /// Remembers the markup between the texts of two leaves.
    pub(super) fn learn(&mut self, from: usize, bytes: &[u8], to: usize) {
        let known = || self.links.iter().any(|link| link.from == from && link.bytes == bytes);
        if bytes.len() <= MAX_LENGTH && self.links.len() < MAX_LINKS && !known() {
            self.links.push(Link { from, bytes: bytes.to_vec(), to, next: 0 });
        }
    }

    /// The link that `text` begins with, behind the text of this leaf.
    pub(super) fn follow(&mut self, leaf: usize, text: &[u8], last: &mut usize) -> Option<Followed> {
        let fits = |link: &&Link| link.from == leaf && text.starts_with(&link.bytes);
        let guess = self.links.get(*last).map_or(0, |link| link.next);
        let at = match self.links.get(guess).filter(fits) {
            Some(_) => guess,
            None => self.links.iter().position(|link| fits(&link))?,
        };
        if at != guess {
            self.links[*last].next = at;
        }
        *last = at;
        let link = &self.links[at];
        let leaf = &self.leaves[link.to];
        // The link ends with the leaf's start tag.
        Some(Followed { leaf: link.to, path: leaf.path, length: link.bytes.len(), tag: leaf.name.len() + 2 })
    }
}

/// Where a link leads.
pub(super) struct Followed {
    /// The leaf whose text comes next.
    pub(super) leaf: usize,
    /// Which path it stands at.
    pub(super) path: Option<usize>,
    /// Bytes of the link.
    pub(super) length: usize,
    /// Bytes of the leaf's start tag, the link's last.
    pub(super) tag: usize,
}
