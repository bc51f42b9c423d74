//! The snippets of one finding as one miette source.
//!
//! miette draws labels of one source only. Here that source is all files of a finding, each in a range of offsets of its
//! own: a span says which file it is in, and miette draws each with its name and line numbers. No span covers two.

use miette::{LabeledSpan, MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};

use super::layout::{Layout, wrap};
use crate::{
    diag::{Holder, RepoPath, Site, Snippet},
    report::escape::{terminal, terminal_snippet},
    text::clip::{Part, around},
};

/// Columns that miette draws before a line, beside its number, and those of two `…`.
const FRAME: usize = 6;
/// Columns that it draws before a label.
const LABEL: usize = 5;

/// All snippets of a finding.
#[derive(Debug, Default)]
pub(super) struct Source {
    blocks: Vec<Block>,
}

/// Neighbouring lines of one file.
#[derive(Debug)]
struct Block {
    path: RepoPath,
    holder: Holder,
    /// Offset of `text` in the source as a whole.
    offset: usize,
    first_line: usize,
    /// Each line ends with `\n`, so that a mark at the end of the text has something to stand under.
    text: String,
    marks: Vec<Mark>,
}

#[derive(Debug)]
struct Mark {
    primary: bool,
    /// In the text of the block.
    start: usize,
    length: usize,
    line: usize,
    column: usize,
    label: Option<String>,
}

impl Source {
    pub(super) fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// The snippets of these sites, each with whether it is the one that must yield, and what its label says. Sites of one
    /// file come together, from its top to its end.
    pub(super) fn of<'a>(sites: impl Iterator<Item = (&'a Site, bool, Vec<String>)>, layout: &Layout) -> Self {
        let mut source = Self::default();
        for (site, primary, about) in sites {
            source.add(site, primary, about, layout);
        }
        source.place();
        source
    }

    /// Adds the snippet of a site, if it has one, cut to the width; to the lines of the same file above it, where they meet.
    fn add(&mut self, site: &Site, primary: bool, about: Vec<String>, layout: &Layout) {
        let Some(snippet) = &site.snippet else { return };
        let last_line = snippet.first_line + snippet.text.matches('\n').count();
        let budget = layout.width.saturating_sub(FRAME + last_line.to_string().len()).max(20);
        let (text, range) = fitted(snippet, budget);
        let before = text[..range.start].matches('\n').count();
        let column_shown = text[..range.start].chars().rev().take_while(|c| *c != '\n').count();
        let room = budget.saturating_sub(column_shown + range.len() / 2 + LABEL).max(24);
        let label = (!about.is_empty()).then(|| wrap(&about.join(", "), room).join("\n"));
        let line = snippet.first_line + before;
        let (line, column) = site.position.map_or((line, column_shown + 1), |at| (at.line, at.column));
        let mark = Mark { primary, start: range.start, length: range.len(), line, column, label };
        let neighbour = self
            .blocks
            .iter_mut()
            .find(|b| b.path == site.path && b.holder == site.holder && b.meets(snippet.first_line, &text));
        match neighbour {
            Some(block) => block.extend(snippet.first_line, &text, mark),
            None => self.blocks.push(Block {
                path: site.path.clone(),
                holder: site.holder.clone(),
                offset: 0,
                first_line: snippet.first_line,
                text,
                marks: vec![mark],
            }),
        }
    }

    /// Gives each block its range, with a gap behind it.
    fn place(&mut self) {
        let mut offset = 0;
        for block in &mut self.blocks {
            block.offset = offset;
            offset += block.text.len() + 1;
            block.marks.sort_by_key(|mark| mark.start);
        }
    }

    /// Whether each label, in the order of [`Self::labels`], is that of the site that must yield.
    pub(super) fn primaries(&self) -> impl Iterator<Item = bool> + '_ {
        self.marks().map(|(_, mark)| mark.primary)
    }

    /// The marks, in order of their offsets.
    pub(super) fn labels(&self) -> impl Iterator<Item = LabeledSpan> + '_ {
        self.marks().map(|(block, mark)| {
            let span = (block.offset + mark.start, mark.length);
            if mark.primary {
                LabeledSpan::new_primary_with_span(mark.label.clone(), span)
            } else {
                LabeledSpan::new_with_span(mark.label.clone(), span)
            }
        })
    }

    fn marks(&self) -> impl Iterator<Item = (&Block, &Mark)> + '_ {
        self.blocks.iter().flat_map(|block| block.marks.iter().map(move |mark| (block, mark)))
    }
}

impl Block {
    fn lines(&self) -> usize {
        self.text.matches('\n').count()
    }

    /// Whether a text continues this one: it begins within its lines or right below, and says the same where both do.
    fn meets(&self, first_line: usize, text: &str) -> bool {
        let Some(skipped) = first_line.checked_sub(self.first_line).filter(|skipped| *skipped <= self.lines()) else {
            return false;
        };
        self.text.split_inclusive('\n').skip(skipped).zip(text.split_inclusive('\n')).all(|(a, b)| a == b)
    }

    fn extend(&mut self, first_line: usize, text: &str, mut mark: Mark) {
        let skipped = first_line - self.first_line;
        let start: usize = self.text.split_inclusive('\n').take(skipped).map(str::len).sum();
        let shared = self.lines() - skipped;
        self.text.extend(text.split_inclusive('\n').skip(shared));
        mark.start += start;
        self.marks.push(mark);
    }
}

impl SourceCode for Source {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        lines_before: usize,
        _lines_after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let (start, end) = (span.offset(), span.offset() + span.len());
        let holds = |block: &&Block| block.offset <= start && end <= block.offset + block.text.len();
        let block = self.blocks.iter().find(holds).ok_or(MietteError::OutOfBounds)?;
        // Without context miette asks for the place to print beside the name, with context for the lines to draw.
        let mark = block.marks.iter().find(|mark| lines_before == 0 && block.offset + mark.start == start);
        let (line, column) = mark.map_or((block.first_line, 1), |mark| (mark.line, mark.column));
        Ok(Box::new(MietteSpanContents::new_named(
            terminal(block.path.as_bytes()),
            block.text.as_bytes(),
            (block.offset, block.text.len()).into(),
            line.saturating_sub(1),
            column.saturating_sub(1),
            block.lines(),
        )))
    }
}

/// A snippet escaped, each line cut to the budget and ended with `\n`, and where its mark is then.
fn fitted(snippet: &Snippet, budget: usize) -> (String, std::ops::Range<usize>) {
    let (text, mark) = terminal_snippet(&snippet.text, &snippet.mark);
    let mut out = String::new();
    let mut fitted = None;
    let mut at = 0;
    for line in text.split('\n') {
        let end = at + line.len();
        let marked = fitted.is_none() && at <= mark.start && mark.start <= end;
        let split = if marked { mark.start - at } else { 0 };
        let length = if marked { mark.end.min(end) - mark.start } else { 0 };
        let part = |text| Part { text, more: false };
        let (cut, range) = around(&part(&line[..split]), &part(&line[split..]), length, budget);
        if marked {
            fitted = Some(out.len() + range.start..out.len() + range.end);
        }
        out.push_str(&cut);
        out.push('\n');
        at = end + 1;
    }
    (out, fitted.unwrap_or(0..0))
}
