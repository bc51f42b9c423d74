//! Names held before a file exists: as references on the remote that all share, one for each name. Nothing here touches git; see
//! [`source::Remote`](crate::source::Remote).
//!
//! A reference is made only where there is none, and replaced only where it still is what was read: whoever is first has the name, on any
//! machine, and no server of our own decides it.

mod board;
mod claim;

pub use board::{Board, Posted, Standing};
pub use claim::{LONGEST, Reservation, Unreadable};

use sha2::{Digest, Sha256};

/// Where the references are. One flat folder: names of references must not be folders of each other, nor depend on case.
pub const FOLDER: &str = "refs/gatekeep/claims/";

/// So many seconds after its end a reservation still holds: clocks differ.
pub const MARGIN: i64 = 5 * 60;

/// Longest text of a reservation, in bytes.
pub const LONGEST_TEXT: usize = 1000;

/// What is held: one name, as the rule compares it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subject<'a> {
    /// The id of the rule.
    pub namespace: &'a str,
    /// Within which the name may be taken once.
    pub partition: &'a str,
    /// The set of names within the partition.
    pub space: &'a str,
    /// The name, as the rule compares it.
    pub name: &'a str,
}

impl Subject<'_> {
    /// The last part of the reference that stands for the name.
    pub fn reference(&self) -> String {
        let mut hash = Sha256::new();
        for part in [self.namespace, self.partition, self.space, self.name] {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part.as_bytes());
        }
        hash.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
    }
}

/// Whether a text may be written into a reservation: not too long, and one line of letters that can be seen.
pub fn is_fit(text: &str) -> bool {
    !text.trim().is_empty() && text.len() <= LONGEST_TEXT && crate::error::visible(text) == text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_is_flat_and_one_for_each_name() {
        let subject = |partition, name| Subject { namespace: "adr-numbers", partition, space: "", name };
        let one = subject("docs/adr", "4").reference();
        assert_eq!(one, "d8f0c4b5".to_owned() + &one[8..], "it stays what it is, or all reservations are lost");
        assert!(one.len() == 32 && one.bytes().all(|b| b.is_ascii_hexdigit()));
        for other in [subject("docs/adr", "5"), subject("docs", "/adr4"), subject("docs/adr4", "")] {
            assert_ne!(other.reference(), one, "{other:?}");
        }
    }

    #[test]
    fn what_is_written_is_one_visible_line() {
        assert!(is_fit("agent/ps3") && is_fit("Zoë"));
        for bad in ["", " ", "a\nb", "a\u{202e}b", "\x1b[31m", &"x".repeat(LONGEST_TEXT + 1)] {
            assert!(!is_fit(bad), "{bad:?}");
        }
    }
}
