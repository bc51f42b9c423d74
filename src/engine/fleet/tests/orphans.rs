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
