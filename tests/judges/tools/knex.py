"""knex: the whole file name."""

from bench import Case, Tool

CONFIG = 'module.exports = {\n  client: "better-sqlite3",\n  useNullAsDefault: true,\n  connection: { filename: "db.sqlite" },\n  migrations: {\n    directory: %s,\n  },\n};\n'


def write(path: str, table: str) -> str:
    return f'exports.up = (knex) => knex.raw("CREATE TABLE {table} (id integer)");\nexports.down = (knex) => knex.schema.dropTable("{table}");\n'


FIRST = {"migrations/20260102000000_first.js": "first"}
CASES = [
    Case("twin: one timestamp twice", FIRST, {"migrations/20260103000000_users.js": "users"}, {"migrations/20260103000000_teams.js": "teams"}),
    Case("twin: a late one", FIRST, {"migrations/20260103000000_users.js": "users"}, {"migrations/20260101000000_teams.js": "teams"}),
    Case("twin: one name with two endings", FIRST, {"migrations/20260103000000_users.js": "users"}, {"migrations/20260103000000_users.cjs": "teams"}),
    Case("merged and then edited", FIRST, {}, {"migrations/20260102000000_first.js": "other"}),
    Case("merged and then renamed", FIRST, {}, {"migrations/20260102000000_first.js": None, "migrations/20260102000000_one.js": "first"}),
]
TWO = [
    Case("one name in two folders of one history", {"a/migrations/20260102000000_first.js": "first", "b/migrations/20260102000001_second.js": "second"},
         {"a/migrations/20260103000000_users.js": "users"}, {"b/migrations/20260103000000_users.js": "teams"}),
    Case("twin: one timestamp in two folders of one history", {"a/migrations/20260102000000_first.js": "first", "b/migrations/20260102000001_second.js": "second"},
         {"a/migrations/20260103000000_users.js": "users"}, {"b/migrations/20260103000000_teams.js": "teams"}),
]
PACKAGES = {"npm": ["knex@3.3.0", "better-sqlite3@12.11.1"]}
RUN = "knex migrate:latest"

TOOLS = [
    Tool("knex", "3.3.0", PACKAGES, {"knexfile.js": CONFIG % '"./migrations"'}, write, RUN, CASES),
    Tool("knex-two-folders", "3.3.0", PACKAGES, {"knexfile.js": CONFIG % '["./a/migrations", "./b/migrations"]'}, write, RUN, TWO),
]
