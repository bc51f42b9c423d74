//! Keys of TOML, read from the parser's events: a document with a repeated key has no tree.

use std::ops::Range;

use foldhash::HashSet;
use toml::de::DeTable;
use toml_parser::{
    ParseError, Source,
    parser::{Event, EventKind, RecursionGuard, parse_document},
};

use super::{
    super::{
        ExtractError,
        document::{MAX_DEPTH, line_at, shifted, text, too_deep},
    },
    KeyAt, Repeat, Step, child, element, spelled,
};

/// Values inside each other; the limit of the parser that finds the repetitions.
const NESTED: u32 = 80;

/// Wrong values are not looked at.
pub(super) fn keys(bytes: &[u8]) -> Result<Vec<KeyAt>, ExtractError> {
    let (text, mark) = text(bytes)?;
    let (list, error) = List::of(text)?;
    match error {
        Some(error) => {
            let at = error.unexpected().map_or(0, |span| span.start());
            Err(syntax(text, at, error.description()))
        }
        None => Ok(list.keys.into_iter().map(|key| KeyAt { id: key.id, span: shifted(key.span, mark) }).collect()),
    }
}

pub(super) fn repeats(bytes: &[u8]) -> Result<Vec<Repeat>, ExtractError> {
    let (text, mark) = text(bytes)?;
    let (list, _) = List::of(text)?; // the depth is bounded from here on
    let mut found = Vec::new();
    let mut again = HashSet::default(); // places in the list
    for error in DeTable::parse_recoverable(text).1 {
        let span = error.span().unwrap_or_default();
        if error.message() != "duplicate key" && !error.message().starts_with("cannot extend value") {
            return Err(syntax(text, span.start, error.message()));
        }
        // errors name the key; keys are in the order of the file
        let at = list.keys.partition_point(|key| key.span.end <= span.start);
        let Some(key) = list.keys.get(at) else { continue };
        // what stands below a repeated table is repeated with it
        let mut above = std::iter::successors(key.parent, |at| list.keys[*at].parent);
        if !above.any(|at| again.contains(&at)) && again.insert(at) {
            let span = shifted(key.span.clone(), mark);
            found.push(Repeat { id: key.id, path: list.path(at), span, same_value: false });
        }
    }
    Ok(found)
}

fn syntax(text: &str, at: usize, message: &str) -> ExtractError {
    let message = message.lines().next().unwrap_or_default().to_owned();
    ExtractError::Syntax { format: "TOML", line: line_at(text, at), message }
}

/// One segment of a key, header or not.
struct Segment {
    id: u64,
    name: String,
    /// The segment that it stands below.
    parent: Option<usize>,
    /// Without quotes.
    span: Range<usize>,
}

/// Where the next key hangs.
#[derive(Clone, Copy, Default)]
struct Place {
    id: u64,
    segment: Option<usize>,
    depth: usize,
}

/// All segments of all keys, in the order of the file.
#[derive(Default)]
struct List {
    keys: Vec<Segment>,
    /// Ids of arrays of tables: what is said of one is said of its last element.
    arrays: HashSet<u64>,
    /// The table of the last header, and the inline tables and arrays that are open.
    open: Vec<(EventKind, Place)>,
    /// The key at hand, as far as it has been read.
    key: Place,
    /// Whether a header is being read, and of which kind.
    header: Option<EventKind>,
    dotted: bool,
    deep: bool,
}

impl List {
    fn of(text: &str) -> Result<(Self, Option<ParseError>), ExtractError> {
        let source = Source::new(text);
        let tokens = source.lex().into_vec();
        let mut list = Self { open: vec![(EventKind::StdTableOpen, Place::default())], ..Self::default() };
        let mut error = None;
        let mut take = |event: Event| list.take(source, &event);
        parse_document(&tokens, &mut RecursionGuard::new(&mut take, NESTED), &mut error);
        if list.deep || error.as_ref().is_some_and(|error| error.description().contains("recurs")) {
            return Err(too_deep());
        }
        Ok((list, error))
    }

    fn take(&mut self, source: Source<'_>, event: &Event) {
        match event.kind() {
            kind @ (EventKind::StdTableOpen | EventKind::ArrayTableOpen) => {
                self.header = Some(kind);
                self.dotted = false;
            }
            EventKind::StdTableClose | EventKind::ArrayTableClose => self.close_header(),
            EventKind::SimpleKey => self.segment(source, event),
            EventKind::KeySep => self.dotted = true,
            EventKind::InlineTableOpen => self.open.push((EventKind::InlineTableOpen, self.value())),
            EventKind::ArrayOpen => {
                let place = self.value();
                self.open.push((EventKind::ArrayOpen, Place { id: element(place.id), ..place }));
            }
            EventKind::InlineTableClose | EventKind::ArrayClose if self.open.len() > 1 => {
                self.open.pop();
            }
            _ => {}
        }
    }

    /// Where the value that begins now hangs.
    fn value(&self) -> Place {
        match self.open.last() {
            Some((EventKind::ArrayOpen, place)) => *place,
            _ => self.key,
        }
    }

