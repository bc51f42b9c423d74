//! Names between lines: stacks, clocks, very many lines, and who has to yield.

use super::{World, builtin};
use crate::diag::HolderKind;

const CONFIG: (&str, &str) = ("supabase/config.toml", "");

fn at(version: &str, name: &str) -> String {
    format!("supabase/migrations/{version}_{name}.sql")
}

/// A Supabase project with one migration, of version 1.
fn supabase() -> World {
    World::new(builtin(&["supabase-migrations"]), &[CONFIG, (&at("1", "init"), "-- init")])
}

#[test]
fn the_oldest_first_commit_keeps_the_name_whatever_the_names_and_the_order_of_lines() {
    let mut world = supabase();
    world.simple("a", 30, &[(&at("2", "a"), Some("a"))]);
    world.simple("b", 10, &[(&at("2", "b"), Some("b"))]);
    world.simple("c", 20, &[(&at("2", "c"), Some("c"))]);
    let found = &world.findings()[0];
    assert_eq!(
        super::said(found),
        "error duplicate 2: c supabase/migrations/2_c.sql, a supabase/migrations/2_a.sql, b supabase/migrations/2_b.sql"
    );
    let help = found.help.as_deref().expect("it says what to do");
    assert!(help.starts_with("`b` keeps the name, because its first commit is older; `a` and `c` take"), "{help}");
}

#[test]
fn pull_requests_come_before_clocks_by_number_and_uncommitted_work_last() {
    let mut world = supabase();
    world.simple("a", 1, &[(&at("2", "a"), Some("a"))]);
    world.commit("p", "root", &[(&at("2", "p"), Some("p"))]);
    world.commit("q", "root", &[(&at("2", "q"), Some("q"))]);
    world.line(HolderKind::PullRequest, "#100", "p", Some(5), &[]);
    world.line(HolderKind::PullRequest, "#99", "q", Some(9), &[]);
    world.line(HolderKind::Worktree, "w", "root", None, &[(&at("2", "w"), Some("w"))]);
    let found = &world.findings()[0];
    let holders: Vec<&str> = found.sites.iter().map(|site| site.holder.name.as_str()).collect();
    assert_eq!(holders, ["#100", "a", "w", "#99"], "those that yield by age, then the one that keeps");
    let help = found.help.as_deref().expect("it says what to do");
    assert!(help.starts_with("pull request #99 keeps the name, because its pull request is the older one"), "{help}");
}

#[test]
fn what_is_committed_comes_before_what_is_not_even_on_the_older_line() {
    let mut world = supabase();
    world.commit("old", "root", &[("notes", Some("x"))]);
    world.line(HolderKind::Worktree, "old", "old", Some(1), &[(&at("2", "w"), Some("w"))]);
    world.simple("young", 9, &[(&at("2", "y"), Some("y"))]);
    assert_eq!(world.says(), ["error duplicate 2: old supabase/migrations/2_w.sql, young supabase/migrations/2_y.sql"]);
}

#[test]
fn a_history_that_cannot_be_read_makes_the_report_incomplete() {
    let mut world = supabase();
    world.commit("shared", "root", &[(&at("2", "s"), Some("s"))]);
    world.commit("a", "shared", &[(&at("3", "a"), Some("a"))]).branch("a", "a", 1);
    world.commit("b", "shared", &[(&at("3", "b"), Some("b"))]).branch("b", "b", 2);
    assert_eq!(world.report().incomplete, []);
    world.is_broken = true;
    let gaps = world.report().incomplete;
    assert!(gaps.iter().any(|gap| gap.what == "what a and b have in common" && gap.why == "no history"), "{gaps:?}");
}

#[test]
fn of_one_age_the_name_decides_whoever_is_the_head() {
    let mut world = supabase();
    world.simple("a", 5, &[(&at("2", "a"), Some("a"))]);
    world.simple("b", 5, &[(&at("2", "b"), Some("b"))]);
    assert_eq!(world.says(), ["error duplicate 2: b supabase/migrations/2_b.sql, a supabase/migrations/2_a.sql"]);
    world.head("a");
    assert_eq!(world.says(), ["note duplicate 2: b supabase/migrations/2_b.sql, HEAD supabase/migrations/2_a.sql"]);
    world.head("b");
    assert_eq!(world.says(), ["error duplicate 2: HEAD supabase/migrations/2_b.sql, a supabase/migrations/2_a.sql"]);
}

