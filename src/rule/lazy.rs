//! Regexes of rule files, compiled at their first use: most runs need few of them.

use std::sync::OnceLock;

use regex::Regex;
use regex_syntax::hir::{Hir, HirKind};

use crate::claim::extract::line::LinePattern;

/// A regex that is compiled when it is first asked.
#[derive(Debug)]
pub(crate) struct LazyRegex {
    text: String,
    /// Whether it has to match the whole of a text.
    whole: bool,
    compiled: OnceLock<Compiled>,
}

#[derive(Debug, Default)]
struct Compiled {
    /// A literal with which every match begins, and one with which it ends. Tested apart, for what is left is shorter, and can often be
    /// matched in a single pass, groups included.
    start: String,
    end: String,
    /// None only for a file whose mistakes were not asked for.
    regex: Option<Regex>,
}

/// A pattern on lines that is compiled when it is first asked.
#[derive(Debug)]
pub(crate) struct LazyLine {
    text: String,
    compiled: OnceLock<Result<LinePattern, String>>,
}

impl LazyLine {
    pub(crate) fn new(text: &str) -> Self {
        Self { text: text.to_owned(), compiled: OnceLock::new() }
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn get(&self) -> &Result<LinePattern, String> {
        self.compiled.get_or_init(|| LinePattern::new(&self.text))
    }
}

const REGEX_SIZE: usize = 2 << 20;
/// Bytes and classes of a regex that is far below that size, whatever it says.
const SHORT: usize = 160;
const FEW: usize = 12;

/// Whether a regex could come near the limit: by length, by counted repetitions, or by its classes, each of which can be that of all letters.
fn may_be_large(text: &str) -> bool {
    let classes = text.bytes().filter(|b| matches!(b, b'\\' | b'[' | b'.')).count();
    text.len() > SHORT || classes > FEW || text.contains('{')
}

impl LazyRegex {
    /// A regex that has to match the whole of a text.
    pub(crate) fn whole(text: &str) -> Self {
        Self { text: text.to_owned(), whole: true, compiled: OnceLock::new() }
    }

    /// A regex that has to match somewhere.
    pub(crate) fn part(text: &str) -> Self {
        Self { text: text.to_owned(), whole: false, compiled: OnceLock::new() }
    }

    /// As it was written.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    fn compile(&self) -> Result<Compiled, regex::Error> {
        let build = |text: &str| regex::RegexBuilder::new(text).size_limit(REGEX_SIZE).build();
        if !self.whole {
            return Ok(Compiled { regex: Some(build(&self.text)?), ..Compiled::default() });
        }
        let (start, end) =
            regex_syntax::parse(&self.text).map_or_else(|_| Default::default(), |hir| literal_ends(&hir));
        // where the literal is written in another way, it stays in the regex
        let text = self.text.as_str();
        let (text, start) =
            text.strip_prefix(&regex::escape(&start)).map_or((text, String::new()), |rest| (rest, start));
        let (text, end) = text.strip_suffix(&regex::escape(&end)).map_or((text, String::new()), |rest| (rest, end));
        Ok(Compiled { regex: Some(build(&format!(r"\A(?:{text})\z"))?), start, end })
    }

    /// Learns of a mistake, and gives the names of the groups. Compiles only what could be too large: a short regex without counted
    /// repetitions is not.
    pub(crate) fn check(&self) -> Result<Vec<String>, String> {
        let names = group_names(&self.text)?;
        if may_be_large(&self.text) {
            let made = self.compile().map_err(|error| one_line(&error.to_string()))?;
            let _ = self.compiled.set(made); // another thread may have been first
        }
        Ok(names)
    }

    fn get(&self) -> &Compiled {
        self.compiled.get_or_init(|| self.compile().unwrap_or_default())
    }

    /// The regex without the literals at its ends; none only for a file whose mistakes were not asked for.
    pub(crate) fn regex(&self) -> Option<&Regex> {
        self.get().regex.as_ref()
    }

    pub(crate) fn is_match(&self, text: &str) -> bool {
        self.middle(text).is_some_and(|text| self.regex().is_some_and(|regex| regex.is_match(text)))
    }

    /// The names of the groups.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.regex().into_iter().flat_map(|regex| regex.capture_names().flatten())
    }

    /// The groups of a match.
    pub(crate) fn captures<'t>(&self, text: &'t str) -> Option<regex::Captures<'t>> {
        self.regex()?.captures(self.middle(text)?)
    }

    /// Where the text that groups are counted in begins.
    pub(crate) fn offset(&self) -> usize {
        self.get().start.len()
    }

    fn middle<'t>(&self, text: &'t str) -> Option<&'t str> {
        let Compiled { start, end, .. } = self.get();
        text.strip_prefix(start.as_str())?.strip_suffix(end.as_str())
    }
}

/// The literals with which every match begins and ends.
fn literal_ends(hir: &Hir) -> (String, String) {
    let HirKind::Concat(parts) = hir.kind() else { return Default::default() };
    let literal = |part: Option<&Hir>| match part?.kind() {
        HirKind::Literal(literal) => std::str::from_utf8(&literal.0).ok().map(str::to_owned),
        _ => None,
    };
    (literal(parts.first()).unwrap_or_default(), literal(parts.last()).unwrap_or_default())
}

pub(super) fn one_line(text: &str) -> String {
    let last = text.trim().lines().last().unwrap_or_default();
    last.strip_prefix("error: ").unwrap_or(last).to_owned()
}

/// The names of a regex' groups, without compiling it.
pub(super) fn group_names(text: &str) -> Result<Vec<String>, String> {
    fn walk(hir: &Hir, names: &mut Vec<String>) {
        match hir.kind() {
            HirKind::Capture(capture) => {
                names.extend(capture.name.as_deref().map(str::to_owned));
                walk(&capture.sub, names);
            }
            HirKind::Repetition(repetition) => walk(&repetition.sub, names),
            HirKind::Concat(all) | HirKind::Alternation(all) => all.iter().for_each(|one| walk(one, names)),
            HirKind::Empty | HirKind::Literal(_) | HirKind::Class(_) | HirKind::Look(_) => {}
        }
    }
    let hir = regex_syntax::parse(text).map_err(|error| one_line(&error.to_string()))?;
    let mut names = Vec::new();
    walk(&hir, &mut names);
    Ok(names)
}
