"""One case: a repository with a trunk and a branch, a database, the tool, and gatekeep."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import databases


class Broken(Exception):
    """The case can't be judged: something else than the collision is wrong."""


class Raw(str):
    """The text of a file that is no migration; anything else in a case is what `Tool.write` gets."""


@dataclass
class Case:
    """Files on the trunk where the branch begins (`base`), those that the trunk has got since, and those of the branch.

    `None` takes a file away. What is no `Raw` is a migration that makes a table: `"users"`, or `("users", …)` for a tool whose files
    say more. `merged` is how a person would resolve a conflict; without it the merge has to be clean.
    """

    name: str
    base: dict
    trunk: dict = field(default_factory=dict)
    branch: dict = field(default_factory=dict)
    merged: dict = field(default_factory=dict)
    known: str = ""
    stray: bool = False  # the branch's file has a name that the tool may pass over

    def edits(self) -> bool:
        """Whether the branch changes or removes what is merged: such a case has a weaker rule."""
        return any(path in self.base and not isinstance(self.base[path], Raw) for path in self.branch)


@dataclass
class Tool:
    """A tool as its users have it."""

    name: str
    version: str
    packages: dict  # how to install it: see install.py
    files: dict  # of a project, in each case
    write: Callable  # (path, table, …) -> text
    migrate: str  # the command, for a shell
    cases: list
    database: str = "sqlite"
    telling: str = r"(?i)error|exception|duplicate|corrupt|conflict|multiple|already|missing|called `|fail"
    last: bool = False  # whether the last such line of the output says it, as in Python; else the first


@dataclass
class Run:
    """What the tool did to a database."""

    did: str  # works, stops, loses, differs
    said: str

    def __str__(self) -> str:
        return self.did if not self.said else f"{self.did}: {self.said}"


@dataclass
class Result:
    """A case, judged."""

    deployed: Run
    fresh: Run
    change: list[str]
    tree: list[str]
    allowed: list[str]
    agrees: bool
    known: str

    def cells(self) -> list[str]:
        """The end of a row of the table."""
        if self.agrees:
            verdict = "agree"
        else:
            verdict = f"**disagree**, should be {' or '.join(self.allowed)}" + (f" (known: {self.known})" if self.known else "")
        return [str(self.deployed), str(self.fresh), ", ".join(self.change) or "silent", ", ".join(self.tree) or "silent", verdict]


def allowed(case: Case, deployed: str, fresh: str) -> list[str]:
    """The rule of agreement, as in README.md."""
    if case.edits() and fresh == "works":
        return ["silent", "note"] if deployed == "works" else ["warning", "note"]  # "loses" is no more than "differs" here
    if case.stray and fresh == deployed == "loses":
        return ["warning", "note"]
    if fresh != "works" or deployed == "loses":
        return ["error"]
    return ["warning"] if deployed == "stops" else ["silent", "note"]


def judge(tool: Tool, case: Case, place: Path, paths: list[str], gatekeep: Path, verbose: bool) -> Result:
    """Builds the repository, merges it, and asks both."""
    repo = place / "cases" / re.sub(r"\W+", "-", case.name)
    shutil.rmtree(repo, ignore_errors=True)
    repo.mkdir(parents=True)
    env = environment(repo, paths)
    git(repo, env, "init", "--quiet", "--initial-branch=main")
    (repo / ".git/info/exclude").write_text("db.sqlite*\n__pycache__/\n")
    commit(tool, repo, env, {**{path: Raw(text) for path, text in tool.files.items()}, **case.base}, "base")
    git(repo, env, "checkout", "--quiet", "-b", "branch")
    commit(tool, repo, env, case.branch, "branch")
    git(repo, env, "checkout", "--quiet", "main")
    commit(tool, repo, env, case.trunk, "trunk")
    change = verdict(gatekeep, repo, env, "--base", "main", "--head", "branch")

    with databases.open(tool.database, repo, env) as database:
        trunk = {**case.base, **case.trunk}
        first = migrate(tool, repo, env, database, trunk, verbose)
        if first.did != "works":
            raise Broken(f"the trunk by itself: {first}")
        merge(tool, case, repo, env)
        files = {**trunk, **case.branch, **case.merged}
        deployed = migrate(tool, repo, env, database, files, verbose)
        before = database.tables()
        database.clear()
        fresh = migrate(tool, repo, env, database, files, verbose)
        if deployed.did == fresh.did == "works" and before != database.tables():
            deployed = Run("differs", f"has {', '.join(sorted(before - database.tables()))}, status 0")
        database.clear()
    tree = verdict(gatekeep, repo, env)

    wanted = allowed(case, deployed.did, fresh.did)
    agrees = worst(change) in wanted and (fresh.did == "works" or worst(tree) == "error" or worst(tree) in wanted or case.edits())
    return Result(deployed, fresh, change, tree, wanted, agrees, case.known)