#[test]
fn a_head_without_a_part_says_nothing() {
    let mut world = supabase();
    world.simple("a", 1, &[(&at("2", "a"), Some("a"))]);
    world.simple("b", 2, &[(&at("2", "b"), Some("b"))]);
    world.simple("late", 3, &[(&at("1", "x"), Some("x"))]);
    world.simple("other", 4, &[("src/x", Some("x"))]).head("other");
    assert_eq!(world.says(), [] as [String; 0]);
    world.lines.pop();
    world.simple("alike", 5, &[(&at("2", "a"), Some("a again"))]).head("alike");
    assert_eq!(
        world.says(),
        [
            "note duplicate 2: b supabase/migrations/2_b.sql, a supabase/migrations/2_a.sql, HEAD supabase/migrations/2_a.sql"
        ],
        "one that goes along with the name's keeper keeps it too"
    );
}

#[test]
fn a_line_that_collides_with_itself() {
    let mut world = supabase();
    world.simple("a", 1, &[(&at("2", "x"), Some("x")), (&at("2", "y"), Some("y"))]);
    let found = &world.findings()[0];
    assert_eq!(super::said(found), "error duplicate 2: a supabase/migrations/2_y.sql, a supabase/migrations/2_x.sql");
    assert!(!found.message.contains("git merges"), "{}", found.message);
    world.head("a");
    assert_eq!(world.says(), ["error duplicate 2: HEAD supabase/migrations/2_y.sql, HEAD supabase/migrations/2_x.sql"]);
}

#[test]
fn a_stacked_branch_may_rename_what_it_took_from_the_other() {
    let mut world = supabase();
    world.commit("a1", "root", &[(&at("2", "a"), Some("a"))]);
    world.commit("b1", "a1", &[(&at("2", "a"), None), (&at("2", "b"), Some("a, better"))]);
    world.branch("a", "a1", 1).branch("b", "b1", 1);
    assert_eq!(world.says(), [] as [String; 0], "b has all of a");
    // the other goes on: git's merge still takes the file away
    world.commit("a2", "a1", &[("src/x", Some("x"))]);
    world.lines.clear();
    world.branch("a", "a2", 1).branch("b", "b1", 1);
    assert_eq!(world.says(), [] as [String; 0]);
    // and gives it another name too
    world.commit("a3", "a2", &[(&at("2", "a"), None), (&at("2", "c"), Some("c"))]);
    world.lines.clear();
    world.branch("a", "a3", 1).branch("b", "b1", 2);
    assert_eq!(world.says(), ["error duplicate 2: b supabase/migrations/2_b.sql, a supabase/migrations/2_c.sql"]);
}

#[test]
fn branches_of_one_stack_that_go_apart_collide_on_what_came_after() {
    let mut world = supabase();
    world.commit("shared", "root", &[(&at("2", "s"), Some("s"))]);
    world.commit("a1", "shared", &[(&at("3", "a"), Some("a"))]);
    world.commit("b1", "shared", &[(&at("3", "b"), Some("b"))]);
    world.branch("a", "a1", 1).branch("b", "b1", 2);
    assert_eq!(world.says(), ["error duplicate 3: b supabase/migrations/3_b.sql, a supabase/migrations/3_a.sql"]);
}

#[test]
fn a_stack_on_uncommitted_work_is_none() {
    let mut world = supabase();
    world.commit("a1", "root", &[("src/x", Some("x"))]);
    world.commit("b1", "a1", &[(&at("2", "b"), Some("b"))]);
    world.line(HolderKind::Worktree, "a", "a1", Some(1), &[(&at("2", "a"), Some("a"))]);
    world.branch("b", "b1", 1);
    assert_eq!(world.says(), ["error duplicate 2: a supabase/migrations/2_a.sql, b supabase/migrations/2_b.sql"]);
}

#[test]
fn a_cherry_picked_and_a_squash_merged_file_are_one_unit() {
    let mut world = supabase();
    world.simple("a", 1, &[(&at("2", "a"), Some("a"))]);
    world.simple("b", 2, &[(&at("2", "a"), Some("a"))]);
    assert_eq!(world.says(), [] as [String; 0]);
    world.trunk_commit("squash", &[(&at("2", "a"), Some("a"))]);
    assert_eq!(world.says(), [] as [String; 0]);
    world.simple("c", 3, &[(&at("2", "c"), Some("c"))]);
    assert_eq!(
        world.says(),
        ["error duplicate 2: c supabase/migrations/2_c.sql, main supabase/migrations/2_a.sql"],
        "what has landed is the trunk's, not the branch's"
    );
}

