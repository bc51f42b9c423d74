//! `gatekeep hook`: what an agent is told before it edits a file, and when it wants to stop.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::{Repo, Run};

const MIGRATIONS: &str = "supabase/migrations";
const LANE: &str = "[agents.ps3]\nbranches = [\"agent/ps3/*\"]\nowns = [\"lib/**\"]\n";

/// A repository with a lane and one file on each side of it.
fn fenced() -> Repo {
    let repo = Repo::new();
    repo.write("gatekeep.toml", LANE).write("lib/a.ts", "a\n").write("ops/x.yml", "x\n").commit();
    repo
}

/// A repository with migrations.
fn supabase() -> Repo {
    let repo = Repo::new();
    repo.write("supabase/config.toml", "").write(format!("{MIGRATIONS}/20260101000000_init.sql"), "-- init\n").commit();
    repo
}

fn worktree(repo: &Repo, name: &str) -> PathBuf {
    let path = repo.beside(name);
    repo.git(&["worktree", "add", "--quiet", "-b", &format!("agent/{name}"), path.to_str().expect("UTF-8")]);
    path
}

/// Runs the hook in a folder with this on its standard input.
fn hook(repo: &Repo, folder: &Path, args: &[&str], input: &str, agent: &str) -> Run {
    let mut command = repo.command(&[&["hook"], args].concat());
    command.current_dir(folder).env("GATEKEEP_AGENT", agent);
    Run::of(&assert_cmd::Command::from_std(command).write_stdin(input).output().expect("the program runs"))
}

/// Claude Code's event before `tool` runs.
fn event(cwd: &Path, tool: &str, input: &Value) -> String {
    json!({ "session_id": "s", "transcript_path": "/t", "cwd": cwd, "permission_mode": "acceptEdits", "hook_event_name": "PreToolUse",
        "tool_name": tool, "tool_input": input, "tool_use_id": "u" })
    .to_string()
}

fn written(cwd: &Path, path: &str, content: &str) -> String {
    event(cwd, "Write", &json!({ "file_path": cwd.join(path), "content": content }))
}

/// The answer to Claude Code; the process always succeeds.
fn answer(repo: &Repo, folder: &Path, input: &str) -> Value {
    hook(repo, folder, &["claude-code"], input, "").exits(0).json()
}

fn write(repo: &Repo, folder: &Path, path: &str, content: &str) -> Value {
    answer(repo, folder, &written(folder, path, content))
}

/// Why it is denied.
#[track_caller]
fn denied(answer: &Value) -> &str {
    let decision = &answer["hookSpecificOutput"];
    assert_eq!(decision["permissionDecision"], "deny", "{answer}");
    decision["permissionDecisionReason"].as_str().expect("a reason")
}

#[test]
fn an_edit_outside_the_lane_is_denied() {
    let repo = fenced();
    let top = repo.top();
    let as_agent = |path: &str| hook(&repo, &top, &["claude-code"], &written(&top, path, "x\n"), "ps3").exits(0).json();
    assert_eq!(as_agent("lib/a.ts"), json!({}));
    assert_eq!(as_agent("lib/new/b.ts"), json!({}));
    for path in ["ops/x.yml", "ops/new.yml", "new.yml"] {
        let answer = as_agent(path);
        let why = denied(&answer);
        assert!(why.contains("`ps3`") && why.contains(path) && why.contains("boundary/outside"), "{why}");
    }
    let edit = json!({ "file_path": top.join("ops/x.yml"), "old_string": "x", "new_string": "y" });
    let answer = hook(&repo, &top, &["claude-code"], &event(&top, "Edit", &edit), "ps3").exits(0).json();
    assert!(denied(&answer).contains("ops/x.yml"));
    repo.git(&["switch", "--quiet", "-c", "agent/ps3/work"]);
    assert!(denied(&write(&repo, &top, "ops/x.yml", "y\n")).contains("ps3"), "the branch says who it is");
    repo.git(&["switch", "--quiet", "-c", "mine"]);
    assert_eq!(write(&repo, &top, "ops/x.yml", "y\n"), json!({}), "a person's branch has no lane");
}

