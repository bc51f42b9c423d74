//! Who may change what, from real repositories.

use std::ffi::OsStr;

use crate::support::Repo;

const LANES: &str = "[lanes]\nunmatched = 'warning'\n\n[agents.ps3]\nbranches = ['agent/ps3/*']\ntrailers = ['Agent: ps3']\n\
    owns = ['lib/university/**', 'supabase/**']\nmay-touch = ['docs/ROADMAP.md']\n\
    bands = { supabase-migrations = '??????????0300..??????????0399' }\n\n\
    [agents.ops]\nbranches = ['agent/ops/*']\nauthors = ['ops-bot']\nowns = ['.github/**']\n";

/// A repository with two lanes on its trunk, and this branch checked out.
fn on(branch: &str) -> Repo {
    let repo = Repo::new();
    repo.write("gatekeep.toml", LANES).write("lib/app.dart", "x\n").write(".github/CODEOWNERS", "/lib/ @org/app\n");
    repo.write("supabase/config.toml", "").write("docs/ROADMAP.md", "# r\n").commit();
    repo.git(&["switch", "--quiet", "--create", branch]);
    repo
}

/// Code and first path of each finding of the change.
fn found(repo: &Repo, args: &[&str], env: &[(&str, &OsStr)]) -> Vec<(String, String)> {
    let args = [&["scan", "--base", "main", "--format", "json"], args].concat();
    let report = repo.run_with(&repo.top(), &args, env).json();
    assert_eq!(report["complete"], true, "{report}");
    let text = |value: &serde_json::Value| value.as_str().expect("a text").to_owned();
    let all = report["findings"].as_array().expect("findings is a list");
    all.iter().map(|one| (text(&one["rule"]), text(&one["sites"][0]["path"]))).collect()
}

fn pair(code: &str, path: &str) -> (String, String) {
    (code.to_owned(), path.to_owned())
}

/// Reports 230 and 232 of the corpus: an agent edits what lies in the scope of another one, or nineteen files where two were meant.
#[test]
fn files_outside_the_lane_are_named_with_their_owner() {
    let repo = on("agent/ps3/x");
    repo.write("lib/university/a.dart", "a\n").write("docs/ROADMAP.md", "# r\nmore\n").commit();
    assert_eq!(found(&repo, &[], &[]), []);
    repo.write("lib/app.dart", "y\n").write(".github/workflows/ci.yml", "name: x\n");
    let outside = [pair("boundary/outside", ".github/workflows/ci.yml"), pair("boundary/outside", "lib/app.dart")];
    assert_eq!(found(&repo, &[], &[]), outside, "uncommitted files count");
    let text = repo.run(&["scan", "--base", "main"]).stdout;
    assert!(text.contains("ops") && text.contains("@org/app"), "whose file it is: {text}");
}

#[test]
fn whoever_a_sign_points_to_judges() {
    let repo = on("fix/typo");
    repo.write("lib/app.dart", "y\n").commit();
    assert_eq!(found(&repo, &[], &[]), [pair("boundary/unknown-agent", "gatekeep.toml")]);
    let ps3 = [("GATEKEEP_AGENT", OsStr::new("ps3"))];
    assert_eq!(found(&repo, &[], &ps3), [pair("boundary/outside", "lib/app.dart")]);
    assert_eq!(found(&repo, &[], &[("GATEKEEP_AGENT", OsStr::new(""))])[0].0, "boundary/unknown-agent");
    repo.run(&["scan", "--base", "main", "--agent", "ps4"]).exits(2);
    assert!(repo.run(&["scan", "--agent", "ps4"]).exits(2).stderr.contains("did you mean `ps3`?"));
    repo.git(&["commit", "--quiet", "--amend", "--message=typo\n\nAgent: ps3"]);
    assert_eq!(found(&repo, &[], &[]), [pair("boundary/outside", "lib/app.dart")]);
    repo.git(&["commit", "--quiet", "--amend", "--message=typo", "--author=ops-bot <o@x>"]);
    assert_eq!(found(&repo, &[], &ps3), [pair("boundary/outside", "lib/app.dart")]);
    let text = repo.run_with(&repo.top(), &["scan", "--base", "main"], &ps3).exits(1).stdout;
    assert!(text.contains("`ps3`") && text.contains("`ops`"), "both lanes judge where signs disagree: {text}");
}

/// Report 233 of the corpus: a folder is no list of files, and report 236: a change of CODEOWNERS alone is looked at all the same.
#[test]
fn folders_are_refused_and_a_change_of_owners_alone_is_judged() {
    let repo = on("agent/ps3/x");
    repo.write("gatekeep.toml", "[agents.ps3]\nowns = ['lib/']\n");
    assert!(repo.run(&["scan"]).exits(2).stderr.contains("`folder/**`"));
    repo.git(&["checkout", "--quiet", "gatekeep.toml"]);
    repo.write(".github/CODEOWNERS", "/lib/ @org/app\n/docs/ @org/docs\n");
    let owners = ".github/CODEOWNERS";
    assert_eq!(found(&repo, &[], &[]), [pair("boundary/outside", owners), pair("gate/changed", owners)]);
}

