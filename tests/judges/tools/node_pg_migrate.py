"""node-pg-migrate, on PostgreSQL: the file name without its ending, in order."""

from bench import Case, Tool

FILES = {"package.json": '{ "private": true, "dependencies": { "node-pg-migrate": "9.0.0" }, "scripts": { "up": "node-pg-migrate up" } }\n'}


def write(path: str, table: str) -> str:
    if path.endswith(".sql"):
        return f"-- Up Migration\nCREATE TABLE {table} (id integer);\n\n-- Down Migration\nDROP TABLE {table};\n"
    end = "export const" if path.endswith(".mjs") else "exports."
    return f'{end}{" " if end.endswith("t") else ""}up = (pgm) => {{\n  pgm.sql("CREATE TABLE {table} (id integer)");\n}};\n'


FIRST = {"migrations/1767225500000_first.js": "first"}
USERS = {"migrations/1767225600000_users.js": "users"}
CASES = [
    Case("one name with two endings", FIRST, USERS, {"migrations/1767225600000_users.sql": "teams"}),
    Case("a late one", FIRST, USERS, {"migrations/1767225400000_teams.js": "teams"}),
    Case("one timestamp twice, the branch's name comes first", FIRST, USERS, {"migrations/1767225600000_teams.js": "teams"}),
    Case("twin: one timestamp twice, the branch's name comes last", FIRST, {"migrations/1767225600000_teams.js": "teams"}, USERS),
    Case("twin: the next one", FIRST, {}, USERS),
    Case("merged and then edited", FIRST, {}, {"migrations/1767225500000_first.js": "other"}),
]
UNORDERED = [Case("twin: a late one, where the command allows it", FIRST, USERS, {"migrations/1767225400000_teams.js": "teams"})]
LAX = {"package.json": FILES["package.json"].replace("-migrate up", "-migrate up --no-check-order")}
PACKAGES = {"npm": ["node-pg-migrate@9.0.0", "pg@8.16.3"], "apt": ["postgresql"]}

TOOLS = [
    Tool("node-pg-migrate", "9.0.0", PACKAGES, FILES, write, "npm run --silent up", CASES, "postgres"),
    Tool("node-pg-migrate-unordered", "9.0.0", PACKAGES, LAX, write, "npm run --silent up", UNORDERED, "postgres"),
]
