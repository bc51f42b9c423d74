"""TypeORM: the `name` of a migration, or that of its class."""

from bench import Case, Tool

FILES = {
    "package.json": '{ "private": true, "dependencies": { "typeorm": "1.1.1" } }\n',
    "data-source.js": 'const { DataSource } = require("typeorm");\n\nmodule.exports = new DataSource({\n  type: "better-sqlite3",\n  database: "db.sqlite",\n  migrations: [__dirname + "/migrations/*.js"],\n});\n',
}


def write(path: str, table: str, name: str, own: str = "") -> str:
    line = f'  name = "{own}";\n\n' if own else ""
    return f'module.exports = class {name} {{\n{line}  async up(queryRunner) {{\n    await queryRunner.query("CREATE TABLE {table} (id integer)");\n  }}\n\n  async down() {{}}\n}};\n'


FIRST = {"migrations/1767225500000-first.js": ("first", "First1767225500000")}
USERS = {"migrations/1767225600000-AddUsers.js": ("users", "AddUsers1767225600000")}
CASES = [
    Case("one class in two files", FIRST, USERS, {"migrations/1767225700000-copy.js": ("teams", "AddUsers1767225600000")}),
    Case("two classes with one `name`", FIRST, {"migrations/1767225600000-AddUsers.js": ("users", "AddUsers1767225600000", "AddUsers1767225600000")},
         {"migrations/1767225700000-AddTeams.js": ("teams", "AddTeams1767225700000", "AddUsers1767225600000")}),
    Case("twin: one timestamp twice", FIRST, USERS, {"migrations/1767225600000-AddTeams.js": ("teams", "AddTeams1767225600000")}),
    Case("twin: a late one", FIRST, USERS, {"migrations/1767225400000-AddTeams.js": ("teams", "AddTeams1767225400000")}),
    Case("twin: merged and then another file name", FIRST, {}, {"migrations/1767225500000-first.js": None, "migrations/1767225500000-one.js": ("first", "First1767225500000")}),
    Case("merged and then edited", FIRST, {}, {"migrations/1767225500000-first.js": ("other", "First1767225500000")}),
    Case("merged and then another class", FIRST, {}, {"migrations/1767225500000-first.js": ("first", "One1767225500000")}),
]

TOOLS = [Tool("TypeORM", "1.1.1", {"npm": ["typeorm@1.1.1", "better-sqlite3@12.11.1"]}, FILES, write, "typeorm migration:run -d data-source.js", CASES)]
