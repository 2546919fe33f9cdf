"""What programs make of positions, headers and records themselves: it can be written down, or is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.conftest import Refused

import dicecup

YATZY = dicecup.Rules("yatzy-sv")
HEADER = dicecup.Game(YATZY, ["Ann"]).record.header


class greedy:  # noqa: N801 - the name of a bot that comes with the package
    def decide(self, rules: dicecup.Ruleset, state: dicecup.State, chance: object) -> dicecup.TurnMove:
        return dicecup.legal_moves(rules, state)[-1]


@pytest.mark.parametrize(
    ("game", "cells", "repeats"),
    [
        ("yatzy-sv", {"ones": 99}, 0),
        ("yatzy-sv", {"chance": 31}, 0),
        ("yatzy-sv", {}, 5),
        ("dice-in-dice", {"ones": 1}, 0),  # a turn fills two boxes
        ("yahtzee", {}, 5),
    ],
)
def test_a_position_that_no_game_has(game: str, cells: dict[str, int], repeats: int) -> None:
    rules = dicecup.Rules(game)
    sheet = dicecup.Sheet(tuple(cells.get(box.id) for box in rules.boxes), repeats)
    with pytest.raises(dicecup.PositionError):
        dicecup.Position(game, rules, dicecup.State((sheet,), 0, (), (), rules.throws))


@pytest.mark.parametrize(
    "date",
    [" ", "a\nb", "\0", "\ud800", "x" * 101, 3, None, b"x", float("nan"), ["x"]],
    ids=map(str, range(10)),
)
def test_a_date_that_cannot_be_written(date: Any, refused: Refused) -> None:
    with refused("argument_wrong", argument="date"):
        dicecup.Game("yatzy", date=date)


def test_a_date_of_any_form(tmp_path: Any) -> None:
    game = dicecup.Game("yatzy", seed=1, date="Sunday, 3 May")
    game.save(tmp_path / "a.record")
    assert dicecup.Game.load(tmp_path / "a.record").record.header.date == "Sunday, 3 May"


@pytest.mark.parametrize(
    ("changed", "argument"),
    [
        ({"rules": "yatzy"}, "rules"),
        ({"rules": None}, "rules"),
        ({"origin": "typed"}, "origin"),
        ({"origin": None}, "origin"),
        ({"players": None}, "players"),
        ({"players": (1,)}, "players"),
        ({"players": "Ann"}, "players"),
        ({"players": ()}, "players"),
        ({"date": None}, "date"),
    ],
    ids=str,
)
def test_a_header_of_something_else(changed: dict[str, Any], argument: str, refused: Refused) -> None:
    with refused("argument_wrong", argument=argument):
        dicecup.review(dicecup.Record(replace(HEADER, **changed)))


RECORDS: list[Any] = [dicecup.Record(None), dicecup.Record(HEADER, None)]  # type: ignore[arg-type]


@pytest.mark.parametrize("record", RECORDS, ids=["no header", "no entries"])
def test_a_record_of_something_else(record: dicecup.Record, refused: Refused) -> None:
    with refused("argument_wrong"):
        dicecup.review(record)


def test_numbers_that_look_like_lists(refused: Refused) -> None:
    with refused("argument_wrong", argument="players"):
        dicecup.Game("yatzy", np.array(3))  # type: ignore[arg-type]


def test_a_bot_that_is_called_like_a_built_in_one(tmp_path: Any, refused: Refused) -> None:
    """Where its game is loaded, the other bot must not play on."""
    game = dicecup.Game("yatzy", ["Ann", greedy()], seed=1)
    assert game.players[1] == f"bot:{__name__}:greedy"
    game.roll()
    game.score("chance")
    game.save(tmp_path / "a.record")
    again = dicecup.Game.load(tmp_path / "a.record")
    with refused("bot_unknown"):
        again.play_bots()
    own = dicecup.Game.load(tmp_path / "a.record", bots={f"{__name__}:greedy": greedy()})
    assert own.play_bots()
    names = [one.bot for one in dicecup.simulate("yatzy", [greedy(), "greedy"], games=1, seed=1, cores=1)]
    assert names == [f"{__name__}:greedy", "greedy"]
