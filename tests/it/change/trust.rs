//! Where policy comes from, case by case (design, section 11).

use crate::support::Repo;

/// A repository whose base has this configuration, and a branch `work`.
fn judged_by(config: &str) -> Repo {
    let repo = Repo::new();
    repo.write("gatekeep.toml", config).write("a.txt", "a\n").commit();
    repo.git(&["switch", "--quiet", "--create", "work"]);
    repo
}

fn codes(repo: &Repo, args: &[&str]) -> Vec<String> {
    let report = repo.run(&[&["scan", "--base", "main", "--format", "json"], args].concat()).json();
    let findings = report["findings"].as_array().expect("findings is a list");
    findings
        .iter()
        .map(|found| {
            format!("{} {}", found["severity"].as_str().expect("a text"), found["rule"].as_str().expect("a text"))
        })
        .collect()
}

#[test]
fn a_change_can_not_allow_itself_anything() {
    let repo = judged_by("[rules]\n'supabase-migrations' = 'error'\n");
    repo.collision().write("gatekeep.toml", "[rules]\n'supabase-migrations' = 'off'\ngate = 'off'\n").commit();
    let found = codes(&repo, &[]);
    assert!(found.contains(&"error supabase-migrations/duplicate".into()), "{found:?}");
    assert!(found.contains(&"error gate/changed".into()), "{found:?}");
}

#[test]
fn policy_is_read_from_the_base_and_the_report_says_so() {
    let repo = judged_by("fail-on = 'error'\n");
    repo.write("a.txt", "b\n").commit();
    let report = repo.run(&["scan", "--base", "main", "--format", "json"]).json();
    assert_eq!(report["policy"]["from"], "base");
    assert_eq!(report["policy"]["commit"], repo.git(&["rev-parse", "main"]).trim());
    let report = repo.run(&["scan", "--format", "json"]).json();
    assert_eq!(report["policy"]["from"], "working-tree");
}

#[test]
fn the_change_that_adopts_gatekeep_is_judged_by_the_built_in_rules() {
    let repo = Repo::new();
    repo.write("a.txt", "a\n").commit();
    repo.git(&["switch", "--quiet", "--create", "work"]);
    repo.write("gatekeep.toml", "[rules]\n'supabase-migrations' = 'off'\n").collision().commit();
    assert_eq!(codes(&repo, &[]), ["error supabase-migrations/duplicate", "note gate/changed"]);
    repo.write("gatekeep.toml", "rulez = 1\n").commit();
    assert!(codes(&repo, &[]).contains(&"error gate/changed".into()), "one that can't be used");
}

#[test]
fn a_change_mends_a_configuration_that_can_not_be_used() {
    let repo = judged_by("rulez = 1\n");
    repo.write("a.txt", "b\n").commit();
    repo.run(&["scan", "--base", "main"]).exits(2);
    repo.write("gatekeep.toml", "[rules]\n").commit();
    let report = repo.run(&["scan", "--base", "main", "--format", "json"]).exits(0).json();
    assert_eq!(report["policy"]["from"], "built-in");
    assert_eq!(codes(&repo, &[]), ["warning gate/changed"]);
    assert_eq!(codes(&repo, &["--head", "work"]), ["warning gate/changed"]);
    repo.write("gatekeep.toml", "rulez = 2\n").commit();
    repo.run(&["scan", "--base", "main"]).exits(2);
}

#[test]
fn a_change_mends_a_configuration_in_the_index_too() {
    let repo = judged_by("rulez = 1\n");
    repo.write("a.txt", "b\n").git(&["add", "--all"]);
    repo.run(&["scan", "--staged"]).exits(2);
    repo.write("gatekeep.toml", "[rules]\n").git(&["add", "--all"]);
    repo.write("gatekeep.toml", "rulez = 3\n");
    let run = repo.run(&["scan", "--staged", "--format", "json"]).exits(0);
    assert_eq!(run.codes(), ["gate/changed"], "the index counts, not what lies beside it");
    assert_eq!(run.json()["policy"]["from"], "built-in");
    repo.git(&["add", "--all"]);
    repo.run(&["scan", "--staged"]).exits(2);
}

