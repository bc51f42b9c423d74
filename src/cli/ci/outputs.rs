//! What a step leaves behind: annotations, a summary, outputs, and the report as a file.

use std::{
    fs::OpenOptions,
    io::{self, Write as _},
    path::Path,
};

use super::{report_file, runner::Runner};
use crate::{
    cli::output,
    diag::Severity,
    error::Fatal,
    forge::markdown_of,
    report::{Format, RenderOptions, Report, markdown},
};

/// Writes all of them. The log gets the findings as a person reads them, then as annotations.
///
/// # Errors
/// One of them can't be written: a verdict that nobody can read is none.
pub(super) fn write(
    runner: &Runner,
    report: &Report,
    options: &RenderOptions,
    files: &[output::FormatFile],
) -> Result<(), Fatal> {
    let path = report_file(runner);
    let written = output::to_file(&path, |out| Format::Json.render(report, options, out));
    written.map_err(|source| Fatal::Output { path: path.clone(), source })?;
    let _ = Format::Human.render(report, options, &mut io::stderr().lock()); // the log is nobody's verdict
    output::write(report, Format::Github, files, options)?;
    if let Some(summary) = &runner.summary {
        append(summary, &markdown_of(report, options, markdown::STEP_SUMMARY))?;
    }
    if let Some(output) = &runner.output {
        append(output, &outputs(report, &path))?;
    }
    Ok(())
}

/// What a run without anything to judge leaves behind.
///
/// # Errors
/// It can't be written.
pub(super) fn nothing(runner: &Runner) -> Result<(), Fatal> {
    match &runner.output {
        Some(output) => append(output, "findings=0\nerrors=0\nwarnings=0\ncomplete=true\nreport=\n"),
        None => Ok(()),
    }
}

/// Says why a run ended before there was a report: as an annotation, and in the summary.
pub(super) fn fatal(runner: &Runner, fatal: &Fatal) {
    let said = fatal.plain();
    let line = said.trim_end().replace('%', "%25").replace('\n', "%0A");
    // the status tells it all the same where these can't be written
    let _ = crate::cli::print(format!("::error title=gatekeep::{line}\n").as_bytes());
    if let Some(summary) = &runner.summary {
        let quoted = said.replace('`', "'");
        let _ = append(summary, &format!("## gatekeep: nothing was judged\n\n```text\n{quoted}```\n"));
    }
    if let Some(output) = &runner.output {
        let _ = append(output, "complete=false\n");
    }
}

/// Numbers and a path of our own: nothing of what was found stands in a line of its own.
fn outputs(report: &Report, path: &Path) -> String {
    let findings = report.findings.iter().filter(|found| found.suppressed.is_none()).count();
    format!(
        "findings={findings}\nerrors={}\nwarnings={}\ncomplete={}\nreport={}\n",
        report.count(Severity::Error),
        report.count(Severity::Warning),
        report.complete(),
        path.to_string_lossy().replace(['\n', '\r'], " "),
    )
}

fn append(path: &Path, text: &str) -> Result<(), Fatal> {
    let opened = OpenOptions::new().append(true).create(true).open(path);
    let written = opened.and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|source| Fatal::Output { path: path.to_owned(), source })
}
