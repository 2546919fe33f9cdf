"""Pinned numbers of ways a turn can be played and scored on the empty sheet, per game and option.

A way is a sequence of moves: distinguishable throws, keeps, and the final score. Each number is counted
twice: through `legal_moves` and `apply`, and by plain counting with the second scorer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import combinations_with_replacement, product
from random import Random

import pytest
from tests.rulebook import independent_scorer as second

from dicecup.dice import Dice, throws
from dicecup.engine import Keep, Score, State, Throw, apply, dice_to_throw, legal_moves, start
from dicecup.rules import Ruleset, load_ruleset, main_ids

# game, non-default option → ways to score over all 252 throws, ways to play one turn
ONE_LAYER = {
    ("yatzy", ""): (5_366, 5_764_477_970),
    ("yatzy", "scoring=scandinavian"): (5_324, 5_738_086_442),
    ("yatzy", "scoring=international"): (5_340, 5_763_016_242),
    ("yatzy", "yatzy=plus_sum"): (5_366, 5_764_477_970),
    ("yatzy", "strike=last_resort"): (1_586, 1_685_101_970),
    ("yatzy-sv", ""): (5_324, 5_738_086_442),
    ("yatzy-sv", "two_pairs=four_alike"): (5_360, 5_761_685_636),
    ("yatzy-sv", "strike=last_resort"): (1_544, 1_658_710_442),
    ("yum-plus", ""): (7_480, 8_063_493_163),
    ("yum-plus", "kinds=matching"): (7_480, 8_063_493_163),
    ("yum-plus", "joker_upper=none"): (7_480, 8_063_493_163),
    ("triple-yum-plus", ""): (22_440, 24_190_479_489),
    ("yahtzee", ""): (4_500, 4_869_282_408),
    ("yahtzee", "joker=forced"): (4_500, 4_869_282_408),
    ("yahtzee", "joker=none"): (4_500, 4_869_282_408),
}
# dice-in-dice, value of extra → ways to score over all 4,496,388 throws
DOUBLE_DICE = {"chance": 2_486_568_906, "negative": 2_285_783_826, "free_strike": 2_285_783_826}

CASES = [pytest.param(*key, *counts, id="-".join(key)) for key, counts in ONE_LAYER.items()]


def chosen(option: str) -> dict[str, str]:
    name, sign, value = option.partition("=")
    return {name: value} if sign else {}


def all_options(game: str, option: str) -> dict[str, str]:
    return {name: values[0] for name, values in second.OPTIONS[game].items()} | chosen(option)


def test_every_game_is_counted():
    assert {game for game, _ in ONE_LAYER} | {"dice-in-dice"} == set(main_ids())


# Through the engine.


def endings(rules: Ruleset, dice: Dice) -> int:
    state = apply(rules, start(rules), Throw(dice))
    return sum(isinstance(move, Score) for move in legal_moves(rules, state))


def ways_by_engine(rules: Ruleset) -> int:
    """Count each state once: what follows depends only on the dice and the number of throws left."""

    @cache
    def ways(state: State) -> int:
        if state.throw_due:
            count = dice_to_throw(rules, state)
            return sum(ways(apply(rules, state, Throw(dice))) for dice, _ in throws(count, rules.dice.faces))
        moves = legal_moves(rules, state)
        keeps = [move for move in moves if isinstance(move, Keep)]
        return len(moves) - len(keeps) + sum(ways(forget(apply(rules, state, move))) for move in keeps)

    def forget(state: State) -> State:
        """Drop the dice that are thrown again: they no longer matter."""
        return State(state.sheets, state.player, state.kept or (), state.kept, state.throws_left)

    return ways(start(rules))


# By plain counting.


def ways_by_counting(game: str, options: second.Options) -> int:
    ends: dict[tuple[int, ...], int] = {
        dice: len(second.legal_placements(game, options, {}, dice))
        for dice in combinations_with_replacement(range(1, 7), 5)
    }

    @cache
    def after_keep(kept: tuple[int, ...], left: int) -> int:
        fallen = combinations_with_replacement(range(1, 7), 5 - len(kept))
        return sum(after_throw(tuple(sorted(kept + new)), left - 1) for new in fallen)

    @cache
    def after_throw(dice: tuple[int, ...], left: int) -> int:
        total = ends[dice]
        if left:
            total += sum(after_keep(kept, left) for kept in smaller_parts(dice))
        return total

    return after_keep((), 3)


def smaller_parts(dice: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Yield every proper sub-multiset of the dice: how many of each face are kept."""
    counts = [dice.count(face) for face in range(1, 7)]
    for taken in product(*(range(count + 1) for count in counts)):
        if sum(taken) < len(dice):
            yield tuple(face for face, times in enumerate(taken, start=1) for _ in range(times))


@pytest.mark.parametrize(("game", "option", "ends", "ways"), CASES)
def test_endings_over_all_throws(game: str, option: str, ends: int, ways: int):
    rules = load_ruleset(game, chosen(option))
    options = all_options(game, option)
    found = sum(endings(rules, dice) for dice, _ in throws(5, 6))
    counted = sum(
        len(second.legal_placements(game, options, {}, dice))
        for dice in combinations_with_replacement(range(1, 7), 5)
    )
    assert found == counted == ends


