"""Learning: play games with the running mean of the weights, fit the weights to what they say, again."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, pi
from typing import Any

from dicecup.rules.model import Ruleset
from dicecup.solver.learned.moves import Array
from dicecup.solver.learned.network import Network, Weights
from dicecup.solver.learned.network import Steps as NetworkSteps
from dicecup.solver.learned.training.fitting import Adam, Encoder, gradient
from dicecup.solver.learned.training.games import Dealer, Played, play, returns
from dicecup.solver.learned.turn import Steps as TurnSteps
from dicecup.solver.learned.turn import Turn


@dataclass(frozen=True)
class Plan:
    """The numbers of a training run."""

    games: int = 8192  # a batch
    fit: int = 4096  # sheets in one step of the fit
    passes: int = 2  # how often each sheet is used
    rate: float = 2e-3  # falls along half a cosine
    last_rate: float = 1e-5
    warm_up: int = (
        500  # steps until the rate is reached: Adam's first steps are as long as its rate, right or wrong
    )
    carried: float = 0.9  # λ at the start
    last_carried: float = 0.97
    memory: float = 0.1  # the share of all steps so far that the running mean of the weights goes back


@dataclass(frozen=True)
class Report:
    """What a batch of games came to."""

    mean: float  # of the games that ended no turn at random
    estimate: float  # at the first throw, by the weights that played
    error: float  # root mean square of target less network, in points


class Learner:
    """Weights on their way."""

    def __init__(
        self,
        xp: Any,
        rules: Ruleset,
        weights: Weights,
        plan: Plan,
        seed: int,
        steps: tuple[TurnSteps, NetworkSteps] | None = None,
    ) -> None:
        self.xp, self.rules, self.plan = xp, rules, plan
        self.network_steps = steps[1] if steps else None
        self.turn = Turn(xp, rules, steps[0] if steps else None)
        self.adam = Adam(xp, weights)
        self.encoder = Encoder(xp, rules)
        self.dealer = Dealer(self.turn, seed)
        # Half the games play their best; the others stray now and then, to know worse sheets too.
        self.exploring = xp.zeros(plan.games)
        self.exploring[plan.games // 2 :] = 0.02
        self.exploring[plan.games * 3 // 4 :] = 0.1

    def network(self) -> Network:
        return Network(self.xp, self.rules, self.adam.average, self.network_steps)

    def learn(self, progress: float) -> Report:
        """One batch; `progress` says how much of the run is done, from 0 to 1."""
        plan = self.plan
        rate = plan.last_rate + (plan.rate - plan.last_rate) * (1 + cos(pi * progress)) / 2
        played = play(self.turn, self.network(), self.dealer, self.exploring)
        targets = returns(self.xp, played, plan.carried + (plan.last_carried - plan.carried) * progress)
        error = self.fit(played, targets, rate)
        best = played.scores[: plan.games // 2]
        return Report(float(best.mean()), float(played.backed_up[0, 0]), error)

    def fit(self, played: Played, targets: Array, rate: float) -> float:
        xp, plan = self.xp, self.plan
        target = targets.ravel()
        given = self.encoder.encode(played.sheets.reshape(len(target), -1))
        squares = []
        for _ in range(plan.passes):
            order = xp.argsort(self.dealer.uniform(len(target)))
            for first in range(0, len(order), plan.fit):
                chosen = order[first : first + plan.fit]
                slopes, error = gradient(xp, self.adam.weights, given[chosen], target[chosen])
                warmed = rate * min(1.0, (self.adam.steps + 1) / plan.warm_up)
                self.adam.step(slopes, warmed, 1 - 1 / max(1.0, plan.memory * self.adam.steps))
                squares.append((error * error).mean())
        return float(xp.sqrt(xp.stack(squares).mean()))
