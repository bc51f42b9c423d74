//! `gatekeep baseline`.

use std::{fs, io, io::Write, path::Path};

use super::{PolicyArgs, output, policy, progress::Progress, scan};
use crate::{
    engine,
    error::{Fatal, visible},
    exit::Outcome,
    report::Report,
    suppress::{BASELINE_PATH, Baseline},
};

/// Write today's findings to a file, so that only new ones fail from now on
///
/// The file is .gatekeep/baseline.json. A scan still lists what the baseline covers as suppressed, and says which entries match nothing any more: run it again then.
/// What an allowance covers is not written. Commit the file, so that every run goes by it.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  gatekeep baseline && git add .gatekeep/baseline.json")]
pub(super) struct Args {
    /// Write it even when something could not be looked at
    #[arg(long)]
    allow_incomplete: bool,
    #[command(flatten)]
    policy: PolicyArgs,
}

pub(super) fn run(args: Args) -> Result<Outcome, Fatal> {
    let here = policy::here()?;
    let (tree, top) = scan::open(&here, false)?;
    let plan = policy::read(&top, &args.policy, false)?.plan(&*tree, &[])?;
    let progress = Progress::start("reading", false);
    let report = engine::run(&plan)?;
    drop(progress);
    if !report.complete() {
        say_incomplete(&report);
        if !args.allow_incomplete {
            return Ok(Outcome::Incomplete);
        }
    }
    let path = top.join(BASELINE_PATH);
    let text = Baseline::write(&report.findings);
    let count = Baseline::read(BASELINE_PATH, text.as_bytes())?.entries().len();
    if count == 0 && fs::symlink_metadata(&path).is_err() {
        super::print(b"Nothing was found, so there is nothing to write.\n")?;
        return Ok(Outcome::Pass);
    }
    write(&path, &text).map_err(|source| Fatal::Output { path: BASELINE_PATH.into(), source })?;
    let findings = if count == 1 { "finding" } else { "findings" };
    super::print(format!("Wrote {count} {findings} to {BASELINE_PATH}.\n").as_bytes())?;
    Ok(Outcome::Pass)
}

/// The file is there whole or not at all. Neither it nor its folder may be a link: it could lead anywhere.
fn write(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().unwrap_or(path);
    match fs::symlink_metadata(folder) {
        Ok(meta) if meta.is_dir() => {}
        Ok(_) => return Err(io::Error::other("its folder is a link or a file")),
        Err(_) => fs::create_dir(folder)?,
    }
    output::to_file(path, |out| out.write_all(text.as_bytes()))
}

fn say_incomplete(report: &Report) {
    let mut out = io::stderr().lock();
    for gap in &report.incomplete {
        let _ = writeln!(out, "not looked at: {}: {}", visible(&gap.what), visible(&gap.why)); // nowhere to complain to
    }
    let _ = writeln!(out, "help: mend it, or write the baseline without it (`--allow-incomplete`)");
}
