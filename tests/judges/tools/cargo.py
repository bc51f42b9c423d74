"""sqlx, refinery and diesel: plain SQL, with the version before the name."""

from bench import Case, Raw, Tool


def write(path: str, table: str) -> str:
    return f"CREATE TABLE {table} (id integer);\n"


def manifest(crate: str) -> str:
    """What tells gatekeep whose folder it is."""
    return f'[package]\nname = "app"\nversion = "0.1.0"\n\n[dependencies]\n{crate} = "*"\n'


S = "migrations/20260102000000_first.sql"
SQLX = [
    Case("one version twice", {S: "first"}, {"migrations/20260103000000_users.sql": "users"}, {"migrations/20260103000000_teams.sql": "teams"}),
    Case("one version with another width", {"migrations/1_first.sql": "first"}, {"migrations/2_users.sql": "users"}, {"migrations/002_teams.sql": "teams"}),
    Case("twin: a late one", {S: "first"}, {"migrations/20260103000000_users.sql": "users"}, {"migrations/20260101000000_teams.sql": "teams"}),
    Case("twin: a pair", {"migrations/1_first.up.sql": "first", "migrations/1_first.down.sql": Raw("DROP TABLE first;\n")}, {},
         {"migrations/2_users.up.sql": "users", "migrations/2_users.down.sql": Raw("DROP TABLE users;\n")}),
    Case("one version twice, in pairs", {"migrations/1_first.up.sql": "first", "migrations/1_first.down.sql": Raw("DROP TABLE first;\n")},
         {"migrations/2_users.up.sql": "users", "migrations/2_users.down.sql": Raw("DROP TABLE users;\n")},
         {"migrations/2_teams.up.sql": "teams", "migrations/2_teams.down.sql": Raw("DROP TABLE teams;\n")}),
    Case("no number before the underscore", {S: "first"}, {}, {"migrations/x_teams.sql": "teams"}),
    Case("a name that is passed over", {S: "first"}, {}, {"migrations/20260103000000-teams.sql": "teams"}, stray=True),
    Case("merged and then edited", {S: "first"}, {}, {S: "other"}),
    Case("merged and then gone", {S: "first", "migrations/20260103000000_users.sql": "users"}, {}, {S: None}),
    Case("twin: merged and then another name", {S: "first"}, {}, {S: None, "migrations/20260102000000_one.sql": "first"}),
]
REFINERY = [
    Case("one version twice", {"migrations/V1__first.sql": "first"}, {"migrations/V2__users.sql": "users"}, {"migrations/V2__teams.sql": "teams"}),
    Case("one version with another width", {"migrations/V1__first.sql": "first"}, {"migrations/V2__users.sql": "users"}, {"migrations/V02__teams.sql": "teams"}),
    Case("one version as V and as U", {"migrations/V1__first.sql": "first"}, {"migrations/V2__users.sql": "users"}, {"migrations/U2__teams.sql": "teams"}),
    Case("a late one", {"migrations/V1__first.sql": "first"}, {"migrations/V3__users.sql": "users"}, {"migrations/V2__teams.sql": "teams"}),
    Case("twin: a late U", {"migrations/V1__first.sql": "first"}, {"migrations/V3__users.sql": "users"}, {"migrations/U2__teams.sql": "teams"}),
    Case("twin: the next one", {"migrations/V1__first.sql": "first"}, {}, {"migrations/V2__teams.sql": "teams"}),
    Case("a version with a dot", {"migrations/V1__first.sql": "first"}, {}, {"migrations/V1.1__teams.sql": "teams"}),
    Case("a name that is passed over", {"migrations/V1__first.sql": "first"}, {}, {"migrations/V2_teams.sql": "teams"}, stray=True),
    Case("merged and then edited", {"migrations/V1__first.sql": "first"}, {}, {"migrations/V1__first.sql": "other"}),
    Case("merged and then renamed", {"migrations/V1__first.sql": "first"}, {}, {"migrations/V1__first.sql": None, "migrations/V1__one.sql": "first"}),
]
COMMAND = "the library stops, and so does the command with `-m`; no word of the rule language tells the command alone from it"
SKIPS = [
    Case("a late one", {"migrations/V1__first.sql": "first"}, {"migrations/V3__users.sql": "users"}, {"migrations/V2__teams.sql": "teams"}, known=COMMAND),
    Case("merged and then edited", {"migrations/V1__first.sql": "first"}, {}, {"migrations/V1__first.sql": "other"}),
    Case("merged and then renamed", {"migrations/V1__first.sql": "first"}, {}, {"migrations/V1__first.sql": None, "migrations/V1__one.sql": "first"}, known=COMMAND),
]
D = "migrations/2026-01-02-000000_first/up.sql"
DIESEL = [
    Case("one version twice", {D: "first"}, {"migrations/2026-01-03-000000_users/up.sql": "users"}, {"migrations/2026-01-03-000000_teams/up.sql": "teams"}),
    Case("one version with and without dashes", {D: "first"}, {"migrations/2026-01-03-000000_users/up.sql": "users"}, {"migrations/20260103000000_teams/up.sql": "teams"}),
    Case("one version twice, with the way back", {D: "first"},
         {"migrations/2026-01-03-000000_users/up.sql": "users", "migrations/2026-01-03-000000_users/down.sql": Raw("DROP TABLE users;\n")},
         {"migrations/2026-01-03-000000_teams/up.sql": "teams", "migrations/2026-01-03-000000_teams/down.sql": Raw("DROP TABLE teams;\n"),
          "migrations/2026-01-03-000000_teams/metadata.toml": Raw("run_in_transaction = false\n")}),
    Case("twin: one number with another width", {"migrations/1_first/up.sql": "first"}, {"migrations/2_users/up.sql": "users"}, {"migrations/02_teams/up.sql": "teams"}),
    Case("twin: a late one", {D: "first"}, {"migrations/2026-01-03-000000_users/up.sql": "users"}, {"migrations/2026-01-01-000000_teams/up.sql": "teams"}),
    Case("a folder without an underscore and up.sql", {D: "first"}, {}, {"migrations/2026-01-03-000000_teams/oops.sql": Raw("SELECT 1;\n")}),
    Case("merged and then edited", {D: "first"}, {}, {D: "other"}),
]

CLI = {"cargo": [["refinery_cli@0.10.0", "--no-default-features", "--features", "sqlite-bundled"]]}
SETTINGS = {"refinery.toml": '[main]\ndb_type = "Sqlite"\ndb_path = "db.sqlite"\n'}
SAYS = "UNIQUE|^Error|called `"

TOOLS = [  # `-d -m` is what a program with refinery in it does by default
    Tool("refinery -d -m", "0.10.0", CLI, {"Cargo.toml": manifest("refinery"), **SETTINGS}, write, "refinery migrate -d -m", REFINERY, telling=SAYS),
    Tool("refinery migrate", "0.10.0", CLI, SETTINGS, write, "refinery migrate", SKIPS, telling=SAYS),
    Tool("sqlx", "0.9.0", {"cargo": [["sqlx-cli@0.9.0", "--no-default-features", "--features", "sqlite"]]},
         {"Cargo.toml": manifest("sqlx")}, write, "sqlx migrate run", SQLX),
    Tool("diesel", "2.3.14", {"cargo": [["diesel_cli@2.3.14", "--no-default-features", "--features", "sqlite-bundled"]]},
         {"Cargo.toml": manifest("diesel")}, write, "diesel migration run --database-url db.sqlite --migration-dir migrations", DIESEL),
]
