//! From the text of patterns to patterns.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::{Item, Kind, Pattern, Predicate, Regexes, Repeat, Says, Shape, reader::Text};

/// Reads all patterns of a text, and the names of their captures by number.
pub(super) fn patterns(grammar: &tree_sitter::Language, text: &str) -> Result<(Vec<Pattern>, Vec<String>), String> {
    let text = Text { all: text, at: 0 };
    let mut reader = Reader { grammar, text, names: Vec::new(), kinds: HashMap::default(), varies: false };
    let mut list = Vec::new();
    while reader.text.peek().is_some() {
        let pattern = reader.pattern();
        list.push(pattern.map_err(|error| format!("{error}, in line {}", reader.text.line()))?);
    }
    Ok((list, reader.names))
}

struct Reader<'a> {
    grammar: &'a tree_sitter::Language,
    text: Text<'a>,
    names: Vec<String>,
    /// Kinds that were asked for; the grammar goes through all its kinds each time.
    kinds: HashMap<(&'a str, bool), u16, RandomState>,
    /// Whether the pattern at hand has a `?`.
    varies: bool,
}

impl<'a> Reader<'a> {
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
        let items = if self.text.begins_with("(", &['(', '"', '[']) {
            self.text.expect('(')?;
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

    /// Siblings up to the end of their list.
    fn items(&mut self, end: char, without: &mut Vec<u16>, says: &mut Vec<Predicate>) -> Result<Vec<Item>, String> {
        let mut items: Vec<Item> = Vec::new();
        while !self.text.eat(end) {
            if self.text.begins_with("(", &['#']) {
                says.push(self.predicate()?);
                continue;
            }
            if self.text.eat('!') {
                let name = self.text.name()?;
                without.push(self.field(name)?);
                continue;
            }
            let immediate = self.text.eat('.');
            if immediate && self.text.eat(end) {
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
        if self.text.peek().is_some_and(|c| c.is_ascii_alphabetic()) {
            let name = self.text.name()?;
            field = self.field(name)?;
            self.text.expect(':')?;
        }
        let mut nodes = Vec::new();
        if self.text.eat('[') {
            while !self.text.eat(']') {
                let mut shape = self.shape(says)?;
                shape.captures = self.captures()?;
                nodes.push(shape);
            }
        } else {
            nodes.push(self.shape(says)?);
        }
        let repeat = match (self.text.eat('?'), self.text.eat('*')) {
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
        let kind = if self.text.peek() == Some('"') {
            let start = self.text.at + 1;
            let token = self.text.string()?;
            let written = &self.text.all[start..self.text.at - 1];
            if token != written {
                return Err("a token with an escape".to_owned());
            }
            Kind::Is(self.kind(written, false)?)
        } else {
            self.text.expect('(')?;
            let kind = match self.text.name()? {
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
        while self.text.eat('@') {
            captures.push(self.capture()?);
        }
        Ok(captures)
    }

    fn capture(&mut self) -> Result<u16, String> {
        let name = self.text.name()?;
        let known = self.names.iter().position(|known| known == name);
        Ok(known.unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        }) as u16)
    }

    fn predicate(&mut self) -> Result<Predicate, String> {
        self.text.expect('(')?;
        self.text.expect('#')?;
        let name = self.text.name()?;
        self.text.expect('@')?;
        let capture = self.capture()?;
        let wanted = self.text.string()?;
        self.text.expect(')')?;
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
