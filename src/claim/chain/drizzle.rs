//! Drizzle's snapshots: `id` and `prevId` of a JSON document.
//!
//! A snapshot describes a whole schema and may be large, and there is one for each migration. So it is not parsed: only the members of the
//! document itself are looked at, up to the second of the two.

use std::ops::Range;

use super::{Parsed, Revision};

/// Reads one snapshot.
pub fn parse(bytes: &[u8]) -> Parsed<Revision> {
    let (mut id, mut previous) = (None, None);
    let done = Scanner { bytes, at: 0 }.members(&mut |name, value| {
        match name {
            b"id" => id = Some(value),
            b"prevId" => previous = Some(value),
            _ => {}
        }
        id.is_none() || previous.is_none()
    });
    let text = |span: &Range<usize>| String::from_utf8_lossy(&bytes[span.clone()]).into_owned();
    match (done, id, previous) {
        // what has no parent of its own comes after this one, so that two beginnings are a fork as well: drizzle-kit says so too
        (Some(()), Some(id), Some(previous)) => Parsed::Revision(Revision {
            id: text(&id),
            parents: vec![text(&previous)],
            id_span: previous,
            ..Revision::default()
        }),
        (None, ..) => Parsed::Unclear("the snapshot is no JSON document".to_owned()),
        _ => Parsed::NotOne,
    }
}

/// Goes through the members of an object without understanding their values.
struct Scanner<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl Scanner<'_> {
    /// Tells `see` each member whose value is a string, both without their quotes, as long as it wants more. None if this is no object.
    fn members(mut self, see: &mut dyn FnMut(&[u8], Range<usize>) -> bool) -> Option<()> {
        if self.bytes.starts_with(b"\xEF\xBB\xBF") {
            self.at = 3;
        }
        self.expect(b'{')?;
        if self.peek()? == b'}' {
            return Some(());
        }
        loop {
            let name = self.string()?;
            self.expect(b':')?;
            if self.peek()? == b'"' {
                let value = self.string()?;
                if !see(&self.bytes[name], value) {
                    return Some(());
                }
            } else {
                self.skip()?;
            }
            match self.peek()? {
                b',' => self.at += 1,
                b'}' => return Some(()),
                _ => return None,
            }
        }
    }

    fn peek(&mut self) -> Option<u8> {
        let blanks = self.bytes[self.at..].iter().take_while(|b| b.is_ascii_whitespace()).count();
        self.at += blanks;
        self.bytes.get(self.at).copied()
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    /// What stands between the quotes of a string.
    fn string(&mut self) -> Option<Range<usize>> {
        self.expect(b'"')?;
        let start = self.at;
        loop {
            let ahead = memchr::memchr2(b'"', b'\\', &self.bytes[self.at..])?;
            self.at += ahead;
            if self.bytes[self.at] == b'"' {
                self.at += 1;
                return Some(start..self.at - 1);
            }
            self.at = (self.at + 2).min(self.bytes.len());
        }
    }

    /// Passes over a value that is no string.
    fn skip(&mut self) -> Option<()> {
        let mut depth = 0_usize;
        loop {
            match self.peek()? {
                b'"' => {
                    self.string()?;
                    continue;
                }
                b'{' | b'[' => depth += 1,
                b'}' | b']' | b',' if depth == 0 => return Some(()),
                b'}' | b']' => depth -= 1,
                _ => {}
            }
            self.at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Option<(String, String, &str)> {
        match parse(text.as_bytes()) {
            Parsed::Revision(found) => Some((found.id, found.parents.concat(), &text[found.id_span])),
            Parsed::NotOne => None,
            Parsed::Unclear(why) => Some((why, String::new(), "")),
        }
    }

    #[test]
    fn ids_are_those_of_the_document_itself() {
        let want = Some(("b".to_owned(), "a".to_owned(), "a"));
        for text in [
            r#"{"id": "b", "prevId": "a", "tables": {}}"#,
            "\u{FEFF}{\n \"version\": \"7\",\n \"tables\": {\"id\": \"x\", \"t\": [{\"prevId\": \"y\\\"}\"}, 1, null]},\n \"n\": -1.5,\n \"prevId\": \"a\",\n \"id\": \"b\"\n}\n",
            r#"{"id": "b", "prevId": "a", what comes after does not matter"#,
        ] {
            assert_eq!(parsed(text), want, "{text}");
        }
    }

    #[test]
    fn other_documents_are_none_and_broken_ones_unclear() {
        for text in ["{}", r#"{"id": "b"}"#, r#"{"prevIds": ["a"], "id": "b"}"#, r#"{"id": 1, "prevId": null}"#] {
            assert_eq!(parsed(text), None, "{text}");
        }
        for text in ["", "[]", "<<<<<<< HEAD\n{}", r#"{"id": "b", "prevId"#, r#"{"id" "b"}"#, r#"{"tables": {"a": "b}"#]
        {
            assert!(parsed(text).is_some_and(|found| found.0.contains("JSON")), "{text}");
        }
    }
}
