"""Pinned numbers of throws and keeps, as chess programs pin perft counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations_with_replacement, product
from math import comb, factorial, prod

import pytest

from dicecup.dice import Dice, all_dice, throws
from dicecup.engine import Keep, Throw, apply, legal_moves, start
from dicecup.rules import Ruleset, load_ruleset

FIVE_DICE = ["yatzy", "yatzy-sv", "yum-plus", "triple-yum-plus", "yahtzee"]
DOUBLE_DICE = load_ruleset("dice-in-dice")

THROWS_OF_FIVE = 252
LAYERS_OF_SIX = 462
THROWS_OF_SIX_DOUBLE_DICE = 4_496_388
KEEPS_OF_FIVE = 210  # dice that can remain while others are thrown again: none to four dice
KEEPS_OF_SIX_DOUBLE_DICE = 749_398
CHOICES_OF_FIVE = 4_116  # pairs of a throw and one of its keeps, over all throws
CHOICES_OF_SIX_DOUBLE_DICE = 232_597_392


def keeps(rules: Ruleset, dice: Dice) -> list[Dice]:
    state = apply(rules, start(rules), Throw(dice))
    return [move.dice for move in legal_moves(rules, state) if isinstance(move, Keep)]


def test_throws_of_five_dice():
    """252 of 7,776 ordered throws: counted from the ordered ones by hand, and by the formula."""
    found = dict(throws(5, 6))
    assert len(found) == THROWS_OF_FIVE == comb(5 + 5, 5)
    assert found == Counter(tuple(sorted(dice)) for dice in product(range(1, 7), repeat=5))
    assert sum(found.values()) == 6**5


def test_one_layer_of_six_dice():
    found = dict(throws(6, 6))
    assert len(found) == LAYERS_OF_SIX == comb(6 + 5, 5)
    assert sum(found.values()) == 6**6


@pytest.mark.parametrize(("count", "expected"), [(1, 36), (2, 666), (3, 8_436), (4, 82_251)])
def test_throws_of_a_few_double_dice(count: int, expected: int):
    weights = [weight for _, weight in throws(count, 6, 2)]
    assert len(weights) == expected == comb(count + 35, 35)
    assert sum(weights) == 36**count


def test_throws_of_six_double_dice():
    """Too many to enumerate: the 36 faces of a double die, then counted one by one and by the formula."""
    assert len(set(all_dice(6, 2))) == 36
    counted = sum(1 for _ in combinations_with_replacement(range(36), 6))
    assert counted == THROWS_OF_SIX_DOUBLE_DICE == comb(6 + 35, 35)
    assert sum(number for _, number in patterns(6, 36)) == THROWS_OF_SIX_DOUBLE_DICE


@pytest.mark.parametrize("game", FIVE_DICE)
def test_keeps_of_five_dice(game: str):
    """A throw with one of its keeps is five dice, each kept or not: twelve kinds; minus keeping all."""
    rules = load_ruleset(game)
    every = [keep for dice, _ in throws(5, 6) for keep in keeps(rules, dice)]
    assert len(every) == CHOICES_OF_FIVE == comb(5 + 11, 11) - 252
    assert len(set(every)) == KEEPS_OF_FIVE == sum(comb(size + 5, 5) for size in range(5))


def patterns(count: int, kinds: int) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield how dice can repeat, such as (2, 2, 1, 1), and how many throws repeat in that way."""

    def partitions(rest: int, largest: int) -> Iterator[tuple[int, ...]]:
        if not rest:
            yield ()
        for size in range(min(rest, largest), 0, -1):
            for others in partitions(rest - size, size):
                yield size, *others

    for sizes in partitions(count, count):
        chosen = factorial(kinds) // factorial(kinds - len(sizes))
        yield sizes, chosen // prod(factorial(same) for same in Counter(sizes).values())


def test_keeps_of_six_double_dice():
    """One throw for each of eleven repeat patterns, times the number of such throws, against the formula."""
    kinds = all_dice(6, 2)
    total = 0
    for sizes, number in patterns(6, 36):
        dice = tuple(die for die, size in zip(kinds, sizes, strict=False) for _ in range(size))
        total += number * len(keeps(DOUBLE_DICE, dice))
    assert len(list(patterns(6, 36))) == 11
    assert total == CHOICES_OF_SIX_DOUBLE_DICE == comb(6 + 71, 71) - THROWS_OF_SIX_DOUBLE_DICE
    assert sum(comb(size + 35, 35) for size in range(6)) == KEEPS_OF_SIX_DOUBLE_DICE
