"""Every command of the program once, on a small game: for environments that lack something."""

from __future__ import annotations

import json
import os
import re
import subprocess
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path

from dicecup.cli.main import COMMANDS

SMALL = """\
format = 1
id = "small"
throws = 2

[dice]
count = 2
faces = 3

[upper]
boxes = { ones = 1, twos = 2, threes = 3 }

[box.pair]
needs = { alike = [2] }
points = "matching"
"""
POSITION = {"ruleset": "small.toml", "sheet": {"ones": 1}, "dice": [2, 2], "throws_left": 1}
# In this order: `play` writes the record that others read.
ARGUMENTS = {
    "rules": ["small.toml"],
    "score": ["small.toml", "2", "2"],
    "play": ["small.toml", "--players", "bot:greedy,bot:random", "--seed", "1", "--record", "game.record"],
    "verify": ["game.record"],
    "sheet": ["small.toml", "--pdf", "pad.pdf"],
    "solve": ["small.toml"],
    "value": ["small.toml"],
    "chance": ["small.toml"],
    "hint": ["position.json"],
    "review": ["game.record"],
    "train": ["yatzy-sv", "--today", "--json"],
    "simulate": ["small.toml", "--bot", "greedy", "--games", "4", "--seed", "1"],
    "data": ["small.toml", "--bot", "greedy", "--games", "4", "--seed", "1", "--output", "games.parquet"],
}
# These read the database of a server that has run.
AFTERWARDS = {
    "backup": ["games.backup", "--database", "games.db"],
    "restore": ["games.backup", "--database", "restored.db"],
}
EXTRAS = {
    "data": {"data"},
    "pdf": {"sheet"},
    "solver": {"solve", "value", "chance", "hint", "review", "simulate"},
}
MISSING = {
    "data": "data_missing",
    "pdf": "typst_missing",
    "solver": "solver_missing",
    "postgresql": "postgres_missing",
}

# `site` needs packages that are fetched on first use: see tests/cli/test_site.py.
assert {*ARGUMENTS, *AFTERWARDS, "serve", "site"} == set(COMMANDS)

# Runs commands one after the other, as each of them would in a process of its own.
RUN_ALL = """\
import contextlib, io, json, sys
from dicecup.cli.main import main
results = []
for arguments in json.load(sys.stdin):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main(arguments)
    results.append((status, out.getvalue(), err.getvalue()))
print(json.dumps(results))
"""


class Program:
    """The program in a Python environment, with a folder of its own."""

    def __init__(self, python: Path | str, folder: Path, environment: Mapping[str, str]) -> None:
        self.python = [str(python), "-P"]
        self.command = [*self.python, "-m", "dicecup"]
        self.folder = folder
        self.environment = environment
        (folder / "small.toml").write_text(SMALL, encoding="utf-8")
        (folder / "position.json").write_text(json.dumps(POSITION), encoding="utf-8")

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*self.command, *arguments],
            cwd=self.folder,
            env=dict(self.environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )

    def run_all(self) -> Iterator[tuple[str, subprocess.CompletedProcess[str]]]:
        """Every command and its result; in one process, since importing takes longer than the rest."""
        calls = [[name, *arguments] for name, arguments in ARGUMENTS.items()]
        done = subprocess.run(
            [*self.python, "-c", RUN_ALL],
            cwd=self.folder,
            env=dict(self.environment),
            input=json.dumps(calls),
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        assert done.returncode == 0, done.stderr
        for call, result in zip(calls, json.loads(done.stdout), strict=True):
            yield call[0], subprocess.CompletedProcess(call, *result)

    def check_all(self, extras: set[str]) -> None:
        """Run every command; those that need another extra name it."""
        for name, result in self.run_all():
            needed = next((extra for extra, commands in EXTRAS.items() if name in commands), None)
            if needed and needed not in extras:
                assert result.returncode == 2, (name, result)
                assert f"pip install 'dicecup[{needed}]' [{MISSING[needed]}]" in result.stderr
            else:
                assert result.returncode == 0, (name, result)
            assert "Traceback" not in result.stderr, (name, result)
        self.check_server("solver" in extras)
        for name, arguments in AFTERWARDS.items():
            result = self.run(name, *arguments)
            assert result.returncode == 0, (name, result)
        if "postgresql" not in extras:
            refused = self.run("serve", "--no-browser", "--database", "postgresql://localhost/dicecup")
            assert refused.returncode == 2
            assert "pip install 'dicecup[postgresql]' [postgres_missing]" in refused.stderr

    def check_server(self, coach: bool) -> None:
        """Start the server and load pages and the files they need."""
        arguments = ["serve", "--port", "0", "--no-browser", "--database", str(self.folder / "games.db")]
        with subprocess.Popen(
            [*self.command, *arguments],
            cwd=self.folder,
            env=dict(self.environment) | {"DICECUP_WARM": "off"},
            stderr=subprocess.PIPE,
            encoding="utf-8",
        ) as server:
            try:
                assert server.stderr
                line = server.stderr.readline()
                found = re.search(r"http://\S+", line)
                assert found, line + server.stderr.read()
                if not coach:
                    assert "pip install 'dicecup[solver]'" in server.stderr.readline()
                coached = {"/new/yatzy"} | (
                    {"/new/dice-in-dice"} if coach else set()
                )  # Yatzy's values are there
                for path in (
                    "/",
                    *coached,
                    "/new/dice-in-dice",
                    "/rules/yatzy",
                    "/guide/coach",
                    "/static/htmx.js",
                ):
                    with urllib.request.urlopen(found[0] + path) as answer:
                        page = answer.read().decode()
                        assert answer.status == 200
                        assert ('name="coach"' in page) == (path in coached)
            finally:
                server.terminate()


def plain_environment(folder: Path, **more: str) -> dict[str, str]:
    """An environment in English that writes only into the folder."""
    kept = {"PATH", "SYSTEMROOT", "TEMP", "NUMBA_CACHE_DIR", "COVERAGE_PROCESS_START"}
    return {
        **{name: value for name, value in os.environ.items() if name in kept},
        **{"HOME": str(folder), "USERPROFILE": str(folder), "LANG": "en_GB.UTF-8"},
        **{"DICECUP_CACHE": str(folder / "cache"), "DICECUP_DATA": str(folder / "data")},
        **more,
    }
