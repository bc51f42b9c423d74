//! `gatekeep fix`, in real repositories.

use crate::support::{Repo, Run};

type Files<'a> = &'a [(&'a str, &'a str)];

/// A trunk and a branch that left it earlier, which is checked out.
fn change(first: Files<'_>, trunk: Files<'_>, own: Files<'_>) -> Repo {
    let repo = Repo::new();
    let write = |files: Files<'_>| {
        files.iter().for_each(|(path, text)| {
            repo.write(path, text);
        });
        repo.commit();
    };
    write(first);
    repo.git(&["checkout", "--quiet", "-b", "feature"]);
    write(own);
    repo.git(&["checkout", "--quiet", "main"]);
    write(trunk);
    repo.git(&["checkout", "--quiet", "feature"]);
    repo
}

/// The files of the working tree, in order.
fn files(repo: &Repo) -> Vec<String> {
    let listed = repo.git(&["ls-files", "--cached", "--others", "--exclude-standard", "--deduplicate"]);
    let mut all: Vec<String> =
        listed.lines().filter(|path| repo.top().join(path).exists()).map(str::to_owned).collect();
    all.sort();
    all
}

fn scan(repo: &Repo) -> Run {
    repo.run(&["scan", "--base", "main", "--format", "json"])
}

/// Mends the change: it collides before, and is clean afterwards, before and after the commit, and as merged.
#[track_caller]
fn mended(repo: &Repo) -> Run {
    assert_ne!(scan(repo).codes(), [""; 0], "there is something to mend");
    let before = files(repo);
    let dry = repo.run(&["fix", "--base", "main", "--dry-run"]).exits(0);
    assert_eq!(files(repo), before, "a dry run does nothing");
    repo.write("../dry.patch", &dry.stdout);
    repo.git(&["apply", "--check", "../dry.patch"]);
    let run = repo.run(&["fix", "--base", "main"]).exits(0);
    assert_eq!(scan(repo).exits(0).codes(), [""; 0]);
    repo.run(&["fix", "--base", "main"]).exits(0);
    repo.commit();
    assert_eq!(scan(repo).exits(0).codes(), [""; 0]);
    run
}

/// Mends it, merges the trunk, and looks at the whole.
#[track_caller]
fn mended_and_merged(repo: &Repo) -> Run {
    let run = mended(repo);
    repo.git(&["merge", "--quiet", "--no-edit", "main"]);
    assert_eq!(repo.run(&["scan", "--format", "json"]).exits(0).codes(), [""; 0]);
    run
}

/// The files of a change by another name than before, `from -> to`.
fn renames(repo: &Repo) -> Vec<String> {
    let args = ["diff", "--name-status", "--find-renames=20%", "--diff-filter=R", "HEAD~1", "HEAD"];
    let listed = repo.git(&args);
    let rename = |line: &str| line.split('\t').skip(1).collect::<Vec<_>>().join(" -> ");
    let mut all: Vec<String> = listed.lines().map(rename).collect();
    all.sort();
    all
}