    fn segment(&mut self, source: Source<'_>, event: &Event) {
        let Some(raw) = source.get(event) else { return };
        let mut name = String::new();
        raw.decode_key(&mut name, &mut ());
        let parent = match (self.dotted, self.header) {
            (true, _) => self.key,
            (false, Some(_)) => Place::default(),
            (false, None) => self.open.last().map(|(_, place)| *place).unwrap_or_default(),
        };
        self.dotted = false;
        let inside = if self.arrays.contains(&parent.id) { element(parent.id) } else { parent.id };
        let id = child(inside, &name);
        self.deep |= parent.depth >= MAX_DEPTH;
        let span = event.span().start()..event.span().end();
        let quotes = usize::from(raw.as_str().starts_with(['"', '\'']) && span.len() > 1);
        self.key = Place { id, segment: Some(self.keys.len()), depth: parent.depth + 1 };
        self.keys.push(Segment { id, name, parent: parent.segment, span: span.start + quotes..span.end - quotes });
    }

    fn close_header(&mut self) {
        let mut place = self.key;
        if self.header.take() == Some(EventKind::ArrayTableOpen) {
            self.arrays.insert(place.id);
            place.id = element(place.id);
        }
        self.open.truncate(1);
        self.open[0].1 = place;
    }

    fn path(&self, at: usize) -> String {
        let above = std::iter::successors(Some(at), |at| self.keys[*at].parent);
        let mut steps: Vec<Step<'_>> = above.map(|at| Step::Name(&self.keys[at].name)).collect();
        steps.reverse();
        spelled(&steps)
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{super::tests::on_small_stack, Format, tests::paths},
        *,
    };

    #[test]
    fn tables_and_keys_stand_once() {
        for (text, found) in [
            ("[functions.a]\nx = 1\n[functions.b]\nx = 1\n", &[][..]),
            ("[functions.a]\nx = 1\n[functions.b]\n[functions.a]\nx = 1\n", &["functions.a@a"]),
            ("[a]\nx = 1\n\n[b]\ny = 1\n[a.c]\n[a]\n", &["a@a"]),
            ("[deps]\nserde = '1'\nanyhow = '1'\n\"serde\" = '2'\n", &["deps.serde@serde"]),
            ("[[bin]]\nname = 'a'\n[[bin]]\nname = 'b'\nname = 'c'\n", &["bin.name@name"]),
            ("[[bin]]\n[bin.x]\ny = 1\n[[bin]]\n[bin.x]\ny = 1\n", &[]),
            ("a = 1\n[a.b]\n", &["a@a"]),
            ("[a]\nb = { x = 1, 'x y' = 1, \"x y\" = 2 }\n", &["a.b.\"x y\"@x y"]),
            ("[functions]\nf = {}\n[functions.f]\n", &["functions.f@f"]),
            ("'é'.\"ü\" = 1\n'é'.\"\\u00fc\" = 2\n", &["é.ü@\\u00fc"]),
        ] {
            assert_eq!(paths(Format::Toml, text), found, "{text}");
        }
    }

    #[test]
    fn a_byte_order_mark_moves_places() {
        let text = "\u{FEFF}a = 1\na = 2\n";
        let found = repeats(text.as_bytes()).expect("it parses");
        assert_eq!((&text[found[0].span.clone()], found[0].span.start), ("a", 9));
    }

    #[test]
    fn ids_do_not_depend_on_how_a_key_is_written() {
        let ids = |text: &str| keys(text.as_bytes()).expect("it parses").iter().map(|key| key.id).collect::<Vec<_>>();
        assert_eq!(ids("a.b = 1\n"), ids("[a]\nb = 1\n"));
        assert_eq!(ids("a = {'b' = 1}\n"), ids("[a]\nb = 1\n"));
        assert_eq!(ids("[[a]]\nb = 1\n"), ids("a = [{b = 1}]\n"));
        assert_ne!(ids("[[a]]\nb = 1\n"), ids("[a]\nb = 1\n"));
        assert_eq!(ids("a = [1, {b = 2}]\n[c]\nd = 1\n")[2..], ids("c.d = 1\n"));
    }

    #[test]
    fn broken_text_is_an_error_and_depth_is_bounded() {
        assert!(matches!(keys(b"a = 1\nb = [\n"), Err(ExtractError::Syntax { format: "TOML", line: 2.., .. })));
        assert!(matches!(repeats(b"a = 1\nb = \n"), Err(ExtractError::Syntax { line: 2, .. })));
        on_small_stack(|| {
            let dotted = vec!["a"; 100_000].join(".");
            for text in [
                format!("a = {}{}", "[".repeat(100_000), "]".repeat(100_000)),
                format!("a = {}", "{a=".repeat(100_000)),
                format!("{dotted} = 1"),
                format!("[{dotted}]"),
                format!("[[{dotted}]]"),
            ] {
                assert!(matches!(keys(text.as_bytes()), Err(ExtractError::TooLarge(_))), "{}", &text[..20]);
                assert!(matches!(repeats(text.as_bytes()), Err(ExtractError::TooLarge(_))), "{}", &text[..20]);
            }
        });
    }
}
