//! What an agent is about to do.

use serde_json::Value;

use super::patch;

/// An agent whose hooks are understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Agent {
    /// Claude Code: PreToolUse, PostToolUse, Stop and SubagentStop
    ClaudeCode,
    /// Codex CLI: the same events
    Codex,
    /// Gemini CLI: BeforeTool and AfterAgent
    Gemini,
    /// Cursor: preToolUse and stop
    Cursor,
    /// GitHub Copilot, in VS Code and on the command line: PreToolUse and Stop
    Copilot,
    /// opencode, through the plugin that `gatekeep init --hooks` writes
    Opencode,
}

/// When a hook is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Before a tool runs: it can be stopped.
    BeforeTool,
    /// The agent wants to end its turn: it can be told to go on.
    Stop,
    /// At any other time: there is nothing to say.
    Other,
}

/// An event, whatever agent it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// When it is.
    pub kind: Kind,
    /// The folder in which the agent works, as the agent names it.
    pub cwd: Option<String>,
    /// The agent's name of its session.
    pub session: Option<String>,
    /// The agent has been told to go on before, and is at its end once more.
    pub goes_on: bool,
    /// What is about to be done to files.
    pub edits: Vec<Edit>,
}

/// What is about to be done to one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The path as the agent names it: absolute, or below the folder in which it works.
    pub path: String,
    /// What it will hold.
    pub text: Text,
}

/// What a file will hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Text {
    /// This.
    Whole(String),
    /// What it holds now, with texts replaced: what, by what, and whether everywhere.
    Replaced(Vec<(String, String, bool)>),
    /// Something that the event does not tell.
    Unknown,
    /// The file is removed.
    Gone,
}

/// What a file holds now, as somebody read it; none where there is none.
pub type Now<'a> = Option<&'a [u8]>;

impl Text {
    /// What the file will hold, where that can be told; the inner none where it is gone.
    pub fn after(&self, now: Now<'_>) -> Option<Option<Vec<u8>>> {
        match self {
            Self::Whole(text) => Some(Some(text.clone().into_bytes())),
            Self::Gone => Some(None),
            Self::Unknown => None,
            Self::Replaced(all) => {
                let mut text = String::from_utf8(now.unwrap_or_default().to_vec()).ok()?;
                for (old, new, everywhere) in all {
                    text = match (old.is_empty(), everywhere) {
                        (true, _) if text.is_empty() => new.clone(),
                        (true, _) => return None,
                        (false, true) => text.replace(old, new),
                        (false, false) => text.replacen(old, new, 1),
                    };
                }
                Some(Some(text.into_bytes()))
            }
        }
    }
}

/// Keys under which agents give a path.
const PATHS: [&str; 6] = ["file_path", "filePath", "notebook_path", "notebookPath", "path", "target_file"];
/// Tools that only look.
const READERS: [&str; 16] = [
    "read",
    "read_file",
    "readfile",
    "view",
    "glob",
    "grep",
    "ls",
    "list",
    "list_directory",
    "search_file_content",
    "websearch",
    "webfetch",
    "notebookread",
    "read_many_files",
    "codebase_search",
    "file_search",
];

