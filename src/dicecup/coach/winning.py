"""Who wins: the rest of a game simulated with strong play, ties shared.

Players do not disturb each other's sheets, and all play for their highest expected score. So each player's
final score is sampled alone, and the samples are compared in every combination: that takes less than half
the games which comparing them one by one would take for the same error.

What a position is worth is known, so chance in the mean of a sample can be taken out of it: the games are
weighted so that their mean is the expected score. That takes a tenth of the games for the same error.

Dice of one layer are played on, perfectly where the game is solved and else by the quick value. With double
dice that takes too long: only the last two turns are played. Before them the turn that is due is played, and
what comes after it is drawn (`residuals`), which is less sure: the error says so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import hypot, sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dicecup.coach.advice import advise
from dicecup.coach.sheets import Scores
from dicecup.coach.values import Values
from dicecup.engine.state import State, turn_start
from dicecup.engine.totals import final_score

BATCHES = 10
ROUND = 40 * BATCHES  # games of each player before the error is looked at
MOST_ROUNDS = 64
MOST_STEPS = 30  # of the search for weights
MOST_PLAYED = 2  # turns of double dice that are played to the end: a second or two
DRAWN_ERROR = 0.03  # of a chance that comes from drawn scores; measured: docs/coach.md

Chances = npt.NDArray[np.float64]
Play = Callable[[State, int, int], Scores]  # from where, how many games, the number of the first


class Sample(NamedTuple):
    """Final scores of one player, and how likely each is."""

    scores: Scores
    weights: Chances


@dataclass(frozen=True)
class WinChances:
    """Each player's chance to win, and the standard error of the least certain of them."""

    chances: tuple[float, ...]
    standard_error: float
    games: int  # sampled for each player
    played: bool  # whether games were played on to their end; else only the turn that is due


def win_chances(values: Values, state: State, *, error: float = 0.01, seed: int = 1) -> WinChances:
    """Win probabilities at any point of a game, sampled until the standard error is at most `error`."""
    play = player_of(values, seed)
    views = each_player(values, state)
    played = all(plays_on(values, view) for view in views)
    worth = [advise(values, view).expected for view in views]
    scores: list[list[Scores]] = [[] for _ in views]
    found = None
    for number in range(MOST_ROUNDS):
        for player, view in enumerate(views):
            if view.sheet.full:
                more = np.full(ROUND, final_score(values.rules, view.sheet), dtype=np.int64)
            else:
                more = play(view, ROUND, (number * len(views) + player) * ROUND)
            scores[player].append(more)
        found = estimate([np.concatenate(parts) for parts in scores], worth, played=played)
        if found.standard_error <= error:
            break
    assert found is not None
    return found if played else replace(found, standard_error=hypot(found.standard_error, DRAWN_ERROR))


def plays_on(values: Values, view: State) -> bool:
    """Whether games of this player are played to their end."""
    turns_left = view.sheet.cells.count(None) // len(values.rules.scored)
    return not values.rules.has_layers or turns_left <= MOST_PLAYED


def player_of(values: Values, seed: int) -> Play:
    """Who plays the games on."""
    if values.rules.has_layers:
        return lambda state, games, first: double_scores(values, state, games, seed, first)
    if not values.exact:
        from dicecup.coach.quick_games import play_scores

        return lambda state, games, first: play_scores(values.rules, games, seed, state, first)
    from dicecup.coach.many import play_games

    source = values.source
    return lambda state, games, first: play_games(source, games, seed, state=state, first_game=first).scores


def double_scores(values: Values, state: State, games: int, seed: int, first: int) -> Scores:
    from dicecup.coach.many import play_games
    from dicecup.coach.residuals import draw_scores

    if plays_on(values, state):
        return play_games(values.source, games, seed, state=state, first_game=first).scores
    return draw_scores(values, state, games, seed, first)


def each_player(values: Values, state: State) -> list[State]:
    """The game as each player sees it: their own sheet, and dice only for the player whose turn it is."""
    found = []
    for player, sheet in enumerate(state.sheets):
        alone = turn_start(values.rules, (sheet,), 0)
        if player == state.player and not sheet.full:
            alone = replace(alone, dice=state.dice, kept=state.kept, throws_left=state.throws_left)
        found.append(alone)
    return found


def estimate(scores: list[Scores], worth: list[float], *, played: bool) -> WinChances:
    """Chances from all combinations of the samples; the error from those of each batch alone."""
    batches = np.array(
        [
            combine([balanced(part[number::BATCHES], mean) for part, mean in zip(scores, worth, strict=True)])
            for number in range(BATCHES)
        ]
    )
    spread = batches.std(axis=0, ddof=1) / sqrt(BATCHES)
    chances = combine([balanced(part, mean) for part, mean in zip(scores, worth, strict=True)])
    return WinChances(tuple(map(float, chances)), float(spread.max()), len(scores[0]), played)


def balanced(scores: Scores, mean: float) -> Sample:
    """The scores, weighted so that their mean is the one that is known.

    The weights grow or fall by the same factor from point to point; where no such weights give the mean (a
    sample too small to hold the scores that make it) they stay equal.
    """
    even = np.full(len(scores), 1 / len(scores))
    spread = scores.std()
    if spread == 0:
        return Sample(scores, even)
    away, wanted = (scores - scores.mean()) / spread, (mean - scores.mean()) / spread
    if not away.min() < wanted < away.max():
        return Sample(scores, even)
    tilt, weights = 0.0, even
    for _ in range(MOST_STEPS):
        weights = np.exp(tilt * away - (tilt * away).max())
        weights /= weights.sum()
        found = float(weights @ away)
        if abs(found - wanted) < 1e-9:
            break
        step = (wanted - found) / float(weights @ (away - found) ** 2)
        tilt += min(max(step, -1.0), 1.0)
    return Sample(scores, weights)


def combine(samples: list[Sample]) -> Chances:
    """Win chances of independent players: ties are shared."""
    low = min(int(scores.min()) for scores, _ in samples)
    span = max(int(scores.max()) for scores, _ in samples) - low + 1
    equal = np.stack([np.bincount(scores - low, weights, minlength=span) for scores, weights in samples])
    equal = equal / equal.sum(axis=1, keepdims=True)  # what is certain shall be 1 to the last digit
    below = np.cumsum(equal, axis=1) - equal
    chances = []
    for player in range(len(samples)):
        # By number of others who tie at each score, while nobody is above it.
        ties = [np.ones(span)]
        for other in range(len(samples)):
            if other != player:
                grown = [part * below[other] for part in ties] + [np.zeros(span)]
                for count, part in enumerate(ties):
                    grown[count + 1] = grown[count + 1] + part * equal[other]
                ties = grown
        shared = sum(part / (count + 1) for count, part in enumerate(ties))
        chances.append(float((equal[player] * shared).sum()))
    return np.array(chances)
