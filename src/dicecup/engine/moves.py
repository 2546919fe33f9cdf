"""The moves: a throw with its outcome, a keep, a score."""

from __future__ import annotations

from dataclasses import dataclass

from dicecup.dice import Dice


@dataclass(frozen=True, slots=True)
class Throw:
    """Dice fell: the outcome of throwing all dice that were not kept."""

    dice: Dice


@dataclass(frozen=True, slots=True)
class Keep:
    """These dice stay; the others are thrown again."""

    dice: Dice


@dataclass(frozen=True, slots=True)
class Placement:
    """A box to fill. With `strike` it gets 0 whatever the dice would give."""

    box: str
    column: str = ""
    strike: bool = False


@dataclass(frozen=True, slots=True)
class Score:
    """The end of a turn: one placement for each scored layer, in the rules' order."""

    placements: tuple[Placement, ...]


Move = Throw | Keep | Score


def score(box: str, column: str = "", *, strike: bool = False) -> Score:
    """The score of a game that fills one box a turn."""
    return Score((Placement(box, column, strike),))
