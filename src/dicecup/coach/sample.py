"""What one player may score, from games that were played on: how likely each score is, and how certain.

Something is known of the games beforehand, and chance in it can be taken out: they are weighted so that what
is known holds. Where values are exact, what the position is worth is the mean of the scores. Where they are
not, the luck of a game is 0 on average, which says nearly the same: either takes a tenth of the games for the
same error. And dice have no memory: the luck of one turn times the luck of another is 0 on average, so every
turn of every game tells how far the scores spread. With ten players that takes a third of the games.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dicecup.coach.sheets import Scores

MOST_STEPS = 30  # of the search for weights
LONGEST_STEP = 1.0  # in standard deviations
CLOSE = 1e-9  # in standard deviations
EQUAL = 1e-6  # points
MOST_PULL = 0.9  # of one game on a sample: beyond it no scale helps

Numbers = npt.NDArray[np.float64]


class Endings(NamedTuple):
    """How games of one player ended: the scores, and what is known to be 0 on average of each game.

    What tells most of the score comes first.
    """

    scores: Scores
    zeros: Numbers  # [what, game]


def around(scores: Scores, mean: float) -> Endings:
    """The mean of the scores is known."""
    return Endings(scores, (scores - np.float64(mean))[None])


def joined(parts: list[Endings]) -> Endings:
    scores, zeros = zip(*parts, strict=True)
    return Endings(np.concatenate(scores), np.concatenate(zeros, axis=1))


class Sample(NamedTuple):
    """Final scores of one player, and how likely each is."""

    scores: Scores
    weights: Numbers
    zeros: Numbers = np.empty((0, 0))  # [what, game]: what the weights bring to 0
    balanced: bool = False  # whether they do


def even(scores: Scores) -> Sample:
    """Every game is as likely as another."""
    return Sample(scores, np.full(len(scores), 1 / len(scores)))


def balanced(played: Endings) -> Sample:
    """The games, weighted so that what is known of them holds.

    Where no weights do that the first of it is enough; where none do even that (a sample too small to hold
    the scores that make the mean) they stay equal.
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


def bringing_to_zero(known: Numbers) -> Numbers | None:
    """Weights with which the mean of each row is 0; they grow or fall by the same factor from step to step.

    Newton's method for the lowest point of the logarithm of the sum of exp(tilt · known), where they do that.
    There is none if every tilt leaves something on one side.
    """
    if known.min(axis=1).max() >= 0 or known.max(axis=1).min() <= 0:
        return None
    steps = known / known.std(axis=1, keepdims=True)
    tilt = np.zeros(len(known))
    for _ in range(MOST_STEPS):
        height = tilt @ steps
        weights: Numbers = np.exp(height - height.max())
        weights /= weights.sum()
        found = steps @ weights
        if np.abs(found).max() < CLOSE:
            return weights
        move = np.linalg.pinv((steps * weights) @ steps.T - np.outer(found, found), hermitian=True) @ found
        tilt -= move / max(1.0, float(np.linalg.norm(move)) / LONGEST_STEP)
    return None


def variances_of_mean(sample: Sample, given: Numbers) -> Numbers:
    """The variance of the sample's mean of things that are given for each of its scores: [thing, game].

    The part of them that goes with what is known is not chance. A game that the mean or the balance hangs on
    hides its own chance: what is left of it is scaled up, as if it were held against the sample without it
    (the jackknife). That is on the safe side for small samples.
    """
    weights, zeros = sample.weights, sample.zeros
    rest = given - (given @ weights)[:, None]
    pull = weights
    if len(zeros):
        inverse = np.linalg.pinv((zeros * weights) @ zeros.T, hermitian=True)
        rest = rest - rest @ (zeros * weights).T @ inverse @ zeros
        pull = weights * (1 + (zeros * (inverse @ zeros)).sum(axis=0))
    found: Numbers = (rest / (1 - np.minimum(pull, MOST_PULL))) ** 2 @ weights**2
    return found
