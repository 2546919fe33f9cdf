"""Who wins: the rest of a game simulated with strong play, ties shared.

All play for their highest expected score, which nobody else can disturb. So each player's final score is
sampled alone; `comparison` makes chances of the samples.

Games are played on by the quick value in the large games that have one, solved or not (it takes a small
part of the time), and perfectly in the others. A turn of double dice takes five milliseconds, some thousand
times as long as others: fewer games are played, and the error told is larger.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from math import ceil
from typing import NamedTuple

import numpy as np

from dicecup.coach.advice import advise
from dicecup.coach.comparison import Comparison
from dicecup.coach.sample import Endings, around, balanced, joined
from dicecup.coach.values import Values
from dicecup.engine.state import State, turn_start
from dicecup.engine.totals import final_score
from dicecup.rules.model import Ruleset
from dicecup.solver.learned.quick import find_quick

MOST_GAMES = 25_000  # of each player
REMEMBERED = 100  # samples of one player
VECTOR = 16  # games take as long as the next multiple of it
NEVER = 1e-9  # chances below it are none
MOST_MORE = 2  # times as many in the next round: the first rounds do not know their error well


class Effort(NamedTuple):
    """How far to go."""

    error: float  # the standard error that is good enough
    fewest: int  # games of each player before the error is looked at
    fewest_turns: int  # of each player before the error is looked at
    most_turns: int  # of all players together; with more to play, no further games

    def first_games(self, turns: int) -> int:
        """With few turns left there are few scores, and those that are rare but large must be seen.

        In the last turn all games begin on the same sheet, which is worked out once.
        """
        return LAST_TURN if turns <= 1 else max(self.fewest, self.fewest_turns // turns)


LAST_TURN = 4096  # games
FIVE_DICE = Effort(error=0.01, fewest=128, fewest_turns=4096, most_turns=10_000_000)
DOUBLE_DICE = Effort(error=0.02, fewest=32, fewest_turns=256, most_turns=4_000)
DOUBLE_DICE_LIVE = Effort(error=0.05, fewest=16, fewest_turns=128, most_turns=800)


def effort_for(rules: Ruleset, *, live: bool = False) -> Effort:
    """`live`: during a game, where a quick answer is worth more than a sure one."""
    if not rules.has_layers:
        return FIVE_DICE
    return DOUBLE_DICE_LIVE if live else DOUBLE_DICE


@dataclass(frozen=True)
class WinChances:
    """Each player's chance to win, and the standard error of the least certain of them."""

    chances: tuple[float, ...]
    standard_error: float
    games: int  # played on for each player


def win_chances(values: Values, state: State, *, effort: Effort | None = None, seed: int = 1) -> WinChances:
    """Win probabilities at any point of a game."""
    rules = values.rules
    effort = effort or effort_for(rules)
    views = each_player(values, state)
    turns = [sheet.cells.count(None) // len(rules.scored) for sheet in state.sheets]
    most = min(MOST_GAMES, effort.most_turns // max(sum(turns), 1))
    rounds: list[list[Endings]] = [[] for _ in views]
    known = 0
    games = 1 if state.finished else effort.first_games(max(turns))
    while True:
        for player, view in enumerate(views):
            first = player * MOST_GAMES + known
            rounds[player].append(play_on(values, view, games - known, seed, first))
        known = games
        samples = [balanced(joined(parts)) for parts in rounds]
        compared = Comparison(samples)
        chances, error = compared.chances(), float(compared.standard_errors().max())
        guessed = chances.min() < NEVER or not all(sample.balanced for sample in samples)
        if guessed and not state.finished:
            error = max(error, 1 / games)  # what none of so many games shows may still happen
        if error <= effort.error or games >= most:
            break
        wanted = games * min((error / effort.error) ** 2, MOST_MORE)
        games = min(most, VECTOR * ceil(wanted / VECTOR))
    return WinChances(tuple(map(float, chances)), error, 0 if state.finished else games)


@lru_cache(maxsize=REMEMBERED)
def play_on(values: Values, view: State, games: int, seed: int, first: int) -> Endings:
    """How games from `first` on end, of one player. Remembered: only who plays needs new ones."""
    if view.sheet.full:
        score = final_score(values.rules, view.sheet)
        return around(np.full(games, score, dtype=np.int64), score)
    if find_quick(values.rules) is not None:
        from dicecup.coach import quick_games

        return quick_games.play_on(values.rules, games, seed, view, first)
    from dicecup.coach.many import play_games

    scores = play_games(values.source, games, seed, state=view, first_game=first).scores
    return around(scores, advise(values, view).expected)


def each_player(values: Values, state: State) -> list[State]:
    """The game as each player sees it: their own sheet, and dice only for the player whose turn it is."""
    found = []
    for player, sheet in enumerate(state.sheets):
        alone = turn_start(values.rules, (sheet,), 0)
        if player == state.player and not sheet.full:
            alone = replace(alone, dice=state.dice, kept=state.kept, throws_left=state.throws_left)
        found.append(alone)
    return found