#[test]
fn the_lane_is_what_the_trunk_says() {
    let repo = fenced();
    let top = repo.top();
    repo.git(&["switch", "--quiet", "-c", "agent/ps3/work"]);
    repo.write("gatekeep.toml", LANE.replace("lib/**", "**")).commit();
    assert!(denied(&write(&repo, &top, "ops/x.yml", "y\n")).contains("ops/x.yml"));
    repo.write("lib/a.ts", "b\n").commit();
    assert_eq!(write(&repo, &top, "lib/a.ts", "c\n"), json!({}), "what was done before is no matter of this edit");
}

#[test]
fn a_name_that_somebody_else_holds_is_denied() {
    let repo = supabase();
    let (one, two) = (worktree(&repo, "one"), worktree(&repo, "two"));
    std::fs::create_dir_all(one.join(MIGRATIONS)).expect("the folders can be made");
    std::fs::write(one.join(MIGRATIONS).join("20260428000000_a.sql"), "-- a\n").expect("it can be written");
    let answer = write(&repo, &two, &format!("{MIGRATIONS}/20260428000000_b.sql"), "-- b\n");
    let why = denied(&answer);
    assert!(why.contains("20260428000000") && why.contains("supabase-migrations/duplicate"), "{why}");
    let free = why.split("Free: `").nth(1).expect("a free name").split('`').next().expect("it ends");
    assert!(free.starts_with(MIGRATIONS) && free.ends_with("_b.sql"), "{why}");
    assert_eq!(write(&repo, &two, free, "-- b\n"), json!({}), "what is called free is free");
    assert_eq!(write(&repo, &two, &format!("{MIGRATIONS}/20260428000001_b.sql"), "-- b\n"), json!({}));

    repo.git(&["switch", "--quiet", "-c", "other"]);
    repo.write(format!("{MIGRATIONS}/20260501000000_c.sql"), "-- c\n").commit();
    repo.git(&["switch", "--quiet", "main"]);
    let answer = write(&repo, &two, &format!("{MIGRATIONS}/20260501000000_d.sql"), "-- d\n");
    assert!(denied(&answer).contains("`other`"), "{answer}");
    repo.git(&["branch", "--quiet", "-D", "other"]);
    assert_eq!(write(&repo, &two, &format!("{MIGRATIONS}/20260501000000_d.sql"), "-- d\n"), json!({}));

    let answer = write(&repo, &two, &format!("{MIGRATIONS}/20260101000000_again.sql"), "-- d\n");
    assert!(denied(&answer).contains("20260101000000"), "what the trunk holds: {answer}");
}

#[test]
fn a_name_that_is_taken_after_an_earlier_run_is_denied() {
    let repo = supabase();
    let (one, two) = (worktree(&repo, "one"), worktree(&repo, "two"));
    let file = format!("{MIGRATIONS}/20260428000000_b.sql");
    for _ in 0..2 {
        assert_eq!(write(&repo, &two, &file, "-- b\n"), json!({}), "nobody has it yet");
    }
    std::fs::create_dir_all(one.join(MIGRATIONS)).expect("the folders can be made");
    let taken = one.join(MIGRATIONS).join("20260428000000_a.sql");
    std::fs::write(&taken, "-- a\n").expect("it can be written");
    assert!(denied(&write(&repo, &two, &file, "-- b\n")).contains("worktree `one`"));
    let git = |args: &[&str]| repo.git(&[&["-C", one.to_str().expect("UTF-8")], args].concat());
    git(&["add", "."]);
    git(&["commit", "--quiet", "--message", "a"]);
    for _ in 0..2 {
        assert!(
            denied(&write(&repo, &two, &file, "-- b\n")).contains("worktree `one`"),
            "committed, it holds it still"
        );
    }
    std::fs::remove_file(&taken).expect("it is there");
    git(&["commit", "--quiet", "--all", "--message", "back"]);
    assert_eq!(write(&repo, &two, &file, "-- b\n"), json!({}), "it was given up");
}

#[test]
fn what_the_trunk_took_back_is_no_new_name_of_an_older_worktree() {
    let repo = supabase();
    let old = format!("{MIGRATIONS}/20260101000000_init.sql");
    worktree(&repo, "one"); // has it on disk as its commit does
    repo.git(&["rm", "--quiet", "--force", &old]);
    repo.commit();
    let two = worktree(&repo, "two");
    assert_eq!(write(&repo, &two, &format!("{MIGRATIONS}/20260101000000_b.sql"), "-- b\n"), json!({}));
}

