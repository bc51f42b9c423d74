//! What comes too late, and what is changed after it was merged.

use std::sync::Arc;

use super::{World, builtin};
use crate::{
    diag::{Confidence, HolderKind},
    rule::Rule,
};

fn goose(files: &[(&str, &str)]) -> World {
    let mut all = vec![("db/0_sniff.sql", "-- +goose Up\n")];
    all.extend(files);
    let rules = builtin(&["goose"]);
    World::new(rules, &all)
}

/// The findings about order and merged units, as `severity kind key: sites`.
fn says(world: &World) -> Vec<String> {
    world.says().into_iter().filter(|said| !said.contains("malformed")).collect()
}

const UP: &str = "-- +goose Up\n";

#[test]
fn one_late_name_is_one_finding_whoever_brings_it() {
    let mut world = goose(&[("db/5_e.sql", UP)]);
    world.simple("a", 1, &[("db/2_b.sql", Some("-- +goose Up\n-- b"))]);
    world.simple("b", 2, &[("db/2_b.sql", Some("-- +goose Up\n-- b"))]);
    assert_eq!(says(&world), ["warning out-of-order 2: a db/2_b.sql, b db/2_b.sql"]);
    world.head("b");
    assert_eq!(says(&world), ["warning out-of-order 2: HEAD db/2_b.sql"]);
    world.simple("c", 3, &[("src/x", Some("x"))]).head("c");
    assert_eq!(says(&world), [] as [String; 0]);
}

#[test]
fn a_branch_is_held_against_the_trunk_as_it_is_now() {
    let mut world = goose(&[("db/1_a.sql", UP)]);
    world.simple("a", 1, &[("db/2_b.sql", Some("-- +goose Up\n-- b"))]);
    assert_eq!(says(&world), [] as [String; 0]);
    world.trunk_commit("t", &[("db/3_c.sql", Some("-- +goose Up\n-- c"))]);
    assert_eq!(says(&world), ["warning out-of-order 2: a db/2_b.sql"]);
    // it lands under a number of its own
    world.trunk_commit("u", &[("db/4_b.sql", Some("-- +goose Up\n-- b"))]);
    assert_eq!(says(&world), [] as [String; 0]);
}

#[test]
fn a_late_migration_has_both_its_files_the_one_that_counts_first() {
    let mut world = World::new(
        builtin(&["golang-migrate"]),
        &[("m/1_a.up.sql", "1"), ("m/1_a.down.sql", "1"), ("m/3_c.up.sql", "3")],
    );
    world.simple("a", 1, &[("m/2_b.up.sql", Some("2")), ("m/2_b.down.sql", Some("2 down"))]);
    world.simple("b", 2, &[("m/2_b.down.sql", Some("2 down"))]);
    assert_eq!(world.says(), ["note out-of-order 2: a m/2_b.up.sql, a m/2_b.down.sql"]);
    world.trunk_commit("t", &[("go.mod", Some("require github.com/golang-migrate/migrate/v4 v4.17.0\n"))]);
    assert_eq!(world.says(), ["error out-of-order 2: a m/2_b.up.sql, a m/2_b.down.sql"]);
}

#[test]
fn a_tool_that_is_a_guess_is_called_one() {
    let files = [("m/1_a.up.sql", "1"), ("m/1_a.down.sql", "1"), ("m/3_c.up.sql", "3")];
    let edits = [("m/2_b.up.sql", Some("2")), ("m/3_c.up.sql", Some("three"))];
    let guess = "That golang-migrate runs these files is a guess: only their names say so.";
    let mut world = World::new(builtin(&["golang-migrate"]), &files);
    world.simple("a", 1, &edits);
    for found in world.findings() {
        assert!(found.message.ends_with(guess) && found.confidence == Confidence::Low, "{}", found.message);
    }
    assert_eq!(world.says(), ["note frozen 3: a m/3_c.up.sql", "note out-of-order 2: a m/2_b.up.sql"]);
    world.trunk_commit("t", &[("go.mod", Some("require github.com/golang-migrate/migrate/v4 v4.17.0\n"))]);
    for found in world.findings() {
        assert!(!found.message.contains("guess") && found.confidence == Confidence::High, "{}", found.message);
    }
    assert_eq!(world.says(), ["error out-of-order 2: a m/2_b.up.sql", "warning frozen 3: a m/3_c.up.sql"]);
}

