#!/usr/bin/env python3
"""Asks the migration tools themselves, and holds gatekeep's verdict beside what they did.

    python3 tests/judges/judge.py                       all tools that can be installed here
    python3 tests/judges/judge.py knex sqlx             some
    --gatekeep PATH    the binary; default target/debug/gatekeep, then the one on the PATH
    --work FOLDER      where tools and cases go, and stay for the next run; default /tmp/gatekeep-judges
    --table FILE       write the table there too: between its two markers if it has them, as README.md does
    --verbose          print all that the tools say

Exit status: 0 all agree, or the difference is known; 1 some don't; 2 a case or a tool could not be run.
"""

import argparse
import importlib.util
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True
from bench import Broken, judge  # noqa: E402
from install import install  # noqa: E402


def load(names: list[str]) -> list:
    """The tools of `tools/*.py`."""
    tools = []
    for path in sorted((HERE / "tools").glob("*.py")):
        spec = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        tools += module.TOOLS
    unknown = set(names) - {tool.name for tool in tools}
    if unknown:
        sys.exit(f"no such tool: {', '.join(sorted(unknown))}; there are {', '.join(tool.name for tool in tools)}")
    return [tool for tool in tools if not names or tool.name in names]


def find_gatekeep(given: str | None) -> Path:
    """The binary that is asked."""
    built = HERE.parent.parent / "target/debug/gatekeep"
    found = given or (str(built) if built.exists() else shutil.which("gatekeep"))
    if not found:
        sys.exit("no gatekeep: run `cargo build`, or say --gatekeep PATH")
    return Path(found).resolve()


def row(*cells: str) -> str:
    """One line of the table."""
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tools", nargs="*")
    parser.add_argument("--gatekeep")
    parser.add_argument("--work", type=Path, default=Path("/tmp/gatekeep-judges"))
    parser.add_argument("--table", type=Path)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    gatekeep = find_gatekeep(options.gatekeep)

    lines = [
        row("tool", "case", "database of the trunk", "new database", "gatekeep on the change", "on the merged tree", "verdict"),
        row(*["---"] * 7),
    ]
    print("\n".join(lines))
    status = 0
    for tool in load(options.tools):
        place = options.work.resolve() / tool.name.replace(" ", "")
        try:
            paths = install(tool, place)
        except Broken as problem:
            print(f"{tool.name}: not set up: {problem}", file=sys.stderr)
            status = 2
            continue
        for case in tool.cases:
            try:
                result = judge(tool, case, place, paths, gatekeep, options.verbose)
            except Broken as problem:
                print(f"{tool.name}, {case.name}: {problem}", file=sys.stderr)
                status = 2
                continue
            lines.append(row(f"{tool.name} {tool.version}", case.name, *result.cells()))
            print(lines[-1], flush=True)
            if not result.agrees and not case.known:
                status = max(status, 1)
    if options.table:
        save(options.table, "\n".join(lines))
    return status


def save(path: Path, table: str) -> None:
    """Puts the table into a text, or makes it the text."""
    text = path.read_text() if path.exists() else ""
    start, end = "<!-- table -->\n", "\n<!-- /table -->"
    if start in text and end in text:
        table = text[: text.index(start) + len(start)] + table + text[text.index(end) :]
    else:
        table += "\n"
    path.write_text(table)


if __name__ == "__main__":
    sys.exit(main())