#[test]
fn what_landed_since_under_another_version_is_a_note_what_was_there_before_is_a_copy() {
    let mut world = supabase();
    world.simple("a", 1, &[(&at("2", "a"), Some("a"))]);
    world.trunk_commit("t", &[(&at("2", "b"), Some("b")), (&at("3", "a"), Some("a"))]);
    assert_eq!(world.says(), ["note duplicate 2: a supabase/migrations/2_a.sql, main supabase/migrations/2_b.sql"]);
    world.simple("copy", 2, &[(&at("1", "copy"), Some("-- init"))]);
    assert_eq!(
        world.says()[0],
        "error duplicate 1: copy supabase/migrations/1_copy.sql, main supabase/migrations/1_init.sql"
    );
}

#[test]
fn a_file_that_a_line_moves_has_not_landed() {
    let mut world = supabase();
    world.trunk_commit("t", &[(&at("2", "b"), Some("b"))]);
    world.commit("move", "t", &[(&at("2", "b"), None), (&at("3", "b"), Some("b"))]).branch("move", "move", 1);
    world.simple("take", 2, &[(&at("3", "c"), Some("c"))]);
    assert!(
        world.says().contains(
            &"error duplicate 3: take supabase/migrations/3_c.sql, move supabase/migrations/3_b.sql".to_owned()
        )
    );
}

#[test]
fn the_halves_of_a_migration_keep_and_yield_together_on_every_line_that_has_them() {
    let files = [
        ("go.mod", "require github.com/golang-migrate/migrate/v4 v4.17.0\n"),
        ("m/1_a.up.sql", "up"),
        ("m/1_a.down.sql", "down"),
    ];
    let mut world = World::new(builtin(&["golang-migrate"]), &files);
    let pair = |name: &str| [format!("m/2_{name}.up.sql"), format!("m/2_{name}.down.sql")];
    let (x, y) = (pair("x"), pair("y"));
    world.commit("a1", "root", &[(&x[0], Some("x up")), (&x[1], Some("x down"))]);
    world.commit("b1", "a1", &[("src", Some("src"))]);
    world.branch("a", "a1", 1).branch("b", "b1", 1);
    world.simple("c", 2, &[(&y[0], Some("y up")), (&y[1], Some("y down"))]);
    assert_eq!(
        world.says(),
        [
            "error duplicate 2: c m/2_y.down.sql, c m/2_y.up.sql, a m/2_x.down.sql, a m/2_x.up.sql, b m/2_x.down.sql, b m/2_x.up.sql"
        ]
    );
}

#[test]
fn names_in_texts_follow_a_stack_too() {
    let rules = builtin(&["sitemap-urls"]);
    let map = |urls: &[&str]| {
        let urls: String = urls.iter().map(|url| format!("<url><loc>https://example.com/{url}</loc></url>")).collect();
        format!("<urlset>{urls}</urlset>")
    };
    let (old_x, old_y) = (map(&["x"]), map(&["y"]));
    let (pages, blog) = ("public/sitemap-pages.xml", "public/sitemap-blog.xml");
    let mut world = World::new(rules, &[(pages, &old_x), (blog, &old_y)]);
    let (with_new, moved) = (map(&["x", "new"]), map(&["y", "new"]));
    // b moves to its own file what it took from a, which goes on
    world.commit("a1", "root", &[(pages, Some(&with_new))]);
    world.commit("a2", "a1", &[("src/x", Some("x"))]);
    world.commit("b1", "a1", &[(pages, Some(&old_x)), (blog, Some(&moved))]);
    world.branch("a", "a2", 1).branch("b", "b1", 1);
    assert_eq!(world.says(), [] as [String; 0]);
    // both add the page after they have gone apart: that the file was there before says nothing of the page
    let mut world = World { rules: world.rules, ..World::new(Vec::new(), &[(pages, &old_x), (blog, &old_y)]) };
    world.commit("shared", "root", &[("src/x", Some("x"))]);
    world.commit("a1", "shared", &[(pages, Some(&with_new))]);
    world.commit("b1", "shared", &[(blog, Some(&moved))]);
    world.branch("a", "a1", 1).branch("b", "b1", 1);
    assert_eq!(
        world.says(),
        ["note duplicate https://example.com/new: b public/sitemap-blog.xml, a public/sitemap-pages.xml"]
    );
}

