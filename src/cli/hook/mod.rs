//! `gatekeep hook`.

mod edit;
mod place;
mod stop;

use std::io::{Read as _, Write as _};

use crate::{
    error::{Fatal, visible},
    exit::Outcome,
    hook::{Agent, Answer, Edit, Event, Kind, Text},
};

/// Longest event that is read, in bytes.
const LONGEST: u64 = 32 << 20;

/// Answer an agent's hook: stop an edit outside its lane, or a file whose name somebody else holds
///
/// It reads the agent's event from standard input and prints a decision for it. An edit is denied that lies outside the agent's lane or in
/// what its lane must never touch, that breaks what `[[protected]]` says of a file, or that makes a new file whose name another branch or
/// worktree holds; the answer names the next free one. An edit of a file that another line of work changes too gets a warning. When the agent
/// wants to stop, what it changed is scanned, and errors send it back to work once.
///
/// Who the agent is comes from GATEKEEP_AGENT or the branch; what its lane is, from the configuration on the trunk. It never grants anything,
/// asks no network, and says its own failures on standard error with exit status 1, which stops nobody; with --strict they deny too.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Whose hook it is
    #[arg(value_enum)]
    agent: Agent,
    /// Deny what can't be judged
    #[arg(long)]
    strict: bool,
    /// What is merged into in the end [default: as configured, else origin's main branch, else the local one]
    #[arg(long, value_name = "REF")]
    base: Option<String>,
}

const EXAMPLES: &str = "\
Examples:
  gatekeep init --hooks                  writes the settings of the agents that are in use here
  gatekeep hook claude-code < event      as Claude Code runs it, before Write, Edit and Bash, and at Stop

In .claude/settings.json:
  {\"hooks\": {\"PreToolUse\": [{\"matcher\": \"Write|Edit|MultiEdit|NotebookEdit\",
                              \"hooks\": [{\"type\": \"command\", \"command\": \"gatekeep hook claude-code\"}]}]}}";

pub(super) fn run(args: &Args) -> Result<Outcome, Fatal> {
    let mut input = Vec::new();
    let read = std::io::stdin().lock().take(LONGEST + 1).read_to_end(&mut input).map_err(|error| error.to_string());
    let event = read.and_then(|length| match length as u64 > LONGEST {
        true => Err(format!("the event is longer than {} MiB", LONGEST >> 20)),
        false => Event::read(&input),
    });
    let kind = event.as_ref().map_or(Kind::BeforeTool, |event| event.kind);
    match event.and_then(|event| answer(args, &event)) {
        Ok(answer) => {
            say(args.agent, kind, &answer)?;
            Ok(Outcome::Pass)
        }
        Err(why) => {
            let why = visible(&why).into_owned();
            let _ = writeln!(std::io::stderr().lock(), "gatekeep hook: {why}"); // nowhere else to say it
            if !args.strict {
                return Ok(Outcome::Fail);
            }
            let denied = Some(format!("gatekeep could not judge this, and is told to be strict: {why}"));
            say(args.agent, kind, &Answer { denied, warned: None })?;
            Ok(Outcome::Pass)
        }
    }
}

/// Whether a file may be touched from the current folder: as if an agent was about to edit it, in a way that nobody tells.
pub(super) fn touch(path: &str) -> Result<Answer, String> {
    let args = Args { agent: Agent::ClaudeCode, strict: true, base: None };
    let edits = vec![Edit { path: path.to_owned(), text: Text::Unknown }];
    edit::answer(&args, &Event { kind: Kind::BeforeTool, cwd: None, session: None, goes_on: false, edits })
}

fn answer(args: &Args, event: &Event) -> Result<Answer, String> {
    match event.kind {
        Kind::BeforeTool => edit::answer(args, event),
        Kind::Stop if event.goes_on => Ok(Answer::default()), // once is enough
        Kind::Stop => stop::answer(args, event),
        Kind::Other => Ok(Answer::default()),
    }
}

fn say(agent: Agent, kind: Kind, answer: &Answer) -> Result<(), Fatal> {
    super::print(format!("{}\n", answer.render(agent, kind)).as_bytes())
}
