//! What each built-in rule wants. Written by `GATEKEEP_UPDATE=1 cargo test --lib the_index`; the same test holds it against the files.

use std::borrow::Cow::Borrowed;

use crate::rule::{
    head::{Head, Known},
    plan::What::{Beside, Claim, From, Ignored, Malformed, Manifest, Marker, Text, Unclaimed},
    spec::Group,
};

/// In the order of [`builtin`](super::builtin).
#[rustfmt::skip]
pub(in crate::rule) static INDEX: &[Known] = &[
    Known {
        head: Head {
            id: Borrowed("compose-project"), group: Some(Group::Environment), between_worktrees: true, reads_settings: false,
            root_anywhere: false, invented_if_asked: false, kinds: Borrowed(&["duplicate"]),
        },
        wants: &[
            (Beside(1), "**/.env"),
            (Beside(2), "**/.env"),
            (Beside(3), "**/.env"),
            (Beside(4), "**/.env"),
            (Ignored(0), "**/.env"),
            (Ignored(1), "**/compose*.yaml"), (Ignored(1), "**/compose*.yml"), (Ignored(1), "**/docker-compose*.yaml"), (Ignored(1), "**/docker-compose*.yml"),
            (Ignored(2), "**/compose*.yaml"), (Ignored(2), "**/compose*.yml"), (Ignored(2), "**/docker-compose*.yaml"), (Ignored(2), "**/docker-compose*.yml"),
            (Ignored(3), "**/compose*.yaml"), (Ignored(3), "**/compose*.yml"), (Ignored(3), "**/docker-compose*.yaml"), (Ignored(3), "**/docker-compose*.yml"),
            (Ignored(4), "**/compose*.yaml"), (Ignored(4), "**/compose*.yml"), (Ignored(4), "**/docker-compose*.yaml"), (Ignored(4), "**/docker-compose*.yml"),
            (Ignored(5), "**/supabase/config.toml"),
        ],
    },
    Known {
        head: Head {
            id: Borrowed("env-databases"), group: Some(Group::Environment), between_worktrees: true, reads_settings: false,
            root_anywhere: false, invented_if_asked: false, kinds: Borrowed(&["duplicate"]),
        },
        wants: &[
            (Beside(0), "**/compose*.yaml"), (Beside(0), "**/compose*.yml"), (Beside(0), "**/docker-compose*.yaml"), (Beside(0), "**/docker-compose*.yml"),
            (Beside(1), "**/compose*.yaml"), (Beside(1), "**/compose*.yml"), (Beside(1), "**/docker-compose*.yaml"), (Beside(1), "**/docker-compose*.yml"),
            (Ignored(0), "**/.env"), (Ignored(0), "**/.env.development"), (Ignored(0), "**/.env.local"), (Ignored(0), "**/.env.development.local"),
            (Ignored(1), "**/.env"), (Ignored(1), "**/.env.development"), (Ignored(1), "**/.env.local"), (Ignored(1), "**/.env.development.local"),
        ],
    },
    Known {
        head: Head {
            id: Borrowed("env-ports"), group: Some(Group::Environment), between_worktrees: true, reads_settings: false,
            root_anywhere: false, invented_if_asked: false, kinds: Borrowed(&["duplicate"]),
        },
        wants: &[
            (Beside(0), "**/compose*.yaml"), (Beside(0), "**/compose*.yml"), (Beside(0), "**/docker-compose*.yaml"), (Beside(0), "**/docker-compose*.yml"),
            (Beside(1), "**/.env"),
            (Ignored(0), "**/.env"), (Ignored(0), "**/.env.development"), (Ignored(0), "**/.env.local"), (Ignored(0), "**/.env.development.local"),
            (Ignored(1), "**/compose*.yaml"), (Ignored(1), "**/compose*.yml"), (Ignored(1), "**/docker-compose*.yaml"), (Ignored(1), "**/docker-compose*.yml"),
            (Ignored(2), "**/supabase/config.toml"),
            (Ignored(3), "**/supabase/config.toml"),
        ],
    },
    Known {
        head: Head {
            id: Borrowed("edge-functions"), group: Some(Group::Functions), between_worktrees: false, reads_settings: false,
            root_anywhere: false, invented_if_asked: false, kinds: Borrowed(&["duplicate", "malformed", "out-of-band", "over-quota"]),
        },
        wants: &[
            (Marker(0), "**/supabase/config.toml"),
            (Claim(0), "**/supabase/functions/**/index.ts"),
            (Text(1), "**/supabase/config.toml"),
            (Text(2), "**/supabase/config.toml"),
            (Claim(3), "**/supabase/functions/**/index.ts"),
            (Malformed(1), "**/supabase/functions/**/index.ts"),
        ],
    },
    Known {
        head: Head {
            id: Borrowed("aerich"), group: Some(Group::Migrations), between_worktrees: false, reads_settings: false,
            root_anywhere: true, invented_if_asked: false, kinds: Borrowed(&["duplicate", "frozen", "out-of-band", "over-quota"]),
        },
        wants: &[
            (Claim(0), "**/[0-9]*_*.py"),
        ],
    },
    Known {
        head: Head {
            id: Borrowed("alembic"), group: Some(Group::Migrations), between_worktrees: false, reads_settings: true,
            root_anywhere: true, invented_if_asked: false, kinds: Borrowed(&["duplicate", "forked", "out-of-band", "over-quota"]),
        },
        wants: &[
            (From(0), "**/alembic.ini"), (From(0), "**/pyproject.toml"),
            (Claim(0), "**/versions/*.py"),
            (Claim(1), "**/versions/postgresql/*.py"),
            (Claim(2), "**/versions/sqlite/*.py"),
            (Claim(3), "**/versions/mysql/*.py"),
        ],
    },
    Known {
        head: Head {
            id: Borrowed("atlas"), group: Some(Group::Migrations), between_worktrees: false, reads_settings: true,
            root_anywhere: true, invented_if_asked: true, kinds: Borrowed(&["duplicate", "frozen", "invented", "out-of-band", "out-of-order", "over-quota"]),
        },
        wants: &[
            (Manifest(0), "**/atlas.sum"),
            (From(0), "**/atlas.hcl"),
            (Claim(0), "**/[0-9]*.sql"),
            (Text(1), "**/atlas.sum"),
        ],
    },
    Known {
        head: Head {
            id: Borrowed("d1"), group: Some(Group::Migrations), between_worktrees: false, reads_settings: true,
            root_anywhere: true, invented_if_asked: false, kinds: Borrowed(&["duplicate", "frozen", "out-of-band", "over-quota"]),
        },
        wants: &[
            (Manifest(1), "**/wrangler.toml"),
            (Manifest(2), "**/wrangler.jsonc"),
            (Manifest(3), "**/wrangler.json"),
            (From(0), "**/wrangler.toml"), (From(0), "**/wrangler.json"), (From(0), "**/wrangler.jsonc"),
            (Claim(0), "**/*.sql"),
        ],
    },
    Known {
        head: Head {
            id: Borrowed("dbmate"), group: Some(Group::Migrations), between_worktrees: false, reads_settings: true,
            root_anywhere: true, invented_if_asked: true, kinds: Borrowed(&["duplicate", "frozen", "invented", "out-of-band", "out-of-order", "over-quota", "unclaimed"]),
        },
        wants: &[
            (From(0), "**/.env"), (From(0), "**/.env.example"), (From(0), "**/.env.sample"), (From(0), "**/.env.dist"), (From(0), "**/.env.template"), (From(0), "**/.env.defaults"),
            (From(1), "**/package.json"), (From(1), "**/Makefile"), (From(1), "**/makefile"), (From(1), "**/justfile"), (From(1), "**/Justfile"),
            (From(2), "**/package.json"), (From(2), "**/Makefile"), (From(2), "**/makefile"), (From(2), "**/justfile"), (From(2), "**/Justfile"),
            (From(3), ".github/workflows/*.yml"), (From(3), ".github/workflows/*.yaml"),
            (From(4), "**/.env"), (From(4), "**/.env.example"), (From(4), "**/.env.sample"), (From(4), "**/.env.dist"), (From(4), "**/.env.template"), (From(4), "**/.env.defaults"),
            (Claim(0), "**/[0-9]*.sql"),
            (Unclaimed(0), "**/*.sql"),
        ],
    },
    Known {
        head: Head {
            id: Borrowed("diesel"), group: Some(Group::Migrations), between_worktrees: false, reads_settings: true,
            root_anywhere: true, invented_if_asked: true, kinds: Borrowed(&["duplicate", "frozen", "invented", "malformed", "out-of-band", "over-quota"]),
        },
        wants: &[
            (Manifest(0), "**/Cargo.toml"),
            (Manifest(1), "**/diesel.toml"),
            (From(0), "**/diesel.toml"),
            (Claim(0), "**/**/up.sql"),
            (Malformed(0), "**/[0-9]*/*"),
        ],
    },
    Known {
        head: Head {
            id: Borrowed("django-migrations"), group: Some(Group::Migrations), between_worktrees: false, reads_settings: false,
            root_anywhere: true, invented_if_asked: false, kinds: Borrowed(&["forked", "out-of-band", "over-quota"]),
        },
        wants: &[
            (Claim(0), "**/migrations/[!_~]*.py"),
        ],
    },
    Known {
        head: Head {
            id: Borrowed("doctrine"), group: Some(Group::Migrations), between_worktrees: false, reads_settings: true,
            root_anywhere: true, invented_if_asked: false, kinds: Borrowed(&["duplicate", "frozen", "out-of-band", "over-quota"]),
        },
        wants: &[
            (Manifest(1), "**/composer.json"),
            (From(0), "**/config/packages/doctrine_migrations.yaml"), (From(0), "**/config/packages/doctrine_migrations.yml"),
            (From(1), "**/migrations.php"), (From(1), "**/migrations_configuration.php"), (From(1), "**/doctrine-migrations.php"),
            (From(2), "**/migrations.yaml"), (From(2), "**/migrations.yml"), (From(2), "**/doctrine-migrations.yaml"), (From(2), "**/doctrine-migrations.yml"),
            (Text(0), "**/Version*.php"), (Text(0), "**/[0-9][0-9][0-9][0-9]/Version*.php"), (Text(0), "**/[0-9][0-9][0-9][0-9]/[0-9][0-9]/Version*.php"),
            (Claim(1), "**/Version*.php"), (Claim(1), "**/[0-9][0-9][0-9][0-9]/Version*.php"), (Claim(1), "**/[0-9][0-9][0-9][0-9]/[0-9][0-9]/Version*.php"),
        ],
    },
    Known {
        head: Head {
            id: Borrowed("drizzle-journal"), group: Some(Group::Migrations), between_worktrees: false, reads_settings: false,
            root_anywhere: false, invented_if_asked: false, kinds: Borrowed(&["duplicate", "forked", "frozen", "out-of-band", "out-of-order", "over-quota"]),
        },
        wants: &[
            (Marker(0), "**/meta/_journal.json"),
            (Text(0), "**/meta/_journal.json"),
            (Text(1), "**/meta/_journal.json"),
            (Text(2), "**/meta/_journal.json"),
            (Claim(3), "**/meta/*_snapshot.json"),
            (Claim(4), "**/*.sql"),
        ],
    },
    Known {
        head: Head {
            id: Borrowed("drizzle"), group: Some(Group::Migrations), between_worktrees: false, reads_settings: true,
            root_anywhere: true, invented_if_asked: false, kinds: Borrowed(&["duplicate", "frozen", "out-of-band", "over-quota", "unclaimed"]),
        },
        wants: &[
            (Manifest(1), "**/drizzle.config.ts"),
            (From(0), "**/drizzle*.config.ts"), (From(0), "**/drizzle*.config.js"), (From(0), "**/drizzle*.config.mts"), (From(0), "**/drizzle*.config.mjs"), (From(0), "**/drizzle*.config.cjs"), (From(0), "**/drizzle.config*.ts"), (From(0), "**/drizzle.config*.js"), (From(0), "**/drizzle.config*.mts"), (From(0), "**/drizzle.config*.mjs"), (From(0), "**/drizzle.config*.cjs"), (From(0), "**/drizzle.config*.json"),
            (Claim(0), "**/[0-9]*_*/migration.sql"),
            (Claim(1), "**/[0-9]*_*/snapshot.json"),
            (Unclaimed(0), "**/[0-9]*_*/*.sql"),
        ],
    },
    Known {
        head: Head {
            id: Borrowed("ecto"), group: Some(Group::Migrations), between_worktrees: false, reads_settings: false,
            root_anywhere: true, invented_if_asked: true, kinds: Borrowed(&["duplicate", "frozen", "invented", "out-of-band", "over-quota", "unclaimed"]),
        },
        wants: &[
            (Manifest(1), "**/mix.exs"),
            (Claim(0), "**/**/[-+0-9]*_*.exs"),
            (Claim(1), "**/**/[-+0-9]*_*.exs"),
            (Unclaimed(0), "**/**/[0-9]*_*.ex"),
            (Unclaimed(1), "**/**/[0-9]*.exs"),
        ],
    },
    Known {
        head: Head {
            id: Borrowed("ef-core"), group: Some(Group::Migrations), between_worktrees: false, reads_settings: false,
            root_anywhere: true, invented_if_asked: false, kinds: Borrowed(&["duplicate", "frozen", "out-of-band", "over-quota"]),
        },
        wants: &[
            (Claim(0), "**/[0-9]*_*.cs"),
            (Text(1), "**/[0-9]*_*.cs"),
            (Text(2), "**/[0-9]*_*.cs"),
        ],
    },
    Known {
        head: Head {
            id: Borrowed("encore"), group: Some(Group::Migrations), between_worktrees: false, reads_settings: false,
            root_anywhere: true, invented_if_asked: false, kinds: Borrowed(&["duplicate", "frozen", "malformed", "out-of-band", "out-of-order", "over-quota"]),
        },
        wants: &[
            (Manifest(0), "**/encore.app"),
            (Claim(0), "**/[0-9]*.up.sql"),
            (Claim(1), "**/[0-9]*.down.sql"),
            (Malformed(0), "**/*.sql"),
        ],
    },
    Known {
        head: Head {
            id: Borrowed("fluentmigrator"), group: Some(Group::Migrations), between_worktrees: false, reads_settings: false,
            root_anywhere: true, invented_if_asked: false, kinds: Borrowed(&["duplicate", "out-of-band", "over-quota"]),
        },
        wants: &[
            (Manifest(1), "**/*.csproj"),
            (Text(0), "**/**/*.cs"),
            (Text(1), "**/**/*.cs"),
            (Text(2), "**/**/*.cs"),
            (Text(3), "**/**/*.cs"),
        ],
    },
    Known {
        head: Head {
            id: Borrowed("flyway"), group: Some(Group::Migrations), between_worktrees: false, reads_settings: true,
            root_anywhere: true, invented_if_asked: true, kinds: Borrowed(&["duplicate", "frozen", "invented", "out-of-band", "out-of-order", "over-quota", "unclaimed"]),
        },
        wants: &[
            (Manifest(0), "**/flyway.toml"),
            (Manifest(1), "**/flyway.conf"),
            (Manifest(2), "**/pom.xml"),
            (Manifest(3), "**/build.gradle"),
            (Manifest(4), "**/build.gradle.kts"),
            (Manifest(6), "**/Cargo.toml"),
            (Manifest(8), "**/Cargo.toml"),
            (From(0), "**/flyway.toml"), (From(0), "**/flyway.conf"),
            (From(1), "**/pom.xml"), (From(1), "**/build.gradle"), (From(1), "**/build.gradle.kts"),
            (From(2), "**/src/main/resources/application*.properties"), (From(2), "**/src/main/resources/application*.yml"), (From(2), "**/src/main/resources/application*.yaml"),
            (From(3), "**/src/main/resources/application.properties"), (From(3), "**/src/main/resources/application.yml"), (From(3), "**/src/main/resources/application.yaml"),
            (From(4), "**/flyway.toml"), (From(4), "**/flyway.conf"), (From(4), "**/application*.properties"),
            (From(5), "**/application*.yml"), (From(5), "**/application*.yaml"),
            (Claim(0), "**/**/[VUB][0-9]*.sql"), (Claim(0), "**/**/[VUB][0-9]*.SQL"),
            (Claim(1), "**/**/[VUB][0-9]*__*.java"), (Claim(1), "**/**/[VUB][0-9]*__*.kt"), (Claim(1), "**/**/[VUB][0-9]*__*.groovy"), (Claim(1), "**/**/[VUB][0-9]*__*.scala"),
            (Claim(2), "**/**/[VUB][0-9]*__*.cmd"), (Claim(2), "**/**/[VUB][0-9]*__*.bat"), (Claim(2), "**/**/[VUB][0-9]*__*.ps1"), (Claim(2), "**/**/[VUB][0-9]*__*.py"), (Claim(2), "**/**/[VUB][0-9]*__*.sh"), (Claim(2), "**/**/[VUB][0-9]*__*.bash"),
            (Claim(3), "**/**/R__*.sql"), (Claim(3), "**/**/R__*.SQL"), (Claim(3), "**/**/R__*.java"), (Claim(3), "**/**/R__*.kt"), (Claim(3), "**/**/R__*.groovy"), (Claim(3), "**/**/R__*.scala"),
            (Unclaimed(0), "**/**/v[0-9]*__*.sql"),
        ],
    },
    Known {
        head: Head {
            id: Borrowed("golang-migrate"), group: Some(Group::Migrations), between_worktrees: false, reads_settings: false,
            root_anywhere: true, invented_if_asked: true, kinds: Borrowed(&["duplicate", "frozen", "invented", "out-of-band", "out-of-order", "over-quota"]),
        },
        wants: &[
            (Manifest(0), "**/go.mod"),
            (Claim(0), "**/[0-9]*_*.up.sql"), (Claim(0), "**/[0-9]*_*.up.cql"), (Claim(0), "**/[0-9]*_*.up.json"), (Claim(0), "**/[0-9]*_*.up.cypher"), (Claim(0), "**/[0-9]*_*.down.sql"), (Claim(0), "**/[0-9]*_*.down.cql"), (Claim(0), "**/[0-9]*_*.down.json"), (Claim(0), "**/[0-9]*_*.down.cypher"), (Claim(0), "**/[0-9]*_*.up.sql.bak"), (Claim(0), "**/[0-9]*_*.up.sql.old"), (Claim(0), "**/[0-9]*_*.up.sql.orig"), (Claim(0), "**/[0-9]*_*.up.sql.disabled"), (Claim(0), "**/[0-9]*_*.up.sql.skip"), (Claim(0), "**/[0-9]*_*.down.sql.bak"), (Claim(0), "**/[0-9]*_*.down.sql.old"), (Claim(0), "**/[0-9]*_*.down.sql.orig"), (Claim(0), "**/[0-9]*_*.down.sql.disabled"), (Claim(0), "**/[0-9]*_*.down.sql.skip"),
        ],
    },
    Known {
        head: Head {
            id: Borrowed("goose"), group: Some(Group::Migrations), between_worktrees: false, reads_settings: false,
            root_anywhere: true, invented_if_asked: true, kinds: Borrowed(&["duplicate", "frozen", "invented", "malformed", "out-of-band", "out-of-order", "over-quota"]),
        },
        wants: &[
            (Claim(0), "**/[+0-9]*_*.sql"),
            (Claim(1), "**/[+0-9]*_*.go"),
            (Malformed(0), "**/*.sql"),
        ],
    },
    Known {
        head: Head {
            id: Borrowed("graphile-migrate"), group: Some(Group::Migrations), between_worktrees: false, reads_settings: false,
            root_anywhere: true, invented_if_asked: false, kinds: Borrowed(&["duplicate", "frozen", "out-of-band", "out-of-order", "over-quota", "unclaimed"]),
        },
        wants: &[
            (Claim(0), "**/committed/[0-9]*.sql"),
            (Text(1), "**/committed/[0-9][0-9][0-9][0-9][0-9][0-9].sql"), (Text(1), "**/committed/[0-9][0-9][0-9][0-9][0-9][0-9]-*.sql"),
            (Unclaimed(0), "**/committed/*.sql"),
        ],
    },
    Known {
        head: Head {
            id: Borrowed("hasura"), group: Some(Group::Migrations), between_worktrees: false, reads_settings: false,
            root_anywhere: true, invented_if_asked: false, kinds: Borrowed(&["duplicate", "frozen", "out-of-band", "over-quota", "unclaimed"]),
        },
        wants: &[
            (Manifest(0), "**/config.yaml"),
            (Manifest(1), "**/nhost.toml"),
            (Claim(0), "**/**/up.sql"), (Claim(0), "**/**/up.yaml"),
            (Claim(1), "**/[0-9]*_*.up.sql"), (Claim(1), "**/[0-9]*_*.up.yaml"), (Claim(1), "**/[0-9]*_*.down.sql"), (Claim(1), "**/[0-9]*_*.down.yaml"),
            (Unclaimed(0), "**/[0-9]*/up.sql"), (Unclaimed(0), "**/[0-9]*/up.yaml"),
        ],
    },
    Known {
        head: Head {
            id: Borrowed("knex"), group: Some(Group::Migrations), between_worktrees: false, reads_settings: true,
            root_anywhere: true, invented_if_asked: false, kinds: Borrowed(&["duplicate", "frozen", "out-of-band", "over-quota"]),
        },
        wants: &[
            (Manifest(1), "**/knexfile.js"),
            (Manifest(2), "**/knexfile.ts"),
            (From(0), "**/knexfile.js"), (From(0), "**/knexfile.cjs"), (From(0), "**/knexfile.mjs"), (From(0), "**/knexfile.ts"), (From(0), "**/knexfile.mts"), (From(0), "**/knexfile.coffee"),
            (From(1), "**/package.json"),
            (Claim(0), "**/[0-9]*.js"), (Claim(0), "**/[0-9]*.cjs"), (Claim(0), "**/[0-9]*.mjs"), (Claim(0), "**/[0-9]*.ts"), (Claim(0), "**/[0-9]*.mts"), (Claim(0), "**/[0-9]*.cts"), (Claim(0), "**/[0-9]*.coffee"),
        ],
    },
    Known {
        head: Head {
            id: Borrowed("kysely"), group: Some(Group::Migrations), between_worktrees: false, reads_settings: true,
            root_anywhere: true, invented_if_asked: false, kinds: Borrowed(&["duplicate", "frozen", "out-of-band", "out-of-order", "over-quota"]),
        },
        wants: &[
            (From(0), "**/kysely.config.ts"), (From(0), "**/kysely.config.js"), (From(0), "**/kysely.config.mts"), (From(0), "**/kysely.config.mjs"), (From(0), "**/kysely.config.cts"), (From(0), "**/kysely.config.cjs"),
            (From(1), "**/.config/kysely.config.ts"), (From(1), "**/.config/kysely.config.js"), (From(1), "**/.config/kysely.config.mts"), (From(1), "**/.config/kysely.config.mjs"), (From(1), "**/.config/kysely.config.cts"), (From(1), "**/.config/kysely.config.cjs"),
            (Claim(0), "**/[0-9]*.ts"), (Claim(0), "**/[0-9]*.js"), (Claim(0), "**/[0-9]*.mts"), (Claim(0), "**/[0-9]*.mjs"), (Claim(0), "**/[0-9]*.cts"), (Claim(0), "**/[0-9]*.cjs"),
            (Claim(1), "**/[0-9][0-9][0-9][0-9][-_. ]*.ts"), (Claim(1), "**/[0-9][0-9][0-9][0-9][-_. ]*.js"), (Claim(1), "**/[0-9][0-9][0-9][0-9][-_. ]*.mts"), (Claim(1), "**/[0-9][0-9][0-9][0-9][-_. ]*.mjs"), (Claim(1), "**/[0-9][0-9][0-9][0-9][-_. ]*.cts"), (Claim(1), "**/[0-9][0-9][0-9][0-9][-_. ]*.cjs"),
            (Claim(2), "**/[0-9][0-9][0-9][0-9][-_][0-9][0-9][-_][0-9][0-9]*.ts"), (Claim(2), "**/[0-9][0-9][0-9][0-9][-_][0-9][0-9][-_][0-9][0-9]*.js"), (Claim(2), "**/[0-9][0-9][0-9][0-9][-_][0-9][0-9][-_][0-9][0-9]*.mts"), (Claim(2), "**/[0-9][0-9][0-9][0-9][-_][0-9][0-9][-_][0-9][0-9]*.mjs"), (Claim(2), "**/[0-9][0-9][0-9][0-9][-_][0-9][0-9][-_][0-9][0-9]*.cts"), (Claim(2), "**/[0-9][0-9][0-9][0-9][-_][0-9][0-9][-_][0-9][0-9]*.cjs"),
        ],
    },
    Known {
        head: Head {
            id: Borrowed("laravel"), group: Some(Group::Migrations), between_worktrees: false, reads_settings: false,
            root_anywhere: false, invented_if_asked: false, kinds: Borrowed(&["duplicate", "out-of-band", "over-quota"]),
        },
        wants: &[
            (Marker(0), "**/artisan"),
            (Text(0), "**/database/migrations/*_*.php"),
        ],
    },
    Known {
        head: Head {
            id: Borrowed("liquibase"), group: Some(Group::Migrations), between_worktrees: false, reads_settings: false,
            root_anywhere: true, invented_if_asked: false, kinds: Borrowed(&["duplicate", "out-of-band", "over-quota"]),
        },
        wants: &[
            (Text(0), "**/**/*.xml"), (Text(0), "**/**/*.yaml"), (Text(0), "**/**/*.yml"), (Text(0), "**/**/*.json"), (Text(0), "**/**/*.sql"),
        ],
    },
    Known {
        head: Head {
            id: Borrowed("migrate-mongo"), group: Some(Group::Migrations), between_worktrees: false, reads_settings: true,
            root_anywhere: true, invented_if_asked: false, kinds: Borrowed(&["duplicate", "frozen", "out-of-band", "over-quota"]),
        },
        wants: &[
            (Manifest(0), "**/package.json"),
            (Manifest(1), "**/migrate-mongo-config.js"),
            (Manifest(2), "**/migrate-mongo-config.ts"),
            (From(0), "**/migrate-mongo-config*.js"), (From(0), "**/migrate-mongo-config*.cjs"), (From(0), "**/migrate-mongo-config*.mjs"), (From(0), "**/migrate-mongo-config*.ts"), (From(0), "**/migrate-mongo.config*.js"), (From(0), "**/migrate-mongo.config*.cjs"), (From(0), "**/migrate-mongo.config*.mjs"), (From(0), "**/migrate-mongo.config*.ts"),
            (From(1), "**/config/migrate-mongo-config*.js"), (From(1), "**/config/migrate-mongo-config*.cjs"), (From(1), "**/config/migrate-mongo-config*.mjs"), (From(1), "**/config/migrate-mongo-config*.ts"),
            (Claim(0), "**/[0-9]*.js"), (Claim(0), "**/[0-9]*.cjs"), (Claim(0), "**/[0-9]*.mjs"), (Claim(0), "**/[0-9]*.ts"),
        ],
    },
    Known {
        head: Head {
            id: Borrowed("mikro-orm"), group: Some(Group::Migrations), between_worktrees: false, reads_settings: true,
            root_anywhere: true, invented_if_asked: false, kinds: Borrowed(&["duplicate", "frozen", "out-of-band", "over-quota"]),
        },
        wants: &[
            (From(0), "**/mikro-orm*.ts"), (From(0), "**/mikro-orm*.js"), (From(0), "**/mikro-orm*.mts"), (From(0), "**/mikro-orm*.mjs"), (From(0), "**/mikro-orm*.cts"), (From(0), "**/mikro-orm*.cjs"), (From(0), "**/*mikro-orm.config.ts"), (From(0), "**/*mikro-orm.config.js"), (From(0), "**/*mikro-orm.config.mts"), (From(0), "**/*mikro-orm.config.mjs"), (From(0), "**/*mikro-orm.config.cts"), (From(0), "**/*mikro-orm.config.cjs"),
            (Claim(0), "**/Migration[0-9]*.ts"), (Claim(0), "**/Migration[0-9]*.js"), (Claim(0), "**/Migration[0-9]*.mts"), (Claim(0), "**/Migration[0-9]*.mjs"), (Claim(0), "**/Migration[0-9]*.cts"), (Claim(0), "**/Migration[0-9]*.cjs"), (Claim(0), "**/[0-9]*.ts"), (Claim(0), "**/[0-9]*.js"), (Claim(0), "**/[0-9]*.mts"), (Claim(0), "**/[0-9]*.mjs"), (Claim(0), "**/[0-9]*.cts"), (Claim(0), "**/[0-9]*.cjs"),
        ],
    },
    Known {
        head: Head {
            id: Borrowed("mybatis"), group: Some(Group::Migrations), between_worktrees: false, reads_settings: false,
            root_anywhere: true, invented_if_asked: true, kinds: Borrowed(&["duplicate", "frozen", "invented", "malformed", "out-of-band", "out-of-order", "over-quota"]),
        },
        wants: &[
            (Claim(0), "**/[0-9]*.sql"),
            (Claim(1), "**/bootstrap.sql"), (Claim(1), "**/onabort.sql"),
            (Malformed(0), "**/*.sql"),
        ],
    },
    Known {
        head: Head {
            id: Borrowed("netlify-db"), group: Some(Group::Migrations), between_worktrees: false, reads_settings: true,
            root_anywhere: true, invented_if_asked: false, kinds: Borrowed(&["duplicate", "frozen", "malformed", "out-of-band", "over-quota", "unclaimed"]),
        },
        wants: &[
            (Manifest(0), "**/package.json"),
            (Manifest(1), "**/netlify.toml"),
            (From(0), "**/netlify.toml"),
            (Claim(0), "**/[0-9]*_*.sql"),
            (Claim(1), "**/[0-9]*_*/migration.sql"),
            (Malformed(0), "**/[0-9]*_*/*.sql"),
            (Unclaimed(0), "**/*.sql"),
            (Unclaimed(1), "**/*/migration.sql"),
        ],
    },
    Known {
        head: Head {
            id: Borrowed("node-pg-migrate"), group: Some(Group::Migrations), between_worktrees: false, reads_settings: true,
            root_anywhere: true, invented_if_asked: false, kinds: Borrowed(&["duplicate", "frozen", "out-of-band", "out-of-order", "over-quota"]),
        },
        wants: &[
            (Manifest(1), "**/package.json"),
            (Manifest(2), "**/package.json"),
            (From(0), "**/package.json"), (From(0), "**/Makefile"), (From(0), "**/makefile"), (From(0), "**/justfile"), (From(0), "**/Justfile"),
            (Claim(0), "**/[0-9]*.js"), (Claim(0), "**/[0-9]*.ts"), (Claim(0), "**/[0-9]*.cjs"), (Claim(0), "**/[0-9]*.mjs"), (Claim(0), "**/[0-9]*.cts"), (Claim(0), "**/[0-9]*.mts"),
            (Claim(1), "**/[0-9]*.sql"),
            (Claim(2), "**/[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][!0-9]*.js"), (Claim(2), "**/[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][!0-9]*.ts"), (Claim(2), "**/[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][!0-9]*.cjs"), (Claim(2), "**/[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][!0-9]*.mjs"), (Claim(2), "**/[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][!0-9]*.cts"), (Claim(2), "**/[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][!0-9]*.mts"),
            (Claim(3), "**/[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][!0-9]*.sql"),
            (Claim(4), "**/[0-9]*.up.sql"),
            (Claim(5), "**/[0-9]*.down.sql"),
        ],
    },
    Known {
        head: Head {
            id: Borrowed("numbered-files"), group: Some(Group::Migrations), between_worktrees: false, reads_settings: false,
            root_anywhere: true, invented_if_asked: false, kinds: Borrowed(&["duplicate", "out-of-band", "over-quota"]),
        },
        wants: &[
            (Marker(0), "**/meta/_journal.json"),
            (Marker(1), "**/migration_lock.toml"),
            (Marker(2), "**/atlas.sum"),
            (Marker(3), "**/max_migration.txt"),
            (Marker(4), "**/env.py"),
            (Marker(5), "**/script.py.mako"),
            (Manifest(0), "**/wrangler.*"),
            (Claim(0), "**/[0-9]*.sql"), (Claim(0), "**/[0-9]*.pgsql"), (Claim(0), "**/[0-9]*.psql"), (Claim(0), "**/[0-9]*.cql"), (Claim(0), "**/[0-9]*.surql"), (Claim(0), "**/[0-9]*.py"),
            (Claim(1), "**/[0-9]*[_.-]down.sql"), (Claim(1), "**/[0-9]*[_.-]down.pgsql"), (Claim(1), "**/[0-9]*[_.-]down.psql"), (Claim(1), "**/[0-9]*[_.-]down.cql"), (Claim(1), "**/[0-9]*[_.-]down.surql"), (Claim(1), "**/[0-9]*[_.-]undo.sql"), (Claim(1), "**/[0-9]*[_.-]undo.pgsql"), (Claim(1), "**/[0-9]*[_.-]undo.psql"), (Claim(1), "**/[0-9]*[_.-]undo.cql"), (Claim(1), "**/[0-9]*[_.-]undo.surql"), (Claim(1), "**/[0-9]*[_.-]rollback.sql"), (Claim(1), "**/[0-9]*[_.-]rollback.pgsql"), (Claim(1), "**/[0-9]*[_.-]rollback.psql"), (Claim(1), "**/[0-9]*[_.-]rollback.cql"), (Claim(1), "**/[0-9]*[_.-]rollback.surql"), (Claim(1), "**/[0-9]*[_.-]revert.sql"), (Claim(1), "**/[0-9]*[_.-]revert.pgsql"), (Claim(1), "**/[0-9]*[_.-]revert.psql"), (Claim(1), "**/[0-9]*[_.-]revert.cql"), (Claim(1), "**/[0-9]*[_.-]revert.surql"), (Claim(1), "**/[0-9]*[_-]down[_-]*.sql"), (Claim(1), "**/[0-9]*[_-]down[_-]*.pgsql"), (Claim(1), "**/[0-9]*[_-]down[_-]*.psql"), (Claim(1), "**/[0-9]*[_-]down[_-]*.cql"), (Claim(1), "**/[0-9]*[_-]down[_-]*.surql"), (Claim(1), "**/[0-9]*[_-]undo[_-]*.sql"), (Claim(1), "**/[0-9]*[_-]undo[_-]*.pgsql"), (Claim(1), "**/[0-9]*[_-]undo[_-]*.psql"), (Claim(1), "**/[0-9]*[_-]undo[_-]*.cql"), (Claim(1), "**/[0-9]*[_-]undo[_-]*.surql"), (Claim(1), "**/[0-9]*[_-]rollback[_-]*.sql"), (Claim(1), "**/[0-9]*[_-]rollback[_-]*.pgsql"), (Claim(1), "**/[0-9]*[_-]rollback[_-]*.psql"), (Claim(1), "**/[0-9]*[_-]rollback[_-]*.cql"), (Claim(1), "**/[0-9]*[_-]rollback[_-]*.surql"),
        ],
    },
    Known {
        head: Head {
            id: Borrowed("peewee-migrate"), group: Some(Group::Migrations), between_worktrees: false, reads_settings: false,
            root_anywhere: true, invented_if_asked: false, kinds: Borrowed(&["duplicate", "frozen", "out-of-band", "over-quota", "unclaimed"]),
        },
        wants: &[
            (Claim(0), "**/[0-9][0-9][0-9]_*.py"),
            (Unclaimed(0), "**/[0-9]*_*.py"),
        ],
    },
    Known {
        head: Head {
            id: Borrowed("pgroll"), group: Some(Group::Migrations), between_worktrees: false, reads_settings: false,
            root_anywhere: true, invented_if_asked: false, kinds: Borrowed(&["duplicate", "frozen", "out-of-band", "out-of-order", "over-quota"]),
        },
        wants: &[
            (Claim(0), "**/[0-9]*.yaml"), (Claim(0), "**/[0-9]*.yml"), (Claim(0), "**/[0-9]*.json"), (Claim(0), "**/mig_*.yaml"), (Claim(0), "**/mig_*.yml"), (Claim(0), "**/mig_*.json"),
        ],
    },
    Known {
        head: Head {
            id: Borrowed("phinx"), group: Some(Group::Migrations), between_worktrees: false, reads_settings: true,
            root_anywhere: true, invented_if_asked: true, kinds: Borrowed(&["duplicate", "frozen", "invented", "out-of-band", "over-quota", "unclaimed"]),
        },
        wants: &[
            (Manifest(1), "**/phinx.*"),
            (Manifest(2), "**/composer.json"),
            (From(0), "**/phinx.php"), (From(0), "**/phinx.yml"), (From(0), "**/phinx.yaml"), (From(0), "**/phinx.json"),
            (Claim(0), "**/[0-9]*_*.php"),
            (Claim(1), "**/[0-9]*.php"),
            (Claim(2), "**/[0-9]*_*_*_*_*.php"),
            (Claim(3), "**/[0-9]*_*.php"),
            (Claim(4), "**/[0-9]*_*_*_*_*.php"),
            (Unclaimed(0), "**/[0-9]*.php"),
        ],
    },
    Known {
        head: Head {
            id: Borrowed("prisma"), group: Some(Group::Migrations), between_worktrees: false, reads_settings: false,
            root_anywhere: false, invented_if_asked: false, kinds: Borrowed(&["duplicate", "frozen", "malformed", "out-of-band", "over-quota"]),
        },
        wants: &[
            (Marker(0), "**/migration_lock.toml"),
            (Claim(0), "**/**/migration.sql"),
            (Malformed(0), "**/**/*.sql"),
        ],
    },
    Known {
        head: Head {
            id: Borrowed("rails-migrations"), group: Some(Group::Migrations), between_worktrees: false, reads_settings: true,
            root_anywhere: false, invented_if_asked: true, kinds: Borrowed(&["duplicate", "invented", "malformed", "out-of-band", "over-quota"]),
        },
        wants: &[
            (Marker(0), "**/config/application.rb"),
            (Marker(1), "**/db/schema.rb"),
            (Marker(2), "**/db/structure.sql"),
            (Marker(3), "**/lib/*/engine.rb"),
            (Marker(4), "**/lib/*/*/engine.rb"),
            (Marker(5), "**/*.gemspec"),
            (From(0), "**/config/database.yml"),
            (Claim(0), "**/db/migrate/**/*.rb"),
            (Claim(1), "**/db/post_migrate/**/*.rb"),
            (Claim(2), "**/db/**/*.rb"),
            (Claim(3), "**/db/migrate/**/*.rb"),
            (Claim(4), "**/db/post_migrate/**/*.rb"),
            (Claim(5), "**/db/**/*.rb"),
            (Malformed(0), "**/db/**/[0-9]*_*.rb"),
        ],
    },
    Known {
        head: Head {
            id: Borrowed("refinery"), group: Some(Group::Migrations), between_worktrees: false, reads_settings: false,
            root_anywhere: true, invented_if_asked: false, kinds: Borrowed(&["duplicate", "frozen", "malformed", "out-of-band", "out-of-order", "over-quota", "unclaimed"]),
        },
        wants: &[
            (Manifest(0), "**/Cargo.toml"),
            (Manifest(1), "**/refinery.toml"),
            (Claim(0), "**/**/V[0-9]*__*.sql"),
            (Claim(1), "**/**/V[0-9]*__*.rs"),
            (Claim(2), "**/**/U[0-9]*__*.sql"),
            (Claim(3), "**/**/U[0-9]*__*.rs"),
            (Malformed(0), "**/**/[UV][0-9]*.[0-9]*__*.sql"), (Malformed(0), "**/**/[UV][0-9]*.[0-9]*__*.rs"),
            (Unclaimed(0), "**/**/[UVuv0-9]*.sql"),
        ],
    },
    Known {
        head: Head {
            id: Borrowed("sea-orm"), group: Some(Group::Migrations), between_worktrees: false, reads_settings: false,
            root_anywhere: true, invented_if_asked: false, kinds: Borrowed(&["duplicate", "frozen", "out-of-band", "over-quota"]),
        },
        wants: &[
            (Claim(0), "**/m[0-9]*_*.rs"),
            (Text(1), "**/m[0-9]*_*.rs"),
        ],
    },
    Known {
        head: Head {
            id: Borrowed("sequelize"), group: Some(Group::Migrations), between_worktrees: false, reads_settings: true,
            root_anywhere: true, invented_if_asked: false, kinds: Borrowed(&["duplicate", "frozen", "out-of-band", "over-quota"]),
        },
        wants: &[
            (Manifest(1), "**/package.json"),
            (Manifest(2), "**/.sequelizerc"),
            (From(0), "**/.sequelizerc"),
            (From(1), "**/package.json"),
            (Claim(0), "**/[0-9]*.js"), (Claim(0), "**/[0-9]*.cjs"), (Claim(0), "**/[0-9]*.mjs"), (Claim(0), "**/[0-9]*.ts"), (Claim(0), "**/[0-9]*.cts"), (Claim(0), "**/[0-9]*.mts"),
        ],
    },
    Known {
        head: Head {
            id: Borrowed("sql-migrate"), group: Some(Group::Migrations), between_worktrees: false, reads_settings: true,
            root_anywhere: true, invented_if_asked: false, kinds: Borrowed(&["duplicate", "frozen", "out-of-band", "over-quota"]),
        },
        wants: &[
            (From(0), "**/dbconfig.yml"), (From(0), "**/dbconfig.yaml"),
            (Claim(0), "**/*.sql"),
        ],
    },
    Known {
        head: Head {
            id: Borrowed("sqlx"), group: Some(Group::Migrations), between_worktrees: false, reads_settings: true,
            root_anywhere: true, invented_if_asked: true, kinds: Borrowed(&["duplicate", "frozen", "invented", "malformed", "out-of-band", "over-quota", "unclaimed"]),
        },
        wants: &[
            (Manifest(0), "**/Cargo.toml"),
            (From(0), "**/sqlx.toml"),
            (Claim(0), "**/[-+0-9]*_*.sql"),
            (Malformed(0), "**/*_*.sql"),
            (Unclaimed(0), "**/[0-9]*.sql"),
        ],
    },
    Known {
        head: Head {
            id: Borrowed("supabase-migrations"), group: Some(Group::Migrations), between_worktrees: false, reads_settings: false,
            root_anywhere: false, invented_if_asked: true, kinds: Borrowed(&["duplicate", "frozen", "invented", "out-of-band", "out-of-order", "over-quota", "unclaimed"]),
        },
        wants: &[
            (Marker(0), "**/supabase/config.toml"),
            (Claim(0), "**/supabase/migrations/**/*.sql"),
            (Unclaimed(0), "**/supabase/migrations/*.sql"),
        ],
    },
    Known {
        head: Head {
            id: Borrowed("tern"), group: Some(Group::Migrations), between_worktrees: false, reads_settings: false,
            root_anywhere: true, invented_if_asked: false, kinds: Borrowed(&["duplicate", "frozen", "malformed", "out-of-band", "over-quota"]),
        },
        wants: &[
            (Manifest(1), "**/tern.conf"),
            (Manifest(2), "**/tern.conf"),
            (Manifest(3), "**/go.mod"),
            (Claim(0), "**/[0-9]*_*.sql"),
            (Claim(1), "**/tern.conf"),
        ],
    },
    Known {
        head: Head {
            id: Borrowed("typeorm"), group: Some(Group::Migrations), between_worktrees: false, reads_settings: true,
            root_anywhere: true, invented_if_asked: false, kinds: Borrowed(&["duplicate", "frozen", "out-of-band", "over-quota"]),
        },
        wants: &[
            (Manifest(1), "**/package.json"),
            (From(0), "**/ormconfig.json"), (From(0), "**/ormconfig.js"), (From(0), "**/ormconfig.ts"),
            (From(1), "**/ormconfig.json"), (From(1), "**/ormconfig.js"), (From(1), "**/ormconfig.ts"),
            (From(2), "**/ormconfig.js"), (From(2), "**/ormconfig.ts"), (From(2), "**/data-source.js"), (From(2), "**/data-source.ts"), (From(2), "**/datasource.js"), (From(2), "**/datasource.ts"), (From(2), "**/dataSource.js"), (From(2), "**/dataSource.ts"), (From(2), "**/data_source.js"), (From(2), "**/data_source.ts"), (From(2), "**/typeorm.js"), (From(2), "**/typeorm.ts"), (From(2), "**/typeorm.config.js"), (From(2), "**/typeorm.config.ts"),
            (Text(0), "**/[0-9]*.ts"), (Text(0), "**/[0-9]*.js"), (Text(0), "**/[0-9]*.mts"), (Text(0), "**/[0-9]*.mjs"), (Text(0), "**/[0-9]*.cts"), (Text(0), "**/[0-9]*.cjs"), (Text(0), "**/*[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9].ts"), (Text(0), "**/*[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9].js"), (Text(0), "**/*[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9].mts"), (Text(0), "**/*[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9].mjs"), (Text(0), "**/*[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9].cts"), (Text(0), "**/*[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9].cjs"),
            (Text(1), "**/[0-9]*.ts"), (Text(1), "**/[0-9]*.js"), (Text(1), "**/[0-9]*.mts"), (Text(1), "**/[0-9]*.mjs"), (Text(1), "**/[0-9]*.cts"), (Text(1), "**/[0-9]*.cjs"), (Text(1), "**/*[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9].ts"), (Text(1), "**/*[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9].js"), (Text(1), "**/*[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9].mts"), (Text(1), "**/*[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9].mjs"), (Text(1), "**/*[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9].cts"), (Text(1), "**/*[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9].cjs"),
            (Claim(2), "**/[0-9]*.ts"), (Claim(2), "**/[0-9]*.js"), (Claim(2), "**/[0-9]*.mts"), (Claim(2), "**/[0-9]*.mjs"), (Claim(2), "**/[0-9]*.cts"), (Claim(2), "**/[0-9]*.cjs"), (Claim(2), "**/*[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9].ts"), (Claim(2), "**/*[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9].js"), (Claim(2), "**/*[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9].mts"), (Claim(2), "**/*[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9].mjs"), (Claim(2), "**/*[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9].cts"), (Claim(2), "**/*[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9].cjs"),
        ],
    },
    Known {
        head: Head {
            id: Borrowed("yoyo"), group: Some(Group::Migrations), between_worktrees: false, reads_settings: true,
            root_anywhere: true, invented_if_asked: false, kinds: Borrowed(&["duplicate", "frozen", "out-of-band", "over-quota"]),
        },
        wants: &[
            (Manifest(1), "**/pyproject.toml"),
            (Manifest(2), "**/requirements.txt"),
            (From(0), "**/yoyo.ini"),
            (Claim(0), "**/[0-9]*.sql"), (Claim(0), "**/*20[0-9][0-9][0-9][0-9][0-9][0-9]_[0-9][0-9]_*.sql"),
            (Claim(1), "**/[0-9]*.py"), (Claim(1), "**/*20[0-9][0-9][0-9][0-9][0-9][0-9]_[0-9][0-9]_*.py"),
        ],
    },
    Known {
        head: Head {
            id: Borrowed("adr-numbers"), group: Some(Group::Registries), between_worktrees: false, reads_settings: false,
            root_anywhere: true, invented_if_asked: false, kinds: Borrowed(&["duplicate", "out-of-band", "over-quota"]),
        },
        wants: &[
            (Claim(0), "**/**/[0-9][0-9]*.md"), (Claim(0), "**/**/[0-9][0-9]*.mdx"), (Claim(0), "**/**/[0-9][0-9]*.adoc"), (Claim(0), "**/**/[0-9][0-9]*.rst"), (Claim(0), "**/**/adr[-_][0-9][0-9]*.md"), (Claim(0), "**/**/adr[-_][0-9][0-9]*.mdx"), (Claim(0), "**/**/adr[-_][0-9][0-9]*.adoc"), (Claim(0), "**/**/adr[-_][0-9][0-9]*.rst"), (Claim(0), "**/**/Adr[-_][0-9][0-9]*.md"), (Claim(0), "**/**/Adr[-_][0-9][0-9]*.mdx"), (Claim(0), "**/**/Adr[-_][0-9][0-9]*.adoc"), (Claim(0), "**/**/Adr[-_][0-9][0-9]*.rst"), (Claim(0), "**/**/ADR[-_][0-9][0-9]*.md"), (Claim(0), "**/**/ADR[-_][0-9][0-9]*.mdx"), (Claim(0), "**/**/ADR[-_][0-9][0-9]*.adoc"), (Claim(0), "**/**/ADR[-_][0-9][0-9]*.rst"), (Claim(0), "**/**/rfc[-_][0-9][0-9]*.md"), (Claim(0), "**/**/rfc[-_][0-9][0-9]*.mdx"), (Claim(0), "**/**/rfc[-_][0-9][0-9]*.adoc"), (Claim(0), "**/**/rfc[-_][0-9][0-9]*.rst"), (Claim(0), "**/**/Rfc[-_][0-9][0-9]*.md"), (Claim(0), "**/**/Rfc[-_][0-9][0-9]*.mdx"), (Claim(0), "**/**/Rfc[-_][0-9][0-9]*.adoc"), (Claim(0), "**/**/Rfc[-_][0-9][0-9]*.rst"), (Claim(0), "**/**/RFC[-_][0-9][0-9]*.md"), (Claim(0), "**/**/RFC[-_][0-9][0-9]*.mdx"), (Claim(0), "**/**/RFC[-_][0-9][0-9]*.adoc"), (Claim(0), "**/**/RFC[-_][0-9][0-9]*.rst"), (Claim(0), "**/**/spec[-_][0-9][0-9]*.md"), (Claim(0), "**/**/spec[-_][0-9][0-9]*.mdx"), (Claim(0), "**/**/spec[-_][0-9][0-9]*.adoc"), (Claim(0), "**/**/spec[-_][0-9][0-9]*.rst"), (Claim(0), "**/**/Spec[-_][0-9][0-9]*.md"), (Claim(0), "**/**/Spec[-_][0-9][0-9]*.mdx"), (Claim(0), "**/**/Spec[-_][0-9][0-9]*.adoc"), (Claim(0), "**/**/Spec[-_][0-9][0-9]*.rst"), (Claim(0), "**/**/SPEC[-_][0-9][0-9]*.md"), (Claim(0), "**/**/SPEC[-_][0-9][0-9]*.mdx"), (Claim(0), "**/**/SPEC[-_][0-9][0-9]*.adoc"), (Claim(0), "**/**/SPEC[-_][0-9][0-9]*.rst"),
            (Claim(1), "**/[0-9][0-9]*.txt"), (Claim(1), "**/adr[-_][0-9][0-9]*.txt"), (Claim(1), "**/Adr[-_][0-9][0-9]*.txt"), (Claim(1), "**/ADR[-_][0-9][0-9]*.txt"), (Claim(1), "**/rfc[-_][0-9][0-9]*.txt"), (Claim(1), "**/Rfc[-_][0-9][0-9]*.txt"), (Claim(1), "**/RFC[-_][0-9][0-9]*.txt"), (Claim(1), "**/spec[-_][0-9][0-9]*.txt"), (Claim(1), "**/Spec[-_][0-9][0-9]*.txt"), (Claim(1), "**/SPEC[-_][0-9][0-9]*.txt"),
            (Claim(2), "**/**/spec.md"),
        ],
    },
    Known {
        head: Head {
            id: Borrowed("sitemap-urls"), group: Some(Group::Routes), between_worktrees: false, reads_settings: false,
            root_anywhere: true, invented_if_asked: false, kinds: Borrowed(&["duplicate", "out-of-band", "over-quota"]),
        },
        wants: &[
            (Claim(0), "**/*[Ss]itemap*.xml"), (Claim(0), "**/*[Ss]itemap*.xml.gz"),
            (Claim(1), "**/*[Ss]itemap*.xml"), (Claim(1), "**/*[Ss]itemap*.xml.gz"),
        ],
    },
];
