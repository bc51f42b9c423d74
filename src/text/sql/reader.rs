//! Goes through a text and blanks out all that does not run.

use std::{collections::BTreeSet, ops::Range};

use super::{
    lexer::{Dialect, Kind, Lexer, Token},
    statement::{Statement, is_any, is_foreign},
};

/// Bodies inside bodies that are read; what stands deeper is taken for code as it is.
const MAX_DEPTH: usize = 16;
/// Names of executed variables that are remembered.
const MAX_NAMES: usize = 1000;
/// Behind a query, it runs what the query gives.
const RUNS_ROWS: &[u8] = b"\\gexec";

/// A text on the way to what of it runs.
pub(super) struct Reader {
    /// As long as the text was.
    pub(super) code: Vec<u8>,
    /// By byte: whether it was made a blank.
    pub(super) blanked: Vec<bool>,
    dialect: Dialect,
    /// Words that stand in what an EXECUTE runs: texts that are assigned to them are code. In lower case.
    pub(super) executed: BTreeSet<Vec<u8>>,
    /// Whether a backtick stood where PostgreSQL would not bear one.
    pub(super) backtick: bool,
    /// Whether a name in brackets would hold a quote.
    pub(super) bracketed: bool,
}

impl Reader {
    pub(super) fn run(text: &[u8], dialect: Dialect) -> Self {
        let mut reader = Self {
            code: text.to_vec(),
            blanked: vec![false; text.len()],
            dialect,
            executed: BTreeSet::new(),
            backtick: false,
            bracketed: false,
        };
        reader.read(0..text.len(), 0);
        if !reader.executed.is_empty() {
            // an assignment may stand before or behind what runs the variable
            reader.code = text.to_vec();
            reader.blanked.fill(false);
            reader.read(0..text.len(), 0);
        }
        reader
    }

    /// Takes over what another reading of the same text sees and this one does not.
    pub(super) fn add(&mut self, other: &Self) {
        let bytes = self.code.iter_mut().zip(&mut self.blanked).zip(other.code.iter().zip(&other.blanked));
        for ((byte, blanked), (other, _)) in bytes.filter(|((_, blanked), (_, other))| **blanked && !**other) {
            (*byte, *blanked) = (*other, false);
        }
    }

    fn read(&mut self, range: Range<usize>, depth: usize) {
        let from = range.start;
        let text = self.code[range].to_vec();
        let mut lexer = Lexer::new(&text, self.dialect);
        let mut statement = Statement::default();
        let runs_rows = memchr::memmem::find(&text, RUNS_ROWS).is_some();
        let mut has_data = true;
        loop {
            let rest = lexer.clone();
            let Some(token) = lexer.next() else { break };
            match token.kind {
                Kind::Comment => {
                    self.blank(&token.span, from);
                    continue;
                }
                Kind::Command => continue,
                Kind::End => {
                    statement = Statement::default();
                    continue;
                }
                _ => {}
            }
            if !statement.begun {
                statement.assigns = runs_rows && sends_rows(&text, rest.clone())
                    || !self.executed.is_empty() && self.assigns(&text, rest);
            }
            if token.kind == Kind::Symbol && text[token.span.clone()] == *b";" {
                if statement.reads_data() && has_data {
                    let data = data(&text, lexer.at);
                    has_data = !data.is_empty(); // where none ends here, none ends further on
                    self.blank(&data, from);
                    lexer.at = data.end;
                }
                statement = Statement::default();
                continue;
            }
            self.token(&token, &statement, &text, &lexer, (from, depth));
            statement.take(&token, &text);
        }
        self.backtick |= lexer.backtick;
        self.bracketed |= lexer.bracketed;
    }

    fn token(
        &mut self,
        token: &Token,
        statement: &Statement,
        text: &[u8],
        lexer: &Lexer<'_>,
        (from, depth): (usize, usize),
    ) {
        match token.kind {
            Kind::Literal | Kind::Dollar if !statement.runs(token.kind) => self.blank(&token.content, from),
            Kind::Literal | Kind::Dollar => {
                if statement.executes() || statement.assigns {
                    // without quotes, the pieces of what is put together stand side by side
                    self.blank(&(token.span.start..token.content.start), from);
                    self.blank(&(token.content.end..token.span.end), from);
                }
                let content = from + token.content.start..from + token.content.end;
                if token.kind == Kind::Literal {
                    self.unquote(content.clone(), text[token.span.end - 1]);
                }
                let foreign = statement.foreign || language(lexer, text).is_some_and(is_foreign);
                if depth < MAX_DEPTH && !foreign {
                    self.read(content, depth + 1);
                }
            }
            Kind::Name => {
                // what stands in a name is neither a word of the statement nor its end
                let name = &mut self.code[from + token.content.start..from + token.content.end];
                name.iter_mut()
                    .filter(|byte| byte.is_ascii_whitespace() || **byte == b';')
                    .for_each(|byte| *byte = b'_');
            }
            Kind::Word if statement.names() => self.remember(token, text),
            Kind::Symbol if statement.executes() || statement.assigns => {
                if text[token.span.clone()] == *b"||" {
                    self.blank(&token.span, from);
                }
            }
            Kind::Word | Kind::Symbol | Kind::Comment | Kind::Command | Kind::End => {}
        }
    }

