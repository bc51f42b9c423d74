"""Kysely, by its command kysely-ctl: the file name without its ending, in order."""

from bench import Case, Tool

CONFIG = 'import Database from "better-sqlite3";\nimport { defineConfig } from "kysely-ctl";\n\nexport default defineConfig({\n  dialect: "better-sqlite3",\n  dialectConfig: { database: new Database("db.sqlite") },\n  migrations: {\n    migrationFolder: "migrations",\n%s  },\n});\n'


def write(path: str, table: str) -> str:
    kysely = ": Kysely<any>" if path.endswith(".ts") else ""
    first = 'import { sql, type Kysely } from "kysely";' if kysely else 'import { sql } from "kysely";'
    return f"{first}\n\n/** @param {{import('kysely').Kysely<any>}} db */\nexport async function up(db{kysely}) {{\n  await sql`CREATE TABLE {table} (id integer)`.execute(db);\n}}\n"


FIRST = {"migrations/20260102000000_first.ts": "first"}
LATE = {"migrations/20260103000000_users.ts": "users"}, {"migrations/20260101000000_teams.ts": "teams"}
CASES = [
    Case("one name with two endings", FIRST, {"migrations/20260103000000_users.ts": "users"}, {"migrations/20260103000000_users.js": "teams"},
         known="in one tree the two are most often a build and its source, so that is a note"),
    Case("a late one", FIRST, *LATE),
    Case("one timestamp twice, the branch's name comes first", FIRST, {"migrations/20260103000000_users.ts": "users"}, {"migrations/20260103000000_teams.ts": "teams"}),
    Case("twin: one timestamp twice, the branch's name comes last", FIRST, {"migrations/20260103000000_teams.ts": "teams"}, {"migrations/20260103000000_users.ts": "users"}),
    Case("twin: the next one", FIRST, {}, {"migrations/20260103000000_users.ts": "users"}),
    Case("merged and then edited", FIRST, {}, {"migrations/20260102000000_first.ts": "other"}),
    Case("merged and then renamed", FIRST, {}, {"migrations/20260102000000_first.ts": None, "migrations/20260102000000_one.ts": "first"}),
]
PACKAGES = {"npm": ["kysely@0.29.9", "kysely-ctl@0.21.0", "better-sqlite3@12.11.1"]}
RUN = "kysely migrate:latest --no-outdated-check"

TOOLS = [
    Tool("kysely", "0.29.9", PACKAGES, {"kysely.config.ts": CONFIG % ""}, write, RUN, CASES),
    Tool("kysely-unordered", "0.29.9", PACKAGES, {"kysely.config.ts": CONFIG % "    allowUnorderedMigrations: true,\n"}, write, RUN, [Case("twin: a late one, where the settings allow it", FIRST, *LATE)]),
]
