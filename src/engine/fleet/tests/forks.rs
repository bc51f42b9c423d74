//! Chains between lines.

use std::sync::Arc;

use super::{World, builtin};
use crate::rule::Rule;

fn django() -> Vec<Arc<Rule>> {
    builtin(&["django-migrations"])
}

fn migration(parents: &[&str]) -> String {
    let parents: Vec<String> = parents.iter().map(|name| format!("('shop', '{name}')")).collect();
    format!("class Migration(migrations.Migration):\n    dependencies = [{}]\n", parents.join(", "))
}

fn path(name: &str) -> String {
    format!("shop/migrations/{name}.py")
}

/// The path of one of Alembic's revisions.
pub(super) fn file(name: &str) -> String {
    format!("alembic/versions/{name}.py")
}

/// An app with one migration.
fn shop() -> World {
    World::new(django(), &[(&path("0001"), &migration(&[]))])
}

pub(super) fn revision(id: &str, parents: &[&str]) -> String {
    let parents: Vec<String> = parents.iter().map(|name| format!("'{name}'")).collect();
    format!(
        "revision = '{id}'\ndown_revision = ({})\n",
        parents.iter().map(|one| format!("{one}, ")).collect::<String>()
    )
}

#[test]
fn the_older_line_keeps_its_place_and_a_head_that_keeps_it_only_hears_of_it() {
    let mut world = shop();
    let child = migration(&["0001"]);
    world.simple("a", 2, &[(&path("0002_a"), Some(&child))]);
    world.simple("b", 1, &[(&path("0002_b"), Some(&child))]);
    assert_eq!(world.says(), ["error forked shop: a shop/migrations/0002_a.py, b shop/migrations/0002_b.py"]);
    world.head("b");
    assert_eq!(world.says(), ["note forked shop: a shop/migrations/0002_a.py, HEAD shop/migrations/0002_b.py"]);
    world.head("a");
    assert_eq!(world.says(), ["error forked shop: HEAD shop/migrations/0002_a.py, b shop/migrations/0002_b.py"]);
    world.simple("c", 3, &[("src/x", Some("x"))]).head("c");
    assert_eq!(world.says(), [] as [String; 0]);
}

#[test]
fn a_parent_that_a_line_takes_away_is_no_fork_to_the_tool() {
    let mut world = shop();
    world.trunk_commit("t", &[(&path("0002_price"), Some(&migration(&["0001"])))]);
    let squash = [(&*path("0001"), None), (&*path("0002_price"), None), (&*path("0001_all"), Some(&*migration(&[])))];
    world.commit("s", "t", &squash).branch("a", "s", 2);
    assert_eq!(world.says(), [] as [String; 0], "nothing goes on from it");
    world.commit("b1", "t", &[(&path("0003_stock"), Some(&migration(&["0002_price"])))]).branch("b", "b1", 3);
    let found = world.findings().into_iter().next().expect("a parent is gone");
    assert_eq!(found.code, "django-migrations/forked");
    assert!(
        found.message.starts_with("`0003_stock` comes after `0002_price`, which is not there. Django stops at"),
        "{}",
        found.message
    );
    assert_eq!(found.help.as_deref(), Some("let `0003_stock` come after what is there now"));
}

#[test]
fn a_revision_that_is_taken_twice_is_told_as_alembic_tells_it() {
    let mut world = World::new(builtin(&["alembic"]), &[("alembic/versions/a.py", &revision("a1", &[]))]);
    world.simple("a", 1, &[("alembic/versions/x.py", Some(&revision("b2", &["a1"])))]);
    world.simple("b", 2, &[("alembic/versions/y.py", Some(&revision("b2", &["a1"])))]);
    let messages: Vec<String> = world.findings().into_iter().map(|found| found.message).collect();
    assert_eq!(messages.len(), 1, "{messages:?}");
    assert!(messages[0].contains("Alembic says no more than \"Revision … is present more than once\""), "{messages:?}");
}

#[test]
fn a_stacked_branch_may_rename_and_rewrite_what_it_took_from_the_other() {
    let mut world = shop();
    let (child, grandchild) = (migration(&["0001"]), migration(&["0002_a"]));
    world.commit("a1", "root", &[(&path("0002_a"), Some(&child))]);
    world.commit("b1", "a1", &[(&path("0003_b"), Some(&grandchild))]);
    world.branch("a", "a1", 1).branch("b", "b1", 1);
    assert_eq!(world.says(), [] as [String; 0]);
    // b renames a's migration, a goes on with something else
    world.commit("a2", "a1", &[("src/x", Some("x"))]);
    world.commit("b2", "a1", &[(&path("0002_a"), None), (&path("0002_b"), Some(&child))]);
    world.lines.clear();
    world.branch("a", "a2", 1).branch("b", "b2", 1);
    assert_eq!(world.says(), [] as [String; 0]);
    // a goes on with the chain: then it forks
    world.commit("a3", "a2", &[(&path("0003_a"), Some(&grandchild))]);
    world.commit("b3", "a1", &[(&path("0003_b"), Some(&grandchild))]);
    world.lines.clear();
    world.branch("a", "a3", 1).branch("b", "b3", 1);
    assert_eq!(world.says(), ["error forked shop: b shop/migrations/0003_b.py, a shop/migrations/0003_a.py"]);
}

