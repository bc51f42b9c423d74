//! What is kept of the line at hand while a text is read.

use std::{collections::VecDeque, mem};

use super::clip::{Part, around};
use crate::diag::Snippet;

/// How many characters of a line a snippet shows.
pub(super) const WIDTH: usize = 160;

/// The line at hand, up to where the reader stands.
#[derive(Debug)]
pub(super) struct Line {
    /// From 1.
    pub(super) number: usize,
    /// Of the next character, from 1.
    column: usize,
    /// The first characters.
    pub(super) head: Head,
    /// The last characters.
    tail: VecDeque<char>,
}

impl Line {
    pub(super) fn first() -> Self {
        Self { number: 1, column: 1, head: Head::default(), tail: VecDeque::with_capacity(WIDTH) }
    }

    /// Begins another line.
    pub(super) fn restart(&mut self, number: usize) {
        self.number = number;
        self.column = 1;
        self.head = Head::default();
        self.tail.clear();
    }

    /// Line and column of the next character.
    pub(super) fn at(&self) -> (usize, usize) {
        (self.number, self.column)
    }

    pub(super) fn push(&mut self, c: char) {
        self.column += 1;
        self.head.push(c);
        if self.tail.len() == WIDTH {
            self.tail.pop_front();
        }
        self.tail.push_back(c);
    }
}

/// The beginning of a text, up to [`WIDTH`] characters.
#[derive(Debug, Default)]
pub(super) struct Head {
    pub(super) text: String,
    length: usize,
    /// Whether more followed.
    pub(super) more: bool,
}

impl Head {
    fn push(&mut self, c: char) {
        if self.length == WIDTH {
            self.more = true;
        } else {
            self.text.push(c);
            self.length += 1;
        }
    }

    /// Takes off the first half of a line end that has two.
    pub(super) fn drop_carriage_return(&mut self) {
        if !self.more && self.text.ends_with('\r') {
            self.text.pop();
            self.length -= 1;
        }
    }

    fn push_to(&self, out: &mut String) {
        out.push_str(&self.text);
        if self.more {
            out.push('…');
        }
    }
}

/// The line around the place where a range begins.
#[derive(Debug)]
pub(super) struct Capture {
    /// Which range.
    pub(super) span: usize,
    end: usize,
    line: usize,
    before: String,
    before_more: bool,
    /// From the beginning of the range on.
    pub(super) rest: Head,
    /// Bytes of `rest` that belong to the range.
    mark: usize,
}

impl Capture {
    /// Begins at the next character of a line; the range ends at the offset `end`.
    pub(super) fn new(span: usize, end: usize, line: &Line) -> Self {
        Self {
            span,
            end,
            line: line.number,
            before: line.tail.iter().collect(),
            before_more: line.column - 1 > line.tail.len(),
            rest: Head::default(),
            mark: 0,
        }
    }

    /// Takes a character that begins at `offset`.
    pub(super) fn push(&mut self, c: char, offset: usize) {
        self.rest.push(c);
        if offset < self.end {
            self.mark = self.rest.text.len();
        }
    }

    pub(super) fn drop_carriage_return(&mut self) {
        if self.rest.length > 0 {
            self.rest.drop_carriage_return();
        } else if self.before.ends_with('\r') {
            self.before.pop();
        }
        self.mark = self.mark.min(self.rest.text.len());
    }

    /// The line between its neighbours.
    pub(super) fn snippet(mut self, previous: Option<&Head>, after: Option<&Head>) -> Snippet {
        let mut text = String::new();
        if let Some(previous) = previous {
            previous.push_to(&mut text);
            text.push('\n');
        }
        let before = mem::take(&mut self.before);
        let (before, rest) =
            (Part { text: &before, more: self.before_more }, Part { text: &self.rest.text, more: self.rest.more });
        let (line, mark) = around(&before, &rest, self.mark, WIDTH);
        let mark = text.len() + mark.start..text.len() + mark.end;
        text.push_str(&line);
        if let Some(after) = after {
            text.push('\n');
            after.push_to(&mut text);
        }
        Snippet { text, first_line: self.line - usize::from(previous.is_some()), mark }
    }
}
