//! Where each agent keeps its hooks, and how ours are added to what is there.

use jsonc_parser::{
    ParseOptions,
    cst::{CstInputValue, CstObject, CstRootNode},
};
use serde_json::Value;

/// The settings of one agent.
pub(super) struct Settings {
    /// As people call it.
    pub(super) name: &'static str,
    /// As `gatekeep hook` calls it.
    pub(super) word: &'static str,
    /// The file, below the top of the repository.
    pub(super) file: &'static str,
    /// What is there where the agent is in use.
    pub(super) signs: &'static [&'static str],
    what: What,
}

enum What {
    /// JSON with a member `hooks`: its form, and which version it has to name.
    Hooks { version: Option<&'static str>, form: Form, events: &'static [Event] },
    /// A file of our own.
    Plugin(&'static str),
}

/// How one hook is written.
#[derive(Clone, Copy)]
enum Form {
    /// `{"matcher": …, "hooks": [{"type": "command", "command": …}]}`
    Matched,
    /// `{"command": …}`
    Bare,
    /// `{"type": "command", "command": …, "bash": …, "powershell": …}`: VS Code reads the first, Copilot's command line the others
    Shells,
}

/// An event, and for which tools.
type Event = (&'static str, Option<&'static str>);

/// All agents whose settings are known; the first one counts where none is in use.
pub(super) const AGENTS: &[Settings] = &[
    Settings {
        name: "Claude Code",
        word: "claude-code",
        file: ".claude/settings.json",
        signs: &[".claude"],
        what: What::Hooks {
            version: None,
            form: Form::Matched,
            events: &[("PreToolUse", Some("Write|Edit|MultiEdit|NotebookEdit")), ("Stop", None)],
        },
    },
    Settings {
        name: "Codex",
        word: "codex",
        file: ".codex/hooks.json",
        signs: &[".codex"],
        what: What::Hooks {
            version: None,
            form: Form::Matched,
            events: &[("PreToolUse", Some("apply_patch|Edit|Write")), ("Stop", None)],
        },
    },
    Settings {
        name: "Gemini CLI",
        word: "gemini",
        file: ".gemini/settings.json",
        signs: &[".gemini"],
        what: What::Hooks {
            version: None,
            form: Form::Matched,
            events: &[("BeforeTool", Some("write_file|replace")), ("AfterAgent", None)],
        },
    },
    Settings {
        name: "Cursor",
        word: "cursor",
        file: ".cursor/hooks.json",
        signs: &[".cursor"],
        what: What::Hooks { version: Some("1"), form: Form::Bare, events: &[("preToolUse", None), ("stop", None)] },
    },
    Settings {
        name: "GitHub Copilot",
        word: "copilot",
        file: ".github/hooks/gatekeep.json",
        signs: &[".github/hooks", ".vscode"],
        what: What::Hooks { version: Some("1"), form: Form::Shells, events: &[("PreToolUse", None), ("Stop", None)] },
    },
    Settings {
        name: "opencode",
        word: "opencode",
        file: ".opencode/plugin/gatekeep.js",
        signs: &["opencode.json", "opencode.jsonc", ".opencode"],
        what: What::Plugin(include_str!("gatekeep.js")),
    },
];

/// JSON, and the comments and last commas that editors forgive. Anything else is not ours to mend.
const FORGIVING: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_loose_object_property_names: false,
    allow_trailing_commas: true,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

impl Settings {
    /// The file with our hooks, and what is new in it; none where nothing is.
    pub(super) fn added(&self, now: Option<&str>) -> Result<Option<(String, String)>, String> {
        match &self.what {
            What::Plugin(text) => match now {
                Some(now) if now.contains(&self.command()) || now == *text => Ok(None),
                Some(_) => Err("it is not the one that gatekeep writes".into()),
                None => Ok(Some(((*text).to_owned(), (*text).to_owned()))),
            },
            What::Hooks { version, form, events } => {
                let fail = |why: String| format!("it is no JSON that can be added to ({why})");
                let root = CstRootNode::parse(now.unwrap_or_default(), &FORGIVING);
                let root = root.map_err(|error| fail(error.to_string()))?;
                let top = root.object_value_or_create().ok_or_else(|| fail("it holds no object".into()))?;
                let missing = self.missing(&top, events).map_err(fail)?;
                if missing.is_empty() {
                    return Ok(None);
                }
                self.add(&top, *version, *form, &missing).map_err(fail)?;
                Ok(Some((root.to_string(), self.document(*version, *form, &missing))))
            }
        }
    }

    /// A file that holds our hooks alone.
    pub(super) fn whole(&self) -> String {
        match &self.what {
            What::Plugin(text) => (*text).to_owned(),
            What::Hooks { version, form, events } => self.document(*version, *form, events),
        }
    }

    fn document(&self, version: Option<&str>, form: Form, events: &[Event]) -> String {
        let Ok(root) = CstRootNode::parse("", &FORGIVING) else { return String::new() };
        let top = root.object_value_or_set();
        // nothing in an empty object is in the way
        let _ = self.add(&top, version, form, events);
        root.to_string()
    }

    /// The events for which nothing runs us yet.
    fn missing(&self, top: &CstObject, events: &[Event]) -> Result<Vec<Event>, String> {
        let Some(hooks) = top.get("hooks") else { return Ok(events.to_vec()) };
        let hooks = hooks.object_value().ok_or("`hooks` is no object")?;
        let mut missing = Vec::new();
        for event in events {
            let there = hooks.get(event.0).and_then(|entry| entry.value()?.to_serde_value());
            if !there.is_some_and(|there| says(&there, &self.command())) {
                missing.push(*event);
            }
        }
        Ok(missing)
    }

