//! Wrapping, lists and fields to the width of the terminal.

use miette::ThemeStyles;

use super::HumanOptions;
use crate::{
    diag::{Rename, Severity},
    report::{escape::terminal, shell},
};

/// Columns that the mark and the bar before a message take.
const BAR: usize = 4;
/// Columns before the text of a field.
const FIELD: usize = 8;

/// How wide, and with which characters and colours.
pub(super) struct Layout {
    pub(super) colour: bool,
    pub(super) width: usize,
    pub(super) unicode: bool,
    pub(super) verbose: bool,
}

impl Layout {
    pub(super) fn new(options: &HumanOptions) -> Self {
        let HumanOptions { colour, width, unicode, verbose, quiet: _ } = *options;
        Self { colour, width: width.clamp(40, 1000), unicode, verbose }
    }

    /// Columns for text behind the bar.
    pub(super) fn inner(&self) -> usize {
        self.width - BAR
    }

    /// Adds rows to a message, in columns where that fits.
    pub(super) fn list(&self, rows: &[Row], message: &mut String) {
        if rows.is_empty() {
            return;
        }
        let columns = rows.iter().map(|row| row.about.len()).max().unwrap_or(0);
        let widest = |column: usize| {
            rows.iter().filter_map(|row| row.about.get(column)).map(|cell| columns_of(cell)).max().unwrap_or(0)
        };
        let path_width = rows.iter().map(|row| columns_of(&row.place)).max().unwrap_or(0);
        let total = 2 + path_width + (0..columns).map(|column| 3 + widest(column)).sum::<usize>();
        message.push('\n');
        for Row { first, place, about } in rows {
            message.push_str(match (first, self.unicode) {
                (true, true) => "\n▸ ",
                (true, false) => "\n> ",
                (false, _) => "\n  ",
            });
            if total <= self.inner() {
                let cells = about.iter().enumerate().map(|(at, cell)| (cell, widest(at)));
                let mut row = padded(place, path_width);
                cells.for_each(|(cell, width)| row.push_str(&format!("   {}", padded(cell, width))));
                message.push_str(row.trim_end());
            } else {
                message.push_str(place);
                let about = about.join(", ");
                for line in wrap(&about, self.inner().saturating_sub(6)).into_iter().filter(|line| !line.is_empty()) {
                    message.push_str(&format!("\n      {line}"));
                }
            }
        }
    }

    /// Adds a labelled text below a finding: `help: …`.
    pub(super) fn field(&self, label: &str, text: &str, out: &mut String) {
        let label = format!("{label:>width$}: ", width = FIELD - 2);
        out.push_str(&self.toned(Tone::Label, &label));
        for (at, line) in wrap(text, self.width - FIELD).into_iter().enumerate() {
            if at > 0 {
                out.push_str(&" ".repeat(FIELD));
            }
            out.push_str(&line);
            out.push('\n');
        }
    }

    /// Adds what a file is renamed to, on one line where that fits.
    pub(super) fn rename(&self, rename: &Rename, out: &mut String) {
        let indent = " ".repeat(FIELD);
        if let Some([from, to]) = shell::words(rename) {
            // ready to paste
            if FIELD + columns_of(&from) + columns_of(&to) + 7 <= self.width {
                out.push_str(&format!("{indent}mv -n {from} {to}\n"));
            } else {
                out.push_str(&format!("{indent}mv -n {from} \\\n{indent}      {to}\n"));
            }
            return;
        }
        let (from, to) = (terminal(rename.from.as_bytes()), terminal(rename.to.as_bytes()));
        let arrow = if self.unicode { "→" } else { "->" };
        let from = beginning(&from);
        if FIELD + columns_of(&from) + columns_of(&to) + 4 <= self.width {
            out.push_str(&format!("{indent}{from} {arrow} {to}\n"));
        } else {
            out.push_str(&format!("{indent}{from}\n{indent}  {arrow} {to}\n"));
        }
    }

    /// Text in one of the colours beside those of miette's own parts.
    pub(super) fn toned(&self, tone: Tone, text: &str) -> String {
        let (styles, plain) = (ThemeStyles::ansi(), ThemeStyles::none().help);
        let style = match tone {
            _ if !self.colour => return text.to_owned(),
            Tone::Label => styles.help,
            Tone::Good => plain.green().bold(),
            Tone::Strong => plain.bold(),
            Tone::Faint => styles.linum,
            Tone::Severity(Severity::Error) => styles.error,
            Tone::Severity(Severity::Warning) => styles.warning,
            Tone::Severity(Severity::Note) => styles.advice,
        };
        style.style(text).to_string()
    }
}

/// One place in a list.
#[derive(Debug)]
pub(super) struct Row {
    /// Whether it is the one of several that must yield.
    pub(super) first: bool,
    /// Path and position.
    pub(super) place: String,
    /// Whose it is, and what is particular about it.
    pub(super) about: Vec<String>,
}

/// What a text is coloured as.
#[derive(Clone, Copy, Debug)]
pub(super) enum Tone {
    Label,
    Good,
    Strong,
    Faint,
    Severity(Severity),
}

/// Breaks a text between words into lines of at most `width` characters; a longer word has a line of its own. No line but
/// the first can be taken for a workflow command.
pub(super) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let (mut line, mut columns) = (String::new(), 0);
    for word in text.split(' ') {
        let of_word = columns_of(word);
        if !line.is_empty() && columns + 1 + of_word > width {
            lines.push(std::mem::take(&mut line));
            columns = 0;
        } else if !line.is_empty() {
            line.push(' ');
            columns += 1;
        }
        line.push_str(word);
        columns += of_word;
    }
    lines.push(line);
    lines.iter_mut().skip(1).for_each(|line| *line = beginning(line));
    lines
}

/// Keeps a line that begins with text from outside from being a workflow command, should it be printed on a runner.
pub(super) fn beginning(line: &str) -> String {
    if line.trim_start().starts_with("::") { line.replacen("::", "\\u{3a}:", 1) } else { line.to_owned() }
}

pub(super) fn columns_of(text: &str) -> usize {
    text.chars().count()
}

pub(super) fn padded(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(columns_of(text))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wraps_between_words_only() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("a/very/long/path b", 5), ["a/very/long/path", "b"]);
        assert_eq!(wrap("two  spaces", 40), ["two  spaces"]);
        assert_eq!(wrap("", 40), [""]);
    }

    #[test]
    fn no_line_begins_with_two_colons() {
        assert_eq!(beginning("::error::x"), "\\u{3a}:error::x");
        assert_eq!(beginning("  ::x"), "  \\u{3a}:x");
        assert_eq!(beginning("a::b"), "a::b");
        assert_eq!(wrap("four :: ::x", 4), ["four", "\\u{3a}:", "\\u{3a}:x"]);
        assert_eq!(wrap("four  ::x", 4), ["four", "\\u{3a}:x"]);
    }
}