#[test]
fn ones_own_files_are_no_collision() {
    let repo = Repo::new();
    repo.write("migrations/000001_init.up.sql", "-- 1\n").write("migrations/000001_init.down.sql", "-- 1\n").commit();
    let one = worktree(&repo, "one");
    let path = |name: &str| one.join("migrations").join(name);
    std::fs::write(path("000002_users.up.sql"), "-- 2\n").expect("it can be written");
    assert_eq!(write(&repo, &one, "migrations/000002_users.down.sql", "-- 2\n"), json!({}), "the other half of a pair");
    assert_eq!(write(&repo, &one, "migrations/000002_users.up.sql", "-- 3\n"), json!({}), "the file itself");
    let two = worktree(&repo, "two");
    let answer = write(&repo, &two, "migrations/000002_teams.up.sql", "-- 2\n");
    assert!(denied(&answer).contains("000003_teams.up.sql"), "{answer}");
}

#[test]
fn one_worktrees_own_name_is_not_given_twice() {
    let repo = supabase();
    let one = worktree(&repo, "one");
    std::fs::write(one.join(MIGRATIONS).join("20260428000000_a.sql"), "-- a\n").expect("it can be written");
    let answer = write(&repo, &one, &format!("{MIGRATIONS}/20260428000000_b.sql"), "-- b\n");
    assert!(denied(&answer).contains("20260428000000"), "two of one's own: {answer}");
    assert_eq!(write(&repo, &one, &format!("{MIGRATIONS}/20260428000000_a.sql"), "-- a\n"), json!({}));
}

#[test]
fn what_is_called_free_is_not_ones_own_either() {
    let repo = supabase();
    let (one, two) = (worktree(&repo, "one"), worktree(&repo, "two"));
    std::fs::write(one.join(MIGRATIONS).join("20260428000000_a.sql"), "-- a\n").expect("it can be written");
    std::fs::write(two.join(MIGRATIONS).join("20260428000001_b.sql"), "-- b\n").expect("it can be written");
    repo.git_in(&two, &["add", "--all"], &[]);
    repo.git_in(&two, &["commit", "--quiet", "--message=b"], &[]);
    std::fs::write(two.join(MIGRATIONS).join("20260428000002_c.sql"), "-- c\n").expect("it can be written");
    let answer = write(&repo, &two, &format!("{MIGRATIONS}/20260428000000_d.sql"), "-- d\n");
    assert!(denied(&answer).contains("20260428000003_d.sql"), "{answer}");
}

#[test]
fn a_file_that_may_only_grow_is_not_rewritten() {
    let repo = Repo::new();
    repo.write("gatekeep.toml", "[[protected]]\npaths = [\"docs/ROADMAP.md\"]\nappend-only = true\n");
    repo.write("docs/ROADMAP.md", "# Plan\nfirst\n").commit();
    let one = worktree(&repo, "one");
    let path = one.join("docs/ROADMAP.md");
    let edit = |old: &str, new: &str| {
        let input = json!({ "file_path": path, "old_string": old, "new_string": new });
        answer(&repo, &one, &event(&one, "Edit", &input))
    };
    assert!(denied(&write(&repo, &one, "docs/ROADMAP.md", "mine\n")).contains("docs/ROADMAP.md"));
    assert!(denied(&edit("first", "second")).contains("protected/"));
    assert!(denied(&edit("# Plan\nfirst\n", "")).contains("docs/ROADMAP.md"));
    assert_eq!(write(&repo, &one, "docs/ROADMAP.md", "# Plan\nfirst\nsecond\n"), json!({}));
    assert_eq!(edit("first\n", "first\nsecond\n"), json!({}));
}

#[test]
fn a_file_that_somebody_else_changes_gets_a_warning() {
    let repo = fenced();
    let (one, two) = (worktree(&repo, "one"), worktree(&repo, "two"));
    std::fs::write(one.join("lib/a.ts"), "other\n").expect("it can be written");
    let answer = write(&repo, &two, "lib/a.ts", "mine\n");
    let said = answer["hookSpecificOutput"]["additionalContext"].as_str().expect("a text");
    assert!(said.contains("lib/a.ts") && said.contains("one"), "{said}");
    assert!(answer["hookSpecificOutput"]["permissionDecision"].is_null(), "a warning decides nothing: {answer}");
    assert_eq!(write(&repo, &two, "lib/b.ts", "mine\n"), json!({}));
}

