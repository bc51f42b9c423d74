//! init, demo, completions, man and help.

use std::ffi::OsStr;

use crate::support::Repo;

#[test]
fn init_says_what_lives_here_and_writes_a_configuration_that_changes_nothing() {
    let repo = Repo::new();
    repo.collision();
    let before = repo.run(&["scan"]).exits(1);
    let dry = repo.run(&["init", "--dry-run"]).exits(0);
    assert!(dry.stdout.contains("supabase-migrations  supabase/migrations  1 name in 2 files\n"), "{}", dry.stdout);
    assert!(dry.stdout.contains("supabase-migrations  1 error\n"), "{}", dry.stdout);
    assert!(!repo.top().join("gatekeep.toml").exists());

    let run = repo.run_in(&repo.top().join("supabase"), &["init"]).exits(0);
    assert!(run.stdout.ends_with("\nWrote gatekeep.toml.\n"), "{}", run.stdout);
    let written = repo.read("gatekeep.toml");
    assert!(dry.stdout.ends_with(&written));
    assert_eq!(repo.run(&["scan"]), before);

    repo.write("gatekeep.toml", "fail-on = \"never\"\n");
    let run = repo.run(&["init"]).exits(0);
    assert!(run.stdout.contains("gatekeep.toml exists already"), "{}", run.stdout);
    assert_eq!(repo.read("gatekeep.toml"), "fail-on = \"never\"\n");
    repo.run(&["init", "--force"]).exits(0);
    assert_eq!(repo.read("gatekeep.toml"), written);
}

#[test]
fn init_takes_the_trunk_from_the_remote_and_replaces_the_file_that_is_there() {
    let repo = Repo::new();
    repo.write(".gatekeep/config.toml", "").commit();
    repo.git(&["update-ref", "refs/remotes/origin/trunk", "HEAD"]);
    repo.git(&["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk"]);
    let run = repo.run(&["init", "--force"]).exits(0);
    assert!(run.stdout.starts_with("No rule found names"), "{}", run.stdout);
    assert!(repo.read(".gatekeep/config.toml").contains("\nbase = \"origin/trunk\"\n"));
    assert!(!repo.top().join("gatekeep.toml").exists());
    let plain = Repo::plain();
    plain.collision().run(&["init"]).exits(0);
    assert!(plain.read("gatekeep.toml").contains("\n# base = "));
}

#[test]
fn the_demo_shows_what_git_merged_in_silence_and_leaves_nothing_behind() {
    let repo = Repo::plain();
    // Whatever the caller's git is set to, the demo has its own.
    let env = [("GIT_DIR", OsStr::new("/nowhere")), ("GIT_INDEX_FILE", OsStr::new("/nowhere"))];
    let run = repo.run_with(&repo.top(), &["demo"], &env).exits(0);
    assert!(run.stdout.contains("\ngit has now merged 12 branches without a conflict"), "{}", run.stdout);
    assert!(run.stdout.contains("\nerror[supabase-migrations/duplicate]\n"), "{}", run.stdout);
    assert!(run.stdout.contains("version 20260428000000 is taken by 4 files"), "{}", run.stdout);
    assert_eq!(run.stderr, "");
    assert_eq!(std::fs::read_dir(repo.beside("temp")).expect("it is there").count(), 0);
    assert_eq!(repo.run(&["demo"]), run, "every demo is the same");
}

#[test]
fn the_demo_can_be_kept_and_its_repository_is_an_ordinary_one() {
    let repo = Repo::plain();
    let run = repo.run(&["demo", "--keep"]).exits(0);
    let path = run.stdout.lines().last().and_then(|line| line.strip_prefix("The repository is in ")).expect("it says");
    let folder = std::path::Path::new(path);
    assert_eq!(repo.git_in(folder, &["status", "--porcelain"], &[]), "");
    assert_eq!(repo.git_in(folder, &["rev-list", "--count", "--merges", "HEAD"], &[]), "12\n");
    repo.git_in(folder, &["fsck", "--strict"], &[]);
    // what the demo said before the merge is what a scan says after it
    let scan = repo.run_in(folder, &["scan", "--format", "json"]).exits(1);
    let codes = scan.codes();
    assert!(codes.contains(&"supabase-migrations/duplicate".to_owned()), "{codes:?}");
    assert!(codes.iter().all(|code| run.stdout.contains(&format!("[{code}]"))), "{codes:?}");
    let audit = repo.run_in(folder, &["audit", "--since", "all"]).exits(0);
    assert!(audit.stdout.contains("supabase-migrations/duplicate"), "{}", audit.stdout);
}

