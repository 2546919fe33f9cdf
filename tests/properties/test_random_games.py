"""Random games of every variant: legal moves, checks, play and totals are consistent."""

from __future__ import annotations

import copy
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dicecup.dice import all_dice, contains, layer_faces
from dicecup.engine import (
    Announce,
    Keep,
    Move,
    Placement,
    Score,
    Sheet,
    State,
    Throw,
    apply,
    check,
    column_lines,
    final_score,
    is_legal,
    legal_moves,
    overall_lines,
    start,
)
from dicecup.engine.legality import moment_of, offers
from dicecup.errors import DiceError, MoveError
from dicecup.rules import Ruleset, load_ruleset, main_ids

properties = settings(settings.get_profile("properties"), max_examples=4)


def candidates(rules: Ruleset, state: State, chance: Random) -> list[Move]:
    """Return moves of every kind, most of them illegal."""
    sides = all_dice(rules.dice.faces, len(rules.dice.layers))
    count = chance.randint(0, rules.dice.count + 1)
    moves: list[Move] = [Throw(tuple(chance.choice(sides) for _ in range(count)))]
    kept = chance.sample(state.dice, chance.randint(0, len(state.dice)))
    moves += [Keep(tuple(sorted(kept))), Keep(tuple(chance.choice(sides) for _ in range(2)))]
    for _ in range(6):
        moves.append(
            Score(
                tuple(
                    Placement(
                        chance.choice(rules.boxes).id,
                        chance.choice(rules.columns).id,
                        chance.random() < 0.5,
                    )
                    for _ in rules.scored
                )
            )
        )
    moves.append(Score((Placement("nothing"),) * len(rules.scored)))
    return moves


def plain(rules: Ruleset, state: State, move: Move) -> Move:
    """Return the move as `legal_moves` writes it: sorted dice, and no strike where the dice score 0."""
    if isinstance(move, Keep):
        return Keep(tuple(sorted(move.dice, key=lambda die: die if isinstance(die, tuple) else (die,))))
    if not isinstance(move, Score):
        return move
    sheet, placements = state.sheet, []
    for layer, placement in zip(rules.scored, move.placements, strict=True):
        faces = layer_faces(state.dice, rules.dice.layers.index(layer))
        cell = rules.column_index[placement.column] * len(rules.boxes) + rules.box_index[placement.box]
        scored = offers(rules, sheet, faces, moment_of(rules, state))[cell]
        assert scored is not None
        points = 0 if placement.strike else scored.points
        placements.append(Placement(placement.box, placement.column, placement.strike and scored.points != 0))
        sheet = Sheet(sheet.cells[:cell] + (points,) + sheet.cells[cell + 1 :], sheet.repeats)
    return Score(tuple(placements))


def agree(rules: Ruleset, state: State, chance: Random) -> None:
    """Check that exactly the legal moves can be played."""
    legal = legal_moves(rules, state)
    before = copy.deepcopy((state.sheets, state.player, state.dice, state.kept, state.throws_left))
    assert len(set(legal)) == len(legal)
    assert bool(legal) != (state.throw_due or state.finished)
    for decision in chance.sample(legal, min(6, len(legal))):
        check(rules, state, decision)
        assert is_legal(rules, state, decision)
        assert apply(rules, state, decision) != state
    for move in candidates(rules, state, chance):
        if is_legal(rules, state, move):
            assert isinstance(move, Throw) == state.throw_due
            assert isinstance(move, Throw) or plain(rules, state, move) in legal
        else:
            assert move not in legal
            with pytest.raises((MoveError, DiceError)) as caught:
                apply(rules, state, move)
            assert str(caught.value)
    assert (state.sheets, state.player, state.dice, state.kept, state.throws_left) == before


def follows(rules: Ruleset, before: State, move: Move, after: State) -> None:
    """Check the effect of each kind of move on a state, independently implemented."""
    assert sum(sheet.cells.count(None) for sheet in after.sheets) == sum(
        sheet.cells.count(None) for sheet in before.sheets
    ) - (len(rules.scored) if isinstance(move, Score) else 0)
    if isinstance(move, Throw):
        assert (after.sheets, after.player, after.kept) == (before.sheets, before.player, None)
        assert after.throws_left == before.throws_left - 1 >= 0
        assert len(after.dice) == rules.dice.count
        assert contains(after.dice, before.kept or ())
        assert contains(after.dice, move.dice)
    elif isinstance(move, Keep):
        assert (after.sheets, after.player, after.dice) == (before.sheets, before.player, before.dice)
        assert (after.kept, after.throws_left) == (move.dice, before.throws_left)
        assert after.throw_due
    elif isinstance(move, Announce):
        assert after == replace(before, announced=after.announced)
        assert before.announced is None
    else:
        assert after.player == (before.player + 1) % len(before.sheets)
        saved = after.sheets[after.player].saved
        assert (after.dice, after.kept, after.throws_left) == ((), (), rules.throws + saved)
        left = before.throws_left if rules.saved_throws else 0
        assert after.sheets[before.player].saved == left
        for seat, (old, new) in enumerate(zip(before.sheets, after.sheets, strict=True)):
            assert (old == new) == (seat != before.player)
            changed = [(a, b) for a, b in zip(old.cells, new.cells, strict=True) if a != b]
            assert all(a is None for a, _ in changed)
            assert new.repeats - old.repeats in (0, *(column.multiplier for column in rules.columns))


