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
    /// `#` begins a comment.
    pub(super) hash: bool,
    /// What stands between `[` and `]` is a name, whatever quotes it holds.
    pub(super) brackets: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A comment, or the marks around code that stands in one (`/*! … */`).
    Comment,
    /// `'…'`, `E'…'`; in MySQL also `"…"`.
    Literal,
    /// `$tag$ … $tag$`.
    Dollar,
    /// `"…"`, and the names in backticks or brackets.
    Name,
    /// A keyword, a bare name or a number.
    Word,
    /// A command of psql that ends a statement as `;` does: `\g`, `\gexec`.
    End,
    /// Another command of psql, to the end of its line.
    Command,
    /// Anything else: one character, or `:=` or `||`.
    Symbol,
}

/// The commands of psql that send the statement before them.
const SENDS: [&[u8]; 8] = [b"g", b"gx", b"gset", b"gexec", b"gdesc", b"crosstabview", b"watch", b"bind"];
/// Those that print what stands behind them.
const PRINTS: [&[u8]; 4] = [b"echo", b"qecho", b"warn", b"prompt"];
/// Others whose quotes are no quotes of SQL.
const SETS: [&[u8]; 15] = [
    b"set", b"pset", b"setenv", b"if", b"elif", b"else", b"endif", b"i", b"ir", b"include", b"o", b"out", b"cd", b"c",
    b"connect",
];

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
    /// Whether a name in brackets would hold a quote.
    pub(super) bracketed: bool,
    /// Whether no statement has begun, so that no operator can stand here.
    fresh: bool,
    /// Whether comments nest, as far as is known.
    nests: bool,
    /// Dollar signs and marked texts that had no end.
    lone: usize,
}

/// Bodies and texts without an end, after which no more are looked for: each costs a look through the whole text.
const MAX_LONE: usize = 32;
/// Bytes of a name between brackets; Transact-SQL has names of up to 128 characters.
const MAX_NAME: usize = 600;

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t [u8], dialect: Dialect) -> Self {
        Self { text, at: 0, dialect, backtick: false, bracketed: false, fresh: true, nests: !dialect.mysql, lone: 0 }
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

    /// Whether `#` begins a comment. Where a statement would begin it can begin nothing else; in the midst of one it is an operator to
    /// PostgreSQL, which `#>` and `#-` always are.
    fn hash(&self) -> bool {
        let is_operator = match self.rest().get(1..3) {
            Some([b'>', _]) => true,
            Some([b'-', next]) => *next != b'-',
            _ => false,
        };
        self.dialect.mysql || !is_operator && (self.dialect.hash || self.fresh)
    }

    /// The length of a name between brackets, as Transact-SQL has them; none where they hold the items of a list or its subscript.
    fn bracketed(&mut self) -> Option<usize> {
        let rest = self.rest();
        let before = self.at.checked_sub(1).map(|at| self.text[at]);
        if before.is_some_and(|byte| is_word(byte) || matches!(byte, b']' | b')' | b'[')) {
            return None;
        }
        let near = &rest[..rest.len().min(MAX_NAME)];
        let line = &near[..memchr::memchr(b'\n', near).unwrap_or(near.len())];
        let mut end = 1 + memchr::memchr(b']', &line[1..])?;
        while line.get(end + 1) == Some(&b']') {
            end = end + 2 + memchr::memchr(b']', &line[end + 2..])?;
        }
        let name = &line[1..end];
        if memchr::memchr3(b'\'', b'"', b'$', name).is_none() {
            return Some(end + 1);
        }
        self.bracketed = true;
        self.dialect.brackets.then_some(end + 1)
    }

    /// A command of psql, if one begins here: what it is, and its length.
    fn command(&self) -> Option<(Kind, usize)> {
        let rest = &self.rest()[1..];
        let name = &rest[..rest.iter().take_while(|byte| byte.is_ascii_alphabetic()).count()];
        if SENDS.contains(&name) {
            return Some((Kind::End, 1 + name.len()));
        }
        let kind = match name {
            _ if PRINTS.contains(&name) => Kind::Comment,
            _ if SETS.contains(&name) => Kind::Command,
            _ => return None,
        };
        // a second backslash begins another command, or SQL again
        Some((kind, 1 + memchr::memchr2(b'\n', b'\\', rest).unwrap_or(rest.len())))
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
        let token = self.token()?;
        match token.kind {
            Kind::Comment | Kind::Command => {}
            Kind::End => self.fresh = true,
            _ => self.fresh = self.text[token.span.clone()] == *b";",
        }
        Some(token)
    }
}

impl Lexer<'_> {
    fn token(&mut self) -> Option<Token> {
        let backslash = self.dialect.backslash;
        Some(match self.rest() {
            [] => return None,
            [b'-', b'-', ..] if self.dashes() => self.take(Kind::Comment, self.line()),
            [b'#', ..] if self.hash() => self.take(Kind::Comment, self.line()),
            [b'/', b'*', ..] => {
                let length = self.executed().unwrap_or_else(|| self.block());
                self.take(Kind::Comment, length)
            }
            [b'*', b'/', ..] => self.take(Kind::Comment, 2),
            [b'\\', ..] => {
                let (kind, length) = self.command().unwrap_or((Kind::Symbol, 1));
                self.take(kind, length)
            }
            [b'\'', ..] => self.quoted(Kind::Literal, 0, backslash),
            [b'e' | b'E', b'\'', ..] => self.quoted(Kind::Literal, 1, true),
            [b'q' | b'Q', b'\'', ..] if self.dialect.oracle => self.marked(),
            [b'"', ..] if self.dialect.mysql => self.quoted(Kind::Literal, 0, backslash),
            [b'"', ..] => self.quoted(Kind::Name, 0, false),
            [b'`', ..] => {
                self.backtick = true;
                self.quoted(Kind::Name, 0, false)
            }
            [b'[', ..] => match self.bracketed() {
                Some(length) => {
                    let mut token = self.take(Kind::Name, length);
                    token.content = token.span.start + 1..token.span.end - 1;
                    token
                }
                None => self.take(Kind::Symbol, 1),
            },
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