/// Report 235 of the corpus: CODEOWNERS names owners of everything but itself.
#[test]
fn owners_that_nobody_owns_are_told_of() {
    let repo = on("work");
    let said = |text: &str| {
        repo.write(".github/CODEOWNERS", text);
        let report = repo.run(&["scan", "--base", "main", "--only", "gate", "--format", "json"]).exits(0).json();
        report["findings"][0]["message"].as_str().expect("a text").to_owned()
    };
    let unowned = "nobody owns `.github/CODEOWNERS` itself";
    assert!(said("/lib/ @org/app\n/docs/ @org/docs\n").contains(unowned));
    assert!(!said("/lib/ @org/app\n/.github/ @org/admins\n").contains(unowned));
}

#[test]
fn a_remote_branch_is_its_agents() {
    let repo = on("agent/ps3/x");
    repo.write("lib/app.dart", "y\n").commit();
    repo.git(&["update-ref", "refs/remotes/origin/agent/ps3/x", "HEAD"]);
    repo.git(&["switch", "--quiet", "main"]);
    assert_eq!(found(&repo, &["--head", "origin/agent/ps3/x"], &[]), [pair("boundary/outside", "lib/app.dart")]);
}

#[test]
fn keys_outside_the_band_of_the_lane() {
    let repo = on("agent/ps3/x");
    repo.write("supabase/migrations/20260101000300_in.sql", "").commit();
    assert_eq!(found(&repo, &[], &[]), []);
    repo.write("supabase/migrations/20260101000400_out.sql", "").commit();
    let outside = pair("supabase-migrations/out-of-band", "supabase/migrations/20260101000400_out.sql");
    assert_eq!(found(&repo, &[], &[]), [outside]);
    let text = repo.run(&["scan", "--base", "main"]).exits(1).stdout;
    assert!(text.contains("??????????0300..??????????0399"), "{text}");
}

#[test]
fn a_key_that_was_there_before_is_in_no_band() {
    let repo = on("agent/ps3/x");
    repo.git(&["switch", "--quiet", "main"]);
    let old = "supabase/migrations/20260101000400_old.sql";
    repo.write(old, "select 1;\n").write("kit/supabase/config.toml", "").commit();
    repo.git(&["switch", "--quiet", "--create", "agent/ps3/y"]);
    let bands = |repo: &Repo| {
        let all = found(repo, &["--only", "supabase-migrations"], &[]);
        all.into_iter().filter(|(code, _)| code.ends_with("out-of-band")).map(|(_, path)| path).collect::<Vec<_>>()
    };
    for new in ["supabase/migrations/20260101000400_new.sql", "kit/supabase/migrations/20260101000400_old.sql"] {
        repo.remove(old).write(new, "select 2;\n");
        assert_eq!(bands(&repo), [""; 0], "{new}");
        repo.git(&["reset", "--quiet", "--hard"]);
        repo.git(&["clean", "--quiet", "-fd"]);
    }
    // the trunk has it by now, or it stays where it is as well
    repo.write("supabase/migrations/20260101000400_twin.sql", "select 2;\n");
    assert_eq!(bands(&repo), [""; 0]);
    repo.write("kit/supabase/migrations/20260101000400_old.sql", "select 1;\n");
    assert_eq!(bands(&repo), ["kit/supabase/migrations/20260101000400_old.sql"]);
}

#[test]
fn a_band_of_numbers_counts_no_zeros() {
    let repo = Repo::new();
    let lanes = "[agents.a]\nbranches = ['a/*']\nowns = ['**']\nbands = { golang-migrate = '0100..0199' }\n";
    repo.write("gatekeep.toml", lanes).write("db/000001_a.up.sql", "").write("db/000001_a.down.sql", "");
    repo.write("go.mod", "require github.com/golang-migrate/migrate/v4 v4.17.0\n").commit();
    repo.git(&["switch", "--quiet", "--create", "a/x"]);
    for (name, is_in) in [("000150_b", true), ("150_b", true), ("000200_b", false), ("10150_b", false)] {
        repo.write(format!("db/{name}.up.sql"), "").write(format!("db/{name}.down.sql"), "");
        let all = found(&repo, &[], &[]);
        let outside = all.iter().any(|(code, _)| code == "golang-migrate/out-of-band");
        assert_eq!(outside, !is_in, "{name}: {all:?}");
        repo.remove(&format!("db/{name}.up.sql")).remove(&format!("db/{name}.down.sql"));
    }
}

#[test]
fn two_lanes_that_own_one_file() {
    let repo = Repo::new();
    repo.write("gatekeep.toml", "[agents.a]\nowns = ['lib/**']\n[agents.b]\nowns = ['lib/ui/**']\n");
    repo.write("lib/ui/x.ts", "x\n").write("lib/y.ts", "y\n");
    let report = repo.run(&["scan", "--format", "json"]).exits(0).json();
    assert_eq!(report["findings"][0]["rule"], "boundary/overlap");
    assert_eq!(report["findings"][0]["sites"].as_array().map(Vec::len), Some(1));
}
