//! The few tokens of SQL that decide what is code: comments, quoted texts and names, words.

use std::ops::Range;

/// How a text is to be read where the dialects differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Dialect {
    /// `#` begins a comment, `"` a text, and comments do not nest.
    pub(super) mysql: bool,
    /// `\'` is a quote inside a plain text.
    pub(super) backslash: bool,
    /// `q'[` begins a text that ends with `]'`.
    pub(super) oracle: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A comment, or the marks around code that stands in one (`/*! … */`).
    Comment,
    /// `'…'`, `E'…'`; in MySQL also `"…"`.
    Literal,
    /// `$tag$ … $tag$`.
    Dollar,
    /// `"…"` and the names in backticks.
    Name,
    /// A keyword, a bare name or a number.
    Word,
    /// Anything else: one character, or `:=` or `||`.
    Symbol,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) span: Range<usize>,
    /// What stands between the quotes; the span of everything else.
    pub(super) content: Range<usize>,
}

#[derive(Clone)]
pub(super) struct Lexer<'t> {
    text: &'t [u8],
    pub(super) at: usize,
    dialect: Dialect,
    /// Whether a backtick stood where PostgreSQL would not bear one.
    pub(super) backtick: bool,
    /// Whether comments nest, as far as is known.
    nests: bool,
    /// Dollar signs and marked texts that had no end.
    lone: usize,
}

/// Bodies and texts without an end, after which no more are looked for: each costs a look through the whole text.
const MAX_LONE: usize = 32;

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t [u8], dialect: Dialect) -> Self {
        Self { text, at: 0, dialect, backtick: false, nests: !dialect.mysql, lone: 0 }
    }

    fn rest(&self) -> &'t [u8] {
        &self.text[self.at..]
    }

    /// Ends a token after so many bytes.
    fn take(&mut self, kind: Kind, length: usize) -> Token {
        let span = self.at..(self.at + length).min(self.text.len());
        self.at = span.end;
        Token { kind, content: span.clone(), span }
    }

    /// A text or name from a quote that is `lead` bytes away; one that does not end goes to the end of the file.
    fn quoted(&mut self, kind: Kind, lead: usize, backslash: bool) -> Token {
        let quote = self.rest()[lead];
        let start = self.at + lead + 1;
        let mut at = start;
        while let Some(found) = self.text.get(at) {
            if *found == b'\\' && backslash {
                at += 2;
            } else if *found != quote {
                at += 1;
            } else if self.text.get(at + 1) == Some(&quote) {
                at += 2;
            } else {
                break;
            }
        }
        let end = at.min(self.text.len());
        let mut token = self.take(kind, end + 1 - self.at);
        token.content = start.min(end)..end;
        token
    }

    /// Oracle's text between `q'[` and `]'`, or any other two marks; a plain one where it does not end.
    fn marked(&mut self) -> Token {
        let rest = self.rest();
        let close = match rest.get(2) {
            Some(b'[') => b']',
            Some(b'(') => b')',
            Some(b'{') => b'}',
            Some(b'<') => b'>',
            Some(other) => *other,
            None => return self.quoted(Kind::Literal, 1, false),
        };
        let found = (self.lone < MAX_LONE).then(|| memchr::memmem::find(&rest[3..], &[close, b'\''])).flatten();
        let Some(length) = found else {
            self.lone += 1;
            return self.quoted(Kind::Literal, 1, false);
        };
        let start = self.at + 3;
        let mut token = self.take(Kind::Literal, length + 5);
        token.content = start..start + length;
        token
    }

    /// The whole of a `/* … */`. PostgreSQL lets them nest; one that would then not end is another dialect's.
    fn block(&mut self) -> usize {
        let rest = self.rest();
        let (mut depth, mut at) = (0usize, 0);
        let mut first = None;
        while at < rest.len() {
            match &rest[at..] {
                [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
                [b'*', b'/', ..] => {
                    (depth, at) = (depth - 1, at + 2);
                    first.get_or_insert(at);
                    if depth == 0 || !self.nests {
                        return at;
                    }
                }
                _ => at += 1,
            }
        }
        self.nests = false;
        first.unwrap_or(rest.len())
    }

    /// The length of `$tag$`, if one begins here.
    fn tag(&self) -> Option<usize> {
        let rest = self.rest();
        let length = rest[1..].iter().position(|byte| !is_word(*byte) || *byte == b'$')?;
        let tag = &rest[1..=length];
        (rest.get(length + 1) == Some(&b'$') && !tag.first().is_some_and(u8::is_ascii_digit)).then_some(length + 2)
    }

    fn dollar(&mut self) -> Token {
        let Some(length) = self.tag() else { return self.take(Kind::Symbol, 1) };
        let rest = self.rest();
        let body = (self.lone < MAX_LONE).then(|| memchr::memmem::find(&rest[length..], &rest[..length])).flatten();
        let Some(body) = body else {
            self.lone += 1;
            return self.take(Kind::Symbol, 1);
        };
        let start = self.at + length;
        let mut token = self.take(Kind::Dollar, 2 * length + body);
        token.content = start..start + body;
        token
    }

    fn line(&self) -> usize {
        let rest = self.rest();
        memchr::memchr(b'\n', rest).unwrap_or(rest.len())
    }

    /// Whether two dashes begin a comment: MySQL wants a blank behind them.
    fn dashes(&self) -> bool {
        !self.dialect.mysql || self.rest().get(2).is_none_or(u8::is_ascii_whitespace)
    }

    /// The length of `/*!50001`, whose comment MySQL runs.
    fn executed(&self) -> Option<usize> {
        let rest = self.rest();
        let mark = [&b"/*!"[..], b"/*M!"].into_iter().find(|mark| rest.starts_with(mark))?.len();
        Some(mark + rest[mark..].iter().take_while(|byte| byte.is_ascii_digit()).count())
    }
}

impl Iterator for Lexer<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        self.at += self.rest().iter().take_while(|byte| byte.is_ascii_whitespace() || **byte == 0x0B).count();
        let backslash = self.dialect.backslash;
        Some(match self.rest() {
            [] => return None,
            [b'-', b'-', ..] if self.dashes() => self.take(Kind::Comment, self.line()),
            [b'#', ..] if self.dialect.mysql => self.take(Kind::Comment, self.line()),
            [b'/', b'*', ..] => {
                let length = self.executed().unwrap_or_else(|| self.block());
                self.take(Kind::Comment, length)
            }
            [b'*', b'/', ..] => self.take(Kind::Comment, 2),
            [b'\'', ..] => self.quoted(Kind::Literal, 0, backslash),
            [b'e' | b'E', b'\'', ..] => self.quoted(Kind::Literal, 1, true),
            [b'q' | b'Q', b'\'', ..] if self.dialect.oracle => self.marked(),
            [b'"', ..] if self.dialect.mysql => self.quoted(Kind::Literal, 0, backslash),
            [b'"', ..] => self.quoted(Kind::Name, 0, false),
            [b'`', ..] => {
                self.backtick = true;
                self.quoted(Kind::Name, 0, false)
            }
            [b'$', ..] => self.dollar(),
            [b':', b'=', ..] | [b'|', b'|', ..] => self.take(Kind::Symbol, 2),
            [first, ..] if is_word(*first) => {
                let length = self.rest().iter().take_while(|byte| is_word(**byte)).count();
                self.take(Kind::Word, length)
            }
            _ => self.take(Kind::Symbol, 1),
        })
    }
}

/// Whether a word can hold this byte. Text that is not ASCII is a letter, as PostgreSQL has it.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || byte >= 0x80
}
