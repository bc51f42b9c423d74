//! A mistake in a file that a person wrote, with the place where it stands.

use std::ops::Range;

use miette::{NamedSource, SourceSpan};

use crate::{
    diag::Position,
    error::{Fatal, visible},
};

/// Longest line that is still shown around a mistake, in bytes.
const LINE_LIMIT: usize = 1000;

/// What kind of file a text is. It decides under which variant of [`Fatal`] a mistake is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// `gatekeep.toml`.
    Config,
    /// A rule: one of `rules/` or of `.gatekeep/rules/`.
    Rule,
    /// `.gatekeep/baseline.json`.
    Baseline,
}

impl FileKind {
    /// Wraps a mistake as the end of the run.
    pub fn fatal(self, mistake: Mistake) -> Fatal {
        let mistake = Box::new(mistake);
        match self {
            Self::Config => Fatal::Config(mistake),
            Self::Rule => Fatal::RuleFile(mistake),
            Self::Baseline => Fatal::Baseline(mistake),
        }
    }
}

/// A mistake in a file, with its place. All texts in it are safe to print.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[error("{place}: {message}")]
pub struct Mistake {
    /// `file:line:column`, or the file alone.
    place: String,
    message: String,
    #[help]
    help: Option<String>,
    #[source_code]
    excerpt: Option<NamedSource<String>>,
    #[label("here")]
    span: Option<SourceSpan>,
}

impl Mistake {
    /// A mistake in the file as a whole.
    pub fn whole(file: &str, message: &str) -> Self {
        Self { place: visible(file).into(), message: visible(message).into(), help: None, excerpt: None, span: None }
    }

    /// A mistake at these bytes of the text. A span that does not fit the text is cut to it.
    pub fn at(file: &str, text: &str, span: Range<usize>, message: &str) -> Self {
        let Position { line, column, .. } = position(text, span.clone());
        let (excerpt, span) = printable(text, span).unzip();
        Self {
            place: format!("{}:{line}:{column}", visible(file)),
            message: visible(message).into(),
            help: None,
            excerpt: excerpt.map(|text| NamedSource::new(visible(file), text)),
            span,
        }
    }

    /// Adds what to do about it.
    #[must_use]
    pub fn with_help(mut self, help: impl AsRef<str>) -> Self {
        self.help = Some(visible(help.as_ref()).into());
        self
    }
}

/// The lines and columns of some bytes of a text. A span that does not fit the text is cut to it.
pub(crate) fn position(text: &str, span: Range<usize>) -> Position {
    let span = fit(text, span);
    let (line, column) = line_and_column(&text[..span.start]);
    let (end_line, end_column) = line_and_column(&text[..span.end]);
    Position { line, column, end_line, end_column }
}

/// Where the text that follows `before` begins.
fn line_and_column(before: &str) -> (usize, usize) {
    let start = memchr::memrchr(b'\n', before.as_bytes()).map_or(0, |at| at + 1);
    (memchr::memchr_iter(b'\n', before.as_bytes()).count() + 1, before[start..].chars().count() + 1)
}

fn fit(text: &str, span: Range<usize>) -> Range<usize> {
    let end = text.floor_char_boundary(span.end);
    text.floor_char_boundary(span.start).min(end)..end
}

/// The text made safe for a terminal, and where the marked bytes went; none if its lines are too long to be shown.
fn printable(text: &str, span: Range<usize>) -> Option<(String, SourceSpan)> {
    let span = fit(text, span);
    // A span can be a whole table; its first line is enough to find it.
    let end = span.start + text[span.clone()].find(['\r', '\n']).unwrap_or(span.len());
    let mut shown = String::with_capacity(text.len());
    push_lines(&mut shown, &text[..span.start]);
    let start = shown.len();
    push_lines(&mut shown, &text[span.start..end]);
    let length = shown.len() - start;
    push_lines(&mut shown, &text[end..]);
    shown.lines().all(|line| line.len() <= LINE_LIMIT).then(|| (shown, (start, length).into()))
}

/// Appends the text, with all escaped but line ends and tabs.
fn push_lines(shown: &mut String, text: &str) {
    for piece in text.split_inclusive(['\n', '\t']) {
        let body = piece.trim_end_matches(['\n', '\t']);
        shown.push_str(&visible(body.strip_suffix('\r').unwrap_or(body)));
        shown.push_str(&piece[body.len()..]);
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn positions_count_characters_from_one() {
        let text = "a\nbé = 1\n";
        let at = text.find('=').unwrap();
        assert_eq!(position(text, at..at + 3), Position { line: 2, column: 4, end_line: 2, end_column: 7 });
        assert_eq!(position(text, 900..1000), Position { line: 3, column: 1, end_line: 3, end_column: 1 });
        assert_eq!(position(text, 4..4).column, 2, "a span inside a letter begins with it");
    }

    #[test]
    fn the_place_is_marked_although_the_text_before_it_was_escaped() {
        let text = "# \x1b[31m\r\n\tkey = 1\r\n";
        let at = text.find("key").unwrap();
        let (shown, span) = printable(text, at..at + 3).unwrap();
        assert_eq!(&shown[span.offset()..span.offset() + span.len()], "key");
        assert_eq!(shown, "# \\u{1b}[31m\n\tkey = 1\n");
    }

    #[test]
    fn a_rendered_mistake_holds_no_control_characters() {
        let text = "# \x1b]0;x\x07\nkey = 1\n";
        let at = text.find("key").unwrap();
        let fatal = FileKind::Config.fatal(Mistake::at("g\x1b.toml", text, at..at + 3, "no\nway").with_help("b\x07"));
        let mut out = String::new();
        let theme = miette::GraphicalTheme::unicode_nocolor();
        miette::GraphicalReportHandler::new_themed(theme).with_width(100).render_report(&mut out, &fatal).unwrap();
        assert!(!out.contains(['\x1b', '\x07']), "{out:?}");
        assert!(out.contains("g\\u{1b}.toml:2:1") && out.contains("no\\nway") && out.contains("key = 1"), "{out}");
    }

    #[test]
    fn a_file_with_an_endless_line_is_not_printed() {
        let text = format!("key = \"{}\"\n", "x".repeat(5000));
        let mistake = Mistake::at("g.toml", &text, 0..3, "no");
        assert!(mistake.excerpt.is_none() && mistake.span.is_none());
        assert_eq!(mistake.to_string(), "g.toml:1:1: no");
    }
}
