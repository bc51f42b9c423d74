//! Where reports go, and how errors look.

use std::{
    fs,
    io::{self, IsTerminal, Write},
    path::{Path, PathBuf},
    str::FromStr,
};

use clap::ValueEnum;

use crate::{
    error::Fatal,
    report::{Format, RenderOptions, Report, human::HumanOptions},
};

/// A further report, written to a file: `json=report.json`.
#[derive(Clone, Debug)]
pub(super) struct FormatFile {
    format: Format,
    path: PathBuf,
}

impl FromStr for FormatFile {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (format, path) = text.split_once('=').ok_or("expected FORMAT=PATH, such as json=report.json")?;
        if path.is_empty() {
            return Err("the path is empty".into());
        }
        Ok(Self { format: Format::from_str(format, true)?, path: path.into() })
    }
}

/// How a report for people looks on standard output.
pub(super) fn human(verbose: bool, quiet: bool) -> HumanOptions {
    let terminal = io::stdout().is_terminal();
    let width = terminal_size::terminal_size().map_or(100, |(width, _)| usize::from(width.0)).clamp(60, 140);
    HumanOptions { colour: terminal && wants_colour(), width, unicode: true, verbose, quiet }
}

/// `NO_COLOR` (no-color.org), and terminals that know no colours.
fn wants_colour() -> bool {
    std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
        && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// Writes a report to standard output and to further files.
pub(super) fn write(
    report: &Report,
    format: Format,
    files: &[FormatFile],
    options: &RenderOptions,
) -> Result<(), Fatal> {
    for file in files {
        let plain = RenderOptions { human: HumanOptions { colour: false, ..options.human.clone() }, ..options.clone() };
        to_file(&file.path, |out| file.format.render(report, &plain, out))
            .map_err(|source| Fatal::Output { path: file.path.clone(), source })?;
    }
    let mut bytes = Vec::new();
    let done = format.render(report, options, &mut bytes);
    done.map_err(|source| Fatal::Output { path: "standard output".into(), source })?;
    super::print(&bytes)
}

/// A file is there whole or not at all; a pipe, such as `/dev/stderr`, is written as it is.
pub(super) fn to_file(path: &Path, render: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    if fs::metadata(path).is_ok_and(|meta| !meta.is_file()) {
        return render(&mut fs::OpenOptions::new().write(true).open(path)?);
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new().permissions_of(path).tempfile_in(folder)?;
    render(&mut file)?;
    file.flush()?;
    file.persist(path).map(|_| ()).map_err(|error| error.error)
}

/// Temporary files are private by default; a report is an ordinary file.
trait PermissionsOf {
    fn permissions_of(&mut self, path: &Path) -> &mut Self;
}

impl PermissionsOf for tempfile::Builder<'_, '_> {
    #[cfg(unix)]
    fn permissions_of(&mut self, path: &Path) -> &mut Self {
        use std::os::unix::fs::PermissionsExt;
        let permissions =
            fs::metadata(path).map_or_else(|_| fs::Permissions::from_mode(0o666), |meta| meta.permissions());
        self.permissions(permissions)
    }

    #[cfg(not(unix))]
    fn permissions_of(&mut self, _: &Path) -> &mut Self {
        self
    }
}

/// Prints a fatal error to standard error.
pub(super) fn fatal(error: &Fatal) {
    let mut out = io::stderr().lock();
    let text = if io::stderr().is_terminal() {
        let theme =
            if wants_colour() { miette::GraphicalTheme::unicode() } else { miette::GraphicalTheme::unicode_nocolor() };
        let handler = miette::GraphicalReportHandler::new_themed(theme).with_links(false);
        let mut text = String::new();
        handler.render_report(&mut text, error).map_or_else(|_| error.plain(), |()| text)
    } else {
        error.plain()
    };
    let _ = out.write_all(text.as_bytes()); // nowhere to complain to
}
