//! The words and signs of a text of patterns.

/// A text, and how far it was read.
pub(super) struct Text<'a> {
    pub(super) all: &'a str,
    pub(super) at: usize,
}

impl<'a> Text<'a> {
    /// The next character that is neither white space nor in a comment.
    pub(super) fn peek(&mut self) -> Option<char> {
        loop {
            let rest = &self.all[self.at..];
            self.at += rest.len() - rest.trim_start().len();
            match self.all[self.at..].chars().next()? {
                ';' => self.at += self.all[self.at..].find('\n').unwrap_or(self.all.len() - self.at),
                other => return Some(other),
            }
        }
    }

    /// Goes on if this is next.
    pub(super) fn eat(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        self.at += if found { wanted.len_utf8() } else { 0 };
        found
    }

    pub(super) fn expect(&mut self, wanted: char) -> Result<(), String> {
        if self.eat(wanted) { Ok(()) } else { Err(format!("no `{wanted}` where one must be")) }
    }

    /// A name of a kind, a field, a capture or a predicate.
    pub(super) fn name(&mut self) -> Result<&'a str, String> {
        self.peek();
        let rest = &self.all[self.at..];
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '?' | '!');
        let name = &rest[..rest.find(|c| !is_part(c)).unwrap_or(rest.len())];
        self.at += name.len();
        if name.is_empty() { Err("no name where one must be".to_owned()) } else { Ok(name) }
    }

    /// What stands between quotes.
    pub(super) fn string(&mut self) -> Result<String, String> {
        self.expect('"')?;
        let mut string = String::new();
        let mut chars = self.all[self.at..].char_indices();
        while let Some((at, one)) = chars.next() {
            match (one, one == '\\') {
                ('"', _) => {
                    self.at += at + 1;
                    return Ok(string);
                }
                (_, true) => string.extend(chars.next().map(|(_, escaped)| match escaped {
                    'n' => '\n',
                    'r' => '\r',
                    't' => '\t',
                    other => other,
                })),
                (one, false) => string.push(one),
            }
        }
        Err("a string without its end".to_owned())
    }

    /// Whether this is next, and one of these follows.
    pub(super) fn begins_with(&mut self, first: &str, then: &[char]) -> bool {
        self.peek();
        let rest = self.all[self.at..].strip_prefix(first).map(str::trim_start);
        rest.is_some_and(|rest| rest.starts_with(then))
    }

    /// The line at hand, from 1.
    pub(super) fn line(&self) -> usize {
        self.all[..self.at].lines().count()
    }
}
