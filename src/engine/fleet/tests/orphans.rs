//! Parents that lines take away.

use super::{
    World, builtin,
    forks::{file, revision},
};

/// The trunk's history: `a` and, after it, `b`.
fn world() -> World {
    let files = [(file("a"), revision("a", &[])), (file("b"), revision("b", &["a"]))];
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    World::new(builtin(&["alembic"]), &files)
}

#[test]
fn the_trunk_went_on_from_what_a_branch_takes_away() {
    let mut world = world();
    world.trunk_commit("t", &[(&file("c"), Some(&revision("c", &["b"])))]);
    world.simple("x", 1, &[(&file("b"), None), (&file("d"), Some(&revision("d", &["a"])))]);
    let want = |holder: &str| format!("error forked b: {holder} alembic/versions/b.py, main alembic/versions/c.py");
    assert_eq!(world.says(), [want("x")]);
    world.head("x");
    let found = world.findings().remove(0);
    assert_eq!(super::said(&found), want("HEAD"));
    assert!(
        found.message.starts_with("`c` comes after `b`, which is not there. Alembic stops at \"KeyError\""),
        "{}",
        found.message
    );
    assert_eq!(found.help.as_deref(), Some("keep `b`, or let `c` come after what is there now"));
    assert_eq!(found.sites[0].note.as_deref(), Some("`b` is taken away"));
    assert_eq!((found.sites[0].position, found.sites[1].note.as_deref()), (None, None));
}

#[test]
fn of_two_branches_the_older_one_keeps_its_place() {
    let mut world = world();
    world.simple("x", 2, &[(&file("b"), None)]).simple("y", 1, &[(&file("c"), Some(&revision("c", &["b"])))]);
    assert_eq!(world.says(), ["error forked b: x alembic/versions/b.py, y alembic/versions/c.py"]);
    world.head("y");
    assert_eq!(world.says(), ["note forked b: x alembic/versions/b.py, HEAD alembic/versions/c.py"]);
    world.head("x");
    assert_eq!(world.says(), ["error forked b: HEAD alembic/versions/b.py, y alembic/versions/c.py"]);
    world.lines[0].0.started = Some(0);
    assert_eq!(world.says(), ["note forked b: y alembic/versions/c.py, HEAD alembic/versions/b.py"]);
    world.head("y");
    assert_eq!(world.says(), ["error forked b: HEAD alembic/versions/c.py, x alembic/versions/b.py"]);
    world.simple("z", 3, &[("src/x", Some("x"))]).head("z");
    assert_eq!(world.says(), [] as [String; 0]);
}

#[test]
fn a_branch_that_lets_its_own_go_on_from_what_it_takes_away() {
    let mut world = world();
    world.simple("x", 1, &[(&file("b"), None), (&file("c"), Some(&revision("c", &["b"])))]);
    assert_eq!(world.says(), ["error forked b: x alembic/versions/b.py, x alembic/versions/c.py"]);
    world.head("x");
    assert_eq!(world.says(), ["error forked b: HEAD alembic/versions/b.py, HEAD alembic/versions/c.py"]);
}

#[test]
fn what_was_never_there_or_is_another_branchs_is_not_looked_for() {
    let mut world = world();
    world.simple("x", 1, &[(&file("c"), Some(&revision("c", &["b"])))]);
    world.simple("y", 2, &[(&file("d"), Some(&revision("d", &["c"])))]);
    world.simple("z", 3, &[(&file("e"), Some(&revision("e", &["of_a_plugin"])))]);
    assert_eq!(world.says(), [] as [String; 0]);
}

#[test]
fn a_stack_that_takes_away_and_mends_as_a_whole_is_silent() {
    let mut world = world();
    world.commit("x1", "root", &[(&file("c"), Some(&revision("c", &["b"])))]);
    world.commit("y1", "x1", &[(&file("b"), None), (&file("c"), Some(&revision("c", &["a"])))]);
    world.branch("x", "x1", 1).branch("y", "y1", 2);
    assert_eq!(world.says(), [] as [String; 0]);
}

#[test]
fn a_trunk_that_lacks_a_parent_already_is_nobodys_fault() {
    let mut world = world();
    world.trunk_commit("t", &[(&file("c"), Some(&revision("c", &["b"])))]);
    world.trunk_commit("u", &[(&file("b"), None)]);
    world.simple("x", 1, &[(&file("b"), None)]);
    assert_eq!(world.says(), [] as [String; 0]);
}

/// A module of the app `shop`.
fn django(after: &[&str]) -> String {
    let pairs: String = after.iter().map(|name| format!("('shop', '{name}'), ")).collect();
    format!("class Migration(migrations.Migration):\n    dependencies = [{pairs}]\n")
}

