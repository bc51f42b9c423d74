"""yoyo: the id is the file name without its ending."""

from bench import Case, Raw, Tool

FILES = {"yoyo.ini": "[DEFAULT]\nsources = migrations\ndatabase = sqlite:///db.sqlite\nbatch_mode = on\n"}


def write(path: str, table: str, parent: str = "") -> str:
    if path.endswith(".sql"):
        return f"-- {table}\n-- depends: {parent}\n\nCREATE TABLE {table} (id integer);\n"
    return f'from yoyo import step\n\n__depends__ = {{{repr(parent) if parent else ""}}}\n\nsteps = [step("CREATE TABLE {table} (id integer)")]\n'


FIRST = {"migrations/20260102_01_aaaaa-first.sql": "first"}
CASES = [
    Case("one name, in SQL and in Python", FIRST, {"migrations/20260103_01_bbbbb-users.sql": "users"}, {"migrations/20260103_01_bbbbb-users.py": "teams"}),
    Case("twin: a late one", {**FIRST, "migrations/20260105_01_ccccc-last.sql": "last"}, {}, {"migrations/20260101_01_bbbbb-users.sql": "users"}),
    Case("twin: one date and number", FIRST, {"migrations/20260103_01_bbbbb-users.sql": "users"}, {"migrations/20260103_01_ccccc-teams.py": ("teams", "20260102_01_aaaaa-first")}),
    Case("twin: two after one", FIRST, {"migrations/20260103_01_bbbbb-users.sql": ("users", "20260102_01_aaaaa-first")}, {"migrations/20260104_01_ccccc-teams.sql": ("teams", "20260102_01_aaaaa-first")}),
    Case("twin: the way back beside it", FIRST, {}, {"migrations/20260103_01_bbbbb-users.sql": "users", "migrations/20260103_01_bbbbb-users.rollback.sql": Raw("DROP TABLE users;\n")}),
    Case("merged and then edited", FIRST, {}, {"migrations/20260102_01_aaaaa-first.sql": "other"}),
    Case("merged and then renamed", FIRST, {}, {"migrations/20260102_01_aaaaa-first.sql": None, "migrations/20260102_01_aaaaa-one.sql": "first"}),
]

TWO = [
    Case("one name in two sources of one history", {"a/20260102_01_aaaaa-first.sql": "first", "b/20260102_01_bbbbb-second.sql": "second"},
         {"a/20260103_01_ccccc-users.sql": "users"}, {"b/20260103_01_ccccc-users.sql": "teams"}),
    Case("twin: one date and number in two sources", {"a/20260102_01_aaaaa-first.sql": "first", "b/20260102_01_bbbbb-second.sql": "second"},
         {"a/20260103_01_ccccc-users.sql": "users"}, {"b/20260103_01_ddddd-teams.sql": "teams"}),
]

PIP = {"pip": ["yoyo-migrations==9.0.0", "setuptools<81"]}
TOOLS = [
    Tool("yoyo", "9.0.0", PIP, FILES, write, "yoyo apply --batch", CASES, last=True),
    Tool("yoyo-two-sources", "9.0.0", PIP, {"yoyo.ini": FILES["yoyo.ini"].replace("= migrations", "= ./a ./b")}, write, "yoyo apply --batch", TWO, last=True),
]
