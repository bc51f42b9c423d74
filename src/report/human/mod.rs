//! Text for people at a terminal, drawn by miette; the model is what rustc and ruff show.
//!
//! Nothing here asks the environment or a global hook: colours, characters and width are the caller's to decide. All text
//! from outside is escaped before it reaches miette, which then wraps nothing, so that paths stay whole to be copied.

pub mod audit;
mod layout;
mod matrix;
mod shown;
mod source;

use std::io::{self, Write};

use miette::{GraphicalReportHandler, GraphicalTheme, ThemeCharacters, ThemeStyles};

use self::{
    layout::{Layout, Row, Tone, wrap},
    shown::Shown,
    source::Source,
};
use super::{Incomplete, RenderOptions, Report, escape::terminal, words};
use crate::{
    diag::{Diagnostic, Fix, Severity, Site, Suppression},
    text::count::{number, number_of},
};

/// How many entries of a list are shown in full.
const LIST: usize = 12;
/// How many are shown of a longer one.
const CUT: usize = 10;

/// How the report is to look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HumanOptions {
    /// Escape sequences for colours.
    pub colour: bool,
    /// Columns of the terminal; text is wrapped to them, paths are not.
    pub width: usize,
    /// Box-drawing characters rather than ASCII.
    pub unicode: bool,
    /// Suppressed findings, all sites and commits too.
    pub verbose: bool,
    /// Findings and gaps, and nothing else.
    pub quiet: bool,
}

impl Default for HumanOptions {
    fn default() -> Self {
        Self { colour: false, width: 100, unicode: true, verbose: false, quiet: false }
    }
}

/// Writes the findings, what could not be looked at, and a summary.
pub fn render(report: &Report, options: &RenderOptions, out: &mut dyn Write) -> io::Result<()> {
    let layout = Layout::new(&options.human);
    for found in &report.findings {
        if found.suppressed.is_none() || layout.verbose {
            out.write_all(finding(&layout, found).as_bytes())?;
        }
    }
    if !report.complete() {
        out.write_all(incomplete(&layout, report, options.allow_incomplete).as_bytes())?;
    }
    if !options.human.quiet {
        out.write_all(matrix::matrix(&layout, report).as_bytes())?;
        out.write_all(closing(&layout, report).as_bytes())?;
    }
    Ok(())
}

/// One finding and an empty line.
fn finding(layout: &Layout, found: &Diagnostic) -> String {
    let names = words::names_holders(found);
    let shown = if layout.verbose || found.sites.len() <= LIST { found.sites.len() } else { CUT };
    let (sites, hidden) = found.sites.split_at(shown);
    let (listed, source) = places(layout, sites, found.sites.len() > 1, names);
    let mut message = wrap(&terminal(&found.message), layout.inner()).join("\n");
    layout.list(&listed, &mut message);
    let more = (!hidden.is_empty()).then(|| format!("and {} more; --verbose shows them all", number(hidden.len())));
    let blocks = !source.is_empty();
    if let Some(more) = more.as_ref().filter(|_| !blocks) {
        message.push_str(&format!("\n  {more}"));
    }
    let silenced = if found.suppressed.is_some() { "suppressed " } else { "" };
    let severity = if found.suppressed.is_some() { Severity::Note } else { found.severity };
    let code = format!("{silenced}{}[{}]", found.severity, terminal(&found.code));
    let mut text = draw(layout, &Shown { severity, code, message, source });
    if let Some(more) = more.filter(|_| blocks) {
        text.push_str(&format!("  {more}\n"));
    }
    footer(layout, found, &mut text);
    text.push('\n');
    text
}

/// The sites without a snippet as rows, the others as a source: file by file, from the top of each to its end.
fn places(layout: &Layout, sites: &[Site], several: bool, names: bool) -> (Vec<Row>, Source) {
    let mut listed = Vec::new();
    let mut marked = Vec::new();
    for (at, site) in sites.iter().enumerate() {
        let about = about(layout, site, names);
        match &site.snippet {
            Some(snippet) => {
                let file = sites.iter().position(|other| other.path == site.path && other.holder == site.holder);
                marked.push((file, snippet.first_line, at, about));
            }
            None => listed.push(Row { first: at == 0 && several, place: words::place(site), about }),
        }
    }
    marked.sort();
    let marked = marked.into_iter().map(|(_, _, at, about)| (&sites[at], at == 0, about));
    (listed, Source::of(marked, layout))
}

/// Whose a site is and what is particular about it.
fn about(layout: &Layout, site: &Site, names: bool) -> Vec<String> {
    let mut parts = Vec::new();
    if names {
        let commit = site.holder.commit.as_deref().filter(|_| layout.verbose).map(words::commit);
        let commit = commit.map(|commit| format!(" at {commit}")).unwrap_or_default();
        parts.push(format!("{}{commit}", words::holder(&site.holder)));
    }
    parts.extend(site.note.as_deref().map(terminal));
    parts
}