const FIRST: &str = "shop/migrations/0001_initial.py";
const SECOND: &str = "shop/migrations/0002_price.py";

fn shop() -> World {
    World::new(builtin(&["django-migrations"]), &[(FIRST, &django(&[])), (SECOND, &django(&["0001_initial"]))])
}

#[test]
fn a_migration_that_moves_to_another_app_is_gone() {
    let mut world = shop();
    // every app has a file of this name
    world.simple("x", 1, &[(FIRST, None), ("news/migrations/0001_initial.py", Some(&django(&[])))]);
    assert_eq!(world.says(), [format!("error forked shop: x {FIRST}, main {SECOND}")]);
    world.head("x");
    assert_eq!(world.says(), [format!("error forked shop: HEAD {FIRST}, main {SECOND}")]);
}

#[test]
fn an_app_that_moves_as_a_whole_is_still_there() {
    let mut world = shop();
    let moved = [(FIRST, None), (SECOND, None)];
    let first = django(&[]);
    let second = django(&["0001_initial"]);
    let there = [
        ("apps/shop/migrations/0001_initial.py", Some(&*first)),
        ("apps/shop/migrations/0002_price.py", Some(&*second)),
    ];
    world.simple("x", 1, &[&moved[..], &there[..]].concat());
    world.simple("y", 2, &[("shop/migrations/0003_stock.py", Some(&django(&["0002_price"])))]);
    assert_eq!(world.says(), [] as [String; 0]);
    // half of it is not
    let mut world = shop();
    world.simple("x", 1, &[&moved[..], &there[..1]].concat());
    world.simple("y", 2, &[("shop/migrations/0003_stock.py", Some(&django(&["0002_price"])))]);
    assert_eq!(world.says(), [format!("error forked shop: y shop/migrations/0003_stock.py, x {SECOND}")]);
}

#[test]
fn a_migration_that_a_line_breaks_is_a_gap() {
    let gaps = |world: &World| {
        let report = world.report();
        (report.incomplete.iter().map(|gap| gap.what.clone()).collect::<Vec<_>>(), report.skipped.len())
    };
    let broken = "class Migration(migrations.Migration):\n    dependencies = [('shop', '0001_initial'\n";
    let mut world = shop();
    world.simple("x", 1, &[(SECOND, Some(broken))]);
    world.simple("y", 2, &[("shop/migrations/0003_stock.py", Some(&django(&["0002_price"])))]);
    assert_eq!(gaps(&world), (vec![SECOND.to_owned()], 0));
    assert_eq!(gaps(world.head("x")), (vec![SECOND.to_owned()], 0));
    // another line's is only told
    assert_eq!(gaps(world.head("y")), (vec![], 1));
    // what never could be read is left out, as a whole is
    let mut world = shop();
    world.simple("x", 1, &[("shop/migrations/0003_stock.py", Some(broken))]);
    assert_eq!(gaps(&world), (vec![], 1));
    let mut world = self::world();
    let computed = "revision = 'b'\ndown_revision = parent(";
    world.simple("x", 1, &[(&file("b"), Some(computed))]);
    assert_eq!(gaps(&world), (vec![file("b")], 0));
}

#[test]
fn what_a_revision_depends_on_has_to_stay() {
    let depends = format!("{}depends_on = 'b'\n", revision("z", &[]));
    let files = [(file("a"), revision("a", &[])), (file("b"), revision("b", &["a"])), (file("z"), depends)];
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let mut world = World::new(builtin(&["alembic"]), &files);
    world.simple("x", 1, &[(&file("b"), None)]);
    assert_eq!(world.says(), ["error forked b: x alembic/versions/b.py, main alembic/versions/z.py"]);
    // two heads as before, of which none is one too many
    world.lines.clear();
    world.simple("y", 1, &[(&file("c"), Some(&revision("c", &["b"])))]);
    assert_eq!(world.says(), [] as [String; 0]);
    let mut world = self::world();
    world.simple("x", 1, &[(&file("b"), None)]);
    world.simple("y", 2, &[(&file("z"), Some(&format!("{}depends_on = ('b',)\n", revision("z", &[]))))]);
    assert_eq!(world.says(), ["error forked b: y alembic/versions/z.py, x alembic/versions/b.py"]);
}

#[test]
fn more_lines_than_can_be_held_against_each_other_are_a_gap() {
    let mut world = world();
    for at in 0..101 {
        let name = format!("c{at}");
        world.simple(&format!("x{at}"), at, &[(&file("b"), None)]);
        world.simple(&name, at, &[(&file(&name), Some(&revision(&name, &["b"])))]);
    }
    let report = world.report();
    assert_eq!(report.incomplete.len(), 1, "{:?}", report.incomplete);
    assert!(report.incomplete[0].why.contains("were not held against each other"), "{:?}", report.incomplete);
}
