"""Alembic: what counts is `revision` and `down_revision`."""

from bench import Case, Tool

FILES = {
    "alembic.ini": "[alembic]\nscript_location = %(here)s/alembic\nsqlalchemy.url = sqlite:///db.sqlite\n",
    "alembic/env.py": 'from alembic import context\nfrom sqlalchemy import create_engine\n\nwith create_engine(context.config.get_main_option("sqlalchemy.url")).connect() as connection:\n    context.configure(connection=connection)\n    with context.begin_transaction():\n        context.run_migrations()\n',
}


def write(path: str, table: str, revision: str, *parents: str) -> str:
    down = None if not parents else parents[0] if len(parents) == 1 else parents
    body = f'op.execute("CREATE TABLE {table} (id integer)")' if table else "pass"
    return f"from alembic import op\n\nrevision = {revision!r}\ndown_revision = {down!r}\n\n\ndef upgrade():\n    {body}\n\n\ndef downgrade():\n    pass\n"


EDITED = "by design: the tool keeps no checksums, and an edit that makes no difference is common"
FIRST = {"alembic/versions/aaa_first.py": ("first", "aaa")}
CASES = [
    Case("two heads", FIRST, {"alembic/versions/bbb_users.py": ("users", "bbb", "aaa")}, {"alembic/versions/ccc_teams.py": ("teams", "ccc", "aaa")}),
    Case("one revision id in two files", FIRST, {"alembic/versions/bbb_users.py": ("users", "bbb", "aaa")}, {"alembic/versions/bbb_teams.py": ("teams", "bbb", "aaa")}),
    Case("one revision id in two files, one after the other", {**FIRST, "alembic/versions/bbb_users.py": ("users", "bbb", "aaa")},
         {"alembic/versions/ccc_more.py": ("more", "ccc", "bbb")}, {"alembic/versions/bbb_teams.py": ("teams", "bbb", "aaa")}),
    Case("twin: an earlier name that follows the last", {**FIRST, "alembic/versions/zzz_users.py": ("users", "zzz", "aaa")}, {}, {"alembic/versions/aab_teams.py": ("teams", "aab", "zzz")}),
    Case("twin: the branch joins both heads", {**FIRST, "alembic/versions/bbb_users.py": ("users", "bbb", "aaa")}, {},
         {"alembic/versions/ccc_teams.py": ("teams", "ccc", "aaa"), "alembic/versions/ddd_merge.py": ("", "ddd", "bbb", "ccc")}),
    Case("the branch takes the parent away", {**FIRST, "alembic/versions/bbb_users.py": ("users", "bbb", "aaa")},
         {"alembic/versions/ccc_more.py": ("more", "ccc", "bbb")}, {"alembic/versions/bbb_users.py": None, "alembic/versions/ddd_users.py": ("users", "ddd", "aaa")}),
    Case("the branch gives the parent another id", {**FIRST, "alembic/versions/bbb_users.py": ("users", "bbb", "aaa")},
         {"alembic/versions/ccc_more.py": ("more", "ccc", "bbb")}, {"alembic/versions/bbb_users.py": ("users", "bbc", "aaa")}),
    Case("twin: the parent is taken away, and its child follows another", {**FIRST, "alembic/versions/bbb_users.py": ("", "bbb", "aaa"), "alembic/versions/ccc_more.py": ("more", "ccc", "bbb")},
         {}, {"alembic/versions/bbb_users.py": None, "alembic/versions/ccc_more.py": ("more", "ccc", "aaa")}),
    Case("merged and then edited", FIRST, {}, {"alembic/versions/aaa_first.py": ("other", "aaa")}, known=EDITED),
]

PIP = {"pip": ["alembic==1.20.1"]}
HEADS = [
    Case("two heads, where all are wanted", FIRST, {"alembic/versions/bbb_users.py": ("users", "bbb", "aaa")}, {"alembic/versions/ccc_teams.py": ("teams", "ccc", "aaa")},
         known="most run `upgrade head`; who wants several heads turns the code off, or gives them labels"),
    Case("twin: a chain of its own beside it", FIRST, {}, {"alembic/versions/xxx_teams.py": ("teams", "xxx")}),
]

TOOLS = [
    Tool("alembic upgrade head", "1.20.1", PIP, FILES, write, "alembic upgrade head", CASES, last=True),
    Tool("alembic upgrade heads", "1.20.1", PIP, FILES, write, "alembic upgrade heads", HEADS, last=True),
]