fn footer(layout: &Layout, found: &Diagnostic, text: &mut String) {
    if let Some(help) = &found.help {
        layout.field("help", &terminal(help), text);
    }
    if let Some(fix) = &found.fix {
        mend(layout, fix, text);
    }
    if let Some(docs) = &found.docs {
        layout.field("docs", &terminal(docs), text);
    }
    if let Some(Suppression { by, reason }) = &found.suppressed {
        let reason = reason.as_deref().map(|reason| format!(": {}", terminal(reason))).unwrap_or_default();
        layout.field("note", &format!("suppressed by {}{reason}", by.word()), text);
    }
}

fn mend(layout: &Layout, fix: &Fix, text: &mut String) {
    layout.field("fix", &format!("{}{}:", terminal(&fix.title), words::condition(fix.safety)), text);
    let shown = if layout.verbose || fix.renames.len() <= LIST { fix.renames.len() } else { CUT };
    fix.renames[..shown].iter().for_each(|rename| layout.rename(rename, text));
    if shown < fix.renames.len() {
        text.push_str(&format!("        and {} more\n", number(fix.renames.len() - shown)));
    }
}

/// What could not be looked at, as loud as an error.
fn incomplete(layout: &Layout, report: &Report, allowed: bool) -> String {
    let severity = if allowed { Severity::Warning } else { Severity::Error };
    let help = if allowed {
        "allowed by --allow-incomplete; mend what is listed to be sure"
    } else {
        "mend what is listed and run again, or accept the gaps with --allow-incomplete"
    };
    gaps(layout, &report.incomplete, severity, help)
}

/// The block that names some gaps.
fn gaps(layout: &Layout, gaps: &[Incomplete], severity: Severity, help: &str) -> String {
    let things = if gaps.len() == 1 { "1 thing".to_owned() } else { format!("{} things", number(gaps.len())) };
    let claim = format!("{things} could not be looked at, so this report is not the whole truth");
    let mut message = wrap(&claim, layout.inner()).join("\n");
    message.push('\n');
    let shown = if layout.verbose || gaps.len() <= LIST { gaps.len() } else { CUT };
    for gap in &gaps[..shown] {
        message.push_str(&format!("\n  {}", terminal(&gap.what)));
        for line in wrap(&terminal(&gap.why), layout.inner().saturating_sub(4)) {
            message.push_str(&format!("\n    {line}"));
        }
    }
    if shown < gaps.len() {
        message.push_str(&format!("\n  and {} more; --verbose shows them all", number(gaps.len() - shown)));
    }
    let mut text = draw(layout, &Shown { severity, code: "incomplete".into(), message, source: Source::default() });
    layout.field("help", help, &mut text);
    text.push('\n');
    text
}

/// The summary, what was left out, and what was judged by what.
fn closing(layout: &Layout, report: &Report) -> String {
    let summary = words::summary(report);
    let clear = report.complete() && report.findings.iter().all(|found| found.suppressed.is_some());
    let mut text = match (clear, layout.unicode) {
        (true, true) => format!("{}\n", layout.toned(Tone::Good, &format!("✓ {summary}"))),
        (true, false) => format!("{}\n", layout.toned(Tone::Good, &summary)),
        (false, _) => format!("{}\n", layout.toned(Tone::Strong, &summary)),
    };
    let mut faint = |sentence: &str| {
        for line in wrap(sentence, layout.width) {
            text.push_str(&format!("{}\n", layout.toned(Tone::Faint, &line)));
        }
    };
    if !report.skipped.is_empty() {
        let left_out: Vec<String> = report.skipped.iter().map(words::omission).collect();
        faint(&format!("Left out: {}", left_out.join(", ")));
    }
    if report.target.is_some() || layout.verbose {
        faint(&judged_by(report));
    }
    text
}

fn judged_by(report: &Report) -> String {
    let against = report.target.as_deref().map(terminal);
    let against = against.map_or_else(|| "Judged by itself".into(), |target| format!("Judged against {target}"));
    let base = report.base.as_deref().map(|base| format!(" from {}", words::commit(base))).unwrap_or_default();
    let policy = words::policy(report.policy);
    format!("{against}{base}, by {policy}; {} compared", number_of(report.holders, "holder"))
}

fn draw(layout: &Layout, shown: &Shown) -> String {
    let mut styles = if layout.colour { ThemeStyles::ansi() } else { ThemeStyles::none() };
    let main = match shown.severity {
        Severity::Error => styles.error,
        Severity::Warning => styles.warning,
        Severity::Note => styles.advice,
    };
    let (main, other) = (main.bold(), styles.help);
    if layout.colour {
        styles.highlights = shown.source.primaries().map(|primary| if primary { main } else { other }).collect();
        styles.highlights.push(other); // the list may not be empty
    }
    let characters = if layout.unicode { ThemeCharacters::unicode() } else { ThemeCharacters::ascii() };
    let handler = GraphicalReportHandler::new_themed(GraphicalTheme { characters, styles })
        .with_width(layout.width)
        .with_wrap_lines(false)
        .with_urls(false)
        .with_context_lines(1)
        .without_cause_chain()
        .without_syntax_highlighting();
    let mut text = String::new();
    handler.render_report(&mut text, shown).expect("a String takes all text, and every label lies in its source");
    text
}