#[test]
fn numbers_go_on_from_the_trunk_and_what_belongs_together_stays_together() {
    let cases: [(Files<'_>, Files<'_>, Files<'_>, &[&str]); 9] = [
        (
            &[("db/0001_init.sql", "-- +goose Up\nselect 1;\n")],
            &[("db/0002_theirs.sql", "-- +goose Up\nselect 2;\n")],
            &[("db/0002_mine.sql", "-- +goose Up\nselect 3;\n"), ("db/0003_later.sql", "-- +goose Up\nselect 4;\n")],
            &["db/0002_mine.sql -> db/0003_mine.sql", "db/0003_later.sql -> db/0004_later.sql"],
        ),
        (
            &[
                ("go.mod", "require github.com/golang-migrate/migrate/v4 v4.17.0\n"),
                ("m/000001_a.up.sql", "a"),
                ("m/000001_a.down.sql", "a-"),
            ],
            &[("m/000002_b.up.sql", "b\n")],
            &[("m/000002_c.up.sql", "up c\n"), ("m/000002_c.down.sql", "down c\n")],
            &["m/000002_c.down.sql -> m/000003_c.down.sql", "m/000002_c.up.sql -> m/000003_c.up.sql"],
        ),
        (
            &[("src/main/resources/db/migration/V1__init.sql", "1")],
            &[("src/main/resources/db/migration/V1_1__theirs.sql", "2")],
            &[
                ("src/main/resources/db/migration/V1.1__mine.sql", "mine\n"),
                ("src/main/resources/db/migration/V1.1__mine.sql.conf", "executeInTransaction=false\n"),
            ],
            &[
                "src/main/resources/db/migration/V1.1__mine.sql -> src/main/resources/db/migration/V1_2__mine.sql",
                "src/main/resources/db/migration/V1.1__mine.sql.conf -> src/main/resources/db/migration/V1_2__mine.sql.conf",
            ],
        ),
        (
            &[("Cargo.toml", "[dependencies]\nrefinery = \"0.8\"\n"), ("migrations/V1__init.sql", "1")],
            &[("migrations/V2__theirs.sql", "2")],
            &[("migrations/U2__mine.sql", "mine\n")],
            &["migrations/U2__mine.sql -> migrations/U3__mine.sql"],
        ),
        (
            &[("m/001_init.sql", "a\n---- create above / drop below ----\nb\n")],
            &[("m/002_theirs.sql", "c\n---- create above / drop below ----\nd\n")],
            &[
                ("m/002_mine.sql", "e\n---- create above / drop below ----\nf\n"),
                ("m/003_more.sql", "g\n---- create above / drop below ----\nh\n"),
            ],
            &["m/002_mine.sql -> m/003_mine.sql", "m/003_more.sql -> m/004_more.sql"],
        ),
        (
            &[("netlify.toml", ""), ("netlify/database/migrations/0001_users.sql", "1")],
            &[("netlify/database/migrations/0002_posts.sql", "2")],
            &[("netlify/database/migrations/0002_teams/migration.sql", "mine\n")],
            &[
                "netlify/database/migrations/0002_teams/migration.sql -> netlify/database/migrations/0003_teams/migration.sql",
            ],
        ),
        (
            &[("encore.app", "{}\n"), ("user/migrations/1_init.up.sql", "1")],
            &[("user/migrations/2_roles.up.sql", "2")],
            &[("user/migrations/2_teams.up.sql", "mine up\n"), ("user/migrations/2_teams.down.sql", "mine down\n")],
            &[
                "user/migrations/2_teams.down.sql -> user/migrations/3_teams.down.sql",
                "user/migrations/2_teams.up.sql -> user/migrations/3_teams.up.sql",
            ],
        ),
        (
            &[
                ("server/db/migrations/001_a.sql", "a"),
                ("server/db/migrations/002_b.sql", "b"),
                ("server/db/migrations/003_c.sql", "c"),
                ("server/db/migrations/004_d.sql", "d"),
                ("server/db/migrations/005_e.sql", "e"),
                ("server/db/migrations/006_f.sql", "f"),
                ("server/db/migrations/007_g.sql", "g"),
                ("server/db/migrations/008_h.sql", "h"),
            ],
            &[("server/db/migrations/009_theirs.sql", "t")],
            &[("server/db/migrations/009_mine.sql", "mine\n")],
            &["server/db/migrations/009_mine.sql -> server/db/migrations/010_mine.sql"],
        ),
        (
            &[("docs/adr/0001-a.md", "# 1. A\n"), ("docs/adr/README.md", "- [1](0001-a.md)\n")],
            &[("docs/adr/0002-theirs.md", "# 2. Theirs\n")],
            &[
                ("docs/adr/0002-mine.md", "# 2. Mine\n\nSee [1](0001-a.md).\n"),
                ("docs/adr/0002-mine.de.md", "# 2. Meins\n\nSiehe [1](0001-a.md).\n"),
                ("docs/adr/0003-other.md", "# 3. Other\n\nAfter [2](0002-mine.md).\n"),
                ("docs/adr/README.md", "- [1](0001-a.md)\n- [2](0002-mine.md)\n"),
            ],
            &["docs/adr/0002-mine.de.md -> docs/adr/0004-mine.de.md", "docs/adr/0002-mine.md -> docs/adr/0004-mine.md"],
        ),
    ];
    for (first, trunk, own, want) in cases {
        let repo = change(first, trunk, own);
        mended(&repo);
        assert_eq!(renames(&repo), want);
        if first[0].0.starts_with("docs") {
            assert_eq!(repo.read("docs/adr/0004-mine.md"), "# 4. Mine\n\nSee [1](0001-a.md).\n");
            assert_eq!(repo.read("docs/adr/0003-other.md"), "# 3. Other\n\nAfter [2](0004-mine.md).\n");
            assert_eq!(repo.read("docs/adr/README.md"), "- [1](0001-a.md)\n- [2](0004-mine.md)\n");
        }
        repo.git(&["merge", "--quiet", "--no-edit", "main"]);
        assert_eq!(repo.run(&["scan", "--format", "json"]).exits(0).codes(), [""; 0]);
    }
}

#[test]
fn times_become_the_present_one_and_keep_their_order() {
    let sql = |path: &str, name: &str| path.replace("{}", name);
    let cases: [(Files<'_>, &str); 8] = [
        (&[("supabase/config.toml", "")], "supabase/migrations/20260428000000_{}.sql"),
        (&[("config/application.rb", "")], "db/migrate/20260428000000_{}.rb"),
        (&[("Cargo.toml", "[dependencies]\nsqlx = \"0.8\"\n")], "migrations/20260428000000_{}.sql"),
        (&[("Cargo.toml", "[dependencies]\ndiesel = \"2\"\n")], "migrations/2026-04-28-000000_{}/up.sql"),
        (
            &[("hasura/config.yaml", "version: 3\nendpoint: http://localhost\nmetadata_directory: metadata\n")],
            "hasura/migrations/default/1620000000000_{}/up.sql",
        ),
        (&[("mix.exs", "")], "priv/repo/migrations/20260428000000_{}.exs"),
        (&[("db/migrations/20260101000000_x.sql", "-- migrate:up\n")], "db/migrations/20260428000000_{}.sql"),
        (&[("phinx.php", "")], "db/migrations/20260428000000_{}.php"),
    ];
    for (first, path) in cases {
        let text = |name: &str| match path.rsplit('.').next() {
            Some("exs") => format!("defmodule A.{name} do\n  use Ecto.Migration\nend\n"),
            Some("php") => format!(
                "<?php\nuse Phinx\\Migration\\AbstractMigration;\nfinal class {name} extends AbstractMigration {{}}\n"
            ),
            _ => format!("-- migrate:up\n-- {name}\n"),
        };
        let (first_path, theirs, mine) = (
            sql(path, "init").replace("0428", "0102").replace("04-28", "01-02").replace("1620", "1610"),
            sql(path, "theirs"),
            sql(path, "mine"),
        );
        let later =
            sql(path, "later").replace("28000000", "29000000").replace("04-28", "04-29").replace("1620", "1621");
        let down = mine.replace("up.sql", "down.sql");
        let (init, their_text, my_text, later_text) = (text("init"), text("theirs"), text("mine"), text("later"));
        let mut before = first.to_vec();
        before.push((&first_path, &init));
        let mut own = vec![(mine.as_str(), my_text.as_str()), (later.as_str(), later_text.as_str())];
        if down != mine {
            own.push((&down, "drop"));
        }
        let repo = change(&before, &[(&theirs, &their_text)], &own);
        mended_and_merged(&repo);
        let all = files(&repo);
        let at =
            |name: &str| all.iter().position(|path| path.contains(name)).unwrap_or_else(|| panic!("{name}: {all:?}"));
        assert!(at("_init") < at("_theirs") && at("_theirs") < at("_mine") && at("_mine") < at("_later"), "{all:?}");
        assert!(!all.contains(&mine) && all.contains(&theirs), "{all:?}");
        if down != mine {
            let folder = all[at("_mine")].rsplit_once('/').expect("it lies in a folder").0;
            assert!(
                all.contains(&format!("{folder}/up.sql")) && all.contains(&format!("{folder}/down.sql")),
                "{all:?}"
            );
            assert!(!repo.top().join(&mine).parent().expect("a folder").exists(), "no empty folder is left");
        }
    }
}

#[test]
fn a_java_migration_is_called_as_its_file() {
    let at = |name: &str| format!("src/main/java/db/migration/{name}.java");
    let text = |name: &str| {
        format!("package db.migration;\n\npublic class {name} extends BaseJavaMigration {{\n  // {name}\n}}\n")
    };
    let (theirs, mine) = (at("V2__Theirs"), at("V2__Mine"));
    let (their_text, my_text) = (text("V2__Theirs"), text("V2__Mine"));
    let repo = change(
        &[("src/main/resources/db/migration/V1__init.sql", "1")],
        &[(&theirs, &their_text)],
        &[(&mine, &my_text)],
    );
    mended_and_merged(&repo);
    assert_eq!(repo.read(&at("V3__Mine")), text("V3__Mine"));
}

#[test]
fn alembic_revisions_come_after_the_last_of_the_trunk() {
    let file = |id: &str, down: &str| {
        format!("\"\"\"x\n\nRevision ID: {id}\nRevises: {down}\n\"\"\"\nrevision = '{id}'\ndown_revision = '{down}'\n")
    };
    let (b2, c3, d4) = (file("b2", "a1"), file("c3", "a1"), file("d4", "c3"));
    let first = [("alembic/versions/a1.py", "revision = 'a1'\ndown_revision = None\n")];
    let repo = change(
        &first,
        &[("alembic/versions/b2.py", &b2)],
        &[("alembic/versions/c3.py", &c3), ("alembic/versions/d4.py", &d4)],
    );
    let run = mended_and_merged(&repo);
    assert_eq!(repo.read("alembic/versions/c3.py"), file("c3", "b2"));
    assert_eq!(repo.read("alembic/versions/d4.py"), d4);
    assert!(run.stdout.contains("merge the base before"), "{}", run.stdout);

    let twin = file("b2", "a1");
    let child = file("e5", "b2");
    let repo = change(
        &first,
        &[("alembic/versions/b2_theirs.py", &b2)],
        &[("alembic/versions/b2_mine.py", &twin), ("alembic/versions/e5.py", &child)],
    );
    mended_and_merged(&repo);
}

#[test]
fn a_change_that_takes_merged_revisions_away_is_left_for_a_person() {
    let file = |id: &str, down: &str| format!("revision = '{id}'\ndown_revision = '{down}'\n");
    let (b2, b9, c3) = (file("b2", "a1"), file("b9", "a1"), file("c3", "b2"));
    let first =
        [("alembic/versions/a1.py", "revision = 'a1'\ndown_revision = None\n"), ("alembic/versions/b2.py", &b2)];
    let repo = change(&first, &[("alembic/versions/c3.py", &c3)], &[("alembic/versions/b2.py", &b9)]);
    assert_eq!(scan(&repo).exits(1).codes(), ["alembic/forked"]);
    let run = repo.run(&["fix", "--base", "main"]).exits(1);
    assert!(run.stdout.contains("left alone") && run.stdout.contains("put it back first"), "{}", run.stdout);
    assert_eq!(repo.read("alembic/versions/b2.py"), b9);
}

#[test]
fn django_migrations_come_after_the_last_of_the_trunk() {
    let module = |pairs: &str| {
        format!(
            "from django.db import migrations\n\n\nclass Migration(migrations.Migration):\n    dependencies = [{pairs}]\n    operations = []\n"
        )
    };
    let (initial, child) = (module(""), module("(\"shop\", \"0001_initial\")"));
    let (more, blog) = (module("('shop', '0002_stock')"), module("('shop', '0002_stock')"));
    let repo = change(
        &[
            ("manage.py", ""),
            ("shop/migrations/__init__.py", ""),
            ("shop/migrations/0001_initial.py", &initial),
            ("shop/migrations/max_migration.txt", "0001_initial\n"),
        ],
        &[("shop/migrations/0002_price.py", &child)],
        &[
            ("shop/migrations/0002_stock.py", &child),
            ("shop/migrations/0003_more.py", &more),
            ("blog/migrations/0001_initial.py", &blog),
            ("shop/migrations/max_migration.txt", "0003_more\n"),
        ],
    );
    mended_and_merged(&repo);
    assert_eq!(repo.read("shop/migrations/0003_stock.py"), module("(\"shop\", \"0002_price\")"));
    assert_eq!(repo.read("shop/migrations/0004_more.py"), module("('shop', '0003_stock')"));
    assert_eq!(repo.read("blog/migrations/0001_initial.py"), module("('shop', '0003_stock')"));
    assert_eq!(repo.read("shop/migrations/max_migration.txt"), "0004_more\n");
}

#[test]
fn drizzle_migrations_come_after_the_last_of_the_trunk() {
    const ZERO: &str = "00000000-0000-0000-0000-000000000000";
    let table = |name: &str| format!("    \"{name}\": {{\n      \"name\": \"{name}\"\n    }}");
    let snapshot = |id: &str, prev: &str, tables: &[&str]| {
        let tables: Vec<String> = tables.iter().map(|name| table(name)).collect();
        format!(
            "{{\n  \"version\": \"6\",\n  \"id\": \"{id}\",\n  \"prevId\": \"{prev}\",\n  \"tables\": {{\n{}\n  }}\n}}\n",
            tables.join(",\n")
        )
    };
    let journal = |entries: &[(u32, u64, &str)]| {
        let entry = |(idx, when, tag): &(u32, u64, &str)| {
            format!(
                "    {{\n      \"idx\": {idx},\n      \"version\": \"6\",\n      \"when\": {when},\n      \"tag\": \"{tag}\",\n      \"breakpoints\": true\n    }}"
            )
        };
        let entries: Vec<String> = entries.iter().map(entry).collect();
        format!(
            "{{\n  \"version\": \"7\",\n  \"dialect\": \"sqlite\",\n  \"entries\": [\n{}\n  ]\n}}\n",
            entries.join(",\n")
        )
    };
    let (first, theirs, mine) = (
        journal(&[(0, 100, "0000_a")]),
        journal(&[(0, 100, "0000_a"), (1, 300, "0001_theirs")]),
        journal(&[(0, 100, "0000_a"), (1, 200, "0001_mine")]),
    );
    let (s0, s1, m1) =
        (snapshot("s0", ZERO, &["a"]), snapshot("s1", "s0", &["a", "theirs"]), snapshot("m1", "s0", &["a", "mine"]));
    let at = "drizzle/meta/_journal.json";
    let repo = change(
        &[
            ("drizzle.config.ts", "export default { out: './drizzle' };\n"),
            (at, &first),
            ("drizzle/meta/0000_snapshot.json", &s0),
            ("drizzle/0000_a.sql", "create a;\n"),
        ],
        &[(at, &theirs), ("drizzle/meta/0001_snapshot.json", &s1), ("drizzle/0001_theirs.sql", "create theirs;\n")],
        &[(at, &mine), ("drizzle/meta/0001_snapshot.json", &m1), ("drizzle/0001_mine.sql", "create mine;\n")],
    );
    mended(&repo);
    assert_eq!(repo.read(at), journal(&[(0, 100, "0000_a"), (2, 301, "0002_mine")]));
    assert_eq!(repo.read("drizzle/meta/0002_snapshot.json"), snapshot("m1", "s1", &["a", "theirs", "mine"]));
    assert_eq!(repo.read("drizzle/0002_mine.sql"), "create mine;\n");
}

#[test]
fn equal_numbers_that_are_legal_are_left_as_they_are() {
    let cases: [(Files<'_>, &str); 2] = [
        (
            &[("prisma/schema.prisma", ""), ("prisma/migrations/migration_lock.toml", "provider = \"postgresql\"\n")],
            "prisma/migrations/20260428000000_{}/migration.sql",
        ),
        (
            &[("artisan", ""), ("composer.json", "{\"require\": {\"laravel/framework\": \"^11\"}}\n")],
            "database/migrations/2026_04_28_000000_{}.php",
        ),
    ];
    for (first, path) in cases {
        let (theirs, mine) = (path.replace("{}", "theirs"), path.replace("{}", "mine"));
        let repo = change(first, &[(&theirs, "a")], &[(&mine, "b")]);
        let run = repo.run(&["fix", "--base", "main"]).exits(0);
        assert_eq!(run.stdout, "nothing collides\n");
        assert!(repo.top().join(mine).exists());
    }
}

const FIRST: Files<'static> =
    &[("supabase/config.toml", ""), ("supabase/migrations/20260101000000_init.sql", "-- init\n")];
const THEIRS: Files<'static> = &[("supabase/migrations/20260428000000_theirs.sql", "-- theirs\n")];
const MINE: &str = "supabase/migrations/20260428000000_mine.sql";

fn supabase() -> Repo {
    change(FIRST, THEIRS, &[(MINE, "-- mine\n")])
}

#[test]
fn what_was_pushed_is_left_alone_unless_it_is_asked_for() {
    let repo = supabase();
    repo.git(&["clone", "--quiet", "--bare", ".", "../origin.git"]);
    repo.git(&["remote", "add", "origin", "../origin.git"]);
    repo.git(&["fetch", "--quiet", "origin"]);
    let run = repo.run(&["fix", "--base", "main"]).exits(1);
    assert!(
        run.stdout.contains("left alone") && run.stdout.contains("origin/feature") && run.stdout.contains("--unsafe"),
        "{}",
        run.stdout
    );
    assert!(repo.top().join(MINE).exists());
    let json = repo.run(&["fix", "--base", "main", "--dry-run", "--unsafe", "--format", "json"]).exits(0).json();
    assert_eq!(
        (&json["fixes"][0]["safety"], &json["left"], &json["dry_run"]),
        (&"unsafe".into(), &serde_json::json!([]), &true.into())
    );
    assert_eq!(json["fixes"][0]["renames"][0]["from"], MINE);
    repo.run(&["fix", "--base", "main", "--unsafe"]).exits(0);
    assert!(!repo.top().join(MINE).exists());
}

#[test]
fn what_is_merged_is_never_renamed_and_that_is_said() {
    let repo = supabase();
    repo.git(&["merge", "--quiet", "--no-edit", "main"]);
    repo.git(&["checkout", "--quiet", "main"]);
    repo.git(&["merge", "--quiet", "feature"]);
    let before = files(&repo);
    for more in [&[][..], &["--unsafe"]] {
        let run = repo.run(&[&["fix", "--base", "main"], more].concat()).exits(1);
        assert!(run.stdout.contains("left alone: supabase-migrations/duplicate `20260428000000`"), "{}", run.stdout);
        assert!(run.stdout.contains("on main already"), "{}", run.stdout);
        assert_eq!(files(&repo), before);
    }
}

#[test]
fn names_that_other_branches_have_are_passed_over_and_uncommitted_files_count() {
    let repo =
        change(&[("docs/adr/0001-a.md", "# 1. A\n")], &[("docs/adr/0002-theirs.md", "# 2. Theirs\n")], &[("x", "")]);
    repo.git(&["checkout", "--quiet", "-b", "other", "main"]);
    repo.write("docs/adr/0003-other.md", "# 3. Other\n").commit();
    repo.git(&["checkout", "--quiet", "feature"]);
    repo.write("docs/adr/0002-mine.md", "# 2. Mine\n");
    let run = repo.run(&["fix", "--base", "main"]).exits(0);
    assert_eq!(
        run.stdout,
        "renamed docs/adr/0002-mine.md → docs/adr/0004-mine.md, and edited it\nnext: `git add --all`, and commit\n"
    );
    assert_eq!(repo.read("docs/adr/0004-mine.md"), "# 4. Mine\n");
}

#[test]
fn paths_and_rules_can_be_named() {
    let repo = change(
        &[FIRST, &[("docs/adr/0001-a.md", "# 1. A\n")]].concat(),
        &[THEIRS, &[("docs/adr/0002-theirs.md", "# 2. Theirs\n")]].concat(),
        &[(MINE, "-- mine\n"), ("docs/adr/0002-mine.md", "# 2. Mine\n")],
    );
    let renamed = |args: &[&str]| {
        let json =
            repo.run(&[&["fix", "--base", "main", "--dry-run", "--format", "json"], args].concat()).exits(0).json();
        let fixes = json["fixes"].as_array().expect("a list").clone();
        fixes.iter().map(|fix| fix["rule"].as_str().expect("an id").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(renamed(&[]), ["adr-numbers", "supabase-migrations"]);
    assert_eq!(renamed(&["docs"]), ["adr-numbers"]);
    assert_eq!(renamed(&["--only", "supabase-migrations"]), ["supabase-migrations"]);
    repo.run(&["fix", "--only", "nonsense"]).exits(2);
    repo.run(&["fix", "--base", "nonsense"]).exits(2);
}

#[test]
fn a_name_that_is_a_word_is_left_for_a_person() {
    let text = "class AddStatus < ActiveRecord::Migration[7.1]\nend\n";
    let repo = change(
        &[("config/application.rb", "")],
        &[("db/migrate/20260101000000_add_status.rb", text)],
        &[("db/migrate/20260102000000_add_status.rb", "class AddStatus < ActiveRecord::Migration[8.0]\nend\n")],
    );
    let before = files(&repo);
    let run = repo.run(&["fix", "--base", "main"]).exits(1);
    assert!(run.stdout.contains("choose another word"), "{}", run.stdout);
    assert_eq!(files(&repo), before);
}

#[test]
fn without_a_repository_or_a_trunk_nothing_is_done() {
    Repo::plain().run(&["fix"]).exits(2);
    let repo = Repo::new();
    repo.write("x", "").commit();
    repo.git(&["branch", "--quiet", "-m", "odd"]);
    repo.run(&["fix"]).exits(2);
}

#[cfg(unix)]
#[test]
fn a_folder_that_can_not_be_written_to_changes_nothing() {
    use std::os::unix::fs::PermissionsExt as _;
    let repo = change(
        &[FIRST, &[("docs/adr/0001-a.md", "# 1. A\n")]].concat(),
        &[THEIRS, &[("docs/adr/0002-theirs.md", "# 2. Theirs\n")]].concat(),
        &[(MINE, "-- mine\n"), ("docs/adr/0002-mine.md", "# 2. Mine\n")],
    );
    let folder = repo.top().join("supabase/migrations");
    let mode = |mode| std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(mode)).expect("it is ours");
    mode(0o555);
    let is_kept_out = std::fs::write(folder.join("probe"), "").is_err(); // root is never
    let before = files(&repo);
    let run = repo.run(&["fix", "--base", "main"]);
    mode(0o755);
    if is_kept_out {
        assert_eq!(run.status, 2, "{run:?}");
        assert_eq!(files(&repo), before);
        assert_eq!(repo.read("docs/adr/0002-mine.md"), "# 2. Mine\n");
        assert!(run.stderr.contains("all files are as they were"), "{}", run.stderr);
    }
}
