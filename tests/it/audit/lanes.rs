//! Who changed what outside their lane, by the signs that history keeps.

use gatekeep::report::audit::json;
use serde_json::{Value, json};

use super::history::Past;

const LANES: &str = r#"
[agents.ops]
trailers = ["Agent: ops"]
owns = [".github/**"]

[agents.ps3]
branches = ["agent/ps3/*"]
authors = ["Agent PS3", "*@ps3.example"]
owns = ["lib/ps3/**"]
may-touch = ["docs/roadmap.md"]
never = ["lib/ps3/frozen"]

[agents.ps4]
branches = ["agent/ps4/*"]
authors = ["Agent PS4"]
owns = ["lib/ps4/**"]
"#;

impl Past {
    /// A trunk with lanes, and a file in each.
    fn with_lanes() -> Self {
        let past = Self::new();
        past.write("gatekeep.toml", LANES).write("lib/ps3/frozen", "").write("lib/ps4/moved", "moved");
        past.by("Agent PS4 <a@b>", 1, "Begin");
        past
    }

    /// Commits all that is there in somebody's name; the commit's id.
    fn by(&self, author: &str, day: u64, message: &str) -> String {
        self.git(&["add", "--all"]);
        self.on(day, &["commit", "--quiet", "--author", author, "--message", message]);
        self.git(&["rev-parse", "HEAD"]).trim().to_owned()
    }

    /// Merges a branch into the trunk with this subject; the merge commit's id.
    fn merge_as(&self, day: u64, branch: &str, subject: &str) -> String {
        self.git(&["checkout", "--quiet", "main"]);
        self.on(day, &["merge", "--quiet", "--no-ff", "--message", subject, branch]);
        self.git(&["rev-parse", "HEAD"]).trim().to_owned()
    }

    /// What lay outside, each as commit, agent and files.
    fn outside(&self, args: &[&str]) -> Value {
        let audit = self.audit(&[&["--format", "json"], args].concat()).exits(0).json();
        let found = audit["outside"].as_array().expect("a list").iter().map(|one| {
            let files = one["files"].as_array().expect("a list").iter().map(|file| {
                let never = if file["never"] == true { " never" } else { "" };
                format!("{}{never} {}", file["path"].as_str().expect("a path"), file["owners"])
            });
            json!([one["commit"], one["agent"], files.collect::<Vec<_>>()])
        });
        found.collect()
    }
}

const PERSON: &str = "Jo <jo@example.org>";
const PS3: &str = "Agent PS3 <a@b>";

#[test]
fn a_merge_is_the_work_of_the_branch_that_its_subject_names() {
    let past = Past::with_lanes();
    past.branch("agent/ps3/x").write("lib/ps3/a", "").write("lib/ps3/frozen", "x").write("docs/roadmap.md", "");
    past.git(&["mv", "lib/ps4/moved", "lib/ps3/moved"]);
    past.by(PERSON, 2, "Work");
    let first = past.merge_as(3, "agent/ps3/x", "Merge branch 'agent/ps3/x'");
    past.branch("agent/ps4/y").write("lib/ps4/y", "").write("lib/app", "");
    past.by(PERSON, 4, "More");
    let second = past.merge_as(5, "agent/ps4/y", "Merge pull request #7 from org/agent/ps4/y");
    past.branch("topic").write("lib/ps3/b", "").write("lib/ps4/b", "");
    past.by(PERSON, 6, "A person's");
    past.merge_as(7, "topic", "Merge branch 'topic'");
    let expected = json!([
        [second, "ps4", ["lib/app []"]],
        [first, "ps3", ["lib/ps3/frozen never [\"ps3\"]", "lib/ps4/moved [\"ps4\"]"]],
    ]);
    assert_eq!(past.outside(&[]), expected);
}

#[test]
fn in_a_merge_without_a_name_each_answers_for_the_commits_that_bear_their_sign() {
    let past = Past::with_lanes();
    past.branch("release").write(".github/ci.yml", "").write("lib/ps4/c", "");
    past.by(PERSON, 2, "A person's");
    past.write("lib/ps3/d", "").write("lib/app", "").write("lib/undone", "");
    past.by(PS3, 3, "An agent's");
    past.write(".github/cd.yml", "");
    past.by(PERSON, 3, "Deploy\n\nAgent: ops");
    past.git(&["rm", "--quiet", "lib/undone"]);
    past.by(PERSON, 4, "Undo");
    let merge = past.merge_as(5, "release", "Release 2");
    assert_eq!(past.outside(&[]), json!([[merge, "ps3", ["lib/app []"]]]));
}

#[test]
fn a_squash_is_the_work_of_all_who_helped_and_counts_against_none_of_whom_one_was_allowed_to() {
    let past = Past::with_lanes();
    past.write("lib/ps4/e", "");
    let squash = past.by(PERSON, 2, "Squash (#8)\n\n* a\n* b\n\nCo-authored-by: Bot <BOT@ps3.example>");
    past.write(".github/x", "");
    past.by(PERSON, 3, "Deploy\n\nAgent: ops");
    past.write("lib/ps3/f", "").write("lib/ps4/f", "");
    past.by("Agent PS4 <a@b>", 4, "Together\n\nCo-authored-by: Agent PS3 <a@b>");
    past.write("lib/ps3/g", "").write("lib/ps4/g", "");
    past.by(PERSON, 5, "A person's");
    assert_eq!(past.outside(&[]), json!([[squash, "ps3", ["lib/ps4/e [\"ps4\"]"]]]));
    let recent = past.repo.run(&["audit", "--since", &past.since(3), "--format", "json"]).exits(0).json();
    assert_eq!(recent["outside"], json!([]), "the squash is older");
}

