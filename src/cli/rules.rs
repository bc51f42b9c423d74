//! `gatekeep rules`.

use std::{fmt::Write, fs, path::PathBuf, sync::Arc};

use super::{PolicyArgs, policy};
use crate::{
    config::nearest,
    engine::example,
    error::Fatal,
    exit::Outcome,
    report::escape::terminal,
    rule::{self, CodeRule, Rule, code_rules, spec::ExampleSpec},
};

/// List, explain and test rules, or print the JSON Schema of rule files
///
/// A rule file is TOML: which files take which names, what is judged, and examples that are its tests. A repository's own go to
/// .gatekeep/rules/ and need nothing else.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    #[command(subcommand)]
    command: Option<Command>,
}

const EXAMPLES: &str = "\
Examples:
  gatekeep rules                                   list them
  gatekeep rules explain supabase-migrations
  gatekeep rules test .gatekeep/rules/flags.toml   while writing one
  gatekeep rules schema > rule.schema.json         for an editor";

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// List all rules: the built-in ones and those of .gatekeep/rules/ [default]
    List,
    /// Say what a rule or code means, with its examples
    Explain {
        /// A rule or one of its codes, such as goose or goose/duplicate
        code: String,
    },
    /// Run the examples in rule files as tests; exit 1 if one fails
    Test {
        /// Rule files to test instead of all
        #[arg(value_name = "FILE")]
        files: Vec<PathBuf>,
    },
    /// Print the JSON Schema of rule files
    Schema,
}

pub(super) fn run(args: Args) -> Result<Outcome, Fatal> {
    match args.command.unwrap_or(Command::List) {
        Command::List => list(&all()?),
        Command::Explain { code } => explain(&all()?, &code),
        Command::Test { files } if files.is_empty() => test(&all()?, |_| true),
        Command::Test { files } => test_files(&files),
        Command::Schema => {
            let text = serde_json::to_string_pretty(&rule::schema()).unwrap_or_default();
            super::print(format!("{text}\n").as_bytes())?;
            Ok(Outcome::Pass)
        }
    }
}

/// All rules that hold in the current folder.
fn all() -> Result<Vec<Arc<Rule>>, Fatal> {
    let here = policy::here()?;
    let top = match super::scan::open(&here, false) {
        Ok((_, top)) => top,
        Err(_) => here, // rules can be read anywhere
    };
    Ok(policy::read(&top, &PolicyArgs::default(), true)?.rules)
}

fn list(rules: &[Arc<Rule>]) -> Result<Outcome, Fatal> {
    let files = rules.iter().map(|rule| {
        let severity = rule.severity.map_or("off", |severity| severity.word());
        (rule.id(), severity, terminal(&rule.spec.summary).to_string())
    });
    // the kinds of a rule file are one thing seen in several ways; those of a code rule are not
    let codes = code_rules().iter().flat_map(|rule| rule.codes);
    let codes = codes.map(|code| (code.code, code.severity.word(), code.summary.to_owned()));
    let rows: Vec<(&str, &str, String)> = files.chain(codes).collect();
    let width = rows.iter().map(|(id, ..)| id.len()).max().unwrap_or_default();
    let mut text = String::new();
    for (id, severity, summary) in rows {
        let _ = writeln!(text, "{id:width$}  {severity:7}  {summary}"); // a String takes all
    }
    super::print(text.as_bytes())?;
    Ok(Outcome::Pass)
}

fn explain(rules: &[Arc<Rule>], code: &str) -> Result<Outcome, Fatal> {
    let known = rule::known(rules);
    let id = code.split('/').next().unwrap_or_default();
    let rule = rules.iter().find(|rule| rule.id() == id).map(|rule| explanation(rule));
    let rule = rule.or_else(|| code_rules().iter().find(|rule| rule.id == id).map(|rule| code_explanation(rule)));
    let Some(text) = rule.filter(|_| known.contains(code)) else {
        let near = nearest(code, known.rules.iter().chain(&known.codes).map(String::as_str));
        return Err(Fatal::unknown_code(code, near));
    };
    super::print(text.as_bytes())?;
    Ok(Outcome::Pass)
}

