"""Positions, moves and records of random games round-trip exactly."""

from __future__ import annotations

import json
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dicecup.engine import State, apply, start
from dicecup.engine.record import DiceOrigin, Header, Record, Undo
from dicecup.engine.record_text import record_from_text, record_to_text
from dicecup.engine.serialize import (
    Position,
    move_from_data,
    move_to_data,
    position_from_data,
    position_from_line,
    position_to_data,
    position_to_line,
)
from dicecup.engine.sheet_data import check_sheet
from dicecup.rules import load_ruleset

properties = settings(settings.get_profile("properties"), max_examples=4)


@properties
@given(seed=st.integers(0, 2**32))
def test_positions_and_moves_round_trip(variant, step, seed):
    game, options = variant
    rules = load_ruleset(game, options)
    chance = Random(seed)
    state = start(rules)
    while not state.finished:
        if chance.random() < 0.3:
            round_trip(Position(game, rules, state))
        move = step(rules, state, chance)
        data = json.loads(json.dumps(move_to_data(rules, move)))
        again = apply(rules, state, move_from_data(rules, data))
        state = apply(rules, state, move)
        assert again == state
    round_trip(Position(game, rules, state))


@pytest.mark.parametrize(
    ("base", "options", "more"),
    [
        ("yahtzee", {"joker": "free"}, ""),
        ("yahtzee", {"joker": "forced"}, ""),
        ("yahtzee", {"joker": "free"}, "dice = { count = 6, counted = 5 }"),  # the sixth die counts elsewhere
        ("yum-plus", {}, ""),
        ("triple-yum-plus", {}, ""),
    ],
)
@given(seed=st.integers(0, 2**32))
@properties
def test_house_rules_never_lead_to_a_position_that_is_refused(house_file, step, base, options, more, seed):
    """Strikes as a last resort combined with jokers, repeats and dependent boxes."""
    house_file.write_text(f'format = 1\nid = "ours"\nbase = "{base}"\nstrike = "last_resort"\n{more}\n')
    rules = load_ruleset(str(house_file), options)
    chance = Random(seed)
    state = start(rules)
    while not state.finished:
        state = apply(rules, state, step(rules, state, chance))
        check_sheet(rules, state.sheet)


@pytest.fixture(scope="module")
def house_file(tmp_path_factory):
    return tmp_path_factory.mktemp("house") / "ours.toml"


def round_trip(position: Position) -> None:
    data = position_to_data(position)
    again = position_from_data(json.loads(json.dumps(data)))
    assert same(again, position)
    assert position_to_data(again) == data
    line = position_to_line(position)
    assert "\n" not in line
    again = position_from_line(line)
    assert same(again, position)
    assert position_to_line(again) == line


def same(one: Position, other: Position) -> bool:
    return (one.reference, one.state, one.rules.identity) == (
        other.reference,
        other.state,
        other.rules.identity,
    )


def test_position_of_the_player_whose_turn_it_is(step):
    rules = load_ruleset("yatzy")
    chance = Random(1)
    state = start(rules, 3)
    for _ in range(50):
        state = apply(rules, state, step(rules, state, chance))
        alone = State((state.sheet,), 0, state.dice, state.kept, state.throws_left)
        assert position_from_data(position_to_data(Position("yatzy", rules, state))).state == alone


@properties
@given(seed=st.integers(0, 2**32), players=st.integers(1, 3))
def test_records_round_trip(variant, step, seed, players):
    game, options = variant
    rules = load_ruleset(game, options)
    chance = Random(seed)
    names = tuple(f"Player {number}" for number in range(players))
    record = Record(Header(game, rules, names, DiceOrigin("typed")))
    for _ in range(chance.randint(0, 120)):
        if record.state.finished:
            break
        if record.moves and chance.random() < 0.1:
            record = record.append(Undo(chance.randint(1, min(5, len(record.moves)))))
        else:
            record = record.append(step(rules, record.state, chance))
    text = record_to_text(record)
    again, size = record_from_text(text.encode())
    assert size == len(text.encode())
    assert (again.entries, again.states) == (record.entries, record.states)
    assert record_to_text(again) == text
