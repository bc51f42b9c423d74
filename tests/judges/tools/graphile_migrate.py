"""graphile-migrate, on PostgreSQL: committed migrations are a chain of hashes."""

import hashlib

from bench import Case, Raw, Tool

FILES = {".gmrc": '{ "pgSettings": {} }\n', "migrations/current.sql": ""}


def hashed(table: str, previous: str) -> str:
    """What `graphile-migrate commit` writes into the file."""
    text = f"{previous}\n{body(table)}".strip() + "\n"
    return "sha1:" + hashlib.sha1(text.encode()).hexdigest()


def body(table: str) -> str:
    return f"create table {table} (id integer);"


def chain(tables: tuple[str, ...]) -> str:
    """The hash of the last of these, each of which comes after the one before."""
    last = ""
    for table in tables:
        last = hashed(table, last)
    return last


def write(path: str, table: str, *before: str) -> str:
    previous = chain(before)
    return f"--! Previous: {previous or '-'}\n--! Hash: {hashed(table, previous)}\n\n{body(table)}\n"


AT = "migrations/committed/"
FIRST = {f"{AT}000001.sql": "first"}
USERS = {f"{AT}000002-users.sql": ("users", "first")}
LAST = "with another one after it nothing would run, which is worth an error"
CASES = [
    Case("two after one, with one number", FIRST, USERS, {f"{AT}000002-teams.sql": ("teams", "first")}),
    Case("two after one, with two numbers", FIRST, USERS, {f"{AT}000003-teams.sql": ("teams", "first")}),
    Case("twin: the next one", {**FIRST, **USERS}, {}, {f"{AT}000003-teams.sql": ("teams", "first", "users")}),
    Case("merged and then edited, by hand", FIRST, {}, {f"{AT}000001.sql": Raw(write("", "first").replace("integer", "bigint"))}),
    Case("merged and then edited, with a new hash", {**FIRST, **USERS}, {}, {f"{AT}000001.sql": "other"}),
    Case("merged and then committed again, the last one", {**FIRST, **USERS}, {}, {f"{AT}000002-users.sql": ("other", "first")}, known=LAST),
    Case("merged and then gone, the last one", {**FIRST, **USERS}, {}, {f"{AT}000002-users.sql": None}, known=LAST),
    Case("merged and then gone", {**FIRST, **USERS}, {}, {f"{AT}000001.sql": None}),
]

TOOLS = [Tool("graphile-migrate", "1.4.1", {"npm": ["graphile-migrate@1.4.1"], "apt": ["postgresql"]}, FILES, write, "graphile-migrate migrate", CASES, "postgres", telling="Error: ")]
