"""The course of a turn and of a game, as several sheets describe it, played through the engine."""

from __future__ import annotations

from itertools import combinations

import pytest
from tests.rulebook.support import Written, decision, refused, sheet_of, written_on

from dicecup.dice import Dice
from dicecup.engine import (
    Keep,
    Placement,
    Score,
    State,
    Throw,
    apply,
    dice_to_throw,
    is_legal,
    legal_moves,
    standings,
    start,
)
from dicecup.errors import DiceError
from dicecup.rules import Ruleset


def different_dice(rules: Ruleset) -> Dice:
    """A throw whose dice are all different: 1 2 3 4 5, or 1-1 2-2 and so on."""
    faces = range(1, rules.dice.count + 1)
    return tuple((face, face) for face in faces) if rules.has_layers else tuple(faces)


def alike(rules: Ruleset, face: int, count: int) -> Dice:
    return ((face, face),) * count if rules.has_layers else (face,) * count


def a_score(rules: Ruleset, state: State) -> Score:
    return next(move for move in legal_moves(rules, state) if isinstance(move, Score))


def placements(rules: Ruleset, *boxes: str, strike: bool = False) -> Score:
    column = rules.columns[0].id
    return Score(tuple(Placement(box, column, strike) for box in boxes))


def first_throw_is_of_every_die(rules: Ruleset) -> None:
    state = start(rules)
    assert state.throw_due
    assert dice_to_throw(rules, state) == rules.dice.count
    assert legal_moves(rules, state) == ()
    with pytest.raises(DiceError):
        apply(rules, state, Throw(different_dice(rules)[1:]))
    assert refused(rules, state, Keep(())) == "throw_first"
    assert refused(rules, state, placements(rules, "ones")) == "score_before_throw"
    assert apply(rules, state, Throw(different_dice(rules))).dice == different_dice(rules)


def three_throws_at_most(rules: Ruleset) -> None:
    state = start(rules)
    count = rules.dice.count
    for throw in (1, 2, 3):
        state = apply(rules, state, Throw(alike(rules, throw, count)))
        assert state.throws_left == 3 - throw
        if throw < 3:
            state = apply(rules, state, Keep(()))
    assert state.dice == alike(rules, 3, count)
    assert refused(rules, state, Keep(())) == "no_throw_left"
    assert refused(rules, state, Throw(alike(rules, 4, count))) == "no_throw_left"
    assert all(isinstance(move, Score) for move in legal_moves(rules, state))


def any_dice_may_be_kept(rules: Ruleset) -> None:
    """Every proper subset of the dice can be kept; the rest is thrown."""
    dice = different_dice(rules)
    state = apply(rules, start(rules), Throw(dice))
    expected = {part for size in range(len(dice)) for part in combinations(dice, size)}
    assert {move.dice for move in legal_moves(rules, state) if isinstance(move, Keep)} == expected
    for kept in expected:
        after = apply(rules, state, Keep(kept))
        assert dice_to_throw(rules, after) == len(dice) - len(kept)
        fallen = apply(rules, after, Throw(alike(rules, 1, len(dice) - len(kept)))).dice
        assert fallen == tuple(sorted((*kept, *alike(rules, 1, len(dice) - len(kept)))))
    assert refused(rules, state, Keep(dice)) == "keep_all"
    assert refused(rules, state, Keep(alike(rules, 1, 2))) == "keep_not_there"


def kept_dice_may_be_thrown_again(rules: Ruleset) -> None:
    """Keep the first two dice, then throw exactly these again."""
    dice = different_dice(rules)
    state = apply(rules, start(rules), Throw(dice))
    state = apply(rules, state, Keep(dice[:2]))
    others = alike(rules, 6, len(dice) - 2)
    state = apply(rules, state, Throw(others))
    assert state.dice == dice[:2] + others
    state = apply(rules, state, Keep(others))
    state = apply(rules, state, Throw(alike(rules, 6, 2)))
    assert state.dice == alike(rules, 6, len(dice))


