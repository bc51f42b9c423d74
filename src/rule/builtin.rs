//! The rules that come with gatekeep: every file below `rules/`, and an index that tells what each wants before its file is understood.

mod index;
#[cfg(test)]
mod tests;

pub(super) use index::INDEX;

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
    "migrations/aerich.toml"
    "migrations/alembic.toml"
    "migrations/atlas.toml"
    "migrations/d1.toml"
    "migrations/dbmate.toml"
    "migrations/diesel.toml"
    "migrations/django-migrations.toml"
    "migrations/doctrine.toml"
    "migrations/drizzle-journal.toml"
    "migrations/drizzle.toml"
    "migrations/ecto.toml"
    "migrations/ef-core.toml"
    "migrations/encore.toml"
    "migrations/fluentmigrator.toml"
    "migrations/flyway.toml"
    "migrations/golang-migrate.toml"
    "migrations/goose.toml"
    "migrations/graphile-migrate.toml"
    "migrations/hasura.toml"
    "migrations/knex.toml"
    "migrations/kysely.toml"
    "migrations/laravel.toml"
    "migrations/liquibase.toml"
    "migrations/migrate-mongo.toml"
    "migrations/mikro-orm.toml"
    "migrations/mybatis.toml"
    "migrations/netlify-db.toml"
    "migrations/node-pg-migrate.toml"
    "migrations/numbered-files.toml"
    "migrations/peewee-migrate.toml"
    "migrations/pgroll.toml"
    "migrations/phinx.toml"
    "migrations/prisma.toml"
    "migrations/rails-migrations.toml"
    "migrations/refinery.toml"
    "migrations/sea-orm.toml"
    "migrations/sequelize.toml"
    "migrations/sql-migrate.toml"
    "migrations/sqlx.toml"
    "migrations/supabase-migrations.toml"
    "migrations/tern.toml"
    "migrations/typeorm.toml"
    "migrations/yoyo.toml"
    "registries/adr-numbers.toml"
    "routes/sitemap-urls.toml"
}
