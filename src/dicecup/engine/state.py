"""The state of a game at one moment (sheets, whose turn it is, the dice) and the moves that change it."""

from __future__ import annotations

from dataclasses import dataclass

from dicecup.dice import Dice
from dicecup.errors import MoveError
from dicecup.rules.model import Ruleset


@dataclass(frozen=True, slots=True)
class Throw:
    """A throw with its outcome: the dice that were not kept."""

    dice: Dice


@dataclass(frozen=True, slots=True)
class Keep:
    """The dice to keep; the others are thrown again."""

    dice: Dice


@dataclass(frozen=True, slots=True)
class Placement:
    """A box to fill. With `strike` it gets 0 whatever the dice would score."""

    box: str
    column: str = ""
    strike: bool = False


@dataclass(frozen=True, slots=True)
class Score:
    """The end of a turn: one placement per scored layer, in the rules' order."""

    placements: tuple[Placement, ...]


Move = Throw | Keep | Score


def score(box: str, column: str = "", *, strike: bool = False) -> Score:
    """Return the score of a game with one box per turn."""
    return Score((Placement(box, column, strike),))


Cells = tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class Sheet:
    """One player's sheet: the points in every cell, column by column, and the number of scored repeats."""

    cells: Cells
    repeats: int = 0

    @property
    def full(self) -> bool:
        return None not in self.cells


@dataclass(frozen=True, slots=True)
class State:
    """The state of a game at one moment.

    `kept` holds the kept dice while a throw is due, and is None when a decision is due. A turn begins with no
    dice and nothing kept: the first throw is of all dice.
    """

    sheets: tuple[Sheet, ...]
    player: int
    dice: Dice
    kept: Dice | None
    throws_left: int

    @property
    def finished(self) -> bool:
        return all(sheet.full for sheet in self.sheets)

    @property
    def throw_due(self) -> bool:
        return self.kept is not None and not self.finished

    @property
    def sheet(self) -> Sheet:
        """The sheet of the player whose turn it is."""
        return self.sheets[self.player]


def empty_sheet(rules: Ruleset) -> Sheet:
    return Sheet((None,) * rules.cells)


def start(rules: Ruleset, players: int = 1) -> State:
    """Return the state before the first throw of a game."""
    if players < 1:
        raise MoveError("players_missing")
    return turn_start(rules, (empty_sheet(rules),) * players, 0)


def turn_start(rules: Ruleset, sheets: tuple[Sheet, ...], player: int) -> State:
    return State(sheets, player, dice=(), kept=(), throws_left=rules.throws)


def dice_to_throw(rules: Ruleset, state: State) -> int:
    """Return how many dice are due to be thrown."""
    return rules.dice.count - len(state.kept or ())