    /// Keeps a word that an EXECUTE may run, unless it is a function that is called.
    fn remember(&mut self, token: &Token, text: &[u8]) {
        let called = text[token.span.end..].trim_ascii_start().starts_with(b"(");
        let word = &text[token.span.clone()];
        let joins = is_any(word, &["execute", "exec", "immediate", "sp_executesql", "using", "into", "loop"]);
        if !called && !joins && word.len() < 128 && self.executed.len() < MAX_NAMES {
            self.executed.insert(word.to_ascii_lowercase());
        }
    }

    /// Whether the statement that begins here gives a value to something that is executed.
    fn assigns(&self, text: &[u8], lexer: Lexer<'_>) -> bool {
        let (mut named, mut assigned, mut declares, mut last) = (false, false, None, false);
        let mut walks = false;
        for token in lexer {
            let word = &text[token.span];
            match token.kind {
                Kind::Word => {
                    declares.get_or_insert_with(|| is_any(word, &["declare"]));
                    last = self.executed.contains(&word.to_ascii_lowercase());
                    named |= last;
                    walks |= is_any(word, &["for", "foreach"]);
                    assigned |= is_any(word, &["into", "default"]) || walks && is_any(word, &["loop"]);
                }
                Kind::End => break,
                Kind::Symbol if word == b";" => break,
                Kind::Symbol if word == b":=" => assigned = true,
                Kind::Symbol if word == b"=" => assigned |= last || declares == Some(true),
                Kind::Comment | Kind::Command => {}
                _ => last = false,
            }
        }
        named && assigned
    }

    /// Turns each doubled quote into a blank and a quote: what the text holds, at its length.
    fn unquote(&mut self, content: Range<usize>, quote: u8) {
        let quote = if quote == b'"' { quote } else { b'\'' };
        let bytes = &mut self.code[content];
        let mut at = 0;
        while at < bytes.len() {
            if matches!(bytes[at], b'\\') && bytes.get(at + 1) == Some(&quote)
                || bytes[at..].starts_with(&[quote, quote])
            {
                bytes[at] = b' ';
                at += 1;
            }
            at += 1;
        }
    }

    /// Puts blanks in place of a part, line ends kept.
    fn blank(&mut self, part: &Range<usize>, from: usize) {
        let part = from + part.start..from + part.end;
        self.blanked[part.clone()].fill(true);
        let bytes = &mut self.code[part];
        bytes.iter_mut().filter(|byte| !matches!(byte, b'\n' | b'\r')).for_each(|byte| *byte = b' ');
    }
}

/// Whether psql runs the rows of the statement that begins here.
fn sends_rows(text: &[u8], lexer: Lexer<'_>) -> bool {
    let ends = |token: &Token| token.kind == Kind::End || text[token.span.clone()] == *b";";
    lexer.into_iter().find(ends).is_some_and(|end| text[end.span] == *RUNS_ROWS)
}

/// The language that is named behind a body, before the end of its statement.
fn language<'t>(lexer: &Lexer<'_>, text: &'t [u8]) -> Option<&'t [u8]> {
    let mut following = lexer.clone().take(64).take_while(|token| text[token.span.clone()] != *b";");
    following.find(|token| text[token.span.clone()].eq_ignore_ascii_case(b"language"))?;
    following.next().map(|token| &text[token.content])
}

/// The lines of a COPY from the end of its statement to `\.`; nothing where that is not there.
fn data(text: &[u8], at: usize) -> Range<usize> {
    let end =
        [&b"\n\\.\n"[..], b"\n\\.\r\n"].into_iter().filter_map(|end| memchr::memmem::find(&text[at..], end)).min();
    let last = text[at..].ends_with(b"\n\\.").then(|| text.len() - at - 3);
    at..end.or(last).map_or(at, |end| at + end + 3)
}
