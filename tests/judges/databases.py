"""SQLite in a file of the case, or a PostgreSQL server of our own below the folder of the tool."""

import contextlib
import os
import shutil
import sqlite3
import subprocess
from pathlib import Path


class Sqlite:
    """`db.sqlite` at the top of the repository, where git does not see it."""

    def __init__(self, repo: Path):
        self.path = repo / "db.sqlite"
        self.clear()

    def clear(self) -> None:
        for path in self.path.parent.glob("db.sqlite*"):
            path.unlink()
        self.path.touch()

    def tables(self) -> set[str]:
        with contextlib.closing(sqlite3.connect(self.path)) as connection:
            return {name for (name,) in connection.execute("select name from sqlite_master where type = 'table'")}


class Postgres:
    """Database `judge` of a server that listens on a socket only."""

    def __init__(self, socket: Path):
        self.socket = socket
        self.clear()

    def ask(self, database: str, *statements: str) -> list[str]:
        words = [word for statement in statements for word in ("-c", statement)]
        done = subprocess.run(["psql", "-XAtq", "-h", self.socket, "-U", "postgres", "-d", database, *words], capture_output=True, text=True, check=True)
        return done.stdout.splitlines()

    def clear(self) -> None:
        self.ask("postgres", "drop database if exists judge with (force)", "create database judge")

    def tables(self) -> set[str]:
        return set(self.ask("judge", "select tablename from pg_tables where schemaname = 'public'"))


def server_binary(name: str) -> str:
    """Debian keeps them off the PATH."""
    found = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    return str(found[-1]) if found else name


@contextlib.contextmanager
def open(kind: str, repo: Path, env: dict):
    """A clean database for one case, and its address in the environment of the tool."""
    if kind == "sqlite":
        yield Sqlite(repo)
        return
    home = Path(f"/tmp/gatekeep-judges-pg.{os.getpid()}")  # a socket's path has to be short, and readable by another user
    user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    home.mkdir()
    try:
        if user:
            shutil.chown(home, "postgres")
        subprocess.run([*user, server_binary("initdb"), "-D", home / "data", "-U", "postgres", "-A", "trust", "--no-sync"], cwd="/tmp", capture_output=True, check=True)
        control = [*user, server_binary("pg_ctl"), "-D", home / "data", "-w"]
        subprocess.run([*control, "-l", home / "log", "-o", f"-k {home} -c listen_addresses='' -c fsync=off", "start"], cwd="/tmp", stdout=subprocess.DEVNULL, check=True)
        try:
            env |= {"DATABASE_URL": f"postgres://postgres@%2Ftmp%2F{home.name}/judge", "PGHOST": str(home), "PGUSER": "postgres", "PGDATABASE": "judge"}
            yield Postgres(home)
        finally:
            subprocess.run([*control, "-m", "immediate", "stop"], cwd="/tmp", capture_output=True, check=False)
    finally:
        shutil.rmtree(home, ignore_errors=True)
