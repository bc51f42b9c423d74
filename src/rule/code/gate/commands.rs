//! What a file runs of gatekeep: workflows, pipelines and hooks, whatever their grammar calls a command.

use std::collections::BTreeSet;

use super::effect::Effect;
use crate::claim::extract::document::{Kind, Node};

/// The members whose text runs something: on GitHub, GitLab, CircleCI, Azure and Bitbucket, in lefthook and pre-commit.
const COMMANDS: [&str; 20] = [
    "after_script",
    "bash",
    "before_script",
    "cmd",
    "command",
    "commands",
    "component",
    "entry",
    "extends",
    "image",
    "include",
    "orbs",
    "pipe",
    "pwsh",
    "run",
    "script",
    "steps",
    "task",
    "template",
    "uses",
];
/// What makes a command count for nothing, in its own line or in what it is given.
const EXCUSES: [&str; 8] = [
    "|| true",
    "|| :",
    "|| exit 0",
    "--fail-on never",
    "fail-on: never",
    "--allow-incomplete",
    "allow-incomplete: true",
    "--no-config",
];
const NAME: &str = "gatekeep";
/// Commands that run nothing of what follows them.
const IDLE: [&str; 4] = ["echo", "printf", ":", "true"];

/// What a file runs of gatekeep.
#[derive(Clone, Debug, Default)]
pub(super) struct Commands {
    /// Whether it runs at all.
    pub(super) runs: bool,
    /// What makes it count for nothing.
    pub(super) excuses: BTreeSet<String>,
    /// All that the file says, without comments.
    pub(super) whole: String,
}

impl Commands {
    /// Of documents in which steps and jobs are objects in each other.
    pub(super) fn of_steps(documents: &[Node]) -> Self {
        let mut made = Self::default();
        for document in documents {
            plain(document, &mut made.whole);
            made.walk(document, &mut Vec::new());
        }
        made
    }

    /// Of a text in which each line is a command, or may hold one.
    pub(super) fn of_lines(text: &str) -> Self {
        let mut made = Self::default();
        for line in text.lines().map(code).filter(|line| !line.is_empty()) {
            made.whole.push_str(line);
            made.whole.push('\n');
        }
        made.command(text);
        made
    }

    /// What becomes of it; none where it stays what it was, or never ran.
    pub(super) fn became(&self, new: &Self) -> Option<Effect> {
        match (self.runs, new.runs) {
            (false, false) => None,
            (true, false) => Some(Effect::loosens("gatekeep no longer runs in it")),
            (false, true) => Some(Effect::tightens("gatekeep runs in it")),
            (true, true) => match new.excuses.difference(&self.excuses).next() {
                Some(excuse) => Some(Effect::loosens(format!("gatekeep runs in it, and it gains `{excuse}`"))),
                None if self.whole == new.whole => None,
                None => Some(Effect::unclear("gatekeep runs in it, and it is something else now")),
            },
        }
    }

    fn walk<'n>(&mut self, node: &'n Node, above: &mut Vec<&'n [Member]>) {
        match &node.kind {
            Kind::Object(members) => {
                above.push(members);
                for (key, value) in members {
                    if COMMANDS.contains(&key.text.as_str())
                        && texts(value).iter().filter(|text| self.command(text)).count() > 0
                    {
                        self.excuses.extend(above.iter().flat_map(|members| excused(members)));
                        self.given(members);
                    }
                    self.walk(value, above);
                }
                above.pop();
            }
            Kind::Array(items) => items.iter().for_each(|item| self.walk(item, above)),
            _ => {}
        }
    }

    /// Takes a text of commands in; whether it runs gatekeep.
    pub(super) fn command(&mut self, text: &str) -> bool {
        let text = text.replace("\\\n", " ");
        let mut runs = false;
        for line in text.lines().map(code).filter(|line| is_run(line)) {
            runs = true;
            self.excuse(line);
        }
        if runs && text.lines().map(code).any(|line| line == "set +e") {
            self.excuses.insert("set +e".to_owned());
        }
        self.runs |= runs;
        runs
    }

    /// Takes in what a command is given beside its text.
    pub(super) fn given(&mut self, members: &[Member]) {
        for (_, value) in members.iter().filter(|(key, _)| !COMMANDS.contains(&key.text.as_str())) {
            let mut text = String::new();
            plain(value, &mut text);
            text.lines().for_each(|line| self.excuse(line));
            let words: Vec<&str> = texts(value);
            self.excuse(&words.join(" ")); // `[--fail-on, never]`
        }
    }

    pub(super) fn excuse(&mut self, line: &str) {
        let line = line.replace('=', " ");
        self.excuses.extend(EXCUSES.iter().filter(|excuse| line.contains(**excuse)).map(|excuse| (*excuse).to_owned()));
    }
}

pub(super) type Member = (crate::claim::extract::document::Key, Node);

/// The members of an object with which it counts for nothing.
fn excused(members: &[Member]) -> impl Iterator<Item = String> {
    members.iter().filter_map(|(key, value)| {
        let text =
            value.scalar().map(|text| text.trim().trim_start_matches("${{").trim_end_matches("}}").trim().to_owned());
        let said = text.as_deref();
        let excuses = match key.text.as_str() {
            "continue-on-error" | "continueOnError" | "skip" => said == Some("true"),
            "allow_failure" => said.is_none_or(|said| said != "false"),
            "if" | "condition" => matches!(said, Some("false" | "never()")),
            "enabled" => said == Some("false"),
            "when" => matches!(said, Some("never" | "manual")),
            _ => false,
        };
        excuses.then(|| format!("{}: {}", key.text, text.unwrap_or_default()))
    })
}

/// Whether a text names gatekeep; a gatekeeper is somebody else.
pub(super) fn speaks(text: &str) -> bool {
    let is_word = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    let bytes = text.as_bytes();
    text.match_indices(NAME).any(|(at, _)| !is_word(bytes.get(at + NAME.len())) && !is_word(bytes[..at].last()))
}

/// A text, or those of a list.
fn texts(node: &Node) -> Vec<&str> {
    match &node.kind {
        Kind::String(text) => vec![text],
        Kind::Array(items) => items.iter().flat_map(texts).collect(),
        _ => Vec::new(),
    }
}

/// A line without what is a comment in it.
fn code(line: &str) -> &str {
    let line = line.trim();
    if line.starts_with('#') || line.starts_with("//") {
        return "";
    }
    line.split(" #").next().unwrap_or_default().trim_end()
}

/// Whether a command of the line has to do with gatekeep, and is more than words that are printed.
fn is_run(line: &str) -> bool {
    let is_idle = |part: &str| part.split_whitespace().next().is_some_and(|first| IDLE.contains(&first));
    line.split(['&', '|', ';']).any(|part| speaks(part) && !is_idle(part))
}

/// All that a value says, one member or item a line, however it is written.
pub(super) fn plain(node: &Node, text: &mut String) {
    match &node.kind {
        Kind::Object(members) => {
            text.push_str("{\n");
            for (key, value) in members {
                text.push_str(&key.text);
                text.push_str(": ");
                plain(value, text);
            }
            text.push_str("}\n");
        }
        Kind::Array(items) => {
            text.push_str("[\n");
            items.iter().for_each(|item| plain(item, text));
            text.push_str("]\n");
        }
        _ => {
            text.push_str(&node.scalar().unwrap_or_default());
            text.push('\n');
        }
    }
}
