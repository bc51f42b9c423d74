//! git's deltas: an object told as pieces of another (git's `Documentation/gitformat-pack.txt`).

/// The two lengths that a delta begins with: of the object that it is told by, and of the one that it tells.
pub(super) struct Sizes {
    pub(super) base: u64,
    pub(super) result: u64,
    /// Where the pieces begin.
    pub(super) end: usize,
}

impl Sizes {
    pub(super) fn of(delta: &[u8]) -> Option<Self> {
        let (base, first) = size(delta)?;
        let (result, second) = size(&delta[first..])?;
        Some(Self { base, result, end: first + second })
    }
}

fn size(bytes: &[u8]) -> Option<(u64, usize)> {
    let mut size = 0;
    for (at, byte) in bytes.iter().take(9).enumerate() {
        size |= u64::from(byte & 0x7f) << (7 * at);
        if byte & 0x80 == 0 {
            return Some((size, at + 1));
        }
    }
    None
}

/// Appends to `out` what the pieces tell, which has to be exactly `size` bytes; none where they make no sense.
pub(super) fn apply(base: &[u8], mut pieces: &[u8], size: usize, out: &mut Vec<u8>) -> Option<()> {
    let end = out.len().checked_add(size)?;
    while let Some((&command, rest)) = pieces.split_first() {
        let piece;
        if command & 0x80 != 0 {
            let (range, rest) = copied(command, rest)?;
            piece = base.get(range)?;
            pieces = rest;
        } else {
            (piece, pieces) = rest.split_at_checked(usize::from(command)).filter(|_| command != 0)?;
        }
        if piece.len() > end - out.len() {
            return None;
        }
        out.extend_from_slice(piece);
    }
    (out.len() == end).then_some(())
}

/// The part of the base that a command copies, and what follows it: its low bits say which bytes of offset and length are there.
fn copied(command: u8, mut rest: &[u8]) -> Option<(std::ops::Range<usize>, &[u8])> {
    let mut number = |bits: std::ops::Range<u8>| {
        let mut number = 0;
        for (at, bit) in bits.enumerate() {
            if command >> bit & 1 != 0 {
                let (byte, after) = rest.split_first()?;
                number |= usize::from(*byte) << (8 * at);
                rest = after;
            }
        }
        Some(number)
    };
    let offset = number(0..4)?;
    let length = match number(4..7)? {
        0 => 0x10000,
        length => length,
    };
    Some((offset..offset.checked_add(length)?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(base: &[u8], pieces: &[u8], size: usize) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        apply(base, pieces, size, &mut out).map(|()| out)
    }

    #[test]
    fn pieces_are_copied_and_inserted() {
        assert_eq!(told(b"hello world", b"\x90\x05\x03, a", 8).as_deref(), Some(b"hello, a".as_slice()));
        assert_eq!(told(b"hello world", b"\x91\x06\x05", 5).as_deref(), Some(b"world".as_slice()));
        assert_eq!(told(&[1; 0x10000], b"\x80", 0x10000).map(|out| out.len()), Some(0x10000));
        assert_eq!(told(b"", b"", 0).as_deref(), Some(b"".as_slice()));
    }

    #[test]
    fn nonsense_is_refused() {
        let wrong: [(&[u8], usize); 8] = [
            (b"\x90\x05", 4),     // longer than it said
            (b"\x90\x05", 6),     // shorter
            (b"\x91\x08\x05", 5), // beyond the base
            (b"\x00", 0),         // reserved
            (b"\x05abc", 5),      // cut short
            (b"\x91", 5),         // cut short
            (b"\x8f\xff\xff\xff\xff", 0x10000),
            (b"\xff\xff\xff\xff\xff\xff\xff\xff", usize::MAX),
        ];
        for (pieces, size) in wrong {
            assert_eq!(told(b"hello world", pieces, size), None, "{pieces:?}");
        }
        assert!(Sizes::of(b"\x80").is_none());
        assert!(Sizes::of(&[0xff; 20]).is_none());
    }

    #[test]
    fn sizes_are_read() {
        let sizes = Sizes::of(b"\x05\x80\x01rest").expect("two numbers");
        assert_eq!((sizes.base, sizes.result, sizes.end), (5, 128, 3));
    }
}
