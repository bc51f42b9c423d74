//! The fences in `.claude/settings.json`: which files Claude Code may not edit.
//!
//! Source: [Configure permissions](https://code.claude.com/docs/en/permissions) and the schema of the settings at SchemaStore.

#[cfg(test)]
mod tests;

use std::ops::Range;

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::PATTERN_LIMIT;
use crate::{
    claim::extract::{
        ExtractError,
        document::{Kind, Node},
        json,
    },
    source::path::to_system,
};

/// The settings that a repository shares.
pub const PLACE: &str = ".claude/settings.json";

/// Most rules in one list.
const LIST_LIMIT: usize = 10_000;

/// What a fence does to an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effect {
    /// No agent edits the file.
    Deny,
    /// An agent has to ask a person first.
    Ask,
}

/// Files that an agent may not edit, or not unasked.
#[derive(Clone, Debug)]
pub struct Fence {
    /// The rule as it is written: `Edit(infra/**)`.
    pub rule: String,
    /// What it does.
    pub effect: Effect,
    /// The bytes of the settings that it stands in, without quotes.
    pub span: Range<usize>,
    matcher: Gitignore,
}

/// A rule about files that does not do what it looks like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ineffective {
    /// The rule as it is written.
    pub rule: String,
    /// The bytes of the settings that it stands in, without quotes.
    pub span: Range<usize>,
    /// Why nothing comes of it, for a person to read.
    pub why: &'static str,
}

/// The fences of one file of settings.
#[derive(Clone, Debug, Default)]
pub struct Fences {
    /// Those that deny, then those that ask, each in the order of the file.
    fences: Vec<Fence>,
    ineffective: Vec<Ineffective>,
}

impl Fences {
    /// Reads settings. They are strict JSON: Claude Code takes no comments and no trailing commas.
    ///
    /// Only rules that speak of paths below the repository are fences: not `Bash(…)`, not those that hang from `//` or `~/`,
    /// and none that fences in everything, because it takes a tool away and draws no border between files.
    ///
    /// # Errors
    /// The text is no JSON object, or a list in it is too long.
    pub fn parse(text: &[u8]) -> Result<Self, ExtractError> {
        if let Err(error) = serde_json::from_slice::<serde_json::Map<String, serde_json::Value>>(text) {
            let message = error.to_string();
            return Err(ExtractError::Syntax { format: "JSON", line: error.line(), message });
        }
        let document = json::parse(text)?;
        let permissions = member(&document, "permissions");
        let mut made = Self::default();
        for (list, effect) in [("deny", Some(Effect::Deny)), ("ask", Some(Effect::Ask)), ("allow", None)] {
            let rules = items(permissions.and_then(|node| member(node, list)));
            if rules.len() > LIST_LIMIT {
                return Err(ExtractError::TooLarge(format!("more than {LIST_LIMIT} rules in one list")));
            }
            for node in rules {
                if let Kind::String(rule) = &node.kind {
                    made.add(rule, effect, &node.span);
                }
            }
        }
        Ok(made)
    }

    /// The fence that an edit of this path meets first: one that denies comes before one that asks.
    pub fn on(&self, path: &[u8]) -> Option<&Fence> {
        self.fences.iter().find(|fence| fence.holds(path))
    }

    /// Whether there is no fence.
    pub fn is_empty(&self) -> bool {
        self.fences.is_empty()
    }

    /// The rules about files that do nothing, in the order of the lists deny, ask and allow.
    pub fn ineffective(&self) -> &[Ineffective] {
        &self.ineffective
    }

    fn add(&mut self, rule: &str, effect: Option<Effect>, span: &Range<usize>) {
        match (reading(rule), effect) {
            (Reading::Nothing(why), _) => {
                self.ineffective.push(Ineffective { rule: rule.to_owned(), span: span.clone(), why });
            }
            (Reading::Fence(matcher), Some(effect)) => {
                self.fences.push(Fence { rule: rule.to_owned(), effect, span: span.clone(), matcher });
            }
            (Reading::Fence(_), None) | (Reading::Elsewhere, _) => {}
        }
    }
}

impl Fence {
    fn holds(&self, path: &[u8]) -> bool {
        // the matcher takes no path that hangs from the top of the system, and no repository has one
        !path.starts_with(b"/") && self.matcher.matched_path_or_any_parents(to_system(path), false).is_ignore()
    }
}

/// What comes of a rule.
enum Reading {
    Fence(Gitignore),
    /// It is about something else than single files of the repository.
    Elsewhere,
    Nothing(&'static str),
}

fn reading(rule: &str) -> Reading {
    let Some((tool, path)) = rule.strip_suffix(')').and_then(|rule| rule.split_once('(')) else {
        return Reading::Elsewhere;
    };
    match tool {
        "Edit" | "Read" => fence(path.trim()),
        "Write" | "MultiEdit" | "NotebookEdit" | "Glob" | "Grep" => {
            Reading::Nothing("only `Edit(…)` and `Read(…)` are asked about a path")
        }
        _ => Reading::Elsewhere,
    }
}

/// A path in the syntax of `.gitignore`, from the project's top.
fn fence(path: &str) -> Reading {
    if path.starts_with('!') {
        return Reading::Nothing("`!` does not negate here");
    }
    if path.len() > PATTERN_LIMIT {
        return Reading::Nothing("the pattern is longer than any path");
    }
    if path.starts_with("//") || path.starts_with("~/") || path.split('/').any(|part| part == "..") {
        return Reading::Elsewhere;
    }
    let rooted = path.strip_prefix("./").map(|path| format!("/{path}"));
    let path = rooted.as_deref().unwrap_or(path);
    // `src/**` denies at any depth and `/src/**` at the top, just as the folder itself would
    let pattern = path.strip_suffix("/**").unwrap_or(path);
    if pattern.chars().all(|c| "/*.".contains(c)) {
        return Reading::Elsewhere;
    }
    let plain = if pattern.starts_with('#') { format!("\\{pattern}") } else { pattern.to_owned() };
    let mut builder = GitignoreBuilder::new("");
    match builder.add_line(None, &plain).and_then(|builder| builder.build()) {
        Ok(matcher) => Reading::Fence(matcher),
        Err(_) => Reading::Nothing("the pattern does not compile"),
    }
}

/// The last member of this name, which is the one that counts.
fn member<'a>(node: &'a Node, name: &str) -> Option<&'a Node> {
    let Kind::Object(members) = &node.kind else { return None };
    members.iter().rev().find(|(key, _)| key.text == name).map(|(_, node)| node)
}

fn items(node: Option<&Node>) -> &[Node] {
    match node.map(|node| &node.kind) {
        Some(Kind::Array(items)) => items,
        _ => &[],
    }
}
