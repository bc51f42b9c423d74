//! From the text of patterns to patterns.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::{Item, Kind, Pattern, Predicate, Regexes, Repeat, Says, Shape};

/// Reads all patterns of a text, and the names of their captures by number.
pub(super) fn patterns(grammar: &tree_sitter::Language, text: &str) -> Result<(Vec<Pattern>, Vec<String>), String> {
    let mut reader = Reader { grammar, text, at: 0, names: Vec::new(), kinds: HashMap::default(), varies: false };
    let mut list = Vec::new();
    while reader.peek().is_some() {
        let pattern = reader.pattern();
        list.push(pattern.map_err(|error| format!("{error}, in line {}", text[..reader.at].lines().count()))?);
    }
    Ok((list, reader.names))
}

struct Reader<'a> {
    grammar: &'a tree_sitter::Language,
    text: &'a str,
    at: usize,
    names: Vec<String>,
    /// Kinds that were asked for; the grammar goes through all its kinds each time.
    kinds: HashMap<(&'a str, bool), u16, RandomState>,
    /// Whether the pattern at hand has a `?`.
    varies: bool,
}

impl<'a> Reader<'a> {
    /// The next character that is neither white space nor in a comment.
    fn peek(&mut self) -> Option<char> {
        loop {
            let rest = &self.text[self.at..];
            self.at += rest.len() - rest.trim_start().len();
            match self.text[self.at..].chars().next()? {
                ';' => self.at += self.text[self.at..].find('\n').unwrap_or(self.text.len() - self.at),
                other => return Some(other),
            }
        }
    }

    /// Goes on if this is next.
    fn eat(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        self.at += if found { wanted.len_utf8() } else { 0 };
        found
    }

    fn expect(&mut self, wanted: char) -> Result<(), String> {
        if self.eat(wanted) { Ok(()) } else { Err(format!("no `{wanted}` where one must be")) }
    }

