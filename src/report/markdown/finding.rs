//! One finding. Its parts are clipped, so that no hostile name can take the room of all other findings.

use super::escape::{code, prose};
use crate::{
    diag::{Diagnostic, Fix, Holder, HolderKind, RepoPath, Site},
    report::{escape::terminal, link::is_web_address, shell, words},
    rule,
    text::count::number,
};

/// How many places and renames are shown.
const LIST: usize = 8;
/// How many characters of a message are shown.
const MESSAGE: usize = 1000;
/// How many of a help text.
const HELP: usize = 600;
/// How many of a path.
const PATH: usize = 240;
/// How many of a name or note.
const NAME: usize = 120;
/// A command that is longer is shown as text, clipped.
const COMMAND: usize = 600;

/// A finding with its heading.
pub(super) fn block(found: &Diagnostic) -> String {
    let message = clipped(&found.message, MESSAGE);
    let message = if message.trim().is_empty() { "(no message)".into() } else { prose(&message) };
    let mut out = format!("### {}: {}\n\n{message}\n\n", found.severity, code(clipped(&found.code, NAME)));
    sites(&mut out, found);
    if let Some(help) = &found.help {
        out.push_str(&format!("**Help:** {}\n\n", prose(&clipped(help, HELP))));
    }
    if let Some(fix) = &found.fix {
        mend(&mut out, found, fix);
    }
    if let Some(docs) = &found.docs {
        out.push_str(&format!("Docs: {}\n\n", address(&found.code, docs)));
    }
    out
}

/// A text with at most so many characters, of which the middle is left out. Escaped as for a terminal.
pub(super) fn clipped(text: impl AsRef<[u8]>, limit: usize) -> String {
    let text = terminal(text);
    let count = text.chars().count();
    if count <= limit {
        return text;
    }
    let half = limit / 2;
    let head: String = text.chars().take(half).collect();
    let tail: String = text.chars().skip(count - half).collect();
    format!("{head}…{tail}")
}

fn sites(out: &mut String, found: &Diagnostic) {
    let names = words::names_holders(found);
    for site in found.sites.iter().take(LIST) {
        let about = about(site, names);
        out.push_str(&format!("- {}{}\n", place(site), if about.is_empty() { about } else { format!(": {about}") }));
    }
    if found.sites.len() > LIST {
        out.push_str(&format!("- and {} more\n", number(found.sites.len() - LIST)));
    }
    if !found.sites.is_empty() {
        out.push('\n');
    }
}

fn place(site: &Site) -> String {
    let path = clipped(site.path.as_bytes(), PATH);
    code(site.position.map_or_else(|| path.clone(), |at| format!("{path}:{}:{}", at.line, at.column)))
}

fn about(site: &Site, names: bool) -> String {
    let holder = names.then(|| holder(&site.holder));
    let note = site.note.as_deref().map(|note| prose(&clipped(note, NAME)));
    holder.into_iter().chain(note).collect::<Vec<_>>().join(", ")
}

/// Whose a site is. The name is code: `#12` would be a reference, and a notice in that pull request for every run.
fn holder(holder: &Holder) -> String {
    let name = code(clipped(&holder.name, NAME));
    match holder.kind {
        HolderKind::Head => name,
        HolderKind::Base => format!("base {name}"),
        HolderKind::Branch => format!("branch {name}"),
        HolderKind::PullRequest => format!("pull request {name}"),
        HolderKind::Worktree => format!("worktree {name}"),
        HolderKind::Reservation => format!("reservation {name}"),
    }
}

/// The proposed renames: commands for each holder, and as text what no shell should be given.
fn mend(out: &mut String, found: &Diagnostic, fix: &Fix) {
    let title = prose(&clipped(&fix.title, NAME));
    out.push_str(&format!("**Fix:** {title}{}\n\n", words::condition(fix.safety)));
    for (whose, renames) in shell::by_holder(found, fix, LIST) {
        if let Some(whose) = whose {
            out.push_str(&format!("On {}:\n\n", holder(whose)));
        }
        let command = |from: &RepoPath, to: &RepoPath| {
            let [from, to] = [shell::word(from.as_bytes())?, shell::word(to.as_bytes())?];
            Some(format!("mv -n {from} {to}\n")).filter(|line| line.len() <= COMMAND)
        };
        let commands: String = renames.iter().filter_map(|rename| command(&rename.from, &rename.to)).collect();
        if !commands.is_empty() {
            out.push_str(&format!("```sh\n{commands}```\n\n"));
        }
        let others = renames.iter().filter(|rename| command(&rename.from, &rename.to).is_none());
        let path = |path: &RepoPath| code(clipped(path.as_bytes(), PATH));
        let others: String = others.map(|one| format!("- {} → {}\n", path(&one.from), path(&one.to))).collect();
        if !others.is_empty() {
            out.push_str(&format!("{others}\n"));
        }
    }
    if fix.renames.len() > LIST {
        out.push_str(&format!("and {} more\n\n", number(fix.renames.len() - LIST)));
    }
}

/// A link where a built-in rule names the address; another address is somebody else's, and no link.
fn address(of_code: &str, docs: &str) -> String {
    let known = rule::text(of_code).and_then(|text| text.docs);
    if known.as_deref() == Some(docs) && is_web_address(docs) { format!("<{docs}>") } else { code(clipped(docs, PATH)) }
}
