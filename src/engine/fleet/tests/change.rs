//! What the head does wrong by itself, and what other lines can't hide of it.

use std::sync::Arc;

use super::{World, builtin};
use crate::rule::{Rule, spec::RuleFile};

fn rule(text: &str) -> Vec<Arc<Rule>> {
    let whole = format!("schema = 1\nid = 'own'\nsummary = 'x'\nseverity = 'error'\n{text}");
    let file: RuleFile = toml::from_str(&whole).expect("a rule file");
    vec![Arc::new(Rule::compile(file).expect("a rule"))]
}

#[test]
fn another_line_does_not_mend_the_heads_folder() {
    let lock = ("prisma/migrations/migration_lock.toml", "");
    let mut world = World::new(builtin(&["prisma"]), &[lock]);
    let file = |name: &str| format!("prisma/migrations/1_x/{name}.sql");
    world.simple("other", 1, &[(&file("migration"), Some("x")), (&file("a"), Some("x"))]);
    world.simple("head", 2, &[(&file("up"), Some("x")), (&file("down"), Some("y"))]).head("head");
    assert_eq!(world.says(), ["error malformed 1_x: HEAD prisma/migrations/1_x/down.sql"]);
    world.head("other");
    assert_eq!(world.says(), [] as [String; 0]);
}

const LIMITED: &str = "[[claim]]\nfiles = '*.txt'\nline = '^(?<key>[a-z]+)$'\n[policy]\nunique = true\n\
                       [[policy.quota]]\nper = 'file'\nkeys = 2\nseverity = 'warning'\n\
                       [[policy.quota]]\nper = 'partition'\nkeys = 4\nseverity = 'error'\n";

#[test]
fn only_what_grows_is_held_against_a_limit() {
    let base = [("a.txt", "a\nb\nc\n"), ("b.txt", "d\n")];
    let mut world = World::new(rule(LIMITED), &base);
    world.simple("head", 1, &[("b.txt", Some("e\n"))]).head("head");
    assert_eq!(world.says(), [] as [String; 0], "the trunk's file is too long already");
    world.lines.clear();
    world.simple("more", 1, &[("b.txt", Some("d\ne\n"))]).head("more");
    assert_eq!(world.says(), ["error over-quota names: HEAD a.txt"], "the namespace grows past its limit, and no file");
    world.lines.clear();
    world.simple("shrinks", 1, &[("a.txt", Some("a\nb\n")), ("b.txt", Some("d\ne\nf\n"))]).head("shrinks");
    assert_eq!(
        world.says(),
        ["error over-quota names: HEAD a.txt", "warning over-quota names: HEAD b.txt"],
        "one file grows past its limit, and the sum with it"
    );
    world.lines.clear();
    world.simple("moves", 1, &[("a.txt", Some("a\n")), ("b.txt", Some("d\nb\nc\n"))]).head("moves");
    assert_eq!(world.says(), ["warning over-quota names: HEAD b.txt"]);
}

#[test]
fn a_migration_that_a_line_computes_hides_only_that_line() {
    let path = |name: &str| format!("shop/migrations/{name}.py");
    let migration = |parent: &str, more: &str| {
        format!("class Migration(migrations.Migration):\n    dependencies = [{parent}]{more}\n")
    };
    let child = migration("('shop', '0001')", "");
    let mut world = World::new(builtin(&["django-migrations"]), &[(&path("0001"), &migration("", ""))]);
    world.simple("a", 1, &[(&path("0002_a"), Some(&child))]);
    world.simple("b", 2, &[(&path("0002_b"), Some(&format!("{child}# b\n")))]);
    world.simple("c", 3, &[(&path("0002_c"), Some(&migration("('shop', '0001')", " + more()")))]);
    assert_eq!(world.says(), ["error forked shop: b shop/migrations/0002_b.py, a shop/migrations/0002_a.py"]);
    let skipped = world.report().skipped;
    assert_eq!(skipped.len(), 1);
    assert!(
        skipped[0].what.starts_with("the migrations in shop") && skipped[0].what.ends_with("(on c)"),
        "{skipped:?}"
    );
    // one on the trunk hides the whole chain
    world.trunk_commit("t", &[(&path("0002_t"), Some(&migration("('shop', '0001')", " + more()")))]);
    assert_eq!(world.says(), [] as [String; 0]);
    assert_eq!(world.report().skipped.len(), 1);
}

#[test]
fn a_line_can_not_hide_whose_a_folder_is() {
    let up = "-- +goose Up\n";
    let mut world = World::new(builtin(&["goose"]), &[("db/1_a.sql", up)]);
    world.simple("a", 1, &[("db/2_a.sql", Some("-- +goose Up\n-- a\n"))]);
    world.simple("b", 2, &[("db/2_b.sql", Some("-- +goose Up\n-- b\n"))]);
    world.simple("c", 3, &[("db/7_x.sql", Some("x")), ("db/8_x.sql", Some("y")), ("db/9_x.sql", Some("z"))]);
    assert_eq!(world.says(), ["error duplicate 2: b db/2_b.sql, a db/2_a.sql"]);
}
