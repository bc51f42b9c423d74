//! The parser's way: any well-formed document, chunk by chunk.

use std::{borrow::Cow, io::Read};

use quick_xml::{
    Error, NsReader,
    escape::resolve_predefined_entity,
    events::{BytesCData, BytesRef, BytesStart, BytesText, Event},
    name::ResolveResult,
};

use super::{
    ElementPaths, ExtractError, Found, Halt, MAX_DEPTH, MAX_TEXT, XmlEvent, feed::Feed, is_blank, is_name_byte,
    paths::State, starts_name,
};

/// Reads one document; gives how many names and bytes it had.
pub(super) fn stream<'r>(
    paths: &ElementPaths,
    source: Box<dyn Read + 'r>,
    chunk: usize,
    sink: &mut dyn FnMut(XmlEvent<'_>),
) -> Result<(u64, u64), Halt> {
    let mut reader = NsReader::from_reader(Feed::new(source, chunk));
    reader.config_mut().expand_empty_elements = true;
    let mut names = Names { paths, sink, root: None, open: Vec::new(), texts: Vec::new(), count: 0 };
    let halt = match run(&mut reader, &mut names) {
        Ok(()) => return Ok((names.count, reader.get_ref().offset() as u64)),
        Err(Stop::Halt(halt)) => halt,
        Err(Stop::Malformed(message)) => {
            ExtractError::Syntax { format: "XML", line: reader.get_ref().line(), message }.into()
        }
    };
    // What looks like broken XML may be a template whose first marker comes later.
    let readable = !matches!(halt, Halt::Failed(ExtractError::Read(_)));
    Err(if readable && reader.get_mut().rest_is_template() { Halt::Template } else { halt })
}

enum Stop {
    Halt(Halt),
    Malformed(String),
}

fn malformed<T>(message: &str) -> Result<T, Stop> {
    Err(Stop::Malformed(message.to_owned()))
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        match error {
            Error::Io(error) => Self::Halt(Halt::from(&*error)),
            other => Self::Malformed(other.to_string()),
        }
    }
}

fn run(reader: &mut NsReader<Feed<'_>>, names: &mut Names<'_>) -> Result<(), Stop> {
    let mut buffer = Vec::new();
    loop {
        let start = reader.get_ref().offset();
        reader.get_mut().renew();
        buffer.clear();
        match reader.read_event_into(&mut buffer)? {
            Event::Start(tag) | Event::Empty(tag) => names.start(reader, &tag)?,
            Event::End(_) => names.end(),
            Event::Text(text) => names.text(&text, start)?,
            Event::CData(text) => names.cdata(&text, start)?,
            Event::GeneralRef(entity) => names.entity(&entity, start..reader.get_ref().offset())?,
            Event::DocType(_) if names.root.is_some() => return malformed("a document type behind the root's start"),
            Event::DocType(_) | Event::Decl(_) | Event::PI(_) | Event::Comment(_) => {}
            Event::Eof => return names.finish(),
        }
    }
}

struct Names<'a> {
    paths: &'a ElementPaths,
    sink: &'a mut dyn FnMut(XmlEvent<'_>),
    root: Option<Namespace>,
    open: Vec<State>,
    texts: Vec<Text>,
    count: u64,
}

/// What an element's prefix stands for.
#[derive(PartialEq, Eq)]
enum Namespace {
    None,
    Is(String),
    Undeclared(String),
}

impl Namespace {
    fn of(resolved: &ResolveResult<'_>) -> Self {
        match resolved {
            ResolveResult::Unbound => Self::None,
            ResolveResult::Bound(namespace) => Self::Is(namespace.into_inner().to_owned()),
            ResolveResult::Unknown(prefix) => Self::Undeclared(prefix.clone()),
        }
    }

    fn same(&self, resolved: &ResolveResult<'_>) -> bool {
        match (self, resolved) {
            (Self::None, ResolveResult::Unbound) => true,
            (Self::Is(own), ResolveResult::Bound(namespace)) => own == namespace.into_inner(),
            (Self::Undeclared(own), ResolveResult::Unknown(prefix)) => own == prefix,
            _ => false,
        }
    }
}

/// The text of one element that is asked for, as far as it has been read. Texts of elements inside it are not its own.
struct Text {
    path: usize,
    depth: usize,
    text: String,
    /// From the first to the last byte that is not blank.
    span: Option<(usize, usize)>,
}

impl Text {
    /// Adds a piece whose bytes stand in the file as they are, at `start`.
    fn add(&mut self, piece: &str, start: usize) -> Result<(), Stop> {
        let bytes = piece.as_bytes();
        if let (Some(first), Some(last)) =
            (bytes.iter().position(|b| !is_blank(*b)), bytes.iter().rposition(|b| !is_blank(*b)))
        {
            self.cover(start + first, start + last + 1);
        }
        self.push(piece)
    }

