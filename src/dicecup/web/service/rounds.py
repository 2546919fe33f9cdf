"""The turns of a match with the same dice for all, side by side: what everybody did, where they parted, and
what it cost by the coach's values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dicecup.engine.record_dice import Decided, Round
from dicecup.engine.serialize import dice_to_data, move_to_data
from dicecup.errors import DicecupError, UsageError
from dicecup.rules.model import Ruleset
from dicecup.web.service.live_match import LiveMatch
from dicecup.web.service.opening import game_rules
from dicecup.web.service.playing_apart import open_rounds
from dicecup.web.service.reviewing import KeptReview, Reviews

PATIENCE = 3.0  # seconds in which the coach may say what the decisions cost


@dataclass(frozen=True, slots=True)
class Rounds:
    """What may be seen of a match with the same dice for all."""

    rules: Ruleset
    seats: list[int]  # in the order of the turns of a round
    rounds: list[Round]
    losses: list[list[list[float]]] | None = None  # by seat, turn and decision, once the coach knows
    pending: bool = False  # the coach is still working

    def loss(self, place: int, turn: int, decision: int) -> float | None:
        return self.losses[place][turn][decision] if self.losses else None


async def rounds_of(reviews: Reviews, live: LiveMatch) -> Rounds:
    """What may be seen now; after the game with the losses, as far as the coach knows them in time."""
    if not live.stored.opening.same:
        raise UsageError("same_dice_not")
    seats, found = open_rounds(live)
    opening = live.stored.opening
    rules = live.match.rules if live.match else game_rules(opening.ruleset, opening.options)
    if live.apart:
        return Rounds(rules, seats, found)
    try:
        reviewed = await reviews.ask(live, PATIENCE)
    except DicecupError as error:
        return Rounds(rules, seats, found, pending=error.code in ("coach_busy", "still_working"))
    losses = await reviews.matches.in_background(losses_of, reviewed, found)
    return Rounds(rules, seats, found, losses)


def losses_of(reviewed: KeptReview, found: list[Round]) -> list[list[list[float]]]:
    """The losses of every decision, in the turns in which they were taken."""
    losses = []
    for place, player in enumerate(reviewed.read().review.players):
        left = iter(decision.loss for decision in player.decisions)
        losses.append([[next(left) for _ in one.turns[place].decisions] for one in found])
    return losses


def rounds_data(found: Rounds, live: LiveMatch) -> dict[str, Any]:
    return {
        "opens": live.stored.opening.same,
        "finished": not live.apart,
        "rounds": [
            {
                "turn": turn + 1,
                "parted": one.parted,
                "players": [turn_data(found, place, turn) for place in range(len(found.seats))],
            }
            for turn, one in enumerate(found.rounds)
        ],
    }


def turn_data(found: Rounds, place: int, turn: int) -> dict[str, Any]:
    played = found.rounds[turn].turns[place]
    losses = found.losses[place][turn] if found.losses else None
    return {
        "seat": found.seats[place],
        "points": played.points,
        "loss": sum(losses) if losses else None,
        "decisions": [
            decided_data(found.rules, one, found.loss(place, turn, number))
            for number, one in enumerate(played.decisions)
        ],
    }


def decided_data(rules: Ruleset, decided: Decided, loss: float | None) -> dict[str, Any]:
    return {"dice": dice_to_data(decided.dice), "move": move_to_data(rules, decided.move), "loss": loss}