    fn add(&self, top: &CstObject, version: Option<&str>, form: Form, events: &[Event]) -> Result<(), String> {
        if let Some(version) = version
            && top.get("version").is_none()
        {
            top.insert(0, "version", CstInputValue::Number(version.to_owned()));
        }
        let hooks = top.object_value_or_create("hooks").ok_or("`hooks` is no object")?;
        for (event, matcher) in events {
            let list = hooks.array_value_or_create(event).ok_or_else(|| format!("`hooks.{event}` is no list"))?;
            list.append(self.hook(form, *matcher));
            list.ensure_multiline();
        }
        Ok(())
    }

    fn hook(&self, form: Form, matcher: Option<&str>) -> CstInputValue {
        let text = |text: &str| CstInputValue::String(text.to_owned());
        let command = format!("gatekeep {}", self.command());
        let entry = |names: &[&str]| -> Vec<(String, CstInputValue)> {
            names.iter().map(|name| ((*name).to_owned(), text(&command))).collect()
        };
        let kind = ("type".to_owned(), text("command"));
        match form {
            Form::Bare => CstInputValue::Object(entry(&["command"])),
            Form::Shells => CstInputValue::Object([vec![kind], entry(&["command", "bash", "powershell"])].concat()),
            Form::Matched => {
                let mut members: Vec<_> = matcher.iter().map(|one| ("matcher".to_owned(), text(one))).collect();
                let one = CstInputValue::Object([vec![kind], entry(&["command"])].concat());
                members.push(("hooks".to_owned(), CstInputValue::Array(vec![one])));
                CstInputValue::Object(members)
            }
        }
    }

    /// How our hook is known again, wherever the program lies and whatever it is told.
    fn command(&self) -> String {
        format!("hook {}", self.word)
    }
}

/// Whether any text in a value holds this.
fn says(value: &Value, what: &str) -> bool {
    match value {
        Value::String(text) => text.contains(what),
        Value::Array(list) => list.iter().any(|one| says(one, what)),
        Value::Object(members) => members.values().any(|one| says(one, what)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn added(agent: usize, now: Option<&str>) -> Option<String> {
        AGENTS[agent].added(now).expect("it can be added to").map(|(whole, _)| whole)
    }

    #[test]
    fn a_new_file_holds_our_hooks_alone() {
        let text = added(0, None).expect("a file");
        let read: Value = serde_json::from_str(&text).expect("it is JSON");
        assert_eq!(read["hooks"]["PreToolUse"][0]["matcher"], "Write|Edit|MultiEdit|NotebookEdit");
        assert_eq!(read["hooks"]["Stop"][0]["hooks"][0]["command"], "gatekeep hook claude-code");
        for settings in AGENTS {
            let (whole, new) = settings.added(None).expect("it can be made").expect("a file");
            assert_eq!((whole.as_str(), whole.as_str()), (new.as_str(), settings.whole().as_str()));
            assert_eq!(settings.added(Some(&whole)).expect("it can be read"), None, "never twice: {}", settings.name);
            assert!(whole.ends_with('\n') && !whole.ends_with("\n\n"), "{whole:?}");
        }
    }

    #[test]
    fn what_is_there_stays_as_it_is() {
        let now = "{\n    // mine\n    \"zeta\": 1.50,\n    \"hooks\": {\n        \"PreToolUse\": [\n            {\"matcher\": \"Bash\", \"hooks\": []}\n        ]\n    },\n    \"alpha\": [1,2]\n}\n";
        let text = added(0, Some(now)).expect("something is new");
        let mut rest = text.as_str();
        for line in now.lines() {
            let line = line.trim_end_matches(['}', ']', ',']).trim();
            let at = rest.find(line).unwrap_or_else(|| panic!("{line} is lost, or not where it was: {text}"));
            rest = &rest[at + line.len()..];
        }
        assert_eq!(text.matches("gatekeep hook claude-code").count(), 2, "{text}");
        assert_eq!(added(0, Some(&text)), None);
    }

    #[test]
    fn only_what_is_missing_is_added() {
        let now = r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "/opt/gatekeep hook claude-code --strict"}]}]}}"#;
        let (whole, new) = AGENTS[0].added(Some(now)).expect("it can be added to").expect("Stop is missing");
        assert_eq!(whole.matches("hook claude-code").count(), 2, "{whole}");
        assert!(new.contains("Stop") && !new.contains("PreToolUse"), "{new}");
        let remark = "{\n  // \"gatekeep hook claude-code\"\n}\n";
        assert!(added(0, Some(remark)).is_some(), "a comment runs nothing");
    }

    #[test]
    fn what_is_no_such_json_is_left_alone() {
        for broken in ["{", "[]", "1", "{'a': 1}", "{a: 1}", r#"{"hooks": []}"#, r#"{"hooks": {"Stop": {}}}"#] {
            assert!(AGENTS[0].added(Some(broken)).is_err(), "{broken}");
        }
        assert!(AGENTS[5].added(Some("export const Mine = 1\n")).is_err());
        assert!(added(0, Some("")).is_some() && added(0, Some("{}")).is_some(), "an empty file is a new one");
    }
}
