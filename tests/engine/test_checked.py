"""What programs hand to the engine's functions: it is made plain or refused, and no cache keeps it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import dicecup
from dicecup import engine
from dicecup.engine.checked import checked_state
from dicecup.engine.state import Sheet, State, lines_of, start
from dicecup.rules.scoring import score_table

FOUR = np.int64(4)
ONES: Any = (FOUR, *(None,) * 14)
NAN = float("nan")


@pytest.fixture(scope="module")
def yatzy() -> dicecup.Rules:
    return dicecup.Rules("yatzy")


def state(line: str = "yatzy / / 1 1 2 3 5 / 1", **changed: Any) -> State:
    return replace(dicecup.Position.parse(line).state, **changed)


def all_plain(found: State) -> bool:
    numbers = [found.player, found.throws_left, *found.dice, *(found.kept or ())]
    numbers += [points for sheet in found.sheets for points in sheet.cells if points is not None]
    return all(type(number) is int for number in numbers)


# Each of these dice and points is of no other test: caches that know them would hide what is wrong.
@pytest.mark.parametrize("dice", [(4, 4, 4, 6, 6), (4.0, 4.0, 4.0, 5.0, 6.0), (True, 4, 4, 5, 5)])
def test_dice_that_equal_plain_ones_stay_in_no_cache(yatzy, dice):
    given: Any = dice if isinstance(dice[1], float) or dice[0] is True else tuple(np.array(dice))
    plain = tuple(map(int, dice))
    line = f"yatzy / / {' '.join(map(str, plain))} / 1"
    odd = state(dice=given)
    for move in dicecup.legal_moves(yatzy, odd):
        after = dicecup.apply(yatzy, odd, move)
        assert all_plain(after)
    assert "." not in json.dumps(yatzy.score(plain))
    game = dicecup.Game.from_position(line)
    keeps = [move for move in game.legal_moves() if isinstance(move, dicecup.Keep)]
    assert all(type(die) is int for keep in keeps for die in keep.dice)
    json.dumps(game.points())


@pytest.mark.parametrize("points", [FOUR, np.int16(3), True])
def test_points_that_equal_plain_ones_are_made_plain(yatzy, points):
    odd = Sheet((points, *(None,) * 14))
    assert type(engine.final_score(yatzy, odd)) is int
    assert type(engine.standings(yatzy, state(sheets=(odd,)))[0][2]) is int
    assert {type(line) for line in engine.column_lines(yatzy, odd, 0).values()} == {int}
    assert {type(line) for line in engine.overall_lines(yatzy, odd).values()} == {int}
    assert all(type(value) is int for value in engine.possible_values(yatzy, odd, "twos"))


def test_what_the_caches_keep_is_plain(yatzy):
    """Also where nothing was checked before."""
    lines = lines_of(yatzy, (np.int64(2), np.int64(8), *(None,) * 13), np.int8(0), 0)
    assert {type(line) for line in lines.values()} == {int}
    scored = score_table(yatzy)[tuple(np.array([1, 1, 4, 4, 5]))]
    assert {type(number) for one in scored for number in (one.points, *one.counted)} == {int}
    with pytest.raises(TypeError):
        lines_of(yatzy, (2.0, 10.0, *(None,) * 13), 0, 0)


def test_a_state_of_the_engine_is_taken_as_it_is(yatzy):
    plain = state()
    assert checked_state(yatzy, plain) is plain
    assert checked_state(yatzy, plain) is plain
    odd = state(dice=[5, 1, 3, 1, 2], sheets=[Sheet([None] * 15)], throws_left=np.int8(1))  # type: ignore[arg-type]
    assert checked_state(yatzy, odd) == plain
    assert engine.dice_to_throw(yatzy, state("yatzy / / 1 1 2 3 5 / 1 / 5 1")) == 3


def test_a_state_of_another_game_is_not_known(yatzy, refused):
    made = dicecup.apply(yatzy, engine.start(yatzy), dicecup.Throw((1, 2, 3, 4, 5)))
    assert checked_state(yatzy, made) is made
    with refused("sheet_of_other_game"):
        checked_state(dicecup.Rules("jamb"), made)


Odd: Any = Sheet
WRONG: list[dict[str, Any]] = [
    *({"dice": dice} for dice in ((1, 1, 2, 3), (1, 1, 2, 3, 5, 6), (1, 1, 2, 3, 9), (0,) * 5, (NAN,) * 5)),
    *({"dice": dice} for dice in (None, "x", 7, ((1, 1),) * 5, np.array(3), (), np.array([]))),
    *({"throws_left": left} for left in ("1", 9, 3, -1, None, NAN, np.array([1, 2]), 1.0)),
    *({"kept": kept} for kept in ((6, 6), "x", (1, 1, 2, 3, 5), 7, np.array(1))),
    {"kept": (1,), "throws_left": 0},
    {"dice": (), "kept": (), "throws_left": 4},
    {"dice": (1, 1), "kept": (1, 1), "throws_left": 3},
    {"dice": (), "kept": (1,)},
    *({"player": player} for player in (-1, 1, None, "x", NAN)),
    *({"announced": cell} for cell in (-1, 0, True, 99, "x", NAN)),
    *({"winner": seat} for seat in (-1, 1, "x", NAN)),
    *({"sheets": sheets} for sheets in (None, 7, (), (Odd((None,) * 3),))),
    *({"sheets": (Odd((points, *(None,) * 14)),)} for points in ("x", NAN, 2.5, 10**9, np.array([1, 2]))),
    {"sheets": (Odd((-5, *(None,) * 14)),)},
    *({"sheets": (Odd((None,) * 15, count),)} for count in ("x", -1)),
    *({"sheets": (Odd((None,) * 15, 0, count),)} for count in ("x", -1)),
]


@pytest.mark.parametrize("changed", WRONG, ids=str)
def test_states_that_no_game_has(yatzy, changed):
    odd = state(**changed)
    calls: list[Callable[[], object]] = [
        lambda: dicecup.legal_moves(yatzy, odd),
        lambda: dicecup.apply(yatzy, odd, engine.score("pair")),
        lambda: engine.is_legal(yatzy, odd, engine.score("pair")),
        lambda: engine.check(yatzy, odd, engine.score("pair")),
        lambda: engine.standings(yatzy, odd),
        lambda: engine.dice_to_throw(yatzy, odd),
        lambda: str(dicecup.Position("yatzy", yatzy, odd)),
    ]
    for call in calls:
        with pytest.raises(dicecup.DicecupError) as caught:
            call()
        assert str(caught.value)


def test_sheets_of_all_players_are_checked(yatzy):
    odd = state(sheets=(state().sheet, 7))
    with pytest.raises(dicecup.UsageError):
        dicecup.legal_moves(yatzy, odd)


def test_boxes_that_are_announced():
    jamb = dicecup.Rules("jamb")
    position = dicecup.Position.parse("jamb / / 1 1 2 3 5 / 2 announced.sixes")
    cell = position.state.announced
    assert checked_state(jamb, replace(position.state, announced=np.int64(cell))) == position.state  # type: ignore[arg-type]
    for wrong in (0, 99, "announced.sixes"):
        with pytest.raises(dicecup.PositionError) as caught:
            dicecup.Position("jamb", jamb, replace(position.state, announced=wrong))  # type: ignore[arg-type]
        assert "announced.sixes" in str(caught.value)


def test_a_position_is_plain_from_the_beginning(yatzy, refused):
    given: Any = tuple(np.array([5, 1, 3, 1, 2]))
    odd = dicecup.Position("yatzy", yatzy, state(dice=given))
    assert str(odd) == "yatzy / / 1 1 2 3 5 / 1"
    json.dumps(odd.to_data())
    reference: Any = 7
    with refused("argument_wrong", argument="reference"):
        dicecup.Position(reference, yatzy, state())
    with refused("argument_wrong", argument="rules"):
        dicecup.Position("yatzy", reference, state())


def test_a_game_from_a_state_of_several_players(yatzy):
    two = dicecup.Game("yatzy", ["Ann", "Bo"]).state
    game = dicecup.Game.from_position(dicecup.Position("yatzy", yatzy, replace(two, player=1)))
    assert len(game.sheets) == len(game.players) == 1


def test_beginnings(yatzy, refused):
    assert engine.start(yatzy, np.int64(2)) == engine.start(yatzy, 2)  # type: ignore[arg-type]
    with refused("players_missing"):
        engine.start(yatzy, 0)
    wrong: Any = "x"
    with refused("argument_wrong", argument="players"):
        engine.start(yatzy, wrong)
    for call in (engine.start, engine.empty_sheet):
        with refused("argument_wrong", argument="rules"):
            call(wrong)
    with refused("argument_wrong", argument="column"):
        engine.column_lines(yatzy, engine.empty_sheet(yatzy), 1)


def test_an_id_of_numpy_stays_in_no_cache():
    rules = dicecup.Rules(np.str_("balut"))
    assert type(rules.reference) is str
    assert repr(dicecup.Rules("balut")) == "Rules('balut')"
    chosen = dicecup.Rules("yatzy", {np.str_("scoring"): np.str_("scandinavian")})
    assert {type(text) for option in chosen.options.items() for text in option} == {str}


def test_records_that_begin_in_rubbish(yatzy, refused):
    header = dicecup.Game("yatzy").record.header
    begun = dicecup.Record(header, first=state(throws_left=np.int8(1)))
    assert type(begun.state.throws_left) is int
    with refused("position_key_wrong"):
        dicecup.Record(header, first=state(throws_left=9))
    nothing: Any = None
    with refused("argument_wrong", argument="game"):
        dicecup.review(dicecup.Record(nothing))


def test_numbers_of_positions_for_learning_programs(yatzy, refused):
    from dicecup.encoding import Actions, Observation

    wrong: Any
    for wrong in (5, "yatzy"):
        for make in (Actions, Observation):
            with refused("argument_wrong", argument="rules"):
                make(wrong)
    with refused("argument_wrong", argument="players"):
        Observation(yatzy, 0)
    odd = state("yatzy / / 2 2 2 5 6 / 1", dice=tuple(np.array([2, 2, 2, 5, 6])))
    plain = state("yatzy / / 2 2 2 5 6 / 1")
    assert (Actions(yatzy).mask(odd) == Actions(yatzy).mask(plain)).all()
    assert (Observation(yatzy).of_state(odd) == Observation(yatzy).of_state(plain)).all()
    json.dumps(yatzy.score("2 2 2 5 6"))


Made: Any = dicecup  # makes moves of anything
MOVES = [
    ("yatzy", "/ 1 1 2 3 5 / 0", Made.Score((Made.Placement("pair", strike="no"),)), "move_unreadable"),
    ("yatzy", "", Made.Throw((1, 1, 2, 3, 5), final="no"), "move_unreadable"),
    ("yatzy", "", Made.Throw("1" * 201), "die_unreadable"),
    ("yatzy", "", Made.Throw(["1" * 201] * 5), "die_unreadable"),
    ("dice-in-dice", "", Made.Throw([np.array(6)] * 6), "die_unreadable"),
    ("yatzy", "", Made.Write("x", "ones", 3), "seat_unknown"),
    ("yatzy", "", Made.Write(0, "ones", 2.5), "argument_wrong"),
    ("yatzy", "", Made.Write(0, "ones", 3, was="x"), "box_changed"),
]


@pytest.mark.parametrize(("game", "turn", "move", "code"), MOVES, ids=str)
def test_moves_that_nobody_can_make(game, turn, move, code, refused):
    position = dicecup.Position.parse(f"{game} / {turn}")
    with refused(code):
        dicecup.apply(position.rules, position.state, move)


def test_a_game_has_a_player(yatzy, refused):
    for begin in (engine.start, start):
        with refused("players_missing"):
            begin(yatzy, 0)
