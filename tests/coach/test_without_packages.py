"""Hints on a fresh install: neither NumPy nor Numba can be imported, and nothing is compiled or solved."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import contextlib, io, json, pathlib, sys

sys.modules |= {"numpy": None, "numba": None}  # importing them fails
import dicecup.installation

dicecup.installation.is_clone = lambda: False  # nothing is installed on demand
from starlette.testclient import TestClient

from dicecup.cli.main import main
from dicecup.web.app import create_app
from dicecup.web.service import advising
from dicecup.web.settings import Settings

advising.make_worker = advising.DirectWorker  # a process of its own could import them
found, games = {}, sys.argv[2:]
settings = Settings(sys.argv[1], pause=0, pace=0, reveal_after=0, limits=False)
with TestClient(create_app(settings)) as client:
    for game in games:
        seats = [{"kind": "person", "name": "Ann"}, {"kind": "bot", "name": "optimal"}]
        wish = {"game": game, "seats": seats, "coach": True}
        opened = client.post("/api/matches", json=wish).json()
        headers = {"Authorization": "Bearer " + opened["key"]}
        address = "/api/matches/" + opened["state"]["id"]
        client.post(address + "/moves", json={"version": 0, "move": {"throw": True}}, headers=headers)
        hint = client.get(address + "/hint?reasons=1", headers=headers).json()
        page = client.get("/t/" + opened["state"]["id"] + "/hint").text
        so_far = client.get("/t/" + opened["state"]["id"] + "/so-far").text
        goal = client.get(address + "/goal?points=100", headers=headers).json()
        state = client.get(address, headers=headers).json()
        position = {"ruleset": game, "dice": state["turn"]["dice"], "throws_left": 2}
        file = settings.database + ".json"
        pathlib.Path(file).write_text(json.dumps(position | {"sheet": {}}))
        sys.argv = ["dicecup", "hint", file, "--json"]
        with contextlib.redirect_stdout(io.StringIO()) as said, contextlib.suppress(SystemExit):
            main()
        found[game] = [hint, json.loads(said.getvalue()), "Expected final score" in page, goal, so_far]
print(json.dumps([found, [name for name in ("numpy", "numba") if sys.modules.get(name)]]))
"""
GAMES = ("yatzy", "yatzy-sv", "yahtzee", "dice-in-dice", "yum-plus", "triple-yum-plus")
EXACT = {"yatzy": True, "yatzy-sv": True, "yahtzee": True, "dice-in-dice": True}


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    database = tmp_path_factory.mktemp("fresh") / "games.db"
    environment = os.environ | {"DICECUP_CACHE": str(database.parent / "cache")}
    command = [sys.executable, "-W", "error::ResourceWarning", "-c", SCRIPT, str(database), *GAMES]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env=environment, cwd=Path(__file__).parents[2]
    )
    assert done.returncode == 0, done.stderr
    found, loaded = json.loads(done.stdout.splitlines()[-1])
    assert not loaded
    assert not (database.parent / "cache").exists()  # no table was solved, no kernel compiled
    return found


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_hints_in_the_web_app_and_on_the_command_line(answers, game):
    on_the_web, on_the_command_line, is_on_the_page, goal, so_far = answers[game]
    assert on_the_web["exact"] == EXACT.get(game, False)
    assert on_the_web["options"][0]["loss"] == 0
    assert on_the_web["expected"] == on_the_web["options"][0]["expected"]
    for option in on_the_web["options"][:3]:
        assert option["reason"].get("aims") or "rest" in option["reason"]
    assert on_the_command_line["expected"] == on_the_web["expected"]
    moves = [option["move"] for option in on_the_command_line["options"]]
    assert moves == [option["move"] for option in on_the_web["options"]]
    assert is_on_the_page
    assert goal["error"]["code"] == "chances_missing"
    assert "<table" in so_far
    assert "Win chance" not in so_far


def test_a_game_that_no_solver_knows_does_not_ask_for_one(tmp_path):
    """Installing it would not help."""
    script = """
from dicecup import installation
def refuse(extra): raise AssertionError(extra)
installation.need = installation.ensure = refuse
import dicecup
for act in (dicecup.Game("jamb").hint, dicecup.Rules("jamb").solve):
    try: act()
    except dicecup.UsageError as error: print(error.code)
"""
    environment = os.environ | {"DICECUP_CACHE": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, env=environment
    )
    assert (done.stdout.split(), done.stderr) == (["solve_extension"] * 2, "")


VALUE = """
import sys

sys.modules |= {"numpy": None, "numba": None, "wasmtime": None}  # importing them fails
import dicecup.installation

dicecup.installation.is_clone = lambda: False  # nothing is installed on demand
from dicecup.cli.main import main

sys.exit(main(["value", *sys.argv[1:]]))
"""


def value(game: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", VALUE, game, "--json", "--lang", "en"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_value_of_a_game_comes_from_what_was_shipped() -> None:
    exact = json.loads(value("yatzy-sv").stdout)
    assert exact["exact"]
    assert abs(exact["expected"] - 248.4399893779) < 1e-4
    learned = json.loads(value("yum-plus").stdout)
    assert not learned["exact"]
    assert 440 < learned["expected"] < 490
    assert "[solver_missing]" in value("dice-in-dice").stderr
