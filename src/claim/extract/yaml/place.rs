//! From the parser's places, which count characters, to bytes of the file.

use std::ops::Range;

use saphyr_parser::{ScalarStyle, Span};

/// Characters between two known places.
const STEP: usize = 64;

/// Where the characters of a text stand.
pub(super) struct Places<'t> {
    text: &'t str,
    /// Bytes that were taken off the start of the file.
    mark: usize,
    /// The byte of every 64th character; empty where a character is a byte.
    known: Vec<usize>,
}

impl<'t> Places<'t> {
    pub(super) fn new(text: &'t str, mark: usize) -> Self {
        let known = if text.is_ascii() {
            Vec::new()
        } else {
            text.char_indices().step_by(STEP).map(|(byte, _)| byte).collect()
        };
        Self { text, mark, known }
    }

    fn byte(&self, character: usize) -> usize {
        if self.known.is_empty() {
            return character.min(self.text.len());
        }
        let Some(&start) = self.known.get(character / STEP) else { return self.text.len() };
        let rest = &self.text[start..];
        rest.char_indices().nth(character % STEP).map_or(self.text.len(), |(byte, _)| start + byte)
    }

    /// The bytes of a span in the file, without the blanks at its end.
    pub(super) fn of(&self, span: &Span) -> Range<usize> {
        let start = self.byte(span.start.index());
        let end = self.byte(span.end.index()).max(start);
        let length = self.text[start..end].trim_end().len();
        self.mark + start..self.mark + start + length
    }

    /// The same for a scalar, without what stands around its text: anchor, tag and quotes.
    pub(super) fn scalar(&self, span: &Span, style: ScalarStyle) -> Range<usize> {
        let whole = self.of(span);
        let written = &self.text[whole.start - self.mark..whole.end - self.mark];
        let mut bare = written;
        while bare.starts_with(['&', '!']) {
            bare = bare.find(char::is_whitespace).map_or("", |blank| bare[blank..].trim_start());
        }
        let start = whole.start + written.len() - bare.len();
        let end = match style {
            ScalarStyle::SingleQuoted => closing(bare, '\''),
            ScalarStyle::DoubleQuoted => closing(bare, '"'),
            _ => None,
        };
        // The parser's own end of a quoted scalar lies behind the blanks and comment that follow.
        end.map_or(start..whole.end, |end| start + 1..start + end)
    }
}

/// Where the quote is that closes the text; a doubled or escaped one does not.
fn closing(text: &str, quote: char) -> Option<usize> {
    let mut rest = text.char_indices().skip(1).peekable();
    while let Some((at, found)) = rest.next() {
        if found == '\\' && quote == '"' {
            rest.next();
        } else if found == quote {
            match rest.peek() {
                Some((_, next)) if *next == quote && quote == '\'' => rest.next(),
                _ => return Some(at),
            };
        }
    }
    None
}
