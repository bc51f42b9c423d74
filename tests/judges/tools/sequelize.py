"""sequelize-cli: the whole file name."""

from bench import Case, Tool

FILES = {
    ".sequelizerc": 'const path = require("path");\n\nmodule.exports = {\n  "config": path.resolve("config.json"),\n  "migrations-path": path.resolve("db", "migrations"),\n};\n',
    "config.json": '{ "development": { "dialect": "sqlite", "storage": "db.sqlite" } }\n',
}


def write(path: str, table: str) -> str:
    return f'"use strict";\n\nmodule.exports = {{\n  async up(queryInterface) {{\n    await queryInterface.sequelize.query("CREATE TABLE {table} (id integer)");\n  }},\n  async down() {{}},\n}};\n'


FIRST = {"db/migrations/20260102000000-first.js": "first"}
CASES = [
    Case("twin: one timestamp twice", FIRST, {"db/migrations/20260103000000-users.js": "users"}, {"db/migrations/20260103000000-teams.js": "teams"}),
    Case("twin: a late one", FIRST, {"db/migrations/20260103000000-users.js": "users"}, {"db/migrations/20260101000000-teams.js": "teams"}),
    Case("twin: one name with two endings", FIRST, {"db/migrations/20260103000000-users.js": "users"}, {"db/migrations/20260103000000-users.cjs": "teams"}),
    Case("merged and then edited", FIRST, {}, {"db/migrations/20260102000000-first.js": "other"}),
    Case("merged and then renamed", FIRST, {}, {"db/migrations/20260102000000-first.js": None, "db/migrations/20260102000000-one.js": "first"}),
]

TOOLS = [Tool("sequelize-cli", "6.6.5", {"npm": ["sequelize@6.37.7", "sequelize-cli@6.6.5", "sqlite3@5.1.7"]}, FILES, write, "sequelize-cli db:migrate", CASES)]
