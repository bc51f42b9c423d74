"""peewee-migrate: the whole file name."""

from bench import Case, Tool


def write(path: str, table: str) -> str:
    return f'"""Peewee migrations -- {path}"""\n\n\ndef migrate(migrator, database, *, fake=False):\n    migrator.sql("CREATE TABLE {table} (id integer)")\n\n\ndef rollback(migrator, database, *, fake=False):\n    pass\n'


FIRST = {"migrations/001_first.py": "first"}
CASES = [
    Case("twin: one number twice", FIRST, {"migrations/002_users.py": "users"}, {"migrations/002_teams.py": "teams"}),
    Case("twin: a late one", {**FIRST, "migrations/005_last.py": "last"}, {}, {"migrations/002_users.py": "users"}),
    Case("a name that is passed over", FIRST, {}, {"migrations/0002_teams.py": "teams"}, stray=True),
    Case("merged and then edited", FIRST, {}, {"migrations/001_first.py": "other"}),
    Case("merged and then renamed", FIRST, {}, {"migrations/001_first.py": None, "migrations/001_one.py": "first", "migrations/002_more.py": "more"}),
]

TOOLS = [Tool("peewee-migrate", "2.3.0", {"pip": ["peewee-migrate==2.3.0"]}, {"requirements.txt": "peewee-migrate==2.3.0\n"}, write, "pw_migrate migrate --directory migrations --database sqlite:///db.sqlite", CASES, last=True)]