#[test]
fn what_cant_be_judged_is_said_and_stops_nobody() {
    let repo = fenced();
    let top = repo.top();
    for broken in ["{not json", "", "[]", "{}"] {
        let run = hook(&repo, &top, &["claude-code"], broken, "").exits(1);
        assert!(run.stdout.is_empty() && run.stderr.starts_with("gatekeep hook: "), "{run:?}");
        let strict = hook(&repo, &top, &["claude-code", "--strict"], broken, "").exits(0).json();
        assert!(denied(&strict).contains("strict"), "{strict}");
    }
    repo.write("gatekeep.toml", "nonsense = 1\n").commit();
    let input = written(&top, "lib/a.ts", "x\n");
    let run = hook(&repo, &top, &["claude-code"], &input, "").exits(1);
    assert!(run.stderr.contains("nonsense"), "{run:?}");
    denied(&hook(&repo, &top, &["claude-code", "--strict"], &input, "").exits(0).json());
}

#[test]
fn no_mistake_in_the_command_line_blocks_an_agent() {
    let repo = fenced();
    let input = written(&repo.top(), "lib/a.ts", "x\n");
    // 2 is what stops a tool in Claude Code, Codex and Gemini
    for args in [&["clyde"][..], &[], &["claude-code", "--nonsense"], &["claude-code", "--base", "nowhere"]] {
        let run = hook(&repo, &repo.top(), args, &input, "").exits(1);
        assert!(run.stdout.is_empty() && !run.stderr.is_empty(), "{run:?}");
    }
}

#[test]
fn where_nothing_was_agreed_on_nothing_is_said() {
    let plain = Repo::plain();
    assert_eq!(write(&plain, &plain.top(), "ops/x.yml", "x\n"), json!({}));
    let empty = Repo::new();
    empty.write("gatekeep.toml", LANE);
    assert_eq!(
        hook(&empty, &empty.top(), &["claude-code"], &written(&empty.top(), "x", "x\n"), "ps3").exits(0).json(),
        json!({})
    );
    let stop = json!({ "cwd": empty.top(), "hook_event_name": "Stop", "stop_hook_active": false }).to_string();
    assert_eq!(answer(&empty, &empty.top(), &stop), json!({}));
    let repo = fenced();
    let outside = event(&repo.top(), "Write", &json!({ "file_path": repo.beside("temp/x"), "content": "x\n" }));
    assert_eq!(hook(&repo, &repo.top(), &["claude-code"], &outside, "ps3").exits(0).json(), json!({}));
    let up = event(&repo.top(), "Write", &json!({ "file_path": "lib/../../temp/x", "content": "x\n" }));
    assert_eq!(hook(&repo, &repo.top(), &["claude-code"], &up, "ps3").exits(0).json(), json!({}));
}

#[test]
fn an_agent_that_stops_with_an_error_is_sent_back_once() {
    let repo = supabase();
    let one = worktree(&repo, "one");
    let stop = |active: bool| {
        answer(&repo, &one, &json!({ "cwd": one, "hook_event_name": "Stop", "stop_hook_active": active }).to_string())
    };
    assert_eq!(stop(false), json!({}), "nothing was changed");
    // as a shell command makes it, which no edit hook sees
    std::fs::write(one.join(MIGRATIONS).join("20260101000000_again.sql"), "-- x\n").expect("it can be written");
    let answer = stop(false);
    assert_eq!(answer["decision"], "block", "{answer}");
    assert!(answer["reason"].as_str().expect("a reason").contains("20260101000000_again.sql"), "{answer}");
    assert_eq!(stop(true), json!({}));
}

