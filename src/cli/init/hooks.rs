//! `gatekeep init --hooks`: writes the settings in which agents are told to run `gatekeep hook`, with the person's leave.

mod settings;

use std::{
    fs,
    io::{self, IsTerminal as _},
    path::{Path, PathBuf},
};

use self::settings::{AGENTS, Settings};
use crate::{
    cli::output,
    error::{Fatal, visible},
    exit::Outcome,
    report::escape::terminal,
};

/// Longest file that is added to, in bytes.
const LONGEST: u64 = 1 << 20;

/// What is to become of one file.
struct Planned {
    settings: &'static Settings,
    /// The file as it is to be, and what is new in it.
    write: Option<(String, String)>,
    is_new: bool,
}

/// Shows what would be written below this folder, and writes it if it may.
pub(super) fn run(top: &Path, yes: bool, dry_run: bool) -> Result<Outcome, Fatal> {
    let used = AGENTS.iter().filter(|one| one.signs.iter().any(|sign| is_there(&top.join(sign))));
    let mut used: Vec<&Settings> = used.collect();
    if used.is_empty() {
        used.extend(AGENTS.first());
    }
    let mut text = format!("Agents: {}.\n\n", used.iter().map(|one| one.name).collect::<Vec<_>>().join(", "));
    let mut planned = Vec::new();
    let mut outcome = Outcome::Pass;
    for settings in used {
        match plan(top, settings) {
            Ok(one) => {
                text.push_str(&one.said());
                planned.push(one);
            }
            Err(why) => {
                outcome = Outcome::Incomplete;
                text.push_str(&format!(
                    "{} is left as it is: {}. Add this to it by hand:\n\n{}\n",
                    settings.file,
                    visible(&why),
                    settings.whole()
                ));
            }
        }
    }
    planned.retain(|one| one.write.is_some());
    super::super::print(text.as_bytes())?;
    if planned.is_empty() {
        return Ok(outcome);
    }
    if !dry_run && !yes && !may_ask() {
        super::super::print(b"Nothing was written: say `gatekeep init --hooks --yes` to write it.\n")?;
        return Ok(outcome);
    }
    if dry_run || !yes && !asked()? {
        super::super::print(b"Nothing was written.\n")?;
        return Ok(outcome);
    }
    for one in &planned {
        one.write(top)?;
        super::super::print(format!("Wrote {}.\n", one.settings.file).as_bytes())?;
    }
    super::super::print(
        b"The agents run `gatekeep` from the PATH. Commit the files, so that every worktree has them.\n",
    )?;
    Ok(outcome)
}

impl Planned {
    fn said(&self) -> String {
        let file = self.settings.file;
        match &self.write {
            None => format!("{file} runs `gatekeep hook {}` already.\n\n", self.settings.word),
            Some((_, new)) if self.is_new => format!("{file}, a new file:\n\n{}\n", terminal_lines(new)),
            Some((_, new)) => {
                format!("{file}, to which this is added (the rest stays as it is):\n\n{}\n", terminal_lines(new))
            }
        }
    }

    fn write(&self, top: &Path) -> Result<(), Fatal> {
        let Some((whole, _)) = &self.write else { return Ok(()) };
        let path = top.join(self.settings.file);
        let failed = |source| Fatal::Output { path: path.clone(), source };
        // a person may have taken a while to answer
        no_link(top, self.settings.file).map_err(|why| failed(io::Error::other(why)))?;
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(failed)?;
        }
        output::to_file(&path, |out| out.write_all(whole.as_bytes())).map_err(failed)
    }
}

fn plan(top: &Path, settings: &'static Settings) -> Result<Planned, String> {
    no_link(top, settings.file)?;
    let now = read(&top.join(settings.file))?;
    let is_new = now.is_none();
    let write = settings.added(now.as_deref())?;
    Ok(Planned { settings, write, is_new })
}

/// The text of a file; none where there is none.
fn read(path: &Path) -> Result<Option<String>, String> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.to_string()),
        Ok(meta) if !meta.is_file() => return Err("it is no file".into()),
        Ok(meta) if meta.len() > LONGEST => return Err(format!("it is longer than {} MiB", LONGEST >> 20)),
        Ok(_) => {}
    }
    let bytes = fs::read(path).map_err(|error| error.to_string())?;
    String::from_utf8(bytes).map(Some).map_err(|_| "it is no UTF-8".into())
}

/// Nothing is written through a link, which may lead out of the repository.
fn no_link(top: &Path, file: &str) -> Result<(), String> {
    let mut path = PathBuf::from(top);
    for part in Path::new(file).components() {
        path.push(part);
        if fs::symlink_metadata(&path).is_ok_and(|meta| meta.is_symlink()) {
            return Err(format!("`{}` is a link", path.strip_prefix(top).unwrap_or(&path).display()));
        }
    }
    Ok(())
}

fn is_there(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

fn may_ask() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// What the person says. No answer is no leave.
fn asked() -> Result<bool, Fatal> {
    super::super::print(b"Write this? [y/N] ")?;
    let mut answer = String::new();
    let read = io::stdin().read_line(&mut answer);
    Ok(read.is_ok() && matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}

fn terminal_lines(text: &str) -> String {
    text.lines().map(|line| terminal(line) + "\n").collect()
}