impl Event {
    /// Reads an event.
    ///
    /// # Errors
    /// It is no JSON object, or holds nothing that an event of this agent has: a text for people.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        let event: Value = serde_json::from_slice(bytes).map_err(|error| format!("it is no JSON: {error}"))?;
        let Value::Object(fields) = &event else { return Err("it is no JSON object".into()) };
        let text = |names: &[&str]| names.iter().find_map(|name| fields.get(*name)?.as_str()).map(str::to_owned);
        let tool = text(&["tool_name", "toolName", "tool"]);
        let name = text(&["hook_event_name", "hookEventName", "hook_event"]);
        let kind = match (name.as_deref().map(str::to_ascii_lowercase).as_deref(), &tool) {
            (Some("pretooluse" | "beforetool"), _) => Kind::BeforeTool,
            (Some("stop" | "subagentstop" | "afteragent" | "agentstop"), _) => Kind::Stop,
            (Some(_), _) => Kind::Other,
            // Copilot's command line and opencode name the tool alone
            (None, Some(_)) => Kind::BeforeTool,
            (None, None) => return Err("it names neither an event nor a tool".into()),
        };
        let roots = || fields.get("workspace_roots")?.as_array()?.first()?.as_str().map(str::to_owned);
        let is_reader = tool.as_deref().is_some_and(|tool| READERS.contains(&tool.to_ascii_lowercase().as_str()));
        let edits = match kind {
            Kind::BeforeTool if !is_reader => edits(fields),
            _ => Vec::new(),
        };
        Ok(Self {
            kind,
            cwd: text(&["cwd", "directory"]).or_else(roots),
            session: text(&["session_id", "sessionId", "sessionID", "conversation_id"]),
            goes_on: ["stop_hook_active", "stopHookActive"]
                .iter()
                .any(|name| fields.get(*name) == Some(&Value::Bool(true)))
                || fields.get("loop_count").and_then(Value::as_u64).is_some_and(|count| count > 0),
            edits,
        })
    }
}

fn edits(fields: &serde_json::Map<String, Value>) -> Vec<Edit> {
    let input = ["tool_input", "toolInput", "toolArgs", "args"].iter().find_map(|name| fields.get(*name));
    // Copilot's command line gives it as a text that holds JSON, Codex as the text of a patch
    let parsed = input.and_then(Value::as_str).and_then(|text| serde_json::from_str::<Value>(text).ok());
    match parsed.as_ref().or(input) {
        Some(Value::String(text)) => patch::edits(text),
        Some(Value::Object(input)) => of_input(input),
        _ => Vec::new(),
    }
}

fn of_input(input: &serde_json::Map<String, Value>) -> Vec<Edit> {
    let text = |name: &str| input.get(name).and_then(Value::as_str);
    if let Some(path) = PATHS.iter().find_map(|name| text(name)) {
        return vec![Edit { path: path.to_owned(), text: of_file(input) }];
    }
    let of_patch = ["patch", "input", "patchText", "command"].iter().find_map(|name| {
        let value = input.get(*name)?;
        // Codex runs `["apply_patch", PATCH]`
        let text = value.as_str().or_else(|| value.as_array()?.last()?.as_str())?;
        text.contains("*** Begin Patch").then(|| patch::edits(text))
    });
    if let Some(edits) = of_patch {
        return edits;
    }
    let listed = input.get("files").and_then(Value::as_array).into_iter().flatten();
    let named = listed.filter_map(|file| {
        let path = file.as_str().or_else(|| PATHS.iter().find_map(|name| file.get(*name)?.as_str()))?;
        Some(Edit { path: path.to_owned(), text: file.as_object().map_or(Text::Unknown, of_file) })
    });
    named.collect()
}

