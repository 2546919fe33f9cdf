"""Measure the engine: scoring a roll, complete random games. Run: python bench/engine.py"""

from __future__ import annotations

import random
import time

from dicecup.dice import Dice, all_dice, layer_faces, sort_dice, throws
from dicecup.engine import Throw, apply, dice_to_throw, legal_moves, start
from dicecup.engine.legality import offers
from dicecup.engine.state import empty_sheet
from dicecup.rules import builtin_ids, load_ruleset
from dicecup.rules.model import Ruleset

SECONDS = 2.0


def scoring_microseconds(rules: Ruleset) -> float:
    """Return the mean time to score a roll in all boxes of an empty sheet, best of several runs."""
    sheet = empty_sheet(rules)
    all_faces = [layer_faces(dice, 0) for dice, _ in throws(rules.dice.count, rules.dice.faces)]
    best = float("inf")
    for _ in range(20):
        began = time.perf_counter()
        for faces in all_faces:
            offers(rules, sheet, faces)
        best = min(best, time.perf_counter() - began)
    return best / len(all_faces) * 1e6


def games_a_second(rules: Ruleset) -> float:
    """Play complete random games with the public engine functions: legal moves, choice, apply."""
    chance = random.Random(1)
    sides = all_dice(rules.dice.faces, len(rules.dice.layers))

    def throw(count: int) -> Dice:
        return sort_dice(tuple(chance.choice(sides) for _ in range(count)))

    games, began = 0, time.perf_counter()
    while time.perf_counter() - began < SECONDS:
        state = start(rules)
        while not state.finished:
            if state.throw_due:
                state = apply(rules, state, Throw(throw(dice_to_throw(rules, state))))
            else:
                state = apply(rules, state, chance.choice(legal_moves(rules, state)))
        games += 1
    return games / (time.perf_counter() - began)


def main() -> None:
    print(f"{'game':<16} {'score a roll, µs':>18} {'random games/s':>15}")
    for game in builtin_ids():
        rules = load_ruleset(game)
        print(f"{game:<16} {scoring_microseconds(rules):>18.2f} {games_a_second(rules):>15.0f}")


if __name__ == "__main__":
    main()
