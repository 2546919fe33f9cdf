"""Who wins, from samples of what each player may score: chances, ties shared, and how certain they are.

Players do not disturb each other's sheets. So the samples are compared in every combination: that takes less
than half the games which comparing them one by one would take for the same error.

What a position is worth is known, so chance in the mean of a sample can be taken out of it: the games are
weighted so that their mean is the expected score. That takes a tenth of the games for the same error.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dicecup.coach.sheets import Scores

MOST_STEPS = 30  # of the search for weights
EQUAL = 1e-6  # points
MOST_PULL = 0.9  # of one game on a sample: beyond it no scale helps

Chances = npt.NDArray[np.float64]


class Sample(NamedTuple):
    """Final scores of one player, and how likely each is."""

    scores: Scores
    weights: Chances
    balanced: bool = False  # whether the weights give the mean that is known


def balanced(scores: Scores, mean: float) -> Sample:
    """The scores, weighted so that their mean is the one that is known.

    The weights grow or fall by the same factor from point to point; where no such weights give the mean (a
    sample too small to hold the scores that make it) they stay equal.
    """
    even = np.full(len(scores), 1 / len(scores))
    spread = scores.std()
    if spread == 0:
        return Sample(scores, even, balanced=bool(abs(scores[0] - mean) < EQUAL))
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
    return Sample(scores, weights, balanced=True)


class Comparison:
    """Samples of all players, side by side: one column for each score that somebody may reach."""

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
        self.equal = equal / equal.sum(axis=1, keepdims=True)  # what is certain shall be 1 to the last digit
        self.below = np.cumsum(self.equal, axis=1) - self.equal

    def chances(self) -> Chances:
        """How likely each player is to win."""
        return np.array(
            [float(self.equal[player] @ self.wins(player)) for player in range(len(self.samples))]
        )

    def standard_errors(self) -> Chances:
        """How much chance there is in each player's chance.

        A game of anybody changes it by how likely the player is to win, given the score of that game. Where
        the sample is balanced, the part of this that goes with the score is known: only the rest is chance.
        """
        variances = np.zeros(len(self.samples))
        for other in range(len(self.samples)):
            for player in range(len(self.samples)):
                given = self.wins(player) if player == other else self.wins_beside(player, other)
                variances[player] += variance_of_mean(self.samples[other], given[self.places[other]])
        return np.sqrt(variances)

    def wins(self, player: int) -> Chances:
        """How likely the player is to win with each score."""
        return shared(self.ties({player}), 1)

    def wins_beside(self, player: int, other: int) -> Chances:
        """How likely the player is to win, for each score of one other player."""
        ties = self.ties({player, other})
        ahead = self.equal[player] * shared(ties, 1)
        found: Chances = ahead[::-1].cumsum()[::-1] - ahead + self.equal[player] * shared(ties, 2)
        return found

    def ties(self, left_out: set[int]) -> Chances:
        """For each number of others: how likely it is that just they share a score and nobody passes it."""
        found = np.ones((1, self.equal.shape[1]))
        for other in range(len(self.samples)):
            if other not in left_out:
                grown = np.zeros((len(found) + 1, found.shape[1]))
                grown[:-1] = found * self.below[other]
                grown[1:] += found * self.equal[other]
                found = grown
        return found


def shared(ties: Chances, winners: int) -> Chances:
    """The player's share of the win at each score: with no others level there are so many winners."""
    found: Chances = (ties / np.arange(winners, winners + len(ties))[:, None]).sum(axis=0)
    return found


def variance_of_mean(sample: Sample, given: Chances) -> float:
    """The variance of the sample's mean of something that is given for each of its scores.

    A game that the mean or the balance hangs on hides its own chance: what is left of it is scaled up, as if
    it were held against the sample without it (the jackknife). That is on the safe side for small samples.
    """
    weights = sample.weights
    rest = given - weights @ given
    pull = weights
    if sample.balanced:
        away = sample.scores - weights @ sample.scores
        spread = max(float(weights @ away**2), EQUAL)
        rest = rest - away * (weights @ (away * rest)) / spread
        pull = weights * (1 + away**2 / spread)
    return float(weights**2 @ (rest / (1 - np.minimum(pull, MOST_PULL))) ** 2)
