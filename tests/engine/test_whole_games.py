"""Whole games of every kind: seats, the same on a pad, their records, and records cut at every byte.

These tests repeat what the others of this folder show by examples. Their coverage is not measured, which
would take three times as long.
"""

from __future__ import annotations

from random import Random

import pytest
from tests.engine.test_pad import new
from tests.engine.test_pad_values import variants
from tests.engine.test_record_text import content, damage

from dicecup.engine import Announce, Score, Throw, Write, apply, legal_moves, standings, start
from dicecup.engine.legality import cell_names
from dicecup.engine.pad import possible_values, written
from dicecup.engine.record import Undo
from dicecup.engine.record_text import RecordWriter, record_from_text, record_to_text
from dicecup.rules import builtin_ids, load_ruleset


@pytest.mark.parametrize("players", [1, 2, 10])
@pytest.mark.parametrize("game", builtin_ids())
def test_seats_take_turns_until_every_sheet_is_full(game, players):
    rules = load_ruleset(game)
    chance = Random(f"{game} {players}")
    state = start(rules, players)
    sides = rules.dice.faces
    for turn in range(rules.turns * players):
        assert not state.finished
        assert state.player == turn % players
        throw = [tuple(chance.randint(1, sides) for _ in rules.dice.layers) for _ in range(rules.dice.count)]
        state = apply(rules, state, Throw(tuple(die if rules.has_layers else die[0] for die in throw)))
        moves = legal_moves(rules, state)
        if not any(isinstance(move, Score) for move in moves):
            said = [move for move in moves if isinstance(move, Announce)]
            state = apply(rules, state, chance.choice(said))
            moves = legal_moves(rules, state)
        state = apply(rules, state, chance.choice([move for move in moves if isinstance(move, Score)]))
        filled = [sum(points is not None for points in sheet.cells) for sheet in state.sheets]
        assert sum(filled) == (turn + 1) * len(rules.scored)
        assert max(filled) - min(filled) <= len(rules.scored)
    assert state.finished
    assert len(standings(rules, state)) == players


@pytest.mark.parametrize(("game", "options"), variants(), ids=str)
def test_every_game_can_be_written_on_a_pad(played, game, options):
    """Box by box, then each box corrected to what it holds: dice never write what a pad refuses."""
    dice = played(game, options=options, players=("Ann", "Bo"), chance="pad")
    rules = dice.rules
    pad = new(rules)
    for move, before, after in zip(dice.moves, dice.states, dice.states[1:], strict=False):
        if not isinstance(move, Score):
            continue
        seat = before.player
        assert pad.state.player == seat
        assert not rules.has_layers or len(move.placements) == 2
        for place in move.placements:
            points = written(rules, after.sheets[seat], place.box, place.column)
            pad = pad.append(Write(seat, place.box, points, place.column))
        if after.sheets[seat].repeats > before.sheets[seat].repeats:
            assert rules.repeat
            was = written(rules, before.sheets[seat], rules.repeat.id)
            points = written(rules, after.sheets[seat], rules.repeat.id)
            pad = pad.append(Write(seat, rules.repeat.id, points, was=was))
    assert pad.state.finished
    assert pad.state.sheets == dice.state.sheets
    for sheet in dice.state.sheets:
        for cell, points in enumerate(sheet.cells):
            assert points in possible_values(rules, sheet, *cell_names(rules, cell))
    assert record_from_text(record_to_text(pad).encode())[0] == pad


@pytest.mark.parametrize("name", builtin_ids())
def test_records_round_trip_exactly(played, name):
    for record in (played(name), played(name, 7), played(name, 0)):
        text = record_to_text(record)
        again, size = record_from_text(text.encode())
        assert content(again) == content(record)
        assert again.states == record.states
        assert record_to_text(again) == text
        assert size == len(text.encode())


def test_cut_at_every_byte_loses_only_the_cut_line(played):
    record = played("dice-in-dice", 12).append(Undo(2))
    data = record_to_text(record).encode()
    header = len(RecordWriter().header(record.header).encode())
    for size in range(len(data) + 1):
        if size < header:
            assert damage(data[:size]).code == "record_cut"
            continue
        kept = data.rfind(b"\n", 0, size) + 1
        again, whole = record_from_text(data[:size])
        assert whole == kept
        assert again.entries == record.entries[: data.count(b"\n", header, size)]
        assert record_to_text(again).encode() == data[:kept]
