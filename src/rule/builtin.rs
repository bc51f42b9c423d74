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
    "migrations/atlas.toml"
    "migrations/dbmate.toml"
    "migrations/diesel.toml"
    "migrations/django-migrations.toml"
    "migrations/doctrine.toml"
    "migrations/ecto.toml"
    "migrations/encore.toml"
    "migrations/fluentmigrator.toml"
    "migrations/flyway.toml"
    "migrations/golang-migrate.toml"
    "migrations/goose.toml"
    "migrations/hasura.toml"
    "migrations/laravel.toml"
    "migrations/mybatis.toml"
    "migrations/netlify-db.toml"
    "migrations/phinx.toml"
    "migrations/prisma.toml"
    "migrations/rails-migrations.toml"
    "migrations/refinery.toml"
    "migrations/sql-migrate.toml"
    "migrations/sqlx.toml"
    "migrations/supabase-migrations.toml"
    "migrations/tern.toml"
    "registries/adr-numbers.toml"
    "routes/sitemap-urls.toml"
}
