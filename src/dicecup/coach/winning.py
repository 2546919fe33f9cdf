"""Who wins: the rest of a game simulated with strong play, ties shared.

Players do not disturb each other's sheets, and all play for their highest expected score. So each player's
final score is sampled alone, and the samples are compared in every combination: that takes less than half
the games which comparing them one by one would take for the same error.

Five dice are played on perfectly, game by game. Where a single turn takes too long for that (double dice)
or values are learned, final scores are drawn around the exact expectation, with the spread of this player's
next turn for each turn that is left.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from dicecup.coach.advice import advise
from dicecup.coach.forecast import Forecast
from dicecup.coach.sheets import Scores
from dicecup.coach.values import Values
from dicecup.engine.state import Sheet, State, turn_start
from dicecup.engine.totals import final_score

if TYPE_CHECKING:
    from dicecup.solver.solution import Solution

BATCHES = 20
ROUND = 80 * BATCHES  # games of each player before the error is looked at
MOST_ROUNDS = 64
DRAWS = 4000  # of final scores, where games are not played

Chances = npt.NDArray[np.float64]


@dataclass(frozen=True)
class WinChances:
    """Each player's chance to win, and the standard error of the least certain of them."""

    chances: tuple[float, ...]
    standard_error: float
    games: int  # sampled for each player
    played: bool  # whether games were played on; else final scores were drawn


def win_chances(values: Values, state: State, *, error: float = 0.01, seed: int = 1) -> WinChances:
    """Win probabilities at any point of a game, sampled until the standard error is at most `error`."""
    from dicecup.solver.solution import Solution

    if isinstance(values.source, Solution):
        return by_playing(values.source, state, error, seed)
    generator = np.random.default_rng(seed)
    drawn = [draw_scores(values, one, generator) for one in each_player(values, state)]
    return estimate(drawn, played=False)


def each_player(values: Values, state: State) -> list[State]:
    """The game as each player sees it: their own sheet, and dice only for the player whose turn it is."""
    found = []
    for player, sheet in enumerate(state.sheets):
        alone = turn_start(values.rules, (sheet,), 0)
        if player == state.player and not sheet.full:
            alone = replace(alone, dice=state.dice, kept=state.kept, throws_left=state.throws_left)
        found.append(alone)
    return found


def by_playing(solution: Solution, state: State, error: float, seed: int) -> WinChances:
    from dicecup.coach.games import play_games

    views = each_player(Values(solution), state)
    samples: list[list[Scores]] = [[] for _ in views]
    found = None
    for number in range(MOST_ROUNDS):
        for player, view in enumerate(views):
            if view.sheet.full:
                scores = np.full(ROUND, final_score(solution.rules, view.sheet), dtype=np.int64)
            else:
                first = (number * len(views) + player) * ROUND
                scores = play_games(solution, ROUND, seed, state=view, first_game=first).scores
            samples[player].append(scores)
        found = estimate([np.concatenate(parts) for parts in samples], played=True)
        if found.standard_error <= error:
            break
    assert found is not None
    return found


def estimate(scores: list[Scores], *, played: bool) -> WinChances:
    """Chances from all combinations of the samples; the error from those of each batch alone."""
    games = len(scores[0])
    parts = [[part[number::BATCHES] for part in scores] for number in range(BATCHES)]
    batches = np.array([combine(part) for part in parts])
    spread = batches.std(axis=0, ddof=1) / sqrt(BATCHES)
    return WinChances(tuple(map(float, combine(scores))), float(spread.max()), games, played)


def combine(scores: list[Scores]) -> Chances:
    """Win chances of independent players whose scores are equally likely: ties are shared."""
    low = min(int(part.min()) for part in scores)
    span = max(int(part.max()) for part in scores) - low + 1
    equal = np.stack([np.bincount(part - low, minlength=span) / len(part) for part in scores])
    below = np.cumsum(equal, axis=1) - equal
    chances = []
    for player in range(len(scores)):
        # By number of others who tie at each score, while nobody is above it.
        ties = [np.ones(span)]
        for other in range(len(scores)):
            if other != player:
                grown = [part * below[other] for part in ties] + [np.zeros(span)]
                for count, part in enumerate(ties):
                    grown[count + 1] = grown[count + 1] + part * equal[other]
                ties = grown
        shared = sum(part / (count + 1) for count, part in enumerate(ties))
        chances.append(float((equal[player] * shared).sum()))
    return np.array(chances)


def draw_scores(values: Values, state: State, generator: np.random.Generator) -> Scores:
    """Final scores around the expected one."""
    sheet = state.sheet
    expected = advise(values, state).expected
    left = sum(points is None for points in sheet.cells) / len(values.rules.scored)
    if not left:
        return np.full(DRAWS, round(expected), dtype=np.int64)
    spread = turn_spread(values, sheet) * sqrt(left)
    return np.rint(generator.normal(expected, spread, DRAWS)).astype(np.int64)


def turn_spread(values: Values, sheet: Sheet) -> float:
    """By how much one turn moves the expected final score: its standard deviation."""
    if values.rules.has_layers:
        from dicecup.coach.double_forecast import sample_values

        return float(np.std(sample_values(values, sheet)))
    forecast = Forecast(values.rules, values.turn(sheet))
    ends = forecast.ends((), values.rules.throws)
    worth = np.array([forecast.best_box(dice).value for dice in ends])
    chance = np.array(list(ends.values()))
    mean = float((worth * chance).sum())
    return sqrt(float((chance * (worth - mean) ** 2).sum()))
