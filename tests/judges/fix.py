#!/usr/bin/env python3
"""Lets `gatekeep fix` mend what collides, and asks the migration tools what they make of it.

    python3 tests/judges/fix.py                         the tools that install quickly
    python3 tests/judges/fix.py sqlx diesel             some, see tools/*.py
    --gatekeep PATH, --work FOLDER, --verbose           as for judge.py

Each case of `tools/*.py` in which the branch collides is built. The tool is run on the merge without the fix, for comparison, then
`gatekeep fix --base main` mends the branch, it is committed and merged, and the tool is run on the trunk's database and on a new one. Both have to
work and hold every table, and gatekeep has to find nothing more. Where it left something alone, nothing may have changed.

Exit status: 0 all agree; 1 some don't; 2 a case or a tool could not be run.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True
import bench  # noqa: E402
import databases  # noqa: E402
from bench import Broken, Raw  # noqa: E402
from install import install  # noqa: E402
from judge import find_gatekeep, load, row  # noqa: E402

QUICK = ["Django", "alembic upgrade head", "dbmate", "Rails"]


def run(gatekeep: Path, repo: Path, env: dict, *words: str):
    """gatekeep, and what it printed as JSON."""
    done = subprocess.run([gatekeep, *words, "--format", "json"], cwd=repo, env=env, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise Broken(f"gatekeep {words[0]} ends with {done.returncode}: {done.stderr}")
    return done.returncode, json.loads(done.stdout)


def build(tool, case, repo: Path, paths: list[str]) -> dict:
    """The repository with the branch checked out."""
    shutil.rmtree(repo, ignore_errors=True)
    repo.mkdir(parents=True)
    env = bench.environment(repo, paths)
    bench.git(repo, env, "init", "--quiet", "--initial-branch=main")
    (repo / ".git/info/exclude").write_text("db.sqlite*\n__pycache__/\n")
    bench.commit(tool, repo, env, {**{path: Raw(text) for path, text in tool.files.items()}, **case.base}, "base")
    bench.git(repo, env, "checkout", "--quiet", "-b", "branch")
    bench.commit(tool, repo, env, case.branch, "branch")
    bench.git(repo, env, "checkout", "--quiet", "main")
    bench.commit(tool, repo, env, case.trunk, "trunk")
    bench.git(repo, env, "checkout", "--quiet", "branch")
    return env


def without(tool, case, repo: Path, paths: list[str], verbose: bool) -> str:
    """What the tool makes of the merge as it is."""
    env = build(tool, case, repo, paths)
    bench.git(repo, env, "checkout", "--quiet", "main")
    bench.git(repo, env, "merge", "--quiet", "--no-edit", "branch")
    with databases.open(tool.database, repo, env) as database:
        return str(bench.migrate(tool, repo, env, database, {**case.base, **case.trunk, **case.branch}, verbose))


def judge(tool, case, place: Path, paths: list[str], gatekeep: Path, verbose: bool):
    """The cells of a row and whether all agree; none where nothing collides."""
    repo = place / "fixed" / re.sub(r"\W+", "-", case.name)
    env = build(tool, case, repo, paths)
    _, before = run(gatekeep, repo, env, "scan", "--base", "main")
    kinds = {one["rule"].split("/")[1] for one in before["findings"] if one["severity"] != "note"}
    if not kinds & {"duplicate", "forked"}:
        return None
    status, done = run(gatekeep, repo, env, "fix", "--base", "main")
    if status:
        changed = subprocess.run(["git", "status", "--porcelain"], cwd=repo, env=env, capture_output=True, text=True, check=True).stdout
        why = "; ".join(left["why"] for left in done["left"])
        return ["", f"left alone: {why}", "", "", "changed after all" if changed else "agree"], not changed
    names = [f"{rename['from']} → {rename['to']}" for fix in done["fixes"] for rename in fix["renames"]]
    names += [f"edited {edit['path']}" for fix in done["fixes"] for edit in fix["edits"] if edit["path"] not in " ".join(names)]
    bench.git(repo, env, "add", "--all")
    bench.git(repo, env, "commit", "--quiet", "--message", "fix")
    bench.git(repo, env, "checkout", "--quiet", "main")
    trunk = {**case.base, **case.trunk}
    files = {**trunk, **case.branch}
    with databases.open(tool.database, repo, env) as database:
        first = bench.migrate(tool, repo, env, database, trunk, verbose)
        if first.did != "works":
            raise Broken(f"the trunk by itself: {first}")
        bench.git(repo, env, "merge", "--quiet", "--no-edit", "branch")
        deployed = bench.migrate(tool, repo, env, database, files, verbose)
        held = database.tables()
        database.clear()
        fresh = bench.migrate(tool, repo, env, database, files, verbose)
        same = held == database.tables()
    _, after = run(gatekeep, repo, env, "scan")
    left = [one["rule"] for one in after["findings"] if one["severity"] != "note"]
    agrees = deployed.did == fresh.did == "works" and same and not left
    unmended = without(tool, case, repo.with_name(repo.name + "-unmended"), paths, verbose)
    return [unmended, ", ".join(names), str(deployed), str(fresh), "agree" if agrees else f"**disagree** {left}"], agrees


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tools", nargs="*")
    parser.add_argument("--gatekeep")
    parser.add_argument("--work", type=Path, default=Path("/tmp/gatekeep-judges"))
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    gatekeep = find_gatekeep(options.gatekeep)
    print(row("tool", "case", "merged without the fix", "the fix", "database of the trunk", "new database", "verdict"))
    print(row(*["---"] * 7), flush=True)
    status = 0
    for tool in load(options.tools or [name for name in QUICK if name in known()]):
        place = options.work.resolve() / tool.name.replace(" ", "")
        try:
            paths = install(tool, place)
        except Broken as problem:
            print(f"{tool.name}: not set up: {problem}", file=sys.stderr)
            status = 2
            continue
        for case in tool.cases:
            if case.merged:
                continue  # git stops at it, and a person joins it by hand
            try:
                judged = judge(tool, case, place, paths, gatekeep, options.verbose)
            except Broken as problem:
                print(f"{tool.name}, {case.name}: {problem}", file=sys.stderr)
                status = 2
                continue
            if judged:
                cells, agrees = judged
                print(row(f"{tool.name} {tool.version}", case.name, *cells), flush=True)
                status = max(status, 0 if agrees else 1)
    return status


def known() -> set[str]:
    """The names of all tools."""
    return {tool.name for tool in load([])}


if __name__ == "__main__":
    sys.exit(main())
