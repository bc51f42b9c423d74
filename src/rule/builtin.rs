//! The rules that come with gatekeep: every file below `rules/`.

macro_rules! builtin {
    ($($path:literal)*) => {
        /// Path below `rules/` and text of each built-in rule file, in the order of their paths.
        pub fn builtin() -> &'static [(&'static str, &'static str)] {
            &[$(($path, include_str!(concat!("../../rules/", $path)))),*]
        }
    };
}

builtin! {
    "environment/compose-project.toml"
    "environment/env-databases.toml"
    "environment/env-ports.toml"
    "functions/edge-functions.toml"
    "migrations/alembic.toml"
    "migrations/django-migrations.toml"
    "migrations/flyway.toml"
    "migrations/golang-migrate.toml"
    "migrations/goose.toml"
    "migrations/laravel.toml"
    "migrations/numbered-files.toml"
    "migrations/prisma.toml"
    "migrations/rails-migrations.toml"
    "migrations/sqlx.toml"
    "migrations/supabase-migrations.toml"
    "registries/adr-numbers.toml"
    "routes/sitemap-urls.toml"
}
