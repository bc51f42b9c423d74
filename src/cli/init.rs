//! `gatekeep init`.

mod hooks;
mod lanes;

use std::{collections::BTreeMap, fmt::Write as _, fs, path::Path};

use super::{PolicyArgs, output, policy, progress::Progress};
use crate::{
    config::NAMES,
    diag::Severity,
    engine::{
        self, Namespace,
        learned::{self, Learned},
    },
    error::Fatal,
    exit::Outcome,
    report::{Report, escape::terminal},
    source::{Git, PlainFolder, Tree, Untracked, WorkingTree},
};

/// Say which namespaces live here, and write a gatekeep.toml to start from
///
/// Nothing in it is needed to start: without a configuration all rules run as they come. A file that exists is left as it is.
///
/// Where agents seem to be at work, by the branches and by the trunk's commits of the last 90 days (branches such as agent/NAME/… or claude/…, authors that sign as
/// agents, lines such as `Agent: NAME`), it proposes a lane for each, with the folders in which it worked alone. They stand behind comment signs: nothing holds before a
/// person takes those away.
///
/// With --hooks it writes no configuration, but the settings in which the agents that are in use here (Claude Code, Codex, Gemini CLI, Cursor, GitHub Copilot, opencode)
/// are told to run `gatekeep hook`. It shows what is new and asks before it writes; what is in those files stays as it is.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  gatekeep init --dry-run  look first, write nothing\n  gatekeep init\n  gatekeep init --hooks    tell the agents that work here to run gatekeep before they edit"
)]
pub(super) struct Args {
    /// Print the file instead of writing it
    #[arg(long)]
    dry_run: bool,
    /// Replace a configuration that exists
    #[arg(long)]
    force: bool,
    /// Write the hooks of agents into their settings instead
    #[arg(long, conflicts_with = "force")]
    hooks: bool,
    /// Write the hooks without asking
    #[arg(long, requires = "hooks", conflicts_with = "dry_run")]
    yes: bool,
}

pub(super) fn run(args: &Args) -> Result<Outcome, Fatal> {
    let here = policy::here()?;
    let (tree, top, trunk) = match WorkingTree::discover(&here, Untracked::Included)? {
        Some(tree) => {
            let (top, trunk) = (tree.top().to_owned(), tree.trunk());
            (Box::new(tree) as Box<dyn Tree>, top, trunk)
        }
        None => (Box::new(PlainFolder::new(&here)) as Box<dyn Tree>, here.clone(), None),
    };
    if args.hooks {
        return hooks::run(&top, args.yes, args.dry_run);
    }
    let policy = policy::read(&top, &PolicyArgs::default(), false)?;
    let existing = policy.config.as_ref().map(|config| config.file.clone());
    let base = policy.config.as_ref().and_then(|config| config.config.base.clone());
    let plan = policy.plan(&*tree, &[])?;
    let progress = Progress::start("reading", false);
    let (report, namespaces) = engine::survey(&plan)?;
    let learned = learn(&here, base.as_deref());
    drop(progress);
    let mut text = found(&namespaces);
    text.push_str(&today(&report));
    let learned = learned.unwrap_or_else(|why| {
        text.push_str(&format!("Lanes could not be learned from the history: {}\n\n", terminal(why.to_string())));
        Learned::default()
    });
    text.push_str(&lanes::said(&learned));
    super::print(text.as_bytes())?;
    let file = proposal(trunk.as_deref(), &namespaces) + &lanes::proposal(&learned);
    let said = match existing {
        _ if args.dry_run => format!("{} would be:\n\n{file}", NAMES[0]),
        Some(name) if !args.force => {
            format!("{} exists already and was left as it is (--force replaces it).\n", terminal(&name))
        }
        existing => {
            let name = existing.as_deref().unwrap_or(NAMES[0]);
            write(&top.join(name), &file)?;
            format!("Wrote {}.\n", terminal(name))
        }
    };
    super::print(said.as_bytes())?;
    Ok(Outcome::Pass)
}

/// What branches and history tell of lanes; nothing where there is no history.
fn learn(here: &Path, base: Option<&str>) -> Result<Learned, Fatal> {
    let Some(git) = Git::discover(here)? else { return Ok(Learned::default()) };
    match git.trunk(base)? {
        Some(trunk) => learned::learn(&git, &trunk, super::fleet::now()),
        None => Ok(Learned::default()),
    }
}

fn write(path: &Path, text: &str) -> Result<(), Fatal> {
    let failed = |source| Fatal::Output { path: path.to_owned(), source };
    if fs::symlink_metadata(path).is_ok_and(|meta| !meta.is_file()) {
        return Err(failed(std::io::Error::other("it is a link or a folder")));
    }
    output::to_file(path, |out| out.write_all(text.as_bytes())).map_err(failed)
}

/// One line a namespace.
fn found(namespaces: &[Namespace]) -> String {
    if namespaces.is_empty() {
        return "No rule found names that it knows here; `gatekeep rules list` shows what there are rules for.\n\n"
            .into();
    }
    let rows: Vec<[String; 3]> =
        namespaces.iter().map(|one| [terminal(&one.rule), terminal(place(one)), names(one)]).collect();
    format!("Namespaces that live here:\n\n{}\n", table(&rows))
}

fn place(namespace: &Namespace) -> &str {
    if namespace.partition == "." { "(the whole repository)" } else { &namespace.partition }
}