#[test]
fn what_tells_a_tool_to_take_late_names_is_named() {
    let call = "package main\n\nvar options = goose.WithAllowMissing()\n";
    let mut world = goose(&[("db/5_e.sql", UP), (".gitattributes", "lib/** linguist-vendored\n"), ("lib/up.go", call)]);
    world.simple("a", 1, &[("db/2_b.sql", Some("-- +goose Up\n-- b"))]);
    assert_eq!(says(&world), ["warning out-of-order 2: a db/2_b.sql"]);
    world.simple("b", 2, &[("db/3_c.sql", Some("-- +goose Up\n-- c")), ("cmd/b.go", Some(call))]);
    let stays = says(&world).contains(&"warning out-of-order 3: b db/3_c.sql".to_owned());
    assert!(stays, "a change does not tell how grave it is itself: {:?}", says(&world));
    let mut world = goose(&[("db/5_e.sql", UP)]);
    world.simple("a", 1, &[("db/2_b.sql", Some("-- +goose Up\n-- b"))]);
    world.trunk_commit("t", &[("cmd/up.go", Some(call))]);
    assert_eq!(says(&world), ["note out-of-order 2: a db/2_b.sql"]);
    let found = world.findings().into_iter().find(|found| found.code == "goose/out-of-order").expect("a late name");
    assert!(found.message.ends_with("`cmd/up.go` tells it to take such a one, though."), "{}", found.message);
}

#[test]
fn what_may_tell_one_tool_is_not_looked_up_among_what_may_tell_another() {
    let folder = "app/src/main/resources/db/migration";
    let flyway = ["V1__a.sql", "V3__c.sql", "V2__b.sql"].map(|name| format!("{folder}/{name}"));
    let files = [("db/0_sniff.sql", UP), ("db/5_e.sql", UP), (&flyway[0], "1"), (&flyway[1], "3")];
    let mut world =
        World::new(builtin(&["flyway", "goose"]), &[&files[..], &[("application-prod.yml", "a: b\n")]].concat());
    world.simple("a", 1, &[("db/2_b.sql", Some("-- +goose Up\n-- b")), (&flyway[2], Some("2"))]);
    let late = says(&world).into_iter().filter(|said| said.contains("out-of-order 2")).count();
    assert_eq!(late, 2, "{:?}", says(&world));
}

#[test]
fn edits_of_code_and_of_scripts_are_two_findings_however_many_they_are() {
    let names: Vec<String> = (1..=6).flat_map(|n| [format!("db/{n}_a.sql"), format!("db/{}_b.go", n + 10)]).collect();
    let files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), UP)).collect();
    let mut world = goose(&files);
    let edits: Vec<_> = names.iter().map(|name| (name.as_str(), Some("-- +goose Up\n-- edited"))).collect();
    world.simple("a", 1, &edits);
    let said: Vec<String> =
        says(&world).iter().map(|said| said.split(':').next().unwrap_or_default().to_owned()).collect();
    assert_eq!(said, ["warning frozen 1", "note frozen 11"]);
}

#[test]
fn one_edit_on_two_lines_is_one_finding() {
    let mut world = goose(&[("db/1_a.sql", UP)]);
    let edit = [("db/1_a.sql", Some("-- +goose Up\n-- edited"))];
    world.simple("a", 1, &edit);
    world.simple("b", 2, &edit);
    let found = world.findings().into_iter().find(|found| found.code == "goose/frozen").expect("an edit");
    assert_eq!(super::said(&found), "warning frozen 1: a db/1_a.sql, b db/1_a.sql");
    assert!(
        found.message.starts_with("`1` is merged already, and edited on `a` and `b`. goose keeps"),
        "{}",
        found.message
    );
    world.head("a");
    assert_eq!(says(&world), ["warning frozen 1: HEAD db/1_a.sql"]);
}

#[test]
fn what_the_trunk_changed_by_itself_is_not_the_branchs_doing() {
    let mut world = goose(&[("db/1_a.sql", UP), ("db/2_b.sql", "-- +goose Up\n-- b")]);
    world.simple("a", 1, &[("src/x", Some("x"))]);
    world.trunk_commit("t", &[("db/1_a.sql", Some("-- +goose Up\n-- fixed")), ("db/2_b.sql", None)]);
    assert_eq!(says(&world), [] as [String; 0]);
    // the same edit that the trunk made, and one to what is gone there
    world.simple("b", 2, &[("db/1_a.sql", Some("-- +goose Up\n-- fixed")), ("db/2_b.sql", Some("-- +goose Up\n-- B"))]);
    assert_eq!(says(&world), [] as [String; 0]);
}