#[test]
fn people_read_a_block_for_each_agent() {
    let past = Past::with_lanes();
    let mut commits = Vec::new();
    for day in 2..9 {
        (0..day).for_each(|at| {
            past.write(&format!("lib/ps4/{day}-{at}"), "");
        });
        commits.push(past.by(PS3, day, &format!("Day {day}\u{1b}[31m")));
    }
    let text = past.audit(&[]).exits(0).stdout;
    let day = |at: usize| &commits[at - 2][..9];
    assert!(text.starts_with("Outside their lane\n\nps3: 35 files in 7 commits\n  2026-01-08  "), "{text}");
    let four = format!(
        "  2026-01-04  {}  Day 4\\x1b[31m\n    by `Agent PS3`, who wrote a commit\n    lib/ps4/4-0 (belongs to ps4)\n    \
         lib/ps4/4-1 (belongs to ps4)\n    lib/ps4/4-2 (belongs to ps4)\n    lib/ps4/4-3 (belongs to ps4)\n  \
         and 2 more; --verbose shows them all\n\n",
        day(4)
    );
    assert!(text.contains(&four), "{text}");
    assert!(text.contains("lib/ps4/5-3 (belongs to ps4)\n    and 1 more; --verbose shows them all\n"), "{text}");
    assert!(text.contains("\n\nNo commit brought in a collision\nLooked back"), "{text}");
    let whole = past.audit(&["--verbose"]).exits(0).stdout;
    assert!(whole.contains(day(2)) && whole.contains("lib/ps4/8-7") && !whole.contains("more;"), "{whole}");
    let quiet = past.audit(&["--quiet"]).exits(0).stdout;
    assert!(text.starts_with(&quiet) && quiet.ends_with("them all\n\n"), "{quiet}");
}

#[test]
fn without_lanes_or_without_the_rule_nothing_is_said() {
    let past = Past::with_lanes();
    assert!(past.audit(&[]).exits(0).stdout.contains("\nNo agent left its lane\n"));
    past.write("lib/app", "");
    past.by(PS3, 2, "Outside");
    assert_eq!(past.outside(&[])[0][1], "ps3");
    assert_eq!(past.outside(&["--only", "boundary"])[0][1], "ps3");
    for args in [&["--no-config"][..], &["-A", "boundary/outside"], &["--only", "adr-numbers"]] {
        assert_eq!(past.outside(args), json!([]), "{args:?}");
        let text = past.audit(args).exits(0).stdout;
        assert!(!text.contains("lane") && text.contains("All clear"), "{text}");
    }
}

#[test]
fn json_with_lanes_fits_the_schema_and_says_what_points_to_each() {
    let past = Past::with_lanes();
    past.branch("agent/ps3/x").write("lib/app", "");
    past.by(PERSON, 2, "Work");
    let merge = past.merge_as(3, "agent/ps3/x", "Merge branch 'agent/ps3/x'");
    let audit = past.audit(&["--format", "json"]).exits(0).json();
    let parent = past.git(&["rev-parse", "HEAD^1"]);
    let expected = json!([{
        "commit": merge,
        "parent": parent.trim(),
        "date": "2026-01-03T12:00:00Z",
        "subject": "Merge branch 'agent/ps3/x'",
        "agent": "ps3",
        "by": "its branch `agent/ps3/x`",
        "files": [{"path": "lib/app", "never": false, "owners": []}],
    }]);
    assert_eq!(audit["outside"], expected);
    let schema = jsonschema::draft202012::new(&json::schema()).expect("it is a schema");
    assert!(schema.is_valid(&audit));
}

#[test]
fn who_made_what_a_shallow_clone_does_not_hold_is_no_all_clear() {
    let past = Past::with_lanes();
    past.branch("topic").write("a", "");
    past.by(PERSON, 2, "One");
    past.write("b", "");
    past.by(PERSON, 3, "Two");
    past.merge_as(4, "topic", "Topic");
    let (url, shallow) = (format!("file://{}", past.repo.top().display()), past.repo.beside("shallow"));
    past.git(&["clone", "--quiet", "--depth", "2", &url, shallow.to_str().expect("UTF-8")]);
    let run = past.repo.run_in(&shallow, &["audit", "--since", &past.since(4)]).exits(3);
    assert!(run.stdout.contains("who changed what at ") && run.stdout.contains("--unshallow"), "{}", run.stdout);
    assert!(!run.stdout.contains("No agent left its lane"), "{}", run.stdout);
    past.repo.run_in(&shallow, &["audit", "--since", &past.since(4), "-A", "boundary/outside"]).exits(0);
}