def may_stop_after_any_throw(rules: Ruleset) -> None:
    state = start(rules)
    for left in (2, 1, 0):
        state = apply(rules, state, Throw(alike(rules, 4, rules.dice.count)))
        assert state.throws_left == left
        after = apply(rules, state, a_score(rules, state))
        assert after.throws_left == 3
        assert after.throw_due
        if left:
            state = apply(rules, state, Keep(()))


def every_turn_fills(rules: Ruleset, boxes: int) -> None:
    """A turn ends only after filling that many boxes, and the game when all are filled."""
    state = start(rules)
    turns = 0
    while not state.finished:
        assert sum(points is not None for points in state.sheet.cells) == turns * boxes
        state = apply(rules, state, Throw(alike(rules, 2, rules.dice.count)))
        moves = [move for move in legal_moves(rules, state) if isinstance(move, Score)]
        assert {len(move.placements) for move in moves} == {boxes}
        state = apply(rules, state, moves[turns % len(moves)])
        turns += 1
    assert turns * boxes == rules.cells
    assert legal_moves(rules, state) == ()
    assert refused(rules, state, Throw(alike(rules, 2, rules.dice.count))) == "game_over"


def a_box_is_used_once(rules: Ruleset, dice: str, box: str, written: int) -> None:
    """A filled box stays as it is and cannot be used again, not even for a strike."""
    after = apply(rules, decision(rules, dice), placements(rules, box))
    assert written_on(rules, after.sheets[0]) == {box: written}
    again = decision(rules, dice, {box: written})
    assert refused(rules, again, placements(rules, box)) == "box_filled"
    assert refused(rules, again, placements(rules, box, strike=True)) == "box_filled"


def any_box_may_be_struck(rules: Ruleset, dice: str) -> None:
    """0 can be written in any open box of a game with one box per turn, whatever the dice would score."""
    for box in rules.boxes:
        for column in rules.columns:
            move = Score((Placement(box.id, column.id, strike=True),))
            after = apply(rules, decision(rules, dice), move)
            assert list(written_on(rules, after.sheets[0]).values()) == [0]


def boxes_in_any_order(rules: Ruleset) -> None:
    """Forwards, backwards and from the middle: every order fills the sheet."""
    cells = [(box.id, column.id) for column in rules.columns for box in rules.boxes]
    dice = different_dice(rules)
    for order in (cells, cells[::-1], cells[7:] + cells[:7], cells[::2] + cells[1::2]):
        state = start(rules)
        for first in range(0, len(order), len(rules.scored)):
            chosen = order[first : first + len(rules.scored)]
            state = apply(rules, state, Throw(dice))
            state = apply(rules, state, Score(tuple(Placement(*cell) for cell in chosen)))
        assert state.finished


def seats_take_turns(rules: Ruleset, players: int) -> None:
    """Players take turns for a whole round and into the next; only their own sheet changes."""
    state = start(rules, players)
    assert len(state.sheets) == players
    for turn in range(players + 1):
        assert state.player == turn % players
        before = state.sheets
        state = apply(rules, state, Throw(alike(rules, 5, rules.dice.count)))
        state = apply(rules, state, a_score(rules, state))
        changed = [seat for seat in range(players) if state.sheets[seat] != before[seat]]
        assert changed == [turn % players]


def placed(rules: Ruleset, *sheets: Written) -> list[tuple[int, int, int]]:
    """Return (place, seat, score) of players with these sheets."""
    state = State(tuple(sheet_of(rules, sheet) for sheet in sheets), 0, (), (), rules.throws)
    return list(standings(rules, state))


def never_takes_dice(rules: Ruleset, *names: str) -> None:
    """Lines of the sheet that are computed, not filled."""
    state = decision(rules, "1 2 3 4 5" if not rules.has_layers else "1-1 2-2 3-3 4-4 5-5 6-6")
    for name in names:
        assert name in rules.lines
        assert name not in [box.id for box in rules.boxes]
        rest = ("chance",) * (len(rules.scored) - 1)
        assert not is_legal(rules, state, placements(rules, name, *rest))
