//! Texts with `{parts}` in them.

use std::borrow::Cow;

/// A text with parts to be filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Template(Vec<Piece>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    Field(String),
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
            if name.is_empty() {
                return Err("`{}` names no part".into());
            }
            pieces.push(Piece::Field(name.to_owned()));
            rest = &rest[close + 1..];
        }
        if !rest.is_empty() {
            pieces.push(Piece::Text(rest.to_owned()));
        }
        Ok(Self(pieces))
    }

    /// `{key}`.
    pub(crate) fn key() -> Self {
        Self(vec![Piece::Field("key".into())])
    }

    /// The names of the parts.
    pub(crate) fn fields(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|piece| if let Piece::Field(name) = piece { Some(name.as_str()) } else { None })
    }

    /// The text with all parts filled in; none where one is missing.
    pub(crate) fn fill<'a>(&'a self, part: impl Fn(&str) -> Option<Cow<'a, str>>) -> Option<Cow<'a, str>> {
        if let [Piece::Field(name)] = self.0.as_slice() {
            return part(name); // by far the most common, and without a copy
        }
        let mut text = String::new();
        for piece in &self.0 {
            match piece {
                Piece::Text(plain) => text.push_str(plain),
                Piece::Field(name) => text.push_str(&part(name)?),
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
        assert!(Template::parse("{").is_err() && Template::parse("{}").is_err());
    }
}