    fn cover(&mut self, start: usize, end: usize) {
        self.span = Some((self.span.map_or(start, |(first, _)| first), end));
    }

    fn push(&mut self, piece: &str) -> Result<(), Stop> {
        if self.text.len() + piece.len() > MAX_TEXT {
            let message = format!("one element's text has more than {MAX_TEXT} bytes");
            return Err(Stop::Halt(ExtractError::TooLarge(message).into()));
        }
        self.text.push_str(piece);
        Ok(())
    }
}

impl Names<'_> {
    fn start(&mut self, reader: &NsReader<Feed<'_>>, tag: &BytesStart<'_>) -> Result<(), Stop> {
        if self.open.is_empty() && self.root.is_some() {
            return malformed("a second root element");
        }
        if self.open.len() == MAX_DEPTH {
            let message = format!("elements nest more than {MAX_DEPTH} deep");
            return Err(Stop::Halt(ExtractError::TooLarge(message).into()));
        }
        let name = tag.name().into_inner().as_bytes();
        if !name.first().is_some_and(|b| starts_name(*b)) || !name.iter().all(|b| is_name_byte(*b)) {
            return Err(Stop::Malformed(format!("`{}` is no element name", tag.name().into_inner())));
        }
        if !tag.attributes_raw().is_empty() {
            for attribute in tag.attributes().with_checks(false) {
                attribute.map_err(|error| Stop::Malformed(error.to_string()))?;
            }
        }
        let parent = self.open.last().copied().unwrap_or(State::START);
        let mut state = self.paths.child(parent, tag.local_name().into_inner().as_bytes());
        // Most elements are of no interest whatever their namespace is.
        if state != State::DEAD || self.root.is_none() {
            let (namespace, _) = reader.resolver().resolve_element(tag.name());
            if !self.root.get_or_insert_with(|| Namespace::of(&namespace)).same(&namespace) {
                state = State::DEAD;
            }
        }
        self.open.push(state);
        if let Some(path) = self.paths.path(state) {
            self.texts.push(Text { path, depth: self.open.len(), text: String::new(), span: None });
        }
        Ok(())
    }

    fn end(&mut self) {
        let done = self.texts.pop_if(|text| text.depth == self.open.len());
        self.open.pop();
        let Some(Text { path, text, span: Some((start, end)), .. }) = done else { return };
        let key = text.trim_matches(|c: char| c.is_ascii() && u8::try_from(c).is_ok_and(is_blank));
        if !key.is_empty() {
            self.count += 1;
            let found = Found { key: Cow::Borrowed(key), span: start..end, fields: Vec::new() };
            (self.sink)(XmlEvent::Name { path, found });
        }
    }

    /// The text that the innermost open element adds to, if it is asked for.
    fn current(&mut self) -> Option<&mut Text> {
        let depth = self.open.len();
        self.texts.last_mut().filter(|text| text.depth == depth)
    }

    fn text(&mut self, text: &BytesText<'_>, start: usize) -> Result<(), Stop> {
        if self.open.is_empty() {
            return self.text_outside(text);
        }
        self.current().map_or(Ok(()), |current| current.add(text, start))
    }

    fn text_outside(&self, text: &str) -> Result<(), Stop> {
        let text = text.trim_matches(|c: char| c.is_ascii() && u8::try_from(c).is_ok_and(is_blank));
        match (text.is_empty(), &self.root) {
            (true, _) => Ok(()),
            (false, None) if text.starts_with("---") => Err(Stop::Halt(Halt::Template)),
            (false, None) => malformed("text before the root element"),
            (false, Some(_)) => malformed("text behind the root element"),
        }
    }

    fn cdata(&mut self, text: &BytesCData<'_>, start: usize) -> Result<(), Stop> {
        if self.open.is_empty() {
            return malformed("a CDATA section outside the root element");
        }
        self.current().map_or(Ok(()), |current| current.add(text, start + "<![CDATA[".len()))
    }

    fn entity(&mut self, entity: &BytesRef<'_>, span: std::ops::Range<usize>) -> Result<(), Stop> {
        if self.open.is_empty() {
            return malformed("an entity outside the root element");
        }
        let Some(current) = self.current() else { return Ok(()) };
        let mut utf8 = [0; 4];
        let resolved = match entity.resolve_char_ref()? {
            Some(character) => &*character.encode_utf8(&mut utf8),
            None => match resolve_predefined_entity(entity) {
                Some(text) => text,
                None => return Err(Stop::Malformed(format!("the entity `{}` is not known", &**entity))),
            },
        };
        current.cover(span.start, span.end);
        current.push(resolved)
    }

    fn finish(&self) -> Result<(), Stop> {
        match (self.open.is_empty(), &self.root) {
            (true, Some(_)) => Ok(()),
            (true, None) => malformed("no root element"),
            (false, _) => malformed("the file ends inside an element"),
        }
    }
}
