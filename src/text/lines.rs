//! From byte offsets to lines and columns, and the few lines around them, in one pass and without an index.

use std::{
    cmp::Reverse,
    collections::BinaryHeap,
    io::{self, Read},
    mem,
    ops::Range,
};

use super::line::{Capture, Head, Line};
use crate::diag::{Position, Snippet};

/// How many bytes are read at a time.
const CHUNK: usize = 64 * 1024;
/// What stands for a byte order mark once it is decoded.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// A place in a text, and the lines around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// Lines and columns.
    pub position: Position,
    /// The line where the place begins, cut around the mark, with one line before and one after.
    pub snippet: Snippet,
}

/// Finds one range of bytes in a text that is at hand. Takes time linear in the offset, at the speed of counting line ends.
///
/// Lines end with `\n`; a `\r` before it is not shown, one elsewhere is no line end. Columns count Unicode scalar values; a
/// byte order mark at the start counts as none, and an invalid sequence as the one character that replaces it. A range that
/// begins or ends inside a character is widened to hold it; what lies past the end is cut off.
pub fn locate(text: &[u8], span: Range<usize>) -> Located {
    let mut locator = Locator::new(vec![span]);
    locator.feed(text);
    locator.finish().pop().expect("one range was asked for")
}

/// Finds many ranges in a text that is read piece by piece, see [`locate`]. Stops reading after the last one.
pub fn locate_in(mut text: impl Read, spans: Vec<Range<usize>>) -> io::Result<Vec<Located>> {
    let mut locator = Locator::new(spans);
    let mut chunk = vec![0; CHUNK];
    while !locator.done() {
        match text.read(&mut chunk) {
            Ok(0) => break,
            Ok(length) => locator.feed(&chunk[..length]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(locator.finish())
}

/// Finds many ranges in a text that comes in chunks, see [`locate`]. Memory is bounded by the snippets and one chunk.
#[derive(Debug)]
pub struct Locator {
    /// The ranges by where they begin, each with its place in the answer.
    spans: Vec<(Range<usize>, usize)>,
    /// Where each of them begins and ends, as far as that is known.
    edges: Vec<[Option<(usize, usize)>; 2]>,
    snippets: Vec<Option<Snippet>>,
    /// The first range whose beginning has not been met.
    next: usize,
    /// Ranges whose end has not been met, the nearest first.
    open: BinaryHeap<Reverse<(usize, usize)>>,
    /// Ranges that begin in the line at hand; those from `filling` on still take characters.
    here: Vec<Capture>,
    filling: usize,
    /// Ranges that begin in the line before, which wait for this one, and the line before that.
    above: Vec<Capture>,
    before_above: Option<Head>,
    line: Line,
    /// The line before, where it was read.
    previous: Option<Head>,
    /// Bytes so far.
    offset: usize,
    /// The bytes of a character that the last chunk cut in two.
    carried: Vec<u8>,
}

impl Locator {
    /// Prepares to find these ranges of bytes. The order is that of the answer; they may overlap.
    pub fn new(spans: Vec<Range<usize>>) -> Self {
        let count = spans.len();
        let mut spans: Vec<_> = spans.into_iter().zip(0..).collect();
        spans.sort_by_key(|(span, _)| span.start);
        Self {
            spans,
            edges: vec![[None; 2]; count],
            snippets: vec![None; count],
            next: 0,
            open: BinaryHeap::new(),
            here: Vec::new(),
            filling: 0,
            above: Vec::new(),
            before_above: None,
            line: Line::first(),
            previous: None,
            offset: 0,
            carried: Vec::new(),
        }
    }

    /// Whether all ranges have been found, so that the rest of the text need not be fed.
    pub fn done(&self) -> bool {
        self.all_met() && self.here.is_empty() && (self.above.is_empty() || self.line.head.more)
    }

    /// Takes the next bytes of the text.
    pub fn feed(&mut self, chunk: &[u8]) {
        let mut joined = mem::take(&mut self.carried);
        let bytes = if joined.is_empty() {
            chunk
        } else {
            joined.extend_from_slice(chunk);
            &joined
        };
        let whole = bytes.len() - cut_character(bytes);
        let mut at = 0;
        while at < whole && !self.done() {
            at += self.skip_lines(&bytes[at..whole]);
            let end = memchr::memchr(b'\n', &bytes[at..whole]).map_or(whole, |length| at + length + 1);
            self.read(&bytes[at..end]);
            at = end;
        }
        self.carried = bytes[whole..].to_vec();
    }

    /// Ends the text and gives the places, in the order in which the ranges were given.
    pub fn finish(mut self) -> Vec<Located> {
        let carried = mem::take(&mut self.carried);
        self.read(&carried);
        let end = self.offset;
        while self.next < self.spans.len() {
            self.begin(end);
        }
        while let Some(Reverse((_, index))) = self.open.pop() {
            self.edges[index][1] = Some(self.line.at());
        }
        let last = (!self.line.head.text.is_empty()).then(|| mem::take(&mut self.line.head));
        self.show_above(last.as_ref());
        self.above = mem::take(&mut self.here);
        self.before_above = self.previous.take();
        self.show_above(None);
        let places = self.edges.into_iter().zip(self.snippets);
        places.map(|(edges, snippet)| located(edges, snippet).expect("every range was met by the end")).collect()
    }

    /// Whether every range has begun and ended.
    fn all_met(&self) -> bool {
        self.next == self.spans.len() && self.open.is_empty()
    }

    /// Passes over lines that no range is near to. Leaves two before the next range, or before the end of the bytes.
    fn skip_lines(&mut self, bytes: &[u8]) -> usize {
        if !(self.here.is_empty() && self.above.is_empty() && self.open.is_empty()) {
            return 0;
        }
        let reach = self.spans.get(self.next).map_or(0, |(span, _)| span.start.saturating_sub(self.offset));
        let free = &bytes[..reach.min(bytes.len())];
        let newline = |text: &[u8]| memchr::memrchr(b'\n', text);
        let Some(passed) = newline(free).and_then(|last| newline(&free[..last])).map(|end| end + 1) else {
            return 0;
        };
        let lines = memchr::memchr_iter(b'\n', &free[..passed]).count();
        self.line.restart(self.line.number + lines);
        self.previous = None;
        self.offset += passed;
        passed
    }

    /// Takes bytes of one line, with its end if that is among them.
    fn read(&mut self, bytes: &[u8]) {
        let end = self.offset + bytes.len();
        for chunk in bytes.utf8_chunks() {
            for c in chunk.valid().chars() {
                if self.all_met() && self.line.head.more && self.filling == self.here.len() {
                    self.offset = end;
                    if bytes.ends_with(b"\n") {
                        self.end_line();
                    }
                    return;
                }
                self.take(c, c.len_utf8());
            }
            if !chunk.invalid().is_empty() {
                self.take(char::REPLACEMENT_CHARACTER, chunk.invalid().len());
            }
        }
    }

    /// Takes one character that `length` bytes stand for.
    fn take(&mut self, c: char, length: usize) {
        while let Some(Reverse((end, index))) = self.open.peek().copied()
            && end <= self.offset
        {
            self.edges[index][1] = Some(self.line.at());
            self.open.pop();
        }
        while self.spans.get(self.next).is_some_and(|(span, _)| span.start < self.offset + length) {
            self.begin(self.offset);
        }
        if c == '\n' {
            self.end_line();
        } else if !(c == BYTE_ORDER_MARK && self.offset == 0) {
            self.line.push(c);
            for capture in &mut self.here[self.filling..] {
                capture.push(c, self.offset);
            }
            let full = self.here[self.filling..].iter().take_while(|capture| capture.rest.more).count();
            self.filling += full;
        }
        self.offset += length;
    }

    /// Notes that the next range begins at the character at hand.
    fn begin(&mut self, offset: usize) {
        let (span, index) = &self.spans[self.next];
        let (at, end) = (self.line.at(), span.end.max(span.start));
        self.edges[*index][0] = Some(at);
        if end <= offset {
            self.edges[*index][1] = Some(at);
        } else {
            self.open.push(Reverse((end, *index)));
        }
        self.here.push(Capture::new(*index, end, &self.line));
        self.next += 1;
    }

    fn end_line(&mut self) {
        self.line.head.drop_carriage_return();
        for capture in &mut self.here {
            capture.drop_carriage_return();
        }
        let head = mem::take(&mut self.line.head);
        self.show_above(Some(&head));
        self.above = mem::take(&mut self.here);
        self.filling = 0;
        self.before_above = self.previous.replace(head);
        self.line.restart(self.line.number + 1);
    }

    /// Makes the snippets of the line above, now that what follows it is known.
    fn show_above(&mut self, after: Option<&Head>) {
        for capture in mem::take(&mut self.above) {
            let index = capture.span;
            self.snippets[index] = Some(capture.snippet(self.before_above.as_ref(), after));
        }
    }
}

fn located([start, end]: [Option<(usize, usize)>; 2], snippet: Option<Snippet>) -> Option<Located> {
    let ((line, column), (end_line, end_column)) = (start?, end?);
    Some(Located { position: Position { line, column, end_line, end_column }, snippet: snippet? })
}

/// How many bytes at the end are the beginning of a character that is not all there.
fn cut_character(bytes: &[u8]) -> usize {
    let unfinished = |tail: &[u8]| matches!(std::str::from_utf8(tail), Err(error) if error.valid_up_to() == 0 && error.error_len().is_none());
    (1..=bytes.len().min(3)).find(|length| unfinished(&bytes[bytes.len() - length..])).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use proptest::prelude::*;

    /// Reads in pieces of this size.
    fn in_pieces(text: &[u8], size: usize, spans: Vec<Range<usize>>) -> Vec<Located> {
        let mut locator = Locator::new(spans);
        text.chunks(size).for_each(|piece| locator.feed(piece));
        locator.finish()
    }

    fn position(text: &[u8], span: Range<usize>) -> [usize; 4] {
        let at = locate(text, span).position;
        [at.line, at.column, at.end_line, at.end_column]
    }

    fn shown(text: &str, needle: &str) -> (String, usize, String) {
        let at = text.find(needle).unwrap();
        let Snippet { text, first_line, mark } = locate(text.as_bytes(), at..at + needle.len()).snippet;
        let marked = text[mark].to_owned();
        (text, first_line, marked)
    }

    #[test]
    fn counts_lines_and_characters() {
        let text = "a\nbé日c\n\nd".as_bytes();
        assert_eq!(position(text, 0..1), [1, 1, 1, 2]);
        assert_eq!(position(text, 2..5), [2, 1, 2, 3]);
        assert_eq!(position(text, 5..8), [2, 3, 2, 4]);
        assert_eq!(position(text, 8..12), [2, 4, 4, 2]);
        assert_eq!(position(text, 1..2), [1, 2, 2, 1]);
        assert_eq!(position(text, 10..10), [3, 1, 3, 1]);
        assert_eq!(position(b"", 0..0), [1, 1, 1, 1]);
    }

    #[test]
    fn the_odd_ones() {
        assert_eq!(position(b"\xef\xbb\xbfab", 3..4), [1, 1, 1, 2], "a byte order mark is no column");
        assert_eq!(position(b"\xef\xbb\xbfab", 0..4), [1, 1, 1, 2]);
        assert_eq!(position(b"a\r\nb\rc", 3..6), [2, 1, 2, 4], "a lone \\r ends no line");
        assert_eq!(position(b"\xff\xe6\x97b\xe2\x82", 3..4), [1, 3, 1, 4], "one column a replaced sequence");
        assert_eq!(position(b"\xff\xe6\x97b\xe2\x82", 4..6), [1, 4, 1, 5]);
        assert_eq!(position("é日".as_bytes(), 1..3), [1, 1, 1, 3], "widened to whole characters");
        assert_eq!(position(b"a\nb\n", 9..12), [3, 1, 3, 1], "cut off at the end");
        #[expect(clippy::reversed_empty_ranges, reason = "what a careless caller may hand over")]
        let reversed = 3..1;
        assert_eq!(position(b"abcd", reversed), [1, 4, 1, 4]);
    }

    #[test]
    fn one_line_before_and_one_after() {
        let text = "one\r\ntwo\r\nthree\r\nfour\r\n";
        assert_eq!(shown(text, "two"), ("one\ntwo\nthree".into(), 1, "two".into()));
        assert_eq!(shown(text, "one"), ("one\ntwo".into(), 1, "one".into()));
        assert_eq!(shown(text, "hre"), ("two\nthree\nfour".into(), 2, "hre".into()));
        assert_eq!(shown(text, "four"), ("three\nfour".into(), 3, "four".into()));
        assert_eq!(shown(text, "o\r\nthree"), ("one\ntwo\nthree".into(), 1, "o".into()), "the mark ends with its line");
        assert_eq!(shown("a\n\nb\n", "\nb"), ("a\n\nb".into(), 1, String::new()));
        assert_eq!(shown("\u{feff}a", "a"), ("a".into(), 1, "a".into()));
    }

    #[test]
    fn long_lines_are_cut_around_the_mark() {
        let long = format!("{}KEY{}", "é".repeat(10_000), "日".repeat(10_000));
        let text = format!("{long}\n{long}\n{long}");
        let at = text.rfind('\n').unwrap() - 30_000 - 3;
        let Located { position, snippet } = locate(text.as_bytes(), at..at + 3);
        assert_eq!((position.line, position.column), (2, 10_001));
        assert_eq!(&snippet.text[snippet.mark.clone()], "KEY");
        let lengths: Vec<usize> = snippet.text.lines().map(|line| line.chars().count()).collect();
        assert_eq!(lengths, [161, 162, 161]);
    }

    #[test]
    fn stops_where_nothing_is_left_to_find() {
        struct Endless(usize);
        impl Read for Endless {
            fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
                self.0 += 1;
                assert!(self.0 < 10, "read on after the last range");
                into.fill(b'x');
                into[0] = b'\n';
                Ok(into.len())
            }
        }
        let found = locate_in(Endless(0), vec![CHUNK + 5..CHUNK + 6, 3..4]).unwrap();
        assert_eq!(found.iter().map(|f| (f.position.line, f.position.column)).collect::<Vec<_>>(), [(3, 5), (2, 3)]);
    }

    #[test]
    fn many_ranges_in_a_large_text_in_one_pass() {
        let text: Vec<u8> =
            (0..20_000).flat_map(|n| format!("<loc>https://example.org/{n}</loc>\n").into_bytes()).collect();
        let spans: Vec<_> = memchr::memmem::find_iter(&text, "99</").map(|at| at..at + 2).collect();
        let found = locate_in(&text[..], spans.clone()).unwrap();
        assert_eq!(found.len(), 200);
        for (span, found) in spans.into_iter().zip(found) {
            assert_eq!(found, locate(&text, span));
            assert_eq!(&found.snippet.text[found.snippet.mark.clone()], "99");
            assert_eq!(found.position.line % 100, 0);
            assert_eq!(found.snippet.first_line, found.position.line - 1);
        }
    }

    /// Text with all that matters to lines, and a range of it on character boundaries.
    fn text_and_span() -> impl Strategy<Value = (String, Range<usize>)> {
        let text = "(a|é|日|🦀|\n|\r|\r\n|\u{feff}|[a-z]{1,200}){0,30}";
        (text, any::<prop::sample::Index>(), any::<prop::sample::Index>()).prop_map(|(text, from, to)| {
            let bounds: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
            let (from, to) = (*from.get(&bounds), *to.get(&bounds));
            (text, from.min(to)..from.max(to))
        })
    }

    /// The byte at a line and column, counted the slow way.
    fn offset(text: &str, line: usize, column: usize) -> usize {
        let start = text.split_inclusive('\n').take(line - 1).map(str::len).sum::<usize>();
        let mark = if line == 1 && text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let rest = &text[start + mark..];
        start + mark + rest.char_indices().nth(column - 1).map_or(rest.len(), |(at, _)| at)
    }

    proptest! {
        #[test]
        fn a_position_slices_back_to_the_text((text, span) in text_and_span()) {
            let at = locate(text.as_bytes(), span.clone()).position;
            let back = offset(&text, at.line, at.column)..offset(&text, at.end_line, at.end_column);
            prop_assert_eq!(&text[back], text[span.clone()].strip_prefix('\u{feff}').filter(|_| span.start == 0).unwrap_or(&text[span]));
        }

        #[test]
        fn a_mark_shows_the_first_line_of_the_range((text, span) in text_and_span()) {
            let Located { position, snippet } = locate(text.as_bytes(), span.clone());
            let first = text[span.clone()].split('\n').next().unwrap_or_default().trim_end_matches('\r');
            let first = first.strip_prefix('\u{feff}').filter(|_| span.start == 0).unwrap_or(first);
            let marked = snippet.text[snippet.mark.clone()].trim_end_matches('\r');
            prop_assert!(first.starts_with(marked), "{:?} {:?}", first, marked);
            if first.chars().count() <= 100 {
                prop_assert_eq!(marked, first);
            }
            prop_assert!(snippet.text.lines().all(|line| line.chars().count() <= 162));
            let before = snippet.text[..snippet.mark.start].matches('\n').count();
            prop_assert_eq!(snippet.first_line + before, position.line);
            prop_assert!(snippet.text.matches('\n').count() <= 2);
        }

        #[test]
        fn pieces_make_no_difference(
            text in prop::collection::vec(prop::sample::select(&b"a\n\r\xef\xbb\xbf\xe6\x97\xa5\xff\xf0\x9f\xa6\x80"[..]), 0..60),
            spans in prop::collection::vec((0usize..64, 0usize..8), 1..6),
            size in 1usize..9,
        ) {
            let spans: Vec<_> = spans.into_iter().map(|(start, length)| start..start + length).collect();
            let alone: Vec<_> = spans.iter().map(|span| locate(&text, span.clone())).collect();
            prop_assert_eq!(&in_pieces(&text, size, spans.clone()), &alone);
            let lossy = String::from_utf8_lossy(&text);
            for found in alone {
                let Position { line, column, end_line, end_column } = found.position;
                prop_assert!((line, column) <= (end_line, end_column));
                prop_assert!(end_line <= lossy.matches('\n').count() + 1);
            }
        }
    }
}