#[test]
fn the_demo_says_when_there_is_no_git() {
    let repo = Repo::plain();
    let empty = repo.beside("home");
    let run = repo.run_with(&repo.top(), &["demo"], &[("PATH", empty.as_os_str())]).exits(2);
    assert_eq!(run.stderr, "error: the program `git` was not found\nhelp: install git, or add its folder to PATH\n");
}

#[test]
fn every_shell_gets_completions() {
    let repo = Repo::plain();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let run = repo.run(&["completions", shell]).exits(0);
        assert!(run.stdout.contains("allow-incomplete"), "{shell}");
    }
    repo.run(&["completions", "cmd"]).exits(2);
}

#[test]
fn the_manual_page_covers_every_command() {
    let page = Repo::plain().run(&["man"]).exits(0).stdout;
    assert!(page.contains("\n.TH gatekeep 1 "), "{page}");
    for title in ["SCAN", "DEMO", "INIT", "BASELINE", "RULES", "RULES TEST", "COMPLETIONS", "MAN"] {
        assert!(page.contains(&format!("\n.SH \"GATEKEEP {title}\"\n")), "{title}");
    }
    assert!(page.contains("\n.SH \"EXIT STATUS\"\n"));
}

#[test]
fn every_command_has_a_help_that_fits_a_terminal() {
    let repo = Repo::plain();
    let commands: [&[&str]; 12] = [
        &[],
        &["scan"],
        &["demo"],
        &["init"],
        &["baseline"],
        &["rules"],
        &["rules", "list"],
        &["rules", "explain"],
        &["rules", "test"],
        &["rules", "schema"],
        &["completions"],
        &["man"],
    ];
    for command in commands {
        let long = repo.run(&[command, &["--help"]].concat()).exits(0).stdout;
        assert!(long.lines().all(|line| line.chars().count() <= 100), "{long}");
        assert!(!long.contains("TODO") && long.contains("Usage: gatekeep"), "{long}");
        repo.run(&[command, &["-h"]].concat()).exits(0);
    }
    let version = repo.run(&["--version"]).exits(0).stdout;
    assert_eq!(version, format!("gatekeep {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn no_two_findings_propose_the_same_name() {
    let repo = Repo::new();
    let folder = "supabase/migrations";
    repo.files(&["supabase/config.toml"]);
    for name in ["20260101000000_a", "20260101000000_b", "20260102000059_c", "20260102000059_d"] {
        repo.write(format!("{folder}/{name}.sql"), "");
    }
    let report = repo.run(&["scan", "--format", "json"]).exits(1).json();
    let to = |at: usize| report["findings"][at]["fix"]["renames"][0]["to"].clone();
    assert_eq!(to(0), format!("{folder}/20260102000100_b.sql"));
    assert_eq!(to(1), format!("{folder}/20260102000101_d.sql"));
}

#[test]
fn lines_deep_in_a_large_file_are_right() {
    let repo = Repo::new();
    let mut xml = String::from("<urlset>\n");
    for at in 0..20_000 {
        xml.push_str(&format!("  <url><loc>https://example.com/page-{at}</loc></url>\n"));
    }
    xml.push_str("  <url><loc>https://example.com/page-12345</loc></url>\n</urlset>\n");
    repo.write("public/sitemap.xml", xml.clone());
    let report = repo.run(&["scan", "--format", "json"]).exits(0).json();
    let lines: Vec<&str> = xml.lines().collect();
    for site in [0, 1].map(|at| &report["findings"][0]["sites"][at]) {
        let at = |word: &str| usize::try_from(site[word].as_u64().unwrap_or_default()).unwrap_or_default();
        let found = lines.get(at("line") - 1).and_then(|line| line.get(at("column") - 1..));
        assert!(found.is_some_and(|text| text.starts_with("https://example.com/page-12345<")), "{site}");
    }
}

#[test]
fn the_half_of_a_migration_that_keeps_its_name_does_not_come_first() {
    let repo = Repo::new();
    repo.write("go.mod", "module x\n\nrequire github.com/golang-migrate/migrate/v4 v4.17.0\n");
    repo.files(&["m/000002_users.up.sql", "m/000002_users.down.sql", "m/2_teams.up.sql", "m/2_teams.down.sql"]);
    let report = repo.run(&["scan", "--format", "json"]).exits(1).json();
    let paths = [0, 1, 2, 3].map(|at| report["findings"][0]["sites"][at]["path"].clone());
    let wanted = ["m/2_teams.down.sql", "m/2_teams.up.sql", "m/000002_users.down.sql", "m/000002_users.up.sql"];
    assert_eq!(paths, wanted);
}