#[test]
fn a_migration_with_two_files_is_one_unit() {
    let files = [
        ("go.mod", "require github.com/golang-migrate/migrate/v4 v4.17.0\n"),
        ("m/1_a.up.sql", "up"),
        ("m/1_a.down.sql", "down"),
        ("m/2_b.up.sql", "up 2"),
        ("m/2_b.down.sql", "down 2"),
    ];
    let mut world = World::new(builtin(&["golang-migrate"]), &files);
    world.simple("a", 1, &[("m/1_a.up.sql", None), ("m/1_a.down.sql", None)]);
    assert_eq!(world.says(), ["warning frozen 1: a m/1_a.up.sql"]);
    world.simple("b", 2, &[("m/1_a.up.sql", Some("UP")), ("m/1_a.down.sql", Some("DOWN"))]);
    assert_eq!(world.says(), ["warning frozen 1: a m/1_a.up.sql", "warning frozen 1: b m/1_a.up.sql"], "two ways");
}

fn many(count: u32) -> Vec<(String, String)> {
    (1..=count).map(|number| (format!("db/{number}_x.sql"), format!("-- +goose Up\n-- {number}"))).collect()
}

fn refs(files: &[(String, String)]) -> Vec<(&str, &str)> {
    files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect()
}

#[test]
fn a_squash_is_said_once_and_five_are_no_squash() {
    let files = many(30);
    let mut world = goose(&refs(&files));
    let gone = |count: usize| files[..count].iter().map(|(path, _)| (path.as_str(), None)).collect::<Vec<_>>();
    world.simple("a", 1, &gone(5));
    assert_eq!(says(&world).len(), 5);
    world.simple("b", 2, &gone(28));
    world.simple("c", 3, &gone(28));
    let found = world.findings();
    let squash = found.iter().find(|found| found.sites.len() > 1).expect("a squash");
    assert_eq!(squash.sites.len(), 20, "not all of them");
    assert_eq!((squash.key.as_deref(), squash.sites[0].path.lossy().as_ref()), (Some("1"), "db/1_x.sql"));
    assert!(
        squash
            .message
            .starts_with("28 names that are merged already are removed on `b` and `c`, the first of them `1`"),
        "{}",
        squash.message
    );
    assert_eq!(says(&world).len(), 6);
    world.simple("d", 4, &gone(6));
    assert_eq!(says(&world).len(), 7);
}

#[test]
fn a_squash_is_counted_in_each_folder_and_way() {
    let mut files = many(6);
    files.extend((1..=6).map(|number| (format!("other/{number}_x.sql"), format!("-- +goose Up\n-- other {number}"))));
    let mut world = goose(&refs(&files));
    let mut edits: Vec<(&str, Option<&str>)> = files.iter().map(|(path, _)| (path.as_str(), None)).collect();
    edits[5].1 = Some("-- +goose Up\n-- edited");
    world.simple("a", 1, &edits);
    assert_eq!(says(&world).len(), 5 + 1 + 1, "{:?}", says(&world));
}

#[test]
fn a_move_is_one_whether_it_is_committed_or_not() {
    let old = ("db/1_a.sql", "-- +goose Up\n-- a");
    let moves = [(old.0, None), ("db/2_a.sql", Some(old.1))];
    let renames = [(old.0, None), ("db/1_b.sql", Some(old.1))];
    let mut world = goose(&[old]);
    world.simple("a", 1, &moves).simple("b", 2, &renames);
    world.line(HolderKind::Worktree, "c", "root", None, &moves);
    world.line(HolderKind::Worktree, "d", "root", None, &renames);
    let found = world.findings().into_iter().find(|found| found.code == "goose/frozen").expect("a move");
    assert_eq!(super::said(&found), "warning frozen 1: a db/1_a.sql, c db/1_a.sql");
    assert!(
        found.message.starts_with("`1` is merged already, and moved to `db/2_a.sql` on `a` and worktree `c`"),
        "{}",
        found.message
    );
    assert_eq!(says(&world).len(), 1, "{:?}", says(&world));
}

#[test]
fn a_rename_with_an_edit_is_an_edit() {
    let mut world = goose(&[("db/1_a.sql", "-- +goose Up\n-- a")]);
    world.simple("a", 1, &[("db/1_a.sql", None), ("db/1_b.sql", Some("-- +goose Up\n-- b"))]);
    let found = world.findings().into_iter().find(|found| found.code == "goose/frozen").expect("an edit");
    assert!(found.message.starts_with("`1` is merged already, and edited on `a`"), "{}", found.message);
}

