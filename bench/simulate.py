"""Measure large simulations. Run: python bench/simulate.py [GAMES] [DOUBLE_GAMES]

The table is solved and the kernels are compiled before the measurement starts. `cpu` is the time of all cores
together: on a shared machine, half of it is what two idle cores would take.
"""

from __future__ import annotations

import sys
import time

from dicecup.coach.advice import find_values
from dicecup.engine.state import empty_sheet
from dicecup.playout.games import play_games
from dicecup.rules import load_ruleset


def measure(game: str, games: int) -> None:
    values = find_values(load_ruleset(game))
    play_games(values.source, 20, 0)
    began, busy = time.perf_counter(), time.process_time()
    scores = play_games(values.source, games, 1).scores
    seconds, cpu = time.perf_counter() - began, time.process_time() - busy
    error = scores.std() / games**0.5
    off = (scores.mean() - values.turn(empty_sheet(values.rules)).value) / error
    print(
        f"{game}: {games} games in {seconds:.1f} s (cpu {cpu:.1f} s), "
        f"mean {scores.mean():.3f} ± {error:.3f}, {off:+.2f} standard errors from the solved value"
    )


if __name__ == "__main__":
    arguments = [int(argument) for argument in sys.argv[1:]]
    measure("yatzy-sv", arguments[0] if arguments else 1_000_000)
    if len(arguments) > 1:
        measure("dice-in-dice", arguments[1])
