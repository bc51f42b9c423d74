//! The fast way: looks at tags only, and gives up at the first thing that is not plain.
//!
//! It must never take a document that the parser would refuse, nor see other names in it; it may give up on any.

use std::{
    borrow::Cow,
    io::{self, ErrorKind, Read},
};

use memchr::{memchr, memchr2, memmem};

use super::{
    ElementPaths, Found, MAX_DEPTH, MAX_TEXT, XmlEvent, is_blank, is_name_byte,
    paths::State,
    repeats::{Followed, Repeats},
    starts_name,
    tag::{self, Tag},
};

/// Reads a document; gives how many names and bytes it had, or none if it is not plain.
pub(super) fn scan(
    paths: &ElementPaths,
    source: &mut dyn Read,
    chunk: usize,
    sink: &mut dyn FnMut(XmlEvent<'_>),
) -> io::Result<Option<(u64, u64)>> {
    let mut scanner = Scanner {
        paths,
        sink,
        place: Place::Head,
        names: Vec::new(),
        open: Vec::new(),
        count: 0,
        repeats: Repeats::default(),
        last: None,
    };
    let mut buffer = vec![0; chunk];
    let (mut offset, mut held) = (0, 0);
    loop {
        if held == buffer.len() {
            return Ok(None); // one tag or text as long as the buffer
        }
        let count = match source.read(&mut buffer[held..]) {
            Ok(count) => count,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        // Entities and template markers are the parser's business, wherever they stand.
        if memchr2(b'&', b'{', &buffer[held..held + count]).is_some() {
            return Ok(None);
        }
        held += count;
        let text = match std::str::from_utf8(&buffer[..held]) {
            Ok(text) => text,
            Err(error) if error.error_len().is_some() => return Ok(None),
            Err(error) => std::str::from_utf8(&buffer[..error.valid_up_to()]).unwrap_or_default(),
        };
        let Ok(used) = scanner.feed(text, offset) else { return Ok(None) };
        if count == 0 {
            let ended = scanner.place == Place::Tail && used == held;
            return Ok(ended.then_some((scanner.count, (offset + used) as u64)));
        }
        buffer.copy_within(used..held, 0);
        held -= used;
        offset += used;
    }
}

/// Not plain: the parser has to look.
pub(super) struct Unusual;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Head,
    Inside,
    Tail,
}

struct Scanner<'a> {
    paths: &'a ElementPaths,
    sink: &'a mut dyn FnMut(XmlEvent<'_>),
    place: Place,
    /// The names of the open elements, joined.
    names: Vec<u8>,
    /// Where each of them starts, and its state.
    open: Vec<(usize, State)>,
    count: u64,
    repeats: Repeats,
    /// The last leaf in this piece of text, and where its text ends.
    last: Option<(usize, usize)>,
}

/// How far a step came: to a place in the text, or not far enough to tell.
type Step = Result<Option<usize>, Unusual>;

