//! Names in lines: a regex tried on each line of a file.

use std::borrow::Cow;

use regex::bytes::Regex;

use super::{ExtractError, Found};

/// Bytes of one line.
const MAX_LINE: usize = 64 * 1024;

/// A compiled pattern with the group `key`, and any other named groups as fields.
#[derive(Clone, Debug)]
pub struct LinePattern {
    regex: Regex,
    key: usize,
    fields: Vec<(String, usize)>,
}

impl LinePattern {
    /// Compiles a pattern; it is tried once on each line, without the line's end. The error says what is wrong with it.
    pub fn new(pattern: &str) -> Result<Self, String> {
        let regex = Regex::new(pattern).map_err(|error| error.to_string())?;
        let named = regex.capture_names().enumerate().filter_map(|(at, name)| Some((name?.to_owned(), at)));
        let (keys, fields): (Vec<_>, Vec<_>) = named.partition(|(name, _)| name == "key");
        let Some(&(_, key)) = keys.first() else { return Err("the pattern has no group `key`".to_owned()) };
        Ok(Self { regex, key, fields })
    }

    /// Tells `sink` the key of the first match on each line. An empty key is no name; neither is a line that does not match. A line that
    /// would match but for bytes that are no text is an error.
    pub fn run(&self, bytes: &[u8], sink: &mut dyn FnMut(Found<'_>)) -> Result<(), ExtractError> {
        if bytes.starts_with(b"\xFF\xFE") || bytes.starts_with(b"\xFE\xFF") {
            return Err(ExtractError::Encoding(0)); // UTF-16: every line would look like none
        }
        let mut at = if bytes.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
        let mut slots = self.regex.capture_locations();
        let mut number = 0;
        while at < bytes.len() {
            number += 1;
            let end = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |length| at + length);
            let line = &bytes[at..end];
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if line.len() > MAX_LINE {
                return Err(ExtractError::TooLarge(format!("line {number} has more than {MAX_LINE} bytes")));
            }
            if self.regex.captures_read(&mut slots, line).is_some()
                && let Some((start, stop)) = slots.get(self.key).filter(|(start, stop)| start < stop)
            {
                let group = |start: usize, stop: usize| text(&line[start..stop], at + start);
                let fields = self.fields.iter().filter_map(|(name, slot)| {
                    let (start, stop) = slots.get(*slot)?;
                    Some(group(start, stop).map(|text| (name.as_str(), text)))
                });
                let fields = fields.collect::<Result<_, _>>()?;
                sink(Found { key: group(start, stop)?, span: at + start..at + stop, fields });
            } else if let Err(error) = std::str::from_utf8(line)
                && self.regex.is_match(String::from_utf8_lossy(line).as_bytes())
            {
                return Err(ExtractError::Encoding(at + error.valid_up_to())); // a name, were it text
            }
            at = end + 1;
        }
        Ok(())
    }
}

fn text(bytes: &[u8], at: usize) -> Result<Cow<'_, str>, ExtractError> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(Cow::Borrowed(text)),
        Err(error) => Err(ExtractError::Encoding(at + error.valid_up_to())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(pattern: &str, text: &[u8]) -> Result<Vec<(String, usize, Vec<String>)>, ExtractError> {
        let mut out = Vec::new();
        LinePattern::new(pattern).expect("a valid pattern").run(text, &mut |found| {
            assert_eq!(&text[found.span.clone()], found.key.as_bytes());
            let fields = found.fields.iter().map(|(name, value)| format!("{name}={value}")).collect();
            out.push((found.key.into_owned(), found.span.start, fields));
        })?;
        Ok(out)
    }

    #[test]
    fn keys_and_fields_of_each_line() {
        let found =
            run("^(?<name>[A-Z]+_)?PORT=(?<key>[0-9]+)$", b"\xEF\xBB\xBFPORT=1\r\n# x\nDB_PORT=22\nPORT=x\nPORT=3")
                .expect("text");
        let expected = [("1", 8, vec![]), ("22", 23, vec!["name=DB_".to_owned()]), ("3", 38, vec![])];
        assert_eq!(found, expected.map(|(key, at, fields)| (key.to_owned(), at, fields)));
    }

    #[test]
    fn only_bytes_that_are_taken_must_be_text() {
        assert_eq!(run("a=(?<key>.)", b"\xFF\na=b \xFF\n").expect("text").len(), 1);
        assert_eq!(run("(?-u)a=(?<key>[^ ]+)", b"x\na=\xFF\n"), Err(ExtractError::Encoding(4)));
        assert_eq!(run("a=(?<key>.*)", b"a=\n").expect("text"), []);
    }

    #[test]
    fn a_line_without_end_is_refused() {
        let long = vec![b'x'; MAX_LINE + 1];
        assert!(matches!(run("(?<key>a)", &[b"a\n", &long[..]].concat()), Err(ExtractError::TooLarge(_))));
        assert_eq!(run("(?<key>x)", &long[1..]).expect("short enough").len(), 1);
    }

    #[test]
    fn a_pattern_needs_a_key() {
        assert!(LinePattern::new("(a)").is_err());
        assert!(LinePattern::new("(?<key>").is_err());
    }

    #[test]
    fn a_name_in_bytes_that_are_no_text_is_no_silence() {
        let all = "^id: (?<key>.+)$";
        assert_eq!(run(all, b"id: a\nid: caf\xe9\n"), Err(ExtractError::Encoding(13)));
        assert_eq!(run(all, b"# caf\xe9\nid: a\n").map(|found| found.len()), Ok(1));
        assert_eq!(run(all, b"\xff\xfei\0d\0:\0 \0a\0"), Err(ExtractError::Encoding(0)));
    }
}
