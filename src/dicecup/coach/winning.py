"""Chances to win: the rest of a game simulated with strong play, samples weighted and compared."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from math import ceil
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dicecup.coach.advice import Values, advise
from dicecup.coach.review import WinChances
from dicecup.engine.state import State, final_score, turn_start
from dicecup.playout.games import Endings, Scores
from dicecup.rules.model import Ruleset
from dicecup.solver.learned.value import find_quick

nodes = lru_cache(maxsize=32)(np.polynomial.legendre.leggauss)


class Comparison:
    """The samples of all players on one scale, with an entry for every possible score. Ties are shared."""

    def __init__(self, samples: list[Sample]) -> None:
        low = min(int(sample.scores.min()) for sample in samples)
        span = max(int(sample.scores.max()) for sample in samples) - low + 1
        self.samples = samples
        self.places = [sample.scores - low for sample in samples]
        equal = np.stack(
            [
                np.bincount(place, sample.weights, minlength=span)
                for place, sample in zip(self.places, samples, strict=True)
            ]
        )
        self.equal = equal / equal.sum(axis=1, keepdims=True)
        below = np.cumsum(self.equal, axis=1) - self.equal
        # Enough Gauss-Legendre nodes for exact sums: the degree is below the number of players.
        places, shares = nodes(len(samples) // 2 + 1)
        self.times, self.shares = (1 + places) / 2, shares / 2
        self.beaten = below[:, None] + self.times[:, None] * self.equal[:, None]  # [player, time, score]

    def chances(self) -> Floats64:
        """Return each player's chance to win."""
        found = np.array([self.equal[player] @ self.wins(player) for player in range(len(self.samples))])
        found /= found.sum()  # so that a certain win is exactly 1
        return found

    def standard_errors(self) -> Floats64:
        """Return the standard error of each player's chance.

        Every game of every player contributes the player's chance to win given the score of that game.
        """
        variances = np.zeros(len(self.samples))
        for other, sample in enumerate(self.samples):
            variances += variances_of_mean(sample, self.wins_beside(other)[:, self.places[other]])
        return np.sqrt(variances)

    def wins(self, player: int) -> Floats64:
        """Return the player's chance to win for each of the player's scores."""
        return self.shares @ self.all_beaten({player})

    def wins_beside(self, other: int) -> Floats64:
        """Return each player's chance to win for each score of one of them: [player, score]."""
        beaten = self.beaten.copy()
        beaten[other] = 1.0
        before, after = np.ones_like(beaten), np.ones_like(beaten)
        np.cumprod(beaten[:-1], axis=0, out=before[1:])
        np.cumprod(beaten[:0:-1], axis=0, out=after[-2::-1])
        beaten = before * after  # the chance to beat all but the player and the other
        ahead = self.equal * (self.shares @ beaten)
        level = self.equal * (self.shares * self.times @ beaten)
        found: Floats64 = ahead[:, ::-1].cumsum(axis=1)[:, ::-1] - ahead + level
        found[other] = self.shares @ beaten[other]
        return found

    def all_beaten(self, left_out: set[int]) -> Floats64:
        """Return the chance that a score at a time beats all others: [time, score].

        Ties are shared by giving each of the tied players a random time between 0 and 1, of which the last
        wins: integrated over all times that is an equal share for each.
        """
        others = [player for player in range(len(self.samples)) if player not in left_out]
        found: Floats64 = self.beaten[others].prod(axis=0)
        return found


MOST_STEPS = 30  # of Newton's method
LONGEST_STEP = 1.0  # in standard deviations
CLOSE = 1e-9  # in standard deviations
EQUAL = 1e-6  # points
SINGULAR = 1e-15  # of the largest eigenvalue: smaller ones are taken for 0
MOST_PULL = 0.9  # leverage of one game in a sample; larger values are clipped

Floats64 = npt.NDArray[np.float64]


def around(scores: Scores, mean: float) -> Endings:
    """Return scores whose mean is known."""
    return Endings(scores, (scores - np.float64(mean))[None])


def joined(parts: list[Endings]) -> Endings:
    scores, zeros = zip(*parts, strict=True)
    return Endings(np.concatenate(scores), np.concatenate(zeros, axis=1))


class Sample(NamedTuple):
    """Final scores of one player, and their probabilities."""

    scores: Scores
    weights: Floats64
    zeros: Floats64 = np.empty((0, 0))  # [variable, game]: whose weighted mean is 0
    balanced: bool = False  # whether the weights have been balanced


def even(scores: Scores) -> Sample:
    """Return a sample in which all games are equally likely."""
    return Sample(scores, np.full(len(scores), 1 / len(scores)))


def balanced(played: Endings) -> Sample:
    """Return the games, weighted so that the variables whose mean is known to be 0 have that mean.

    If no weights achieve that, only the first variable is balanced; if that is impossible too (the sample is
    too small to contain the scores that make up the mean), the weights stay equal.
    """
    scores, zeros = played
    known = zeros[np.abs(zeros).max(axis=1) > EQUAL]
    if not len(known):
        return even(scores)._replace(balanced=True)
    for part in (known, known[:1]):
        weights = bringing_to_zero(part)
        if weights is not None:
            return Sample(scores, weights, part, balanced=True)
    return even(scores)