#[test]
fn a_part_of_a_folder_that_is_moved_is_gone_from_its_history() {
    let files = [("db/1_a.sql", "-- +goose Up\n-- a"), ("db/2_b.sql", "-- +goose Up\n-- b")];
    let mut world = goose(&files);
    world.simple("part", 1, &[("db/1_a.sql", None), ("new/1_a.sql", Some(files[0].1))]);
    assert_eq!(says(&world), ["warning frozen 1: part db/1_a.sql"]);
}

#[test]
fn a_name_that_is_taken_twice_may_be_mended() {
    let mut world = goose(&[("db/1_a.sql", "-- +goose Up\n-- a"), ("db/1_b.sql", "-- +goose Up\n-- b")]);
    world.simple("a", 1, &[("db/1_b.sql", None), ("db/2_b.sql", Some("-- +goose Up\n-- b"))]);
    assert_eq!(says(&world), [] as [String; 0]);
}

/// A rule about a journal of which each line is an entry: a time and a tag.
fn journal(text: &str) -> World {
    let rule = "schema = 1\nid = 'journal'\nsummary = 'x'\nseverity = 'error'\n[[claim]]\nfiles = ['journal']\n\
        line = '^(?<key>[0-9]+) (?<tag>.*)$'\nunit = '{tag}'\norder = 'number'\nseverity = 'off'\n\
        [policy]\nunique = true\nlate = 'error'\n";
    let rule = Rule::compile(toml::from_str(rule).expect("TOML")).expect("a good rule");
    World::new(vec![Arc::new(rule)], &[("journal", text)])
}

#[test]
fn an_entry_of_a_text_comes_too_late_by_itself() {
    let mut world = journal("10 a\n20 b\n");
    world.simple("late", 1, &[("journal", Some("10 a\n20 b\n15 c\n"))]);
    world.simple("equal", 2, &[("journal", Some("10 a\n20 b\n20 d\n"))]);
    world.simple("last", 3, &[("journal", Some("10 a\n20 b\n30 e\n"))]);
    assert_eq!(world.says(), ["error out-of-order 15: late journal", "error out-of-order 20: equal journal"]);
    let found = world.findings();
    let places: Vec<_> = found.iter().map(|one| one.sites[0].position.map(|at| (at.line, at.column))).collect();
    assert_eq!(places, [Some((3, 1)), Some((3, 1))]);
    assert!(found[1].message.starts_with("`20` comes no later than the newest one"), "{}", found[1].message);
    world.trunk_commit("t", &[("journal", Some("10 a\n20 b\n40 f\n"))]);
    assert_eq!(world.head("last").says(), ["error out-of-order 30: HEAD journal"]);
}

#[test]
fn an_entry_that_was_there_or_that_the_trunk_has_is_not_late() {
    let mut world = journal("10 a\n20 b\n15 old\n");
    world.simple("timed", 1, &[("journal", Some("10 a\n12 b\n15 old\n"))]);
    world.simple("called", 2, &[("journal", Some("10 a\n20 b\n15 other\n"))]);
    world.simple("landed", 3, &[("journal", Some("10 a\n20 b\n15 old\n30 c\n"))]);
    world.trunk_commit("t", &[("journal", Some("10 a\n20 b\n15 old\n31 c\n40 d\n"))]);
    assert_eq!(world.says(), [""; 0]);
    world.line(HolderKind::Worktree, "w", "root", Some(4), &[("journal", Some("10 a\n20 b\n15 old\n15 new\n"))]);
    assert_eq!(world.says(), ["error out-of-order 15: w journal"]);
}

#[test]
fn what_two_lines_put_into_one_file_is_no_merge_without_a_word() {
    let mut world = journal("10 a\n");
    let mut rule = world.rules[0].spec.clone();
    rule.claim[0].severity = None;
    world.rules = vec![Arc::new(Rule::compile(rule).expect("a good rule"))];
    world.simple("x", 1, &[("journal", Some("10 a\n20 b\n"))]);
    world.simple("y", 2, &[("journal", Some("10 a\n20 c\n"))]);
    let found = world.findings();
    assert_eq!(world.says(), ["error duplicate 20: y journal, x journal"]);
    assert!(found[0].message.contains("git may stop at the file that they share"), "{}", found[0].message);
}
