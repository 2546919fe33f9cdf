"""Every choice of small games against the plain Python solver, samples of large games, and invariants."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from random import Random

import pytest
from tests.coach.conftest import SMALL_GAMES, thrown

from dicecup.coach.advice import Values, advise
from dicecup.dice import Dice, sort_dice, throws
from dicecup.engine import Keep, Move, Sheet, State, apply, empty_sheet, final_score, legal_moves, start
from dicecup.engine.play import legal_scores, score_sheet
from dicecup.rules import Ruleset, load_ruleset
from reference_solver import Reference


@lru_cache(maxsize=16)
def keep_values(reference: Reference, sheet: Sheet, throws_left: int) -> Mapping[Dice, float]:
    """Return the plain solver's value of keeping dice; the dice thrown do not matter for it."""
    return reference.keeps(reference.after_throw(sheet, throws_left - 1))


def reference_values(reference: Reference, sheet: Sheet, dice: Dice, throws_left: int) -> dict[Move, float]:
    """Return the plain solver's value of every choice."""
    rules = reference.rules
    found: dict[Move, float] = {
        move: reference.expected(score_sheet(rules, sheet, dice, move.placements)[0])
        for move in legal_scores(rules, sheet, dice)
    }
    if throws_left:
        kept = keep_values(reference, sheet, throws_left)
        state = State((sheet,), 0, dice, None, throws_left)
        found |= {move: kept[move.dice] for move in legal_moves(rules, state) if isinstance(move, Keep)}
    return found


def random_sheets(rules: Ruleset, chance: Random, count: int, open_boxes: int | None = None) -> list[Sheet]:
    """Return sheets reached by random play."""
    found = []
    for _ in range(count):
        left = chance.randint(1, rules.cells) if open_boxes is None else open_boxes
        sheet = empty_sheet(rules)
        while sheet.cells.count(None) > left:
            dice = tuple(sorted(chance.randint(1, rules.dice.faces) for _ in range(rules.dice.count)))
            if chance.random() < 0.3:
                dice = dice[:1] * len(dice)
            move = chance.choice(list(legal_scores(rules, sheet, dice)))
            sheet, _ = score_sheet(rules, sheet, dice, move.placements)
        found.append(sheet)
    return found


def agree(values: Values, reference: Reference, sheet: Sheet, dice: Dice, throws_left: int) -> None:
    advice = advise(values, State((sheet,), 0, dice, None, throws_left))
    expected = reference_values(reference, sheet, dice, throws_left)
    assert {choice.move for choice in advice.choices} == set(expected)
    for choice in advice.choices:
        assert choice.expected == pytest.approx(expected[choice.move], abs=1e-9), choice
    assert advice.expected == pytest.approx(max(expected.values()), abs=1e-9)


@pytest.mark.parametrize("name", SMALL_GAMES)
def test_every_choice_of_a_small_game(small, name):
    values = small(name)
    rules, reference = values.rules, Reference(values.rules)
    assert advise(values, start(rules)).expected == pytest.approx(reference.expected(), abs=1e-9)
    sheets = [empty_sheet(rules), *random_sheets(rules, Random(name), 12)]
    for sheet in sheets:
        for dice, _ in throws(rules.dice.count, rules.dice.faces):
            for throws_left in range(rules.throws):
                agree(values, reference, sheet, dice, throws_left)


@pytest.mark.parametrize(
    ("game", "options"),
    [("yatzy-sv", {}), ("yahtzee", {"joker": "forced"}), ("yatzy-sv", {"strike": "last_resort"})],
)
def test_samples_of_large_games(known, game, options):
    values = known(game, **options)
    rules, chance = values.rules, Random(3)
    reference = Reference(rules)
    for sheet in random_sheets(rules, chance, 3, open_boxes=1):
        for throws_left in range(rules.throws):
            dice = tuple(sorted(chance.randint(1, 6) for _ in range(5)))
            agree(values, reference, sheet, dice, throws_left)


def test_a_sample_of_double_dice(known):
    """In the last turn of Dice in Dice one die is thrown again; the engine enumerates its 36 faces."""
    rules = load_ruleset("dice-in-dice")
    open_boxes = {"full_house", "chance"}
    sheet = Sheet(tuple(None if box.id in open_boxes else 0 for box in rules.boxes))
    dice = ((1, 2), (3, 3), (3, 4), (5, 4), (5, 4), (6, 6))
    values = known("dice-in-dice")
    advice = advise(values, State((sheet,), 0, dice, None, 1))
    choice = next(choice for choice in advice.choices if choice.move == Keep(dice[1:]))
    total = 0.0
    for outer in range(1, 7):
        for inner in range(1, 7):
            end = sort_dice((*dice[1:], (outer, inner)))
            total += max(
                final_score(rules, score_sheet(rules, sheet, end, move.placements)[0])
                for move in legal_scores(rules, sheet, end)
            )
    assert choice.expected == pytest.approx(total / 36, abs=1e-3)
    assert {choice.move for choice in advice.choices} == set(
        legal_moves(rules, State((sheet,), 0, dice, None, 1))
    )


@pytest.mark.parametrize("name", ["yatzy-sv", "dice-in-dice", *SMALL_GAMES])
def test_no_choice_is_worth_more_than_the_position(known, small, name):
    values = small(name) if " " in name else known(name)
    rules, chance = values.rules, Random(7)
    tolerance = 1e-3 if rules.has_layers else 1e-9
    state, positions = start(rules), 0
    while not state.finished and positions < 30:
        if state.throw_due:
            before = advise(values, state)
            assert not before.choices
            state = apply(rules, state, thrown(rules, state, chance))
            continue
        advice = advise(values, state)
        positions += 1
        assert set(legal_moves(rules, state)) == {choice.move for choice in advice.choices}
        assert (
            advice.choices[0].expected == advice.expected == max(choice.expected for choice in advice.choices)
        )
        losses = [choice.loss for choice in advice.choices]
        assert losses == sorted(losses)
        assert losses[0] == 0
        move = chance.choice(advice.choices)
        state = apply(rules, state, move.move)
        assert advise(values, state).expected == pytest.approx(move.expected, abs=tolerance)


def test_a_full_sheet_is_worth_what_is_on_it(known):
    values = known("yatzy-sv")
    rules = values.rules
    sheet = Sheet((3, 6, 9, 12, 15, 18) + (0,) * 9)
    advice = advise(values, State((sheet,), 0, (), (), rules.throws))
    assert (advice.expected, advice.choices) == (113, ())