#[test]
fn two_holders_of_one_head_are_one_head() {
    let mut world = shop();
    let (child, other) = (migration(&["0001"]), format!("{}# other\n", migration(&["0001"])));
    world.commit("a1", "root", &[(&path("0002_a"), Some(&child))]);
    world.commit("b1", "a1", &[("src/x", Some("x"))]);
    world.branch("a", "a1", 1).branch("b", "b1", 3);
    world.simple("c", 2, &[(&path("0002_c"), Some(&other))]);
    let found = &world.findings()[0];
    assert_eq!(
        super::said(found),
        "error forked shop: c shop/migrations/0002_c.py, a shop/migrations/0002_a.py, b shop/migrations/0002_a.py"
    );
    assert!(found.message.contains("has 2 leaf nodes: `0002_a`, `0002_c`"), "{}", found.message);
}

#[test]
fn a_stacked_head_keeps_its_place_with_the_older_branch_below_it() {
    let mut world = shop();
    let (child, grandchild) = (migration(&["0001"]), migration(&["0002_a"]));
    world.commit("a1", "root", &[(&path("0002_a"), Some(&child))]);
    world.commit("b1", "a1", &[("src/x", Some("x"))]);
    world.branch("a", "a1", 1).branch("b", "b1", 3);
    world.simple("c", 2, &[(&path("0002_c"), Some(&format!("{child}# c\n")))]).head("b");
    assert_eq!(
        world.says(),
        ["note forked shop: c shop/migrations/0002_c.py, a shop/migrations/0002_a.py, HEAD shop/migrations/0002_a.py"]
    );
    // the same with a revision of its own on top
    world.lines.remove(1);
    world.commit("b2", "a1", &[(&path("0003_b"), Some(&grandchild))]).branch("b", "b2", 3);
    assert_eq!(world.says(), ["note forked shop: c shop/migrations/0002_c.py, HEAD shop/migrations/0003_b.py"]);
    // once the branch below has landed, the other one collides with the trunk
    world.trunk_commit("t", &[(&path("0002_a"), Some(&child))]);
    assert_eq!(world.says(), [] as [String; 0]);
    world.head("c");
    assert_eq!(world.says(), ["error forked shop: HEAD shop/migrations/0002_c.py, main shop/migrations/0002_a.py"]);
}

#[test]
fn what_goes_on_from_the_trunk_keeps_its_place_against_what_is_older_and_does_not() {
    let mut world = shop();
    world.simple("old", 1, &[(&path("0002_old"), Some(&migration(&["0001"])))]);
    world.trunk_commit("t", &[(&path("0002_t"), Some(&migration(&["0001"])))]);
    for (name, started) in [("a", 2), ("b", 3)] {
        let text = format!("{}# {name}\n", migration(&["0002_t"]));
        world.commit(name, "t", &[(&path(&format!("0003_{name}")), Some(&text))]).branch(name, name, started);
    }
    let found = &world.findings()[0];
    assert_eq!(
        super::said(found),
        "error forked shop: b shop/migrations/0003_b.py, old shop/migrations/0002_old.py, a shop/migrations/0003_a.py"
    );
}

#[test]
fn each_history_that_forks_is_said() {
    let names = ["a", "b", "c", "d"];
    let (x, y) = (revision("x", &[]), revision("y", &[]));
    let mut world = World::new(builtin(&["alembic"]), &[(&file("x"), &x), (&file("y"), &y)]);
    for (number, name) in names.iter().enumerate() {
        let text = revision(name, &[if number < 2 { "x" } else { "y" }]);
        world.simple(name, number as i64, &[(&file(name), Some(&text))]);
    }
    assert_eq!(
        world.says(),
        [
            "error forked a b: b alembic/versions/b.py, a alembic/versions/a.py",
            "error forked c d: d alembic/versions/d.py, c alembic/versions/c.py"
        ]
    );
    world.head("d");
    assert_eq!(world.says(), ["error forked c d: HEAD alembic/versions/d.py, c alembic/versions/c.py"]);
}

#[test]
fn a_fork_of_the_trunk_is_no_worse_for_a_longer_branch() {
    let all: Vec<(String, String)> = [("x", vec![]), ("l", vec!["x"]), ("r", vec!["x"])]
        .iter()
        .map(|(name, parents)| (file(name), revision(name, parents)))
        .collect();
    let files: Vec<(&str, &str)> = all.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let mut world = World::new(builtin(&["alembic"]), &files);
    world.simple("a", 1, &[(&file("l2"), Some(&revision("l2", &["l"])))]);
    world.simple("b", 2, &[(&file("r2"), Some(&revision("r2", &["r"])))]);
    assert_eq!(world.says(), [] as [String; 0]);
    world.simple("c", 3, &[(&file("m"), Some(&revision("m", &["x"])))]);
    assert_eq!(world.findings().len(), 1);
    assert!(world.says()[0].starts_with("error forked"), "{:?}", world.says());
}

#[test]
fn more_lines_than_can_be_held_against_each_other() {
    let mut world = shop();
    for number in 0..30i64 {
        let name = format!("b{number:02}");
        world.simple(
            &name,
            number,
            &[(&path(&format!("0002_{name}")), Some(&format!("{}# {name}\n", migration(&["0001"]))))],
        );
    }
    let found = world.findings();
    assert_eq!((found.len(), found[0].sites.len()), (1, 30));
    assert_eq!(found[0].sites[29].holder.name, "b00");
    world.head("b07");
    assert_eq!(world.findings()[0].severity.word(), "error");
    world.head("b00");
    assert_eq!(world.findings()[0].severity.word(), "note");
    world.simple("other", 99, &[("src/x", Some("x"))]).head("other");
    assert_eq!(world.says(), [] as [String; 0]);
    // one that has to do with the chain, and makes it no worse
    world.simple("edit", 99, &[(&path("0001"), Some(&format!("{}# edited\n", migration(&[]))))]).head("edit");
    assert_eq!(world.says(), [] as [String; 0]);
}