/// What a change that can't be mended would leave behind, for each part of the policy.
#[test]
fn a_policy_that_can_not_be_used_once_merged_is_an_error() {
    let rule = "schema = 1\nid = 'goose'\nsummary = 's'\nseverity = 'error'\n[[claim]]\npath = 'a/(?<key>[0-9]+)'\n\
        compare = 'text'\norder = 'text'\n[policy]\nunique = true\n";
    for (file, text, why) in [
        ("gatekeep.toml", "[rules]\nnone = 'off'\n", "no rule has the id or code `none`"),
        ("gatekeep.toml", "[[budget]]\nagents = ['x']\nfiles = 1\n", "no lane is called `x`"),
        (".gatekeep/config.toml", "", "two configurations"),
        (".gatekeep/rules/own.toml", rule, "another rule has the id `goose`"),
        (".gatekeep/baseline.json", "{}", "baseline.json"),
    ] {
        let repo = judged_by("");
        repo.write(file, text).commit();
        for args in [&["--head", "work"][..], &[]] {
            let report = repo.run(&[&["scan", "--base", "main", "--format", "json"], args].concat()).exits(1).json();
            let found = &report["findings"][0];
            let message = found["message"].as_str().expect("a text");
            assert_eq!(report["findings"].as_array().map(Vec::len), Some(1), "{report}");
            assert!(found["rule"] == "gate/changed" && message.contains(why), "{file}: {message}");
        }
    }
}

#[test]
fn a_configuration_of_the_command_line_that_lies_in_the_repository_is_the_trunks() {
    let repo = Repo::new();
    repo.write("ci/gate.toml", "[rules]\n'supabase-migrations' = 'error'\n").write("a.txt", "a\n").commit();
    repo.git(&["switch", "--quiet", "--create", "work"]);
    repo.write("ci/gate.toml", "[rules]\n'supabase-migrations' = 'off'\n").collision().commit();
    let wanted = ["error gate/changed", "error supabase-migrations/duplicate"];
    let absolute = repo.top().join("ci/gate.toml");
    for config in ["ci/gate.toml", "./docs/../ci/gate.toml", absolute.to_str().expect("UTF-8")] {
        assert_eq!(codes(&repo, &["--config", config]), wanted, "{config}");
    }
    let outside = repo.beside("gate.toml");
    std::fs::write(&outside, "[rules]\n'supabase-migrations' = 'off'\n").expect("it can be written");
    assert_eq!(codes(&repo, &["--config", outside.to_str().expect("UTF-8")]), [""; 0], "a file of whoever runs it");
}

#[cfg(unix)]
#[test]
fn a_link_in_the_place_of_a_configuration_of_the_command_line_is_not_followed() {
    let repo = Repo::new();
    repo.write("ci/gate.toml", "[rules]\n'supabase-migrations' = 'error'\n").write("a.txt", "a\n").commit();
    repo.git(&["switch", "--quiet", "--create", "work"]);
    repo.write("ci/mine.toml", "[rules]\n'supabase-migrations' = 'off'\n").collision();
    let outside = repo.beside("mine.toml");
    std::fs::write(&outside, "[rules]\n'supabase-migrations' = 'off'\n").expect("it can be written");
    for target in [outside, "mine.toml".into(), "/dev/null".into()] {
        repo.remove("ci/gate.toml");
        std::os::unix::fs::symlink(&target, repo.top().join("ci/gate.toml")).expect("the link is new");
        let wanted = ["error gate/changed", "error supabase-migrations/duplicate"];
        assert_eq!(codes(&repo, &["--config", "ci/gate.toml"]), wanted, "{}", target.display());
    }
}

