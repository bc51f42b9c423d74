//! Gzip, with a bound on what it may inflate to.

use std::io::{self, ErrorKind, Read};

use flate2::read::MultiGzDecoder;

use super::{ExtractError, carry::Halt};

/// The inflated bytes of `reader`, of all its gzip members.
///
/// Reading fails once there are more than `max` of them, or when the data is broken or cut off; the extractors here turn that into
/// [`ExtractError::TooLarge`] and [`ExtractError::Syntax`].
pub fn gunzip<R: Read>(reader: R, max: u64) -> impl Read {
    Inflated { decoder: MultiGzDecoder::new(reader), left: max, max }
}

struct Inflated<R> {
    decoder: MultiGzDecoder<R>,
    left: u64,
    max: u64,
}

impl<R: Read> Read for Inflated<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = match self.decoder.read(buffer) {
            Ok(count) => count,
            Err(error) if broken(&error) => {
                let message = error.to_string();
                return Err(Halt::Failed(ExtractError::Syntax { format: "gzip", line: 1, message }).into());
            }
            Err(error) => return Err(error),
        };
        match self.left.checked_sub(count as u64) {
            Some(left) => self.left = left,
            None => {
                let message = format!("inflates to more than {} bytes", self.max);
                return Err(Halt::Failed(ExtractError::TooLarge(message)).into());
            }
        }
        Ok(count)
    }
}

fn broken(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::InvalidData | ErrorKind::UnexpectedEof)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::{Compression, write::GzEncoder};

    use super::*;

    fn zipped(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).expect("a vector takes all");
        encoder.finish().expect("a vector takes all")
    }

    fn read(bytes: &[u8], max: u64) -> Result<Vec<u8>, Halt> {
        let mut out = Vec::new();
        gunzip(bytes, max).read_to_end(&mut out).map(|_| out).map_err(|error| Halt::from(&error))
    }

    #[test]
    fn all_members_and_no_more_than_asked() {
        let bytes = [zipped(b"one "), zipped(b"two")].concat();
        assert_eq!(read(&bytes, 7), Ok(b"one two".to_vec()));
        assert!(matches!(read(&bytes, 6), Err(Halt::Failed(ExtractError::TooLarge(_)))));
        let bomb = zipped(&vec![0; 1 << 22]);
        assert!(matches!(read(&bomb, 1 << 16), Err(Halt::Failed(ExtractError::TooLarge(_)))));
    }

    #[test]
    fn broken_data_is_no_silence() {
        let bytes = zipped(b"some text that is long enough to be cut");
        for cut in 1..bytes.len() {
            assert!(matches!(read(&bytes[..cut], 100), Err(Halt::Failed(ExtractError::Syntax { .. }))), "{cut}");
        }
        assert!(matches!(read(b"plain", 100), Err(Halt::Failed(ExtractError::Syntax { .. }))));
    }
}
