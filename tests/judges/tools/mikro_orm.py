"""MikroORM, on libSQL: the file name without its ending."""

from bench import Case, Tool

FILES = {
    "package.json": '{ "private": true, "type": "module", "dependencies": { "@mikro-orm/cli": "6.6.16", "@mikro-orm/migrations": "6.6.16" } }\n',
    "mikro-orm.config.js": 'import { Migrator } from "@mikro-orm/migrations";\nimport { EntitySchema, defineConfig } from "@mikro-orm/libsql";\n\nconst Thing = new EntitySchema({ name: "Thing", properties: { id: { type: "number", primary: true } } });\n\nexport default defineConfig({\n  dbName: "db.sqlite",\n  entities: [Thing],\n  extensions: [Migrator],\n  migrations: { path: "migrations", snapshot: false },\n});\n',
}


def write(path: str, table: str) -> str:
    name = path.rsplit("/", 1)[1].split(".")[0].replace("-", "_")
    return f'import {{ Migration }} from "@mikro-orm/migrations";\n\nexport class {name} extends Migration {{\n  up() {{\n    this.addSql("create table {table} (id integer)");\n  }}\n}}\n'


FIRST = {"migrations/Migration20260102000000.js": "first"}
USERS = {"migrations/Migration20260103000000_users.js": "users"}
CASES = [
    Case("twin: one timestamp twice", FIRST, USERS, {"migrations/Migration20260103000000_teams.js": "teams"}),
    Case("twin: a late one", FIRST, USERS, {"migrations/Migration20260101000000.js": "teams"}),
    Case("merged and then edited", FIRST, {}, {"migrations/Migration20260102000000.js": "other"}),
    Case("merged and then renamed", FIRST, {}, {"migrations/Migration20260102000000.js": None, "migrations/Migration20260102000000_one.js": "first"}),
]

TOOLS = [Tool("MikroORM", "6.6.16", {"npm": ["@mikro-orm/core@6.6.16", "@mikro-orm/cli@6.6.16", "@mikro-orm/migrations@6.6.16", "@mikro-orm/libsql@6.6.16"]}, FILES, write, "mikro-orm migration:up", CASES)]
