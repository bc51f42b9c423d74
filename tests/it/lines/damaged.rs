//! Objects that are gone: what can't be looked at is said, and the rest is judged.

use std::fs;

use crate::support::Repo;

#[test]
fn a_folder_of_the_trunk_that_cannot_be_read_is_incomplete_and_the_rest_is_judged() {
    let repo = Repo::new();
    repo.write("supabase/migrations/20240101000000_a.sql", "a").write("supabase/config.toml", "");
    repo.write("apps/web/supabase/migrations/20240101000000_b.sql", "b").commit();
    repo.git(&["checkout", "--quiet", "-b", "change"]);
    repo.write("supabase/migrations/20240101000000_c.sql", "c").commit();
    let tree = repo.git(&["rev-parse", "main:apps/web"]);
    let (folder, name) = tree.trim().split_at(2);
    fs::remove_file(repo.top().join(".git/objects").join(folder).join(name)).expect("it is a loose object");

    let args = ["scan", "--base", "main", "--head", "change", "--format", "json"];
    let run = repo.run(&args).exits(1);
    assert_eq!(run.codes(), ["supabase-migrations/duplicate"]);
    let report = run.json();
    assert_eq!(report["complete"], false);
    assert_eq!(report["incomplete"][0]["what"], "apps/web");

    repo.git(&["checkout", "--quiet", "main"]);
    repo.git(&["branch", "--quiet", "--force", "change", "main"]);
    repo.run(&[&args[..], &["--allow-incomplete"]].concat()).exits(0);
    repo.run(&args).exits(3);
}
