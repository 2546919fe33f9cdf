"""Check win chances near the end of a game, where few scores are possible and some are rare but large.

    python bench/win_endings.py [GAME] [POSITIONS]

Positions are sheets of optimal games with one, two or three boxes reopened, two players each. The chances and
their reported standard errors are compared with 20,000 unweighted games of each player.
"""

from __future__ import annotations

import sys

import numpy as np

from dicecup.coach.advice import Values, find_values
from dicecup.coach.winning import Comparison, each_player, even, win_chances
from dicecup.engine.state import Sheet, State, turn_start
from dicecup.playout.games import play_games
from dicecup.rules import load_ruleset

GAMES = 20_000


def positions(values: Values, left: int, count: int) -> list[State]:
    cells = play_games(values.source, 4000, 11).cells
    chance = np.random.default_rng(left)
    found = []
    for _ in range(count):
        sheets = []
        for row in cells[chance.integers(len(cells), size=2)]:
            opened = chance.choice(len(row), left, replace=False)
            sheets.append(
                Sheet(tuple(None if box in opened else int(points) for box, points in enumerate(row)))
            )
        found.append(turn_start(values.rules, tuple(sheets), 0))
    return found


def off(values: Values, state: State, seed: int) -> tuple[float, float]:
    """Return the error of a chance, absolutely and in standard errors, including those of the comparison."""
    told = win_chances(values, state, seed=seed)
    samples = []
    for player, view in enumerate(each_player(values, state)):
        scores = play_games(values.source, GAMES, -1 - seed, state=view, first_game=player).scores
        samples.append(even(scores))
    compared = Comparison(samples)
    difference = told.chances[0] - float(compared.chances()[0])
    return difference, difference / max(np.hypot(told.standard_error, compared.standard_errors()[0]), 1e-9)


def main() -> None:
    game, count = (sys.argv[1:] + ["yahtzee", "200"][len(sys.argv) - 1 :])[:2]
    values = find_values(load_ruleset(game))
    for left in (1, 2, 3):
        found = np.array(
            [off(values, state, seed) for seed, state in enumerate(positions(values, left, int(count)))]
        )
        print(
            f"{game}, {left} to play, {count} positions: off by {np.sqrt((found[:, 1] ** 2).mean()):.2f} "
            f"standard errors (root mean square), more than three in {np.mean(abs(found[:, 1]) > 3):.1%}, "
            f"at most by {abs(found[:, 0]).max():.2%}"
        )


if __name__ == "__main__":
    main()
