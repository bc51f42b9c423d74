//! The lanes that `gatekeep init` learns.

use crate::support::Repo;

/// A trunk to which two agents' branches were merged, one of them squashed, and a branch that is not merged yet.
fn fleet() -> Repo {
    let repo = Repo::new();
    repo.files(&["lib/app.dart", "docs/roadmap.md"]).commit();
    let work = |branch: &str, files: &[&str]| {
        repo.git(&["checkout", "--quiet", "-b", branch, "main"]);
        files.iter().for_each(|file| {
            repo.write(file, branch);
        });
        repo.commit();
        repo.git(&["checkout", "--quiet", "main"]);
    };
    for (branch, file) in [("agent/ps3/a", "lib/university/a.dart"), ("agent/ps3/b", "lib/university/b.dart")] {
        work(branch, &[file, "docs/roadmap.md"]);
        repo.git(&["merge", "--quiet", "--no-ff", "--no-edit", "-X", "theirs", branch]);
        repo.git(&["branch", "--quiet", "-D", branch]);
    }
    work("agent/ps4/x", &["lib/mail/x.dart", "docs/roadmap.md"]);
    work("y", &["lib/mail/y.dart", "lib/mail/z.dart"]);
    repo.git(&["update-ref", "refs/remotes/origin/agent/ps4/y", "y"]);
    repo.git(&["branch", "--quiet", "-D", "y"]);
    work("joe/one", &["lib/app.dart"]);
    for at in ["1", "2", "3"] {
        repo.write(format!("site/{at}.html"), "");
        repo.git(&["add", "--all"]);
        repo.git(&["commit", "--quiet", "--author", "Claude <noreply@anthropic.com>", "--message", "Page"]);
    }
    repo
}

const LANES: &str = "
#
# [agents.claude]
# # seen on: 0 branches, 3 commits, 3 files
# authors = [\"Claude\"]
# owns = [\"site/**\"]
#
# [agents.ps3]
# # seen on: 2 branches, 2 commits, 3 files
# branches = [\"agent/ps3/*\"]
# owns = [\"lib/university/**\"]
# may-touch = [\"docs/roadmap.md\"]
#
# [agents.ps4]
# # seen on: 2 branches, 2 commits, 4 files
# branches = [\"agent/ps4/*\"]
# owns = [\"lib/mail/**\"]
# may-touch = [\"docs/roadmap.md\"]
";

#[test]
fn agents_that_were_at_work_are_proposed_as_lanes_behind_comment_signs() {
    let repo = fleet();
    let before = repo.run(&["scan"]).exits(0);
    let run = repo.run(&["init"]).exits(0);
    let said =
        "\nAgents seem to be at work: claude, ps3, ps4. The file proposes a lane for each, behind comment signs.\n";
    assert!(run.stdout.contains(said), "{}", run.stdout);
    let written = repo.read("gatekeep.toml");
    let (words, lanes) = written.split_at(written.find("\n#\n# [agents").expect("lanes are proposed"));
    assert_eq!(lanes, LANES);
    assert!(words.ends_with("what would have failed until today."), "{words}");
    assert!(words.contains("from 4 branches and 5 commits of the trunk in the last 90 days"), "{words}");
    assert_eq!(repo.run(&["scan"]), before, "it changes nothing");

    let uncommented: String =
        lanes.lines().map(|line| line.strip_prefix("# ").unwrap_or_default().to_owned() + "\n").collect();
    repo.write("gatekeep.toml", words.to_owned() + "\n" + &uncommented);
    repo.commit();
    let audit = repo.run(&["audit"]).exits(0).stdout;
    assert!(audit.contains("\nNo agent left its lane\n"), "{audit}");
    repo.git(&["checkout", "--quiet", "-b", "agent/ps3/c"]);
    repo.write("lib/mail/x.dart", "mine").commit();
    let scan = repo.run(&["scan", "--base", "main", "--format", "json"]).exits(1);
    assert_eq!(scan.codes(), ["boundary/outside"]);
}

#[test]
fn where_only_people_work_nothing_is_proposed() {
    let repo = Repo::new();
    repo.files(&["a"]).commit();
    for branch in ["feature/a", "feature/b", "joe/c", "agent/once/d"] {
        repo.git(&["checkout", "--quiet", "-b", branch, "main"]);
        repo.write(branch, "").commit();
    }
    let run = repo.run(&["init", "--dry-run"]).exits(0);
    assert!(!run.stdout.contains("agents.") && !run.stdout.contains("Agents"), "{}", run.stdout);
}

#[test]
fn a_history_that_can_not_be_read_is_told_and_stops_nobody() {
    let repo = Repo::new();
    repo.write("gatekeep.toml", "base = \"nowhere\"\n").commit();
    let run = repo.run(&["init", "--dry-run"]).exits(0);
    assert!(run.stdout.contains("\nLanes could not be learned from the history: "), "{}", run.stdout);
    assert!(run.stdout.contains("nowhere") && run.stdout.contains("fail-on = \"error\""), "{}", run.stdout);
}
