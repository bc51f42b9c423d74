//! Languages whose tests a line tells: no grammar, and none needed.

use std::{collections::BTreeMap, sync::OnceLock};

use regex::Regex;
use serde::Deserialize;

use super::{Assertion, Inventory, Skip, Test, likeness::shingles, title::title};

/// Patterns, each tried on every line without the white space around it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Lines {
    /// A test begins; the group `name` is its title. None: the file is one test, with the name of the file.
    test: Option<Pattern>,
    /// The test does not run. None: no line says that of a whole test.
    skip: Option<Pattern>,
    /// The test does not run, under a condition on the same line.
    sometimes: Option<Pattern>,
    /// A check.
    check: Pattern,
    /// No part of the program.
    comment: Pattern,
    /// Opens a part under which a skip is conditional, and closes it.
    guard: Option<[Pattern; 2]>,
}

/// A regex in a file of `rules/tests/`, compiled when the first line is held against it.
#[derive(Debug, Deserialize)]
#[serde(from = "String")]
struct Pattern {
    written: String,
    compiled: OnceLock<Regex>,
}

impl From<String> for Pattern {
    fn from(written: String) -> Self {
        Self { written, compiled: OnceLock::new() }
    }
}

impl Pattern {
    fn regex(&self) -> &Regex {
        let compile =
            || Regex::new(&self.written).unwrap_or_else(|error| unreachable!("the tests compile it too: {error}"));
        self.compiled.get_or_init(compile)
    }

    fn is_match(&self, line: &str) -> bool {
        self.regex().is_match(line)
    }
}

impl Lines {
    /// Whether all regexes compile.
    #[cfg(test)]
    pub(super) fn check(&self) -> Result<(), String> {
        let some = [&self.test, &self.skip, &self.sometimes].into_iter().flatten();
        let all = some.chain([&self.check, &self.comment]).chain(self.guard.iter().flatten());
        let mut compiled = all.map(|pattern| Regex::new(&pattern.written));
        compiled.try_for_each(|result| result.map(|_| ()).map_err(|error| error.to_string()))
    }

    pub(super) fn read(&self, path: &[u8], text: &str) -> Inventory {
        let mut found = Inventory::default();
        let mut tokens: Vec<u64> = Vec::new();
        let mut depth = 0_usize;
        let mut met: BTreeMap<String, usize> = BTreeMap::new();
        if self.test.is_none() {
            let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
            found.tests.push(test(String::from_utf8_lossy(name).into_owned(), 0, 0));
        }
        let mut offset = 0;
        for line in text.split_inclusive('\n') {
            let start = offset;
            offset += line.len();
            let line = line.trim();
            if line.is_empty() || self.comment.is_match(line) {
                continue;
            }
            let name = self.test.as_ref().and_then(|pattern| pattern.regex().captures(line)?.name("name"));
            if let Some(name) = name {
                close(&mut found, &mut tokens);
                let count = met.entry(title(name.as_str())).or_default();
                found.tests.push(test(title(name.as_str()), *count, start));
                *count += 1;
                depth = 0;
                continue;
            }
            tokens.extend(line.split_whitespace().map(|word| xxhash_rust::xxh3::xxh3_64(word.as_bytes())));
            if let Some([opens, closes]) = &self.guard {
                depth += usize::from(opens.is_match(line));
                depth = depth.saturating_sub(usize::from(closes.is_match(line)));
            }
            let Some(last) = found.tests.last_mut() else { continue };
            last.span.end = offset;
            if self.skip.as_ref().is_some_and(|skip| skip.is_match(line)) {
                last.skip = last.skip.max(if depth > 0 { Skip::Conditional } else { Skip::Unconditional });
            } else if self.sometimes.as_ref().is_some_and(|sometimes| sometimes.is_match(line)) {
                last.skip = last.skip.max(Skip::Conditional);
            } else if self.check.is_match(line) {
                let text = line.split_whitespace().collect::<Vec<_>>().join(" ");
                last.assertions.push(Assertion { text, vacuous: false });
            }
        }
        close(&mut found, &mut tokens);
        found
    }
}

fn test(title: String, ordinal: usize, start: usize) -> Test {
    Test {
        containers: Vec::new(),
        title,
        ordinal,
        computed: false,
        span: start..start,
        name: start..start,
        shingles: Vec::new(),
        skip: Skip::None,
        focused: false,
        rows: None,
        assertions: Vec::new(),
        calls: Vec::new(),
    }
}

/// The tokens since the last test began are its body.
fn close(found: &mut Inventory, tokens: &mut Vec<u64>) {
    if let Some(last) = found.tests.last_mut() {
        last.shingles = shingles(tokens);
    }
    tokens.clear();
}
