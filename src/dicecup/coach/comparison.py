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
        self.equal = equal / equal.sum(axis=1, keepdims=True)  # what is certain shall be 1 to the last digit
        self.below = np.cumsum(self.equal, axis=1) - self.equal

    def chances(self) -> Numbers:
        """How likely each player is to win."""
        return np.array(
            [float(self.equal[player] @ self.wins(player)) for player in range(len(self.samples))]
        )

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
        return shared(self.ties({player}), 1)

    def wins_beside(self, player: int, other: int) -> Numbers:
        """How likely the player is to win, for each score of one other player."""
        ties = self.ties({player, other})
        ahead = self.equal[player] * shared(ties, 1)
        found: Numbers = ahead[::-1].cumsum()[::-1] - ahead + self.equal[player] * shared(ties, 2)
        return found

    def ties(self, left_out: set[int]) -> Numbers:
        """For each number of others: how likely it is that just they share a score and nobody passes it."""
        found = np.ones((1, self.equal.shape[1]))
        for other in range(len(self.samples)):
            if other not in left_out:
                grown = np.zeros((len(found) + 1, found.shape[1]))
                grown[:-1] = found * self.below[other]
                grown[1:] += found * self.equal[other]
                found = grown
        return found


def shared(ties: Numbers, winners: int) -> Numbers:
    """The player's share of the win at each score: with no others level there are so many winners."""
    found: Numbers = (ties / np.arange(winners, winners + len(ties))[:, None]).sum(axis=0)
    return found
