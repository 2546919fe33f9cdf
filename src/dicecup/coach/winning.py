"""Who wins: the rest of a game simulated with strong play, ties shared.

All play for their highest expected score, which nobody else can disturb. So each player's final score is
sampled alone; `comparison` makes chances of the samples.

Dice of one layer are played on: by the quick value in the large games that have one, solved or not (it takes
a fifth of the time), and perfectly in the others. With double dice that takes too long: only the last two
turns are played. Before them the turn that is due is played, and what comes after it is drawn (`residuals`),
which is less sure: the error says so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import ceil, hypot

import numpy as np

from dicecup.coach.advice import advise
from dicecup.coach.comparison import Comparison, balanced
from dicecup.coach.sheets import Scores
from dicecup.coach.values import Values
from dicecup.engine.state import State, turn_start
from dicecup.engine.totals import final_score
from dicecup.solver.learned.quick import find_quick

FEWEST_GAMES = 128  # of each player, before the error is looked at
MOST_GAMES = 25_000
MOST_MORE = 2  # times as many in the next round: the first rounds do not know their error well
MOST_PLAYED = 2  # turns of double dice that are played to the end: a second or two
DRAWN_ERROR = 0.03  # of a chance that comes from drawn scores; measured: docs/coach.md

Play = Callable[[State, int, int], Scores]  # from where, how many games, the number of the first


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
    scores = [np.empty(0, dtype=np.int64) for _ in views]
    games = FEWEST_GAMES
    while True:
        for player, view in enumerate(views):
            known = len(scores[player])
            if view.sheet.full:
                more = np.full(games - known, final_score(values.rules, view.sheet), dtype=np.int64)
            else:
                more = play(view, games - known, player * MOST_GAMES + known)
            scores[player] = np.concatenate([scores[player], more])
        compared = Comparison([balanced(part, mean) for part, mean in zip(scores, worth, strict=True)])
        found = float(compared.standard_errors().max())
        if found <= error or games == MOST_GAMES:
            break
        games = min(MOST_GAMES, ceil(games * min((found / error) ** 2, MOST_MORE)))
    certain = found if played else hypot(found, DRAWN_ERROR)
    return WinChances(tuple(map(float, compared.chances())), certain, games, played)


def plays_on(values: Values, view: State) -> bool:
    """Whether games of this player are played to their end."""
    turns_left = view.sheet.cells.count(None) // len(values.rules.scored)
    return not values.rules.has_layers or turns_left <= MOST_PLAYED


def player_of(values: Values, seed: int) -> Play:
    """Who plays the games on, from a sheet that is not full."""
    if values.rules.has_layers:
        return lambda state, games, first: double_scores(values, state, games, seed, first)
    if find_quick(values.rules) is not None:
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
