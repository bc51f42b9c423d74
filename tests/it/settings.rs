//! `gatekeep init --hooks`: the settings in which agents are told to run `gatekeep hook`.

use std::{fs, process::Stdio};

use serde_json::{Value, json};

use crate::support::{Repo, Run};

const HOOKS: [&str; 2] = ["init", "--hooks"];
const YES: [&str; 3] = ["init", "--hooks", "--yes"];

fn json(repo: &Repo, path: &str) -> Value {
    serde_json::from_str(&repo.read(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
fn nothing_is_written_without_leave() {
    let repo = Repo::new();
    for args in [&HOOKS[..], &["init", "--hooks", "--dry-run"]] {
        let mut command = repo.command(args);
        let run = Run::of(&command.stdin(Stdio::null()).output().expect("the program runs")).exits(0);
        for said in ["Claude Code", ".claude/settings.json", "\"gatekeep hook claude-code\"", "Nothing was written"] {
            assert!(run.stdout.contains(said), "{said}: {run:?}");
        }
    }
    let left: Vec<_> =
        fs::read_dir(repo.top()).expect("a folder").map(|entry| entry.expect("it can be listed").file_name()).collect();
    assert_eq!(left, [".git"]);
    repo.run(&["init", "--yes"]).exits(2);
    repo.run(&["init", "--hooks", "--force"]).exits(2);
}

#[test]
fn the_agents_that_are_in_use_get_what_they_read() {
    let repo = Repo::new();
    repo.files(&[".codex/config.toml", ".gemini/x", ".cursor/x", ".vscode/settings.json", "opencode.json"]);
    let run = repo.run_in(&repo.top().join(".cursor"), &YES).exits(0);
    assert!(!run.stdout.contains("Claude"), "{run:?}");
    let event = |path: &str, event: &str| json(&repo, path)["hooks"][event][0].clone();
    let codex = event(".codex/hooks.json", "PreToolUse");
    assert_eq!(codex["hooks"][0], json!({ "type": "command", "command": "gatekeep hook codex" }));
    assert_eq!(event(".codex/hooks.json", "Stop")["hooks"][0]["command"], "gatekeep hook codex");
    assert_eq!(event(".gemini/settings.json", "BeforeTool")["matcher"], "write_file|replace");
    assert_eq!(event(".gemini/settings.json", "AfterAgent")["hooks"][0]["command"], "gatekeep hook gemini");
    assert_eq!(event(".cursor/hooks.json", "preToolUse"), json!({ "command": "gatekeep hook cursor" }));
    assert_eq!(event(".cursor/hooks.json", "stop"), json!({ "command": "gatekeep hook cursor" }));
    assert_eq!(json(&repo, ".cursor/hooks.json")["version"], 1);
    assert_eq!(event(".github/hooks/gatekeep.json", "PreToolUse")["command"], "gatekeep hook copilot");
    assert_eq!(event(".github/hooks/gatekeep.json", "Stop")["bash"], "gatekeep hook copilot");
    assert!(repo.read(".opencode/plugin/gatekeep.js").contains("\"tool.execute.before\""));
    assert!(!repo.top().join(".claude").exists());
    let again = repo.run(&YES).exits(0);
    assert_eq!(again.stdout.matches("already").count(), 5, "{again:?}");
    assert!(!again.stdout.contains("Wrote"), "{again:?}");
}

#[test]
fn what_a_file_holds_stays_and_is_not_shown() {
    let repo = Repo::new();
    let mine = "{\n  \"zeta\": {\"token\": \"ghp_secret\"},\n  \"hooks\": {\"PreToolUse\": [{\"matcher\": \"Bash\", \"hooks\": []}]},\n  \"alpha\": 1\n}\n";
    repo.write(".claude/settings.json", mine);
    let run = repo.run(&YES).exits(0);
    assert!(!run.stdout.contains("ghp_secret"), "{run:?}");
    let text = repo.read(".claude/settings.json");
    assert!(text.starts_with("{\n  \"zeta\": {\"token\": \"ghp_secret\"},\n  \"hooks\": {"), "{text}");
    assert!(text.ends_with("  \"alpha\": 1\n}\n"), "{text}");
    let hooks = &json(&repo, ".claude/settings.json")["hooks"];
    assert_eq!(
        (&hooks["PreToolUse"][0]["matcher"], &hooks["PreToolUse"][1]["matcher"]),
        (&json!("Bash"), &json!("Write|Edit|MultiEdit|NotebookEdit"))
    );
    repo.run(&YES).exits(0);
    assert_eq!(repo.read(".claude/settings.json"), text);
}

#[test]
fn what_cant_be_added_to_is_left_alone_and_said() {
    let repo = Repo::new();
    repo.write(".claude/settings.json", "{ no json\n")
        .write(".codex/hooks.json", "{\"hooks\": []}\n")
        .files(&[".cursor/x"]);
    let run = repo.run(&YES).exits(3);
    for file in [".claude/settings.json", ".codex/hooks.json"] {
        assert!(run.stdout.contains(&format!("{file} is left as it is")), "{run:?}");
    }
    assert!(run.stdout.contains("gatekeep hook claude-code"), "what to add is said: {run:?}");
    assert_eq!(
        (repo.read(".claude/settings.json").as_str(), repo.read(".codex/hooks.json").as_str()),
        ("{ no json\n", "{\"hooks\": []}\n")
    );
    assert!(repo.top().join(".cursor/hooks.json").exists(), "the others are written");
}

#[cfg(unix)]
#[test]
fn nothing_is_written_through_a_link() {
    use std::os::unix::fs::symlink;
    let repo = Repo::new();
    fs::write(repo.beside("mine.json"), "{}").expect("it can be written");
    fs::create_dir(repo.beside("codex")).expect("it can be made");
    fs::create_dir(repo.top().join(".claude")).expect("it can be made");
    symlink(repo.beside("mine.json"), repo.top().join(".claude/settings.json")).expect("a link can be made");
    symlink(repo.beside("codex"), repo.top().join(".codex")).expect("a link can be made");
    let run = repo.run(&YES).exits(3);
    assert!(
        run.stdout.contains("`.claude/settings.json` is a link") && run.stdout.contains("`.codex` is a link"),
        "{run:?}"
    );
    assert_eq!(fs::read_to_string(repo.beside("mine.json")).expect("it is there"), "{}");
    assert_eq!(fs::read_dir(repo.beside("codex")).expect("it is there").count(), 0);
}

#[test]
fn what_is_written_works() {
    let repo = Repo::new();
    repo.write("gatekeep.toml", "[agents.ps3]\nowns = [\"lib/**\"]\n").commit();
    repo.run(&YES).exits(0);
    let hooks = json(&repo, ".claude/settings.json")["hooks"].clone();
    let command = hooks["PreToolUse"][0]["hooks"][0]["command"].as_str().expect("a command").to_owned();
    let words: Vec<&str> = command.split(' ').collect();
    assert_eq!(words[0], "gatekeep");
    let event = json!({ "cwd": repo.top(), "hook_event_name": "PreToolUse", "tool_name": "Write", "tool_input": { "file_path": "ops/x", "content": "x" } });
    let mut run = repo.command(&words[1..]);
    run.env("GATEKEEP_AGENT", "ps3");
    let said = assert_cmd::Command::from_std(run).write_stdin(event.to_string()).output().expect("the program runs");
    assert_eq!(Run::of(&said).exits(0).json()["hookSpecificOutput"]["permissionDecision"], "deny");
}