def bringing_to_zero(known: Floats64) -> Floats64 | None:
    """Return weights with which the mean of each row is 0, an exponential function of the rows.

    Newton's method minimises the logarithm of the sum of exp(tilt · known), which is least where the means
    are 0. There is no minimum if some tilt leaves all values on one side.
    """
    if known.min(axis=1).max() >= 0 or known.max(axis=1).min() <= 0:
        return None
    steps = known / known.std(axis=1, keepdims=True)
    tilt = np.zeros(len(known))
    for _ in range(MOST_STEPS):
        height = tilt @ steps
        weights: Floats64 = np.exp(height - height.max())
        weights /= weights.sum()
        found = steps @ weights
        if np.abs(found).max() < CLOSE:
            return weights
        move = inverse((steps * weights) @ steps.T - np.outer(found, found)) @ found
        tilt -= move / max(1.0, float(np.linalg.norm(move)) / LONGEST_STEP)
    return None


def inverse(symmetric: Floats64) -> Floats64:
    """Return the pseudoinverse of a small symmetric matrix, several times as fast as `np.linalg.pinv`."""
    values, vectors = np.linalg.eigh(symmetric)
    sizes = np.abs(values)
    large = sizes > SINGULAR * sizes.max()
    found: Floats64 = vectors @ (
        np.divide(1.0, values, out=np.zeros_like(values), where=large)[:, None] * vectors.T
    )
    return found


def variances_of_mean(sample: Sample, given: Floats64) -> Floats64:
    """Return the variances of weighted means over the sample, of variables given by game: [variable, game].

    The part that correlates with the balanced variables is not random. A game that dominates the mean or the
    balance hides its own variance, so residuals are scaled up as in the jackknife, which is conservative for
    small samples.
    """
    weights, zeros = sample.weights, sample.zeros
    rest = given - (given @ weights)[:, None]
    pull = weights
    if len(zeros):
        inverted = inverse((zeros * weights) @ zeros.T)
        rest = rest - rest @ (zeros * weights).T @ inverted @ zeros
        pull = weights * (1 + (zeros * (inverted @ zeros)).sum(axis=0))
    found: Floats64 = (rest / (1 - np.minimum(pull, MOST_PULL))) ** 2 @ weights**2
    return found


MOST_GAMES = 25_000  # of each player
REMEMBERED = 100  # samples of one player
VECTOR = 16  # games are computed in multiples of this
NEVER = 1e-9  # chances below it are taken for none
MOST_MORE = 2  # maximum growth of a round: the error estimate of the first rounds is uncertain


class Effort(NamedTuple):
    """How precise the chances shall be, and the most work allowed for it."""

    error: float  # the standard error to reach
    fewest: int  # games of each player before the error is checked
    fewest_turns: int  # of each player before the error is checked
    most_turns: int  # of all players together

    def first_games(self, turns: int) -> int:
        """Return the games of the first round.

        With few turns left there are few different scores, and rare but large ones must occur in the sample.
        In the last turn all games begin on the same sheet, which is solved once.
        """
        return LAST_TURN if turns <= 1 else max(self.fewest, self.fewest_turns // turns)


LAST_TURN = 4096  # games
FIVE_DICE = Effort(error=0.01, fewest=128, fewest_turns=4096, most_turns=10_000_000)
DOUBLE_DICE = Effort(error=0.02, fewest=32, fewest_turns=256, most_turns=4_000)
DOUBLE_DICE_LIVE = Effort(error=0.05, fewest=16, fewest_turns=128, most_turns=800)


def effort_for(rules: Ruleset, *, live: bool = False) -> Effort:
    """Return the effort for a game; `live`: during play a quick answer is worth more than a precise one."""
    if not rules.has_layers:
        return FIVE_DICE
    return DOUBLE_DICE_LIVE if live else DOUBLE_DICE


def win_chances(values: Values, state: State, *, effort: Effort | None = None, seed: int = 1) -> WinChances:
    """Return the chances to win at any point of a game."""
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
            error = max(error, 1 / games)  # an outcome that did not occur in the sample may still happen
        if error <= effort.error or games >= most:
            break
        wanted = games * min((error / effort.error) ** 2, MOST_MORE)
        games = min(most, VECTOR * ceil(wanted / VECTOR))
    return WinChances(tuple(map(float, chances)), error, 0 if state.finished else games)


@lru_cache(maxsize=REMEMBERED)
def play_on(values: Values, view: State, games: int, seed: int, first: int) -> Endings:
    """Return how a player's games from `first` on end. Cached: only the moving player's change."""
    if view.sheet.full:
        score = final_score(values.rules, view.sheet)
        return around(np.full(games, score, dtype=np.int64), score)
    if find_quick(values.rules) is not None:
        from dicecup.playout import single

        return single.play_on(values.rules, games, seed, view, first)
    from dicecup.playout.games import play_games

    scores = play_games(values.source, games, seed, state=view, first_game=first).scores
    return around(scores, advise(values, view).expected)


def each_player(values: Values, state: State) -> list[State]:
    """Return the game as each player sees it: the own sheet, and the dice if it is the player's turn."""
    found = []
    for player, sheet in enumerate(state.sheets):
        alone = turn_start(values.rules, (sheet,), 0)
        if player == state.player and not sheet.full:
            alone = replace(alone, dice=state.dice, kept=state.kept, throws_left=state.throws_left)
        found.append(alone)
    return found