/// What the tool makes of the file.
fn of_file(input: &serde_json::Map<String, Value>) -> Text {
    let of = |fields: &serde_json::Map<String, Value>, names: &[&str]| {
        names.iter().find_map(|name| fields.get(*name)?.as_str()).map(str::to_owned)
    };
    let replaced = |fields: &serde_json::Map<String, Value>| {
        let old = of(fields, &["old_string", "oldString", "old_str"])?;
        let new = of(fields, &["new_string", "newString", "new_str"]).unwrap_or_default();
        let everywhere = ["replace_all", "replaceAll"].iter().any(|name| fields.get(*name) == Some(&Value::Bool(true)));
        Some((old, new, everywhere))
    };
    if let Some(text) = of(input, &["content", "contents", "file_text"]) {
        return Text::Whole(text);
    }
    if let Some(edits) = input.get("edits").and_then(Value::as_array) {
        let all: Option<Vec<_>> = edits.iter().map(|edit| replaced(edit.as_object()?)).collect();
        return all.map_or(Text::Unknown, Text::Replaced);
    }
    replaced(input).map_or(Text::Unknown, |one| Text::Replaced(vec![one]))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(event: &Value) -> Event {
        Event::read(event.to_string().as_bytes()).expect("an event")
    }

    fn one(event: &Value) -> (String, Text) {
        let mut edits = read(event).edits;
        assert_eq!(edits.len(), 1, "{edits:?}");
        let edit = edits.remove(0);
        (edit.path, edit.text)
    }

    #[test]
    fn all_agents_say_the_same_in_their_own_words() {
        let whole = ("/r/a.sql".to_owned(), Text::Whole("x\n".into()));
        let claude = json!({ "session_id": "s", "cwd": "/r", "hook_event_name": "PreToolUse", "tool_name": "Write",
            "tool_input": { "file_path": "/r/a.sql", "content": "x\n" } });
        assert_eq!(
            (one(&claude), read(&claude).kind, read(&claude).cwd.as_deref()),
            (whole.clone(), Kind::BeforeTool, Some("/r"))
        );
        let gemini = json!({ "hook_event_name": "BeforeTool", "tool_name": "write_file", "tool_input": { "file_path": "/r/a.sql", "content": "x\n" } });
        assert_eq!(one(&gemini), whole);
        let copilot = json!({ "hookEventName": "PreToolUse", "tool_name": "create_file", "tool_input": { "filePath": "/r/a.sql", "content": "x\n" } });
        assert_eq!(one(&copilot), whole);
        let line =
            json!({ "toolName": "create", "toolArgs": "{\"path\":\"/r/a.sql\",\"file_text\":\"x\\n\"}", "cwd": "/r" });
        assert_eq!(one(&line), whole);
        let opencode = json!({ "tool": "write", "sessionID": "s", "directory": "/r", "args": { "filePath": "/r/a.sql", "content": "x\n" } });
        assert_eq!(one(&opencode), whole);
        let cursor = json!({ "hook_event_name": "preToolUse", "workspace_roots": ["/r"], "tool_name": "Write", "tool_input": { "file_path": "/r/a.sql", "content": "x\n" } });
        assert_eq!((one(&cursor), read(&cursor).cwd.as_deref()), (whole, Some("/r")));
        let codex = json!({ "hook_event_name": "PreToolUse", "tool_name": "apply_patch",
            "tool_input": { "command": ["apply_patch", "*** Begin Patch\n*** Add File: a.sql\n+x\n*** End Patch"] } });
        assert_eq!(one(&codex), ("a.sql".to_owned(), Text::Whole("x\n".into())));
    }

    #[test]
    fn edits_are_made_on_what_the_file_holds_now() {
        let edit = json!({ "hook_event_name": "PreToolUse", "tool_name": "MultiEdit", "tool_input": { "file_path": "a",
            "edits": [{ "old_string": "b", "new_string": "c", "replace_all": true }, { "old_string": "a", "new_string": "" }] } });
        assert_eq!(one(&edit).1.after(Some(b"abba")), Some(Some(b"cca".to_vec())));
        let first = Text::Replaced(vec![("b".into(), "x".into(), false)]);
        assert_eq!(first.after(Some(b"abb")), Some(Some(b"axb".to_vec())));
        assert_eq!(first.after(Some(b"\xff")), None, "what is no text can't be told");
        assert_eq!(Text::Unknown.after(Some(b"a")), None);
        assert_eq!(Text::Gone.after(Some(b"a")), Some(None));
    }

    #[test]
    fn what_only_looks_or_runs_a_command_touches_no_file() {
        for (tool, input) in [
            ("Bash", json!({ "command": "ls a.sql" })),
            ("Read", json!({ "file_path": "/r/a" })),
            ("Grep", json!({ "path": "/r" })),
        ] {
            let event = json!({ "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input });
            assert!(read(&event).edits.is_empty(), "{tool}");
        }
        assert_eq!(read(&json!({ "hook_event_name": "SessionStart" })).kind, Kind::Other);
        let stop = json!({ "hook_event_name": "SubagentStop", "stop_hook_active": true });
        assert_eq!((read(&stop).kind, read(&stop).goes_on), (Kind::Stop, true));
    }

    #[test]
    fn a_broken_event_is_no_event() {
        for broken in ["{not json", "[]", "{}", "1"] {
            assert!(Event::read(broken.as_bytes()).is_err(), "{broken}");
        }
    }
}