#[test]
fn an_agent_that_stops_is_told_of_a_name_that_another_line_holds() {
    let repo = supabase();
    repo.git(&["switch", "--quiet", "-c", "other"]);
    repo.write(format!("{MIGRATIONS}/20260428000000_a.sql"), "-- a\n").commit();
    repo.git(&["switch", "--quiet", "main"]);
    let stop = |folder: &Path| answer(&repo, folder, &json!({ "cwd": folder, "hook_event_name": "Stop" }).to_string());
    let (one, two) = (worktree(&repo, "one"), worktree(&repo, "two"));
    std::fs::write(one.join(MIGRATIONS).join("20260428000000_b.sql"), "-- b\n").expect("it can be written");
    let answer = stop(&one);
    let why = answer["reason"].as_str().unwrap_or_else(|| panic!("{answer}"));
    assert!(why.contains("`other`") && why.contains(&format!("to `{MIGRATIONS}/20260428000001_b.sql`")), "{why}");
    assert_eq!(stop(&two), json!({}), "what others do to each other is not for this agent to mend");
}

#[cfg(unix)]
#[test]
fn a_path_through_a_link_is_the_file_that_it_leads_to() {
    let repo = fenced();
    let alias = repo.beside("alias");
    std::os::unix::fs::symlink(repo.top(), &alias).expect("a link can be made");
    let through =
        |path: &str| hook(&repo, &alias, &["claude-code"], &written(&alias, path, "x\n"), "ps3").exits(0).json();
    assert!(denied(&through("ops/x.yml")).contains("ops/x.yml"));
    assert_eq!(through("lib/a.ts"), json!({}));
    std::os::unix::fs::symlink("../ops", repo.top().join("lib/ops")).expect("a link can be made");
    assert!(
        denied(&through("lib/ops/x.yml")).contains("ops/x.yml"),
        "a folder that is a link is no way out of the lane"
    );
    std::os::unix::fs::symlink("../ops/x.yml", repo.top().join("lib/x.yml")).expect("a link can be made");
    assert!(denied(&through("lib/x.yml")).contains("ops/x.yml"), "nor is a file that is one");
}

#[test]
fn each_agent_asks_and_is_answered_in_its_own_words() {
    let repo = fenced();
    let top = repo.top();
    let patch = "*** Begin Patch\n*** Update File: ops/x.yml\n@@\n-x\n+y\n*** End Patch\n";
    let file = json!({ "file_path": top.join("ops/x.yml"), "content": "y\n" });
    let cases = [
        (
            "claude-code",
            json!({ "cwd": top, "hook_event_name": "PreToolUse", "tool_name": "Write", "tool_input": file }),
            "/hookSpecificOutput/permissionDecision",
        ),
        (
            "codex",
            json!({ "cwd": top, "hook_event_name": "PreToolUse", "tool_name": "apply_patch", "tool_input": { "command": patch } }),
            "/hookSpecificOutput/permissionDecision",
        ),
        (
            "gemini",
            json!({ "cwd": top, "hook_event_name": "BeforeTool", "tool_name": "write_file", "tool_input": file }),
            "/decision",
        ),
        (
            "cursor",
            json!({ "workspace_roots": [top], "hook_event_name": "preToolUse", "tool_name": "Write", "tool_input": file }),
            "/permission",
        ),
        (
            "copilot",
            json!({ "cwd": top, "toolName": "edit", "toolArgs": json!({ "path": "ops/x.yml", "old_str": "x", "new_str": "y" }).to_string() }),
            "/permissionDecision",
        ),
        (
            "opencode",
            json!({ "tool": "edit", "sessionID": "s", "directory": top, "args": { "filePath": top.join("ops/x.yml"), "oldString": "x", "newString": "y" } }),
            "/decision",
        ),
    ];
    for (agent, event, place) in cases {
        let said = hook(&repo, &top, &[agent], &event.to_string(), "ps3").exits(0).json();
        assert_eq!(said.pointer(place), Some(&json!("deny")), "{agent}: {said}");
        assert!(said.to_string().contains("ops/x.yml"), "{agent}: {said}");
        let inside = event.to_string().replace("ops/x.yml", "lib/a.ts");
        assert_eq!(hook(&repo, &top, &[agent], &inside, "ps3").exits(0).json(), json!({}), "{agent}");
    }
    let read = event(&top, "Read", &json!({ "file_path": top.join("ops/x.yml") }));
    assert_eq!(hook(&repo, &top, &["claude-code"], &read, "ps3").exits(0).json(), json!({}), "reading is no edit");
}
