"""Small games that the plain Python solver can enumerate, and the values of these and of large games."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from pathlib import Path
from random import Random

import pytest

from dicecup.bots import bot_called
from dicecup.cli.main import main
from dicecup.coach.advice import Values, find_values
from dicecup.dice import all_dice
from dicecup.engine import Throw, dice_to_throw
from dicecup.engine.record import DiceKind, DiceOrigin, Header, Record
from dicecup.engine.record_text import record_to_text
from dicecup.engine.state import State, TurnMove
from dicecup.rules import Ruleset, load_ruleset

HEAD = """
format = 1
id = "small"
throws = 3
strike = "{strike}"

[dice]
count = 3
faces = 3
"""
SHEETS = {
    "joker": """
[upper]
boxes = { ones = 1, twos = 2, threes = 3 }
bonus = [{ at = 11, points = 9 }]

[box.row]
needs = { run = 3 }
points = 12

[box.alike]
needs = { alike = [3] }
points = 20

[joker]
filled = ["alike"]
boxes = ["row"]

[repeat]
id = "more_alike"
box = "alike"
points = 15
""",
    "order": """
[upper]
boxes = { twos = 2, threes = 3 }
bonus = [{ at = 8, points = 5 }, { at = 12, points = 9 }]

[box.low]
needs = { at_least = 5 }
points = "all"

[box.high]
needs = { at_least = 6 }
points = "all"
above = "low"

[box.second]
needs = { alike = [2] }
points = "matching"

[box.third]
needs = { alike = [2] }
points = "matching"
""",
}
POSITION = {
    "ruleset": "yatzy-sv",
    "sheet": {"ones": 3, "pair": 12},
    "dice": [1, 2, 6, 6, 6],
    "throws_left": 2,
}
SMALL_GAMES = [f"{sheet} {strike}" for sheet in SHEETS for strike in ("free", "last_resort")]


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder for the tables of these tests."""
    return tmp_path_factory.mktemp("tables")


@pytest.fixture(scope="session")
def known(folder) -> Callable[..., Values]:
    """known(game, options) → its values, found once."""
    found: dict[tuple[object, ...], Values] = {}

    def known(game: str, **options: str) -> Values:
        key = (game, *sorted(options.items()))
        if key not in found:
            found[key] = find_values(load_ruleset(game, options), folder=folder)
        return found[key]

    return known


@pytest.fixture(scope="session")
def small(folder, tmp_path_factory) -> Callable[[str], Values]:
    """small("joker free") → the values of a small game."""
    found: dict[str, Values] = {}

    def small(name: str) -> Values:
        if name not in found:
            sheet, strike = name.split()
            path = tmp_path_factory.mktemp("rules") / "small.toml"
            path.write_text(HEAD.format(strike=strike) + SHEETS[sheet])
            found[name] = find_values(load_ruleset(str(path)), folder=folder)
        return found[name]

    return small


def thrown(rules: Ruleset, state: State, chance: Random) -> Throw:
    sides = all_dice(rules.dice.faces, len(rules.dice.layers))
    return Throw(tuple(chance.choice(sides) for _ in range(dice_to_throw(rules, state))))


def play_record(
    rules: Ruleset,
    players: tuple[str, ...],
    seed: int = 1,
    decide: Callable[..., TurnMove] | None = None,
    moves: int = 10**6,
    kind: DiceKind = "system",
) -> Record:
    """Play a game of bots; `decide` replaces the bots, `moves` ends the game early."""
    chance = Random(seed)
    record = Record(Header(rules.id, rules, players, DiceOrigin(kind, seed=1 if kind == "seed" else None)))
    while not record.state.finished and len(record.moves) < moves:
        state = record.state
        if state.throw_due:
            record = record.append(thrown(rules, state, chance))
        else:
            bot = decide or bot_called(players[state.player].removeprefix("bot:")).decide
            record = record.append(bot(rules, state, chance))
    return record


@pytest.fixture
def call(folder, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DICECUP_CACHE", str(folder.parent / "cache"))
    monkeypatch.setenv("LANGUAGE", "en")  # a command sets the language that it was called with
    monkeypatch.setattr("dicecup.cli.solving.SILENT", inf)  # on a busy machine it would show its progress

    def call(*arguments: str) -> tuple[int, str, str]:
        status = main(list(arguments))
        out, err = capsys.readouterr()
        return status, out, err

    return call


@pytest.fixture
def record(known) -> str:
    """A finished game with three players, written to a file."""
    game = play_record(known("yatzy-sv").rules, ("bot:greedy", "bot:steady", "bot:greedy"), 3)
    Path("game.record").write_text(record_to_text(game))
    return "game.record"
