"""Who wins, from samples of what each player may score: chances, ties shared, and how certain they are.

Players do not disturb each other's sheets. So the samples are compared in every combination: that takes less
than half the games which comparing them one by one would take for the same error.
"""

from __future__ import annotations

import numpy as np

from dicecup.coach.sample import Numbers, Sample, variances_of_mean


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
        self.equal = equal / equal.sum(axis=1, keepdims=True)
        below = np.cumsum(self.equal, axis=1) - self.equal
        # As many times as make the sums over them exact: no power in them exceeds the number of players.
        places, shares = np.polynomial.legendre.leggauss(len(samples) // 2 + 1)
        self.times, self.shares = (1 + places) / 2, shares / 2
        self.beaten = below[:, None] + self.times[:, None] * self.equal[:, None]  # [player, time, score]

    def chances(self) -> Numbers:
        """How likely each player is to win."""
        found = np.array([self.equal[player] @ self.wins(player) for player in range(len(self.samples))])
        found /= found.sum()  # what is certain shall be 1 to the last digit
        return found

    def standard_errors(self) -> Numbers:
        """How much chance there is in each player's chance.

        A game of anybody changes it by how likely the player is to win, given the score of that game.
        """
        variances = np.zeros(len(self.samples))
        for other, sample in enumerate(self.samples):
            given = [
                self.wins(player) if player == other else self.wins_beside(player, other)
                for player in range(len(self.samples))
            ]
            variances += variances_of_mean(sample, np.stack(given)[:, self.places[other]])
        return np.sqrt(variances)

    def wins(self, player: int) -> Numbers:
        """How likely the player is to win with each score."""
        return self.shares @ self.all_beaten({player})

    def wins_beside(self, player: int, other: int) -> Numbers:
        """How likely the player is to win, for each score of one other player."""
        beaten = self.all_beaten({player, other})
        ahead = self.equal[player] * (self.shares @ beaten)
        level = self.equal[player] * (self.shares * self.times @ beaten)
        found: Numbers = ahead[::-1].cumsum()[::-1] - ahead + level
        return found

    def all_beaten(self, left_out: set[int]) -> Numbers:
        """[time, score]: how likely it is that a score at that time beats all others.

        Who shares a win is taken for having come at a time of their own between 0 and 1, and only the last of
        them wins: over all times that is an equal share for each.
        """
        others = [player for player in range(len(self.samples)) if player not in left_out]
        found: Numbers = self.beaten[others].prod(axis=0)
        return found
