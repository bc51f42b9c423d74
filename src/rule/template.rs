//! Texts with `{parts}` in them.

use std::borrow::Cow;

/// A text with parts to be filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Template(Vec<Piece>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    /// Names of parts: the first that is there.
    Field(Vec<String>),
}

impl Template {
    /// Understands a template; `{{` and `}}` are not needed by any rule and not known.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut pieces = Vec::new();
        let mut rest = text;
        while let Some(open) = rest.find('{') {
            if open > 0 {
                pieces.push(Piece::Text(rest[..open].to_owned()));
            }
            let close = rest[open..].find('}').ok_or("a `{` is not closed")? + open;
            let name = &rest[open + 1..close];
            let names: Vec<String> = name.split('|').map(str::to_owned).collect();
            if names.iter().any(String::is_empty) {
                return Err(format!("`{{{name}}}` names no part"));
            }
            pieces.push(Piece::Field(names));
            rest = &rest[close + 1..];
        }
        if !rest.is_empty() {
            pieces.push(Piece::Text(rest.to_owned()));
        }
        Ok(Self(pieces))
    }

    /// `{key}`.
    pub(crate) fn key() -> Self {
        Self(vec![Piece::Field(vec!["key".into()])])
    }

    /// The names of the parts.
    pub(crate) fn fields(&self) -> impl Iterator<Item = &str> {
        let names = self.0.iter().filter_map(|piece| if let Piece::Field(names) = piece { Some(names) } else { None });
        names.flatten().map(String::as_str)
    }

    /// The text with all parts filled in; none where one is missing.
    pub(crate) fn fill<'a>(&'a self, part: impl Fn(&str) -> Option<Cow<'a, str>>) -> Option<Cow<'a, str>> {
        let first = |names: &[String]| names.iter().find_map(|name| part(name));
        if let [Piece::Field(names)] = self.0.as_slice() {
            return first(names); // by far the most common, and without a copy
        }
        let mut text = String::new();
        for piece in &self.0 {
            match piece {
                Piece::Text(plain) => text.push_str(plain),
                Piece::Field(names) => text.push_str(&first(names)?),
            }
        }
        Some(Cow::Owned(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_filled_in_or_the_text_is_missing() {
        let part = |name: &str| (name == "a").then_some(Cow::Borrowed("x"));
        let (known, unknown) = (Template::parse("<{a}>").expect("good"), Template::parse("{b}").expect("good"));
        assert_eq!(known.fill(part).as_deref(), Some("<x>"));
        assert_eq!(unknown.fill(part), None);
        assert!(Template::parse("{").is_err() && Template::parse("{}").is_err() && Template::parse("{a|}").is_err());
        let either = Template::parse("{b|a}").expect("good");
        assert_eq!(either.fill(part).as_deref(), Some("x"));
        assert_eq!(either.fields().collect::<Vec<_>>(), ["b", "a"]);
    }
}
