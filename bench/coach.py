"""Measure the coach: advice, reasons, a review, win chances. Run: python bench/coach.py"""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import count
from random import Random

from dicecup.bots import bot_called
from dicecup.coach.advice import Values, advise, find_values
from dicecup.coach.reasons import Reasons
from dicecup.coach.review import review
from dicecup.coach.winning import win_chances
from dicecup.dice import all_dice
from dicecup.engine import State, Throw, dice_to_throw, empty_sheet, start
from dicecup.engine.record import DiceOrigin, Header, Record
from dicecup.rules import load_ruleset

ROUNDS = 5
CHANCES = ("yatzy-sv", "yatzy", "yahtzee", "yum-plus", "triple-yum-plus")


def milliseconds(work: Callable[[], object]) -> tuple[float, float]:
    """Return wall-clock and CPU time of the best run, after a warm-up run."""
    taken = []
    work()
    for _ in range(ROUNDS):
        began, busy = time.perf_counter(), time.process_time()
        work()
        taken.append((1000 * (time.perf_counter() - began), 1000 * (time.process_time() - busy)))
    return min(taken)


def game(values: Values, bot: str) -> Record:
    rules, chance = values.rules, Random(1)
    sides = all_dice(rules.dice.faces, len(rules.dice.layers))
    record = Record(Header(rules.id, rules, ("Ann", "Bo"), DiceOrigin("typed")))
    while not record.state.finished:
        state = record.state
        if state.throw_due:
            dice = tuple(chance.choice(sides) for _ in range(dice_to_throw(rules, state)))
            record = record.append(Throw(dice))
        else:
            record = record.append(bot_called(bot).decide(rules, state, chance))
    return record


def every_reason(values: Values, state: State) -> None:
    reasons = Reasons(values, state)
    for choice in advise(values, state).choices:
        reasons.reason(choice)


def advice() -> None:
    values = find_values(load_ruleset("yatzy-sv"))
    state = State((empty_sheet(values.rules),), 0, (1, 2, 4, 6, 6), None, 2)
    record = game(values, "greedy")
    work: dict[str, Callable[[], object]] = {
        "advice, first throw of a game": lambda: advise(Values(values.source), state),
        "reasons of all its choices": lambda: every_reason(values, state),
        "review, two players": lambda: review(record, Values(values.source)),
    }
    print(f"{'yatzy-sv':<40} {'wall, ms':>10} {'cpu, ms':>10}")
    for name, one in work.items():
        wall, cpu = milliseconds(one)
        print(f"{name:<40} {wall:>10.1f} {cpu:>10.1f}")


def chances(game: str, players: int) -> None:
    """Measure win chances at the start of a game, where they take longest."""
    values = find_values(load_ruleset(game))
    state = start(values.rules, players)
    seeds = count()  # a new seed each time, because sampled games are cached
    wall, cpu = milliseconds(lambda: win_chances(values, state, seed=next(seeds)))
    found = win_chances(values, state)
    source = "exact" if values.exact else "learned"
    print(
        f"{game + ', ' + source:<26} {players:>3} players {wall:>10.1f} {cpu:>10.1f}"
        f" {found.games:>8} games, error {100 * found.standard_error:.2f} %"
    )


def main() -> None:
    advice()
    print(f"\n{'win chances at the start':<38} {'wall, ms':>10} {'cpu, ms':>10}")
    for game in CHANCES:
        for players in (2, 4, 10):
            chances(game, players)


if __name__ == "__main__":
    main()
