"""Sets a tool up below its own folder, once."""

import hashlib
import json
import shutil
import subprocess
from pathlib import Path

from bench import Broken


def install(tool, place: Path) -> list[str]:
    """Installs what `tool.packages` asks for, and says which folders go before the PATH.

    `pip`, `npm` and `cargo` stay below the folder of the run; `apt` is the one that changes the machine, so it needs root unless all is there.
    """
    place.mkdir(parents=True, exist_ok=True)
    done = place / "installed"
    wanted = hashlib.sha256(json.dumps(tool.packages, sort_keys=True).encode()).hexdigest()
    if not done.exists() or done.read_text() != wanted:
        for kind, packages in tool.packages.items():
            HOW[kind](place, packages)
        done.write_text(wanted)
    return [str(place / "venv/bin"), str(place / "node_modules/.bin"), str(place.parent / "node_modules/.bin"), str(place.parent / "cargo/bin")]


def run(place: Path, *words: str) -> None:
    """One step, which has to succeed."""
    if not shutil.which(words[0]):
        raise Broken(f"there is no {words[0]} here")
    done = subprocess.run(words, cwd=place, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Broken(f"{' '.join(words)}: {(done.stdout + done.stderr)[-600:]}")


def pip(place: Path, packages: list[str]) -> None:
    run(place, "python3", "-m", "venv", "--clear", "venv")
    run(place, str(place / "venv/bin/pip"), "install", "--quiet", *packages)


def npm(place: Path, packages: list[str]) -> None:
    """All into the folder above, where the cases find them too: what has to be compiled is compiled once."""
    settings = place.parent / "package.json"
    if not settings.exists():
        settings.write_text('{ "private": true }\n')
    run(place.parent, "npm", "install", "--no-audit", "--no-fund", "--silent", "--save-exact", *packages)


def own_npm(place: Path, packages: list[str]) -> None:
    """Into the folder of the tool, for another version of what is above."""
    (place / "package.json").write_text('{ "private": true }\n')
    run(place, "npm", "install", "--no-audit", "--no-fund", "--silent", *packages)


def cargo(place: Path, packages: list[list[str]]) -> None:
    """Each with its options. Debug builds take half the time; what they share is built once."""
    for words in packages:
        run(place, "nice", "-n", "10", "cargo", "install", "--quiet", "--locked", "--debug", "--root", "../cargo", "--target-dir", "../cargo/target", *words)


def apt(place: Path, packages: list[str]) -> None:
    there = subprocess.run(["dpkg", "-s", *packages], capture_output=True, check=False)
    if there.returncode:
        run(place, "apt-get", "install", "--yes", "--no-install-recommends", *packages)


HOW = {"pip": pip, "npm": npm, "own-npm": own_npm, "cargo": cargo, "apt": apt}