#[test]
fn more_lines_than_can_be_held_against_each_other() {
    let mut world = supabase();
    for number in 0..70i64 {
        let name = format!("b{number:02}");
        world.simple(&name, number, &[(&at("2", &name), Some(&name))]);
    }
    let found = world.findings();
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].sites.len(), found[0].sites[69].holder.name.as_str()), (70, "b00"));
    // the same file on all of them is one unit, and the one other is against all
    let mut world = supabase();
    for number in 0..70i64 {
        world.simple(&format!("b{number:02}"), number, &[(&at("2", "same"), Some("same"))]);
    }
    assert_eq!(world.says(), [] as [String; 0]);
    world.simple("z", 99, &[(&at("2", "z"), Some("z"))]);
    let found = world.findings();
    assert_eq!((found.len(), found[0].sites.len()), (1, 71));
    assert_eq!((found[0].sites[0].holder.name.as_str(), found[0].severity.word()), ("z", "error"));
    world.head("b05");
    assert_eq!(world.findings()[0].severity.word(), "note", "it goes along with the oldest");
}

#[test]
fn among_very_many_lines_one_that_has_no_more_than_another_has_is_not_blamed() {
    let mut world = supabase();
    world.simple("both", 0, &[(&at("2", "x"), Some("x")), (&at("2", "y"), Some("y"))]);
    for number in 1..70i64 {
        world.simple(&format!("b{number:02}"), number, &[(&at("2", "x"), Some("x"))]);
    }
    let found = world.findings();
    assert_eq!(found.len(), 1);
    assert_eq!(
        super::said(&found[0]),
        "error duplicate 2: both supabase/migrations/2_y.sql, both supabase/migrations/2_x.sql"
    );
}

#[test]
fn names_that_differ_in_case_only() {
    let mut world = World::new(builtin(&["edge-functions"]), &[CONFIG]);
    let index = |name: &str| format!("supabase/functions/{name}/index.ts");
    world.simple("a", 2, &[(&index("hello"), Some("a"))]);
    world.simple("b", 1, &[(&index("Hello"), Some("b"))]);
    assert_eq!(
        world.says(),
        ["warning duplicate Hello: a supabase/functions/hello/index.ts, b supabase/functions/Hello/index.ts"]
    );
    world.simple("c", 3, &[(&index("Hello"), Some("c"))]);
    assert_eq!(
        world.says(),
        [
            "warning duplicate Hello: a supabase/functions/hello/index.ts, b supabase/functions/Hello/index.ts, c supabase/functions/Hello/index.ts"
        ],
        "the same name goes along"
    );
    world.head("b");
    assert_eq!(world.findings()[0].severity.word(), "note");
}

#[test]
fn what_the_trunk_took_since_is_as_grave_as_what_another_branch_takes() {
    let config = |entry: &str| format!("[functions.notify]\nentrypoint = \"./functions/{entry}/main.ts\"\n");
    let index = "supabase/functions/notify/index.ts";
    let ours = config("v2");
    let mut world = World::new(builtin(&["edge-functions"]), &[CONFIG]);
    world.simple("a", 1, &[(CONFIG.0, Some(&ours))]);
    world.trunk_commit("t", &[(index, Some("trunk"))]);
    assert_eq!(world.findings()[0].severity.word(), "error");
    let mut knows = World::new(builtin(&["edge-functions"]), &[CONFIG, (index, "trunk")]);
    knows.simple("a", 1, &[(CONFIG.0, Some(&ours))]);
    assert_eq!(knows.findings()[0].severity.word(), "warning", "one agent's own doing, as in a tree");
}

#[test]
fn old_collisions_are_a_note_where_they_are_asked_for() {
    let mut world =
        World::new(builtin(&["supabase-migrations"]), &[CONFIG, (&at("1", "a"), "a"), (&at("1", "b"), "b")]);
    world.simple("x", 1, &[(&at("2", "x"), Some("x"))]).head("x");
    assert_eq!(world.says(), [] as [String; 0]);
    world.notes_old = true;
    assert_eq!(world.says(), ["note duplicate 1: main supabase/migrations/1_b.sql, main supabase/migrations/1_a.sql"]);
}
