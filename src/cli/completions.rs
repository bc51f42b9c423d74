//! `gatekeep completions` and `gatekeep man`: both are drawn from the definition of the command line.

use std::io;

use clap::CommandFactory;
use clap_complete::Shell;
use clap_mangen::Man;

use super::Cli;
use crate::{error::Fatal, exit::Outcome};

/// Prints the completions of a shell.
pub(super) fn script(shell: Shell) -> Result<Outcome, Fatal> {
    let mut bytes = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "gatekeep", &mut bytes);
    super::print(&bytes)?;
    Ok(Outcome::Pass)
}

/// Prints the manual page.
pub(super) fn man() -> Result<Outcome, Fatal> {
    let page = page().map_err(|source| Fatal::Output { path: "standard output".into(), source })?;
    super::print(page.as_bytes())?;
    Ok(Outcome::Pass)
}

/// The page of the program, then a section for each command.
fn page() -> io::Result<String> {
    let mut program = Cli::command().disable_help_subcommand(true);
    program.build(); // gives commands their full names
    let man = Man::new(program.clone()).manual("gatekeep");
    let mut start = Vec::new();
    man.render_title(&mut start)?;
    man.render_name_section(&mut start)?;
    man.render_synopsis_section(&mut start)?;
    man.render_description_section(&mut start)?;
    man.render_options_section(&mut start)?;
    let mut page = text(start);
    program.get_subcommands().try_for_each(|command| section(command, &mut page))?;
    page.push_str(&after(&man, ".SH", "EXIT STATUS")?);
    Ok(page)
}

/// A command and those below it. What is a section on a page of its own is a subsection here.
fn section(command: &clap::Command, page: &mut String) -> io::Result<()> {
    let man = Man::new(command.clone());
    let mut body = Vec::new();
    man.render_synopsis_section(&mut body)?;
    man.render_description_section(&mut body)?;
    if command.get_arguments().any(|argument| !argument.is_hide_set()) {
        man.render_options_section(&mut body)?;
    }
    let name = command.get_bin_name().unwrap_or(command.get_name()).to_uppercase();
    page.push_str(&format!(".SH \"{name}\"\n"));
    for line in text(body).lines().filter(|line| !is_preamble(line)) {
        match line.strip_prefix(".SH ") {
            Some(title) => page.push_str(&format!(".SS {title}\n")),
            None => page.push_str(&format!("{line}\n")),
        }
    }
    if command.get_after_help().is_some() {
        page.push_str(&after(&man, ".SS", "EXAMPLES")?);
    }
    command.get_subcommands().try_for_each(|inner| section(inner, page))
}

/// What stands below a command's help under a heading of its own, line by line.
fn after(man: &Man, level: &str, title: &str) -> io::Result<String> {
    let mut body = Vec::new();
    man.render_extra_section(&mut body)?;
    let text = text(body);
    let lines = text.lines().filter(|line| !is_preamble(line)).skip(2); // the headings of roff and of the help
    let lines: Vec<&str> = lines.collect();
    Ok(format!("{level} \"{title}\"\n.nf\n{}\n.fi\n", lines.join("\n")))
}

/// The lines with which every piece of roff begins; once is enough.
fn is_preamble(line: &str) -> bool {
    line.starts_with(".ie ") || line.starts_with(".el ")
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8_lossy(&bytes).into_owned()
}
