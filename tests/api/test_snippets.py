"""The tour that the API was planned with, word for word, and what its lines give."""

from __future__ import annotations

import io
from contextlib import redirect_stdout
from typing import Any

import pytest

import dicecup

# The seed is one whose first roll is the one that the comment shows.
PLAY = """
import dicecup

game = dicecup.Game("yatzy", players=["Ann", "Bo"], seed=161)      # options=, dice="typed" …
game.roll()                       # (3, 3, 5, 6, 6)
game.keep(6, 6); game.roll()
game.score("sixes")               # game.cross_out("yatzy"), game.undo(), game.legal_moves(), game.sheet, game.standings
"""  # noqa: E501
HINT = """
hint = dicecup.Game.from_position("yatzy-sv / ones=3 pair=12 / 1 2 6 6 6 / 2").hint()
hint.best, hint.expected, hint.choices[0].loss
"""
REST = [
    'dicecup.Rules("our-yatzy.toml").solve().expected                 # precision and backend have defaults',
    'dicecup.simulate("yatzy", bots=["greedy", MyBot()], games=1000, seed=1).mean',
    'dicecup.review("sunday.record").players[0].luck',
]


class MyBot:
    """Never rolls again."""

    def decide(self, rules, state, chance):
        return dicecup.legal_moves(rules, state)[-1]


def value_of(code: str) -> Any:
    """The value of the last line, which is an expression."""
    *before, last = code.strip().split("\n")
    names: dict[str, object] = {"dicecup": dicecup, "MyBot": MyBot}
    exec("\n".join(before), names)
    return eval(last, names)


def test_playing():
    names: dict[str, object] = {}
    exec(PLAY, names)
    game = names["game"]
    assert isinstance(game, dicecup.Game)
    assert game.record.moves[0] == dicecup.Throw((3, 3, 5, 6, 6))
    assert game.sheets[0] == {"sixes": 12}
    game.undo()
    game.cross_out("yatzy")
    assert game.sheets[0] == {"yatzy": 0}
    assert game.standings == ((1, "Ann", 0), (1, "Bo", 0))
    assert (game.legal_moves(), game.sheet) == ((), {})


def test_a_hint(here):
    best, expected, loss = value_of(HINT)
    assert best.move == dicecup.Keep((6, 6, 6))
    assert expected == pytest.approx(244.32, abs=0.005)
    assert loss == 0


def test_solving_house_rules(here):
    assert value_of(REST[0]) == pytest.approx(205.02, abs=0.005)


def test_simulating():
    with redirect_stdout(io.StringIO()) as said:
        greedy, mine = value_of(REST[1].replace("games=1000", "games=1000, on_warning=print"))
    assert 175 < greedy < 195
    assert 0 <= mine < greedy
    assert said.getvalue() == "", "this module can be imported by workers"


def test_reviewing(here):
    assert value_of(REST[2]) == pytest.approx(-3.6, abs=0.005)