def environment(repo: Path, paths: list[str]) -> dict:
    """Neither the user's git settings nor their databases."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "PG", "DATABASE"))}
    who = {f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER") for what, value in (("NAME", "a"), ("EMAIL", "a@example.org"))}
    return {
        **kept, **who, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "PWD": str(repo), "NO_COLOR": "1",
        "PYTHONDONTWRITEBYTECODE": "1", "DATABASE_URL": f"sqlite:{repo}/db.sqlite", "PATH": os.pathsep.join([*paths, kept["PATH"]]),
    }


def git(repo: Path, env: dict, *words: str) -> None:
    """Runs git, which has to succeed."""
    done = subprocess.run(["git", *words], cwd=repo, env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Broken(f"git {words[0]}: {done.stdout}{done.stderr}")


def put(tool: Tool, repo: Path, files: dict) -> None:
    """Writes the files of one side."""
    for name, what in files.items():
        path = repo / name
        if what is None:
            path.unlink()
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        words = what if isinstance(what, tuple) else (what,)
        path.write_text(what if isinstance(what, Raw) else tool.write(name, *words))


def commit(tool: Tool, repo: Path, env: dict, files: dict, message: str) -> None:
    """One commit, empty if the side adds nothing."""
    put(tool, repo, files)
    git(repo, env, "add", "--all")
    git(repo, env, "commit", "--quiet", "--allow-empty", "--message", message)


def merge(tool: Tool, case: Case, repo: Path, env: dict) -> None:
    """The branch goes into the trunk, as git does it or as the case resolves it."""
    if not case.merged:
        git(repo, env, "merge", "--quiet", "--no-edit", "branch")
        return
    subprocess.run(["git", "merge", "--quiet", "--no-commit", "branch"], cwd=repo, env=env, capture_output=True, check=False)
    commit(tool, repo, env, case.merged, "merge")


def migrate(tool: Tool, repo: Path, env: dict, database, files: dict, verbose: bool) -> Run:
    """Runs the tool, and looks which tables are there."""
    done = subprocess.run(tool.migrate, shell=True, cwd=repo, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, check=False)
    said = re.sub(r"\x1b\[[0-9;]*m", "", done.stdout + done.stderr)
    if verbose:
        print(f"--- {tool.name} in {repo}: {done.returncode}\n{said}")
    if done.returncode:
        lines = [line.strip() for line in said.splitlines() if line.strip()]
        telling = [line for line in lines if re.search(tool.telling, line) and not re.match(r"at |File |\d+:", line)]
        line = telling[-1 if tool.last else 0] if telling else (lines or [f"status {done.returncode}"])[-1]
        return Run("stops", shortened(line.replace(f"{repo}/", "")))
    migrations = [what for what in files.values() if what is not None and not isinstance(what, Raw)]
    missing = {what[0] if isinstance(what, tuple) else what for what in migrations} - database.tables()
    missing -= {""}  # a migration that only joins others
    return Run("loses", f"no {', '.join(sorted(missing))}, status 0") if missing else Run("works", "")


def shortened(line: str) -> str:
    """What fits into a table."""
    line = " ".join(line.split())
    return line if len(line) <= 160 else line[:159] + "…"


def verdict(gatekeep: Path, repo: Path, env: dict, *words: str) -> list[str]:
    """What gatekeep says: severity and code of each finding, the worst first."""
    done = subprocess.run([gatekeep, "scan", "--format", "json", *words], cwd=repo, env=env, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise Broken(f"gatekeep ends with {done.returncode}: {done.stderr}")
    findings = json.loads(done.stdout)["findings"]
    said = {(("error", "warning", "note").index(one["severity"]), f"{one['severity']} {one['rule']}") for one in findings}
    return [text for _, text in sorted(said)]


def worst(said: list[str]) -> str:
    """The highest severity."""
    return said[0].split()[0] if said else "silent"
