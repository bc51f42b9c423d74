//! `gatekeep audit`, through the program, in real repositories; git is the oracle.

mod history;
mod lanes;
mod oracle;
mod output;

use serde_json::{Value, json};

use history::{DJANGO, Past, migration};

/// The collisions of an audit of the whole history, each as commit, key, sites (`+` where the commit brought it), and whether it is still there
/// or by which commit it was mended.
#[track_caller]
fn collisions(past: &Past, args: &[&str]) -> Value {
    let audit = past.audit(&[&["--format", "json"], args].concat()).exits(0).json();
    let found = audit["collisions"].as_array().expect("a list").iter().map(|one| {
        let sites = one["sites"].as_array().expect("a list").iter().map(|site| {
            let path = site["path"].as_str().expect("a path");
            format!("{} {path}", if site["brought"] == true { '+' } else { ' ' })
        });
        let fate = match &one["gone_since"] {
            Value::Null => one["still_there"].clone(),
            since => since["commit"].clone(),
        };
        json!([one["commit"], one["key"], sites.collect::<Vec<_>>(), fate])
    });
    found.collect()
}

/// A trunk to which two branches have been merged that took one version.
fn two_merged() -> (Past, String) {
    let past = Past::new();
    past.write("supabase/config.toml", "").write("supabase/migrations/1_init.sql", "");
    past.commit(1, "Begin");
    past.branch("a").write("supabase/migrations/2_users.sql", "users");
    past.commit(2, "Users");
    past.branch("b").write("supabase/migrations/2_teams.sql", "teams");
    past.commit(3, "Teams");
    past.merge(4, &["a"]);
    let second = past.merge(5, &["b"]);
    (past, second)
}

const TEAMS: &str = "+ supabase/migrations/2_teams.sql";
const USERS: &str = "  supabase/migrations/2_users.sql";

#[test]
fn the_merge_that_brought_a_collision_is_named_and_the_commit_that_mended_it() {
    let (past, second) = two_merged();
    assert_eq!(collisions(&past, &[]), json!([[second, "2", [TEAMS, USERS], true]]));
    past.commit(6, "Nothing");
    past.git(&["mv", "supabase/migrations/2_teams.sql", "supabase/migrations/3_teams.sql"]);
    let mended = past.commit(7, "Renumber");
    past.write("supabase/migrations/4_last.sql", "");
    past.commit(8, "Last");
    assert_eq!(collisions(&past, &[]), json!([[second, "2", [TEAMS, USERS], mended]]));
}

#[test]
fn a_collision_whose_files_were_renamed_meanwhile_is_gone_since_it_was_mended() {
    let (past, second) = two_merged();
    past.git(&["mv", "supabase/migrations/2_teams.sql", "supabase/migrations/2_groups.sql"]);
    past.commit(6, "Another word, and still the same version");
    past.git(&["mv", "supabase/migrations/2_groups.sql", "supabase/migrations/3_groups.sql"]);
    let mended = past.commit(7, "Renumber");
    past.write("supabase/migrations/2_users.sql", "users, again");
    past.commit(8, "A late touch of one of its files");
    assert_eq!(collisions(&past, &[]), json!([[second, "2", [TEAMS, USERS], mended]]));
}

#[test]
fn merges_that_bring_none_are_silent() {
    let past = Past::new();
    past.write("supabase/config.toml", "").write("supabase/migrations/1_init.sql", "");
    past.commit(1, "Begin");
    past.branch("a").write("supabase/migrations/2_users.sql", "users");
    past.commit(2, "Users");
    past.branch("b").write("supabase/migrations/3_teams.sql", "teams");
    past.commit(3, "Teams");
    past.merge(4, &["a"]);
    past.merge(5, &["b"]);
    // one that mends a collision of its own before it is merged
    past.branch("c").write("supabase/migrations/3_late.sql", "late");
    past.commit(6, "Late");
    past.git(&["mv", "supabase/migrations/3_late.sql", "supabase/migrations/4_late.sql"]);
    past.commit(7, "Renumber");
    past.merge(8, &["c"]);
    assert_eq!(collisions(&past, &[]), json!([]));
    let audit = past.audit(&["--format", "json"]).exits(0).json();
    assert_eq!((&audit["summary"]["commits"], &audit["summary"]["judged"]), (&json!(4), &json!(4)));
}