fn code_explanation(rule: &CodeRule) -> String {
    let mut text = format!("{}: {}\n\nWhy\n  {}\n", rule.id, rule.summary, rule.why);
    for code in rule.codes {
        let _ = writeln!(text, "\n{} ({})\n  {}: {}", code.code, code.severity, code.summary, code.details);
        let _ = writeln!(text, "  What to do: {}", code.help);
    }
    if let Some(docs) = rule.docs {
        let _ = writeln!(text, "\nMore\n  {docs}");
    }
    text
}

fn explanation(rule: &Rule) -> String {
    let spec = &rule.spec;
    let mut text = String::new();
    let mut line = |words: String| {
        text.push_str(&words);
        text.push('\n');
    };
    line(format!("{}: {}", rule.id(), terminal(&spec.summary)));
    if let Some(why) = &spec.why {
        line(format!("\nWhy\n  {}", terminal(why)));
    }
    let codes: Vec<String> = rule.kinds().iter().map(|kind| format!("{}/{kind}", rule.id())).collect();
    line(format!("\nCodes\n  {}", codes.join("\n  ")));
    for code in rule.asked_for() {
        line(format!("\nOff, unless asked for\n  -W {code}"));
    }
    if let Some(help) = spec.message.as_ref().and_then(|message| message.help.as_ref()) {
        line(format!("\nWhat to do\n  {}", terminal(help)));
    }
    if let Some(next) = &spec.next {
        line(format!("\nThe next one\n  {}, with the key {}", terminal(&next.path), terminal(&next.key)));
    }
    if let Some(docs) = &spec.docs {
        line(format!("\nMore\n  {}", terminal(docs)));
    }
    line("\nExamples".into());
    spec.example.iter().for_each(|example| line(shown(example)));
    text
}

fn shown(example: &ExampleSpec) -> String {
    let mut text = format!("  {}\n", terminal(&example.name));
    for side in example.sides() {
        let indent = match &side.whose {
            Some(whose) => {
                let _ = writeln!(text, "    {}:", terminal(whose));
                "      "
            }
            None => "    ",
        };
        for (path, content) in side.files {
            let _ = writeln!(text, "{indent}{}", terminal(path));
            for inner in content.lines() {
                let _ = writeln!(text, "{}", format!("{indent}  | {}", terminal(inner)).trim_end());
            }
        }
        for path in side.removes {
            let _ = writeln!(text, "{indent}{} is removed", terminal(path));
        }
    }
    if !example.warn.is_empty() {
        let _ = writeln!(text, "    asked for: {}", terminal(example.warn.join(", ")));
    }
    let gaps = example.incomplete.iter().map(|gap| format!("incomplete {gap}"));
    let mut found: Vec<String> = example.finds.iter().cloned().chain(gaps).collect();
    if found.is_empty() {
        found.push("nothing".into());
    }
    let _ = writeln!(text, "    finds: {}", terminal(found.join(", ")));
    text
}

fn test_files(files: &[PathBuf]) -> Result<Outcome, Fatal> {
    let mut own = Vec::new();
    for file in files {
        let bytes = fs::read(file).map_err(|source| Fatal::Io { path: file.clone(), source })?;
        own.push((file.to_string_lossy().into_owned(), bytes));
    }
    let rules = rule::load_replacing(&own)?;
    let first = rules.len() - own.len();
    let tested: Vec<String> = rules[first..].iter().map(|rule| rule.id().to_owned()).collect();
    test(&rules, |rule| tested.iter().any(|id| id == rule.id()))
}

fn test(rules: &[Arc<Rule>], wanted: impl Fn(&Rule) -> bool) -> Result<Outcome, Fatal> {
    let (mut passed, mut failed) = (0, 0);
    let mut text = String::new();
    for rule in rules.iter().filter(|rule| wanted(rule)) {
        for example in &rule.spec.example {
            match example::check(rules, rule, example)? {
                None => passed += 1,
                Some(mismatch) => {
                    failed += 1;
                    let _ = writeln!(text, "FAIL  {}: {}", rule.id(), terminal(&example.name));
                    mismatch.missing.iter().for_each(|line| {
                        let _ = writeln!(text, "      missing     {}", terminal(line));
                    });
                    mismatch.extra.iter().for_each(|line| {
                        let _ = writeln!(text, "      unexpected  {}", terminal(line));
                    });
                }
            }
        }
    }
    let _ = writeln!(text, "{passed} passed, {failed} failed");
    super::print(text.as_bytes())?;
    Ok(if failed == 0 { Outcome::Pass } else { Outcome::Fail })
}
