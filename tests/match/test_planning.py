"""What planning bots expect of a roll, against every way the dice can fall and the offers of the engine."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import combinations, product
from math import inf
from pathlib import Path
from random import Random

import pytest

from dicecup.bots.heuristic import CarelessBot, SteadyBot
from dicecup.bots.planning import PlanningBot, outlook
from dicecup.dice import all_dice, lattice
from dicecup.engine import Sheet, Throw, apply, dice_to_throw, legal_moves, start
from dicecup.engine.legality import Moment, offers
from dicecup.rules import Ruleset, builtin_ids, load_ruleset

SHEETS = 3  # of each variant: at the beginning, in the middle and at the end of a game
SMALL = """
format = 1
id = "small"
throws = 3
dice = { count = 3, faces = 4 }
upper = { boxes = { twos = 2, fours = 4 } }
box.pair = { needs = { alike = [2] }, points = "matching" }
box.chance = { points = "all" }
"""
GAMES = [game for game in builtin_ids() if not load_ruleset(game).has_layers]


def variants(game: str) -> Iterator[Ruleset]:
    """The game with the first of all options, and with the last of all."""
    choices = load_ruleset(game).choices
    for place in (0, -1):
        yield load_ruleset(game, {option: values[place] for option, values in choices.items()})


def sheets_of(rules: Ruleset, chance: Random) -> list[Sheet]:
    """Some sheets of a game that is played at random."""
    state, found = start(rules), []
    while not state.finished:
        if state.throw_due:
            if state.dice == ():
                found.append(state.sheet)
            sides = all_dice(rules.dice.faces, 1)
            thrown = tuple(chance.choice(sides) for _ in range(dice_to_throw(rules, state)))
            state = apply(rules, state, Throw(thrown))
        else:
            state = apply(rules, state, chance.choice(legal_moves(rules, state)))
    return [found[0], *chance.sample(found[1:-1], SHEETS - 2), found[-1]]


def slow_outlook(bot: PlanningBot, rules: Ruleset, sheet: Sheet, kept: tuple[int, ...], throws: int) -> float:
    """The mean over all ways the other dice can fall, of the best that can be done with them."""
    weights = bot.weights(rules)
    moment = Moment(rules.throws) if rules.counts_rolls else None

    @cache
    def now(dice: tuple[int, ...]) -> float:
        given = enumerate(offers(rules, sheet, dice, moment))
        appeals = (weights[cell][0] * one.points - weights[cell][1] for cell, one in given if one is not None)
        return max(appeals, default=-inf)  # where a box has to be announced first

    @cache
    def hoped(keep: tuple[int, ...], left: int) -> float:
        faces = range(1, rules.dice.faces + 1)
        falls = [tuple(sorted(keep + rest)) for rest in product(faces, repeat=rules.dice.count - len(keep))]
        return sum(best(dice, left - 1) for dice in falls) / len(falls)

    @cache
    def best(dice: tuple[int, ...], left: int) -> float:
        ways = {part for size in range(len(dice)) for part in combinations(dice, size)} if left else set()
        return max([now(dice), *(hoped(way, left) for way in ways)])

    return hoped(kept, throws)


@pytest.mark.parametrize("game", GAMES)
def test_a_keep_is_worth_what_every_roll_of_the_others_gives(game: str) -> None:
    chance = Random(game)
    for rules, bot in product(variants(game), (SteadyBot(), CarelessBot())):
        rows = lattice(rules.dice.count, rules.dice.faces)
        for sheet in sheets_of(rules, chance):
            worth = outlook(bot, rules, sheet)[0]
            for fixed in range(rules.dice.count - 3, rules.dice.count):
                kept = tuple(sorted(chance.choices(range(1, rules.dice.faces + 1), k=fixed)))
                assert worth[rows.number[kept]] == pytest.approx(slow_outlook(bot, rules, sheet, kept, 1))


def test_two_rolls_are_planned(tmp_path: Path) -> None:
    """Every keep of a small game, on every sheet."""
    (tmp_path / "small.toml").write_text(SMALL, encoding="utf-8")
    rules, bot = load_ruleset(str(tmp_path / "small.toml")), SteadyBot()
    assert bot.horizon == 2
    rows = lattice(rules.dice.count, rules.dice.faces)
    for cells in product((None, 0), repeat=len(rules.boxes)):
        if None not in cells:
            continue
        sheet = Sheet(cells)
        worth = outlook(bot, rules, sheet)[1]
        for kept in list(rows.number)[: rows.keeps]:
            assert worth[rows.number[kept]] == pytest.approx(slow_outlook(bot, rules, sheet, kept, 2))