UPPER = ("ones", "twos", "threes", "fours", "fives", "sixes")


def added_up(rules: Ruleset, game: str, options: dict[str, str], sheet: Sheet) -> int:
    """Compute the final score from the rule pages alone."""
    total = 0
    columns = {"triple-yum-plus": (1, 2, 3)}.get(game, (1,))
    boxes = len(sheet.cells) // len(columns)
    for number, multiplier in enumerate(columns):
        names = [box.id for box in rules.boxes]
        cells = dict(zip(names, sheet.cells[number * boxes : (number + 1) * boxes], strict=True))
        upper = sum(cells[name] or 0 for name in UPPER)
        if game in ("yum-plus", "triple-yum-plus"):
            bonus = 75 if upper >= 78 else 55 if upper >= 71 else 35 if upper >= 63 else 0
        else:
            worth = 35 if game == "yahtzee" or options.get("scoring") == "international" else 50
            bonus = worth if upper >= 63 else 0
        total += multiplier * (sum(points or 0 for points in cells.values()) + bonus)
    return total + 100 * sheet.repeats


def lines_add_up(rules: Ruleset, sheet: Sheet) -> None:
    """Check that the lines of each column are consistent."""
    for number, column in enumerate(rules.columns):
        lines = column_lines(rules, sheet, number)
        assert set(rules.lines) <= {*rules.box_index, *lines, *overall_lines(rules, sheet)}
        assert lines["upper_total"] == lines["upper_sum"] + lines["bonus"]
        assert lines["grand_total"] == lines["upper_total"] + lines["lower_total"]
        after = sum(
            sheet.cells[number * len(rules.boxes) + place] or 0
            for place, box in enumerate(rules.boxes)
            if box.section == "after_total"
        )
        assert lines["weighted_total"] == column.multiplier * (lines["grand_total"] + after)


@properties
@given(seed=st.integers(0, 2**32), players=st.integers(1, 3))
def test_random_games(variant, step, seed, players):
    game, options = variant
    rules = load_ruleset(game, options)
    chance = Random(seed)
    state = start(rules, players if rules.turns < 30 else 1)
    turns = 0
    while not state.finished:
        if chance.random() < 0.15:
            agree(rules, state, chance)
        move = step(rules, state, chance)
        after = apply(rules, state, move)
        follows(rules, state, move, after)
        turns += isinstance(move, Score)
        state = after
    agree(rules, state, chance)
    assert turns == rules.turns * len(state.sheets) or state.winner is not None
    for sheet in state.sheets:
        if game in main_ids():
            assert final_score(rules, sheet) == added_up(rules, game, options, sheet)
        lines_add_up(rules, sheet)


@pytest.mark.parametrize("game", ["yatzy", "dice-in-dice", "triple-yum-plus", "yahtzee"])
def test_legal_scores_are_exactly_those_that_apply(game, step):
    """In some states, try every possible placement: exactly the legal ones can be played."""
    rules = load_ruleset(game, {"strike": "last_resort"} if game == "dice-in-dice" else {})
    chance = Random(game)
    state = start(rules)
    for _ in range(40):
        state = start(rules) if state.finished else apply(rules, state, step(rules, state, chance))
        if state.throw_due or state.finished or chance.random() < 0.6:
            continue
        singles = [
            Placement(box.id, column.id, strike)
            for column in rules.columns
            for box in rules.boxes
            for strike in (False, True)
        ]
        scores = (
            [(one,) for one in singles]
            if len(rules.scored) == 1
            else [(a, b) for a in singles for b in singles]
        )
        playable = {
            plain(rules, state, Score(score)) for score in scores if is_legal(rules, state, Score(score))
        }
        assert playable == {move for move in legal_moves(rules, state) if isinstance(move, Score)}