#[cfg(unix)]
#[test]
fn no_part_of_the_policy_is_read_through_a_link() {
    let links = [
        ("gatekeep.toml", "other/config.toml"),
        (".gatekeep", "other"),
        (".gatekeep/config.toml", "../other/config.toml"),
        (".gatekeep/baseline.json", "../other/baseline.json"),
        (".gatekeep/rules", "../other/rules"),
        (".gatekeep/rules/own.toml", "../../other/config.toml"),
    ];
    for (link, target) in links {
        let make = |repo: &Repo| {
            let path = repo.top().join(link);
            std::fs::create_dir_all(path.parent().expect("it lies in a folder")).expect("it can be made");
            std::os::unix::fs::symlink(target, path).expect("the link is new");
        };
        let new = || {
            let repo = Repo::new();
            repo.write("other/config.toml", "fail-on = 'never'\n").write("other/rules/x", "");
            repo.write("other/baseline.json", "{\"schema\":1,\"findings\":[]}").write("a.txt", "a\n");
            repo
        };
        let base = new();
        make(&base);
        base.commit();
        base.git(&["switch", "--quiet", "--create", "work"]);
        base.write("a.txt", "b\n").commit();
        for args in [
            &["scan"][..],
            &["scan", "--base", "main"],
            &["scan", "--head", "work", "--base", "main"],
            &["scan", "--staged"],
        ] {
            let refused = base.run(args).exits(2).stderr;
            assert!(refused.contains(&format!("`{link}` is no regular file")), "{link} {args:?}: {refused}");
        }
        let head = new();
        head.commit();
        head.git(&["switch", "--quiet", "--create", "work"]);
        make(&head);
        head.git(&["add", "--all"]);
        let run = head.run(&["scan", "--staged", "--format", "json"]).exits(1);
        assert_eq!(run.codes(), ["gate/changed"], "{link}");
        head.commit();
        assert_eq!(codes(&head, &[]), ["error gate/changed"], "{link}");
        assert_eq!(codes(&head, &["--head", "work"]), ["error gate/changed"], "{link}");
    }
}

#[test]
fn a_lane_that_only_the_change_has_can_be_named() {
    let repo = Repo::new();
    repo.write("a.txt", "a\n").commit();
    repo.git(&["switch", "--quiet", "--create", "work"]);
    repo.write("gatekeep.toml", "[agents.ps3]\nowns = ['lib/**']\n").commit();
    assert_eq!(codes(&repo, &["--agent", "ps3"]), ["note gate/changed"]);
    repo.run(&["scan", "--agent", "ps4"]).exits(2);
    repo.git(&["switch", "--quiet", "--create", "next"]);
    repo.write("b.txt", "b\n").commit();
    let args = ["scan", "--base", "work", "--agent"];
    repo.run(&[&args[..], &["ps4"]].concat()).exits(2);
    repo.run(&[&args[..], &["ps3"]].concat()).exits(1);
}

#[test]
fn a_detached_head_is_not_silently_nobodys() {
    let repo = judged_by("[agents.ps3]\nbranches = ['work']\nowns = ['lib/**']\n");
    repo.write("a.txt", "b\n").commit();
    repo.git(&["switch", "--quiet", "--detach"]);
    let told = || {
        let report = repo.run(&["scan", "--base", "main", "--format", "json"]).json();
        let skipped = report["skipped"].as_array().expect("a list").clone();
        skipped
            .iter()
            .filter(|one| one["what"].as_str().is_some_and(|what| what.contains("no branch is known")))
            .count()
    };
    assert_eq!((codes(&repo, &[]), told()), (vec!["error boundary/outside".to_owned()], 0), "one branch points here");
    repo.git(&["branch", "--quiet", "--delete", "--force", "work"]);
    assert_eq!((codes(&repo, &[]), told()), (Vec::new(), 1));
}

#[test]
fn an_allowance_that_the_change_adds_suppresses_nothing() {
    let repo = judged_by("");
    repo.collision()
        .write("supabase/migrations/1_b.sql", "-- gatekeep: allow supabase-migrations/duplicate -- mine\n")
        .commit();
    assert_eq!(codes(&repo, &[]), ["error gate/changed", "error supabase-migrations/duplicate"]);
}

#[test]
fn the_index_is_judged_by_head() {
    let repo = judged_by("");
    repo.write("gatekeep.toml", "[rules]\ngate = 'off'\n");
    repo.git(&["add", "--all"]);
    let report = repo.run(&["scan", "--staged", "--format", "json"]).exits(1).json();
    assert_eq!(report["findings"][0]["rule"], "gate/changed");
}
