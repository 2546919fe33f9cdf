"""Every public method, given rubbish: it works, or it raises the one error family with a whole sentence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import dicecup
from dicecup.engine.state import empty_sheet

quickly = settings(
    max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)

numbers = st.integers(-3, 9) | st.integers()
plain = st.none() | st.booleans() | numbers | st.floats() | st.text(max_size=8) | st.binary(max_size=4)
dice = st.integers(1, 6) | st.integers(1, 6).map(np.int64) | st.sampled_from(["6", "6-5", (6, 5), 6.0, 7, 0])
anything = st.recursive(
    plain | dice,
    lambda inner: (
        st.lists(inner, max_size=6)
        | st.tuples(inner, inner)
        | st.dictionaries(
            st.sampled_from(["box", "keep", "ones", "x1", "sheet", "ruleset", 3]), inner, max_size=3
        )
    ),
    max_leaves=8,
)
handfuls = st.lists(dice | anything, max_size=7)
words = st.sampled_from(["ones", "pair", "yatzy", "x1", "", "nothing"]) | anything
moves = st.sampled_from(
    [
        dicecup.Keep((6, 6)),
        dicecup.Keep(7),  # type: ignore[arg-type]
        dicecup.Throw((1, 2, 3, 4, 5)),
        dicecup.Throw(None),  # type: ignore[arg-type]
        dicecup.Score(()),
        dicecup.Score((dicecup.Placement("pair"),)),
        dicecup.Score((dicecup.Placement([]),)),  # type: ignore[arg-type]
        dicecup.Score("pair"),  # type: ignore[arg-type]
    ]
)
states = st.sampled_from([dicecup.Game(game).state for game in dicecup.Rules.ids()])
GAMES = [
    "yatzy",
    "yatzy / ones=3 / 1 2 6 6 6 / 2",
    "yahtzee / / 6 6 6 6 6 / 0",
    "dice-in-dice / / 6-5 6-5 3-3 3-2 4-1 3-2 / 1",
    "triple-yum-plus / / 6 6 6 2 1 / 1 / 6 6",
]


def tolerant(call: Callable[..., Any], *arguments: Any, **named: Any) -> None:
    """Call, and accept a result or an error of the family."""
    try:
        call(*arguments, **named)
    except dicecup.DicecupError as error:
        if not str(error):
            raise AssertionError("no sentence") from error


@pytest.mark.parametrize("position", GAMES)
@quickly
@given(data=st.data())
def test_game_methods(position, data):
    game = dicecup.Game.from_position(position, dice="typed")
    tolerant(game.roll, *data.draw(handfuls))
    tolerant(game.keep, *data.draw(handfuls))
    tolerant(game.play, data.draw(moves | anything))
    tolerant(game.score, data.draw(words), data.draw(words))
    tolerant(game.score, inner=data.draw(words), outer=data.draw(words), strike=data.draw(words))
    tolerant(game.cross_out, data.draw(words), data.draw(words))
    tolerant(game.undo, data.draw(anything))
    assert game.state.sheets


@quickly
@given(game=words, players=handfuls | anything, options=anything, dice=words, seed=numbers | anything)
def test_making_a_game(game, players, options, dice, seed):
    tolerant(dicecup.Game, game, players, options=options, dice=dice, seed=seed)
    tolerant(dicecup.Game, "yatzy", players, dice=dice, seed=seed)
    tolerant(dicecup.Game.from_position, players)
    tolerant(dicecup.Game.from_position, "yatzy", game, seed=seed)
    tolerant(dicecup.Rules, game, options)


@quickly
@given(path=anything, position=anything)
def test_reading(path, position, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tolerant(dicecup.Game.load, path)
    tolerant(dicecup.review, path)
    tolerant(dicecup.Position.parse, position)
    tolerant(dicecup.Position.from_data, position)


@pytest.mark.parametrize("game", dicecup.Rules.ids())
@quickly
@given(dice=handfuls | anything, sheet=anything, language=st.sampled_from(["en", "sv", "xx"]), line=words)
def test_rules(game, dice, sheet, language, line):
    rules = dicecup.Rules(game)
    tolerant(rules.score, dice, sheet)
    tolerant(rules.score, dice)
    tolerant(rules.score, dice, dicecup.Sheet(sheet))
    assert isinstance(rules.name(language, line), str)


@pytest.mark.parametrize("game", dicecup.Rules.ids())
@quickly
@given(state=states | anything, move=moves | anything)
def test_the_functional_core(game, state, move):
    rules = dicecup.Rules(game)
    tolerant(dicecup.apply, rules, state, move)
    tolerant(dicecup.legal_moves, rules, state)


@quickly
@given(bots=handfuls | anything, games=st.integers(-2, 2) | anything, seed=anything, cores=anything)
def test_simulate(bots, games, seed, cores):
    tolerant(dicecup.simulate, "yatzy", bots, 1, seed, cores=1)
    tolerant(dicecup.simulate, "yatzy", ["random"], 1, seed, cores=cores)
    if not isinstance(games, int | np.integer) or games < 3:
        tolerant(dicecup.simulate, "yatzy", ["random"], games)


@quickly
@given(precision=anything, backend=words)
def test_solve(precision, backend, here):
    tolerant(
        dicecup.Rules("yatzy-sv").solve, precision=precision, backend="cpu" if precision == 64 else backend
    )


@pytest.fixture(scope="module", params=["yatzy-sv", "dice-in-dice", "triple-yum-plus"])
def solution(request, cache) -> dicecup.Solution:
    """One of each kind: of one layer, of double dice, learned."""
    from dicecup.coach.advice import find_values

    return find_values(dicecup.Rules(request.param), folder=cache / "tables").source


@quickly
@given(
    dice=handfuls | anything,
    throws_left=st.integers(-1, 3) | anything,
    sheet=anything,
    state=states | anything,
)
def test_solutions_and_turns(solution, dice, throws_left, sheet, state):
    turn = solution.turn({})
    tolerant(turn.keep, dice, throws_left)
    tolerant(turn.throw, dice, throws_left)
    tolerant(turn.boxes, dice)
    tolerant(solution.turn, sheet)
    tolerant(solution.turn, dicecup.Sheet(sheet))
    tolerant(solution.value, state)


@quickly
@given(data=st.data())
def test_sheets_of_the_right_size(solution, data):
    cells = st.none() | st.integers(-40, 400) | st.sampled_from([0, 1, 10, 50]) | plain
    size = solution.rules.cells
    sheet = data.draw(st.builds(dicecup.Sheet, st.tuples(*[cells] * size), st.integers(-1, 3) | plain))
    tolerant(solution.turn, sheet)
    tolerant(solution.rules.score if isinstance(solution.rules, dicecup.Rules) else solution.turn, sheet)


def test_what_was_wrong_in_silence(solution, refused):
    rules = solution.rules
    die: Any = (6, 6) if rules.has_layers else 6
    turn = solution.turn(empty_sheet(rules))
    with refused("dice_count_wrong", found=2, expected=rules.dice.count):
        turn.throw((die, die), 1)
    with refused("position_key_wrong", key="throws_left"):
        turn.keep((die, die), 0)
    with refused("position_key_wrong", key="throws_left"):
        turn.throw((die,) * rules.dice.count, rules.throws)
    with refused("position_key_wrong", key="dice"):
        turn.keep((die,) * rules.dice.count, 1)
    with refused("sheet_of_other_game", found=3):
        solution.turn(dicecup.Sheet((None,) * 3))
    with refused("sheet_of_other_game"):
        solution.value(dicecup.Game("yum-plus").state)
    with refused("position_of_other_game"):
        solution.value(dicecup.Position.parse("yum-plus"))


def test_any_order_and_any_integers(solution):
    rules = solution.rules
    turn = solution.turn(empty_sheet(rules))
    if rules.has_layers:
        in_order: Any = ((1, 2), (1, 3), (2, 5), (3, 3), (6, 1), (6, 6))
        others: list[Any] = [
            in_order[::-1],
            [np.array(die) for die in in_order],
            "6-6 1-2 1-3 2-5 3-3 6-1",
        ]
    else:
        in_order = (1, 2, 2, 6, 6)
        others = [(6, 1, 2, 6, 2), np.array([6, 1, 2, 6, 2]), [6, 6, 1, 2, 2], "66122"]
    for dice in others:
        assert turn.throw(dice, np.int64(1)) == turn.throw(in_order, 1)
        assert turn.boxes(dice) == turn.boxes(in_order)
    assert turn.keep(others[0][:2], 1) == turn.keep(sorted(others[0][:2]), 1)
    cells: Any = [None] * rules.cells
    sheet = dicecup.Sheet(cells, cast(Any, np.int64(0)))
    assert solution.turn(sheet).value == turn.value


def test_a_full_sheet_has_no_decisions(solution, refused):
    rules = solution.rules  # perhaps of the same game under another id, from another test
    column = {box.id: 0 for box in rules.boxes}
    full = {each.id: column for each in rules.columns} if len(rules.columns) > 1 else column
    turn = solution.turn(full)
    assert turn.value == 0
    dice = "6-6 1-2 1-3 2-5 3-3 6-1" if solution.rules.has_layers else "66122"
    with refused("game_over"):
        turn.boxes(dice)
