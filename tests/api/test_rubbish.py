"""Every public method, given rubbish: it works, or it raises the one error family with a whole sentence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
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
arrays = st.sampled_from([np.array([1, 2]), np.array([[1, 2, 3, 4, 5]]), np.array([])])
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
handfuls = st.lists(dice | anything | arrays, max_size=7) | arrays
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
    tolerant(rules.name, language, line)


@pytest.mark.parametrize("game", dicecup.Rules.ids())
@quickly
@given(state=states | anything, move=moves | anything)
def test_the_functional_core(game, state, move):
    rules = dicecup.Rules(game)
    tolerant(dicecup.apply, rules, state, move)
    tolerant(dicecup.legal_moves, rules, state)


wrong_rules: list[Any] = ["yatzy", 7, None, dicecup.Rules]


@pytest.mark.parametrize("rules", wrong_rules)
def test_what_is_not_rules(rules, refused):
    state = dicecup.Game("yatzy").state
    with refused("argument_wrong", argument="rules"):
        dicecup.apply(rules, state, dicecup.Throw((1, 2, 3, 4, 5)))
    with refused("argument_wrong", argument="rules"):
        dicecup.legal_moves(rules, state)
    with refused("argument_wrong", argument="rules"):
        dicecup.possible_values(rules, state.sheet, "ones")


@pytest.mark.parametrize("text", [None, 7, b"id = 3", ["id"]])
def test_what_is_not_the_text_of_a_rules_file(text, refused):
    with refused("argument_wrong", argument="text"):
        dicecup.house_reference(text)


@quickly
@given(text=st.text(max_size=40))
def test_texts_of_rules_files(text):
    tolerant(dicecup.house_reference, text)


wrong_states: list[Any] = [{"player": 3}, {"player": "x"}, {"sheets": ()}, {"sheets": (7,)}]


@pytest.mark.parametrize("changed", wrong_states)
def test_states_that_are_nobodys(changed, refused):
    state = replace(dicecup.Game("yatzy").state, **changed)
    with refused("argument_wrong", argument="state"):
        dicecup.legal_moves(dicecup.Rules("yatzy"), state)


def test_dice_of_numpy_in_a_state():
    game = dicecup.Game.from_position("yatzy / / 1 2 3 4 5 / 0")
    state = replace(game.state, dice=tuple(np.array(game.dice)))
    assert dicecup.legal_moves(game.rules, state) == game.legal_moves()


@quickly
@given(box=words, column=words, name=words, language=words)
def test_pads(box, column, name, language):
    pad = dicecup.Game("yatzy", ["Ann"], dice="points")
    tolerant(pad.values, "Ann", box, column)
    tolerant(pad.write, "Ann", box, 3, column)
    tolerant(pad.join, name)
    tolerant(dicecup.possible_values, pad.rules, pad.state.sheet, box, column)
    tolerant(pad.rules.name, language, box)


def test_values_of_a_sheet_of_another_game(refused):
    rules = dicecup.Rules("yatzy")
    wrong: list[Any] = [dicecup.Game("jamb").state.sheet, dicecup.Game("yatzy").state, {}, dicecup.Sheet(7)]  # type: ignore[arg-type]
    for sheet in wrong:
        with refused("sheet_of_other_game"):
            dicecup.possible_values(rules, sheet, "ones")


def test_paths_with_a_null(refused):
    for call in (dicecup.Game("yatzy").save, dicecup.Game.load, dicecup.review):
        with refused("argument_wrong", argument="path"):
            call("a\0b")


@pytest.mark.parametrize("argument", ["on_progress", "executor", "folder"])
def test_arguments_of_solve_and_simulate(argument, refused):
    rubbish: dict[str, Any] = {argument: 7}
    with refused("argument_wrong", argument=argument):
        dicecup.Rules("yatzy-sv").solve(**rubbish)
    if argument != "folder":
        with refused("argument_wrong", argument=argument):
            dicecup.simulate("yatzy", ["greedy"], 1, **rubbish)


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
    throws_left=st.integers(-1, 3) | anything | arrays,
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
    if not isinstance(state, dicecup.State):  # others may be of this game, and take their time
        tolerant(solution.final_scores, state)


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


LATE = (
    "yatzy-sv / ones=3 twos=6 threes=9 fours=12 fives=15 sixes=18 pair=12 two_pairs=22 "
    "chance=20 yatzy=0 low_straight=0 high_straight=20 full_house=0 / 1 2 6 6 6 / 1"
)


@pytest.fixture(scope="module")
def swedish(cache) -> dicecup.Solution:
    return dicecup.Rules("yatzy-sv").solve(folder=str(cache / "tables"))


def test_how_a_game_of_another_kind_may_end(swedish, refused):
    for other in ("yum-plus", "yahtzee", "dice-in-dice"):
        with refused("sheet_of_other_game"):
            swedish.final_scores(dicecup.Game(other).state)
        with refused("position_of_other_game"):
            swedish.final_scores(dicecup.Game(other).position)


wrong_moments: list[tuple[dict[str, Any], str]] = [
    ({"dice": (1, 2)}, "dice_count_wrong"),
    ({"dice": 7}, "die_unreadable"),
    ({"throws_left": 9}, "position_key_wrong"),
    ({"throws_left": "1"}, "position_key_wrong"),
    ({"kept": (5, 5)}, "position_key_wrong"),
    ({"kept": (6, 6), "throws_left": 0}, "position_key_wrong"),
    ({"kept": (1, 2, 6, 6, 6)}, "position_key_wrong"),
    ({"player": 3}, "argument_wrong"),
    ({"sheets": (7,)}, "argument_wrong"),
]


@pytest.mark.parametrize(("changed", "code"), wrong_moments)
def test_moments_that_cannot_be(swedish, changed, code, refused):
    state = replace(dicecup.Position.parse(LATE).state, **changed)
    with refused(code):
        swedish.value(state)
    with refused(code):
        swedish.final_scores(state)


def test_dice_in_any_order_in_a_state(swedish):
    state = dicecup.Position.parse(LATE).state
    again = replace(state, dice=tuple(np.array([6, 2, 6, 1, 6])))
    assert swedish.value(again) == swedish.value(state)
    assert swedish.final_scores(again) == swedish.final_scores(state)
    kept = replace(state, kept=(1, 6))
    assert swedish.value(replace(kept, kept=(6, 1))) == swedish.value(kept) < swedish.value(state)


def test_chances_of_what_is_not_a_score(swedish, refused):
    end = swedish.final_scores(dicecup.Position.parse(LATE))
    assert end.at_least(np.int64(end.least)) == 1.0
    assert end.at_least(10**30) == 0.0
    wrong: list[Any] = ["x", None, 220.5, float("nan"), np.array([1, 2])]
    for score in wrong:
        with refused("argument_wrong", argument="score"):
            end.at_least(score)
        with refused("argument_wrong", argument="score"):
            end.standard_error(score)


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
    with refused("keeps_with_layers" if rules.has_layers else "game_over"):
        turn.keep_values(1)


def test_solving_takes_only_what_it_knows(refused):
    """Also when there is a table already; and no second one is made for the same precision."""
    rules = dicecup.Rules("yatzy-sv")
    solved = rules.solve()
    for backend in ("quantum", None, ["cpu"], np.array(["cpu", "cuda"])):
        with refused("backend_unknown"):
            rules.solve(backend=cast(Any, backend))
    for precision in (64.0, "64", None, 16, np.array([64, 32])):
        with refused("argument_wrong", argument="precision"):
            rules.solve(precision=cast(Any, precision))
    again = rules.solve(precision=cast(Any, np.int64(64)))
    assert again.expected == solved.expected
