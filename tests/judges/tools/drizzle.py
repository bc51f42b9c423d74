"""Drizzle by its migrator: before 1.0 a journal with times, from 1.0 folders with names."""

import json

from bench import Case, Raw, Tool

MIGRATE = '''import { createClient } from "@libsql/client";
import { drizzle } from "drizzle-orm/libsql";
import { migrate } from "drizzle-orm/libsql/migrator";

await migrate(drizzle({ client: createClient({ url: "file:db.sqlite" }) }), { migrationsFolder: "drizzle" });
'''
CONFIG = 'import { defineConfig } from "drizzle-kit";\n\nexport default defineConfig({\n  dialect: "sqlite",\n  out: "./drizzle",\n});\n'


def write(path: str, table: str) -> str:
    return f"CREATE TABLE `{table}` (\n\t`id` integer\n);\n"


def journal(*entries: tuple[str, int]) -> Raw:
    """`meta/_journal.json`, which each migration adds an entry to."""
    rows = [{"idx": at, "version": "6", "when": when, "tag": tag, "breakpoints": True} for at, (tag, when) in enumerate(entries)]
    return Raw(json.dumps({"version": "7", "dialect": "sqlite", "entries": rows}, indent=2) + "\n")


FIRST, SOON, LATER, BACK = ("0000_first", 1000), ("0001_users", 2000), ("0001_teams", 3000), ("0002_users", 2000)
AT = "drizzle/meta/_journal.json"
NUMBER = "the migrator passes over numbers, but drizzle-kit writes one snapshot a number; git stops at the journal, so a person joins it by hand"
OLD = [
    Case("twin: two with one number, the later one comes later", {"drizzle/0000_first.sql": "first", AT: journal(FIRST)},
         {"drizzle/0001_users.sql": "users", AT: journal(FIRST, SOON)}, {"drizzle/0001_teams.sql": "teams", AT: journal(FIRST, LATER)}, {AT: journal(FIRST, SOON, LATER)}, known=NUMBER),
    Case("a late time in the journal", {"drizzle/0000_first.sql": "first", AT: journal(FIRST)},
         {"drizzle/0001_teams.sql": "teams", AT: journal(FIRST, LATER)}, {"drizzle/0001_users.sql": "users", AT: journal(FIRST, SOON)}, {AT: journal(FIRST, LATER, SOON)}),
    Case("a time before the newest one, renumbered", {"drizzle/0000_first.sql": "first", "drizzle/0001_teams.sql": "teams", AT: journal(FIRST, LATER)}, {},
         {"drizzle/0002_users.sql": "users", AT: journal(FIRST, LATER, BACK)}),
    Case("twin: two new ones that come together, the later one with the lower time", {"drizzle/0000_first.sql": "first", AT: journal(FIRST)}, {},
         {"drizzle/0001_teams.sql": "teams", "drizzle/0002_users.sql": "users", AT: journal(FIRST, LATER, BACK)}),
]

BASE = {"drizzle/20260102000000_first/migration.sql": "first", "drizzle/20260102000000_first/snapshot.json": Raw('{ "prevIds": [] }\n')}
USERS = {"drizzle/20260103000000_users/migration.sql": "users"}
NEW = [
    Case("twin: one timestamp twice", BASE, USERS, {"drizzle/20260103000000_teams/migration.sql": "teams"}),
    Case("twin: a late one", BASE, USERS, {"drizzle/20260101000000_teams/migration.sql": "teams"}),
    Case("a name that is passed over", BASE, {}, {"drizzle/20260103000000_teams/up.sql": "teams"}, stray=True),
    Case("merged and then edited", BASE, {}, {"drizzle/20260102000000_first/migration.sql": "other"}),
    Case("merged and then renamed", BASE, {}, {
        "drizzle/20260102000000_first/migration.sql": None, "drizzle/20260102000000_first/snapshot.json": None,
        "drizzle/20260102000000_one/migration.sql": "first", "drizzle/20260102000000_one/snapshot.json": Raw('{ "prevIds": [] }\n')}),
]
FILES = {"migrate.mjs": MIGRATE, "drizzle.config.ts": CONFIG}

TOOLS = [
    Tool("drizzle-orm", "0.45.4", {"npm": ["drizzle-orm@0.45.4", "@libsql/client@0.18.0"]}, FILES, write, "node migrate.mjs", OLD, telling="Error: "),
    Tool("drizzle-orm-1.0", "1.0.0-rc.5", {"own-npm": ["drizzle-orm@1.0.0-rc.5-ab785fc", "@libsql/client@0.18.0"]}, FILES, write, "node migrate.mjs", NEW, telling="Error: "),
]
