//! The bytes on their way to the parser: watched for templates, checked as UTF-8, counted, and bounded.

use std::io::{self, BufRead, ErrorKind, Read};

use super::{CHUNK, ExtractError, Halt};

/// What marks a file as a template of Jinja, Liquid, ERB, EJS or PHP; the first bytes are looked for, then the others.
const MARKERS: [(&[u8], &[&[u8]]); 3] = [(b"{", &[b"{", b"%"]), (b"<%", &[b""]), (b"<?", &[b"php", b"="])];
/// Bytes kept from the last chunk: one less than the longest marker, and enough for a split character.
const HISTORY: usize = 4;
/// Bytes of one tag, comment or piece of text.
const MAX_EVENT: usize = 1024 * 1024;

/// A buffered reader for quick-xml.
pub(super) struct Feed<'r> {
    source: Box<dyn Read + 'r>,
    /// `HISTORY` bytes of the past, then the chunk.
    buffer: Vec<u8>,
    start: usize,
    /// Where the bytes end that the parser may have.
    end: usize,
    /// Where the chunk ends.
    filled: usize,
    consumed: usize,
    /// Line breaks before the chunk.
    lines: usize,
    /// Bytes at the end of the last chunk that begin a character.
    split: usize,
    event_left: usize,
    ended: bool,
    /// Told once the parser has had all bytes before it, so that the outcome does not hang on the size of chunks.
    failed: Option<ExtractError>,
}

impl<'r> Feed<'r> {
    pub(super) fn new(source: Box<dyn Read + 'r>, chunk: usize) -> Self {
        let buffer = vec![0; HISTORY + chunk.clamp(HISTORY, CHUNK)];
        Self {
            source,
            buffer,
            start: HISTORY,
            end: HISTORY,
            filled: HISTORY,
            consumed: 0,
            lines: 0,
            split: 0,
            event_left: MAX_EVENT,
            ended: false,
            failed: None,
        }
    }

    /// How many bytes the parser has taken.
    pub(super) fn offset(&self) -> usize {
        self.consumed
    }

    /// The line that the parser has come to, from 1.
    pub(super) fn line(&self) -> usize {
        self.lines + 1 + memchr::memchr_iter(b'\n', &self.buffer[HISTORY..self.start]).count()
    }

    /// Lets the next event be as long as any.
    pub(super) fn renew(&mut self) {
        self.event_left = MAX_EVENT;
    }

    /// Whether any of the bytes that are left makes this a template.
    pub(super) fn rest_is_template(&mut self) -> bool {
        while !self.ended {
            match self.refill() {
                Ok(()) => {}
                Err(error) => return Halt::from(&error) == Halt::Template,
            }
        }
        false
    }

    fn refill(&mut self) -> io::Result<()> {
        self.lines += memchr::memchr_iter(b'\n', &self.buffer[HISTORY..self.start]).count();
        self.buffer.copy_within(self.filled - HISTORY..self.filled, 0);
        (self.start, self.end, self.filled) = (HISTORY, HISTORY, HISTORY);
        // The parser wants to see a byte order mark in one piece.
        let wanted = if self.consumed == 0 { HISTORY } else { 1 };
        while self.filled - HISTORY < wanted {
            match self.source.read(&mut self.buffer[self.filled..]) {
                Ok(0) => {
                    self.ended = true;
                    break;
                }
                Ok(count) => self.filled += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.end = self.filled;
        self.watch()
    }

    fn watch(&self) -> io::Result<()> {
        let seen = &self.buffer[..self.filled];
        let marked = MARKERS.iter().any(|(start, ends)| {
            memchr::memmem::find_iter(seen, start)
                .any(|at| ends.iter().any(|end| seen[at + start.len()..].starts_with(end)))
        });
        if marked { Err(Halt::Template.into()) } else { Ok(()) }
    }

    /// Cuts the chunk off at the first byte that is no UTF-8.
    fn check_encoding(&mut self) {
        let from = HISTORY - self.split;
        let Err(error) = std::str::from_utf8(&self.buffer[from..self.end]) else {
            self.split = 0;
            return;
        };
        let valid = from + error.valid_up_to();
        if error.error_len().is_none() && !self.ended {
            self.split = self.end - valid;
        } else {
            self.failed = Some(ExtractError::Encoding(self.consumed + valid - HISTORY));
            self.end = valid.max(HISTORY);
        }
    }
}

impl Read for Feed<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(into)?;
        self.consume(count);
        Ok(count)
    }
}

impl BufRead for Feed<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.event_left == 0 {
            let message = format!("one tag, comment or text has more than {MAX_EVENT} bytes");
            return Err(Halt::from(ExtractError::TooLarge(message)).into());
        }
        if self.start == self.end && self.failed.is_none() && !self.ended {
            self.refill()?;
            self.check_encoding();
        }
        if self.start == self.end
            && let Some(error) = &self.failed
        {
            return Err(Halt::from(error.clone()).into());
        }
        Ok(&self.buffer[self.start..self.end.min(self.start + self.event_left)])
    }

    fn consume(&mut self, amount: usize) {
        self.start += amount;
        self.consumed += amount;
        self.event_left = self.event_left.saturating_sub(amount);
    }
}