    /// A name of a kind, a field, a capture or a predicate.
    fn name(&mut self) -> Result<&'a str, String> {
        self.peek();
        let rest = &self.text[self.at..];
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '?' | '!');
        let name = &rest[..rest.find(|c| !is_part(c)).unwrap_or(rest.len())];
        self.at += name.len();
        if name.is_empty() { Err("no name where one must be".to_owned()) } else { Ok(name) }
    }

    /// What stands between quotes.
    fn string(&mut self) -> Result<String, String> {
        self.expect('"')?;
        let mut string = String::new();
        let mut chars = self.text[self.at..].char_indices();
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

    fn kind(&mut self, name: &'a str, named: bool) -> Result<u16, String> {
        let grammar = self.grammar;
        let id = *self.kinds.entry((name, named)).or_insert_with(|| grammar.id_for_node_kind(name, named));
        match id {
            0 => Err(format!("the grammar has no kind `{name}`")),
            id if grammar.node_kind_is_supertype(id) => Err(format!("`{name}` stands for several kinds")),
            id => Ok(id),
        }
    }

    fn field(&self, name: &str) -> Result<u16, String> {
        let id = self.grammar.field_id_for_name(name).ok_or_else(|| format!("the grammar has no field `{name}`"))?;
        Ok(id.get())
    }

    fn pattern(&mut self) -> Result<Pattern, String> {
        self.varies = false;
        let mut predicates = Vec::new();
        let items = if self.begins_with("(", &['(', '"', '[']) {
            self.expect('(')?;
            self.items(')', &mut Vec::new(), &mut predicates)?
        } else {
            vec![self.item(&mut predicates)?]
        };
        let first = items.first().ok_or("a pattern without a node")?;
        if first.immediate || first.repeat != Repeat::Once || items.iter().any(|item| item.last) {
            return Err("an anchor or a quantifier at the edge of a pattern".to_owned());
        }
        Ok(Pattern { items, predicates, varies: self.varies })
    }

    /// Whether this is next, and one of these follows.
    fn begins_with(&mut self, first: &str, then: &[char]) -> bool {
        self.peek();
        let rest = self.text[self.at..].strip_prefix(first).map(str::trim_start);
        rest.is_some_and(|rest| rest.starts_with(then))
    }

    /// Siblings up to the end of their list.
    fn items(&mut self, end: char, without: &mut Vec<u16>, says: &mut Vec<Predicate>) -> Result<Vec<Item>, String> {
        let mut items: Vec<Item> = Vec::new();
        while !self.eat(end) {
            if self.begins_with("(", &['#']) {
                says.push(self.predicate()?);
                continue;
            }
            if self.eat('!') {
                let name = self.name()?;
                without.push(self.field(name)?);
                continue;
            }
            let immediate = self.eat('.');
            if immediate && self.eat(end) {
                let last = items.last_mut().filter(|item| item.repeat == Repeat::Once);
                last.ok_or("an anchor beside a quantifier, or beside nothing")?.last = true;
                break;
            }
            let item = Item { immediate, ..self.item(says)? };
            let before = items.last().map(|item| item.repeat);
            let fits = match item.repeat {
                Repeat::Once if before == Some(Repeat::Maybe) => !immediate,
                Repeat::Once => before != Some(Repeat::Any) || immediate,
                Repeat::Maybe => !immediate && before != Some(Repeat::Any),
                Repeat::Any => immediate && before == Some(Repeat::Once),
            };
            if !fits {
                return Err("an anchor beside a quantifier where tree-sitter gives it a meaning of its own".to_owned());
            }
            items.push(item);
        }
        match items.last() {
            Some(item) if item.repeat == Repeat::Any => Err("`*` at the end".to_owned()),
            _ => Ok(items),
        }
    }

    /// One sibling with its field, quantifier and captures.
    fn item(&mut self, says: &mut Vec<Predicate>) -> Result<Item, String> {
        let mut field = 0;
        if self.peek().is_some_and(|c| c.is_ascii_alphabetic()) {
            let name = self.name()?;
            field = self.field(name)?;
            self.expect(':')?;
        }
        let mut nodes = Vec::new();
        if self.eat('[') {
            while !self.eat(']') {
                let mut shape = self.shape(says)?;
                shape.captures = self.captures()?;
                nodes.push(shape);
            }
        } else {
            nodes.push(self.shape(says)?);
        }
        let repeat = match (self.eat('?'), self.eat('*')) {
            (false, false) => Repeat::Once,
            (true, false) => Repeat::Maybe,
            (false, true) => Repeat::Any,
            (true, true) => return Err("two quantifiers".to_owned()),
        };
        self.varies |= repeat == Repeat::Maybe;
        let captures = self.captures()?;
        let plain = |shape: &Shape| {
            shape.children.is_empty() && shape.without.is_empty() && shape.captures.is_empty() && captures.is_empty()
        };
        if repeat == Repeat::Any && !(field == 0 && nodes.iter().all(plain)) {
            return Err("`*` behind more than kinds".to_owned());
        }
        Ok(Item { field, immediate: false, last: false, repeat, nodes, captures })
    }

    /// One node.
    fn shape(&mut self, says: &mut Vec<Predicate>) -> Result<Shape, String> {
        let (mut without, mut children) = (Vec::new(), Vec::new());
        let kind = if self.peek() == Some('"') {
            let start = self.at + 1;
            let token = self.string()?;
            let written = &self.text[start..self.at - 1];
            if token != written {
                return Err("a token with an escape".to_owned());
            }
            Kind::Is(self.kind(written, false)?)
        } else {
            self.expect('(')?;
            let kind = match self.name()? {
                "_" => Kind::AnyNamed,
                name => Kind::Is(self.kind(name, true)?),
            };
            children = self.items(')', &mut without, says)?;
            kind
        };
        Ok(Shape { kind, without, children, captures: Vec::new() })
    }

    /// Names behind `@`, as numbers.
    fn captures(&mut self) -> Result<Vec<u16>, String> {
        let mut captures = Vec::new();
        while self.eat('@') {
            captures.push(self.capture()?);
        }
        Ok(captures)
    }

    fn capture(&mut self) -> Result<u16, String> {
        let name = self.name()?;
        let known = self.names.iter().position(|known| known == name);
        Ok(known.unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        }) as u16)
    }

    fn predicate(&mut self) -> Result<Predicate, String> {
        self.expect('(')?;
        self.expect('#')?;
        let name = self.name()?;
        self.expect('@')?;
        let capture = self.capture()?;
        let wanted = self.string()?;
        self.expect(')')?;
        let says = match name {
            "eq?" => Says::Equal(wanted),
            "match?" => Says::Match(Regexes::new(vec![wanted])),
            "not-match?" => Says::NoMatch(Regexes::new(vec![wanted])),
            _ => return Err(format!("no predicate `#{name}`")),
        };
        Ok(Predicate { capture, says })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_or_has_another_meaning_to_tree_sitter_is_refused() {
        let grammar = tree_sitter_python::LANGUAGE.into();
        for (text, why) in [
            ("(nothing)", "no kind `nothing`"),
            ("(call nothing: (_))", "no field `nothing`"),
            ("(call !nothing)", "no field `nothing`"),
            ("(call \"nothing\")", "no kind `nothing`"),
            ("(expression)", "several kinds"),
            ("(call) @a (#any-of? @a \"b\")", "no name"),
            ("(call (#any-of? @a \"b\"))", "no predicate `#any-of?`"),
            ("(call (_)+)", "no `(`"),
            ("(call _)", "no `(`"),
            ("(call (identifier)? . (_))", "an anchor beside a quantifier"),
            ("(call . (identifier)?)", "an anchor beside a quantifier"),
            ("(call (identifier)? .)", "an anchor beside a quantifier"),
            ("(call (identifier)*)", "an anchor beside a quantifier"),
            ("(call (_) . (identifier)*)", "`*` at the end"),
            ("(call (_) . (identifier)* @a . (_))", "`*` behind more than kinds"),
            ("(call .)", "beside nothing"),
            ("((call) . (call) .)", "edge"),
            ("(call (_)\n(#eq? @a \"b", "without its end, in line 2"),
            ("(call", "no `(`"),
        ] {
            let error = patterns(&grammar, text).err().unwrap_or_else(|| panic!("{text} is read"));
            assert!(error.contains(why), "{text}: {error}");
        }
    }
}