#[test]
fn a_squashed_branch_and_a_plain_commit_bring_collisions_like_a_merge() {
    let past = Past::new();
    past.write("supabase/config.toml", "").write("supabase/migrations/1_init.sql", "");
    past.commit(1, "Begin");
    past.branch("a").write("supabase/migrations/2_users.sql", "users");
    past.commit(2, "Users");
    past.branch("b").write("supabase/migrations/2_teams.sql", "teams");
    past.commit(3, "Teams");
    past.merge(4, &["a"]);
    past.git(&["merge", "--quiet", "--squash", "b"]);
    let squashed = past.commit(5, "Teams (#12)");
    past.write("supabase/migrations/1_again.sql", "again");
    let plain = past.commit(6, "Straight to the trunk");
    let one = ["+ supabase/migrations/1_again.sql", "  supabase/migrations/1_init.sql"];
    assert_eq!(collisions(&past, &[]), json!([[plain, "1", one, true], [squashed, "2", [TEAMS, USERS], true]]));
}

#[test]
fn an_octopus_is_one_step_and_so_is_a_merge_with_several_merge_bases() {
    let past = Past::new();
    past.write("supabase/config.toml", "").write("supabase/migrations/1_init.sql", "");
    past.commit(1, "Begin");
    for (name, day) in [("a", 2), ("b", 3), ("c", 4)] {
        past.branch(name).write(&format!("supabase/migrations/2_{name}.sql"), name);
        past.commit(day, name);
    }
    let octopus = past.merge(5, &["a", "b", "c"]);
    // the one that keeps the name is the last
    let all = ["b", "c", "a"].map(|name| format!("+ supabase/migrations/2_{name}.sql"));
    assert_eq!(collisions(&past, &[]), json!([[octopus, "2", all, true]]));

    // each side has merged the other's first commit
    past.branch("left").write("supabase/migrations/3_left.sql", "left");
    let left = past.commit(6, "left");
    past.branch("right").write("supabase/migrations/4_right.sql", "right");
    let right = past.commit(7, "right");
    past.merge_into("left", 8, &[&right]);
    past.merge_into("right", 9, &[&left]);
    past.git(&["checkout", "--quiet", "right"]);
    past.write("supabase/migrations/5_x.sql", "x");
    past.commit(10, "x");
    past.git(&["checkout", "--quiet", "left"]);
    past.write("supabase/migrations/5_y.sql", "y");
    past.commit(11, "y");
    assert_eq!(past.git(&["merge-base", "--all", "left", "right"]).lines().count(), 2);
    past.merge(12, &["left"]);
    let crossed = past.merge(13, &["right"]);
    let five = ["+ supabase/migrations/5_x.sql", "  supabase/migrations/5_y.sql"];
    assert_eq!(
        collisions(&past, &[]),
        json!([[crossed, "5", five, true], [octopus, "2", all, true]]),
        "what both had already is nobody's fault"
    );
}

#[test]
fn a_fork_of_a_chain_is_found_and_since_when_it_has_one_leaf_again() {
    let past = Past::new();
    past.write("manage.py", "").write("shop/migrations/0001_initial.py", &migration(&[]));
    past.write("blog/migrations/0001_initial.py", DJANGO);
    past.commit(1, "Begin");
    past.branch("a").write("shop/migrations/0002_price.py", &migration(&["0001_initial"]));
    past.commit(2, "Price");
    past.branch("b").write("shop/migrations/0002_stock.py", &migration(&["0001_initial"]));
    past.commit(3, "Stock");
    past.merge(4, &["a"]);
    let second = past.merge(5, &["b"]);
    let sites = ["+ shop/migrations/0002_stock.py", "  shop/migrations/0002_price.py"];
    assert_eq!(collisions(&past, &[]), json!([[second, "shop", sites, true]]));
    past.write("shop/migrations/0003_more.py", &migration(&["0002_stock"]));
    past.commit(6, "One leaf goes on");
    past.write("shop/migrations/0004_merge.py", &migration(&["0002_price", "0003_more"]));
    let mended = past.commit(7, "makemigrations --merge");
    assert_eq!(collisions(&past, &[]), json!([[second, "shop", sites, mended]]));
}

#[test]
fn a_merge_reads_the_chains_that_it_touches_and_no_others() {
    let past = Past::new();
    for app in 0..20 {
        for number in 0..10 {
            let before = (0..number).last().map(|before| format!("{before:04}_m"));
            let own = migration(&before.iter().map(String::as_str).collect::<Vec<_>>());
            past.write(&format!("app{app}/migrations/{number:04}_m.py"), &own.replace("shop", &format!("app{app}")));
        }
    }
    past.commit(1, "Begin");
    past.branch("a").write("app7/migrations/0010_m.py", &migration(&["0009_m"]).replace("shop", "app7"));
    past.commit(2, "More");
    past.merge(3, &["a"]);
    let judged = |since: &str| {
        let run = past.repo.run(&["audit", "--stats", "--quiet", "--since", since]).exits(0);
        let blobs = run.stderr.lines().find_map(|line| line.strip_prefix("blobs ")).expect("it is counted");
        (run.stderr.contains("\njudged 1\n"), blobs.trim().parse::<usize>().expect("a number"))
    };
    let (one, blobs) = judged(&past.since(3));
    // a look at each app to see whose it is, and the eleven files of one
    assert!(one && blobs <= 20 + 11 + 4, "{blobs}");
}