fn names(namespace: &Namespace) -> String {
    format!("{} in {}", counted(namespace.names, "name"), counted(namespace.files, "file"))
}

/// One line a rule.
fn today(report: &Report) -> String {
    let mut counts: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    for found in report.findings.iter().filter(|found| found.suppressed.is_none()) {
        let place = match found.severity {
            Severity::Error => 0,
            Severity::Warning => 1,
            Severity::Note => 2,
        };
        counts.entry(found.rule()).or_default()[place] += 1;
    }
    let rows: Vec<[String; 2]> = counts.iter().map(|(rule, counts)| [terminal(rule), severities(*counts)]).collect();
    let mut text = match rows.is_empty() {
        true => "A scan finds nothing today.\n".to_owned(),
        false => format!("A scan finds today (`gatekeep scan` shows it):\n\n{}", table(&rows)),
    };
    if !report.complete() {
        let gaps = counted(report.incomplete.len(), "thing");
        let _ = writeln!(text, "{gaps} could not be looked at; `gatekeep scan` says why."); // a String takes all
    }
    text + "\n"
}

fn severities(counts: [usize; 3]) -> String {
    let words = counts.iter().zip(["error", "warning", "note"]);
    let parts: Vec<String> =
        words.filter(|(count, _)| **count > 0).map(|(count, word)| counted(*count, word)).collect();
    parts.join(", ")
}

fn counted(count: usize, word: &str) -> String {
    format!("{count} {word}{}", if count == 1 { "" } else { "s" })
}

/// Columns that start below each other.
fn table<const N: usize>(rows: &[[String; N]]) -> String {
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (at, cell) in row.iter().enumerate() {
            let width = rows.iter().map(|row| row[at].chars().count()).max().unwrap_or_default();
            let _ = write!(line, "  {cell:width$}"); // a String takes all
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// A configuration that says what holds anyway, as something to start from.
fn proposal(trunk: Option<&str>, namespaces: &[Namespace]) -> String {
    let base = match trunk {
        Some(trunk) => format!("base = {}", toml::Value::from(trunk)),
        None => "# base = \"origin/main\"".into(),
    };
    let mut text = format!(
        "# What gatekeep goes by here. Nothing in it is needed: an empty file means the same.\n\
         # Rules and their codes: `gatekeep rules list`.\n\n\
         # The trunk that changes are judged against.\n{base}\n\n\
         # What fails a run: \"error\", \"warning\" (and errors), or \"never\".\nfail-on = \"error\"\n\n\
         # A rule, or one of its codes, can be \"off\", \"note\", \"warning\" or \"error\".\n# [rules]\n"
    );
    let example = namespaces.first().map_or("sitemap-urls", |one| &one.rule);
    let _ = writeln!(text, "# \"{example}\" = \"warning\"\n"); // a String takes all
    text.push_str(
        "# Namespaces are found by the rules. Uncomment one to say what the repository knows better: where it lives\n",
    );
    text.push_str("# (`roots`), or which files take no names (`exclude`).\n");
    if namespaces.is_empty() {
        text.push_str("# [namespace.supabase-migrations]\n# exclude = [\"**/fixtures/**\"]\n");
    }
    for of_rule in namespaces.chunk_by(|a, b| a.rule == b.rule) {
        let _ = writeln!(text, "#\n# [namespace.{}]", of_rule[0].rule);
        for one in of_rule.iter().take(MOST_PLACES) {
            let _ = writeln!(text, "# found in {}: {}", terminal(place(one)), names(one));
        }
        if let Some(more) = of_rule.len().checked_sub(MOST_PLACES).filter(|more| *more > 0) {
            let _ = writeln!(text, "# and in {}", counted(more, "further place"));
        }
        text.push_str("# exclude = [\"**/fixtures/**\"]\n");
    }
    text
}

/// Most places of one rule that are spelt out.
const MOST_PLACES: usize = 10;

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::config::ConfigFile;

    fn namespace(rule: &str, partition: &str) -> Namespace {
        Namespace { rule: rule.into(), partition: partition.into(), names: 2, files: 1 }
    }

    #[test]
    fn the_proposal_is_a_configuration_whatever_the_names_are() {
        let hostile = [namespace("goose", "a\nbase = 1\u{7f}\u{202e}"), namespace("sqlx", ".")];
        for (trunk, namespaces) in [(None, &[][..]), (Some("origin/ma\"in\\\n"), &hostile[..])] {
            let text = proposal(trunk, namespaces);
            let read = ConfigFile::parse("gatekeep.toml", text.as_bytes()).unwrap();
            assert_eq!(read.config.base.as_deref(), trunk);
            let uncommented: String =
                text.lines().filter(|line| !line.starts_with("# found")).fold(String::new(), |text, line| {
                    text + line.strip_prefix("# [").map_or(line.into(), |rest| format!("[{rest}")).as_str() + "\n"
                });
            ConfigFile::parse("gatekeep.toml", uncommented.as_bytes()).unwrap();
        }
    }

    #[test]
    fn columns_start_below_each_other() {
        let rows = [["a".to_owned(), "1".to_owned()], ["lång".to_owned(), "2".to_owned()]];
        assert_eq!(table(&rows), "  a     1\n  lång  2\n");
        assert_eq!(severities([1, 0, 2]), "1 error, 2 notes");
    }
}
