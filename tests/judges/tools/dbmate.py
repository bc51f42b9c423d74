"""dbmate, whose binary comes with its npm package: the digits before the name."""

from bench import Case, Tool


def write(path: str, table: str) -> str:
    return f"-- migrate:up\nCREATE TABLE {table} (id integer);\n\n-- migrate:down\nDROP TABLE {table};\n"


FIRST = {"db/migrations/20260102000000_first.sql": "first"}
USERS = {"db/migrations/20260103000000_users.sql": "users"}
CASES = [
    Case("one version twice", FIRST, USERS, {"db/migrations/20260103000000_teams.sql": "teams"}),
    Case("twin: one number with another width", {"db/migrations/1_first.sql": "first"}, {"db/migrations/2_users.sql": "users"}, {"db/migrations/02_teams.sql": "teams"}),
    Case("twin: a late one", FIRST, USERS, {"db/migrations/20260101000000_teams.sql": "teams"}),
    Case("a name that is passed over", FIRST, {}, {"db/migrations/v2_teams.sql": "teams"}, stray=True),
    Case("merged and then edited", FIRST, {}, {"db/migrations/20260102000000_first.sql": "other"}),
    Case("twin: merged and then another name", FIRST, {}, {"db/migrations/20260102000000_first.sql": None, "db/migrations/20260102000000_one.sql": "first"}),
]

STRICT = [Case("a late one, where the command is strict", FIRST, USERS, {"db/migrations/20260101000000_teams.sql": "teams"})]
TWO = [
    Case("one version in two folders of one history", {"a/20260102000000_first.sql": "first", "b/20260102000001_second.sql": "second"},
         {"a/20260103000000_users.sql": "users"}, {"b/20260103000000_teams.sql": "teams"}),
    Case("twin: two versions in two folders of one history", {"a/20260102000000_first.sql": "first", "b/20260102000001_second.sql": "second"},
         {"a/20260103000000_users.sql": "users"}, {"b/20260103000001_teams.sql": "teams"}),
]
RUN = "dbmate --url sqlite:db.sqlite --no-dump-schema up"

TOOLS = [
    Tool("dbmate", "2.36.0", {"npm": ["dbmate@2.36.0"]}, {}, write, RUN, CASES),
    Tool("dbmate -d -d", "2.36.0", {"npm": ["dbmate@2.36.0"]}, {"Makefile": f"migrate:\n\t{RUN.replace(' up', ' -d a -d b up')}\n"}, write, "make --silent migrate", TWO),
    Tool("DBMATE_MIGRATIONS_DIR", "2.36.0", {"npm": ["dbmate@2.36.0"]}, {".env": "DBMATE_MIGRATIONS_DIR=./a,./b\n"}, write, RUN, TWO),
    Tool("dbmate up --strict", "2.36.0", {"npm": ["dbmate@2.36.0"]}, {"Makefile": f"migrate:\n\t{RUN} --strict\n"}, write, f"{RUN} --strict", STRICT),
]