@pytest.mark.parametrize(("game", "option", "ends", "ways"), CASES)
def test_ways_a_turn_can_go(game: str, option: str, ends: int, ways: int):
    rules = load_ruleset(game, chosen(option))
    assert ways_by_engine(rules) == ways_by_counting(game, all_options(game, option)) == ways


def test_endings_of_yatzy_by_hand():
    """Fifteen boxes for each throw, and a strike where the box would score:

    each upper box 252 - 126 (no die of the face), pair 252 - 6 (five different), two pairs: 60 of two pairs
    and a fifth die, 30 full houses, 30 of four alike, 6 of five alike; three of a kind 60 + 30 + 30 + 6, four
    of a kind 30 + 6, a straight each, full house 30 + 6, chance always, yatzy 6.
    """
    strikes = 6 * 126 + 246 + (60 + 30 + 30 + 6) + (60 + 30 + 30 + 6) + 36 + 1 + 1 + 36 + 252 + 6
    assert 252 * 15 + strikes == ONE_LAYER["yatzy", ""][0]


# Double dice: there are too many throws to enumerate, but the inner and outer choices are counted separately.


def tables_with(rows: tuple[int, ...], columns: tuple[int, ...]) -> int:
    """Count throws of double dice with these numbers of outer faces and those of inner faces.

    A throw is a matrix: how many double dice have this outer and that inner face. Filled row by row.
    """
    if not rows:
        return 1
    total = 0
    for taken in product(*(range(room + 1) for room in columns)):
        if sum(taken) == rows[0]:
            rest = tuple(room - used for room, used in zip(columns, taken, strict=True))
            total += tables_with(rows[1:], rest)
    return total


def shape(faces: tuple[int, ...]) -> tuple[int, ...]:
    """Return how often faces repeat, descending: all layers of one shape have equally many throws."""
    return tuple(sorted(Counter(faces).values(), reverse=True))


LAYERS = list(combinations_with_replacement(range(1, 7), 6))
SHAPES = sorted({shape(faces) for faces in LAYERS})


def choices_by_engine(rules: Ruleset, faces: tuple[int, ...]) -> dict[str, int]:
    """Count the ways the inner dice can fill each box; the outer dice, all ones, fill one other box."""
    state = apply(rules, start(rules), Throw(tuple((1, face) for face in faces)))
    found: Counter[str] = Counter()
    for move in legal_moves(rules, state):
        if isinstance(move, Score):
            inner, outer = move.placements
            if outer.box == ("ones" if inner.box != "ones" else "twos") and not outer.strike:
                found[inner.box] += 1
    return dict(found)


def choices_by_counting(options: second.Options, faces: tuple[int, ...]) -> dict[str, int]:
    placements = second.legal_placements("dice-in-dice", options, {}, faces)
    return dict(Counter(box for (_, box), _ in placements))


@pytest.fixture(scope="module")
def throws_of_shapes() -> dict[tuple[tuple[int, ...], tuple[int, ...]], int]:
    return {(outer, inner): tables_with(outer, inner) for outer in SHAPES for inner in SHAPES}


def test_shapes_make_all_throws(throws_of_shapes):
    number = Counter(map(shape, LAYERS))
    total = sum(number[outer] * number[inner] * ways for (outer, inner), ways in throws_of_shapes.items())
    assert len(SHAPES) == 11
    assert total == 4_496_388


@pytest.mark.parametrize(("extra", "expected"), DOUBLE_DICE.items())
def test_endings_of_double_dice(extra: str, expected: int, throws_of_shapes):
    """Inner choices times outer choices in another box, summed over the throws of every pair of layers."""
    rules = load_ruleset("dice-in-dice", {"extra": extra})
    options = all_options("dice-in-dice", f"extra={extra}")
    choices = {faces: choices_by_engine(rules, faces) for faces in LAYERS}
    assert choices == {faces: choices_by_counting(options, faces) for faces in LAYERS}

    # Check on a sample of throws that a pair of layers has as many ways to score as the product.
    chance = Random(11)
    for _ in range(40):
        dice = tuple(sorted((chance.randint(1, 6), chance.randint(1, 6)) for _ in range(6)))
        inner = choices[tuple(sorted(die[1] for die in dice))]
        outer = choices[tuple(sorted(die[0] for die in dice))]
        both = sum(inner[one] * outer[other] for one in inner for other in outer if one != other)
        assert endings(rules, dice) == both

    of_shape: dict[tuple[int, ...], Counter[str]] = {one: Counter() for one in SHAPES}
    for faces in LAYERS:
        of_shape[shape(faces)].update(choices[faces])
    total = 0
    for (outer_shape, inner_shape), ways in throws_of_shapes.items():
        inner, outer = of_shape[inner_shape], of_shape[outer_shape]
        total += ways * (inner.total() * outer.total() - sum(inner[box] * outer[box] for box in inner))
    assert total == expected
