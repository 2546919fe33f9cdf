"""A tiny game enumerated completely, twice: through the engine, and by independent brute force.

Two dice with three faces, two throws per turn, three boxes: threes (two of them earn a bonus of 2), pair,
chance.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path

import pytest

from dicecup.dice import throws
from dicecup.engine import State, Throw, apply, dice_to_throw, final_score, legal_moves, start
from dicecup.rules import load_ruleset

RULES = load_ruleset(str(Path(__file__).parent / "tiny.toml"))

# A state of the game: (threes, pair, chance), the dice, the kept dice or None, the throws left.
Moment = tuple[tuple[int | None, ...], tuple[int, ...], tuple[int, ...] | None, int]
# Possible successors, each with its probability when every legal move is equally likely.
Next = Callable[[Moment], list[tuple[Fraction, Moment]]]
START: Moment = ((None, None, None), (), (), 2)

# Pinned after both enumerations agreed.
DISTINCT_MOMENTS = [1, 6, 28, 84, 262, 480, 1131, 726, 936, 648, 882, 324, 72]
COMPLETE_GAMES = 8_607_060
FINAL_SCORES = [0, *range(2, 21)]
CHANCE_OF_0 = Fraction(198_296_190_143, 749_969_539_200)
CHANCE_OF_20 = Fraction(10_324_501, 44_998_172_352)
MEAN_SCORE = Fraction(27_827_190_580_669, 6_749_725_852_800)


# The brute-force enumeration.


def brute_next(moment: Moment) -> list[tuple[Fraction, Moment]]:
    sheet, dice, kept, left = moment
    if None not in sheet:
        return []
    if kept is not None:
        return brute_throws(sheet, kept, left)
    after: list[Moment] = []
    if left > 0:
        for keep in {(), (dice[0],), (dice[1],)}:
            after.append((sheet, dice, keep, left))
    threes = 3 * dice.count(3)
    pair = dice[0] + dice[1] if dice[0] == dice[1] else 0
    chance = dice[0] + dice[1]
    for box, points in enumerate((threes, pair, chance)):
        if sheet[box] is None:
            for written in {points, 0}:
                filled = tuple(written if place == box else sheet[place] for place in range(3))
                after.append((filled, (), (), 2))
    return [(Fraction(1, len(after)), one) for one in after]


def brute_throws(
    sheet: tuple[int | None, ...], kept: tuple[int, ...], left: int
) -> list[tuple[Fraction, Moment]]:
    """Enumerate every ordered throw, then merge those with the same dice."""
    count = 2 - len(kept)
    looks = Counter(tuple(sorted(kept + fallen)) for fallen in product((1, 2, 3), repeat=count))
    return [(Fraction(ways, 3**count), (sheet, dice, None, left - 1)) for dice, ways in looks.items()]


def brute_score(moment: Moment) -> int:
    threes, pair, chance = moment[0]
    assert threes is not None
    assert pair is not None
    assert chance is not None
    return threes + (2 if threes >= 6 else 0) + pair + chance


# The engine's states as the same tuples.


def moment_of(state: State) -> Moment:
    (sheet,) = state.sheets
    return sheet.cells, state.dice, state.kept, state.throws_left  # type: ignore[return-value]


@cache
def state_of(moment: Moment) -> State:
    first = start(RULES)
    sheet = type(first.sheets[0])(moment[0])
    return State((sheet,), 0, *moment[1:])


def engine_next(moment: Moment) -> list[tuple[Fraction, Moment]]:
    state = state_of(moment)
    if state.throw_due:
        count = dice_to_throw(RULES, state)
        outcomes = list(throws(count, RULES.dice.faces))
        whole = sum(weight for _, weight in outcomes)
        return [
            (Fraction(weight, whole), moment_of(apply(RULES, state, Throw(dice))))
            for dice, weight in outcomes
        ]
    moves = legal_moves(RULES, state)
    return [(Fraction(1, len(moves)), moment_of(apply(RULES, state, move))) for move in moves]


# The quantities compared.


def moments_by_depth(next_of: Next) -> Iterator[set[Moment]]:
    """Yield the distinct states after 0, 1, 2 … moves."""
    here = {START}
    while here:
        yield here
        here = {after for moment in here for _, after in next_of(moment)}


def number_of_games(next_of: Next) -> int:
    """Count the different complete games, a game being the sequence of its throws, keeps and scores."""

    @cache
    def games(moment: Moment) -> int:
        return sum(games(after) for _, after in next_of(moment)) if None in moment[0] else 1

    return games(START)


def chances_of_scores(next_of: Next, score_of: Callable[[Moment], int]) -> dict[int, Fraction]:
    """Return the exact probability of each final score when every legal move is equally likely."""

    @cache
    def chances(moment: Moment) -> dict[int, Fraction]:
        if None not in moment[0]:
            return {score_of(moment): Fraction(1)}
        found: dict[int, Fraction] = {}
        for likely, after in next_of(moment):
            for score, share in chances(after).items():
                found[score] = found.get(score, Fraction(0)) + likely * share
        return found

    return chances(START)


def engine_score(moment: Moment) -> int:
    return final_score(RULES, state_of(moment).sheets[0])


@pytest.fixture(scope="module")
def by_engine() -> list[set[Moment]]:
    return list(moments_by_depth(engine_next))


def test_same_moments_at_every_depth(by_engine: list[set[Moment]]):
    by_brute_force = list(moments_by_depth(brute_next))
    assert by_engine == by_brute_force
    assert [len(moments) for moments in by_engine] == DISTINCT_MOMENTS


def test_same_moves_at_every_moment(by_engine: list[set[Moment]]):
    for moment in set().union(*by_engine):
        assert sorted(engine_next(moment), key=str) == sorted(brute_next(moment), key=str)


def test_same_number_of_games():
    assert number_of_games(engine_next) == number_of_games(brute_next) == COMPLETE_GAMES


def test_same_chance_of_every_final_score():
    found = chances_of_scores(engine_next, engine_score)
    assert found == chances_of_scores(brute_next, brute_score)
    assert sum(found.values()) == 1
    assert sorted(found) == FINAL_SCORES
    assert (found[0], found[20]) == (CHANCE_OF_0, CHANCE_OF_20)
    assert sum(score * share for score, share in found.items()) == MEAN_SCORE
