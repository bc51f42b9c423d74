//! The bytes on their way to the parser: watched for templates, checked as UTF-8, counted, and bounded.

use std::io::{self, BufRead, ErrorKind, Read};

use super::{CHUNK, ExtractError, Halt};

/// What marks a file as a template of Jinja, Liquid, ERB, EJS or PHP.
const MARKERS: [&[u8]; 5] = [b"{{", b"{%", b"<%", b"<?php", b"<?="];
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
    end: usize,
    consumed: usize,
    lines: usize,
    /// Bytes at the end of the last chunk that begin a character.
    split: usize,
    event_left: usize,
    ended: bool,
}

impl<'r> Feed<'r> {
    pub(super) fn new(source: Box<dyn Read + 'r>, chunk: usize) -> Self {
        let buffer = vec![0; HISTORY + chunk.clamp(HISTORY, CHUNK)];
        let (start, end) = (HISTORY, HISTORY);
        Self { source, buffer, start, end, consumed: 0, lines: 0, split: 0, event_left: MAX_EVENT, ended: false }
    }

    /// How many bytes the parser has taken.
    pub(super) fn offset(&self) -> usize {
        self.consumed
    }

    /// The line that the parser has come to, from 1.
    pub(super) fn line(&self) -> usize {
        self.lines + 1
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
        let past = self.end - HISTORY;
        self.buffer.copy_within(past..self.end, 0);
        (self.start, self.end) = (HISTORY, HISTORY);
        let already = self.consumed;
        // The parser wants to see a byte order mark in one piece.
        let wanted = if already == 0 { HISTORY } else { 1 };
        while self.end - HISTORY < wanted {
            match self.source.read(&mut self.buffer[self.end..]) {
                Ok(0) => {
                    self.ended = true;
                    break;
                }
                Ok(count) => self.end += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.watch()?;
        self.check_encoding()
    }

    fn watch(&self) -> io::Result<()> {
        let seen = &self.buffer[..self.end];
        match MARKERS.iter().any(|marker| memchr::memmem::find(seen, marker).is_some()) {
            true => Err(Halt::Template.into()),
            false => Ok(()),
        }
    }

    fn check_encoding(&mut self) -> io::Result<()> {
        let from = HISTORY - self.split;
        let first = self.consumed - self.split;
        match std::str::from_utf8(&self.buffer[from..self.end]) {
            Ok(_) => self.split = 0,
            Err(error) if error.error_len().is_none() && !self.ended => {
                self.split = self.end - from - error.valid_up_to();
            }
            Err(error) => return Err(Halt::from(ExtractError::Encoding(first + error.valid_up_to())).into()),
        }
        Ok(())
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
        if self.start == self.end && !self.ended {
            self.refill()?;
        }
        Ok(&self.buffer[self.start..self.end])
    }

    fn consume(&mut self, amount: usize) {
        let taken = &self.buffer[self.start..self.start + amount];
        self.lines += memchr::memchr_iter(b'\n', taken).count();
        self.start += amount;
        self.consumed += amount;
        self.event_left = self.event_left.saturating_sub(amount);
    }
}
