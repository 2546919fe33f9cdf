"""A turn with the network, compared with the engine: every throw, every keep, every box, one at a time."""

from __future__ import annotations

import pytest
from tests.learned.conftest import learned, random_sheet

from dicecup.dice import Dice, parts, sort_dice, throws
from dicecup.engine import Score, Sheet, State, apply, final_score
from dicecup.engine.play import legal_scores
from dicecup.rules import Ruleset, load_ruleset
from reference_solver import Reference

YUMS = ("yum", "second_yum", "third_yum")
ALIKE = (4, 4, 4, 4, 4)
# Values around 3,000 in 32 bits: one unit in the last place is 0.00024, and some hundred are added up.
CLOSE = 5e-3


class ByHand:
    """The same turn by the engine and plain recursion; only the successors' values come from the network."""

    def __init__(self, rules: Ruleset, sheet: Sheet) -> None:
        self.rules, self.sheet, self.value = rules, sheet, learned(rules)
        self.known: dict[Sheet, float] = {}
        self.ended: dict[Dice, float] = {}
        self.thrown: dict[tuple[Dice, int], float] = {}
        self.kept: dict[tuple[Dice, int], float] = {}

    def boxes(self, dice: Dice) -> dict[Score, float]:
        """Return the value of every legal score."""
        thrown = State((self.sheet,), 0, dice, None, 0)
        found: dict[Score, float] = {}
        for move in legal_scores(self.rules, self.sheet, dice):
            after = apply(self.rules, thrown, move).sheet
            if after not in self.known:
                self.known[after] = self.value.estimate(after)
            found[move] = self.known[after]
        return found

    def end(self, dice: Dice) -> float:
        if dice not in self.ended:
            self.ended[dice] = max(self.boxes(dice).values())
        return self.ended[dice]

    def keep(self, kept: Dice, left: int) -> float:
        """Return the value of a keep; `left` throws are left, one of them due now."""
        if (kept, left) not in self.kept:
            count = 5 - len(kept)
            values = (
                weight * self.throw(sort_dice(kept + more), left - 1) for more, weight in throws(count, 6)
            )
            self.kept[kept, left] = sum(values) / 6**count
        return self.kept[kept, left]

    def throw(self, dice: Dice, left: int) -> float:
        if (dice, left) not in self.thrown:
            kept = [self.keep(part, left) for part in parts(dice) if len(part) < 5] if left else []
            self.thrown[dice, left] = max([self.end(dice), *kept])
        return self.thrown[dice, left]


SHEETS = [
    ("yum-plus", 0, (), 1),
    ("yum-plus", 11, (), 2),
    ("yum-plus", 16, (*YUMS, "fours", "ones"), 3),
    ("triple-yum-plus", 33, (), 4),
    ("triple-yum-plus", 54, (*YUMS, "fours", "sixes"), 5),
    ("triple-yum-plus", 65, (), 6),
]


@pytest.mark.parametrize(("game", "filled", "first", "seed"), SHEETS)
def test_every_value_of_a_turn_is_what_the_engine_makes_of_the_network(game, filled, first, seed):
    rules = load_ruleset(game)
    sheet = random_sheet(rules, filled, seed, first=first)
    by_hand, turn = ByHand(rules, sheet), learned(rules).turn(sheet)
    for dice, _ in throws(5, 6):
        assert turn.throw(dice, 0) == pytest.approx(by_hand.throw(dice, 0), abs=CLOSE)
    for kept in ((), (4,), (6, 6), (1, 2, 3), (3, 3, 4, 4)):
        assert turn.keep(kept, 1) == pytest.approx(by_hand.keep(kept, 1), abs=CLOSE)
        assert turn.keep(kept, 2) == pytest.approx(by_hand.keep(kept, 2), abs=CLOSE)
    assert turn.throw((2, 3, 3, 5, 6), 2) == pytest.approx(by_hand.throw((2, 3, 3, 5, 6), 2), abs=CLOSE)
    assert turn.value == pytest.approx(by_hand.keep((), 3), abs=CLOSE)


@pytest.mark.parametrize(("game", "filled", "first", "seed"), SHEETS)
@pytest.mark.parametrize("dice", [ALIKE, (1, 2, 3, 4, 5), (6, 6, 6, 3, 3), (2, 4, 5, 5, 6)])
def test_boxes_are_the_legal_ones_with_their_points(game, filled, first, seed, dice):
    rules = load_ruleset(game)
    sheet = random_sheet(rules, filled, seed, first=first)
    dice = tuple(sorted(dice))
    wanted = ByHand(rules, sheet).boxes(dice)
    found = learned(rules).turn(sheet).boxes(dice)
    assert [box.move for box in found] == list(wanted)
    for box in found:
        assert box.value == pytest.approx(wanted[box.move], abs=CLOSE)
        after = apply(rules, State((sheet,), 0, dice, None, 0), box.move).sheet
        written = [new for new, old in zip(after.cells, sheet.cells, strict=True) if new != old]
        assert written == [box.points]


def test_the_best_choice_has_the_value_of_the_throw():
    rules = load_ruleset("triple-yum-plus")
    turn = learned(rules).turn(random_sheet(rules, 20, 7))
    for dice in ((1, 1, 4, 5, 6), (2, 2, 2, 5, 5), ALIKE):
        boxes = [box.value for box in turn.boxes(dice)]
        assert turn.throw(dice, 0) == pytest.approx(max(boxes), abs=1e-9)
        keeps = [turn.keep(part, 1) for part in parts(dice) if len(part) < 5]
        assert turn.throw(dice, 1) == pytest.approx(max(boxes + keeps), abs=1e-9)


def test_a_joker_requires_all_columns():
    rules = load_ruleset("triple-yum-plus")
    sheet = random_sheet(rules, 12, 1, first=(*YUMS, "fours"))
    offered = {box.move.placements[0]: box.points for box in learned(rules).turn(sheet).boxes(ALIKE)}
    assert offered[next(move for move in offered if move.box == "long_straight" and not move.strike)] == 40
    waiting = random_sheet(rules, 11, 1, first=(*YUMS, "fours"))
    offered = {box.move.placements[0]: box.points for box in learned(rules).turn(waiting).boxes(ALIKE)}
    assert offered[next(move for move in offered if move.box == "long_straight" and not move.strike)] == 0


def test_the_last_turn_is_exact(rules):
    """No turn follows, so the network is not used."""
    sheet = random_sheet(rules, rules.cells - 1, 8)
    by_hand = ByHand(rules, sheet)
    assert all(after.full for after in by_hand.known)
    assert learned(rules).turn(sheet).value == pytest.approx(by_hand.keep((), 3), abs=1e-3)


def test_a_full_sheet_is_worth_its_score(rules):
    sheet = random_sheet(rules, rules.cells, 9)
    assert learned(rules).turn(sheet).value == final_score(rules, sheet)
    assert learned(rules).estimate(sheet) == final_score(rules, sheet)


# Root mean squares over randomly filled sheets, which are rare in training. Twice the measured values.
@pytest.mark.parametrize(("game", "most"), [("yum-plus", 2.5), ("triple-yum-plus", 10)])
def test_two_turns_before_the_end_it_is_close_to_the_oracle(game, most):
    rules = load_ruleset(game)
    sheets = [random_sheet(rules, rules.cells - 2, seed) for seed in range(6)]
    errors = [learned(rules).turn(sheet).value - Reference(rules).expected(sheet) for sheet in sheets]
    assert (sum(error * error for error in errors) / len(errors)) ** 0.5 < most