impl Scanner<'_> {
    /// Goes through `text`, which stands at `offset` in the file; gives how much of it is done with.
    fn feed(&mut self, text: &str, offset: usize) -> Result<usize, Unusual> {
        let bytes = text.as_bytes();
        self.last = None;
        let mut at = if offset == 0 && bytes.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
        loop {
            let Some(ahead) = memchr(b'<', &bytes[at..]) else {
                let blank = bytes[at..].iter().all(|b| is_blank(*b));
                let skippable = self.place == Place::Inside || blank;
                return if skippable { Ok(bytes.len()) } else { Err(Unusual) };
            };
            if self.place != Place::Inside && !bytes[at..at + ahead].iter().all(|b| is_blank(*b)) {
                return Err(Unusual);
            }
            at += ahead;
            let step = match bytes.get(at + 1) {
                None => None,
                Some(b'/') => self.end_tag(bytes, at)?,
                Some(b'!') => comment(bytes, at)?,
                Some(b'?') if self.place == Place::Head => instruction(bytes, at)?,
                Some(first) if starts_name(*first) => match self.place {
                    Place::Head => self.root(bytes, at)?,
                    Place::Inside => self.element(text, at, offset)?,
                    Place::Tail => return Err(Unusual),
                },
                Some(_) => return Err(Unusual),
            };
            match step {
                Some(next) => at = next,
                None => return Ok(at),
            }
        }
    }

    fn root(&mut self, bytes: &[u8], at: usize) -> Step {
        let Some(end) = name_end(bytes, at + 1) else { return Ok(None) };
        let name = &bytes[at + 1..end];
        if name.contains(&b':') {
            return Err(Unusual);
        }
        let Some(Tag { end, empty }) = tag::root(bytes, end)? else { return Ok(None) };
        let state = self.paths.child(State::START, name);
        if empty {
            self.place = Place::Tail;
        } else {
            self.place = Place::Inside;
            self.push(name, state)?;
        }
        Ok(Some(end))
    }

    fn push(&mut self, name: &[u8], state: State) -> Result<(), Unusual> {
        // The text of an element that is asked for must not hold others: the parser knows whose text is whose.
        if self.open.len() == MAX_DEPTH || self.paths.path(state).is_some() {
            return Err(Unusual);
        }
        self.open.push((self.names.len(), state));
        self.names.extend_from_slice(name);
        Ok(())
    }

    fn end_tag(&mut self, bytes: &[u8], at: usize) -> Step {
        let &(start, _) = self.open.last().ok_or(Unusual)?;
        match closes(bytes, at, &self.names[start..])? {
            None => Ok(None),
            Some(next) => {
                self.names.truncate(start);
                self.open.pop();
                if self.open.is_empty() {
                    self.place = Place::Tail;
                }
                Ok(Some(next))
            }
        }
    }

    /// A start tag, and all of the element if it holds nothing but text.
    fn element(&mut self, text: &str, at: usize, offset: usize) -> Step {
        let bytes = text.as_bytes();
        let Some(name_end) = name_end(bytes, at + 1) else { return Ok(None) };
        let name = &bytes[at + 1..name_end];
        let parent = self.open.last().map_or(State::START, |(_, state)| *state);
        let state = self.paths.child(parent, name);
        let content = if bytes[name_end] == b'>' {
            name_end + 1
        } else {
            match tag::inner(bytes, name_end)? {
                None => return Ok(None),
                Some(Tag { end, empty: false }) => end,
                Some(_) if self.open.len() == MAX_DEPTH => return Err(Unusual),
                Some(Tag { end, .. }) => return Ok(Some(end)),
            }
        };
        let Some(length) = memchr(b'<', &bytes[content..]) else { return Ok(None) };
        let text_end = content + length;
        match bytes.get(text_end + 1) {
            None => return Ok(None),
            Some(b'/') => {}
            Some(_) => {
                self.push(name, state)?;
                return Ok(Some(text_end));
            }
        }
        let Some(next) = closes(bytes, text_end, name)? else { return Ok(None) };
        if self.open.len() == MAX_DEPTH || length > MAX_TEXT {
            return Err(Unusual);
        }
        let path = self.paths.path(state);
        if let Some(path) = path {
            self.tell(path, &text[content..text_end], offset + content);
        }
        if bytes[name_end] != b'>' {
            return Ok(Some(next));
        }
        let Some(leaf) = self.repeats.leaf(&self.names, &self.open, name, path) else { return Ok(Some(next)) };
        if let Some((from, end)) = self.last.replace((leaf, text_end)) {
            self.repeats.learn(from, &bytes[end..content], leaf);
        }
        Ok(Some(self.repeat(text, leaf, text_end, offset).unwrap_or(next)))
    }

    /// Goes on from the end of a leaf's text as long as the markup is known; gives where the last leaf's tag starts, which is not
    /// told yet.
    fn repeat(&mut self, text: &str, mut leaf: usize, mut end: usize, offset: usize) -> Option<usize> {
        let bytes = text.as_bytes();
        let (mut pending, mut tag, mut last) = (None, None, 0);
        while let Some(next) = self.repeats.follow(leaf, &bytes[end..], &mut last) {
            // That the markup follows proves that the text before it is closed as it should be.
            if let Some((path, content)) = pending.take() {
                self.tell(path, &text[content..end], offset + content);
            }
            let Followed { leaf: to, path, length, tag: tag_length } = next;
            let content = end + length;
            tag = Some(content - tag_length);
            self.last = None;
            let Some(length) = memchr(b'<', &bytes[content..]).filter(|length| *length <= MAX_TEXT) else { break };
            leaf = to;
            end = content + length;
            pending = path.map(|path| (path, content));
        }
        tag
    }

    fn tell(&mut self, path: usize, text: &str, at: usize) {
        let Some(first) = text.bytes().position(|b| !is_blank(b)) else { return };
        let end = text.bytes().rposition(|b| !is_blank(b)).map_or(first, |last| last + 1);
        let key = &text[first..end];
        let at = at + first;
        self.count += 1;
        let found = Found { key: Cow::Borrowed(key), span: at..at + key.len(), fields: Vec::new() };
        (self.sink)(XmlEvent::Name { path, found });
    }
}

/// Where the name that starts at `at` ends, if the byte behind it is there.
fn name_end(bytes: &[u8], at: usize) -> Option<usize> {
    bytes[at..].iter().position(|b| !is_name_byte(*b)).map(|length| at + length)
}

/// The place behind an end tag at `at`, which must be that of `name`.
fn closes(bytes: &[u8], at: usize, name: &[u8]) -> Step {
    let end = at + 2 + name.len();
    match bytes.get(end) {
        None => Ok(None),
        Some(b'>') if bytes[at + 2..end] == *name => Ok(Some(end + 1)),
        Some(_) => Err(Unusual),
    }
}

/// The place behind a comment. One with a tag in it might hold a template's.
fn comment(bytes: &[u8], at: usize) -> Step {
    let Some(opening) = bytes.get(at..at + 6) else { return Ok(None) };
    if !opening.starts_with(b"<!--") || opening[4] == b'>' || opening[4..] == *b"->" {
        return Err(Unusual);
    }
    past(bytes, at + 4, b"-->")
}

/// The place behind a processing instruction or the XML declaration.
fn instruction(bytes: &[u8], at: usize) -> Step {
    let Some(opening) = bytes.get(at..at + 5) else { return Ok(None) };
    if !opening[2].is_ascii_alphabetic() || opening[2..] == *b"php" {
        return Err(Unusual);
    }
    past(bytes, at + 2, b"?>")
}

fn past(bytes: &[u8], from: usize, closing: &[u8]) -> Step {
    let Some(length) = memmem::find(&bytes[from..], closing) else { return Ok(None) };
    if memchr(b'<', &bytes[from..from + length]).is_some() {
        return Err(Unusual);
    }
    Ok(Some(from + length + closing.len()))
}