#[test]
fn a_folder_that_is_moved_takes_its_collisions_along() {
    let past = Past::new();
    past.write("apps/a/supabase/config.toml", "").write("apps/a/supabase/migrations/1_x.sql", "x");
    past.commit(1, "Begin");
    past.write("apps/a/supabase/migrations/1_y.sql", "y");
    let first = past.commit(2, "Collide");
    past.git(&["mv", "apps/a", "apps/b"]);
    past.write("apps/b/supabase/migrations/2_x.sql", "x").write("apps/b/supabase/migrations/2_y.sql", "y");
    let second = past.commit(3, "Move, and collide again");
    let one = ["+ apps/a/supabase/migrations/1_y.sql", "  apps/a/supabase/migrations/1_x.sql"];
    let two = ["+ apps/b/supabase/migrations/2_y.sql", "+ apps/b/supabase/migrations/2_x.sql"];
    assert_eq!(collisions(&past, &[]), json!([[second, "2", two, true], [first, "1", one, true]]));
    let later = past.repo.run(&["audit", "--since", &past.since(3), "--format", "json"]).exits(0).json();
    assert_eq!(later["summary"]["names"], 1, "what was moved is older");
    past.git(&["mv", "apps/b/supabase", "supabase"]);
    past.commit(4, "Move to the top");
    past.git(&["mv", "supabase/migrations/1_y.sql", "supabase/migrations/3_y.sql"]);
    let mended = past.commit(5, "Renumber");
    assert_eq!(collisions(&past, &[]), json!([[second, "2", two, true], [first, "1", one, mended]]));
    // one folder moved onto another
    past.write("apps/c/supabase/config.toml", "").write("apps/c/supabase/migrations/4_x.sql", "x");
    past.write("apps/d/supabase/migrations/4_y.sql", "y");
    past.commit(6, "Two apps");
    past.git(&["mv", "apps/d/supabase/migrations/4_y.sql", "apps/c/supabase/migrations/4_y.sql"]);
    let onto = past.commit(7, "One app");
    let four = ["+ apps/c/supabase/migrations/4_y.sql", "  apps/c/supabase/migrations/4_x.sql"];
    assert_eq!(
        collisions(&past, &[]),
        json!([[onto, "4", four, true], [second, "2", two, true], [first, "1", one, mended]])
    );
}

#[test]
fn a_root_that_is_gone_has_no_collisions_and_one_that_comes_makes_them_nobodys() {
    let past = Past::new();
    past.write("apps/a/supabase/config.toml", "").write("apps/a/supabase/migrations/1_x.sql", "x");
    past.write("apps/b/supabase/config.toml", "").write("apps/b/supabase/migrations/1_x.sql", "x");
    past.commit(1, "Begin");
    past.write("apps/a/supabase/migrations/1_y.sql", "y");
    let first = past.commit(2, "Collide");
    past.git(&["rm", "--quiet", "apps/a/supabase/config.toml"]);
    let gone = past.commit(3, "Not Supabase any more");
    let one = ["+ apps/a/supabase/migrations/1_y.sql", "  apps/a/supabase/migrations/1_x.sql"];
    assert_eq!(collisions(&past, &[]), json!([[first, "1", one, gone]]));
    past.write("apps/a/supabase/config.toml", "");
    past.commit(4, "Supabase again");
    assert_eq!(collisions(&past, &[]), json!([[first, "1", one, true]]));
}

#[test]
fn a_trunk_that_was_merged_into_a_branch_and_moved_on_to_it_is_one_step() {
    let (past, second) = two_merged();
    past.git(&["checkout", "--quiet", "-b", "c", "main~2"]);
    past.write("supabase/migrations/3_c.sql", "c");
    let own = past.commit(6, "On a branch");
    let merged = past.merge_into("c", 7, &["main"]);
    past.git(&["branch", "--force", "main", "c"]);
    let found = collisions(&past, &[]);
    let both = ["+ supabase/migrations/2_users.sql", "+ supabase/migrations/2_teams.sql"];
    assert_eq!(found, json!([[merged, "2", both, true]]), "{second} is no step of the trunk's own history, {own} is");
}
